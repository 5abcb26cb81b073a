"""Pictures by MuJoCo's renderer: depth, segmentation, colours, films; drawn fast is drawn the same."""

import os
import subprocess
import sys

import imageio_ffmpeg
import mujoco
import numpy as np
import pytest
from PIL import Image

import pliant as pl
import pliant.canvas
from pictured import FakeRecording, ball_of_points, piece, stage_model, world_of
from pliant import gl
from pliant.cameras import Camera, pose_of
from pliant.canvas import camera_id
from pliant.colors import material_color, ramp, scale_of, strain_of, tones
from pliant.framing import Pose
from pliant.geoms import Solid, add_solids, add_spheres, arrow, rows_of
from pliant.pictures import Look, film_frames, paint, render_recording
from pliant.snapshot import take, thinned

SIZE = (160, 120)
ABOVE = Pose((0, 0, 2), (0, 0, 0))


def test_depth_of_a_plane_and_a_sphere_seen_from_above():
    with Camera(world_of({}, model=stage_model()), "above", *SIZE) as camera:
        depth = camera.depth()
    assert depth.shape == (120, 160)
    assert depth.dtype == np.float32
    # a depth buffer of 24 bits or more resolves 1e-5 of the distance here
    np.testing.assert_allclose(depth[2:5, 2:5], 2, rtol=1e-4)
    # the middle of the picture is half a pixel beside the axis, and the sphere has 28 x 16 facets
    assert depth[60, 80] == pytest.approx(2 - 0.6, rel=1e-3)


def test_depth_of_a_tilted_view_follows_the_rays():
    pose = Pose((0, -2, 1), (0, 0, 0))
    with Camera(world_of({}, model=stage_model()), pose, *SIZE) as camera:
        depth, lens = camera.depth(), camera.intrinsics
    row, column = np.mgrid[100:119, 5:155] + 0.5
    forward = np.array([0, 2, -1]) / np.sqrt(5)
    down = np.cross(forward, (1, 0, 0))
    ray = forward[2] + (row - lens[1, 2]) / lens[1, 1] * down[2]
    np.testing.assert_allclose(depth[100:119, 5:155], -1 / ray, rtol=1e-4)


def test_depth_of_matter_and_of_a_boundary():
    ball = pl.Boundary(name="ball", kind="sphere", center=(0.5, 0, 0.2), radius=0.2)
    floor = pl.Boundary(name="floor", kind="plane")
    world = world_of({"water": piece([(0, 0, 0.5)], spacing=0.1)}, [floor, ball])
    with Camera(world, ABOVE, *SIZE) as camera:
        depth, lens = camera.depth(), camera.intrinsics
    # a lone particle is a sphere of 0.6 spacings; its facets lie inside the round shape
    assert depth[60, 80] == pytest.approx(2 - 0.5 - 0.06, rel=1e-3)
    assert depth[5, 5] == pytest.approx(2.0, rel=1e-4)
    column = int(80 + lens[0, 0] * 0.5 / (2 - 0.4))
    assert depth[60, column] == pytest.approx(2 - 0.4, rel=2e-3)


def test_nothing_is_infinitely_far():
    with Camera(world_of({"water": piece([(0, 0, 0.5)])}), ABOVE, *SIZE) as camera:
        assert np.isinf(camera.depth()[0, 0])
        assert camera.segmentation()[0, 0] == -1


def test_a_model_without_a_sky_stands_before_a_bright_backdrop():
    contents = "<geom size='.1'/><camera name='eye' pos='0 -1 0' xyaxes='1 0 0 0 0 1'/>"
    model = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{contents}</worldbody></mujoco>")
    # seen by a camera of the model, which looks as far as its size of 0.1 m asks for, and by one of ours
    for view in ("eye", Pose((0, -1, 0), (0, 0, 0))):
        with Camera(world_of({}, model=model), view, *SIZE) as camera:
            np.testing.assert_allclose(camera.rgb()[3, 3] / 255, (0.80, 0.86, 0.93), atol=0.01)


