"""Where a scene lies against the grid: a rigid motion of everything in it, gravity and motions included."""

import copy
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pliant._core import Body, Boundary, Matter, Motion, Scene
from pliant.errors import BadInputError

Array = NDArray[np.float64]
UPRIGHT = (1.0, 0.0, 0.0, 0.0)
PLACES = 3


@dataclass(frozen=True)
class Place:
    """x in the world = turn x + shift; turn is a unit quaternion w, x, y, z."""

    turn: tuple[float, float, float, float] = UPRIGHT
    shift: tuple[float, float, float] = (0.0, 0.0, 0.0)  # m
    matrix: Array = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "matrix", matrix_of(self.turn))

    def point(self, point: Sequence[float]) -> tuple[float, float, float]:
        return three(self.matrix @ np.asarray(point, float) + self.shift)

    def vector(self, vector: Sequence[float]) -> tuple[float, float, float]:
        return three(self.matrix @ np.asarray(vector, float))

    def rotation(self, rotation: Sequence[float]) -> tuple[float, float, float, float]:
        return product(self.turn, rotation)

    def back(self, points: Array) -> Array:
        """Points of the world, (n, 3), in the frame of the row."""
        return (np.asarray(points, float) - self.shift) @ self.matrix

    def back_vector(self, vectors: Array) -> Array:
        return np.asarray(vectors, float) @ self.matrix


def three(v: Array) -> tuple[float, float, float]:
    return float(v[0]), float(v[1]), float(v[2])


def product(a: Sequence[float], b: Sequence[float]) -> tuple[float, float, float, float]:
    """Of quaternions, of length 1 again."""
    w, x, y, z = a
    matrix = np.array([[w, -x, -y, -z], [x, w, -z, y], [y, z, w, -x], [z, -y, x, w]])
    made = matrix @ np.asarray(b, float)
    made /= np.linalg.norm(made)
    return float(made[0]), float(made[1]), float(made[2]), float(made[3])


def matrix_of(turn: Sequence[float]) -> Array:
    w, x, y, z = turn
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def about(axis: Sequence[float], angle: float) -> tuple[float, float, float, float]:
    """The quaternion of a turn, rad."""
    unit = np.asarray(axis, float) / np.linalg.norm(axis)
    x, y, z = np.sin(angle / 2) * unit
    return float(np.cos(angle / 2)), float(x), float(y), float(z)


def draw_places(seed: int, name: str, cell: float, tilts: bool) -> list[Place]:
    """The three places of a row. In the first one floors at z = 0 go through nodes of the grid, as where a user writes
    them; the others are shifted by parts of a cell along all axes, and turned in any way if the row tilts."""
    random = np.random.default_rng([seed, *name.encode()])
    places = []
    for number in range(PLACES):
        yaw, shift = random.uniform(0, 2 * np.pi), random.uniform(-2, 2, 3)
        turn = about((0, 0, 1), yaw)
        if number == 0:
            shift[2] = 0
        elif tilts:
            turn = product(random.normal(size=4), UPRIGHT)
        places.append(Place(turn, three(cell * shift)))
    return places


def placed(scene: Scene, place: Place) -> Scene:
    """A copy of the scene, moved."""
    moved = copy.deepcopy(scene)
    moved.step.gravity = place.vector(scene.step.gravity)
    moved.matter = [matter_at(matter, place) for matter in moved.matter]
    moved.boundaries = [boundary_at(boundary, place) for boundary in moved.boundaries]
    moved.bodies = [body_at(body, place) for body in moved.bodies]
    moved.motion = [motion_at(motion, place) for motion in moved.motion]
    return moved


def matter_at(matter: Matter, place: Place) -> Matter:
    matter.shape.center = place.point(matter.shape.center)
    matter.shape.rotation = place.rotation(matter.shape.rotation)
    matter.velocity = place.vector(matter.velocity)
    matter.angular_velocity = place.vector(matter.angular_velocity)
    if len(matter.points):
        matter.points = [place.point(point) for point in matter.points]
    pins = list(matter.pins)
    for pin in pins:
        pin.center = place.point(pin.center)
    matter.pins = pins
    return matter


def boundary_at(boundary: Boundary, place: Place) -> Boundary:
    boundary.center = place.point(boundary.center)
    boundary.normal = place.vector(boundary.normal)
    boundary.rotation = place.rotation(boundary.rotation)
    boundary.velocity = place.vector(boundary.velocity)
    return boundary


def body_at(body: Body, place: Place) -> Body:
    if not body.attach_to:
        body.position = place.point(body.position)
        body.rotation = place.rotation(body.rotation)
    return body


def motion_at(motion: Motion, place: Place) -> Motion:
    if motion.kind in ("mocap", "gripper"):
        motion.values = [[*place.point(v[:3]), *place.rotation(v[3:])] for v in motion.values]
    elif motion.kind in ("boundary", "pin"):
        motion.values = [list(place.point(v)) for v in motion.values]
    elif motion.kind != "actuator":
        raise BadInputError(f"a motion of kind '{motion.kind}' cannot be moved to another place")
    return motion
