"""Writes shirt.obj beside this file: a T-shirt that lies flat, front and back panel, evenly triangulated.

The panels are joined at shoulders, sides and sleeves and open at neck, hem and cuffs. x goes to the wearer's left, y to
the neck, z out of the front; the origin is in the middle. Between the panels is a gap that closes at the seams.
Run it again after a change of the sizes below: python models/shirt/make_shirt.py
"""

from pathlib import Path

import numpy as np
from matplotlib.tri import Triangulation

# sizes in m
SPACING = 0.0148  # between vertices
GAP = 0.013  # between front and back: about a cell where cells are as fine as the mesh
HEM_HALF = 0.25
LENGTH = 0.70  # from hem to neck
ARMPIT = (0.25, 0.46)
SHOULDER = (0.23, 0.665)
CUFF_TOP = (0.42, 0.545)
CUFF_BOTTOM = (0.332, 0.4055)
NECK_HALF = 0.085
NECK_DEPTH = {"front": 0.09, "back": 0.025}

ROUNDS = 60  # of evening out
NEAREST = 0.6  # an inner vertex to the outline, over the spacing

Points = np.ndarray


def stretch(corners: list[tuple[float, float]]) -> Points:
    """Evenly spaced points on a chain of lines, both ends included; corners between need not be among them."""
    chain = np.array(corners)
    along = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(chain, axis=0), axis=1))])
    ticks = np.linspace(0, along[-1], max(2, round(along[-1] / SPACING) + 1))
    return np.stack([np.interp(ticks, along, chain[:, axis]) for axis in range(2)], axis=1)


def neck(depth: float) -> list[tuple[float, float]]:
    """A quarter of an ellipse, from the shoulder to the middle."""
    angles = np.linspace(0, np.pi / 2, 200)
    return [(NECK_HALF * np.cos(a), LENGTH - depth * np.sin(a)) for a in angles]


def half_outline(depth: float) -> tuple[Points, np.ndarray]:
    """The outline of the half x >= 0, counter-clockwise from the middle of the hem, and which points are on a seam."""
    neck_point = (NECK_HALF, LENGTH)
    open_hem = stretch([(0, 0), (HEM_HALF, 0)])
    side = [stretch([(HEM_HALF, 0), ARMPIT]), stretch([ARMPIT, CUFF_BOTTOM])]
    open_cuff = stretch([CUFF_BOTTOM, CUFF_TOP])
    top = [stretch([CUFF_TOP, SHOULDER]), stretch([SHOULDER, neck_point])]
    open_neck = stretch(neck(depth))
    middle = stretch([(0, LENGTH - depth), (0, 0)])
    chains = [(open_hem, False), *((s, True) for s in side), (open_cuff, False), *((s, True) for s in top)]
    chains += [(open_neck, False), (middle, False)]
    points = np.concatenate([chain[:-1] for chain, _ in chains])
    on_seam = np.concatenate([np.full(len(chain) - 1, seam) for chain, seam in chains])
    # the last point of a seam is the first of an opening
    return points, on_seam | np.roll(on_seam, 1)


def inside(points: Points, outline: Points) -> np.ndarray:
    """Whether a line from the point to the right crosses the outline an odd number of times."""
    start, end = outline, np.roll(outline, -1, axis=0)
    x, y = points[:, :1], points[:, 1:]
    spans = (start[:, 1] > y) != (end[:, 1] > y)
    rise = np.where(end[:, 1] == start[:, 1], 1.0, end[:, 1] - start[:, 1])
    cut = start[:, 0] + (y - start[:, 1]) / rise * (end[:, 0] - start[:, 0])
    return np.count_nonzero(spans & (cut > x), axis=1) % 2 == 1


