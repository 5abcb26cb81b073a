"""The models in models/: published figures, rest under gravity, motion, and robots put together with mjSpec."""

import math
from pathlib import Path

import mujoco
import numpy as np
import pytest

MODELS = Path(__file__).parents[2] / "models"
NAMES = ["allegro", "bin", "iiwa7", "marble_pin", "mug", "panel", "pincer", "rolling_pin", "scoop", "table", "wsg50"]
ROBOTS = ["allegro", "iiwa7", "wsg50"]
STEPS = [0.002, 0.01]

# rest is a balance of equal terms, and servos settle to it: what is left is round-off of numbers up to 3
ROUND_OFF = 1e-12

# published: mass in kg, ranges in degrees or m
PUBLISHED_MASS = {"iiwa7": 23.9, "wsg50": 1.2, "allegro": 1.08}
IIWA_RANGE = [170, 120, 170, 120, 170, 120, 175]
IIWA_TORQUE = [176, 176, 110, 110, 110, 40, 40]
IIWA_SPEED = [98, 98, 100, 130, 140, 180, 180]
FINGER_RANGE = [(-0.47, 0.47), (-0.196, 1.61), (-0.174, 1.709), (-0.227, 1.618)]
THUMB_RANGE = [(0.263, 1.396), (-0.105, 1.163), (-0.189, 1.644), (-0.162, 1.719)]
GRIP_FORCE = 80.0
GRIP_STROKE = 0.11
GRIP_SPEED = 0.42


def path(name):
    return MODELS / name / f"{name}.xml"


def load(name):
    return mujoco.MjModel.from_xml_path(str(path(name)))


def attach(spec, name, prefix, site=None, **pose):
    child = mujoco.MjSpec.from_file(str(path(name)))
    if site:
        spec.attach(child, prefix=prefix, site=spec.site(site))
    else:
        spec.attach(child, prefix=prefix, frame=spec.worldbody.add_frame(**pose))


def start(model, dt, integrator=mujoco.mjtIntegrator.mjINT_IMPLICITFAST):
    model.opt.timestep = dt
    model.opt.integrator = integrator
    return mujoco.MjData(model)


def go_home(model, data):
    """Every robot in its own home pose, with the command that goes with it."""
    for key in range(model.nkey):
        owner = model.key(key).name.removesuffix("home")
        for i in range(model.njnt):
            joint = model.joint(i)
            if joint.name[: joint.name.rfind("/") + 1] == owner:
                data.qpos[joint.qposadr] = model.key_qpos[key][joint.qposadr]
        for i in range(model.nu):
            actuator = model.actuator(i).name
            if actuator[: actuator.rfind("/") + 1] == owner:
                data.ctrl[i] = model.key_ctrl[key][i]
    mujoco.mj_forward(model, data)


def advance(model, data, seconds):
    for _ in range(round(seconds / model.opt.timestep)):
        mujoco.mj_step(model, data)


def normal_forces(model, data):
    """Normal contact force in N on each geom that is touched, by name."""
    forces = {}
    wrench = np.zeros(6)
    for i, contact in enumerate(data.contact):
        mujoco.mj_contactForce(model, data, i, wrench)
        for geom in contact.geom:
            name = model.geom(geom).name
            forces[name] = forces.get(name, 0.0) + wrench[0]
    return forces


# ---------------------------------------------------------------- figures


def test_each_folder_is_tested():
    # cloth is a mesh alone and has tests of its own
    folders = {p.name for p in MODELS.iterdir() if p.is_dir() and not p.name.startswith("__")}
    assert folders == {*NAMES, "shirt"}


@pytest.mark.parametrize("name", NAMES)
def test_loads_with_clear_names_and_leaves_options_to_the_scene(name):
    model = load(name)
    assert model.nbody > 1
    text = path(name).read_text()
    assert "<option" not in text
    for kind, count in [("body", model.nbody), ("joint", model.njnt), ("geom", model.ngeom), ("actuator", model.nu)]:
        for i in range(count):
            item = getattr(model, kind)(i).name
            assert item
            assert item == item.lower()


