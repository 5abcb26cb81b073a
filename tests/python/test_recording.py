"""Recordings: what is in them, who can read them, and what they survive."""

import re
from pathlib import Path

import h5py
import numpy as np
import pytest

import pliant as pl
from pliant import recorder as recorder_module
from pliant.info import table
from pliant.runner import Plan, run
from support import block

HERE = Path(__file__).parent
# 5 steps of 2 ms per frame
RATE = 100


def scene_for(rate=RATE, **options):
    scene = block(**options)
    scene.name = "two blocks"
    scene.record = pl.Record(rate=rate)
    return scene


def by_id(matter, attribute):
    return getattr(matter, attribute)[np.argsort(matter.ids)]


def record(path, scene, steps):
    """Records some steps; returns the world and the positions of 'left' at each step, the first included."""
    world = pl.World(scene, threads=1)
    seen = [by_id(world.matter["left"], "positions").copy()]
    with pl.Recorder(path, world, scene) as recorder:
        for _ in range(steps):
            recorder.add(world.step())
            seen.append(by_id(world.matter["left"], "positions").copy())
    return world, seen


def test_plain_h5py_reads_it(tmp_path):
    path = tmp_path / "a.h5"
    scene = scene_for()
    scene.record.deformation = True
    world, seen = record(path, scene, 20)
    with h5py.File(path, "r") as file:
        np.testing.assert_allclose(file["time"], [0, 0.01, 0.02, 0.03, 0.04], atol=1e-15)
        assert list(file["matter"]) == ["left", "right"]
        left = file["matter/left"]
        count = len(world.matter["left"])
        assert left["positions"].shape == left["velocities"].shape == (5, count, 3)
        assert left["positions"].dtype == np.float32
        assert left["deformation_gradient"].shape == (5, count, 3, 3)
        assert left["plastic"].shape == (5, count)
        # a row is the same particle in every frame, and what was recorded is what was there, to the bit
        for frame in range(5):
            np.testing.assert_array_equal(left["positions"][frame], seen[5 * frame])
        np.testing.assert_array_equal(left["velocities"][4], by_id(world.matter["left"], "velocities"))
        now = by_id(world.matter["left"], "deformation_gradients")
        np.testing.assert_array_equal(left["deformation_gradient"][4], now)
        np.testing.assert_array_equal(left["mass"], by_id(world.matter["left"], "masses"))
        assert left["positions"].compression == "gzip" or left["positions"][0].nbytes < 8192
        assert file.attrs["format"] == "pliant recording"
        assert file.attrs["pliant_version"] == pl.__version__
        assert file.attrs["scene"].startswith("pliant: 1")
        assert file.attrs["units"].startswith("m, kg, s")


def test_reader(tmp_path):
    path = tmp_path / "a.h5"
    world, seen = record(path, scene_for(), 20)
    with pl.Recording(path) as recording:
        assert len(recording) == 5
        assert recording.matter == ["left", "right"]
        frame = recording.frame(-1)
        assert frame.time == recording.times[-1] == world.time
        assert frame.step == 20
        np.testing.assert_array_equal(frame.matter["left"].positions, seen[20])
        assert frame.matter["left"].plastic is None
        assert recording.nearest(0.021) == 2
        assert recording.masses("left").sum() == pytest.approx(world.matter["left"].masses.sum())
        assert recording.material("right") == "rubber"
        assert recording.scene() == world.scene
        assert not recording.has_bodies
        assert "5 frames" in repr(recording)
        with pytest.raises(IndexError, match="frame 5 of a recording of 5"):
            recording.frame(5)
        with pytest.raises(KeyError, match="the recording has left, right"):
            recording.masses("middle")
        with pytest.raises(pl.BadInputError, match="no bodies"):
            recording.model()


