"""The web viewer: served to this machine only, in step with a world or a recording, and seen in a real browser."""

import logging
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time

import mujoco
import numpy as np
import pytest

import pliant as pl
from browser import Browser, needs_browser
from pictured import FakeRecording, ball_of_points, piece, stage_model, world_of
from pliant.geom_meshes import box, capsule, cylinder, geom_color, geom_mesh, lathe, primitive, quaternion, sphere
from pliant.player import RecordingPlayer, WorldRunner
from pliant.replay import Replay
from pliant.snapshot import Arrows, take
from pliant.viewer import Viewer, export_html
from support import block


def wait_for(truth, seconds=20.0):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if truth():
            return
        time.sleep(0.02)
    raise AssertionError("it did not happen in time")


def volume(mesh):
    """Of a closed mesh whose faces look outwards."""
    a, b, c = (mesh.vertices[mesh.faces[:, i]] for i in range(3))
    return np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6


@pytest.mark.parametrize(
    ("mesh", "exact"),
    [
        (sphere(0.3), 4 / 3 * np.pi * 0.027),
        (cylinder(0.2, 0.5), np.pi * 0.04),
        (capsule(0.2, 0.5), np.pi * 0.04 + 4 / 3 * np.pi * 0.008),
        (box(np.array([0.1, 0.2, 0.3])), 0.048),
        (primitive(mujoco.mjtGeom.mjGEOM_ELLIPSOID, np.array([0.1, 0.2, 0.3])), 4 / 3 * np.pi * 0.006),
        (lathe(np.array([0, 1, 0]), np.array([-1, 0, 1]), 400), 2 / 3 * np.pi),
    ],
)
def test_meshes_of_primitives_enclose_their_volume(mesh, exact):
    # 28 corners lie on the circle: 1 - sin(a)/a = 0.8 % of its area is lost, and 1.3 % in the other direction
    assert volume(mesh) == pytest.approx(exact, rel=0.022)


def test_a_mesh_of_a_model_keeps_its_shape_and_colour():
    text = """<mujoco><asset>
      <mesh name="wedge" vertex="0 0 0  1 0 0  0 1 0  0 0 1"/><material name="blue" rgba="0 0 1 .5"/></asset>
      <worldbody><geom type="mesh" mesh="wedge" material="blue" pos="1 2 3"/></worldbody></mujoco>"""
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    mesh = geom_mesh(model, 0)
    assert volume(mesh) == pytest.approx(1 / 6, rel=1e-6)
    corners = mesh.vertices @ data.geom_xmat[0].reshape(3, 3).T + data.geom_xpos[0]
    expected = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]) + (1, 2, 3)
    assert {tuple(c) for c in np.round(corners, 5)} == {tuple(c) for c in np.round(expected, 5)}
    np.testing.assert_allclose(geom_color(model, 0), (0, 0, 1, 0.5))
    np.testing.assert_allclose(quaternion(np.eye(3)), (1, 0, 0, 0))


def test_the_server_listens_on_the_loopback_address_only():
    with Viewer(FakeRecording(), port=0) as viewer:
        assert viewer.url == f"http://127.0.0.1:{viewer.port}"
        with socket.create_connection(("127.0.0.1", viewer.port), timeout=5):
            pass
        # every address of 127/8 leads here on Linux if a server listens on all of them
        with pytest.raises(OSError), socket.create_connection(("127.0.0.2", viewer.port), timeout=5):  # noqa: PT011
            pass
    with pytest.raises(OSError), socket.create_connection(("127.0.0.1", viewer.port), timeout=5):  # noqa: PT011
        pass


def test_the_viewer_prints_nothing_of_its_own(capfd):
    with Viewer(FakeRecording(), port=0) as viewer, socket.create_connection(("127.0.0.1", viewer.port)):
        pass
    assert capfd.readouterr() == ("", "")
    assert logging.getLogger("websockets.server").level == logging.CRITICAL


def test_time_line_of_a_recording():
    now = [100.0]
    player = RecordingPlayer(Replay(FakeRecording(11)), clock=lambda: now[0])
    assert player.latest().time == 0
    now[0] += 5
    assert player.latest().time == 0
    player.play(True)
    now[0] += 0.21
    assert player.latest().time == pytest.approx(0.2)
    player.speed = 0.5
    now[0] += 0.2
    assert player.latest().time == pytest.approx(0.3)
    player.seek(0.12)
    assert player.latest().time == pytest.approx(0.1)
    now[0] += 60
    assert player.latest().time == pytest.approx(0.5)
    assert not player.playing
    # at the end, play starts again from the beginning
    player.play(True)
    assert player.advance() == 0
    player.seek(-7)
    assert player.advance() == 0


