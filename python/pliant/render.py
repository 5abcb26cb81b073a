"""Pictures of matter without a graphics card: particles as smoothed surfaces, a floor, obstacles, soft shadows.

Everything is numpy on whole arrays. The floor is drawn at the size of the picture; obstacles and matter are drawn finer
and averaged. Opaque things come first; then clear matter is laid over them, bending and tinting what lies behind it.
"""

from dataclasses import dataclass

import numpy as np

from pliant.light import Shadows, mirror, shine
from pliant.raster import (
    FAR,
    Camera,
    bilinear,
    blur,
    bounds,
    nearest,
    normals_of,
    smooth_depth,
    splat,
    unit,
)

FINE = 2  # pixels of matter per pixel of the picture and axis
PACKING = 0.5  # volume of matter over volume of the spheres that show it
FLOOR_COLOR = np.float32([0.30, 0.32, 0.35])
BACKDROP = np.float32([0.42, 0.49, 0.57])
FLOOR_TEXELS = 320


@dataclass(frozen=True)
class Look:
    """How a material looks. Colours are linear, 0..1."""

    color: tuple[float, float, float]
    smooth: float = 1.5  # how far the surface is levelled, in radii of a particle
    gloss: float = 0.0  # strength of highlights and of the mirror, 0..1
    grain: float = 0.0  # how much single particles stand out, 0..1
    clear: float = 0.0  # how far one sees into it, m; 0: opaque
    body: float = 0.0  # of clear matter: least share of its own colour, 0..1


@dataclass(frozen=True)
class Piece:
    """Particles that share a look. `radius` is that of one particle, m; `ids` keep the tone of each its own."""

    positions: np.ndarray
    ids: np.ndarray
    radius: float
    look: Look


@dataclass(frozen=True)
class Ball:
    """A solid sphere."""

    center: tuple[float, float, float]
    radius: float
    color: tuple[float, float, float] = (0.42, 0.44, 0.48)


@dataclass(frozen=True)
class Stage:
    """What does not move: the camera, the floor, obstacles, and whatever is shown as particles."""

    camera: Camera
    balls: tuple[Ball, ...] = ()
    still: tuple[Piece, ...] = ()
    floor: float = 0.0  # m, its height
    tile: float = 0.2  # m, edge of a floor tile
    reach: float = 1.5  # m, half the width of the ground that shadows may fall on


@dataclass
class Patch:
    """A surface at some fine pixels (flat numbers): depth (n), points, normals and colour (3, n), gloss (n)."""

    pixels: np.ndarray
    depth: np.ndarray
    points: np.ndarray
    normals: np.ndarray
    color: np.ndarray
    gloss: np.ndarray

    def where(self, mask: np.ndarray) -> "Patch":
        columns = (self.points[:, mask], self.normals[:, mask], self.color[:, mask])
        return Patch(self.pixels[mask], self.depth[mask], *columns, self.gloss[mask])


