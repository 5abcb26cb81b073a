"""Triangles that pass through each other are found, all of them, and no others."""

import time
from fractions import Fraction

import numpy as np
import pytest

import pliant.crossings
from pliant.crossings import BITS, cross, crossing_pairs, side
from pliant.sheet import area, at_vertices, shadow_area, vertex_normals

FLAT = ((0, 0, 0), (1, 0, 0), (0, 1, 0))


def cross_product(u, v):
    return [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]


def dot(u, v):
    return sum(a * b for a, b in zip(u, v, strict=True))


def less(u, v):
    return [a - b for a, b in zip(u, v, strict=True)]


def stretch(triangle, normal, origin, along):
    """Where a triangle meets a plane, as numbers along a line of that plane."""
    heights, found = [dot(normal, less(p, origin)) for p in triangle], set()
    for i in range(3):
        p, q, a, b = triangle[i - 1], triangle[i], heights[i - 1], heights[i]
        if b == 0:
            found.add(dot(along, q))
        if a * b < 0:
            found.add(dot(along, p) + a / (a - b) * dot(along, less(q, p)))
    return found


def slow_cross(first, second):
    """The obvious twin, in fractions: the stretches of both on the line where their planes meet overlap."""
    first, second = ([[Fraction(float(x)) for x in p] for p in t] for t in (first, second))
    normals = [cross_product(less(t[1], t[0]), less(t[2], t[0])) for t in (first, second)]
    along = cross_product(*normals)
    ours = stretch(first, normals[1], second[0], along)
    theirs = stretch(second, normals[0], first[0], along)
    if not any(along) or not ours or not theirs:
        return False
    return min(max(ours), max(theirs)) > max(min(ours), min(theirs))


def slow_pairs(vertices, triangles):
    pairs = [(i, j) for i in range(len(triangles)) for j in range(i + 1, len(triangles))]
    pairs = [(i, j) for i, j in pairs if not set(triangles[i].tolist()) & set(triangles[j].tolist())]
    return {(i, j) for i, j in pairs if slow_cross(vertices[triangles[i]], vertices[triangles[j]])}


# small spans have many corners in planes, edges that meet and triangles of no area; the largest fill all bits
@pytest.mark.parametrize("span", [1, 2, 3, 5, 1000, 2 ** (BITS + 1) - 1])
def test_pairs_are_those_of_fractions(span):
    first, second = np.random.default_rng(span).integers(0, span + 1, (2, 1500, 3, 3))
    expected = [slow_cross(a, b) for a, b in zip(first, second, strict=True)]
    assert 0.05 < np.mean(expected) < 0.4
    np.testing.assert_array_equal(cross(first, second), expected)
    np.testing.assert_array_equal(cross(second, first), expected)


def test_the_sign_of_a_volume_is_exact():
    far = (1 << (BITS + 1)) - 1
    a, b = np.array([[0, 0, 0]] * 3), np.array([[far, far, far - 1]] * 3)
    c = np.array([[far, far - 1, far]] * 3)
    plane = np.cross(b[0].astype(object), c[0].astype(object))
    d = np.array([[far, 0, 0], [0, 0, 0], [0, far, 1]])
    expected = [np.sign(int(plane @ x.astype(object))) for x in d]
    assert side(a, b, c, d).tolist() == expected
    # one unit beside the plane of numbers with 30 digits
    assert side(a, b, c, b + c - [[0, 0, 0], [0, 0, 1], [0, 0, -1]]).tolist() == [
        0,
        *(np.sign(int(plane @ np.array([0, 0, z], object))) for z in (-1, 1)),
    ]


# coordinates are rounded to 2^-29 of the larger triangle, 2e-9 here and 1e-8 beside the one of 5
@pytest.mark.parametrize(
    ("other", "expected"),
    [
        (((0.2, 0.2, -1), (0.2, 0.2, 1), (0.3, 0.2, 1)), 1),  # through the middle
        (((0.2, 0.2, -1), (0.2, 0.2, 1), (5, 0.2, 1)), 1),  # in at an edge
        (((0.2, 0.2, 0), (0.2, 0.2, 1), (0.3, 0.2, 1)), 0),  # a corner touches
        (((0.2, 0.2, 1e-8), (0.2, 0.2, 1), (0.3, 0.2, 1)), 0),  # and just does not
        (((0.2, 0.2, -1e-8), (0.2, 0.2, 1), (0.3, 0.2, 1)), 1),  # and just goes through
        (((0.2, 0.2, 0), (0.4, 0.2, 0), (0.3, 0.2, 1)), 1),  # an edge lies in it: so do two sheets that cross there
        (((0, 0, 0), (1, 0, 0), (0, 1, 0)), 0),  # the same
        (((0.1, 0.1, 0), (1, 0, 0), (0, 1, 0)), 0),  # in one plane
        (((0, 0, 1e-8), (1, 0, 1e-8), (0, 1, 1e-8)), 0),  # nearly
        (((0, 0, 1e-8), (1, 0, 1e-8), (0, 1, -1e-8)), 1),  # nearly, and tilted
        (((0.2, -0.2, -1), (0.2, -0.2, 1), (0.2, -0.1, 0)), 0),  # beside it, through its plane
        (((5, 5, 5), (6, 5, 5), (5, 6, 5)), 0),  # far
        (((0.2, 0.2, 0), (0.2, 0.2, 0), (0.2, 0.2, 0)), 0),  # a point
    ],
)
def test_two_triangles(other, expected):
    vertices, triangles = np.array([*FLAT, *other], float), np.arange(6).reshape(2, 3)
    assert len(crossing_pairs(vertices, triangles)) == expected
    # in the other order, and seen from below
    assert len(crossing_pairs(vertices[[3, 4, 5, 0, 1, 2]], triangles[:, ::-1])) == expected


