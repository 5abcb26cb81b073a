"""PyTorch is no dependency: without it all works, and its tests run in an environment of their own."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NAMES = (
    "test_torch.py",
    "test_torch_elsewhere.py",
    "test_docs_gradients.py::test_blocks_of_torch_run",
    "test_finger_ppo.py",
)
PROGRAM = """
import sys
sys.modules["torch"] = None  # as if it were not there
import pliant as pl
try:
    pl.torch.step
except ModuleNotFoundError as error:
    print(error)
"""


def test_without_torch_the_error_says_what_to_install():
    result = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert (result.returncode, result.stderr) == (0, "")
    assert "pip install torch" in result.stdout


def test_pliant_does_not_load_torch():
    program = "import sys, pliant; pliant.Tape; print('torch' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert result.stdout == "False\n"


@pytest.mark.long
@pytest.mark.skipif(importlib.util.find_spec("torch") is not None, reason="this is the environment with PyTorch")
def test_in_an_environment_with_torch():
    subprocess.run([ROOT / "tools" / "setup", "torch"], check=True)
    python = ROOT / ".venv-torch" / "bin" / "python"
    tests = [f"tests/python/{name}" for name in NAMES]
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not long", *tests]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": ""})
    print(result.stdout)
    assert result.returncode == 0, result.stdout[-3000:]
    assert "skipped" not in result.stdout
