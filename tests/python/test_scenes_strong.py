"""Scenes with the strong step and large steps: against closed forms, and what they expect of themselves."""

import math

import numpy as np
import pytest

import pliant as pl
from pliant import reproduce, reproduce_s1
from pliant.runner import Plan, run

GRAVITY = 9.81
CHOICE = reproduce.Choice(threads=2, bar=False)


def strong(name, **changes):
    large = {"step.method": "strong", "step.dt": "0.01", "step.substeps": "0", "step.tolerance": "1e-6"}
    return pl.World(pl.load(name, overrides={**large, **changes}), 2)


def failed_checks(world):
    outcome = run(world, Plan(world.scene.duration))
    assert outcome.error == ""
    return [str(check) for check in outcome.checks if not check.ok]


# the ball on the slope


# a step moves with its last speed: a body under constant acceleration is ahead by dt / t
def ahead(ball):
    return ball["displacement"] / (ball["closed_form"] * (1 + ball["dt"] / 1))


@pytest.mark.long
def test_ball_slides_without_friction():
    ball = reproduce_s1.roll(CHOICE, 0.0, **reproduce_s1.PAPER_BALL)
    # measured: 2e-5; positions are of single precision
    assert ahead(ball) == pytest.approx(1, abs=2e-4)
    # it touches at few particles and turns a little where they are not below its centre: measured .003
    assert abs(ball["spin_over_speed"]) < 0.01


def test_ball_slides_with_friction():
    ball = reproduce_s1.roll(CHOICE, 0.2, **reproduce_s1.PAPER_BALL)
    # measured: 7e-4 less; friction lags by a step where contacts are new
    assert ahead(ball) == pytest.approx(1, abs=2e-3)
    # a rigid ball: 5/2 mu / (tan a - mu) = .625; the contact is found up to v dt ahead of the centre and brakes the
    # spin by up to v dt / 2 in mu r: 28 % at 5.5 m/s
    assert 0.625 * 0.72 < ball["spin_over_speed"] < 0.625


@pytest.mark.long
@pytest.mark.parametrize("friction", reproduce_s1.FRICTIONS)
def test_ball_on_a_finer_grid(friction):
    ball = reproduce_s1.roll(CHOICE, friction)
    if friction < 2 / 7:
        assert ahead(ball) == pytest.approx(1, abs=2e-3)
    else:
        assert abs(ball["error"]) < 0.01
    if friction == 0.6:
        assert ball["spin_over_speed"] == pytest.approx(1, abs=0.01)


def test_rigid_ball():
    # falls freely along the slope, loses mu cos a, and keeps 5/7 where it rolls
    free = 0.5 * GRAVITY * math.sqrt(0.5)
    assert reproduce_s1.rigid_ball(0.0, 1.0) == pytest.approx(free)
    assert reproduce_s1.rigid_ball(0.2, 2.0) == pytest.approx(0.8 * 4 * free)
    assert reproduce_s1.rigid_ball(0.3, 1.0) == reproduce_s1.rigid_ball(0.6, 1.0) == pytest.approx(5 / 7 * free)


# fast matter


def test_matter_may_cross_several_cells_in_a_large_step():
    scene = pl.Scene(
        precision="float64",
        step=pl.StepOptions(method="strong", dt=0.01, cell=0.01, gravity=(0, 0, 0), tolerance=1e-6),
        materials=[pl.Material(name="rubber", law="neo_hookean", E=1e5)],
        matter=[
            pl.Matter(name="cube", material="rubber", shape=pl.Box((0.04, 0.04, 0.04)), velocity=(5, 0, -3)),
        ],
    )
    world = pl.World(scene, 2)
    before = world.matter["cube"].positions.mean(axis=0)
    for _ in range(20):
        world.step()
    # it moves as one; 1e-6 is the tolerance of a step
    np.testing.assert_allclose(world.matter["cube"].positions.mean(axis=0) - before, [1, 0, -0.6], atol=1e-6)


# the picked cube


def place_in_hand(world):
    """m, centre of the cube in the frame of the hand."""
    grip = world.data.site("hand/grip")
    return grip.xmat.reshape(3, 3).T @ (world.matter["cube"].positions.astype(float).mean(axis=0) - grip.xpos)


def heights(world):
    cube = world.matter["cube"]
    return cube.positions[np.argsort(cube.ids), 2].astype(float)


def test_cube_is_picked_up_turned_over_and_held():
    world = pl.World(pl.load("pick_cube"), 2)
    before = heights(world)
    outcome = run(world, Plan(2.2))
    assert outcome.error == ""
    # the hand has closed and begins to lift
    held = place_in_hand(world)
    assert [str(check) for check in run(world, Plan(world.scene.duration)).checks if not check.ok] == []
    # measured: .32 mm; the cube sinks a little between soft contacts, to the other side when it is turned over
    assert np.abs(place_in_hand(world) - held).max() < 5e-4
    # what was above is below now: the cube is turned, not only moved
    after = heights(world)
    assert np.corrcoef(before, after)[0, 1] < -0.99
    # both fingers carry the weight, and nothing else does
    fingers = np.sum([world.wrench(f"hand/{side}_finger").force for side in ("left", "right")], axis=0)
    weight = world.matter["cube"].masses.astype(float).sum() * GRAVITY
    np.testing.assert_allclose(fingers, [0, 0, -weight], atol=1e-3 * weight)


@pytest.mark.long
def test_cube_does_not_drift_in_ten_seconds():
    world = pl.World(pl.load("pick_cube", overrides={"duration": "16", "expect": "[]"}), 2)
    run(world, Plan(6))
    held = place_in_hand(world)
    run(world, Plan(16))
    # the target of the issue is .1 mm
    assert np.abs(place_in_hand(world) - held).max() < 1e-5


# scenes of the asynchronous step


def test_incline_holds_and_slides_with_large_steps():
    slope = math.tan(math.radians(20))
    for part in (1.01, 0.5):
        world = strong("incline", **{"contact.friction": repr(part * slope)})
        block, seen = world.matter["block"], []
        while world.time < 1.6 - 1e-9:
            world.step()
            along = world.data.body("table/table").xmat.reshape(3, 3)[:, 0]
            seen.append((world.time, along @ block.velocities.astype(float).mean(axis=0)))
        time, speed = np.array(seen)[125:].T
        if part > 1:
            # measured: 9e-6 m/s
            assert np.abs(speed).max() < 5e-5
        else:
            rate = np.polyfit(time, speed, 1)[0]
            # measured: 1.8e-4 as with small steps
            assert rate == pytest.approx(GRAVITY * math.sin(math.radians(20)) / 2, rel=1e-3)


# neither file gives a tolerance
@pytest.mark.parametrize(("name", "dt"), [("incline", "1e-3"), ("squeeze", "0.01")])
def test_scene_with_the_tolerance_of_the_method(name, dt):
    large = {"step.method": "strong", "step.dt": dt, "step.substeps": "0"}
    world = pl.World(pl.load(name, overrides=large), 2)
    assert (world.scene.step.tolerance, world.scene.step.solver_tolerance) == (0, 1e-4)
    assert failed_checks(world) == []


@pytest.mark.long
@pytest.mark.parametrize("name", ["squeeze", "shake", "dough_rolling"])
def test_scene_to_its_end_with_steps_of_10_ms(name):
    assert failed_checks(strong(name)) == []
