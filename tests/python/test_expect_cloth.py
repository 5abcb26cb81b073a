"""Checks of cloth, on meshes made of plain numbers."""

from types import SimpleNamespace

import numpy as np
import pytest

import pliant as pl
from pictured import folded, sheet_piece
from pliant.expect import CLOTH, RunLog, evaluate
from pliant.expect_cloth import ClothLog
from test_crossings import grid_sheet


def expect(quantity, of=""):
    return pl.Expect(name=quantity, of=of, quantity=quantity)


def world_of_cloth(*pieces, quantities=()):
    """Anything that can be checked."""
    scene = pl.Scene(record=pl.Record(rate=10))
    scene.expect = list(quantities)
    matter = {f"sheet {i}": piece for i, piece in enumerate(pieces)}
    return SimpleNamespace(scene=scene, matter=matter, time=0.0, particle_count=0, model=None, data=None)


def values(world, log):
    return [check.value for check in evaluate(world, log)]


def moved(piece, vertices):
    count = len(vertices)
    by_id = np.argsort(piece.ids)
    piece.positions[by_id[:count]] = vertices
    piece.positions[by_id[count:]] = vertices[piece.triangles].mean(axis=1)


def test_areas_are_compared_with_the_start():
    vertices, triangles = grid_sheet(21)
    piece = sheet_piece(vertices, triangles)
    world = world_of_cloth(piece, quantities=[expect(quantity, "sheet 0") for quantity in CLOTH])
    log = RunLog()
    log.listen_to(world)
    assert list(CLOTH) == ["area", "area_ratio", "flat_area", "flat_area_ratio"]
    # positions are in float
    assert values(world, log) == pytest.approx([1, 1, 1, 1], rel=1e-6)
    moved(piece, 2 * vertices)
    assert values(world, log) == pytest.approx([4, 4, 4, 4], rel=1e-6)
    moved(piece, folded(vertices, 0.0))
    assert values(world, log) == pytest.approx([1, 1, 0.5, 0.5], rel=1e-6)
    # what was never seen at its start is not known
    assert np.isnan(values(world, RunLog())[1])


def test_only_cloth_has_an_area():
    vertices, triangles = grid_sheet(3)
    piece = sheet_piece(vertices, triangles)
    for none in (np.zeros((0, 3), np.int32), None):
        piece.triangles = none
        world = world_of_cloth(piece, quantities=[expect("area", "sheet 0")])
        with pytest.raises(pl.BadInputError, match="'area': area is of cloth, and 'sheet 0' is not cloth"):
            evaluate(world, RunLog())
    world = world_of_cloth(piece, quantities=[expect("area")])
    with pytest.raises(pl.BadInputError, match="that is a quantity of cloth"):
        evaluate(world, RunLog())


def test_crossings_of_all_cloth_are_counted():
    vertices, triangles = grid_sheet(12)
    flat, other = (sheet_piece(vertices, triangles, seed=seed) for seed in (1, 2))
    liquid = SimpleNamespace(positions=np.zeros((5, 3)), ids=np.arange(5), triangles=np.zeros((0, 3), np.int32))
    world = world_of_cloth(flat, liquid, other, quantities=[expect("crossings"), expect("most_crossings")])
    moved(other, vertices + (0, 0, 0.01))
    assert values(world, RunLog()) == [0, 0]
    # upright, through the middle of a row of eleven squares: at least two triangles each
    moved(other, vertices[:, [2, 1, 0]] + (0.01, 0.003, 0.007))
    now, most = values(world, RunLog())
    assert now == most >= 22
    moved(other, np.full_like(vertices, np.nan))
    assert np.isnan(values(world, RunLog())).all()
    assert values(world_of_cloth(liquid, quantities=world.scene.expect), RunLog()) == [0, 0]


def test_the_most_crossings_of_a_run_are_those_of_its_frames():
    vertices, triangles = grid_sheet(12)
    flat, other = (sheet_piece(vertices, triangles) for _ in range(2))
    world = world_of_cloth(flat, other, quantities=[expect("crossings"), expect("most_crossings")])
    moved(other, vertices + (0, 0, 1))
    log = RunLog()
    log.listen_to(world)
    through = vertices[:, [2, 1, 0]] + (0.01, 0.003, 0.007)
    # ten frames a second: a moment between them is not seen
    for time, place, seen in ((0.05, through, False), (0.09, vertices + 1, False), (0.1, through, True)):
        world.time = time
        moved(other, place)
        log.note(world)
        assert (log.cloth.most_crossings > 0) == seen
    moved(other, vertices + (0, 0, 1))
    now, most = values(world, log)
    assert now == 0
    assert most >= 22


class OldRecording:
    """A sheet that opened while another went through it and back."""

    matter = ("a", "b")

    def __init__(self):
        self.vertices, self.mesh = grid_sheet(13)
        self.vertices = self.vertices.astype(np.float32)

    def __len__(self):
        return 3

    def triangles(self, name):
        return self.mesh

    def frame(self, number):
        shapes = [(folded(self.vertices, 0.02), 1), (self.vertices, 0), (self.vertices, 1)]
        first, height = shapes[number]
        second = self.vertices[:, [2, 1, 0]] + np.float32((0.01, 0.003, 0.007 + 2 * height))
        places = {"a": first, "b": second}
        return SimpleNamespace(matter={name: SimpleNamespace(positions=place) for name, place in places.items()})


def test_a_run_that_is_continued_knows_its_start_and_its_frames():
    log = ClothLog()
    log.look_back(OldRecording(), [expect("most_crossings")])
    assert log.first["a", "flat_area"] == pytest.approx(0.5, rel=1e-5)
    assert log.most_crossings >= 22
    quiet = ClothLog()
    quiet.look_back(OldRecording(), [])
    assert quiet.most_crossings == 0
