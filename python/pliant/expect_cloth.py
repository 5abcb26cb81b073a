"""Checks of cloth: its area, how flat it lies, and whether it passes through itself."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pliant.crossings import crossing_pairs
from pliant.sheet import area, is_closed, shadow_area, triangles_of, vertices_of

Array = NDArray[Any]
Surface = tuple[Array, Array]  # vertices, m, and triangles

SIZES: dict[str, Callable[[Array, Array], float]] = {"area": area, "flat_area": shadow_area}
NOTHING: Surface = (np.zeros((0, 3)), np.zeros((0, 3), np.int32))


def surface_of(piece: Any, triangles: Array | None) -> Surface:
    return NOTHING if triangles is None else (vertices_of(piece, triangles), triangles)


def surfaces_of(world: Any) -> list[Surface]:
    """All pieces of matter; those that are not cloth have no triangles."""
    return [surface_of(piece, triangles_of(piece)) for piece in (world.matter[name] for name in world.matter)]


def crossings(surfaces: list[Surface]) -> float:
    """Number of pairs of triangles of all cloth that pass through each other; NaN where a vertex is nowhere."""
    vertices = np.concatenate([NOTHING[0], *(surface[0] for surface in surfaces)])
    starts = np.cumsum([0, *(len(surface[0]) for surface in surfaces)])
    triangles = [part + start for (_, part), start in zip(surfaces, starts, strict=False)]
    if not np.all(np.isfinite(vertices)):
        return math.nan
    return float(len(crossing_pairs(vertices, np.concatenate([NOTHING[1], *triangles]))))


@dataclass
class ClothLog:
    """What checks of cloth must know of the run besides its end."""

    first: dict[tuple[str, str], float] = field(default_factory=dict)  # m^2 at the start, by matter and name in SIZES
    most_crossings: float = 0.0  # of the frames so far
    rate: float = 0.0  # 1/s, of the frames to look at
    frame: int = -1  # number of the one that was looked at last

    def listen_to(self, world: Any) -> None:
        """At the start of a run, and where it is continued."""
        scene = world.scene
        for expect in scene.expect:
            key = (expect.of, expect.quantity.removesuffix("_ratio"))
            if key[1] in SIZES and key not in self.first:
                self.first[key] = size_of(world.matter[expect.of], key[1])
        self.rate = scene.record.rate if asks_for_most(scene.expect) else 0.0
        self.note(world)

    def note(self, world: Any) -> None:
        """After each step; what is looked at are the moments that a recording holds."""
        frame = math.floor(world.time * self.rate + 1e-6)
        if self.rate > 0 and frame > self.frame:
            self.frame = frame
            self.add(surfaces_of(world))

    def add(self, surfaces: list[Surface]) -> None:
        # NaN is more than any number
        self.most_crossings = float(np.maximum(self.most_crossings, crossings(surfaces)))

    def look_back(self, recording: Any, expects: list[Any]) -> None:
        """At the frames that were made before, where a recording is continued."""
        if len(recording) == 0:
            return
        shapes = {name: recording.triangles(name) for name in recording.matter}
        shapes = {name: triangles for name, triangles in shapes.items() if not is_closed(triangles)}
        start = recording.frame(0).matter
        for name, triangles in shapes.items():
            vertices, _ = surface_of(start[name], triangles)
            self.first |= {(name, size): measure(vertices, triangles) for size, measure in SIZES.items()}
        if asks_for_most(expects):
            for i in range(len(recording)):
                pieces = recording.frame(i).matter
                self.add([surface_of(pieces[name], triangles) for name, triangles in shapes.items()])


def size_of(cloth: Any, size: str) -> float:
    """m^2."""
    return SIZES[size](*surface_of(cloth, triangles_of(cloth)))


def asks_for_most(expects: list[Any]) -> bool:
    return any(expect.quantity == "most_crossings" for expect in expects)
