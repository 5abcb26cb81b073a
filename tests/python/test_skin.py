"""Matter that lasts is drawn as its surface, matter that flows with a skin, in pictures, recordings and the viewer."""

from types import SimpleNamespace

import h5py
import numpy as np
import pytest
from pliant._core import lasts, means_near, skin

import pliant as pl
import pliant.snapshot
from pictured import ball_of_points, piece, world_of
from pliant.cameras import Camera
from pliant.framing import Pose
from pliant.pictures import Look, paint, render_recording
from pliant.recording import Recording
from pliant.replay import Replay
from pliant.sheet import is_closed
from pliant.shell import shell_of
from pliant.snapshot import take, thinned
from pliant.viewer import Viewer, export_html
from test_crossings import grid_sheet
from test_viewer import wait_for

SIZE = (160, 120)
ABOVE = Pose((0, 0, 2), (0, 0, 0))
SPACING = 0.02


def lattice(size, center):
    counts = np.round(np.divide(size, SPACING)).astype(int)
    axes = [SPACING * (np.arange(n) + 0.5 - n / 2) + c for n, c in zip(counts, center, strict=True)]
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)


def pool(law="liquid", **material):
    """0.6 x 0.4 x 0.2 m of something, its top at 0.3 m."""
    world = world_of({"water": piece(lattice((0.6, 0.4, 0.2), (0, 0, 0.2)))})
    keys = {"liquid": {"bulk_modulus": 1e5}, "sand": {"E": 1e5, "friction_angle": 30}, "hencky": {"E": 1e5}}[law]
    world.scene.materials = [pl.Material(name="water", law=law, **keys, **material)]
    return world


def cube_scene(method="strong"):
    return pl.Scene(
        step=pl.StepOptions(dt=0.005, cell=0.05, method=method),
        materials=[pl.Material(name="jelly", law="neo_hookean", density=1000, E=5e4, nu=0.3)],
        matter=[pl.Matter(name="cube", material="jelly", shape=pl.Box(size=(0.2, 0.2, 0.2), center=(0, 0, 0.4)))],
        record=pl.Record(rate=100, deformation=True),
    )


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    path = tmp_path_factory.mktemp("skin") / "cube.h5"
    world = pl.World(cube_scene(), threads=1)
    with pl.Recorder(path, world) as recorder:
        for _ in range(8):
            recorder.add(world.step())
    return path, world


def test_who_lasts():
    assert lasts(pl.Material(law="neo_hookean"))
    assert lasts(pl.Material(law="hencky"))
    assert not lasts(pl.Material(law="hencky", yield_stress=100.0))
    assert not lasts(pl.Material(law="liquid"))


def test_a_skin_is_closed_and_has_its_volume():
    points = lattice((0.4, 0.4, 0.4), (0.1, 0, 0))
    vertices, normals, triangles = skin(points, np.full(len(points), SPACING**3))
    assert is_closed(triangles)
    a, b, c = (vertices[triangles[:, i]] for i in range(3))
    # 20 spacings wide: its edges are round
    assert np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6 == pytest.approx(0.064, rel=0.02)
    assert np.all(np.einsum("ij,ij->i", vertices - (0.1, 0, 0), normals) > 0)
    np.testing.assert_allclose(means_near(points, points[:, 0], [[0.1, 0, 0]], 0.05), 0.1, atol=1e-12)
    for positions, volumes in (([[0, 0]], [1]), ([[0, 0, 0]], [1, 1])):
        with pytest.raises((TypeError, ValueError), match="positions must have|one number for each"):
            skin(positions, volumes)
    with pytest.raises(pl.BadInputError, match="give positive volumes"):
        skin([[0, 0, 0]], [0])


def test_closed_surfaces_are_told_from_cloth():
    _, _, triangles = skin([[0, 0, 0]], [1])
    assert is_closed(triangles)
    assert not is_closed(triangles[1:])
    assert not is_closed(grid_sheet(4)[1])


