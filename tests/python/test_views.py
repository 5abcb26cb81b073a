"""Views of particles share the memory of the world."""

import gc

import numpy as np
import pytest

import pliant as pl
from pliant import _core
from support import block, run

VECTORS = ["positions", "velocities"]
MATRICES = ["affine", "deformation_gradients"]
NUMBERS = ["plastic", "masses", "volumes"]
ALL = [*VECTORS, *MATRICES, *NUMBERS, "ids"]


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_shape_type_and_strides(dimension, precision):
    world = pl.World(block(dimension, precision), threads=1)
    run(world, 2)
    for name in world.matter:
        matter = world.matter[name]
        count = len(matter)
        shapes = dict.fromkeys(VECTORS, (count, dimension))
        shapes |= dict.fromkeys(MATRICES, (count, dimension, dimension))
        shapes |= dict.fromkeys([*NUMBERS, "ids"], (count,))
        for attribute, shape in shapes.items():
            view = getattr(matter, attribute)
            assert view.shape == shape
            assert view.dtype == (np.uint32 if attribute == "ids" else precision)
            assert not view.flags.writeable
            # one particle after the other, the numbers of one packed row by row
            inner = np.empty(shape[1:], view.dtype).strides
            assert view.strides[1:] == inner
            assert view.strides[0] >= np.prod(shape[1:], dtype=int) * view.itemsize
    assert sum(len(world.matter[name]) for name in world.matter) == world.particle_count


def test_no_copy_is_made():
    world = pl.World(block(), threads=1)
    matter = world.matter["left"]
    for attribute in ALL:
        first, second = getattr(matter, attribute), getattr(world.matter["left"], attribute)
        assert first.ctypes.data == second.ctypes.data
        assert np.shares_memory(first, second)
    # position and deformation gradient of one particle lie in one record
    positions, gradients = matter.positions, matter.deformation_gradients
    assert positions.strides[0] == gradients.strides[0]
    assert 0 < abs(gradients.ctypes.data - positions.ctypes.data) < positions.strides[0]


@pytest.mark.parametrize("dimension", [2, 3])
def test_von_mises_stress_is_that_of_the_law(dimension):
    """Neo-Hookean: dev tau = mu dev(F F^T)."""
    world = pl.World(block(dimension, "float64"), threads=1)
    run(world, 20)
    matter = world.matter["left"]
    f = matter.deformation_gradients
    b = f @ f.transpose(0, 2, 1)
    dev = b - np.trace(b, axis1=1, axis2=2)[:, None, None] / dimension * np.eye(dimension)
    mu = 2e4 / (2 * 1.3)
    expected = np.sqrt(1.5) * mu * np.linalg.norm(dev, axis=(1, 2)) / np.linalg.det(f)
    # rounding of numbers of the size of mu
    np.testing.assert_allclose(matter.von_mises, expected, rtol=1e-10, atol=1e-12 * mu)
    assert matter.von_mises.max() > 100
    material = world.scene.materials[0]
    np.testing.assert_array_equal(_core.von_mises(material, f, matter.plastic), matter.von_mises)


def test_von_mises_of_what_does_not_fit():
    with pytest.raises(TypeError, match=r"\(n, 2, 2\) or \(n, 3, 3\)"):
        _core.von_mises(pl.Material(name="a"), np.eye(3), [0])
    with pytest.raises(pl.BadInputError, match="9 numbers of F for 2 of plastic"):
        _core.von_mises(pl.Material(name="a"), np.eye(3)[None], [0, 0])


def test_writing_is_refused():
    world = pl.World(block(), threads=1)
    positions = world.matter["left"].positions
    with pytest.raises(ValueError, match="read-only"):
        positions[0, 0] = 1


def test_values_are_those_of_the_scene():
    scene = block(precision="float64")
    scene.matter[0].velocity = (1, 2, 3)
    world = pl.World(scene, threads=1)
    left = world.matter["left"]
    # one material, 1000 kg/m^3 and 0.2^3 m^3; the sampling promises the mass to 1e-6
    assert left.masses.sum() == pytest.approx(8, rel=1e-6)
    assert left.volumes.sum() == pytest.approx(0.008, rel=1e-6)
    np.testing.assert_array_equal(left.velocities, np.broadcast_to([1, 2, 3], left.velocities.shape))
    np.testing.assert_array_equal(left.deformation_gradients, np.broadcast_to(np.eye(3), left.affine.shape))
    np.testing.assert_array_equal(left.affine, 0)
    assert np.all(np.abs(left.positions - [-0.2, 0, 0.1]) <= 0.1 + 1e-12)
    ids = np.concatenate([left.ids, world.matter["right"].ids])
    assert len(set(ids.tolist())) == world.particle_count


def test_rows_of_a_matrix_are_rows():
    """A block that spins about z: C is the matrix with C x = omega cross x, so C[0, 1] = -omega."""
    scene = block(precision="float64")
    scene.matter[0].angular_velocity = (0, 0, 5)
    affine = pl.World(scene, threads=1).matter["left"].affine
    np.testing.assert_array_equal(affine[:, 0, 1], -5)
    np.testing.assert_array_equal(affine[:, 1, 0], 5)


def test_ids_tell_who_is_who():
    world = pl.World(block(gravity=(0, 0, 0)), threads=2)
    before = dict(zip(world.matter["left"].ids.tolist(), world.matter["left"].positions.tolist(), strict=True))
    run(world, 3)
    left = world.matter["left"]
    # no force, no motion; to float round-off of positions below 1 m
    for number, position in zip(left.ids.tolist(), left.positions, strict=True):
        np.testing.assert_allclose(position, before[number], atol=1e-6)


def test_a_new_view_shows_the_present():
    world = pl.World(block(precision="float64"), threads=1)
    before = world.matter["right"].positions[:, 2].mean()
    world.step()
    after = world.matter["right"].positions[:, 2].mean()
    # one step of free fall from rest, between one and no intermediate speed: g dt^2 / 2 <= fall <= g dt^2
    assert 0.5 * 9.81 * 2e-3**2 <= before - after <= 9.81 * 2e-3**2 * (1 + 1e-9)


def test_stale_views_are_safe():
    """Two states take turns, so a view's memory is never freed or moved by a step or a restore."""
    world = pl.World(block(), threads=2)
    saved = world.save()
    views = [getattr(world.matter["left"], attribute) for attribute in ALL]
    places = {world.matter["left"].positions.ctypes.data}
    for _ in range(4):
        world.step()
        places.add(world.matter["left"].positions.ctypes.data)
    world.restore(saved)
    places.add(world.matter["left"].positions.ctypes.data)
    assert len(places) == 2
    assert all(np.isfinite(view).all() for view in views)


def test_a_view_keeps_the_world_alive():
    world = pl.World(block(), threads=1)
    positions, matter = world.matter["left"].positions, world.matter["right"]
    expected = positions.copy()
    del world
    gc.collect()
    np.testing.assert_array_equal(positions, expected)
    assert len(matter.velocities) == len(matter)
    part = positions[::2, 1]
    del positions, matter
    gc.collect()
    np.testing.assert_array_equal(part, expected[::2, 1])


def test_matter_is_a_mapping_of_names():
    world = pl.World(block(), threads=1)
    assert list(world.matter) == world.matter.keys() == ["left", "right"]
    assert len(world.matter) == 2
    assert "left" in world.matter
    assert "dough" not in world.matter
    assert world.matter["left"].name == "left"
    with pytest.raises(KeyError, match="no matter 'dough'; the scene has 'left', 'right'"):
        world.matter["dough"]
    with pytest.raises(TypeError):
        world.matter[0]
