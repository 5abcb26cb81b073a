"""`pliant reproduce`: rows of a table beside the paper's, for people and for machines; the tables themselves."""

import json

import numpy as np
import pytest
from PIL import Image

import pliant as pl
from pliant import cli, library, reproduce, reproduce_s1, reproduce_s2, results
from pliant.errors import BadFileError, BadInputError
from pliant.reproduce import Choice, Job, PaperRow, Row
from pliant.reproduce_table import HEAD, as_columns, as_markdown, below, cells

KEYS = {
    "scene",
    "method",
    "ms_per_step",
    "paper_ms_per_step",
    "contacts_avg",
    "contacts_max",
    "real_time_factor",
    "expect",
}
CARELESS = {"max_substeps": "1", "dt": "0.05", "substeps": "0"}
# a paper whose scenes are quick, one that is not there, and a way that fails
TABLE = (
    Row(
        PaperRow("block", 0.025, 640, 500.5, 10, 1, 100, (80.5, 81), "incline"),
        {
            "async": {},
            "strong": reproduce.STRONG,
            "careless": CARELESS,
            "unheard": {"method": "weak"},
        },
        0.02,
    ),
    Row(PaperRow("juggling", 0.5, 7, 8.0, None, 3, 9, (1.0, 2), "juggling"), {"async": {}}),
)


@pytest.fixture(scope="module")
def choice(tmp_path_factory):
    return Choice(tmp_path_factory.mktemp("out"), threads=2, quick=True, bar=False, record=True)


@pytest.fixture(scope="module")
def rows(choice):
    return reproduce.run_rows(TABLE, choice, "toy")


def test_rows(rows, choice):
    slow, strong, careless, unheard = rows
    assert slow.keys() >= KEYS
    assert [row["method"] for row in rows] == ["async", "strong", "careless", "unheard"]
    assert [row["first"] for row in rows] == [True, False, False, False]
    for row, dt, steps in ((slow, 1e-3, 20), (strong, 1e-2, 2)):
        # both are rounded to four digits after the point
        assert row["real_time_factor"] == pytest.approx(1e3 * dt / row["ms_per_step"], abs=1e-4, rel=1e-3)
        assert (row["dt"], row["steps"], row["particles"]) == (dt, steps, 875)
        # all that lie on the table
        assert row["contacts_max"] == 208
        assert (row["paper_particles"], row["paper_contacts_max"], row["paper_dt"]) == (640, 81, 0.01)
    assert slow["linear_iterations_per_step"] == 0 < strong["linear_iterations_per_step"]
    # only the paper's own way is recorded
    assert slow["recording"] == str(choice.out / "toy_incline.h5")
    assert "recording" not in strong
    with pl.Recording(slow["recording"]) as recording:
        assert len(recording.reports) == 20
    # what failed says why, and has no figures of ours
    assert "max_substeps" in careless["error"]
    assert "ms_per_step" not in careless
    assert "method 'weak' is not known" in unheard["error"]
    assert (careless["refused"], unheard["refused"]) == (False, True)
    assert reproduce.not_there(TABLE) == ["juggling"]


def test_table_puts_ours_beside_the_paper_s(rows, choice):
    lines = cells(TABLE, rows, choice)
    assert lines[0] == HEAD
    assert [line[:2] for line in lines[1:]] == [
        ("block", "async"),
        ("", "strong"),
        ("", "careless: failed"),
        ("", "unheard: refused"),
        ("juggling", "not there"),
    ]
    first = dict(zip(HEAD[2:], lines[1][2:], strict=False))
    assert first["particles"] == "875"
    assert lines[1][HEAD.index("contacts avg (max)") + 1] == "80.5 (81)"
    # steps of 1 ms against their 100 ms for steps of 10 ms
    faster = float(lines[1][HEAD.index("faster")])
    assert faster == pytest.approx(10 / rows[0]["ms_per_step"], rel=0.01)
    # a step that the paper does not tell; what is not there
    assert lines[5][HEAD.index("dt [ms]") + 1] == "?"
    assert lines[5][HEAD.index("ms/step")] == "-"
    text = as_columns(lines).splitlines()
    assert len(text) == 6
    # figures end below the end of their heading
    place = text[0].index("ms/step") + len("ms/step")
    assert text[1][:place].endswith(lines[1][HEAD.index("ms/step")])
    assert as_markdown(lines).splitlines()[1].startswith("|---|---|---:|")


