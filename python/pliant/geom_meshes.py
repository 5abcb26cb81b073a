"""Triangle meshes of MuJoCo's geoms, for viewers that know only triangles."""

from dataclasses import dataclass

import mujoco
import numpy as np

AROUND = 28  # facets of a round shape
COARSE = 8  # of thin bars
GEOM = mujoco.mjtGeom
SHOWN_GROUPS = 3  # as in MuJoCo's own viewer: groups 0, 1, 2
DEFAULT_RGBA = np.array([0.5, 0.5, 0.5, 1.0])


@dataclass(frozen=True)
class Triangles:
    vertices: np.ndarray  # m, (n, 3)
    faces: np.ndarray  # (m, 3)
    flat: bool = False  # sharp edges


def lathe(radii: np.ndarray, heights: np.ndarray, around: int = AROUND) -> Triangles:
    """A profile from the lower end of the axis z to the upper one, turned about it. Ends on the axis close it."""
    angle = 2 * np.pi * np.arange(around) / around
    ring = np.stack([np.cos(angle), np.sin(angle), np.zeros(around)], axis=1)
    vertices = np.concatenate([r * ring + (0, 0, z) for r, z in zip(radii, heights, strict=True)])
    i = np.arange(around)
    j = (i + 1) % around
    faces = []
    for k in range(len(radii) - 1):
        low, high = k * around, (k + 1) * around
        faces += [np.stack([low + i, low + j, high + j], 1), np.stack([low + i, high + j, high + i], 1)]
    table = np.concatenate(faces)
    # triangles on the axis have no area
    a, b, c = (vertices[table[:, n]] for n in range(3))
    return Triangles(vertices, table[np.linalg.norm(np.cross(b - a, c - a), axis=1) > 1e-15])


def sphere(radius: float, around: int = AROUND) -> Triangles:
    angle = np.linspace(-np.pi / 2, np.pi / 2, around // 2 + 1)
    return lathe(radius * np.cos(angle), radius * np.sin(angle), around)


def capsule(radius: float, half: float, around: int = AROUND) -> Triangles:
    # an even count of rings: none of them on the equator
    angle = np.linspace(-np.pi / 2, np.pi / 2, around // 4 * 2 + 2)
    return lathe(radius * np.cos(angle), radius * np.sin(angle) + half * np.sign(angle), around)


def cylinder(radius: float, half: float, around: int = AROUND) -> Triangles:
    # rims are doubled so that caps and side are shaded apart
    return lathe(radius * np.array([0, 1, 1, 1, 1, 0]), half * np.array([-1, -1, -1, 1, 1, 1]), around)


def box(half: np.ndarray) -> Triangles:
    corners = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * np.asarray(half, float)
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    faces = [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]
    return Triangles(corners, np.array(faces), flat=True)


def primitive(kind: mujoco.mjtGeom, size: np.ndarray, around: int = AROUND) -> Triangles | None:
    """The mesh of a primitive with MuJoCo's sizes; None: not a closed shape of ours."""
    if kind == GEOM.mjGEOM_SPHERE:
        return sphere(size[0], around)
    if kind == GEOM.mjGEOM_ELLIPSOID:
        ball = sphere(1.0, around)
        return Triangles(ball.vertices * size[:3], ball.faces)
    if kind == GEOM.mjGEOM_CAPSULE:
        return capsule(size[0], size[1], around)
    if kind == GEOM.mjGEOM_CYLINDER:
        return cylinder(size[0], size[1], around)
    if kind == GEOM.mjGEOM_BOX:
        return box(size[:3])
    return None


def geom_mesh(model: mujoco.MjModel, geom: int) -> Triangles | None:
    kind = GEOM(int(model.geom_type[geom]))
    if kind not in (GEOM.mjGEOM_MESH, GEOM.mjGEOM_SDF):
        return primitive(kind, model.geom_size[geom])
    mesh = model.geom_dataid[geom]
    if mesh < 0:
        return None
    first, count = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
    start, faces = model.mesh_faceadr[mesh], model.mesh_facenum[mesh]
    return Triangles(
        np.array(model.mesh_vert[first : first + count]), np.array(model.mesh_face[start : start + faces]), flat=True
    )


def geom_color(model: mujoco.MjModel, geom: int) -> np.ndarray:
    """rgba; the material's, unless the geom has a colour of its own."""
    own, material = model.geom_rgba[geom], model.geom_matid[geom]
    if material >= 0 and np.allclose(own, DEFAULT_RGBA):
        return np.array(model.mat_rgba[material])
    return np.array(own)


def shown_geoms(model: mujoco.MjModel) -> list[int]:
    seen = (model.geom_group < SHOWN_GROUPS) & (np.array([geom_color(model, g)[3] for g in range(model.ngeom)]) > 0)
    return [int(g) for g in np.flatnonzero(seen)]


def quaternion(rotation: np.ndarray) -> np.ndarray:
    """w, x, y, z of a rotation matrix."""
    quat = np.zeros(4)
    mujoco.mju_mat2Quat(quat, np.ascontiguousarray(rotation, float).ravel())
    return quat
