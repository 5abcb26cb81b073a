"""A block between two plates without friction, pressed along one axis: it yields at `yield_stress`."""

import numpy as np
import pytest

import pliant as pl

PLATES = """
<mujoco>
  <worldbody>
    <geom name="table" type="plane" size="1 1 1"/>
    <body name="press" mocap="true" pos="0 0 .06"><geom name="press" type="box" size=".1 .1 .01" pos="0 0 .01"/></body>
  </worldbody>
</mujoco>
"""
SIZE = (0.06, 0.05, 0.06)
YIELD = 1e3


def pressed(law, method, strain, **material):
    """Mean stress along the axis at this strain, in Pa, by the force on the press."""
    shape = pl.Box(SIZE, (0.0031, 0.0017, SIZE[2] / 2))
    world = pl.World(
        pl.Scene(
            precision="float64",
            step=pl.StepOptions(dt=5e-3, cell=0.0125, gravity=(0, 0, 0), method=method, plastic_flow="implicit"),
            materials=[pl.Material(name="clay", law=law, E=1e5, nu=0.3, density=1000, **material)],
            matter=[pl.Matter(name="block", material="clay", shape=shape, sampling=pl.Sampling(method="lattice"))],
            bodies=[pl.Body(name="rig", text=PLATES)],
            contact=pl.Contact(friction=0),
        ),
        1,
    )

    def extent():
        z = world.matter["block"].positions[:, 2]
        return z.min(), z.max()

    # the press brings the block down to the table, and goes on; what is measured is measured while it moves
    low, high = extent()
    end, steps, stresses = (high - low) * (1 - strain), 160, []
    for i in range(steps):
        world.data.mocap_pos[0, 2] = SIZE[2] + (end - SIZE[2]) * (i + 1) / steps
        world.step()
        # work: the force over the height of the block is the stress over its volume
        low, high = extent()
        stresses.append(world.wrench("rig/press").force[2] * (high - low) / np.prod(SIZE))
    return np.mean(stresses[-30:])


# strong: what is left is matter at the edges, which is not pressed along one axis alone (measured -2.3 and -3.4 %: the
# second law's stress is off by its strain of 1 %). async: waves of the press in some places unload what flows (-6.6 and
# -7.4 %). With |dev tau|_F <= yield it was +22 %.
@pytest.mark.parametrize("law", ["hencky", "linear_corotated"])
@pytest.mark.parametrize(("method", "bound"), [("async", 0.08), ("strong", 0.04)])
def test_a_block_yields_at_its_yield_stress(law, method, bound):
    # six times the strain at which it yields: all of it flows
    assert pressed(law, method, 6 * YIELD / 1e5, yield_stress=YIELD) == pytest.approx(YIELD, rel=bound)


def test_a_block_that_is_pressed_less_is_elastic():
    strain = 0.5 * YIELD / 1e5
    assert pressed("hencky", "strong", strain, yield_stress=YIELD) == pytest.approx(
        pressed("hencky", "strong", strain), rel=1e-6
    )
