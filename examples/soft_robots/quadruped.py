"""A quadruped of sixteen actuators learns to run to a goal (S5, Fig. 6).

python examples/soft_robots/quadruped.py [--iterations 100] [--seed 0] [--out out]
"""

import argparse
from pathlib import Path

import numpy as np

import pliant as pl
from pliant.framing import Pose
from pliant.soft_pictures import SpaceArtist, film_run, plot_losses
from pliant.soft_robots import Training, reach, replay

STEPS = 400
FORWARD = np.array([0.3, 0.0, 0.0])  # m, from where the head is at first to its goal


def train(iterations: int = 100, seed: int = 0, steps: int = STEPS, bar: bool | None = None):
    """The training, its controller and its world."""
    world = pl.World(pl.load("soft_quadruped"))
    controller = pl.Controller(world, world.matter["head"].mean_position + FORWARD, seed=seed)
    return reach(world, controller, "head", steps, 0.02, iterations, 0.1, bar), controller, world


def show(made: Training, controller: pl.Controller, world: pl.World, path: Path) -> None:
    artist = SpaceArtist(Pose((1.1, -1.6, 1.1), (0.95, 0.75, 0.25)))
    film_run(world, replay(controller, made), STEPS, artist, path, controller.goal)


def main() -> None:
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("--iterations", type=int, default=100)
    given.add_argument("--seed", type=int, default=0)
    given.add_argument("--out", type=Path, default=Path("out"))
    asked = given.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    made, controller, world = train(asked.iterations, asked.seed)
    print(
        f"{made.name}: loss {made.figures['first_loss']:.3g} -> {made.least:.3g} in {len(made.losses)} runs, "
        f"{made.seconds:.0f} s"
    )
    plot_losses(asked.out / "quadruped_loss.png", {made.name: made.losses}, "quadruped: (head - goal)^2")
    show(made, controller, world, asked.out / "quadruped")


if __name__ == "__main__":
    main()
