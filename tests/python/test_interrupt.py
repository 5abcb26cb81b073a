"""Ctrl-C in the middle of long work: KeyboardInterrupt within a second, and a world that is as it was."""

import contextlib
import os
import signal
import threading
import time

import numpy as np
import pytest

import pliant as pl
from pliant.runner import Plan, run
from support import block, touching

LONGEST = 1.0  # s, from the signal to the exception


@pytest.fixture(autouse=True)
def hears_ctrl_c():
    """Who starts the tests in the background of a shell gives them a SIGINT that is ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def signal_after(seconds, number=signal.SIGINT):
    """Sends a signal to this process; gives a list that then holds the time."""
    sent = []

    def send():
        sent.append(time.perf_counter())
        os.kill(os.getpid(), number)

    timer = threading.Timer(seconds, send)
    timer.start()
    try:
        yield sent
    finally:
        timer.cancel()
        timer.join()


def interrupt(work, seconds, number=signal.SIGINT, raised=KeyboardInterrupt):
    ended = []

    def work_and_wait():
        work()
        ended.append(time.perf_counter())
        # the signal must not hit another test
        time.sleep(max(0.5, 2 * seconds))

    with pytest.raises(raised), signal_after(seconds, number) as sent:
        work_and_wait()
    assert not ended, "the work was over before the signal"
    assert time.perf_counter() - sent[0] < LONGEST


def long_step(**step):
    """A step of about a minute."""
    scene = block(dt=1.0, cell=0.01, max_substeps=1_000_000, **step)
    scene.materials[0].E = 2e6
    return pl.World(scene)


def seconds_of(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


@pytest.mark.parametrize("method", ["async", "one_way"])
def test_a_step(method):
    world = long_step(method=method)
    before = world.state_hash(), world.save(), world.time
    interrupt(world.step, 0.3)
    assert (world.state_hash(), world.save(), world.time) == before


@pytest.mark.parametrize("method", ["async", "strong"])
def test_the_world_goes_on_as_if_nothing_had_been(method):
    # long enough for a signal in the middle, short enough to be taken four times
    step = {"dt": 0.2, "max_substeps": 1_000_000} if method == "async" else {"dt": 0.01, "tolerance": 1e-9}
    scene = touching(method=method, cell=0.008 if method == "async" else 0.005, **step)
    world, other = pl.World(scene), pl.World(scene)
    other.step()
    world.step()
    for part in (0.3, 0.6):
        # a clone says how long the very step takes
        took = seconds_of(world.clone().step)
        before = world.state_hash(), np.array(world.data.qpos), np.array(world.data.xpos), len(world.contacts)
        interrupt(world.step, max(0.06, part * took))
        after = world.state_hash(), np.array(world.data.qpos), np.array(world.data.xpos), len(world.contacts)
        assert all(np.array_equal(a, b) for a, b in zip(before, after, strict=True))
    world.step()
    other.step()
    assert world.state_hash() == other.state_hash()


def test_a_run_ends_at_the_first_signal_and_takes_the_step_back():
    world = long_step()
    before = world.state_hash()
    with signal_after(0.3) as sent:
        outcome = run(world, Plan(until=5))
    assert time.perf_counter() - sent[0] < LONGEST
    assert (outcome.stopped_by, outcome.steps) == (signal.SIGINT, 0)
    assert world.state_hash() == before


def bumpy_ball(path, n=150):
    """A closed mesh of 4 n^2 triangles, about 1 m wide."""
    u, v = np.meshgrid(np.arange(2 * n) * np.pi / n, (np.arange(n) + 0.5) * np.pi / n)
    r = 0.4 + 0.05 * np.sin(9 * u) * np.sin(v) ** 2 * np.sin(7 * v)
    rim = np.stack([r * np.sin(v) * np.cos(u), r * np.sin(v) * np.sin(u), r * np.cos(v)], axis=-1).reshape(-1, 3)
    points = np.vstack([rim, [[0, 0, 0.4], [0, 0, -0.4]]])
    faces = []
    for i in range(2 * n):
        j = (i + 1) % (2 * n)
        faces.append((len(rim), i, j))
        faces.append((len(rim) + 1, (n - 1) * 2 * n + j, (n - 1) * 2 * n + i))
        for k in range(n - 1):
            a, b, c, d = k * 2 * n + i, k * 2 * n + j, (k + 1) * 2 * n + j, (k + 1) * 2 * n + i
            faces += [(a, d, c), (a, c, b)]
    lines = [f"v {x:.9g} {y:.9g} {z:.9g}" for x, y, z in points]
    lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in faces]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize(("method", "surface"), [("poisson", True), ("lattice", True), ("lattice", False)])
def test_sampling(tmp_path, method, surface):
    scene = block(cell=0.006)
    sampling = pl.Sampling(method=method, surface_layer=surface, jitter=0.5)
    shape = pl.Mesh(str(bumpy_ball(tmp_path / "ball.obj")))
    scene.matter = [pl.Matter(name="ball", material="rubber", shape=shape, sampling=sampling)]
    interrupt(lambda: pl.World(scene), 0.5)


def test_a_distance_field(tmp_path):
    path = bumpy_ball(tmp_path / "ball.obj")
    text = f"""<mujoco><asset><mesh name="ball" file="{path}" inertia="shell"/></asset>
      <worldbody><body><freejoint/><geom type="mesh" mesh="ball"/></body></worldbody></mujoco>"""
    scene = touching(cell=1e-3)
    scene.matter[0].shape.size = (0.01, 0.01, 0.01)
    scene.bodies = [pl.Body(name="ball", text=text)]
    # MuJoCo's own reading of the mesh comes first
    interrupt(lambda: pl.World(scene), 1.5)


def test_what_a_handler_raises_is_what_comes():
    def handler(number, frame):
        raise LookupError("by hand")

    world = long_step()
    before = signal.signal(signal.SIGUSR1, handler)
    try:
        interrupt(world.step, 0.3, signal.SIGUSR1, LookupError)
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_a_handler_that_returns_ends_nothing():
    heard = []
    world = pl.World(touching(cell=0.008, dt=0.05, max_substeps=1_000_000))
    before = signal.signal(signal.SIGUSR1, lambda number, frame: heard.append(world.particle_count))
    try:
        with signal_after(0.1, signal.SIGUSR1):
            world.step()
            time.sleep(0.2)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert heard == [world.particle_count]
    assert world.time == pytest.approx(0.05)


def test_waiting_for_another_thread():
    world = pl.World(touching(cell=0.008, dt=0.8, max_substeps=1_000_000))
    thread = threading.Thread(target=world.step)
    thread.start()
    time.sleep(0.1)
    interrupt(lambda: world.time, 0.2)
    thread.join()
    assert world.time == pytest.approx(0.8)
