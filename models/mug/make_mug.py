"""Writes mug.obj beside this file: the wall of a mug, one closed mesh, by turning a profile about the z axis.

Run it again after a change of the sizes below: python models/mug/make_mug.py
"""

import math
from pathlib import Path

# sizes in m
HEIGHT = 0.085
OUTER_RADIUS = 0.039
WALL = 0.004
BOTTOM = 0.006
OUTER_FILLET = 0.004
INNER_FILLET = 0.008

SECTORS = 64
ARC_STEPS = 6

Point = tuple[float, float]
Triangle = tuple[int, int, int]


def arc(center: Point, radius: float, start: float, end: float) -> list[Point]:
    """Points on an arc from one angle to another, in degrees, both ends included."""
    angles = [math.radians(start + (end - start) * i / ARC_STEPS) for i in range(ARC_STEPS + 1)]
    return [(center[0] + radius * math.cos(a), center[1] + radius * math.sin(a)) for a in angles]


def profile() -> list[Point]:
    """(radius, height) from the axis below, round the wall, to the axis inside; the material lies on the left."""
    inner = OUTER_RADIUS - WALL
    lip = WALL / 2
    return [
        (0.0, 0.0),
        *arc((OUTER_RADIUS - OUTER_FILLET, OUTER_FILLET), OUTER_FILLET, -90, 0),
        *arc((inner + lip, HEIGHT - lip), lip, 0, 180),
        *arc((inner - INNER_FILLET, BOTTOM + INNER_FILLET), INNER_FILLET, 0, -90),
        (0.0, BOTTOM),
    ]


def revolve(points: list[Point], sectors: int) -> tuple[list[tuple[float, float, float]], list[Triangle]]:
    """Closed mesh of a profile whose first and last points lie on the axis, with outward normals."""
    rings = points[1:-1]
    vertices = [(0.0, 0.0, points[0][1])]
    for radius, height in rings:
        for s in range(sectors):
            angle = 2 * math.pi * s / sectors
            vertices.append((radius * math.cos(angle), radius * math.sin(angle), height))
    vertices.append((0.0, 0.0, points[-1][1]))

    def at(ring: int, sector: int) -> int:
        return 1 + ring * sectors + sector % sectors

    first, last = 0, len(vertices) - 1
    triangles = []
    for s in range(sectors):
        triangles.append((first, at(0, s + 1), at(0, s)))
        for r in range(len(rings) - 1):
            triangles.append((at(r, s), at(r, s + 1), at(r + 1, s + 1)))
            triangles.append((at(r, s), at(r + 1, s + 1), at(r + 1, s)))
        triangles.append((at(len(rings) - 1, s), at(len(rings) - 1, s + 1), last))
    return vertices, triangles


def write(path: Path) -> None:
    vertices, triangles = revolve(profile(), SECTORS)
    lines = ["# wall of a mug, m; written by make_mug.py"]
    lines += [f"v {x:.9f} {y:.9f} {z:.9f}" for x, y, z in vertices]
    lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in triangles]
    path.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    write(Path(__file__).with_name("mug.obj"))
