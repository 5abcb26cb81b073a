"""tools/sanitize (which takes hours), with shell scripts in place of test programs."""

import importlib.util
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def tool(monkeypatch):
    """The script as a module that builds nothing."""
    loader = SourceFileLoader("sanitize_script", str(ROOT / "tools" / "sanitize"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("sanitize_script", loader))
    monkeypatch.setitem(sys.modules, "sanitize_script", module)
    loader.exec_module(module)
    monkeypatch.setattr(module, "build", lambda preset, jobs: None)
    return module


@pytest.fixture
def scripts(tmp_path, tool, monkeypatch):
    """Makes programs of shell lines; each call of one is a line of the file `calls`."""
    listed = {}

    def make(name, lines, seconds=60.0):
        file = tmp_path / name
        file.write_text(f"#!/bin/sh\necho {name} >> {tmp_path / 'calls'}\n{lines}\n")
        file.chmod(0o755)
        listed[name] = tool.Program(name, [str(file)], seconds)

    monkeypatch.setattr(tool, "programs", lambda folder: list(listed.values()))
    return make


def calls(tmp_path):
    file = tmp_path / "calls"
    made = file.read_text().split() if file.exists() else []
    file.unlink(missing_ok=True)
    return made


def run(tool, tmp_path, *words):
    return tool.main([*words, "--jobs", "1", "--out", str(tmp_path / "out")])


def test_results_are_kept_until_the_program_changes(tool, scripts, tmp_path, capsys):
    scripts("apple", "echo '[  PASSED  ] 3 tests.'; echo '[  SKIPPED ] 1 test, listed below:'")
    scripts("pear", "echo '[  PASSED  ] 4 tests.'")
    assert run(tool, tmp_path, "asan") == 0
    assert calls(tmp_path) == ["apple", "pear"]
    out = capsys.readouterr().out
    assert "[  2/2] pear: good" in out
    assert out.splitlines()[-1].split()[:4] == ["asan,", "all", "7", "1"]
    assert out.endswith("2 of 2 programs good\n")

    scripts("pear", "echo '[  PASSED  ] 5 tests.'")
    assert run(tool, tmp_path, "asan") == 0
    assert calls(tmp_path) == ["pear"]
    # the other sanitizer has results of its own
    assert run(tool, tmp_path, "asan", "tsan", "--only", "apple") == 0
    assert calls(tmp_path) == ["apple"]
    assert run(tool, tmp_path, "asan", "--again") == 0
    assert calls(tmp_path) == ["apple", "pear"]


def test_what_programs_read_counts(tool, scripts, tmp_path, monkeypatch):
    scene = tmp_path / "scene.yaml"
    scene.write_text("dt: 1")
    monkeypatch.setattr(tool, "files_read", lambda: [scene])
    scripts("apple", "true")
    run(tool, tmp_path, "asan")
    scene.write_text("dt: 2")
    run(tool, tmp_path, "asan")
    assert calls(tmp_path) == ["apple", "apple"]


def test_tests_read_scenes_models_and_suppressions(tool):
    read = {str(file.relative_to(ROOT)) for file in tool.files_read()}
    assert {"scenes/incline.yaml", "models/README.md", "tools/tsan.txt"} <= read


def test_faults(tool, scripts, tmp_path, capsys):
    scripts("apple", "echo a heap and its end; exit 3")
    scripts("pear", "kill -SEGV $$")
    scripts("plum", "exec sleep 30", seconds=0.2)
    scripts("fig", "true")
    assert run(tool, tmp_path, "asan") == 1
    out = capsys.readouterr().out
    for verdict in ("ended with 3", "ended by SIGSEGV", "not at its end after 0 s", "1 of 4 programs good"):
        assert verdict in out
    assert "a heap and its end" in out
    # a fault stays one
    calls(tmp_path)
    assert run(tool, tmp_path, "asan") == 1
    assert calls(tmp_path) == []


def test_goes_on_where_it_was_broken_off(tool, scripts, tmp_path, monkeypatch, capsys):
    scripts("apple", "true")
    scripts("pear", "true")
    whole = tool.run

    def broken(program, *words):
        if program.name == "pear":
            raise KeyboardInterrupt
        return whole(program, *words)

    monkeypatch.setattr(tool, "run", broken)
    assert run(tool, tmp_path, "tsan") == 130
    assert "goes on from there" in capsys.readouterr().err
    monkeypatch.setattr(tool, "run", whole)
    calls(tmp_path)
    assert run(tool, tmp_path, "tsan") == 0
    assert calls(tmp_path) == ["pear"]


def test_names_that_are_not_there(tool, scripts, tmp_path, capsys):
    scripts("apple", "true")
    for words, text in ((["msan"], "no preset msan"), (["asan", "--only", "aple"], "no program aple")):
        with pytest.raises(SystemExit):
            run(tool, tmp_path, *words)
        assert text in capsys.readouterr().err


def test_programs_are_those_of_ctest_that_are_not_long(tool, monkeypatch):
    # the fixture has replaced it only where `scripts` is asked for
    listed = {program.name: program for program in tool.programs(ROOT / "build" / "release")}
    assert {"core_polar", "step_contact", "fuzz_snapshots", "mpm_in_100_lines"} <= listed.keys()
    assert not [name for name in listed if name.endswith("_long")]
    assert listed["core_polar"].command[1:] == ["--gtest_filter=-*LONG_*"]
    assert listed["core_polar"].seconds == 600
