"""The command line: what it prints, where, and its exit codes."""

import json
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import pliant as pl
from pliant import cli
from support import block

COMMAND = [sys.executable, "-m", "pliant"]


@pytest.fixture
def scene_file(tmp_path):
    """A small scene as a file, with a check that holds."""

    def write(name="small.yaml", **expect):
        scene = block()
        scene.name, scene.duration = "small", 0.02
        scene.record.rate = 100
        wanted = {"name": "stays", "of": "left", "quantity": "inside", "box_size": (9, 9, 9), "min": 1, **expect}
        scene.expect = [pl.Expect(**wanted)]
        path = tmp_path / name
        path.write_text(scene.to_yaml())
        return str(path)

    return write


def call(*words):
    return cli.main([str(word) for word in words])


def test_run(scene_file, capsys, tmp_path):
    out = tmp_path / "a.h5"
    assert call("run", scene_file(), "--out", out, "--threads", 1) == 0
    shown = capsys.readouterr()
    assert "small: 10 steps, 0.02 s simulated" in shown.out
    assert "a.h5 (3 frames)" in shown.out
    assert "ok     stays: 1 (>= 1)" in shown.out
    # no terminal, no bar
    assert shown.err == ""
    with pl.Recording(out) as recording:
        np.testing.assert_allclose(recording.times, [0, 0.01, 0.02], atol=1e-15)


def test_json_is_one_object_and_nothing_else(scene_file, capsys):
    assert call("run", scene_file(), "--json") == 0
    shown = capsys.readouterr()
    assert shown.err == ""
    result = json.loads(shown.out)
    assert list(result) == ["scene", "steps", "ms_per_step", "real_time_factor", "expect"]
    assert (result["scene"], result["steps"]) == ("small", 10)
    assert result["ms_per_step"] > 0
    # real time factor: simulated over wall time of the same steps; both are rounded to 1e-6
    assert result["real_time_factor"] == pytest.approx(2.0 / result["ms_per_step"], rel=1e-3)
    assert result["expect"] == [{"name": "stays", "value": 1.0, "bound": [1.0, None], "ok": True}]


def test_a_check_that_fails(scene_file, capsys):
    assert call("run", scene_file(max=0.5, min=0), "--json") == 1
    assert json.loads(capsys.readouterr().out)["expect"][0]["ok"] is False
    assert call("run", scene_file(max=0.5, min=0)) == 1
    assert "FAILED stays: 1 (>= 0 and <= 0.5)" in capsys.readouterr().out


def test_a_step_that_fails(scene_file, capsys, tmp_path):
    out = tmp_path / "a.h5"
    wrong = ("--set", "step.max_substeps=1", "--set", "step.dt=0.05", "--time", "0.1")
    assert call("run", scene_file(), *wrong, "--json", "--out", out) == 1
    shown = capsys.readouterr()
    assert json.loads(shown.out)["error"] == shown.err.removeprefix("pliant: ").strip()
    assert "max_substeps" in shown.err
    with pl.Recording(out) as recording:
        assert len(recording) == 1


def test_set_and_time(scene_file, capsys):
    words = ("run", scene_file(), "--json", "--set", "step.dt=0.001", "--time", "0.004")
    assert call(*words) == 0
    assert json.loads(capsys.readouterr().out)["steps"] == 4


def test_continue(scene_file, capsys, tmp_path):
    whole, parts = tmp_path / "whole.h5", tmp_path / "parts.h5"
    file = scene_file(quantity="center_z", min=0, of="right")
    assert call("run", file, "--out", whole) == 0
    assert call("run", file, "--out", parts, "--time", "0.01") == 0
    capsys.readouterr()
    assert call("run", "--continue", parts, "--json") == 0
    again = json.loads(capsys.readouterr().out)
    assert (again["scene"], again["steps"]) == ("small", 5)
    with pl.Recording(whole) as one, pl.Recording(parts) as two:
        assert np.array_equal(one.times, two.times)
        left, right = one.frame(-1).matter["left"], two.frame(-1).matter["left"]
        assert np.array_equal(left.positions, right.positions)
        assert np.array_equal(left.velocities, right.velocities)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["run", "no_such_scene"], "no scene 'no_such_scene'"),
        (["run", "missing.yaml"], "missing.yaml"),
        (["run", "{scene}", "--set", "step.dtt=1"], "did you mean 'dt'"),
        (["run", "{scene}", "--time", "-1"], "--time is -1.0 s"),
        (["run", "{scene}", "--time", "nan"], "--time is nan s"),
        (["run", "{scene}", "--out", "nowhere/a.h5"], "make its folder first"),
        (["run", "--continue", "missing.h5"], "missing.h5: no such file"),
        (["run", "--continue", "{scene}"], "not a recording"),
        (["run", "--continue", "a.h5", "--out", "b.h5"], "leave out --set and --out"),
        (["info", "missing.h5"], "missing.h5: no such file"),
        (["render", "missing.h5"], "give --film OUT.mp4"),
        (["render", "missing.h5", "--film", "a.mp4", "--at", "1"], "give --still OUT.png"),
        (["render", "missing.h5", "--film", "a.mp4"], "missing.h5: no such file"),
    ],
)
def test_bad_input_is_one_message(scene_file, capsys, tmp_path, monkeypatch, words, text):
    monkeypatch.chdir(tmp_path)
    scene = scene_file()
    assert call(*(word.format(scene=scene) for word in words)) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("pliant: ")
    assert text in shown.err
    assert "Traceback" not in shown.err


