"""Controllers, and closed loops: the way back that is told what each step gave."""

import numpy as np
import pytest

import pliant as pl
from support import block
from test_actuators import muscled

STEPS = 20
GOAL = np.array([-0.15, 0.2])


def taped_run(world, controller, steps=STEPS):
    world.reset()
    controller.begin()
    with pl.Tape(world, ["actuation", "initial"]) as tape:
        for _ in range(steps):
            controller.act()
            world.step()
        off = tape.watch(steps - 1, "mean_position", "left") - GOAL
    return off @ off, tape, {(steps - 1, "mean_position", "left"): 2 * off}


@pytest.mark.parametrize("dimension", [2])
def test_gradients_of_weights_agree_with_differences(dimension):
    world = pl.World(muscled(dimension), threads=1)
    # weights so large that what the controller sees matters
    controller = pl.Controller(world, GOAL, scale=20.0, spread=2.0, seed=3)
    weights = controller.weights
    _, tape, seeds = taped_run(world, controller)
    tape.backward(seeds, at_step=controller.back)
    found = controller.gradient
    rng = np.random.default_rng(1)
    for k in rng.choice(len(weights), 12, replace=False):
        both = []
        for side in (-1, 1):
            controller.weights = weights + side * 1e-4 * np.eye(len(weights))[k]
            both.append(taped_run(world, controller)[0])
        # differences of 1e-4 keep some seven digits
        assert found[k] == pytest.approx((both[1] - both[0]) / 2e-4, rel=1e-5, abs=1e-7 * abs(found).max())


def test_without_the_way_through_what_was_seen_it_is_another_gradient():
    world = pl.World(muscled(), threads=1)
    controller = pl.Controller(world, GOAL, scale=20.0, spread=2.0, seed=3)
    _, tape, seeds = taped_run(world, controller)
    closed = tape.backward(seeds, at_step=controller.back)["actuation", "pull"]
    opened = tape.backward(seeds)["actuation", "pull"]
    assert np.abs(closed - opened).max() > 1e-2 * np.abs(closed).max()
    # of the last step nothing was seen later
    assert closed[-1] == opened[-1]


def test_what_is_told_is_what_the_gradient_has():
    world = pl.World(muscled(), threads=1)
    controller = pl.Controller(world, GOAL)
    _, tape, seeds = taped_run(world, controller)
    told = {}

    def note(step, by):
        told[step] = by

    g = tape.backward(seeds, at_step=note)
    assert list(told) == list(reversed(range(STEPS)))
    assert [told[k]["pull"] for k in range(STEPS)] == list(g["actuation", "pull"])
    assert np.array_equal([told[k]["left"] for k in range(STEPS)], g["actuation", "left"])


def test_seeds_of_the_first_state():
    """What is said of the state before step 0 is a derivative by the start."""
    world = pl.World(muscled(), threads=1)
    with pl.Tape(world) as tape:
        world.step()
    seeds = {(0, "mean_position", "left"): [0.0, 0.0]}
    g = tape.backward(seeds, at_step=lambda k, by: {("mean_velocity", "right"): [1.0, 2.0]})
    count = len(world.matter["right"])
    assert g["initial.velocities", "right"] == pytest.approx(np.tile([1 / count, 2 / count], (count, 1)))


def test_several_losses_have_a_controller_each():
    world = pl.World(muscled(), threads=1)
    controller = pl.Controller(world, GOAL, spread=0.5)
    _, tape, seeds = taped_run(world, controller)
    tape.backward(seeds, at_step=controller.back)
    alone = controller.gradient
    tape.backward([seeds, seeds], at_step=[lambda k, by: None, controller.back])
    assert np.array_equal(controller.gradient, alone)
    with pytest.raises(pl.BadInputError, match="2 losses, but at_step has 1"):
        tape.backward([seeds, seeds], at_step=[controller.back])


def test_wrong_answers_are_refused():
    world = pl.World(muscled(), threads=1)
    controller = pl.Controller(world, GOAL)
    _, tape, seeds = taped_run(world, controller, 3)
    for answer, text in (
        ({("mean_position", "leg"): [0, 0]}, "no piece of matter or set 'leg'"),
        ({("mean_position", "left"): [0, np.nan]}, "is nan; look at the loss"),
        ({("mean_position", "left"): [0, 0, 0]}, "has 3 numbers"),
        ({("speed", "left"): [0, 0]}, "'speed' cannot be watched"),
    ):
        with pytest.raises(pl.Error, match=text):
            tape.backward(seeds, at_step=lambda k, by, answer=answer: answer)
    with pytest.raises(ZeroDivisionError):
        tape.backward(seeds, at_step=lambda k, by: 1 / 0)
    # a world cannot be asked while it is at work; that would never end
    with pytest.raises(pl.BadInputError, match="the world is at work"):
        tape.backward(seeds, at_step=lambda k, by: {("mean_position", "left"): world.matter["left"].mean_position})
    assert len(tape) == 3
    world.step()


def test_controllers_of_nothing_are_refused():
    with pytest.raises(pl.BadInputError, match="no actuator to set; the scene has none"):
        pl.Controller(pl.World(block(2), threads=1))
    world = pl.World(muscled(), threads=1)
    with pytest.raises(pl.BadInputError, match="no free actuator 'leg'; the scene has pull, press, other"):
        pl.Controller(world, actuators=["leg"])
    with pytest.raises(pl.BadInputError, match="no matter 'head'"):
        pl.Controller(world, pieces=["head"])
    controller = pl.Controller(world, GOAL)
    with pytest.raises(pl.BadInputError, match=r"give 33 numbers"):
        controller.weights = [1.0]
    with pytest.raises(pl.BadInputError, match="a goal of 3 numbers; it has 2"):
        controller.begin([1, 2, 3])
    with pl.Tape(world) as tape:
        world.step()
    with pytest.raises(pl.BadInputError, match="it acted 0 times, but the tape has a step 0"):
        tape.backward({(0, "mean_position", "left"): [1, 0]}, at_step=controller.back)
