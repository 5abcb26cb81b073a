"""Table I and Figs. 3 and 6 of S1 on this machine, ours beside theirs, and S1's step against S2's on the same dough.

s1: Zong et al., a convex formulation of frictional contact for material points and rigid bodies. Its figures are of one
thread of a Xeon W-11855M, steps of 10 ms and a tolerance of 1e-6; ours are of this machine's processor.
"""

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from pliant._core import World
from pliant.reproduce import (
    Choice,
    PaperRow,
    axes_of,
    columns,
    line,
    measure,
    plot_squeeze,
    row_of,
    save,
    squeeze,
    squeeze_lines,
    sweep_point,
)

STRONG = {"method": "strong", "dt": "0.01", "substeps": "0", "tolerance": "1e-6"}
PAPER_BALL = {**STRONG, "cell": "0.2", "matter.ball.sampling.particles_per_cell": "90"}
OUR_BALL: dict[str, str] = {}

# s, where a quick look at a scene ends
QUICK = {"ball_on_slope": 0.1, "dough_rolling": 2.4, "dough_tearing": 2, "shake": 0.03}


@dataclass(frozen=True)
class Row:
    """A row of Table I of S1, and how we run it."""

    paper: PaperRow
    nodes: float  # n_v: grid nodes with mass, mean of the run
    changes: dict[str, str] = field(default_factory=dict)


def row(
    title: str, size: tuple[float, int, float], seconds: float, contacts: tuple[float, int], ours: Any = None
) -> Row:
    cell, particles, nodes = size
    scene, changes = ours or ("", {})
    return Row(PaperRow(title, cell, particles, 10, 1, 1e3 * seconds, contacts, scene), nodes, changes)


TABLE_S1 = (
    row("ball on slope", (0.2, 6777, 1075.5), 1.16, (2.6, 6), ("ball_on_slope", PAPER_BALL)),
    row("dough tearing", (0.02, 1647, 2974.7), 0.86, (113.7, 306), ("dough_tearing", STRONG)),
    row("dough rolling", (0.02, 5863, 5827.3), 7.65, (496.3, 723), ("dough_rolling", STRONG)),
    row("water pouring", (0.01, 791, 1468.1), 0.85, (312.6, 606)),
    row("shake", (0.01, 3456, 1576.0), 1.94, (763.7, 1626), ("shake", STRONG)),
)


# the table


def nodes_with_mass(positions: np.ndarray, cell: float) -> int:
    """Nodes that the quadratic kernel of some particle reaches."""
    first = np.unique(np.floor(positions / cell - 0.5).astype(np.int64), axis=0)
    reach = np.stack(np.meshgrid(*[range(3)] * 3), axis=-1).reshape(-1, 3)
    return len(np.unique((first[:, None] + reach).reshape(-1, 3), axis=0))


class Counter:
    """Counts what the reports of measure do not keep."""

    def __init__(self) -> None:
        self.nodes: list[int] = []
        self.steps, self.linear = 0, 0

    def __call__(self, world: World) -> None:
        self.linear += int(world.report.linear_iterations)
        # now and then: it takes longer than some steps
        if self.steps % 20 == 0:
            positions = np.concatenate([world.matter[name].positions for name in world.matter])
            self.nodes.append(nodes_with_mass(positions, world.scene.step.cell))
        self.steps += 1


def run_row(wanted: Row, choice: Choice) -> dict[str, Any]:
    counter = Counter()
    scene = wanted.paper.scene
    ours = measure(scene, choice, QUICK[scene], counter, **wanted.changes)
    # the checks of a scene are for its own grid
    if "cell" in wanted.changes:
        ours.checks = []
    return {
        **row_of(wanted.paper, ours),
        "nodes": round(float(np.mean(counter.nodes)), 1),
        "paper_nodes": wanted.nodes,
        "linear_iterations_per_step": round(counter.linear / counter.steps, 2),
    }


HEAD = ("scene", "h [m]", "particles", "n_v", "s/step", "contacts avg (max)", "times faster", "iterations, linear")


def table(rows: list[dict[str, Any]]) -> str:
    """Ours below the paper's, scene by scene; all with steps of 10 ms and a tolerance of 1e-6."""
    lines = [HEAD]
    for wanted in TABLE_S1:
        paper = wanted.paper
        contacts = f"{paper.contacts[0]:g} ({paper.contacts[1]})"
        sizes = (f"{paper.cell:g}", f"{paper.particles}", f"{wanted.nodes:g}")
        lines.append((f"{paper.title}, paper", *sizes, f"{1e-3 * paper.ms_per_step:g}", contacts, "", ""))
        ours = next((row for row in rows if row["scene"] == paper.scene), None)
        lines.append(("  ours", *our_cells(ours)) if ours else ("  ours: not yet", *[""] * (len(HEAD) - 1)))
    return columns(lines)


