"""Blocks on inclines: they slide, hold and stop as Coulomb says."""

import math
from dataclasses import dataclass

import numpy as np

from pliant._core import Body, Motion, Scene
from pliant.shapes import Box
from pliant.validate.case import GRAVITY, Case
from pliant.validate.parts import box_geom, fixed, mjcf, piece, plane, plane_body, scene, stuff, tilted
from pliant.validate.row import FRICTION, Curve, Measured, row

SLIDES = "Coulomb: a = g (sin a - mu cos a)"
RESTS = "Coulomb: rests if mu > tan a"
MILLIMETRE = 1e-3


@dataclass(frozen=True)
class Block:
    """On a slope that falls along x."""

    angle: float  # degrees
    mu: float
    size: tuple[float, float, float] = (0.2, 0.2, 0.1)
    E: float = 1e6
    nu: float = 0.3
    density: float = 1000.0
    on: str = "boundary"  # or plane, box: of a body
    speed: float = 0.0  # m/s, downhill

    def scene(self, case: Case, strong_dt: float = 1e-2) -> Scene:
        step = case.step(self.size[2] / 4, 2e-3, strong_dt, tilted(math.radians(self.angle)))
        shape = Box(self.size, (0, 0, self.size[2] / 2))
        block = piece("block", shape, velocity=(self.speed, 0, 0))
        made = scene(step, stuff(E=self.E, nu=self.nu, density=self.density), [block], self.mu)
        if self.on == "boundary":
            made.boundaries = [plane("floor", friction=self.mu)]
        elif self.on == "plane":
            made.bodies = [plane_body()]
        else:
            long, wide, high = 40 * self.size[0], 3 * self.size[1], 3 * self.size[2]
            made.bodies = [fixed("floor", box_geom((long, wide, high), (0, 0, -high / 2)))]
        return made

    @property
    def acceleration(self) -> float:
        a = math.radians(self.angle)
        return GRAVITY * (math.sin(a) - self.mu * math.cos(a))


def slides(case: Case, block: Block, until: float = 0.5) -> dict[str, Measured]:
    """Acceleration from speeds: steps of any length have it exactly. Of the second half, when the block that was loaded
    at once has ceased to ring: while its base sticks, friction is less than mu times the load."""
    run = case.run(block.scene(case), until, lambda view: view.velocity("block")[0])
    speed, right, half = run.column(0), block.acceleration, len(run.time) // 2
    curve = Curve(run.time, speed, right * run.time, "speed [m/s]")
    value = (speed[-1] - speed[half]) / (run.time[-1] - run.time[half])
    return {"acceleration": Measured(float(value), right, curve=curve)}