class Renderer:
    """Draws one stage again and again."""

    def __init__(self, stage: Stage):
        self.stage = stage
        self.camera = stage.camera.scaled(FINE)
        self.rays = self.camera.rays()
        self.eye = np.float32(stage.camera.eye)
        self.floor = Floor(stage)
        self.still_depth = floor_depth(self.rays, self.eye[2] - stage.floor).ravel()
        self.still = [self.ball_patch(ball) for ball in stage.balls]
        self.still += [patch for piece in stage.still if (patch := self.matter_patch(piece)) is not None]

    def draw(self, pieces: list[Piece]) -> np.ndarray:
        """The picture, (height, width, 3) uint8."""
        opaque = [piece for piece in pieces if not piece.look.clear]
        clear = [piece for piece in pieces if piece.look.clear]
        shadows = Shadows(self.stage.reach, [*self.stage.still, *opaque], clear, self.stage.balls)

        # depth test among all solid patches, then light only on what is seen
        depth = self.still_depth.copy()
        patches = self.still + [patch for piece in opaque if (patch := self.matter_patch(piece)) is not None]
        for patch in patches:
            np.minimum.at(depth, patch.pixels, patch.depth)
        picture = self.floor.draw(shadows)
        for patch in patches:
            seen = patch.where(patch.depth <= depth[patch.pixels])
            light, _ = shine(seen.points, seen.normals, seen.color, seen.gloss, shadows, self.eye)
            self.blend(picture, seen.pixels, light)

        # clear matter, the farthest first
        for piece in sorted(clear, key=lambda p: -float(np.mean(self.camera.project(p.positions)[2]))):
            self.lay_over(picture, piece, depth, shadows)
        return (255 * np.clip(picture, 0, 1) ** np.float32(1 / 2.2) + np.float32(0.5)).astype(np.uint8)

    def ball_patch(self, ball: Ball) -> Patch:
        offset = self.eye - np.float32(ball.center)
        length2 = np.sum(self.rays * self.rays, axis=0)
        half = np.tensordot(offset, self.rays, 1)
        root = half * half - length2 * (offset @ offset - np.float32(ball.radius) ** 2)
        depth = (-half - np.sqrt(np.maximum(root, 0))) / length2
        pixels = np.flatnonzero((root > 0) & (depth > 0))
        depth = depth.ravel()[pixels]
        points = self.points(pixels, depth)
        normals = unit(points - np.float32(ball.center)[:, None])
        color = np.repeat(np.float32(ball.color)[:, None], len(pixels), axis=1)
        return Patch(pixels, depth, points, normals, color, np.full(len(pixels), 0.3, np.float32))

    def points(self, pixels: np.ndarray, depth: np.ndarray) -> np.ndarray:
        return self.eye[:, None] + self.rays.reshape(3, -1)[:, pixels] * depth

    def matter_patch(self, piece: Piece) -> Patch | None:
        """The smoothed surface of some particles."""
        column, row, depth = self.camera.project(piece.positions.astype(np.float32, copy=False))
        radii = np.float32(piece.radius) * self.camera.focal / np.maximum(depth, np.float32(0.05))
        radii = np.clip(radii, np.float32(0.8), np.float32(40))
        rough, index = splat(column, row, depth, radii, piece.radius, self.rays.shape[1:])
        window = bounds(index >= 0)
        if window is None:
            return None
        rough, index, rays = rough[window], index[window], self.rays[:, *window]
        smooth, reach = rough, piece.look.smooth * float(np.median(radii))
        for _ in range(2):
            smooth = smooth_depth(smooth, reach, np.float32(4 * piece.radius))

        shown = index >= 0
        normals = self.surface_normals(smooth, rays)[:, shown]
        color = np.repeat(np.float32(piece.look.color)[:, None], normals.shape[1], axis=1)
        if piece.look.grain:
            grain = np.float32(piece.look.grain)
            normals = unit((1 - grain) * normals + grain * self.surface_normals(rough, rays)[:, shown])
            tones = np.random.default_rng(7).uniform(-1, 1, 4096).astype(np.float32)
            color *= 1 + grain * tones[np.asarray(piece.ids)[index[shown]] % 4096]
        numbers = np.arange(self.rays[0].size, dtype=np.int32).reshape(self.rays.shape[1:])[window][shown]
        depth = smooth[shown]
        gloss = np.full(len(depth), piece.look.gloss, np.float32)
        return Patch(numbers, depth, self.points(numbers, depth), normals, color, gloss)

    def surface_normals(self, depth: np.ndarray, rays: np.ndarray) -> np.ndarray:
        return normals_of(rays * np.minimum(depth, np.float32(1e3)), depth)

    def blend(self, picture: np.ndarray, pixels: np.ndarray, light: np.ndarray) -> None:
        """Puts light of fine pixels into the picture; what they do not cover of a pixel stays as it was."""
        height, width = picture.shape[:2]
        coarse = (pixels // self.camera.width // FINE) * width + pixels % self.camera.width // FINE
        covered = np.bincount(coarse, minlength=height * width).reshape(height, width) / FINE**2
        picture *= (1 - covered[..., None]).astype(np.float32)
        for channel in range(3):
            # a highlight may not outshine the edge that it sits on
            total = np.bincount(coarse, np.minimum(light[channel], 1.2), height * width) / FINE**2
            picture[..., channel] += total.reshape(height, width).astype(np.float32)

    def thickness(self, piece: Piece, behind: np.ndarray) -> np.ndarray:
        """How much of the piece, in m, each fine pixel looks through before what is behind; as a coarse image."""
        step = 2 * FINE
        height, width = self.camera.height // step, self.camera.width // step
        column, row, depth = self.camera.project(piece.positions.astype(np.float32, copy=False))
        inside = (depth > 0) & (column >= 0) & (column < width * step) & (row >= 0) & (row < height * step)
        limit = nearest(behind.reshape(self.rays.shape[1:]), column, row) + np.float32(2 * piece.radius)
        inside &= depth < limit
        # volume of a particle over the area that a coarse pixel shows at its depth
        volume = PACKING * (4 / 3) * np.pi * piece.radius**3
        amount = volume / (step * depth[inside] / self.camera.focal) ** 2
        cell = (row[inside] / step).astype(np.int32) * width + (column[inside] / step).astype(np.int32)
        total = np.bincount(cell, amount, height * width).reshape(height, width).astype(np.float32)
        return blur(blur(total, 2), 1)

    def lay_over(self, picture: np.ndarray, piece: Piece, depth: np.ndarray, shadows: Shadows) -> None:
        """Clear matter: what is behind is bent and tinted, the surface mirrors the sky."""
        patch = self.matter_patch(piece)
        if patch is None:
            return
        patch = patch.where(patch.depth < depth[patch.pixels])
        row, column = np.divmod(patch.pixels, self.camera.width)
        deep = bilinear(self.thickness(piece, depth), column / np.float32(2 * FINE), row / np.float32(2 * FINE))
        deep = np.maximum(deep, np.float32(piece.radius))

        # bend: look at the background a little to the side that the normal leans to
        side = self.camera.axes[:2] @ patch.normals
        bend = np.minimum(deep, np.float32(0.08)) * np.float32(0.5) * self.camera.focal / patch.depth
        behind = nearest(picture, (column - bend * side[0]) / FINE, (row - bend * side[1]) / FINE).T

        # tint: colours that are not the matter's own are lost on the way, and light from inside is added
        color = np.float32(piece.look.color)[:, None]
        lost = deep / np.float32(piece.look.clear)
        milk = 1 - np.float32(1 - piece.look.body) * np.exp(np.float32(-0.7) * lost)
        # light inside has lost its way: it comes from above rather than along the normal
        spread = unit(patch.normals + np.float32([[0], [0], [0.8 - 0.8 * piece.look.body]]))
        body, sun = shine(patch.points, spread, patch.color, np.zeros_like(deep), shadows, self.eye)
        inside = behind * np.exp(-lost * (1 - color)) * (1 - milk) + body * milk
        mirrored, share, spot = mirror(patch.points, patch.normals, patch.gloss, self.eye)
        light = (1 - share) * inside + share * mirrored + spot * sun
        self.blend(picture, patch.pixels, light)
        np.minimum.at(depth, patch.pixels, patch.depth)


def floor_depth(rays: np.ndarray, height: float) -> np.ndarray:
    down = np.minimum(rays[2], np.float32(-1e-5))
    return np.where(rays[2] < -1e-5, -height / down, FAR).astype(np.float32)


class Floor:
    """A tiled floor that fades into the backdrop. Its light is found on the floor, not on the screen."""

    def __init__(self, stage: Stage):
        camera = stage.camera
        rays, eye = camera.rays(), np.float32(camera.eye)
        depth = np.minimum(floor_depth(rays, eye[2] - stage.floor), np.float32(1e3))
        x, y, _ = eye[:, None, None] + rays * depth

        # thin lines, no thinner than a pixel
        pixel = depth / camera.focal
        line = np.zeros_like(depth)
        for place, wide in ((x, pixel), (y, pixel / np.maximum(-rays[2], np.float32(1e-3)))):
            off = np.abs(np.mod(place / np.float32(stage.tile) + 0.5, 1) - 0.5) * np.float32(stage.tile)
            half = np.maximum(np.float32(0.6) * wide, np.float32(0.0012))
            line = np.maximum(line, np.clip(1.5 - off / half, 0, 1) * np.minimum(1, np.float32(0.0016) / half))
        color = FLOOR_COLOR * (1 + 0.5 * line[..., None])

        away = np.hypot(x - camera.target[0], y - camera.target[1])
        share = np.clip((away - 0.8 * stage.reach) / (2.2 * stage.reach), 0, 1)
        share = (share * share * (3 - 2 * share))[..., None]
        self.color = (color * (1 - share)).astype(np.float32)
        self.backdrop = (BACKDROP * share).astype(np.float32)
        scale = np.float32(FLOOR_TEXELS / (2 * stage.reach))
        self.column, self.row = (x + stage.reach) * scale, (y + stage.reach) * scale
        self.eye = eye
        ticks = (np.arange(FLOOR_TEXELS, dtype=np.float32) + 0.5) / scale - stage.reach
        columns, rows = np.meshgrid(ticks, ticks)
        self.points = np.stack([columns.ravel(), rows.ravel(), np.full(FLOOR_TEXELS**2, stage.floor)]).astype(
            np.float32
        )

    def draw(self, shadows: Shadows) -> np.ndarray:
        """The floor with the light and shadows of now."""
        normals = np.zeros_like(self.points)
        normals[2] = 1
        count = self.points.shape[1]
        white, matt = np.ones((3, 1), np.float32), np.zeros(count, np.float32)
        light, _ = shine(self.points, normals, white, matt, shadows, self.eye)
        picture = self.backdrop.copy()
        for channel in range(3):
            image = light[channel].reshape(FLOOR_TEXELS, FLOOR_TEXELS)
            picture[..., channel] += self.color[..., channel] * bilinear(image, self.column, self.row)
        return picture
