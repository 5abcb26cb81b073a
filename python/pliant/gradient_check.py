"""Gradients of a user's own loss against differences of whole runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pliant._core import World
from pliant.errors import BadInputError, NotFiniteError
from pliant.gradients import INITIAL
from pliant.tape import Tape
from pliant.variants import numbers, variant

if TYPE_CHECKING:
    from numpy.typing import NDArray

# numbers that particles may have of their own, where their law is one of these
WITHOUT_MEMORY = ("linear", "fixed_corotated", "neo_hookean")
OF_PARTICLES = {"E.particles": "E", "nu.particles": "nu"}
Loss = Callable[[Any, Tape], tuple[Any, ...]]


@dataclass
class Row:
    """One derivative along a random direction: what the tape says, and what differences of runs say."""

    name: str
    gradient: float
    differences: float
    floor: float = 0.0  # less than this differences cannot tell from nothing, for round-off of the loss
    sides: tuple[float, float] = (0.0, 0.0)  # differences to either side alone
    kink: bool = False  # they differ by more than a bend: the loss has no one slope here

    @property
    def error(self) -> float:
        """Relative to the larger of the two."""
        scale = max(abs(self.gradient), abs(self.differences), self.floor)
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

    def set_actuation(self, name: str, value: Any) -> None:
        if name not in self._held:
            self._world.set_actuation(name, value)
            return
        d = self._world.scene.dimension
        self._held[name] = np.asarray(value, np.float64)[:d, :d]

    def step(self) -> Any:
        for (matter, stress), more in zip(self._held.items(), self._more[self._step], strict=True):
            self._world.set_actuation(matter, stress + more)
        self._step += 1
        return self._world.step()


def check_gradient(
    world: World,
    loss: Loss,
    wrt: Sequence[str] | str | None = None,
    step: float | None = None,
    seed: int = 0,
    show: bool = True,
) -> list[Row]:
    """Compares the gradient of your loss with differences of runs, along one random direction for each name of `wrt`.

    `loss(world, tape)` steps the world, watches, and gives the loss and its derivatives by what was watched, as
    `Tape.backward` takes them; in a closed loop also what `at_step` is to be. The world stays as it is. Runs are made
    in clones, or in worlds of changed scenes, for which it must be at its start; all have the substeps of the first.
    `step` is relative to what is changed, 1e-5 in float64 and 1e-2 in float32: there differences have two or three
    digits. Without `wrt`: by all of which differences are known. Where the loss has a kink (yield, touch, friction),
    slopes of both sides differ, and the row says so: the tape gives that of one side.
    """
    size = step or (1e-5 if world.scene.precision == "float64" else 1e-2)
    random = np.random.default_rng(seed)
    base = world.clone()
    with Tape(base, [wrt] if isinstance(wrt, str) else wrt) as tape:
        value, seeds, *at_step = _asked(loss, base, tape)
    gradients = tape.backward(seeds, at_step=at_step[0] if at_step else None)
    floor = 10 * np.finfo(str(world.scene.precision)).eps * abs(value) / size
    names = [name for name in gradients if wrt is not None or _scale(world, name) is not None]

    def run(name: str, direction: Any, x: float) -> float:
        other = _moved(world, name, direction, x)
        with Tape(other._world if isinstance(other, _Acting) else other) as second:
            second.follow(tape)
            return _asked(loss, other, second)[0]

    rows = []
    for name in names:
        found = np.asarray(gradients[name])
        direction = random.standard_normal(found.shape)
        if name == "actuation":
            direction = direction + np.swapaxes(direction, -1, -2)
        scale = _scale(world, name)
        if scale is None:
            raise BadInputError(
                f"check_gradient: differences by {name!r} are not known; leave it out, or check the parameter without "
                "what follows the dot"
            )
        direction *= scale
        below, above = ((run(name, direction, s * size) - value) / (s * size) for s in (-1, 1))
        large = max(abs(below), abs(above))
        kink = abs(above - below) > max(100 * size * large, floor)
        rows.append(Row(name, float((found * direction).sum()), (below + above) / 2, floor, (below, above), kink))
    if show:
        _print(rows)
    return rows


def _asked(loss: Loss, world: Any, tape: Tape) -> tuple[Any, ...]:
    given = loss(world, tape)
    if not isinstance(given, tuple) or len(given) not in (2, 3) or not isinstance(given[1], Mapping):
        raise BadInputError(
            f"check_gradient: the loss gave {given!r:.60}; give its value and {{(step, quantity, piece): derivative}}"
        )
    value = float(given[0])
    if not np.isfinite(value):
        raise NotFiniteError(f"check_gradient: the loss is {value}; look at it, or take fewer steps")
    return value, *given[1:]


def _scale(world: World, name: str) -> Any:
    """What a change of 1 is to each number; None: it is not known how to change it."""
    scene = world.scene
    if name == "initial.positions":
        return scene.step.cell
    if name in ("initial.F", "initial.plastic", "initial.C", "gravity"):
        return 1.0
    if name == "initial.velocities":
        return max(0.1, max(float(np.abs(world.matter[m].velocities).max()) for m in world.matter))
    if name == "actuation":
        return 1e-2 * max(getattr(m, "E", 1.0) for m in scene.materials)
    if name in OF_PARTICLES:
        if any(m.law not in WITHOUT_MEMORY for m in scene.materials):
            return None
        return np.concatenate([getattr(world.matter[m], OF_PARTICLES[name]) for m in world.matter])
    if name in ("mass", "boundary_velocity") or "." in name:
        return None
    return np.abs(numbers(scene, name))


def _moved(world: World, name: str, direction: Any, x: float) -> Any:
    if name == "actuation":
        return _Acting(world.clone(), x * direction)
    if name in INITIAL or name in OF_PARTICLES:
        return _placed(world.clone(), name, x * direction)
    return variant(world, {name: numbers(world.scene, name) + x * direction}, "check_gradient")


def _placed(clone: World, name: str, change: NDArray[np.float64]) -> World:
    first = 0
    for piece in clone.matter:
        matter = clone.matter[piece]
        rows = change[first : first + len(matter)]
        if name in OF_PARTICLES:
            matter.set(**{OF_PARTICLES[name]: getattr(matter, OF_PARTICLES[name]) + rows})
        else:
            matter.set(**{INITIAL[name]: matter.by_id(INITIAL[name]) + rows})
        first += len(matter)
    return clone


def _print(rows: list[Row]) -> None:
    print(f"{'by':<24}{'gradient':>16}{'differences':>16}{'error':>10}")
    for r in rows:
        note = f"  kink: {r.sides[0]:.4g} on one side, {r.sides[1]:.4g} on the other" if r.kink else ""
        print(f"{r.name:<24}{r.gradient:>16.7g}{r.differences:>16.7g}{r.error:>10.1e}{note}")
