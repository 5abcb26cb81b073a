"""tools/setup: asks apt only for what is missing, and everything in the environment is pinned."""

import importlib.util
import subprocess
import sys
import tomllib
import venv
from importlib.machinery import SourceFileLoader
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MINIMUMS = {"g++": "4:12", "cmake": "3.25"}


def load_script():
    loader = SourceFileLoader("setup_script", str(ROOT / "tools" / "setup"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("setup_script", loader))
    loader.exec_module(module)
    return module


@pytest.fixture
def setup(monkeypatch):
    """The script as a module, on a machine that only writes down what is asked of it."""
    module = load_script()
    module.calls = []
    module.installed = {}

    def run(*command):
        module.calls.append(command)
        if "install" in command:
            module.installed |= {name: "99:1" for name in command if name in MINIMUMS}

    monkeypatch.setattr(module, "run", run)
    monkeypatch.setattr(module, "installed_version", lambda package: module.installed.get(package))
    monkeypatch.setattr(module, "is_old", lambda version, minimum: version == "old")
    monkeypatch.setattr(module.os, "geteuid", lambda: 0)
    monkeypatch.setattr(module.shutil, "which", lambda command: f"/usr/bin/{command}")
    return module


def test_nothing_missing_nothing_called(setup):
    setup.installed = {"g++": "4:12.2", "cmake": "3.25.1"}
    setup.install_system(MINIMUMS)
    assert setup.calls == []


def test_only_missing_packages_are_asked_for(setup):
    setup.installed = {"g++": "4:12.2"}
    setup.install_system(MINIMUMS)
    assert [command[0] for command in setup.calls] == ["apt-get", "env"]
    assert "cmake" in setup.calls[-1]
    assert "g++" not in setup.calls[-1]


def test_sudo_when_not_root(setup, monkeypatch):
    monkeypatch.setattr(setup.os, "geteuid", lambda: 1000)
    setup.install_system(MINIMUMS)
    assert all(command[0] == "sudo" for command in setup.calls)


def test_clear_words_without_root_and_sudo(setup, monkeypatch):
    monkeypatch.setattr(setup.os, "geteuid", lambda: 1000)
    monkeypatch.setattr(setup.shutil, "which", lambda command: None if command == "sudo" else command)
    with pytest.raises(SystemExit, match=r"run as root: apt-get install g\+\+ cmake"):
        setup.install_system(MINIMUMS)
    assert setup.calls == []


def test_an_old_package_is_named(setup):
    setup.installed = {"g++": "old", "cmake": "3.25.1"}
    with pytest.raises(SystemExit, match=r"g\+\+ is old, but 4:12 or newer is needed"):
        setup.install_system(MINIMUMS)


# a package of one line, in a clone whose path has a space and a quote
def test_the_command_pliant_finds_the_build(setup, monkeypatch, tmp_path):
    clone = tmp_path / "Ada's clone"
    package = clone / "build" / "release" / "python" / "pliant"
    package.mkdir(parents=True)
    (package / "__main__.py").write_text("import sys\nprint('built', sys.argv[1:])\nsys.exit(3)\n")
    venv.create(clone / ".venv")
    monkeypatch.setattr(setup, "ROOT", clone)
    setup.install_pliant(clone / ".venv")

    # a folder of the same name, where the command is given, is not taken for it
    (tmp_path / "pliant").mkdir()
    (tmp_path / "pliant" / "__main__.py").write_text("print('another')\n")
    command = [clone / ".venv" / "bin" / "pliant", "run", "two words"]
    result = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert (result.returncode, result.stdout, result.stderr) == (3, "built ['run', 'two words']\n", "")


def test_the_command_pliant_is_not_written_again(setup, monkeypatch, tmp_path):
    monkeypatch.setattr(setup, "ROOT", tmp_path)
    venv.create(tmp_path / ".venv")
    setup.install_pliant(tmp_path / ".venv")
    command = tmp_path / ".venv" / "bin" / "pliant"
    before = command.stat().st_mtime_ns
    setup.install_pliant(tmp_path / ".venv")
    assert command.stat().st_mtime_ns == before


def test_the_command_pliant_of_this_environment(tmp_path):
    command = Path(sys.prefix) / "bin" / "pliant"
    result = subprocess.run([command, "list"], capture_output=True, text=True, cwd=tmp_path)
    assert (result.returncode, result.stderr) == (0, "")
    assert "dough_rolling" in result.stdout.split()


def test_real_versions_are_compared():
    module = load_script()
    if module.shutil.which("dpkg") is None:
        pytest.skip("not a Debian system")
    assert module.is_old("4:9.3", "4:12")
    assert not module.is_old("4:12.2.0-3", "4:12")
    assert module.installed_version("dpkg")
    assert module.installed_version("no-such-package-at-all") is None


def test_the_environment_is_what_pyproject_says():
    from importlib.metadata import version

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    for pin in project["dependency-groups"]["dev"]:
        name, _, pinned = pin.partition("==")
        assert version(name) == pinned
    # what builds a wheel is what builds here
    assert set(project["build-system"]["requires"]) <= set(project["dependency-groups"]["dev"])
