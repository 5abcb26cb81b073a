"""Derivatives of one loss, by name: what `Tape.backward` gives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from pliant.errors import BadInputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pliant._core import Scene

# by particle, with the names of world.matter
INITIAL = {
    "initial.positions": "positions",
    "initial.velocities": "velocities",
    "initial.F": "deformation_gradients",
    "initial.C": "affine",
    "initial.plastic": "plastic",
    "mass": "masses",
}
OUTSIDE = ("friction", "boundary_velocity", "actuation", "gravity")
SHAPES = {"positions": 1, "velocities": 1, "deformation_gradients": 2, "affine": 2, "plastic": 0, "masses": 0}


class Gradients(Mapping[Any, Any]):
    """Derivatives of a loss by name.

    `g["initial.velocities"]` and the like have a row for each particle, in the order of ids; `g["initial.velocities",
    "ball"]` are those of one piece. Parameters of materials are one number for each material of the scene, `g["E"]`, or
    `g["E", "rubber"]` of one; `g["E.matter"]` has one for each piece, `g["E.particles"]` one for each particle.
    `g["actuation"]` is (steps, pieces, dimension, dimension), `g["actuation", "leg"]` that of one piece, or of an
    actuator the derivative by its value at each step; `g["boundary_velocity"]` (steps, boundaries, dimension),
    `g["friction"]` one number for each boundary.
    """

    def __init__(self, scene: Scene, raw: dict[str, Any], wrt: list[str]) -> None:
        self._scene = scene
        self._raw = raw
        self._wrt = wrt

    def __getitem__(self, key: str | tuple[str, str]) -> Any:
        name, of = key if isinstance(key, tuple) else (key, None)
        if name not in self._wrt:
            raise KeyError(f"{name!r} was not asked for; this gradient has {', '.join(self._wrt)}")
        if name == "actuation" and of in self._raw["actuators"]:
            return self._raw["actuators"][of]
        values, owners = self._values(name)
        if of is None:
            return values
        if of not in owners:
            has = [*owners, *self._raw["actuators"]] if name == "actuation" else owners
            raise KeyError(f"{name!r} has no {of!r}; it has {', '.join(has)}")
        return self._part(name, values, owners.index(of))

    def __iter__(self) -> Iterator[str]:
        return iter(self._wrt)

    def __len__(self) -> int:
        return len(self._wrt)

    def __repr__(self) -> str:
        return f"Gradients({', '.join(self._wrt)})"

    @property
    def norms(self) -> NDArray[np.float64]:
        """(steps, 3): sizes of the derivatives by positions, velocities and F before each step."""
        return np.array(self._raw["norms"]).reshape(-1, 3)

    def _pieces(self) -> list[tuple[str, dict[str, Any]]]:
        return [(m.name, self._raw["matter"][m.name]) for m in self._scene.matter]

    def _values(self, name: str) -> tuple[Any, list[str]]:
        """All numbers of a name, and whose they are along the axis of owners (of particles: piece by piece)."""
        pieces, dimension = self._pieces(), self._scene.dimension
        matter = [n for n, _ in pieces]
        if name in INITIAL:
            shape = (-1,) + (dimension,) * SHAPES[INITIAL[name]]
            return np.concatenate([p[INITIAL[name]] for _, p in pieces]).reshape(shape), matter
        if name == "gravity":
            return self._raw["gravity"][:dimension], []
        if name == "actuation":
            steps = [p["actuation"].reshape(-1, 3, 3)[:, :dimension, :dimension] for _, p in pieces]
            return np.stack(steps, axis=1), matter
        walls = [b.name for b in self._scene.boundaries]
        if name == "friction":
            return np.array([self._raw["boundaries"][w][0] for w in walls]), walls
        if name == "boundary_velocity":
            steps = [self._raw["boundaries"][w][1].reshape(-1, 3)[:, :dimension] for w in walls]
            return np.stack(steps, axis=1), walls
        return self._of_materials(name)

    def _of_materials(self, name: str) -> tuple[Any, list[str]]:
        parameter, _, of = name.partition(".")
        pieces = self._pieces()
        if of == "particles":
            none = [np.zeros(len(p["masses"])) for _, p in pieces]
            rows = [p["particles"].get(parameter, zeros) for (_, p), zeros in zip(pieces, none, strict=True)]
            return np.concatenate(rows), [n for n, _ in pieces]
        by_piece = {n: p["material"].get(parameter, 0.0) for n, p in pieces}
        if of == "matter":
            return np.array(list(by_piece.values())), list(by_piece)
        names = [m.name for m in self._scene.materials]
        sums = dict.fromkeys(names, 0.0)
        for m in self._scene.matter:
            sums[m.material] += by_piece[m.name]
        return np.array([sums[n] for n in names]), names

    def _part(self, name: str, values: Any, index: int) -> Any:
        if name in INITIAL or name.endswith(".particles"):
            counts = [len(p["masses"]) for _, p in self._pieces()]
            first = sum(counts[:index])
            return values[first : first + counts[index]]
        if name in ("actuation", "boundary_velocity"):
            return values[:, index]
        return float(values[index])


def known_names(scene: Scene, raw_parameters: set[str]) -> list[str]:
    """All that a gradient of this scene can be taken by."""
    names = [*INITIAL]
    for parameter in sorted(raw_parameters):
        names += [parameter, f"{parameter}.matter"]
        if parameter in ("E", "nu"):
            names.append(f"{parameter}.particles")
    names += ["actuation", "gravity"]
    return names + (["friction", "boundary_velocity"] if scene.boundaries else [])


def chosen_names(wrt: list[str] | None, known: list[str]) -> list[str]:
    """The names that a user asked for; 'initial' stands for all of the first state."""
    if wrt is None:
        return known
    chosen: list[str] = []
    for name in wrt:
        if name == "initial":
            chosen += [n for n in known if n.startswith("initial.")]
        elif name in known:
            chosen.append(name)
        else:
            raise BadInputError(
                f"tape: no derivative by {name!r}: it does not exist, or no step of this scene reads it; "
                f"give some of initial, {', '.join(known)}"
            )
    return chosen
