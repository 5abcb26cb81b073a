"""A paper's table with ours beside theirs, as cells, as text, and what stands below it."""

from collections.abc import Sequence
from typing import Any

from pliant.reproduce import Choice, PaperRow, Row, paper_figures

# each of ours with the paper's after it
PAIRS = ("h [m]", "particles", "n_v", "dt [ms]", "N", "contacts avg (max)", "ms/step")
HEAD = ("scene", "step", *(name for pair in PAIRS for name in (pair, "paper")), "faster", "x real time", "iterations")

LEGEND = (
    "h: cell of the grid; n_v: nodes with mass (S1) or degrees of freedom (S2), ours are nodes; N: substeps per step; "
    "contacts: of a substep; faster: simulated time per wall time, ours over theirs; iterations: of the contact solver "
    "per substep, and of its linear solves per step"
)


def cells(rows: Sequence[Row], made: list[dict[str, Any]], choice: Choice) -> list[tuple[str, ...]]:
    """One line for each way of each row, in the order of the paper; a scene that is not there has one that says so."""
    lines = [HEAD]
    for row in rows:
        ours = [m for m in made if m["title"] == row.paper.title]
        lines += [line_of(m, row.paper.title if m is ours[0] else "") for m in ours]
        if not ours and choice.wants(row.paper.scene):
            lines.append(absent_line(row.paper))
    return lines


def line_of(made: dict[str, Any], title: str) -> tuple[str, ...]:
    ours = our_cells(made) if "error" not in made else ("-",) * len(PAIRS)
    ending = our_ending(made) if "error" not in made else ("-", "-", "-")
    trouble = "" if "error" not in made else ": refused" if made["refused"] else ": failed"
    return (title, made["method"] + trouble, *beside(ours, paper_cells(made)), *ending)


def absent_line(paper: PaperRow) -> tuple[str, ...]:
    theirs = paper_cells(paper_figures(paper))
    return (paper.title, "not there", *beside(("-",) * len(PAIRS), theirs), "-", "-", "-")


def beside(ours: Sequence[str], theirs: Sequence[str]) -> tuple[str, ...]:
    return tuple(cell for pair in zip(ours, theirs, strict=True) for cell in pair)


def our_cells(made: dict[str, Any]) -> tuple[str, ...]:
    return (
        f"{made['cell']:.4g}",
        f"{made['particles']}",
        f"{made['nodes']:.1f}",
        f"{1e3 * made['dt']:g}",
        f"{made['substeps']:g}",
        f"{made['contacts_avg']:.1f} ({made['contacts_max']})",
        three_digits(made["ms_per_step"]),
    )


def three_digits(value: float) -> str:
    """Without an exponent."""
    return f"{value:.0f}" if value >= 1000 else f"{value:.3g}"


def our_ending(made: dict[str, Any]) -> tuple[str, ...]:
    """How much simulated time ours makes in the paper's wall time; iterations of Newton and of its linear solves."""
    dt, iterations = made["paper_dt"], f"{made['iterations_per_substep']:.3g}"
    faster = "?" if dt is None else three_digits(made["real_time_factor"] * made["paper_ms_per_step"] / (1e3 * dt))
    if made["linear_iterations_per_step"]:
        iterations += f", {three_digits(made['linear_iterations_per_step'])}"
    return (faster, f"{made['real_time_factor']:.3g}", iterations)


def paper_cells(made: dict[str, Any]) -> tuple[str, ...]:
    return (
        f"{made['paper_cell']:.4g}",
        f"{made['paper_particles']}",
        f"{made['paper_nodes']:g}",
        "?" if made["paper_dt"] is None else f"{1e3 * made['paper_dt']:g}",
        f"{made['paper_substeps']}",
        f"{made['paper_contacts_avg']:g} ({made['paper_contacts_max']})",
        f"{made['paper_ms_per_step']:g}",
    )


def as_columns(lines: Sequence[tuple[str, ...]]) -> str:
    """Names to the left, figures to the right."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    made = []
    for line in lines:
        names = map(str.ljust, line[:2], widths[:2])
        figures = map(str.rjust, line[2:], widths[2:])
        made.append("  ".join([*names, *figures]).rstrip())
    return "\n".join(made)


def as_markdown(lines: Sequence[tuple[str, ...]]) -> str:
    rows = [f"| {' | '.join(line)} |" for line in lines]
    rule = "|---|---|" + "---:|" * (len(lines[0]) - 2)
    return "\n".join([rows[0], rule, *rows[1:]])


# what stands below the table


Section = tuple[str, list[str]]  # heading and lines


def below(made: list[dict[str, Any]]) -> list[Section]:
    """Checks of all runs, and why some did not get to their end."""
    checks = [f"{m['scene']}, {m['method']}: {check_line(check)}" for m in made for check in m["expect"]]
    errors = [f"{m['scene']}, {m['method']}: {m['error']}" for m in made if "error" in m]
    sections = [("checks of the scenes", checks), ("refused or failed", errors)]
    return [(heading, lines) for heading, lines in sections if lines]


def check_line(check: dict[str, Any]) -> str:
    value = "not a number" if check["value"] is None else f"{check['value']:.6g}"
    return f"{'ok    ' if check['ok'] else 'FAILED'} {check['name']}: {value}"


def as_text(table: Sequence[tuple[str, ...]], sections: Sequence[Section], legend: str = LEGEND) -> str:
    lines = [as_columns(table), "", legend]
    for heading, body in sections:
        lines += ["", heading, *(f"  {line}" for line in body)]
    return "\n".join(lines)
