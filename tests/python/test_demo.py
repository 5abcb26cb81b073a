"""The demo in a tiny version: files that open, with the pictures that they should have."""

import imageio_ffmpeg
import numpy as np
import pytest
from PIL import Image

import pliant as pl
from pliant.__main__ import main
from pliant.demo import Shoot, run

TINY = Shoot(duration=0.1, rate=60, stills=3, width=160, height=120)


def tiny_scene():
    scene = pl.load("four_materials")
    scene.step.cell = 0.04
    return scene


def test_shoot_counts():
    assert TINY.steps == 6
    assert TINY.still_steps == {0, 3, 6}
    assert len(Shoot().still_steps) == 6


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_strip_and_film(tmp_path, capsys):
    strip, film = run(tiny_scene(), "tiny", tmp_path / "out", threads=2, shoot=TINY)
    with Image.open(strip) as picture:
        assert picture.size == (3 * 160 + 2 * 4, 120)
        pixels = np.asarray(picture)
    # each still has its own content, not a flat colour
    for i in range(3):
        assert pixels[:, i * 164 : i * 164 + 160].std() > 5
    assert np.abs(pixels[:, :160].astype(int) - pixels[:, 328:488]).max() > 50

    frames = imageio_ffmpeg.read_frames(str(film))
    facts = next(frames)
    assert facts["size"] == (160, 120)
    assert facts["fps"] == 30
    assert sum(len(frame) == 160 * 120 * 3 for frame in frames) == TINY.steps + 1
    bar = capsys.readouterr().err
    assert "particles" in bar
    assert "real time" in bar
    assert "100%" in bar


def test_the_scene_is_as_large_as_promised():
    scene = pl.load("four_materials")
    assert {m.law for m in scene.materials} >= {"sand", "liquid"}
    assert 40_000 <= pl.World(scene).particle_count <= 80_000


def test_the_same_film_twice(tmp_path):
    pictures = []
    for folder, threads in (("a", 1), ("b", 2)):
        strip, _ = run(tiny_scene(), "tiny", tmp_path / folder, threads, TINY)
        pictures.append(strip.read_bytes())
    assert pictures[0] == pictures[1]


def test_command_line(capsys):
    main(["list"])
    assert "four_materials" in capsys.readouterr().out.split()
    with pytest.raises(SystemExit):
        main(["demo", "no_such_scene"])
    assert "four_materials" in capsys.readouterr().err
