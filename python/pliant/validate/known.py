"""Lines that are known not to hold yet, and why. Nothing else may fail; what holds again leaves this list."""

import fnmatch

NODES = "boundaries are felt by the nodes of the grid inside of them, up to a cell away from the surface"
CENTRES = "matter touches by the centres of its outermost particles, which lie inside of its shape"
GIVES = "contacts give way: 10 E / cell is too soft beside the matter (100 E / cell holds the bound)"
WALKS = "a block that is loaded at once walks: normal and tangential motion feed each other"
TURNS = "the strong step takes turning for stretch within a step unless exact_rotation is asked for"
LEVER = "rows of the strong step act where the contact was at its start, which brakes what rolls by v dt / r"
SEAM = "particles below the surface feel the side of the next solid where two meet"
LEVELS = "centres of particles go to the walls, and water sinks together"
APRON = "the thin apron of a column is below a cell; run-out tends to the measured one from below with h"

# pattern of a line's name, method ("*": both), reason
KNOWN: list[tuple[str, str, str]] = [
    ("block slides on a boundary*", "strong", NODES),
    ("*block slides on a box*", "async", WALKS),
    ("*block*rests on a*", "async", WALKS),
    ("soft block of nu .45 rests*", "strong", CENTRES),
    ("block stops on a boundary*", "strong", NODES),
    ("cylinder rolls down a boundary*", "*", NODES),
    ("ball*boundary*", "*", NODES),
    ("ball*box*", "*", CENTRES),
    ("ball rolls on*", "*", LEVER),
    ("squeeze*: friction", "*", CENTRES),
    ("grip * its limit*", "*", CENTRES),
    ("gripped cube*", "*", CENTRES),
    ("hard cube in a grip*", "*", CENTRES),
    ("cube at rest on a boundary*", "*", NODES),
    ("cube at rest on a plane*", "*", CENTRES),
    ("block hangs*", "*", NODES),
    ("press without friction*", "*", f"{CENTRES}; with a surface: {GIVES}"),
    ("press beyond the yield stress*", "*", "the yield stress is that of |dev tau|, sqrt(3/2) off; and " + GIVES),
    ("plate*", "*", CENTRES),
    ("Hertz*", "*", f"{CENTRES}; with a surface: {GIVES}"),
    ("cantilever*", "*", NODES),
    ("bar hangs*", "*", NODES),
    ("free cube spins*", "strong", TURNS),
    ("block slides over the seam*", "*", SEAM),
    ("ball thrown at a thin boundary*", "*", NODES),
    ("water in a*", "*", LEVELS),
    ("water between walls*", "*", LEVELS),
    ("water spins in a bucket*", "strong", "the strong step forgets the affine velocities of liquids"),
    ("boat*", "*", LEVELS),
    ("dam breaks*", "*", "cause not looked into; async misses its bound by a fiftieth at the worst place"),
    ("round column*", "*", APRON),
    ("plane column*", "*", APRON),
    ("silo*", "*", "cause not looked into"),
    ("sand on a slope*", "*", "cause not looked into"),
    ("wall pushed into sand*", "*", "cause not looked into"),
]


def known_reason(name: str, method: str) -> str:
    """Why a line is known not to hold; empty if it is not."""
    for pattern, of, reason in KNOWN:
        if fnmatch.fnmatch(name, pattern) and of in ("*", method):
            return reason
    return ""
