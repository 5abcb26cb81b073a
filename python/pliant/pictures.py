"""Stills and films of recordings and worlds, by MuJoCo's renderer with matter in the scene."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from pliant.cameras import check_size
from pliant.canvas import Canvas, Look
from pliant.colors import draw_legend
from pliant.errors import BadInputError
from pliant.film import Film, write_picture
from pliant.framing import Pose
from pliant.replay import Replay
from pliant.snapshot import take

PER_SECOND = 30  # pictures of a film


class Painter:
    """Draws moments of one world or recording, one after the other. Use it in a `with` block."""

    def __init__(self, source: Any, size: tuple[int, int] = (640, 480), particles: int = 0, look: Look | None = None):
        check_size(*size)
        self.look = (look or Look()).check()
        self.canvas = Canvas(getattr(source, "model", None), *size, particles)

    def paint(self, moment: Any) -> np.ndarray:
        """(height, width, 3) uint8."""
        scale = self.canvas.compose(take(moment), moment.scene, getattr(moment, "data", None), self.look)
        picture = self.canvas.draw()[0]
        return picture if scale is None else draw_legend(picture, scale)

    def __enter__(self) -> "Painter":
        return self

    def __exit__(self, *_: object) -> None:
        self.canvas.close()


def paint(world: Any, size: tuple[int, int] = (640, 480), look: Look | None = None) -> np.ndarray:
    """One picture of a world as it is now, (height, width, 3) uint8."""
    count = sum(len(world.matter[m.name].positions) for m in world.scene.matter)
    with Painter(world, size, count, look) as painter:
        return painter.paint(world)


def film_camera(model: Any) -> str | None:
    """The camera that a scene has set up for its films: one of its bodies calls it "film"."""
    if model is None:
        return None
    names = (model.camera(i).name for i in range(model.ncam))
    return next((name for name in names if name == "film" or name.endswith("/film")), None)


def settled(replay: Replay, look: Look, size: tuple[int, int]) -> Look:
    """The look with one camera and one scale for the whole recording."""
    camera = look.camera or film_camera(replay.model) or replay.stage().pose(size[0] / size[1])
    return replace(look, camera=camera, scale=look.scale or replay.scale(look.field))


def film_frames(times: np.ndarray, per_second: int = PER_SECOND) -> list[int]:
    """Numbers of the moments to show so that the film runs in real time."""
    count = max(1, int(np.floor((times[-1] - times[0]) * per_second + 1e-9)) + 1)
    wanted = times[0] + np.arange(count) / per_second
    after = np.clip(np.searchsorted(times, wanted), 0, len(times) - 1)
    before = np.maximum(after - 1, 0)
    nearer = np.where(np.abs(times[before] - wanted) <= np.abs(times[after] - wanted), before, after)
    return [int(i) for i in nearer]


def render_recording(
    recording: Any,
    film: str | os.PathLike[str] | None = None,
    still: str | os.PathLike[str] | None = None,
    at: float | None = None,
    size: tuple[int, int] = (640, 480),
    camera: Pose | str | None = None,
    field: str = "material",
    arrows: bool = False,
    balls: bool = False,
    progress: bool = True,
) -> list[Path]:
    """Writes a film (.mp4, in real time) or a still (.png, at a time in s; None: the end), or both."""
    if film is None and still is None:
        raise BadInputError("nothing to render; give a film, a still or both")
    if film is not None and (size[0] % 2 or size[1] % 2):
        raise BadInputError(f"a film of {size[0]} x {size[1]} pixels; both must be even")
    check_size(*size)
    replay = Replay(recording)
    look = settled(replay, Look(camera, field, arrows=arrows, balls=balls).check(), size)
    written = []
    with Painter(replay, size, replay.particle_count, look) as painter:
        if still is not None:
            number = len(replay) - 1 if at is None else replay.nearest(at)
            write_picture(Path(still), painter.paint(replay.moment(number)))
            written.append(Path(still))
        if film is not None:
            write_film(Path(film), painter, replay, progress)
            written.append(Path(film))
    return written


def write_film(path: Path, painter: Painter, replay: Replay, progress: bool, per_second: int = PER_SECOND) -> None:
    canvas = painter.canvas
    drawn, picture = -1, None
    numbers = film_frames(replay.times, per_second)
    with Film(path, canvas.width, canvas.height, per_second) as film:
        for number in tqdm(numbers, desc=path.name, unit="picture", disable=not progress):
            if number != drawn:
                drawn, picture = number, painter.paint(replay.moment(number))
            film.add(picture)