def test_triangles_that_share_a_corner_do_not_count():
    vertices = np.array([*FLAT, (0.5, 0.5, 1), (0.5, 0.5, -1)], float)
    assert len(crossing_pairs(vertices, np.array([[0, 1, 2], [0, 3, 4]]))) == 0
    apart = np.concatenate([vertices, vertices[:1]])
    assert crossing_pairs(apart, np.array([[0, 1, 2], [5, 3, 4]])).tolist() == [[0, 1]]


def grid_sheet(n=20, height=lambda x, y: 0 * x):
    """(n - 1)^2 squares, two triangles each, over the unit square about the origin."""
    ticks = np.linspace(-0.5, 0.5, n)
    x, y = np.meshgrid(ticks, ticks, indexing="ij")
    i = np.arange(n * n).reshape(n, n)
    a, b, c, d = (part.ravel() for part in (i[:-1, :-1], i[1:, :-1], i[1:, 1:], i[:-1, 1:]))
    triangles = np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])
    return np.stack([x, y, height(x, y)], axis=-1).reshape(-1, 3), triangles


def both(first, second):
    return np.concatenate([first[0], second[0]]), np.concatenate([first[1], second[1] + len(first[0])])


def turn(angle, axis):
    c, s = np.cos(angle), np.sin(angle)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    matrix = np.eye(3)
    matrix[i, i] = matrix[j, j] = c
    matrix[j, i], matrix[i, j] = s, -s
    return matrix.T


def test_whole_meshes_are_searched_as_pair_by_pair():
    rng = np.random.default_rng(5)
    crumpled = grid_sheet(7)
    crumpled = (crumpled[0] + rng.normal(0, 0.15, crumpled[0].shape), crumpled[1])
    found = crossing_pairs(*crumpled)
    assert len(found) > 20
    assert {tuple(pair) for pair in found.tolist()} == slow_pairs(*crumpled)
    # sizes that differ by a hundred: the search goes by cells
    mixed = both(crumpled, (0.02 * crumpled[0] + 0.1, crumpled[1]))
    assert {tuple(pair) for pair in crossing_pairs(*mixed).tolist()} == slow_pairs(*mixed)


@pytest.mark.parametrize("angle", [0.0, 0.3])
def test_sheets_that_cross_on_their_grid_lines_are_found(angle):
    flat, upright = grid_sheet(11), grid_sheet(11)
    vertices, triangles = both(flat, (upright[0] @ turn(np.pi / 2, 0), upright[1]))
    pairs = crossing_pairs(vertices @ turn(angle, 1) @ turn(angle, 2), triangles)
    # one is in the other everywhere along a line of ten squares
    assert len(pairs) >= 10
    assert np.all(pairs[:, 0] < len(flat[1]))
    assert np.all(pairs[:, 1] >= len(flat[1]))


def test_layers_do_not_cross_however_close_and_however_tilted():
    lower = grid_sheet(30, lambda x, y: 0.2 * np.sin(5 * x) * y)
    # round-off of a coordinate is 1e-16; the unit that it is rounded to is 2^-30 of a triangle of 0.06, 6e-11
    upper = (lower[0] + (0, 0, 1e-9), lower[1])
    matrix = turn(0.4, 0) @ turn(1.1, 1)
    vertices, triangles = both(lower, upper)
    assert len(crossing_pairs(vertices @ matrix, triangles)) == 0
    vertices[len(lower[0]) + 450, 2] -= 2e-9
    assert len(crossing_pairs(vertices @ matrix, triangles)) > 0


def test_a_tilted_flat_sheet_in_float_does_not_cross_itself():
    vertices, triangles = grid_sheet(60)
    assert len(crossing_pairs((vertices @ turn(0.4, 0) @ turn(1.1, 1)).astype(np.float32), triangles)) == 0


