"""Gradients of a user's own loss against differences of whole runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pliant._core import Scene, World
from pliant.errors import BadInputError
from pliant.gradients import INITIAL
from pliant.tape import Seeds, Tape

if TYPE_CHECKING:
    from numpy.typing import NDArray

STATE = ("positions", "velocities", "affine", "deformation_gradients", "plastic")
Loss = Callable[[Any, Tape], tuple[float, Seeds]]


@dataclass
class Row:
    """One derivative along a random direction: what the tape says, and what differences of runs say."""

    name: str
    gradient: float
    differences: float

    @property
    def error(self) -> float:
        """Relative to the larger of the two."""
        scale = max(abs(self.gradient), abs(self.differences))
        return abs(self.gradient - self.differences) / scale if scale > 0 else 0.0


class _Acting:
    """A world whose actuation is a little more than what it is told, step by step."""

    def __init__(self, world: World, more: NDArray[np.float64]) -> None:
        self._world = world
        self._more = more
        self._step = 0
        d = world.scene.dimension
        self._held = {m.name: np.zeros((d, d)) for m in world.scene.matter}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._world, name)

    def set_actuation(self, matter: str, stress: Any) -> None:
        d = self._world.scene.dimension
        self._held[matter] = np.asarray(stress, np.float64)[:d, :d]

    def step(self) -> Any:
        for (matter, stress), more in zip(self._held.items(), self._more[self._step], strict=True):
            self._world.set_actuation(matter, stress + more)
        self._step += 1
        return self._world.step()


def check_gradient(
    world: World,
    loss: Loss,
    wrt: Sequence[str],
    step: float | None = None,
    seed: int = 0,
    show: bool = True,
) -> list[Row]:
    """Compares the gradient of your loss with differences of runs, along one random direction for each name of `wrt`.

    `loss(world, tape)` steps the world, watches, and gives the loss and its derivatives by what was watched, as
    `Tape.backward` takes them. The world stays as it is; runs are made in clones, or in new worlds of changed scenes,
    for which it must be at its start. All have the substeps of the first. `step` is relative to what is changed,
    1e-5 in float64 and 1e-2 in float32: in float32 differences have two or three digits.
    """
    size = step or (1e-5 if world.scene.precision == "float64" else 1e-2)
    random = np.random.default_rng(seed)
    base = world.clone()
    with Tape(base, wrt) as tape:
        _, seeds = loss(base, tape)
    gradients = tape.backward(seeds)

    def run(name: str, direction: Any, x: float) -> float:
        other = _moved(world, name, direction, x)
        with Tape(other._world if isinstance(other, _Acting) else other) as second:
            second.follow(tape)
            return float(loss(other, second)[0])

    rows = []
    for name in gradients:
        found = np.asarray(gradients[name])
        direction = random.standard_normal(found.shape)
        if name == "actuation":
            direction = direction + np.swapaxes(direction, -1, -2)
        direction *= _scale(world, name)
        differences = (run(name, direction, size) - run(name, direction, -size)) / (2 * size)
        rows.append(Row(name, float((found * direction).sum()), differences))
    if show:
        _print(rows)
    return rows


def _scale(world: World, name: str) -> Any:
    """What a change of 1 is to each number."""
    scene = world.scene
    if name == "initial.positions":
        return scene.step.cell
    if name == "initial.F" or name == "initial.plastic":
        return 1.0
    if name == "initial.velocities":
        return max(0.1, max(float(np.abs(world.matter[m].velocities).max()) for m in world.matter))
    if name == "initial.C":
        return 1.0
    if name == "actuation":
        return 1e-2 * max(getattr(m, "E", 1.0) for m in scene.materials)
    if name == "gravity":
        return 1.0
    if name == "friction":
        return 1.0
    values = np.array([abs(getattr(m, name, 0.0)) for m in scene.materials])
    if "." in name or name == "mass" or len(values) == 0 or not hasattr(scene.materials[0], name):
        raise BadInputError(
            f"check_gradient: differences by {name!r} are not known; check the parameter without what follows"
        )
    return values


def _moved(world: World, name: str, direction: Any, x: float) -> Any:
    if name == "actuation":
        return _Acting(world.clone(), x * direction)
    if name in INITIAL:
        return _placed(world.clone(), name, x * direction)
    if world.time != 0:
        raise BadInputError(f"check_gradient: differences by {name!r} need a world at its start; reset it")
    scene = world.scene
    if name == "gravity":
        scene.step.gravity = tuple(np.array(scene.step.gravity[: scene.dimension]) + x * direction)
    elif name == "friction":
        for wall, more in zip(scene.boundaries, x * direction, strict=True):
            wall.friction += float(more)
    else:
        for material, more in zip(scene.materials, x * direction, strict=True):
            setattr(material, name, getattr(material, name) + float(more))
    return _same_state(scene, world)


def _placed(clone: World, name: str, change: NDArray[np.float64]) -> World:
    first = 0
    for piece in clone.matter:
        matter = clone.matter[piece]
        rows = change[first : first + len(matter)]
        matter.set(**{INITIAL[name]: matter.by_id(INITIAL[name]) + rows})
        first += len(matter)
    return clone


def _same_state(scene: Scene, world: World) -> World:
    """A world of a changed scene whose particles are where those of the other are."""
    for matter in scene.matter:
        # a world does not keep the points of its scene
        if matter.point_volume > 0:
            matter.points = world.matter[matter.name].by_id("positions")
    other = World(scene, threads=world.threads)
    for name in world.matter:
        source = world.matter[name]
        other.matter[name].set(**{key: source.by_id(key) for key in STATE})
    return other


def _print(rows: list[Row]) -> None:
    print(f"{'by':<24}{'gradient':>16}{'differences':>16}{'error':>10}")
    for r in rows:
        print(f"{r.name:<24}{r.gradient:>16.7g}{r.differences:>16.7g}{r.error:>10.1e}")
