"""Runs a scene with robots and leaves a recording, a film, a strip of stills, and plots of the hand's height and of the
forces of matter on bodies."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from pliant._core import Scene, World
from pliant.errors import Error
from pliant.film import write_strip
from pliant.library import load
from pliant.pictures import Look, Painter, render_recording, settled
from pliant.recorder import Recorder
from pliant.recording import Recording
from pliant.replay import Replay
from pliant.runner import Outcome, Plan
from pliant.runner import run as run_world

STILLS = 6
SIZE = (640, 480)


def hand_of(scene: Scene) -> str | None:
    """The site that the scene's first gripper motion leads."""
    return next((motion.target for motion in scene.motion if motion.kind == "gripper"), None)


def hand_heights(recording: Recording, site: str) -> np.ndarray:
    heights, data = [], None
    for number in range(len(recording)):
        data = recording.data(number, data)
        heights.append(data.site(site).xpos[2])
    return np.array(heights)


@contextmanager
def plotted(path: Path, title: str, unit: str) -> Iterator[Any]:
    """Axes over time, saved at the end."""
    figure, axes = plt.subplots(figsize=(7, 3.5), layout="constrained")
    yield axes
    axes.set(xlabel="time [s]", ylabel=unit, title=title)
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(path, dpi=120)
    plt.close(figure)


def plot_height(path: Path, recording: Recording, scene: Scene, site: str) -> None:
    """The hand's height over time, with the waypoints that it was sent to."""
    motion = next(motion for motion in scene.motion if motion.target == site)
    with plotted(path, scene.name, "height [m]") as axes:
        axes.plot(recording.times, hand_heights(recording, site), label=f"{site}, reached")
        axes.plot(motion.times, [value[2] for value in motion.values], "o", ms=4, label="waypoints")


def most_pushed(recording: Recording) -> str | None:
    """The body on which matter acts most; None if it acts on none."""
    sums = {name: float(np.abs(rows[:, :3]).sum()) for name, rows in recording.wrenches.items()}
    name = max(sums, key=lambda name: sums[name], default=None)
    return name if name is not None and sums[name] > 0 else None


def plot_wrench(path: Path, recording: Recording, body: str) -> None:
    """The force of matter on a body over time."""
    wrench, times = recording.wrenches[body], recording.reports["time"]
    with plotted(path, f"force of matter on {body}", "force [N]") as axes:
        for axis, name in enumerate("xyz"):
            axes.plot(times, wrench[:, axis], lw=1, label=name)


def write_stills(path: Path, recording: Recording) -> None:
    replay = Replay(recording)
    look = settled(replay, Look().check(), SIZE)
    numbers = np.linspace(0, len(replay) - 1, STILLS).round().astype(int)
    with Painter(replay, SIZE, replay.particle_count, look) as painter:
        pictures = [painter.paint(replay.moment(int(number))) for number in numbers]
    write_strip(path, pictures, [f"{replay.times[number]:.2f} s" for number in numbers])


def record(name: str, scene: Scene, path: Path, threads: int) -> Outcome:
    world = World(scene, threads)
    outcome = run_world(world, Plan(scene.duration, name, True), Recorder(path, world, scene))
    if outcome.error:
        raise Error(outcome.error)
    for check in outcome.checks:
        print(check)
    return outcome


def run(name: str, folder: Path, threads: int = 0, scene: Scene | None = None) -> list[Path]:
    """The files that are worth looking at. scene: what to run under this name, if not the scene of this name."""
    folder.mkdir(parents=True, exist_ok=True)
    scene = scene or load(name)
    scene.cache_folder = str(folder / "pliant_cache")
    path = folder / f"{name}.h5"
    path.unlink(missing_ok=True)
    outcome = record(name, scene, path, threads)
    if outcome.stopped_by:
        return [path]
    files = [folder / f"{name}.mp4", folder / f"{name}.png"]
    with Recording(path) as recording:
        render_recording(recording, film=files[0], size=SIZE)
        write_stills(files[1], recording)
        site = hand_of(scene)
        if site is not None:
            files.append(folder / f"{name}_height.png")
            plot_height(files[-1], recording, scene, site)
        body = most_pushed(recording)
        if body is not None:
            files.append(folder / f"{name}_force.png")
            plot_wrench(files[-1], recording, body)
    return files
