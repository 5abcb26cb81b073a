"""Worlds that are like another but for some numbers of their scene."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from pliant._core import Scene, World, law_parameters
from pliant.errors import BadInputError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

STATE = ("positions", "velocities", "affine", "deformation_gradients", "plastic")


def owners(scene: Scene, name: str) -> list[str]:
    """Whose numbers a parameter has: names of materials or of boundaries."""
    return [o.name for o in (scene.boundaries if name == "friction" else scene.materials)]


def readers(scene: Scene, name: str) -> list[str]:
    """Those of the owners that read it."""
    if name in ("friction", "density"):
        return owners(scene, name)
    return [m.name for m in scene.materials if name in law_parameters(str(m.law))]


def numbers(scene: Scene, name: str) -> NDArray[np.float64]:
    """gravity (dimension,), friction of each boundary, or a parameter of each material (0 where a law has none)."""
    if name == "gravity":
        return np.array(scene.step.gravity[: scene.dimension], np.float64)
    if name == "friction":
        return np.array([wall.friction for wall in scene.boundaries], np.float64)
    return np.array([getattr(material, name) for material in scene.materials], np.float64)


def variant(world: World, changes: Mapping[str, ArrayLike], caller: str) -> World:
    """A world at its start with other numbers, given as by `numbers`; particles are where those of the other are."""
    if world.time != 0:
        raise BadInputError(f"{caller}: a change of {', '.join(changes)} needs a world at its start; reset it")
    scene = world.scene
    for name, given in changes.items():
        values = np.asarray(given, np.float64)
        if name == "gravity":
            scene.step.gravity = tuple(float(v) for v in values)
            continue
        for owner, value in zip(scene.boundaries if name == "friction" else scene.materials, values, strict=True):
            setattr(owner, name, float(value))
    return _same_state(scene, world)


def _same_state(scene: Scene, world: World) -> World:
    for matter in scene.matter:
        # a world does not keep the points of its scene
        if matter.point_volume > 0:
            matter.points = world.matter[matter.name].by_id("positions")
    other = World(scene, threads=world.threads)
    was = {m.name: m for m in world.scene.materials}
    for matter in world.scene.matter:
        source = world.matter[matter.name]
        other.matter[matter.name].set(**{key: source.by_id(key) for key in STATE})
        own: dict[str, Any] = {"E": source.E, "nu": source.nu}
        if any((own[key] != getattr(was[matter.material], key)).any() for key in own):
            other.matter[matter.name].set(**own)
    return other
