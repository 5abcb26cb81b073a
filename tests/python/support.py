"""Small scenes that the tests share."""

import pliant as pl

LAWS = [law for law in pl.Law if law != pl.Law.cloth]  # cloth has a shape of its own


def block(dimension=3, precision="float32", law="neo_hookean", **step):
    """Two small blocks: one on a floor (in 2-D within reach of its nodes), one above it."""
    flat = dimension == 2
    up = (0, 1) if flat else (0, 0, 1)
    down = (0, -9.81) if flat else (0, 0, -9.81)
    options = {"dt": 2e-3, "cell": 0.05, "gravity": down, **step}
    sampling = pl.Sampling(particles_per_cell=4 if flat else 8)
    size = (0.2, 0.2, 0.2)
    left, right = ((-0.2, 0.12), (0.2, 0.2)) if flat else ((-0.2, 0, 0.1), (0.2, 0, 0.2))
    return pl.Scene(
        dimension=dimension,
        precision=precision,
        step=pl.StepOptions(**options),
        materials=[pl.Material(name="rubber", law=law, E=2e4)],
        matter=[
            pl.Matter(name="left", material="rubber", shape=pl.Box(size, left), sampling=sampling),
            pl.Matter(name="right", material="rubber", shape=pl.Box(size, right), sampling=sampling),
        ],
        boundaries=[pl.Boundary(name="floor", normal=up, friction=0.4)],
    )


def run(world, steps):
    return [world.step() for _ in range(steps)]


RIG = """
<mujoco>
  <worldbody>
    <body name="plate" pos="0 0 -.01"><geom name="skin" type="box" size=".06 .08 .01"/></body>
    <body name="ball" pos="0 0 .092">
      <freejoint/>
      <geom name="ball" type="sphere" size=".02" mass=".05"/>
      <site name="top" pos="0 0 .02"/>
    </body>
  </worldbody>
</mujoco>
"""


def touching(**step):
    """A soft cube between a fixed plate and a heavy ball."""
    return pl.Scene(
        name="touching",
        precision="float64",
        duration=0.1,
        step=pl.StepOptions(**{"dt": 2e-3, "cell": 0.02, **step}),
        materials=[pl.Material(name="rubber", law="neo_hookean", E=2e4, density=500)],
        matter=[
            pl.Matter(
                name="cube",
                material="rubber",
                # plate and ball are 72 mm apart: it just touches both
                shape=pl.Box((0.08, 0.08, 0.072), (0, 0, 0.036)),
                sampling=pl.Sampling(method="lattice", jitter=0.1),
            )
        ],
        bodies=[pl.Body(name="rig", text=RIG)],
        record=pl.Record(rate=100),
    )
