"""A state saved here goes on in another process and on other threads with the same bits."""

import subprocess
import sys
from pathlib import Path

import pytest

import pliant as pl
from support import block, run

LATER = """
import sys
sys.path.insert(0, sys.argv[1])
import pliant as pl
from support import block
world = pl.World(block(int(sys.argv[2]), sys.argv[3], sys.argv[4]), threads=int(sys.argv[5]))
world.restore(sys.argv[6])
for _ in range(6):
    world.step()
    print(world.state_hash())
"""


@pytest.mark.parametrize(
    ("dimension", "precision", "law"),
    [(3, "float32", "neo_hookean"), (2, "float64", "sand"), (3, "float32", "liquid")],
)
def test_restore_in_another_process(tmp_path, dimension, precision, law):
    world = pl.World(block(dimension, precision, law), threads=2)
    run(world, 5)
    world.save(tmp_path / "state")
    expected = []
    for _ in range(6):
        world.step()
        expected.append(str(world.state_hash()))
    for threads in (1, 3):
        words = [str(Path(__file__).parent), str(dimension), precision, law, str(threads), str(tmp_path / "state")]
        result = subprocess.run([sys.executable, "-c", LATER, *words], capture_output=True, text=True)
        assert result.stderr == ""
        assert result.stdout.split() == expected
