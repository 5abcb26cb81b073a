"""Closed forms that several rows need, and how a frequency is read off a curve."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def neo_hookean_stretch(stress: Array, E: float, nu: float) -> Array:
    """Stretch of a neo-Hookean bar whose sides are free, under a nominal stress, Pa (force over rest area)."""
    shear, lame = E / (2 * (1 + nu)), E * nu / ((1 + nu) * (1 - 2 * nu))
    stress = np.asarray(stress, float)
    low, high = np.full(stress.shape, 0.2), np.full(stress.shape, 5.0)
    for _ in range(60):
        along = (low + high) / 2
        pulls = nominal_stress(along, shear, lame) > stress
        low, high = np.where(pulls, low, along), np.where(pulls, along, high)
    return (low + high) / 2


def neo_hookean_stress(stretch: float, E: float, nu: float) -> float:
    """Nominal stress of such a bar at a stretch, Pa."""
    shear, lame = E / (2 * (1 + nu)), E * nu / ((1 + nu) * (1 - 2 * nu))
    return float(nominal_stress(np.array(stretch), shear, lame))


def nominal_stress(along: Array, shear: float, lame: float) -> Array:
    """With no stress across: shear (b - 1) + lame/2 log(a^2 b^2) = 0 for b, the square of the stretch across."""
    b = np.ones(along.shape)
    for _ in range(50):
        rest = shear * (b - 1) + lame * (np.log(along) + np.log(b))
        b = np.maximum(b - rest / (shear + lame / b), 0.05)
    return (shear * (along**2 - 1) + lame * (np.log(along) + np.log(b))) / along


def column_center(height: float, weight: float, E: float, nu: float, load: float = 0.0) -> tuple[float, float]:
    """Mean height and top of a neo-Hookean column that stands without friction: weight in N/m^3, load in Pa on top."""
    z = (np.arange(2000) + 0.5) / 2000
    stretch = neo_hookean_stretch(-(load + weight * height * (1 - z)), E, nu)
    top = np.cumsum(stretch) * height / len(z)
    return float(np.mean(top - stretch * height / len(z) / 2)), float(top[-1])


@dataclass(frozen=True)
class Vibration:
    """y = offset + decaying cosine and sine of a frequency, and of a higher mode beside it."""

    offset: float
    omega: float  # rad/s, without damping
    damping: float  # part of the critical


def fit_vibration(time: Array, y: Array, guess: float, higher: float) -> Vibration:
    """Least squares; guess: of omega, rad/s; higher: frequency of the next mode over that of the first."""
    best = (math.inf, 0.0, 0.0, 0.0)
    center, width, zeta, spread = guess, 0.5, 0.1, 0.1
    for _ in range(6):
        for omega in center * (1 + width * np.linspace(-1, 1, 21)):
            for part in np.clip(zeta + spread * np.linspace(-1, 1, 9), 0, 0.6):
                best = min(best, (*residual(time, y, omega, float(part), higher), omega, float(part)))
        center, zeta = best[2], best[3]
        width, spread = width / 5, spread / 3
    return Vibration(best[1], best[2], best[3])


def residual(time: Array, y: Array, omega: float, zeta: float, higher: float) -> tuple[float, float]:
    """Squares left, and the offset."""
    columns = [np.ones_like(time)]
    for ratio in (1.0, higher):
        decay = np.exp(-zeta * ratio * omega * time)
        phase = ratio * omega * math.sqrt(1 - zeta**2) * time
        columns += [decay * np.cos(phase), decay * np.sin(phase)]
    matrix = np.stack(columns, axis=1)
    answer, *_ = np.linalg.lstsq(matrix, y, rcond=None)
    return float(np.sum((matrix @ answer - y) ** 2)), float(answer[0])


def ball_between_plates(depth: float, radius: float, E: float, nu: float) -> float:
    """Force of plates that have each come nearer to the centre by the depth: Hertz, and Tatara's term (1991) for what
    the push of the other plate does at this one. Finite elements agree to .2 % up to a depth of R/30."""

    def approach(a: float) -> float:
        force, far = hertz(a), 4 * radius**2 + a**2
        shrinks = 2 * (1 + nu) * radius**2 / far**1.5 + (1 - nu**2) / far**0.5
        return a**2 / radius - force * shrinks / (math.pi * E)

    def hertz(a: float) -> float:
        return 4 / 3 * E / (1 - nu**2) * a**3 / radius

    low, high = 0.0, radius
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if approach(middle) < depth else (low, middle)
    return hertz((low + high) / 2)
