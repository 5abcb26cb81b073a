"""A finger learns to reach: one target, targets at random, and from a larger range (S5, V-B and Fig. 7).

python examples/soft_robots/finger.py [--targets one|random|far] [--iterations 60] [--seed 0] [--out out]
"""

import argparse
from pathlib import Path

import numpy as np

import pliant as pl
from pliant.soft_pictures import FlatArtist, film_run, plot_losses
from pliant.soft_robots import Training, closed_loop, descend, distance_loss, replay

TARGET = np.array([0.62, 0.42])
RANGES = {"one": 0.0, "random": 0.04, "far": 0.08}  # m, half the edge of the square that targets come from
RATES = {"one": 0.02, "random": 0.05, "far": 0.05}
ITERATIONS = {"one": 60, "random": 300, "far": 300}
STEPS = 80
UNIT = (
    0.05  # m, in which the controller sees how far the goal is from the middle of all: else they all look alike to it
)
REACHED = 1e-3  # of the first loss


def targets_of(targets: str, count: int, seed: int) -> np.ndarray:
    return TARGET + RANGES[targets] * np.random.default_rng(seed).uniform(-1, 1, (count, 2))


def seen(goal: np.ndarray) -> np.ndarray:
    return (goal - TARGET) / UNIT


def train(targets: str = "one", iterations: int = 0, seed: int = 0, steps: int = STEPS, bar: bool | None = None):
    """The training, its controller and its world."""
    world = pl.World(pl.load("soft_finger"))
    controller = pl.Controller(world, seen(TARGET), seed=seed)
    start = controller.weights
    count = iterations or ITERATIONS[targets]
    goals = iter(targets_of(targets, count, 100 + seed))

    def look(tape: pl.Tape):
        return distance_loss(tape, "head", TARGET + UNIT * controller.goal)

    loss = closed_loop(world, controller, steps, look)

    def next_loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        controller.goal = seen(next(goals))
        return loss(weights)

    made = descend(f"finger, {targets}", next_loss, start, RATES[targets], count, -np.inf, bar)
    # with targets at random the last weights are the best guess, with one the best of them
    if targets != "one":
        made.weights = controller.weights
    first, last = (mean_loss(loss, controller, targets, w) for w in (start, made.weights))
    made.figures = {"first_loss": first, "last_loss": last}
    made.reached = last <= (REACHED if targets == "one" else 0.1) * first
    return made, controller, world


def mean_loss(loss, controller: pl.Controller, targets: str, weights: np.ndarray) -> float:
    """Over targets that no training saw."""
    values = []
    for goal in targets_of(targets, 1 if targets == "one" else 10, 7):
        controller.goal = seen(goal)
        values.append(loss(weights)[0])
    return float(np.mean(values))


def show(made: Training, controller: pl.Controller, world: pl.World, path: Path, goal: np.ndarray = TARGET) -> None:
    act = replay(controller, made)
    controller.begin(seen(goal))
    film_run(world, act, STEPS, FlatArtist((0.2, 0.05), (0.9, 0.6)), path, goal, slower=8)


def main() -> None:
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("--targets", choices=RANGES, default="one")
    given.add_argument("--iterations", type=int, default=0)
    given.add_argument("--seed", type=int, default=0)
    given.add_argument("--out", type=Path, default=Path("out"))
    asked = given.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    made, controller, world = train(asked.targets, asked.iterations, asked.seed)
    print(
        f"{made.name}: loss {made.figures['first_loss']:.3g} -> {made.figures['last_loss']:.3g}, {made.seconds:.1f} s"
    )
    path = asked.out / f"finger_{asked.targets}"
    plot_losses(path.with_name(path.name + "_loss.png"), {made.name: made.losses}, "finger: (head - target)^2")
    show(made, controller, world, path, targets_of(asked.targets, 1, 7)[0])


if __name__ == "__main__":
    main()
