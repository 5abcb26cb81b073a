"""Training of soft robots by gradients: what the examples of S5's tasks share."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from tqdm import tqdm

from pliant.tape import Tape

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pliant._core import World
    from pliant.controller import Controller

    Numbers = NDArray[np.float64]
    Loss = Callable[[Numbers], tuple[float, Numbers]]
    Seeds = Mapping[tuple[int, str, str], Any]


@dataclass
class Training:
    """What a descent has come to."""

    name: str
    weights: Numbers  # those of the least loss
    losses: list[float] = field(default_factory=list)
    seconds: float = 0.0
    reached: bool = False  # the goal that it was given
    figures: dict[str, float] = field(default_factory=dict)  # what else there is to tell

    @property
    def least(self) -> float:
        return min(self.losses)


class Adam:
    """Steps of gradient descent, each number's as long as its gradient is steady (Kingma and Ba 2015)."""

    def __init__(self, rate: float, memory: tuple[float, float] = (0.9, 0.999)) -> None:
        self.rate, self.memory = rate, memory
        self.steps = 0
        self.mean: Any = 0.0
        self.square: Any = 0.0

    def step(self, weights: Numbers, gradient: Numbers) -> Numbers:
        first, second = self.memory
        self.steps += 1
        self.mean = first * self.mean + (1 - first) * gradient
        self.square = second * self.square + (1 - second) * gradient**2
        mean, square = self.mean / (1 - first**self.steps), self.square / (1 - second**self.steps)
        return weights - self.rate * mean / (np.sqrt(square) + 1e-12)


def descend(
    name: str,
    loss: Loss,
    weights: Numbers,
    rate: float,
    iterations: int,
    enough: float = -np.inf,
    bar: bool | None = None,
    patience: int = 0,
) -> Training:
    """Adam until the loss is at most `enough`, or so many runs were made.

    With `patience`, after so many runs in a row that did not bring the loss down it goes on from the best weights with
    half the rate. Without, for losses that are another one each time, the rate falls evenly to none.
    """
    made = Training(name, weights.copy())
    adam, begun, since_best = Adam(rate), time.perf_counter(), 0
    with tqdm(total=iterations, desc=name, unit="run", disable=None if bar is None else not bar) as shown:
        for run in range(iterations):
            if not patience:
                adam.rate = rate * (1 - run / iterations)
            value, gradient = loss(weights)
            made.losses.append(value)
            since_best += 1
            if value <= made.least:
                made.weights, since_best = weights.copy(), 0
            shown.set_postfix(loss=f"{value:.4g}")
            shown.update()
            if value <= enough:
                made.reached = True
                break
            weights = adam.step(weights, gradient)
            if patience and since_best >= patience:
                weights, since_best, adam = made.weights.copy(), 0, Adam(adam.rate / 2)
    made.seconds = time.perf_counter() - begun
    return made


def distance_loss(tape: Tape, of: str, goal: Numbers) -> tuple[float, dict[tuple[int, str, str], Any]]:
    """(mean position - goal)^2 after the last step, and its derivative."""
    last = len(tape) - 1
    off = tape.watch(last, "mean_position", of) - np.asarray(goal)
    return float(off @ off), {(last, "mean_position", of): 2 * off}


def closed_loop(world: World, controller: Controller, steps: int, look: Callable[[Tape], tuple[float, Seeds]]) -> Loss:
    """The loss of a run from the start, by the weights of the controller. look: its value and seeds after the run."""

    def loss(weights: Numbers) -> tuple[float, Numbers]:
        controller.weights = weights
        world.reset()
        controller.begin()
        with Tape(world, wrt=["actuation"]) as tape:
            for _ in range(steps):
                controller.act()
                world.step()
            value, seeds = look(tape)
        tape.backward(seeds, progress=False, at_step=controller.back)
        return value, controller.gradient

    return loss


class Sines:
    """An open loop: each actuator is a tanh of sines of time, whose amplitudes and offset are weights (S5, V-B)."""

    def __init__(self, world: World, waves: int = 8, period: float = 0.5, seed: int = 0) -> None:
        scene = world.scene
        self.world, self.dt = world, float(scene.step.dt)
        self.actuators = [a.name for a in scene.actuators]
        self.phases, self.rate = 2 * np.pi * np.arange(waves) / waves, 2 * np.pi / period
        self.shape = (len(self.actuators), waves + 1)
        self.weights = 0.02 * np.random.default_rng(seed).standard_normal(self.shape).ravel()

    def basis(self, step: int) -> Numbers:
        return np.append(np.sin(self.rate * step * self.dt + self.phases), 1.0)

    def values(self, step: int) -> Numbers:
        return np.tanh(self.weights.reshape(self.shape) @ self.basis(step))

    def act(self, step: int) -> Numbers:
        values = self.values(step)
        for name, value in zip(self.actuators, values, strict=True):
            self.world.set_actuation(name, float(value))
        return values

    def gradient(self, by_value: Numbers) -> Numbers:
        """From derivatives by values, (steps, actuators), to those by weights."""
        steps = range(len(by_value))
        bars = by_value * (1 - np.array([self.values(k) for k in steps]) ** 2)
        return (bars.T @ np.array([self.basis(k) for k in steps])).ravel()


def reach(
    world: World,
    controller: Controller,
    of: str,
    steps: int,
    rate: float,
    iterations: int,
    less: float = 0.1,
    bar: bool | None = None,
) -> Training:
    """Trains a controller until a piece ends near its goal: (mean position - goal)^2 is `less` of what it was."""
    loss = closed_loop(world, controller, steps, lambda tape: distance_loss(tape, of, controller.goal))
    first = loss(controller.weights)[0]
    made = descend(str(world.scene.name), loss, controller.weights, rate, iterations, less * first, bar, patience=5)
    made.figures = {"first_loss": first, "last_loss": made.least}
    return made


def replay(controller: Controller, made: Training) -> Callable[[int], dict[str, float]]:
    """What a film of a trained controller does at each step."""
    controller.weights = made.weights
    controller.begin()

    def act(step: int) -> dict[str, float]:
        return dict(zip(controller.actuators, controller.act() / controller.scale, strict=True))

    return act
