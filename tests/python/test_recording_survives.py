"""Recordings and what can happen to them: bad places, full disks, kills, broken files."""

import os
import random
import signal
import subprocess
import sys
import time

import h5py
import numpy as np
import pytest

import pliant as pl
from test_recording import HERE, by_id, record, scene_for


@pytest.mark.parametrize(
    ("place", "text"),
    [
        ("nowhere/a.h5", "No such file or directory; make its folder first"),
        (".", "Is a directory; give the name of a file"),
        ("file/a.h5", "Not a directory"),
        ("readonly.h5", "Permission denied"),
    ],
)
def test_places_that_cannot_be_written(tmp_path, place, text, monkeypatch):
    (tmp_path / "file").write_text("")
    (tmp_path / "readonly.h5").write_text("")
    # root may write anywhere, so ask
    real = os.access
    monkeypatch.setattr(os, "access", lambda p, mode: "readonly" not in str(p) and real(p, mode))
    with pytest.raises(pl.BadFileError) as error:
        pl.Recorder(tmp_path / place, pl.World(scene_for(), threads=1))
    assert text in str(error.value)
    assert not list(tmp_path.glob(".*"))


FULL = """
import resource, sys
sys.path.insert(0, {here!r})
import pliant as pl
from test_recording import scene_for
scene = scene_for(rate=1e5)
world = pl.World(scene, threads=1)
resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))
try:
    with pl.Recorder({path!r}, world, scene) as recorder:
        for _ in range(400):
            recorder.add(world.step())
except pl.BadFileError as error:
    print(error)
"""


@pytest.mark.parametrize("limit", [50_000, 4_000_000])
def test_a_full_disk_is_an_error_and_no_more(tmp_path, limit):
    """A limit on the size of files stands for the disk. HDF5 by itself loses such errors and crashes at the end."""
    path = tmp_path / "a.h5"
    code = FULL.format(here=str(HERE), limit=limit, path=str(path))
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (result.returncode, result.stderr) == (0, "")
    assert "cannot write: File too large" in result.stdout
    assert not list(tmp_path.glob(".*"))
    assert path.exists() == (limit > 1e6)
    if path.exists():
        with pl.Recording(path) as recording:
            assert 2 < len(recording) < 400
            assert recording.frame(-1).step == len(recording) - 1
            assert np.isfinite(recording.frame(-1).matter["left"].positions).all()
            recording.continue_world(threads=1)


def test_an_older_recording_stays_until_the_new_one_is_whole(tmp_path, monkeypatch):
    path = tmp_path / "a.h5"
    record(path, scene_for(), 5)
    before = path.read_bytes()

    def fails(self):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pl.Recorder, "_fill", fails)
    with pytest.raises(pl.BadFileError, match="No space left on device; free some space"):
        pl.Recorder(path, pl.World(scene_for(), threads=1))
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["a.h5"]


def spoil(path, how):
    if how == "missing":
        return "no such file"
    if how == "folder":
        path.mkdir()
        return "folder"
    if how == "text":
        path.write_text("hello")
        return "not a recording"
    record(path, scene_for(), 2)
    with h5py.File(path, "r+", libver="latest") as file:
        if how == "newer":
            file.attrs["format_version"] = 99
            return "install a newer pliant"
        if how == "other":
            del file.attrs["format"]
            return "not a recording of pliant"
        del file["step"]
        return "damaged"


@pytest.mark.parametrize("how", ["missing", "folder", "text", "newer", "other", "without steps"])
def test_files_that_are_no_recordings(tmp_path, how):
    path = tmp_path / "a.h5"
    text = spoil(path, how)
    with pytest.raises(pl.BadFileError) as error:
        pl.Recording(path)
    assert text in str(error.value)
    assert str(path) in str(error.value)


def test_half_a_file_is_refused(tmp_path):
    """At once: HDF5 itself would wait for the rest for minutes if it took it for a file that is being written."""
    path = tmp_path / "a.h5"
    record(path, scene_for(), 10)
    data = path.read_bytes()
    for part in np.linspace(0, 0.99, 12):
        path.write_bytes(data[: int(part * len(data))])
        with pytest.raises(pl.BadFileError):
            pl.Recording(path)


# kills

WRITER = """
import sys
sys.path.insert(0, {here!r})
import pliant as pl
from pliant import recorder
from test_recording import scene_for
recorder.SNAPSHOT_EVERY = 3
scene = scene_for(rate=1e5)
world = pl.World(scene, threads=1)
with pl.Recorder({path!r}, world, scene) as recorder:
    while True:
        recorder.add(world.step())
"""


def kill_and_read(path, moment):
    """Kills a writer some time after its file has appeared; returns how many frames it left."""
    writer = subprocess.Popen([sys.executable, "-c", WRITER.format(here=str(HERE), path=str(path))])
    try:
        while not path.exists():
            assert writer.poll() is None
            time.sleep(1e-3)
        time.sleep(moment)
    finally:
        writer.send_signal(signal.SIGKILL)
        writer.wait()
    with h5py.File(path, "r", swmr=True) as file:
        times = file["time"][:]
        # at most the last frame is lost
        assert np.isfinite(times[:-1]).all()
        frames = int(np.isfinite(times).sum())
    scene = scene_for(rate=1e5)
    with pl.Recording(path) as recording:
        assert len(recording) == frames >= 1
        np.testing.assert_allclose(np.diff(recording.times), 2e-3, rtol=1e-9)
        twin = pl.World(scene, threads=1)
        for i in range(frames):
            found = recording.frame(i).matter
            for name in ("left", "right"):
                np.testing.assert_array_equal(found[name].positions, by_id(twin.matter[name], "positions"))
                np.testing.assert_array_equal(found[name].velocities, by_id(twin.matter[name], "velocities"))
            twin.step()
        world, snapshot = recording.last_state(1, scene)
        assert frames - snapshot.frames <= 6
        assert world.time == recording.times[snapshot.frames - 1]
    recorder = pl.resume(path, threads=1)
    recorder.add(recorder.world.step())
    recorder.close()
    with h5py.File(path, "r") as file:
        assert len(file["time"]) == snapshot.frames + 1
    path.unlink()
    return frames


def test_kill_4_times(tmp_path):
    chance = random.Random(5)
    frames = [kill_and_read(tmp_path / "a.h5", chance.uniform(0, 0.2)) for _ in range(4)]
    assert max(frames) > 2


@pytest.mark.long
def test_kill_20_times(tmp_path):
    chance = random.Random(6)
    frames = [kill_and_read(tmp_path / "a.h5", chance.uniform(0, 1)) for _ in range(20)]
    assert max(frames) > 10
    assert min(frames) < max(frames)
