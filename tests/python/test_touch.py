"""What matter does to bodies: contacts, wrenches, taxels; from worlds, recordings, checks and pictures."""

import h5py
import numpy as np
import pytest

import pliant as pl
from pliant.cli import main
from pliant.expect import RunLog, evaluate
from pliant.info import table
from pliant.pictures import Look, paint
from pliant.player import RecordingPlayer
from pliant.replay import Replay
from pliant.runner import Plan, run
from pliant.snapshot import take
from pliant.touch import Skin, Touches, touchable_bodies
from support import run as steps
from support import touching

DT = 2e-3
COLUMNS = {
    "position": ((3,), np.float64),
    "normal": ((3,), np.float64),
    "impulse": ((3,), np.float64),
    "particle": ((), np.uint32),
    "body": ((), np.int32),
    "geom": ((), np.int32),
    "gap": ((), np.float64),
    "slides": ((), np.bool_),
}


@pytest.fixture(scope="module")
def world():
    """After 0.1 s both bodies are touched."""
    made = pl.World(touching(), threads=1)
    steps(made, 50)
    return made


def test_contacts_are_columns(world):
    contacts = world.contacts
    count = len(contacts)
    assert count > 20
    assert repr(contacts) == f"Contacts({count})"
    for name, (shape, kind) in COLUMNS.items():
        column = getattr(contacts, name)
        assert column.shape == (count, *shape), name
        assert column.dtype == kind, name
    np.testing.assert_allclose(np.linalg.norm(contacts.normal, axis=1), 1, atol=1e-12)
    assert set(contacts.body) == {1, 2}
    np.testing.assert_array_equal(world.model.geom_bodyid[contacts.geom], contacts.body)
    # they are where the particles are, but for what those moved in the step
    matter = world.matter["cube"]
    at = matter.positions[np.argsort(matter.ids)][contacts.particle]
    assert np.abs(at - contacts.position).max() < 2 * DT * world.report.max_speed
    # the plate carries, the ball presses
    plate = contacts.body == 1
    assert contacts.normal[plate, 2].min() > 0.99
    assert contacts.impulse[plate, 2].sum() < 0 < contacts.impulse[~plate, 2].sum()
    assert world.report.contacts == pytest.approx(count, rel=0.2)
    assert world.report.most_contacts <= count
    assert 0 <= world.report.residual <= world.scene.step.solver_tolerance


def test_contacts_taxels_and_wrenches_are_the_change_of_momentum(world):
    contacts, report = world.contacts, world.report
    scale = np.abs(contacts.impulse).sum() / DT
    for body, geom in (("rig/plate", "rig/skin"), ("rig/ball", "rig/ball")):
        number = world.model.body(body).id
        force = np.array(world.wrench(body).force)
        ours = contacts.impulse[contacts.body == number].sum(axis=0) / DT
        # sums of the same numbers in another order
        np.testing.assert_allclose(ours, force, atol=1e-12 * scale)
        np.testing.assert_allclose(world.taxels(geom, 5, 7).forces.sum(axis=(0, 1)), force, atol=1e-12 * scale)
        np.testing.assert_allclose(np.array(report.body_impulses[world.model.geom(geom).id]) / DT, -force, atol=1e-12)
    change = np.subtract(report.after.momentum, report.before.momentum)
    impulses = np.sum(report.body_impulses, axis=0) + report.gravity_impulse
    # round-off of some hundred transfers of momentum between particles and grid
    np.testing.assert_allclose(change, impulses, atol=1e-12 * DT * scale)


