"""`pliant validate`: runs the table, prints it, and leaves a page and files where they are asked for."""

import json
import os
import time
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

from pliant.results import Session, with_block
from pliant.validate.row import Row
from pliant.validate.rows import wanted_rows
from pliant.validate.run import Choice, Line, run_rows
from pliant.validate.table import as_dict, as_document, as_text


def run(asked: Namespace) -> bool:
    """Whether all lines are ok."""
    rows = wanted_rows(asked.only, asked.quick)
    if asked.list:
        print(list_of(rows))
        return True
    silent, start, load = asked.json == "-", time.perf_counter(), os.getloadavg()[0]
    methods = (asked.method,) if asked.method else ("async", "strong")
    choice = Choice(asked.seed, asked.threads, asked.refine, False if silent else None, methods)
    lines = run_rows(rows, choice)
    session = Session(asked.threads, False, time.perf_counter() - start, load)
    # first of all what a long run has found
    print(json.dumps(as_dict(lines)) if silent else as_text(lines), flush=True)
    files = leave_files(asked, lines, notes_of(asked, session))
    if files and not silent:
        print(f"\nlook at {', '.join(files)}")
    return all(line.ok for line in lines)


def list_of(rows: Sequence[Row]) -> str:
    names = [(name, row) for row in rows for name in row.line_names()]
    width = max(len(name) for name, _ in names)
    return "\n".join(f"{name:{width}}  {', '.join(row.methods):13}  {row.source}" for name, row in names)


def notes_of(asked: Namespace, session: Session) -> list[str]:
    smaller = ", cells and steps of half the size" if asked.refine else ""
    return [f"Seed {asked.seed}{smaller}; default options; of three places the worst.", *session.notes()]


def leave_files(asked: Namespace, lines: Sequence[Line], notes: Sequence[str]) -> list[str]:
    files = []
    if asked.json and asked.json != "-":
        Path(asked.json).write_text(json.dumps(as_dict(lines)) + "\n", encoding="utf-8")
        files.append(asked.json)
    if asked.report:
        from pliant.validate.page import write_page

        write_page(asked.out / "validate.html", lines, notes)
        files.append(str(asked.out / "validate.html"))
    if asked.results:
        text = asked.results.read_text(encoding="utf-8") if asked.results.exists() else "# Validation\n"
        body = "\n\n".join(["\n".join(notes), as_document(lines)])
        asked.results.write_text(with_block(text, "pliant validate", body), encoding="utf-8")
        files.append(str(asked.results))
    return files
