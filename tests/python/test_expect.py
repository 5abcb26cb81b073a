"""The checks of a scene."""

from types import SimpleNamespace

import numpy as np
import pytest

import pliant as pl
from pliant.components import components, large_pieces
from pliant.expect import BODY, CLOTH, JOINT, MATTER, RUN, SENSOR, RunLog, evaluate
from pliant.runner import Plan, run
from support import block, touching

ARM = """
<mujoco>
  <compiler angle="radian"/>
  <worldbody>
    <body name="arm" pos="0 0 1">
      <joint name="shoulder" type="hinge" axis="0 1 0"/>
      <geom type="box" size=".1 .1 .1" pos=".5 0 0" mass="2"/>
      <site name="tip" pos="1 0 0"/>
    </body>
  </worldbody>
  <sensor><jointpos name="angle" joint="shoulder"/><framepos name="place" objtype="site" objname="tip"/></sensor>
</mujoco>
"""


def scene_with(*expect, **options):
    scene = block(**options)
    scene.expect = list(expect)
    return scene


def value(world, of, quantity, log=None, **box):
    """One quantity of a world, measured by a check."""
    scene = world.scene
    scene.expect = [pl.Expect(name="it", of=of, quantity=quantity, **box)]
    stand_in = SimpleNamespace(scene=scene, matter=world.matter, time=world.time, particle_count=world.particle_count)
    stand_in.model, stand_in.data = world.model, world.data
    (check,) = evaluate(stand_in, log or RunLog())
    return check.value


def test_quantities_of_matter():
    scene = block(precision="float64")
    scene.matter[0].velocity = (0.3, 0, -0.4)
    world = pl.World(scene, threads=1)
    left = world.matter["left"]
    mass = left.masses.sum()
    # the world is not deformed yet, so the sums are exact up to round-off
    assert value(world, "left", "mass") == pytest.approx(mass, rel=1e-12)
    assert value(world, "left", "volume") == pytest.approx(0.2**3, rel=1e-12)
    assert value(world, "left", "volume_change") == pytest.approx(0, abs=1e-12)
    assert value(world, "left", "volume_ratio") == pytest.approx(1, rel=1e-12)
    for axis, name in enumerate(("center_x", "center_y", "center_z")):
        assert value(world, "left", name) == pytest.approx(np.average(left.positions[:, axis], weights=left.masses))
    assert value(world, "left", "lowest") == left.positions[:, 2].min()
    assert value(world, "left", "highest") == left.positions[:, 2].max()
    assert value(world, "left", "speed") == pytest.approx(0.5, rel=1e-12)
    assert value(world, "left", "kinetic_energy") == pytest.approx(0.5 * mass * 0.25, rel=1e-12)
    assert value(world, "left", "components") == 1


def test_volume_is_that_of_the_report():
    scene = block(precision="float64")
    scene.matter = scene.matter[:1]
    world = pl.World(scene, threads=1)
    for _ in range(20):
        report = world.step()
    assert report.after.volume != pytest.approx(0.2**3, rel=1e-4)
    assert value(world, "left", "volume") == pytest.approx(report.after.volume, rel=1e-10)
    assert value(world, "left", "volume_change") == pytest.approx(report.after.volume / 0.2**3 - 1, rel=1e-6)


def test_inside_is_a_part_of_the_mass():
    world = pl.World(block(), threads=1)
    everywhere = {"box_size": (9, 9, 9)}
    assert value(world, "left", "inside", **everywhere) == 1
    half = {"box_center": (-0.2 - 0.5, 0, 0.1), "box_size": (1, 1, 1)}
    left = world.matter["left"]
    part = left.masses[left.positions[:, 0] <= -0.2].sum() / left.masses.sum()
    assert 0.3 < part < 0.7
    assert value(world, "left", "inside", **half) == pytest.approx(part, rel=1e-6)
    with pytest.raises(pl.BadInputError, match="box_size"):
        value(world, "left", "inside")


def test_height_of_a_plane_scene_is_y():
    world = pl.World(block(dimension=2), threads=1)
    assert value(world, "left", "lowest") == pytest.approx(world.matter["left"].positions[:, 1].min())
    with pytest.raises(pl.BadInputError, match="no z"):
        value(world, "left", "center_z")


def slow_components(points, reach):
    """The obvious twin: flood over all pairs."""
    near = np.linalg.norm(points[:, None] - points[None], axis=2) < reach
    labels = np.full(len(points), -1)
    for start in range(len(points)):
        if labels[start] >= 0:
            continue
        front = [start]
        while front:
            i = front.pop()
            if labels[i] < 0:
                labels[i] = start
                front += np.flatnonzero(near[i] & (labels < 0)).tolist()
    return labels


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("reach", [0.05, 0.08, 0.13, 0.2])
def test_components_are_those_of_a_flood(dimension, reach):
    points = np.random.default_rng(3).random((250, dimension))
    ours, twin = components(points, reach), slow_components(points, reach)
    pairs = set(zip(ours.tolist(), twin.tolist(), strict=True))
    assert len(pairs) == len(set(ours.tolist())) == len(set(twin.tolist()))