def test_a_check_that_cannot_be_made_leaves_an_older_recording(scene_file, tmp_path, capsys):
    out = tmp_path / "a.h5"
    out.write_text("precious")
    scene = pl.load(scene_file())
    scene.bodies = [pl.Body(name="robot", text='<mujoco><worldbody><body name="hand"/></worldbody></mujoco>')]
    scene.expect = [pl.Expect(name="up", of="robot/hnd", quantity="z", min=1)]
    bad = tmp_path / "bad.yaml"
    bad.write_text(scene.to_yaml())
    assert call("run", bad, "--out", out) == 2
    assert "expect 'up': nothing is called 'robot/hnd'; did you mean 'robot/hand'?" in capsys.readouterr().err
    assert out.read_text() == "precious"


@pytest.mark.parametrize(
    "words", [["run"], ["nonsense"], ["run", "a.yaml", "--set", "step.dt"], ["run", "a.yaml", "--time", "soon"], []]
)
def test_words_that_are_no_command(words, capsys):
    with pytest.raises(SystemExit) as stop:
        call(*words)
    assert stop.value.code == 2
    assert "usage: pliant" in capsys.readouterr().err


def test_debug_shows_where(capsys):
    assert call("run", "no_such_scene", "--debug") == 2
    assert "Traceback" in capsys.readouterr().err


def test_an_error_of_ours_is_no_traceback(monkeypatch, capsys):
    def broken(*_, **__):
        raise ZeroDivisionError("oh")

    monkeypatch.setattr(pl, "load", broken)
    assert call("run", "four_materials") == 1
    assert capsys.readouterr().err == "pliant: unexpected ZeroDivisionError: oh; --debug shows where it came from\n"


def test_list(capsys):
    assert call("list") == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == pl.scene_names()
    fall = next(line for line in lines if line.startswith("four_materials"))
    assert fall.endswith("and water is let go in its corner.")


def test_check(scene_file, capsys, tmp_path):
    good = scene_file()
    assert call("check", good) == 0
    assert capsys.readouterr().out == f"{good}: good\n"
    bad = tmp_path / "bad.yaml"
    bad.write_text("pliant: 1\nduratoin: 1\nstep: {dt: -3}\n")
    assert call("check", bad) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    lines = shown.err.splitlines()
    # every one at once, each with its line
    assert any(line.startswith(f"{bad}:2:") and "duration" in line for line in lines)
    assert any(line.startswith(f"{bad}:3:") and "dt" in line for line in lines)


def test_info(scene_file, capsys, tmp_path):
    out = tmp_path / "a.h5"
    call("run", scene_file(), "--out", out)
    capsys.readouterr()
    assert call("info", out) == 0
    shown = capsys.readouterr().out
    rows = {line[:12].strip(): line[14:] for line in shown.splitlines()}
    assert rows["scene"] == "small"
    assert rows["frames"] == "3, 0 to 0.02 s"
    assert rows["steps"].startswith("10 of 0.002 s")
    assert rows["matter left"].endswith("particles of rubber, 8 kg")
    assert rows["warnings"] == "none"
    assert rows["goes on from"] == "step 10"
    assert {"energy", "momentum", "volume", "file"} <= set(rows)


def test_view_and_render_hand_over(scene_file, tmp_path, monkeypatch, capsys):
    out = tmp_path / "a.h5"
    call("run", scene_file(), "--out", out)
    seen = []

    class Stand:
        @staticmethod
        def view(what, **options):
            seen.append((type(what).__name__, options))

        @staticmethod
        def render_recording(recording, **options):
            seen.append((type(recording).__name__, options))
            return [options["film"]]

    monkeypatch.setattr(cli, "optional", lambda module, what: Stand)
    assert call("view", out, "--port", 9000) == 0
    assert call("view", scene_file()) == 0
    assert call("render", out, "--film", "a.mp4") == 0
    assert [name for name, _ in seen] == ["Recording", "Scene", "Recording"]
    assert seen[0][1]["port"] == 9000
    assert str(seen[2][1]["film"]) == "a.mp4"


def test_what_is_not_installed_is_said(monkeypatch, capsys, tmp_path):
    monkeypatch.setitem(sys.modules, "pliant.viewer", None)
    assert call("view", tmp_path / "a.h5") == 2
    assert "the viewer is not installed" in capsys.readouterr().err


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_stopping_leaves_a_whole_recording(scene_file, tmp_path, number, code):
    import h5py

    out = tmp_path / "a.h5"
    process = subprocess.Popen(
        [*COMMAND, "run", scene_file(), "--time", "1e6", "--out", str(out), "--threads", "1"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while not out.exists():
        assert process.poll() is None
        time.sleep(1e-3)
    time.sleep(0.3)
    process.send_signal(number)
    shown, said = process.communicate(timeout=20)
    assert process.returncode == code
    assert said == f"pliant: stopped; go on with: pliant run --continue {out}\n"
    assert "recorded" in shown
    # closed properly: no special way to open it
    with h5py.File(out, "r") as file:
        assert np.isfinite(file["time"][:]).all()
    with pl.Recording(out) as recording:
        assert len(recording) > 1
        assert recording.snapshots()[0].step == len(recording.reports)
    assert not list(tmp_path.glob(".*"))


def test_as_a_program(scene_file):
    result = subprocess.run([*COMMAND, "run", scene_file(max=0.5, min=0), "--json"], capture_output=True, text=True)
    assert result.returncode == 1
    assert result.stderr == ""
    assert json.loads(result.stdout)["steps"] == 10
