"""Robots of MuJoCo in a world, from Python."""

import mujoco
import numpy as np
import pytest

import pliant as pl

SLIDER = """<mujoco><worldbody><geom type="plane" size="1 1 .1"/><body name="pusher" pos="0 0 .05">
<joint name="along" type="slide" axis="1 0 0"/><geom type="box" size=".04 .1 .05" mass="1"/></body></worldbody>
<actuator><position name="along" joint="along" kp="2000" kv="60"/></actuator></mujoco>"""


def jelly() -> dict:
    return {
        "materials": [pl.Material(name="jelly", law="neo_hookean", E=2e4)],
        "matter": [
            pl.Matter(name="block", material="jelly", shape=pl.Box(center=(0.12, 0, 0.06), size=(0.1, 0.1, 0.1)))
        ],
    }


def scene_with_slider() -> pl.Scene:
    scene = pl.Scene(bodies=[pl.Body(name="robot", text=SLIDER)], **jelly())
    scene.step.dt = 0.005
    return scene


def test_bodies_are_mujoco_objects_that_move_with_the_world():
    world = pl.World(scene_with_slider())
    assert isinstance(world.model, mujoco.MjModel)
    assert isinstance(world.data, mujoco.MjData)
    assert world.model.opt.timestep == 0.005
    world.data.actuator("robot/along").ctrl = 0.2
    start = world.matter["block"].positions[:, 0].mean()
    for _ in range(100):
        world.step()
    assert world.data.time == pytest.approx(world.time)
    assert world.data.qpos[0] == pytest.approx(0.2, abs=0.01)
    # the pusher's face has come to 0.24 m and cannot be inside the block, but for the cell in which boundaries are felt
    block = world.matter["block"].positions[:, 0]
    assert block.mean() > start + 0.1
    assert block.min() > 0.24 - 0.02


def test_a_users_own_model_is_shared_not_copied():
    model = mujoco.MjModel.from_xml_string(SLIDER)
    data = mujoco.MjData(model)
    world = pl.World.from_mujoco(model, data, threads=1, **jelly())
    assert world.model is model
    assert world.data is data
    assert world.scene.step.dt == model.opt.timestep
    data.ctrl[0] = 0.1
    for _ in range(50):
        world.step()
    assert data.qpos[0] > 0.02


def test_a_robot_alone_moves_as_in_mujoco_bit_for_bit():
    model = mujoco.MjModel.from_xml_string(SLIDER)
    data, twin = mujoco.MjData(model), mujoco.MjData(model)
    world = pl.World.from_mujoco(model, data)
    data.ctrl[0] = twin.ctrl[0] = 0.3
    for _ in range(1000):
        world.step()
        mujoco.mj_step(model, twin)
    assert np.array_equal(data.qpos, twin.qpos)
    assert np.array_equal(data.qvel, twin.qvel)


def test_the_world_outlives_its_makers():
    model = mujoco.MjModel.from_xml_string(SLIDER)
    world = pl.World.from_mujoco(model, mujoco.MjData(model), **jelly())
    del model
    world.step()
    data = world.data
    del world
    assert data.time == pytest.approx(0.002)


def pushing(method: str, **motion) -> pl.Scene:
    """The slider comes to the block in 0.4 s, and would go on through it."""
    scene = scene_with_slider()
    scene.step.method, scene.step.tolerance = method, 1e-3
    path = {"times": [0, 1, 1.2, 1.4], "values": [[0], [0.06], [0.06], [0]], "release": [False, False, False, True]}
    scene.motion = [pl.Motion(target="robot/along", path="linear", **(path | motion))]
    return scene


@pytest.mark.parametrize("method", ["async", "strong"])
def test_a_push_stops_on_force_and_lets_go(method):
    world = pl.World(pushing(method, until_force=pl.UntilForce(body="robot/pusher", newton=2)), threads=1)
    control = world.data.actuator("robot/along").ctrl
    before = 0.0
    while np.linalg.norm(world.wrench("robot/pusher").force) < 2:
        before = control[0]
        world.step()
        assert world.time < 1
    held = control[0]
    assert 0 < before < held < 0.06
    saved = world.save()
    for _ in range(2):
        while world.time < 1.2 - 1e-9:
            world.step()
            assert control[0] == held
        world.restore(saved)
        assert control[0] == held
    while world.time < 1.3 - 1e-9:
        world.step()
    # half of the way back, from where it was
    assert control[0] == pytest.approx(held / 2, rel=1e-9)


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ({"body": "robot/pushr", "newton": 2}, "until_force.*did you mean 'robot/pusher'"),
        ({"body": "robot/pusher", "newton": -2}, "-2 N on 'robot/pusher'; give a positive number"),
        ({"newton": 2}, "name the one that feels the force"),
    ],
)
def test_a_wrong_stop_on_force_is_refused(rule, text):
    with pytest.raises(pl.BadInputError, match=text):
        pl.World(pushing("async", until_force=pl.UntilForce(**rule)), threads=1)


def test_wrong_objects_are_refused_by_name():
    model = mujoco.MjModel.from_xml_string(SLIDER)
    with pytest.raises(TypeError, match="MjData"):
        pl.World.from_mujoco(model, model)
    with pytest.raises(TypeError, match="MjModel"):
        pl.World.from_mujoco("robot.xml", mujoco.MjData(model))
    with pytest.raises(pl.BadInputError, match="timestep"):
        pl.World.from_mujoco(model, mujoco.MjData(model), step=pl.StepOptions(dt=0.01), **jelly())
    with pytest.raises(pl.BadFileError, match="nowhere.xml"):
        pl.World(pl.Scene(bodies=[pl.Body(name="robot", file="nowhere.xml")]))


def test_bodies_are_saved_and_restored():
    scene = scene_with_slider()
    a, b = pl.World(scene, threads=1), pl.World(scene, threads=2)
    a.data.ctrl[0] = 0.2
    for _ in range(20):
        a.step()
    b.restore(a.save())
    assert b.data.ctrl[0] == 0.2
    for _ in range(20):
        a.step()
        b.step()
    assert a.state_hash() == b.state_hash()


def test_what_matter_will_not_feel_is_in_the_first_report():
    hills = """<mujoco><asset><hfield name="hills" nrow="2" ncol="2" size="1 1 .1 .1"/></asset>
    <worldbody><geom type="hfield" hfield="hills"/></worldbody></mujoco>"""
    world = pl.World(pl.Scene(bodies=[pl.Body(name="land", text=hills)]))
    assert any("matter does not feel" in text for text in world.step().warnings)
    assert world.step().warnings == []
