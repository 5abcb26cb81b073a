"""Tables II and III of S5: what a step and its way back take, and how exact both are."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from pliant._core import Boundary, Material, Matter, Scene, StepOptions, World
from pliant.controller import Controller
from pliant.library import load
from pliant.reproduce import Choice
from pliant.reproduce_table import Section
from pliant.soft_robots import closed_loop, distance_loss
from pliant.tape import Tape

Array = np.ndarray[Any, Any]

Cube = tuple[int, tuple[int, ...], tuple[float, float], dict[str, float]]

# Table II: particles, cells of the block, ms of theirs forward and back on a GTX 1080 Ti, and of others
CUBES: tuple[Cube, ...] = (
    (8_000, (10, 10, 10), (0.392, 0.406), {"Flex, 8,024": 3.5}),
    (64_000, (20, 20, 20), (1.594, 1.774), {"Flex, 61,238": 6.0}),
    (512_000, (40, 40, 40), (10.501, 11.594), {}),
    (6_400, (40, 40), (0.10, 0.14), {"TensorFlow": 13.2, "TensorFlow, back": 35.7}),
)
# Table III: relative errors by steps; None: the cell is empty
STEPS = (1, 10, 100, 1000)
ERRORS: dict[str, tuple[float | None, ...]] = {
    "A1": (9.80e-8, 4.74e-8, 1.15e-7, None),
    "A2": (None, None, None, 2.69e-5),
    "B": (None, None, 2.39e-8, 2.83e-8),
    "C": (5.63e-6, 2.24e-7, 6.97e-7, 1.76e-6),
}
WHAT = {
    "A1": "3-D, float32, free flight: mean place by first velocity against n dt",
    "A2": "3-D, float32, a smooth wall is hit: along it against n dt, across it against float64",
    "B": "2-D, float64, billiards: place of a ball that was hit by the cue's velocity, against differences",
    "C": "2-D, float64, finger: weights of its controller, against differences",
}
NAMES = [*(f"cube_{count}" for count, *_ in CUBES), *(f"table_III_{case}" for case in ERRORS)]

SUBSTEPS = 8  # of a step of the cubes, so that ordering particles is paid for as a user pays for it
CELL = 0.01  # m
# s, of A1 and A2. Theirs is likely 1e-4, which no float is: a hundred of them, added up as floats, are off by 9.5e-7.
DT = 2.0**-13


def reproduce(choice: Choice) -> list[dict[str, Any]]:
    """Rows of both tables, as `pliant reproduce s5 --json` gives them."""
    rows = [cube_row(cube, choice) for cube in CUBES if choice.wants(f"cube_{cube[0]}")]
    for case, gradient_error in CASES.items():
        if choice.wants(f"table_III_{case}"):
            rows.append(error_row(case, gradient_error, choice))
    return rows


# Table II


def cube(cells: tuple[int, ...], seed: int = 1) -> Scene:
    """A falling block: one particle at a random place in each half of a cell along each axis."""
    dimension = len(cells)
    halves = np.stack(np.meshgrid(*[np.arange(2 * n) for n in cells], indexing="ij"), axis=-1).reshape(-1, dimension)
    random = np.random.default_rng(seed)
    points = 0.5 * CELL * (halves + random.random(halves.shape))
    random.shuffle(points)
    up = np.eye(dimension)[-1]
    wave = np.sqrt(1.35e5 / 1000)  # m/s, of E 1e5 Pa and nu .3
    return Scene(
        dimension=dimension,
        step=StepOptions(
            # a fifth of what a wave takes to cross a cell
            dt=SUBSTEPS * 0.2 * CELL / wave,
            substeps=SUBSTEPS,
            cell=CELL,
            gravity=tuple(-9.81 * up),
            balance=False,
        ),
        materials=[Material(name="jelly", law="fixed_corotated", E=1e5, nu=0.3, density=1000, loss=0)],
        matter=[
            Matter(
                name="block",
                material="jelly",
                points=points,
                point_volume=(CELL / 2) ** dimension,
                velocity=tuple(-2 * up),
            )
        ],
        # between two nodes, so that round-off does not choose who is inside
        boundaries=[Boundary(name="floor", normal=tuple(up), center=tuple(-1.5 * CELL * up), at="nodes")],
    )


def cube_row(which: Cube, choice: Choice) -> dict[str, Any]:
    count, cells, theirs, others = which
    times = cube_times(cells, choice.threads, 1 if choice.quick else 4)
    return {
        "scene": f"cube_{count}",
        "title": f"falling cube, {count:,} particles in {len(cells)}-D",
        "method": "explicit",
        "first": True,
        "particles": count,
        "forward_ms": round(times[0], 4),
        "recorded_ms": round(times[1], 4),
        "backward_ms": round(times[2], 4),
        "paper_forward_ms": theirs[0],
        "paper_backward_ms": theirs[1],
        "paper_others_ms": others,
        "expect": [],
    }


def cube_times(cells: tuple[int, ...], threads: int, rounds: int) -> tuple[float, float, float]:
    """ms per substep of steps, of steps that are recorded, and of the way back: the best of some rounds."""
    world = World(cube(cells), threads)
    world.step()
    start, plain = world.save(), world.clone()
    best = [np.inf] * 3
    seeds = {(0, "mean_position", "block"): np.ones(len(cells))}
    # the first round only brings memory in
    for number in range(rounds + 1):
        plain.restore(start)
        world.restore(start)
        forward = timed(plain.step)
        with Tape(world, ["initial"], memory="8 GB") as tape:
            recorded = timed(world.step)
        tape.backward(seeds, progress=False)
        backward = timed(lambda tape=tape: tape.backward(seeds, progress=False))
        if number:
            best = [min(a, b) for a, b in zip(best, (forward, recorded, backward), strict=True)]
    return best[0], best[1], best[2]


def timed(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return 1e3 * (time.perf_counter() - begun) / SUBSTEPS


# Table III: each case gives its relative error after so many steps


def ball(count: int, dimension: int, spacing: float) -> Array:
    """The places of a lattice that are nearest to the origin."""
    n = int(np.ceil(count ** (1 / dimension)))
    axis = (np.arange(-n, n) + 0.5) * spacing
    places = np.stack(np.meshgrid(*[axis] * dimension, indexing="ij"), axis=-1).reshape(-1, dimension)
    return places[np.argsort((places**2).sum(axis=1), kind="stable")[:count]]


def flying_ball(precision: str, wall: bool) -> Scene:
    """The ball of A1 and A2: 3,375 particles of 1 kg, as light and soft as theirs."""
    spacing = CELL / 2
    walls = [Boundary(name="wall", normal=(-1, 0, 0), center=(0.0951, 0, 0), at="nodes")] if wall else []
    random = np.random.default_rng(1)
    # at random places, as those of a lattice have all the same round-off
    points = ball(3375, 3, spacing) + spacing * (random.random((3375, 3)) - 0.5)
    return Scene(
        dimension=3,
        precision=precision,
        step=StepOptions(dt=DT, substeps=1, cell=CELL, gravity=(0, 0, 0)),
        materials=[
            Material(name="jelly", law="fixed_corotated", E=10 / spacing**3, nu=0.3, density=1 / spacing**3, loss=0)
        ],
        matter=[
            Matter(name="ball", material="jelly", points=points, point_volume=spacing**3, velocity=(1.0, 0.7, -0.4))
        ],
        boundaries=walls,
    )


def place_by_velocity(scene: Scene, steps: int, threads: int, target: str = "ball", of: str = "ball") -> Array:
    """Mean place of a piece by the first velocity of another, as a matrix."""
    d = int(scene.dimension)
    world = World(scene, threads)
    count = len(world.matter[target])
    with Tape(world, ["initial.velocities"]) as tape:
        for _ in range(steps):
            world.step()
    # the sum of places: a float holds its derivatives, which are 1
    last = (steps - 1, "positions", target)
    found = tape.backward([{last: np.tile(row, (count, 1))} for row in np.eye(d)], progress=False)
    return np.array([g["initial.velocities", of].sum(axis=0) for g in found]) / count


def free_flight(steps: int, threads: int) -> float | None:
    found = place_by_velocity(flying_ball("float32", wall=False), steps, threads)
    return float(np.abs(found / (steps * DT) - np.eye(3)).max())


def smooth_wall(steps: int, threads: int) -> float | None:
    """Along the wall against n dt, across it, where there is no closed form, against float64."""
    if steps < 1000:
        return None
    found, reference = (place_by_velocity(flying_ball(p, wall=True), steps, threads) for p in ("float32", "float64"))
    along = np.abs(found[1:, 1:] / (steps * DT) - np.eye(2)).max()
    return float(max(along, np.abs(found[0] - reference[0]).max() / np.abs(reference[0]).max()))


def billiards() -> Scene:
    """A cue and a triangle of three balls in 2-D, without walls; the first hit comes after some 40 steps."""
    spacing, radius = CELL / 2, 0.04
    points = ball(round(np.pi * radius**2 / spacing**2), 2, spacing)
    places = {"cue": (-0.11, 0.013), "front": (0, 0), "left": (0.085, 0.052), "right": (0.085, -0.052)}
    return Scene(
        dimension=2,
        precision="float64",
        step=StepOptions(dt=5e-4, substeps=1, cell=CELL, gravity=(0, 0)),
        materials=[Material(name="jelly", law="fixed_corotated", E=10, nu=0.3, density=1, loss=0)],
        matter=[
            Matter(
                name=name,
                material="jelly",
                points=points + place,
                point_volume=spacing**2,
                velocity=(1.0, 0) if name == "cue" else (0, 0),
            )
            for name, place in places.items()
        ],
    )


def colliding(steps: int, threads: int) -> float | None:
    if steps < 100:
        return None
    target = "front" if steps < 1000 else "left"
    found = place_by_velocity(billiards(), steps, threads, target, "cue")
    start = World(billiards(), threads)
    v0 = start.matter["cue"].by_id("velocities")

    def place(change: Array) -> Array:
        world = start.clone()
        world.matter["cue"].set(velocities=v0 + change)
        for _ in range(steps):
            world.step()
        return np.asarray(world.matter[target].by_id("positions").mean(axis=0))

    return difference_error(found, place, 2)


def difference_error(found: Array, value: Callable[[Array], Array], count: int, step: float = 1e-6) -> float:
    """How far a matrix of derivatives is from central differences, relative to the largest of them. Longer steps of the
    differences see more kinks of the kernels' slopes (errors grow with them), shorter ones round-off."""
    columns = [(value(step * e) - value(-step * e)) / (2 * step) for e in np.eye(count)]
    wanted = np.stack(columns, axis=-1)
    return float(np.abs(found - wanted).max() / np.abs(wanted).max())


