"""Surfaces of matter in MuJoCo's renderer: smooth, of one or two sides, of another shape in every picture.

MuJoCo draws meshes of the model that its context was made for. Matter is no part of that model; so it has a model and a
context of its own, which hold nothing but meshes with room for its triangles, and the scene's geoms point to where
those are in the memory of OpenGL, which both contexts share.
"""

from collections.abc import Sequence

import mujoco
import numpy as np

from pliant.colors import Scale, ramp
from pliant.geoms import Solid, add_solids
from pliant.shell import Shell

BACK = 0.7  # how bright the back is
TEXELS = 256  # of the colours of numbers
UNKNOWN = (0.6, 0.6, 0.6)
SPARE = 1.5  # room of a skin, over what it needs now

Room = tuple[int, int]  # vertices and triangles


class Drape:
    """The surfaces of one canvas, whose context is `host`. What does not fit in needs a new one."""

    def __init__(self, host: mujoco.MjrContext, shells: Sequence[Shell]):
        self.host = host
        self.rooms = [spacious(shell) for shell in shells for _ in sides(shell)]
        self.model = mesh_model(self.rooms)
        self.context = mujoco.MjrContext(self.model, mujoco.mjtFontScale.mjFONTSCALE_100.value)
        # making a context also chooses where to draw
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN.value, host)
        self.first_mesh = self.context.baseMesh - host.baseMesh
        if self.first_mesh < 0:
            raise RuntimeError(f"mujoco {mujoco.__version__} keeps meshes in an unknown order; install 4.0.0")
        self.slot = lend_texture(self.context, host)

    def fits(self, shells: Sequence[Shell]) -> bool:
        needed = [room(shell) for shell in shells for _ in sides(shell)]
        return len(needed) == len(self.rooms) and all(
            v <= most_v and t <= most_t for (v, t), (most_v, most_t) in zip(needed, self.rooms, strict=True)
        )

    def hang(
        self, scene: mujoco.MjvScene, shells: Sequence[tuple[int, Shell]], field: str, scale: Scale | None
    ) -> None:
        """Puts surfaces, each with the number that a segmentation shows, into the scene as they are now."""
        mesh = 0
        for segment, shell in shells:
            values = None if scale is None else shell.values(field)
            shares = None if values is None else scale.shares(values)
            plain = shell.color if scale is None else UNKNOWN
            for sign, bright in sides(shell):
                self.upload(mesh, shell, sign, shares)
                rgb = np.multiply(bright, plain if shares is None else 1.0) * np.ones(3)
                add_solids(scene, [Solid(mujoco.mjtGeom.mjGEOM_MESH, (1, 1, 1), rgba=(*rgb, 1), segment=segment)])
                geom = scene.geoms[scene.ngeom - 1]
                geom.dataid, geom.specular = self.first_mesh + 2 * mesh, shell.gloss
                if shares is not None:
                    geom.matid, geom.texid = self.slot
                    geom.texcoord = 1
                mesh += 1

    def upload(self, mesh: int, shell: Shell, sign: int, shares: np.ndarray | None) -> None:
        """Sends one side to OpenGL; the back has its corners in the opposite order."""
        model, count = self.model, len(shell.triangles)
        model.mesh_facenum[mesh] = count
        put(model.mesh_vert, model.mesh_vertadr[mesh], shell.vertices)
        faces = shell.triangles[:, ::sign]
        put(model.mesh_face, model.mesh_faceadr[mesh], faces)
        put(model.mesh_facetexcoord, model.mesh_faceadr[mesh], faces)
        put(model.mesh_normal, model.mesh_normaladr[mesh], sign * shell.normals[:, ::sign].reshape(-1, 3))
        if shares is not None:
            # the ends are in the middle of their texels, so that one does not run into the other
            start = int(model.mesh_texcoordadr[mesh])
            model.mesh_texcoord[start : start + len(shares), 0] = (0.5 + shares * (TEXELS - 1)) / TEXELS
        mujoco.mjr_uploadMesh(model, self.context, mesh)

    def close(self) -> None:
        self.context.free()


def sides(shell: Shell) -> tuple[tuple[int, float], ...]:
    """Signs of the normals, and how bright."""
    return ((1, 1.0),) if shell.closed else ((1, 1.0), (-1, BACK))


def room(shell: Shell) -> Room:
    return len(shell.vertices), len(shell.triangles)


def spacious(shell: Shell) -> Room:
    spare = 1.0 if shell.lasting else SPARE
    vertices, triangles = room(shell)
    return max(4, int(spare * vertices)), max(4, int(spare * triangles))


def put(table: np.ndarray, start: int, rows: np.ndarray) -> None:
    table[start : start + len(rows)] = rows


def mesh_model(rooms: Sequence[Room]) -> mujoco.MjModel:
    """Meshes of these sizes, and the ramp as a texture. Their shapes do not matter yet."""
    spec = mujoco.MjSpec()
    for number, (vertices, triangles) in enumerate(rooms):
        ball, row = spiral(vertices), np.arange(triangles)
        corners = np.stack([row, row + 1, row + 2], axis=1) % vertices
        mesh = spec.add_mesh(name=f"{number}", inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL)
        mesh.uservert, mesh.userface = ball.ravel(), corners.ravel()
        mesh.usernormal = ball[corners].ravel()
        mesh.userfacenormal = np.arange(corners.size)
        mesh.usertexcoord = np.full(2 * vertices, 0.5)
    row = (255 * ramp(np.linspace(0, 1, TEXELS), 0, 1) + 0.5).astype(np.uint8)
    colors = spec.add_texture(name="ramp", type=mujoco.mjtTexture.mjTEXTURE_2D, width=TEXELS, height=2, nchannel=3)
    colors.data = np.stack([row, row]).tobytes()
    # nothing is drawn by its own context
    spec.visual.quality.shadowsize = spec.visual.quality.offsamples = 0
    spec.visual.global_.offwidth = spec.visual.global_.offheight = 1
    model = spec.compile()
    # each corner has a normal of its own, in this order
    for first, count in zip(model.mesh_faceadr, model.mesh_facenum, strict=True):
        model.mesh_facenormal[first : first + count] = np.arange(3 * count).reshape(-1, 3)
    return model


def spiral(count: int) -> np.ndarray:
    """Points on a sphere, no three of them on a line: any triangle of them has an area, as MuJoCo wants."""
    place = np.arange(count) + 0.5
    height, turn = 1 - 2 * place / count, np.pi * (1 + 5**0.5) * place
    radius = np.sqrt(1 - height**2)
    return np.stack([radius * np.cos(turn), radius * np.sin(turn), height], axis=1)


def lend_texture(lender: mujoco.MjrContext, host: mujoco.MjrContext) -> tuple[int, int]:
    """Makes the first texture of a context known to another, at the end of its lists; its material and number there."""
    texture, material = len(host.texture) - 1, len(host.mat_texuniform) - 1
    host.texture[texture], host.textureType[texture] = lender.texture[0], lender.textureType[0]
    roles = host.mat_texid.reshape(len(host.mat_texuniform), -1)
    roles[material] = -1
    roles[material, int(mujoco.mjtTextureRole.mjTEXROLE_RGB)] = texture
    host.mat_texrepeat[2 * material : 2 * material + 2] = 1
    return material, texture
