"""The table of trust: its harness, that rows leave options alone, and its quick part."""

import json
import math

import numpy as np
import pytest

import pliant as pl
from pliant import cli
from pliant.errors import BadInputError
from pliant.validate import place as places
from pliant.validate import run as running
from pliant.validate import theory
from pliant.validate.case import Built, Case
from pliant.validate.keys import refuse_keys
from pliant.validate.known import KNOWN, known_reason
from pliant.validate.parts import piece, plane, plane_body, scene, stuff
from pliant.validate.place import Place, draw_places, placed
from pliant.validate.row import ROWS, Measured, Row
from pliant.validate.rows import wanted_rows
from pliant.validate.run import Choice, Line, run_rows
from pliant.validate.table import as_dict, as_document, as_text


def scene_of(row, method):
    with pytest.raises(Built) as built:
        row.measure(Case(method, dry=True))
    return built.value.scene


def falling(step):
    return scene(step, stuff(E=1e5), [piece("cube", pl.Box((0.1, 0.1, 0.1), (0, 0, 0.06)))], 0.3)


# rows


def test_there_are_rows_enough():
    names = [name for row in wanted_rows() for name in row.line_names()]
    assert len(wanted_rows()) >= 30
    assert len(set(names)) == len(names)
    assert all(row.source and row.lines for row in ROWS)
    assert any("strong" not in row.methods for row in ROWS)


@pytest.mark.parametrize("row", wanted_rows(), ids=lambda row: row.name)
def test_rows_leave_options_as_they_are(row):
    for method in row.methods:
        made = scene_of(row, method)
        assert made.step.method == method
        refuse_keys(made)


@pytest.mark.parametrize(
    ("key", "spoil"),
    [
        ("step.tolerance", lambda s: setattr(s.step, "tolerance", 1e-6)),
        ("step.substeps", lambda s: setattr(s.step, "substeps", 3)),
        ("step.transfer", lambda s: setattr(s.step, "transfer", "apic")),
        ("contact.stiffness", lambda s: setattr(s.contact, "stiffness", 1e6)),
        ("contact.memory", lambda s: setattr(s.contact, "memory", False)),
        ("contact.pairs.dissipation", lambda s: s.contact.pairs.append(pl.ContactPair(dissipation=1.0))),
        ("cube.sampling.method", lambda s: setattr(s.matter[0].sampling, "method", "lattice")),
        ("cube.sampling.particles_per_cell", lambda s: setattr(s.matter[0].sampling, "particles_per_cell", 20)),
        ("precision", lambda s: setattr(s, "precision", "float64")),
        ("solref", lambda s: s.bodies.append(pl.Body(name="b", text='<mujoco><geom solref="1 1"/></mujoco>'))),
        ("<option", lambda s: s.bodies.append(pl.Body(name="b", text="<mujoco><option/></mujoco>"))),
    ],
)
def test_keys_that_rows_may_not_set(key, spoil):
    made = falling(Case().step(0.02))
    refuse_keys(made)
    spoil(made)
    with pytest.raises(BadInputError, match=key):
        refuse_keys(made)


def test_a_row_that_sets_a_key_does_not_run():
    made = falling(Case().step(0.02))
    made.step.transfer = "pic"
    with pytest.raises(BadInputError, match="step.transfer"):
        Case().run(made, 0.01, lambda view: view.time)


# places


def test_places_follow_from_the_seed():
    first = draw_places(1, "row", 0.02, False)
    assert first == draw_places(1, "row", 0.02, False)
    assert first != draw_places(2, "row", 0.02, False)
    assert first != draw_places(1, "other", 0.02, False)
    # floors at z = 0 go through nodes once, and gravity stays upright
    assert [p.shift[2] == 0 for p in first] == [True, False, False]
    assert all(np.allclose(p.vector((0, 0, 1)), (0, 0, 1)) for p in first)
    tilted = draw_places(1, "row", 0.02, True)
    assert not np.allclose(tilted[1].vector((0, 0, 1)), (0, 0, 1))
    assert all(np.all(np.abs(p.shift) <= 0.04) for p in tilted)


