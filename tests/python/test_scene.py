"""Scenes as plain Python objects."""

import copy
import math
import pickle
from dataclasses import dataclass

import numpy as np
import pytest

import pliant as pl
from support import block

RECORDS = [
    *(pl.Material, pl.Shape, pl.Sampling, pl.Matter, pl.Boundary, pl.StepOptions, pl.Scene),
    *(pl.Body, pl.Contact, pl.ContactPair, pl.Motion, pl.UntilForce, pl.Record, pl.Expect),
]


def test_defaults_are_those_of_the_headers():
    material = pl.Material()
    assert (material.law, material.density, material.E, material.nu) == ("neo_hookean", 1000, 1e5, 0.3)
    step = pl.StepOptions()
    assert (step.dt, step.cell, step.gravity, step.courant) == (1e-3, 0.02, (0, 0, -9.81), 0.4)
    assert (step.max_substeps, step.substeps, step.kernel, step.transfer) == (1000, 0, "quadratic", "mls")
    scene = pl.Scene()
    assert (scene.dimension, scene.precision, scene.max_particles) == (3, "float32", 20_000_000)
    assert scene.materials == scene.matter == scene.boundaries == []


def test_attributes_are_kept():
    matter = pl.Matter(name="dough", material="flour", velocity=(1, 2, 3), shape=pl.Sphere(0.2, (0, 0, 1)))
    assert (matter.name, matter.material, matter.velocity) == ("dough", "flour", (1, 2, 3))
    assert (matter.shape.kind, matter.shape.radius, matter.shape.center) == ("sphere", 0.2, (0, 0, 1))
    matter.shape.radius = 0.3
    assert matter.shape.radius == 0.3
    boundary = pl.Boundary(kind="box", inside_out=True, rotation=np.array([0, 1, 0, 0]))
    assert (boundary.kind, boundary.inside_out, boundary.rotation) == ("box", True, (0, 1, 0, 0))


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (lambda: pl.Box((1, 2, 3)), "box"),
        (lambda: pl.Sphere(1), "sphere"),
        (lambda: pl.Cylinder(1, 2), "cylinder"),
        (lambda: pl.Capsule(1, 2), "capsule"),
        (lambda: pl.Mesh("cup.stl", 0.001), "mesh"),
    ],
)
def test_short_ways_to_write_a_shape(make, kind):
    assert make().kind == kind


def test_two_numbers_are_enough_in_the_plane():
    assert pl.Shape(center=(1, 2)).center == (1, 2, 0)
    assert pl.Shape(center=np.float32([1, 2])).center == (1, 2, 0)


@dataclass
class Choice:
    owner: type
    attribute: str
    members: type


CHOICES = [
    Choice(pl.Material, "law", pl.Law),
    Choice(pl.Scene, "precision", pl.Precision),
    Choice(pl.StepOptions, "kernel", pl.Kernel),
    Choice(pl.StepOptions, "transfer", pl.Transfer),
    Choice(pl.Shape, "kind", pl.ShapeKind),
    Choice(pl.Sampling, "method", pl.SamplingMethod),
    Choice(pl.Boundary, "kind", pl.BoundaryKind),
    Choice(pl.Boundary, "condition", pl.Condition),
    Choice(pl.StepOptions, "method", pl.Method),
    Choice(pl.Contact, "law", pl.ContactLaw),
    Choice(pl.Contact, "radius", pl.FrictionRadius),
    Choice(pl.Motion, "kind", pl.MotionKind),
    Choice(pl.Motion, "path", pl.MotionPath),
]


@pytest.mark.parametrize("choice", CHOICES, ids=lambda c: c.members.__name__)
def test_choices_are_strings(choice):
    """Every member of the Python enum is known to C++, by member and by string, and there are no others."""
    thing = choice.owner()
    for member in choice.members:
        for value in (member, str(member)):
            setattr(thing, choice.attribute, value)
            assert getattr(thing, choice.attribute) is member
    with pytest.raises(pl.BadInputError) as error:
        setattr(thing, choice.attribute, "nonsense")
    known = str(error.value).split("choose one of ")[1].split(", ")
    assert known == [str(member) for member in choice.members]
    with pytest.raises(TypeError):
        setattr(thing, choice.attribute, 0)