def our_cells(row: dict[str, Any]) -> tuple[str, ...]:
    return (
        f"{row['cell']:g}",
        f"{row['particles']}",
        f"{row['nodes']:g}",
        f"{1e-3 * row['ms_per_step']:.3g}",
        f"{row['contacts_avg']:.4g} ({row['contacts_max']})",
        f"{row['paper_ms_per_step'] / row['ms_per_step']:.3g}",
        f"{row['iterations_per_substep']:.3g}, {row['linear_iterations_per_step']:.3g}",
    )


# the ball on the slope (Fig. 3)

ANGLE = math.pi / 4
DOWNHILL = np.array([math.cos(ANGLE), 0.0, -math.sin(ANGLE)])
FRICTIONS = (0.0, 0.2, 0.3, 0.6)
RADIUS = 0.5  # m


def rigid_ball(friction: float, time: Any) -> Any:
    """m, displacement of a rigid ball along the slope. The paper's Eq. 27 lacks the sine of its rolling branch."""
    if friction <= 2 / 7 * math.tan(ANGLE):
        return 0.5 * 9.81 * time**2 * (math.sin(ANGLE) - friction * math.cos(ANGLE))
    return 5 / 14 * 9.81 * time**2 * math.sin(ANGLE)


def ball_motion(world: World) -> tuple[float, float, float]:
    """Of its centre along the slope, in m and m/s; and its spin about the axis of rolling, in rad/s."""
    ball = world.matter["ball"]
    mass = ball.masses.astype(float)
    place, speed = ball.positions.astype(float), ball.velocities.astype(float)
    centre, drift = mass @ place / mass.sum(), mass @ speed / mass.sum()
    arm = place - centre
    momentum = mass @ np.cross(arm, speed)
    inertia = mass @ (arm[:, 0] ** 2 + arm[:, 2] ** 2)
    return float(centre @ DOWNHILL), float(drift @ DOWNHILL), float(momentum[1] / inertia)


def roll(choice: Choice, friction: float, **changes: str) -> dict[str, Any]:
    times: list[float] = []
    motion: list[tuple[float, float, float]] = []

    def watch(world: World) -> None:
        times.append(world.time)
        motion.append(ball_motion(world))

    ours = measure(
        "ball_on_slope", choice, QUICK["ball_on_slope"], watch, **changes, **{"contact.friction": f"{friction}"}
    )
    way, speed, spin = np.array(motion).T
    step = ours.world.scene.step
    # it started at rest, a step with the first speed before the first place
    way -= way[0] - step.dt * speed[0]
    goal = rigid_ball(friction, times[-1])
    return {
        "friction": friction,
        "cell": step.cell,
        "dt": step.dt,
        "displacement": round(float(way[-1]), 5),
        "closed_form": round(goal, 5),
        "error": round(float(way[-1] / goal - 1), 5),
        # 1 where it rolls
        "spin_over_speed": round(float(spin[-1] * RADIUS / speed[-1]), 4),
        "ms_per_step": round(ours.ms_per_step, 3),
        "time": np.array(times),
        "way": way,
    }


def balls(choice: Choice) -> list[dict[str, Any]]:
    """Each friction on the paper's grid and on ours; a quick look: only the paper's."""
    grids = [PAPER_BALL] if choice.quick else [PAPER_BALL, OUR_BALL]
    return [roll(choice, friction, **changes) for changes in grids for friction in FRICTIONS]


def plot_balls(path: Path, runs: list[dict[str, Any]]) -> None:
    figure, axes = axes_of("time [s]", "displacement along the slope [m]")
    for run in runs:
        color, coarse = f"C{FRICTIONS.index(run['friction'])}", run["cell"] > 0.15
        name = f"friction {run['friction']:g}, h {run['cell']:g}, dt {1e3 * run['dt']:g} ms"
        axes.plot(run["time"], run["way"], ":" if coarse else "-", color=color, label=name)
        axes.plot(run["time"], rigid_ball(run["friction"], run["time"]), "--", color=color, lw=0.7)
    axes.set_title("ball on a slope; dashed: a rigid one")
    save(path, figure, axes)


# the squeeze (Fig. 6), and how fast friction lets the cube creep