def test_segmentation_of_matter_before_a_box():
    model = stage_model("box")
    world = world_of({"jelly": piece([(5, 5, 5)]), "water": piece(ball_of_points((0, 0, 0.9)))}, model=model)
    with Camera(world, "above", *SIZE) as camera:
        image, names, lens = camera.segmentation(), camera.names, camera.intrinsics
    assert image.shape == (120, 160)
    assert image.dtype == np.int32
    assert names[image[60, 80]] == "a water"
    assert image[60, 80] == model.ngeom + 1
    assert names[image[3, 3]] == "ground"
    # the top of the box is 1.4 m away and .6 m wide; the rim of the picture's pixels counts half
    width = np.sum(np.isin(image[60], [model.geom("box").id, model.ngeom + 1]))
    assert width == pytest.approx(lens[0, 0] * 0.6 / 1.4, abs=1.5)
    # the ball of matter is seen as a disc: its outermost particles reach from 0.09 to 0.112 m
    area = np.sum(image == model.ngeom + 1)
    sizes = np.pi * (lens[0, 0] * np.array([0.085, 0.115]) / 1.1) ** 2
    assert sizes[0] < area < sizes[1]


def test_colours_tell_materials_and_speeds():
    def middle(look, velocity=(0, 0, 0)):
        points = {"water": piece(ball_of_points((0, 0, 0.5)), velocity)}
        world = world_of(points)
        with Camera(world, Pose((0, -2, 1), (0, 0, 0.5)), *SIZE) as camera:
            return camera.rgb(look)[56:64, 76:84].reshape(-1, 3).mean(axis=0)

    red, green, blue = middle("material")
    assert blue > 1.3 * red
    assert blue > green > red
    # one speed everywhere is the upper end of the scale: bright; rest is the lower end: dark
    assert middle("speed", (0, 0, -3)).mean() > 2 * middle("speed").mean()


def test_colours_tell_stress():
    def middle(stretch):
        state = piece(ball_of_points((0, 0, 0.5)))
        state.deformation_gradients[:, 0, 0] = stretch
        # the scale is that of all particles: those on the far side are pulled most
        state.deformation_gradients[state.positions[:, 1] > 0.05, 0, 0] = 2
        with Camera(world_of({"water": state}), Pose((0, -2, 1), (0, 0, 0.5)), *SIZE) as camera:
            return camera.rgb("stress")[56:64, 76:84].reshape(-1, 3).mean()

    assert middle(1.9) > 1.2 * middle(1.4) > 1.2 * 1.2 * middle(1)


def test_an_arrow_is_as_long_as_it_says(monkeypatch):
    length = 0.5
    drawn = [arrow(np.zeros(3), np.array([0, 0, length]), 0.01, (1, 0, 0, 1))]
    monkeypatch.setattr(pliant.canvas, "force_arrows", lambda *_: drawn)
    world = world_of({"water": piece([(0.6, 0, 0.7), (-0.6, 0, -0.7)])})
    pose = Pose((0, -2, 0.1), (0, 0, 0.1))
    picture = paint(world, (400, 400), Look(pose, arrows=True)).astype(int)
    red = np.flatnonzero(np.any(picture[..., 0] > 1.5 * picture[..., 1], axis=1))
    seen = (red[-1] - red[0] + 1) * 2 / (200 / np.tan(np.radians(pose.field_of_view) / 2))
    # 134 pixels; the last few of its tip are too thin to be red
    assert seen == pytest.approx(length, rel=0.04)


def test_a_colour_that_was_not_recorded_is_refused_by_name(tmp_path):
    for field in ("stress", "strain", "plastic"):
        with pytest.raises(pl.BadInputError, match=f"'{field}' is not known: .* no deformation; .*{{deformation: true"):
            render_recording(FakeRecording(), still=tmp_path / "a.png", field=field, size=(96, 64))