def lattice(outline: Points) -> Points:
    """Corners of equilateral triangles inside the outline, not too close to it."""
    low, high = outline.min(axis=0), outline.max(axis=0)
    height = SPACING * np.sqrt(3) / 2
    rows = np.arange(low[1], high[1], height)
    columns = np.arange(low[0] - SPACING, high[0], SPACING)
    grid = np.array([(x + SPACING / 2 * (k % 2), y) for k, y in enumerate(rows) for x in columns])
    grid = grid[inside(grid, outline)]
    nearest = np.linalg.norm(grid[:, None] - outline[None], axis=2).min(axis=1)
    return grid[nearest > NEAREST * SPACING]


def triangulate(points: Points, outline: Points) -> np.ndarray:
    """Delaunay triangles inside the outline, counter-clockwise."""
    triangles = Triangulation(points[:, 0], points[:, 1]).triangles
    triangles = triangles[inside(points[triangles].mean(axis=1), outline)]
    a, b, c = (points[triangles[:, i]] for i in range(3))
    turn = (b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]
    # three points of one straight stretch make no triangle
    triangles, turn = triangles[np.abs(turn) > 1e-3 * SPACING**2], turn[np.abs(turn) > 1e-3 * SPACING**2]
    triangles[turn < 0] = triangles[turn < 0][:, ::-1]
    return triangles


def half_panel(depth: float) -> tuple[Points, np.ndarray, np.ndarray]:
    """Vertices, triangles and which vertices are on a seam; outline first."""
    outline, on_seam = half_outline(depth)
    points = np.concatenate([outline, lattice(outline)])
    inner = len(outline)
    for _ in range(ROUNDS):
        # every inner vertex goes to the middle of its neighbours
        triangles = triangulate(points, outline)
        ends = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
        total, count = np.zeros_like(points), np.zeros(len(points))
        np.add.at(total, ends[:, 0], points[ends[:, 1]])
        np.add.at(count, ends[:, 0], 1)
        points[inner:] = total[inner:] / count[inner:, None]
    seam = np.zeros(len(points), bool)
    seam[:inner] = on_seam
    return points, triangulate(points, outline), seam


def panel(depth: float) -> tuple[Points, np.ndarray, np.ndarray]:
    """Both halves; the vertices of the middle are shared."""
    points, triangles, seam = half_panel(depth)
    mirrored = points[:, 0] > 0
    number = np.where(mirrored, len(points) + np.cumsum(mirrored) - 1, np.arange(len(points)))
    other = points[mirrored] * (-1, 1)
    return (
        np.concatenate([points, other]),
        np.concatenate([triangles, number[triangles][:, ::-1]]),
        np.concatenate([seam, seam[mirrored]]),
    )


def shirt() -> tuple[np.ndarray, np.ndarray]:
    """Vertices (n, 3) in m and triangles, which look outwards."""
    front, front_triangles, front_seam = panel(NECK_DEPTH["front"])
    back, back_triangles, back_seam = panel(NECK_DEPTH["back"])
    # the two panels have the same seams
    key = {tuple(np.round(p, 9)): i for i, p in enumerate(front) if front_seam[i]}
    fresh = len(front) + np.cumsum(~back_seam) - 1
    number = np.array([key[tuple(np.round(p, 9))] if back_seam[i] else fresh[i] for i, p in enumerate(back)])
    heights = [np.where(front_seam, 0, GAP / 2), np.full(np.count_nonzero(~back_seam), -GAP / 2)]
    plane = np.concatenate([front, back[~back_seam]]) - (0, LENGTH / 2)
    vertices = np.column_stack([plane, np.concatenate(heights)])
    return vertices, np.concatenate([front_triangles, number[back_triangles][:, ::-1]])


def write(path: Path) -> None:
    vertices, triangles = shirt()
    lines = ["# a T-shirt, m; written by make_shirt.py"]
    lines += [f"v {x:.6f} {y:.6f} {z:.6f}" for x, y, z in vertices + 0.0]
    lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in triangles]
    path.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    write(Path(__file__).with_name("shirt.obj"))