def finger(steps: int, threads: int) -> float | None:
    """(place of the head - target)^2 by the weights of the finger's controller."""
    world = World(load("soft_finger", overrides={"precision": "float64"}), threads)
    controller = Controller(world, (0.62, 0.42))
    loss = closed_loop(world, controller, steps, lambda tape: distance_loss(tape, "head", controller.goal))
    first = controller.weights

    def value(change: Array) -> Array:
        controller.weights = first + change
        world.reset()
        controller.begin()
        for _ in range(steps):
            controller.act()
            world.step()
        off = world.matter["head"].by_id("positions").mean(axis=0) - controller.goal
        return np.array([off @ off])

    return difference_error(loss(first)[1][None], value, len(first))


CASES: dict[str, Callable[[int, int], float | None]] = {
    "A1": free_flight,
    "A2": smooth_wall,
    "B": colliding,
    "C": finger,
}


def error_row(case: str, error: Callable[[int, int], float | None], choice: Choice) -> dict[str, Any]:
    counts = STEPS[:3] if choice.quick else STEPS
    found = [error(steps, choice.threads) for steps in counts]
    goals = [
        {"name": f"error after {n} steps", "value": e, "bound": [None, theirs], "ok": e <= theirs}
        for n, e, theirs in zip(counts, found, ERRORS[case], strict=False)
        if e is not None and theirs is not None
    ]
    return {
        "scene": f"table_III_{case}",
        "title": f"case {case}",
        "what": WHAT[case],
        "method": "explicit",
        "first": True,
        "steps": list(counts),
        "errors": found,
        "paper_errors": list(ERRORS[case]),
        "expect": goals,
    }


