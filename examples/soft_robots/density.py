"""How dense is ball A, if ball B that it hits comes to a place? (S5, V-A)

python examples/soft_robots/density.py [--iterations 60] [--out out]
"""

import argparse
from pathlib import Path

import numpy as np

import pliant as pl
from pliant.soft_pictures import FlatArtist, film_run, plot_losses
from pliant.soft_robots import Training, descend, distance_loss

STEPS = 300
GOAL = np.array([0.92, 0.5])  # m, of the centre of B
BETWEEN = (0.5, 6.0)  # densities, where a search without gradients looks


def world_of(density: float) -> pl.World:
    return pl.World(pl.load("soft_billiards", overrides={"materials.a.density": f"{density:.17g}"}))


def loss(weights: np.ndarray, steps: int = STEPS) -> tuple[float, np.ndarray]:
    world = world_of(float(weights[0]))
    with pl.Tape(world, wrt=["density"]) as tape:
        for _ in range(steps):
            world.step()
        value, seeds = distance_loss(tape, "B", GOAL)
    return value, np.array([tape.backward(seeds, progress=False)["density", "a"]])


def train(iterations: int = 60, steps: int = STEPS, bar: bool | None = None) -> Training:
    made = descend("density of A", lambda w: loss(w, steps), np.array([1.0]), 0.1, iterations, 1e-8, bar, patience=3)
    made.figures = {"density": float(made.weights[0])}
    return made


def searched(steps: int = STEPS) -> float:
    """The density that makes B come nearest, by thirds of an interval."""

    def distance(density: float) -> float:
        world = world_of(density)
        for _ in range(steps):
            world.step()
        off = world.matter["B"].mean_position - GOAL
        return float(off @ off)

    low, high = BETWEEN
    while high - low > 1e-3:
        a, b = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, b) if distance(a) < distance(b) else (a, high)
    return (low + high) / 2


def main() -> None:
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("--iterations", type=int, default=60)
    given.add_argument("--out", type=Path, default=Path("out"))
    asked = given.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    made, wanted = train(asked.iterations), searched()
    found = made.figures["density"]
    print(
        f"density {found:.4f} in {len(made.losses)} runs, {made.seconds:.0f} s; a search finds {wanted:.4f} (S5: 2.26)"
    )
    plot_losses(asked.out / "density_loss.png", {"density of A": made.losses}, "billiards: (B - goal)^2")
    artist = FlatArtist((0.05, 0.3), (1.05, 0.7))
    film_run(world_of(found), lambda step: {}, STEPS, artist, asked.out / "density", GOAL, slower=4)


if __name__ == "__main__":
    main()
