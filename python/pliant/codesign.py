"""Co-design of a soft robot: stiffness of each particle and actuation over time, under two constraints (S5, V-C)."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pliant._core import World
from pliant.errors import BadInputError
from pliant.tape import Tape

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from pliant._core import Scene

    Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Demand:
    """A piece is to end at a goal, and all particles are to be at rest there."""

    of: str
    goal: tuple[float, ...]  # m
    close: float  # m, of its mean position to the goal
    slow: float  # m/s, root of the mean squared speed of all particles


class CoDesign:
    """Variables are the values of all actuators, one row for every `hold` steps, then the stiffness of each particle
    over that of its material. With `fixed` stiffness is that number, and no variable."""

    def __init__(self, scene: Scene, demand: Demand, steps: int, hold: int = 1, fixed: float = 0.0) -> None:
        self.world, self.demand, self.steps, self.hold, self.fixed = World(scene), demand, steps, hold, fixed
        self.names = [a.name for a in scene.actuators]
        self.counts = {name: len(self.world.matter[name]) for name in self.world.matter}
        self.particles = sum(self.counts.values())
        self.E = {m.name: float(m.E) for m in scene.materials}
        self.material = {m.name: m.material for m in scene.matter}
        self.shape = (-(-steps // hold), len(self.names))
        self.violations: list[float] = []  # of all runs: distance in m and mean squared speed, their norm
        self._known: tuple[bytes, tuple[Numbers, Numbers]] | None = None

    def join(self, values: ArrayLike, stiffness: float = 1.0) -> Numbers:
        """Variables from values of the actuators, which may be of one step."""
        u = np.broadcast_to(np.asarray(values, np.float64), self.shape).ravel()
        return np.concatenate([u, np.full(0 if self.fixed else self.particles, stiffness)])

    def values(self, x: Numbers) -> Numbers:
        return x[: self.shape[0] * self.shape[1]].reshape(self.shape)

    def stiffness(self, x: Numbers) -> dict[str, Numbers]:
        """Of particles by id, by piece."""
        size = self.shape[0] * self.shape[1]
        all_of = np.full(self.particles, self.fixed) if self.fixed else x[size:]
        ends = np.cumsum(list(self.counts.values()))
        return dict(zip(self.counts, np.split(all_of, ends[:-1]), strict=True))

    def begin(self, x: Numbers) -> None:
        self.world.reset()
        for name, factors in self.stiffness(x).items():
            self.world.matter[name].set(E=self.E[self.material[name]] * factors)

    def act(self, x: Numbers, step: int) -> dict[str, float]:
        row = self.values(x)[step // self.hold]
        for name, value in zip(self.names, row, strict=True):
            self.world.set_actuation(name, float(value))
        return dict(zip(self.names, map(float, row), strict=True))

    def constraints(self, x: Numbers) -> tuple[Numbers, Numbers]:
        """Two numbers, 0 or more where the demands are met, and their derivatives (2, variables)."""
        if self._known is not None and self._known[0] == x.tobytes():
            return self._known[1]
        self.begin(x)
        last, d = self.steps - 1, self.demand
        with Tape(self.world, ["actuation", "E.particles"]) as tape:
            for k in range(self.steps):
                self.act(x, k)
                self.world.step()
            off = tape.watch(last, "mean_position", d.of) - np.array(d.goal)
            speeds = [tape.watch(last, "mean_squared_velocity", n) * c for n, c in self.counts.items()]
        far, fast = float(off @ off), sum(speeds) / self.particles
        seeds: list[dict[tuple[int, str, str], Any]] = [
            {(last, "mean_position", d.of): -2 * off / d.close**2},
            {(last, "mean_squared_velocity", n): -c / self.particles / d.slow**2 for n, c in self.counts.items()},
        ]
        rows = np.array([self._by_variables(g) for g in tape.backward(seeds, progress=False)])
        self.violations.append(float(np.hypot(np.sqrt(far), fast)))
        self._known = (x.tobytes(), (np.array([1 - far / d.close**2, 1 - fast / d.slow**2]), rows))
        return self._known[1]

    def _by_variables(self, g: Any) -> Numbers:
        by_step = np.zeros((self.shape[0] * self.hold, self.shape[1]))
        by_step[: self.steps] = np.stack([g["actuation", n] for n in self.names], axis=1)
        by_u = by_step.reshape(self.shape[0], self.hold, -1).sum(axis=1).ravel()
        if self.fixed:
            return by_u
        by_E = [self.E[self.material[n]] * g["E.particles", n] for n in self.counts]
        return np.concatenate([by_u, *by_E])

    def cost(self, x: Numbers) -> tuple[float, Numbers]:
        """Sum of u^T u dt, and its derivative."""
        u, dt = self.values(x), self.hold * float(self.world.scene.step.dt)
        return float((u**2).sum() * dt), np.concatenate([2 * dt * u.ravel(), np.zeros(len(x) - u.size)])

    def told(self, x: Numbers) -> dict[str, float]:
        """m, m/s and the cost of a run."""
        kept = 1 - self.constraints(x)[0]
        far, slow = np.sqrt(np.maximum(kept, 0)) * [self.demand.close, self.demand.slow]
        return {"cost": self.cost(x)[0], "distance": float(far), "speed": float(slow)}


def solve(
    task: CoDesign, start: Numbers, softest: float = 0.3, stiffest: float = 4.0, minutes: float = 30.0, bar: bool = True
) -> tuple[Numbers, dict[str, float]]:
    """The least cost under the constraints by scipy's SLSQP, |value| <= 1; after so many minutes, where it stands."""
    try:
        from scipy.optimize import minimize
    except ImportError as error:
        raise BadInputError("the co-design needs scipy: pip install pliant[optimize]") from error
    begun, best = time.perf_counter(), [start]

    def note(x: Numbers) -> None:
        best[0] = x.copy()
        spent = time.perf_counter() - begun
        if bar:
            said = ", ".join(f"{name} {value:.4g}" for name, value in task.told(x).items())
            print(f"{spent:6.0f} s, {len(task.violations)} runs: {said}", flush=True)
        if spent > 60 * minutes:
            raise StopIteration

    bounds = [(-1.0, 1.0)] * (task.shape[0] * task.shape[1])
    bounds += [(softest, stiffest)] * (len(start) - len(bounds))
    needs = {"type": "ineq", "fun": lambda x: task.constraints(x)[0], "jac": lambda x: task.constraints(x)[1]}
    options = {"maxiter": 10_000, "ftol": 1e-6}
    with suppress(StopIteration):
        minimize(
            task.cost, start, jac=True, bounds=bounds, constraints=needs, method="SLSQP", callback=note, options=options
        )
    figures = {**task.told(best[0]), "seconds": time.perf_counter() - begun, "runs": len(task.violations)}
    return best[0], figures
