"""All rows, in the order of the table; each module adds its own when it is loaded."""

import fnmatch
from collections.abc import Sequence

from pliant.errors import BadInputError
from pliant.validate import elastic, grips, inclines, rolling, sands, seams, sheets, statics, tanks  # noqa: F401, I001
from pliant.validate.row import ROWS, Row


def wanted_rows(only: Sequence[str] = (), quick: bool = False) -> list[Row]:
    """Rows of which a line fits one of the patterns; a pattern without * or ? is a part of a name."""
    rows = [row for row in ROWS if row.quick or not quick]
    if not only:
        return rows
    found = [row for row in rows if any(fits(pattern, name) for pattern in only for name in row.line_names())]
    if not found:
        raise BadInputError(f"no row of the table fits '{only[0]}'; pliant validate --list shows their names")
    return found


def fits(pattern: str, name: str) -> bool:
    whole = pattern if any(sign in pattern for sign in "*?[") else f"*{pattern}*"
    return fnmatch.fnmatch(name.lower(), whole.lower())
