"""What a user does with the law that tests/python/test_added_law.py has built in."""

import tempfile
from pathlib import Path

import pytest

import pliant as pl
from pliant import _core

SCENE = """
pliant: 1
dimension: {dimension}
precision: {precision}
step: {{dt: 0.002, cell: 0.05, method: {method}}}
materials:
  soft: {{law: {law}, E: 2.0e+5, nu: 0.3, density: 1000{more}}}
matter:
  cube: {{material: soft, box: {{center: {center}, size: [0.2, 0.2, 0.2]}}}}
boundaries:
  floor: {{plane: {{center: {floor}}}, condition: stick}}
"""


def load(law, dimension=3, precision="float32", method="async", more=""):
    # in 2-D the floor holds nodes, those at the foot of the cube too; in 3-D it holds the cube's surface
    center, floor = ("[0, 0.1]", "[0, 0.01]") if dimension == 2 else ("[0, 0, 0.1]", "[0, 0, 0]")
    choice = {"dimension": dimension, "precision": precision, "method": method}
    text = SCENE.format(law=law, center=center, floor=floor, more=more, **choice)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "scene.yaml"
        file.write_text(text)
        return pl.load(str(file))


def sag(law, **choice):
    """How far the middle of a cube on the floor has come down after 20 steps, m."""
    world = pl.World(load(law, **choice))
    cube, axis = world.matter["cube"], choice.get("dimension", 3) - 1
    start = cube.positions[:, axis].mean()
    for _ in range(20):
        world.step()
    return start - cube.positions[:, axis].mean()


def main():
    assert pl.Law.rubber == "rubber"
    assert pl.Material(law="rubber").law is pl.Law.rubber
    assert '"rubber"' in _core.scene_schema()
    assert "cloth, rubber" in _core.scene_key_tables()["materials"]
    with pytest.raises(pl.BadFileError, match="'gamma' does not apply here; remove it: it is for liquid"):
        load("rubber", more=", gamma: 7")

    # strains are of a percent, so that it does what neo_hookean does within as much, but not to the bit
    choices = [{"dimension": d, "precision": p} for d in (2, 3) for p in ("float32", "float64")]
    for choice in [*choices, {"method": "strong"}, {"method": "strong", "precision": "float64"}]:
        mine, other = sag("rubber", **choice), sag("neo_hookean", **choice)
        assert 1e-4 < other < 2e-3, (choice, other)
        assert 0 < abs(mine - other) < 0.03 * other, (choice, mine, other)
        print(choice, mine, other)


if __name__ == "__main__":
    main()
