"""Runs a table of a paper on this machine and prints ours beside theirs; plots go to a folder.

s2: Yu et al., a convex formulation of material points and rigid bodies with asynchronous coupling. Its figures are of
an RTX 4090 with a tolerance of 5e-2 (shake: 1e-2); ours are of this machine's processor. s1: see reproduce_s1.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from pliant._core import StepReport, World
from pliant.expect import Check, RunLog, evaluate
from pliant.library import load
from pliant.recorder import report_row
from pliant.runner import Progress

SWEEP = (1e-1, 5e-2, 1e-2, 1e-3, 1e-4, 1e-5)


@dataclass(frozen=True)
class PaperRow:
    """A row of Table I of S2."""

    title: str
    cell: float  # m
    particles: int
    dt: float | None  # ms; None: our copy of the paper lacks it
    substeps: int
    ms_per_step: float
    contacts: tuple[float, int]  # mean, most
    scene: str = ""  # ours; empty: not yet


TABLE_S2 = (
    PaperRow("dough rolling", 0.02, 5920, 10, 10, 21.7, (17.8, 101), "dough_rolling"),
    PaperRow("box bagging", 1 / 64, 2582, None, 10, 45.3, (19.6, 45)),
    PaperRow("laundry", 1 / 128, 14904, 5, 5, 18.9, (163.4, 617)),
    PaperRow("T-shirt folding", 1 / 128, 12160, 2, 4, 21.5, (533.8, 1307)),
    PaperRow("shake", 0.01, 3456, 0.1, 10, 231.1, (571.1, 576), "shake"),
)
# ms per step of the dough in S2's text: 59 % of real time at a tolerance of 1e-1, Table I at 5e-2
PAPER_SWEEP = {1e-1: 10 / 0.59, 5e-2: 21.7}

# N on a panel of the squeeze (S2 Fig. 2): pressed by 10 N, and half of the weight of .4 kg
SQUEEZE = {"x": 10.0, "y": 0.0, "z": 0.4 * 9.81 / 2}


@dataclass(frozen=True)
class Choice:
    """How to reproduce."""

    out: Path = Path("out")
    threads: int = 0  # 0: all that the machine has
    quick: bool = False  # only the beginning of each scene, and no checks of its end
    bar: bool | None = None  # None: where somebody looks


@dataclass
class Measured:
    """What a run of a scene took."""

    scene: str
    world: World
    seconds: float = 0.0  # wall time of the steps
    contacts: list[float] = field(default_factory=list)  # mean of each step
    most: int = 0
    iterations: int = 0
    substeps: int = 0
    checks: list[Check] = field(default_factory=list)

    @property
    def ms_per_step(self) -> float:
        return 1e3 * self.seconds / max(1, len(self.contacts))

    @property
    def real_time_factor(self) -> float:
        return len(self.contacts) * float(self.world.scene.step.dt) / max(1e-9, self.seconds)


Watch = Callable[[World], None]


def measure(name: str, choice: Choice, until: float = 0.0, watch: Watch | None = None, **step: str) -> Measured:
    """Runs a scene to its end, or for a quick look only until a time. step: keys of the scene's step to replace; those
    with a dot are of the scene itself."""
    scene = load(name, overrides={key if "." in key else f"step.{key}": value for key, value in step.items()})
    world = World(scene, choice.threads)
    short = choice.quick and until > 0
    end = until if short else scene.duration
    steps = round(end / scene.step.dt)
    result, log = Measured(name, world), RunLog()
    log.listen_to(world)
    progress = Progress(world, " ".join([name, *step.values()]), steps, choice.bar)
    for _ in range(steps):
        start = time.perf_counter()
        report = world.step()
        result.seconds += time.perf_counter() - start
        count(result, report)
        log.reports.append(report_row(report))
        log.note(world)
        if watch:
            watch(world)
        progress.add(report, scene.step.dt)
    progress.close()
    result.checks = [] if short else evaluate(world, log)
    return result


def count(result: Measured, report: StepReport) -> None:
    result.contacts.append(float(report.contacts))
    result.most = max(result.most, int(report.most_contacts))
    result.iterations += int(report.iterations)
    result.substeps += int(report.substeps)


# the table

# s, where a quick look at a scene ends
QUICK = {"dough_rolling": 2.4, "shake": 0.01, "squeeze": 0.02}


def row_of(paper: PaperRow, ours: Measured) -> dict[str, Any]:
    step = ours.world.scene.step
    return {
        "scene": ours.scene,
        "ms_per_step": round(ours.ms_per_step, 4),
        "paper_ms_per_step": paper.ms_per_step,
        "contacts_avg": round(float(np.mean(ours.contacts)), 2),
        "contacts_max": ours.most,
        "real_time_factor": round(ours.real_time_factor, 4),
        "expect": [check.as_dict() for check in ours.checks],
        "paper_contacts_avg": paper.contacts[0],
        "paper_contacts_max": paper.contacts[1],
        "particles": ours.world.particle_count,
        "paper_particles": paper.particles,
        "cell": step.cell,
        "dt": step.dt,
        "substeps": round(ours.substeps / max(1, len(ours.contacts)), 2),
        "iterations_per_substep": round(ours.iterations / max(1, ours.substeps), 2),
        "tolerance": step.tolerance,
    }


HEAD = ("scene", "h [m]", "particles", "dt [ms]", "N", "ms/step", "contacts avg (max)", "x real time")


def table(rows: list[dict[str, Any]]) -> str:
    """Ours below the paper's, scene by scene."""
    lines = [HEAD]
    for paper in TABLE_S2:
        dt = "?" if paper.dt is None else f"{paper.dt:g}"
        factor = "?" if paper.dt is None else f"{paper.dt / paper.ms_per_step:.3g}"
        contacts = f"{paper.contacts[0]:g} ({paper.contacts[1]})"
        sizes = (f"{paper.cell:.4g}", f"{paper.particles}", dt, f"{paper.substeps}")
        lines.append((f"{paper.title}, paper", *sizes, f"{paper.ms_per_step:g}", contacts, factor))
        ours = next((row for row in rows if row["scene"] == paper.scene), None)
        lines.append(("  ours", *our_cells(ours)) if ours else ("  ours: not yet", *[""] * (len(HEAD) - 1)))
    return columns(lines)


