"""Cloth in MuJoCo's renderer: smooth surfaces of two sides, whose shape changes from picture to picture.

MuJoCo draws meshes of the model that its context was made for. Cloth is no part of that model; so it has a model and a
context of its own, which hold nothing but its meshes, and the scene's geoms point to where those are in the memory of
OpenGL, which both contexts share.
"""

from collections.abc import Sequence

import mujoco
import numpy as np

from pliant.colors import Scale, ramp
from pliant.geoms import Solid, add_solids
from pliant.sheet import corner_normals
from pliant.snapshot import Grains

SIDES = 2  # front and back, each a mesh
BACK = 0.7  # how bright the back is
TEXELS = 256  # of the colours of numbers
UNKNOWN = (0.6, 0.6, 0.6)


class Drape:
    """The cloths of one canvas, whose context is `host`. What has other triangles needs a new one."""

    def __init__(self, host: mujoco.MjrContext, cloths: Sequence[Grains]):
        self.host = host
        self.triangles = [cloth.triangles for cloth in cloths]
        self.model = mesh_model(cloths)
        self.context = mujoco.MjrContext(self.model, mujoco.mjtFontScale.mjFONTSCALE_100.value)
        # making a context also chooses where to draw
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN.value, host)
        self.first_mesh = self.context.baseMesh - host.baseMesh
        if self.first_mesh < 0:
            raise RuntimeError(f"mujoco {mujoco.__version__} keeps meshes in an unknown order; install 4.0.0")
        self.slot = lend_texture(self.context, host)

    def fits(self, cloths: Sequence[Grains]) -> bool:
        mine = self.triangles
        return len(mine) == len(cloths) and all(
            np.array_equal(a, b.triangles) for a, b in zip(mine, cloths, strict=True)
        )

    def hang(
        self, scene: mujoco.MjvScene, cloths: Sequence[tuple[int, Grains]], field: str, scale: Scale | None
    ) -> None:
        """Puts cloths, each with the number that a segmentation shows, into the scene as they are now."""
        for number, (segment, cloth) in enumerate(cloths):
            shares = self.upload(number, cloth, field, scale)
            plain = cloth.color if scale is None else UNKNOWN
            for side, bright in enumerate((1.0, BACK)):
                rgb = np.multiply(bright, plain if shares is None else 1.0) * np.ones(3)
                add_solids(scene, [Solid(mujoco.mjtGeom.mjGEOM_MESH, (1, 1, 1), rgba=(*rgb, 1), segment=segment)])
                geom = scene.geoms[scene.ngeom - 1]
                geom.dataid = self.first_mesh + 2 * (SIDES * number + side)
                if shares is not None:
                    geom.matid, geom.texid = self.slot
                    geom.texcoord = 1

    def upload(self, number: int, cloth: Grains, field: str, scale: Scale | None) -> np.ndarray | None:
        """Sends both sides to OpenGL; returns where the vertices are on the ramp of colours, if that is known."""
        vertices = cloth.positions[: cloth.vertex_count]
        normals = corner_normals(vertices.astype(float), cloth.triangles)
        values = None if scale is None else cloth.vertex_values(field)
        shares = None if values is None else scale.shares(values)
        for side, sign in enumerate((1, -1)):
            mesh = SIDES * number + side
            # the back has its corners in the opposite order
            self.fill(mesh, vertices, sign * normals[:, ::sign].reshape(-1, 3))
            if shares is not None:
                self.color(mesh, shares)
            mujoco.mjr_uploadMesh(self.model, self.context, mesh)
        return shares

    def fill(self, mesh: int, vertices: np.ndarray, normals: np.ndarray) -> None:
        start, count = int(self.model.mesh_vertadr[mesh]), int(self.model.mesh_vertnum[mesh])
        self.model.mesh_vert[start : start + count] = vertices
        start = int(self.model.mesh_normaladr[mesh])
        self.model.mesh_normal[start : start + len(normals)] = normals

    def color(self, mesh: int, shares: np.ndarray) -> None:
        """The places of 0..1 on the ramp that the vertices have."""
        start = int(self.model.mesh_texcoordadr[mesh])
        # the ends are in the middle of their texels, so that one does not run into the other
        self.model.mesh_texcoord[start : start + len(shares), 0] = (0.5 + shares * (TEXELS - 1)) / TEXELS

    def close(self) -> None:
        self.context.free()


def mesh_model(cloths: Sequence[Grains]) -> mujoco.MjModel:
    """Two meshes per cloth, and the ramp as a texture. Their shapes do not matter yet."""
    spec = mujoco.MjSpec()
    for number, cloth in enumerate(cloths):
        ball = spiral(cloth.vertex_count)
        for side, corners in (("front", cloth.triangles), ("back", cloth.triangles[:, ::-1])):
            mesh = spec.add_mesh(name=f"{number} {side}", inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL)
            mesh.uservert, mesh.userface = ball.ravel(), np.ravel(corners)
            mesh.usernormal = ball[corners].ravel()
            mesh.userfacenormal = np.arange(corners.size)
            mesh.usertexcoord = np.full(2 * len(ball), 0.5)
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
