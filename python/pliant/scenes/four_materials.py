"""Jelly, sand and dough fall into a tank, on its floor, a ball and each other, and water is let go in its corner."""

from pliant._core import Boundary, Material, Matter, Scene, StepOptions
from pliant.shapes import Box, Cylinder, Sphere

TANK = (1.04, 0.72, 4.0)  # m; the walls go as high as anything can jump


def scene() -> Scene:
    return Scene(
        step=StepOptions(dt=1 / 240, cell=0.016),
        materials=[
            Material(name="jelly", law="neo_hookean", density=1000, E=1.5e4, nu=0.4),
            Material(name="sand", law="sand", density=1600, E=2e5, nu=0.3, friction_angle=38),
            Material(name="water", law="liquid", density=1000, bulk_modulus=1e5, viscosity=1e-3),
            Material(name="dough", law="hencky", density=1100, E=8e4, nu=0.4, yield_stress=1250),
        ],
        matter=[
            Matter(name="jelly", material="jelly", shape=Box((0.17, 0.17, 0.17), (0.30, 0.16, 0.55))),
            Matter(name="sand", material="sand", shape=Cylinder(0.1, 0.25, (-0.34, 0.03, 0.22))),
            Matter(name="water", material="water", shape=Box((0.26, 0.22, 0.22), (0.39, -0.25, 0.11))),
            Matter(name="dough", material="dough", shape=Sphere(0.105, (-0.04, 0.03, 0.43))),
        ],
        boundaries=[
            Boundary(name="tank", kind="box", inside_out=True, center=(0, 0, TANK[2] / 2), size=TANK, friction=0.3),
            Boundary(name="ball", kind="sphere", center=(0, 0, 0.09), radius=0.13, friction=0.3),
        ],
    )
