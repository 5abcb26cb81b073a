"""Which spheres can be seen, from the eye or from a lamp that casts shadows. The rest need not be drawn."""

from collections.abc import Sequence

import numpy as np

from pliant.raster import splat

FEW = 500  # not worth the search
SMALLER = 0.9  # spheres hide a little less than they cover: MuJoCo draws them with facets, inside the round shape
FINE = 5.0  # pixels of the search, radius of a usual sphere
WIDEST = 2400  # pixels of the search, one side


def visible(positions: np.ndarray, radius: float, camera: object, lamps: Sequence[np.ndarray | None]) -> np.ndarray:
    """Mask of spheres of one radius to draw. A lamp is the direction of its light; None: unknown, draw all."""
    if len(positions) < FEW or camera.orthographic or any(lamp is None for lamp in lamps):
        return np.ones(len(positions), bool)
    seen = seen_by_eye(positions, radius, camera)
    for lamp in lamps:
        seen |= seen_by_sun(positions, radius, lamp)
    return seen


def seen_by_eye(positions: np.ndarray, radius: float, camera: object) -> np.ndarray:
    forward, up = np.array(camera.forward, float), np.array(camera.up, float)
    axes = np.array([np.cross(forward, up), up, forward])
    x, y, depth = axes @ (positions - np.array(camera.pos, float)).T
    # what is very close is drawn in any case
    seen = (depth > -radius) & (depth <= 5 * radius)
    ahead = np.flatnonzero(depth > 5 * radius)
    if len(ahead):
        slope = radius / depth[ahead]
        found = in_front(x[ahead] / depth[ahead], y[ahead] / depth[ahead], depth[ahead], slope, radius)
        seen[ahead[found]] = True
    return seen


def seen_by_sun(positions: np.ndarray, radius: float, direction: np.ndarray) -> np.ndarray:
    forward = np.asarray(direction, float) / np.linalg.norm(direction)
    side = np.cross(forward, (0, 1, 0) if abs(forward[1]) < 0.9 else (1, 0, 0))
    side /= np.linalg.norm(side)
    x, y, depth = np.array([side, np.cross(forward, side), forward]) @ positions.T.astype(float)
    seen = np.zeros(len(x), bool)
    seen[in_front(x, y, depth - depth.min() + radius, np.full(len(x), radius), radius)] = True
    return seen


def in_front(x: np.ndarray, y: np.ndarray, depth: np.ndarray, size: np.ndarray, radius: float) -> np.ndarray:
    """Indices of spheres at (x, y), of this size there, that are nearest somewhere."""
    low, span = np.array([x.min(), y.min()]), max(float(np.ptp(x)), float(np.ptp(y)), 1e-12)
    pixels = min(FINE / float(np.median(size)), WIDEST / span)
    reach = SMALLER * pixels * size
    # spheres of less than a pixel still count as one
    reach = np.clip(reach, 0.8, 6 * FINE).astype(np.float32)
    border = float(reach.max()) + 1
    column, row = ((pixels * (v - v0) + border).astype(np.float32) for v, v0 in zip((x, y), low, strict=True))
    shape = (int(row.max() + border) + 1, int(column.max() + border) + 1)
    _, index = splat(column, row, depth.astype(np.float32), reach, radius, shape)
    return np.unique(index[index >= 0])