def test_the_sun_casts_shadows_and_the_picture_stands_upright():
    floor = pl.Boundary(name="floor", kind="plane")
    world = world_of({"sand": piece(ball_of_points((0, 0, 0.3)))}, [floor])
    pose = Pose((0, -2, 1), (0, 0, 0.3))
    with Camera(world, pose, *SIZE) as camera:
        picture, marked = camera.rgb().astype(float), camera.segmentation()
    ground = marked == 1
    assert np.median(np.where(marked == 0)[0]) < 65
    light = picture[ground].sum(axis=1)
    # a shadow is a place, not the rim of the matter
    assert np.mean(light < 0.75 * np.median(light)) > 0.005
    empty = world_of({"sand": piece(ball_of_points((0, 0, -3)))}, [floor])
    with Camera(empty, pose, *SIZE) as camera:
        bare = camera.rgb()[ground].astype(float).sum(axis=1)
    # without matter the floor is lit everywhere, tiles apart
    assert bare.min() > 0.8 * np.median(bare)


def block():
    ticks = 0.02 * (np.arange(24) + 0.5)
    grid = np.stack(np.meshgrid(ticks, ticks, ticks), axis=-1).reshape(-1, 3)
    shake = np.random.default_rng(3).uniform(-0.006, 0.006, grid.shape)
    return piece(grid + shake)


def test_hidden_particles_are_left_out_and_nobody_sees_it(monkeypatch):
    world = world_of({"sand": block()}, [pl.Boundary(name="floor", kind="plane")])

    def drawn():
        with Camera(world, None, *SIZE) as camera:
            return camera.rgb().astype(int), camera.depth(), camera.canvas.scene.ngeom

    fast, fast_depth, few = drawn()
    monkeypatch.setattr(pliant.canvas, "visible", lambda points, *_: np.ones(len(points), bool))
    slow, slow_depth, many = drawn()
    assert many > 24**3
    assert few < 0.5 * many
    # what is lost shows through gaps that are smaller than a pixel
    assert np.mean(np.abs(fast - slow).max(axis=2) > 12) < 2e-3
    assert np.mean(np.abs(fast_depth - slow_depth) > 0.01) < 2e-3


def test_spheres_in_one_go_are_those_one_by_one():
    model = stage_model()
    points, colors = np.random.default_rng(1).random((2, 40, 3)).astype(np.float32)
    fast, slow = (mujoco.MjvScene(model, maxgeom=50) for _ in range(2))
    for scene in (fast, slow):
        scene.ngeom = 0
    assert add_spheres(fast, points, 0.1, colors, 7) == 40
    for point, color in zip(points, colors, strict=True):
        kind = mujoco.mjtGeom.mjGEOM_SPHERE
        add_solids(slow, [Solid(kind, (0.1,) * 3, point, rgba=(*color, 1), segment=7)])
    a, b = (rows_of(scene)[:40] for scene in (fast, slow))
    for name in ("type", "objtype", "objid", "category", "segid", "size", "pos", "mat", "rgba", "shadow"):
        np.testing.assert_array_equal(a[name], b[name], err_msg=name)
    for i in range(40):
        assert (fast.geoms[i].matid, fast.geoms[i].texid, fast.geoms[i].dataid) == (-1, -1, -1)
    # the list of geoms has an end
    assert add_spheres(fast, np.tile(points, (2, 1)), 0.1, np.tile(colors, (2, 1)), 7) == 10


def test_thinning_picks_the_same_particles_in_any_order():
    first = piece(np.random.default_rng(2).random((5000, 3)))
    order = np.random.default_rng(3).permutation(5000)
    second = piece(first.positions[order])
    second.ids = first.ids[order]
    kept = []
    for state in (first, second):
        pieces = thinned(take(world_of({"sand": state})), 1000)
        assert pieces[0].spacing == pytest.approx(0.02 * 5 ** (1 / 3))
        kept.append(set(pieces[0].ids.tolist()))
    assert kept[0] == kept[1]
    # a share of a fifth of 5,000 by a hash: five standard deviations of 28
    assert abs(len(kept[0]) - 1000) < 141
    (whole,) = thinned(take(world_of({"sand": first})), 5000)
    assert len(whole.ids) == 5000
    assert whole.spacing == pytest.approx(0.02)


