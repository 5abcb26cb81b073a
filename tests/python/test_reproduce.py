"""`pliant reproduce s2`, in its quick form: what it prints, for people and for machines, and its plots."""

import json

import numpy as np
import pytest
from PIL import Image

from pliant import cli, reproduce

KEYS = {
    "scene",
    "ms_per_step",
    "paper_ms_per_step",
    "contacts_avg",
    "contacts_max",
    "real_time_factor",
    "expect",
}


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    return reproduce.reproduce_s2(reproduce.Choice(tmp_path_factory.mktemp("out"), threads=2, quick=True, bar=True))


def test_rows(quick):
    dough, shake = quick["rows"]
    assert dough.keys() >= KEYS
    assert (dough["scene"], dough["paper_ms_per_step"]) == ("dough_rolling", 21.7)
    assert (shake["scene"], shake["paper_ms_per_step"]) == ("shake", 231.1)
    for row, dt in ((dough, 1e-2), (shake, 1e-4)):
        # both are rounded to four digits after the point
        assert row["real_time_factor"] == pytest.approx(1e3 * dt / row["ms_per_step"], abs=1e-4, rel=1e-3)
        assert row["particles"] == pytest.approx(row["paper_particles"], rel=0.01)
        assert (row["dt"], row["substeps"], row["expect"]) == (dt, 10, [])
    # the pin has come down on the dough; the cubes stand on the floor between the panels
    assert 0 < dough["contacts_avg"] < dough["contacts_max"] < 101
    # four faces of 144 particles each touch panels and rigid cube, and two the floor
    assert 0 < shake["contacts_avg"] <= shake["contacts_max"] <= 6 * 144
    assert quick["not_yet"] == ["box bagging", "laundry", "T-shirt folding"]


def test_sweep_and_squeeze(quick):
    assert [point["tolerance"] for point in quick["sweep"]] == [5e-2, 1e-3]
    loose, tight = quick["sweep"]
    assert loose["iterations_per_substep"] < tight["iterations_per_substep"]
    # how it is solved does not change what happens
    assert loose["spin"] == pytest.approx(tight["spin"], abs=0.01)
    assert quick["squeeze"]["analytic"] == {"x": -10.0, "y": 0.0, "z": pytest.approx(-1.962)}
    assert quick["squeeze"]["mean"]["x"] < 0


def test_plots(quick):
    assert len(quick["plots"]) == 2
    for plot in quick["plots"]:
        with Image.open(plot) as opened:
            assert np.asarray(opened.convert("RGB")).std() > 5


def test_table_puts_ours_below_the_paper_s(quick):
    lines = reproduce.as_text(quick).splitlines()
    assert lines[0].split()[0] == "scene"
    assert "21.7" in lines[1]
    assert "17.8 (101)" in lines[1]
    assert lines[2].startswith("  ours ")
    assert f"{quick['rows'][0]['ms_per_step']:.3g}" in lines[2]
    assert lines[4] == "  ours: not yet"


def test_command_line(quick, monkeypatch, capsys):
    monkeypatch.setattr(reproduce, "reproduce_s2", lambda choice: quick)
    assert cli.main(["reproduce", "s2", "--quick", "--json"]) == 0
    shown = capsys.readouterr()
    assert json.loads(shown.out)["rows"] == quick["rows"]
    assert shown.err == ""
    # a check that fails
    quick["rows"][0]["expect"] = [{"name": "rolls", "value": 1.0, "bound": [2.0, None], "ok": False}]
    assert cli.main(["reproduce", "s2"]) == 1
    assert "FAILED rolls: 1\n" in capsys.readouterr().out
    quick["rows"][0]["expect"] = []


def test_a_whole_run_evaluates_the_checks_of_its_scene():
    ours = reproduce.measure("incline", reproduce.Choice(threads=1, bar=False))
    assert [check.ok for check in ours.checks] == [True] * len(ours.world.scene.expect)
    assert len(ours.contacts) == 2200
    # 80 particles lie on the table
    assert ours.most == 80
