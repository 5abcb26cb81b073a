"""`pliant gallery`: small stills of scenes, and their table in a README."""

import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from pliant import cli, gallery
from pliant.library import scene_names


@pytest.fixture
def soon(monkeypatch):
    """Moments that come soon."""
    monkeypatch.setattr(gallery, "MOMENTS", {"incline": 0.01, "squeeze": 0.001})


def test_gallery(soon, tmp_path, capsys):
    readme, folder = tmp_path / "README.md", tmp_path / "docs" / "gallery"
    readme.write_text("# Here\n\n<!-- written by pliant gallery -->\nold\n<!-- end of pliant gallery -->\n\nmore\n")
    words = ["gallery", "--out", str(folder), "--readme", str(readme), "--threads", "2"]
    assert cli.main([*words, "--only", "incline", "--only", "squeeze"]) == 0
    assert "incline.jpg" in capsys.readouterr().out
    for name in ("incline", "squeeze"):
        assert (folder / f"{name}.jpg").stat().st_size < 100_000
        with Image.open(folder / f"{name}.jpg") as opened:
            assert opened.size == (640, 480)
            assert np.asarray(opened).std() > 20
    text = readme.read_text()
    assert (
        "| ![incline](docs/gallery/incline.jpg) | ![squeeze](docs/gallery/squeeze.jpg) |  |\n| --- | --- | --- |"
        in text
    )
    assert "old" not in text
    assert text.endswith("<!-- end of pliant gallery -->\n\nmore\n")


def test_a_scene_that_is_not_there(tmp_path, capsys):
    assert cli.main(["gallery", "--out", str(tmp_path), "--only", "juggling"]) == 2
    assert "no scene 'juggling'; choose one of" in capsys.readouterr().err


def test_table_of_four():
    lines = gallery.as_table(["a", "b", "c", "d_e"], "g").splitlines()
    assert lines[2] == "| `a` | `b` | `c` |"
    assert lines[3:] == ["| ![d e](g/d_e.jpg) |  |  |", "| `d_e` |  |  |"]


def test_pictures_of_the_readme():
    root = Path(__file__).parents[2]
    names = re.findall(r"\(docs/gallery/(\w+)\.jpg\)", (root / "README.md").read_text())
    assert names
    for name in names:
        assert name in scene_names()
        assert (root / "docs" / "gallery" / f"{name}.jpg").stat().st_size < 100_000


def test_moments_are_of_scenes():
    # those that are still to come are not known
    for name in gallery.MOMENTS:
        assert name in scene_names()
    assert gallery.moment_of("a new one", 5.0) == 3.0