def columns(lines: list[tuple[str, ...]]) -> str:
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    padded = (map(str.ljust, line, widths) for line in lines)
    return "\n".join("  ".join(cells).rstrip() for cells in padded)


def our_cells(row: dict[str, Any]) -> tuple[str, ...]:
    return (
        f"{row['cell']:.4g}",
        f"{row['particles']}",
        f"{1e3 * row['dt']:g}",
        f"{row['substeps']:g}",
        f"{row['ms_per_step']:.3g}",
        f"{row['contacts_avg']:.4g} ({row['contacts_max']})",
        f"{row['real_time_factor']:.3g}",
    )


# the tolerance sweep and the squeeze


def sweep(choice: Choice, known: Measured) -> list[dict[str, float]]:
    """The dough at several tolerances of the contact solver (S2 Fig. 4); known: the run of the table."""
    points = []
    for tolerance in SWEEP[1:4:2] if choice.quick else SWEEP:
        if tolerance == known.world.scene.step.tolerance:
            points.append(sweep_point(known))
        else:
            ours = measure("dough_rolling", choice, QUICK["dough_rolling"], tolerance=f"{tolerance:g}")
            points.append(sweep_point(ours))
    return points


def sweep_point(ours: Measured) -> dict[str, float]:
    return {
        "tolerance": float(ours.world.scene.step.tolerance),
        "ms_per_step": round(ours.ms_per_step, 4),
        "real_time_factor": round(ours.real_time_factor, 4),
        "iterations_per_substep": round(ours.iterations / max(1, ours.substeps), 3),
        # rad: does the motion depend on the tolerance?
        "spin": round(float(ours.world.data.joint("pin/spin").qpos[0]), 4),
    }


