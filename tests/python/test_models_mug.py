"""The mug's mesh: closed, hollow, of the volume that its profile has, and of the mass that follows from it."""

import importlib.util
import math
from pathlib import Path

import mujoco
import numpy as np
import pytest

MUG = Path(__file__).parents[2] / "models" / "mug"


def mug_script():
    spec = importlib.util.spec_from_file_location("make_mug", MUG / "make_mug.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def mug_mesh():
    lines = [line.split() for line in (MUG / "mug.obj").read_text().splitlines()]
    vertices = np.array([[float(x) for x in line[1:]] for line in lines if line[0] == "v"])
    triangles = np.array([[int(i) - 1 for i in line[1:]] for line in lines if line[0] == "f"])
    return vertices, triangles


def turned_volume(profile, sectors):
    """Volume of a profile turned about the axis in flat sectors; frustums, exact."""
    area_factor = sectors / 2 * math.sin(2 * math.pi / sectors)
    return area_factor * sum(
        (z1 - z0) * (r0 * r0 + r0 * r1 + r1 * r1) / 3 for (r0, z0), (r1, z1) in zip(profile, profile[1:], strict=False)
    )


def mesh_volume(vertices, triangles):
    a, b, c = (vertices[triangles[:, i]] for i in range(3))
    return np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6


def winding_number(point, vertices, triangles):
    """How often the mesh goes round a point: 1 in the material, 0 outside (solid angles of the triangles)."""
    a, b, c = (vertices[triangles[:, i]] - point for i in range(3))
    la, lb, lc = (np.linalg.norm(v, axis=1) for v in (a, b, c))
    dot = lambda u, v: np.einsum("ij,ij->i", u, v)  # noqa: E731
    below = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb
    return 2 * np.arctan2(dot(a, np.cross(b, c)), below).sum() / (4 * math.pi)


def test_mug_mesh_is_what_the_script_writes(tmp_path):
    mug_script().write(tmp_path / "mug.obj")
    assert (tmp_path / "mug.obj").read_text() == (MUG / "mug.obj").read_text()


def test_mug_mesh_is_watertight(mug_mesh):
    vertices, triangles = mug_mesh
    edges = [(int(t[i]), int(t[(i + 1) % 3])) for t in triangles for i in range(3)]
    assert len(set(edges)) == len(edges)
    assert {(b, a) for a, b in edges} == set(edges)
    # a ball with a dent: no holes through it, no loose vertices
    assert len(vertices) - len(edges) // 2 + len(triangles) == 2
    assert len(np.unique(triangles)) == len(vertices)


def test_mug_volume(mug_mesh):
    script = mug_script()
    # nine decimals in the file: half of the last one, along the normal, on .042 m2
    assert mesh_volume(*mug_mesh) == pytest.approx(turned_volume(script.profile(), script.SECTORS), abs=4e-11)


def test_mug_holds_water(mug_mesh):
    script = mug_script()
    profile = script.profile()
    brim = max(range(len(profile)), key=lambda i: profile[i][1])
    assert -turned_volume(profile[brim:], script.SECTORS) == pytest.approx(3.0e-4, rel=0.01)
    # open inside, solid in wall and bottom; 1e-9: sum of solid angles of 2,700 triangles
    wall = script.OUTER_RADIUS - script.WALL / 2
    for point, solid in [((0, 0, 0.04), 0), ((0.02, 0.02, 0.08), 0), ((wall, 0, 0.04), 1), ((0, 0, 0.003), 1)]:
        assert winding_number(np.array(point), *mug_mesh) == pytest.approx(solid, abs=1e-9)


def test_mug_mass_is_that_of_the_concave_wall(mug_mesh):
    model = mujoco.MjModel.from_xml_path(str(MUG / "mug.xml"))
    handle = [i for i in range(model.ngeom) if model.geom(i).name.startswith("handle")]
    radius, half = model.geom_size[handle, 0], model.geom_size[handle, 1]
    volume = mesh_volume(*mug_mesh) + (math.pi * radius**2 * 2 * half + 4 / 3 * math.pi * radius**3).sum()
    # MuJoCo keeps vertices in float
    assert model.body("mug").mass[0] == pytest.approx(2300 * volume, rel=1e-6)


def test_mug_handle_stays_out_of_the_hollow():
    model = mujoco.MjModel.from_xml_path(str(MUG / "mug.xml"))
    script = mug_script()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    for i in range(model.ngeom):
        if model.geom(i).name.startswith("handle"):
            axis = data.geom_xmat[i].reshape(3, 3)[:, 2] * model.geom_size[i, 1]
            ends = data.geom_xpos[i] + np.array([axis, -axis])
            assert ends[:, 0].min() - model.geom_size[i, 0] > script.OUTER_RADIUS - script.WALL
