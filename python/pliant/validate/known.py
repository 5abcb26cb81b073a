"""Lines that are known not to hold yet, and why. Nothing else may fail; what holds again leaves this list."""

import fnmatch

# pattern of a line's name, method ("*": both), reason
KNOWN: list[tuple[str, str, str]] = []


def known_reason(name: str, method: str) -> str:
    """Why a line is known not to hold; empty if it is not."""
    for pattern, of, reason in KNOWN:
        if fnmatch.fnmatch(name, pattern) and of in ("*", method):
            return reason
    return ""