def test_a_pool_is_flat_and_has_no_holes():
    world = pool()
    with Camera(world, ABOVE, *SIZE) as camera:
        depth, image = camera.depth(), camera.segmentation()
    rows, columns = np.where(image == 0)
    rows, columns = rows[np.abs(rows - 59.5) < 10], columns[np.abs(rows - 59.5) < 10]
    seen = 2 - depth[50:70, columns.min() + 4 : columns.max() - 3]
    # at half a spacing above the uppermost particles
    np.testing.assert_allclose(seen, 0.3, atol=0.02 * SPACING)


@pytest.mark.parametrize(
    ("law", "keys", "skinned"),
    [("liquid", {}, True), ("hencky", {"yield_stress": 100.0}, True), ("sand", {}, False), ("hencky", {}, False)],
)
def test_which_laws_have_a_skin(law, keys, skinned):
    (grains,) = take(pool(law, **keys)).grains
    assert (shell_of(grains) is not None) == skinned


def test_flat_worlds_have_none():
    points = np.random.default_rng(1).random((50, 2))
    world = world_of({"water": piece(points)}, dimension=2)
    world.scene.materials = [pl.Material(name="water", law="liquid", bulk_modulus=1e5)]
    (grains,) = take(world).grains
    assert shell_of(grains) is None


def test_balls_are_shown_on_request():
    world = pool()
    heights = []
    for balls in (False, True):
        with Camera(world, ABOVE, *SIZE) as camera:
            camera.canvas.compose(take(world), world.scene, None, Look(ABOVE, balls=balls))
            heights.append((2 - camera.canvas.draw()[1][50:70, 70:90], camera.canvas.scene.ngeom))
    (smooth, few), (rough, many) = heights
    assert np.ptp(smooth) < 0.02 * SPACING
    # balls stand out, with dents between them
    assert np.ptp(rough) > 0.05 * SPACING
    assert many > few + 100


