"""What the web viewer shows: bodies and surfaces of matter as meshes, grains as points, boundaries, contact forces."""

import contextlib
import itertools
import logging
import socket
from collections.abc import Iterator
from typing import Any

import mujoco
import numpy as np
import rich
import viser

from pliant.colors import Scale
from pliant.framing import Stage
from pliant.geom_meshes import (
    AROUND,
    COARSE,
    GEOM,
    Triangles,
    geom_color,
    geom_mesh,
    primitive,
    quaternion,
    shown_geoms,
)
from pliant.geoms import Solid, boundary_solids
from pliant.shell import shell_of
from pliant.snapshot import LONG_ARROW, SHORT_ARROW, Snapshot, painted, thinned
from pliant.viewer_shell import ShellMesh

HOST = "127.0.0.1"
MOST_POINTS = 20_000  # more are thinned out
MOST_ARROWS = 500
POINT_SIZE = 0.45  # over the spacing: neighbours just overlap. Software GL is bound by the pixels that points cover
FINENESS = 1.0  # of skins, nodes per spacing: a page gets them anew for each picture
ARROWS = {"contacts": ((240, 140, 25), 0.003), "pushes": ((215, 40, 25), 0.008)}  # colour, thickness over the stage


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """viser tells of its start and end; we do that ourselves. Half-open connections of browsers are no news either."""
    logging.getLogger("websockets.server").setLevel(logging.CRITICAL)
    console = rich.get_console()
    before, console.quiet = console.quiet, True
    try:
        yield
    finally:
        console.quiet = before


def start_server(port: int) -> viser.ViserServer:
    """A server that only this machine can reach; port 0: any that is free."""
    with quiet():
        return viser.ViserServer(host=HOST, port=port or free_port(), label="Pliant", verbose=False)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def stop_server(server: viser.ViserServer) -> None:
    with quiet():
        server.stop()


def boundary_groups(scene: Any, snapshot: Snapshot) -> list[list[Solid]]:
    """What is drawn of each boundary."""
    solids = boundary_solids(scene, snapshot.boundary_centers)
    return [list(group) for _, group in itertools.groupby(solids, key=lambda solid: solid.segment)]


def joined(solids: list[Solid], origin: np.ndarray) -> Triangles:
    """One mesh of several solids, as seen from a point."""
    vertices, faces, count = [], [], 0
    for solid in solids:
        mesh = primitive(solid.kind, np.asarray(solid.size, float), COARSE if len(solids) > 1 else AROUND)
        turn = np.eye(3) if solid.mat is None else np.reshape(solid.mat, (3, 3))
        vertices.append(mesh.vertices @ turn.T + np.asarray(solid.pos, float) - origin)
        faces.append(mesh.faces + count)
        count += len(mesh.vertices)
    return Triangles(np.concatenate(vertices), np.concatenate(faces), flat=solids[0].kind == GEOM.mjGEOM_BOX)


