"""Beams, bars and things that fly: stiffness, frequencies, momentum."""

import math

import numpy as np

from pliant._core import Body
from pliant.shapes import Box, Sphere
from pliant.validate.case import GRAVITY, Case, View
from pliant.validate.parts import mjcf, piece, plane, scene, stuff
from pliant.validate.row import ELASTICITY, MOMENTUM, Curve, Measured, row
from pliant.validate.theory import fit_vibration


def beam(case: Case, cells: int) -> dict[str, Measured]:
    """Held at x = 0, under its weight all at once: it swings about the deflection of rest. nu = 0: the face that is
    held need not narrow. Mean over the length of Timoshenko's deflection, which is that of bending and that of shear;
    shear and turning of the cross-sections lower the frequency by .6 %."""
    length, thick, E, density = 0.4, 0.04, 1.5e7, 1000.0
    load, bends, shears = density * GRAVITY, E * thick**2 / 12, E / 2 * 5 / 6
    right = load * length**4 / (20 * bends) + load * length**2 / (3 * shears)
    omega = 1.8751**2 * math.sqrt(bends / (density * length**4)) / math.sqrt(1 + 5.4 * bends / (shears * length**2))
    bar = piece("beam", Box((length, thick, thick), (length / 2, 0, 0)))
    made = scene(case.step(thick / cells, 1e-3, 1e-3), stuff(E=E, nu=0.0, density=density), [bar])
    made.boundaries = [plane("wall", normal=(1, 0, 0), condition="stick")]
    run = case.run(made, 1.6 * 2 * math.pi / omega, lambda view: -view.center("beam")[2])
    seen = fit_vibration(run.time, run.column(0), omega, 6.27)
    curve = Curve(run.time, run.column(0), right * (1 - np.cos(omega * run.time)), "mean deflection [m]")
    return {
        "deflection": Measured(seen.offset, right, curve=curve),
        "frequency": Measured(seen.omega / (2 * math.pi), omega / (2 * math.pi)),
    }


BEAM = {"deflection": ELASTICITY, "frequency": ELASTICITY}
TIMOSHENKO = "Timoshenko's beam"


@row("cantilever, 10 : 1, 4 cells thick", BEAM, TIMOSHENKO, tilts=True)
def beam_4(case: Case) -> dict[str, Measured]:
    return beam(case, 4)


@row("cantilever, 10 : 1, 6 cells thick", BEAM, TIMOSHENKO, tilts=True)
def beam_6(case: Case) -> dict[str, Measured]:
    return beam(case, 6)


@row(
    "bar hangs, 4 : 1, 5 cells thick",
    {"sag": ELASTICITY, "frequency": ELASTICITY},
    "mean sag rho g L^2 / 3 E; c / 4 L",
    tilts=True,
    quick=True,
)
def bar(case: Case) -> dict[str, Measured]:
    length, thick, E = 0.4, 0.1, 4e5
    made = scene(case.step(0.02, 1e-3, 5e-4), stuff("linear_corotated", E=E, nu=0.0), [])
    made.matter = [piece("bar", Box((thick, thick, length), (0, 0, -length / 2)))]
    made.boundaries = [plane("ceiling", normal=(0, 0, -1), condition="stick")]
    sag, omega = 1000 * GRAVITY * length**2 / (3 * E), 2 * math.pi * math.sqrt(E / 1000) / (4 * length)
    run = case.run(made, 1.6 * 2 * math.pi / omega, lambda view: -length / 2 - view.center("bar")[2])
    seen = fit_vibration(run.time, run.column(0), omega, 3.0)
    curve = Curve(run.time, run.column(0), sag * (1 - np.cos(omega * run.time)), "mean sag [m]")
    return {
        "sag": Measured(seen.offset, sag, curve=curve),
        "frequency": Measured(seen.omega / (2 * math.pi), omega / (2 * math.pi)),
    }


@row("free cube spins, 10 rad/s, 1 s", {"angular momentum": MOMENTUM}, "stays", tilts=True, quick=True, needed=True)
def spins(case: Case) -> dict[str, Measured]:
    cube = piece("cube", Box((0.2, 0.2, 0.2)), angular_velocity=(6.0, -3.0, 7.4162))
    made = scene(case.step(0.04, gravity=(0, 0, 0)), stuff(E=1e5), [cube])
    run = case.run(made, 1.0, lambda view: view.angular_momentum("cube"))
    kept = np.linalg.norm(run.seen, axis=1) / np.linalg.norm(run.seen[0])
    curve = Curve(run.time, kept, 0 * kept + 1, "angular momentum over that of the start")
    return {"angular momentum": Measured(float(kept[-1]), 1.0, curve=curve)}


@row("thrown cube", {"velocity": MOMENTUM}, "v + g t", tilts=True)
def flies(case: Case) -> dict[str, Measured]:
    cube = piece("cube", Box((0.2, 0.2, 0.2)), velocity=(1.0, 0.5, 2.0), angular_velocity=(3.0, 1.0, -2.0))
    run = case.run(scene(case.step(0.04), stuff(E=1e5), [cube]), 0.5, lambda view: view.velocity("cube"))
    right = np.array([1.0, 0.5, 2.0 - GRAVITY * 0.5])
    miss = float(np.linalg.norm(run.seen[-1] - right))
    return {"velocity": Measured(miss, 0.0, scale=float(np.linalg.norm(right)))}


@row("soft ball hits a free ball of a body", {"momentum": MOMENTUM}, "what one loses the other gains", tilts=True)
def hits(case: Case) -> dict[str, Measured]:
    """Off the centre, so that both go on in other directions. No gravity."""
    made = scene(case.step(0.1 / 6, 1e-3, 2e-3, gravity=(0, 0, 0)), stuff(E=2e5), [], 0.3)
    made.matter = [piece("ball", Sphere(0.1), velocity=(2.0, 0, 0))]
    text = '<body name="part"><freejoint/><geom type="sphere" size=".08" mass="3"/></body>'
    made.bodies = [Body(name="other", position=(0.19, 0.04, 0.02), text=mjcf(text))]

    def momentum(view: View) -> np.ndarray:
        ours = view.masses("ball").sum() * view.velocity("ball")
        return np.concatenate([ours + 3 * view.body_velocity("other/part"), view.body_velocity("other/part")])

    run = case.run(made, 0.2, momentum)
    whole = run.seen[:, :3]
    miss = float(np.linalg.norm(whole[-1] - whole[0])) if run.seen[-1, 3] > 0.1 else math.inf
    curve = Curve(run.time, run.column(3), None, "speed of the other ball [m/s]")
    return {"momentum": Measured(miss, 0.0, scale=float(np.linalg.norm(whole[0])), curve=curve)}
