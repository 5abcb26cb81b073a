"""A step as a node of autograd, for pliant.torch."""

from __future__ import annotations

import atexit
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from weakref import WeakSet

import numpy as np
import torch
from numpy.typing import NDArray
from torch.autograd.function import once_differentiable

from pliant._core import World, WorldTape
from pliant.errors import Error

# what a state is, by the names of arrays of matter
ATTRIBUTES = ("positions", "velocities", "deformation_gradients", "affine", "plastic")
ELASTIC = ("E", "nu")
PLENTY = 1 << 50  # bytes: one step is always held as a whole
EVERY = np.empty(0, np.int64)  # no ids: a seed is of all particles

# PyTorch lets go of no graph when Python ends: what holds worlds lets go of them itself
_holders: WeakSet[Any] = WeakSet()

Array = NDArray[Any]
Seed = tuple[int, str, str, Array, bool, Array]


@atexit.register
def _end() -> None:
    for holder in list(_holders):
        vars(holder).clear()


def held(holder: Any) -> None:
    """It holds a world, and its end is the end of Python at the latest."""
    _holders.add(holder)


@dataclass(frozen=True)
class Layout:
    """Rows of the pieces of matter in arrays of all particles, and what can be acted with."""

    rows: dict[str, slice]
    dimension: int
    actuators: tuple[str, ...]

    @staticmethod
    def of(world: World) -> Layout:
        names = [m.name for m in world.scene.matter]
        ends = np.cumsum([0, *(len(world.matter[name]) for name in names)])
        rows = {name: slice(ends[i], ends[i + 1]) for i, name in enumerate(names)}
        return Layout(rows, int(world.scene.dimension), tuple(a.name for a in world.scene.actuators))

    @property
    def count(self) -> int:
        return int(list(self.rows.values())[-1].stop)

    def state(self, world: World) -> list[Array]:
        """All that a state is, by id."""
        order = [(n, np.argsort(world.matter[n].ids, kind="stable")) for n in self.rows]
        return [np.concatenate([getattr(world.matter[n], a)[ids] for n, ids in order]) for a in ATTRIBUTES]

    def set(self, world: World, values: dict[str, Array]) -> None:
        for name, rows in self.rows.items():
            world.matter[name].set(**{key: value[rows] for key, value in values.items()})

    def means(self, rows: Array) -> Array:
        """(pieces, dimension), of the type of the rows"""
        means = [rows[r].mean(axis=0, dtype=np.float64) for r in self.rows.values()]
        return np.stack(means).astype(rows.dtype)

    def means_of(self, world: World, attribute: str) -> Array:
        """The same of what a world has now; the order of particles does not matter."""
        return np.stack([world.matter[n].by_id(attribute).mean(axis=0, dtype=np.float64) for n in self.rows])

    def seeds(self, step: int, attribute: str, values: Array) -> list[Seed]:
        """Derivatives of a loss by an attribute of all particles after a step, as tapes take them."""
        flat = np.ascontiguousarray(values, np.float64)
        return [(step, attribute, name, flat[rows].ravel(), False, EVERY) for name, rows in self.rows.items()]

    def mean_seeds(self, step: int, attribute: str, values: Array) -> list[Seed]:
        """The same by the means of pieces."""
        of_pieces = zip(self.rows.items(), np.asarray(values, np.float64), strict=True)
        return [(step, attribute, n, v / (rows.stop - rows.start), True, EVERY) for (n, rows), v in of_pieces]

    def by_state(self, raw: dict[str, Any], attribute: str) -> Array:
        return np.concatenate([raw["matter"][name][attribute] for name in self.rows])

    def by_modulus(self, raw: dict[str, Any], parameter: str) -> Array:
        """Of each particle; 0 where the law has none."""
        parts = []
        for name, rows in self.rows.items():
            found = raw["matter"][name]["particles"].get(parameter)
            parts.append(np.zeros(rows.stop - rows.start) if found is None else found)
        return np.concatenate(parts)

    def by_actuation(self, raw: dict[str, Any], name: str) -> Array:
        """(steps,) of an actuator, (steps, dimension, dimension) of a piece of matter"""
        if name in self.actuators:
            return raw["actuators"][name]
        d = self.dimension
        return raw["matter"][name]["actuation"].reshape(-1, 3, 3)[:, :d, :d]


@dataclass(frozen=True, eq=False)
class Moment:
    """A state of a world, exact."""

    saved: bytes
    step: int  # how many were taken since the first


