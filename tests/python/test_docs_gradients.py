"""What the pages on gradients show runs, and does what they say."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"


def blocks(page):
    return re.findall(r"^```python\n(.*?)^```", (DOCS / page).read_text(), re.M | re.S)


def run_blocks(page):
    names = {}
    for block in blocks(page):
        exec(compile(block, page, "exec"), names)
    return names


def rows_of(text):
    found = re.findall(r"^([\w.]+) +(\S+) +(\S+) +\S+e-\d+$", text, re.M)
    return {name: (float(gradient), float(differences)) for name, gradient, differences in found}


def test_blocks_of_gradients_run(capsys):
    names = run_blocks("gradients.md")
    n = names["world"].particle_count
    assert names["g"]["initial.velocities"].shape == (n, 2)
    assert np.abs(names["g"]["actuation", "head"]).max() > 0
    # the page shows the table that its block prints
    shown, printed = rows_of((DOCS / "gradients.md").read_text()), rows_of(capsys.readouterr().out)
    assert shown.keys() == printed.keys() == {"initial.positions", "E", "E.particles", "actuation"}
    for name, (gradient, differences) in printed.items():
        # another processor rounds in another way
        assert gradient == pytest.approx(shown[name][0], rel=1e-6)
        # differences keep some seven digits
        assert gradient == pytest.approx(differences, rel=1e-6)


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="PyTorch is not installed here")
def test_blocks_of_torch_run():
    names = run_blocks("torch.md")
    assert names["pull"].grad.shape == (20,)
    assert float(names["E"].grad) != 0
    assert all(p.grad is not None for p in names["policy"].parameters())


def test_the_picture_of_bounces_is_made_by_its_command(tmp_path):
    from PIL import Image

    file = tmp_path / "bounces.png"
    command = [sys.executable, DOCS / "bounce_height.py", file, "2"]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    sizes = [float(line.rpartition(" ")[2]) for line in result.stdout.splitlines()]
    # derivatives grow from bounce to bounce
    assert sizes == sorted(sizes)
    assert sizes[-1] > 10 * sizes[0]
    with Image.open(file) as new, Image.open(DOCS / "bounce_height.png") as kept:
        assert new.size == kept.size
