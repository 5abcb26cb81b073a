#!/usr/bin/env python3
"""How high a soft ball is after some bounces, against where it begins to fall: the picture of docs/gradients.md.

usage: docs/bounce_height.py [FILE.png] [STARTS]
"""

import sys

import numpy as np

import pliant as pl
from pliant.reproduce_figures import axes_of

TIMES = (0.3, 0.6, 0.9)  # s: after one, two and three bounces
DT = 2.5e-4  # s
STARTS = (0.010, 0.030)  # m, to the side of the stone


def falling_ball(side):
    """A ball that falls on a round stone at the bottom of a bowl, in 2-D."""
    return pl.Scene(
        dimension=2,
        precision="float64",
        step=pl.StepOptions(dt=DT, substeps=1, cell=0.02, gravity=(0, -9.81), balance=False),
        materials=[pl.Material(name="rubber", law="neo_hookean", E=1e5, loss=0)],
        matter=[pl.Matter(name="ball", material="rubber", shape=pl.Sphere(0.05, (side, 0.35)))],
        boundaries=[
            pl.Boundary(name="bowl", kind="sphere", radius=0.3, center=(0, 0.3), inside_out=True),
            pl.Boundary(name="stone", kind="sphere", radius=0.1, center=(0, 0.02)),
        ],
    )


def heights(side):
    """At the times, and their derivatives by the side to which all of the ball begins."""
    world = pl.World(falling_ball(side), threads=1)
    last = [round(t / DT) - 1 for t in TIMES]
    with pl.Tape(world, ["initial.positions"]) as tape:
        seen = []
        for k in range(last[-1] + 1):
            world.step()
            if k in last:
                seen.append(tape.watch(k, "mean_position", "ball")[1])
    found = tape.backward([{(k, "mean_position", "ball"): [0, 1]} for k in last], progress=False)
    return seen, [g["initial.positions"][:, 0].sum() for g in found]


def main(file="docs/bounce_height.png", count="81"):
    sides = np.linspace(*STARTS, int(count))
    seen, slopes = (np.array(rows) for rows in zip(*map(heights, sides), strict=True))
    figure, axes = axes_of("begins so far to the side [mm]", "height [m]")
    for i, t in enumerate(TIMES):
        largest = np.abs(slopes[:, i]).max()
        axes.plot(1e3 * sides, seen[:, i], ".-", ms=3, lw=1, label=f"{t} s: slopes to {largest:.3g}")
        # some derivatives of tapes, as tangents
        for k in range(0, len(sides), max(1, len(sides) // 8)):
            across = np.array([-1, 1]) * min(4e-4, 0.02 / abs(slopes[k, i]))
            axes.plot(1e3 * (sides[k] + across), seen[k, i] + slopes[k, i] * across, color="black", lw=2, alpha=0.6)
        print(f"after {t} s: derivatives up to {largest:.3g}")
    axes.legend()
    figure.savefig(file, dpi=80)


if __name__ == "__main__":
    main(*sys.argv[1:])
