"""Gradients of a run: record steps of a world, then go back along them."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pliant._core import WorldTape
from pliant.errors import BadInputError
from pliant.gradients import Gradients, chosen_names, known_names

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from pliant._core import World

Key = tuple[int, str, str]
Seeds = Mapping[Key, "ArrayLike"]
AtStep = Callable[[int, dict[str, Any]], "Mapping[tuple[str, str], ArrayLike] | None"]

EACH = {"positions": "positions", "velocities": "velocities", "F": "deformation_gradients"}
MEANS = {"mean_position": "positions", "mean_velocity": "velocities"}
QUANTITIES = (*EACH, *MEANS, "mean_squared_velocity")
UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}


def bytes_of(memory: str | int) -> int:
    """A budget as '1 GB', '512 MB' or a number of bytes."""
    if isinstance(memory, int):
        return memory
    found = re.fullmatch(r"\s*([\d.]+)\s*([kmgt]?)b?\s*", memory.lower())
    if not found:
        raise BadInputError(f"tape: memory is {memory!r}; give a number of bytes, or a text such as '1 GB'")
    return int(float(found[1]) * UNITS[found[2]])


class Tape:
    """Records the steps of a world, and gives derivatives of losses by all that the run was made of.

    Use it with `with`. While it records, actuation and velocities of boundaries may be set; writing matter, `restore`
    and `reset` are errors. `sets` names particles of a piece that are to be watched on their own, with ids as rows of
    `by_id`: {"tip": ("arm", ids)}.
    """

    def __init__(
        self,
        world: World,
        wrt: Sequence[str] | None = None,
        memory: str | int = "1 GB",
        sets: Mapping[str, tuple[str, ArrayLike]] | None = None,
    ) -> None:
        self._world = world
        self._scene = world.scene
        self._counts = {name: len(world.matter[name]) for name in world.matter}
        self._sets = {name: (of, np.asarray(ids, np.int64)) for name, (of, ids) in (sets or {}).items()}
        for name, (of, ids) in self._sets.items():
            if of not in self._counts or name in self._counts:
                raise BadInputError(f"tape: set {name!r} is of {of!r}; give a piece of matter, and a name of its own")
            if ids.ndim != 1 or len(ids) == 0 or ids.min() < 0 or ids.max() >= self._counts[of]:
                raise BadInputError(f"tape: set {name!r} must list particles of {of!r}, 0 to {self._counts[of] - 1}")
        self._names = chosen_names(
            None if wrt is None else list(wrt), known_names(self._scene, parameters(self._scene))
        )
        self._tape = WorldTape(world, bytes_of(memory))
        self._speeds: dict[tuple[int, str], NDArray[np.float64]] = {}
        self._last: Gradients | None = None

    def __enter__(self) -> Tape:
        return self

    def __exit__(self, *error: object) -> None:
        self.end()

    def __len__(self) -> int:
        return self._tape.steps

    def __repr__(self) -> str:
        state = "recording" if self._tape.recording else "ended"
        return f"Tape({len(self)} steps, {self.memory / 1e6:.1f} MB, {state})"

    @property
    def memory(self) -> int:
        """Bytes that it holds."""
        return self._tape.memory

    def end(self) -> None:
        """The world is free again; what was recorded stays."""
        self._tape.end()

    def follow(self, other: Tape) -> None:
        """Steps from now on have the substeps that those of another tape had."""
        self._tape.follow(other._tape)

    def watch(self, step: int, quantity: str, of: str) -> Any:
        """The value after a step, which must be the last one: what a loss may be made of.

        positions, velocities, F (by id), mean_position, mean_velocity, mean_squared_velocity of a piece or a named set.
        """
        if step != len(self) - 1:
            raise BadInputError(
                f"tape: step {step} is watched, but {len(self)} were taken; watch the last, {len(self) - 1}"
            )
        piece, ids = self._piece(of)
        self._check_quantity(quantity)
        attribute = {**EACH, **MEANS}.get(quantity, "velocities")
        values = self._world.matter[piece].by_id(attribute).astype(np.float64)
        values = values if ids is None else values[ids]
        if quantity in EACH:
            return values
        if quantity in MEANS:
            return values.mean(axis=0)
        self._speeds[step, of] = values
        return float((values**2).sum(axis=1).mean())

    def backward(
        self,
        seeds: Seeds | Sequence[Seeds],
        last: int | None = None,
        progress: bool | Callable[[int, int], object] | None = None,
        at_step: AtStep | Sequence[AtStep] | None = None,
    ) -> Any:
        """Gradients of a loss from its derivatives by what it saw: {(step, quantity, piece or set): dL}.

        A list of losses gives a list of gradients with one way back for all. `last=k` goes back through the last k
        steps only. May be called again.

        `at_step(k, by)` is called for each step on the way, from the last: `by` has the derivatives by what acted in
        it, the value of each actuator and the stress of each piece, by name. It may answer with what the loss has
        besides by the state that the step began with, {(quantity, piece or set): dL}: so controllers that saw that
        state are gone back through. Of several losses give one each. It cannot ask the world, which is at work.
        """
        several = not isinstance(seeds, Mapping)
        losses = [self._written(loss) for loss in (seeds if several else [seeds])]
        if last is not None and last < 1:
            raise BadInputError(f"tape: last is {last}; give a number of steps, or None for all")
        asked = None if at_step is None else [at_step] if callable(at_step) else list(at_step)
        if asked is not None and len(asked) != len(losses):
            raise BadInputError(f"tape: {len(losses)} losses, but at_step has {len(asked)}; give one for each")
        raw = self._tape.backward(losses, last or 0, _progress(progress), asked and self._asking(asked))
        found = [Gradients(self._scene, r, self._names) for r in raw]
        self._last = found[0] if found else None
        return found if several else found[0]

    def _asking(self, asked: Sequence[AtStep]) -> Callable[[int, int, dict[str, Any]], list[tuple[Any, ...]]]:
        dimension = self._scene.dimension

        def ask(loss: int, step: int, by: dict[str, Any]) -> list[tuple[Any, ...]]:
            for name in self._counts:
                by[name] = by[name].reshape(3, 3)[:dimension, :dimension]
            seeds = asked[loss](step, by) or {}
            # of the state before the step, which `_written` knows by the step that led to it
            return self._written({(step - 1, *key): value for key, value in seeds.items()}, first=-1)

        return ask

    def norms(self) -> NDArray[np.float64]:
        """(steps, 3) of the last backward: sizes of the derivatives by positions, velocities and F before each step."""
        if self._last is None:
            raise BadInputError("tape: norms are of a backward; call backward first")
        return self._last.norms

    def _piece(self, of: str) -> tuple[str, NDArray[np.int64] | None]:
        if of in self._sets:
            return self._sets[of]
        if of in self._counts:
            return of, None
        known = [*self._counts, *self._sets]
        raise BadInputError(f"tape: no piece of matter or set {of!r}; there are {', '.join(known)}")

    def _check_quantity(self, quantity: str) -> None:
        if quantity not in QUANTITIES:
            raise BadInputError(f"tape: {quantity!r} cannot be watched; watch one of {', '.join(QUANTITIES)}")

    def _written(self, seeds: Seeds, first: int = 0) -> list[tuple[Any, ...]]:
        """Seeds as the core takes them: (step, attribute, piece, values, same for all, particles)."""
        written = []
        for (step, quantity, of), value in seeds.items():
            piece, ids = self._piece(of)
            self._check_quantity(quantity)
            dL = np.asarray(value, np.float64)
            count = self._counts[piece] if ids is None else len(ids)
            particles = np.empty(0, np.int64) if ids is None else ids
            attribute = {**EACH, **MEANS}.get(quantity, "velocities")
            if quantity in MEANS:
                dL = dL / count
            if quantity == "mean_squared_velocity":
                if (step, of) not in self._speeds:
                    raise BadInputError(f"tape: mean_squared_velocity of {of!r} at step {step} was not watched")
                dL = 2 * float(dL) / count * self._speeds[step, of]
            if step < first:
                raise BadInputError(f"tape: a loss looks at step {step}; the first is 0")
            same = quantity in MEANS
            written.append((max(step, 0), attribute, piece, np.ascontiguousarray(dL).ravel(), same, particles))
        return written


def parameters(scene: Any) -> set[str]:
    """Names of the parameters that the laws of this scene's matter read, and that a step feels."""
    from pliant._core import law_parameters

    used = {m.material for m in scene.matter}
    names = {"density"}
    for material in scene.materials:
        if material.name in used:
            names |= {p for p in law_parameters(str(material.law)) if p != "friction"}
    return names


def _progress(wanted: bool | Callable[[int, int], object] | None) -> Callable[[int, int], object] | None:
    """A bar on the terminal for ways back that take more than two seconds, unless it is not wanted."""
    if callable(wanted):
        return wanted
    if wanted is False or (wanted is None and not sys.stderr.isatty()):
        return None
    begun = time.monotonic()

    def tell(done: int, steps: int) -> None:
        taken = time.monotonic() - begun
        if taken < 2:
            return
        bar = "#" * round(30 * done / steps)
        end = "\n" if done == steps else ""
        print(f"\rback {done}/{steps} [{bar:<30}] {taken:.0f} s", end=end, file=sys.stderr, flush=True)

    return tell