def test_sixteen_thousand_triangles_take_less_than_two_seconds():
    """Sixteen layers on each other."""
    vertices, triangles = grid_sheet(23, lambda x, y: 0.01 * np.sin(9 * x + 4 * y))
    layers = [(vertices @ turn(0.1 * k, 2) + (0, 0, 0.025 * k), triangles) for k in range(17)]
    whole = layers[0]
    for layer in layers[1:]:
        whole = both(whole, layer)
    assert len(whole[1]) > 16_000
    start = time.process_time()
    assert len(crossing_pairs(*whole)) == 0
    assert time.process_time() - start < 2


def test_a_mesh_that_flew_apart_is_counted_no_further_than_needed(monkeypatch):
    monkeypatch.setattr(pliant.crossings, "MOST", 5_000)
    vertices, triangles = grid_sheet(30)
    rubble = np.random.default_rng(1).normal(0, 0.1, vertices.shape)
    assert len(crossing_pairs(rubble, triangles)) >= 5_000
    stray = vertices.copy()
    stray[435] = (1e6, -2e5, 3e4)
    start = time.process_time()
    crossing_pairs(stray, triangles)
    assert time.process_time() - start < 2
    with pytest.raises(ValueError, match="finite"):
        crossing_pairs(np.where(vertices > 0.49, np.nan, vertices), triangles)


def test_few_triangles():
    assert crossing_pairs(np.zeros((0, 3)), np.zeros((0, 3), int)).shape == (0, 2)
    assert crossing_pairs(np.array(FLAT, float), np.array([[0, 1, 2]])).shape == (0, 2)
    assert len(crossing_pairs(np.zeros((6, 3)), np.arange(6).reshape(2, 3))) == 0


# area, shadow, normals


def test_area_and_shadow_of_a_tilted_sheet():
    vertices, triangles = grid_sheet(12)
    tilted = vertices @ turn(np.radians(60), 0)
    assert area(tilted, triangles) == pytest.approx(1, rel=1e-12)
    # lines go along x, and the edges across them are straight: exact but for round-off
    assert shadow_area(tilted, triangles) == pytest.approx(0.5, rel=1e-9)
    assert shadow_area(vertices @ turn(np.radians(90), 0), triangles) == pytest.approx(0, abs=1e-9)
    # the corners of a turned square: the lines next to its ends are half a gap long
    assert shadow_area(vertices @ turn(0.7, 2) + 100, triangles) == pytest.approx(1, rel=1e-6)


def test_layers_of_a_shadow_count_once():
    vertices, triangles = grid_sheet(41)
    folded = vertices.copy()
    folded[:, 0] = np.abs(folded[:, 0])
    assert area(folded, triangles) == pytest.approx(1, rel=1e-12)
    assert shadow_area(folded, triangles) == pytest.approx(0.5, rel=1e-9)
    two = both((vertices, triangles), (vertices + (0.25, 0.5, 3), triangles))
    # 2 less the overlap of 3/4 x 1/2; an edge along the lines may be half a gap of 1.5 / 2,000 m off
    assert shadow_area(*two) == pytest.approx(2 - 0.375, abs=0.25 * 1.5 / 2000)
    apart = both((vertices, triangles), (vertices + (5, 0, 0), triangles))
    assert shadow_area(*apart) == pytest.approx(2, rel=1e-9)


def test_a_sheet_over_a_pipe_keeps_its_area_and_loses_shadow():
    vertices, triangles = grid_sheet(81)
    radius = 0.3
    angle = vertices[:, 0] / radius
    bent = np.stack([radius * np.sin(angle), vertices[:, 1], radius * np.cos(angle)], axis=1)
    # chords of an arc: 1 - sin(a)/a with a half a spacing over the radius, 1/6 (1/160/0.3)^2
    assert area(bent, triangles) == pytest.approx(1, rel=8e-5)
    # it bends over past the widest place, 0.3 pi / 2 = 0.471 from the middle; vertices miss that place by 1e-4
    assert shadow_area(bent, triangles) == pytest.approx(2 * radius, rel=1e-3)


def test_normals_and_means_at_vertices():
    vertices, triangles = grid_sheet(41, lambda x, y: 0.3 * (x**2 + y**2))
    exact = np.stack([-0.6 * vertices[:, 0], -0.6 * vertices[:, 1], np.ones(len(vertices))], axis=1)
    exact /= np.linalg.norm(exact, axis=1, keepdims=True)
    # inside, the six triangles around are even: second order in the spacing of 1/40; at the rim first order
    error = np.abs(vertex_normals(vertices, triangles) - exact).max(axis=1)
    inner = np.abs(vertices[:, :2]).max(axis=1) < 0.49
    assert error[inner].max() < 5e-4
    assert error.max() < 0.02
    np.testing.assert_array_equal(vertex_normals(np.zeros((3, 3)), np.array([[0, 1, 2]])), np.tile((0, 0, 1), (3, 1)))
    middle = vertices[triangles].mean(axis=1)
    means = at_vertices(middle[:, 0], triangles, len(vertices))
    np.testing.assert_allclose(means[inner], vertices[inner, 0], atol=1e-12)
