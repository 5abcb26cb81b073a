"""The package as others see it: names, types, README, pip."""

import ast
import os
import re
import subprocess
import sys
import venv
from pathlib import Path

import pytest

import pliant as pl

ROOT = Path(__file__).resolve().parents[2]


def test_every_promised_name_is_there():
    assert all(hasattr(pl, name) for name in pl.__all__)
    version = re.search(r"project\(pliant VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
    assert pl.__version__ == version


def test_types_are_described():
    folder = Path(pl.__file__).parent
    assert (folder / "py.typed").exists()
    stub = ast.parse((folder / "_core.pyi").read_text())
    classes = {node.name: node for node in stub.body if isinstance(node, ast.ClassDef)}
    assert {"World", "Scene", "Material", "Matter", "StepReport", "MatterState"} <= set(classes)
    made = next(n for n in classes["Material"].body if isinstance(n, ast.FunctionDef) and n.name == "__init__")
    assert "density" in [argument.arg for argument in made.args.kwonlyargs]


def hello_world():
    """The first Python block of the README."""
    return re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.S)[1]


def test_hello_world_of_the_readme_runs(tmp_path):
    code = hello_world()
    assert len(code.strip().splitlines()) <= 20
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert result.stderr == ""
    assert result.stdout != ""


def test_commands_of_the_readme_exist():
    text, rules = (ROOT / "README.md").read_text(), (ROOT / "Makefile").read_text()
    commands = set(re.findall(r"^make ([a-z-]+)", text, re.M))
    assert {"demo", "test"} <= commands
    assert all(re.search(rf"^{command}:", rules, re.M) for command in commands)


def test_pictures_of_the_readme_exist():
    pictures = re.findall(r"!\[.*?\]\((.*?)\)", (ROOT / "README.md").read_text())
    assert pictures
    assert all((ROOT / picture).exists() for picture in pictures)


def install_fresh(folder, *packages):
    """A virtual environment with nothing but these; its Python, and what to run it with."""
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], check=True, env=environment)
    return python, environment


@pytest.mark.long
def test_pip_install_gives_the_package(tmp_path):
    python, environment = install_fresh(tmp_path / "fresh", str(ROOT))
    result = subprocess.run(
        [python, "-c", hello_world()], capture_output=True, text=True, cwd=tmp_path, env=environment
    )
    assert result.stderr == ""
    assert result.stdout != ""
    script = tmp_path / "fresh" / "bin" / "pliant"
    names = subprocess.run([script, "list"], capture_output=True, text=True, cwd=tmp_path, check=True).stdout
    assert "four_materials" in names.split()
    where = subprocess.run(
        [python, "-c", "import pliant; print(pliant.__path__[0])"], capture_output=True, text=True, cwd=tmp_path
    ).stdout.strip()
    assert where.startswith(str(tmp_path))
    assert (Path(where) / "_core.pyi").exists()
    assert (Path(where) / "py.typed").exists()


# a robot of ours and one of gymnasium's, in turns, in one process and with one MuJoCo
BOTH = """
import gymnasium
import mujoco
import numpy as np
import pliant as pl

world = pl.World(pl.load("arm_stirs_sand"), threads=2)
env = gymnasium.make("Ant-v5")
env.reset(seed=1)
ours, theirs = world.data.qpos.copy(), env.unwrapped.data.qpos.copy()
for _ in range(20):
    world.step()
    observation, *_ = env.step(np.full(env.action_space.shape, 0.1))
assert type(world.data) is type(env.unwrapped.data) is mujoco.MjData
assert np.isfinite(observation).all() and np.isfinite(world.matter["sand"].positions).all()
assert not np.array_equal(ours, world.data.qpos) and not np.array_equal(theirs, env.unwrapped.data.qpos)
assert abs(world.time - 20 * world.scene.step.dt) < 1e-12
print("both step with MuJoCo", mujoco.__version__)
"""


# pip once put an older MuJoCo into the same folder, and neither of the two could be imported
@pytest.mark.long
def test_pip_install_beside_gymnasium(tmp_path):
    python, environment = install_fresh(tmp_path / "fresh", str(ROOT), "gymnasium[mujoco]")
    result = subprocess.run([python, "-c", BOTH], capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert result.returncode == 0, result.stderr
    assert "both step with MuJoCo" in result.stdout
    subprocess.run([python, "-m", "pip", "check"], check=True, env=environment)