def test_reports_are_those_of_the_steps(tmp_path):
    scene = scene_for(precision="float64")
    world = pl.World(scene, threads=1)
    with pl.Recorder(tmp_path / "a.h5", world, scene) as recorder:
        reports = [world.step() for _ in range(7) if recorder.add(world.step()) is None]
    with pl.Recording(tmp_path / "a.h5") as recording:
        rows = recording.reports
        assert len(rows) == 7
        assert rows["time"][-1] < reports[-1].time
        assert (rows["substeps"] >= 1).all()
        assert (rows["seconds"] > 0).all()
        # round-off of sums over a thousand particles
        assert np.abs(rows["momentum_error"]).max() < 1e-12 * 16
        assert recording.warnings == []


def test_reports_without_a_balance(tmp_path):
    record(tmp_path / "a.h5", scene_for(balance=False), 2)
    with pl.Recording(tmp_path / "a.h5") as recording:
        assert np.isnan(recording.reports["momentum_error"]).all()
        assert "momentum" not in table(recording)


def test_the_end_is_always_a_frame(tmp_path):
    world, seen = record(tmp_path / "a.h5", scene_for(), 7)
    with pl.Recording(tmp_path / "a.h5") as recording:
        np.testing.assert_allclose(recording.times, [0, 0.01, 0.014], atol=1e-15)
        np.testing.assert_array_equal(recording.frame(2).matter["left"].positions, seen[7])


def test_large_steps_give_a_frame_each(tmp_path):
    world, _ = record(tmp_path / "a.h5", scene_for(rate=1e5), 3)
    with pl.Recording(tmp_path / "a.h5") as recording:
        assert len(recording) == 4


def test_in_the_plane(tmp_path):
    world, seen = record(tmp_path / "a.h5", scene_for(dimension=2), 5)
    with pl.Recording(tmp_path / "a.h5") as recording:
        assert recording.frame(1).matter["left"].positions.shape == (len(world.matter["left"]), 2)
        assert recording.scene() == world.scene


def test_names_that_hdf5_would_take_for_paths(tmp_path):
    scene = scene_for()
    scene.matter[0].name, scene.matter[1].name = "a/b.c%2F", "."
    world = pl.World(scene, threads=1)
    pl.Recorder(tmp_path / "a.h5", world, scene).close()
    with pl.Recording(tmp_path / "a.h5") as recording:
        assert recording.matter == ["a/b.c%2F", "."]
        assert set(recording.frame(0).matter) == set(recording.matter)


def test_watching_while_it_is_written(tmp_path):
    scene = scene_for(rate=1e5)
    world = pl.World(scene, threads=1)
    with pl.Recorder(tmp_path / "a.h5", world, scene) as recorder, pl.Recording(tmp_path / "a.h5") as recording:
        assert len(recording) == 1
        for _ in range(3):
            recorder.add(world.step())
        recording.refresh()
        assert len(recording) == 4
        np.testing.assert_array_equal(
            recording.frame(3).matter["left"].positions, by_id(world.matter["left"], "positions")
        )


# going on


def columns_of(path):
    """Every column but wall times, by name."""
    found = {}
    with h5py.File(path, "r") as file:
        file.visititems(lambda name, item: found.update({name: item[()]}) if isinstance(item, h5py.Dataset) else None)
    found["reports/steps"]["seconds"] = 0
    return {name: column for name, column in found.items() if not name.startswith("snapshots/")}


@pytest.mark.parametrize("given", [True, False], ids=["scene given", "scene from the file"])
def test_a_stopped_run_goes_on_with_the_same_bits(tmp_path, given):
    whole, parts = tmp_path / "whole.h5", tmp_path / "parts.h5"
    scene = scene_for()
    there, _ = record(whole, scene, 20)

    world = pl.World(scene, threads=1)
    recorder = pl.Recorder(parts, world, scene)
    for _ in range(12):
        recorder.add(world.step())
    recorder.close(last_frame=False)
    for end in (13, 20):
        recorder = pl.resume(parts, threads=2, scene=scene if given else None)
        while recorder.steps < end:
            recorder.add(recorder.world.step())
        recorder.close(last_frame=end == 20)
    assert recorder.world.state_hash() == there.state_hash()
    expected, found = columns_of(whole), columns_of(parts)
    assert expected.keys() == found.keys()
    for name, column in expected.items():
        np.testing.assert_array_equal(column, found[name], err_msg=name)


