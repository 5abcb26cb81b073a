"""The renderer: spheres where they belong, hidden ones hidden, shadows where light is kept away."""

import numpy as np
import pytest

from pliant.light import SUN
from pliant.raster import FAR, Camera, blur, bounds, smooth_depth, splat
from pliant.render import Ball, Look, Piece, Renderer, Stage

CAMERA = Camera((0, -2, 1), (0, 0, 0), 30, 160, 120)
RED, GREEN = Look((0.9, 0.02, 0.02)), Look((0.02, 0.9, 0.02))


def cube(center, side=0.2, count=14):
    ticks = (np.arange(count) + 0.5) / count - 0.5
    grid = np.stack(np.meshgrid(ticks, ticks, ticks), axis=-1).reshape(-1, 3)
    return (side * grid + center).astype(np.float32)


def piece(center, look, side=0.2):
    positions = cube(center, side)
    return Piece(positions, np.arange(len(positions)), 0.6 * side / 14, look)


def test_the_target_is_in_the_middle():
    column, row, depth = CAMERA.project(np.zeros((1, 3), np.float32))
    assert (column[0], row[0]) == pytest.approx((80, 60), abs=1e-3)
    assert depth[0] == pytest.approx(np.sqrt(5), rel=1e-6)


def test_rays_go_where_points_come_from():
    points = np.random.default_rng(1).uniform(-0.3, 0.3, (50, 3)).astype(np.float32)
    column, row, depth = CAMERA.project(points)
    rays = CAMERA.rays()
    x, y = column.astype(int), row.astype(int)
    hit = np.float32(CAMERA.eye) + (rays[:, y, x] * depth).T
    # a ray goes through the middle of its pixel: at most half a pixel off on each axis
    pixel = depth.max() / CAMERA.focal
    assert np.abs(hit - points).max() < 1.01 * pixel


def test_the_nearest_sphere_is_seen():
    column, row = np.full(3, 10.0, np.float32), np.full(3, 10.0, np.float32)
    depth, radius = np.float32([3, 1, 2]), np.full(3, 4, np.float32)
    front, index = splat(column, row, depth, radius, 0.5, (20, 20))
    assert index[10, 10] == 1
    # the middle of pixel (10, 10) is half a pixel off on both axes
    assert front[10, 10] == pytest.approx(1 - 0.5 * np.sqrt(1 - 0.5 / 16), abs=1e-5)
    assert index[0, 0] == -1
    assert front[0, 0] == FAR
    # a disc of radius 4 has 16 pi pixels, up to its rim
    assert abs((index >= 0).sum() - 16 * np.pi) < 8


def test_spheres_outside_the_picture_are_left_out():
    column, row = np.float32([-50, 10, 500]), np.float32([10, -50, 10])
    _, index = splat(column, row, np.ones(3, np.float32), np.full(3, 3, np.float32), 0.1, (20, 20))
    assert np.all(index == -1)


def test_blur_keeps_the_mean_and_smoothing_keeps_edges():
    image = np.zeros((30, 30), np.float32)
    image[15, 15] = 1
    soft = blur(image, 2)
    assert soft.sum() == pytest.approx(1, rel=1e-5)
    assert soft.max() == pytest.approx(1 / 25, rel=1e-5)
    cliff = np.where(np.arange(30) < 15, 1, 5).astype(np.float32) * np.ones((30, 1), np.float32)
    np.testing.assert_array_equal(smooth_depth(cliff, 4, np.float32(0.5)), cliff)


def test_bounds():
    mask = np.zeros((20, 30), bool)
    assert bounds(mask) is None
    mask[8, 12] = True
    assert bounds(mask, 2) == (slice(6, 11), slice(10, 15))


def share(picture, channel):
    """Part of the picture where one colour rules."""
    rest = [c for c in range(3) if c != channel]
    return np.mean(picture[..., channel] > 1.5 * picture[..., rest].max(axis=-1).astype(float))


def test_colours_and_hiding():
    renderer = Renderer(Stage(CAMERA, floor=-0.2))
    alone = renderer.draw([piece((0, 0.4, 0), GREEN)])
    assert alone.shape == (120, 160, 3)
    assert alone.dtype == np.uint8
    assert share(alone, 1) > 0.01
    hidden = renderer.draw([piece((0, 0.4, 0), GREEN, 0.1), piece((0, 0, 0.1), RED, 0.5)])
    assert share(hidden, 1) == 0
    assert share(hidden, 0) > 0.1


def test_a_ball_hides_what_is_behind_it():
    stage = Stage(CAMERA, (Ball((0, 0, 0.1), 0.3),), floor=-0.2)
    assert share(Renderer(stage).draw([piece((0, 0.6, 0), GREEN, 0.1)]), 1) == 0


def test_matter_casts_a_shadow():
    renderer = Renderer(Stage(CAMERA, floor=0.0))
    empty, full = renderer.draw([]), renderer.draw([piece((0, 0, 0.5), RED, 0.15)])
    # from the middle of the piece away from the sun, down to the floor
    column, row, _ = CAMERA.project(np.float32([[0, 0, 0.5]]) - SUN * (0.5 / SUN[2]))
    lit, dark = (int(p[int(row[0]), int(column[0])].sum()) for p in (empty, full))
    assert dark < 0.8 * lit


def test_clear_matter_lets_the_floor_through():
    def middle(look):
        picture = Renderer(Stage(CAMERA)).draw([piece((0, 0, 0.1), look)])
        column, row, _ = CAMERA.project(np.float32([[0, -0.1, 0.1]]))
        return picture[int(row[0]), int(column[0])].astype(float)

    opaque, clear = middle(RED), middle(Look(RED.color, clear=0.5))
    # behind thin red glass the grey floor still shows green and blue
    assert clear[1] > 1.5 * opaque[1]
