"""Runs a scene with a progress bar and leaves a picture strip and a film."""

import itertools
import time
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from tqdm import tqdm

from pliant._core import Scene, World
from pliant.film import Film, write_strip
from pliant.geoms import sinks_in
from pliant.raster import Camera
from pliant.render import Ball, Look, Piece, Renderer, Stage

LOOKS = {
    "jelly": Look((0.78, 0.04, 0.10), smooth=2, gloss=0.9, clear=0.05, body=0.6),
    "sand": Look((0.64, 0.43, 0.20), smooth=1, grain=0.4),
    "water": Look((0.08, 0.40, 0.72), smooth=2.5, gloss=1.0, clear=0.08, body=0.15),
    "dough": Look((0.70, 0.56, 0.38), smooth=2.5, gloss=0.04),
}
FRAME = Look((0.10, 0.11, 0.13), smooth=0, gloss=0.3)
PLAIN = Look((0.55, 0.55, 0.60), gloss=0.1)
BAR = "{percentage:3.0f}% |{bar}| {desc} [{elapsed}<{remaining}]"


@dataclass(frozen=True)
class Shoot:
    """How to film."""

    duration: float = 1.8  # s, simulated
    rate: int = 60  # pictures per simulated second
    slow_motion: int = 2  # how much longer the film takes
    stills: int = 6  # pictures of the strip
    width: int = 640
    height: int = 480

    @property
    def steps(self) -> int:
        return max(1, round(self.duration * self.rate))

    @property
    def still_steps(self) -> set[int]:
        """Steps after which a still is kept: the first, the last, and evenly between."""
        return {round(i * self.steps / max(1, self.stills - 1)) for i in range(self.stills)}


def stage_of(scene: Scene, shoot: Shoot) -> Stage:
    """Floor and balls, as far out as matter comes."""
    balls = [Ball(b.center, b.radius - sinks_in(scene, b)) for b in scene.boundaries if b.kind == "sphere"]
    floor = -min((sinks_in(scene, b) for b in scene.boundaries), default=0.0)
    camera = Camera((0.62, -2.45, 1.32), (0.0, -0.03, 0.14), 23, shoot.width, shoot.height)
    return Stage(camera, tuple(balls), tuple(frames_of(scene)), floor=floor)


def frames_of(scene: Scene, height: float = 0.1, bar: float = 0.004) -> list[Piece]:
    """The edges of tanks up to a height, as beads on bars; the glass is not drawn."""
    pieces = []
    for tank in scene.boundaries:
        if tank.kind != "box" or not tank.inside_out:
            continue
        half = np.divide(tank.size, 2) + sinks_in(scene, tank)
        low, high = np.subtract(tank.center, half), np.add(tank.center, half)
        high[2] = low[2] + height
        corners = list(itertools.product(*zip(low, high, strict=True)))
        edges = [(a, b) for a, b in itertools.combinations(corners, 2) if np.count_nonzero(np.subtract(a, b)) == 1]
        beads = [np.linspace(a, b, int(np.linalg.norm(np.subtract(b, a)) / bar) + 2) for a, b in edges]
        points = np.concatenate(beads).astype(np.float32)
        pieces.append(Piece(points, np.zeros(len(points), int), bar, FRAME))
    return pieces


def pieces_of(world: World, radius: float) -> list[Piece]:
    """Copies of the particles of now, ready to draw."""
    pieces = []
    for name in world.matter:
        matter = world.matter[name]
        pieces.append(Piece(matter.positions.copy(), matter.ids.copy(), radius, LOOKS.get(name, PLAIN)))
    return pieces


class Recorder:
    """Draws in a thread of its own while the next step runs; pictures go into a film, some are kept as stills."""

    def __init__(self, film: Film, scene: Scene, shoot: Shoot):
        self.film, self.shoot = film, shoot
        self.renderer = Renderer(stage_of(scene, shoot))
        self.radius = 0.42 * scene.step.cell
        self.painter = ThreadPoolExecutor(1)
        self.drawing = deque()
        self.taken = 0
        self.stills, self.labels = [], []

    def take(self, world: World) -> None:
        picture = self.painter.submit(self.renderer.draw, pieces_of(world, self.radius))
        self.drawing.append((self.taken, world.time, picture))
        self.taken += 1
        if len(self.drawing) > 2:
            self.finish_oldest()

    def finish_oldest(self) -> None:
        number, moment, drawn = self.drawing.popleft()
        picture = drawn.result()
        self.film.add(picture)
        if number in self.shoot.still_steps:
            self.stills.append(picture)
            self.labels.append(f"{moment:.2f} s")

    def finish(self) -> None:
        while self.drawing:
            self.finish_oldest()
        self.painter.shutdown()


def run(scene: Scene, name: str, folder: Path, threads: int = 0, shoot: Shoot | None = None) -> tuple[Path, Path]:
    """Leaves folder/name.png and folder/name.mp4."""
    shoot = shoot or Shoot()
    scene.step.dt = 1 / shoot.rate
    folder.mkdir(parents=True, exist_ok=True)
    strip, film_file = folder / f"{name}.png", folder / f"{name}.mp4"

    world = World(scene, threads)
    start = time.perf_counter()
    with (
        Film(film_file, shoot.width, shoot.height, shoot.rate // shoot.slow_motion) as film,
        tqdm(total=shoot.steps, bar_format=BAR) as bar,
    ):
        recorder = Recorder(film, scene, shoot)
        recorder.take(world)
        for _ in range(shoot.steps):
            report = world.step()
            recorder.take(world)
            pace = report.time / (time.perf_counter() - start)
            bar.set_description_str(
                f"{name}: {report.time:.2f} of {shoot.steps / shoot.rate:.2f} s simulated, {pace:.3f} x real time, "
                f"{world.particle_count:,} particles"
            )
            bar.update()
        recorder.finish()
    write_strip(strip, recorder.stills, recorder.labels)
    return strip, film_file
