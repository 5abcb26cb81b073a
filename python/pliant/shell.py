"""What of matter is drawn as a surface: cloth, the surface of a piece that lasts, the skin of one that flows."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pliant._core import means_near, skin
from pliant.sheet import corner_normals
from pliant.snapshot import Grains

NEAR = 2.0  # spacings from which particles colour a place of a skin


@dataclass(frozen=True)
class Shell:
    """A surface at one moment."""

    name: str
    color: tuple[float, float, float]
    gloss: float
    vertices: np.ndarray  # m, (n, 3)
    triangles: np.ndarray  # (m, 3), counter-clockwise seen from outside or from the front
    normals: np.ndarray  # (m, 3, 3), one for each corner
    closed: bool  # nobody sees its back
    lasting: bool  # its triangles stay the same
    values: Callable[[str], np.ndarray | None]  # what a colour stands for, at each vertex


def shell_of(piece: Grains, fineness: float = 2.0) -> Shell | None:
    """None: its particles are to be shown one by one. `fineness` is of skins: nodes per spacing of particles."""
    if piece.triangles is not None:
        vertices = piece.positions[: piece.vertex_count].astype(float)
        normals = corner_normals(vertices, piece.triangles)
        return made(piece, vertices, piece.triangles, normals, piece.vertex_values)
    if piece.loose:
        return None
    volumes = np.full(len(piece.ids), piece.spacing**3) if piece.volumes is None else piece.volumes
    vertices, normals, triangles = skin(piece.positions, volumes, fineness)

    def values(name: str) -> np.ndarray | None:
        known = piece.values(name)
        return None if known is None else means_near(piece.positions, known, vertices, NEAR * piece.spacing)

    return made(piece, vertices, triangles, normals[triangles], values)


def made(piece: Grains, vertices: np.ndarray, triangles: np.ndarray, normals: np.ndarray, values: Callable) -> Shell:
    lasting = piece.triangles is not None
    closed = piece.closed or not lasting
    return Shell(piece.name, piece.color, piece.gloss, vertices, triangles, normals, closed, lasting, values)
