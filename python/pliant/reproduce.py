"""Runs the scenes of a paper's table on this machine and sets ours beside theirs.

reproduce_s1 and reproduce_s2 hold the tables and figures of the papers, report_page and results what is made of them.
"""

import time
from collections.abc import Callable, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from pliant._core import Scene, StepReport, World
from pliant.errors import BadFileError, BadInputError, Error
from pliant.expect import Check, RunLog, evaluate
from pliant.library import load, scene_file, scene_names
from pliant.recorder import Recorder, report_row
from pliant.runner import Progress

# what the papers and we use, where a scene does not say it itself
STRONG = {"method": "strong", "dt": "0.01", "substeps": "0", "tolerance": "1e-6"}
ASYNC = {"method": "async", "substeps": "0", "tolerance": "0.05"}

QUICK_STEPS = 40  # of a quick look, where a row does not say when it ends
COUNT_EVERY = 20  # steps; to count the nodes takes longer than some steps


@dataclass(frozen=True)
class Choice:
    """How to reproduce."""

    out: Path = Path("out")
    threads: int = 0  # 0: all that the machine has
    quick: bool = False  # only the beginning of each scene, and no checks of its end
    bar: bool | None = None  # None: where somebody looks
    only: tuple[str, ...] = ()  # names of scenes; none: all
    record: bool = False  # leave recordings of the first way of each row in out

    def wants(self, scene: str) -> bool:
        return not self.only or scene in self.only


@dataclass(frozen=True)
class PaperRow:
    """A row of a paper's Table I. All but the last two belong to its columns, in their order."""

    title: str
    cell: float  # m
    particles: int
    nodes: float  # n_v: nodes of the grid with mass, mean of the run
    dt: float | None  # ms; None: our copy of the paper lacks it
    substeps: int
    ms_per_step: float
    contacts: tuple[float, int]  # mean, most
    scene: str  # ours, whether it is there or not


@dataclass(frozen=True)
class Row:
    """A row of a paper and the ways in which we run it: by the method's name, what the scene is to change. The first
    way is the paper's own; the others may fail."""

    paper: PaperRow
    ways: dict[str, dict[str, str]]
    quick: float = 0.0  # s, where a quick look ends; 0: after some steps

    @property
    def is_there(self) -> bool:
        return self.paper.scene in scene_names()


Watch = Callable[[World], None]


@dataclass(frozen=True)
class Job:
    """A run of a scene. Changes are keys of its step, those with a dot of the scene itself."""

    scene: str
    changes: dict[str, str] = field(default_factory=dict)
    quick: float = 0.0  # s, where a quick look ends; 0: after some steps
    watch: Watch | None = None  # called after each step
    recording: Path | None = None  # where to leave one


@dataclass
class Measured:
    """What a run of a scene took."""

    scene: str
    world: World
    seconds: float = 0.0  # wall time of the steps
    contacts: list[float] = field(default_factory=list)  # mean of each step
    most: int = 0
    iterations: int = 0
    linear_iterations: int = 0
    substeps: int = 0
    checks: list[Check] = field(default_factory=list)

    @property
    def ms_per_step(self) -> float:
        return 1e3 * self.seconds / max(1, len(self.contacts))

    @property
    def real_time_factor(self) -> float:
        return len(self.contacts) * float(self.world.scene.step.dt) / max(1e-9, self.seconds)

    def count(self, report: StepReport) -> None:
        self.contacts.append(float(report.contacts))
        self.most = max(self.most, int(report.most_contacts))
        self.iterations += int(report.iterations)
        self.linear_iterations += int(report.linear_iterations)
        self.substeps += int(report.substeps)


def scene_of(job: Job, choice: Choice) -> Scene:
    changes = {key if "." in key else f"step.{key}": value for key, value in job.changes.items()}
    scene = load(job.scene, overrides=changes)
    scene.cache_folder = str(choice.out / "pliant_cache")
    return scene


def measure(job: Job, choice: Choice) -> Measured:
    """Runs a scene to its end, or its beginning for a quick look. A failed step is an error."""
    scene = scene_of(job, choice)
    world, dt = World(scene, choice.threads), scene.step.dt
    end = min(scene.duration, job.quick or QUICK_STEPS * dt) if choice.quick else scene.duration
    steps = max(1, round(end / dt))
    result, log = Measured(job.scene, world), RunLog()
    log.listen_to(world)
    label = " ".join([job.scene, *job.changes.values()])
    with (
        closing(Progress(world, label, steps, choice.bar)) as progress,
        Recorder(job.recording, world, scene) if job.recording else nullcontext() as recorder,
    ):
        for _ in range(steps):
            start = time.perf_counter()
            report = world.step()
            result.seconds += time.perf_counter() - start
            result.count(report)
            log.reports.append(report_row(report))
            log.note(world)
            if recorder:
                recorder.add(report)
            if job.watch:
                job.watch(world)
            progress.add(report, dt)
    result.checks = [] if choice.quick else evaluate(world, log)
    return result


