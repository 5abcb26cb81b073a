"""Runs a scene for ten times its length in a process of its own, and says what became of memory and volume.

usage: python soak.py SCENE [STEPS]
"""

import json
import os
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from tqdm import tqdm

import pliant as pl
from pliant.errors import Error

LENGTHS = 10
MOST_STEPS = 20_000


@dataclass
class Soaked:
    steps: int = 0
    wanted: int = 0
    error: str = ""
    memory_warm: int = 0  # bytes in the middle of the run
    memory_end: int = 0
    volume_start: float = 0.0  # m^3, of all matter
    volume_end: float = 0.0
    volume_least: float = 0.0


def memory() -> int:
    """Bytes of this process that are in memory."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def steps_of(scene) -> int:
    return min(MOST_STEPS, round(LENGTHS * scene.duration / scene.step.dt))


def soak(name: str, steps: int = 0) -> Soaked:
    scene = pl.load(name)
    # the balance is where the volume stands
    scene.step.balance = True
    world = pl.World(scene, os.cpu_count())
    made = Soaked(wanted=steps or steps_of(scene))
    for _ in tqdm(range(made.wanted), desc=name, unit="step", mininterval=1):
        try:
            report = world.step()
        except Error as error:
            made.error = str(error)
            break
        if made.steps == 0:
            made.volume_start = made.volume_least = report.before.volume
        made.volume_end = report.after.volume
        made.volume_least = min(made.volume_least, made.volume_end)
        made.steps += 1
        if made.steps == made.wanted // 2:
            made.memory_warm = memory()
    made.memory_end = memory()
    return made


if __name__ == "__main__":
    print(json.dumps(asdict(soak(sys.argv[1], *map(int, sys.argv[2:])))))
