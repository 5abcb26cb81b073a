"""What a row of the table is, and what it measures."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from pliant.validate.case import Case

# bounds of errors, by what a line is about
FRICTION = STATICS = MOMENTUM = 0.01
ELASTICITY = 0.03
FLOW = 0.05
COLLAPSE = 0.10  # dams and columns

BOTH = ("async", "strong")


@dataclass(frozen=True)
class Curve:
    """What a plot shows: a quantity over time, and what it should be."""

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    theory: NDArray[np.float64] | None = None  # at x
    label: str = ""  # "speed [m/s]"
    x_label: str = "time [s]"


@dataclass(frozen=True)
class Measured:
    """A value and what it should be."""

    value: float
    reference: float
    scale: float = 0.0  # error = |value - reference| / scale; 0: the reference
    curve: Curve | None = None

    @property
    def error(self) -> float:
        return abs(self.value - self.reference) / (self.scale or abs(self.reference))


Measure = Callable[["Case"], dict[str, Measured]]


@dataclass(frozen=True)
class Row:
    """A scene and the lines of the table that are measured in it."""

    name: str
    lines: dict[str, float]  # what is measured, and its bound
    measure: Measure
    source: str  # of the reference: a formula, or who measured it
    methods: tuple[str, ...] = BOTH
    tilts: bool = False  # gravity may point anywhere
    quick: bool = False  # part of a quick look
    needed: bool = False  # of the kinds that may never be not ok

    def line_names(self) -> list[str]:
        return [f"{self.name}: {line}" for line in self.lines]


ROWS: list[Row] = []


def row(name: str, lines: dict[str, float], source: str, **rest: object) -> Callable[[Measure], Measure]:
    """Makes a function a row of the table."""

    def add(measure: Measure) -> Measure:
        ROWS.append(Row(name, lines, measure, source, **rest))  # type: ignore[arg-type]
        return measure

    return add
