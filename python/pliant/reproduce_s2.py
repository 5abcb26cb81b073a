"""Table I and Figs. 2 and 4 of S2 on this machine, ours beside theirs.

s2: Yu et al., a convex formulation of material points and rigid bodies with asynchronous coupling.
"""

from typing import Any

from pliant.reproduce import STRONG, Choice, Job, PaperRow, Row, check_only, measure, not_there, run_rows
from pliant.reproduce_figures import (
    plot_squeeze,
    plot_sweep,
    squeeze,
    squeeze_figures,
    squeeze_lines,
    sweep_point,
)
from pliant.reproduce_table import Section

TITLE = "S2: material points and rigid bodies, asynchronous, by convex contact (Yu et al.)"
THEIRS = "Theirs: an RTX 4090, a relative tolerance of 5e-2 (shake: 1e-2)."

# the scenes are made with the paper's dt and N
WAYS = {"async": {"method": "async"}, "strong": STRONG}
CLOTH_WAYS = {"async": WAYS["async"]}  # the strong step takes no cloth
# the laundry as stiff as the bag with the boxes, which wants shorter substeps than the paper's
STIFF = {f"materials.{name}.{key}": "3.2e6" for name in ("cotton", "terry") for key in ("E", "normal_stiffness")}
LAUNDRY_WAYS = {**CLOTH_WAYS, "async, E 3.2e6": {"method": "async", "substeps": "47", **STIFF}}


def row(paper: PaperRow, quick: float = 0.0) -> Row:
    return Row(paper, WAYS, quick)


def cloth_row(paper: PaperRow, ways: dict[str, dict[str, str]] = CLOTH_WAYS) -> Row:
    return Row(paper, ways)


# title, h, particles, n_v, dt in ms, N, ms per step, contacts, our scene
TABLE = (
    row(PaperRow("dough rolling", 0.02, 5920, 2229.1, 10, 10, 21.7, (17.8, 101), "dough_rolling"), 2.4),
    cloth_row(PaperRow("box bagging", 1 / 64, 2582, 2974.7, None, 10, 45.3, (19.6, 45), "box_bagging")),
    cloth_row(PaperRow("laundry", 1 / 128, 14904, 17296.1, 5, 5, 18.9, (163.4, 617), "laundry"), LAUNDRY_WAYS),
    cloth_row(PaperRow("T-shirt folding", 1 / 128, 12160, 8299.6, 2, 4, 21.5, (533.8, 1307), "shirt_folding")),
    row(PaperRow("shake", 0.01, 3456, 1576.0, 0.1, 10, 231.1, (571.1, 576), "shake"), 0.02),
)
NAMES = [*(row.paper.scene for row in TABLE), "squeeze"]

SWEEP = (1e-1, 5e-2, 1e-2, 1e-3, 1e-4, 1e-5)
# ms per step of the dough in the paper's text: 59 % of real time at a tolerance of 1e-1, Table I at 5e-2
PAPER_SWEEP = {1e-1: 10 / 0.59, 5e-2: 21.7}


def sweep(choice: Choice) -> list[dict[str, float]]:
    """The dough at several tolerances of the contact solver (Fig. 4)."""
    jobs = [Job("dough_rolling", {"tolerance": f"{tolerance:g}"}, 2.4) for tolerance in SWEEP]
    return [sweep_point(measure(job, choice)) for job in (jobs[1:4:2] if choice.quick else jobs)]


def reproduce(choice: Choice) -> dict[str, Any]:
    """The object of `pliant reproduce s2 --json`; leaves its plots in choice.out."""
    check_only(choice, NAMES)
    choice.out.mkdir(parents=True, exist_ok=True)
    result: dict[str, Any] = {"rows": run_rows(TABLE, choice, "s2"), "not_yet": not_there(TABLE), "plots": []}
    if choice.wants("dough_rolling"):
        result["sweep"] = sweep(choice)
        result["plots"].append(str(choice.out / "s2_tolerance.png"))
        ours = {"ours, this machine": result["sweep"]}
        plot_sweep(choice.out / "s2_tolerance.png", ours, ("S2, RTX 4090", PAPER_SWEEP))
    if choice.wants("squeeze"):
        forces = squeeze(choice)
        result["squeeze"] = squeeze_figures(forces)
        result["plots"].append(str(choice.out / "s2_squeeze.png"))
        plot_squeeze(choice.out / "s2_squeeze.png", forces)
    return result


def sections(result: dict[str, Any]) -> list[Section]:
    made = []
    if "sweep" in result:
        made.append(("dough rolling, tolerance sweep (S2 Fig. 4)", [sweep_line(point) for point in result["sweep"]]))
    if "squeeze" in result:
        heading = "squeeze, force on the left panel in N, last quarter (S2 Fig. 2)"
        made.append((heading, squeeze_lines(result["squeeze"])))
    return made


def sweep_line(point: dict[str, float]) -> str:
    return (
        f"{point['tolerance']:<7g} {point['ms_per_step']:.3g} ms/step, {point['real_time_factor']:.3g} x real time, "
        f"{point['iterations_per_substep']:.3g} iterations per substep, the pin turns by {point['spin']:.4g} rad"
    )
