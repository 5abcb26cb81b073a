"""PPO on the finger, beside gradient descent: how many runs does each take? (S5, Fig. 7)

.venv-torch/bin/python examples/soft_robots/finger_ppo.py [--times 20] [--steps 80] [--seed 0] [--out ppo.json]
"""

import argparse
import json
from pathlib import Path

import gymnasium
import numpy as np
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback

import pliant as pl
from pliant.soft_robots import closed_loop, descend, distance_loss

TARGET = np.array([0.62, 0.42])
SHARES = (0.1, 0.01, 0.001)  # of the first loss, which both are to reach


class Finger(gymnasium.Env):
    """A run is an episode, and the reward is the velocity of the head towards the target."""

    def __init__(self, steps: int) -> None:
        self.world, self.steps, self.taken = pl.World(pl.load("soft_finger"), threads=1), steps, 0
        self.actuators = [a.name for a in self.world.scene.actuators]
        self.action_space = gymnasium.spaces.Box(-1, 1, (len(self.actuators),))
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, self.seen().shape)

    def seen(self) -> np.ndarray:
        """What the controller of gradient descent sees too."""
        matter = self.world.matter
        means = [m for piece in matter for m in (matter[piece].mean_position, matter[piece].mean_velocity)]
        return np.concatenate([TARGET, *means]).astype(np.float32)

    def way(self) -> np.ndarray:
        return TARGET - self.world.matter["head"].mean_position

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.world.reset()
        self.taken = 0
        return self.seen(), {}

    def step(self, action):
        for name, value in zip(self.actuators, np.clip(action, -1, 1), strict=True):
            self.world.set_actuation(name, float(value))
        self.world.step()
        self.taken += 1
        way = self.way()
        reward = self.world.matter["head"].mean_velocity @ way / np.linalg.norm(way)
        return self.seen(), float(reward), False, self.taken == self.steps, {}


class Watch(BaseCallback):
    """The loss of the policy without its noise after each update; these runs are not counted."""

    def __init__(self, steps: int, enough: float) -> None:
        super().__init__()
        self.other, self.enough = Finger(steps), enough
        self.losses: list[tuple[int, float]] = []  # runs until then, loss

    def _on_rollout_start(self) -> None:
        seen, _ = self.other.reset()
        for _ in range(self.other.steps):
            seen = self.other.step(self.model.predict(seen, deterministic=True)[0])[0]
        self.losses.append((self.num_timesteps // self.other.steps, float((self.other.way() ** 2).sum())))

    _on_training_end = _on_rollout_start

    def _on_step(self) -> bool:
        return self.losses[-1][1] > self.enough


def compare(times: int = 20, steps: int = 80, seed: int = 0, iterations: int = 300) -> dict:
    """Runs that each took until its loss was so much of the first; None where it was stopped before."""
    world = pl.World(pl.load("soft_finger"), threads=1)
    controller = pl.Controller(world, TARGET, seed=seed)
    loss = closed_loop(world, controller, steps, lambda tape: distance_loss(tape, "head", TARGET))
    first = loss(controller.weights)[0]
    made = descend("finger", loss, controller.weights, 0.02, iterations, SHARES[-1] * first, False)
    ours = [(k + 1, value) for k, value in enumerate(made.losses)]
    watch = Watch(steps, SHARES[-1] * first)
    # updates after ten runs
    ppo = PPO("MlpPolicy", Finger(steps), n_steps=10 * steps, batch_size=2 * steps, seed=seed, device="cpu")
    ppo.learn(times * len(ours) * steps, callback=watch)
    ways = (ours, watch.losses)
    until = {str(s): [next((n for n, loss in way if loss <= s * first), None) for way in ways] for s in SHARES}
    return {"first_loss": first, "stopped_at": times * len(ours), "until": until, "descent": ours, "ppo": watch.losses}


if __name__ == "__main__":
    given = argparse.ArgumentParser(description=__doc__)
    for name, value in {"times": 20, "steps": 80, "seed": 0}.items():
        given.add_argument(f"--{name}", type=int, default=value)
    given.add_argument("--out", type=Path, default=Path("ppo.json"))
    asked = given.parse_args()
    asked.out.write_text(json.dumps(made := compare(asked.times, asked.steps, asked.seed)))
    print("runs until the loss is so much of the first, by gradient descent and by PPO:", made["until"])
