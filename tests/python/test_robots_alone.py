"""A world without matter moves robots as MuJoCo does, to the last bit: our models and some that nobody here wrote."""

import importlib.util
from pathlib import Path

import mujoco
import numpy as np
import pytest

import pliant as pl

OURS = Path(__file__).parents[2] / "models"
STEPS = 1000


def theirs() -> Path:
    """Robots of the package gymnasium, which is not imported."""
    spec = importlib.util.find_spec("gymnasium")
    assert spec, "the package gymnasium is missing; run make setup"
    return Path(spec.submodule_search_locations[0]) / "envs" / "mujoco" / "assets"


def file_of(name: str) -> Path:
    return OURS / name if "/" in name else theirs() / name


def twin_of(world: pl.World, path: Path) -> tuple[mujoco.MjModel, mujoco.MjData]:
    """The file alone in plain MuJoCo, with the options that the scene sets, in the same state."""
    model = mujoco.MjModel.from_xml_path(str(path))
    model.opt.timestep = world.model.opt.timestep
    model.opt.gravity = world.model.opt.gravity
    model.opt.integrator = world.model.opt.integrator
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:], data.ctrl[:] = world.data.qpos, world.data.qvel, world.data.ctrl
    mujoco.mj_forward(model, data)
    return model, data


@pytest.mark.parametrize("name", ["iiwa7/iiwa7.xml", "allegro/allegro.xml", "humanoid.xml", "ant.xml", "pusher_v5.xml"])
def test_bit_for_bit(name):
    path = file_of(name)
    scene = pl.Scene(bodies=[pl.Body(name="robot", file=str(path))])
    scene.step.dt = 0.002
    world = pl.World(scene)
    model, data = twin_of(world, path)
    start = data.qpos.copy()
    controls = np.random.default_rng(1).uniform(-0.3, 0.3, (STEPS // 50, model.nu))
    for i in range(STEPS):
        world.data.ctrl[:] = data.ctrl[:] = controls[i // 50]
        world.step()
        mujoco.mj_step(model, data)
        assert np.array_equal(world.data.qpos, data.qpos), f"step {i}"
    assert np.array_equal(world.data.qvel, data.qvel)
    assert np.abs(data.qpos - start).max() > 0.01  # it did move


def test_a_users_own_data_too():
    model = mujoco.MjModel.from_xml_path(str(file_of("humanoid.xml")))
    data, twin = mujoco.MjData(model), mujoco.MjData(model)
    world = pl.World.from_mujoco(model, data)
    for _ in range(STEPS):
        world.step()
        mujoco.mj_step(model, twin)
    assert np.array_equal(data.qpos, twin.qpos)
    assert np.array_equal(data.qvel, twin.qvel)
