"""An arm of three links and twelve actuators learns to reach a target in space (S5, V-B).

python examples/soft_robots/arm.py [--iterations 60] [--seed 0] [--out out]
"""

import argparse
from pathlib import Path

import numpy as np

import pliant as pl
from pliant.framing import Pose
from pliant.soft_pictures import SpaceArtist, film_run, plot_losses
from pliant.soft_robots import Training, reach, replay

STEPS = 200
TARGET = np.array([0.66, 0.58, 0.74])  # m


def train(iterations: int = 60, seed: int = 0, steps: int = STEPS, bar: bool | None = None):
    """The training, its controller and its world."""
    world = pl.World(pl.load("soft_arm"))
    controller = pl.Controller(world, TARGET, seed=seed)
    return reach(world, controller, "hand", steps, 0.02, iterations, 0.03, bar), controller, world


def show(made: Training, controller: pl.Controller, world: pl.World, path: Path) -> None:
    artist = SpaceArtist(Pose((1.5, -0.9, 0.9), (0.5, 0.5, 0.45)), (480, 480))
    film_run(world, replay(controller, made), STEPS, artist, path, TARGET, slower=6)


def main() -> None:
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("--iterations", type=int, default=60)
    given.add_argument("--seed", type=int, default=0)
    given.add_argument("--out", type=Path, default=Path("out"))
    asked = given.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    made, controller, world = train(asked.iterations, asked.seed)
    print(
        f"{made.name}: loss {made.figures['first_loss']:.3g} -> {made.least:.3g} in {len(made.losses)} runs, "
        f"{made.seconds:.0f} s"
    )
    plot_losses(asked.out / "arm_loss.png", {made.name: made.losses}, "arm: (hand - target)^2")
    show(made, controller, world, asked.out / "arm")


if __name__ == "__main__":
    main()
