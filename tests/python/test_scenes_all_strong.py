"""Every scene in space without cloth with the strong step: its first steps here, the whole of it in the long tests."""

import pytest

import pliant as pl
from pliant.runner import Plan, run

STEPS = 3


def has(law, name):
    return any(material.law == law for material in pl.load(name).materials)


SCENES = [name for name in pl.scene_names() if not has("cloth", name) and pl.load(name).dimension == 3]


def strong(name, **changes):
    return pl.World(pl.load(name, overrides={"step.method": "strong", **changes}), 2)


def test_there_are_scenes():
    assert {"four_materials", "sand_scoop", "arm_stirs_sand", "dough_rolling"} <= set(SCENES)


@pytest.mark.parametrize("name", SCENES)
def test_first_steps(name):
    world = strong(name, expect="[]")
    for _ in range(STEPS):
        assert world.step().residual <= world.scene.step.solver_tolerance
    assert world.time == pytest.approx(STEPS * world.scene.step.dt)


@pytest.mark.long
@pytest.mark.parametrize("name", SCENES)
def test_whole_scene(name):
    # as docs/contact.md says of sand
    world = strong(name, **({"step.tolerance": "5e-2"} if has("sand", name) else {}))
    outcome = run(world, Plan(world.scene.duration))
    assert outcome.error == ""
    assert [str(check) for check in outcome.checks if not check.ok] == []