def test_a_killed_run_goes_on_from_its_snapshot(tmp_path, monkeypatch):
    monkeypatch.setattr(recorder_module, "SNAPSHOT_EVERY", 2)
    scene = scene_for(rate=1e5)
    there, _ = record(tmp_path / "whole.h5", scene, 9)
    world = pl.World(scene, threads=1)
    recorder = pl.Recorder(tmp_path / "a.h5", world, scene)
    for _ in range(6):
        recorder.add(world.step())
    # what a killed writer leaves
    copy = tmp_path / "b.h5"
    copy.write_bytes((tmp_path / "a.h5").read_bytes())
    recorder.close()
    with pl.Recording(copy) as recording:
        assert len(recording) == 7
        assert [snapshot.step for snapshot in recording.snapshots()] == [5, 3]
        assert recording.continue_world(threads=1).time == pytest.approx(5 * 2e-3)
    recorder = pl.resume(copy, threads=1)
    assert (recorder.steps, recorder.frames) == (5, 6)
    while recorder.steps < 9:
        recorder.add(recorder.world.step())
    recorder.close()
    assert recorder.world.state_hash() == there.state_hash()
    expected, found = columns_of(tmp_path / "whole.h5"), columns_of(copy)
    for name, column in expected.items():
        np.testing.assert_array_equal(column, found[name], err_msg=name)


def test_a_torn_snapshot_falls_back_to_the_one_before(tmp_path):
    path = tmp_path / "a.h5"
    scene = scene_for()
    record(path, scene, 5)
    with h5py.File(path, "r+") as file:
        slot = int(np.argmax(file["snapshots/index"]["step"]))
        file[f"snapshots/slot_{slot}"][1000] ^= 1
    with pl.Recording(path) as recording:
        world, snapshot = recording.last_state(1, scene)
        assert snapshot.step == 0
        assert world.time == 0
    with h5py.File(path, "r+") as file:
        file[f"snapshots/slot_{1 - slot}"][1000] ^= 1
    with pl.Recording(path) as recording, pytest.raises(pl.BadFileError, match="no snapshot to go on from"):
        recording.last_state(1, scene)


def test_an_unfinished_frame_does_not_count(tmp_path):
    path = tmp_path / "a.h5"
    record(path, scene_for(rate=1e5), 3)
    with h5py.File(path, "r+") as file:
        file["time"][3] = np.nan
    with pl.Recording(path) as recording:
        assert len(recording) == 3


# bodies; for contacts see test_touch.py

SWING = """
<mujoco>
  <option timestep="0.002"/>
  <worldbody>
    <body name="arm" pos="0 0 1">
      <joint name="shoulder" type="hinge" axis="0 1 0"/>
      <geom type="box" size=".1 .1 .1" pos=".5 0 0" mass="2"/>
    </body>
    <body name="hand" mocap="true" pos="1 0 0"><geom size=".1"/></body>
  </worldbody>
  <actuator><motor name="pull" joint="shoulder"/></actuator>
  <sensor><jointvel name="rate" joint="shoulder"/></sensor>
</mujoco>
"""


