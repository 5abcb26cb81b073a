"""Table I and Figs. 3 and 6 of S1 on this machine, ours beside theirs, and S1's step against S2's on the same dough.

s1: Zong et al., a convex formulation of frictional contact for material points and rigid bodies.
"""

import math
from pathlib import Path
from typing import Any

import numpy as np

from pliant._core import World
from pliant.reproduce import ASYNC, STRONG, Choice, Job, PaperRow, Row, check_only, measure, not_there, run_rows
from pliant.reproduce_figures import (
    axes_of,
    plot_squeeze,
    plot_sweep,
    save,
    squeeze,
    squeeze_figures,
    squeeze_lines,
    sweep_point,
)
from pliant.reproduce_table import Section

TITLE = "S1: material points and rigid bodies in one convex problem (Zong et al.)"
THEIRS = "Theirs: one thread of a Xeon W-11855M, steps of 10 ms, a relative tolerance of 1e-6."

PAPER_GRID = {"cell": "0.2", "matter.ball.sampling.particles_per_cell": "103"}
PAPER_BALL = {**STRONG, **PAPER_GRID}
OUR_BALL: dict[str, str] = {}

BOTH = {"strong": STRONG, "async": {"method": "async"}}
# scenes of the strong step: bodies that follow a step late want shorter steps
SHORT = {"strong": STRONG, "async": {**ASYNC, "dt": "0.002"}}

# title, h, particles, n_v, dt in ms, N, ms per step, contacts, our scene
TABLE = (
    Row(
        PaperRow("ball on slope", 0.2, 6777, 1075.5, 10, 1, 1160, (2.6, 6), "ball_on_slope"),
        {"strong": PAPER_BALL, "async": {**ASYNC, **PAPER_GRID, "dt": "0.01"}},
        0.1,
    ),
    Row(PaperRow("dough tearing", 0.02, 1647, 2974.7, 10, 1, 860, (113.7, 306), "dough_tearing"), SHORT, 2),
    Row(PaperRow("dough rolling", 0.02, 5863, 5827.3, 10, 1, 7650, (496.3, 723), "dough_rolling"), BOTH, 2.4),
    Row(PaperRow("water pouring", 0.01, 791, 1468.1, 10, 1, 850, (312.6, 606), "water_pouring"), BOTH, 0.4),
    Row(PaperRow("shake", 0.01, 3456, 1576.0, 10, 1, 1940, (763.7, 1626), "shake"), BOTH, 0.03),
)
NAMES = [*(row.paper.scene for row in TABLE), "squeeze"]


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

    ours = measure(Job("ball_on_slope", {**changes, "contact.friction": f"{friction}"}, 0.1, watch), choice)
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

    measure(Job("squeeze", {**STRONG, "contact.memory": str(memory).lower()}, 0.1, watch), choice)
    last = slice(len(times) * 3 // 4, None)
    return float(1e3 * np.polyfit(times[last], heights[last], 1)[0])


# the tolerance sweep (S2 Fig. 4), both methods ours

TOLERANCES = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5)
METHODS = {"strong": {"method": "strong", "substeps": "0"}, "async": {"method": "async", "substeps": "10"}}


def sweep(choice: Choice) -> dict[str, list[dict[str, float]]]:
    """The dough at several tolerances, with steps of 10 ms."""
    return {
        method: [
            sweep_point(measure(Job("dough_rolling", {**changes, "tolerance": f"{tolerance:g}"}, 2.4), choice))
            for tolerance in (TOLERANCES[::4] if choice.quick else TOLERANCES)
        ]
        for method, changes in METHODS.items()
    }


# all of it


def reproduce(choice: Choice) -> dict[str, Any]:
    """The object of `pliant reproduce s1 --json`; leaves its plots in choice.out."""
    check_only(choice, NAMES)
    choice.out.mkdir(parents=True, exist_ok=True)
    result: dict[str, Any] = {"rows": run_rows(TABLE, choice, "s1"), "not_yet": not_there(TABLE), "plots": []}
    plots = {name: choice.out / f"s1_{name}.png" for name in ("ball", "squeeze", "tolerance")}
    if choice.wants("ball_on_slope"):
        runs = balls(choice)
        plot_balls(plots["ball"], runs)
        result["balls"] = [{key: run[key] for key in run if key not in ("time", "way")} for run in runs]
        result["plots"].append(str(plots["ball"]))
    if choice.wants("squeeze"):
        # steps of 1 ms, as in the paper
        forces = squeeze(choice, {**STRONG, "dt": "0.001"})
        plot_squeeze(plots["squeeze"], forces)
        result["squeeze"] = squeeze_figures(forces)
        result["creep"] = {"with_memory": creep(choice, True), "without_memory": creep(choice, False)}
        result["plots"].append(str(plots["squeeze"]))
    if choice.wants("dough_rolling"):
        result["sweep"] = sweep(choice)
        ours = {f"{method}, ours, this machine": points for method, points in result["sweep"].items()}
        plot_sweep(plots["tolerance"], ours, ("S1, one thread of a Xeon W-11855M", {1e-6: 7650.0}))
        result["plots"].append(str(plots["tolerance"]))
    return result


def sections(result: dict[str, Any]) -> list[Section]:
    made = []
    if "balls" in result:
        heading = "ball on a slope, displacement of its centre against a rigid ball's (S1 Fig. 3)"
        made.append((heading, [ball_line(run) for run in result["balls"]]))
    if "squeeze" in result:
        heading = "squeeze, steps of 1 ms, force on the left panel in N, last quarter (S1 Fig. 6)"
        made.append((heading, [*squeeze_lines(result["squeeze"]), creep_line(result["creep"])]))
    if "sweep" in result:
        lines = [sweep_line(method, point) for method, points in result["sweep"].items() for point in points]
        made.append(("dough rolling, both methods ours, steps of 10 ms (S2 Fig. 4)", lines))
    return made


def ball_line(run: dict[str, Any]) -> str:
    return (
        f"friction {run['friction']:g}, h {run['cell']:g} m, dt {1e3 * run['dt']:g} ms: {run['displacement']:.4g} m, "
        f"rigid {run['closed_form']:.4g} m, {100 * run['error']:+.2f} %, spin r / speed {run['spin_over_speed']:.3f}"
    )


def creep_line(crept: dict[str, float]) -> str:
    return (
        f"steps of 10 ms, the cube moves by {crept['with_memory']:.2g} mm/s with friction that remembers, "
        f"by {crept['without_memory']:.2g} mm/s with friction that does not"
    )


def sweep_line(method: str, point: dict[str, float]) -> str:
    return (
        f"{method:<6} {point['tolerance']:<7g} {point['ms_per_step']:.3g} ms/step, "
        f"{point['real_time_factor']:.3g} x real time, the pin turns by {point['spin']:.4g} rad"
    )
