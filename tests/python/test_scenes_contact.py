"""The scenes of two-way contact: their forces, frictions and motions against closed forms."""

import math

import numpy as np
import pytest

import pliant as pl
from pliant.expect import RunLog, evaluate
from pliant.runner import Plan, run

ANGLE = math.radians(20)
SLOPE = math.tan(ANGLE)
GRAVITY = 9.81


def advance(world, until, watch=None):
    """What `watch` says after each step."""
    seen = []
    while world.time < until - 1e-9:
        world.step()
        if watch:
            seen.append(watch(world))
    return np.array(seen)


def centre(matter):
    return matter.positions.astype(float).mean(axis=0)


@pytest.mark.parametrize("name", ["squeeze", "shake", "incline", "dough_rolling", "sand_scoop"])
def test_each_scene_acts_both_ways_and_has_a_camera_and_checks(name):
    scene = pl.load(name)
    world = pl.World(scene, 1)
    assert scene.step.method == "async"
    assert [world.model.camera(i).name.endswith("film") for i in range(world.model.ncam)] == [True]
    assert len(scene.expect) >= 3


# the squeeze


def panel_forces(world):
    return np.r_[world.wrench("left/panel").force, world.wrench("right/panel").force]


def test_squeeze_with_large_steps():
    world = pl.World(pl.load("squeeze", overrides={"step.dt": "1e-3", "step.substeps": "0"}), 2)
    advance(world, 0.85)
    # one period of the panels on the cube, 45 ms: means do not depend on its phase
    forces = advance(world, 0.895, panel_forces)
    # the target of the issue: 1 %; y: .01 N
    np.testing.assert_allclose(forces.mean(axis=0)[[0, 3]], [-10, 10], rtol=0.01)
    np.testing.assert_allclose(forces.mean(axis=0)[[2, 5]], -0.4 * GRAVITY / 2, rtol=0.01)
    assert np.abs(forces[:, [1, 4]]).max() < 0.01


@pytest.mark.long
@pytest.mark.parametrize("step", [{"step.dt": "1e-4", "step.substeps": "1"}, {"step.dt": "1e-3", "step.substeps": "0"}])
def test_squeeze_holds_for_ten_seconds(step):
    world = pl.World(pl.load("squeeze", overrides=step), 2)
    cube = world.matter["cube"]
    advance(world, 2)

    def slide(world):
        # of the cube along the panels, which cannot move along z
        return centre(cube)[2]

    forces = advance(world, 3, panel_forces)
    np.testing.assert_allclose(forces[:, [0, 3]], np.tile([-10.0, 10.0], (len(forces), 1)), rtol=0.01)
    np.testing.assert_allclose(forces[:, [2, 5]], -0.4 * GRAVITY / 2, rtol=0.01)
    assert np.abs(forces[:, [1, 4]]).max() < 0.01
    before = slide(world)
    advance(world, 12)
    # .01 mm/s
    assert abs(slide(world) - before) < 9 * 1e-5


# the incline


def ride(part, until, **step):
    """Time, way and speed along the table."""
    changes = {"contact.friction": repr(part * SLOPE), **step}
    world = pl.World(pl.load("incline", overrides=changes), 1)
    block = world.matter["block"]

    def along(world):
        axis = world.data.body("table/table").xmat.reshape(3, 3)[:, 0]
        return world.time, axis @ centre(block), axis @ block.velocities.astype(float).mean(axis=0)

    return advance(world, until, along).T


def test_incline_holds_a_block_just_above_the_friction_angle():
    time, way, speed = ride(1.01, 2.2)
    tilted = time > 1.3
    # measured: 3e-6 m in .9 s
    assert np.ptp(way[tilted]) < 1e-5
    assert np.abs(speed[tilted]).max() < 1e-4


# .5 tan a: measured 1.8e-4. Just below the friction angle the acceleration is a hundredth of g sin a: there counts what
# substeps that are solved to 1e-2 leave of friction on average, measured 4e-5 of it (regression)
@pytest.mark.parametrize(("part", "until"), [(0.99, 2.2), (0.5, 1.5), (0.0, 1.4)])
def test_incline_lets_a_block_slide_as_coulomb_says(part, until):
    time, way, speed = ride(part, until)
    tilted = time > 1.25
    rate = np.polyfit(time[tilted], speed[tilted], 1)[0]
    friction = part * SLOPE * math.cos(ANGLE) * GRAVITY
    assert rate == pytest.approx(GRAVITY * math.sin(ANGLE) - friction, rel=2e-3, abs=1e-4 * friction)


@pytest.mark.long
def test_incline_on_a_finer_grid():
    finer = {"step.cell": "0.0125"}
    time, way, speed = ride(1.01, 2.2, **finer)
    assert np.ptp(way[time > 1.3]) < 2e-5
    time, way, speed = ride(0.5, 1.5, **finer)
    rate = np.polyfit(time[time > 1.25], speed[time > 1.25], 1)[0]
    assert rate == pytest.approx(GRAVITY * math.sin(ANGLE) / 2, rel=2e-3)


