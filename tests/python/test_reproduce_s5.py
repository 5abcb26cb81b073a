"""`pliant reproduce s5`: rows of tasks, their goals and plots."""

import json
from pathlib import Path

import numpy as np
import pytest

from pliant import cli, reproduce_s5
from pliant.errors import BadInputError
from pliant.reproduce import Choice
from pliant.reproduce_s5 import HEAD, NAMES, check, running_mean, table


def quick(out, *only):
    return Choice(out, threads=0, quick=True, bar=False, only=only)


def test_a_quick_look_at_some_tasks(tmp_path):
    choice = quick(tmp_path, "finger_one", "walker", "leg")
    made = reproduce_s5.reproduce(choice)
    assert [row["scene"] for row in made["rows"]] == ["finger_one", "walker", "leg"]
    finger, walker, _ = made["rows"]
    assert finger["last_loss"] < finger["first_loss"]
    assert walker["last_loss"] < walker["first_loss"]
    assert (finger["runs"], walker["runs"]) == (3, 3)
    assert all(Path(plot).exists() for plot in made["plots"])
    lines = table(made, choice)
    assert lines[0] == HEAD
    assert [line[0] for line in lines[1:]] == [row["title"] for row in made["rows"]]
    # no promise of the end without having been there
    assert all(line[HEAD.index("reached")] == "-" for line in lines[1:])
    json.dumps(made)


def test_goals_are_checks():
    row = {"scene": "arm", "title": "arm", "paper": "film", "runs": 2, "seconds": 1.0}
    good, bad = check("loss", 0.05, high=0.1), check("loss", 0.2, high=0.1)
    assert (good["ok"], bad["ok"]) == (True, False)
    assert not check("loss", float("nan"), high=0.1)["ok"]
    for checks, said in (([good], "yes"), ([good, bad], "no"), ([], "-")):
        made = {"rows": [{**row, "expect": checks}]}
        assert table(made, Choice())[1][HEAD.index("reached")] == said
    assert "FAILED loss: 0.2" in reproduce_s5.sections({"rows": [{**row, "expect": [bad]}]})[0][1][0]


def test_only_known_rows():
    with pytest.raises(BadInputError, match="no row of the table is called 'wheel'"):
        reproduce_s5.reproduce(Choice(only=("wheel",)))
    # the co-design takes half an hour, PPO another environment: they are run only when they are asked for
    asked = ["swing", "swing_100", "swing_300", "finger_ppo"]
    assert [task.name for task in reproduce_s5.ROWS if not task.wanted] == asked
    assert len(set(NAMES)) == len(NAMES)


def test_running_means():
    values = np.array([4.0, 2.0, 6.0, 8.0])
    assert running_mean(values, 2) == pytest.approx([4, 3, 4, 7])
    assert running_mean(values, 9) == pytest.approx([4, 3, 4, 5])


def test_from_the_command_line(tmp_path, capsys, monkeypatch):
    row = {"scene": "arm", "title": "3-D arm", "paper": "film", "first": True, "runs": 3, "seconds": 2.0}
    made = {"rows": [{**row, "expect": [check("loss", 0.2, high=0.1)]}], "not_yet": [], "plots": []}
    monkeypatch.setattr(reproduce_s5, "reproduce", lambda choice: made)
    assert cli.main(["reproduce", "s5", "--report", "--out", str(tmp_path)]) == 1
    assert "3-D arm" in capsys.readouterr().out
    assert "3-D arm" in (tmp_path / "s5.html").read_text()
    file = tmp_path / "results.md"
    assert cli.main(["reproduce", "s5", "--results", str(file), "--out", str(tmp_path)]) == 1
    assert "runs: simulations" in file.read_text()
