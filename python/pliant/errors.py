"""What Pliant raises. Each error has a code and a text that says what, where, and the cure."""


class Error(RuntimeError):
    """Base of all errors of the simulation."""

    code = "error"


class BadInputError(Error, ValueError):
    """A value of the scene or of a call is not allowed."""

    code = "bad_input"


class TooLargeError(Error):
    """More particles, memory or cells than the limits allow."""

    code = "too_large"


class OutOfRangeError(Error):
    """Matter left the range of the grid."""

    code = "out_of_range"


class TooFastError(Error):
    """Matter moved more than a cell in one substep."""

    code = "too_fast"


class NotFiniteError(Error):
    """A number became infinite or NaN."""

    code = "not_finite"


class NotConvergedError(Error):
    """The contact solver did not reach its tolerance."""

    code = "not_converged"


class OverBudgetError(Error):
    """A step took more iterations than `step.budget` allows."""

    code = "over_budget"


class StoppedError(Error):
    """Somebody asked to stop. In Python Ctrl-C is a KeyboardInterrupt instead."""

    code = "interrupted"


class BadFileError(Error):
    """A file is missing, truncated, corrupt or of an unknown version."""

    code = "bad_file"


BY_CODE = {
    kind.code: kind
    for kind in (
        BadInputError,
        TooLargeError,
        OutOfRangeError,
        TooFastError,
        NotFiniteError,
        NotConvergedError,
        OverBudgetError,
        StoppedError,
        BadFileError,
    )
}