def test_crumbs_are_not_pieces():
    x = np.concatenate([np.arange(8), 100 + np.arange(6), 200 + np.arange(1)])
    points = np.stack([x, 0 * x], axis=1).astype(float)
    assert components(points, 1.5).max() + 1 == 3
    assert large_pieces(points, np.ones(len(points)), 1.5) == 2
    assert len(components(np.zeros((0, 3)), 1)) == 0


def test_quantities_of_a_run():
    scene = scene_with(
        # ten sums of dt in double
        pl.Expect(name="time", quantity="time", min=0.02 - 1e-15, max=0.02 + 1e-15),
        pl.Expect(name="steps", quantity="steps", min=10, max=10),
        pl.Expect(name="none failed", quantity="failed_steps", max=0),
        pl.Expect(name="particles", quantity="particles", min=1),
        # momentum: round-off of sums over a thousand particles
        pl.Expect(name="momentum", quantity="momentum_error", max=1e-9),
        precision="float64",
    )
    outcome = run(pl.World(scene, threads=1), Plan(until=0.02))
    assert outcome.ok, [str(check) for check in outcome.checks]
    assert outcome.checks[4].value > 0


def test_least_inside_remembers_the_worst_step():
    around = {"box_center": (-0.2, 0, 0.22), "box_size": (0.3, 0.3, 0.3)}
    scene = scene_with(
        pl.Expect(name="now", of="left", quantity="inside", min=1, **around),
        pl.Expect(name="always", of="left", quantity="least_inside", min=1, **around),
        pl.Expect(name="then", of="left", quantity="least_inside", at=0.01, min=1, **around),
        dt=5e-3,
    )
    # up by 0.31 m and back after 0.5 s
    scene.matter[0].shape.center, scene.matter[0].velocity = (-0.2, 0, 0.22), (0, 0, 9.81 / 4)
    outcome = run(pl.World(scene, threads=1), Plan(until=0.5))
    assert [check.ok for check in outcome.checks] == [True, False, True]
    assert outcome.checks[1].value == 0


def test_a_check_may_look_before_the_end():
    scene = scene_with(
        *(pl.Expect(name="t", quantity="time", at=at) for at in (0.0, 0.0061, 0.008, 0.02)), precision="float64"
    )
    outcome = run(pl.World(scene, threads=1), Plan(until=0.01))
    values = [check.value for check in outcome.checks]
    # after the step that reaches the time; sums of dt in double
    assert values[:3] == pytest.approx([0.002, 0.008, 0.008], abs=1e-15)
    # the run ended before
    assert np.isnan(values[3])
    assert [check.ok for check in outcome.checks] == [True, True, True, False]


def test_deepest_remembers_the_worst_step():
    scene = touching()
    scene.expect = [pl.Expect(name=of, of=of, quantity="deepest") for of in ("rig/plate", "rig/skin", "rig/ball")]
    world, depths = pl.World(scene, threads=1), []

    class Watch:
        def add(self, report):
            depths.append(-world.contacts.gap[world.contacts.body == 1].min(initial=0))

        def close(self, last_frame):
            pass

    plate, skin, ball = (check.value for check in run(world, Plan(until=0.1), Watch()).checks)
    assert plate == skin == max(depths)
    # the worst was not the last
    assert 0 < depths[-1] < plate
    assert ball > 0


def test_a_failed_step_is_counted_and_told():
    scene = scene_with(pl.Expect(name="none failed", quantity="failed_steps", max=0), dt=0.05, max_substeps=1)
    outcome = run(pl.World(scene, threads=1), Plan(until=0.1))
    assert not outcome.ok
    assert outcome.steps == 0
    assert "max_substeps" in outcome.error
    assert [check.ok for check in outcome.checks] == [False]
    assert outcome.as_dict()["error"] == outcome.error


@pytest.fixture
def arm():
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_string(ARM)
    data = mujoco.MjData(model)
    data.qpos[0], data.qvel[0] = np.radians(30), 2.0
    mujoco.mj_forward(model, data)
    world = pl.World(block(), threads=1)
    stand_in = SimpleNamespace(scene=world.scene, matter=world.matter, time=0, particle_count=0)
    stand_in.model, stand_in.data = model, data
    return stand_in


