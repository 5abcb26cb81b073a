"""The checks of a scene, `expect:`, at the end of a run. All quantities: docs/expect.md."""

import difflib
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pliant._core import Expect, World
from pliant.components import large_pieces
from pliant.errors import BadInputError
from pliant.expect_cloth import SIZES, ClothLog, crossings, size_of, surfaces_of
from pliant.sheet import triangles_of
from pliant.touch import feels_matter

Array = NDArray[Any]


@dataclass
class RunLog:
    """What a check must know of the run besides its end."""

    reports: list[Array] = field(default_factory=list)  # rows of /reports/steps
    forces: dict[str, list[Array]] = field(default_factory=dict)  # N, per step, on the bodies that checks ask for
    failed_steps: int = 0
    cloth: ClothLog = field(default_factory=ClothLog)
    worst: dict[int, float] = field(default_factory=dict)  # least or greatest value so far, by number of the check
    taken: dict[int, float] = field(default_factory=dict)  # value at the time that the check names, by its number
    watched: list["Asked"] = field(default_factory=list)  # checks that look at every step, or at one of them

    def listen_to(self, world: World) -> None:
        """From now on the forces on these bodies are noted, and what checks want to know before the end."""
        self.watched = []
        for number, expect in enumerate(world.scene.expect):
            asked = Asked(world, self, expect, number)
            part = find_part(asked, ("body",)) if expect.quantity in FORCES else None
            if part is not None:
                self.forces.setdefault(world.model.body(part.number).name, [])
            if expect.at >= 0 or expect.quantity in WATCHED:
                self.watched.append(asked)
        self.cloth.listen_to(world)

    def note(self, world: World) -> None:
        """After each step."""
        for body, rows in self.forces.items():
            rows.append(np.array(world.wrench(body).force))
        self.cloth.note(world)
        for asked in self.watched:
            # times are sums of steps
            is_due = 0 <= asked.expect.at <= world.time * (1 + 1e-9)
            is_watched = asked.expect.quantity in WATCHED
            if asked.number in self.taken or not (is_due or is_watched):
                continue
            value = measure(asked)
            if is_watched:
                self.worst[asked.number] = value
            if is_due:
                self.taken[asked.number] = value


@dataclass(frozen=True)
class Check:
    """What became of one check."""

    name: str
    value: float
    bound: tuple[float | None, float | None]  # least and most that is good; None: no limit
    ok: bool

    def as_dict(self) -> dict[str, Any]:
        value = self.value if np.isfinite(self.value) else None
        return {"name": self.name, "value": value, "bound": list(self.bound), "ok": self.ok}

    def __str__(self) -> str:
        low, high = self.bound
        limits = [f"{sign} {limit:g}" for sign, limit in ((">=", low), ("<=", high)) if limit is not None]
        return f"{'ok    ' if self.ok else 'FAILED'} {self.name}: {self.value:.6g} ({' and '.join(limits) or 'any'})"


@dataclass(frozen=True)
class Asked:
    """Where a quantity looks."""

    world: World
    log: RunLog
    expect: Expect
    number: int = 0  # of the check, in the scene

    @property
    def matter(self) -> Any:
        return self.world.matter[self.expect.of]

    @property
    def up(self) -> int:
        """Number of the coordinate that is height."""
        return int(self.world.scene.dimension) - 1


def volume_of(matter: Any) -> float:
    """As it is deformed now."""
    return float(np.dot(np.linalg.det(matter.deformation_gradients.astype(float)), matter.volumes.astype(float)))


# matter


def center(axis: int) -> Callable[[Asked], float]:
    def measure(asked: Asked) -> float:
        if axis > asked.up:
            raise BadInputError(f"expect '{asked.expect.name}': a plane scene has no z; use center_x or center_y")
        matter = asked.matter
        return float(np.average(matter.positions[:, axis].astype(float), weights=matter.masses.astype(float)))

    return measure


