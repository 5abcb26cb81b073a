"""A pneumatic leg with four chambers in a cross: bent by each of them, and dropped from 15 cm (S5, IV-B and Fig. 3).

python examples/soft_robots/leg.py [--out out]
"""

import argparse
from pathlib import Path

import numpy as np

import pliant as pl
from pliant.framing import Pose
from pliant.soft_pictures import SpaceArtist, film_run

CHAMBERS = {"east": (1, 0), "north": (0, 1), "west": (-1, 0), "south": (0, -1)}
PRESSURE = 9e4  # Pa
DROP = 0.15  # m


def bend(chamber: str, pressure: float = PRESSURE, duration: float = 0.3, path: Path | None = None) -> np.ndarray:
    """Where the foot is moved to, m, once a chamber is inflated."""
    scene = pl.load("pneumatic_leg")
    times, values = [0.0, 0.5 * duration], [[0.0], [pressure]]
    scene.motion = [pl.Motion(kind="actuation", target=f"inflate_{chamber}", times=times, values=values)]
    world = pl.World(scene)
    start, steps = world.matter["foot"].mean_position, round(duration / scene.step.dt)

    def pressed(step: int) -> dict[str, float]:
        return {f"inflate_{chamber}": -min(1.0, 2 * step / steps)}

    if path:
        artist = SpaceArtist(Pose((0.08, -0.3, 0.12), (0, 0, 0.07)), (400, 400), 0.02)
        film_run(world, pressed, steps, artist, path, slower=6)
    else:
        for _ in range(steps):
            world.step()
    return world.matter["foot"].mean_position - start


def drop(height: float = DROP, duration: float = 0.6, path: Path | None = None) -> np.ndarray:
    """Heights of the lowest particle over time, m, of a leg that falls freely."""
    scene = pl.load("pneumatic_leg")
    scene.motion = []
    scene.boundaries = [pl.Boundary(name="ground", at="nodes", center=(0, 0, -height), friction=0.5)]
    scene.step.gravity = (0, 0, -9.81)
    world = pl.World(scene)
    heights, steps = [], round(duration / scene.step.dt)

    def note(step: int) -> dict[str, float]:
        heights.append(min(world.matter[n].positions[:, 2].min() for n in ("foot", "plate")) + height)
        return {}

    if path:
        artist = SpaceArtist(Pose((0.2, -0.62, 0.1), (0, 0, -0.02)), (400, 480), 0.04)
        film_run(world, note, steps, artist, path, slower=5)
    else:
        for k in range(steps):
            note(k)
            world.step()
    return np.array(heights)


def bounce(heights: np.ndarray) -> float:
    """How high it comes back after it has touched the ground, m."""
    touched = int(np.argmin(heights))
    return float(heights[touched:].max() - heights[touched])


def main() -> None:
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("--out", type=Path, default=Path("out"))
    out = given.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    for chamber, side in CHAMBERS.items():
        moved = bend(chamber, path=out / "leg_bends" if chamber == "east" else None)
        print(f"{chamber} inflated by {PRESSURE:g} Pa: the foot goes {1e3 * -(moved[:2] @ side):.1f} mm away from it")
    heights = drop(path=out / "leg_drops")
    print(f"dropped from {100 * DROP:g} cm it comes back up by {100 * bounce(heights):.1f} cm")


if __name__ == "__main__":
    main()