@pytest.mark.parametrize(
    ("of", "quantity", "expected"),
    [
        ("arm", "z", 1),
        ("tip", "x", np.cos(np.radians(30))),
        ("tip", "z", 1 - np.sin(np.radians(30))),
        ("arm", "height", 1 - 0.5 * np.sin(np.radians(30))),
        ("arm", "tilt_degrees", 30),
        ("tip", "tilt_degrees", 30),
        ("tip", "speed", 2),
        ("arm", "speed", 0),
        ("shoulder", "position", np.radians(30)),
        ("shoulder", "velocity", 2),
        ("angle", "value", np.radians(30)),
        ("place", "magnitude", 1),
    ],
)
def test_quantities_of_bodies(arm, of, quantity, expected):
    assert value(arm, of, quantity) == pytest.approx(expected, abs=1e-12)


def test_a_body_goes_by_the_name_it_has_in_the_scene(arm):
    import mujoco

    spec = mujoco.MjSpec()
    spec.attach(mujoco.MjSpec.from_string(ARM), prefix="robot/", frame=spec.worldbody.add_frame())
    arm.model = spec.compile()
    arm.data = mujoco.MjData(arm.model)
    mujoco.mj_forward(arm.model, arm.data)
    assert value(arm, "robot", "z") == value(arm, "robot/arm", "z") == pytest.approx(1)


@pytest.mark.parametrize(
    ("of", "quantity", "text"),
    [
        ("", "stepps", "did you mean 'steps'"),
        ("left", "volum", "did you mean 'volume'"),
        ("left", "tilt_degrees", "that is a quantity of a body"),
        ("", "mass", "that is a quantity of matter"),
        ("arm", "tilt_degree", "did you mean 'tilt_degrees'"),
        ("lefty", "mass", "nothing is called 'lefty'; did you mean 'left'"),
        ("shouldr", "position", "did you mean 'shoulder'"),
        ("left", "qqqqqq", "choose one of mass, volume"),
    ],
)
def test_what_is_not_known_is_an_error_with_the_nearest(arm, of, quantity, text):
    with pytest.raises(pl.BadInputError) as error:
        value(arm, of, quantity)
    assert text in str(error.value)
    assert "expect 'it'" in str(error.value)


def test_a_bad_check_is_known_before_the_run():
    world = pl.World(scene_with(pl.Expect(name="a", quantity="b")), threads=1)
    with pytest.raises(pl.BadInputError, match="expect 'a'"):
        run(world, Plan(until=1e9))
    assert world.time == 0


def test_bounds():
    world = pl.World(block(), threads=1)
    of = {"of": "left", "quantity": "highest"}
    top = float(world.matter["left"].positions[:, 2].max())
    checks = [{}, {"min": top}, {"max": top}, {"min": top + 1e-6}, {"max": top - 1e-6}]
    scene = world.scene
    scene.expect = [pl.Expect(name="n", **of, **bounds) for bounds in checks]
    results = evaluate(pl.World(scene, threads=1), RunLog())
    assert [check.ok for check in results] == [True, True, True, False, False]
    assert results[0].as_dict() == {"name": "n", "value": top, "bound": [None, None], "ok": True}
    assert results[1].bound == (top, None)
    assert str(results[4]).startswith("FAILED n: ")


def test_what_is_not_a_number_is_never_good():
    world = pl.World(block(), threads=1)
    scene = world.scene
    scene.expect = [pl.Expect(name="n", quantity="time")]
    stand_in = SimpleNamespace(scene=scene, matter=world.matter, time=float("nan"))
    (check,) = evaluate(stand_in, RunLog())
    assert not check.ok
    assert check.as_dict()["value"] is None


def test_the_page_names_every_quantity():
    from pathlib import Path

    page = (Path(__file__).resolve().parents[2] / "docs" / "expect.md").read_text()
    for quantity in [*RUN, *MATTER, *CLOTH, *BODY, *JOINT, *SENSOR]:
        assert f"`{quantity}`" in page


@pytest.mark.parametrize(
    ("of", "quantities"),
    [
        ("", RUN),
        ("left", MATTER),
        ("sheet", MATTER | CLOTH),
        ("robot/arm", BODY),
        ("robot/shoulder", JOINT),
        ("robot/angle", SENSOR),
    ],
)
def test_a_scene_file_may_ask_for_each(tmp_path, of, quantities):
    scene = block()
    scene.materials = [*scene.materials, pl.Material(name="cotton", law="cloth")]
    sheet = pl.Cloth(size=(0.2, 0.2), center=(0, 0, 1))
    scene.matter = [*scene.matter, pl.Matter(name="sheet", material="cotton", shape=sheet)]
    scene.bodies = [pl.Body(name="robot", text=ARM)]
    size = (1, 1, 1)
    scene.expect = [pl.Expect(name=q, of=of, quantity=q, min=0, box_size=size) for q in quantities]
    path = tmp_path / "a.yaml"
    path.write_text(scene.to_yaml())
    loaded = pl.load(path)
    assert [expect.quantity for expect in loaded.expect] == list(quantities)
    assert len(evaluate(pl.World(loaded, threads=1), RunLog())) == len(quantities)