def test_a_place_is_a_rigid_motion():
    here = draw_places(3, "row", 0.02, True)[1]
    assert here.matrix @ here.matrix.T == pytest.approx(np.eye(3), abs=1e-12)
    assert np.linalg.det(here.matrix) == pytest.approx(1)
    x = np.random.default_rng(1).normal(size=(5, 3))
    moved = np.array([here.point(p) for p in x])
    assert here.back(moved) == pytest.approx(x, abs=1e-12)
    assert places.matrix_of(here.rotation(places.about((1, 2, 3), 0.7))) == pytest.approx(
        here.matrix @ places.matrix_of(places.about((1, 2, 3), 0.7))
    )


def everything():
    """A scene with one of everything that a place moves."""
    made = falling(Case().step(0.02))
    made.matter[0].velocity, made.matter[0].angular_velocity = (1, 2, 3), (0, 0, 4)
    made.matter.append(pl.Matter(name="dots", material="stuff", points=[(1, 0, 0), (0, 1, 0)], point_volume=1e-6))
    made.materials.append(pl.Material(name="cotton", law="cloth"))
    pin = pl.Pin(name="pin", center=(0, 0, 1))
    made.matter.append(pl.Matter(name="sheet", material="cotton", shape=pl.Cloth(size=(1, 1)), pins=[pin]))
    made.boundaries = [plane("floor", (0, 0, 1), (0, 0, 1), velocity=(1, 0, 0))]
    made.bodies = [plane_body()]
    made.motion = [
        pl.Motion(kind="actuator", target="a", times=[0], values=[[3]]),
        pl.Motion(kind="mocap", target="m", times=[0], values=[[0, 0, 1, 1, 0, 0, 0]]),
        pl.Motion(kind="boundary", target="floor", times=[0], values=[[0, 0, 1]]),
        pl.Motion(kind="pin", target="sheet/pin", times=[0], values=[[0, 0, 1]]),
    ]
    return made


def test_everything_moves_along():
    # a quarter turn about x: y goes to z, z to -y
    quarter = Place(places.about((1, 0, 0), math.pi / 2), (10.0, 0.0, 0.0))
    before, there = everything(), placed(everything(), quarter)
    assert before == everything()
    assert there.step.gravity == pytest.approx((0, 9.81, 0))
    cube, dots, sheet = there.matter
    assert cube.shape.center == pytest.approx((10, -0.06, 0))
    assert cube.velocity == pytest.approx((1, -3, 2))
    assert cube.angular_velocity == pytest.approx((0, -4, 0))
    assert np.asarray(dots.points) == pytest.approx(np.array([[11, 0, 0], [10, 0, 1]]))
    assert sheet.pins[0].center == pytest.approx((10, -1, 0))
    floor, body = there.boundaries[0], there.bodies[0]
    assert (floor.center, floor.normal) == (pytest.approx((10, -1, 0)), pytest.approx((0, -1, 0)))
    assert floor.velocity == pytest.approx((1, 0, 0))
    assert (body.position, body.rotation) == (pytest.approx((10, 0, 0)), pytest.approx(quarter.turn))
    actuator, mocap, boundary, held = there.motion
    assert actuator.values[0] == (3,)
    assert mocap.values[0] == pytest.approx([10, -1, 0, *quarter.turn])
    assert boundary.values[0] == held.values[0] == pytest.approx([10, -1, 0])


@pytest.mark.parametrize("method", ["async", "strong"])
def test_whole_cells_change_nothing(method):
    """The same scene, shifted by whole cells: the grid sees the same. Positions are floats, and there are 50 steps: an
    error of 1e-7 of the shift in each place, and what contact makes of it."""

    def height(shift):
        case = Case(method, Place(shift=shift))
        made = falling(case.step(0.02, 2e-3, 2e-3))
        made.boundaries = [plane("floor", friction=0.3)]
        return case.run(made, 0.1, lambda view: view.center("cube")).seen

    here, there = height((0, 0, 0)), height((0.16, -0.32, 0.08))
    assert there == pytest.approx(here, abs=1e-6)
    # and a part of a cell does change something
    assert np.abs(height((0.007, 0, 0.013)) - here).max() > 1e-6


