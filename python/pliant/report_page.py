"""A page of a reproduced table that needs no network: stills, films, plots, checks and figures of each scene in it."""

import base64
import io
import sys
import tempfile
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from pliant.canvas import Look
from pliant.gallery import moment_of
from pliant.pictures import Painter, settled, write_film
from pliant.recording import Recording
from pliant.replay import Replay
from pliant.report_plots import plot_energies, plot_forces
from pliant.reproduce_table import HEAD, LEGEND, PAIRS, our_cells, our_ending, paper_cells
from pliant.results import Reproduced

FILM = (480, 360)
PER_SECOND = 15  # pictures of a film
STILL = (800, 600)
MOST = ("particles", "contacts avg (max)", "ms/step")  # columns of the table at the top

STYLE = """
:root { --ink: #1d2430; --soft: #5b6675; --line: #e3e7ec; --paper: #fbfbfa; --good: #23744a; --bad: #b3261e; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 66rem; padding: 2rem 1.2rem 4rem; background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .6rem; }
h2 { font-size: 1.25rem; margin: 3rem 0 .8rem; padding-top: 1.2rem; border-top: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1.6rem 0 .4rem; }
p { margin: .2rem 0; color: var(--soft); }
a { color: inherit; }
nav { margin: 1rem 0; }
nav a { margin-right: 1rem; white-space: nowrap; }
.wide { overflow-x: auto; margin: .8rem 0; }
table { border-collapse: collapse; font-size: .85rem; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .7rem .3rem 0; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--line); }
th { font-weight: 600; }
th:first-child, td:first-child, .left { text-align: left; }
.pair { display: grid; gap: 1rem; align-items: start; margin: 1rem 0;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr)); }
img, video { display: block; width: 100%; height: auto; border-radius: 6px; background: #fff;
  border: 1px solid var(--line); }
ul { list-style: none; margin: .2rem 0; padding: 0; font-size: .9rem; }
li { padding: .15rem 0 .15rem 1.4rem; text-indent: -1.4rem; }
.good { color: var(--good); } .bad { color: var(--bad); font-weight: 600; }
pre { overflow-x: auto; font-size: .82rem; padding: .7rem; background: #fff;
  border: 1px solid var(--line); border-radius: 6px; }
"""


def write_page(path: Path, made: Reproduced, result: dict[str, Any], bar: bool | None = None) -> None:
    """result: of reproduce(), with recordings."""
    titles = list(dict.fromkeys(row["title"] for row in result["rows"]))
    parts = [heading(made, titles), table_of(made), f"<p><small>{escape(LEGEND)}</small></p>"]
    for title in titles:
        parts.append(scene_part([row for row in result["rows"] if row["title"] == title], bar))
    parts.append(figures_part(made, [Path(plot) for plot in result["plots"]]))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page(made.title, "\n".join(parts)), encoding="utf-8")


def write_tasks(path: Path, made: Reproduced, result: dict[str, Any], bar: bool | None = None) -> None:
    """result: of tasks, which leave a film each beside the page."""
    head, *rows = made.table
    parts = [heading(made, []), html_table(head, rows), f"<p><small>{escape(made.legend)}</small></p>"]
    for file in sorted(path.parent.glob(f"{made.name}_*.mp4")):
        parts.append(f"<h3>{escape(file.stem.partition('_')[2])}</h3>\n{video(file.read_bytes())}")
    parts.append(figures_part(made, [Path(plot) for plot in result["plots"]]))
    path.write_text(page(made.title, "\n".join(parts)), encoding="utf-8")


