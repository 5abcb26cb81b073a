"""The examples of soft robots, short: losses go down, gradients hold, pictures are made."""

import numpy as np
import pytest
from PIL import Image
from pliant.examples.soft_robots import arm, crawler, density, finger, leg, quadruped, swing, walker

import pliant as pl
from pliant.framing import Pose
from pliant.soft_pictures import FlatArtist, SpaceArtist, color_of, film_run, plot_losses
from pliant.soft_robots import Adam, Sines, descend, replay

TASKS = {
    "finger": lambda: finger.train("one", 6, steps=40, bar=False)[0],
    "finger, targets at random": lambda: finger.train("random", 6, steps=40, bar=False)[0],
    "walker": lambda: walker.train(6, steps=60, bar=False)[0],
    "density": lambda: density.train(4, steps=160, bar=False),
    "arm": lambda: arm.train(4, steps=60, bar=False)[0],
    "quadruped": lambda: quadruped.train(4, steps=30, bar=False)[0],
    "crawler": lambda: crawler.train(4, steps=30, bar=False)[0],
}


@pytest.mark.parametrize("task", TASKS)
def test_a_few_runs_bring_the_loss_down(task):
    made = TASKS[task]()
    assert len(made.losses) >= 3
    first = made.figures.get("first_loss", made.losses[0])
    assert made.figures.get("last_loss", made.least) < first
    assert np.isfinite(made.weights).all()


def test_training_gives_the_same_numbers_for_any_number_of_threads():
    def losses(threads):
        world = pl.World(pl.load("soft_finger"), threads)
        controller = pl.Controller(world, finger.TARGET)
        return finger.descend(
            "f",
            finger.closed_loop(world, controller, 30, lambda tape: finger.distance_loss(tape, "head", finger.TARGET)),
            controller.weights,
            0.02,
            3,
            bar=False,
        ).losses

    assert losses(1) == losses(2)


def test_the_leg_bends_away_from_a_chamber():
    # in 30 ms the foot has begun to move; 1 mm is far more than round-off and a tenth of where it ends
    for chamber in ("east", "south"):
        away = -(leg.bend(chamber, duration=0.03)[:2] @ leg.CHAMBERS[chamber])
        assert away > 1e-3


def test_constraints_of_the_swing_have_their_derivatives():
    task = swing.task(steps=40)
    x = swing.start(task)
    rng = np.random.default_rng(2)
    x[:80] = rng.uniform(-1, 1, 80)
    values, rows = task.constraints(x)
    assert rows.shape == (2, len(x))
    # the scene is in float32: along a direction differences of 1e-2 keep two digits or three
    direction = rng.uniform(-1, 1, len(x))
    ends = [task.constraints(x + side * 1e-2 * direction)[0] for side in (-1, 1)]
    assert rows @ direction == pytest.approx((ends[1] - ends[0]) / 2e-2, rel=3e-2)
    cost, by = task.cost(x)
    assert (task.cost(x + 1e-6 * direction)[0] - cost) / 1e-6 == pytest.approx(by @ direction, rel=1e-4)
    assert np.isfinite(values).all()


def test_sines_have_their_derivatives():
    world = pl.World(pl.load("soft_crawler"))
    drive = Sines(world, seed=1)
    by_value = np.random.default_rng(3).standard_normal((7, 16))

    def value(weights):
        drive.weights = weights
        return sum(float(by_value[k] @ drive.values(k)) for k in range(7))

    start = drive.weights.copy()
    found = drive.gradient(by_value)
    for k in (0, 5, 40, len(start) - 1):
        step = 1e-6 * np.eye(len(start))[k]
        assert found[k] == pytest.approx((value(start + step) - value(start - step)) / 2e-6, rel=1e-6)


def test_adam_finds_the_bottom_of_a_bowl():
    made = descend(
        "bowl", lambda w: (float(w @ w), 2 * w), np.array([1.0, -2.0]), 0.1, 300, 1e-6, bar=False, patience=5
    )
    assert made.reached
    assert made.least <= 1e-6
    assert made.least == pytest.approx(made.weights @ made.weights)
    # the first step is as long as the rate, whatever the gradient
    assert Adam(0.1).step(np.zeros(2), np.array([1e-3, 1e3])) == pytest.approx([-0.1, -0.1])


def test_films_and_curves(tmp_path):
    made, controller, world = finger.train("one", 2, steps=20, bar=False)
    artist = FlatArtist((0.2, 0.05), (0.9, 0.6), 160)
    film_run(world, replay(controller, made), 20, artist, tmp_path / "film", finger.TARGET, slower=8)
    assert (tmp_path / "film.mp4").stat().st_size > 1000
    plot_losses(tmp_path / "loss.png", {"a": made.losses}, "loss")
    with Image.open(tmp_path / "film.png") as strip, Image.open(tmp_path / "loss.png") as curve:
        assert strip.size[0] == 3 * 160 + 8
        assert curve.size[0] > 300
    # red pulls, blue pushes
    assert color_of(1.0)[0] > color_of(1.0)[2]
    assert color_of(-1.0)[2] > color_of(-1.0)[0]


def test_balls_in_space_are_where_they_are():
    world = pl.World(pl.load("soft_arm"))
    artist = SpaceArtist(Pose((1.5, -0.9, 0.9), (0.5, 0.5, 0.45)), (80, 60))
    goal = world.matter["hand"].mean_position + [0, 0, 0.15]
    with_goal, without = (artist.paint(world, {}, g).astype(int) for g in (goal, None))
    rows, columns = np.nonzero(np.abs(with_goal - without).max(axis=2) > 20)
    seen, _ = artist.to_pixels(goal)
    # within a pixel, of which half is its corner
    assert np.hypot(columns.mean() - seen[0], rows.mean() - seen[1]) < 1.5
    assert with_goal[rows, columns, 1].mean() > with_goal[rows, columns, 0].mean()


def test_the_co_design_says_what_it_needs(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "scipy.optimize", None)
    with pytest.raises(pl.BadInputError, match=r"needs scipy: pip install pliant\[optimize\]"):
        swing.train(steps=10, bar=False)


# whole trainings


@pytest.mark.long
@pytest.mark.parametrize("seed", range(5))
def test_walkers_go_further_than_they_are_wide(seed):
    assert walker.train(150, seed, bar=False)[0].figures["widths"] >= 1


@pytest.mark.long
@pytest.mark.parametrize("task", [arm, quadruped, crawler], ids=lambda task: task.__name__.rpartition(".")[2])
def test_losses_in_space_fall_to_a_tenth(task):
    made = task.train(bar=False)[0]
    assert made.reached
    assert made.figures["last_loss"] <= 0.1 * made.figures["first_loss"]


@pytest.mark.long
@pytest.mark.parametrize("targets", ["one", "random", "far"])
def test_fingers_reach_targets(targets):
    made = finger.train(targets, bar=False)[0]
    assert made.figures["last_loss"] <= 0.1 * made.figures["first_loss"]


@pytest.mark.long
def test_the_density_is_that_of_a_search():
    assert density.train(bar=False).figures["density"] == pytest.approx(density.searched(), rel=0.01)