@pytest.mark.parametrize(("name", "mass"), PUBLISHED_MASS.items())
def test_mass(name, mass):
    assert load(name).body_mass.sum() == pytest.approx(mass, rel=0.01)


def test_iiwa_limits():
    model = load("iiwa7")
    # degrees to radians and back: round-off only
    assert np.degrees(model.jnt_range) == pytest.approx(np.array([(-r, r) for r in IIWA_RANGE]), abs=1e-12)
    assert model.actuator_ctrlrange == pytest.approx(model.jnt_range, abs=0)
    assert model.actuator_forcerange == pytest.approx(np.array([(-t, t) for t in IIWA_TORQUE]), abs=0)
    assert model.jnt_actfrcrange == pytest.approx(model.actuator_forcerange, abs=0)
    assert model.jnt_user[:, 0] == pytest.approx(IIWA_SPEED, abs=0)
    assert [model.actuator(i).name for i in range(7)] == [model.joint(i).name for i in range(7)]


def test_iiwa_reach():
    model = load("iiwa7")
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    straight = 0.34 + 0.4 + 0.4 + 0.126
    assert data.site("flange").xpos == pytest.approx([0, 0, straight], abs=1e-15)
    # shoulder, elbow and wrist, where axes meet
    assert [data.body(f"link{i}").xpos[2] for i in (2, 4, 6)] == pytest.approx([0.34, 0.74, 1.14], abs=1e-15)


def test_iiwa_angles_have_kuka_s_signs():
    model = load("iiwa7")
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_forward(model, data)
    # pitch of the upper arm 30, of the forearm 30 + 90, of the hand 30 + 90 + 60 degrees
    upper, fore = np.radians(30), np.radians(120)
    x = 0.4 * math.sin(upper) + 0.4 * math.sin(fore)
    z = 0.34 + 0.4 * math.cos(upper) + 0.4 * math.cos(fore) - 0.126
    assert data.site("flange").xpos == pytest.approx([x, 0, z], abs=1e-15)
    assert data.site("flange").xmat.reshape(3, 3)[:, 2] == pytest.approx([0, 0, -1], abs=1e-15)


def test_allegro_limits_and_lengths():
    model = load("allegro")
    # written in degrees with four decimals: 5e-5 degrees are 8.7e-7 rad
    assert model.jnt_range == pytest.approx(np.array(3 * FINGER_RANGE + THUMB_RANGE), abs=9e-7)
    assert model.actuator_ctrlrange == pytest.approx(model.jnt_range, abs=1e-15)
    assert [model.actuator(i).name for i in range(16)] == [model.joint(i).name for i in range(16)]
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    for finger, lengths in [("middle", (0.054, 0.0384, 0.0267)), ("thumb", (0.0177, 0.0514, 0.0423))]:
        points = [data.body(f"{finger}_{part}").xpos for part in ("proximal", "medial", "distal")]
        points.append(data.site(f"{finger}_tip").xpos)
        measured = [np.linalg.norm(b - a) for a, b in zip(points, points[1:], strict=False)]
        assert measured == pytest.approx(lengths, abs=1e-15)


@pytest.mark.parametrize(("name", "density"), [("rolling_pin", 700), ("marble_pin", 2700)])
def test_rolling_pins_are_of_beech_and_marble(name, density):
    model = load(name)
    outer, bore, length, beech = 0.03, 0.013, 0.3, 700
    tube = density * math.pi * (outer**2 - bore**2) * length
    rod = beech * math.pi * bore**2 * 0.524
    # the files give the tube with five digits
    assert model.body("barrel").mass[0] == pytest.approx(tube, rel=1e-5)
    assert model.body("handles").mass[0] == pytest.approx(rod, rel=1e-12)
    across = tube * (3 * (outer**2 + bore**2) + length**2) / 12
    along = tube * (outer**2 + bore**2) / 2
    assert sorted(model.body("barrel").inertia) == pytest.approx([along, across, across], rel=2e-5)