# rows of a table


def nodes_with_mass(positions: np.ndarray, cell: float) -> int:
    """Nodes that the quadratic kernel of some particle reaches."""
    first = np.unique(np.floor(positions / cell - 0.5).astype(np.int64), axis=0)
    reach = np.stack(np.meshgrid(*[range(3)] * 3), axis=-1).reshape(-1, 3)
    return len(np.unique((first[:, None] + reach).reshape(-1, 3), axis=0))


class NodeCounter:
    """Counts the nodes with mass now and then."""

    def __init__(self) -> None:
        self.nodes: list[int] = []
        self.steps = 0

    def __call__(self, world: World) -> None:
        if self.steps % COUNT_EVERY == 0:
            positions = np.concatenate([world.matter[name].positions for name in world.matter])
            self.nodes.append(nodes_with_mass(positions, world.scene.step.cell))
        self.steps += 1


def check_only(choice: Choice, names: Sequence[str]) -> None:
    """names: of all that a table and its figures run."""
    strange = [name for name in choice.only if name not in names]
    if strange:
        raise BadInputError(f"no row of the table is called '{strange[0]}'; choose one of {', '.join(names)}")


def run_rows(rows: Sequence[Row], choice: Choice, table: str) -> list[dict[str, Any]]:
    """One for each way of each row whose scene is there. table: s1 or s2."""
    wanted = [row for row in rows if row.is_there and choice.wants(row.paper.scene)]
    return [run_way(row, method, choice, table) for row in wanted for method in row.ways]


def run_way(row: Row, method: str, choice: Choice, table: str) -> dict[str, Any]:
    first = method == next(iter(row.ways))
    recording = choice.out / f"{table}_{row.paper.scene}.h5" if choice.record and first else None
    if recording:
        recording.unlink(missing_ok=True)
    counter = NodeCounter()
    made = {"scene": row.paper.scene, "title": row.paper.title, "method": method, "first": first}
    try:
        ours = measure(Job(row.paper.scene, row.ways[method], row.quick, counter, recording), choice)
    except Error as error:
        made |= {"error": without_folder(str(error), row.paper.scene), "expect": []}
        made["refused"] = isinstance(error, BadFileError)
    else:
        # the checks of a scene are for its own grid
        if "cell" in row.ways[method]:
            ours.checks = []
        made |= {**our_figures(ours), "nodes": round(float(np.mean(counter.nodes)), 1)}
    # a run that failed is worth a look too
    known = {"recording": str(recording)} if recording and recording.exists() else {}
    return {**made, **paper_figures(row.paper), **known}


def without_folder(text: str, scene: str) -> str:
    """The text of an error without the place of the scene's file on this machine."""
    file = scene_file(scene)
    return text.replace(file, f"{scene}.yaml") if file else text


def our_figures(ours: Measured) -> dict[str, Any]:
    step, steps = ours.world.scene.step, max(1, len(ours.contacts))
    return {
        "ms_per_step": round(ours.ms_per_step, 4),
        "contacts_avg": round(float(np.mean(ours.contacts)), 2),
        "contacts_max": ours.most,
        "real_time_factor": round(ours.real_time_factor, 4),
        "expect": [check.as_dict() for check in ours.checks],
        "particles": ours.world.particle_count,
        "cell": step.cell,
        "dt": step.dt,
        "steps": len(ours.contacts),
        "substeps": round(ours.substeps / steps, 2),
        "iterations_per_substep": round(ours.iterations / max(1, ours.substeps), 2),
        "linear_iterations_per_step": round(ours.linear_iterations / steps, 2),
        "tolerance": step.solver_tolerance,
    }


def paper_figures(paper: PaperRow) -> dict[str, Any]:
    return {
        "paper_ms_per_step": paper.ms_per_step,
        "paper_contacts_avg": paper.contacts[0],
        "paper_contacts_max": paper.contacts[1],
        "paper_particles": paper.particles,
        "paper_nodes": paper.nodes,
        "paper_cell": paper.cell,
        "paper_dt": None if paper.dt is None else 1e-3 * paper.dt,
        "paper_substeps": paper.substeps,
    }


def not_there(rows: Sequence[Row]) -> list[str]:
    return [row.paper.title for row in rows if not row.is_there]


def all_held(result: dict[str, Any]) -> bool:
    """Whether the checks of the papers' own ways and of the squeeze held."""
    rows = [row for row in result["rows"] if row["first"]]
    checks = [check for made in (*rows, result.get("squeeze") or {}) for check in made.get("expect", [])]
    return all(check["ok"] for check in checks) and not any("error" in row for row in rows)
