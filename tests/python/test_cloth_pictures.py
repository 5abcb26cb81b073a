"""Cloth is drawn as a smooth surface of two sides, in pictures and in the web viewer."""

import json
import struct

import mujoco
import numpy as np
import pytest

import pliant as pl
from browser import Browser, needs_browser
from pictured import ball_of_points, folded, piece, sheet_piece, world_of
from pliant.cameras import Camera
from pliant.colors import material_color
from pliant.framing import Pose
from pliant.pictures import Look, paint
from pliant.sheet import corner_normals
from pliant.snapshot import take, thinned
from pliant.viewer import Viewer, export_html
from pliant.viewer_shell import glb
from test_crossings import grid_sheet
from test_viewer import wait_for

SIZE = (160, 120)
ABOVE = Pose((0, 0, 2), (0, 0, 0))


def sheet(height=lambda x, y: 0 * x, up=0.5, n=41):
    vertices, triangles = grid_sheet(n, height)
    return sheet_piece(vertices * (0.6, 0.6, 1) + (0, 0, up), triangles)


def middle(picture):
    return picture[56:64, 76:84].reshape(-1, 3).astype(float).mean(axis=0)


def test_depth_and_segmentation_see_a_surface_without_holes():
    world = world_of({"water": piece([(5, 5, 0)]), "cotton": sheet(lambda x, y: 0.2 * x, 0.5)})
    with Camera(world, ABOVE, *SIZE) as camera:
        depth, image, lens = camera.depth(), camera.segmentation(), camera.intrinsics
        names = camera.names
    # no ball sticks out: the plane z = .5 + x / 3 itself, but for the steps of a depth buffer
    rows, columns = np.where(image == camera.canvas.model.ngeom + 1)
    assert names[image[60, 80]] == "a cotton"
    z = 2 - depth[rows, columns]
    x = (columns + 0.5 - lens[0, 2]) / lens[0, 0] * depth[rows, columns]
    np.testing.assert_allclose(z, 0.5 + x / 3, atol=1e-4)
    # a square of 0.6 m, seen by perspective from 1.4 to 1.6 m: as large as its four corners say
    corners = [(sx * 0.3, sy * 0.3, 1.5 - sx * 0.1) for sx, sy in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    u, v = np.array([(lens[0, 0] * a / c, lens[1, 1] * b / c) for a, b, c in corners]).T
    seen = abs(np.dot(u, np.roll(v, -1)) - np.dot(v, np.roll(u, -1))) / 2
    # the rim's pixels count half, on 240 of them
    assert len(rows) == pytest.approx(seen, abs=120)


def test_both_sides_are_seen_and_the_back_is_darker():
    cloth = sheet()
    front = middle(paint(world_of({"wool": cloth}), SIZE, Look(ABOVE)))
    cloth.triangles = cloth.triangles[:, ::-1]
    back = middle(paint(world_of({"wool": cloth}), SIZE, Look(ABOVE)))
    wool = np.array(material_color("wool"))
    for seen in (front, back):
        # light is white: the shades of the cloth's own
        np.testing.assert_allclose(seen / seen.max(), wool / wool.max(), atol=0.03)
    assert back.mean() == pytest.approx(0.7 * front.mean(), rel=0.05)


def test_shading_is_smooth():
    """Across a gentle wave the light changes by little from pixel to pixel, although a triangle is 8 pixels wide."""
    waves = sheet(lambda x, y: 0.04 * np.sin(9 * x), n=21)
    picture = paint(world_of({"linen": waves}), (320, 240), Look(Pose((0, 0, 1.2), (0, 0, 0)))).astype(float)
    line = picture[120, 80:240].sum(axis=1)
    assert np.ptp(line) > 40
    # flat triangles would jump by a ninth of the range; the steps of this line do not
    assert np.abs(np.diff(line)).max() < 0.08 * np.ptp(line)


def test_a_crease_keeps_its_sides_apart():
    vertices, triangles = grid_sheet(21)
    bent = folded(vertices, 0.0)
    flat = corner_normals(vertices, triangles)
    np.testing.assert_allclose(flat, np.broadcast_to((0, 0, 1), flat.shape), atol=1e-12)
    creased = corner_normals(bent, triangles)
    np.testing.assert_allclose(np.abs(creased[..., 2]), 1, atol=1e-12)
    assert {-1, 1} == set(np.round(creased[..., 2].ravel()))


def test_colours_of_numbers_follow_the_sheet():
    state = sheet()
    state.velocities[:, 0] = np.where(state.positions[:, 0] > 0, 2, 0)
    picture = paint(world_of({"cotton": state}), SIZE, Look(ABOVE, "speed")).astype(float).sum(axis=2)
    # light where it is fast, dark where it rests; the middle is in between
    assert picture[40:50, 100:110].mean() > 2.5 * picture[40:50, 50:60].mean()


def test_numbers_of_triangles_are_shown_at_vertices():
    state = sheet(n=11)
    by_id = np.argsort(state.ids)
    stretch = np.ones(len(by_id))
    stretch[by_id[121:]] = 1.5
    state.deformation_gradients[:, 0, 0] = stretch
    (grains,) = take(world_of({"cotton": state})).grains
    assert grains.vertex_count == 121
    # C - 1 = 1.25 in all triangles, whatever the vertices say
    np.testing.assert_allclose(grains.vertex_values("strain"), 1.25, rtol=1e-6)
    np.testing.assert_array_equal(grains.ids, np.sort(state.ids))
    np.testing.assert_allclose(grains.positions[:121], state.positions[by_id[:121]])
    assert grains.vertex_values("speed").shape == (121,)


def test_cloth_is_never_thinned_out():
    loose = piece(np.random.default_rng(2).random((5000, 3)))
    snapshot = take(world_of({"sand": loose, "cotton": sheet()}))
    sand, cotton = thinned(snapshot, 1000)
    assert snapshot.loose_count == 5000
    assert len(sand.ids) < 1200
    assert len(cotton.ids) == 41**2 + 2 * 40**2
    assert sand.spacing == pytest.approx(0.02 * 5 ** (1 / 3))


def test_meshes_of_the_model_stay_what_they_are():
    text = """<mujoco><asset><mesh name="wedge" vertex="-1 -1 0  1 -1 0  0 1 0  0 0 1"/></asset>
      <worldbody><light directional="true"/><geom type="mesh" mesh="wedge" rgba="1 0 0 1" pos="0 0 -.5"/></worldbody>
      </mujoco>"""
    model = mujoco.MjModel.from_xml_string(text)
    cloth = sheet(up=1.0)
    world = world_of({"cotton": cloth}, model=model)
    pose = Pose((0, 0, 4), (0, 0, 0))
    with Camera(world, pose, *SIZE) as camera:
        first = camera.segmentation()
        assert set(np.unique(first)) == {-1, 0, 1}
        # a new shape: the same picture as that of a camera that never saw the old one
        cloth.positions[:, 0] += 0.4
        moved = camera.rgb()
        # and other triangles
        world.matter["a cotton"] = sheet(up=1.0, n=9)
        other = camera.rgb()
    with Camera(world, pose, *SIZE) as camera:
        np.testing.assert_array_equal(other, camera.rgb())
    world.matter["a cotton"] = cloth
    with Camera(world, pose, *SIZE) as camera:
        np.testing.assert_array_equal(moved, camera.rgb())


def test_cloth_casts_a_shadow_and_shows_one():
    floor = pl.Boundary(name="floor", kind="plane")
    world = world_of({"linen": sheet(up=0.3), "sand": piece(ball_of_points((0, 0, 0.6)))}, [floor])
    with Camera(world, Pose((0, 0, 3), (0, 0, 0)), 320, 240) as camera:
        picture, marked = camera.rgb().astype(float).sum(axis=2), camera.segmentation()
    on_cloth, on_floor = picture[marked == 0], picture[marked == 2]
    # the sun gives more than half of the light; tiles of the floor differ by a tenth
    for lit in (on_cloth, on_floor):
        assert 0.005 < np.mean(lit < 0.75 * np.median(lit)) < 0.5


# the web viewer


def test_the_viewer_moves_the_vertices_of_a_sheet():
    cloth = sheet()
    world = world_of({"cotton": cloth, "water": piece(ball_of_points((0, 0, 1)))})
    world.save, world.step = bytes, lambda: None
    with Viewer(world, port=0) as viewer:
        assert set(viewer.theatre.clouds) == {"a water"}
        front, back = viewer.theatre.shells["a cotton"].sides
        assert front.vertices.shape == (41**2, 3)
        assert sum(front.color) > sum(back.color)
        assert (front.side, back.side) == ("front", "back")
        cloth.positions[:, 2] += 0.25
        viewer.source.step()
        wait_for(lambda: front.vertices[:, 2].mean() == pytest.approx(0.75))
        np.testing.assert_array_equal(back.vertices, front.vertices)
        viewer.field.value = "speed"
        wait_for(lambda: viewer.theatre.shells["a cotton"].colored is not None)
        assert viewer.theatre.shells["a cotton"].sides == []
        viewer.field.value = "material"
        wait_for(lambda: len(viewer.theatre.shells["a cotton"].sides) == 2)


def test_a_coloured_sheet_is_a_good_file():
    vertices, triangles = grid_sheet(4)
    colors = np.linspace(0, 1, 48).reshape(16, 3)
    data = glb(vertices, triangles, colors)
    magic, version, length = struct.unpack_from("<4sII", data)
    assert (magic, version, length) == (b"glTF", 2, len(data))
    text = struct.unpack_from("<I", data, 12)[0]
    scene = json.loads(data[20 : 20 + text])
    body = data[28 + text :]
    assert len(body) == scene["buffers"][0]["byteLength"] == sum(v["byteLength"] for v in scene["bufferViews"])
    position, normal, color, index = (
        np.frombuffer(body, "<u4" if part["componentType"] == 5125 else "<f4", offset=view["byteOffset"], count=count)
        for part, view, count in zip(
            scene["accessors"], scene["bufferViews"], (32 * 3, 32 * 3, 32 * 3, 36 * 3), strict=True
        )
    )
    np.testing.assert_allclose(position.reshape(2, 16, 3), [vertices, vertices], atol=1e-7)
    np.testing.assert_allclose(normal.reshape(2, 16, 3)[:, :, 2], [[1] * 16, [-1] * 16])
    np.testing.assert_allclose(color.reshape(2, 16, 3)[0], colors**2.2, atol=1e-6)
    corners = position.reshape(-1, 3)[index.reshape(-1, 3)]
    upward = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])[:, 2]
    assert (upward > 0).tolist() == [True] * 18 + [False] * 18