# matter sinks a cell into boundaries at nodes, and they are drawn that much thinner
@pytest.mark.parametrize(("at", "high"), [("surfaces", [0.4, 0.9]), ("nodes", [0.36, 0.86])])
def test_a_moving_boundary_is_drawn_where_it_has_gone(at, high):
    plate = pl.Boundary(name="plate", kind="box", size=(0.4, 0.4, 0.4), center=(0, 0, 0.2), velocity=(0, 0, 0.5))
    plate.at = at
    world = world_of({}, [plate])
    heights = []
    for moment in (0.0, 1.0):
        world.time = moment
        with Camera(world, ABOVE, *SIZE) as camera:
            heights.append(2 - camera.depth()[60, 80])
    assert heights == pytest.approx(high, abs=1e-3)


def test_flat_worlds_stand_up():
    points = np.stack(np.meshgrid(np.linspace(-0.2, 0.2, 21), np.linspace(0.5, 0.9, 21)), axis=-1).reshape(-1, 2)
    floor = pl.Boundary(name="floor", normal=(0, 1))
    world = world_of({"water": piece(points)}, [floor], dimension=2)
    snapshot = take(world)
    low, high = snapshot.grains[0].positions.min(axis=0), snapshot.grains[0].positions.max(axis=0)
    np.testing.assert_allclose([low, high], [(-0.2, 0, 0.5), (0.2, 0, 0.9)], atol=1e-6)
    with Camera(world, Pose((0, -2, 0.7), (0, 0, 0.7)), *SIZE) as camera:
        image = camera.segmentation()
    assert image[60, 80] == 0
    assert image[118, 80] == 1


def test_colour_helpers():
    assert material_color("water") != material_color("sand")
    assert material_color("x", "snow") == material_color("snow")
    assert material_color("x", "", 1) != material_color("x", "", 2)
    shades = tones(np.arange(1000))
    assert shades.min() >= 0.9
    assert shades.max() <= 1.1
    assert shades.std() > 0.03
    light = ramp(np.linspace(0, 1, 9), 0, 1) @ [0.3, 0.6, 0.1]
    assert np.all(np.diff(light) > 0)
    np.testing.assert_array_equal(ramp([-5, np.nan], 0, 1), ramp([0, 0], 0, 1))
    # simple shear by g: C - 1 = [[0, g], [g, g^2]]
    shear = np.array([[[1, 0.3], [0, 1]]])
    assert strain_of(shear)[0] == pytest.approx(np.sqrt(2 * 0.09 + 0.0081))
    scale = scale_of("speed", [np.array([0.0, 1.0, 2.0, np.inf])])
    assert (scale.low, scale.high) == (0, pytest.approx(2, rel=0.02))


def test_poses():
    pose = pose_of((1, 2, 3), (1, 0, 0, 0))
    assert pose.target == pytest.approx((1, 2, 2))
    with pytest.raises(ValueError, match="two different points"), Camera(world_of({}), Pose((0,) * 3, (0,) * 3)) as c:
        c.rgb()


def test_a_film_runs_in_real_time():
    times = np.array([0, 0.1, 0.2, 0.5])
    numbers = film_frames(times, per_second=10)
    assert numbers == [0, 1, 2, 2, 3, 3]


