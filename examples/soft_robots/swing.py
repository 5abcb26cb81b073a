"""Co-design of an arm that swings to a goal and stops there: stiffness and actuation together (S5, V-C, Figs. 5 and 8).

python examples/soft_robots/swing.py [--minutes 30] [--fixed 1|3] [--out out]

It needs scipy: pip install pliant[optimize].
"""

import argparse
from pathlib import Path

import numpy as np

import pliant as pl
from pliant.codesign import CoDesign, Demand, solve
from pliant.soft_pictures import FlatArtist, film_run, plot_losses, shade

STEPS, HOLD = 800, 2  # actuation is held over two steps
RANGE = (0.3, 4.0)  # of the stiffness
DEMAND = Demand("hand", (0.24, 0.46), 0.01, 0.02)


def task(fixed: float = 0.0, steps: int = STEPS) -> CoDesign:
    return CoDesign(pl.load("soft_swing"), DEMAND, steps, HOLD, fixed)


def start(arm: CoDesign) -> np.ndarray:
    """A little to the left, so that there is a way to go."""
    return arm.join([0.1, -0.1, 0.1, -0.1], 1.0)


def train(fixed: float = 0.0, minutes: float = 30.0, steps: int = STEPS, bar: bool = True):
    """The arm, its variables and what they come to."""
    arm = task(fixed, steps)
    return arm, *solve(arm, start(arm), *RANGE, minutes, bar)


def show(arm: CoDesign, x: np.ndarray, path: Path) -> None:
    low, high = np.log(RANGE)
    shades = {name: shade((np.log(f) - low) / (high - low)) for name, f in arm.stiffness(x).items()}
    artist = FlatArtist((0.1, 0.05), (0.9, 0.75))
    artist.shades = shades

    def act(step: int) -> dict[str, float]:
        if step == 0:
            arm.begin(x)
        return arm.act(x, step)

    film_run(arm.world, act, arm.steps, artist, path, DEMAND.goal, slower=2)


def main() -> None:
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("--minutes", type=float, default=30.0)
    given.add_argument("--fixed", type=float, default=0.0)
    given.add_argument("--out", type=Path, default=Path("out"))
    asked = given.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    arm, x, figures = train(asked.fixed, asked.minutes)
    print(", ".join(f"{name} {value:.4g}" for name, value in figures.items()))
    path = asked.out / f"swing_{asked.fixed:g}"
    title = "arm: constraint violation (S5 Fig. 8)"
    plot_losses(path.with_name(path.name + "_loss.png"), {"constraints": arm.violations}, title)
    show(arm, x, path)


if __name__ == "__main__":
    main()