# Fig. 7: the finger by PPO


def python_of_ppo() -> str | None:
    """A Python that has stable-baselines3: this one, or that of .venv-torch."""
    if importlib.util.find_spec("stable_baselines3"):
        return sys.executable
    other = Path(__file__).resolve().parents[2] / ".venv-torch" / "bin" / "python"
    return str(other) if other.exists() else None


def ppo_row(choice: Choice) -> dict[str, Any]:
    """PPO until its loss is what that of gradient descent was, or it took twenty times the runs; skipped where
    stable-baselines3 is not installed."""
    python = python_of_ppo()
    if python is None:
        return {"runs": "-", "seconds": 0.0, "skipped": "needs stable-baselines3: tools/setup torch", "expect": []}
    file, begun = choice.out / "s5_finger_ppo.json", time.perf_counter()
    times = 1 if choice.quick else 20
    program = Path(__file__).parent / "examples" / "soft_robots" / "finger_ppo.py"
    subprocess.run([python, program, "--times", str(times), "--out", file], check=True, stdout=subprocess.DEVNULL)
    made = json.loads(file.read_text())
    goal, (ours, theirs) = list(made["until"].items())[-1]
    factor = (theirs or made["stopped_at"]) / ours
    words = f"runs of PPO over those of gradient descent, until {goal} of the first loss"
    return {
        "first_loss": made["first_loss"],
        "last_loss": min(loss for _, loss in made["ppo"]),
        "runs": made["ppo"][-1][0],
        "seconds": round(time.perf_counter() - begun, 1),
        "until": made["until"],
        # of each run that of the policy it was made with
        "losses": [loss for (n, loss), (end, _) in pairwise(made["ppo"]) for _ in range(n, end)],
        "expect": [] if choice.quick else [{"name": words, "value": factor, "bound": [10, None], "ok": factor >= 10}],
    }


