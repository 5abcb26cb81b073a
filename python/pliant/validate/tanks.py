"""Water in tanks, and what floats and flows."""

import math

import numpy as np

from pliant._core import Body, Boundary, Scene
from pliant.shapes import Box, Cylinder
from pliant.validate.case import GRAVITY, Case, View
from pliant.validate.parts import box_geom, fixed, mjcf, piece, plane, scene, walls, water
from pliant.validate.row import COLLAPSE, FLOW, MOMENTUM, STATICS, Curve, Measured, row

SIDE, DEPTH = 0.1, 0.1
K, GAMMA = 2e5, 7.0  # of our water: pressure K/gamma (J^-gamma - 1)


def pool(case: Case) -> Scene:
    """Water, 8 cells deep, without its tank."""
    fill = piece("water", Box((SIDE, SIDE, DEPTH), (0, 0, DEPTH / 2)))
    return scene(case.step(DEPTH / 8, strong_dt=4e-3), water(), [fill])


def pressure_ratio(view: View) -> float:
    """Pressure over that of rest, of the lower half."""
    matter = view.world.matter["water"]
    deep = DEPTH - view.positions("water")[:, 2]
    volume = np.linalg.det(np.asarray(matter.deformation_gradients, float))
    pressure = K / GAMMA * (volume**-GAMMA - 1)
    low = deep > DEPTH / 2
    return float(pressure[low].sum() / (1000 * GRAVITY * deep[low]).sum()) if low.any() else 0.0


def inside(view: View) -> float:
    """Part of the mass that is where the tank is, to a tenth of a cell."""
    x, small = view.positions("water"), view.scene.step.cell / 10
    good = (np.abs(x[:, :2]) < SIDE / 2 + small).all(axis=1) & (x[:, 2] > -small)
    return float(view.masses("water")[good].sum() / view.masses("water").sum())


def at_rest(case: Case, made: Scene, force: str) -> dict[str, Measured]:
    """force: a body's name, or that of a boundary. Weight presses the water together by up to rho g H / K."""

    def watch(view: View) -> tuple[float, float, float, float]:
        pushed = view.force(force) if made.bodies else view.boundary_force(force)
        return view.center("water")[2], -pushed[2], pressure_ratio(view), inside(view)

    run = case.run(made, 2.0, watch)
    height, weight, pressure, kept = run.mean(1.5)
    right, sinks = (
        DEPTH / 2 * (1 - 1000 * GRAVITY * DEPTH / (3 * K)),
        run.mean(1.5)[0] - run.seen[(run.time > 0.9) & (run.time < 1.1)].mean(axis=0)[0],
    )
    curve = Curve(run.time, run.column(0), 0 * run.time + right, "mean height [m]")
    return {
        "level": Measured(float(2 * height), 2 * right, curve=curve),
        "sinking in .75 s": Measured(float(sinks), 0.0, scale=DEPTH / 2),
        "weight on the bottom": Measured(float(weight), 1000 * GRAVITY * SIDE**2 * DEPTH),
        "pressure of the lower half": Measured(float(pressure), 1.0),
        "part inside": Measured(float(kept), 1.0),
    }


LINES = {
    "level": STATICS,
    "sinking in .75 s": STATICS / 10,
    "weight on the bottom": STATICS,
    "pressure of the lower half": FLOW,
    "part inside": 1e-3,
}
HYDROSTATIC = "p = rho g depth"


@row("water in a tank of planes, 8 cells", LINES, HYDROSTATIC, quick=True, needed=True)
def tank_of_planes(case: Case) -> dict[str, Measured]:
    made = pool(case)
    made.boundaries = [plane("floor"), *walls((SIDE / 2, SIDE / 2))]
    return at_rest(case, made, "floor")


@row("water in a box turned inside out, 8 cells", LINES, HYDROSTATIC, needed=True)
def tank_of_one_box(case: Case) -> dict[str, Measured]:
    made = pool(case)
    made.boundaries = [
        Boundary(name="tank", kind="box", size=(SIDE, SIDE, 3 * DEPTH), center=(0, 0, 1.5 * DEPTH), inside_out=True)
    ]
    return at_rest(case, made, "tank")


def flush_walls(thick: float) -> Body:
    """A floor, and four walls that stand on it, flush with each other; the lid of none."""
    out, high = SIDE / 2 + thick / 2, 2 * DEPTH
    sides = [box_geom((thick, SIDE, high), (s * out, 0, high / 2)) for s in (-1, 1)]
    sides += [box_geom((SIDE + 2 * thick, thick, high), (0, s * out, high / 2)) for s in (-1, 1)]
    return fixed("tank", box_geom((3 * SIDE, 3 * SIDE, 0.05), (0, 0, -0.025)), *sides)