def creep(choice: Choice, memory: bool) -> float:
    """mm/s, of the cube along the panels in the last quarter of the squeeze."""
    times: list[float] = []
    heights: list[float] = []

    def watch(world: World) -> None:
        times.append(world.time)
        heights.append(float(world.matter["cube"].positions[:, 2].astype(float).mean()))

    measure("squeeze", choice, 0.1, watch, **STRONG, **{"contact.memory": str(memory).lower()})
    last = slice(len(times) * 3 // 4, None)
    return float(1e3 * np.polyfit(times[last], heights[last], 1)[0])


# the tolerance sweep (S2 Fig. 4), both methods ours

TOLERANCES = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5)
METHODS = {"strong": {"method": "strong", "substeps": "0"}, "async": {"method": "async", "substeps": "10"}}


def sweep(choice: Choice) -> dict[str, list[dict[str, float]]]:
    """The dough at several tolerances, with steps of 10 ms."""
    return {
        method: [
            sweep_point(measure("dough_rolling", choice, QUICK["dough_rolling"], **changes, tolerance=f"{tolerance:g}"))
            for tolerance in (TOLERANCES[::4] if choice.quick else TOLERANCES)
        ]
        for method, changes in METHODS.items()
    }


def plot_sweep(path: Path, curves: dict[str, list[dict[str, float]]]) -> None:
    figure, axes = axes_of("relative tolerance", "ms per step of 10 ms")
    for method, points in curves.items():
        tolerances = [point["tolerance"] for point in points]
        axes.loglog(tolerances, [point["ms_per_step"] for point in points], "o-", label=f"{method}, ours, this machine")
    axes.loglog([1e-6], [7650], "s", label="S1, one thread of a Xeon W-11855M")
    axes.axhline(10, color="gray", lw=0.8, label="real time")
    axes.set_title("dough rolling: cost and tolerance")
    save(path, figure, axes)


# all of it


def reproduce_s1(choice: Choice) -> dict[str, Any]:
    """The object of `pliant reproduce s1 --json`; leaves its plots in choice.out."""
    choice.out.mkdir(parents=True, exist_ok=True)
    rows = [run_row(wanted, choice) for wanted in TABLE_S1 if wanted.paper.scene]
    runs, curves = balls(choice), sweep(choice)
    # steps of 1 ms, as in the paper
    forces = squeeze(choice, **{**STRONG, "dt": "0.001"})
    plots = [choice.out / f"s1_{name}.png" for name in ("ball", "squeeze", "tolerance")]
    plot_balls(plots[0], runs)
    plot_squeeze(plots[1], forces)
    plot_sweep(plots[2], curves)
    return {
        "rows": rows,
        "not_yet": [wanted.paper.title for wanted in TABLE_S1 if not wanted.paper.scene],
        "balls": [{key: run[key] for key in run if key not in ("time", "way")} for run in runs],
        "squeeze": {key: forces[key] for key in ("mean", "spread", "analytic", "expect")},
        "creep": {"with_memory": creep(choice, True), "without_memory": creep(choice, False)},
        "sweep": curves,
        "plots": [str(plot) for plot in plots],
    }


def as_text(result: dict[str, Any]) -> str:
    lines = [table(result["rows"]), ""]
    for row in result["rows"]:
        lines += [f"{row['scene']}: {line(check)}" for check in row["expect"]]
    lines += ["", "ball on a slope, displacement of its centre against a rigid ball's (S1 Fig. 3)"]
    lines += [
        f"  friction {run['friction']:g}, h {run['cell']:g} m, dt {1e3 * run['dt']:g} ms: {run['displacement']:.4g} m, "
        f"rigid {run['closed_form']:.4g} m, {100 * run['error']:+.2f} %, spin r / speed {run['spin_over_speed']:.3f}"
        for run in result["balls"]
    ]
    crept = result["creep"]
    lines += ["", "squeeze, steps of 1 ms, force on the left panel in N, last quarter (S1 Fig. 6)"]
    lines += squeeze_lines(result["squeeze"])
    lines += [
        f"  steps of 10 ms, the cube moves by {crept['with_memory']:.2g} mm/s with friction that remembers, "
        f"by {crept['without_memory']:.2g} mm/s with friction that does not",
        "",
        "dough rolling, both methods ours, steps of 10 ms (S2 Fig. 4)",
    ]
    for method, points in result["sweep"].items():
        lines += [
            f"  {method:<6} {point['tolerance']:<7g} {point['ms_per_step']:.3g} ms/step, "
            f"{point['real_time_factor']:.3g} x real time, the pin turns by {point['spin']:.4g} rad"
            for point in points
        ]
    return "\n".join([*lines, "", f"look at {', '.join(result['plots'])}"])
