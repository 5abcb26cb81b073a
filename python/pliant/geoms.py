"""Things to draw as rows of MuJoCo's list of visual geoms: whole tables at once, and the boundaries of a scene."""

import ctypes
import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import mujoco
import numpy as np

# mjvGeom of mjvisualize.h, field by field
ROW = np.dtype(
    {
        "names": ["type", "objtype", "objid", "category", "segid", "size", "pos", "mat", "rgba", "specular", "shadow"],
        "formats": ["i4", "i4", "i4", "i4", "i4", "3f4", "3f4", "9f4", "4f4", "f4", "u1"],
        "offsets": [0, 8, 12, 16, 36, 40, 52, 64, 100, 120, 140],
        "itemsize": 256,
    }
)
UPRIGHT = np.eye(3).ravel()
BOUNDARY_COLOR = (0.55, 0.57, 0.60, 1.0)
FLOOR_COLOR = (0.62, 0.64, 0.66, 1.0)
GLASS_COLOR = (0.75, 0.82, 0.90, 0.18)
FRAME_COLOR = (0.16, 0.17, 0.19, 1.0)


def rows_of(scene: mujoco.MjvScene) -> np.ndarray:
    """The memory of the scene's geoms as one table. It lives as long as the scene."""
    first, second = scene.geoms[0], scene.geoms[1]
    places = {name: getattr(first, name).ctypes.data for name in ("size", "pos", "mat", "rgba")}
    start = places["pos"] - ROW.fields["pos"][1]
    known = all(address - start == ROW.fields[name][1] for name, address in places.items())
    if not known or second.pos.ctypes.data - places["pos"] != ROW.itemsize:
        raise RuntimeError(f"mujoco {mujoco.__version__} lays out its visual geoms in an unknown way; install 4.0.0")
    memory = (ctypes.c_char * (scene.maxgeom * ROW.itemsize)).from_address(start)
    return np.frombuffer(memory, ROW)


@dataclass(frozen=True)
class Solid:
    """A primitive shape at a place. `size` as in MJCF: radius or half lengths."""

    kind: mujoco.mjtGeom
    size: Sequence[float]
    pos: Sequence[float] = (0.0, 0.0, 0.0)
    mat: np.ndarray | None = None
    rgba: Sequence[float] = BOUNDARY_COLOR
    shadow: bool = True  # has a part in shadows
    glow: float = 0.0  # 0..1, light of its own
    segment: int = -1  # what a segmentation shows; -1: nothing
    tiles: tuple[int, int] | None = None  # material and texture of the model
    casts: bool = True  # a shadow, if it has a part in them; if not, it only shows those of others


def add_solids(scene: mujoco.MjvScene, solids: Iterable[Solid]) -> None:
    memory = rows_of(scene).view(np.uint8).reshape(-1, ROW.itemsize)
    for solid in solids:
        if scene.ngeom >= scene.maxgeom:
            return
        geom = scene.geoms[scene.ngeom]
        mat = UPRIGHT if solid.mat is None else np.ravel(solid.mat)
        size = np.zeros(3)
        size[: len(solid.size)] = solid.size
        # mjv_initGeom leaves some fields as it finds them
        memory[scene.ngeom] = 0
        mujoco.mjv_initGeom(geom, solid.kind, size, np.asarray(solid.pos, float), mat, np.float32(solid.rgba))
        # MuJoCo leaves decoration out of shadows
        kind = mujoco.mjtCatBit.mjCAT_DYNAMIC if solid.shadow else mujoco.mjtCatBit.mjCAT_DECOR
        geom.category, geom.objtype, geom.objid = kind, mujoco.mjtObj.mjOBJ_UNKNOWN, -1
        geom.segid, geom.emission, geom.castshadow = solid.segment, solid.glow, int(solid.shadow and solid.casts)
        geom.specular = 0.1
        if solid.tiles is not None:
            geom.matid, geom.texid = solid.tiles
            geom.texuniform, geom.texrepeat[:] = 1, 4
        scene.ngeom += 1


def add_spheres(scene: mujoco.MjvScene, positions: np.ndarray, radius: float, colors: np.ndarray, segment: int) -> int:
    """Spheres of one radius at positions (n, 3) with colours (n, 3) of 0..1; how many found room."""
    count = min(len(positions), scene.maxgeom - scene.ngeom)
    if count <= 0:
        return 0
    first = scene.ngeom
    add_solids(scene, [Solid(mujoco.mjtGeom.mjGEOM_SPHERE, (radius,) * 3, segment=segment)])
    rows = rows_of(scene)[first : first + count]
    # whole rows, with the fields that ROW does not name
    whole = rows.view(f"V{ROW.itemsize}")
    whole[:] = whole[0]
    rows["pos"], rows["specular"] = positions[:count], 0.15
    rows["rgba"][:, :3] = colors[:count]
    scene.ngeom = first + count
    return count


def turn_to(axis: Sequence[float]) -> np.ndarray:
    """A rotation that takes z to this axis."""
    quat, mat = np.zeros(4), np.zeros(9)
    mujoco.mju_quatZ2Vec(quat, np.divide(axis, np.linalg.norm(axis)))
    mujoco.mju_quat2Mat(mat, quat)
    return mat.reshape(3, 3)


