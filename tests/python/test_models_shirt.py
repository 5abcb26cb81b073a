"""The shirt's mesh: of the size that it should have, even, joined at its seams and open where one slips in."""

import importlib.util
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from pliant.crossings import crossing_pairs
from pliant.sheet import shadow_area

SHIRT = Path(__file__).parents[2] / "models" / "shirt"


def shirt_script():
    spec = importlib.util.spec_from_file_location("make_shirt", SHIRT / "make_shirt.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def shirt_mesh():
    lines = [line.split() for line in (SHIRT / "shirt.obj").read_text().splitlines()]
    vertices = np.array([[float(x) for x in line[1:]] for line in lines if line[0] == "v"])
    triangles = np.array([[int(i) - 1 for i in line[1:]] for line in lines if line[0] == "f"])
    return vertices, triangles


def directed_edges(triangles):
    return [(int(t[i]), int(t[(i + 1) % 3])) for t in triangles for i in range(3)]


def loops(edges):
    """Chains of edges that close, each as its vertices."""
    follows = dict(edges)
    assert len(follows) == len(edges)
    found = []
    while follows:
        chain = [next(iter(follows))]
        while (after := follows.pop(chain[-1])) != chain[0]:
            chain.append(after)
        found.append(chain)
    return found


def test_shirt_is_what_the_script_writes(tmp_path):
    shirt_script().write(tmp_path / "shirt.obj")
    assert (tmp_path / "shirt.obj").read_text() == (SHIRT / "shirt.obj").read_text()


def test_shirt_is_as_fine_as_that_of_the_paper(shirt_mesh):
    vertices, triangles = shirt_mesh
    # S2, Sec. VI-E: 4,171 vertices and 7,987 faces
    assert len(vertices) == pytest.approx(4171, rel=0.03)
    assert len(triangles) == pytest.approx(7987, rel=0.01)
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    np.testing.assert_allclose(high - low, (0.84, 0.70, 0.013), atol=1e-6)
    np.testing.assert_allclose(high + low, 0, atol=1e-6)


def test_shirt_triangles_are_even(shirt_mesh):
    vertices, triangles = shirt_mesh
    edges = np.stack([vertices[triangles[:, (i + 1) % 3]] - vertices[triangles[:, i]] for i in range(3)], axis=1)
    lengths = np.linalg.norm(edges, axis=2)
    turns = [-np.einsum("ij,ij->i", edges[:, i], edges[:, i - 1]) / lengths[:, i] / lengths[:, i - 1] for i in range(3)]
    angles = np.degrees(np.arccos(turns))
    assert angles.min() > 25
    assert angles.max() < 110
    spacing = shirt_script().SPACING
    assert lengths.min() > 0.55 * spacing
    assert lengths.max() < 1.6 * spacing


def test_shirt_is_one_oriented_surface_with_four_openings(shirt_mesh):
    vertices, triangles = shirt_mesh
    edges = directed_edges(triangles)
    # no edge is used twice in one direction: at most two triangles, which agree which side is out
    assert max(Counter(edges).values()) == 1
    known = set(edges)
    open_edges = [(a, b) for a, b in edges if (b, a) not in known]
    rims = loops(open_edges)
    assert len(rims) == 4
    whole_edges = (len(edges) + len(open_edges)) // 2
    # one piece, a ball with four holes
    assert len(vertices) - whole_edges + len(triangles) == 2 - 4
    assert len(np.unique(triangles)) == len(vertices)
    label = np.arange(len(vertices))
    for _ in range(len(vertices)):
        before = label.copy()
        np.minimum.at(label, triangles, label[triangles].min(axis=1, keepdims=True).repeat(3, axis=1))
        if np.array_equal(before, label):
            break
    assert np.all(label == 0)

    # the openings are the hem, the neck and a cuff on each side; a vertex belongs to one rim only
    centers = sorted(tuple(np.round(vertices[rim].mean(axis=0), 2)) for rim in rims)
    assert [(x < -0.3, x > 0.3, y < -0.3, y > 0.25) for x, y, _ in centers] == [
        (True, False, False, False),
        (False, False, True, False),
        (False, False, False, True),
        (False, True, False, False),
    ]


def test_shirt_lies_flat_in_two_layers_that_do_not_touch(shirt_mesh):
    vertices, triangles = shirt_mesh
    assert len(crossing_pairs(vertices, triangles)) == 0
    assert set(np.round(1e3 * vertices[:, 2], 6)) == {-6.5, 0, 6.5}
    a, b, c = (vertices[triangles[:, i]] for i in range(3))
    upward = np.cross(b - a, c - a)[:, 2]
    # faces of the front look up, those of the back down
    np.testing.assert_array_equal(np.sign(upward), np.sign(vertices[triangles][:, :, 2].sum(axis=1)))
    # the back, whose neck is less deep, casts the shadow: its own area
    assert shadow_area(vertices, triangles) == pytest.approx(-upward[upward < 0].sum() / 2, rel=1e-4)
    # left and right are the same
    mirrored = {tuple(v) for v in np.round(vertices * (-1, 1, 1) + 0.0, 6)}
    assert mirrored == {tuple(v) for v in np.round(vertices, 6)}