class Copy:
    """A copy of a world, in which steps are taken from any moment on."""

    def __init__(self, world: World) -> None:
        self.lock = threading.RLock()
        self.world = world.clone()
        self.layout = Layout.of(world)
        self._at: Moment | None = None
        self._goes_back = False
        held(self)

    def require_way_back(self) -> None:
        """An error that says why, if steps of this world have no adjoint."""
        if not self._goes_back:
            with self.lock:
                WorldTape(self.world, PLENTY).end()
            self._goes_back = True

    def step(self, before: Moment, actuation: dict[str, Array], tape: bool = False) -> WorldTape | None:
        """Leaves the copy after the step."""
        if self._at is not before:
            self.world.restore(before.saved)
        self._at = None
        for name, value in actuation.items():
            act(self.world, name, value)
        recorder = WorldTape(self.world, PLENTY) if tape else None
        try:
            self.world.step()
        except Error as error:
            raise restated(error, before.step) from None
        finally:
            if recorder:
                recorder.end()
        return recorder

    def begin(self, world: World, values: dict[str, Array]) -> list[Array]:
        """To where the world is, but for some values by id; the state then."""
        self._at = None
        self.world.restore(world.save())
        if values:
            self.layout.set(self.world, values)
        return self.layout.state(self.world)

    def moment(self, step: int) -> Moment:
        """Where the copy is now."""
        self._at = Moment(self.world.save(), step)
        return self._at


@dataclass(frozen=True)
class Kind:
    """What a tensor was, for its derivative."""

    shape: torch.Size
    dtype: torch.dtype
    device: torch.device

    @staticmethod
    def of(tensor: torch.Tensor | None) -> Kind | None:
        return None if tensor is None else Kind(tensor.shape, tensor.dtype, tensor.device)

    def filled(self, values: Array) -> torch.Tensor:
        return torch.from_numpy(np.array(values)).reshape(self.shape).to(self.device, self.dtype)


def act(world: World, name: str, value: Array) -> None:
    world.set_actuation(name, value if value.ndim else float(value))


def numpy_of(tensor: torch.Tensor) -> Array:
    return tensor.detach().cpu().numpy()


def restated(error: Error, step: int) -> Error:
    """The same error, saying which step of the chain it was."""
    return type(error)(f"pliant.torch, step {step}: {error}")


def filled(kinds: Sequence[Kind | None], needed: Sequence[bool], values: Sequence[Array]) -> list[Any]:
    return [k.filled(v) if k and n else None for k, n, v in zip(kinds, needed, values, strict=True)]


class StepNode(torch.autograd.Function):
    """One step: (state, E and nu of particles or None, what acts by `names`) to (next state, means of pieces)."""

    @staticmethod
    def forward(ctx: Any, copy: Copy, before: Moment, names: Sequence[str], after: list[Moment], *given: Any) -> Any:
        acting = given[len(ATTRIBUTES) + len(ELASTIC) :]
        ctx.actuation = {n: numpy_of(a).astype(np.float64) for n, a in zip(names, acting, strict=True)}
        with copy.lock:
            copy.step(before, ctx.actuation)
            state = copy.layout.state(copy.world)
            after.append(copy.moment(before.step + 1))
        ctx.copy, ctx.before, ctx.kinds = copy, before, [Kind.of(g) for g in given]
        ctx.set_materialize_grads(False)
        means = [copy.layout.means(rows) for rows in state[:2]]
        return tuple(torch.from_numpy(array) for array in (*state, *means))

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *bars: Any) -> Any:
        copy, layout = ctx.copy, ctx.copy.layout
        seeds: list[Seed] = []
        for k, bar in enumerate(bars):
            if bar is not None:
                put = layout.seeds if k < len(ATTRIBUTES) else layout.mean_seeds
                seeds += put(0, ATTRIBUTES[k % len(ATTRIBUTES)], numpy_of(bar))
        with copy.lock:
            tape = copy.step(ctx.before, ctx.actuation, tape=True)
            try:
                (raw,) = tape.backward([seeds], 0, None, None)
            except Error as error:
                raise restated(error, ctx.before.step) from None
        found = [layout.by_state(raw, attribute) for attribute in ATTRIBUTES]
        found += [layout.by_modulus(raw, parameter) for parameter in ELASTIC]
        found += [layout.by_actuation(raw, name)[0] for name in ctx.actuation]
        return (None, None, None, None, *filled(ctx.kinds, ctx.needs_input_grad[4:], found))