def test_the_slider_follows_and_leads():
    with Viewer(FakeRecording(11), port=0) as viewer:
        wait_for(lambda: viewer.drawn >= 1)
        before = viewer.theatre.clouds["a water"].points[:, 2].mean()
        viewer.source.seek(0.4)
        wait_for(lambda: viewer.shown[0].time == pytest.approx(0.4))
        after = viewer.theatre.clouds["a water"].points[:, 2].mean()
        assert after - before == pytest.approx(-0.8, abs=1e-3)
        viewer.source.speed = 0.2
        viewer.source.play(True)
        wait_for(lambda: viewer.slider.value == pytest.approx(0.5))
        wait_for(lambda: not viewer.play.value)
        assert "0.500 s" in viewer.text.content


def test_a_world_steps_pauses_and_goes_back():
    world = pl.World(block(), threads=1)
    start = world.state_hash()
    twin = pl.World(block(), threads=1)
    with Viewer(world, port=0) as viewer:
        runner = viewer.source
        runner.step(3)
        wait_for(lambda: runner.latest().time == pytest.approx(0.006))
        for _ in range(3):
            twin.step()
        by_id = np.argsort(runner.latest().grains[0].ids)
        twin_by_id = np.argsort(twin.matter["left"].ids)
        np.testing.assert_array_equal(
            runner.latest().grains[0].positions[by_id], twin.matter["left"].positions[twin_by_id]
        )
        time.sleep(0.1)
        assert runner.latest().time == pytest.approx(0.006)
        runner.play(True)
        wait_for(lambda: runner.latest().time > 0.02)
        wait_for(lambda: viewer.drawn >= 2)
        runner.reset()
        wait_for(lambda: runner.latest().time == 0)
        assert not runner.playing
    assert world.state_hash() == start


def test_snapshots_are_copies_of_whole_states():
    """While a world runs, each snapshot is of one moment: all its particles have fallen for the same time."""
    scene = block(gravity=(0, 0, -9.81))
    scene.boundaries = []
    runner = WorldRunner(pl.World(scene, threads=2), playing=True)
    seen = set()
    try:
        for _ in range(300):
            snapshot = runner.latest()
            seen.add(snapshot.time)
            # free fall without deformation: one speed, g t to the rounding of single precision
            speeds = np.concatenate([piece.speed for piece in snapshot.grains])
            np.testing.assert_allclose(speeds, 9.81 * snapshot.time, rtol=1e-3, atol=1e-6)
            time.sleep(0.001)
    finally:
        runner.close()
    assert len(seen) > 3
    assert not runner.thread.is_alive()


def test_a_failed_step_stops_the_run_and_is_told():
    class Failing:
        scene = FakeRecording().scene()
        matter = FakeRecording().world.matter
        time = 0.0

        def save(self):
            return b""

        def step(self):
            raise pl.TooFastError("matter moved 3 cells; make dt smaller")

    with Viewer(Failing(), port=0) as viewer:
        viewer.source.play(True)
        wait_for(lambda: "make dt smaller" in viewer.text.content)
        assert not viewer.source.playing
        assert viewer.source.thread.is_alive()


def test_scenes_can_be_picked():
    with Viewer(block(), port=0, threads=1) as viewer:
        assert set(viewer.theatre.shells) == {"left", "right"}
        viewer.pick("no such scene")
        viewer.pick("four_materials")
        wait_for(lambda: set(viewer.theatre.shells) == {"jelly", "water", "dough"} and viewer.drawn > 0, 60)
        assert set(viewer.theatre.clouds) == {"sand"}


def test_many_grains_are_thinned_out():
    sand = piece(np.random.default_rng(4).random((30_000, 3)))
    world = world_of({"sand": sand})
    world.save, world.step = bytes, lambda: None
    with Viewer(world, port=0) as viewer:
        wait_for(lambda: "about 20,000 shown" in viewer.text.content)
        assert len(viewer.theatre.clouds["a sand"].points) == pytest.approx(20_000, rel=0.03)


