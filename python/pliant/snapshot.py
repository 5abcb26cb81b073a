"""One moment of a world or of a recording, copied, so that nobody changes it while it is drawn."""

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from pliant._core import Material, lasts, von_mises
from pliant.colors import FIELDS, Scale, material_color, material_gloss, ramp, scale_of, strain_of, tones
from pliant.geoms import upright
from pliant.sheet import at_vertices, is_closed, world_triangles
from pliant.touch import Touches

# the longest arrow of a contact and of a body, over the size of the stage
SHORT_ARROW, LONG_ARROW = 0.15, 0.5
MOST_IN_SKINS = 200_000  # particles; more are thinned out


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
    volumes: np.ndarray | None = None  # m^3 at rest
    # of cloth, and of the surface of a piece that lasts; vertices are the first particles, then come the centroids of
    # triangles of cloth, or what is inside of the surface
    triangles: np.ndarray | None = None
    flows: bool = False  # and is drawn with a skin
    gloss: float = 0.1  # strength of highlights, 0..1

    @property
    def vertex_count(self) -> int:
        return 0 if self.triangles is None else int(self.triangles.max()) + 1

    @cached_property
    def closed(self) -> bool:
        """Whether its triangles are the surface of something."""
        return self.triangles is not None and is_closed(self.triangles)

    @property
    def loose(self) -> bool:
        """Whether its particles are shown one by one."""
        return self.triangles is None and not self.flows

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
        """The same for the vertices of triangles. What belongs to triangles of cloth is the mean of those around."""
        values, count = self.values(name), self.vertex_count
        if values is None or name == "speed" or self.closed:
            return values if values is None else values[:count]
        return at_vertices(values[count:], self.triangles, count)

    def picked(self, chosen: np.ndarray) -> "Grains":
        columns = ("positions", "ids", "speed", "gradients", "plastic", "volumes")
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
        """Particles that are shown one by one."""
        return sum(len(piece.ids) for piece in self.grains if piece.loose)

    def bare(self) -> "Snapshot":
        """The same with nothing but particles, and cloth."""
        pieces = (replace(p, triangles=None, flows=False) if p.closed or p.flows else p for p in self.grains)
        return replace(self, grains=tuple(pieces))

    def fields(self) -> list[str]:
        """By what the particles can be coloured."""
        return ["material", *(f for f in FIELDS if any(p.knows(f) for p in self.grains))]


def take(source: object, time: float | None = None) -> Snapshot:
    """A copy of anything that has .scene and .matter, and perhaps .time, .surfaces, .model, .data, .contacts."""
    scene = source.scene
    now = float(getattr(source, "time", 0.0) if time is None else time)
    grains = tuple(grains_of(source, m) for m in scene.matter)
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


def grains_of(source: object, matter: object) -> Grains:
    scene, state = source.scene, source.matter[matter.name]
    laws = {m.name: (str(m.law), i) for i, m in enumerate(scene.materials)}
    law, number = laws.get(matter.material, ("", 0))
    material = next((m for m in scene.materials if m.name == matter.material and isinstance(m, Material)), None)
    positions = np.asarray(state.positions)
    count, dimension = len(positions), scene.dimension
    per_cell = max(1.0, float(getattr(matter.sampling, "particles_per_cell", 0) or 2**dimension))
    velocities = getattr(state, "velocities", None)
    gradients = getattr(state, "deformation_gradients", None)
    if gradients is None:
        gradients = getattr(state, "deformation_gradient", None)
    triangles = world_triangles(source, matter.name)
    made = Grains(
        name=matter.name,
        color=material_color(matter.material, law, number),
        positions=upright(positions, dimension).astype(np.float32),
        ids=copied(state, "ids", np.arange(count)),
        spacing=spacing_of(state, dimension) or scene.step.cell / per_cell ** (1 / dimension),
        speed=None if velocities is None else np.linalg.norm(np.asarray(velocities, float), axis=1),
        gradients=None if gradients is None else np.array(gradients),
        plastic=copied(state, "plastic", None, float),
        material=material,
        volumes=copied(state, "volumes", None, float),
        triangles=triangles if len(triangles) else None,
        flows=dimension == 3 and material is not None and has_skin(material),
        gloss=material_gloss(matter.material, law),
    )
    return made if made.triangles is None else made.picked(np.argsort(made.ids, kind="stable"))


def copied(state: object, name: str, default: np.ndarray | None, kind: type | None = None) -> np.ndarray | None:
    column = getattr(state, name, None)
    return default if column is None else np.array(column, kind)


def has_skin(material: Material) -> bool:
    """Of matter that flows, all but sand, whose grains one sees."""
    return not lasts(material) and str(material.law) not in ("sand", "cloth")


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


def thinned(snapshot: Snapshot, limit: int) -> tuple[Grains, ...]:
    """At most about `limit` loose particles and MOST_IN_SKINS in skins, as much larger as they are fewer."""
    flowing = sum(len(p.ids) for p in snapshot.grains if p.flows)
    shares = (limit / max(1, snapshot.loose_count), MOST_IN_SKINS / max(1, flowing))
    return tuple(p if p.triangles is not None else thinner(p, shares[p.flows]) for p in snapshot.grains)


def thinner(piece: Grains, share: float) -> Grains:
    """About this share of its particles, each as much larger."""
    if share >= 1:
        return piece
    few = piece.picked(chosen_ids(piece.ids, share))
    volumes = None if few.volumes is None else few.volumes / share
    return replace(few, spacing=few.spacing * share ** (-1 / 3), volumes=volumes)


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
