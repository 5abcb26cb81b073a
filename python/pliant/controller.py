"""Controllers of soft robots, and the way back through them (S5, V-B)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pliant.errors import BadInputError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from pliant._core import World


class Controller:
    """Sets actuators of a world to a = scale * tanh(W z + b) before each step.

    z is the goal, then of each piece of matter the mean position and the mean velocity. `act()` before each step of a
    tape notes what it saw; `tape.backward(seeds, at_step=controller.back)` then leaves the derivative of the loss by W
    and b in `gradient`, whose order is that of `weights`: all of W, row after row, then b.
    """

    def __init__(
        self,
        world: World,
        goal: ArrayLike = (),
        scale: float = 1.0,
        spread: float = 0.02,
        seed: int = 0,
        pieces: Sequence[str] | None = None,
        actuators: Sequence[str] | None = None,
    ) -> None:
        scene = world.scene
        moved = {m.target for m in scene.motion if m.kind == "actuation"}
        free = [a.name for a in scene.actuators if a.name not in moved]
        self.actuators = free if actuators is None else list(actuators)
        self.pieces = list(world.matter if pieces is None else pieces)
        strange = [a for a in self.actuators if a not in free]
        if strange or not self.actuators:
            what = f"no free actuator {strange[0]!r}" if strange else "no actuator to set"
            raise BadInputError(
                f"controller: {what}; the scene has {', '.join(free) or 'none: add some to `actuators`'}"
            )
        unknown = [p for p in self.pieces if p not in world.matter]
        if unknown:
            raise BadInputError(f"controller: no matter {unknown[0]!r}; the scene has {', '.join(world.matter)}")
        self._world = world
        self.scale = float(scale)
        self.goal = np.asarray(goal, np.float64).ravel()
        inputs = len(self.goal) + 2 * int(scene.dimension) * len(self.pieces)
        self.W = spread * np.random.default_rng(seed).standard_normal((len(self.actuators), inputs))
        self.b = np.zeros(len(self.actuators))
        self._seen: list[tuple[NDArray[np.float64], NDArray[np.float64]]] = []
        self.begin()

    def __repr__(self) -> str:
        return f"Controller({self.W.shape[1]} numbers seen, {len(self.actuators)} actuators)"

    @property
    def weights(self) -> NDArray[np.float64]:
        return np.concatenate([self.W.ravel(), self.b])

    @weights.setter
    def weights(self, numbers: ArrayLike) -> None:
        given = np.asarray(numbers, np.float64)
        if given.shape != (self.W.size + self.b.size,):
            raise BadInputError(f"controller: {given.shape} weights; give {self.W.size + self.b.size} numbers")
        self.W, self.b = given[: self.W.size].reshape(self.W.shape).copy(), given[self.W.size :].copy()

    @property
    def gradient(self) -> NDArray[np.float64]:
        """Of the last `backward`, by the weights."""
        return np.concatenate([self._W_bar.ravel(), self._b_bar])

    def begin(self, goal: ArrayLike | None = None) -> None:
        """Of a new run, perhaps with another goal: what was seen is forgotten."""
        if goal is not None:
            given = np.asarray(goal, np.float64).ravel()
            if given.shape != self.goal.shape:
                raise BadInputError(f"controller: a goal of {len(given)} numbers; it has {len(self.goal)}")
            self.goal = given
        self._seen = []
        self._W_bar, self._b_bar = np.zeros_like(self.W), np.zeros_like(self.b)

    def act(self) -> NDArray[np.float64]:
        """Looks at the world and sets its actuators; the answer is their values."""
        matter = self._world.matter
        means = [m for p in self.pieces for m in (matter[p].mean_position, matter[p].mean_velocity)]
        z = np.concatenate([self.goal, *means])
        t = np.tanh(self.W @ z + self.b)
        self._seen.append((z, t))
        values = self.scale * t
        for name, value in zip(self.actuators, values, strict=True):
            self._world.set_actuation(name, float(value))
        return values

    def back(self, step: int, by: dict[str, Any]) -> dict[tuple[str, str], NDArray[np.float64]]:
        """What `backward` asks at each step."""
        if step >= len(self._seen):
            raise BadInputError(
                f"controller: it acted {len(self._seen)} times, but the tape has a step {step}; act before each step"
            )
        if step == len(self._seen) - 1:
            self._W_bar, self._b_bar = np.zeros_like(self.W), np.zeros_like(self.b)
        z, t = self._seen[step]
        u_bar = self.scale * (1 - t**2) * np.array([by[name] for name in self.actuators])
        self._W_bar += np.outer(u_bar, z)
        self._b_bar += u_bar
        z_bar = (self.W.T @ u_bar)[len(self.goal) :].reshape(len(self.pieces), 2, -1)
        seeds = {}
        for piece, (place, velocity) in zip(self.pieces, z_bar, strict=True):
            seeds["mean_position", piece] = place
            seeds["mean_velocity", piece] = velocity
        return seeds
