"""A law of ten lines is one file, and nothing else is edited: CONTRIBUTING.md shows it, and a build takes it in."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LAW = ROOT / "tests" / "added_law" / "rubber.h"
BUILD = ROOT / "build" / "added_law"


def test_contributing_shows_the_law():
    shown = "".join("    " + line if line.strip() else line for line in LAW.read_text().splitlines(keepends=True))
    assert shown in (ROOT / "CONTRIBUTING.md").read_text()


@pytest.mark.long
def test_a_law_is_one_file():
    def run(*command, **environment):
        subprocess.run(command, cwd=ROOT, check=True, env=os.environ | environment)

    # the steps of a build for users, with little time for the optimiser
    options = ["PLIANT_PYTHON=ON", "PLIANT_TESTS=ON", f"PLIANT_EXTRA_LAWS={LAW}", f"Python_EXECUTABLE={sys.executable}"]
    options += ["CMAKE_BUILD_TYPE=Release", "CMAKE_CXX_FLAGS_RELEASE=-O1"]
    run("cmake", "-S", str(ROOT), "-B", str(BUILD), "-G", "Ninja", *(f"-D{option}" for option in options))
    checks = ["material_gradient", "implicit_energy"]
    run("cmake", "--build", str(BUILD), "--parallel", str(os.cpu_count()), "--target", "_core", *checks)

    # the checks that every law goes through, and then as a user has it
    for check in checks:
        run(str(BUILD / "tests" / check))
    listed = subprocess.run([BUILD / "tests" / "implicit_energy", "--gtest_list_tests"], capture_output=True, text=True)
    assert "rubber" in listed.stdout
    run(sys.executable, str(LAW.parent / "run.py"), PYTHONPATH=str(BUILD / "python"))
