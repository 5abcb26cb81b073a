"""Every scene of the library for ten times its length, or 20,000 steps: no failed step, no growth of memory, no loss of
volume. It takes hours in all; one scene: pytest -m long tests/python/test_soak.py -k laundry."""

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


@pytest.mark.long
@pytest.mark.parametrize("name", pl.scene_names())
def test_soak(name, capfd):
    with capfd.disabled():
        made = soaked(name)
    judge(made)
