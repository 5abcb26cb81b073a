"""A panel of the viewer: the force of matter on a geom, by place, as a small picture."""

from typing import Any

import numpy as np

from pliant.colors import ramp
from pliant.snapshot import Snapshot
from pliant.touch import Skin, touchable_geoms

ROWS, COLUMNS = 16, 24
PIXELS = 10  # of the picture, per taxel
NOBODY = "(none)"


class SkinPanel:
    """Pick a geom; its taxels are shown until another one is picked."""

    def __init__(self, gui: Any, model: Any):
        self.model = model
        self.geoms = {label_of(model, geom): geom for geom in touchable_geoms(model)}
        self.picker = gui.add_dropdown(
            "taxels of", (NOBODY, *self.geoms), hint="the force of matter on a geom, by place"
        )
        self.picture = gui.add_image(picture_of(np.zeros((ROWS, COLUMNS, 3))), visible=False)

    @property
    def controls(self) -> list[Any]:
        return [self.picker, self.picture]

    @property
    def choice(self) -> str:
        return str(self.picker.value)

    def show(self, snapshot: Snapshot) -> str:
        """Returns what to write beside it."""
        geom = self.geoms.get(self.choice)
        self.picture.visible = geom is not None
        if geom is None or snapshot.touches is None or snapshot.geom_positions is None:
            return ""
        place, turn = snapshot.geom_positions[geom], snapshot.geom_rotations[geom]
        forces = Skin(self.model, geom, ROWS, COLUMNS).feel(snapshot.touches, place, turn).forces
        self.picture.image = picture_of(forces)
        x, y, z = forces.sum(axis=(0, 1))
        largest = np.linalg.norm(forces, axis=2).max()
        return f"{self.choice}: ({x:.3g}, {y:.3g}, {z:.3g}) N, brightest taxel {largest:.3g} N"


def label_of(model: Any, geom: int) -> str:
    return str(model.geom(geom).name or f"geom {geom} of {model.body(int(model.geom_bodyid[geom])).name}")


def picture_of(forces: np.ndarray) -> np.ndarray:
    """The size of the force of each taxel as a colour; rows go up."""
    sizes = np.linalg.norm(forces, axis=2)[::-1]
    colors = (255 * ramp(sizes, 0, max(sizes.max(), 1e-9)) + 0.5).astype(np.uint8)
    return np.repeat(np.repeat(colors, PIXELS, axis=0), PIXELS, axis=1)