def test_bodies_and_forces_are_shown():
    model = stage_model("box")
    world = world_of({"water": piece(ball_of_points((0, 0, 1)))}, model=model)
    world.save, world.step = bytes, lambda: None
    with Viewer(world, port=0) as viewer:
        thing = model.geom("box").id
        assert set(viewer.theatre.bodies) == {0, thing}
        np.testing.assert_allclose(viewer.theatre.bodies[thing].position, (0, 0, 0.3))
        assert not viewer.theatre.arrows
        world.data.geom_xpos[thing] = (0.5, 0, 0.3)
        contacts = {"position": np.array([[0, 0, 0.6], [0.2, 0, 0.6]]), "impulse": np.array([[0, 0, 2.0], [0, 0, 1.0]])}
        world.contacts = contacts | {"body": np.array([1, 1])}
        viewer.source.step()
        wait_for(lambda: len(viewer.theatre.arrows) == 2)
        wait_for(lambda: viewer.theatre.bodies[thing].position[0] == pytest.approx(0.5))
        start, end = viewer.theatre.arrows["contacts"].points[0]
        np.testing.assert_allclose(start, (0, 0, 0.6), atol=1e-6)
        assert end[2] > start[2] + 0.1
        # all of it together: at the third of the way to the smaller one
        ((start, end),) = viewer.theatre.arrows["pushes"].points
        np.testing.assert_allclose(start, (0.2 / 3, 0, 0.6), atol=1e-6)
        assert end[2] > start[2] + 0.2
    assert isinstance(take(world).contacts, Arrows)
    # an impulse of 2 N s in a step of scene.step.dt
    assert take(world).contacts.forces[0, 2] == pytest.approx(2 / world.scene.step.dt)


def test_one_scale_of_colours_for_a_whole_recording():
    replay = Replay(FakeRecording())
    assert replay.scale("material") is None
    assert (replay.scale("speed").low, replay.scale("speed").high) == (0, pytest.approx(2))


def test_control_c_ends_the_viewer_in_peace():
    script = """
from pictured import FakeRecording
from pliant.viewer import view
view(FakeRecording(), port=0, open_browser=False)
print("and after")
"""
    command = [sys.executable, "-c", script]
    # tests that run in the background were told to ignore Ctrl-C, and so would their children
    deaf = signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        run = subprocess.Popen(command, stdout=-1, stderr=-1, text=True, cwd=os.path.dirname(__file__))
    finally:
        signal.signal(signal.SIGINT, deaf)
    try:
        first = run.stdout.readline()
        run.send_signal(signal.SIGINT)
        rest, errors = run.communicate(timeout=60)
    finally:
        run.kill()
    assert re.fullmatch(r"look at http://127.0.0.1:\d+ \(Ctrl-C ends\)\n", first)
    assert rest.strip() == "and after"
    assert errors == ""
    assert run.returncode == 0


def test_what_cannot_be_shown_is_refused():
    with pytest.raises(pl.BadInputError, match="cannot show a int"):
        Viewer(7, port=0)
    assert not [t for t in threading.enumerate() if t.name.startswith("pliant")]


def test_a_page_of_a_recording_needs_no_network(tmp_path):
    page = export_html(FakeRecording(), tmp_path / "out.html")
    text = page.read_text(encoding="utf-8")
    assert "__VISER_EMBED_DATA__" in text
    # nothing is loaded from elsewhere: no script, style or picture has an address
    assert not re.search(r"<(script|link|img|iframe)[^>]+(src|href)=[\"']?(https?:)?//", text)


@pytest.mark.long
@needs_browser
def test_a_browser_shows_a_robot_and_matter(tmp_path):
    model = stage_model("box")
    world = world_of({"water": piece(ball_of_points((0, 0, 1)))}, model=model)
    world.save, world.step = bytes, lambda: None
    with Viewer(world, port=0) as viewer:
        with Browser(viewer.url) as browser:
            wait_for(viewer.server.get_clients, 90)
            client = next(iter(viewer.server.get_clients().values()))

            def both_are_seen():
                picture = client.get_render(240, 320, transport_format="png", timeout=120)
                red, _, blue = (picture[..., c].astype(int) for c in range(3))
                box, water = red > 1.5 * blue + 40, blue > 1.5 * red + 40
                if min(box.sum(), water.sum()) < 200:
                    return False
                # matter lies above the box
                assert np.where(water)[0].mean() < np.where(box)[0].mean()
                return True

            wait_for(both_are_seen, 120)
            browser.screenshot(tmp_path / "page.png")
        # the browser is gone; the viewer goes on
        wait_for(lambda: not viewer.server.get_clients(), 30)
        assert viewer.thread.is_alive()
        drawn = viewer.drawn
        viewer.source.step()
        wait_for(lambda: viewer.drawn > drawn)


@pytest.mark.long
@needs_browser
def test_a_browser_opens_the_exported_page(tmp_path):
    from PIL import Image

    page = export_html(FakeRecording(), tmp_path / "out.html")
    with Browser(page.as_uri()) as browser:

        def shown():
            browser.screenshot(tmp_path / "page.png")
            picture = np.asarray(Image.open(tmp_path / "page.png")).astype(int)
            # the middle, where no bar or button is
            middle = picture[100:450, 350:750]
            return np.sum(middle[..., 2] > 1.5 * middle[..., 0] + 40) > 300

        wait_for(shown, 120)
