"""The light half of the renderer: a sun with soft shadows, a sky, and matter that keeps the sky from its neighbours.

Places and directions are planar arrays (3, n).
"""

import numpy as np

from pliant.raster import FAR, blur, dot, nearest, splat, unit

SUN = unit(np.float32([-0.52, -0.30, 0.80]))  # towards the light
SUN_COLOR = np.float32([1.25, 1.17, 1.02])
SKY_COLOR = np.float32([0.38, 0.44, 0.52])
GROUND_COLOR = np.float32([0.20, 0.19, 0.18])

MAP_SIZE = 512  # pixels of a shadow map
CLEAR_SHADE = np.float32(0.4)  # part of the sun that clear matter takes away
SOFTNESS = 0.016  # m, radius over which the edge of a shadow is spread
TAPS = 8  # how often a shadow is asked for within that radius
BIAS = np.float32(0.02)  # m: nearer to a surface than this is the surface itself
AIR_CELL = 0.03  # m, cells of the grid that tells how crowded a place is


class Shadows:
    """Who stands between a place and the sun, and how much of the sky it sees."""

    def __init__(self, reach, opaque, clear, balls):
        self.reach = np.float32(reach)
        side = unit(np.cross(SUN, (0, 0, 1)).astype(np.float32))
        self.axes = np.array([side, np.cross(SUN, side)], np.float32)
        self.scale = np.float32(MAP_SIZE / (2 * reach))
        self.balls = balls
        self.solid = self.depth_map(opaque)
        self.add_balls()
        self.glass = self.depth_map(clear)
        self.crowd(opaque + clear)

    def to_map(self, points):
        return (self.axes @ points + self.reach) * self.scale

    def below_sun(self, points):
        return 4 * self.reach - SUN @ points

    def depth_map(self, pieces):
        """Distance below the sun of what the sun sees first."""
        front = np.full((MAP_SIZE, MAP_SIZE), FAR, np.float32)
        for piece in pieces:
            points = piece.positions.T.astype(np.float32, copy=False)
            radii = np.full(len(piece.positions), piece.radius * self.scale + 0.5, np.float32)
            column, row = self.to_map(points)
            seen, _ = splat(column, row, self.below_sun(points), radii, piece.radius, front.shape)
            front = np.minimum(front, seen)
        return front

    def add_balls(self):
        rows = (np.arange(MAP_SIZE, dtype=np.float32) + 0.5) / self.scale - self.reach
        for ball in self.balls:
            center = np.float32(ball.center)
            x, y = self.axes @ center
            height2 = np.float32(ball.radius) ** 2 - (rows - x) ** 2 - (rows[:, None] - y) ** 2
            front = self.below_sun(center) - np.sqrt(np.maximum(height2, 0))
            self.solid = np.where(height2 > 0, np.minimum(self.solid, front), self.solid)

    def crowd(self, pieces):
        """A coarse picture of where matter is, 0..1, blurred."""
        across, high = int(np.ceil(2 * self.reach / AIR_CELL)), int(np.ceil(self.reach / AIR_CELL))
        self.shape = (across, across, high)
        total = np.zeros(across * across * high)
        for piece in pieces:
            i, j, k = np.floor(self.to_air(piece.positions.T)).astype(np.int32)
            inside = (i >= 0) & (i < across) & (j >= 0) & (j < across) & (k >= 0) & (k < high)
            flat = ((i * across + j) * high + k)[inside]
            volume = 0.5 * (4 / 3) * np.pi * piece.radius**3 / AIR_CELL**3
            total += volume * np.bincount(flat, minlength=total.size)
        self.air = blur(np.minimum(total, 1).reshape(self.shape).astype(np.float32), 1, (0, 1, 2)).ravel()

    def to_air(self, points):
        shift = np.float32([[self.reach], [self.reach], [3 * AIR_CELL]])
        return (points + shift) / np.float32(AIR_CELL)

    def sunlight(self, points):
        """0 in full shadow .. 1, the mean over a small disc."""
        column, row = self.to_map(points)
        limit = self.below_sun(points) - BIAS
        light = np.zeros(points.shape[1], np.float32)
        for i in range(TAPS):
            angle, radius = 2.399963 * i, SOFTNESS * self.scale * np.sqrt((i + 0.5) / TAPS)
            x, y = column + np.float32(radius * np.cos(angle)), row + np.float32(radius * np.sin(angle))
            light += (nearest(self.solid, x, y) >= limit) * (1 - CLEAR_SHADE * (nearest(self.glass, x, y) < limit))
        return light / TAPS

    def skylight(self, points, normals):
        """0 .. 1: what neighbours leave of the sky."""
        covered = np.zeros(points.shape[1], np.float32)
        for away, weight in ((1.2, 0.6), (2.6, 0.5)):
            covered += np.float32(weight) * self.crowding(points + np.float32(away * AIR_CELL) * normals)
        for ball in self.balls:
            to_ball = np.float32(ball.center)[:, None] - points
            distance2 = dot(to_ball, to_ball) + np.float32(1e-9)
            facing = np.maximum(dot(to_ball, normals), 0) / np.sqrt(distance2)
            covered += facing * np.minimum(1, np.float32(ball.radius) ** 2 / distance2)
        return 1 - np.float32(0.8) * np.minimum(covered, 1)

    def crowding(self, points):
        """The coarse picture between its cells."""
        _, across, high = self.shape
        top = np.float32(self.shape)[:, None] - np.float32(1.001)
        place = np.clip(self.to_air(points) - np.float32(0.5), 0, top)
        cell = place.astype(np.int32)
        (x, y, z), (i, j, k) = place - cell, cell
        flat = (i * across + j) * high + k
        total = np.zeros(points.shape[1], np.float32)
        for di, wx in ((0, 1 - x), (across * high, x)):
            for dj, wy in ((0, 1 - y), (high, y)):
                corner = flat + (di + dj)
                total += wx * wy * (self.air[corner] * (1 - z) + self.air[corner + 1] * z)
        return total


def shine(points, normals, color, gloss, shadows, eye):
    """Light (3, n) that leaves a surface towards the eye, and the sun that it gets (n), 0..1."""
    sun, sky = shadows.sunlight(points), shadows.skylight(points, normals)
    facing = np.maximum(SUN @ normals, 0) * sun
    up = np.float32(0.5) + np.float32(0.5) * normals[2]
    ambient = (up * SKY_COLOR[:, None] + (1 - up) * GROUND_COLOR[:, None]) * sky
    light = color * (facing * SUN_COLOR[:, None] + ambient)
    if np.any(gloss):
        half = unit(SUN[:, None] + unit(np.float32(eye)[:, None] - points))
        highlight = np.maximum(dot(normals, half), 0) ** 40 * (np.float32(0.7) * gloss * sun)
        light += highlight * SUN_COLOR[:, None]
    return light, sun


def mirror(points, normals, gloss, eye):
    """What a clear surface mirrors of the sky (3, n), its share (n) by Schlick's rule, and of the sun (3, n)."""
    view = unit(np.float32(eye)[:, None] - points)
    cosine = np.clip(dot(view, normals), 0, 1)
    share = (np.float32(0.02) + np.float32(0.98) * (1 - cosine) ** 5) * gloss
    mirrored = 2 * cosine * normals - view
    sky = np.clip(np.float32(0.4) + mirrored[2], 0, 1)
    light = (1 - sky) * GROUND_COLOR[:, None] + sky * np.float32([[0.80], [0.88], [1.0]])
    spot = np.maximum(SUN @ mirrored, 0) ** 90
    return light, share, spot * gloss * SUN_COLOR[:, None]
