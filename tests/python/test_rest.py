"""A block that friction must hold, loaded at once in the async step, comes to rest; one that slides is not braked."""

import math

import pytest

import pliant as pl

ANGLE = math.radians(20)
PLANE = '<mujoco><worldbody><geom name="slope" type="plane" size="3 3 1"/></worldbody></mujoco>'


def slope(part, seconds, cell=0.025, **material):
    """World after that time on a slope with `part` of the friction that holds, and where the block was at half time."""
    gravity = (9.81 * math.sin(ANGLE), 0, -9.81 * math.cos(ANGLE))
    world = pl.World(
        pl.Scene(
            step=pl.StepOptions(dt=2e-3, cell=cell, gravity=gravity),
            materials=[pl.Material(name="rubber", **{"E": 1e6, "nu": 0.3, "density": 1000, **material})],
            matter=[
                pl.Matter(
                    name="block",
                    material="rubber",
                    shape=pl.Box((0.2, 0.15, 0.1), (0.0031, 0.0017, 0.05)),
                    sampling=pl.Sampling(surface_layer=True),
                )
            ],
            bodies=[pl.Body(name="table", text=PLANE)],
            contact=pl.Contact(friction=part * math.tan(ANGLE)),
        ),
        2,
    )
    places = []
    while world.time < seconds - 1e-9:
        world.step()
        places.append(world.matter["block"].positions[:, 0].astype(float).mean())
    return world, places


def creep(**setting):
    """m/s, over the last part of 0.6 s."""
    _, places = slope(1.1, 0.6, **setting)
    return (places[-1] - places[-100]) / (99 * 2e-3)


@pytest.mark.parametrize("setting", [{}, {"nu": 0.45}, {"E": 1e7}, {"cell": 0.0125}], ids=str)
def test_a_block_rests(setting):
    # .01 mm/s: what swings still swings; it walks at 30 mm/s without loss
    assert abs(creep(**setting)) < 1e-5


def test_without_loss_it_walks():
    assert creep(loss=0) > 0.01


def test_a_block_that_slides_is_not_braked():
    speeds = []
    for loss in (0, 0.15):
        world, _ = slope(0.5, 0.3, loss=loss)
        speeds.append(world.matter["block"].velocities[:, 0].astype(float).mean())
    # half of g sin a; what differs is how it swings at that moment
    assert speeds[1] == pytest.approx(0.5 * 9.81 * math.sin(ANGLE) * 0.3, rel=0.02)
    assert speeds[1] == pytest.approx(speeds[0], rel=0.02)
