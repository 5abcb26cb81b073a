"""Which triangles pass through each other? Whole numbers throughout, so that round-off never decides.

Two triangles cross if they have a line in common, not only a point, and do not lie in one plane. Triangles that share a
vertex are not looked at: they meet in any case.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

BITS = 29  # of a coordinate, measured from a corner of the pair; products of three fit into two words of 64
LOW = (1 << 31) - 1
CHUNK = 400_000  # pairs that are looked at together
MOST = 100_000  # pairs after which the search ends


def crossing_pairs(vertices: Array, triangles: Array) -> Array:
    """(n, 2): numbers of triangles that cross, in ascending order; MOST or a few more, if there are that many.

    Vertices (m, 3) in m, triangles (k, 3). Positions are rounded to 2^-29 of the largest triangle.
    """
    if len(triangles) < 2:
        return np.zeros((0, 2), np.int64)
    points = whole_numbers(np.asarray(vertices, float), triangles)
    corners = points[triangles]
    low, high = corners.min(axis=1), corners.max(axis=1)
    found, count = [], 0
    for first, second in close_pairs(low, high):
        apart = np.any((low[first] > high[second]) | (low[second] > high[first]), axis=1)
        first, second = first[~apart], second[~apart]
        shared = np.any(triangles[first][:, :, None] == triangles[second][:, None, :], axis=(1, 2))
        first, second = first[~shared], second[~shared]
        crossed = cross(corners[first], corners[second])
        found.append(np.stack([first[crossed], second[crossed]], axis=1))
        count += len(found[-1])
        if count >= MOST:
            break
    pairs = np.concatenate(found) if found else np.zeros((0, 2), np.int64)
    return np.unique(pairs, axis=0)


def whole_numbers(vertices: Array, triangles: Array) -> Array:
    """Positions as multiples of a power of two."""
    corners = vertices[triangles]
    largest = float(np.max(corners.max(axis=1) - corners.min(axis=1)))
    if not np.isfinite(largest):
        raise ValueError("a vertex is not at a finite place")
    if largest == 0:
        return np.zeros(vertices.shape, np.int64)
    # the boxes of a pair overlap: two triangles span at most twice the largest one
    unit = 2.0 ** (np.ceil(np.log2(largest)) - BITS)
    return np.rint((vertices - vertices.min(axis=0)) / unit).astype(np.int64)


# which pairs are close


def close_pairs(low: Array, high: Array) -> Iterator[tuple[Array, Array]]:
    """Pairs of boxes that share a cell of a grid, each once, in chunks."""
    extent = high - low
    # a stray triangle that is very long may not fill too many cells
    cell = max(1, int(1.5 * np.mean(extent)), int(np.max(extent)) // 16)
    start, end = low // cell, high // cell
    spans = end - start + 1
    counts = np.prod(spans, axis=1)
    owner = np.repeat(np.arange(len(low)), counts)
    within = np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)
    spans, cells = spans[owner], start[owner].copy()
    for axis in range(3):
        cells[:, axis] += within % spans[:, axis]
        within //= spans[:, axis]
    # the cells that are used, numbered along each axis
    x, y, z = (np.unique(cells[:, axis], return_inverse=True)[1] for axis in range(3))
    key = (x * (y.max() + 1) + y) * (z.max() + 1) + z
    order = np.argsort(key, kind="stable")
    owner, cells, key = owner[order], cells[order], key[order]
    # each entry meets those that come after it in its cell
    last = np.searchsorted(key, key, side="right")
    partners = last - np.arange(len(key)) - 1
    done = np.concatenate([[0], np.cumsum(partners)])
    begin = 0
    while begin < len(key):
        stop = max(begin + 1, int(np.searchsorted(done, done[begin] + CHUNK, side="right")) - 1)
        entry = np.repeat(np.arange(begin, stop), partners[begin:stop])
        other = entry + 1 + np.arange(len(entry)) - (done[entry] - done[begin])
        a, b = owner[entry], owner[other]
        # a pair that shares several cells counts in the first of them
        mine = np.all(np.maximum(start[a], start[b]) == cells[entry], axis=1)
        yield np.minimum(a[mine], b[mine]), np.maximum(a[mine], b[mine])
        begin = stop


# which of them cross


def side(a: Array, b: Array, c: Array, d: Array) -> Array:
    """Sign of the volume of tetrahedra: 1, 0, -1. Exact while differences of coordinates are below 2^30."""
    u, v, w = b - a, c - a, d - a
    upper, lower = np.zeros(len(a), np.int64), np.zeros(len(a), np.int64)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        minor = u[:, j] * v[:, k] - u[:, k] * v[:, j]
        upper += w[:, i] * (minor >> 31)
        lower += w[:, i] * (minor & LOW)
    upper += lower >> 31
    return np.where(upper != 0, np.sign(upper), np.sign(lower & LOW))


def sides(plane: Array, points: Array) -> Array:
    """(n, 3): on which side of the plane of each triangle the corners of another one are."""
    a, b, c = (plane[:, i] for i in range(3))
    return np.stack([side(a, b, c, points[:, i]) for i in range(3)], axis=1)


def reaches_through(signs: Array) -> Array:
    """Whether a triangle has a line in common with a plane: corners on both sides, or an edge in it."""
    both = (signs.min(axis=1) < 0) & (signs.max(axis=1) > 0)
    return both | (np.count_nonzero(signs == 0, axis=1) == 2)


def cross(first: Array, second: Array) -> Array:
    """Mask of pairs of triangles (n, 3, 3) that cross (Guigue and Devillers 2003, with strict signs)."""
    crossed = np.zeros(len(first), bool)
    of_second = sides(first, second)
    rest = np.flatnonzero(reaches_through(of_second))
    of_first = sides(second[rest], first[rest])
    through = reaches_through(of_first)
    rest, of_first = rest[through], of_first[through]
    ours, our_side = lone_corner_first(first[rest], of_first)
    theirs, their_side = lone_corner_first(second[rest], of_second[rest])
    # each lone corner is to be on the upper side of the other triangle
    ours, theirs = turned(ours, their_side < 0), turned(theirs, our_side < 0)
    (p1, q1, r1), (p2, q2, r2) = ours.swapaxes(0, 1), theirs.swapaxes(0, 1)
    # where the planes meet, each triangle covers a stretch; each stretch must begin before the other ends
    crossed[rest] = (side(p1, q1, p2, q2) < 0) & (side(p1, r1, r2, p2) < 0)
    return crossed


def lone_corner_first(triangles: Array, signs: Array) -> tuple[Array, Array]:
    """Triangles turned so that the others are not on the side of their first corner; and that side."""
    alone = (signs != 0) & (signs * np.roll(signs, 1, axis=1) <= 0) & (signs * np.roll(signs, 2, axis=1) <= 0)
    lone = np.argmax(alone, axis=1)
    rows = np.arange(len(triangles))
    order = (lone[:, None] + np.arange(3)) % 3
    return triangles[rows[:, None], order], signs[rows, lone]


def turned(triangles: Array, mask: Array) -> Array:
    """The second and the third corner exchanged where the mask says so."""
    return np.where(mask[:, None, None], triangles[:, [0, 2, 1]], triangles)