def test_only(rows, choice):
    some = Choice(choice.out, 1, True, False, only=("juggling",))
    assert reproduce.run_rows(TABLE, some, "toy") == []
    assert [line[0] for line in cells(TABLE, [], some)] == ["scene", "juggling"]
    reproduce.check_only(some, ["incline", "juggling"])
    with pytest.raises(BadInputError, match="'juggling'; choose one of incline, squeeze"):
        reproduce.check_only(some, ["incline", "squeeze"])


def test_checks_of_other_ways_do_not_count():
    bad = {"name": "rolls", "value": 1.0, "bound": [2.0, None], "ok": False}
    row = {"first": True, "expect": []}
    assert reproduce.all_held({"rows": [row, {"first": False, "expect": [bad], "error": "no"}]})
    assert not reproduce.all_held({"rows": [{"first": True, "expect": [bad]}]})
    assert not reproduce.all_held({"rows": [{**row, "error": "no"}]})
    assert not reproduce.all_held({"rows": [row], "squeeze": {"expect": [bad]}})


def test_a_whole_run_evaluates_the_checks_of_its_scene(tmp_path):
    ours = reproduce.measure(Job("incline"), Choice(tmp_path, threads=1, bar=False))
    assert [check.ok for check in ours.checks] == [True] * len(ours.world.scene.expect)
    assert len(ours.contacts) == 2200
    # the vertices of its lower face lie on the table
    assert ours.most == 208


# tables of the papers


@pytest.mark.parametrize("paper", [reproduce_s1, reproduce_s2])
def test_rows_of_papers_are_whole(paper):
    titles = {"dough rolling", "shake"} | (
        {"ball on slope", "dough tearing", "water pouring"}
        if paper is reproduce_s1
        else {"box bagging", "laundry", "T-shirt folding"}
    )
    assert {row.paper.title for row in paper.TABLE} == titles
    assert next(iter(paper.TABLE[0].ways)) == ("strong" if paper is reproduce_s1 else "async")
    for row in paper.TABLE:
        # the strong step knows no cloth
        async_alone = {"box_bagging", "laundry", "shirt_folding"}
        methods = {way["method"] for way in row.ways.values()}
        assert methods == ({"async"} if row.paper.scene in async_alone else {"strong", "async"})
    # keys that scenes do not know are found out here and not in an hour
    for row in (row for row in paper.TABLE if row.is_there):
        first, *others = (Job(row.paper.scene, way) for way in row.ways.values())
        reproduce.scene_of(first, Choice())
        for job in others:
            try:
                reproduce.scene_of(job, Choice())
            except BadFileError as error:
                refused = str(error)
            else:
                continue
            assert "does not take cloth" in refused


def test_errors_do_not_tell_where_files_are():
    file = library.scene_file("incline")
    assert reproduce.without_folder(f"{file}:3: no; {file}", "incline") == "incline.yaml:3: no; incline.yaml"


def test_nodes_with_mass():
    # one particle reaches 27 nodes; one of the next cell 9 more; one far away 27 more
    assert reproduce.nodes_with_mass(np.array([[0.1, 0.1, 0.1]]), 0.2) == 27
    assert reproduce.nodes_with_mass(np.array([[0.11, 0.11, 0.11], [0.31, 0.11, 0.11]]), 0.2) == 36
    assert reproduce.nodes_with_mass(np.array([[0.11, 0.11, 0.11], [5, 5, 5.0]]), 0.2) == 54


@pytest.mark.long
def test_quick_s1(tmp_path):
    made = reproduce_s1.reproduce(Choice(tmp_path, threads=2, quick=True, bar=False))
    ours = [row for row in made["rows"] if row["first"]]
    assert [row["scene"] for row in ours] == [row.paper.scene for row in reproduce_s1.TABLE if row.is_there]
    for row in ours:
        assert 0 < row["contacts_avg"] <= row["contacts_max"]
        # the paper's liquid is half a mug of it
        if row["scene"] != "water_pouring":
            assert row["particles"] == pytest.approx(row["paper_particles"], rel=0.02)
            assert (row["dt"], row["tolerance"], row["substeps"]) == (0.01, 1e-6, 1)
    assert [ball["friction"] for ball in made["balls"]] == [0, 0.2, 0.3, 0.6]
    for points in made["sweep"].values():
        assert [point["tolerance"] for point in points] == [1e-1, 1e-5]
        assert points[0]["iterations_per_substep"] < points[1]["iterations_per_substep"]
    assert len(reproduce_s1.sections(made)) == 3


