"""Scenes of cloth, and what is measured, recorded and drawn of a sheet that moves."""

import numpy as np
import pytest

import pliant as pl
from pliant.expect import RunLog, evaluate
from pliant.pictures import render_recording
from pliant.replay import Replay
from pliant.runner import Plan, run
from pliant.snapshot import take


def hanging_sheet():
    """Held at one edge, from which it swings down."""
    edge = [pl.Pin(name=f"pin {i}", center=(-0.1, 0.02 * i - 0.1, 0.5), radius=0.005) for i in range(11)]
    shape = pl.Cloth(size=(0.2, 0.2), spacing=0.02, center=(0, 0, 0.5))
    return pl.Scene(
        step=pl.StepOptions(dt=2e-3, cell=0.025),
        materials=[pl.Material(name="cotton", law="cloth", density=1000, E=1e5, nu=0.3)],
        matter=[pl.Matter(name="sheet", material="cotton", shape=shape, pins=edge)],
        record=pl.Record(rate=100),
        expect=[
            pl.Expect(name="area", of="sheet", quantity="area_ratio", min=0),
            pl.Expect(name="flat", of="sheet", quantity="flat_area_ratio", min=0),
            pl.Expect(name="crossings", quantity="most_crossings", max=0),
        ],
    )


def test_a_sheet_that_swings_down_is_measured_recorded_and_drawn(tmp_path):
    world = pl.World(hanging_sheet(), threads=1)
    path = tmp_path / "sheet.h5"
    with pl.Recorder(path, world) as recorder:
        outcome = run(world, Plan(until=0.15), recorder)
    area, flat, crossings = (check.value for check in outcome.checks)
    # soft cloth of 40 g falls for 0.15 s: it stretches a little, and hides much less of the ground
    assert area == pytest.approx(1, abs=0.1)
    assert 0.3 < flat < 0.9
    assert crossings == 0

    recording = pl.Recording(path)
    np.testing.assert_array_equal(recording.triangles("sheet"), world.matter["sheet"].triangles)
    shown = Replay(recording).snapshot(-1).grains[0]
    live = take(world).grains[0]
    assert live.vertex_count == shown.vertex_count == 121
    np.testing.assert_array_equal(shown.triangles, live.triangles)
    # a recording keeps floats, and so did the world
    np.testing.assert_array_equal(shown.positions, live.positions)
    # particles of triangles are in their middles, to the rounding of single precision
    middles = live.positions[:121][live.triangles].mean(axis=1)
    np.testing.assert_allclose(live.positions[121:], middles, atol=1e-6)
    for field in ("speed", "strain", "stress"):
        assert np.all(np.isfinite(live.vertex_values(field)))
    (still,) = render_recording(recording, still=tmp_path / "a.png", size=(96, 64))
    assert still.stat().st_size > 0


def test_a_run_that_is_continued_measures_from_its_start(tmp_path, capsys):
    from pliant.cli import main

    scene = hanging_sheet()
    scene.expect = [pl.Expect(name="flat", of="sheet", quantity="flat_area_ratio", min=0.3, max=0.9)]
    file, path = tmp_path / "hang.yaml", tmp_path / "hang.h5"
    scene.duration = 0.15
    file.write_text(scene.to_yaml())
    assert main(["run", str(file), "--time", "0.1", "--out", str(path)]) in (0, 1)
    assert main(["run", "--continue", str(path), "--time", "0.15"]) == 0
    continued = capsys.readouterr().out
    assert main(["run", str(file)]) == 0
    line = next(line for line in capsys.readouterr().out.splitlines() if "flat" in line)
    assert line in continued


@pytest.mark.long
def test_a_sheet_drapes_over_a_ball():
    scene = pl.load("cloth_drape")
    world = pl.World(scene)
    log = RunLog()
    log.listen_to(world)
    while world.time < scene.duration - 1e-9:
        world.step()
        log.note(world)
    assert all(check.ok for check in evaluate(world, log))
