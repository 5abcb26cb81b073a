"""Bad input of every kind: a named error with the cure, and a world that is as it was."""

import math

import numpy as np
import pytest

import pliant as pl
from support import block, run

CODES = {
    "bad_input": pl.BadInputError,
    "too_large": pl.TooLargeError,
    "out_of_range": pl.OutOfRangeError,
    "too_fast": pl.TooFastError,
    "not_finite": pl.NotFiniteError,
    "not_converged": pl.NotConvergedError,
    "over_budget": pl.OverBudgetError,
    "interrupted": pl.StoppedError,
    "bad_file": pl.BadFileError,
}


def test_every_code_has_its_error():
    for code, kind in CODES.items():
        assert kind.code == code
        assert issubclass(kind, pl.Error)
    assert issubclass(pl.Error, RuntimeError)
    assert issubclass(pl.BadInputError, ValueError)


def change(path, value):
    """A scene with one value replaced: 'matter.0.shape.size'."""

    def make():
        scene = block()
        *owners, last = path.split(".")
        thing = scene
        for word in owners:
            thing = thing[int(word)] if word.isdigit() else getattr(thing, word)
        setattr(thing, last, value)
        return scene

    return make


def many_particles():
    scene = block()
    scene.matter[0].shape = pl.Box((1e3, 1e3, 1e3))
    return scene


BAD_SCENES = [
    (change("step.dt", 0), "bad_input", "dt is 0"),
    (change("step.dt", math.nan), "bad_input", "dt is nan"),
    (change("step.cell", 0), "bad_input", "cell is 0"),
    (change("step.cell", -1), "bad_input", "cell is -1"),
    (change("step.courant", 2), "bad_input", "courant is 2"),
    (change("step.gravity", (0, 0, math.inf)), "bad_input", "gravity is .*inf"),
    (change("step.max_substeps", 0), "bad_input", "max_substeps is 0"),
    (change("dimension", 4), "bad_input", "dimension is 4"),
    (change("materials.0.density", -1), "bad_input", "'rubber'.*density is -1 kg/m"),
    (change("materials.0.density", math.nan), "bad_input", "density is nan"),
    (change("materials.0.E", 0), "bad_input", "'rubber'.*E.* is 0 Pa"),
    (change("materials.0.nu", 0.5), "bad_input", "nu.* is 0.5"),
    (change("materials.0.name", "wood"), "bad_input", "material 'rubber' does not exist; the scene has 'wood'"),
    (change("matter", []), "bad_input", "there is no matter"),
    (change("matter.0.name", "right"), "bad_input", "'right': the name is used twice"),
    (change("matter.0.name", ""), "bad_input", "name is empty"),
    (change("matter.0.shape.size", (0, 1, 1)), "bad_input", "'left'.*size is 0 m"),
    (change("matter.0.shape.center", (0, math.nan, 0)), "bad_input", "'left'.*center is .*nan"),
    (change("matter.0.velocity", (math.inf, 0, 0)), "bad_input", "'left'.*velocity is .*inf"),
    (change("matter.0.sampling.particles_per_cell", 0), "bad_input", "particles_per_cell is 0"),
    (change("matter.0.sampling.jitter", 3), "bad_input", "jitter is 3"),
    (change("matter.0.points", [[0, 0, math.nan]]), "bad_input", "point"),
    (change("matter.0.shape", pl.Mesh("no_such_file.stl")), "bad_file", "no_such_file.stl"),
    (change("boundaries.0.friction", -0.1), "bad_input", "'floor'.*friction is -0.1"),
    (change("boundaries.0.normal", (0, 0, 0)), "bad_input", "'floor'.*normal"),
    (many_particles, "too_large", "'left'.*max_particles"),
    (change("max_particles", 100), "too_large", "max_particles is 100"),
    (change("max_memory", 1000), "too_large", "max_memory"),
]


@pytest.mark.parametrize(("make", "code", "text"), BAD_SCENES, ids=[f"{t}" for _, _, t in BAD_SCENES])
def test_a_bad_scene_is_refused(make, code, text):
    with pytest.raises(CODES[code], match=text) as error:
        pl.World(make())
    assert error.value.code == code


