"""Small worlds and recordings to draw, made of plain numbers."""

from types import SimpleNamespace

import mujoco
import numpy as np

import pliant as pl

STAGE = """
<mujoco>
  <worldbody>
    <light directional="true" dir="0 0 -1"/>
    <geom name="ground" type="plane" size="4 4 .1" rgba=".6 .6 .6 1"/>
    <body name="thing" pos="0 0 .3">
      <geom name="{kind}" type="{kind}" size=".3 .3 .3" rgba=".8 .1 .1 1"/>
    </body>
    <camera name="above" pos="0 0 2" xyaxes="1 0 0 0 1 0" fovy="40"/>
  </worldbody>
</mujoco>
"""


def ball_of_points(center, radius=0.1, spacing=0.02):
    ticks = np.arange(-radius, radius + spacing / 2, spacing)
    grid = np.stack(np.meshgrid(ticks, ticks, ticks, indexing="ij"), axis=-1).reshape(-1, 3)
    return grid[np.linalg.norm(grid, axis=1) <= radius] + center


def piece(points, velocity=(0, 0, 0), spacing=0.02):
    count, dimension = np.shape(points)
    return SimpleNamespace(
        positions=np.asarray(points, np.float32),
        velocities=np.tile(np.asarray(velocity[:dimension], np.float32), (count, 1)),
        deformation_gradients=np.tile(np.eye(dimension, dtype=np.float32), (count, 1, 1)),
        plastic=np.zeros(count, np.float32),
        ids=np.arange(count, dtype=np.uint32),
        volumes=np.full(count, spacing**dimension),
    )


def world_of(pieces, boundaries=(), model=None, dimension=3):
    """Anything that can be drawn: pieces by the name of their material."""
    scene = pl.Scene(
        dimension=dimension,
        step=pl.StepOptions(cell=0.04),
        materials=[pl.Material(name=name, law="neo_hookean", E=1e4) for name in pieces],
        matter=[pl.Matter(name=f"a {name}", material=name) for name in pieces],
        boundaries=list(boundaries),
    )
    data = None
    if model is not None:
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
    matter = {f"a {name}": state for name, state in pieces.items()}
    return SimpleNamespace(scene=scene, matter=matter, time=0.0, model=model, data=data)


def stage_model(kind="sphere"):
    return mujoco.MjModel.from_xml_string(STAGE.format(kind=kind))


class FakeRecording:
    """A ball of water that falls, 20 frames a second."""

    has_bodies = False

    def __init__(self, frames=6):
        self.times = np.arange(frames) / 20
        self.world = world_of({"water": piece(ball_of_points((0, 0, 0.6)))}, [pl.Boundary(name="floor")])

    def __len__(self):
        return len(self.times)

    def scene(self):
        return self.world.scene

    def volumes(self, name):
        return self.world.matter[name].volumes

    def frame(self, number):
        drop = -2.0 * self.times[number]
        start = self.world.matter["a water"]
        state = SimpleNamespace(
            positions=start.positions + np.float32([0, 0, drop]), velocities=start.velocities + np.float32([0, 0, -2])
        )
        return SimpleNamespace(time=float(self.times[number]), matter={"a water": state}, contacts={})


def sheet_piece(vertices, triangles, seed=1):
    """Cloth as a world has it: particles at the vertices, then at the middles of triangles, in any order."""
    points = np.concatenate([vertices, vertices[triangles].mean(axis=1)])
    state = piece(points)
    order = np.random.default_rng(seed).permutation(len(points))
    state.positions, state.ids = state.positions[order], (order + 100).astype(np.uint32)
    state.triangles = np.asarray(triangles, np.int32)
    return state


def folded(vertices, gap):
    """The half x > 0 of a sheet laid over the other, this far above."""
    bent = vertices.copy()
    over = bent[:, 0] > 0
    bent[over, 0] *= -1
    bent[over, 2] += gap
    return bent
