"""One moment of a world or of a recording, copied, so that nobody changes it while it is drawn."""

from dataclasses import dataclass, field, replace

import numpy as np

from pliant._core import Material, von_mises
from pliant.colors import FIELDS, Scale, material_color, ramp, scale_of, strain_of, tones
from pliant.geoms import upright
from pliant.sheet import at_vertices, triangles_of
from pliant.touch import Touches

# the longest arrow of a contact and of a body, over the size of the stage
SHORT_ARROW, LONG_ARROW = 0.15, 0.5


@dataclass(frozen=True)
class Grains:
    """The particles of one piece of matter. What the source does not know is None."""

    name: str
    color: tuple[float, float, float]
    positions: np.ndarray  # m, (n, 3) float32
    ids: np.ndarray
    spacing: float  # m, edge of the cube that a particle fills
    speed: np.ndarray | None = None  # m/s
    gradients: np.ndarray | None = None  # elastic F, (n, dimension, dimension)
    plastic: np.ndarray | None = None
    material: Material | None = None
    triangles: np.ndarray | None = None  # of cloth; its vertices are the first particles, its centroids the others

    @property
    def vertex_count(self) -> int:
        """Of cloth."""
        return 0 if self.triangles is None else int(self.triangles.max()) + 1

    def knows(self, name: str) -> bool:
        """Whether there are numbers to colour it by."""
        needs = {
            "speed": (self.speed,),
            "strain": (self.gradients,),
            "plastic": (self.plastic,),
            "stress": (self.gradients, self.plastic, self.material),
        }
        return name in needs and all(need is not None for need in needs[name])

    def values(self, name: str) -> np.ndarray | None:
        """What a colour stands for, computed when it is asked for."""
        if not self.knows(name):
            return None
        if name == "strain":
            return strain_of(self.gradients)
        if name == "stress":
            return von_mises(self.material, self.gradients, self.plastic)
        return getattr(self, name)

    def vertex_values(self, name: str) -> np.ndarray | None:
        """The same for the vertices of cloth. What belongs to triangles is the mean of those around."""
        values, count = self.values(name), self.vertex_count
        if values is None or name == "speed":
            return values if values is None else values[:count]
        return at_vertices(values[count:], self.triangles, count)

    def picked(self, chosen: np.ndarray) -> "Grains":
        columns = ("positions", "ids", "speed", "gradients", "plastic")
        return replace(self, **{c: getattr(self, c)[chosen] for c in columns if getattr(self, c) is not None})


@dataclass(frozen=True)
class Arrows:
    """Forces: where, and how much, N."""

    points: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))
    forces: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))

    def largest(self, count: int, length: float) -> tuple[np.ndarray, np.ndarray]:
        """Starts and ends of the largest ones, the very largest of which gets this length."""
        sizes = np.linalg.norm(self.forces, axis=1)
        shown = np.argsort(-sizes, kind="stable")[:count]
        shown = shown[sizes[shown] > 0.02 * sizes.max(initial=0)]
        starts = self.points[shown]
        return starts, starts + self.forces[shown] * (length / max(sizes.max(initial=0), 1e-300))


@dataclass(frozen=True)
class Snapshot:
    time: float
    grains: tuple[Grains, ...]
    boundary_centers: tuple[tuple[float, ...], ...]
    geom_positions: np.ndarray | None = None  # of the model's geoms, m
    geom_rotations: np.ndarray | None = None  # (geoms, 3, 3)
    contacts: Arrows = field(default_factory=Arrows)
    pushes: Arrows = field(default_factory=Arrows)  # of matter on each body, all its contacts together
    touches: Touches | None = None  # of matter on bodies

    @property
    def particle_count(self) -> int:
        return sum(len(piece.ids) for piece in self.grains)

    @property
    def loose_count(self) -> int:
        """Particles that are not of cloth, which is drawn as a surface."""
        return sum(len(piece.ids) for piece in self.grains if piece.triangles is None)

    def fields(self) -> list[str]:
        """By what the particles can be coloured."""
        return ["material", *(f for f in FIELDS if any(p.knows(f) for p in self.grains))]