def rests(case: Case, block: Block, until: float = 0.8) -> dict[str, Measured]:
    """The way in the second half, in mm: a block that is loaded at once may slip while it settles."""
    run = case.run(block.scene(case), until, lambda view: view.center("block")[0])
    way = (run.column(0) - run.seen[0, 0]) / MILLIMETRE
    curve = Curve(run.time, way, 0 * way, "way [mm]")
    value = float(way[-1] - way[len(way) // 2])
    return {"way in the second half": Measured(value, 0.0, scale=1.0, curve=curve)}


def stops(case: Case, block: Block) -> dict[str, Measured]:
    slows = -block.acceleration
    right = block.speed**2 / (2 * slows)
    run = case.run(block.scene(case, 2e-3), 1.3 * block.speed / slows, lambda view: view.center("block")[0])
    way = run.column(0) - run.seen[0, 0]
    t = np.minimum(run.time, block.speed / slows)
    curve = Curve(run.time, way, block.speed * t - slows * t**2 / 2, "way [m]")
    return {"way": Measured(float(way[-1]), right, curve=curve)}


SLIDE = {"acceleration": FRICTION}
REST = {"way in the second half": FRICTION}
WAY = {"way": FRICTION}
FIRST = {"tilts": True, "needed": True}


@row("block slides on a boundary, 20 deg, mu .30", SLIDE, SLIDES, quick=True, **FIRST)
def slides_on_boundary(case: Case) -> dict[str, Measured]:
    return slides(case, Block(20, 0.3))


@row("block slides on a plane, 20 deg, mu .30", SLIDE, SLIDES, quick=True, **FIRST)
def slides_on_plane(case: Case) -> dict[str, Measured]:
    return slides(case, Block(20, 0.3, on="plane"))


@row("small soft block slides on a box, 35 deg, mu .50", SLIDE, SLIDES, **FIRST)
def slides_small(case: Case) -> dict[str, Measured]:
    return slides(case, Block(35, 0.5, (0.05, 0.04, 0.02), E=1e5, density=200, on="box"), 0.3)


@row("large heavy block slides on a boundary, 50 deg, mu .20", SLIDE, SLIDES, **FIRST)
def slides_large(case: Case) -> dict[str, Measured]:
    return slides(case, Block(50, 0.2, (1.2, 1.0, 0.6), E=1e7, density=4000), 0.6)


@row("block slides without friction on a boundary, 10 deg", SLIDE, SLIDES, **FIRST)
def slides_free(case: Case) -> dict[str, Measured]:
    return slides(case, Block(10, 0.0))


@row("block rests on a boundary, 20 deg, mu 1.1 tan a", REST, RESTS, quick=True, **FIRST)
def rests_on_boundary(case: Case) -> dict[str, Measured]:
    return rests(case, Block(20, 1.1 * math.tan(math.radians(20))))


@row("soft block of nu .45 rests on a plane, 30 deg, mu 1.1 tan a", REST, RESTS, **FIRST)
def rests_soft(case: Case) -> dict[str, Measured]:
    return rests(case, Block(30, 1.1 * math.tan(math.radians(30)), E=1e5, nu=0.45, on="plane"))


@row("stiff block rests on a box, 45 deg, mu 1.2", REST, RESTS, **FIRST)
def rests_stiff(case: Case) -> dict[str, Measured]:
    return rests(case, Block(45, 1.2, (0.1, 0.1, 0.05), E=1e7, density=2500, on="box"), 0.4)


@row("block stops on a boundary, 10 deg, mu .50, 2 m/s", WAY, "Coulomb: v^2 / 2 g (mu cos a - sin a)", **FIRST)
def stops_on_boundary(case: Case) -> dict[str, Measured]:
    return stops(case, Block(10, 0.5, speed=2.0))


@row("block stops on a plane, level, mu .40, 2 m/s", WAY, "Coulomb: v^2 / 2 mu g", **FIRST)
def stops_on_plane(case: Case) -> dict[str, Measured]:
    return stops(case, Block(0, 0.4, E=3e5, on="plane", speed=2.0))


TABLE = mjcf(
    '<body name="part" gravcomp="1"><joint name="tilt" type="hinge" axis="0 1 0" armature="5"/>'
    + box_geom((0.8, 0.4, 0.04), (0.2, 0, -0.02), 'mass="5"')
    + "</body>",
    '<actuator><position name="tilt" joint="tilt" kp="5e4" dampratio="1"/></actuator>',
)


@row("block on a table that tilts to 20 deg, mu 1.02 tan a", {"way along the table": FRICTION}, RESTS, needed=True)
def rests_on_tilting_table(case: Case) -> dict[str, Measured]:
    """Loaded slowly, so that friction is needed to 98 %."""
    angle = math.radians(20)
    block = piece("block", Box((0.15, 0.1, 0.05), (0, 0, 0.025)))
    made = scene(case.step(0.0125, 2e-3), stuff(E=5e5, law="linear_corotated"), [block], 1.02 * math.tan(angle))
    made.bodies = [Body(name="table", text=TABLE)]
    made.motion = [Motion(kind="actuator", target="table/tilt", times=[0.1, 0.8], values=[[0.0], [angle]])]

    def along(view: object) -> float:
        x = view.center("block")  # type: ignore[attr-defined]
        now = view.world.data.qpos[0]  # type: ignore[attr-defined]
        return float(x[0] * math.cos(now) - x[2] * math.sin(now)) / MILLIMETRE

    run = case.run(made, 1.2, along)
    way = run.column(0) - run.seen[0, 0]
    value = float(way[-1] - run.at(0.9)[0] + run.seen[0, 0])
    return {"way along the table": Measured(value, 0.0, scale=1.0, curve=Curve(run.time, way, 0 * way, "way [mm]"))}