class FallingSheet:
    """A recording of cloth, 20 frames a second."""

    has_bodies = False

    def __init__(self):
        self.times = np.arange(4) / 20
        self.state = sheet()
        self.world = world_of({"cotton": self.state})

    def __len__(self):
        return len(self.times)

    def scene(self):
        return self.world.scene

    def volumes(self, name):
        return self.state.volumes

    def triangles(self, name):
        return self.state.triangles

    def frame(self, number):
        positions = self.state.positions[np.argsort(self.state.ids)] - np.float32([0, 0, 0.1 * number])
        matter = {"a cotton": type("State", (), {"positions": positions, "velocities": 0 * positions})()}
        return type("Frame", (), {"time": float(self.times[number]), "matter": matter, "contacts": {}})()


def test_a_recording_of_cloth_is_shown_as_a_surface(tmp_path):
    with Viewer(FallingSheet(), port=0) as viewer:
        wait_for(lambda: viewer.drawn >= 1)
        viewer.source.seek(0.15)
        wait_for(lambda: viewer.theatre.shells["a cotton"].sides[0].vertices[0, 2] == pytest.approx(0.2))
    page = export_html(FallingSheet(), tmp_path / "out.html")
    assert "__VISER_EMBED_DATA__" in page.read_text(encoding="utf-8")


@pytest.mark.long
@needs_browser
def test_a_browser_shows_cloth_in_the_colours_of_its_numbers(tmp_path):
    cloth = sheet(lambda x, y: 0.1 * np.sin(6 * x))
    cloth.velocities[:, 0] = np.where(cloth.positions[:, 0] > 0, 2, 0)
    world = world_of({"wool": cloth})
    world.save, world.step = bytes, lambda: None
    with Viewer(world, port=0) as viewer, Browser(viewer.url):
        wait_for(viewer.server.get_clients, 90)
        client = next(iter(viewer.server.get_clients().values()))

        def share_of(test):
            picture = client.get_render(240, 320, transport_format="png", timeout=120).astype(int)
            return np.mean(test(*(picture[..., c] for c in range(3))))

        wait_for(lambda: share_of(lambda red, green, blue: red > 1.3 * blue + 20) > 0.03, 120)
        viewer.field.value = "speed"
        wait_for(lambda: share_of(lambda red, green, blue: (blue > 1.5 * green) & (blue > 30)) > 0.01, 120)