def take(source: object, time: float | None = None) -> Snapshot:
    """A copy of anything that has .scene and .matter, and perhaps .time, .model, .data, .contacts."""
    scene = source.scene
    now = float(getattr(source, "time", 0.0) if time is None else time)
    grains = tuple(grains_of(source.matter[m.name], m, scene) for m in scene.matter)
    data = getattr(source, "data", None)
    touches = Touches.of(getattr(source, "contacts", None), scene.step.dt)
    centers = getattr(source, "boundary_centers", None)
    if centers is None:
        centers = [np.add(b.center, np.multiply(b.velocity, now)) for b in scene.boundaries]
    return Snapshot(
        time=now,
        grains=grains,
        boundary_centers=tuple(tuple(float(x) for x in c) for c in centers),
        geom_positions=None if data is None else np.array(data.geom_xpos),
        geom_rotations=None if data is None else np.array(data.geom_xmat).reshape(-1, 3, 3),
        contacts=contacts_of(source, touches),
        pushes=Arrows(*touches.totals()),
        touches=touches,
    )


def grains_of(state: object, matter: object, scene: object) -> Grains:
    laws = {m.name: (str(m.law), i) for i, m in enumerate(scene.materials)}
    material = next((m for m in scene.materials if m.name == matter.material and isinstance(m, Material)), None)
    positions = np.asarray(state.positions)
    count, dimension = len(positions), scene.dimension
    per_cell = max(1.0, float(getattr(matter.sampling, "particles_per_cell", 0) or 2**dimension))
    ids = getattr(state, "ids", None)
    velocities = getattr(state, "velocities", None)
    gradients = getattr(state, "deformation_gradients", None)
    if gradients is None:
        gradients = getattr(state, "deformation_gradient", None)
    plastic = getattr(state, "plastic", None)
    triangles = triangles_of(state)
    made = Grains(
        name=matter.name,
        color=material_color(matter.material, *laws.get(matter.material, ("", 0))),
        positions=upright(positions, dimension).astype(np.float32),
        ids=np.arange(count) if ids is None else np.array(ids),
        spacing=spacing_of(state, dimension) or scene.step.cell / per_cell ** (1 / dimension),
        speed=None if velocities is None else np.linalg.norm(np.asarray(velocities, float), axis=1),
        gradients=None if gradients is None else np.array(gradients),
        plastic=None if plastic is None else np.array(plastic, float),
        material=material,
        triangles=triangles,
    )
    return made if triangles is None else made.picked(np.argsort(made.ids, kind="stable"))


def spacing_of(state: object, dimension: int) -> float:
    volumes = getattr(state, "volumes", None)
    if volumes is None or len(volumes) == 0:
        return 0.0
    return float(np.median(volumes)) ** (1 / dimension)


def contacts_of(source: object, touches: Touches) -> Arrows:
    """Forces between bodies from MuJoCo, and those of matter on bodies."""
    points, forces = [*touches.position], [*touches.force]
    model, data = getattr(source, "model", None), getattr(source, "data", None)
    if model is not None and data is not None and data.ncon:
        import mujoco

        wrench = np.zeros(6)
        for i in range(data.ncon):
            mujoco.mj_contactForce(model, data, i, wrench)
            if wrench[0] > 0:
                points.append(np.array(data.contact.pos[i]))
                forces.append(data.contact.frame[i].reshape(3, 3).T @ wrench[:3])
    if not points:
        return Arrows()
    return Arrows(np.array(points), np.array(forces))


def chosen_ids(ids: np.ndarray, share: float) -> np.ndarray:
    """A mask of about this share of particles, the same ones at every moment."""
    if share >= 1:
        return np.ones(len(ids), bool)
    mixed = (np.asarray(ids).astype(np.uint64) * np.uint64(0xD1B54A32D192ED03)) >> np.uint64(32)
    return mixed < np.uint64(share * 2**32)


def thinned(snapshot: Snapshot, limit: int) -> tuple[tuple[Grains, ...], float]:
    """At most about `limit` particles, and how much larger each must be drawn to fill the same space; all of cloth."""
    share = limit / max(1, snapshot.loose_count)
    if share >= 1:
        return snapshot.grains, 1.0
    pieces = (p if p.triangles is not None else p.picked(chosen_ids(p.ids, share)) for p in snapshot.grains)
    return tuple(pieces), share ** (-1 / 3)


def painted(pieces: tuple[Grains, ...], name: str, scale: Scale | None = None) -> tuple[list[np.ndarray], Scale | None]:
    """Colours (n, 3), 0..1, of each piece, and the scale that was used."""
    if name == "material":
        return [np.clip(np.outer(tones(p.ids), p.color), 0, 1) for p in pieces], None
    known = [p.values(name) for p in pieces]
    scale = scale or scale_of(name, [v for v in known if v is not None])
    grey = (0.6, 0.6, 0.6)
    return [
        np.tile(grey, (len(p.ids), 1)) if v is None else ramp(v, scale.low, scale.high)
        for p, v in zip(pieces, known, strict=True)
    ], scale
