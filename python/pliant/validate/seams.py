"""Where solids meet, and thin ones: nothing catches and nothing passes."""

import math

import numpy as np

from pliant._core import Boundary, Scene
from pliant.shapes import Box, Sphere
from pliant.validate.case import GRAVITY, Case, View
from pliant.validate.parts import box_geom, fixed, piece, plane, scene, stuff, tilted
from pliant.validate.row import FRICTION, STATICS, Curve, Measured, row

MU, ANGLE = 0.3, math.radians(35)
TABLE = (1.2, 0.6, 0.2)
CENTERS = [(s * TABLE[0] / 2, 0.0, -TABLE[2] / 2) for s in (-1, 1)]
FIRST = {"tilts": True, "needed": True}


def over_the_seam(case: Case, made: Scene) -> dict[str, Measured]:
    """The block begins on one table and has come to the other at the end."""
    made.matter = [piece("block", Box((0.2, 0.2, 0.1), (-0.15, 0, 0.05)))]
    run = case.run(made, 0.45, lambda view: view.velocity("block")[0])
    speed, half = run.column(0), len(run.time) // 3
    right = GRAVITY * (math.sin(ANGLE) - MU * math.cos(ANGLE))
    value = float(speed[-1] - speed[half]) / float(run.time[-1] - run.time[half])
    return {"acceleration": Measured(value, right, curve=Curve(run.time, speed, right * run.time, "speed [m/s]"))}


@row("block slides over the seam of two boxes", {"acceleration": FRICTION}, "Coulomb", quick=True, **FIRST)
def seam_of_bodies(case: Case) -> dict[str, Measured]:
    made = scene(case.step(0.025, gravity=tilted(ANGLE)), stuff(), [], MU)
    made.bodies = [fixed("tables", *(box_geom(TABLE, center) for center in CENTERS))]
    return over_the_seam(case, made)


@row("block slides over the seam of two boundaries", {"acceleration": FRICTION}, "Coulomb", **FIRST)
def seam_of_boundaries(case: Case) -> dict[str, Measured]:
    made = scene(case.step(0.025, gravity=tilted(ANGLE)), stuff(), [], MU)
    made.boundaries = [
        Boundary(name=name, kind="box", size=TABLE, center=center, friction=MU)
        for name, center in zip(("left", "right"), CENTERS, strict=True)
    ]
    return over_the_seam(case, made)


@row(
    "cube in the corner of a floor and a wall",
    {"force on the floor": STATICS, "force on the wall": STATICS},
    "m g cos a, m g sin a: no friction",
    **FIRST,
)
def corner(case: Case) -> dict[str, Measured]:
    """Gravity points into the corner, 35 degrees from the floor's normal."""
    made = scene(
        case.step(0.025, gravity=tilted(ANGLE)), stuff(E=1e5), [piece("cube", Box((0.1, 0.1, 0.1), (-0.05, 0, 0.05)))]
    )
    made.boundaries = [plane("floor"), plane("wall", normal=(-1, 0, 0))]
    run = case.run(made, 0.8, lambda view: (-view.boundary_force("floor")[2], view.boundary_force("wall")[0]))
    floor, wall = run.mean(0.3)
    weight = 1000 * GRAVITY * 1e-3
    curves = [
        Curve(run.time[1:], run.column(k)[1:], 0 * run.time[1:] + right, "force [N]")
        for k, right in ((0, weight * math.cos(ANGLE)), (1, weight * math.sin(ANGLE)))
    ]
    return {
        "force on the floor": Measured(float(floor), weight * math.cos(ANGLE), curve=curves[0]),
        "force on the wall": Measured(float(wall), weight * math.sin(ANGLE), curve=curves[1]),
    }


def thrown(case: Case, wall: str) -> dict[str, Measured]:
    """A soft ball at 5 m/s against a wall of a fifth of a cell, a little aslant."""
    radius, cell = 0.06, 0.01
    made = scene(case.step(cell, 1e-3, 2e-3, gravity=(0, 0, 0)), stuff(E=1e5), [])
    made.matter = [piece("ball", Sphere(radius, (-radius - 0.01, 0, 0)), velocity=(5.0, 0.7, 0.4))]
    size = (cell / 5, 0.6, 0.6)
    if wall == "body":
        made.bodies = [fixed("wall", box_geom(size))]
    else:
        made.boundaries = [Boundary(name="wall", kind="box", size=size)]

    def before(view: View) -> float:
        mass = view.masses("ball")
        return float(mass[view.positions("ball")[:, 0] < cell / 10].sum() / mass.sum())

    run = case.run(made, 0.1, before)
    worst = float(np.min(run.seen))
    return {
        "least part before it": Measured(worst, 1.0, curve=Curve(run.time, run.column(0), None, "part before the wall"))
    }


PASSES = {"least part before it": 1e-3}


@row("ball thrown at a thin wall of a body", PASSES, "nothing passes", quick=True, **FIRST)
def thin_body(case: Case) -> dict[str, Measured]:
    return thrown(case, "body")


@row("ball thrown at a thin boundary", PASSES, "nothing passes", **FIRST)
def thin_boundary(case: Case) -> dict[str, Measured]:
    return thrown(case, "boundary")
