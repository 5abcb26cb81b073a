"""Images as a camera in the world takes them: colour, depth and segmentation, with matter in all three."""

import numpy as np

from pliant.canvas import FLAGS, Canvas, Look
from pliant.errors import BadInputError
from pliant.framing import Pose
from pliant.geoms import matrix_of
from pliant.snapshot import take

LARGEST_PICTURE = 8192  # pixels, of one side


class Camera:
    """Takes images of a world, or of anything that has its .scene, .matter, .model and .data.

    `view` is the name of a camera of the model, a Pose, or None: everything in sight. Each call shows the world of now.
    Call close(), or use a `with` block.
    """

    def __init__(self, world: object, view: Pose | str | None = None, width: int = 640, height: int = 480):
        check_size(width, height)
        self.world, self.view = world, view
        scene = world.scene
        self.matter_names = [m.name for m in scene.matter]
        self.boundary_names = [b.name for b in scene.boundaries]
        count = sum(len(world.matter[name].positions) for name in self.matter_names)
        self.canvas = Canvas(getattr(world, "model", None), width, height, count)

    @property
    def names(self) -> dict[int, str]:
        """What the numbers of segmentation() mean."""
        model = self.canvas.model
        geoms = {i: model.geom(i).name or f"geom {i}" for i in range(model.ngeom)}
        added = [*self.matter_names, *self.boundary_names]
        return geoms | {model.ngeom + i: name for i, name in enumerate(added)}

    def compose(self, field: str = "material") -> object:
        look, data = Look(self.view, field).check(), getattr(self.world, "data", None)
        return self.canvas.compose(take(self.world), self.world.scene, data, look)

    def rgb(self, field: str = "material") -> np.ndarray:
        """(height, width, 3) uint8. `field`: how matter is coloured."""
        self.compose(field)
        return self.canvas.draw()[0]

    def depth(self) -> np.ndarray:
        """(height, width) float32: distance along the camera's axis, m; inf where there is nothing."""
        self.compose()
        return self.canvas.draw(FLAGS.mjRND_SEGMENT, FLAGS.mjRND_IDCOLOR)[1]

    def segmentation(self) -> np.ndarray:
        """(height, width) int32: the geom's id, or model.ngeom + number of the piece of matter; -1: nothing.

        Boundaries come after matter. `names` tells what each number means.
        """
        self.compose()
        return self.canvas.segments()

    @property
    def intrinsics(self) -> np.ndarray:
        """3x3 matrix that takes points of the camera's frame (x right, y down, z forward) to pixels."""
        self.compose()
        lens = self.canvas.scene.camera[0]
        height, width = self.canvas.height, self.canvas.width
        focal = height * lens.frustum_near / (lens.frustum_top - lens.frustum_bottom)
        # the middle of the picture is where the axis goes through, unless the camera's centre is shifted
        row = height * lens.frustum_top / (lens.frustum_top - lens.frustum_bottom)
        column = width / 2 - focal * lens.frustum_center / lens.frustum_near
        return np.array([[focal, 0, column], [0, focal, row], [0, 0, 1]])

    def close(self) -> None:
        self.canvas.close()

    def __enter__(self) -> "Camera":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def check_size(width: int, height: int) -> None:
    if not (1 <= width <= LARGEST_PICTURE and 1 <= height <= LARGEST_PICTURE):
        raise BadInputError(f"picture of {width} x {height} pixels; give 1 to {LARGEST_PICTURE} each")


def pose_of(position: tuple[float, float, float], quaternion: tuple[float, float, float, float], **lens: float) -> Pose:
    """A pose from a place and a rotation (w, x, y, z) as in MJCF: the camera looks along its own -z."""
    forward = -matrix_of(quaternion)[:, 2]
    return Pose(tuple(position), tuple(np.add(position, forward)), **lens)