# as text


def sections(rows: list[dict[str, Any]]) -> list[Section]:
    times = [cube_line(row) for row in rows if "forward_ms" in row]
    errors = [error_line(row) for row in rows if "errors" in row]
    skipped = [f"{row['title']}: {row['skipped']}" for row in rows if "skipped" in row]
    heads = (
        "ms per substep, forward and back (Table II; theirs: a GTX 1080 Ti)",
        "relative errors (Table III)",
        "skipped",
    )
    return [(head, lines) for head, lines in zip(heads, (times, errors, skipped), strict=True) if lines]


def cube_line(row: dict[str, Any]) -> str:
    others = "".join(f", {name} {ms:g}" for name, ms in row["paper_others_ms"].items())
    return (
        f"{row['title']}: {row['forward_ms']:.3g} forward (recorded {row['recorded_ms']:.3g}), "
        f"{row['backward_ms']:.3g} back; paper {row['paper_forward_ms']:g}, {row['paper_backward_ms']:g}{others}"
    )


def error_line(row: dict[str, Any]) -> str:
    def cell(value: float | None) -> str:
        return "-" if value is None else f"{value:.2e}"

    parts = zip(row["steps"], row["errors"], row["paper_errors"], strict=False)
    figures = "; ".join(f"{n} steps {cell(ours)} (paper {cell(theirs)})" for n, ours, theirs in parts)
    return f"{row['title']} ({row['what']}): {figures}"
