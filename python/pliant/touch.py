"""What matter does to bodies: which of them it can touch, wrenches, and taxels of recorded moments."""

import difflib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pliant.errors import BadInputError

Array = NDArray[Any]


@dataclass(frozen=True)
class Touches:
    """Where matter pushed bodies in a step, one row per contact."""

    position: Array  # m, (n, 3)
    force: Array  # N on the body, mean over the step, (n, 3)
    geom: Array  # its number in the model, (n,)
    body: Array  # its number in the model, (n,)

    @classmethod
    def of(cls, contacts: Any, dt: float) -> "Touches":
        """From World.contacts or the contacts of a frame, which may be a dictionary; empty if there are none."""

        def column(name: str, *shape: int) -> Array:
            values = contacts.get(name) if isinstance(contacts, dict) else getattr(contacts, name, None)
            return np.zeros((0, *shape)) if values is None else np.asarray(values, float).reshape(-1, *shape)

        position, impulse = column("position", 3), column("impulse", 3)
        geom, body = column("geom").astype(int), column("body").astype(int)
        unknown = np.full(len(position), -1)
        return cls(position, impulse / dt, geom if len(geom) else unknown, body if len(body) else unknown)

    def totals(self) -> tuple[Array, Array]:
        """Of each body: where it is pushed on average, weighed by force, and by how much."""
        sizes = np.linalg.norm(self.force, axis=1)
        pushed = [ours for b in np.unique(self.body) if sizes[ours := self.body == b].sum() > 0]
        points = [np.average(self.position[ours], axis=0, weights=sizes[ours]) for ours in pushed]
        forces = [self.force[ours].sum(axis=0) for ours in pushed]
        return np.reshape(points, (-1, 3)), np.reshape(forces, (-1, 3))


@dataclass(frozen=True)
class TaxelMap:
    """The same as World.taxels gives."""

    forces: Array  # N, (rows, columns, 3), world axes
    low: tuple[float, float]  # where columns and rows begin, m or rad
    high: tuple[float, float]  # where they end


def touchable_geoms(model: Any) -> list[int]:
    """Numbers of the geoms that matter can touch."""
    import mujoco

    geom = mujoco.mjtGeom
    flat = (geom.mjGEOM_PLANE, geom.mjGEOM_BOX, geom.mjGEOM_MESH)
    round_ = (geom.mjGEOM_SPHERE, geom.mjGEOM_CAPSULE, geom.mjGEOM_ELLIPSOID, geom.mjGEOM_CYLINDER)
    known = np.isin(model.geom_type, [int(kind) for kind in (*flat, *round_)])
    collides = (model.geom_contype != 0) | (model.geom_conaffinity != 0)
    return [int(i) for i in np.flatnonzero(known & collides)]


def touchable_bodies(model: Any) -> list[str]:
    """Names of the bodies that have such a geom; a body without a name cannot be asked for."""
    numbers = sorted({int(model.geom_bodyid[geom]) for geom in touchable_geoms(model)})
    return [name for number in numbers if (name := model.body(number).name)]


def feels_matter(world: Any) -> bool:
    """Whether the world has bodies, and matter acts on them."""
    has_bodies = getattr(world, "model", None) is not None
    return has_bodies and len(world.matter) > 0 and str(world.scene.step.method) != "one_way"


def wrench_rows(world: Any, bodies: list[str]) -> Array:
    """(bodies, 6): force in N, torque in N m about the centre of mass."""
    wrenches = [world.wrench(body) for body in bodies]
    return np.array([(*w.force, *w.torque) for w in wrenches], float).reshape(len(bodies), 6)


def find_geom(model: Any, name: str) -> int:
    """The number of a geom that matter can touch."""
    names = {model.geom(i).name: i for i in touchable_geoms(model)}
    if name not in names:
        close = difflib.get_close_matches(name, names, 1)
        hint = f"did you mean '{close[0]}'?" if close else f"choose one of {', '.join(filter(None, names)) or 'none'}"
        raise BadInputError(f"matter can touch no geom '{name}'; {hint}")
    return names[name]


@dataclass(frozen=True)
class Skin:
    """The surface of a geom as rows and columns of sensors, cut as World.taxels cuts it."""

    model: Any
    geom: int
    rows: int
    columns: int

    def feel(self, touches: Touches, position: Array, rotation: Array) -> TaxelMap:
        """Forces by place, for a geom that is there: m, and a 3 x 3 matrix."""
        if not (1 <= self.rows <= 4096 and 1 <= self.columns <= 4096):
            raise BadInputError(f"taxels: {self.rows} rows and {self.columns} columns; give 1 to 4096 of each")
        ours = touches.geom == self.geom
        places = self.places((touches.position[ours] - position) @ np.reshape(rotation, (3, 3)))
        low, high = self.range_of(places)
        part = np.divide(places - low, high - low, out=np.zeros_like(places), where=high > low)
        count = np.array([self.columns, self.rows])
        column, row = np.clip(np.floor(part * count).astype(int), 0, count - 1).T
        forces = np.zeros((self.rows, self.columns, 3))
        np.add.at(forces, (row, column), touches.force[ours])
        return TaxelMap(forces, (float(low[0]), float(low[1])), (float(high[0]), float(high[1])))

    def kind(self) -> str:
        import mujoco

        return str(mujoco.mjtGeom(self.model.geom_type[self.geom]).name).removeprefix("mjGEOM_").lower()

    def places(self, points: Array) -> Array:
        """Along columns and rows, of points in the geom's frame."""
        kind = self.kind()
        if kind == "box":
            return points[:, self.long_axes()]
        if kind in ("plane", "mesh"):
            return points[:, :2]
        return np.stack([np.arctan2(points[:, 1], points[:, 0]), points[:, 2]], axis=1)

    def long_axes(self) -> list[int]:
        shortest = int(np.argmin(self.model.geom_size[self.geom]))
        return [axis for axis in range(3) if axis != shortest]

    def range_of(self, places: Array) -> tuple[Array, Array]:
        size, kind = np.array(self.model.geom_size[self.geom]), self.kind()
        if kind == "plane":
            empty = np.zeros((1, 2))
            return (places if len(places) else empty).min(axis=0), (places if len(places) else empty).max(axis=0)
        if kind == "box":
            half = size[self.long_axes()]
        elif kind == "mesh":
            first, count = self.model.mesh_vertadr, self.model.mesh_vertnum
            mesh = int(self.model.geom_dataid[self.geom])
            half = np.abs(self.model.mesh_vert[first[mesh] : first[mesh] + count[mesh], :2]).max(axis=0)
        else:
            lengths = {"cylinder": size[1], "capsule": size[0] + size[1], "ellipsoid": size[2]}
            half = np.array([np.pi, lengths.get(kind, size[0])])
        return -half, half
