"""The finger as an environment of gymnasium, and PPO on it; test_torch_elsewhere.py runs it where they are."""

import numpy as np
import pytest

pytest.importorskip("stable_baselines3", reason="stable-baselines3 is not installed here; tools/setup torch")
from pliant.examples.soft_robots import finger_ppo


def test_rewards_add_up_to_the_way_gone():
    finger = finger_ppo.Finger(40)
    seen, _ = finger.reset()
    assert finger.observation_space.contains(seen)
    before, dt = np.linalg.norm(finger.way()), finger.world.scene.step.dt
    rewards, ended = [], False
    while not ended:
        seen, reward, _, ended, _ = finger.step(np.array([1.0, -1.0]))
        rewards.append(reward)
    assert len(rewards) == 40
    assert abs(before - np.linalg.norm(finger.way())) > 0.01
    # each reward is taken at the end of its step: a step's length of the way is a few per cent of it
    assert sum(rewards) * dt == pytest.approx(before - np.linalg.norm(finger.way()), rel=0.1)
    again, _ = finger.reset()
    assert np.array_equal(again, finger_ppo.Finger(40).seen())


def test_a_short_comparison():
    made = finger_ppo.compare(times=1, steps=8, iterations=3)
    assert [runs for runs, _ in made["descent"]] == [1, 2, 3]
    assert made["descent"][-1][1] < made["first_loss"]
    # the policy is watched before it learns
    assert made["ppo"][0][0] == 0
    assert made["stopped_at"] == 3
    assert list(made["until"]) == ["0.1", "0.01", "0.001"]
