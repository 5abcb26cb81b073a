"""Every scene of the library for ten times its length, or 20,000 steps: no failed step, no growth of memory, no loss of
volume. It takes hours in all; one scene: pytest -m long tests/python/test_soak.py -k laundry."""

import dataclasses
import json
import subprocess
import sys
from pathlib import Path

import pytest

import pliant as pl
import soak

SCRIPT = Path(__file__).with_name("soak.py")


def soaked(name, steps=0):
    """In a process of its own: memory that another test has left free would hide growth."""
    command = [sys.executable, SCRIPT, name, str(steps)]
    answer = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    return soak.Soaked(**json.loads(answer))


def judge(made):
    assert made.error == ""
    assert made.steps == made.wanted
    # in the second half, when all motions have ended; a kB per step would be 2 MB after 2,000
    assert made.memory_end - made.memory_warm < 2e6
    # what the scenes themselves allow, at the end
    assert made.volume_end > 0.95 * made.volume_start


def test_short_soak_and_its_judge():
    made = soaked("incline", 20)
    judge(made)
    assert made.steps == 20
    # 320 particles of 125 mm x 100 mm x 50 mm
    assert made.volume_start == pytest.approx(6.25e-4, rel=1e-5)
    assert 1e7 < made.memory_warm < 1e9
    for name, value in {
        "error": "step 3 failed",
        "steps": 19,
        "memory_end": made.memory_end + 3_000_000,
        "volume_end": 0.9 * made.volume_end,
    }.items():
        with pytest.raises(AssertionError):
            judge(dataclasses.replace(made, **{name: value}))


def test_length():
    # 10 times 2.2 s are 22,000 steps of 1 ms; 10 times 6 s are 6,000 steps of 10 ms
    assert soak.steps_of(pl.load("incline")) == 20_000
    assert soak.steps_of(pl.load("pick_cube")) == 6_000


@pytest.mark.long
@pytest.mark.parametrize("name", pl.scene_names())
def test_soak(name, capfd):
    with capfd.disabled():
        made = soaked(name)
    judge(made)
