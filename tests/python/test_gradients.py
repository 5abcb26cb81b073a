"""Tapes: gradients of runs, and what they refuse."""

import numpy as np
import pytest

import pliant as pl
from support import block, run, touching

STEPS = 12


def loss(world, tape):
    """Looks at everything that can be watched."""
    for k in range(STEPS):
        world.set_actuation("left", [[100.0 * k, 0], [0, -50]])
        world.step()
        if k == 5:
            middle = tape.watch(k, "mean_velocity", "right")
    last = STEPS - 1
    x = tape.watch(last, "mean_position", "right")
    v = tape.watch(last, "velocities", "left")
    F = tape.watch(last, "F", "right")
    speed = tape.watch(last, "mean_squared_velocity", "left")
    value = x @ [1, 2] + 1e-2 * np.sin(v).sum() + speed + 1e-3 * (F**2).sum() + 0.1 * middle @ [1, -1]
    return value, {
        (last, "mean_position", "right"): [1, 2],
        (last, "velocities", "left"): 1e-2 * np.cos(v),
        (last, "mean_squared_velocity", "left"): 1.0,
        (last, "F", "right"): 2e-3 * F,
        (5, "mean_velocity", "right"): [0.1, -0.1],
    }


def taped(world, wrt=None, **options):
    with pl.Tape(world, wrt, **options) as tape:
        _, seeds = loss(world, tape)
    return tape, seeds


def test_gradients_agree_with_differences(capsys):
    world = pl.World(block(2, "float64"), threads=1)
    before = world.state_hash()
    wrt = ["initial", "E", "nu", "density", "loss", "friction", "gravity", "actuation"]
    rows = pl.check_gradient(world, loss, wrt)
    assert world.state_hash() == before
    # differences with steps of 1e-5 keep some seven digits
    for row in rows:
        assert row.error < 1e-6, row
        assert row.name == "initial.plastic" or row.gradient != 0
    table = capsys.readouterr().out
    assert "actuation" in table
    assert "differences" in table


def test_checks_without_a_list_are_by_all_that_can_be_changed(capsys):
    world = pl.World(block(2, "float64", substeps=2), threads=1)
    rows = {row.name: row for row in pl.check_gradient(world, loss, show=False)}
    assert {"initial.positions", "E", "E.particles", "nu.particles", "gravity", "actuation"} <= rows.keys()
    assert rows.keys().isdisjoint({"mass", "boundary_velocity", "E.matter"})
    assert all(row.error < 1e-6 for row in rows.values())
    assert capsys.readouterr().out == ""
    (one,) = pl.check_gradient(world, loss, "density", show=False)
    assert one == rows["density"] or one.error < 1e-6


def test_checks_of_a_closed_loop():
    scene = block(2, "float64", substeps=2)
    scene.actuators = [pl.Actuator(name="muscle", matter="left", direction=(0, 1), strength=1e4)]

    def closed(world, tape):
        controller = pl.Controller(world, goal=(0.1, 0.2), spread=1.0)
        for _ in range(STEPS):
            controller.act()
            world.step()
        F = tape.watch(STEPS - 1, "F", "left")
        return (F**2).sum(), {(STEPS - 1, "F", "left"): 2 * F}, controller.back

    world = pl.World(scene, threads=1)
    for row in pl.check_gradient(
        world, closed, ["initial.positions", "initial.velocities", "E", "actuation"], show=False
    ):
        assert row.error < 1e-6, row
        assert abs(row.gradient) > row.floor


def test_what_differences_cannot_tell_from_nothing_is_no_error():
    # by density a loss of mean places in free fall has no derivative, and differences have round-off
    def falls(world, tape):
        run(world, STEPS)
        x = tape.watch(STEPS - 1, "mean_position", "right")
        return x.sum(), {(STEPS - 1, "mean_position", "right"): [1, 1]}

    (row,) = pl.check_gradient(pl.World(block(2, "float64", substeps=2), threads=1), falls, "density", show=False)
    assert abs(row.gradient) < row.floor
    assert row.error < 0.1


