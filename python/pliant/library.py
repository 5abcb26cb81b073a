"""Scenes by name or file: NAME.yaml, or pliant/scenes/NAME.py with a function scene()."""

import importlib
import os
import pkgutil
from collections.abc import Mapping
from pathlib import Path

import pliant.scenes
from pliant._core import Diagnostic, Scene, check_scene_file, load_scene_file, load_scene_text
from pliant.errors import BadInputError

_PACKAGE = Path(__file__).resolve().parent


def _data_folder(name: str) -> Path:
    """A folder of data: in an installed package beside its modules, in a clone at its top."""
    clone = _PACKAGE.parents[1] / name
    return clone if clone.is_dir() else _PACKAGE / name


def models_folder() -> str:
    """Where the robots and things are that scene files call models/..."""
    return str(_data_folder("models"))


def _python_names() -> set[str]:
    return {module.name for module in pkgutil.iter_modules(pliant.scenes.__path__)}


def scene_names() -> list[str]:
    """Names that load() knows."""
    return sorted(_python_names() | {file.stem for file in _data_folder("scenes").glob("*.yaml")})


def scene_file(name: str | os.PathLike[str]) -> str | None:
    """The file of a scene given by name or path; None for one that is written in Python."""
    if not isinstance(name, str | os.PathLike):
        raise TypeError(f"name of a scene must be str or a path, not {type(name).__name__}")
    path = os.fspath(name)
    if path.endswith((".yaml", ".yml")):
        return path
    if path not in scene_names():
        raise BadInputError(f"no scene '{path}'; choose one of {', '.join(scene_names())}, or give a file NAME.yaml")
    file = _data_folder("scenes") / f"{path}.yaml"
    return str(file) if file.is_file() else None


def load(
    name: str | os.PathLike[str], *, overrides: Mapping[str, str] | None = None, allow_outside: bool = False
) -> Scene:
    """A scene that comes with Pliant, by name, or the scene of a YAML file. Each call makes a new one, yours to change.

    overrides: key and YAML text, as in {"step.dt": "0.005"}; they replace what the scene says.
    allow_outside: the file may name files outside its folder.
    """
    file = scene_file(name)
    changes = list((overrides or {}).items())
    if file is not None:
        return load_scene_file(file, models=models_folder(), allow_outside=allow_outside, overrides=changes)
    made: Scene = importlib.import_module(f"pliant.scenes.{name}").scene()
    if not changes:
        return made
    return load_scene_text(made.to_yaml(), file=str(name), allow_outside=True, overrides=changes)


def check(
    name: str | os.PathLike[str], *, overrides: Mapping[str, str] | None = None, allow_outside: bool = False
) -> list[Diagnostic]:
    """Everything that is wrong with a scene file, each with file, line, message and cure."""
    file = scene_file(name)
    if file is None:
        return []
    changes = list((overrides or {}).items())
    return check_scene_file(file, models=models_folder(), allow_outside=allow_outside, overrides=changes)
