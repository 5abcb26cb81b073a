"""Pieces that scenes of the table share: floors, slabs, panels, things of one material."""

import math
from collections.abc import Sequence
from typing import Any

from pliant._core import Body, Boundary, Contact, Material, Matter, Motion, Scene, Shape, StepOptions
from pliant.validate.case import GRAVITY

HERE = (0.0, 0.0, 0.0)


def tilted(angle: float) -> tuple[float, float, float]:
    """Gravity in the frame of a slope that falls along x, rad."""
    return (GRAVITY * math.sin(angle), 0.0, -GRAVITY * math.cos(angle))


def piece(name: str, shape: Shape, material: str = "stuff", **rest: Any) -> Matter:
    return Matter(name=name, material=material, shape=shape, **rest)


def stuff(law: str = "neo_hookean", density: float = 1000.0, E: float = 1e6, nu: float = 0.3, **rest: Any) -> Material:
    return Material(name="stuff", law=law, density=density, E=E, nu=nu, **rest)


def water() -> Material:
    return Material(name="stuff", law="liquid", density=1000.0)


def sand(angle: float = 30.0, E: float = 1e6) -> Material:
    """angle: of internal friction, degrees."""
    return Material(name="stuff", law="sand", density=1600.0, E=E, nu=0.3, friction_angle=angle)


def plane(name: str, center: Sequence[float] = HERE, normal: Sequence[float] = (0, 0, 1), **rest: Any) -> Boundary:
    return Boundary(name=name, kind="plane", center=center, normal=normal, **rest)


def walls(half: Sequence[float], friction: float = 0.0) -> list[Boundary]:
    """Four planes around a tank that reaches from -half to half along x and y."""
    made = []
    for axis, name in enumerate("xy"):
        for side in (-1, 1):
            center, normal = [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]
            center[axis], normal[axis] = side * half[axis], -float(side)
            made.append(plane(f"{name}{side:+d}", center, normal, friction=friction))
    return made


def mjcf(world: str, rest: str = "") -> str:
    return f"<mujoco><worldbody>{world}</worldbody>{rest}</mujoco>"


def numbers(values: Sequence[float]) -> str:
    return " ".join(f"{value:.9g}" for value in values)


def box_geom(size: Sequence[float], center: Sequence[float] = HERE, rest: str = "") -> str:
    """size: edge lengths, m."""
    return f'<geom type="box" size="{numbers([s / 2 for s in size])}" pos="{numbers(center)}" {rest}/>'


def fixed(name: str, *geoms: str) -> Body:
    """Geoms that do not move, called name/part."""
    return Body(name=name, text=mjcf(f'<body name="part">{"".join(geoms)}</body>'))


def plane_body(name: str = "floor") -> Body:
    return fixed(name, '<geom type="plane" size="0 0 .1"/>')


def on_slide(name: str, axis: Sequence[float], geom: str, actuator: str = "", damping: float = 0.0) -> Body:
    """A part on a slide along the axis, free of its own weight; actuator: an element without its joint."""
    text = (
        f'<body name="part" gravcomp="1"><joint name="slide" type="slide" axis="{numbers(axis)}" '
        f'damping="{damping:.9g}"/>{geom}</body>'
    )
    return Body(name=name, text=mjcf(text, f"<actuator>{actuator}</actuator>" if actuator else ""))


MOTOR = '<motor name="force" joint="slide"/>'


def pushes(name: str, times: Sequence[float], newtons: Sequence[float]) -> Motion:
    """The force of a body's motor over time."""
    values = [[float(n)] for n in newtons]
    return Motion(kind="actuator", target=f"{name}/force", times=list(map(float, times)), values=values)


def carried(name: str, geom: str, position: Sequence[float] = HERE) -> Body:
    """A part that goes where a motion says."""
    return Body(name=name, position=position, text=mjcf(f'<body name="part" mocap="true">{geom}</body>'))


def goes(name: str, times: Sequence[float], places: Sequence[Sequence[float]], path: str = "smooth") -> Motion:
    values = [[*map(float, p), 1.0, 0.0, 0.0, 0.0] for p in places]
    return Motion(kind="mocap", target=f"{name}/part", times=list(map(float, times)), values=values, path=path)


def scene(step: StepOptions, material: Material, matter: Sequence[Matter], mu: float = 0.0, **rest: Any) -> Scene:
    """One material, and one coefficient of friction with all that it touches."""
    return Scene(step=step, materials=[material], matter=list(matter), contact=Contact(friction=mu), **rest)
