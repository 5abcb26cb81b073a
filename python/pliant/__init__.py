"""Pliant: soft matter for robots to touch."""

from pliant._core import (
    Balance,
    Boundary,
    Material,
    Matter,
    MatterState,
    MatterStates,
    Sampling,
    Scene,
    Shape,
    StepOptions,
    StepReport,
    World,
)
from pliant._core import version as __version__
from pliant.enums import BoundaryKind, Condition, Kernel, Law, Precision, SamplingMethod, ShapeKind, Transfer
from pliant.errors import (
    BadFileError,
    BadInputError,
    Error,
    NotFiniteError,
    OutOfRangeError,
    TooFastError,
    TooLargeError,
)
from pliant.library import load, scene_names
from pliant.shapes import Box, Capsule, Cylinder, Mesh, Sphere

__all__ = [
    "BadFileError",
    "BadInputError",
    "Balance",
    "Boundary",
    "BoundaryKind",
    "Box",
    "Capsule",
    "Condition",
    "Cylinder",
    "Error",
    "Kernel",
    "Law",
    "Material",
    "Matter",
    "MatterState",
    "MatterStates",
    "Mesh",
    "NotFiniteError",
    "OutOfRangeError",
    "Precision",
    "Sampling",
    "SamplingMethod",
    "Scene",
    "Shape",
    "ShapeKind",
    "Sphere",
    "StepOptions",
    "StepReport",
    "TooFastError",
    "TooLargeError",
    "Transfer",
    "World",
    "__version__",
    "load",
    "scene_names",
]
