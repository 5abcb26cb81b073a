"""`pliant reproduce`: runs a table, prints it, and leaves a page and a file of results where they are asked for."""

import json
import os
import time
from argparse import Namespace
from typing import Any

from pliant import reproduce_s1, reproduce_s2, reproduce_s5
from pliant.errors import BadInputError
from pliant.reproduce import Choice, all_held
from pliant.reproduce_table import as_text, below, cells
from pliant.results import Reproduced, Session, write_results

PAPERS: dict[str, Any] = {"s1": reproduce_s1, "s2": reproduce_s2, "s5": reproduce_s5}


def run(asked: Namespace) -> bool:
    """Whether all checks held."""
    if asked.results and asked.only:
        raise BadInputError("--results keeps a whole table; leave out --only")
    bar = False if asked.json else None
    choice = Choice(asked.out, asked.threads, asked.quick, bar, tuple(asked.only), asked.report)
    paper, start, load = PAPERS[asked.table], time.perf_counter(), os.getloadavg()[0]
    result = paper.reproduce(choice)
    session = Session(asked.threads, asked.quick, time.perf_counter() - start, load)
    notes = [paper.THEIRS, *session.notes()]
    if paper is reproduce_s5:
        table, legend = paper.table(result, choice), paper.LEGEND
        made = Reproduced(asked.table, paper.TITLE, notes, table, paper.sections(result), legend)
    else:
        table, below_it = cells(paper.TABLE, result["rows"], choice), below(result["rows"])
        made = Reproduced(asked.table, paper.TITLE, notes, table, [*below_it, *paper.sections(result)])
    files = result["plots"] + leave_files(asked, made, result)
    if asked.json:
        print(json.dumps(result))
    else:
        print("\n".join([made.title, *made.notes, "", as_text(made.table, made.sections, made.legend)]))
        print(f"\nlook at {', '.join(files)}" if files else "")
    return all_held(result)


def leave_files(asked: Namespace, made: Reproduced, result: dict[str, Any]) -> list[str]:
    files = []
    if asked.report:
        from pliant.report_page import write_page, write_tasks

        page = asked.out / f"{asked.table}.html"
        write = write_tasks if asked.table == "s5" else write_page
        write(page, made, result, False if asked.json else None)
        files.append(str(page))
    if asked.results:
        write_results(asked.results, made)
        files.append(str(asked.results))
    return files