@row("water in a tank of boxes flush on a floor, 8 cells", LINES, HYDROSTATIC, needed=True)
def tank_of_boxes(case: Case) -> dict[str, Measured]:
    made = pool(case)
    made.bodies = [flush_walls(0.03)]
    return at_rest(case, made, "tank/part")


@row("water between walls of a fifth of a cell", {"part inside": 1e-3}, "nothing passes", needed=True)
def thin_tank(case: Case) -> dict[str, Measured]:
    made = pool(case)
    made.bodies = [flush_walls(DEPTH / 40)]
    run = case.run(made, 1.0, inside)
    return {
        "part inside": Measured(float(run.seen[-1, 0]), 1.0, curve=Curve(run.time, run.column(0), None, "part inside"))
    }


@row("water spins in a bucket, 1 s", {"angular momentum": MOMENTUM}, "stays: no friction", needed=True)
def bucket(case: Case) -> dict[str, Measured]:
    radius, depth = 0.1, 0.08
    fill = piece("water", Cylinder(radius, depth, (0, 0, depth / 2)), angular_velocity=(0, 0, 5.0))
    made = scene(case.step(radius / 7, strong_dt=1e-2), water(), [fill])
    made.boundaries = [
        plane("floor"),
        Boundary(name="wall", kind="cylinder", radius=radius, length=1, inside_out=True, center=(0, 0, 0.45)),
    ]
    run = case.run(made, 1.0, lambda view: view.angular_momentum("water")[2])
    kept = run.column(0) / run.seen[0, 0]
    curve = Curve(run.time, kept, 0 * kept + 1, "angular momentum over that of the start")
    return {"angular momentum": Measured(float(kept[-1]), 1.0, curve=curve)}


@row("boat of half the density of water", {"draught": FLOW}, "Archimedes")
def boat(case: Case) -> dict[str, Measured]:
    """A box on an upright slide with a damper, let down from the surface; the level rises by what it displaces.
    Water in the cell beside the hull flows less than it should, so that it takes some seconds to come to rest."""
    tank, depth, side, high = 0.16, 0.08, 0.08, 0.05
    mass = 1000 * side**2 * high / 2
    made = scene(case.step(tank / 12, strong_dt=4e-3), water(), [])
    made.matter = [piece("water", Box((tank, tank, depth), (0, 0, depth / 2)))]
    made.boundaries = [plane("floor"), *walls((tank / 2, tank / 2))]
    hull = box_geom((side, side, high), (0, 0, high / 2), f'mass="{mass:.9g}"')
    text = mjcf(f'<body name="part"><joint type="slide" axis="0 0 1" damping="6"/>{hull}</body>')
    made.bodies = [Body(name="boat", position=(0, 0, depth), text=text)]
    run = case.run(made, 5.0, lambda view: view.body_position("boat/part")[2])
    level = depth + mass / (1000 * tank**2)
    curve = Curve(run.time, level - run.column(0), 0 * run.time + high / 2, "draught [m]")
    return {"draught": Measured(float(level - run.mean(4.0)[0]), high / 2, curve=curve)}


# Martin and Moyce 1952, column of twice its base a: time times sqrt(2 g / a), front over a
MARTIN_MOYCE = np.array([[0.84, 1.22], [1.19, 1.44], [1.43, 1.67], [1.63, 1.89], [1.83, 2.11], [1.98, 2.33]])
MARTIN_MOYCE = np.concatenate([MARTIN_MOYCE, [[2.20, 2.56], [2.32, 2.78], [2.51, 3.00], [2.65, 3.22], [2.83, 3.44]]])


@row("dam breaks, column 1 : 2, 8 cells wide", {"front": COLLAPSE}, "Martin and Moyce 1952", quick=True)
def dam(case: Case) -> dict[str, Measured]:
    """A slice between walls without friction. The front is where all but half a percent of the water has come to."""
    a = 0.1
    made = scene(case.step(a / 8, strong_dt=4e-3), water(), [piece("water", Box((a, a / 2, 2 * a), (a / 2, 0, a)))])
    sides = [plane(f"y{s:+d}", (0, s * a / 4, 0), (0, -s, 0)) for s in (-1, 1)]
    made.boundaries = [plane("floor"), plane("back", normal=(1, 0, 0)), *sides]
    unit = math.sqrt(a / (2 * GRAVITY))
    run = case.run(made, 2.65 * unit, lambda view: np.quantile(view.positions("water")[:, 0], 0.995))
    front = np.interp(run.time / unit, *MARTIN_MOYCE.T, left=1.0)
    curve = Curve(run.time / unit, run.column(0) / a, front, "front / a", "time sqrt(2 g / a)")
    return {"front": Measured(float(run.seen[-1, 0]) / a, float(front[-1]), curve=curve)}