@pytest.mark.parametrize("record", RECORDS, ids=lambda r: r.__name__)
def test_repr_is_empty_for_defaults(record):
    assert repr(record()) == f"{record.__name__}()"


def everything():
    """A scene in which no list is empty."""
    scene = block()
    scene.name = "everything"
    scene.actuators = [pl.Actuator(name="pull", matter="left", direction=(0, 0, 1), strength=5)]
    scene.bodies = [pl.Body(name="arm", file="arm.xml", position=(0, 0, 1))]
    scene.contact = pl.Contact(
        law="sap",
        friction=0.2,
        stiffness=1e8,
        dissipation=0.1,
        relaxation=0.01,
        memory=False,
        stiction=1e-3,
        radius="lagged",
    )
    scene.contact.pairs.append(pl.ContactPair(matter="left", body="arm/hand", friction=0.7, stiffness=1e7))
    scene.contact.pairs.append(pl.ContactPair(body="arm", dissipation=0))
    scene.step.method, scene.step.tolerance, scene.step.max_iterations = "one_way", 1e-6, 50
    scene.step.max_cuts, scene.step.budget = 1, 77
    scene.motion = [pl.Motion(kind="mocap", target="arm/hand", times=[0, 1], values=np.eye(2, 7), path="linear")]
    grasp = pl.Motion(target="arm/width", times=[0, 1], values=[[1], [0]], release=[False, True])
    grasp.until_force = pl.UntilForce(body="arm/finger", newton=8)
    scene.motion = [*scene.motion, grasp]
    scene.record = pl.Record(rate=30, deformation=True)
    scene.expect = [pl.Expect(name="stays", of="left", quantity="inside", box_size=(1, 1, 1), min=0.9)]
    scene.duration = 2.5
    return scene


def test_tolerance_is_that_of_the_method_unless_given():
    step = pl.StepOptions()
    assert (step.tolerance, step.solver_tolerance) == (0, 1e-2)
    step.method = "strong"
    assert (step.tolerance, step.solver_tolerance) == (0, 1e-4)
    step.tolerance = 5e-2
    assert step.solver_tolerance == 5e-2
    with pytest.raises(AttributeError):
        step.solver_tolerance = 1e-3


def test_numbers_of_a_motion():
    motion = everything().motion[0]
    assert (motion.times, motion.values[1]) == ((0, 1), (0, 1, 0, 0, 0, 0, 0))
    for wrong in (5, ["a"], [[1]]):
        with pytest.raises(TypeError, match=r"Motion.times must be a list of numbers"):
            motion.times = wrong
    with pytest.raises(TypeError, match=r"Motion.values must be a list of lists of numbers"):
        motion.values = [1, 2]
    assert len(motion.times) == len(motion.values) == 2


def test_a_motion_may_stop_on_force():
    motion = everything().motion[1]
    assert (motion.until_force.body, motion.until_force.newton, motion.release) == ("arm/finger", 8, (False, True))
    motion.until_force.newton = 9
    assert motion.until_force == pl.UntilForce(body="arm/finger", newton=9)
    for wrong in (True, [1], ["yes"]):
        with pytest.raises(TypeError, match=r"Motion.release must be a list of true and false"):
            motion.release = wrong
    with pytest.raises(TypeError, match=r"Motion.until_force must be UntilForce"):
        motion.until_force = 8


def test_pairs_of_a_contact_are_a_list():
    contact = pl.Contact(law="sap", friction=0.3, memory=False, pairs=[pl.ContactPair(matter="a")])
    contact.pairs[0].friction = 0.1
    assert contact.pairs == [pl.ContactPair(matter="a", friction=0.1)]
    with pytest.raises(TypeError, match=r"Contact.pairs\[0\]"):
        contact.pairs = [pl.Body()]


def test_repr_can_be_read_back():
    scene = everything()
    assert eval(repr(scene), vars(pl)) == scene


