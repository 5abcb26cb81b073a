"""Runs rows at their places, several at once, and makes lines of what they measured."""

import math
import os
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from typing import Any

from tqdm import tqdm

from pliant.errors import Error
from pliant.validate.case import Built, Cancelled, Case
from pliant.validate.known import known_reason
from pliant.validate.place import Place, draw_places
from pliant.validate.row import Measured, Row


@dataclass(frozen=True)
class Choice:
    """How to validate."""

    seed: int = 1
    threads: int = 0  # 0: all that the machine has
    refine: bool = False  # cells and steps of half the size
    bar: bool | None = None  # None: where somebody looks
    methods: tuple[str, ...] = ("async", "strong")


@dataclass(frozen=True)
class Job:
    """A row with one method at one of its places."""

    row: Row
    method: str
    number: int  # of the place
    place: Place


@dataclass
class Line:
    """A line of the table: the worst of its places."""

    name: str
    method: str
    bound: float
    source: str
    measured: list[Measured] = field(default_factory=list)  # by place
    trouble: str = ""  # why there is no value

    @property
    def worst(self) -> Measured:
        if self.trouble or not self.measured:
            return Measured(math.nan, math.nan, 1.0)
        return max(self.measured, key=lambda m: m.error if m.error == m.error else math.inf)

    @property
    def ok(self) -> bool:
        return bool(self.worst.error <= self.bound)

    @property
    def reason(self) -> str:
        """Why it is not ok, as far as one knows."""
        return "" if self.ok else self.trouble or known_reason(self.name, self.method)

    def as_dict(self) -> dict[str, Any]:
        """Numbers that are not finite are null."""
        worst = self.worst
        made = {
            "name": self.name,
            "method": self.method,
            "value": finite(worst.value),
            "reference": finite(worst.reference),
            "error": finite(worst.error),
            "bound": self.bound,
            "ok": self.ok,
            "places": [finite(m.value) for m in self.measured],
        }
        return made | ({"reason": self.reason} if not self.ok else {})


def finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def cell_of(row: Row) -> float:
    """The cell of a row's scene, m; the scene is built, and not run."""
    try:
        row.measure(Case(row.methods[0], dry=True))
    except Built as built:
        return float(built.scene.step.cell)
    raise AssertionError(f"{row.name} runs no scene")


def jobs_of(rows: Sequence[Row], choice: Choice) -> list[Job]:
    jobs = []
    for row in rows:
        places = draw_places(choice.seed, row.name, cell_of(row), row.tilts)
        ways = [method for method in row.methods if method in choice.methods]
        jobs += [Job(row, method, number, place) for method in ways for number, place in enumerate(places)]
    return jobs


def run_rows(rows: Sequence[Row], choice: Choice) -> list[Line]:
    """Lines in the order of the rows. Each world has one thread; as many run at once as there are threads."""
    jobs, stop = jobs_of(rows, choice), threading.Event()
    lines = {
        (row.name, method, line): Line(f"{row.name}: {line}", method, bound, row.source)
        for row in rows
        for method in row.methods
        if method in choice.methods
        for line, bound in row.lines.items()
    }
    done: dict[tuple[str, str, int], dict[str, Measured] | str] = {}
    off = None if choice.bar is None else not choice.bar
    with ThreadPoolExecutor(choice.threads or os.cpu_count() or 1) as pool, tqdm(total=len(jobs), disable=off) as bar:
        tickets = {pool.submit(run_job, job, choice, stop): job for job in jobs}
        try:
            for ticket in as_completed(tickets):
                job = tickets[ticket]
                done[job.row.name, job.method, job.number] = ticket.result()
                bar.set_description_str(f"{job.row.name}, {job.method}", refresh=False)
                bar.update()
        except BaseException:
            stop.set()
            pool.shutdown(cancel_futures=True)
            raise
    for job in jobs:
        enter(job, done[job.row.name, job.method, job.number], lines)
    return list(lines.values())


def run_job(job: Job, choice: Choice, stop: threading.Event) -> dict[str, Measured] | str:
    """What was measured, or why nothing was."""
    if stop.is_set():
        raise Cancelled
    try:
        return job.row.measure(Case(job.method, job.place, 2 if choice.refine else 1, stop=stop))
    except Error as error:
        return f"place {job.number + 1}: {error}"


def enter(job: Job, got: dict[str, Measured] | str, lines: dict[tuple[str, str, str], Line]) -> None:
    for name in job.row.lines:
        line = lines[job.row.name, job.method, name]
        if isinstance(got, str):
            line.trouble = line.trouble or got
        else:
            line.measured.append(got[name])
