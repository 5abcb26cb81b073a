"""Where a camera stands: given, or found so that everything is seen."""

from dataclasses import dataclass

import mujoco
import numpy as np

from pliant.geoms import box_half, box_turn, upright
from pliant.snapshot import Snapshot

VIEW = np.array([0.55, -1.0, 0.52])  # from what is looked at to the eye
LARGEST = 50.0  # m; geoms larger than this are ground, not contents


@dataclass(frozen=True)
class Pose:
    """A camera that looks from `eye` to `target`, m; z is up."""

    eye: tuple[float, float, float]
    target: tuple[float, float, float]
    field_of_view: float = 40.0  # degrees, vertical


@dataclass(frozen=True)
class Stage:
    """The box that holds all contents: matter, bodies, boundaries that are not planes."""

    low: np.ndarray
    high: np.ndarray

    @staticmethod
    def of(snapshot: Snapshot, scene: object, model: mujoco.MjModel | None = None) -> "Stage":
        low, high = np.full(3, np.inf), np.full(3, -np.inf)
        for piece in snapshot.grains:
            if len(piece.positions):
                # a few strays may not push the camera away
                low = np.minimum(low, np.quantile(piece.positions, 0.002, axis=0))
                high = np.maximum(high, np.quantile(piece.positions, 0.998, axis=0))
        if model is not None and snapshot.geom_positions is not None and np.any(solid := contents(model)):
            places, reach = snapshot.geom_positions[solid], 0.8 * model.geom_rbound[solid, None]
            low = np.minimum(low, (places - reach).min(axis=0))
            high = np.maximum(high, (places + reach).max(axis=0))
        for center, boundary in zip(snapshot.boundary_centers, scene.boundaries, strict=True):
            reach = boundary_reach(boundary, scene.dimension)
            if reach is not None:
                low = np.minimum(low, upright(center, scene.dimension) - reach)
                high = np.maximum(high, upright(center, scene.dimension) + reach)
        if not (np.all(np.isfinite(low)) and np.all(np.isfinite(high))):
            low, high = np.full(3, -0.5), np.full(3, 0.5)
        return Stage(low, high)

    def with_(self, other: "Stage") -> "Stage":
        """The box around both."""
        return Stage(np.minimum(self.low, other.low), np.maximum(self.high, other.high))

    @property
    def center(self) -> np.ndarray:
        return (self.low + self.high) / 2

    @property
    def size(self) -> float:
        """Length of the diagonal, m."""
        return max(float(np.linalg.norm(self.high - self.low)), 1e-2)

    def pose(self, aspect: float, field_of_view: float = 40.0) -> Pose:
        """From the front right and above, just far enough to see all corners."""
        back = VIEW / np.linalg.norm(VIEW)
        right = np.cross((0, 0, 1), back)
        right /= np.linalg.norm(right)
        up = np.cross(back, right)
        slope = np.tan(np.radians(field_of_view / 2))
        corners = np.array(np.meshgrid(*zip(self.low, self.high, strict=True))).reshape(3, -1).T - self.center
        # a corner at (x, y, z) of the camera's frame is seen from d if |x| <= slope aspect (d - z)
        need = np.maximum(np.abs(corners @ right) / (slope * aspect), np.abs(corners @ up) / slope) + corners @ back
        eye = self.center + 1.12 * max(float(need.max()), 0.05) * back
        return Pose(tuple(eye), tuple(self.center), field_of_view)


def contents(model: mujoco.MjModel) -> np.ndarray:
    """Mask of the geoms that are to be seen: not the ground, not what is hidden."""
    ground = np.isin(model.geom_type, [int(mujoco.mjtGeom.mjGEOM_PLANE), int(mujoco.mjtGeom.mjGEOM_HFIELD)])
    return ~ground & (model.geom_rbound < LARGEST) & (model.geom_rgba[:, 3] > 0) & (model.geom_group < 3)


def boundary_reach(boundary: object, dimension: int) -> np.ndarray | None:
    """Half the box around a solid boundary. What holds matter inside is as large as its matter needs."""
    if boundary.inside_out or str(boundary.kind) == "plane":
        return None
    if str(boundary.kind) == "box":
        half = box_half(boundary.size, dimension)
        return np.abs(box_turn(boundary.rotation, dimension)) @ half
    longest = max(boundary.radius, boundary.length / 2 if str(boundary.kind) == "cylinder" else 0)
    return np.full(3, float(longest))


def glue(scene: mujoco.MjvScene, pose: Pose, size: float, aspect: float) -> None:
    """Sets MuJoCo's camera to a pose."""
    eye, target = np.asarray(pose.eye, float), np.asarray(pose.target, float)
    forward = target - eye
    distance = float(np.linalg.norm(forward))
    if not np.isfinite(distance) or distance == 0:
        raise ValueError(f"camera at {pose.eye} looks at {pose.target}; give two different points")
    forward /= distance
    right = np.cross(forward, (0, 0, 1))
    # straight up or down: the picture's upper edge is +y
    right = np.array([1.0, 0, 0]) if np.linalg.norm(right) < 1e-9 else right / np.linalg.norm(right)
    near, far = 0.005 * size, 60 * size + distance
    half = near * np.tan(np.radians(pose.field_of_view / 2))
    for camera in scene.camera:
        camera.pos[:], camera.forward[:], camera.up[:] = eye, forward, np.cross(right, forward)
        camera.orthographic, camera.frustum_center, camera.frustum_width = 0, 0, half * aspect
        camera.frustum_bottom, camera.frustum_top = -half, half
        camera.frustum_near, camera.frustum_far = near, far
