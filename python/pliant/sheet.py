"""Surfaces of matter: the triangles of cloth and of pieces that last, their normals, area and shadow."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

LINES = 2_000  # across a shadow


def triangles_of(state: Any) -> Array | None:
    """(n, 3): which particles, in the order of their ids, are corners of each triangle; None: not cloth."""
    triangles = getattr(state, "triangles", None)
    if triangles is None or len(triangles) == 0:
        return None
    return np.asarray(triangles)


def world_triangles(source: Any, name: str) -> Array:
    """Of a piece of matter of a world or of a moment: those of cloth, or else those of its surface, if it has one."""
    triangles = triangles_of(source.matter[name])
    surfaces = getattr(source, "surfaces", ())
    if triangles is None and name in surfaces:
        triangles = np.asarray(surfaces[name].triangles)
    return np.zeros((0, 3), np.int32) if triangles is None else triangles


def is_closed(triangles: Array) -> bool:
    """Whether each edge is walked as often forth as back: a surface around something; cloth has a rim."""
    corners = triangles.astype(np.int64)
    a, b, count = corners.ravel(), np.roll(corners, -1, axis=1).ravel(), int(corners.max(initial=0)) + 1
    return np.array_equal(np.sort(a * count + b), np.sort(b * count + a))


def vertices_of(state: Any, triangles: Array) -> Array:
    """m, (n, 3), of the vertices of the triangles; they are the particles with the lowest ids."""
    ids = getattr(state, "ids", None)
    positions = np.asarray(state.positions, float)
    by_id = positions if ids is None else positions[np.argsort(np.asarray(ids), kind="stable")]
    return by_id[: int(triangles.max()) + 1]


def twice_area_vectors(vertices: Array, triangles: Array) -> Array:
    a, b, c = (vertices[triangles[:, i]] for i in range(3))
    return np.cross(b - a, c - a)


def area(vertices: Array, triangles: Array) -> float:
    """m^2, of one side."""
    return float(np.linalg.norm(twice_area_vectors(vertices, triangles), axis=1).sum() / 2)


def vertex_normals(vertices: Array, triangles: Array) -> Array:
    """Unit vectors, means of the triangles around, larger ones counting more; up, where there is none."""
    vectors = twice_area_vectors(vertices, triangles)
    total = np.stack([summed(vectors[:, axis], triangles, len(vertices)) for axis in range(3)], axis=1)
    length = np.linalg.norm(total, axis=1, keepdims=True)
    return np.where(length > 0, total / np.where(length > 0, length, 1), (0.0, 0.0, 1.0))


def corner_normals(vertices: Array, triangles: Array) -> Array:
    """(n, 3, 3): for each corner of each triangle. Smooth where the surface is; at a crease each side has its own."""
    smooth = vertex_normals(vertices, triangles)[triangles]
    flat = twice_area_vectors(vertices, triangles)[:, None, :]
    flat = flat / np.maximum(np.linalg.norm(flat, axis=2, keepdims=True), 1e-300)
    # of a triangle that leans away from its vertex by 45 degrees or less, all is smooth; by 70 or more, nothing
    share = np.clip((np.sum(smooth * flat, axis=2, keepdims=True) - 0.35) / 0.35, 0, 1)
    mixed = share * smooth + (1 - share) * flat
    return mixed / np.maximum(np.linalg.norm(mixed, axis=2, keepdims=True), 1e-300)


def at_vertices(values: Array, triangles: Array, count: int) -> Array:
    """Numbers of triangles as numbers of vertices: the mean of those around."""
    around = np.maximum(summed(np.ones(len(triangles)), triangles, count), 1)
    return summed(np.asarray(values, float), triangles, count) / around


def summed(values: Array, triangles: Array, count: int) -> Array:
    return np.bincount(triangles.T.ravel(), np.tile(values, 3), count)


def shadow_area(vertices: Array, triangles: Array) -> float:
    """m^2, what the triangles cover of the ground when the light comes from straight above; layers count once.

    The covered length of many lines along x, exact on each line; between the lines it is taken as constant.
    """
    points = vertices[:, :2][triangles]
    low, high = float(points[..., 1].min()), float(points[..., 1].max())
    if not high > low:
        return 0.0
    gap = (high - low) / LINES
    line, left, right = cuts(points, low, gap)
    order = np.lexsort((left, line))
    line, left, right = line[order], left[order], right[order]
    # lines behind each other on one axis: what lies left of the farthest end so far is covered already
    shift = line * (2 * float(np.ptp(points[..., 0])) + 1)
    reached = np.maximum.accumulate(right + shift) - shift
    before = np.concatenate([[-np.inf], reached[:-1]])
    before[np.concatenate([[True], line[1:] != line[:-1]])] = -np.inf
    return float(np.maximum(right - np.maximum(left, before), 0).sum() * gap)


def cuts(points: Array, low: float, gap: float) -> tuple[Array, Array, Array]:
    """Where lines y = low + (i + 1/2) gap go through triangles (n, 3, 2): their numbers i, left and right ends."""
    points = np.take_along_axis(points, np.argsort(points[..., 1:], axis=1), axis=1)
    a, b, c = (points[:, i] for i in range(3))
    first = np.ceil((a[:, 1] - low) / gap - 0.5).astype(np.int64)
    counts = np.maximum(np.ceil((c[:, 1] - low) / gap - 0.5).astype(np.int64) - first, 0)
    owner = np.repeat(np.arange(len(points)), counts)
    line = first[owner] + np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)
    y = low + (line + 0.5) * gap
    a, b, c = a[owner], b[owner], c[owner]
    long_edge = between(a, c, y)
    short_edge = np.where(y < b[:, 1], between(a, b, y), between(b, c, y))
    return line, np.minimum(long_edge, short_edge), np.maximum(long_edge, short_edge)


def between(a: Array, b: Array, y: Array) -> Array:
    """x of the lines a b at y."""
    rise = b[:, 1] - a[:, 1]
    share = np.clip((y - a[:, 1]) / np.where(rise > 0, rise, 1), 0, 1)
    return a[:, 0] + share * (b[:, 0] - a[:, 0])
