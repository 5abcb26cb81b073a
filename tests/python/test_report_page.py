"""The page of `pliant reproduce --report`: it is one file, and holds stills, films, plots, checks and figures."""

import base64
import io
import json
import re
import time

import imageio_ffmpeg
import numpy as np
import pytest
from PIL import Image

import pliant as pl
from browser import Browser, needs_browser
from pliant import reproduce
from pliant.report_page import write_page
from pliant.report_plots import draw, plot_energies, plot_forces, pushed_bodies
from pliant.reproduce import Choice, PaperRow, Row
from pliant.reproduce_table import below, cells
from pliant.results import Reproduced

TABLE = (
    Row(
        PaperRow("block", 0.025, 640, 500.5, 10, 1, 100, (80.5, 81), "incline"),
        {"async": {}, "careless": {"max_substeps": "1", "dt": "0.05"}},
        0.1,
    ),
)


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    choice = Choice(tmp_path_factory.mktemp("out"), threads=2, quick=True, bar=False, record=True)
    made = reproduce.run_rows(TABLE, choice, "toy")
    made[0]["expect"] = [
        {"name": "it <stays>", "value": 1.0, "bound": [0.5, None], "ok": True},
        {"name": "it flies", "value": None, "bound": [2.0, 3.0], "ok": False},
    ]
    return made


@pytest.fixture(scope="module")
def page(rows, tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    plot = folder / "plot.png"
    Image.new("RGB", (40, 30), "red").save(plot)
    made = Reproduced("toy", "Toy & table", ["Theirs: none."], cells(TABLE, rows, Choice()), below(rows))
    write_page(folder / "toy.html", made, {"rows": rows, "plots": [str(plot)]}, False)
    return folder / "toy.html"


def inlined(page, kind):
    found = re.findall(rf'src="data:{kind};base64,([^"]+)"', page.read_text())
    return [base64.b64decode(data) for data in found]


def test_page_is_one_file(page):
    text = page.read_text()
    sources = re.findall(r'(?:src|href)="([^"]{5})', text)
    assert set(sources) == {"data:", "#bloc", "#figu"}
    assert "http" not in text
    assert page.stat().st_size < 1e6


def test_checks_and_figures(page, rows):
    text = page.read_text()
    assert "<title>Toy &amp; table</title>" in text
    assert "it &lt;stays&gt;: 1 <small>(≥ 0.5)</small>" in text
    assert "it flies: not a number <small>(≥ 2, ≤ 3)</small>" in text
    assert (text.count("✓"), text.count("✗")) == (1, 1)
    assert '<p class="bad">careless: ' in text
    assert f"<td>ms/step</td><td>{rows[0]['ms_per_step']:.3g}</td><td>100</td>" in text


def test_pictures_and_film(page, rows, tmp_path):
    (still,) = inlined(page, "image/jpeg")
    with Image.open(io.BytesIO(still)) as opened:
        assert opened.size == (800, 600)
        assert np.asarray(opened).std() > 20
    # forces, energies, and the figure of the paper
    assert len(inlined(page, "image/png")) == 3
    (film,) = inlined(page, "video/mp4")
    (tmp_path / "film.mp4").write_bytes(film)
    frames, seconds = imageio_ffmpeg.count_frames_and_secs(str(tmp_path / "film.mp4"))
    # 0.1 s, 15 pictures a second, and the first
    assert frames == 2


def test_plots(rows):
    with pl.Recording(rows[0]["recording"]) as recording:
        assert pushed_bodies(recording) == ["table/table"]
        for plot in (plot_forces(recording), plot_energies(recording)):
            with Image.open(io.BytesIO(plot)) as opened:
                assert np.asarray(opened.convert("RGB")).std() > 5


def test_many_points_are_drawn_as_a_range():
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots()
    times = np.arange(10_003.0)
    draw(axes, times, np.where(times == 5_000, 7.0, 1.0), "spike")
    (line,) = axes.lines
    assert len(line.get_xdata()) <= 2000
    # a spike of one step is still to be seen
    (shade,) = axes.collections
    assert shade.get_paths()[0].vertices[:, 1].max() == 7
    plt.close(figure)


@pytest.mark.long
@needs_browser
def test_a_browser_plays_the_film(page):
    script = """
      new Promise(done => {
        const film = document.querySelector('video');
        const say = () => done([film.videoWidth, film.videoHeight, document.documentElement.scrollWidth, innerWidth]);
        film.preload = 'auto'; film.readyState >= 2 ? say() : film.addEventListener('loadeddata', say); film.load();
      }).then(JSON.stringify)
    """
    with Browser(page.as_uri()) as browser:
        end = time.monotonic() + 60
        while not browser.evaluate("!!document.querySelector('video')") and time.monotonic() < end:
            time.sleep(0.2)
        width, height, needed, there = json.loads(browser.evaluate(script))
    assert (width, height) == (480, 360)
    # nothing sticks out to the side
    assert needed <= there