def test_words_about_forces(world):
    wrench = world.wrench("rig/plate")
    assert repr(wrench).startswith("Wrench(force=(")
    assert len(wrench.torque) == 3
    with pytest.raises(pl.BadInputError, match="no body or boundary 'plate'.*rig/plate"):
        world.wrench("plate")
    with pytest.raises(pl.BadInputError, match="no geom 'rig/skinn'"):
        world.taxels("rig/skinn", 2, 2)
    with pytest.raises(pl.BadInputError, match="0 rows"):
        world.taxels("rig/skin", 0, 2)
    alone = touching()
    alone.bodies = []
    alone.boundaries = [pl.Boundary(name="floor")]
    world = pl.World(alone, threads=1)
    world.step()
    assert set(world.contacts.boundary) == {0}
    assert set(world.contacts.body) == {-1}
    with pytest.raises(pl.BadInputError, match="known: 'floor'"):
        world.wrench("rig/plate")


MESH = '<mesh name="roof" vertex="-.06 -.05 -.02  .06 -.05 -.02  .06 .05 -.02  -.06 .05 -.02  0 -.05 .03  0 .05 .03"/>'
# with their highest point, m
GEOMS = {
    "box": ('type="box" size=".05 .01 .03"', 0.03),
    "tall box": ('type="box" size=".01 .02 .03"', 0.03),
    "plane": ('type="plane" size="1 1 .1" euler="0 0 20"', 0.0),
    "sphere": ('type="sphere" size=".03"', 0.03),
    "cylinder": ('type="cylinder" size=".03 .05" euler="90 0 0"', 0.03),
    "capsule": ('type="capsule" size=".02 .04" euler="0 90 10"', 0.02),
    "ellipsoid": ('type="ellipsoid" size=".05 .04 .03"', 0.03),
    "mesh": ('type="mesh" mesh="roof"', 0.03),
}


@pytest.mark.parametrize("kind", GEOMS)
def test_recorded_moments_have_the_taxels_of_the_world(kind):
    scene = touching()
    words, top = GEOMS[kind]
    # a little to the side, so that it tips over edges
    scene.matter[0].shape.center = np.add(scene.matter[0].shape.center, (0.01, 0.003, top))
    geom = f'<geom name="it" {words}/>'
    text = f"<mujoco><asset>{MESH}</asset><worldbody><body>{geom}</body></worldbody></mujoco>"
    scene.bodies = [pl.Body(name="one", text=text)]
    world = pl.World(scene, threads=1)
    steps(world, 45)
    exact = world.taxels("one/it", 4, 6)
    place, turn = world.data.geom_xpos[0], world.data.geom_xmat[0]
    ours = Skin(world.model, 0, 4, 6).feel(Touches.of(world.contacts, DT), place, turn)
    assert np.count_nonzero(np.linalg.norm(exact.forces, axis=2)) > 0
    np.testing.assert_allclose(ours.forces, exact.forces, atol=1e-12 * np.abs(exact.forces).max())
    # a plane's range is that of its contacts, a mesh's bounds are kept in float
    np.testing.assert_allclose((ours.low, ours.high), (exact.low, exact.high), atol=1e-7)


@pytest.fixture
def recorded(tmp_path):
    path = tmp_path / "touch.h5"
    world = pl.World(touching(), threads=1)
    seen, wrenches = [world.contacts], []
    with pl.Recorder(path, world) as recorder:
        for _ in range(50):
            recorder.add(world.step())
            wrenches.append([(*w.force, *w.torque) for w in (world.wrench("rig/plate"), world.wrench("rig/ball"))])
            seen.append(world.contacts)
    return path, world, seen, np.array(wrenches)


