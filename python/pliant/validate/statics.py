"""Things at rest: heights, forces, pressed and hanging."""

import math

from pliant._core import Body, Scene
from pliant.shapes import Box, Sphere
from pliant.validate.case import GRAVITY, Case
from pliant.validate.parts import box_geom, carried, goes, mjcf, piece, plane, plane_body, scene, stuff
from pliant.validate.row import ELASTICITY, STATICS, Curve, Measured, row
from pliant.validate.theory import ball_between_plates, column_center, neo_hookean_stress

WEIGHT = 1000 * GRAVITY  # N/m^3


def cube_at_rest(case: Case, on: str) -> dict[str, Measured]:
    """The cube of the README, without friction. It swings at 7 Hz; the mean is over four swings and more."""
    cube = piece("cube", Box((0.2, 0.2, 0.2), (0, 0, 0.1)))
    made = scene(case.step(0.04, strong_dt=5e-3), stuff(E=3e4, nu=0.4), [cube])
    if on == "boundary":
        made.boundaries = [plane("floor")]
    else:
        made.bodies = [plane_body()]

    def watch(view: object) -> tuple[float, float]:
        force = view.boundary_force("floor") if on == "boundary" else view.force("floor/part")  # type: ignore[attr-defined]
        return view.center("cube")[2], -force[2]  # type: ignore[attr-defined]

    run = case.run(made, 1.2, watch)
    height, force = run.mean(0.6)
    right, _ = column_center(0.2, WEIGHT, 3e4, 0.4)
    curve = Curve(run.time, run.column(0), 0 * run.time + right, "mean height [m]")
    return {
        "mean height": Measured(float(height), right, curve=curve),
        "force on the floor": Measured(float(force), WEIGHT * 0.008),
    }


REST = {"mean height": STATICS, "force on the floor": STATICS}
COLUMN = "neo-Hookean column of free sides; small strain: H/2 - rho g H^2 / 3 E"


@row("cube at rest on a boundary, 5 cells", REST, COLUMN, quick=True)
def cube_on_boundary(case: Case) -> dict[str, Measured]:
    return cube_at_rest(case, "boundary")


@row("cube at rest on a plane, 5 cells", REST, COLUMN, quick=True)
def cube_on_plane(case: Case) -> dict[str, Measured]:
    return cube_at_rest(case, "plane")


@row("block hangs from a boundary that sticks", {"mean height": STATICS}, COLUMN, quick=True, needed=True)
def hangs(case: Case) -> dict[str, Measured]:
    """A nu of 0: the face that is held need not narrow."""
    made = scene(
        case.step(0.025, strong_dt=5e-3), stuff(E=1e5, nu=0.0), [piece("block", Box((0.1, 0.1, 0.2), (0, 0, -0.1)))]
    )
    made.boundaries = [plane("ceiling", normal=(0, 0, -1), condition="stick")]
    run = case.run(made, 0.8, lambda view: view.center("block")[2])
    right = -column_center(0.2, -WEIGHT, 1e5, 0.0)[0]
    curve = Curve(run.time, run.column(0), 0 * run.time + right, "mean height [m]")
    return {"mean height": Measured(float(run.mean(0.4)[0]), right, curve=curve)}


def press(case: Case, made: Scene, height: float, depth: float) -> tuple[float, Curve]:
    """Force on a plate that goes down on matter in .3 s and stays."""
    made.bodies = [plane_body(), carried("plate", box_geom((1, 1, 0.1), (0, 0, 0.05)), (0, 0, height))]
    made.motion = [goes("plate", [0, 0.3], [(0, 0, height), (0, 0, height - depth)])]
    run = case.run(made, 0.6, lambda view: view.force("plate/part")[2])
    return float(run.mean(0.4)[0]), Curve(run.time, run.column(0), None, "force on the plate [N]")


@row("press without friction, 5 %, 10 cells", {"force": ELASTICITY}, "neo-Hookean in uniaxial stress", quick=True)
def pressed(case: Case) -> dict[str, Measured]:
    made = scene(case.step(0.01, gravity=(0, 0, 0)), stuff(E=1e5), [piece("block", Box((0.1, 0.1, 0.1), (0, 0, 0.05)))])
    force, curve = press(case, made, 0.1, 0.005)
    return {"force": Measured(force, -0.01 * neo_hookean_stress(0.95, 1e5, 0.3), curve=curve)}