def inside(asked: Asked) -> float:
    matter, size = asked.matter, np.array(asked.expect.box_size)
    n = matter.positions.shape[1]
    if not np.all(size[:n] > 0):
        raise BadInputError(
            f"expect '{asked.expect.name}': its box has the size {tuple(size)} m; give box_size, positive edge lengths"
        )
    away = np.abs(matter.positions - np.array(asked.expect.box_center)[:n])
    masses = matter.masses.astype(float)
    return float(masses[np.all(away <= size[:n] / 2, axis=1)].sum() / masses.sum())


def least_inside(asked: Asked) -> float:
    return min(inside(asked), asked.log.worst.get(asked.number, 1.0))


def kinetic_energy(asked: Asked) -> float:
    speeds = np.sum(asked.matter.velocities.astype(float) ** 2, axis=1)
    return float(0.5 * np.dot(asked.matter.masses.astype(float), speeds))


def pieces(asked: Asked) -> float:
    matter = asked.matter
    return large_pieces(matter.positions.astype(float), matter.masses.astype(float), 1.5 * asked.world.scene.step.cell)


def speed(asked: Asked) -> float:
    return float(np.max(np.linalg.norm(asked.matter.velocities.astype(float), axis=1)))


def volume_ratio(asked: Asked) -> float:
    return volume_of(asked.matter) / float(asked.matter.volumes.astype(float).sum())


MATTER: dict[str, Callable[[Asked], float]] = {
    "mass": lambda a: float(a.matter.masses.astype(float).sum()),
    "volume": lambda a: volume_of(a.matter),
    "volume_change": lambda a: volume_ratio(a) - 1,
    "volume_ratio": volume_ratio,
    "center_x": center(0),
    "center_y": center(1),
    "center_z": center(2),
    "lowest": lambda a: float(a.matter.positions[:, a.up].min()),
    "highest": lambda a: float(a.matter.positions[:, a.up].max()),
    "speed": speed,
    "kinetic_energy": kinetic_energy,
    "inside": inside,
    "least_inside": least_inside,
    "components": pieces,
}

# cloth


def size(asked: Asked) -> float:
    """Now, or over what it was at the start."""
    of, name = asked.expect.of, asked.expect.quantity.removesuffix("_ratio")
    if triangles_of(asked.matter) is None:
        raise BadInputError(
            f"expect '{asked.expect.name}': {asked.expect.quantity} is of cloth, and '{of}' is not cloth"
        )
    now = size_of(asked.matter, name)
    if name == asked.expect.quantity:
        return now
    first = asked.log.cloth.first.get((of, name), math.nan)
    return now / first if first > 0 else math.nan


CLOTH: dict[str, Callable[[Asked], float]] = {
    name: size for size_name in SIZES for name in (size_name, f"{size_name}_ratio")
}

# the whole run


def momentum_error(asked: Asked) -> float:
    """Greatest momentum that a step made from nothing, as a part of the greatest that the motion could hold."""
    rows = asked.log.reports
    if not rows:
        return 0.0
    scale = max(float(np.sqrt(2 * row["mass"] * row["kinetic_energy"])) for row in rows)
    worst = max(float(np.linalg.norm(row["momentum_error"])) for row in rows)
    return worst / scale if scale > 0 else worst


def most_crossings(asked: Asked) -> float:
    return float(np.maximum(asked.log.cloth.most_crossings, crossings(surfaces_of(asked.world))))


RUN: dict[str, Callable[[Asked], float]] = {
    "time": lambda a: a.world.time,
    "steps": lambda a: len(a.log.reports),
    "failed_steps": lambda a: a.log.failed_steps,
    "particles": lambda a: a.world.particle_count,
    "momentum_error": momentum_error,
    "crossings": lambda a: crossings(surfaces_of(a.world)),
    "most_crossings": most_crossings,
}

# bodies, joints, sensors


@dataclass(frozen=True)
class Part:
    """A thing of MuJoCo's model."""

    kind: str  # body, geom, site, joint, sensor
    number: int


