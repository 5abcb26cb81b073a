"""Clones, reset, and writing into a world."""

import threading
import time

import numpy as np
import pytest

import pliant as pl
from support import block, run

ATTRIBUTES = ["positions", "velocities", "affine", "deformation_gradients", "plastic"]


def test_a_clone_goes_on_with_the_same_bits():
    world = pl.World(pl.load("squeeze"), threads=2)
    run(world, 3)
    clone = world.clone(threads=1)
    assert clone.threads == 1
    assert clone.time == world.time
    assert clone.state_hash() == world.state_hash()
    assert clone.model is world.model
    assert clone.data is not world.data
    for _ in range(3):
        world.step()
        clone.step()
        assert clone.state_hash() == world.state_hash()
    # neither disturbs the other
    cube = clone.matter[next(iter(clone.matter))]
    cube.set(velocities=cube.by_id("velocities") + 0.01)
    before = world.state_hash()
    clone.step()
    assert world.state_hash() == before
    world.step()
    assert clone.state_hash() != world.state_hash()


def test_clones_step_at_the_same_time():
    world = pl.World(pl.load("squeeze"), threads=1)
    clones = [world.clone() for _ in range(4)]
    threads = [threading.Thread(target=run, args=(clone, 5)) for clone in clones]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    run(world, 5)
    assert {clone.state_hash() for clone in clones} == {world.state_hash()}


def test_a_clone_of_the_dough_takes_milliseconds():
    # not asserted, as timings never are: printed for who looks (-s)
    world = pl.World(pl.load("dough_rolling"), threads=2)
    world.step()
    spent = []
    for _ in range(10):
        start = time.perf_counter()
        clone = world.clone()
        spent.append(time.perf_counter() - start)
        assert clone.particle_count == world.particle_count
    print(f"dough_rolling clones in {1e3 * min(spent):.2f} to {1e3 * max(spent):.2f} ms")


def test_a_reset_world_is_as_new():
    scene = block(3, "float32")
    world = pl.World(scene, threads=1)
    first = world.state_hash()
    run(world, 4)
    assert world.state_hash() != first
    world.reset()
    assert world.state_hash() == first
    assert world.time == 0
    fresh = pl.World(scene, threads=2)
    run(world, 3)
    run(fresh, 3)
    assert world.state_hash() == fresh.state_hash()


def test_by_id_is_steady():
    world = pl.World(block(3, "float32"), threads=1)
    name = next(iter(world.matter))
    first = world.matter[name].by_id("positions")
    run(world, 5)
    matter = world.matter[name]
    later = matter.by_id("positions")
    assert (later == matter.positions[np.argsort(matter.ids)]).all()
    # nobody has gone far, whatever the order in memory
    assert np.abs(later - first).max() < 0.1
    later[:] = 0  # a copy
    assert matter.positions.any()
    with pytest.raises(KeyError, match="'positions'"):
        matter.by_id("place")


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_set_writes_by_id(precision):
    world = pl.World(block(3, precision), threads=1)
    run(world, 3)
    name = next(iter(world.matter))
    matter = world.matter[name]
    kept = {a: matter.by_id(a) for a in ATTRIBUTES}
    moved = kept["positions"] + np.array([0, 0, 0.5], dtype=precision)
    matter.set(positions=moved, velocities=np.zeros_like(moved))
    assert (matter.by_id("positions") == moved).all()
    assert not matter.by_id("velocities").any()
    saved = world.save()
    matter.set(**kept)
    for attribute, values in kept.items():
        assert (matter.by_id(attribute) == values).all()
    world.restore(saved)
    assert (world.matter[name].by_id("positions") == moved).all()
    assert (world.clone().matter[name].by_id("positions") == moved).all()


def test_set_refuses_what_no_particle_can_have():
    world = pl.World(block(3, "float32"), threads=1)
    matter = world.matter[next(iter(world.matter))]
    before = world.state_hash()
    positions = matter.by_id("positions")
    with pytest.raises(ValueError, match="shape"):
        matter.set(positions=positions[1:])
    positions[3, 1] = np.nan
    with pytest.raises(pl.Error, match="particle 3"):
        matter.set(positions=positions)
    with pytest.raises(pl.Error, match="cannot be set"):
        matter.set(masses=matter.by_id("masses"))
    with pytest.raises(KeyError):
        matter.set(place=positions)
    assert world.state_hash() == before


def test_set_bodies():
    world = pl.World(pl.load("squeeze"), threads=1)
    qpos = world.data.qpos.copy()
    world.set_bodies(qvel=np.full(world.model.nv, 0.01))
    assert (world.data.qvel == 0.01).all()
    assert (world.data.qpos == qpos).all()
    with pytest.raises(pl.Error, match="qpos"):
        world.set_bodies(qpos=qpos[1:])
    with pytest.raises(pl.Error, match="finite"):
        world.set_bodies(qpos=np.full_like(qpos, np.inf))
