"""The soak of scenes (tools/soak, which takes hours), with a few steps."""

import dataclasses

import pytest

import pliant as pl
import soak


@pytest.fixture(scope="module")
def made():
    return soak.soak_apart("incline", 20)


def test_short_soak(made):
    assert soak.faults(made) == []
    assert made.steps == 20
    # 320 particles of 125 mm x 100 mm x 50 mm
    assert made.volume_start == pytest.approx(6.25e-4, rel=1e-5)
    assert 1e7 < made.memory_warm < 1e9


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda made: {"error": "step 3 failed"}, "step 3 failed"),
        (lambda made: {"steps": 19}, "19 of 20 steps"),
        (lambda made: {"memory_end": made.memory_warm + 3_000_000}, "memory grew by 3.0 MB"),
        (lambda made: {"volume_end": 0.9 * made.volume_start}, "volume fell to 0.900"),
    ],
)
def test_judge(made, change, fault):
    assert soak.faults(dataclasses.replace(made, **change(made))) == [fault]


def test_length():
    # 10 times 2.2 s are 22,000 steps of 1 ms; 10 times 6 s are 6,000 steps of 10 ms
    assert soak.steps_of(pl.load("incline")) == 20_000
    assert soak.steps_of(pl.load("pick_cube")) == 6_000


def test_a_process_that_dies_is_a_fault():
    assert soak.faults(soak.soak_apart("no such scene", 20))[0] == "its process ended with 1"


def test_finished_scenes_are_kept(tmp_path, monkeypatch, capsys):
    ran = []

    def quick(name, steps):
        ran.append((name, steps))
        if name == "squeeze":
            raise KeyboardInterrupt
        return soak.Soaked(steps, steps, "", 100, 200, 1.0, 0.99, 0.98, 60.0, "abc")

    monkeypatch.setattr(soak, "soak_apart", quick)
    where = ["--out", str(tmp_path)]
    # broken off at the second scene: the first one stays
    assert soak.main(["incline", "squeeze", *where]) == 130
    assert ran == [("incline", 20_000), ("squeeze", soak.steps_of(pl.load("squeeze")))]
    assert soak.main(["incline", "pick_cube", *where]) == 0
    assert ran[2:] == [("pick_cube", 6_000)]
    assert capsys.readouterr().out.splitlines() == [
        "scene      steps  minutes  grew, kB  volume  commit  verdict",
        "incline    20000      1.0         0  0.9900  abc     good",
        "pick_cube   6000      1.0         0  0.9900  abc     good",
    ]
    # another length, or when asked for
    soak.main(["incline", "--steps", "30", *where])
    soak.main(["incline", "--steps", "30", "--again", *where])
    assert ran[3:] == [("incline", 30), ("incline", 30)]


def test_a_fault_ends_with_one(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(soak, "soak_apart", lambda name, steps: soak.Soaked(3, steps, "step 4 failed"))
    assert soak.main(["incline", "--out", str(tmp_path)]) == 1
    assert "step 4 failed; 3 of 20000 steps" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        soak.main(["inclined", "--out", str(tmp_path)])
    assert "no scene inclined" in capsys.readouterr().err