def find_part(asked: Asked, kinds: tuple[str, ...]) -> Part | None:
    """By name. A body that was given as a file may be called by the name it has in the scene: its first part."""
    import mujoco

    model = getattr(asked.world, "model", None)
    if model is None:
        return None
    for kind in kinds:
        number = mujoco.mj_name2id(model, getattr(mujoco.mjtObj, f"mjOBJ_{kind.upper()}"), asked.expect.of)
        if number >= 0:
            return Part(kind, number)
    if "body" in kinds:
        for number in range(1, model.nbody):
            if model.body(number).name.startswith(f"{asked.expect.of}/"):
                return Part("body", number)
    return None


def place(axis: int) -> Callable[[Asked, Part], float]:
    def measure(asked: Asked, part: Part) -> float:
        field_name = {"body": "xpos", "geom": "geom_xpos", "site": "site_xpos"}[part.kind]
        return float(getattr(asked.world.data, field_name)[part.number, axis])

    return measure


def height(asked: Asked, part: Part) -> float:
    if part.kind == "body":
        return float(asked.world.data.subtree_com[part.number, 2])
    return place(2)(asked, part)


def tilt_degrees(asked: Asked, part: Part) -> float:
    field_name = {"body": "xmat", "geom": "geom_xmat", "site": "site_xmat"}[part.kind]
    upward = float(getattr(asked.world.data, field_name)[part.number].reshape(3, 3)[2, 2])
    return float(np.degrees(np.arccos(np.clip(upward, -1, 1))))


def body_speed(asked: Asked, part: Part) -> float:
    import mujoco

    kind = {"body": "mjOBJ_XBODY", "geom": "mjOBJ_GEOM", "site": "mjOBJ_SITE"}[part.kind]
    twist = np.zeros(6)
    mujoco.mj_objectVelocity(asked.world.model, asked.world.data, getattr(mujoco.mjtObj, kind), part.number, twist, 0)
    return float(np.linalg.norm(twist[3:]))


def forces_on(asked: Asked, part: Part) -> list[Array]:
    """One row per step."""
    name, quantity = asked.expect.name, asked.expect.quantity
    if part.kind != "body":
        raise BadInputError(f"expect '{name}': {quantity} is of a body, and '{asked.expect.of}' is a {part.kind}")
    if not feels_matter(asked.world):
        raise BadInputError(f"expect '{name}': bodies do not feel matter here; use 'method: async' in step")
    return asked.log.forces.get(asked.world.model.body(part.number).name, [])


def most_force(asked: Asked, part: Part) -> float:
    rows = forces_on(asked, part)
    return max(float(np.linalg.norm(row)) for row in rows) if rows else math.nan


