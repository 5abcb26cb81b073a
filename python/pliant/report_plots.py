"""Plots of a recording for a report: the forces of matter on bodies, and the energies of matter."""

import io
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from pliant.recording import Recording

MOST_BODIES = 4
MOST_POINTS = 2000  # of a curve; more are drawn as the range of neighbours
ENERGIES = {"kinetic_energy": "kinetic", "elastic_energy": "elastic", "gravity_energy": "gravity, less its first value"}


def pushed_bodies(recording: Recording) -> list[str]:
    """Those that matter has pushed, the most pushed first."""
    sums = {name: float(np.abs(rows[:, :3]).sum()) for name, rows in recording.wrenches.items()}
    return [name for name in sorted(sums, key=lambda name: -sums[name]) if sums[name] > 0][:MOST_BODIES]


def plot_forces(recording: Recording) -> bytes | None:
    """PNG; None where matter pushed no body."""
    bodies, times = pushed_bodies(recording), recording.reports["time"]
    if not bodies:
        return None
    figure, rows = plt.subplots(
        len(bodies), 1, figsize=(6, 1.2 + 1.5 * len(bodies)), sharex=True, squeeze=False, layout="constrained"
    )
    for axes, name in zip(rows[:, 0], bodies, strict=True):
        for axis, force in zip("xyz", recording.wrenches[name][:, :3].T, strict=True):
            draw(axes, times, force, axis)
        axes.set_title(f"force of matter on {name} [N]", fontsize=9, loc="left")
        axes.grid(alpha=0.3)
    rows[0, 0].legend(ncols=3, fontsize=8)
    rows[-1, 0].set_xlabel("time [s]")
    return as_png(figure)


def plot_energies(recording: Recording) -> bytes | None:
    """PNG; None where the scene was told not to keep its balance."""
    reports = recording.reports
    if len(reports) == 0 or not np.any(reports["mass"] > 0):
        return None
    figure, axes = plt.subplots(figsize=(6, 3), layout="constrained")
    for field, label in ENERGIES.items():
        energy = reports[field] - (reports[field][0] if field == "gravity_energy" else 0)
        draw(axes, reports["time"], energy, label)
    axes.set_title("energy of matter [J]", fontsize=9, loc="left")
    axes.set_xlabel("time [s]")
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
    return as_png(figure)


def draw(axes: Any, times: np.ndarray, values: np.ndarray, label: str) -> None:
    """A curve; one of very many points as its mean over neighbours, with their range as a shade."""
    group = -(-len(times) // MOST_POINTS)
    if group <= 1:
        axes.plot(times, values, lw=1, label=label)
        return
    whole = len(times) // group * group
    times, values = (column[:whole].reshape(-1, group) for column in (times, values))
    (line,) = axes.plot(times[:, -1], values.mean(axis=1), lw=1, label=label)
    axes.fill_between(
        times[:, -1], values.min(axis=1), values.max(axis=1), color=line.get_color(), alpha=0.25, linewidth=0
    )


def as_png(figure: Any) -> bytes:
    file = io.BytesIO()
    figure.savefig(file, dpi=110, format="png")
    plt.close(figure)
    return file.getvalue()
