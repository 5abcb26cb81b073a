"""Short ways to write a Shape."""

import os
from collections.abc import Sequence

from pliant._core import Shape
from pliant.errors import BadInputError

HERE = (0.0, 0.0, 0.0)
UPRIGHT = (1.0, 0.0, 0.0, 0.0)


def Box(size: Sequence[float], center: Sequence[float] = HERE, rotation: Sequence[float] = UPRIGHT) -> Shape:
    """A box with these edge lengths, m; in 2-D a rectangle."""
    return Shape(kind="box", size=size, center=center, rotation=rotation)


def Sphere(radius: float, center: Sequence[float] = HERE) -> Shape:
    """A ball of this radius, m; in 2-D a disc."""
    return Shape(kind="sphere", radius=radius, center=center)


def Cylinder(
    radius: float, length: float, center: Sequence[float] = HERE, rotation: Sequence[float] = UPRIGHT
) -> Shape:
    """A cylinder about the axis z, m."""
    return Shape(kind="cylinder", radius=radius, length=length, center=center, rotation=rotation)


def Capsule(radius: float, length: float, center: Sequence[float] = HERE, rotation: Sequence[float] = UPRIGHT) -> Shape:
    """A cylinder about the axis z with a half ball on each end, m; `length` is that of the cylinder."""
    return Shape(kind="capsule", radius=radius, length=length, center=center, rotation=rotation)


def Cloth(
    size: Sequence[float] | None = None,
    file: str | os.PathLike[str] = "",
    scale: float = 1.0,
    spacing: float = 0.0,
    thickness: float = 1e-3,
    center: Sequence[float] = HERE,
    rotation: Sequence[float] = UPRIGHT,
) -> Shape:
    """A sheet of triangles: a rectangle of this size (two numbers, m) across the axis z, or an open mesh of a file."""
    if (size is None) == (not file):
        raise BadInputError("Cloth: give either a size, [a, b] in m, or a file")
    edges = (1.0, 1.0, 1.0) if size is None else (float(size[0]), float(size[1]), 1.0)
    return Shape(
        kind="cloth",
        size=edges,
        mesh_file=os.fspath(file),
        mesh_scale=scale,
        spacing=spacing,
        thickness=thickness,
        center=center,
        rotation=rotation,
    )


def Mesh(
    file: str | os.PathLike[str],
    scale: float = 1.0,
    center: Sequence[float] = HERE,
    rotation: Sequence[float] = UPRIGHT,
) -> Shape:
    """The inside of a closed triangle mesh, .stl or .obj."""
    return Shape(kind="mesh", mesh_file=os.fspath(file), mesh_scale=scale, center=center, rotation=rotation)
