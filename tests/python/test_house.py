"""The house itself: what its documents name is there, and its files stay small enough to read."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = [p for folder in ("src", "include", "python/bindings") for p in sorted((ROOT / folder).rglob("*.[hc]*"))]


def ways():
    """Each way of src/step/README.md: its title, and the functions on it with their files."""
    text = (ROOT / "src" / "step" / "README.md").read_text()
    for paragraph in text.partition("## Hops")[2].split("\n\n")[2:]:
        title, _, rest = paragraph.partition(":")
        yield title.strip(), re.findall(r"`(\w+)`\s+\(([\w/.]+)\)", rest)


def test_functions_on_the_way_to_the_formulas_exist():
    found = dict(ways())
    assert "To the stress of a law" in found
    for title, hops in found.items():
        assert hops, title
        for name, file in hops:
            text = (ROOT / "src" / file).read_text()
            assert re.search(rf"\b{name}\(", text), f"{title}: {file} has no {name}"


def test_places_of_the_table_exist():
    table = (
        (ROOT / "src" / "step" / "README.md").read_text().partition("## Outside of this folder")[2].partition("## ")[0]
    )
    places = [p for p in re.findall(r"`([\w/]+\.\w+)`", table) if p != "CONTRIBUTING.md"]
    assert len(places) >= 6
    for place in places:
        assert any((folder / place).exists() for folder in (ROOT, ROOT / "src")), place


def test_ways_are_short():
    found = dict(ways())
    assert len(found["To the stress of a law"]) <= 6
    for title, hops in found.items():
        assert len(hops) <= 8, title


def test_files_are_short():
    long = {str(p.relative_to(ROOT)): n for p in SOURCES if (n := len(p.read_text().splitlines())) > 500}
    assert not long


def test_functions_are_short():
    # a function of ours ends with a brace in the first column, and starts with the line before its first brace
    long = []
    for path in SOURCES:
        start = None
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if (
                line.endswith("{")
                and re.match(r"[\w\[]", line)
                and not re.match(r"(namespace|struct|class|enum|union)\b", line)
            ):
                start = number
            elif line.startswith("}") and start is not None:
                if number - start + 1 > 60:
                    long.append(f"{path.relative_to(ROOT)}:{start}: {number - start + 1} lines")
                start = None
    assert not long


def test_every_folder_is_in_the_documents():
    folders = sorted(p.name for p in (ROOT / "src").iterdir() if p.is_dir())
    arrows = (ROOT / "CONTRIBUTING.md").read_text()
    readme = (ROOT / "README.md").read_text()
    for folder in folders:
        assert re.search(rf"^    {folder}\b", arrows, re.M), f"CONTRIBUTING.md has no arrow of {folder}"
        assert re.search(rf"\b{folder}\b", readme), f"README.md does not name {folder}"