def test_bin_and_table_sizes():
    model = load("bin")
    low = model.geom_pos - model.geom_size
    high = model.geom_pos + model.geom_size
    side = {model.geom(i).name: i for i in range(model.ngeom)}
    inside = [
        low[side["front"], 0] - high[side["back"], 0],
        low[side["left"], 1] - high[side["right"], 1],
        high[side["front"], 2] - high[side["floor"], 2],
    ]
    assert inside == pytest.approx([0.3, 0.2, 0.15], abs=1e-15)
    # no slit into which matter would creep: the walls overlap at the edges of the outer box by their thickness
    for a, b in [("front", "left"), ("front", "right"), ("back", "left"), ("back", "right")]:
        for one, other in [(a, b), (a, "floor"), (b, "floor")]:
            shared = np.minimum(high[side[one]], high[side[other]]) - np.maximum(low[side[one]], low[side[other]])
            assert shared.min() == pytest.approx(0.01, abs=1e-15)
    # as heavy as if they did not: four digits of the density
    solid = np.prod(high.max(axis=0) - low.min(axis=0)) - np.prod(inside)
    assert model.body("bin").mass[0] == pytest.approx(950 * solid, rel=1e-4)
    table = load("table")
    top = table.geom("top")
    assert top.pos[2] + top.size[2] == pytest.approx(0.75, abs=1e-15)
    assert (table.geom_pos[:, 2] - table.geom_size[:, 2]).min() == pytest.approx(0, abs=1e-15)


# ---------------------------------------------------------------- rest


@pytest.mark.parametrize("dt", STEPS)
@pytest.mark.parametrize("name", ROBOTS)
def test_holds_home_under_gravity(name, dt):
    model = load(name)
    data = start(model, dt)
    mujoco.mj_resetDataKeyframe(model, data, model.key("home").id)
    home = data.qpos.copy()
    drift = 0.0
    for _ in range(round(2 / dt)):
        mujoco.mj_step(model, data)
        drift = max(drift, np.abs(data.qpos - home).max())
        assert data.ncon == 0
    assert drift < ROUND_OFF


def test_home_sags_without_gravity_compensation():
    model = load("iiwa7")
    model.body_gravcomp[:] = 0
    data = start(model, 0.002)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    home = data.qpos.copy()
    advance(model, data, 2)
    assert np.abs(data.qpos - home).max() > 1e-3


@pytest.mark.parametrize("dt", STEPS)
def test_mug_stands_on_the_table(dt):
    spec = mujoco.MjSpec()
    attach(spec, "table", "table/")
    attach(spec, "mug", "mug/", pos=(0.1, 0.2, 0.75))
    model = spec.compile()
    data = start(model, dt)
    advance(model, data, 1)
    before = data.qpos.copy()
    advance(model, data, 1)
    # contacts of MuJoCo are soft: the mug sinks in by .11 mm, and then creeps towards its handle by 3 um/s
    assert data.qpos[:3] == pytest.approx([0.1, 0.2, 0.75], abs=1.2e-4)
    assert data.qpos[3:] == pytest.approx([1, 0, 0, 0], abs=1e-3)
    assert data.qpos == pytest.approx(before, abs=5e-6)


# ---------------------------------------------------------------- motion


@pytest.mark.parametrize("dt", STEPS)
def test_arm_moves_to_its_command(dt):
    model = load("iiwa7")
    data = start(model, dt)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    data.ctrl += [0.3, -0.2, 0.2, 0.3, -0.4, 0.2, 0.5]
    # slowest: axis 2, damped for the stretched arm, settles with about 10 per second
    advance(model, data, 4)
    assert data.qpos == pytest.approx(data.ctrl, abs=ROUND_OFF)


@pytest.mark.parametrize("dt", STEPS)
def test_hand_moves_to_its_command(dt):
    model = load("allegro")
    data = start(model, dt)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    data.ctrl[:] = 3 * [0.1, 0.9, 0.7, 0.5] + [0.8, 0.4, 0.5, 0.2]
    for _ in range(round(2 / dt)):
        mujoco.mj_step(model, data)
        assert data.ncon == 0
    assert data.qpos == pytest.approx(data.ctrl, abs=ROUND_OFF)


def test_fingers_and_thumb_bend_towards_each_other():
    model = load("allegro")
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    open_tip = data.site("index_tip").xpos.copy()
    mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_forward(model, data)
    palm = model.geom("palm")
    front = palm.pos[0] + palm.size[0]
    for finger in ("index", "middle", "ring", "thumb"):
        assert data.site(f"{finger}_tip").xpos[0] > front + 0.03
    assert data.site("index_tip").xpos[2] < open_tip[2]