@pytest.mark.parametrize("clone", [copy.deepcopy, lambda s: pickle.loads(pickle.dumps(s))], ids=["copy", "pickle"])
def test_clones_are_equal_and_apart(clone):
    scene = everything()
    scene.matter[0].points = [[1, 2, 3], [4, 5, 6]]
    other = clone(scene)
    assert other == scene
    other.matter[0].shape.radius = 9
    assert other != scene
    other = clone(scene)
    other.contact.pairs[0].friction = 9
    assert other != scene


def test_records_of_other_types_differ():
    assert pl.Material() != pl.Shape()
    assert pl.Material() != "Material()"


def test_lists_of_a_scene_are_lists():
    scene = pl.Scene()
    scene.materials.append(pl.Material(name="a"))
    scene.materials[0].E = 5
    assert scene.materials[0].E == 5
    scene.matter = (pl.Matter(name=n) for n in "xy")
    assert [m.name for m in scene.matter] == ["x", "y"]


def test_points_come_as_tables():
    matter = pl.Matter(points=np.arange(6).reshape(3, 2), point_volume=1)
    np.testing.assert_array_equal(matter.points, [[0, 1, 0], [2, 3, 0], [4, 5, 0]])
    assert not matter.points.flags.writeable
    matter.points = []
    assert matter.points.shape == (0, 3)


WRONG = [
    (lambda: pl.Material(density="heavy"), "Material.density must be float, not str 'heavy'"),
    (lambda: pl.Material(E=None), "Material.E must be float, not NoneType None"),
    (lambda: pl.Material(color="red"), "Material has no 'color'; it has name, law"),
    (lambda: pl.Sampling(seed=-1), "Sampling.seed must be int of 0 or more"),
    (lambda: pl.Sampling(seed=1.5), "Sampling.seed must be int of 0 or more"),
    (lambda: pl.Sampling(surface_layer=1), "Sampling.surface_layer must be True, False or 'by_law', not int 1"),
    (lambda: pl.Shape(center=(1,)), "Shape.center must be 3 numbers, or 2 in 2-D"),
    (lambda: pl.Shape(center="ab"), "Shape.center must be 3 numbers, or 2 in 2-D"),
    (lambda: pl.Shape(rotation=(1, 0, 0)), "Shape.rotation must be 4 numbers"),
    (lambda: pl.Matter(shape="box"), "Matter.shape must be Shape"),
    (lambda: pl.Matter(points=[[1, 2, 3, 4]]), "Matter.points must be a table"),
    (lambda: pl.Matter(points=[["a", "b"]]), "Matter.points must be a table"),
    (lambda: pl.Matter(points=3), "Matter.points must be a table"),
    (lambda: pl.Scene(materials=[pl.Matter()]), "Scene.materials.0. must be Material"),
    (lambda: pl.Scene(matter=3), "Scene.matter must be a list of Matter"),
    (lambda: pl.Scene(step=3), "Scene.step must be StepOptions"),
    (lambda: pl.load(3), "name of a scene must be str"),
]


@pytest.mark.parametrize(("make", "text"), WRONG, ids=[text for _, text in WRONG])
def test_wrong_types_are_refused(make, text):
    with pytest.raises(TypeError, match=text):
        make()


def test_a_refused_value_changes_nothing():
    material = pl.Material(E=7)
    with pytest.raises(TypeError):
        material.E = "soft"
    assert material.E == 7


def test_wrong_element_is_found_when_the_world_is_made():
    scene = block()
    scene.matter.append("dough")
    with pytest.raises(TypeError, match=r"Scene.matter\[2\] must be Matter, not str 'dough'"):
        pl.World(scene)


def test_built_in_scenes():
    assert "four_materials" in pl.scene_names()
    for name in pl.scene_names():
        assert pl.load(name) == pl.load(name)
        assert pl.load(name) is not pl.load(name)
    with pytest.raises(pl.BadInputError, match="no scene 'five_materials'; choose one of .*four_materials"):
        pl.load("five_materials")
    with pytest.raises(pl.BadInputError):
        pl.load("../four_materials")


def test_numbers_of_numpy_are_numbers():
    assert pl.Material(E=np.float32(2)).E == 2
    assert pl.Sampling(seed=np.int64(5)).seed == 5
    assert math.isnan(pl.Material(E=np.nan).E)
