"""A strip of cloth that runs over a fixed bar: Euler's and Eytelwein's rope, with its own weight."""

import tempfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pliant._core import Material
from pliant.shapes import Cloth
from pliant.validate.case import GRAVITY, Case
from pliant.validate.parts import fixed, piece, scene
from pliant.validate.row import FRICTION, Curve, Measured, row

RADIUS, LEFT, RIGHT, WIDE, SPACING, MU = 0.05, 0.10, 0.25, 0.04, 0.005, 0.1
Array = NDArray[np.float64]


def strip() -> str:
    """The strip as an OBJ file: up on the left of the bar, half around it, down on the right. Its edges, not its
    vertices, lie on the bar: none begins inside."""
    around = RADIUS / np.cos(SPACING / (2 * RADIUS))
    whole = LEFT + np.pi * RADIUS + RIGHT
    along = np.linspace(0, whole, round(whole / SPACING) + 1) - LEFT
    angle = np.clip(along / RADIUS, 0, np.pi)
    down = np.minimum(along, 0) - np.maximum(along - np.pi * RADIUS, 0)
    across = np.linspace(-WIDE / 2, WIDE / 2, round(WIDE / SPACING) + 1)
    vertices = [
        f"v {-around * np.cos(a):.9g} {y:.9g} {around * np.sin(a) + d:.9g}"
        for a, d in zip(angle, down, strict=True)
        for y in across
    ]
    n, faces = len(across), []
    for k in range(len(along) - 1):
        for j in range(n - 1):
            a = k * n + j + 1
            faces += [f"f {a} {a + 1} {a + n}", f"f {a + 1} {a + n + 1} {a + n}"]
    return "\n".join([*vertices, *faces, ""])


def acceleration(way: float, speed: float) -> float:
    """Of a rope that has run by the way. Per mass, along the arc: T' = r (a + g cos t) + mu (T + g r sin t - v^2); at
    its ends T = (L1 - way) (g + a) and T = (L2 + way) (g - a). It is linear in a."""
    t, dt = np.linspace(0, np.pi, 401, retstep=True)

    def miss(a: float) -> float:
        T = (LEFT - way) * (GRAVITY + a)
        for here in t[:-1] + dt / 2:
            load = RADIUS * (a + GRAVITY * np.cos(here)) + MU * (GRAVITY * RADIUS * np.sin(here) - speed**2)
            T = (T * (1 + MU * dt / 2) + dt * load) / (1 - MU * dt / 2)
        return float(T - (RIGHT + way) * (GRAVITY - a))

    zero, one = miss(0.0), miss(1.0)
    return zero / (zero - one)


def rope_speed(times: Array) -> Array:
    way, speed, seen = 0.0, 0.0, [0.0]
    for step in np.diff(times):
        half = speed + step / 2 * acceleration(way, speed)
        way += step * half
        speed = half + step / 2 * acceleration(way, half)
        seen.append(speed)
    return np.array(seen)


@row(
    "strip runs over a bar, mu .10", {"speed": FRICTION}, "Eytelwein, with the weight of the strip", methods=("async",)
)
def capstan(case: Case) -> dict[str, Measured]:
    cotton = Material(name="stuff", law="cloth", density=1000.0, E=2e6, nu=0.0, bending=0.0)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "strip.obj"
        file.write_text(strip())
        made = scene(case.step(SPACING), cotton, [piece("strip", Cloth(file=file))], MU)
        geom = f'<geom type="cylinder" size="{RADIUS} .1" euler="90 0 0"/>'
        made.bodies = [fixed("bar", geom)]
        run = case.run(made, 0.25, speed_of_right_end)
    right = rope_speed(run.time)
    return {
        "speed": Measured(
            float(run.seen[-1, 0]), float(right[-1]), curve=Curve(run.time, run.column(0), right, "speed [m/s]")
        )
    }


def speed_of_right_end(view: object) -> float:
    """Downwards, of what hangs on the right."""
    x = view.positions("strip")  # type: ignore[attr-defined]
    v = view.place.back_vector(view.world.matter["strip"].velocities)  # type: ignore[attr-defined]
    return float(-v[(x[:, 0] > 0) & (x[:, 2] < -RADIUS)][:, 2].mean())
