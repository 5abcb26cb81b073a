"""Actuators of matter: values, motions, and what they have to do with stresses."""

import numpy as np
import pytest

import pliant as pl
from support import block, run


def muscled(dimension=2, **step):
    scene = block(dimension, "float64", **step)
    up = (0, 3) if dimension == 2 else (0, 0, 3)
    scene.actuators = [
        pl.Actuator(name="pull", matter="left", direction=up, strength=200),
        pl.Actuator(name="press", matter="left", strength=-50),
        pl.Actuator(name="other", matter="right", direction=up),
    ]
    return scene


@pytest.mark.parametrize("dimension", [2, 3])
def test_values_are_stresses(dimension):
    world, other = (pl.World(muscled(dimension), threads=1) for _ in range(2))
    world.set_actuation("pull", 2)
    world.set_actuation("press", 3)
    # along the direction 400 Pa, along all -150
    stress = -150 * np.eye(dimension)
    stress[-1, -1] += 400
    other.set_actuation("left", stress)
    run(world, 5), run(other, 5)
    for name in ("left", "right"):
        assert np.array_equal(world.matter[name].positions, other.matter[name].positions)


def test_values_and_stresses_add_up():
    world, other = (pl.World(muscled(), threads=1) for _ in range(2))
    world.set_actuation("pull", 1)
    world.set_actuation("left", [[0, 0], [0, 100]])
    other.set_actuation("pull", 1.5)
    run(world, 5), run(other, 5)
    assert np.array_equal(world.matter["left"].positions, other.matter["left"].positions)


def test_a_scene_without_values_is_as_one_without_actuators():
    world, other = pl.World(muscled(), threads=1), pl.World(block(2, "float64"), threads=1)
    run(world, 5), run(other, 5)
    assert np.array_equal(world.matter["left"].positions, other.matter["left"].positions)


def test_values_are_part_of_the_state():
    world = pl.World(muscled(), threads=1)
    plain = world.state_hash()
    world.set_actuation("pull", 2)
    assert world.state_hash() != plain
    saved, twin = world.save(), world.clone()
    run(world, 5), run(twin, 5)
    assert twin.state_hash() == world.state_hash()
    other = pl.World(muscled(), threads=2)
    other.restore(saved)
    run(other, 5)
    assert other.state_hash() == world.state_hash()
    world.reset()
    assert world.state_hash() == plain


def test_snapshots_know_the_actuators():
    saved = pl.World(muscled(), threads=1).save()
    scene = muscled()
    scene.actuators[0].strength = 300
    with pytest.raises(pl.BadFileError, match=r"actuators.pull.strength is 200 in the snapshot, 300"):
        pl.World(scene, threads=1).restore(saved)


def test_a_motion_sets_a_value():
    scene = muscled(substeps=1, dt=1e-3)
    scene.motion = [pl.Motion(kind="actuation", target="pull", times=[0, 4e-3], values=[[0], [8]], path="linear")]
    world, other = pl.World(scene, threads=1), pl.World(muscled(substeps=1, dt=1e-3), threads=1)
    for k in range(6):
        # as it is when the step begins
        other.set_actuation("pull", min(2.0 * k, 8))
        world.step(), other.step()
        assert np.allclose(world.matter["left"].positions, other.matter["left"].positions, rtol=0, atol=1e-15)
    with pytest.raises(pl.BadInputError, match=r"'pull': a motion of the scene sets its value"):
        world.set_actuation("pull", 1)


def test_wrong_values_are_refused():
    world = pl.World(muscled(), threads=1)
    with pytest.raises(pl.BadInputError, match=r"'pull': its value is nan; give a finite number"):
        world.set_actuation("pull", float("nan"))
    with pytest.raises(TypeError, match="must be a number"):
        world.set_actuation("pull", [[1, 0], [0, 1]])
    scene = muscled()
    scene.motion = [pl.Motion(kind="actuation", target="leg", times=[0], values=[[0]])]
    with pytest.raises(pl.BadInputError, match="no actuator of matter 'leg'.*'pull', 'press', 'other'"):
        pl.World(scene)
    scene.motion = [pl.Motion(kind="actuation", target="pull", times=[0], values=[[0]])] * 2
    with pytest.raises(pl.BadInputError, match="given twice"):
        pl.World(scene)


def test_means_are_those_of_the_arrays():
    world = pl.World(block(2), threads=1)
    run(world, 5)
    left = world.matter["left"]
    assert left.mean_position == pytest.approx(left.positions.astype(float).mean(axis=0), abs=1e-15)
    assert left.mean_velocity == pytest.approx(left.velocities.astype(float).mean(axis=0), abs=1e-15)


def test_gradients_by_values():
    """The derivative by a value is that by the stress along it, and agrees with differences."""
    values = np.array([0.5, -1.0, 2.0, 1.5])

    def loss(shift=0.0, at=0):
        world = pl.World(muscled(), threads=1)
        with pl.Tape(world, ["actuation"]) as tape:
            for k, value in enumerate(values):
                world.set_actuation("pull", value + (shift if k == at else 0))
                world.step()
            x = tape.watch(3, "mean_position", "left")
        return x @ [0.3, 1.0], tape

    value, tape = loss()
    g = tape.backward({(3, "mean_position", "left"): [0.3, 1.0]})
    assert g["actuation", "pull"] == pytest.approx(200 * g["actuation", "left"][:, 1, 1], rel=1e-14)
    assert g["actuation", "press"] == pytest.approx(-50 * np.trace(g["actuation", "left"], axis1=1, axis2=2), rel=1e-14)
    assert not g["actuation", "other"].any()
    for k in range(4):
        # central differences with 1e-4 keep some eight digits of changes of 1e-5
        differences = (loss(1e-4, k)[0] - loss(-1e-4, k)[0]) / 2e-4
        assert g["actuation", "pull"][k] == pytest.approx(differences, rel=1e-6)
    with pytest.raises(KeyError, match="it has left, right, other, press, pull"):
        g["actuation", "leg"]
    assert value > 0