class Theatre:
    """The scene tree of a viser server, filled from snapshots. All calls must come from one thread at a time."""

    def __init__(self, server: viser.ViserServer, most_points: int = MOST_POINTS, precision: str = "float32"):
        self.server, self.most_points, self.precision = server, most_points, precision
        server.scene.set_up_direction("+z")
        # shadows and mirrored surroundings each halve the frame rate of software GL
        server.scene.configure_default_lights(True, cast_shadow=False)
        server.scene.configure_environment_map(None)
        server.scene.add_light_hemisphere(
            "/sky", sky_color=(255, 255, 255), ground_color=(150, 150, 155), intensity=2.2
        )
        self.bodies: dict[int, Any] = {}
        self.walls: dict[int, Any] = {}  # by number of the boundary
        self.clouds: dict[str, Any] = {}
        self.shells: dict[str, ShellMesh] = {}
        self.arrows: dict[str, Any] = {}
        self.placed: tuple[np.ndarray, np.ndarray] | None = None

    def clear(self) -> None:
        for handles in (self.bodies, self.walls, self.clouds, self.shells, self.arrows):
            for handle in handles.values():
                handle.remove()
            handles.clear()
        self.placed = None

    def build(self, snapshot: Snapshot, scene: Any, model: mujoco.MjModel | None, stage: Stage | None = None) -> None:
        """Everything anew, and a camera that sees the stage."""
        with self.server.atomic():
            self.clear()
            self.scene = scene
            stage = stage or Stage.of(snapshot, scene, model)
            self.size = stage.size
            if model is not None:
                self.add_bodies(model)
            has_floor = model is not None and bool(np.any(model.geom_type == GEOM.mjGEOM_PLANE))
            for number, group in enumerate(boundary_groups(scene, snapshot)):
                if not (group[0].kind == GEOM.mjGEOM_PLANE and has_floor):
                    self.walls[group[0].segment] = self.add_boundary(f"/boundaries/{number}", group)
            self.update(snapshot)
        pose = stage.pose(1.4)
        camera = self.server.initial_camera
        camera.position, camera.look_at, camera.up = pose.eye, pose.target, (0.0, 0.0, 1.0)
        camera.fov, camera.near, camera.far = np.radians(pose.field_of_view), 0.01 * stage.size, 200 * stage.size

    def add_bodies(self, model: mujoco.MjModel) -> None:
        for geom in shown_geoms(model):
            name = f"/bodies/{model.body(model.geom_bodyid[geom]).name.replace('/', ' ') or 'body'}/{geom}"
            mesh, rgba = geom_mesh(model, geom), geom_color(model, geom)
            if model.geom_type[geom] == GEOM.mjGEOM_PLANE:
                self.bodies[geom] = self.add_floor(name)
            elif mesh is not None:
                self.bodies[geom] = self.add_mesh(name, mesh, rgba)

    def add_mesh(self, name: str, mesh: Triangles, rgba: Any) -> Any:
        opacity = None if rgba[3] >= 1 else float(rgba[3])
        color = tuple(int(round(255 * float(c))) for c in np.clip(rgba[:3], 0, 1))
        vertices, faces = mesh.vertices.astype(np.float32), mesh.faces.astype(np.uint32)
        return self.server.scene.add_mesh_simple(
            name, vertices, faces, color=color, opacity=opacity, flat_shading=mesh.flat, side="double"
        )

    def add_floor(self, name: str) -> Any:
        side = float(np.ceil(6 * self.size))
        cell = 10.0 ** np.round(np.log10(self.size / 8))
        return self.server.scene.add_grid(
            name, side, side, cell_size=cell, section_size=5 * cell, plane_color=(225, 228, 232), plane_opacity=1.0,
            cell_color=(205, 208, 212), section_color=(175, 180, 186), shadow_opacity=0.25,
        )  # fmt: skip

    def add_boundary(self, name: str, solids: list[Solid]) -> Any:
        """All solids of one boundary as one mesh, placed by its first: few things to draw are fast to draw."""
        first = np.asarray(solids[0].pos, float)
        if solids[0].kind == GEOM.mjGEOM_PLANE:
            handle = self.add_floor(name)
            handle.wxyz = quaternion(np.reshape(solids[0].mat, (3, 3)))
        else:
            handle = self.add_mesh(name, joined(solids, first), solids[0].rgba)
        handle.position = first
        return handle

    def update(self, snapshot: Snapshot, field: str = "material", scale: Scale | None = None) -> Scale | None:
        """Moves everything to where it is; returns the scale of the colours, if they mean numbers."""
        with self.server.atomic():
            self.move_bodies(snapshot)
            self.move_walls(snapshot)
            self.show_forces(snapshot)
            return self.show_matter(snapshot, field, scale)

    def move_bodies(self, snapshot: Snapshot) -> None:
        if snapshot.geom_positions is None:
            return
        places, turns = snapshot.geom_positions, snapshot.geom_rotations
        for geom, handle in self.bodies.items():
            same = self.placed is not None
            if same and np.array_equal(places[geom], self.placed[0][geom]):
                same = np.array_equal(turns[geom], self.placed[1][geom])
            else:
                same = False
            if not same:
                handle.position, handle.wxyz = places[geom], quaternion(turns[geom])
        self.placed = (places, turns)

    def move_walls(self, snapshot: Snapshot) -> None:
        if not any(np.any(np.asarray(b.velocity)) for b in self.scene.boundaries):
            return
        for group in boundary_groups(self.scene, snapshot):
            if group[0].segment in self.walls:
                self.walls[group[0].segment].position = np.asarray(group[0].pos, float)

    def show_matter(self, snapshot: Snapshot, field: str, scale: Scale | None) -> Scale | None:
        pieces = thinned(snapshot, self.most_points)
        colors, scale = painted(pieces, field, scale)
        for piece, color in zip(pieces, colors, strict=True):
            shell = shell_of(piece, FINENESS)
            if shell is not None:
                mesh = self.shells.setdefault(piece.name, ShellMesh(self.server.scene, piece.name))
                mesh.show(shell, field, scale)
                continue
            bytes_ = (255 * color + 0.5).astype(np.uint8)
            cloud = self.clouds.get(piece.name)
            if cloud is None or len(cloud.points) != len(piece.positions):
                self.clouds[piece.name] = self.server.scene.add_point_cloud(
                    f"/matter/{piece.name}", piece.positions, bytes_, point_size=POINT_SIZE * piece.spacing,
                    point_shape="circle", precision=self.precision,
                )  # fmt: skip
            else:
                cloud.points, cloud.colors = piece.positions, bytes_
        return scale

    def show_forces(self, snapshot: Snapshot) -> None:
        """Of single contacts, and thicker of all matter on each body."""
        self.show_arrows("contacts", *snapshot.contacts.largest(MOST_ARROWS, SHORT_ARROW * self.size))
        self.show_arrows("pushes", *snapshot.pushes.largest(MOST_ARROWS, LONG_ARROW * self.size))

    def show_arrows(self, name: str, starts: np.ndarray, ends: np.ndarray) -> None:
        shown = self.arrows.get(name)
        lines = np.stack([starts, ends], axis=1).astype(np.float32)
        if shown is not None:
            shown.visible = len(lines) > 0
            if len(lines):
                shown.points = lines
        elif len(lines):
            color, share = ARROWS[name]
            thick = share * self.size
            self.arrows[name] = self.server.scene.add_arrows(
                f"/{name}", lines, color, shaft_radius=thick, head_radius=2 * thick, head_length=4 * thick
            )