@pytest.mark.long
def test_quick_s2(tmp_path):
    made = reproduce_s2.reproduce(Choice(tmp_path, threads=2, quick=True, bar=False))
    ours = {(row["scene"], row["method"]): row for row in made["rows"] if "error" not in row}
    dough, shake = ours["dough_rolling", "async"], ours["shake", "async"]
    assert (dough["paper_ms_per_step"], dough["dt"], dough["substeps"]) == (21.7, 1e-2, 10)
    assert (shake["paper_ms_per_step"], shake["dt"], shake["substeps"]) == (231.1, 1e-4, 10)
    # the dough lies with 24 x 30 particles on a table that is a body, and the pin has come down on it
    assert 24 * 30 / 2 < dough["contacts_avg"] < dough["contacts_max"] < 24 * 30 + 101
    # four faces of 144 particles each touch panels and rigid cube, and two the floor
    assert 0 < shake["contacts_avg"] <= shake["contacts_max"] <= 6 * 144
    loose, tight = made["sweep"]
    assert (loose["tolerance"], tight["tolerance"]) == (5e-2, 1e-3)
    assert loose["iterations_per_substep"] < tight["iterations_per_substep"]
    # how it is solved does not change what happens
    assert loose["spin"] == pytest.approx(tight["spin"], abs=0.01)


def test_squeeze(tmp_path):
    made = reproduce_s2.reproduce(Choice(tmp_path, threads=2, quick=True, bar=False, only=("squeeze",)))
    assert (made["rows"], "sweep" in made) == ([], False)
    assert made["squeeze"]["analytic"] == {"x": -10.0, "y": 0.0, "z": pytest.approx(-1.962)}
    assert made["squeeze"]["mean"]["x"] < 0
    assert reproduce_s2.sections(made)[0][1][0].startswith("x: -")
    with Image.open(made["plots"][0]) as opened:
        assert np.asarray(opened.convert("RGB")).std() > 5


# the command


def test_command_line(rows, monkeypatch, capsys, tmp_path):
    made = {"rows": [{**rows[0], "title": "shake"}], "not_yet": ["laundry"], "plots": []}
    monkeypatch.setattr(reproduce_s2, "reproduce", lambda choice: made)
    assert cli.main(["reproduce", "s2", "--quick", "--json"]) == 0
    shown = capsys.readouterr()
    assert json.loads(shown.out) == made
    assert shown.err == ""
    # a check that fails
    made["rows"][0]["expect"] = [{"name": "rolls", "value": 1.0, "bound": [2.0, None], "ok": False}]
    file = tmp_path / "results.md"
    assert cli.main(["reproduce", "s2", "--results", str(file)]) == 1
    shown = capsys.readouterr().out
    assert "incline, async: FAILED rolls: 1\n" in shown
    assert str(file) in shown
    assert "FAILED rolls: 1" in file.read_text()
    assert cli.main(["reproduce", "s2", "--results", str(file), "--only", "shake"]) == 2
    assert "leave out --only" in capsys.readouterr().err


def test_results_keep_the_other_table(rows, choice, tmp_path):
    file, table = tmp_path / "docs" / "results.md", cells(TABLE, rows, choice)
    sections = below(rows)
    first = results.Reproduced("s1", "S1: of old", ["Theirs: a Xeon."], table, sections)
    results.write_results(file, first)
    results.write_results(
        file, results.Reproduced("s2", "S2: other", results.Session(2, True, 90, 99).notes(), table, [])
    )
    results.write_results(file, results.Reproduced("s1", "S1: of today", ["Theirs: a Xeon."], table, sections))
    text = file.read_text()
    assert [line for line in text.splitlines() if line.startswith("## ")] == ["## S1: of today", "## S2: other"]
    assert text.startswith("# Results")
    assert "2 threads" in text
    assert "took 2 min" in text
    assert "A quick look" in text
    assert "busy with other work (load 99)" in text
    assert len(results.Session(0, False, 90, 0.1).notes()) == 1
    assert text.count("- incline, careless: ") == 1
    # again the same: nothing grows
    results.write_results(file, results.Reproduced("s1", "S1: of today", ["Theirs: a Xeon."], table, sections))
    assert file.read_text() == text