def test_kinks_are_told_from_errors(capsys):
    # at rest sand is at the tip of its cone: it yields as soon as it is pulled, and not when it is pressed
    scene = block(2, "float64", law="sand", substeps=2)
    world = pl.World(scene, threads=1)
    rows = {row.name: row for row in pl.check_gradient(world, loss, ["initial.F", "density"])}
    assert rows["initial.F"].kink
    assert not rows["density"].kink
    shown = capsys.readouterr().out.splitlines()
    assert "kink: " in shown[1]
    assert "kink" not in shown[2]

    # a wrong derivative is no kink
    def wrong(world, tape):
        value, seeds = loss(world, tape)
        return value, {key: 1.1 * np.asarray(seed) for key, seed in seeds.items()}

    (row,) = pl.check_gradient(world, wrong, "density", show=False)
    assert row.error > 0.05
    assert not row.kink


def test_checks_say_what_is_wrong_with_a_loss():
    world = pl.World(block(2, "float64"), threads=1)
    before = world.state_hash()

    def broken(answer):
        def loss(world, tape):
            world.step()
            return answer

        return loss

    with pytest.raises(pl.BadInputError, match=r"the loss gave 1\.5; give its value and"):
        pl.check_gradient(world, broken(1.5), "E")
    with pytest.raises(pl.NotFiniteError, match="the loss is nan"):
        pl.check_gradient(world, broken((float("nan"), {})), "E")
    with pytest.raises(pl.BadInputError, match="differences by 'mass' are not known"):
        pl.check_gradient(world, loss, ["mass"])
    world.step()
    with pytest.raises(pl.BadInputError, match="a change of E needs a world at its start"):
        pl.check_gradient(world, loss, "E")
    assert world.state_hash() != before


def test_substeps_of_other_runs_are_those_of_the_first():
    # as many substeps as the speed asks for: differences of runs with other numbers would be far off
    scene = block(2, "float64", dt=8e-3)
    scene.matter[1].velocity = (0, -1)
    assert scene.step.substeps == 0
    for row in pl.check_gradient(pl.World(scene, threads=1), loss, ["initial.velocities", "E"], show=False):
        assert row.error < 1e-6, row


def test_shapes_and_names():
    world = pl.World(block(2), threads=1)
    tape, seeds = taped(world)
    g = tape.backward(seeds)
    n, left = world.particle_count, len(world.matter["left"])
    assert g["initial.positions"].shape == (n, 2)
    assert g["initial.F"].shape == g["initial.C"].shape == (n, 2, 2)
    assert g["initial.velocities", "left"].shape == (left, 2)
    assert np.array_equal(g["initial.velocities", "left"], g["initial.velocities"][:left])
    assert g["mass"].shape == g["E.particles"].shape == (n,)
    assert g["E"].shape == (1,)
    assert g["E.matter"].shape == (2,)
    assert g["E", "rubber"] == pytest.approx(g["E.matter"].sum())
    # loss is the piece's own, and depends on E too: what particles say is the stress alone
    assert g["E.particles", "right"].sum() == pytest.approx(g["E.matter", "right"], rel=0.2)
    assert g["actuation"].shape == (STEPS, 2, 2, 2)
    assert g["actuation", "left"].shape == (STEPS, 2, 2)
    assert g["friction", "floor"] == g["friction"][0]
    assert g["boundary_velocity", "floor"].shape == (STEPS, 2)
    assert g["gravity"].shape == (2,)
    assert tape.norms().shape == (STEPS, 3)
    assert (tape.norms() > 0).all()
    assert set(g) == set(g.keys())
    assert len(g) > 15


def test_particles_with_an_E_of_their_own():
    world = pl.World(block(2, "float64"), threads=1)
    right = world.matter["right"]
    rng = np.random.default_rng(5)
    E, along = right.E * rng.uniform(0.5, 1.5, len(right)), rng.standard_normal(len(right))

    def value(step):
        other = world.clone()
        other.matter["right"].set(E=E * (1 + step * along), nu=0.25)
        with pl.Tape(other) as tape:
            seen, seeds = loss(other, tape)
        return seen, tape, seeds

    _, tape, seeds = value(0)
    found = tape.backward(seeds)["E.particles", "right"] @ (E * along)
    step = 1e-4
    wanted = (value(step)[0] - value(-step)[0]) / (2 * step)
    # central differences: a few 1e-7 of it are the third derivative
    assert found == pytest.approx(wanted, rel=1e-6)
    assert np.array_equal(right.E, world.clone().matter["right"].E)  # clones had their own


