"""A row at one place with one method: runs its scene, and sees the world in the frame of the row."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pliant._core import Scene, StepOptions, World
from pliant.validate.keys import refuse_keys
from pliant.validate.place import Place, placed

Array = NDArray[np.float64]
GRAVITY = 9.81


class Cancelled(Exception):
    """Somebody pressed Ctrl-C."""


class Built(Exception):
    """Says which scene a row would run."""

    def __init__(self, scene: Scene) -> None:
        super().__init__()
        self.scene = scene


@dataclass
class View:
    """The world in the frame of the row."""

    world: World
    place: Place
    scene: Scene

    @property
    def time(self) -> float:
        return float(self.world.time)

    def positions(self, name: str) -> Array:
        return self.place.back(self.world.matter[name].positions)

    def masses(self, name: str) -> Array:
        return np.asarray(self.world.matter[name].masses, float)

    def center(self, name: str) -> Array:
        return np.average(self.positions(name), axis=0, weights=self.masses(name))

    def velocity(self, name: str) -> Array:
        """Of the centre of mass, m/s."""
        velocities = np.asarray(self.world.matter[name].velocities, float)
        return self.place.back_vector(np.average(velocities, axis=0, weights=self.masses(name)))

    def angular_momentum(self, name: str) -> Array:
        """About the centre of mass, kg m^2/s; of the particles as points, and what their affine matrices hold."""
        matter, mass = self.world.matter[name], self.masses(name)
        x, v = np.asarray(matter.positions, float), np.asarray(matter.velocities, float)
        arm, v = x - np.average(x, axis=0, weights=mass), v - np.average(v, axis=0, weights=mass)
        spin = np.einsum("n,nij->ij", mass, np.asarray(matter.affine, float)) * self.scene.step.cell**2 / 4
        own = np.array([spin[2, 1] - spin[1, 2], spin[0, 2] - spin[2, 0], spin[1, 0] - spin[0, 1]])
        return self.place.back_vector((mass[:, None] * np.cross(arm, v)).sum(axis=0) + own)

    def spin(self, name: str) -> Array:
        """Angular velocity of matter that is nearly rigid, rad/s."""
        matter, mass = self.world.matter[name], self.masses(name)
        x, v = np.asarray(matter.positions, float), np.asarray(matter.velocities, float)
        arm, v = x - np.average(x, axis=0, weights=mass), v - np.average(v, axis=0, weights=mass)
        inertia = np.einsum("n,nk,nk->", mass, arm, arm) * np.eye(3) - np.einsum("n,ni,nj->ij", mass, arm, arm)
        return self.place.back_vector(np.linalg.solve(inertia, (mass[:, None] * np.cross(arm, v)).sum(axis=0)))

    def force(self, body: str) -> Array:
        """Of matter on a body, N, mean over the last step."""
        return self.place.back_vector(np.array(self.world.wrench(body).force))

    def boundary_force(self, name: str) -> Array:
        """Of matter on a boundary, N, mean over the last step."""
        number = [boundary.name for boundary in self.scene.boundaries].index(name)
        impulse = np.array(self.world.report.boundary_impulses[number], float)
        return self.place.back_vector(-impulse / self.scene.step.dt)

    def pin_force(self, number: int) -> Array:
        """Of a pin on its sheet, N, mean over the last step."""
        impulse = np.array(self.world.report.pin_impulses[number], float)
        return self.place.back_vector(impulse / self.scene.step.dt)

    def body_position(self, body: str) -> Array:
        return self.place.back(np.array(self.world.data.body(body).xpos))

    def body_velocity(self, body: str) -> Array:
        """Of the centre of mass of a body with a free joint."""
        joint = int(self.world.model.body(body).dofadr[0])
        return self.place.back_vector(np.array(self.world.data.qvel[joint : joint + 3]))

    def body_mass(self, body: str) -> float:
        return float(self.world.model.body(body).mass[0])


Watch = Callable[[View], Sequence[float] | float]


@dataclass(frozen=True)
class Run:
    """What was seen after each step; the first entry is the start."""

    time: Array  # s
    seen: Array  # (steps + 1, numbers of the watch)
    view: View  # at the end

    def column(self, number: int) -> Array:
        return np.ascontiguousarray(self.seen[:, number])

    def mean(self, since: float) -> Array:
        """Of what was seen after that time."""
        return self.seen[self.time > since - 1e-9].mean(axis=0)

    def at(self, time: float) -> Array:
        return self.seen[int(np.argmin(np.abs(self.time - time)))]


@dataclass
class Case:
    """Hands a row what it needs."""

    method: str = "async"
    place: Place = field(default_factory=Place)
    refine: int = 1  # cells and steps are smaller by this
    dry: bool = False  # only build the scene
    threads: int = 1
    stop: threading.Event = field(default_factory=threading.Event)
    on_step: Callable[[float], None] | None = None  # told which part of the run is done

    @property
    def strong(self) -> bool:
        return self.method == "strong"

    def step(
        self,
        cell: float,
        dt: float = 2e-3,
        strong_dt: float = 1e-2,
        gravity: Sequence[float] = (0, 0, -GRAVITY),
    ) -> StepOptions:
        """Options of a row; strong_dt: the step of the strong method."""
        return StepOptions(
            dt=(strong_dt if self.strong else dt) / self.refine,
            cell=cell / self.refine,
            method=self.method,
            gravity=tuple(map(float, gravity)),
        )

    def run(self, scene: Scene, until: float, watch: Watch) -> Run:
        """Runs a scene that was built in the frame of the row; a failed step is an error."""
        refuse_keys(scene)
        if self.dry:
            raise Built(scene)
        here = placed(scene, self.place)
        world: Any = World(here, self.threads)
        view = View(world, self.place, here)
        steps = max(1, round(until / here.step.dt))
        times, seen = [0.0], [np.atleast_1d(np.asarray(watch_start(watch, view), float))]
        for number in range(steps):
            if self.stop.is_set():
                raise Cancelled
            world.step()
            times.append(view.time)
            seen.append(np.atleast_1d(np.asarray(watch(view), float)))
            if self.on_step:
                self.on_step((number + 1) / steps)
        # forces are known from the first step on
        seen[0] = np.where(np.isfinite(seen[0]), seen[0], 0.0) if len(seen[0]) == len(seen[1]) else 0 * seen[1]
        return Run(np.array(times), np.array(seen), view)


def watch_start(watch: Watch, view: View) -> Sequence[float] | float:
    """Before the first step there are no forces."""
    try:
        return watch(view)
    except (IndexError, RuntimeError):
        return ()
