"""Friction as a user expects it: that of a pair, of the scene, or the larger of the material's and the geom's."""

import math

import pytest

import pliant as pl

ANGLE = math.radians(30)


def acceleration(geom="", material=None, **contact):
    """Of a block on a plane of 30 degrees, over g, down the slope."""
    gravity = (9.81 * math.sin(ANGLE), 0, -9.81 * math.cos(ANGLE))
    table = f'<mujoco><worldbody><geom name="top" type="plane" size="3 3 1" {geom}/></worldbody></mujoco>'
    world = pl.World(
        pl.Scene(
            step=pl.StepOptions(dt=2e-3, cell=0.02, gravity=gravity),
            materials=[pl.Material(name="rubber", E=3e5, density=1000, **(material or {}))],
            matter=[
                pl.Matter(
                    name="block",
                    material="rubber",
                    # its lowest particles lie on the plane
                    shape=pl.Box((0.12, 0.08, 0.06), (0, 0, 0.025)),
                    sampling=pl.Sampling(method="lattice"),
                )
            ],
            bodies=[pl.Body(name="table", text=table)],
            contact=pl.Contact(**contact),
        ),
        1,
    )
    for _ in range(150):
        world.step()
    return world.matter["block"].velocities[:, 0].astype(float).mean() / (9.81 * world.time)


def sliding(friction):
    # 2 %: it lands, and rings in the first tenth of a second
    return pytest.approx(math.sin(ANGLE) - friction * math.cos(ANGLE), rel=0.02)


def test_without_a_word_it_is_that_of_the_geom():
    assert acceleration('friction=".2"') == sliding(0.2)
    # MuJoCo's own default is 1: the block stays
    assert acceleration() == pytest.approx(0, abs=2e-3)


def test_the_larger_of_geom_and_material_counts():
    assert acceleration('friction=".1"', {"friction": 0.3}) == sliding(0.3)
    assert acceleration('friction=".3"', {"friction": 0.1}) == sliding(0.3)
    assert acceleration('friction=".1" priority="1"', {"friction": 0.3}) == sliding(0.1)


def test_the_scene_and_its_pairs_come_first():
    assert acceleration(friction=0.2) == sliding(0.2)
    assert acceleration(friction=0.2, pairs=[pl.ContactPair(partner="tab*/top", friction=0.3)]) == sliding(0.3)


def test_a_partner_is_also_called_body():
    pair = pl.ContactPair(body="table")
    assert pair.partner == pair.body == "table"
    assert repr(pair) == "ContactPair(partner='table')"
    pair.body = "top"
    assert pair == pl.ContactPair(partner="top")
