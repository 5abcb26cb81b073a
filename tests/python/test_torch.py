"""pliant.torch: steps and runs as functions of PyTorch; test_torch_elsewhere.py runs it where PyTorch is."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import pliant as pl
from support import block, run

torch = pytest.importorskip("torch", reason="PyTorch is not installed here; tools/setup torch makes .venv-torch")

STEPS = 6
NAMES = {"positions": "positions", "velocities": "velocities", "F": "deformation_gradients", "C": "affine"}
# round-off of the numbers of a state, which a chain of nodes carries as a tape does, but sums in another order
ROUND_OFF = {"float32": 2e-5, "float64": 1e-12}


def made(precision="float64", **step):
    return pl.World(block(2, precision, substeps=2, **step), threads=1)


def by_id(world, name):
    return np.concatenate([world.matter[piece].by_id(name) for piece in world.matter])


def squeezed(k, stress):
    """What acts on the left block in step k."""
    return {"left": stress * (1 + k)}


def chain(world, state, stress, steps=STEPS):
    for k in range(steps):
        state, obs = pl.torch.step(world, state, squeezed(k, stress))
    return state, obs


def close(found, wanted, error):
    found, wanted = np.asarray(found), np.asarray(wanted)
    return np.abs(found - wanted).max() <= error * np.abs(wanted).max()


# a chain of steps


def test_steps_have_the_bits_of_the_world():
    world = made("float32")
    before = world.state_hash()
    state, obs = chain(world, None, torch.tensor(300.0))
    assert world.state_hash() == before
    twin = world.clone()
    for k in range(STEPS):
        twin.set_actuation("left", 300 * (1 + k) * np.eye(2))
        twin.step()
    for name, attribute in NAMES.items():
        assert np.array_equal(getattr(state, name).numpy(), by_id(twin, attribute)), name
    assert state.positions.dtype == torch.float32
    assert np.array_equal(state.of("right", "velocities").numpy(), twin.matter["right"].by_id("velocities"))
    assert close(obs["right"].position, twin.matter["right"].positions.mean(axis=0), 1e-6)
    assert obs.vector().shape == (8,)
    assert state.steps == STEPS


def test_branches_have_the_same_bits():
    world = made("float32")
    fork, _ = chain(world, None, torch.tensor(300.0), 3)
    first, _ = chain(world, fork, torch.tensor(100.0), 3)
    chain(world, fork, torch.tensor(-100.0), 2)
    again, _ = chain(world, fork, torch.tensor(100.0), 3)
    assert torch.equal(first.positions, again.positions)
    assert torch.equal(first.F, again.F)


def test_an_action_acts_for_its_step_alone():
    world = made()
    pushed, _ = pl.torch.step(world, None, {"left": torch.tensor(1e3)})
    rest, _ = pl.torch.step(world, pushed)
    zero, _ = pl.torch.step(world, pushed, {"left": torch.tensor(0.0)})
    assert torch.equal(rest.velocities, zero.velocities)


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("law", ["neo_hookean", "sand"])
def test_a_chain_has_the_gradient_of_a_tape(precision, law):
    scene = block(2, precision, law=law, substeps=2)
    world = pl.World(scene, threads=1)
    dtype = getattr(torch, precision)
    stress = torch.tensor([[3e3, 2e2], [2e2, -1e3]], dtype=dtype, requires_grad=True)
    given = {n: torch.tensor(by_id(world, a), requires_grad=True) for n, a in NAMES.items()}
    state = pl.torch.start(world, x0=given["positions"], v0=given["velocities"], F0=given["F"], C0=given["C"])
    state, obs = chain(world, state, stress)
    loss = (state.positions**2).sum() + (state.F * state.F).sum() + obs["right"].velocity @ torch.ones(2, dtype=dtype)
    loss.backward()

    with pl.Tape(world.clone()) as tape:
        twin = tape._world
        for k in range(STEPS):
            twin.set_actuation("left", (stress.detach().numpy() * (1 + k)).astype(np.float64))
            twin.step()
    last = STEPS - 1
    seeds = {(last, "mean_velocity", "right"): [1, 1]}
    for piece in twin.matter:
        seeds[last, "positions", piece] = 2 * twin.matter[piece].by_id("positions").astype(np.float64)
        seeds[last, "F", piece] = 2 * twin.matter[piece].by_id("deformation_gradients").astype(np.float64)
    g = tape.backward(seeds)
    for name in given:
        assert close(given[name].grad, g[f"initial.{name}"], ROUND_OFF[precision]), name
    acted = sum((1 + k) * g["actuation", "left"][k] for k in range(STEPS))
    assert close(stress.grad, acted, ROUND_OFF[precision])


def test_actuators_take_a_tensor():
    scene = block(2, "float64", substeps=2)
    scene.actuators = [
        pl.Actuator(name="muscle", matter="left", direction=(0, 1), strength=2e3),
        pl.Actuator(name="chamber", matter="right", strength=-1e3),
    ]
    world = pl.World(scene, threads=1)
    values = torch.linspace(-1, 1, 2 * STEPS, dtype=torch.float64).reshape(STEPS, 2).requires_grad_()
    state = None
    for k in range(STEPS):
        state, obs = pl.torch.step(world, state, values[k])
    obs["left"].position.sum().backward()
    chained = values.grad.clone()
    columns = {"muscle": values[:, 0], "chamber": values[:, 1]}
    end = pl.torch.rollout(world, STEPS, actuation=columns)
    values.grad = None
    end.obs["left"].position[-1].sum().backward()
    assert torch.equal(end.positions, state.positions)
    assert close(values.grad, chained, 1e-12)

    with pl.Tape(world.clone(), ["actuation"]) as tape:
        for k in range(STEPS):
            for name, column in columns.items():
                tape._world.set_actuation(name, column[k].item())
            tape._world.step()
    g = tape.backward({(STEPS - 1, "mean_position", "left"): [1, 1]})
    for i, name in enumerate(columns):
        assert close(chained[:, i], g["actuation", name], 1e-12)
    with pytest.raises(pl.BadInputError, match="a number for each of muscle, chamber"):
        pl.torch.step(world, state, torch.ones(3))
    with pytest.raises(pl.BadInputError, match=r"'muscle' has the shape \(2,\); give \(\)"):
        pl.torch.step(world, state, {"muscle": torch.ones(2)})


def test_gradcheck_of_steps():
    world = made()
    base = [torch.from_numpy(by_id(world, a)) for a in NAMES.values()]
    moduli = torch.from_numpy(np.concatenate([world.matter[p].E for p in world.matter]))

    # all in units in which a change of 1 is a large one, so that errors are seen
    def seen(x, v, F, C, E, nu, stress):
        state = pl.torch.start(
            world,
            x0=base[0] + 0.05 * x,
            v0=base[1] + 0.1 * v,
            F0=base[2] + 0.1 * F,
            C0=base[3] + C,
            E=moduli * (1 + E),
            nu=0.3 + 0.1 * nu,
        )
        state, obs = chain(world, state, 1e3 * stress, 3)
        return 10 * state.positions, state.velocities, 10 * state.F, state.C, obs.vector()

    inputs = [torch.zeros_like(b) for b in base] + [torch.zeros_like(moduli), torch.zeros_like(moduli)]
    inputs.append(torch.tensor([[1.0, 0.1], [0.1, -0.5]], dtype=torch.float64))
    for tensor in inputs:
        tensor.requires_grad_()
    assert torch.autograd.gradcheck(seen, inputs, fast_mode=True)


def test_a_closed_loop_with_a_module():
    world = made()
    torch.manual_seed(1)
    policy = torch.nn.Sequential(torch.nn.Linear(8, 1), torch.nn.Tanh()).double()

    def loss():
        state = pl.torch.start(world)
        obs = state.obs
        for _ in range(STEPS):
            state, obs = pl.torch.step(world, state, {"left": 1e4 * policy(obs.vector())[0]})
        return (state.velocities**2).mean() + obs["right"].position[0]

    loss().backward()
    weight = policy[0].weight
    along = torch.randn(weight.shape, dtype=torch.float64)
    found = float((weight.grad * along).sum())
    seen = []
    with torch.no_grad():
        for step in (1e-5, -1e-5):
            weight += step * along
            seen.append(float(loss()))
            weight -= step * along
    # differences with steps of 1e-5 keep some seven digits
    assert found == pytest.approx((seen[0] - seen[1]) / 2e-5, rel=1e-6)


def test_threads_change_no_bit():
    grads = []
    for threads in (1, 2, 3):
        world = pl.World(block(2, "float32", substeps=2), threads=threads)
        stress = torch.tensor(3e2, requires_grad=True)
        state, _ = chain(world, None, stress)
        state.positions.square().sum().backward()
        grads.append(float(stress.grad))
    assert grads[0] != 0
    assert grads == grads[:1] * 3


def test_the_past_can_be_cut_off():
    world = made()
    one, two = (torch.tensor(5e2, dtype=torch.float64, requires_grad=True) for _ in range(2))
    state, _ = pl.torch.step(world, None, {"left": one})
    state, _ = pl.torch.step(world, state.detach(), {"left": two})
    loss = state.velocities.square().sum()
    loss.backward(retain_graph=True)
    first = two.grad.clone()
    loss.backward()
    assert one.grad is None
    assert torch.equal(two.grad, 2 * first)
    with torch.no_grad():
        assert not pl.torch.step(world, None, {"left": one})[0].positions.requires_grad


# whole runs


def test_a_rollout_has_the_gradient_of_its_steps():
    world = made()
    before = world.state_hash()
    seen = []
    for way in ("steps", "rollout", "little memory"):
        v0 = torch.tensor(by_id(world, "velocities"), requires_grad=True)
        E = torch.full((world.particle_count,), 2e4, dtype=torch.float64, requires_grad=True)
        stress = torch.tensor([5e2, -2e2], dtype=torch.float64, requires_grad=True)
        stresses = torch.stack([stress * (1 + k) for k in range(STEPS)])
        if way == "steps":
            end, obs = chain(world, pl.torch.start(world, v0=v0, E=E), stress)
            last = obs["left"]
        else:
            memory = "1 GB" if way == "rollout" else 100_000
            end = pl.torch.rollout(world, STEPS, v0=v0, E=E, actuation={"left": stresses}, memory=memory)
            assert end.obs.positions.shape == (STEPS, 2, 2)
            last = pl.torch.Mean(end.obs["left"].position[-1], end.obs["left"].velocity[-1])
        ((end.positions**2).sum() + (end.F**2).sum() + last.position @ last.velocity).backward()
        seen.append((end.positions.detach(), v0.grad, E.grad, stress.grad))
    assert world.state_hash() == before
    for one, two, three in zip(*seen, strict=True):
        assert close(two, one, 1e-12)
        assert torch.equal(two, three)


def test_gradcheck_of_a_rollout():
    world = made()
    base = torch.from_numpy(by_id(world, "positions"))

    def seen(x, E, density, friction, gravity):
        end = pl.torch.rollout(
            world,
            8,
            x0=base + 0.05 * x,
            E=2e4 * E,
            density={"rubber": 1e3 * density},
            friction={"floor": friction},
            gravity=10 * gravity,
        )
        return 10 * end.positions, end.velocities, 10 * end.F, end.obs.positions, end.obs.velocities

    inputs = [torch.zeros_like(base), *(torch.tensor(v, dtype=torch.float64) for v in (1, 1, 0.4, [0.1, -1]))]
    for tensor in inputs:
        tensor.requires_grad_()
    assert torch.autograd.gradcheck(seen, inputs, fast_mode=True)


# what is refused


def test_refusals():
    world = made()
    before = world.state_hash()
    state = pl.torch.start(world)
    number = torch.tensor(1.0)
    refused = [
        (
            "no actuator or piece of matter 'arm'; there are left, right",
            lambda: pl.torch.step(world, state, {"arm": number}),
        ),
        (r"give \(\) or \(2,\) or \(2, 2\)", lambda: pl.torch.step(world, state, {"left": torch.ones(3)})),
        ("no actuators", lambda: pl.torch.step(world, state, torch.ones(2))),
        ("of another world", lambda: pl.torch.step(made(), state)),
        (r"positions have the shape \(3, 2\)", lambda: pl.torch.start(world, x0=torch.ones(3, 2))),
        ("no derivative by 'yield'", lambda: pl.torch.rollout(world, 2, **{"yield": number})),
        ("no derivative by 'stiffness'", lambda: pl.torch.rollout(world, 2, stiffness=number)),
        ("there are rubber", lambda: pl.torch.rollout(world, 2, density={"steel": number})),
        ("gravity must have 2 numbers", lambda: pl.torch.rollout(world, 2, gravity=number)),
        ("give at least 1", lambda: pl.torch.rollout(world, 0)),
        (r"give \(5,\) or", lambda: pl.torch.rollout(world, 5, actuation={"left": torch.ones(4)})),
        ("finite", lambda: pl.torch.step(world, state, {"left": torch.tensor(float("nan"))})),
    ]
    for words, act in refused:
        with pytest.raises(pl.BadInputError, match=words):
            act()
    v0 = torch.tensor(by_id(world, "velocities"), requires_grad=True)
    with pytest.raises(pl.TooLargeError, match="does not hold one step"):
        pl.torch.rollout(world, 3, v0=v0, memory=100)
    state.positions.mul_(2)
    with pytest.raises(pl.BadInputError, match="changed in place"):
        pl.torch.step(world, state)
    assert world.state_hash() == before


def test_scenes_without_an_adjoint_are_refused_when_a_gradient_is_wanted():
    world = pl.World(block(3), threads=1)
    stress = torch.tensor(10.0, requires_grad=True)
    with pytest.raises(pl.BadInputError, match="'floor' touches by contact rows.*at: nodes"):
        pl.torch.step(world, None, {"left": stress})
    with pytest.raises(pl.BadInputError, match="strong step"):
        pl.torch.rollout(
            pl.World(block(3, method="strong"), threads=1), 2, actuation={"left": torch.stack([stress, stress])}
        )
    # steps alone do not need one
    state, _ = pl.torch.step(world, None, {"left": stress.detach()})
    assert state.steps == 1


def test_losses_and_steps_that_fail_say_where():
    world = pl.World(block(2, "float32", dt=2e-3, substeps=1), threads=1)
    before = world.state_hash()
    stress = torch.tensor(1.0, requires_grad=True)
    state, _ = chain(world, None, stress, 3)
    with pytest.raises(pl.NotFiniteError, match="torch, step 2: .*look at the loss"):
        (state.positions.sum() * float("nan")).backward()
    with pytest.raises(pl.Error, match=r"torch, step \d+: "):
        chain(world, state, stress * 1e12, 20)
    # the copy in which it failed serves again
    again, _ = chain(world, None, stress, 3)
    again.positions.sum().backward()
    assert torch.isfinite(stress.grad)
    assert world.state_hash() == before


def test_a_world_may_go():
    import gc
    import weakref

    world = made()
    state, _ = chain(world, None, torch.tensor(1.0), 2)
    gone = weakref.ref(world)
    run(world, 1)
    del world
    gc.collect()
    assert gone() is None
    assert state.steps == 2


PROGRAM = """
import torch, pliant as pl
from support import block
world = pl.World(block(2), threads=1)
state, obs = pl.torch.step(world, None, {"left": torch.tensor(10.0, requires_grad=True)})
obs["left"].position.sum().backward()
end = pl.torch.rollout(world, 2, E=torch.tensor(2e4, requires_grad=True))
print(state.steps)
"""


def test_python_ends_in_silence():
    result = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, cwd=Path(__file__).parent)
    assert (result.stdout, result.stderr) == ("1\n", "")
