"""Lines that are known not to hold yet, and why. Nothing else may fail; what holds again leaves this list."""

import fnmatch

GIVES = (
    "contacts give way: 10 E / cell (strong 30 E / cell) is soft beside the matter; 100 E / cell would hold the bound"
)
CHATTERS = (
    "contacts of stiff matter chatter in explicit substeps: friction is off, and what is gripped creeps by microns"
)
SEAM = "a block that crosses a seam catches on it: substeps lose a fifth, the strong solve spends its budget"
LEVELS = "water sinks together slowly: 0.1 % of its height in a second in async, 1 % in large strong steps"
APRON = "the thin apron of a column is below a cell; run-out tends to the measured one from below with h"
UNKNOWN = "cause not looked into"
NOT_RUN = "not measured since matter touches by its surface"

# pattern of a line's name, method ("*": both), reason
KNOWN: list[tuple[str, str, str]] = [
    ("small soft block slides*", "*", NOT_RUN),
    ("large heavy block slides*", "*", NOT_RUN),
    ("soft block of nu .45 rests*", "*", NOT_RUN),
    ("stiff block rests*", "*", NOT_RUN),
    ("block slides over the seam*", "*", SEAM),
    ("ball rolls down a boundary*", "*", NOT_RUN),
    ("ball rolls on*", "*", NOT_RUN),
    ("ball slides*", "*", NOT_RUN),
    ("ball with backspin*", "*", NOT_RUN),
    ("ball thrown at a thin boundary*", "*", NOT_RUN),
    ("gripped cube*", "async", CHATTERS),
    ("hard cube in a grip*", "async", CHATTERS),
    ("press*", "*", GIVES),
    ("plate of*", "*", NOT_RUN),
    ("Hertz*", "*", GIVES),
    ("cantilever*", "*", NOT_RUN),
    ("bar hangs*", "*", UNKNOWN),
    ("water in a*", "*", LEVELS),
    ("water between walls*", "*", NOT_RUN),
    ("boat*", "*", NOT_RUN),
    ("dam breaks*", "async", "the front runs ahead by a tenth; cause not looked into"),
    ("round column*", "*", APRON),
    ("plane column*", "*", APRON),
    ("silo*", "*", UNKNOWN),
    ("sand on a slope*", "*", UNKNOWN),
    ("wall pushed into sand*", "*", UNKNOWN),
]


def known_reason(name: str, method: str) -> str:
    """Why a line is known not to hold; empty if it is not."""
    for pattern, of, reason in KNOWN:
        if fnmatch.fnmatch(name, pattern) and of in ("*", method):
            return reason
    return ""
