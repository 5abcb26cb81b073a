"""The demo with a robot in a tiny version: the files that it promises, with something in them."""

import imageio_ffmpeg
import numpy as np
import pytest
from PIL import Image

import pliant as pl
from pliant.robot_demo import hand_of, run


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_film_stills_and_plot(tmp_path, capsys):
    scene = pl.load("arm_stirs_sand", overrides={"step.cell": "0.04", "duration": "0.1"})
    assert hand_of(scene) == "arm/flange"
    film, strip, plot = run("tiny", tmp_path, 2, scene)
    frames = imageio_ffmpeg.read_frames(str(film))
    next(frames)
    assert sum(1 for _ in frames) >= 3
    for picture in (strip, plot):
        with Image.open(picture) as opened:
            assert np.asarray(opened.convert("RGB")).std() > 5
    with pl.Recording(tmp_path / "tiny.h5") as recording:
        assert recording.times[-1] == pytest.approx(0.1)
    assert "the hand is up again" in capsys.readouterr().out