def test_a_recording_holds_contacts_and_wrenches(recorded):
    path, world, seen, wrenches = recorded
    with h5py.File(path, "r") as file:
        # 5 steps of 2 ms per frame
        np.testing.assert_array_equal(file["contacts/end"], np.cumsum([len(c) for c in seen[::5]]))
        np.testing.assert_array_equal(file["reports/wrenches"], wrenches)
        assert file["reports/wrench_bodies"].asstr()[:].tolist() == ["rig/plate", "rig/ball"]
    with pl.Recording(path) as recording:
        for number in (0, 4, 10):
            frame = recording.frame(number).contacts
            assert set(frame) == set(COLUMNS)
            for name in COLUMNS:
                exact = getattr(seen[5 * number], name)
                np.testing.assert_array_equal(frame[name], exact.astype(frame[name].dtype), err_msg=name)
        np.testing.assert_array_equal(recording.wrenches["rig/ball"], wrenches[:, 1])
        np.testing.assert_array_equal(recording.reports["contacts"][-1], world.report.contacts)
        # rounded to float, and on a plate that does not move
        forces = world.taxels("rig/skin", 3, 4).forces
        again = recording.taxels(10, "rig/skin", 3, 4).forces
        np.testing.assert_allclose(again, forces, atol=1e-6 * np.abs(forces).max())
        with pytest.raises(pl.BadInputError, match="no geom 'rig/skim'; did you mean 'rig/skin'"):
            recording.taxels(10, "rig/skim", 3, 4)
        text = table(recording)
    assert "contacts       " in text
    assert " iterations each" in text
    x, y, z = wrenches[:, 0, :3].mean(axis=0)
    assert f"force on rig/plate  ({x:.4g}, {y:.4g}, {z:.4g}) N on average, at most" in text


def test_a_recording_goes_on_with_its_wrenches(recorded, tmp_path):
    path, _, _, wrenches = recorded
    scene = touching()
    scene.duration = 0.06
    world = pl.World(scene, threads=1)
    with pl.Recorder(tmp_path / "half.h5", world) as recorder:
        for _ in range(25):
            recorder.add(world.step())
    recorder = pl.resume(tmp_path / "half.h5", threads=1)
    with recorder:
        for _ in range(25):
            recorder.add(recorder.world.step())
    with pl.Recording(tmp_path / "half.h5") as ours, pl.Recording(path) as whole:
        np.testing.assert_array_equal(ours.wrenches["rig/plate"], wrenches[:, 0])
        np.testing.assert_array_equal(ours.frame(-1).contacts["impulse"], whole.frame(-1).contacts["impulse"])
        np.testing.assert_array_equal(ours.file["contacts/end"][:3], whole.file["contacts/end"][:3])


def test_bodies_that_feel_nothing_are_not_recorded(tmp_path):
    world = pl.World(touching(method="one_way"), threads=1)
    with pl.Recorder(tmp_path / "a.h5", world) as recorder:
        recorder.add(world.step())
    with pl.Recording(tmp_path / "a.h5") as recording:
        assert recording.wrenches == {}
        assert recording.frame(-1).contacts == {}
        assert "contacts " not in table(recording)


def test_checks_of_forces():
    scene = touching()
    asked = [("rig/plate", "force_z"), ("rig/ball", "force_z"), ("rig/plate", "contacts"), ("rig/ball", "contacts")]
    asked = [*asked, ("rig/plate", "most_force")]
    scene.expect = [pl.Expect(name=f"{q} of {of}", of=of, quantity=q, min=-100) for of, q in asked]
    scene.expect = [*scene.expect, pl.Expect(name="momentum", quantity="momentum_error", max=1e-12)]
    world = pl.World(scene, threads=1)
    plan = Plan(until=scene.duration)
    # before the run nothing is known
    assert np.isnan(evaluate(world, plan.log)[0].value)
    forces = []
    note = plan.log.note
    plan.log.note = lambda world: (note(world), forces.append(world.wrench("rig/plate").force))
    outcome = run(world, plan)
    assert outcome.ok, outcome
    plate, ball, below, above, most, _ = (check.value for check in outcome.checks)
    assert plate == pytest.approx(np.mean(forces[-5:], axis=0)[2], rel=1e-12)
    assert most == pytest.approx(np.linalg.norm(forces, axis=1).max(), rel=1e-12)
    assert ball > 0 > plate
    contacts = world.contacts
    assert (below, above) == (np.sum(contacts.body == 1), np.sum(contacts.body == 2))


