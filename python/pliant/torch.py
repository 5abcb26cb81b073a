"""Runs as functions of PyTorch: `step` for closed loops, `rollout` for whole runs.

A state is what a world is in: its tensors are linked, step by step, to all that they came from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

try:
    import torch
except ModuleNotFoundError as missing:
    raise ModuleNotFoundError(
        "pliant.torch needs PyTorch, which is not installed: pip install torch (its own pages tell how to take the "
        "smaller build for processors alone)",
        name="torch",
    ) from missing

from torch import Tensor

from pliant._core import World
from pliant.errors import BadInputError
from pliant.gradients import chosen_names, known_names
from pliant.tape import bytes_of, parameters
from pliant.torch_nodes import ATTRIBUTES, ELASTIC, Copy, Layout, Moment, StepNode, numpy_of
from pliant.torch_run import Run, RunNode
from pliant.variants import numbers, owners, readers

FIRST = {"x0": "positions", "v0": "velocities", "F0": "deformation_gradients", "C0": "affine"}

# of each world the copy in which its steps are taken
_copies: WeakKeyDictionary[World, Copy] = WeakKeyDictionary()


class Mean(NamedTuple):
    """Of a piece of matter; after a rollout with a row for each step."""

    position: Tensor  # m
    velocity: Tensor  # m/s


@dataclass(frozen=True)
class Observation:
    """What a controller sees: mean position and mean velocity of each piece, `obs["head"].position`."""

    pieces: tuple[str, ...]
    positions: Tensor  # (pieces, dimension), after a rollout (steps, pieces, dimension)
    velocities: Tensor

    def __getitem__(self, piece: str) -> Mean:
        if piece not in self.pieces:
            raise KeyError(f"no piece of matter {piece!r}; there are {', '.join(self.pieces)}")
        k = self.pieces.index(piece)
        return Mean(self.positions[..., k, :], self.velocities[..., k, :])

    def vector(self) -> Tensor:
        """All in a row: positions of the pieces, then their velocities."""
        return torch.cat([self.positions.flatten(-2), self.velocities.flatten(-2)], dim=-1)


@dataclass(frozen=True, eq=False)
class State:
    """What a world is in after some steps; numbers of particles are by id, piece after piece.

    Its tensors may be looked at by a loss, but not changed: `start` begins with others.
    """

    positions: Tensor  # m
    velocities: Tensor  # m/s
    F: Tensor
    C: Tensor  # 1/s
    plastic: Tensor
    E: Tensor | None  # Pa, of each particle, where `start` was given one
    nu: Tensor | None
    obs: Observation
    _copy: Copy = field(repr=False)
    _moment: Moment = field(repr=False)
    _acted: frozenset[str] = field(repr=False, default=frozenset())
    _versions: tuple[int, ...] = field(repr=False, default=())

    @property
    def steps(self) -> int:
        """How many were taken since `start`."""
        return self._moment.step

    def of(self, piece: str, name: str = "positions") -> Tensor:
        """Rows of a piece of matter: `state.of("head", "velocities")`."""
        rows = self._copy.layout.rows
        if piece not in rows:
            raise BadInputError(f"no piece of matter {piece!r}; there are {', '.join(rows)}")
        return getattr(self, name)[rows[piece]]

    def detach(self) -> State:
        """The same without its past: gradients end here. E and nu stay linked."""
        obs = Observation(self.obs.pieces, self.obs.positions.detach(), self.obs.velocities.detach())
        return _noted(replace(self, **{n: getattr(self, n).detach() for n in _NAMES}, obs=obs))


_NAMES = ("positions", "velocities", "F", "C", "plastic")


def _noted(state: State) -> State:
    return replace(state, _versions=tuple(getattr(state, n)._version for n in _NAMES))


def start(
    world: World,
    x0: Tensor | None = None,
    v0: Tensor | None = None,
    F0: Tensor | None = None,
    C0: Tensor | None = None,
    E: Tensor | None = None,
    nu: Tensor | None = None,
) -> State:
    """The state of a world, linked to what is given: positions, velocities, F, C (by id, piece after piece) or E and nu
    of each particle. What is not given is as the world has it."""
    copy = _copies.get(world)
    if copy is None:
        copy = _copies[world] = Copy(world)
    layout = copy.layout
    given = {FIRST[n]: v for n, v in {"x0": x0, "v0": v0, "F0": F0, "C0": C0}.items() if v is not None}
    moduli = {n: v for n, v in {"E": E, "nu": nu}.items() if v is not None}
    given = {n: _by_particle(layout, n, v) for n, v in given.items()}
    moduli = {n: _by_particle(layout, n, v) for n, v in moduli.items()}
    values = {n: numpy_of(v) for n, v in {**given, **moduli}.items()}
    with copy.lock:
        arrays = dict(zip(ATTRIBUTES, copy.begin(world, values), strict=True))
        moment = copy.moment(0)
    kind = torch.from_numpy(arrays["positions"])
    tensors = [given[a].to(kind) if a in given else torch.from_numpy(arrays[a]) for a in ATTRIBUTES]
    means = [_means(layout, t) for t in tensors[:2]]
    obs = Observation(tuple(layout.rows), *means)
    return _noted(State(*tensors, moduli.get("E"), moduli.get("nu"), obs, copy, moment))


def step(
    world: World, state: State | None = None, action: Mapping[str, Tensor] | Tensor | None = None
) -> tuple[State, Observation]:
    """The state after one step, and what a controller sees of it. The world stays as it is.

    An action has values of actuators by name, or of all of them in a tensor; and stresses (Pa) of pieces of matter by
    name: one number (isotropic), a row of the dimension (along the axes of the material), or a matrix, of which the
    symmetric part acts. It acts for this step alone. Without a state: from where the world is.
    """
    state = start(world) if state is None else state
    copy, layout = state._copy, state._copy.layout
    if _copies.get(world) is not copy:
        raise BadInputError("pliant.torch: the state is of another world; begin with pliant.torch.start(world)")
    if state._versions != tuple(getattr(state, n)._version for n in _NAMES):
        raise BadInputError(
            "pliant.torch: a tensor of the state was changed in place, which a step does not see; give "
            "pliant.torch.start what the state is to begin with"
        )
    given = _named(layout, action)
    names = sorted({*state._acted, *given})
    acting = [_acting(layout, name, given.get(name), ()) for name in names]
    linked = [getattr(state, n) for n in (*_NAMES, *ELASTIC)]
    if torch.is_grad_enabled() and any(t is not None and t.requires_grad for t in (*linked, *acting)):
        copy.require_way_back()
    after: list[Moment] = []
    found = StepNode.apply(copy, state._moment, names, after, *linked, *acting)
    obs = Observation(state.obs.pieces, *found[len(ATTRIBUTES) :])
    tensors = found[: len(ATTRIBUTES)]
    return _noted(State(*tensors, state.E, state.nu, obs, copy, after[0], frozenset(names))), obs


class Rollout(NamedTuple):
    """What a run ended with, by id, and what was seen after each of its steps."""

    positions: Tensor
    velocities: Tensor
    F: Tensor
    obs: Observation


def rollout(
    world: World,
    steps: int,
    x0: Tensor | None = None,
    v0: Tensor | None = None,
    F0: Tensor | None = None,
    C0: Tensor | None = None,
    actuation: Mapping[str, Tensor] | None = None,
    memory: str | int = "1 GB",
    **parameters_of_scene: Tensor | Mapping[str, Tensor],
) -> Rollout:
    """A whole run from where the world is, within a budget of memory. The world stays as it is.

    `actuation` has what an action of `step` has, by name, with a row for each step. All other names are
    parameters of the scene: gravity (a row); density, E, nu and what else laws read, and friction: one number for all
    materials (boundaries), or numbers by their names. E and nu may be rows with a number for each particle.
    """
    if steps < 1:
        raise BadInputError(f"rollout: steps is {steps}; give at least 1")
    layout, scene = Layout.of(world), world.scene
    given: dict[tuple[str, str], Tensor] = {}
    for name, value in {"x0": x0, "v0": v0, "F0": F0, "C0": C0}.items():
        if value is not None:
            given["state", FIRST[name]] = _by_particle(layout, FIRST[name], value)
    for name, value in (actuation or {}).items():
        given["actuation", name] = _acting(layout, name, value, (steps,))
    chosen_names(list(parameters_of_scene), known_names(scene, parameters(scene)))
    for name, value in parameters_of_scene.items():
        if name in ELASTIC and not isinstance(value, Mapping) and value.ndim == 1:
            given["state", name] = _by_particle(layout, name, value)
        else:
            given["scene", name] = _by_owner(scene, name, value)
    taped = torch.is_grad_enabled() and any(v.requires_grad for v in given.values())
    run = Run(world, layout, steps, bytes_of(memory), taped, list(given))
    x, v, F, _, _, xs, vs = RunNode.apply(run, *given.values())
    return Rollout(x, v, F, Observation(tuple(layout.rows), xs, vs))


def _means(layout: Layout, rows: Tensor) -> Tensor:
    return torch.stack([rows[r].mean(dim=0) for r in layout.rows.values()])


def _by_particle(layout: Layout, name: str, value: Tensor) -> Tensor:
    d = layout.dimension
    if name in ELASTIC:
        shape: tuple[int, ...] = (layout.count,)
        value = value.expand(shape) if value.ndim == 0 else value
    else:
        shape = (layout.count, d) if name in ("positions", "velocities") else (layout.count, d, d)
    if tuple(value.shape) != shape:
        raise BadInputError(f"pliant.torch: {name} have the shape {tuple(value.shape)}; give {shape}, by id")
    return value


def _named(layout: Layout, action: Mapping[str, Tensor] | Tensor | None) -> Mapping[str, Tensor]:
    if action is None or isinstance(action, Mapping):
        return action or {}
    if not layout.actuators:
        raise BadInputError("pliant.torch: the scene has no actuators; give stresses of pieces of matter by name")
    if tuple(action.shape) != (len(layout.actuators),):
        raise BadInputError(
            f"pliant.torch: an action has the shape {tuple(action.shape)}; give a number for each of "
            f"{', '.join(layout.actuators)}, or some by name"
        )
    return dict(zip(layout.actuators, action, strict=True))


def _acting(layout: Layout, name: str, value: Tensor | None, lead: tuple[int, ...]) -> Tensor:
    """A number of an actuator or a matrix of a piece of matter; `lead`: the axes before, None: nothing acts."""
    d, n = layout.dimension, len(lead)
    if name not in layout.actuators and name not in layout.rows:
        known = ", ".join([*layout.actuators, *layout.rows])
        raise BadInputError(f"pliant.torch: no actuator or piece of matter {name!r}; there are {known}")
    value = torch.zeros(lead) if value is None else value
    value, tail = value.to("cpu", torch.float64), tuple(value.shape[n:])
    allowed = ((),) if name in layout.actuators else ((), (d,), (d, d))
    if tuple(value.shape[:n]) != lead or tail not in allowed:
        known = " or ".join(str((*lead, *t)) for t in allowed)
        raise BadInputError(f"pliant.torch: what acts with {name!r} has the shape {tuple(value.shape)}; give {known}")
    if name in layout.actuators:
        return value
    if tail == ():
        return value[..., None, None] * torch.eye(d, dtype=torch.float64)
    return torch.diag_embed(value) if tail == (d,) else (value + value.transpose(-1, -2)) / 2


def _by_owner(scene: Any, name: str, value: Tensor | Mapping[str, Tensor]) -> Tensor:
    """One number for each material or boundary; gravity as it is."""
    was = torch.from_numpy(numbers(scene, name))
    if name == "gravity":
        if isinstance(value, Mapping) or value.shape != was.shape:
            raise BadInputError(f"rollout: gravity must have {len(was)} numbers, m/s^2")
        return value
    names = owners(scene, name)
    if not isinstance(value, Mapping):
        if value.ndim != 0:
            raise BadInputError(f"rollout: {name} has the shape {tuple(value.shape)}; give one number, or some by name")
        value = dict.fromkeys(readers(scene, name), value)
    for owner in value:
        if owner not in names:
            raise BadInputError(f"rollout: {name} of {owner!r}: there are {', '.join(names)}")
    return torch.stack([value[o].to("cpu", torch.float64) if o in value else was[k] for k, o in enumerate(names)])