def force(axis: int) -> Callable[[Asked, Part], float]:
    """Mean of the last tenth of the run."""

    def measure(asked: Asked, part: Part) -> float:
        rows = forces_on(asked, part)
        last = rows[len(rows) - -(-len(rows) // 10) :]
        return float(np.mean([row[axis] for row in last])) if last else math.nan

    return measure


def contacts(asked: Asked, part: Part) -> float:
    if part.kind == "site":
        raise BadInputError(f"expect '{asked.expect.name}': contacts are of a body or geom, not of a site")
    return float(np.count_nonzero(getattr(asked.world.contacts, part.kind) == part.number))


def deepest(asked: Asked, part: Part) -> float:
    if part.kind == "site":
        raise BadInputError(f"expect '{asked.expect.name}': deepest is of a body or geom, not of a site")
    touches = asked.world.contacts
    depths = -touches.gap[getattr(touches, part.kind) == part.number]
    return float(max(depths.max(initial=0.0), asked.log.worst.get(asked.number, 0.0)))


def joint_position(asked: Asked, part: Part) -> float:
    return float(asked.world.data.qpos[asked.world.model.jnt_qposadr[part.number]])


def joint_velocity(asked: Asked, part: Part) -> float:
    return float(asked.world.data.qvel[asked.world.model.jnt_dofadr[part.number]])


def sensor_value(asked: Asked, part: Part) -> float:
    return float(asked.world.data.sensordata[asked.world.model.sensor_adr[part.number]])


def sensor_magnitude(asked: Asked, part: Part) -> float:
    model = asked.world.model
    first = model.sensor_adr[part.number]
    return float(np.linalg.norm(asked.world.data.sensordata[first : first + model.sensor_dim[part.number]]))


OnPart = Callable[[Asked, Part], float]
BODY: dict[str, OnPart] = {
    "x": place(0),
    "y": place(1),
    "z": place(2),
    "height": height,
    "tilt_degrees": tilt_degrees,
    "speed": body_speed,
    "contacts": contacts,
    "deepest": deepest,
    "force_x": force(0),
    "force_y": force(1),
    "force_z": force(2),
    "most_force": most_force,
}
FORCES = ("force_x", "force_y", "force_z", "most_force")
WATCHED = ("least_inside", "deepest")
JOINT: dict[str, OnPart] = {"position": joint_position, "velocity": joint_velocity}
SENSOR: dict[str, OnPart] = {"value": sensor_value, "magnitude": sensor_magnitude}
PARTS = {("joint",): JOINT, ("sensor",): SENSOR, ("body", "site", "geom"): BODY}
KNOWN = {"the run": RUN, "matter": MATTER, "cloth": CLOTH, "a body": BODY, "a joint": JOINT, "a sensor": SENSOR}


def evaluate(world: World, log: RunLog) -> list[Check]:
    """All checks of the scene."""
    return [check(Asked(world, log, expect, number)) for number, expect in enumerate(world.scene.expect)]


def check(asked: Asked) -> Check:
    expect = asked.expect
    value = float(measure(asked))
    if expect.at >= 0:
        value = asked.log.taken.get(asked.number, math.nan)
    low = expect.min if expect.min > -1e300 else None
    high = expect.max if expect.max < 1e300 else None
    # NaN is never good
    return Check(expect.name, value, (low, high), bool(expect.min <= value <= expect.max))


def measure(asked: Asked) -> float:
    """The quantity that a check asks for. A name may be that of a joint and of a body: the quantity decides."""
    of, quantity = asked.expect.of, asked.expect.quantity
    if not of:
        return pick(asked, RUN, "the whole run")(asked)
    if of in asked.world.matter:
        return pick(asked, MATTER | CLOTH, f"matter '{of}'")(asked)
    found = False
    for kinds, quantities in PARTS.items():
        part = find_part(asked, kinds)
        if part is not None and quantity in quantities:
            return quantities[quantity](asked, part)
        found = found or part is not None
    if found:
        raise unknown(asked, [*BODY, *JOINT, *SENSOR], f"'{of}'")
    raise BadInputError(f"expect '{asked.expect.name}': nothing is called '{of}'; {nearest(of, names_of(asked.world))}")


def pick(asked: Asked, quantities: dict[str, Any], what: str) -> Callable[[Asked], float]:
    if asked.expect.quantity not in quantities:
        raise unknown(asked, list(quantities), what)
    return quantities[asked.expect.quantity]


def unknown(asked: Asked, known: list[str], what: str) -> BadInputError:
    quantity = asked.expect.quantity
    others = [name for name, group in KNOWN.items() if quantity in group]
    hint = f"that is a quantity of {' and of '.join(others)}" if others else nearest(quantity, known)
    return BadInputError(f"expect '{asked.expect.name}': {what} has no quantity '{quantity}'; {hint}")


def nearest(word: str, known: list[str]) -> str:
    close = difflib.get_close_matches(word, known, 1)
    return f"did you mean '{close[0]}'?" if close else f"choose one of {', '.join(known) or 'none'}"


def names_of(world: World) -> list[str]:
    """All that a check can be of."""
    names = list(world.matter)
    model = getattr(world, "model", None)
    if model is not None:
        for kind, count in (
            ("body", model.nbody),
            ("jnt", model.njnt),
            ("site", model.nsite),
            ("sensor", model.nsensor),
        ):
            names += [getattr(model, kind)(i).name for i in range(count)]
    return [name for name in names if name and name != "world"]
