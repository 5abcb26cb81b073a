"""Pliant: soft matter for robots to touch."""

from pliant._core import (
    Balance,
    Body,
    Boundary,
    Contact,
    ContactPair,
    Contacts,
    Expect,
    Material,
    Matter,
    MatterState,
    MatterStates,
    Motion,
    Record,
    Sampling,
    Scene,
    Shape,
    StepOptions,
    StepReport,
    Taxels,
    UntilForce,
    World,
    Wrench,
)
from pliant._core import version as __version__
from pliant.enums import (
    BoundaryKind,
    Condition,
    ContactLaw,
    Kernel,
    Law,
    Method,
    MotionKind,
    MotionPath,
    Precision,
    SamplingMethod,
    ShapeKind,
    Transfer,
)
from pliant.errors import (
    BadFileError,
    BadInputError,
    Error,
    NotConvergedError,
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
    "Body",
    "Boundary",
    "BoundaryKind",
    "Box",
    "Camera",
    "Capsule",
    "Condition",
    "Contact",
    "ContactLaw",
    "ContactPair",
    "Contacts",
    "Cylinder",
    "Error",
    "Expect",
    "Kernel",
    "Law",
    "Material",
    "Matter",
    "MatterState",
    "MatterStates",
    "Mesh",
    "Method",
    "Motion",
    "MotionKind",
    "MotionPath",
    "NotConvergedError",
    "NotFiniteError",
    "OutOfRangeError",
    "Pose",
    "Precision",
    "Record",
    "Recorder",
    "Recording",
    "Sampling",
    "SamplingMethod",
    "Scene",
    "Shape",
    "ShapeKind",
    "Sphere",
    "StepOptions",
    "StepReport",
    "Taxels",
    "TooFastError",
    "TooLargeError",
    "Transfer",
    "UntilForce",
    "World",
    "Wrench",
    "__version__",
    "load",
    "resume",
    "scene_names",
]


def __getattr__(name: str) -> object:
    """Recordings and pictures need libraries that are slow to load: only when asked for."""
    homes = {
        "Camera": "pliant.cameras",
        "Pose": "pliant.framing",
        "Recorder": "pliant.recorder",
        "Recording": "pliant.recording",
        "resume": "pliant.continuation",
    }
    if name not in homes:
        raise AttributeError(f"module 'pliant' has no attribute '{name}'")
    import importlib

    return getattr(importlib.import_module(homes[name]), name)
