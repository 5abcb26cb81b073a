"""A crawler of sixteen actuators learns to crawl to a goal by sines of time, which see nothing (S5, V-B).

python examples/soft_robots/crawler.py [--iterations 100] [--seed 0] [--out out]
"""

import argparse
from pathlib import Path

import numpy as np

import pliant as pl
from pliant.framing import Pose
from pliant.soft_pictures import SpaceArtist, film_run, plot_losses
from pliant.soft_robots import Sines, Training, descend, distance_loss

STEPS = 400
FORWARD = np.array([0.4, 0.0, 0.0])  # m, from where the foremost block is at first to its goal
HEAD = "block3"


def train(iterations: int = 100, seed: int = 0, steps: int = STEPS, bar: bool | None = None):
    """The training, what drives it, its world and its goal."""
    world = pl.World(pl.load("soft_crawler"))
    drive = Sines(world, seed=seed)
    goal = world.matter[HEAD].mean_position + FORWARD

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        drive.weights = weights
        world.reset()
        with pl.Tape(world, wrt=["actuation"]) as tape:
            for k in range(steps):
                drive.act(k)
                world.step()
            value, seeds = distance_loss(tape, HEAD, goal)
        g = tape.backward(seeds, progress=False)
        return value, drive.gradient(np.stack([g["actuation", name] for name in drive.actuators], axis=1))

    first = loss(drive.weights)[0]
    made = descend("soft crawler", loss, drive.weights, 0.02, iterations, 0.1 * first, bar, patience=5)
    made.figures = {"first_loss": first, "last_loss": made.least}
    return made, drive, world, goal


def show(made: Training, drive: Sines, world: pl.World, goal: np.ndarray, path: Path) -> None:
    drive.weights = made.weights
    artist = SpaceArtist(Pose((1.0, -1.6, 1.2), (1.05, 0.6, 0.2)))

    def act(step: int) -> dict[str, float]:
        return dict(zip(drive.actuators, drive.act(step), strict=True))

    film_run(world, act, STEPS, artist, path, goal)


def main() -> None:
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("--iterations", type=int, default=100)
    given.add_argument("--seed", type=int, default=0)
    given.add_argument("--out", type=Path, default=Path("out"))
    asked = given.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    made, drive, world, goal = train(asked.iterations, asked.seed)
    print(
        f"{made.name}: loss {made.figures['first_loss']:.3g} -> {made.least:.3g} in {len(made.losses)} runs, "
        f"{made.seconds:.0f} s"
    )
    plot_losses(asked.out / "crawler_loss.png", {made.name: made.losses}, "crawler: (head - goal)^2")
    show(made, drive, world, goal, asked.out / "crawler")


if __name__ == "__main__":
    main()
