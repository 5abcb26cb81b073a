"""Light bodies on stiff matter in explicit substeps: a step is taken in parts, so that they rest."""

import numpy as np
import pytest

import pliant as pl

GRAVITY = 9.81
SIDE = 0.04
PLATE = """<mujoco><worldbody>
  <geom name="floor" type="plane" size="0 0 0.05"/>
  <body name="plate" pos="0 0 {height}"><freejoint/><geom type="box" size="0.03 0.03 0.005" mass="{mass}"/></body>
</worldbody></mujoco>"""


def plate_on_block(E, mass, dt=2e-3):
    scene = pl.Scene()
    scene.step = pl.StepOptions(dt=dt, cell=0.01, method="async")
    scene.materials = [pl.Material(name="hard", law="neo_hookean", E=E, nu=0.3, density=1000)]
    scene.matter = [pl.Matter(name="block", material="hard", shape=pl.Box((SIDE, SIDE, SIDE), (0, 0, SIDE / 2)))]
    text = PLATE.format(height=SIDE + 0.005, mass=mass)
    scene.bodies = [pl.Body(name="press", text=text)]
    return pl.World(scene, 1)


def forces(world, seconds, since):
    found = []
    while world.time < seconds:
        world.step()
        if world.time > since:
            found.append(-world.wrench("press/plate").force[2])
    return np.array(found)


# K = E A / L = 4e5 N/m, and K dt^2 / M = 8 and 16: in one part the plate never rests, its force swings by 14 weights
@pytest.mark.parametrize("mass", [0.2, 0.1])
def test_a_light_plate_rests_on_a_hard_block(mass):
    world = plate_on_block(E=1e7, mass=mass)
    pressed = forces(world, 0.3, since=0.2)
    # the loss of shear has damped what swings; statics to 1 % as in `pliant validate`
    assert pressed.mean() == pytest.approx(-mass * GRAVITY, rel=1e-2)
    assert np.ptp(pressed) < 1e-2 * mass * GRAVITY
    assert not world.report.warnings


def test_a_body_that_no_parts_can_help_is_named():
    world = plate_on_block(E=1e7, mass=0.002)
    seen = []
    for _ in range(5):
        world.step()
        seen += world.report.warnings
    assert any("'press/plate' is too light" in text and "strong" in text for text in seen)