# the dough


def pin(world):
    handles = world.data.body("pin/handles").xpos
    spin = world.data.joint("pin/spin").qpos[0]
    return world.time, spin, *handles, *world.wrench("pin/barrel").force


def test_dough_spins_the_pin_and_carries_it():
    world = pl.World(pl.load("dough_rolling"), 2)
    assert world.particle_count == 24 * 30 * 8
    seen = advance(world, 4, pin)
    stroke = seen[(seen[:, 0] > 2.5) & (seen[:, 0] < 4)]
    way, turn = np.ptp(stroke[:, 3]), np.ptp(stroke[:, 1])
    assert way == pytest.approx(0.18, abs=0.003)
    # On rigid ground it would be 1. The dough gives way and is pushed along: .97 at a depth of 7 mm, .80 at 16 mm and
    # .69 here, at 25 mm, in both steps and with friction 1 or 3. A regression test.
    assert turn * 0.03 / way == pytest.approx(0.69, abs=0.03)
    # between the yield stress, 1,225 Pa, and that under a flat punch, 2.97 times as much, on the half of the pin that
    # rolls into the dough: 29.6 mm x .25 m
    assert 9.1 < stroke[:, 7].mean() < 26.9
    # forces of rolling do not jump from step to step, as they do if matter and pin fight each other
    assert np.abs(np.diff(stroke[:, 6])).mean() < 0.5
    # the fingers hold
    for side in ("left", "right"):
        slip = world.data.site(f"{side}_hand/grip").xpos - world.data.site(f"pin/{side}_grip").xpos
        assert np.abs(slip).max() < 5e-3


# what the scenes expect of themselves, to their ends


@pytest.mark.long
@pytest.mark.parametrize("name", ["squeeze", "shake", "incline", "dough_rolling"])
def test_scene_to_its_end(name):
    assert [str(check) for check in run_to_the_end(name) if not check.ok] == []


def run_to_the_end(name):
    world = pl.World(pl.load(name), 2)
    outcome = run(world, Plan(world.scene.duration))
    assert outcome.error == ""
    return outcome.checks


# the sand

# m, the room between the scoop's walls and the room with its walls, in its own frame; their last edges are open
ROOM = np.array([[0, 0.1], [-0.05, 0.05], [-0.14, -0.09]])
OUTER = np.array([[-0.005, 0.1], [-0.055, 0.055], [-0.145, -0.09]])


def is_in(places, box):
    return (places > box[:, 0]) & (places < box[:, 1])


class Crossings:
    """Counts grains that come out of a wall on the other side than they went in."""

    def __init__(self, world):
        self.world, self.count = world, 0
        self.from_inside, self.from_beyond, _ = self.regions()

    def regions(self):
        scoop, sand = self.world.data.body("scoop/scoop"), self.world.matter["sand"]
        # grains by id: their order in memory changes
        local = (sand.positions[np.argsort(sand.ids)] - scoop.xpos) @ scoop.xmat.reshape(3, 3)
        inside, outer = is_in(local, ROOM).all(axis=1), is_in(local, OUTER)
        below = outer[:, 0] & outer[:, 1] & (local[:, 2] <= OUTER[2, 0])
        behind = outer[:, 1] & outer[:, 2] & (local[:, 0] <= OUTER[0, 0])
        beside = outer[:, 0] & outer[:, 2] & ~outer[:, 1]
        return inside, below | behind | beside, outer.all(axis=1) & ~inside

    def watch(self):
        inside, beyond, wall = self.regions()
        self.count += np.count_nonzero(self.from_inside & beyond) + np.count_nonzero(self.from_beyond & inside)
        self.from_inside = inside | (wall & self.from_inside)
        self.from_beyond = beyond | (wall & self.from_beyond)


def scoop_sand(**step):
    world = pl.World(pl.load("sand_scoop", overrides=step), 2)
    crossings = Crossings(world)
    while world.time < world.scene.duration - 1e-9:
        world.step()
        crossings.watch()
    return world, crossings.count


@pytest.mark.long
def test_no_grain_goes_through_the_scoop_and_it_lifts_sand():
    world, crossed = scoop_sand()
    assert crossed == 0
    # what it weighs is what lies in it, but for grains that hang on its edges or fall
    lifted = -world.wrench("scoop/scoop").force[2] / GRAVITY
    assert 0.35 < lifted < 0.7
    held = [check for check in evaluate(world, RunLog()) if not check.name.startswith("it carries")]
    assert [str(check) for check in held if not check.ok] == []


@pytest.mark.long
def test_grains_that_go_through_the_scoop_are_counted():
    # walls thinner than a cell do not hold where bodies only move the grid
    crossed = scoop_sand(**{"step.method": "one_way", "step.cell": "0.02", "expect": "[]"})[1]
    assert crossed > 100
