"""A soft cube between two panels: forces, limits of the grip, and whether it stays where it is."""

import math
from dataclasses import dataclass

from pliant._core import Scene
from pliant.shapes import Box
from pliant.validate.case import GRAVITY, Case, View
from pliant.validate.parts import MOTOR, box_geom, on_slide, piece, pushes, scene, stuff
from pliant.validate.row import FRICTION, STATICS, Curve, Measured, row

MU, SIZE, DENSITY = 0.8, 0.1, 400.0
MASS = DENSITY * SIZE**3
LIMIT = MASS * GRAVITY / (2 * MU)  # N of each panel: below, the cube falls
DOWN = (0.0, math.sin(0.6), -math.cos(0.6))  # along no edge of the cube
MILLIMETRE = 1e-3
FIRST = {"tilts": True, "needed": True}


@dataclass(frozen=True)
class Grip:
    """Panels on slides along x, pushed together; a damper takes away their swing."""

    times: tuple[float, ...]
    newtons: tuple[float, ...]
    E: float = 1e5
    nu: float = 0.4

    def scene(self, case: Case) -> Scene:
        cube = piece("cube", Box((SIZE, SIZE, SIZE)))
        step = case.step(SIZE / 6, gravity=[GRAVITY * d for d in DOWN])
        made = scene(step, stuff("linear_corotated", E=self.E, nu=self.nu, density=DENSITY), [cube], MU)
        for name, side in (("left", -1), ("right", 1)):
            panel = box_geom((0.02, 0.6, 0.6), (side * (SIZE / 2 + 0.01), 0, 0), 'mass="1"')
            made.bodies.append(on_slide(name, (-side, 0, 0), panel, MOTOR, damping=60))
            made.motion.append(pushes(name, self.times, self.newtons))
        return made


def down(view: View) -> float:
    """How far the cube has gone down, mm."""
    return float(view.center("cube") @ DOWN) / MILLIMETRE


@row(
    "squeeze, 10 N, gravity along no edge",
    {"normal force": STATICS, "friction": STATICS},
    "each panel: 10 N, and m g / 2 against gravity",
    quick=True,
    **FIRST,
)
def squeeze(case: Case) -> dict[str, Measured]:
    def watch(view: View) -> tuple[float, float]:
        left, right = view.force("left/part"), view.force("right/part")
        return float(right[0] - left[0]) / 2, float(left @ DOWN)

    run = case.run(Grip((0,), (10,)).scene(case), 1.0, watch)
    normal, friction = run.mean(0.6)
    curve = Curve(
        run.time[1:], run.column(1)[1:], 0 * run.time[1:] + MASS * GRAVITY / 2, "friction of the left panel [N]"
    )
    return {
        "normal force": Measured(float(normal), 10.0),
        "friction": Measured(float(friction), MASS * GRAVITY / 2, curve=curve),
    }


@row("grip below its limit, .9 m g / 2 mu", {"friction": FRICTION}, "Coulomb: m (g - a) = 2 mu N", quick=True, **FIRST)
def slips(case: Case) -> dict[str, Measured]:
    """The cube falls; what friction carries over what it can, in the second half."""

    def speed(view: View) -> float:
        return float(view.velocity("cube") @ DOWN)

    run = case.run(Grip((0,), (0.9 * LIMIT,)).scene(case), 0.4, speed)
    speeds, half = run.column(0), len(run.time) // 2
    falls = float(speeds[-1] - speeds[half]) / float(run.time[-1] - run.time[half])
    curve = Curve(run.time, speeds, 0.1 * GRAVITY * run.time, "speed [m/s]")
    return {"friction": Measured(MASS * (GRAVITY - falls) / (2 * MU * 0.9 * LIMIT), 1.0, curve=curve)}


@row("grip above its limit, 1.03 m g / 2 mu", {"way": FRICTION}, "Coulomb: holds", **FIRST)
def holds(case: Case) -> dict[str, Measured]:
    """Loosened slowly to 3 % above the limit; way in mm of the last .4 s."""
    run = case.run(Grip((0.2, 0.6), (1.6 * LIMIT, 1.03 * LIMIT)).scene(case), 1.2, down)
    way = run.column(0) - run.seen[0, 0]
    value = float(run.seen[-1, 0] - run.at(0.8)[0])
    return {"way": Measured(value, 0.0, scale=1.0, curve=Curve(run.time, way, 0 * way, "way down [mm]"))}


@row("gripped cube for 21 s, 10 N", {"creep": FRICTION}, "Coulomb: holds; .001 mm in 20 s", **FIRST)
def creeps(case: Case) -> dict[str, Measured]:
    """Way in mm of the last 20 s; the bound is a hundredth of the scale."""
    run = case.run(Grip((0,), (10,)).scene(case), 21.0, down)
    way = run.column(0) - run.at(1.0)[0]
    curve = Curve(run.time, way, 0 * way, "way down since 1 s [mm]")
    return {"creep": Measured(float(way[-1]), 0.0, scale=0.1, curve=curve)}


@row("hard cube in a grip, E 1e7, 10 N", {"friction": STATICS, "way": FRICTION}, "both panels: m g; rests", **FIRST)
def hard_cube(case: Case) -> dict[str, Measured]:
    """Which panel carries how much, Coulomb leaves open: the cube hardly gives way. Way in mm of the last .2 s."""

    def watch(view: View) -> tuple[float, float]:
        return float((view.force("left/part") + view.force("right/part")) @ DOWN), down(view)

    run = case.run(Grip((0,), (10,), E=1e7, nu=0.3).scene(case), 0.4, watch)
    curve = Curve(run.time[1:], run.column(0)[1:], 0 * run.time[1:] + MASS * GRAVITY, "friction of both panels [N]")
    way = float(run.seen[-1, 1] - run.at(0.2)[1])
    return {
        "friction": Measured(float(run.mean(0.2)[0]), MASS * GRAVITY, curve=curve),
        "way": Measured(way, 0.0, scale=1.0),
    }
