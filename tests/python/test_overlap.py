"""Matter that starts inside of a solid is named before it is thrown."""

import pliant as pl

BOX = '<mujoco><worldbody><geom name="table" type="box" size="0.2 0.2 0.1" pos="0 0 -0.1"/></worldbody></mujoco>'


def first_warnings(depth, law="neo_hookean", **solids):
    material = pl.Material(name="stuff", law=law, density=1000, **({} if law == "liquid" else {"E": 1e5, "nu": 0.3}))
    cube = pl.Matter(name="cube", material="stuff", shape=pl.Box((0.1, 0.1, 0.1), (0.013, 0.007, 0.05 - depth)))
    scene = pl.Scene(step=pl.StepOptions(dt=1e-3, cell=0.02), materials=[material], matter=[cube], **solids)
    world = pl.World(scene, 1)
    world.step()
    return [text for text in world.report.warnings if "starts" in text]


def test_depth_and_names_are_told():
    for law in ("neo_hookean", "liquid"):
        (text,) = first_warnings(0.005, law, boundaries=[pl.Boundary(name="floor")])
        assert "matter 'cube' starts 0.005 m inside of boundary 'floor'" in text
    (text,) = first_warnings(0.005, bodies=[pl.Body(name="rig", text=BOX)])
    assert "inside of geom 'rig/table'" in text


def test_what_lies_on_a_solid_is_not_told_of():
    assert not first_warnings(0.0, boundaries=[pl.Boundary(name="floor")])
    assert not first_warnings(0.0, "liquid", boundaries=[pl.Boundary(name="floor")])
    # a twentieth of a cell: a fit
    assert not first_warnings(0.001, boundaries=[pl.Boundary(name="floor")])


def test_what_starts_in_a_boundary_that_sticks_is_held_and_not_told_of():
    assert not first_warnings(0.005, boundaries=[pl.Boundary(name="wall", condition="stick")])