def matrix_of(quaternion: Sequence[float]) -> np.ndarray:
    mat = np.zeros(9)
    mujoco.mju_quat2Mat(mat, np.asarray(quaternion, float))
    return mat.reshape(3, 3)


def upright(vectors: np.ndarray | Sequence[float], dimension: int) -> np.ndarray:
    """Vectors of a flat world stand up: its y is our z."""
    table = np.asarray(vectors, dtype=float)
    if dimension == 3:
        return table[..., :3]
    flat = np.zeros((*table.shape[:-1], 3))
    flat[..., 0], flat[..., 2] = table[..., 0], table[..., 1]
    return flat


def boundary_solids(scene: object, centers: Sequence[Sequence[float]] | None = None, segment: int = 0) -> list[Solid]:
    """The boundaries of a scene. Those at nodes are a cell thinner than they are: matter sinks in that far."""
    solids: list[Solid] = []
    for i, boundary in enumerate(scene.boundaries):
        center = upright(boundary.center if centers is None else centers[i], scene.dimension)
        shown = boundary_shape(boundary, center, scene.dimension, sinks_in(scene, boundary))
        solids += [replace(solid, segment=segment + i) for solid in shown]
    return solids


def sinks_in(scene: object, boundary: object) -> float:
    """How far matter goes into a boundary before its nodes hold it, m."""
    at_nodes = str(boundary.at) == "nodes" or scene.dimension == 2 or str(scene.step.method) == "one_way"
    return float(scene.step.cell) if at_nodes else 0.0


def tank_floor(scene: object, centers: Sequence[Sequence[float]]) -> float | None:
    """The height of the lowest bottom of a tank."""
    tanks = [(b, c) for b, c in zip(scene.boundaries, centers, strict=True) if b.kind == "box" and b.inside_out]
    up = scene.dimension - 1
    return min((c[up] - b.size[up] / 2 - sinks_in(scene, b) for b, c in tanks), default=None)


def boundary_shape(boundary: object, center: np.ndarray, dimension: int, sinks: float) -> list[Solid]:
    kind = str(boundary.kind)
    if kind == "plane":
        normal = upright(boundary.normal, dimension)
        normal = normal / np.linalg.norm(normal)
        if normal[2] < 0.7:
            return []  # a wall without end would hide everything
        place = center - sinks * normal
        return [Solid(mujoco.mjtGeom.mjGEOM_PLANE, (0, 0, 1), place, turn_to(normal), FLOOR_COLOR)]
    grow = sinks if boundary.inside_out else -sinks
    color = GLASS_COLOR if boundary.inside_out else BOUNDARY_COLOR
    if kind == "box":
        half = box_half(boundary.size, dimension) + grow
        mat = box_turn(boundary.rotation, dimension)
        if boundary.inside_out:
            return frame_of(center, half, mat)
        return [Solid(mujoco.mjtGeom.mjGEOM_BOX, np.maximum(half, 1e-3), center, mat, color)]
    radius = max(boundary.radius + grow, 1e-3)
    if kind == "sphere" and dimension == 3:
        return [Solid(mujoco.mjtGeom.mjGEOM_SPHERE, (radius,) * 3, center, None, color, not boundary.inside_out)]
    # a disc of a flat world is a short cylinder
    axis = (0, 1, 0) if dimension == 2 else boundary.normal
    half = 0.05 if dimension == 2 else max(boundary.length / 2 + grow, 1e-3)
    shadow = not boundary.inside_out
    return [Solid(mujoco.mjtGeom.mjGEOM_CYLINDER, (radius, half, 0), center, turn_to(axis), color, shadow)]


def box_half(size: Sequence[float], dimension: int) -> np.ndarray:
    if dimension == 2:
        return np.array([size[0] / 2, 0.05, size[1] / 2])
    return np.divide(size[:3], 2)


def box_turn(quaternion: Sequence[float], dimension: int) -> np.ndarray:
    if dimension == 2:
        # about the third axis there is about -y here
        w, _, _, z = quaternion
        return matrix_of((w, 0, -z, 0))
    return matrix_of(quaternion)


def frame_of(center: np.ndarray, half: np.ndarray, mat: np.ndarray, height: float = 0.1) -> list[Solid]:
    """The edges of a tank up to a height; the glass is not drawn."""
    low, high = -half, half.copy()
    high[2] = min(high[2], low[2] + height)
    corners = list(itertools.product(*zip(low, high, strict=True)))
    bar = 0.006 * float(np.max(half[:2]))
    edges = [(a, b) for a, b in itertools.combinations(corners, 2) if np.count_nonzero(np.subtract(a, b)) == 1]
    solids = []
    for a, b in edges:
        along = mat @ np.subtract(b, a)
        middle = center + mat @ (np.add(a, b) / 2)
        size = (bar, np.linalg.norm(along) / 2, 0)
        solids.append(Solid(mujoco.mjtGeom.mjGEOM_CAPSULE, size, middle, turn_to(along), FRAME_COLOR))
    return solids


def arrow(start: np.ndarray, along: np.ndarray, thickness: float, rgba: Sequence[float]) -> Solid:
    """An arrow from a point; `along` is its direction and length."""
    # MuJoCo draws an arrow half as long as its size says
    size = (thickness, thickness, 2 * float(np.linalg.norm(along)))
    return Solid(mujoco.mjtGeom.mjGEOM_ARROW, size, start, turn_to(along), rgba, shadow=False)