@pytest.mark.parametrize(
    ("of", "quantity", "method", "text"),
    [
        ("rig/skin", "force_x", "async", "force_x is of a body, and 'rig/skin' is a geom"),
        ("rig/skin", "most_force", "async", "most_force is of a body, and 'rig/skin' is a geom"),
        ("rig/top", "contacts", "async", "not of a site"),
        ("rig/plate", "force_x", "one_way", "use 'method: async'"),
    ],
)
def test_checks_of_forces_that_cannot_be_made(of, quantity, method, text):
    scene = touching(method=method)
    scene.expect = [pl.Expect(name="it", of=of, quantity=quantity, min=0)]
    with pytest.raises(pl.BadInputError, match=text):
        evaluate(pl.World(scene, threads=1), RunLog())


def test_the_bar_tells_contacts_and_iterations(capfd):
    world = pl.World(touching(), threads=1)
    run(world, Plan(until=0.1, bar=True))
    assert f"{world.report.contacts:.0f} contacts, {world.report.iterations} iterations" in capfd.readouterr().err


def test_arrows_are_the_forces(world, recorded):
    shown = take(world).contacts
    contacts = world.contacts
    np.testing.assert_array_equal(shown.points[: len(contacts)], contacts.position)
    np.testing.assert_array_equal(shown.forces[: len(contacts)], contacts.impulse / DT)
    plain, with_arrows = (paint(world, (320, 240), Look(arrows=arrows)) for arrows in (False, True))
    # a red arrow stands out of the plate
    assert np.sum((with_arrows != plain) & (with_arrows[..., :1] > 1.5 * with_arrows[..., 1:2])) > 100
    pushes = take(world).pushes
    totals = [world.wrench(body).force for body in ("rig/plate", "rig/ball")]
    np.testing.assert_allclose(pushes.forces, totals, atol=1e-12 * np.abs(totals).max())
    # from a recording the same, in float
    with pl.Recording(recorded[0]) as recording:
        again = Replay(recording).snapshot(10).contacts
    np.testing.assert_allclose(again.forces[: len(contacts)], shown.forces[: len(contacts)], atol=1e-6)


def test_the_command_line_draws_and_tells(recorded, tmp_path, capsys):
    path = str(recorded[0])
    for name, more in (("plain", []), ("arrows", ["--arrows"])):
        assert main(["render", path, "--still", str(tmp_path / f"{name}.png"), "--size", "96", "64", *more]) == 0
    assert (tmp_path / "plain.png").read_bytes() != (tmp_path / "arrows.png").read_bytes()
    assert main(["info", path]) == 0
    assert "force on rig/ball" in capsys.readouterr().out


def test_bodies_that_matter_can_touch(world):
    assert touchable_bodies(world.model) == ["rig/plate", "rig/ball"]


def test_the_viewer_shows_the_taxels_of_a_geom(recorded):
    from pliant.viewer import Viewer
    from test_viewer import wait_for

    with pl.Recording(recorded[0]) as recording, Viewer(recording, port=0) as viewer:
        assert isinstance(viewer.source, RecordingPlayer)
        assert not viewer.skin.picture.visible
        dark = viewer.skin.picture.image.copy()
        viewer.source.seek(0.1)
        viewer.skin.picker.value = "rig/skin"
        x, y, z = recording.taxels(10, "rig/skin", 1, 1).forces[0, 0]
        wait_for(lambda: f"rig/skin: ({x:.3g}, {y:.3g}, {z:.3g}) N" in viewer.text.content)
        assert viewer.skin.picture.visible
        assert np.mean(np.any(viewer.skin.picture.image != dark, axis=2)) > 0.05
        assert f"{len(recorded[2][50])} contacts" in viewer.text.content
        viewer.skin.picker.value = "(none)"
        wait_for(lambda: not viewer.skin.picture.visible)
