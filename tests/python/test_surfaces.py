"""The surfaces of matter as users read them."""

import numpy as np
import pytest

import pliant as pl

FLOOR = '<mujoco><worldbody><geom name="plane" type="plane" size="2 2 1" pos="0 0 .0131"/></worldbody></mujoco>'


def scene(law="neo_hookean", layer="by_law", method="strong", **material):
    return pl.Scene(
        step=pl.StepOptions(dt=0.01, cell=0.05, method=method),
        materials=[pl.Material(name="jelly", law=law, density=1000, E=5e4, nu=0.3, **material)],
        matter=[
            pl.Matter(
                name="cube",
                material="jelly",
                shape=pl.Box(size=(0.2, 0.2, 0.2), center=(0, 0, 0.1141)),
                sampling=pl.Sampling(surface_layer=layer),
            )
        ],
        bodies=[pl.Body(name="floor", text=FLOOR)],
    )


def test_a_cube_at_rest_feels_its_weight():
    world = pl.World(scene(), threads=1)
    for _ in range(100):
        world.step()
    surface = world.surfaces["cube"]
    weight = 9.81 * float(world.matter["cube"].masses.sum(dtype=float))
    assert surface.vertices.shape == surface.traction.shape == (len(surface.area), 3)
    assert surface.area.sum() == pytest.approx(0.24, rel=1e-12)
    force = (surface.traction * surface.area[:, None]).sum(0)
    # at rest to the solver's tolerance and what is left of its landing
    assert force == pytest.approx([0, 0, weight], abs=5e-3 * weight)
    assert (surface.pressure * surface.area).sum() == pytest.approx(force[2], rel=1e-9)
    # vertices are the first particles, by id
    assert np.array_equal(surface.vertices, world.matter["cube"].by_id("positions")[: len(surface.area)])
    # only those at the floor touch; edges count both faces, so pressure is that of the weight in the middle
    low = surface.vertices[:, 2] < 0.03
    assert not surface.pressure[~low].any()
    assert surface.triangles.max() == len(surface.area) - 1
    assert "cube" in world.surfaces
    assert list(world.surfaces) == ["cube"]
    assert len(world.surfaces) == 1


def test_only_matter_that_lasts_has_one():
    assert not pl.World(scene(law="hencky", yield_stress=100.0), threads=1).surfaces.keys()
    assert not pl.World(scene(layer=False), threads=1).surfaces.keys()
    assert pl.World(scene(law="hencky"), threads=1).surfaces.keys() == ["cube"]
    with pytest.raises(KeyError, match="no surface 'ball'; there are 'cube'"):
        pl.World(scene(), threads=1).surfaces["ball"]


def test_surface_layer_is_true_false_or_by_law():
    assert pl.Sampling().surface_layer == "by_law"
    assert pl.Sampling(surface_layer=True).surface_layer is True
    assert pl.Sampling(surface_layer=False).surface_layer is False
    with pytest.raises(pl.BadInputError, match="give True, False or 'by_law'"):
        pl.Sampling(surface_layer="sometimes")


@pytest.mark.parametrize("method", ["async", "strong"])
def test_a_restore_goes_on_with_the_same_bits_on_any_number_of_threads(method):
    world, other = pl.World(scene(method=method), threads=1), pl.World(scene(method=method), threads=3)
    for _ in range(12):
        world.step()
        other.step()
    assert world.state_hash() == other.state_hash()
    saved = world.save()
    for _ in range(5):
        world.step()
    other.restore(saved)
    for _ in range(5):
        other.step()
    assert world.state_hash() == other.state_hash()
    assert np.array_equal(world.surfaces["cube"].traction, other.surfaces["cube"].traction)