def test_elasticity_is_kept_and_checked(tmp_path):
    world = pl.World(block(2), threads=1)
    left = world.matter["left"]
    E = np.linspace(1e4, 3e4, len(left))
    left.set(E=E)
    assert np.array_equal(left.E, E)
    assert (left.nu == world.scene.materials[0].nu).all()
    other = pl.World(block(2), threads=2)
    other.restore(world.save())
    twin = world.clone()
    for w in (world, other, twin):
        run(w, 5)
    assert world.state_hash() == other.state_hash() == twin.state_hash()
    with pytest.raises(ValueError, match="by id"):
        left.set(E=[1e4, 2e4])
    with pytest.raises(pl.BadInputError, match="E > 0"):
        left.set(E=-E)
    with pytest.raises(pl.BadInputError, match="nu between"):
        left.set(nu=0.5)
    world.reset()
    assert (left.E == world.scene.materials[0].E).all()


def test_several_losses_and_fewer_steps():
    tape, seeds = taped(pl.World(block(2), threads=1))
    first = {k: v for k, v in seeds.items() if k[1] == "F"}
    both = tape.backward([seeds, first])
    assert np.array_equal(both[0]["initial.positions"], tape.backward(seeds)["initial.positions"])
    assert np.array_equal(both[1]["initial.positions"], tape.backward(first)["initial.positions"])
    tape.backward(seeds, last=4)
    assert (tape.norms()[: STEPS - 4] == 0).all()
    assert (tape.norms()[STEPS - 4 :, 0] > 0).all()


def test_budget_and_threads_change_no_bit():
    tape, seeds = taped(pl.World(block(2), threads=1))
    wanted = tape.backward(seeds)
    small, _ = taped(pl.World(block(2), threads=2), memory=150_000)
    assert small.memory < 150_000 < tape.memory
    told = []
    found = small.backward(seeds, progress=lambda done, steps: told.append((done, steps)))
    for name in wanted:
        assert np.array_equal(wanted[name], found[name]), name
    assert told == [(k, STEPS) for k in range(1, STEPS + 1)]


def test_named_sets():
    world = pl.World(block(2), threads=1)
    ids = np.arange(5)
    with pl.Tape(world, ["initial.positions"], sets={"corner": ("left", ids)}) as tape:
        world.step()
        mean = tape.watch(0, "mean_position", "corner")
    assert mean == pytest.approx(world.matter["left"].by_id("positions")[ids].mean(axis=0))
    g = tape.backward({(0, "mean_position", "corner"): [1, 0]})
    assert g["initial.positions"][:, 0].sum() == pytest.approx(1, rel=1e-5)
    with pytest.raises(pl.BadInputError, match="must list particles"):
        pl.Tape(world, sets={"corner": ("left", [10**6])})


def test_clones_are_taped_at_once():
    world = pl.World(block(2), threads=1)
    one, seeds = taped(world.clone())
    two, _ = taped(world.clone())
    assert np.array_equal(one.backward(seeds)["initial.F"], two.backward(seeds)["initial.F"])


def test_refusals():
    world = pl.World(block(2), threads=1)
    with pytest.raises(pl.BadInputError, match="no derivative by 'yield'"):
        pl.Tape(world, ["yield"])
    with pytest.raises(pl.BadInputError, match="1 GB"):
        pl.Tape(world, memory="plenty")
    with pytest.raises(pl.TooLargeError, match="does not hold one step"):
        pl.Tape(world, memory=100)
    with pl.Tape(world) as tape:
        world.step()
        hash_before = world.state_hash()
        with pytest.raises(pl.BadInputError, match="while a tape records"):
            world.matter["left"].set(velocities=world.matter["left"].by_id("velocities"))
        with pytest.raises(pl.BadInputError, match="while a tape records"):
            world.reset()
        with pytest.raises(pl.BadInputError, match="another tape"):
            pl.Tape(world)
        with pytest.raises(pl.BadInputError, match="watch the last"):
            tape.watch(3, "mean_position", "left")
        with pytest.raises(pl.BadInputError, match="cannot be watched"):
            tape.watch(0, "temperature", "left")
        assert world.state_hash() == hash_before
    with pytest.raises(pl.BadInputError, match="no piece of matter or set"):
        tape.backward({(0, "positions", "middle"): 0})
    with pytest.raises(pl.NotFiniteError, match="look at the loss"):
        tape.backward({(0, "mean_position", "left"): [np.nan, 0]})
    with pytest.raises(pl.BadInputError, match="steps 0 to 0"):
        tape.backward({(5, "mean_position", "left"): [1, 0]})
    with pytest.raises(pl.BadInputError, match="was not watched"):
        tape.backward({(0, "mean_squared_velocity", "left"): 1})
    with pytest.raises(KeyError, match="was not asked for"):
        tape.backward({(0, "mean_position", "left"): [1, 0]})["temperature"]
    world.reset()


