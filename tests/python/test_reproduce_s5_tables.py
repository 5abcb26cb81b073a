"""Tables II and III of S5: how exact gradients are, and that times are taken."""

import json
from pathlib import Path

import numpy as np
import pytest

import pliant as pl
from pliant import reproduce_s5
from pliant import reproduce_s5_tables as tables
from pliant.reproduce import Choice

CHOICE = Choice(threads=1, quick=True, bar=False)


@pytest.mark.parametrize("steps", [1, 10, 100])
def test_free_flight_is_as_exact_as_floats(steps):
    # a float's round-off, 6e-8, of sums over 3,375 particles that hardly add up
    assert tables.free_flight(steps, 1) < 1e-7


def test_the_ball_of_a_hundred_steps_flies_freely():
    world = pl.World(tables.flying_ball("float64", wall=False), threads=1)
    before = world.matter["ball"].velocities.mean(axis=0)
    for _ in range(100):
        world.step()
    assert world.matter["ball"].velocities.mean(axis=0) == pytest.approx(before, rel=1e-12)


@pytest.mark.long
def test_a_smooth_wall():
    world = pl.World(tables.flying_ball("float32", wall=True), threads=2)
    before = world.matter["ball"].velocities.mean(axis=0)
    for _ in range(1000):
        world.step()
    after = world.matter["ball"].velocities.mean(axis=0)
    # it was hit, and took nothing of the motion along it
    assert after[0] < 0 < before[0]
    assert after[1:] == pytest.approx(before[1:], rel=1e-4)
    assert tables.smooth_wall(100, 2) is None
    assert tables.smooth_wall(1000, 2) < 2.69e-5


def test_billiards_collide_and_agree_with_differences():
    world = pl.World(tables.billiards(), threads=1)
    for _ in range(100):
        world.step()
    assert world.matter["front"].velocities[:, 0].mean() > 0.1
    assert tables.colliding(10, 1) is None
    # differences with steps of 1e-6 have some eight digits
    assert tables.colliding(100, 1) < 2.39e-8


def test_a_finger_s_controller_agrees_with_differences():
    # of a loss that hardly moved in ten steps, differences keep fewer digits
    assert tables.finger(10, 1) < 2.24e-7
    assert tables.finger(100, 1) < 1e-8


def test_a_wrong_derivative_shows():
    def value(x):
        return np.array([np.sin(x[0]), x[0] * x[1] + x[1]])

    exact = np.array([[1.0, 0], [0, 1]])
    assert tables.difference_error(exact, value, 2) < 1e-9
    assert tables.difference_error(1.001 * exact, value, 2) == pytest.approx(1e-3, rel=1e-3)


def test_rows_and_lines(monkeypatch):
    monkeypatch.setattr(tables, "CUBES", tables.CUBES[-1:])
    monkeypatch.setattr(tables, "CASES", {"B": lambda steps, threads: None if steps < 100 else 3e-8})
    cube, errors = tables.reproduce(CHOICE)
    assert cube["particles"] == 6400
    assert min(cube[key] for key in ("forward_ms", "recorded_ms", "backward_ms")) > 0
    assert errors["errors"] == [None, None, 3e-8]
    # above the paper's
    assert [(check["bound"], check["ok"]) for check in errors["expect"]] == [([None, 2.39e-8], False)]
    skipped = {"title": "finger by PPO", "skipped": "needs much", "expect": []}
    (first, times), (second, lines), (third, left) = tables.sections([cube, errors, skipped])
    assert "Table II" in first
    assert "paper 0.1, 0.14, TensorFlow 13.2" in times[0]
    assert "Table III" in second
    assert "100 steps 3.00e-08 (paper 2.39e-08)" in lines[0]
    assert (third, left) == ("skipped", ["finger by PPO: needs much"])
    assert len(pl.World(tables.cube((3, 3, 3)), threads=1).matter["block"]) == 8 * 27
    only = Choice(threads=1, quick=True, bar=False, only=("table_III_B",))
    assert [row["scene"] for row in tables.reproduce(only)] == ["table_III_B"]


def test_ppo_is_skipped_by_name_where_it_is_not_installed(monkeypatch, tmp_path):
    monkeypatch.setattr(tables, "python_of_ppo", lambda: None)
    made = reproduce_s5.reproduce(Choice(tmp_path, quick=True, bar=False, only=("finger_ppo",)))
    (row,) = made["rows"]
    assert "tools/setup torch" in row["skipped"]
    assert (row["expect"], made["plots"]) == ([], [])
    assert reproduce_s5.table(made, Choice())[1][0] == "finger by PPO"
    assert reproduce_s5.sections(made)[0][0] == "skipped"


def test_a_row_of_ppo_is_what_its_program_left(monkeypatch, tmp_path):
    left = {
        "first_loss": 1.0,
        "stopped_at": 40,
        "until": {"0.1": [1, 10], "0.001": [2, None]},
        "descent": [[1, 0.1], [2, 0.001]],
        "ppo": [[0, 1.0], [20, 0.5], [40, 0.2]],
    }

    def run(command, **options):
        assert command[1].exists()
        Path(command[command.index("--out") + 1]).write_text(json.dumps(left))

    monkeypatch.setattr(tables, "python_of_ppo", lambda: "python")
    monkeypatch.setattr(tables.subprocess, "run", run)
    row = tables.ppo_row(Choice(tmp_path))
    assert (row["runs"], row["last_loss"], row["losses"]) == (40, 0.2, 20 * [1.0] + 20 * [0.5])
    # stopped at twenty times the runs
    assert [(check["value"], check["ok"]) for check in row["expect"]] == [(20, True)]