def test_bodies(tmp_path):
    scene = scene_for(rate=1e5)
    scene.bodies = [pl.Body(name="robot", text=SWING)]
    world = pl.World(scene, threads=1)
    data = world.data
    path = tmp_path / "a.h5"
    states = [data.qpos.copy()]
    with pl.Recorder(path, world, scene) as recorder:
        for step in range(4):
            data.ctrl[0] = step
            data.mocap_pos[0] = (step, 0, 0)
            recorder.add(world.step())
            states.append(data.qpos.copy())
    with h5py.File(path, "r") as file:
        assert file["bodies/names/body"].asstr()[:].tolist() == ["world", "robot/arm", "robot/hand"]
        assert file["bodies/names/actuator"].asstr()[0] == "robot/pull"
        np.testing.assert_array_equal(file["bodies/qpos"], states)
    with pl.Recording(path) as recording:
        assert recording.has_bodies
        copy = recording.data(4)
        assert copy.qpos[0] == data.qpos[0] != 0
        for name in ("qvel", "ctrl", "mocap_pos", "xpos", "xquat", "sensordata"):
            np.testing.assert_array_equal(getattr(copy, name), getattr(data, name), err_msg=name)
            np.testing.assert_array_equal(recording.frame(4).bodies[name], getattr(data, name), err_msg=name)
        assert recording.model().body("robot/hand").mocapid[0] == 0
        # the same MjData may be filled again
        assert recording.data(0, copy) is copy
        assert copy.qpos[0] == 0


def test_a_robot_of_the_scene_goes_on_with_the_same_bits(tmp_path):
    pytest.importorskip("mujoco")
    scene = scene_for()
    scene.matter = scene.matter[:1]
    scene.bodies = [pl.Body(name="robot", text=SWING)]
    there, _ = record(tmp_path / "whole.h5", scene, 10)
    world = pl.World(scene, threads=1)
    recorder = pl.Recorder(tmp_path / "a.h5", world, scene)
    for _ in range(6):
        recorder.add(world.step())
    recorder.close(last_frame=False)
    recorder = pl.resume(tmp_path / "a.h5", threads=1)
    while recorder.steps < 10:
        recorder.add(recorder.world.step())
    recorder.close()
    assert recorder.world.state_hash() == there.state_hash()
    with pl.Recording(tmp_path / "a.h5") as recording:
        np.testing.assert_array_equal(recording.data(-1).qpos, there.data.qpos)
        # round-off of float momenta, beside about 10 N s
        assert np.abs(recording.reports["momentum_error"]).max() < 1e-4
        assert abs(there.data.qpos[0]) > 1e-6


def test_run_with_a_recorder(tmp_path):
    scene = scene_for()
    world = pl.World(scene, threads=1)
    outcome = run(world, Plan(until=0.02), pl.Recorder(tmp_path / "a.h5", world, scene))
    assert outcome.ok
    assert (outcome.scene, outcome.steps) == ("two blocks", 10)
    with pl.Recording(tmp_path / "a.h5") as recording:
        assert len(recording) == 3


def test_the_code_of_the_page_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    scene = scene_for()
    world = pl.World(scene, threads=1)
    page = (HERE.parents[1] / "docs" / "recordings.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", page, re.S)
    assert len(blocks) == 3
    names = {"pl": pl, "world": world}
    for code in blocks:
        exec(code.replace("world.time < 2", "world.time < 0.02"), names)
    assert len(names["times"]) == len(names["recording"]) == 3
    assert len(names["energy"]) == 10
    assert names["world"].time == world.time
    # a sum of masses in float
    assert re.search(r"left 1214 particles, (8\.0|7\.9999|8\.0000)\d* kg", capsys.readouterr().out)


def test_every_column_is_on_the_page(tmp_path):
    scene = scene_for()
    scene.record.deformation = True
    scene.bodies = [pl.Body(name="robot", text=SWING)]
    record(tmp_path / "a.h5", scene, 1)
    page = (HERE.parents[1] / "docs" / "recordings.md").read_text()
    words = []
    with h5py.File(tmp_path / "a.h5", "r") as file:
        file.visititems(lambda name, item: words.append(name) if isinstance(item, h5py.Dataset) else None)
        words += [*file.attrs, *file["reports/steps"].dtype.names]
    for word in words:
        if not word.startswith("snapshots"):
            assert f"{word.split('/')[-1]}`" in page, word


def test_progress(capfd):
    world = pl.World(scene_for(), threads=1)
    run(world, Plan(until=0.02, bar=True))
    shown = capfd.readouterr()
    assert shown.out == ""
    assert "two blocks: 0.02 s, " in shown.err
    assert " x real time" in shown.err
