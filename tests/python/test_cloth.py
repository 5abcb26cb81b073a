"""Cloth in Python: shapes, pins, triangles, recordings, scene files."""

from pathlib import Path

import h5py
import numpy as np
import pytest

import pliant as pl


def towel_scene() -> pl.Scene:
    towel = pl.Matter(
        name="towel",
        material="cotton",
        shape=pl.Cloth(size=(0.2, 0.1), center=(0, 0, 0.3), spacing=0.02),
        pins=[pl.Pin(name="left", center=(-0.1, 0, 0.3), radius=0.055), pl.Pin(name="right", center=(0.1, 0.05, 0.3))],
    )
    return pl.Scene(
        step=pl.StepOptions(dt=0.002, cell=0.02),
        materials=[pl.Material(name="cotton", law="cloth", friction=0.4)],
        matter=[towel, pl.Matter(name="ball", material="jelly", shape=pl.Sphere(0.02, center=(0, 0, 0.34)))],
        motion=[
            pl.Motion(kind="pin", target="towel/right", times=[0, 0.1], values=[(0.1, 0.05, 0.3), (0.08, 0.05, 0.35)])
        ],
    )


def full_scene() -> pl.Scene:
    scene = towel_scene()
    scene.materials.append(pl.Material(name="jelly", law="neo_hookean", E=1e4))
    return scene


def test_triangles_are_rows_of_the_ordered_positions() -> None:
    world = pl.World(full_scene(), threads=2)
    for _ in range(20):
        report = world.step()
    towel = world.matter["towel"]
    assert towel.triangles.dtype == np.int32
    assert towel.triangles.shape == (2 * 10 * 5, 3)
    assert world.matter["ball"].triangles.shape == (0, 3)
    positions = towel.positions[np.argsort(towel.ids)]
    vertices = len(positions) - len(towel.triangles)
    assert vertices == 11 * 6
    middles = positions[towel.triangles].mean(axis=1)
    np.testing.assert_allclose(positions[vertices:], middles, atol=1e-7)
    assert len(report.pin_impulses) == 2
    change = np.subtract(report.after.momentum, report.before.momentum)
    np.testing.assert_allclose(change, np.sum([report.gravity_impulse, *report.pin_impulses], axis=0), atol=1e-8)


def test_recordings_hold_the_triangles(tmp_path: Path) -> None:
    world = pl.World(full_scene(), threads=2)
    path = tmp_path / "towel.h5"
    with pl.Recorder(path, world) as recorder:
        for _ in range(20):
            recorder.add(world.step())
    with h5py.File(path) as file:
        np.testing.assert_array_equal(file["matter/ball/triangles"], world.surfaces["ball"].triangles)
        np.testing.assert_array_equal(file["matter/towel/triangles"], world.matter["towel"].triangles)
    with pl.Recording(path) as recording:
        triangles = recording.triangles("towel")
        # the surface of the ball: its vertices are its first particles, and what is inside comes after them
        ball = recording.frame(-1).matter["ball"].positions
        np.testing.assert_array_equal(
            ball[: recording.triangles("ball").max() + 1], world.surfaces["ball"].vertices.astype(np.float32)
        )
        positions = recording.frame(-1).matter["towel"].positions
        middles = positions[triangles].mean(axis=1)
        np.testing.assert_allclose(positions[len(positions) - len(triangles) :], middles, atol=1e-6)
        # momentum that came from nowhere, over what gravity gives in a step
        assert np.abs(recording.reports["momentum_error"]).max() < 1e-4 * 0.03 * 9.81 * 0.002
        again = recording.continue_world()
        assert again.state_hash() == world.state_hash()


def test_scene_goes_through_yaml(tmp_path: Path) -> None:
    scene = full_scene()
    file = tmp_path / "towel.yaml"
    file.write_text(scene.to_yaml())
    loaded = pl.load(str(file))
    assert loaded.matter[0] == scene.matter[0]
    assert loaded.matter[0].pins[0].radius == 0.055
    assert loaded.motion[0] == scene.motion[0]
    assert pl.World(loaded, threads=1).state_hash() == pl.World(scene, threads=1).state_hash()


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(pl.BadInputError, match="either a size"):
        pl.Cloth()
    with pytest.raises(TypeError, match=r"Matter\.pins\[0\]"):
        pl.Matter(pins=[3])
    scene = full_scene()
    scene.step.method = "strong"
    with pytest.raises(pl.BadInputError, match="method: async"):
        pl.World(scene)