def test_a_thinned_skin_fills_the_same_space(monkeypatch):
    (grains,) = take(pool()).grains
    monkeypatch.setattr(pliant.snapshot, "MOST_IN_SKINS", len(grains.ids) // 3)
    (few,) = thinned(take(pool()), 10)
    assert len(few.ids) < 0.4 * len(grains.ids)
    volumes = []
    for shell in (shell_of(grains), shell_of(few)):
        a, b, c = (shell.vertices[shell.triangles[:, i]] for i in range(3))
        volumes.append(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6)
    assert volumes[0] == pytest.approx(0.048, rel=0.03)
    assert volumes[1] == pytest.approx(0.048, rel=0.1)


def test_numbers_colour_a_skin():
    world = pool()
    state = world.matter["a water"]
    state.velocities[:, 0] = np.where(state.positions[:, 0] > 0, 2, 0)
    (grains,) = take(world).grains
    shell = shell_of(grains)
    speed = shell.values("speed")
    assert speed.shape == (len(shell.vertices),)
    assert speed[shell.vertices[:, 0] > 0.05].min() == pytest.approx(2)
    assert speed[shell.vertices[:, 0] < -0.05].max() == pytest.approx(0)
    picture = paint(world, SIZE, Look(ABOVE, "speed")).astype(float).sum(axis=2)
    assert picture[50:60, 90:100].mean() > 2 * picture[50:60, 60:70].mean()


def test_a_skin_may_grow_and_shrink_from_picture_to_picture():
    world = pool()
    small, large = lattice((0.1, 0.1, 0.1), (0, 0, 0.2)), lattice((0.8, 0.6, 0.2), (0, 0, 0.2))
    pictures = []
    with Camera(world, ABOVE, *SIZE) as camera:
        for points in (small, large, small):
            world.matter["a water"] = piece(points)
            pictures.append(camera.rgb())
        world.matter["a water"] = piece(np.zeros((0, 3)))
        assert not np.any(camera.segmentation() == 0)
    np.testing.assert_array_equal(pictures[0], pictures[2])
    assert np.any(pictures[0] != pictures[1])


# pieces that last


def test_recordings_hold_surfaces(recorded):
    path, world = recorded
    with h5py.File(path) as file:
        np.testing.assert_array_equal(file["matter/cube/triangles"], world.surfaces["cube"].triangles)
    with Recording(path) as recording:
        triangles = recording.triangles("cube")
        assert is_closed(triangles)
        vertices = recording.frame(-1).matter["cube"].positions[: triangles.max() + 1]
        np.testing.assert_array_equal(vertices, world.surfaces["cube"].vertices.astype(np.float32))


def test_a_world_and_its_recording_show_the_same_cube(recorded):
    path, world = recorded
    with Recording(path) as recording:
        replay = Replay(recording)
        moment = replay.moment(len(replay) - 1)
        with Camera(moment, ABOVE, *SIZE) as camera:
            recorded_depth = camera.depth()
        values = [take(source).grains[0].vertex_values("stress") for source in (world, moment)]
    with Camera(world, ABOVE, *SIZE) as camera:
        depth, image, lens = camera.depth(), camera.segmentation(), camera.intrinsics
    np.testing.assert_array_equal(depth, recorded_depth)
    np.testing.assert_allclose(*values, rtol=1e-4, atol=1e-3)
    # falling freely: flat, at the height that the fall of 8 steps leaves
    top = 0.5 - 9.81 * 0.04**2 / 2
    np.testing.assert_allclose(2 - depth[image == 0], top, atol=2e-3)
    # an area of .2 x .2 m at that depth, but for the rim
    across = 0.2 * lens[0, 0] / (2 - top)
    assert np.count_nonzero(image == 0) == pytest.approx(across**2, rel=0.08)


def test_a_recording_without_triangles_shows_balls(recorded, tmp_path):
    path = tmp_path / "old.h5"
    path.write_bytes(recorded[0].read_bytes())
    with h5py.File(path, "r+") as file:
        del file["matter/cube/triangles"]
    with Recording(path) as recording:
        (grains,) = Replay(recording).snapshot(0).grains
        assert shell_of(grains) is None
        render_recording(recording, still=tmp_path / "old.png", size=SIZE)
    assert (tmp_path / "old.png").stat().st_size > 1000


# the web viewer


def test_the_viewer_shows_skins_and_surfaces(recorded, tmp_path):
    world = pool()
    world.save, world.step = bytes, lambda: None
    with Viewer(world, port=0) as viewer:
        assert not viewer.theatre.clouds
        (front,) = viewer.theatre.shells["a water"].sides
        before = len(front.faces)
        world.matter["a water"] = piece(ball_of_points((0, 0, 0.3)))
        viewer.source.step()
        wait_for(lambda: len(front.faces) < before)
        assert front.vertices[:, 2].mean() == pytest.approx(0.3, abs=0.2 * SPACING)
        viewer.field.value = "speed"
        wait_for(lambda: viewer.theatre.shells["a water"].colored is not None)
        world.matter["a water"] = piece(np.zeros((0, 3)))
        viewer.source.step()
        wait_for(lambda: viewer.theatre.shells["a water"].colored is None)
    with Recording(recorded[0]) as recording:
        page = export_html(recording, tmp_path / "cube.html")
        with Viewer(recording, port=0) as viewer:
            assert set(viewer.theatre.shells) == {"cube"}
            assert len(viewer.theatre.shells["cube"].sides) == 1
    assert "__VISER_EMBED_DATA__" in page.read_text(encoding="utf-8")


def test_checks_of_cloth_leave_surfaces_alone(recorded):
    from pliant.expect_cloth import ClothLog

    log = ClothLog()
    with Recording(recorded[0]) as recording:
        log.look_back(recording, [SimpleNamespace(quantity="most_crossings")])
    assert not log.first
