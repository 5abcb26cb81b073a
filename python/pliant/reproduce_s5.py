"""S5's tasks on this machine: inference, controllers and co-design by gradients; its Tables II and III beside them.

s5: Hu et al., ChainQueen, a differentiable simulator of material points for soft robots.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from pliant import reproduce_s5_tables as tables
from pliant.examples.soft_robots import arm, crawler, density, finger, leg, quadruped, swing, walker
from pliant.reproduce import Choice, check_only
from pliant.reproduce_table import Section, check_line
from pliant.soft_pictures import plot_losses
from pliant.soft_robots import Training

TITLE = "S5: ChainQueen, differentiable material points for soft robots (Hu et al.)"
THEIRS = "Theirs: a GTX 1080 Ti; of most tasks the paper says that they work, and no figures."

HEAD = ("task", "by", "loss at start", "loss at end", "runs", "seconds", "reached", "paper")


@dataclass(frozen=True)
class Task:
    """A row. `run` makes its figures: losses, seconds, checks."""

    name: str
    title: str
    by: str  # what is found
    paper: str  # what S5 says of it
    run: Callable[[Choice], dict[str, Any]]
    wanted: bool = True  # False: only when it is asked for by name


def check(name: str, value: float, low: float | None = None, high: float | None = None) -> dict[str, Any]:
    ok = (low is None or value >= low) and (high is None or value <= high)
    return {"name": name, "value": value, "bound": [low, high], "ok": bool(ok)}


def figures(made: Training, *checks: dict[str, Any]) -> dict[str, Any]:
    return {
        "first_loss": made.figures.get("first_loss", made.losses[0]),
        "last_loss": made.figures.get("last_loss", made.least),
        "runs": len(made.losses),
        "seconds": round(made.seconds, 1),
        "losses": made.losses,
        "expect": list(checks),
    }


def runs_of(choice: Choice, runs: int) -> int:
    return 3 if choice.quick else runs


def tenfold(made: Training, choice: Choice) -> list[dict[str, Any]]:
    """A quick look makes no promise of its end."""
    part = made.figures["last_loss"] / made.figures["first_loss"]
    return [] if choice.quick else [check("loss at the end over that at the start", part, high=0.1)]


def density_row(choice: Choice) -> dict[str, Any]:
    made = density.train(runs_of(choice, 60), bar=choice.bar)
    found = made.figures["density"]
    if choice.quick:
        return {**figures(made), "density": found}
    wanted = density.searched()
    off = abs(found / wanted - 1)
    return {**figures(made, check("density, off what a search finds", off, high=0.01)), "density": found}


def finger_row(targets: str) -> Callable[[Choice], dict[str, Any]]:
    def run(choice: Choice) -> dict[str, Any]:
        made, controller, world = finger.train(targets, 3 if choice.quick else 0, bar=choice.bar)
        if choice.record:
            finger.show(made, controller, world, choice.out / f"s5_finger_{targets}")
        return figures(made, *tenfold(made, choice))

    return run


def walker_row(choice: Choice) -> dict[str, Any]:
    seeds = range(1 if choice.quick else 5)
    all_made = [walker.train(runs_of(choice, 150), seed, bar=choice.bar) for seed in seeds]
    made, controller, world = all_made[0]
    if choice.record:
        walker.show(made, controller, world, choice.out / "s5_walker")
    checks = [
        check(f"seed {seed}, {what}", value, low, high)
        for seed, (m, _, _) in zip(seeds, all_made, strict=True)
        for what, value, low, high in (
            ("widths that the head moves", m.figures["widths"], 1.0, None),
            ("seconds", m.seconds, None, 300.0),
        )
    ]
    row = figures(made, *([] if choice.quick else checks))
    row["curves"] = {m.name: m.losses for m, _, _ in all_made}
    return row


def space_row(task: Any, runs: int) -> Callable[[Choice], dict[str, Any]]:
    def run(choice: Choice) -> dict[str, Any]:
        made, *rest = task.train(runs_of(choice, runs), bar=choice.bar)
        if choice.record:
            task.show(made, *rest, choice.out / f"s5_{task.__name__.rpartition('.')[2]}")
        return figures(made, *tenfold(made, choice))

    return run


def leg_row(choice: Choice) -> dict[str, Any]:
    begun = time.perf_counter()
    if choice.quick:
        moved = {"east": leg.bend("east", duration=0.05)}
        return {"runs": 1, "seconds": time.perf_counter() - begun, "moved": list(moved["east"]), "expect": []}
    checks = []
    for chamber, side in leg.CHAMBERS.items():
        away = float(-(leg.bend(chamber)[:2] @ side))
        checks.append(check(f"{chamber} inflated: the foot moves away, m", away, low=0.01))
    checks.append(check("dropped from 15 cm: it comes back up, m", leg.bounce(leg.drop()), low=0.01))
    return {"runs": 5, "seconds": round(time.perf_counter() - begun, 1), "expect": checks}


def swing_row(fixed: float) -> Callable[[Choice], dict[str, Any]]:
    def run(choice: Choice) -> dict[str, Any]:
        minutes, steps = (0.1, 40) if choice.quick else (30, swing.STEPS)
        arm, x, found = swing.train(fixed, minutes, steps, bar=False)
        if choice.record:
            swing.show(arm, x, choice.out / f"s5_swing_{fixed:g}")
        losses = {"first_loss": arm.violations[0], "last_loss": arm.violations[-1], "losses": arm.violations}
        goals = [
            check("hand to goal, m", found["distance"], high=1.05 * swing.DEMAND.close),
            check("root of the mean squared speed, m/s", found["speed"], high=1.05 * swing.DEMAND.slow),
        ]
        # the paper's fixed arms do not get there either
        return {**found, **losses, "expect": [] if choice.quick or fixed else goals}

    return run


ROWS = (
    Task("density", "density inference", "density of A", "2.26 in their set-up", density_row),
    Task("finger_one", "finger, one target", "controller", "10 x fewer runs than PPO", finger_row("one")),
    Task("finger_random", "finger, random targets", "controller", "10 x fewer runs than PPO", finger_row("random")),
    Task("finger_far", "finger, larger range", "controller", "10 x fewer runs than PPO", finger_row("far")),
    Task("walker", "2-D walker, 5 seeds", "controller", "within 20 min", walker_row),
    Task("arm", "3-D arm", "controller", "film", space_row(arm, 60)),
    Task("quadruped", "3-D quadruped", "controller", "film", space_row(quadruped, 100)),
    Task("crawler", "3-D crawler", "open loop", "film", space_row(crawler, 100)),
    Task("leg", "pneumatic leg", "-", "bends away, bounces", leg_row),
    Task("swing", "co-design of an arm", "stiffness, actuation", "reached, cost 95.5 %", swing_row(0.0), False),
    Task("swing_100", "arm, stiffness 100 %", "actuation", "not reached, cost 100 %", swing_row(1.0), False),
    Task("swing_300", "arm, stiffness 300 %", "actuation", "not reached", swing_row(3.0), False),
    Task("finger_ppo", "finger by PPO", "policy", "10 x the runs", tables.ppo_row, False),
)
# more rows: modules with NAMES, reproduce(choice) and sections(rows)
PARTS: tuple[Any, ...] = (tables,)
NAMES = [*(task.name for task in ROWS), *(name for part in PARTS for name in part.NAMES)]
LEGEND = (
    "loss: square of how far it is from the goal, of targets at random its mean over ten that no training saw, of the "
    "walker minus the metres that its head moves, of the co-design the norm of its constraints; runs: simulations, "
    "each with a way back"
)


def reproduce(choice: Choice) -> dict[str, Any]:
    """The object of `pliant reproduce s5 --json`; leaves its plots in choice.out."""
    check_only(choice, NAMES)
    choice.out.mkdir(parents=True, exist_ok=True)
    wanted = [task for task in ROWS if task.name in choice.only or (task.wanted and not choice.only)]
    rows = [{"scene": t.name, "title": t.title, "first": True, "paper": t.paper, **t.run(choice)} for t in wanted]
    for part in PARTS:
        rows += part.reproduce(choice)
    plots = [plot for rows_of in (plot_fingers, plot_walkers, plot_swings) if (plot := rows_of(rows, choice))]
    for row in rows:
        for curves in ("losses", "curves"):
            row.pop(curves, None)
    return {"rows": rows, "not_yet": [t.title for t in ROWS if t not in wanted and not choice.only], "plots": plots}


def curves_of(rows: list[dict[str, Any]], start: str, key: str = "losses") -> dict[str, Any]:
    return {row["title"]: row[key] for row in rows if row["scene"].startswith(start) and key in row}


def plot_fingers(rows: list[dict[str, Any]], choice: Choice) -> str:
    """Fig. 7: curves are smoothed over 10 runs, those of targets at random over 30."""
    curves = curves_of(rows, "finger")
    if not curves:
        return ""
    path = choice.out / "s5_finger.png"
    smooth = {title: running_mean(v, 10 if title.endswith("one target") else 30) for title, v in curves.items()}
    plot_losses(path, smooth, "finger by gradient descent (S5 Fig. 7)")
    return str(path)


def running_mean(values: Any, count: int) -> np.ndarray:
    """Over the last so many, at the start over fewer."""
    sums = np.cumsum(values)
    before = np.concatenate([np.zeros(min(count, len(sums))), sums[:-count]])[: len(sums)]
    return (sums - before) / np.minimum(np.arange(1, len(sums) + 1), count)


def plot_walkers(rows: list[dict[str, Any]], choice: Choice) -> str:
    row = next((row for row in rows if row["scene"] == "walker"), None)
    if row is None:
        return ""
    path = choice.out / "s5_walker.png"
    plot_losses(path, row["curves"], "walker: minus the metres that its head moves (S5 V-B)", log=False)
    return str(path)


def plot_swings(rows: list[dict[str, Any]], choice: Choice) -> str:
    """Fig. 8, and with it Fig. 5: the arms at their ends are pictures of their own."""
    curves = curves_of(rows, "swing") | curves_of(rows, "swing_")
    if not curves:
        return ""
    path = choice.out / "s5_swing.png"
    plot_losses(path, curves, "arm: constraint violation (S5 Fig. 8)")
    return str(path)


def table(result: dict[str, Any], choice: Choice) -> list[tuple[str, ...]]:
    by = {task.name: task.by for task in ROWS}
    return [HEAD, *(line_of(row, by[row["scene"]]) for row in result["rows"] if row["scene"] in by)]


def line_of(row: dict[str, Any], by: str) -> tuple[str, ...]:
    def digits(key: str) -> str:
        return f"{row[key]:.3g}" if key in row else "-"

    reached = "-" if not row["expect"] else "yes" if all(c["ok"] for c in row["expect"]) else "no"
    losses = (digits("first_loss"), digits("last_loss"))
    return (row["title"], by, *losses, str(row["runs"]), f"{row['seconds']:.0f}", reached, row["paper"])


def sections(result: dict[str, Any]) -> list[Section]:
    lines = [f"{row['title']}: {check_line(c)}" for row in result["rows"] for c in row["expect"]]
    more = [section for part in PARTS for section in part.sections(result["rows"])]
    return [*more, *([("goals", lines)] if lines else [])]