@pytest.mark.parametrize(
    ("scene", "words"),
    [
        (block(3), "'floor' touches by contact rows.*at: nodes"),
        (block(3, method="strong"), "strong step has no adjoint yet; use 'method: async'"),
        (touching(), "bodies have no adjoint yet; use boundaries 'at: nodes'"),
    ],
)
def test_what_has_no_adjoint_is_refused_by_name(scene, words):
    world, twin = pl.World(scene, threads=1), pl.World(scene, threads=1)
    before = world.state_hash()
    with pytest.raises(pl.BadInputError, match=words):
        pl.Tape(world)
    assert world.state_hash() == before
    # and no tape stands in its way
    world.reset()
    world.step()
    twin.step()
    assert world.state_hash() == twin.state_hash()


def test_too_little_memory_is_refused_before_the_first_step():
    world = pl.World(block(2), threads=1)
    before = world.state_hash()
    with pytest.raises(pl.TooLargeError, match=r"does not hold one step of \d+ particles; give it at least \d+ bytes"):
        pl.Tape(world, memory="1 kB")
    assert world.state_hash() == before
    with pl.Tape(world) as tape:
        world.step()
    assert len(tape) == 1


def test_a_failed_step_leaves_the_tape_as_it_was():
    scene = block(2, dt=2e-3, substeps=1)
    world = pl.World(scene, threads=1)
    with pl.Tape(world) as tape:
        world.step()
        world.set_actuation("left", [[1e12, 0], [0, 1e12]])
        with pytest.raises(pl.Error):
            run(world, 20)
        taken, failed = len(tape), world.state_hash()
        with pytest.raises(pl.Error):
            world.step()
        assert (len(tape), world.state_hash()) == (taken, failed)
        world.set_actuation("left", [[0, 0], [0, 0]])
    g = tape.backward({(0, "mean_position", "right"): [1, 0]})
    assert taken >= 1
    assert np.isfinite(g["initial.positions"]).all()


@pytest.mark.parametrize("law", ["neo_hookean", "sand"])
def test_two_tapes_in_a_row_have_the_gradient_of_one(law):
    # what a state is goes from tape to tape, also what the law remembers
    state = {
        "positions": "positions",
        "velocities": "velocities",
        "affine": "C",
        "deformation_gradients": "F",
        "plastic": "plastic",
    }
    world = pl.World(block(2, "float64", law=law, substeps=2), threads=1)
    with pl.Tape(world.clone()) as whole:
        run(whole._world, 6)
    seeds = {(5, "mean_position", "right"): [1, 2]}
    wanted = whole.backward(seeds)
    with pl.Tape(world) as first:
        run(world, 3)
    with pl.Tape(world) as second:
        run(world, 3)
    g = second.backward({(2, "mean_position", "right"): [1, 2]})
    every = np.empty(0, np.int64)
    handed = [
        (2, attribute, piece, g[f"initial.{name}", piece].ravel(), False, every)
        for attribute, name in state.items()
        for piece in world.matter
    ]
    (raw,) = first._tape.backward([handed], 0, None, None)
    for attribute, name in state.items():
        found = np.concatenate([raw["matter"][piece][attribute] for piece in world.matter])
        # sums in another order
        assert found == pytest.approx(wanted[f"initial.{name}"].ravel(), abs=1e-12 * np.abs(found).max()), name