def test_the_world_is_seen_in_the_frame_of_the_row():
    here = draw_places(5, "row", 0.02, True)[2]
    case = Case(place=here)
    made = falling(case.step(0.02))
    made.matter[0].velocity, made.matter[0].angular_velocity = (0.5, 0, 0), (0, 0, 3)
    run = case.run(made, 0.02, lambda view: [*view.velocity("cube"), *view.spin("cube"), *view.center("cube")])
    assert run.seen[-1, :3] == pytest.approx([0.5, 0, -9.81 * 0.02], abs=1e-5)
    # the sample's inertia is that of a cube to some 1e-2: the axis wanders by 1e-2 omega^2 t
    assert run.seen[-1, 3:6] == pytest.approx([0, 0, 3], abs=2e-3)
    assert run.seen[0, 6:] == pytest.approx([0, 0, 0.06], abs=2e-3)
    assert len(run.time) == 11


def test_refining_halves_cell_and_step():
    coarse, fine = Case("strong").step(0.02), Case("strong", refine=2).step(0.02)
    assert (fine.cell, fine.dt) == (coarse.cell / 2, coarse.dt / 2)


# closed forms


def test_small_loads_are_linear():
    E, nu, load = 1e5, 0.3, 1.0
    assert theory.neo_hookean_stretch(np.array(load), E, nu) - 1 == pytest.approx(load / E, rel=1e-4)
    assert theory.neo_hookean_stress(1 - 1e-5, E, nu) == pytest.approx(-1e-5 * E, rel=1e-4)
    mean, top = theory.column_center(0.2, 9.81, E, nu, load)
    assert 0.1 - mean == pytest.approx(load / E * 0.1 + 9.81 * 0.2**2 / (3 * E), rel=1e-3)
    assert 0.2 - top == pytest.approx(load / E * 0.2 + 9.81 * 0.2**2 / (2 * E), rel=1e-3)


def test_stress_and_stretch_are_inverse():
    for stretch in (0.7, 0.95, 1.3):
        stress = theory.neo_hookean_stress(stretch, 1e5, 0.4)
        assert theory.neo_hookean_stretch(np.array(stress), 1e5, 0.4) == pytest.approx(stretch, abs=1e-9)


def test_shallow_ball_is_hertz():
    # the other plate adds .0403 at R/200 and sqrt(200) times less per root of the depth
    for depth in (1e-4, 1e-6):
        hertz = 4 / 3 * 1e5 / (1 - 0.09) * math.sqrt(0.1) * (0.1 * depth) ** 1.5
        more = theory.ball_between_plates(0.1 * depth, 0.1, 1e5, 0.3) / hertz - 1
        assert more == pytest.approx(0.0403 * math.sqrt(200 * depth), rel=0.05)


def test_vibrations_are_found():
    t = np.linspace(0, 0.4, 200)
    y = 0.01 - 0.01 * np.exp(-0.05 * 30 * t) * np.cos(30 * math.sqrt(1 - 0.05**2) * t) + 3e-4 * np.cos(188 * t)
    seen = theory.fit_vibration(t, y, 25.0, 6.27)
    assert seen.offset == pytest.approx(0.01, rel=5e-3)
    assert seen.omega == pytest.approx(30, rel=5e-3)


# lines and tables


def fake_rows():
    def good(case):
        return {"speed": Measured(1.0 + 0.01 * case.place.shift[0], 1.0)}

    def bad(case):
        case.run(falling(case.step(0.02)), 0.004, lambda view: view.time) if case.dry else None
        raise BadInputError("no such thing")

    return [Row("good", {"speed": 0.01}, good, "made up"), Row("bad", {"force": 0.01}, bad, "made up", ("strong",))]


