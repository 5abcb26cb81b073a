"""Pictures of soft robots, coloured by what their actuators do, and curves of losses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from PIL import Image, ImageDraw

from pliant.film import Film, write_strip
from pliant.reproduce_figures import axes_of, save

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pliant._core import World
    from pliant.framing import Pose

    Picture = NDArray[np.uint8]

PASSIVE, REST = (0.62, 0.66, 0.72), (0.93, 0.87, 0.74)
PULLS, PUSHES = (0.86, 0.24, 0.16), (0.16, 0.40, 0.82)
GOAL = (0.20, 0.62, 0.30)
SKY, SHADOW, TILES = (222, 232, 242), (160, 158, 154), ((206, 204, 198), (192, 190, 184))
PAPER, GROUND = (250, 250, 248), (214, 208, 198)
FINER = 2  # pictures in the plane are drawn larger, then made smaller


def color_of(value: float) -> NDArray[np.float64]:
    """Of an actuator: red pulls, blue pushes."""
    to, share = (PULLS if value > 0 else PUSHES), min(1.0, abs(value))
    return (1 - share) * np.array(REST) + share * np.array(to)


def colors_of(world: World, values: dict[str, float]) -> dict[str, NDArray[np.float64]]:
    """By piece of matter."""
    colors = {name: np.array(PASSIVE) for name in world.matter}
    for actuator in world.scene.actuators:
        colors[actuator.matter] = color_of(values.get(actuator.name, 0.0))
    return colors


def shade(share: NDArray[np.float64]) -> NDArray[np.float64]:
    """(n, 3): dark to light as 0 to 1, as S5 draws soft and stiff."""
    dark, light = np.array((0.28, 0.20, 0.36)), np.array((0.98, 0.90, 0.62))
    return dark + np.clip(share, 0, 1)[:, None] * (light - dark)


class FlatArtist:
    """Draws worlds in the plane. low, high: corners of what is to be seen, m."""

    def __init__(self, low: Sequence[float], high: Sequence[float], width: int = 640) -> None:
        self.low, self.high = np.asarray(low, float), np.asarray(high, float)
        self.scale = FINER * width / (self.high - self.low)[0]
        # colours (n, 3) of particles by id, of pieces whose colour is not that of their actuator
        self.shades: dict[str, NDArray[np.float64]] = {}
        self.size = (width, 2 * round((self.high - self.low)[1] * self.scale / FINER / 2))

    def to_pixels(self, places: NDArray[Any]) -> NDArray[np.float64]:
        at = (np.asarray(places, float) - self.low) * self.scale
        at[..., 1] = self.size[1] * FINER - at[..., 1]
        return at

    def paint(self, world: World, values: dict[str, float], goal: Sequence[float] | None = None) -> Picture:
        page = Image.new("RGB", (self.size[0] * FINER, self.size[1] * FINER), PAPER)
        pen = ImageDraw.Draw(page)
        for wall in world.scene.boundaries:
            if wall.kind == "plane":
                top = self.to_pixels(np.array([0.0, wall.center[1]]))[1]
                pen.rectangle((0, top, *page.size), fill=GROUND)
        for name, color in colors_of(world, values).items():
            state = world.matter[name]
            reach = 0.74 * self.scale * float(np.sqrt(np.median(state.volumes)))
            own = self.shades.get(name)
            for number, (x, y) in zip(state.ids, self.to_pixels(state.positions), strict=True):
                fill = color if own is None else own[int(number) - int(state.ids.min())]
                box = (x - reach, y - reach, x + reach, y + reach)
                pen.ellipse(box, fill=tuple(int(255 * c) for c in fill))
        if goal is not None:
            x, y = self.to_pixels(np.asarray(goal))
            r = 0.012 * page.size[0]
            pen.ellipse((x - r, y - r, x + r, y + r), outline=tuple(int(255 * c) for c in GOAL), width=4 * FINER)
        return np.asarray(page.resize(self.size, Image.Resampling.LANCZOS))


class SpaceArtist:
    """Draws worlds in space as balls, from the far ones to the near ones. tile: m, of the ground's pattern."""

    def __init__(self, pose: Pose, size: tuple[int, int] = (640, 480), tile: float = 0.1) -> None:
        self.pose, self.size, self.tile = pose, size, tile
        forward = np.subtract(pose.target, pose.eye)
        forward = forward / np.linalg.norm(forward)
        right = np.cross(forward, (0.0, 0.0, 1.0))
        right /= np.linalg.norm(right)
        self.axes = np.array([right, -np.cross(right, forward), forward])
        self.focal = 0.5 * size[1] / np.tan(np.radians(pose.field_of_view / 2))
        self.balls: dict[tuple[int, tuple[int, ...]], Any] = {}

    def to_pixels(self, places: NDArray[Any]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Where they are seen, and how far away."""
        seen = (np.asarray(places, float) - self.pose.eye) @ self.axes.T
        depth = np.maximum(seen[..., 2], 1e-3)
        return self.focal * seen[..., :2] / depth[..., None] + np.array(self.size) / 2, depth

    def ball(self, radius: int, color: tuple[int, ...]) -> Any:
        """A shaded one, with its edge made smooth."""
        if (radius, color) not in self.balls:
            axis = (np.arange(2 * radius + 3) - radius - 1) / (radius + 0.5)
            x, y = np.meshgrid(axis, axis)
            inside = x**2 + y**2
            light = 0.55 * np.sqrt(np.clip(1 - inside, 0, 1)) - 0.28 * x - 0.38 * y
            shaded = np.array(color) * (0.55 + 0.62 * np.clip(light, 0, 1))[..., None]
            alpha = np.clip((1 - np.sqrt(inside)) * (radius + 0.5) + 0.5, 0, 1)
            pixels = np.dstack([np.clip(shaded, 0, 255), 255 * alpha]).astype(np.uint8)
            self.balls[radius, color] = Image.fromarray(pixels, "RGBA")
        return self.balls[radius, color]

    def paint(self, world: World, values: dict[str, float], goal: Sequence[float] | None = None) -> Picture:
        page = Image.new("RGB", self.size, SKY)
        for wall in world.scene.boundaries:
            if wall.kind == "plane" and wall.normal[2] > 0:
                pen = ImageDraw.Draw(page)
                self.draw_ground(pen, wall.center[2])
                self.draw_shadows(pen, world, wall.center[2])
        rows = []
        for name, color in colors_of(world, values).items():
            state = world.matter[name]
            rows.append((state.positions, 0.55 * float(np.cbrt(np.median(state.volumes))), color))
        if goal is not None:
            rows.append((np.array([goal]), 0.03, np.array(GOAL)))
        balls = []
        for places, radius, color in rows:
            pixels, depth = self.to_pixels(places)
            reach = np.maximum(1, np.round(radius * self.focal / depth)).astype(int)
            tone = tuple(int(255 * c) for c in color)
            balls += [(d, x, y, r, tone) for d, (x, y), r in zip(depth, pixels, reach, strict=True)]
        for _, x, y, r, tone in sorted(balls, reverse=True):
            ball = self.ball(int(r), tone)
            page.paste(ball, (round(x) - r - 1, round(y) - r - 1), ball)
        return np.asarray(page)

    def draw_shadows(self, pen: ImageDraw.ImageDraw, world: World, height: float) -> None:
        """Of light from above."""
        for name in world.matter:
            state = world.matter[name]
            places = np.array(state.positions, float)
            places[:, 2] = height
            pixels, depth = self.to_pixels(places)
            for (x, y), r in zip(pixels, 0.7 * np.cbrt(state.volumes) * self.focal / depth, strict=True):
                pen.ellipse((x - r, y - 0.5 * r, x + r, y + 0.5 * r), fill=SHADOW)

    def draw_ground(self, pen: ImageDraw.ImageDraw, height: float) -> None:
        middle = np.round(np.array(self.pose.target[:2]) / self.tile)
        for i in range(-14, 15):
            for j in range(-14, 15):
                corners = (middle + [[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]]) * self.tile
                places = np.column_stack([corners, np.full(4, height)])
                if ((places - self.pose.eye) @ self.axes[2]).min() > 0.2 * self.tile:
                    tone = TILES[int(middle.sum() + i + j) % 2]
                    pen.polygon([tuple(p) for p in self.to_pixels(places)[0]], fill=tone)


def film_run(
    world: World,
    act: Callable[[int], dict[str, float]],
    steps: int,
    artist: Any,
    path: Path,
    goal: Sequence[float] | None = None,
    slower: float = 1.0,
) -> None:
    """PATH.mp4 of a run from the start, and PATH.png with six moments of it. act: sets actuators, and tells their
    values."""
    dt = float(world.scene.step.dt)
    every = max(1, round(1 / (30 * slower * dt)))
    kept = sorted({round(k) // every * every for k in np.linspace(0, steps - 1, 6)})
    stills, labels = [], []
    world.reset()
    with Film(path.with_suffix(".mp4"), *artist.size, per_second=max(1, round(1 / (every * dt * slower)))) as film:
        for k in range(steps):
            values = act(k)
            if k % every == 0:
                picture = artist.paint(world, values, goal)
                film.add(picture)
                if k in kept:
                    stills.append(picture)
                    labels.append(f"{k * dt:.2f} s")
            world.step()
    write_strip(path.with_suffix(".png"), stills, labels)


def plot_losses(path: Path, curves: dict[str, Sequence[float]], title: str, log: bool = True) -> None:
    """One line for each run of a descent."""
    figure, axes = axes_of("simulations", "loss")
    for label, losses in curves.items():
        axes.plot(np.arange(1, len(losses) + 1), losses, label=label, lw=1.2)
    if log:
        axes.set_yscale("log")
    axes.set_title(title)
    save(path, figure, axes)
