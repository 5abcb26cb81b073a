"""Jelly, sand, water and dough fall on a floor and a ball."""

from pliant._core import Boundary, Material, Matter, Scene, StepOptions
from pliant.shapes import Box, Cylinder, Sphere


def scene() -> Scene:
    return Scene(
        step=StepOptions(dt=1 / 60, cell=0.016),
        materials=[
            Material(name="jelly", law="neo_hookean", density=1000, E=3e4, nu=0.4),
            Material(name="sand", law="sand", density=1600, E=4e5, nu=0.3, friction_angle=35),
            Material(name="water", law="liquid", density=1000, bulk_modulus=1e5, viscosity=1e-3),
            Material(name="dough", law="hencky", density=1100, E=1e5, nu=0.4, yield_stress=2500),
        ],
        matter=[
            Matter(name="jelly", material="jelly", shape=Box((0.2, 0.2, 0.2), (-0.26, -0.14, 0.42))),
            Matter(name="sand", material="sand", shape=Cylinder(0.11, 0.22, (0.03, 0.05, 0.62))),
            Matter(name="water", material="water", shape=Box((0.2, 0.2, 0.2), (0.25, -0.12, 0.5))),
            Matter(name="dough", material="dough", shape=Sphere(0.12, (-0.08, 0.3, 0.36))),
        ],
        boundaries=[
            Boundary(name="floor", kind="plane", friction=0.4),
            Boundary(name="ball", kind="sphere", center=(0, 0, 0.12), radius=0.15, friction=0.3),
        ],
    )