def squeeze(choice: Choice, **step: str) -> dict[str, Any]:
    """Forces on the left panel over time (S2 Fig. 2). step: as for measure."""
    times: list[float] = []
    forces: list[Any] = []

    def watch(world: World) -> None:
        times.append(world.time)
        # N, of the cube on the panel
        forces.append(world.wrench("left/panel").force)

    ours = measure("squeeze", choice, QUICK["squeeze"], watch, **step)
    force = np.array(forces)
    last = force[len(force) * 3 // 4 :]
    return {
        "time": np.array(times),
        "force": force,
        # pushed to the left and down
        "mean": {axis: float(last[:, i].mean()) for i, axis in enumerate("xyz")},
        "spread": {axis: float(np.ptp(last[:, i])) for i, axis in enumerate("xyz")},
        "analytic": {"x": -SQUEEZE["x"], "y": 0.0, "z": -SQUEEZE["z"]},
        "expect": [check.as_dict() for check in ours.checks],
    }


# plots


def plot_sweep(path: Path, points: list[dict[str, float]]) -> None:
    figure, axes = axes_of("relative tolerance", "ms per step of 10 ms")
    tolerances = [point["tolerance"] for point in points]
    axes.loglog(tolerances, [point["ms_per_step"] for point in points], "o-", label="ours, this machine")
    axes.loglog(list(PAPER_SWEEP), list(PAPER_SWEEP.values()), "s", label="S2, RTX 4090")
    axes.axhline(10, color="gray", lw=0.8, label="real time")
    axes.set_title("dough rolling: cost and tolerance")
    save(path, figure, axes)


def plot_squeeze(path: Path, forces: dict[str, Any]) -> None:
    figure, axes = axes_of("time [s]", "force on the left panel [N]")
    for i, axis in enumerate("xyz"):
        (line,) = axes.plot(forces["time"], forces["force"][:, i], label=axis)
        axes.axhline(forces["analytic"][axis], color=line.get_color(), ls="--", lw=0.8)
    axes.set_title("squeeze; dashed: analytic")
    save(path, figure, axes)


def axes_of(x: str, y: str) -> tuple[Any, Any]:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
    axes.set(xlabel=x, ylabel=y)
    axes.grid(alpha=0.3)
    return figure, axes


def save(path: Path, figure: Any, axes: Any) -> None:
    import matplotlib.pyplot as plt

    axes.legend()
    figure.savefig(path, dpi=120)
    plt.close(figure)


# all of it


def reproduce_s2(choice: Choice) -> dict[str, Any]:
    """The object of `pliant reproduce s2 --json`; leaves its plots in choice.out."""
    choice.out.mkdir(parents=True, exist_ok=True)
    runs = {paper: measure(paper.scene, choice, QUICK[paper.scene]) for paper in TABLE_S2 if paper.scene}
    points, forces = sweep(choice, runs[TABLE_S2[0]]), squeeze(choice)
    plots = [choice.out / "s2_tolerance.png", choice.out / "s2_squeeze.png"]
    plot_sweep(plots[0], points)
    plot_squeeze(plots[1], forces)
    return {
        "rows": [row_of(paper, ours) for paper, ours in runs.items()],
        "not_yet": [paper.title for paper in TABLE_S2 if not paper.scene],
        "sweep": points,
        "squeeze": {key: forces[key] for key in ("mean", "spread", "analytic", "expect")},
        "plots": [str(plot) for plot in plots],
    }


def as_text(result: dict[str, Any]) -> str:
    lines = [table(result["rows"]), ""]
    for row in result["rows"]:
        lines += [f"{row['scene']}: {line(check)}" for check in row["expect"]]
    lines += ["", "dough rolling, tolerance sweep (S2 Fig. 4)"]
    lines += [
        f"  {point['tolerance']:<7g} {point['ms_per_step']:.3g} ms/step, {point['real_time_factor']:.3g} x real time, "
        f"{point['iterations_per_substep']:.3g} iterations per substep, the pin turns by {point['spin']:.4g} rad"
        for point in result["sweep"]
    ]
    lines += ["", "squeeze, force on the left panel in N, last quarter (S2 Fig. 2)"]
    lines += squeeze_lines(result["squeeze"])
    return "\n".join([*lines, "", f"look at {' and '.join(result['plots'])}"])


def squeeze_lines(squeezed: dict[str, Any]) -> list[str]:
    forces = [
        f"  {axis}: {squeezed['mean'][axis]:.5g}, spread {squeezed['spread'][axis]:.2g}; "
        f"analytic {squeezed['analytic'][axis]:.5g}"
        for axis in "xyz"
    ]
    return forces + [f"  {line(check)}" for check in squeezed["expect"]]


def line(check: dict[str, Any]) -> str:
    value = "not a number" if check["value"] is None else f"{check['value']:.6g}"
    return f"{'ok    ' if check['ok'] else 'FAILED'} {check['name']}: {value}"


def all_held(result: dict[str, Any]) -> bool:
    checks = [check for row in (*result["rows"], result["squeeze"]) for check in row["expect"]]
    return all(check["ok"] for check in checks)
