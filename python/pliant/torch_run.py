"""A whole run as one node of autograd, for pliant.torch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch.autograd.function import once_differentiable

from pliant._core import World, WorldTape
from pliant.errors import Error
from pliant.gradients import Gradients
from pliant.torch_nodes import ATTRIBUTES, ELASTIC, Array, Kind, Layout, Seed, act, filled, held, numpy_of, restated
from pliant.variants import variant


@dataclass(eq=False)
class Run:
    """What a run is besides its tensors; `given` says what those are, one by one."""

    world: World
    layout: Layout
    steps: int
    memory: int
    taped: bool
    given: list[tuple[str, str]]  # ("state", attribute or modulus), ("actuation", piece) or ("scene", parameter)
    values: dict[str, dict[str, Array]] = field(default_factory=dict)
    tape: WorldTape | None = None

    def __post_init__(self) -> None:
        held(self)

    def take(self, tensors: Sequence[torch.Tensor]) -> None:
        self.values = {"state": {}, "actuation": {}, "scene": {}}
        for (what, name), tensor in zip(self.given, tensors, strict=True):
            self.values[what][name] = numpy_of(tensor).astype(np.float64)

    def start(self) -> World:
        changes, state = self.values["scene"], self.values["state"]
        world = variant(self.world, changes, "rollout") if changes else self.world.clone()
        if state:
            self.layout.set(world, state)
        return world

    def go(self, world: World) -> list[Array]:
        """Means of pieces after each step: (steps, pieces, dimension) of positions, and of velocities."""
        means: list[list[Array]] = [[], []]
        for k in range(self.steps):
            for name, stresses in self.values["actuation"].items():
                act(world, name, stresses[k])
            try:
                world.step()
            except Error as error:
                raise restated(error, k) from None
            for attribute, rows in zip(ATTRIBUTES, means, strict=False):
                rows.append(self.layout.means_of(world, attribute))
        return [np.stack(rows) for rows in means]

    def derivative(self, raw: dict[str, Any], what: str, name: str) -> Array:
        if what == "actuation":
            return self.layout.by_actuation(raw, name)
        if what == "scene":
            return np.asarray(Gradients(self.world.scene, raw, [name])[name])
        return self.layout.by_modulus(raw, name) if name in ELASTIC else self.layout.by_state(raw, name)


class RunNode(torch.autograd.Function):
    """A run: from what `run.given` says to the last state and the means of pieces after each step."""

    @staticmethod
    def forward(ctx: Any, run: Run, *given: torch.Tensor) -> Any:
        run.take(given)
        world = run.start()
        run.tape = WorldTape(world, run.memory) if run.taped else None
        try:
            means = run.go(world)
        finally:
            if run.tape:
                run.tape.end()
        ctx.run, ctx.kinds = run, [Kind.of(g) for g in given]
        ctx.set_materialize_grads(False)
        state = run.layout.state(world)
        return tuple(torch.from_numpy(a) for a in (*state, *(m.astype(state[0].dtype) for m in means)))

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *bars: Any) -> Any:
        run, layout = ctx.run, ctx.run.layout
        last, seeds = run.steps - 1, list[Seed]()
        for attribute, bar in zip(ATTRIBUTES, bars, strict=False):
            seeds += [] if bar is None else layout.seeds(last, attribute, numpy_of(bar))
        for attribute, bar in zip(ATTRIBUTES, bars[len(ATTRIBUTES) :], strict=False):
            for k in range(run.steps if bar is not None else 0):
                seeds += layout.mean_seeds(k, attribute, numpy_of(bar[k]))
        (raw,) = run.tape.backward([seeds], 0, None, None)
        found = [run.derivative(raw, what, name) for what, name in run.given]
        return (None, *filled(ctx.kinds, ctx.needs_input_grad[1:], found))
