"""Runs a world to its end: progress, recording, Ctrl-C, checks."""

import contextlib
import math
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

from tqdm import tqdm

from pliant._core import StepReport, World
from pliant.errors import BadFileError, Error
from pliant.expect import Check, RunLog, evaluate
from pliant.recorder import Recorder, report_row
from pliant.touch import feels_matter

BAR = "{percentage:3.0f}% |{bar}| {desc} [{elapsed}<{remaining}]"


@dataclass
class Outcome:
    """What became of a run."""

    scene: str
    steps: int = 0  # of this run
    seconds: float = 0.0  # wall time of the steps
    simulated: float = 0.0  # s
    checks: list[Check] = field(default_factory=list)
    error: str = ""
    stopped_by: int = 0  # number of the signal

    @property
    def ok(self) -> bool:
        return not self.error and not self.stopped_by and all(check.ok for check in self.checks)

    def as_dict(self) -> dict[str, Any]:
        """The object of `pliant run --json`; "error" is there only if there was one."""
        steps, seconds = max(1, self.steps), max(1e-9, self.seconds)
        made = {
            "scene": self.scene,
            "steps": self.steps,
            "ms_per_step": round(1e3 * self.seconds / steps, 6),
            "real_time_factor": round(self.simulated / seconds, 6),
            "expect": [check.as_dict() for check in self.checks],
        }
        return made | ({"error": self.error} if self.error else {})


class StepStopped(Exception):
    """A signal came in the middle of a step."""


class Stop:
    """Whether Ctrl-C was pressed, or the process asked to end. A second time it waits for nothing."""

    def __init__(self) -> None:
        self.signal = 0
        self.stepping = False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        again, self.signal = self.signal, number
        if again:
            raise KeyboardInterrupt
        if self.stepping:
            raise StepStopped

    def step(self, world: World) -> StepReport | None:
        """Takes a step; None if a signal has ended it, and nothing has changed."""
        before = world.time
        try:
            self.stepping = True
            report = world.step()
            self.stepping = False
        except StepStopped:
            self.stepping = False
            # it may have come when the step was over
            return world.report if world.time > before else None
        return report


@contextlib.contextmanager
def stopping() -> Iterator[Stop]:
    """Signals end the run between two steps; one that comes in the middle of a step takes it back."""
    stop = Stop()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class Progress:
    """A bar on stderr: simulated time, real time factor, contacts and iterations."""

    def __init__(self, world: World, name: str, steps: int, show: bool | None) -> None:
        # None: only where somebody looks
        off = None if show is None else not show
        self.bar = tqdm(total=steps, bar_format=BAR, disable=off)
        self.name, self.touching = name, feels_matter(world)
        self.start, self.done = time.perf_counter(), 0.0

    def add(self, report: StepReport, dt: float) -> None:
        if self.bar.disable:
            return
        self.done += dt
        pace = self.done / max(1e-9, time.perf_counter() - self.start)
        words = [f"{self.name}: {report.time:.2f} s", f"{pace:.3g} x real time"]
        if self.touching:
            words.append(f"{report.contacts:.0f} contacts, {report.iterations} iterations")
        self.bar.set_description_str(", ".join(words), refresh=False)
        self.bar.update()

    def close(self) -> None:
        self.bar.close()


@dataclass
class Plan:
    """How to run."""

    until: float  # s, the end
    name: str = ""  # of the scene, where it has none itself
    bar: bool | None = False  # None: a bar if stderr is a terminal
    log: RunLog = field(default_factory=RunLog)  # of the steps that were made before, where a recording is continued


def run(world: World, plan: Plan, recorder: Recorder | None = None) -> Outcome:
    """Steps until the end, then evaluates the checks of the scene.

    A failed step or a signal ends the run early; the outcome says so, and the recording is whole.
    """
    scene, log = world.scene, plan.log
    outcome = Outcome(scene.name or plan.name or "scene")
    # a check that cannot be made is better known now than in an hour
    evaluate(world, log)
    steps = max(0, math.ceil((plan.until - world.time) / scene.step.dt - 1e-6))
    log.listen_to(world)
    progress = Progress(world, outcome.scene, steps, plan.bar)
    with stopping() as stop:
        try:
            while outcome.steps < steps and not stop.signal:
                if advance(world, stop, recorder, log, outcome):
                    progress.add(world.report, scene.step.dt)
        except Error as error:
            outcome.error = str(error)
            log.failed_steps += not isinstance(error, BadFileError)
        finally:
            progress.close()
        outcome.stopped_by = stop.signal
        finish(recorder, outcome)
    if not outcome.stopped_by:
        outcome.checks = evaluate(world, log)
    return outcome


def advance(world: World, stop: Stop, recorder: Recorder | None, log: RunLog, outcome: Outcome) -> bool:
    start, before = time.perf_counter(), world.time
    report = stop.step(world)
    if report is None:
        return False
    outcome.seconds += time.perf_counter() - start
    outcome.steps += 1
    outcome.simulated += world.time - before
    log.reports.append(report_row(report))
    log.note(world)
    if recorder is not None:
        recorder.add(report)
    return True


def finish(recorder: Recorder | None, outcome: Outcome) -> None:
    if recorder is None:
        return
    try:
        # a run that was stopped goes on later as if it had not been: without a frame between frames
        recorder.close(last_frame=not outcome.stopped_by)
    except Error as error:
        outcome.error = outcome.error or str(error)
