"""The scenes that come with Pliant: each file of pliant/scenes has a function scene()."""

import importlib
import pkgutil

import pliant.scenes
from pliant._core import Scene
from pliant.errors import BadInputError


def scene_names() -> list[str]:
    """Names that load() knows."""
    return sorted(module.name for module in pkgutil.iter_modules(pliant.scenes.__path__))


def load(name: str) -> Scene:
    """A built-in scene. Each call makes a new one, yours to change."""
    if not isinstance(name, str):
        raise TypeError(f"name of a scene must be str, not {type(name).__name__}")
    if name not in scene_names():
        raise BadInputError(f"no scene '{name}'; choose one of {', '.join(scene_names())}")
    made: Scene = importlib.import_module(f"pliant.scenes.{name}").scene()
    return made
