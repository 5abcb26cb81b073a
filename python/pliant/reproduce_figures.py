"""What the figures of both papers need: the squeeze, points of a tolerance sweep, and axes to plot on."""

from pathlib import Path
from typing import Any

import numpy as np

from pliant._core import World
from pliant.reproduce import Choice, Job, Measured, measure
from pliant.reproduce_table import check_line

# N on a panel of the squeeze: pressed by 10 N, and half of the weight of .4 kg
SQUEEZE = {"x": 10.0, "y": 0.0, "z": 0.4 * 9.81 / 2}


def squeeze(choice: Choice, changes: dict[str, str] | None = None) -> dict[str, Any]:
    """Forces on the left panel over time."""
    times: list[float] = []
    forces: list[Any] = []

    def watch(world: World) -> None:
        times.append(world.time)
        # N, of the cube on the panel
        forces.append(world.wrench("left/panel").force)

    ours = measure(Job("squeeze", changes or {}, 0.02, watch), choice)
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


def squeeze_figures(squeezed: dict[str, Any]) -> dict[str, Any]:
    """Without its curves."""
    return {key: squeezed[key] for key in ("mean", "spread", "analytic", "expect")}


def squeeze_lines(squeezed: dict[str, Any]) -> list[str]:
    forces = [
        f"{axis}: {squeezed['mean'][axis]:.5g}, spread {squeezed['spread'][axis]:.2g}; "
        f"analytic {squeezed['analytic'][axis]:.5g}"
        for axis in "xyz"
    ]
    return forces + [check_line(check) for check in squeezed["expect"]]


def sweep_point(ours: Measured) -> dict[str, float]:
    return {
        "tolerance": float(ours.world.scene.step.solver_tolerance),
        "ms_per_step": round(ours.ms_per_step, 4),
        "real_time_factor": round(ours.real_time_factor, 4),
        "iterations_per_substep": round(ours.iterations / max(1, ours.substeps), 3),
        # rad: does the motion depend on the tolerance?
        "spin": round(float(ours.world.data.joint("pin/spin").qpos[0]), 4),
    }


# plots


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


def plot_sweep(path: Path, ours: dict[str, list[dict[str, float]]], theirs: tuple[str, dict[float, float]]) -> None:
    """Cost of the dough by tolerance; ours: points by label, theirs: label, and ms by tolerance."""
    figure, axes = axes_of("relative tolerance", "ms per step of 10 ms")
    for label, points in ours.items():
        tolerances = [point["tolerance"] for point in points]
        axes.loglog(tolerances, [point["ms_per_step"] for point in points], "o-", label=label)
    axes.loglog(list(theirs[1]), list(theirs[1].values()), "s", label=theirs[0])
    axes.axhline(10, color="gray", lw=0.8, label="real time")
    axes.set_title("dough rolling: cost and tolerance")
    save(path, figure, axes)


def save(path: Path, figure: Any, axes: Any) -> None:
    import matplotlib.pyplot as plt

    axes.legend()
    figure.savefig(path, dpi=120)
    plt.close(figure)