@pytest.mark.parametrize("dt", STEPS)
def test_gripper_opens_and_closes_over_its_stroke(dt):
    model = load("wsg50")
    data = start(model, dt)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    pads = [model.geom(f"{side}_pad") for side in ("left", "right")]
    for width in (GRIP_STROKE, 0.0, 0.05, GRIP_STROKE):
        data.ctrl[0] = width
        for _ in range(round(2 / dt)):
            mujoco.mj_step(model, data)
            # no load tells the two fingers apart; at the ends of the stroke MuJoCo's solver acts, to its tolerance
            assert abs(data.qpos[0] - data.qpos[1]) < 1e-10
            assert abs(data.qvel.sum()) < GRIP_SPEED
        faces = [data.geom(pad.id).xpos[0] + sign * pad.size[0] for pad, sign in zip(pads, (1, -1), strict=True)]
        assert faces[1] - faces[0] == pytest.approx(width, abs=1e-9)
        assert faces[1] + faces[0] == pytest.approx(0, abs=1e-9)
    assert model.jnt_range[:, 1].sum() == pytest.approx(GRIP_STROKE, abs=1e-15)


def gripper_round_box(offset):
    spec = mujoco.MjSpec()
    attach(spec, "wsg50", "tool/")
    grip = spec.site("tool/grip").pos
    spec.worldbody.add_geom(
        name="box", type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.02, 0.02, 0.02], pos=[offset, 0, grip[2]]
    )
    return spec.compile()


@pytest.mark.parametrize("dt", STEPS)
@pytest.mark.parametrize("offset", [0.0, 0.005])
def test_grip_force_is_limited(dt, offset):
    model = gripper_round_box(offset)
    data = start(model, dt)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    data.ctrl[0] = 0
    advance(model, data, 1)
    forces = normal_forces(model, data)
    jaws = {name: force for name, force in forces.items() if name != "box"}
    # at rest the contact carries what the drive gives; 1e-6: tolerance of MuJoCo's solver
    assert sum(jaws.values()) == pytest.approx(GRIP_FORCE, rel=1e-6)
    if offset == 0:
        assert jaws == pytest.approx({"tool/left_pad": GRIP_FORCE / 2, "tool/right_pad": GRIP_FORCE / 2}, rel=1e-6)
        assert abs(data.qpos[0] - data.qpos[1]) < 1e-6
    else:
        # one finger holds the other back through the mirror, a soft constraint, which gives by .05 mm at 10 ms
        assert list(jaws) == ["tool/right_pad"]
        assert abs(data.qpos[0] - data.qpos[1]) < 1e-4


def test_grip_force_follows_the_command():
    model = gripper_round_box(0)
    data = start(model, 0.002)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    data.ctrl[0] = 0.036
    advance(model, data, 1)
    stiffness = model.actuator_gainprm[0, 0]
    force = stiffness * (data.qpos.sum() - data.ctrl[0])
    assert 5 < force < GRIP_FORCE / 2
    assert normal_forces(model, data)["tool/left_pad"] == pytest.approx(force, rel=1e-6)


def test_barrel_spins_freely():
    model = load("rolling_pin")
    model.opt.gravity[:] = 0
    data = start(model, 0.002)
    data.qvel[model.joint("spin").dofadr] = 10.0
    advance(model, data, 1)
    # nothing acts on the barrel: round-off of 500 sums
    assert data.qvel[model.joint("spin").dofadr] == pytest.approx(10.0, rel=1e-12)
    assert data.joint("spin").qpos[0] == pytest.approx(10.0, rel=1e-12)
    assert data.body("handles").xquat == pytest.approx([1, 0, 0, 0], abs=1e-12)


def test_barrel_rolls_under_held_handles():
    spec = mujoco.MjSpec.from_file(str(path("rolling_pin")))
    spec.delete(spec.joint("free"))
    model = spec.compile()
    data = start(model, 0.002)
    data.qfrc_applied[0] = torque = 0.01
    advance(model, data, 0.1)
    # semi-implicit sum of a constant acceleration is exact in velocity
    inertia = 0.00025777
    assert data.qvel[0] == pytest.approx(torque / inertia * 0.1, rel=1e-9)


