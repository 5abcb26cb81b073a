"""Small scenes that the tests share."""

import pliant as pl

LAWS = list(pl.Law)


def block(dimension=3, precision="float32", law="neo_hookean", **step):
    """Two small blocks above a floor."""
    flat = dimension == 2
    up = (0, 1) if flat else (0, 0, 1)
    down = (0, -9.81) if flat else (0, 0, -9.81)
    options = {"dt": 2e-3, "cell": 0.05, "gravity": down, **step}
    sampling = pl.Sampling(particles_per_cell=4 if flat else 8)
    size = (0.2, 0.2, 0.2)
    left, right = ((-0.2, 0.12), (0.2, 0.2)) if flat else ((-0.2, 0, 0.12), (0.2, 0, 0.2))
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