@row("press beyond the yield stress, 10 %, 10 cells", {"force": ELASTICITY}, "von Mises: true stress = yield")
def pressed_beyond_yield(case: Case) -> dict[str, Measured]:
    """Plastic flow keeps the volume: the block gets wider while it gets lower."""
    E, limit, nu = 1e6, 2e4, 0.3
    material = stuff("hencky", E=E, nu=nu, yield_stress=limit)
    made = scene(case.step(0.01, gravity=(0, 0, 0)), material, [piece("block", Box((0.1, 0.1, 0.1), (0, 0, 0.05)))])
    force, curve = press(case, made, 0.1, 0.01)
    elastic = limit / E
    wider = math.exp(-math.log(0.9) - elastic + 2 * nu * elastic)
    return {"force": Measured(force, limit * 0.01 * wider, curve=curve)}


def loaded(case: Case, size: float, cells: float, ratio: float) -> dict[str, Measured]:
    """A plate lies on a cube; a damper on its slide takes the swing away. The cube gives way by about 2 %."""
    mass = 1000 * size**3
    load = ratio * mass * GRAVITY / size**2
    E = (load + WEIGHT * size / 2) / 0.02
    damping = 2 * math.sqrt(E * size * ratio * mass)
    cube = piece("cube", Box((size, size, size), (0, 0, size / 2)))
    made = scene(case.step(size / cells, strong_dt=5e-3), stuff(E=E), [cube])
    plate = box_geom((3 * size, 3 * size, size), (0, 0, size / 2), f'mass="{ratio * mass:.9g}"')
    joint = f'<joint type="slide" axis="0 0 1" damping="{damping:.9g}"/>'
    text = mjcf(f'<body name="part">{joint}{plate}</body>')
    made.bodies = [plane_body(), Body(name="plate", text=text, position=(0, 0, size))]
    run = case.run(made, 0.8, lambda view: (view.body_position("plate/part")[2], -view.force("floor/part")[2]))
    height, force = run.mean(0.6)
    _, top = column_center(size, WEIGHT, E, 0.3, load)
    curve = Curve(run.time, run.column(0), 0 * run.time + top, "height of the plate [m]")
    return {
        "height": Measured(float(height), top, curve=curve),
        "depth": Measured(float(size - height), size - top),
        "force on the floor": Measured(float(force), (1 + ratio) * mass * GRAVITY),
    }


LOADED = {"height": STATICS, "force on the floor": STATICS}


@row("plate as heavy as the cube below it, .05 m, 5 cells", LOADED, COLUMN)
def loaded_one(case: Case) -> dict[str, Measured]:
    return loaded(case, 0.05, 5, 1)


@row("plate of 30 times the cube below it, 10 cells", LOADED | {"depth": ELASTICITY}, COLUMN)
def loaded_thirty(case: Case) -> dict[str, Measured]:
    return loaded(case, 0.1, 10, 30)


@row("plate of 1,000 times the cube below it, 6 cells", LOADED, COLUMN)
def loaded_thousand(case: Case) -> dict[str, Measured]:
    return loaded(case, 0.1, 6, 1000)


def hertz(case: Case, cells: float) -> dict[str, Measured]:
    """A ball between plates, each 2 % of the radius nearer to its centre than when they touched it."""
    radius, E, nu, depth = 0.1, 1e5, 0.3, 0.002
    ball = piece("ball", Sphere(radius, (0, 0, radius)))
    step = case.step(radius / cells, gravity=(0, 0, 0))
    force, curve = press(case, scene(step, stuff("linear_corotated", E=E, nu=nu), [ball]), 2 * radius, 2 * depth)
    return {"force": Measured(force, ball_between_plates(depth, radius, E, nu), curve=curve)}


HERTZ = "Hertz, and Tatara (1991) for the other plate"


@row("Hertz, R/h 5, depth R/50", {"force": ELASTICITY}, HERTZ, tilts=True)
def hertz_5(case: Case) -> dict[str, Measured]:
    return hertz(case, 5)


@row("Hertz, R/h 7, depth R/50", {"force": ELASTICITY}, HERTZ, tilts=True)
def hertz_7(case: Case) -> dict[str, Measured]:
    return hertz(case, 7)


@row("Hertz, R/h 10, depth R/50", {"force": ELASTICITY}, HERTZ, tilts=True)
def hertz_10(case: Case) -> dict[str, Measured]:
    return hertz(case, 10)