def test_bad_threads():
    with pytest.raises(pl.BadInputError, match="threads is -1"):
        pl.World(block(), threads=-1)
    with pytest.raises(TypeError):
        pl.World(block(), threads="two")
    with pytest.raises(TypeError):
        pl.World("four_materials")


ASYMMETRIC = [[0, 1, 0], [0, 0, 0], [0, 0, 0]]
BAD_CALLS = [
    (lambda w: w.set_actuation("left", np.full((3, 3), math.nan)), pl.BadInputError, "'left'.*nan Pa"),
    (lambda w: w.set_actuation("left", ASYMMETRIC), pl.BadInputError, "symmetric"),
    (lambda w: w.set_actuation("left", np.eye(2)), TypeError, "3x3 matrix of numbers in Pa"),
    (lambda w: w.set_actuation("left", "strong"), TypeError, "3x3 matrix of numbers in Pa"),
    (lambda w: w.set_actuation("middle", np.eye(3)), KeyError, "no matter 'middle'; the scene has 'left', 'right'"),
    (lambda w: w.set_boundary_velocity("floor", (0, 0, math.inf)), pl.BadInputError, "'floor' is inf m/s"),
    (lambda w: w.set_boundary_velocity("floor", "up"), TypeError, "Sequence"),
    (lambda w: w.set_boundary_velocity("roof", (0, 0, 0)), KeyError, "no boundary 'roof'; the scene has 'floor'"),
    (lambda w: w.restore(b""), pl.BadFileError, "not a Pliant snapshot"),
    (lambda w: w.restore(b"x" * 1000), pl.BadFileError, "not a Pliant snapshot"),
    (lambda w: w.restore("no_such_file"), pl.BadFileError, "no_such_file"),
    (lambda w: w.restore(3), TypeError, "restore"),
    (lambda w: w.save("no_such_folder/state"), pl.BadFileError, "no_such_folder"),
    (lambda w: w.save(3), TypeError, "save"),
    (lambda w: w.step(3), TypeError, "step"),
    (lambda w: w.restore(w.save()[:-1]), pl.BadFileError, "truncated"),
    (lambda w: w.restore(w.save() + b"x"), pl.BadFileError, "checksum"),
    (lambda w: w.restore(pl.World(block(2)).save()), pl.BadFileError, "another scene"),
    (lambda w: w.restore(pl.World(block(cell=0.04)).save()), pl.BadFileError, "another scene"),
    (lambda w: w.restore(pl.World(block(precision="float64")).save()), pl.BadFileError, "another scene"),
]


@pytest.mark.parametrize(("call", "kind", "text"), BAD_CALLS, ids=[f"{k.__name__} {t}" for _, k, t in BAD_CALLS])
def test_a_bad_call_changes_nothing(call, kind, text):
    world, twin = pl.World(block(), threads=1), pl.World(block(), threads=1)
    run(world, 2), run(twin, 2)
    with pytest.raises(kind, match=text):
        call(world)
    assert world.state_hash() == twin.state_hash()
    assert world.time == twin.time
    world.step(), twin.step()
    assert world.state_hash() == twin.state_hash()


def test_any_flipped_byte_is_refused():
    world = pl.World(block(2, cell=0.1), threads=1)
    world.step()
    saved, before = world.save(), world.state_hash()
    # all bytes of the head, then one in each stretch of the rest
    places = [*range(64), *range(64, len(saved), max(1, len(saved) // 200)), len(saved) - 1]
    for place in places:
        damaged = bytearray(saved)
        damaged[place] ^= 0x10
        with pytest.raises(pl.BadFileError):
            world.restore(bytes(damaged))
    assert world.state_hash() == before


def test_a_failed_step_changes_nothing():
    scene = block(max_substeps=1, dt=0.5)
    world = pl.World(scene, threads=2)
    before = world.state_hash()
    with pytest.raises(pl.Error) as error:
        world.step()
    assert error.value.code in ("bad_input", "too_fast")
    assert "substeps" in str(error.value)
    assert (world.state_hash(), world.time) == (before, 0)


def test_leaving_the_grid_is_named():
    scene = block()
    scene.matter[0].shape.center = (0, 0, 1e6 * scene.step.cell)
    with pytest.raises(pl.OutOfRangeError) as error:
        run(pl.World(scene, threads=1), 1)
    assert "left" in str(error.value) or "cells" in str(error.value)
