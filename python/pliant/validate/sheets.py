"""Cloth: tension and weight. The strong step knows no cloth."""

import math

import numpy as np

from pliant._core import Material, Pin
from pliant.shapes import Cloth
from pliant.validate.case import GRAVITY, Case
from pliant.validate.parts import piece, scene
from pliant.validate.place import about
from pliant.validate.row import ELASTICITY, STATICS, Curve, Measured, row
from pliant.validate.theory import fit_vibration

LONG, WIDE, THICK, SPACING = 0.2, 0.1, 1e-3, 0.01
UPRIGHT = about((1, 0, 0), math.pi / 2)  # the sheet's y goes up


def cotton(E: float) -> Material:
    return Material(name="stuff", law="cloth", density=1000.0, E=E, nu=0.0)


@row(
    "sheet hangs from its upper edge",
    {"sag": ELASTICITY, "force of the pins": STATICS},
    "mean sag rho g L^2 / 3 E; weight",
    methods=("async",),
    tilts=True,
)
def hangs(case: Case) -> dict[str, Measured]:
    """Tension along its length: a pin on each vertex of the edge. It swings about the sag of rest."""
    E = 4e4
    shape = Cloth(size=(WIDE, LONG), spacing=SPACING, thickness=THICK, rotation=UPRIGHT)
    count = round(WIDE / SPACING) + 1
    edge = [(-WIDE / 2 + k * SPACING, 0.0, LONG / 2) for k in range(count)]
    pins = [Pin(name=f"p{k}", center=center, radius=SPACING / 4) for k, center in enumerate(edge)]
    made = scene(case.step(SPACING, 1e-3), cotton(E), [piece("sheet", shape, pins=pins)])
    omega = 2 * math.pi * math.sqrt(E / 1000) / (4 * LONG)

    def watch(view: object) -> tuple[float, float]:
        held = sum(view.pin_force(k)[2] for k in range(count))  # type: ignore[attr-defined]
        return -view.center("sheet")[2], held  # type: ignore[attr-defined]

    run = case.run(made, 4 * 2 * math.pi / omega, watch)
    sag, weight = 1000 * GRAVITY * LONG**2 / (3 * E), 1000 * GRAVITY * WIDE * LONG * THICK
    seen = fit_vibration(run.time, run.column(0), omega, 3.0)
    held = fit_vibration(run.time[1:], run.column(1)[1:], omega, 3.0)
    curve = Curve(run.time, run.column(0), sag * (1 - np.cos(omega * run.time)), "mean sag [m]")
    return {"sag": Measured(seen.offset, sag, curve=curve), "force of the pins": Measured(held.offset, weight)}
