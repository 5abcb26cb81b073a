"""The lines of the table as text, as Markdown and for machines."""

from collections.abc import Sequence
from typing import Any

from pliant.reproduce_table import as_columns, as_markdown
from pliant.validate.run import Line

HEAD = ("row", "method", "value", "reference", "error", "bound", "ok")


def cells(lines: Sequence[Line]) -> list[tuple[str, ...]]:
    return [HEAD, *(cells_of(line) for line in lines)]


def cells_of(line: Line) -> tuple[str, ...]:
    worst = line.worst
    figures = (f"{worst.value:.5g}", f"{worst.reference:.5g}", percent(worst.error), percent(line.bound))
    return (line.name, line.method, *figures, "ok" if line.ok else "NOT OK")


def percent(part: float) -> str:
    return f"{100 * part:.2g} %" if part < 10 else f"{100 * part:.0f} %"


def summary(lines: Sequence[Line]) -> str:
    good = sum(line.ok for line in lines)
    known = sum(bool(line.reason) for line in lines if not line.ok)
    text = f"{good} of {len(lines)} lines are ok"
    return text if good == len(lines) else f"{text}; of the others {known} are known, or say why"


def reasons(lines: Sequence[Line]) -> list[str]:
    """Why lines are not ok, one reason per row and method."""
    found = [f"{line.name}, {line.method}: {line.reason or 'not known yet'}" for line in lines if not line.ok]
    return list(dict.fromkeys(found))


def as_text(lines: Sequence[Line]) -> str:
    parts = [as_columns(cells(lines)), "", summary(lines)]
    bad = reasons(lines)
    return "\n".join([*parts, *(["", "not ok", *(f"  {text}" for text in bad)] if bad else [])])


def as_document(lines: Sequence[Line]) -> str:
    """For docs/validate.md."""
    bad = [f"- {text}" for text in reasons(lines)]
    return "\n".join([as_markdown(cells(lines)), "", f"{summary(lines)}.", *(["", *bad] if bad else [])])


def as_dict(lines: Sequence[Line]) -> dict[str, Any]:
    return {"rows": [line.as_dict() for line in lines]}