@pytest.mark.parametrize("dt", STEPS)
def test_two_panels_squeeze_a_cube(dt):
    spec = mujoco.MjSpec()
    attach(spec, "panel", "left/", pos=(-0.06, 0, 0))
    attach(spec, "panel", "right/", pos=(0.06, 0, 0), quat=(0, 0, 0, 1))
    spec.worldbody.add_geom(name="cube", type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.05, 0.05, 0.05])
    model = spec.compile()
    data = start(model, dt)
    data.ctrl[:] = 10
    advance(model, data, 2)
    # 1e-6: tolerance of MuJoCo's solver
    assert normal_forces(model, data) == pytest.approx({"left/panel": 10, "right/panel": 10, "cube": 20}, rel=1e-6)
    assert data.site("left/face").xpos[0] == pytest.approx(-data.site("right/face").xpos[0], abs=1e-9)


# ---------------------------------------------------------------- put together


@pytest.mark.parametrize("dt", STEPS)
@pytest.mark.parametrize("tool", ["wsg50", "allegro"])
def test_arm_carries_tool(tool, dt):
    spec = mujoco.MjSpec()
    attach(spec, "iiwa7", "arm/", pos=(0.1, 0.2, 0.3))
    attach(spec, tool, "tool/", site="arm/flange")
    model = spec.compile()
    assert model.body_mass.sum() == pytest.approx(23.9 + PUBLISHED_MASS[tool], rel=0.01)
    data = start(model, dt)
    go_home(model, data)
    assert data.ncon == 0
    assert data.site("tool/mount").xpos == pytest.approx(data.site("arm/flange").xpos, abs=1e-15)
    assert data.site("tool/mount").xmat == pytest.approx(data.site("arm/flange").xmat, abs=1e-15)
    home = data.qpos.copy()
    advance(model, data, 1)
    assert data.ncon == 0
    # 1e-10: the mirror of the gripper's fingers is soft, and round-off of the moving arm's frame works against it
    assert data.qpos == pytest.approx(home, abs=1e-10)
    if tool == "allegro":
        # the hand hangs from the flange
        weight = 9.81 * model.body_subtreemass[model.body("tool/palm").id]
        assert data.sensor("tool/load").data == pytest.approx([0, 0, -weight], abs=1e-8)


def test_two_arms_in_a_world():
    spec = mujoco.MjSpec()
    for prefix, y in (("left/", 0.4), ("right/", -0.4)):
        attach(spec, "iiwa7", prefix, pos=(0, y, 0))
        attach(spec, "wsg50", f"{prefix}gripper/", site=f"{prefix}flange")
    attach(spec, "rolling_pin", "pin/", pos=(0.8, 0, 0.03))
    model = spec.compile()
    assert (model.nu, model.njnt) == (16, 20)
    data = start(model, 0.01)
    go_home(model, data)
    assert data.ncon == 0
    apart = data.site("left/gripper/grip").xpos - data.site("right/gripper/grip").xpos
    assert apart == pytest.approx([0, 0.8, 0], abs=1e-15)


@pytest.mark.parametrize("dt", STEPS)
def test_arm_presses_without_chatter(dt):
    spec = mujoco.MjSpec()
    attach(spec, "iiwa7", "arm/")
    attach(spec, "wsg50", "tool/", site="arm/flange")
    spec.worldbody.add_geom(name="block", type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.3, 0.3, 0.05], pos=[0.55, 0, 0.13])
    model = spec.compile()
    data = start(model, dt)
    go_home(model, data)
    data.ctrl[1] += 0.06
    advance(model, data, 3)
    forces = []
    for _ in range(20):
        mujoco.mj_step(model, data)
        forces.append(normal_forces(model, data)["block"])
    assert np.mean(forces) > 50
    # a servo too stiff for the step alternates between touching and not; MuJoCo's friction creeps by 3 N/s here
    assert np.abs(np.diff(forces)).max() < 1e-3 * np.mean(forces)
