"""Two arms fold a shirt and unfold it: the scene of S2, VI-E."""

import numpy as np
import pytest

import pliant as pl
from pliant.crossings import crossing_pairs
from pliant.recorder import Recorder
from pliant.runner import Plan, run
from pliant.sheet import shadow_area, triangles_of, vertices_of

FINGERS = [f"{hand}/{finger}" for hand in ("left_hand", "right_hand") for finger in ("left_finger", "right_finger")]


def surface(world):
    shirt = world.matter["shirt"]
    triangles = triangles_of(shirt)
    return vertices_of(shirt, triangles), triangles


def layers_over(vertices, triangles, x, y):
    """Number of triangles over a point of the table."""
    a, b, c = (vertices[triangles[:, i], :2] - (x, y) for i in range(3))
    turns = np.stack([p[:, 0] * q[:, 1] - p[:, 1] * q[:, 0] for p, q in ((a, b), (b, c), (c, a))])
    return np.count_nonzero(np.all(turns > 0, axis=0) | np.all(turns < 0, axis=0))


def run_to(world, time):
    world.scene.expect = []
    assert run(world, Plan(time)).error == ""


def test_shirt_comes_to_rest_on_the_table():
    world = pl.World(pl.load("shirt_folding"), 2)
    start, triangles = surface(world)
    run_to(world, 0.2)
    now, _ = surface(world)
    run_to(world, 0.25)
    later, _ = surface(world)
    cell = world.scene.step.cell
    # it fell by less than two cells and not aside; over the slots nothing is below, and corners of the hem hang down
    on_table = np.abs(start[:, 0]) < 0.09
    assert np.all((start - later)[on_table, 2] < 2 * cell)
    assert np.abs(later - start)[:, :2].max() < 0.002
    assert later[on_table, 2].min() > 0.296875 - cell
    assert later[:, 2].min() > 0.296875 - 2 * cell
    # there is no damping: what is left of the fall trembles
    assert np.abs(later - now)[on_table].max() < 0.002
    assert len(crossing_pairs(later, triangles)) == 0
    assert shadow_area(later, triangles) == pytest.approx(shadow_area(start, triangles), rel=0.01)
    for finger in FINGERS:
        assert world.wrench(finger).force == (0, 0, 0)


@pytest.mark.long
def test_hands_hold_the_hem_by_friction():
    world = pl.World(pl.load("shirt_folding"), 2)
    # the fingers follow their command with a lag of some 40 ms
    run_to(world, 1.82)
    for hand in ("left_hand", "right_hand"):
        above, below = (np.array(world.wrench(f"{hand}/{side}_finger").force) for side in ("left", "right"))
        assert above[2] > 2
        assert below[2] < -2
    run_to(world, 2.55)
    vertices, _ = surface(world)
    # the hem hangs from the hands, which are 18 cm above the table
    assert vertices[:, 2].max() > 0.44
    weight = 9.81 * world.matter["shirt"].masses.astype(float).sum()
    lifted = -sum(world.wrench(finger).force[2] for finger in FINGERS)
    # about half of the shirt; the cloth swings
    assert 0.1 * weight < lifted < 1.2 * weight


@pytest.mark.long
def test_shirt_is_folded_twice_unfolded_and_flat_again(tmp_path):
    world = pl.World(pl.load("shirt_folding"), 2)
    with Recorder(tmp_path / "shirt.h5", world) as recorder:
        outcome = run(world, Plan(world.scene.duration), recorder)
    assert outcome.error == ""
    assert [str(check) for check in outcome.checks if not check.ok] == []
    recording = pl.Recording(tmp_path / "shirt.h5")
    triangles = recording.triangles("shirt")

    def vertices_at(time):
        return vertices_of(recording.frame(recording.nearest(time)).matter["shirt"], triangles)

    # folded in two: half of its area and some of the sleeves
    flat = shadow_area(vertices_at(0), triangles)
    assert 0.5 < shadow_area(vertices_at(4.3), triangles) / flat < 0.65
    # and in two again: front and back, four times, across the whole shirt
    folded = vertices_at(7.3)
    assert shadow_area(folded, triangles) / flat < 0.45
    assert all(layers_over(folded, triangles, x, 0.155) >= 8 for x in np.linspace(-0.1, 0.1, 9))
