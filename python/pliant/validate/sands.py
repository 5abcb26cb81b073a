"""Sand: columns that collapse, a silo, a slope, a wall that is pushed in.

In plane strain the cone of a friction angle phi acts like the angle q, sin q = 2 sqrt 3 sin phi / (3 - sin phi)
(src/material/README.md). Rows of slices choose phi such that q is 30 degrees.
"""

import math

import numpy as np

from pliant._core import Boundary
from pliant.shapes import Box, Cylinder
from pliant.validate.case import GRAVITY, Case, View
from pliant.validate.parts import box_geom, carried, goes, piece, plane, sand, scene, tilted
from pliant.validate.row import COLLAPSE, FLOW, STATICS, Curve, Measured, row

PLANE_30 = math.degrees(math.asin(1.5 / (2 * math.sqrt(3) + 0.5)))  # phi whose q is 30 degrees
ROUGH = math.tan(math.radians(30))
DENSITY = 1600.0


def sides(half: float) -> list[Boundary]:
    """Two walls without friction, across y."""
    return [plane(f"y{s:+d}", (0, s * half, 0), (0, -s, 0)) for s in (-1, 1)]


@row("round column of sand, aspect 1, 8 cells", {"run-out": COLLAPSE}, "Lube et al. 2004: 1.24 a, a < 1.7")
def round_column(case: Case) -> dict[str, Measured]:
    radius = 0.06
    made = scene(case.step(radius / 8, strong_dt=4e-3), sand(), [], ROUGH)
    made.matter = [piece("sand", Cylinder(radius, radius, (0, 0, radius / 2)))]
    made.boundaries = [plane("floor", friction=ROUGH)]

    def rim(view: View) -> float:
        return float(np.quantile(np.linalg.norm(view.positions("sand")[:, :2], axis=1), 0.995)) / radius - 1

    run = case.run(made, 0.4, rim)
    curve = Curve(run.time, run.column(0), 0 * run.time + 1.24, "(R - R0) / R0")
    return {"run-out": Measured(float(run.seen[-1, 0]), 1.24, curve=curve)}


@row("plane column of sand, aspect 1, 12 cells", {"run-out": COLLAPSE}, "Lube et al. 2005: 1.2 a, a < 2.3")
def plane_column(case: Case) -> dict[str, Measured]:
    size = 0.06
    made = scene(case.step(size / 12, strong_dt=4e-3), sand(PLANE_30), [], ROUGH)
    made.matter = [piece("sand", Box((size, size / 3, size), (size / 2, 0, size / 2)))]
    made.boundaries = [plane("floor", friction=ROUGH), plane("back", normal=(1, 0, 0)), *sides(size / 6)]
    run = case.run(made, 0.4, lambda view: np.quantile(view.positions("sand")[:, 0], 0.995) / size - 1)
    curve = Curve(run.time, run.column(0), 0 * run.time + 1.2, "(L - L0) / L0")
    return {"run-out": Measured(float(run.seen[-1, 0]), 1.2, curve=curve)}


@row("silo with a slot of 5 cells", {"discharge": FLOW}, "Beverloo for slots, fine grains: 1.03 rho sqrt(g) b D^1.5")
def silo(case: Case) -> dict[str, Measured]:
    cell, slot, wide, thick, high = 0.008, 0.04, 0.16, 0.032, 0.16
    made = scene(case.step(cell, strong_dt=4e-3), sand(PLANE_30), [], ROUGH)
    made.matter = [piece("sand", Box((wide, thick, high), (0, 0, high / 2)))]
    lip = (wide - slot) / 2
    made.boundaries = [
        Boundary(
            name=f"floor{s:+d}",
            kind="box",
            friction=ROUGH,
            size=(lip, 2 * thick, 0.03),
            center=(s * (slot + lip) / 2, 0, -0.015),
        )
        for s in (-1, 1)
    ]
    made.boundaries += [plane(f"x{s:+d}", (s * wide / 2, 0, 0), (-s, 0, 0)) for s in (-1, 1)] + sides(thick / 2)

    def out(view: View) -> float:
        return float(view.masses("sand")[view.positions("sand")[:, 2] < -0.03].sum())

    run = case.run(made, 0.36, out)
    rate = float(run.seen[-1, 0] - run.at(0.18)[0]) / float(run.time[-1] - 0.18)
    right = 1.03 * DENSITY * math.sqrt(GRAVITY) * thick * slot**1.5
    return {"discharge": Measured(rate, right, curve=Curve(run.time, run.column(0), None, "mass that came out [kg]"))}


@row("sand on a slope of 25 deg, below its angle of repose", {"way": STATICS}, "rests; repose at 34.7 deg")
def slope(case: Case) -> dict[str, Measured]:
    """A layer in a tray; way along the slope of the last .3 s, over the cell."""
    cell = 0.01
    made = scene(case.step(cell, strong_dt=5e-3, gravity=tilted(math.radians(25))), sand(), [], 1.0)
    made.matter = [piece("sand", Box((0.2, 0.04, 0.06), (0, 0, 0.03)))]
    made.boundaries = [plane("floor", condition="stick"), *sides(0.02)]
    made.boundaries += [plane(f"x{s:+d}", (s * 0.1, 0, 0), (-s, 0, 0)) for s in (-1, 1)]
    run = case.run(made, 0.8, lambda view: view.center("sand")[0])
    way = run.column(0) - run.seen[0, 0]
    value = float(way[-1] - way[int(np.argmin(np.abs(run.time - 0.5)))])
    return {"way": Measured(value, 0.0, scale=cell, curve=Curve(run.time, 1e3 * way, None, "way [mm]"))}


@row("wall pushed into sand, 8 cells deep", {"force": FLOW}, "Rankine: 1/2 K_p rho g b H^2, K_p = 3 at 30 deg")
def passive_wall(case: Case) -> dict[str, Measured]:
    """No friction but that of sand on sand: the whole sand flows alike, and rises as it gets shorter."""
    length, thick, high, way = 0.12, 0.03, 0.06, 0.008
    made = scene(case.step(high / 8, strong_dt=4e-3), sand(PLANE_30), [])
    made.matter = [piece("sand", Box((length, thick, high), (length / 2, 0, high / 2)))]
    made.boundaries = [plane("floor"), plane("end", (length, 0, 0), (-1, 0, 0)), *sides(thick / 2)]
    made.bodies = [carried("wall", box_geom((0.04, 0.1, 0.2), (-0.02, 0, 0.1)))]
    made.motion = [goes("wall", [0, 0.1, 0.5], [(0, 0, 0), (0, 0, 0), (way, 0, 0)])]
    run = case.run(made, 0.5, lambda view: -view.force("wall/part")[0])
    right = 1.5 * DENSITY * GRAVITY * thick * (high * length / (length - way)) ** 2
    return {
        "force": Measured(
            float(run.mean(0.4)[0]), right, curve=Curve(run.time, run.column(0), None, "force on the wall [N]")
        )
    }