def test_a_film_and_a_still_of_a_recording(tmp_path):
    recording = FakeRecording()
    film, early, late = tmp_path / "out.mp4", tmp_path / "early.png", tmp_path / "late.png"
    assert render_recording(recording, film=film, still=late, size=(96, 64), progress=False) == [late, film]
    render_recording(recording, still=early, at=0.0, size=(96, 64))
    # 0.25 s at 30 pictures a second, both ends included
    assert imageio_ffmpeg.count_frames_and_secs(str(film))[0] == 8
    rows = []
    for path in (early, late):
        picture = np.asarray(Image.open(path)).astype(int)
        assert picture.shape == (64, 96, 3)
        blue = picture[..., 2] > 1.5 * picture[..., 0] + 10
        assert blue.sum() > 30
        rows.append(np.where(blue)[0].mean())
    # one camera for the whole recording: what falls is lower in the later picture
    assert rows[1] > rows[0] + 8


def test_a_picture_of_a_live_world():
    scene = pl.Scene(
        step=pl.StepOptions(dt=2e-3, cell=0.05),
        materials=[pl.Material(name="jelly", law="neo_hookean", E=2e4)],
        matter=[pl.Matter(name="cube", material="jelly", shape=pl.Box((0.2, 0.2, 0.2), (0, 0, 0.3)))],
        boundaries=[pl.Boundary(name="floor")],
    )
    world = pl.World(scene)
    world.step()
    picture = paint(world, SIZE, Look(field="speed"))
    assert picture.shape == (120, 160, 3)
    # a legend stands in the lower left corner
    assert picture[100:, :40].max() > 200


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: Camera(world_of({}), None, 0, 10), "give 1 to 8192"),
        (lambda: Look(field="colour").check(), "no colour by 'colour'"),
        (lambda: render_recording(FakeRecording()), "nothing to render"),
        (lambda: render_recording(FakeRecording(), film="x.mp4", size=(63, 48)), "must be even"),
        (lambda: render_recording(FakeRecording(0), still="x.png"), "no frames"),
    ],
)
def test_bad_wishes_are_refused(call, text):
    with pytest.raises(pl.BadInputError, match=text):
        call()


def test_an_unknown_camera_names_the_known_ones():
    with (
        Camera(world_of({}, model=stage_model()), "below", *SIZE) as camera,
        pytest.raises(pl.BadInputError, match="no camera is called 'below'; the model has 'above'"),
    ):
        camera.rgb()


def test_a_camera_is_found_without_the_name_of_its_body():
    def model(*names):
        cameras = "".join(f'<camera name="{name}"/>' for name in names)
        return mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{cameras}</worldbody></mujoco>")

    assert camera_id(model("table/film", "film"), "film") == 1
    assert camera_id(model("arm/wrist", "table/film"), "film") == 1
    with pytest.raises(pl.BadInputError, match="several cameras are called 'film'; the model has 'a/film', 'b/film'"):
        camera_id(model("a/film", "b/film"), "film")


def test_without_graphics_the_error_names_the_packages(monkeypatch):
    def fails(name):
        raise ImportError(f"no {name}")

    monkeypatch.delenv("MUJOCO_GL", raising=False)
    monkeypatch.setattr(gl.importlib, "import_module", fails)
    with pytest.raises(gl.NoGraphicsError, match="apt-get install libegl1 or libosmesa6"):
        gl.open_context(8, 8)


SCRIPT = """
from pictured import piece, world_of
from pliant.cameras import Camera
camera = Camera(world_of({"water": piece([(0, 0, 0.5)])}), None, 32, 24)
print(type(camera.canvas.gl).__module__, camera.rgb().std() > 1)
"""


@pytest.mark.parametrize(("device", "expected"), [(None, "mujoco.egl True"), ("99", "mujoco.osmesa True")])
def test_a_camera_left_open_says_nothing_at_exit_and_osmesa_steps_in(device, expected):
    words = {k: v for k, v in os.environ.items() if k not in ("MUJOCO_GL", "PYOPENGL_PLATFORM", "MUJOCO_EGL_DEVICE_ID")}
    if device:
        words["MUJOCO_EGL_DEVICE_ID"] = device
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, cwd=os.path.dirname(__file__), env=words
    )
    assert run.stderr == ""
    assert run.stdout.strip() == expected
    assert run.returncode == 0
