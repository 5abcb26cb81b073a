"""A walker in the plane learns to go as far as it can in 600 steps (S5, Fig. 4).

python examples/soft_robots/walker.py [--iterations 100] [--seed 0] [--all] [--out out]
"""

import argparse
from pathlib import Path

import numpy as np

import pliant as pl
from pliant.soft_pictures import FlatArtist, film_run, plot_losses
from pliant.soft_robots import Training, closed_loop, descend, replay

STEPS = 600
WIDTH = 0.45  # m, of the walker at the start: what its head should move


def head_moved(tape: pl.Tape, start: float):
    last = len(tape) - 1
    x = tape.watch(last, "mean_position", "head")[0]
    return start - float(x), {(last, "mean_position", "head"): [-1.0, 0.0]}


def train(iterations: int = 100, seed: int = 0, steps: int = STEPS, width: float = WIDTH, bar: bool | None = None):
    """The training, its controller and its world. It stops once the head moves by more than the walker's width."""
    world = pl.World(pl.load("soft_walker"))
    start = float(world.matter["head"].mean_position[0])
    controller = pl.Controller(world, seed=seed)
    loss = closed_loop(world, controller, steps, lambda tape: head_moved(tape, start))
    made = descend(f"walker, seed {seed}", loss, controller.weights, 0.02, iterations, -1.05 * width, bar, patience=10)
    made.figures = {"moved": -made.least, "widths": -made.least / width}
    made.reached = -made.least >= width
    return made, controller, world


def show(made: Training, controller: pl.Controller, world: pl.World, path: Path) -> None:
    film_run(world, replay(controller, made), STEPS, FlatArtist((0.1, 0.0), (1.5, 0.5), 800), path)


def main() -> None:
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("--iterations", type=int, default=100)
    given.add_argument("--seed", type=int, default=0)
    given.add_argument("--all", action="store_true", help="seeds 0 to 4")
    given.add_argument("--out", type=Path, default=Path("out"))
    asked = given.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    runs = [train(asked.iterations, seed) for seed in (range(5) if asked.all else [asked.seed])]
    for made, _, _ in runs:
        print(f"{made.name}: {made.figures['widths']:.2f} widths, {len(made.losses)} runs, {made.seconds:.0f} s")
    moved = {made.name: -np.array(made.losses) / WIDTH for made, _, _ in runs}
    plot_losses(asked.out / "walker_loss.png", moved, "walker: how far the head moves, in widths", log=False)
    show(*runs[0], asked.out / "walker")


if __name__ == "__main__":
    main()