def test_lines_hold_the_worst_place(monkeypatch):
    monkeypatch.setattr(running, "cell_of", lambda row: 0.02)
    lines = run_rows(fake_rows(), Choice(bar=False))
    assert [(line.name, line.method, line.ok) for line in lines] == [
        ("good: speed", "async", True),
        ("good: speed", "strong", True),
        ("bad: force", "strong", False),
    ]
    shifts = [abs(p.shift[0]) for p in draw_places(1, "good", 0.02, False)]
    assert lines[0].worst.error == pytest.approx(0.01 * max(shifts))
    made = as_dict(lines)
    assert list(made) == ["rows"]
    assert list(made["rows"][0])[:7] == ["name", "method", "value", "reference", "error", "bound", "ok"]
    assert made["rows"][2]["value"] is None
    assert "no such thing" in made["rows"][2]["reason"]
    assert json.loads(json.dumps(made)) == made
    text = as_text(lines)
    assert "2 of 3 lines are ok" in text
    assert "bad: force, strong: place 1: no such thing" in text
    # head, rule and three lines of seven cells
    assert as_document(lines).count("|") == 5 * 8


def test_not_a_number_is_not_ok():
    line = Line("x", "async", 0.01, "", [Measured(1.0, 1.0), Measured(math.nan, 1.0)])
    assert not line.ok
    assert line.as_dict()["error"] is None


def test_errors_have_a_scale():
    assert Measured(1.02, 1.0).error == pytest.approx(0.02)
    assert Measured(0.5, 0.0, scale=10.0).error == pytest.approx(0.05)


def test_known_lines_exist():
    names = [name for row in ROWS for name in row.line_names()]
    for pattern, method, reason in KNOWN:
        assert reason
        assert any(known_reason(name, m) == reason for name in names for m in ("async", "strong")), (pattern, method)


# the command


def test_command(capsys, tmp_path):
    file, document = tmp_path / "rows.json", tmp_path / "validate.md"
    words = ["validate", "--only", "thrown cube", "--report", "--out", str(tmp_path), "--threads", "2"]
    assert cli.main([*words, "--json", str(file), "--results", str(document)]) == 0
    made = json.loads(file.read_text())
    assert [(row["name"], row["method"], row["ok"]) for row in made["rows"]] == [
        ("thrown cube: velocity", "async", True),
        ("thrown cube: velocity", "strong", True),
    ]
    assert "2 of 2 lines are ok" in capsys.readouterr().out
    assert "thrown cube: velocity" in document.read_text()
    page = (tmp_path / "validate.html").read_text()
    assert "thrown cube" in page
    assert cli.main(["validate", "--only", "thrown cube", "--method", "async", "--json", "-"]) == 0
    printed = capsys.readouterr()
    assert len(json.loads(printed.out)["rows"]) == 1
    assert printed.err == ""
    assert cli.main(["validate", "--list", "--only", "hertz"]) == 0
    assert "Tatara" in capsys.readouterr().out
    assert cli.main(["validate", "--only", "no such row"]) == 2
    assert "--list" in capsys.readouterr().err


def test_numbers_of_numpy_are_written():
    """Rows compute with numpy: what they measure, and whether it is good, may be numbers of its kind."""
    line = running.Line("row: line", "async", 0.01, "a formula", [Measured(np.float32(1.0), np.float64(1.0))])
    assert json.loads(json.dumps(line.as_dict()))["ok"] is True


def test_quick():
    """Every line of the quick part holds, or is known not to; a known line that holds at its worst place is no longer
    known: take it off the list."""
    lines = run_rows(wanted_rows(quick=True), Choice(bar=False, threads=2))
    strange = [
        f"{line.name}, {line.method}: {line.worst.error:.3g}" for line in lines if not line.ok and not line.reason
    ]
    assert not strange
