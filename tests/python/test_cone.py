"""Coulomb's cone and what a step says of it: a block that slides down a table."""

import numpy as np
import pytest

import pliant as pl

MU, ANGLE, SPEED = 0.3, np.radians(23.7), 0.4


def sliding(method: str, radius: str = "following") -> pl.Scene:
    """A block on a plane of MuJoCo's; gravity is tilted, so that way and normal are axes."""
    table = '<mujoco><worldbody><geom name="top" type="plane" size="2 2 .1" pos="0 0 .0037"/></worldbody></mujoco>'
    return pl.Scene(
        step=pl.StepOptions(
            dt=2e-3, cell=0.025, method=method, gravity=(9.81 * np.sin(ANGLE), 0, -9.81 * np.cos(ANGLE))
        ),
        materials=[pl.Material(name="rubber", law="linear_corotated", density=1000, E=5e5, nu=0.3)],
        matter=[
            pl.Matter(
                name="block",
                material="rubber",
                shape=pl.Box(size=(0.1, 0.075, 0.05), center=(0, 0, 0.0287)),
                velocity=(SPEED, 0, 0),
            )
        ],
        bodies=[pl.Body(name="table", text=table)],
        contact=pl.Contact(friction=MU, radius=radius),
    )


@pytest.mark.parametrize("method", ["async", "strong"])
def test_friction_takes_what_a_sliding_block_loses(method):
    world = pl.World(sliding(method), threads=1)
    reports = [world.step() for _ in range(150)]
    before = world.matter["block"].positions[:, 0].mean()
    lost = 0.0
    for _ in range(100):
        report = world.step()
        assert report.cone_excess < 1e-9
        assert 0 <= report.penetration < 1e-3
        # without dissipation of the springs their impulse is all there is, to round-off
        assert report.signorini_residual < 1e-9
        assert report.friction_dissipation >= 0
        lost += report.friction_dissipation
    way = world.matter["block"].positions[:, 0].mean() - before
    weight = reports[0].after.mass * 9.81 * np.cos(ANGLE)
    # the block rings: its mean load over the stretch is its weight within a percent
    assert lost == pytest.approx(MU * weight * way, rel=0.01)


@pytest.mark.parametrize("method", ["async", "strong"])
def test_lagged_radius_exceeds_the_cone(method):
    world = pl.World(sliding(method, "lagged"), threads=1)
    assert max(world.step().cone_excess for _ in range(30)) > 1e-3


@pytest.mark.parametrize("method", ["async", "strong"])
def test_following_radius_gives_the_same_bits(method):
    first = pl.World(sliding(method), threads=1)
    for _ in range(20):
        first.step()
    saved = first.save()
    for _ in range(20):
        first.step()
    again, two = pl.World(sliding(method), threads=1), pl.World(sliding(method), threads=2)
    again.restore(saved)
    for _ in range(20):
        again.step()
    for _ in range(40):
        two.step()
    assert again.state_hash() == first.state_hash() == two.state_hash()
