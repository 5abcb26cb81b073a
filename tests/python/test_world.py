"""Worlds that step: reports, threads, the interpreter lock, save and restore."""

import threading
import time

import numpy as np
import pytest

import pliant as pl
from support import LAWS, block, run


def test_free_fall():
    scene = block(precision="float64")
    scene.boundaries = []
    world = pl.World(scene, threads=2)
    reports = run(world, 10)
    assert world.time == pytest.approx(0.02, rel=1e-12)
    assert reports[-1].time == world.time
    # gravity alone: symplectic Euler is exact in velocity, up to round-off
    np.testing.assert_allclose(world.matter["left"].velocities[:, 2], -9.81 * 0.02, rtol=1e-10)


def test_report():
    world = pl.World(block(precision="float64"), threads=2)
    report = run(world, 30)[-1]
    assert report.substeps >= 1
    assert report.sorts >= 1
    assert report.blocks >= 2
    assert report.max_speed > 0
    assert 0 <= report.strays <= 1
    assert all(isinstance(stage, str) and seconds >= 0 for stage, seconds in report.stages.items())
    assert {"gather", "scatter"} <= set(report.stages)
    assert report.warnings == []
    # momentum: what gravity and the floor gave, to round-off of sums over the particles
    change = np.subtract(report.after.momentum, report.before.momentum)
    (floor,) = report.boundary_impulses
    scale = report.after.mass * 9.81 * 2e-3
    np.testing.assert_allclose(change, np.add(report.gravity_impulse, floor), atol=1e-9 * scale)
    assert report.gravity_impulse[2] == pytest.approx(-scale, rel=1e-12)
    assert floor[2] > 0
    assert world.balance().mass == pytest.approx(16, rel=1e-6)
    assert world.balance().kinetic_energy == report.after.kinetic_energy
    assert world.report.time == report.time
    assert "substeps" in repr(report)
    assert "kinetic" in repr(report.after)


def test_a_report_is_of_its_own_step():
    world = pl.World(block(), threads=1)
    first = world.step()
    kept = first.time
    world.step()
    assert first.time == kept < world.report.time


def test_attributes_of_a_world():
    world = pl.World(block(), threads=3)
    assert world.threads == 3
    assert world.particle_count > 500
    assert world.memory > 100 * world.particle_count
    assert world.scene == block()
    assert repr(world) == f"World({world.particle_count} particles, time=0.0 s, threads=3)"
    assert pl.World(block()).threads >= 1


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("dimension", [2, 3])
def test_same_bits_on_any_number_of_threads(law, dimension):
    worlds = [pl.World(block(dimension, law=law), threads=n) for n in (1, 2, 3, 8)]
    seen = set()
    for _ in range(4):
        for world in worlds:
            world.step()
        hashes = {world.state_hash() for world in worlds}
        assert len(hashes) == 1
        seen |= hashes
    assert len(seen) == 4


def test_other_python_threads_run_during_a_step():
    """A thread counts while one long step runs. With the lock held it would not get a single turn in the step."""
    world = pl.World(block(dt=1.0, cell=0.03, max_substeps=100_000), threads=1)
    ticks, done = [], threading.Event()

    def tick():
        while not done.wait(1e-3):
            ticks.append(time.perf_counter())

    counter = threading.Thread(target=tick)
    counter.start()
    start = time.perf_counter()
    world.step()
    end = time.perf_counter()
    done.set()
    counter.join()
    assert end - start > 0.02
    assert sum(start < t < end for t in ticks) >= 3


def test_two_threads_may_share_a_world():
    world, twin = pl.World(block(), threads=2), pl.World(block(), threads=1)
    workers = [threading.Thread(target=run, args=(world, 5)) for _ in range(3)]
    for worker in workers:
        worker.start()
    while any(worker.is_alive() for worker in workers):
        assert world.time >= 0
        assert world.matter["left"].positions.shape[1] == 3
    for worker in workers:
        worker.join()
    run(twin, 15)
    assert world.state_hash() == twin.state_hash()


def test_save_and_restore_in_memory():
    world = pl.World(block(), threads=2)
    run(world, 5)
    saved, hash_then, time_then = world.save(), world.state_hash(), world.time
    assert isinstance(saved, bytes)
    later = [(world.step().time, world.state_hash()) for _ in range(5)]
    world.restore(saved)
    assert (world.state_hash(), world.time) == (hash_then, time_then)
    assert [(world.step().time, world.state_hash()) for _ in range(5)] == later


def test_save_and_restore_through_a_file(tmp_path):
    world = pl.World(block(), threads=2)
    run(world, 3)
    for path in (tmp_path / "a.state", str(tmp_path / "b.state")):
        assert world.save(path) is None
    assert (tmp_path / "a.state").read_bytes() == (tmp_path / "b.state").read_bytes() == world.save()
    other = pl.World(block(), threads=1)
    other.restore(tmp_path / "a.state")
    assert other.state_hash() == world.state_hash()


def test_actuation_and_moving_boundary_are_part_of_the_state():
    scene = block(precision="float64")
    world = pl.World(scene, threads=1)
    plain = world.state_hash()
    stress = np.diag([0.0, 0.0, 2000.0])
    world.set_actuation("left", stress)
    world.set_boundary_velocity("floor", (0, 0, 0.5))
    assert world.state_hash() != plain
    saved = world.save()
    run(world, 20)
    other = pl.World(scene, threads=2)
    other.restore(saved)
    run(other, 20)
    assert other.state_hash() == world.state_hash()
    # a stress along z pulls the block together along z
    passive = pl.World(scene, threads=1)
    run(passive, 20)
    assert not np.allclose(passive.matter["left"].positions, world.matter["left"].positions)


def test_actuation_in_the_plane():
    world, other = (pl.World(block(2), threads=1) for _ in range(2))
    world.set_actuation("left", [[100, 20], [20, 0]])
    other.set_actuation("left", [[100, 20, 0], [20, 0, 0], [0, 0, 0]])
    run(world, 3), run(other, 3)
    assert world.state_hash() == other.state_hash()


def test_a_world_keeps_its_own_scene():
    scene = block()
    world = pl.World(scene, threads=1)
    world.scene.step.dt = 1
    scene.step.dt = 1
    scene.matter[0].name = "other"
    assert world.step().time == 2e-3
    assert list(world.matter) == ["left", "right"]
