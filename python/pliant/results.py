"""A reproduced table in a Markdown file, with machine and date; blocks of files that commands write."""

import os
import platform
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from pliant.reproduce_table import LEGEND, Section, as_markdown


@dataclass(frozen=True)
class Reproduced:
    """What the command made, ready to be shown."""

    name: str  # s1, s2 or s5
    title: str
    notes: list[str]  # whose machines, when, how
    table: list[tuple[str, ...]]
    sections: list[Section]
    legend: str = LEGEND


def processor() -> str:
    """Its name as the system gives it."""
    file = Path("/proc/cpuinfo")
    lines = file.read_text().splitlines() if file.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


@dataclass(frozen=True)
class Session:
    """How and when it was made."""

    threads: int  # 0: all that the machine has
    quick: bool
    seconds: float  # wall time
    load: float  # processes that wanted to run when it began

    def notes(self) -> list[str]:
        cores = os.cpu_count() or 1
        day = datetime.now(UTC).strftime("%Y-%m-%d")
        used = f"{processor()}, {cores} cores, {self.threads or cores} threads"
        notes = [f"Ours: {used}, {day}; the whole took {self.seconds / 60:.0f} min."]
        if self.quick:
            notes.append("A quick look: only the beginning of each scene, and no checks of its end.")
        if self.load > 0.5 * cores:
            notes.append(f"The machine was busy with other work (load {self.load:.0f}): our times are too long.")
        return notes


def as_results(made: Reproduced) -> str:
    lines = [
        f"## {made.title}",
        "",
        "\n".join(made.notes),
        "",
        as_markdown(made.table),
        "",
        f"{made.legend}.",
    ]
    for heading, body in made.sections:
        lines += ["", f"### {heading[0].upper()}{heading[1:]}", "", *(f"- {' '.join(line.split())}" for line in body)]
    return "\n".join(lines)


RESULTS = """# Results

What `pliant reproduce s1`, `s2` and `s5` measured: rows of the papers' tables, ours beside theirs, and their figures.
Nothing here is written by hand: `pliant reproduce s1 --results docs/results.md` replaces its part.
"""


def write_results(path: Path, made: Reproduced) -> None:
    text = path.read_text() if path.exists() else RESULTS
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(with_block(text, f"pliant reproduce {made.name}", as_results(made)))


def with_block(text: str, command: str, body: str) -> str:
    """The text with the block that a command writes replaced, or added at its end."""
    first, last = f"<!-- written by {command} -->", f"<!-- end of {command} -->"
    block = f"{first}\n\n{body}\n\n{last}"
    before, found, rest = text.partition(first)
    if not found:
        return f"{text.rstrip()}\n\n{block}\n"
    return before + block + rest.partition(last)[2]