def page(title: str, body: str) -> str:
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>{STYLE}</style>
</head>
<body>
{body}
</body>
</html>
"""


# parts of the page


def heading(made: Reproduced, titles: list[str]) -> str:
    notes = "\n".join(f"<p>{escape(note)}</p>" for note in made.notes)
    links = " ".join(f'<a href="#{anchor(title)}">{escape(title)}</a>' for title in [*titles, "figures"])
    return f"<h1>{escape(made.title)}</h1>\n{notes}\n<nav>{links}</nav>"


def anchor(title: str) -> str:
    return title.replace(" ", "-")


def table_of(made: Reproduced) -> str:
    """The columns that say most; the others stand with each scene."""
    pairs = [place for name in MOST for place in (HEAD.index(name), HEAD.index(name) + 1)]
    columns = [0, 1, *pairs, HEAD.index("faster"), HEAD.index("x real time")]
    head, *rows = [[line[i] for i in columns] for line in made.table]
    return html_table(head, rows)


def html_table(head: Any, rows: Any) -> str:
    top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    lines = "\n".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<div class="wide"><table>\n<tr>{top}</tr>\n{lines}\n</table></div>'


def scene_part(ways: list[dict[str, Any]], bar: bool | None) -> str:
    title = ways[0]["title"]
    parts = [f'<h2 id="{anchor(title)}">{escape(title)}</h2>']
    recording = next((way["recording"] for way in ways if "recording" in way), None)
    if recording:
        parts += media(Path(recording), ways, bar)
    else:
        parts.append(scene_table(ways))
    parts += [checks(way) for way in ways if way["expect"]]
    parts += [
        f'<p class="{"" if way["refused"] else "bad"}">{way["method"]}: {escape(way["error"])}</p>'
        for way in ways
        if "error" in way
    ]
    return "\n".join(parts)


def scene_table(ways: list[dict[str, Any]]) -> str:
    """The row of the table, stood up."""
    good = [way for way in ways if "error" not in way]
    names = [*PAIRS, "faster", "x real time", "iterations"]
    columns = [(*our_cells(way), *our_ending(way)) for way in good]
    columns.append((*paper_cells(ways[0]), "", "", ""))
    head = ["", *(f"ours, {way['method']}" for way in good), "paper"]
    return html_table(head, zip(names, *columns, strict=True))


def checks(way: dict[str, Any]) -> str:
    items = []
    for check in way["expect"]:
        low, high = check["bound"]
        limits = [f"{sign} {limit:g}" for sign, limit in (("≥", low), ("≤", high)) if limit is not None]
        value = "not a number" if check["value"] is None else f"{check['value']:.6g}"
        mark, kind = ("✓", "good") if check["ok"] else ("✗", "bad")
        bounds = f" <small>({', '.join(limits)})</small>" if limits else ""
        items.append(f'<li><span class="{kind}">{mark}</span>&ensp;{escape(check["name"])}: {value}{bounds}</li>')
    return f"<h3>Checks, {way['method']}</h3>\n<ul>\n" + "\n".join(items) + "\n</ul>"


def figures_part(made: Reproduced, plots: list[Path]) -> str:
    pictures = "\n".join(image(plot.read_bytes(), "png", plot.stem) for plot in plots)
    parts = [f'<h2 id="figures">Figures of the paper</h2>\n<div class="pair">{pictures}</div>']
    for title, lines in made.sections:
        if not title.startswith("checks"):
            parts.append(f"<h3>{escape(title)}</h3>\n<pre>{escape(chr(10).join(lines))}</pre>")
    return "\n".join(parts)


# pictures, films and plots inside of the page


def media(file: Path, ways: list[dict[str, Any]], bar: bool | None) -> list[str]:
    """Still and film, then forces beside energies and figures."""
    scene = ways[0]["scene"]
    with Recording(file) as recording:
        still, film = film_of(recording, scene, bar)
        forces, energies = plot_forces(recording), plot_energies(recording)
    left = image(forces, "png", f"{scene}, forces") if forces else "<p>Matter pushed no body.</p>"
    right = image(energies, "png", f"{scene}, energies") if energies else "<p>Energies were not kept.</p>"
    return [
        f'<div class="pair">{image(still, "jpeg", f"{scene}, a still")}{video(film)}</div>',
        f'<div class="pair"><div>{left}</div><div>{right}{scene_table(ways)}</div></div>',
    ]


def film_of(recording: Recording, scene: str, bar: bool | None) -> tuple[bytes, bytes]:
    """A still as JPEG and a film as mp4."""
    replay = Replay(recording)
    number = replay.nearest(moment_of(scene, float(replay.times[-1])))
    with Painter(replay, STILL, replay.particle_count, settled(replay, Look(), STILL)) as painter:
        still = as_jpeg(painter.paint(replay.moment(number)))
    with (
        tempfile.TemporaryDirectory() as folder,
        Painter(replay, FILM, replay.particle_count, settled(replay, Look(), FILM)) as painter,
    ):
        path = Path(folder) / f"{scene}.mp4"
        write_film(path, painter, replay, sys.stderr.isatty() if bar is None else bar, PER_SECOND)
        return still, path.read_bytes()


def as_jpeg(picture: np.ndarray) -> bytes:
    file = io.BytesIO()
    Image.fromarray(picture).save(file, "JPEG", quality=85, optimize=True, progressive=True)
    return file.getvalue()


def inlined(data: bytes, kind: str) -> str:
    return f"data:{kind};base64,{base64.b64encode(data).decode('ascii')}"


def image(data: bytes, kind: str, text: str) -> str:
    return f'<img src="{inlined(data, f"image/{kind}")}" alt="{escape(text)}" loading="lazy">'


def video(data: bytes) -> str:
    return f'<video controls loop muted playsinline preload="auto" src="{inlined(data, "video/mp4")}"></video>'
