"""Stills of the scenes, as small pictures for the README."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image

from pliant._core import World
from pliant.canvas import Look
from pliant.errors import BadInputError
from pliant.library import load, scene_names
from pliant.pictures import film_camera, paint
from pliant.results import with_block
from pliant.runner import Progress

# s, when a scene is worth a picture; others: after 60 % of their length
MOMENTS = {
    "arm_stirs_sand": 2.2,
    "ball_on_slope": 0.5,
    "dough_rolling": 3.2,
    "dough_tearing": 4.2,
    "four_materials": 0.5,
    "incline": 2.2,
    "laundry": 4.6,
    "pick_cube": 3.0,
    "sand_scoop": 3.6,
    "shake": 1.31,
    "shirt_folding": 8.3,
    "squeeze": 2.0,
    "water_pouring": 6.8,
}
SIZE = (640, 480)
QUALITY = 85  # of JPEG: 30 to 60 KB
COLUMNS = 3


def moment_of(name: str, duration: float) -> float:
    return MOMENTS.get(name, 0.6 * duration)


def make_gallery(folder: Path, only: Sequence[str] = (), threads: int = 0, bar: bool | None = None) -> list[Path]:
    """Runs scenes to their moments; leaves folder/NAME.jpg."""
    names = scene_names()
    strange = [name for name in only if name not in names]
    if strange:
        raise BadInputError(f"no scene '{strange[0]}'; choose one of {', '.join(names)}")
    folder.mkdir(parents=True, exist_ok=True)
    return [take_picture(name, folder / f"{name}.jpg", threads, bar) for name in only or names]


def take_picture(name: str, path: Path, threads: int, bar: bool | None) -> Path:
    scene = load(name)
    world = World(scene, threads)
    steps = round(moment_of(name, scene.duration) / scene.step.dt)
    progress = Progress(world, name, steps, bar)
    for _ in range(steps):
        progress.add(world.step(), scene.step.dt)
    progress.close()
    write_jpeg(path, paint(world, SIZE, Look(film_camera(getattr(world, "model", None)))))
    return path


def write_jpeg(path: Path, picture: np.ndarray) -> None:
    Image.fromarray(picture).save(path, quality=QUALITY, optimize=True, progressive=True)


def hang(readme: Path, folder: Path) -> None:
    """Puts all pictures of the folder into the block of a Markdown file that belongs to the gallery."""
    place = folder.resolve().relative_to(readme.resolve().parent).as_posix()
    names = [name for name in scene_names() if (folder / f"{name}.jpg").exists()]
    readme.write_text(with_block(readme.read_text(), "pliant gallery", as_table(names, place)))


def as_table(names: Sequence[str], place: str) -> str:
    lines = []
    for start in range(0, len(names), COLUMNS):
        row = names[start : start + COLUMNS]
        empty = [""] * (COLUMNS - len(row))
        lines.append([*(f"![{name.replace('_', ' ')}]({place}/{name}.jpg)" for name in row), *empty])
        lines.append([*(f"`{name}`" for name in row), *empty])
    # the line below the first one makes it a table
    lines.insert(1, ["---"] * COLUMNS)
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
