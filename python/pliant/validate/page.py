"""A page of the table that needs no network, with a plot of each line that has a curve."""

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from pliant.report_page import html_table, image, page
from pliant.report_plots import as_png
from pliant.validate.run import Line
from pliant.validate.table import cells, reasons, summary

TITLE = "Pliant against closed forms and measurements"


def write_page(path: Path, lines: Sequence[Line], notes: Sequence[str]) -> None:
    head, *rows = cells(lines)
    parts = [f"<h1>{escape(TITLE)}</h1>", *(f"<p>{escape(note)}</p>" for note in [*notes, summary(lines)])]
    parts.append(html_table(head, rows))
    bad = "".join(f'<li><span class="bad">✗</span>&ensp;{escape(text)}</li>' for text in reasons(lines))
    parts += [f"<h2>Not ok</h2><ul>{bad}</ul>"] if bad else []
    for name in dict.fromkeys(line.name for line in lines):
        parts.append(line_part(name, [line for line in lines if line.name == name]))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page(TITLE, "\n".join(part for part in parts if part)), encoding="utf-8")


def line_part(name: str, ways: Sequence[Line]) -> str:
    """A plot for each method; nothing for a line without curves."""
    drawn = [way for way in ways if any(m.curve for m in way.measured)]
    if not drawn:
        return ""
    pictures = "".join(image(plot(way), "png", f"{name}, {way.method}") for way in drawn)
    source = escape(ways[0].source)
    return f'<h2>{escape(name)}</h2>\n<p>Reference: {source}</p>\n<div class="pair">{pictures}</div>'


def plot(line: Line) -> bytes:
    """What was seen at each place, and what should be."""
    figure, axes = plt.subplots(figsize=(6, 3.2), layout="constrained")
    curves: list[Any] = [m.curve for m in line.measured if m.curve]
    for number, curve in enumerate(curves, 1):
        axes.plot(curve.x, curve.y, lw=1, label=f"place {number}")
    if curves[0].theory is not None:
        axes.plot(curves[0].x, curves[0].theory, "k--", lw=1, label="reference")
    axes.set_title(f"{line.method}: error {100 * line.worst.error:.2g} %", fontsize=9, loc="left")
    axes.set_xlabel(curves[0].x_label)
    axes.set_ylabel(curves[0].label)
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
    return as_png(figure)
