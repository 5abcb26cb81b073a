"""MuJoCo's renderer with matter in its scene: bodies from the model; boundaries, particles and surfaces are added."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import mujoco
import numpy as np

from pliant.colors import FIELD_HELP, FIELDS, Scale
from pliant.drape import Drape
from pliant.errors import BadInputError
from pliant.framing import Pose, Stage, glue
from pliant.geoms import FLOOR_COLOR, Solid, add_solids, add_spheres, arrow, boundary_solids, rows_of, tank_floor
from pliant.gl import close_at_exit, open_context
from pliant.hidden import visible
from pliant.shell import Shell, shell_of
from pliant.snapshot import LONG_ARROW, SHORT_ARROW, Grains, Snapshot, painted, thinned

MOST_PARTICLES = 60_000  # more are thinned out
FACETS = ((1_500, 28, 16), (15_000, 20, 8), (10**9, 20, 5))  # particles up to this many: slices and stacks of spheres
SUN = np.array([0.35, 0.45, -0.82])  # where its light goes
BACKDROP = (0.80, 0.86, 0.93)
FLAGS = mujoco.mjtRndFlag
WHITE = (1.0, 1.0, 1.0, 1.0)
PLANE = mujoco.mjtGeom.mjGEOM_PLANE
EMPTY = """
<mujoco>
  <visual>
    <headlight ambient=".38 .38 .38" diffuse=".38 .38 .38" specular=".05 .05 .05"/>
    <rgba haze=".80 .86 .93 1"/>
    <map znear=".005" zfar="60"/>
  </visual>
  <asset>
    <texture type="skybox" builtin="gradient" rgb1=".80 .86 .93" rgb2=".55 .68 .84" width="64" height="384"/>
    <texture name="tiles" type="2d" builtin="checker" rgb1=".66 .69 .72" rgb2=".60 .63 .67" width="256" height="256"/>
    <material name="floor" texture="tiles" texrepeat="4 4" texuniform="true" reflectance="0"/>
  </asset>
</mujoco>
"""


def empty_model() -> mujoco.MjModel:
    """For scenes without bodies."""
    return mujoco.MjModel.from_xml_string(EMPTY)


@dataclass(frozen=True)
class Look:
    """How to draw. `camera` is a Pose, the name of a camera of the model, or None: all that will happen is in sight."""

    camera: Pose | str | None = None
    field: str = "material"  # or speed, strain, plastic, stress
    scale: Scale | None = None  # numbers of the ends of the colours; None: found
    arrows: bool = False  # contact forces
    balls: bool = False  # particles of all matter but cloth, instead of its surface

    def check(self) -> "Look":
        if self.field not in FIELDS:
            raise BadInputError(f"no colour by '{self.field}'; choose {FIELD_HELP}")
        return self


PLAIN = Look()


class Canvas:
    """Draws snapshots of one model at one size. Use it in a `with` block, in one thread."""

    def __init__(self, model: mujoco.MjModel | None, width: int, height: int, particles: int = 0):
        self.own_stage = model is None
        self.model = empty_model() if model is None else model
        self.still = mujoco.MjData(self.model)
        mujoco.mj_forward(self.model, self.still)
        self.width, self.height = width, height
        room = 2 * self.model.ngeom + 4 * self.model.nsite + 2_000
        self.scene = mujoco.MjvScene(self.model, maxgeom=room + min(particles, 2 * MOST_PARTICLES))
        self.rect = mujoco.MjrRect(0, 0, width, height)
        self.options = mujoco.MjvOption()
        self.options.sitegroup[:] = 0
        self.context: mujoco.MjrContext | None = None
        self.drape: Drape | None = None
        self.gl = open_context(width, height)
        close_at_exit(self)
        self.context = self.make_context(particles)

    def make_context(self, particles: int) -> mujoco.MjrContext:
        """Many spheres are drawn with fewer facets. The model is left as it was."""
        quality = self.model.vis.quality
        before = (quality.numslices, quality.numstacks)
        slices, stacks = next((a, b) for most, a, b in FACETS if particles <= most)
        quality.numslices, quality.numstacks = min(before[0], slices), min(before[1], stacks)
        try:
            context = mujoco.MjrContext(self.model, mujoco.mjtFontScale.mjFONTSCALE_100.value)
        finally:
            quality.numslices, quality.numstacks = before
        if (context.offWidth, context.offHeight) != (self.width, self.height):
            mujoco.mjr_resizeOffscreen(self.width, self.height, context)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN.value, context)
        context.readDepthMap = mujoco.mjtDepthMap.mjDEPTH_ZEROFAR
        return context

    def compose(
        self, snapshot: Snapshot, scene: object, data: mujoco.MjData | None = None, look: Look = PLAIN
    ) -> Scale | None:
        """Fills MuJoCo's scene; returns the scale of the colours, if they mean numbers."""
        data = self.still if data is None else data
        stage = Stage.of(snapshot, scene, self.model)
        self.place_camera(data, look.camera, stage)
        self.light(stage)
        add_solids(self.scene, self.walls(snapshot, scene, stage))
        if not self.has_sky():
            add_solids(self.scene, backdrop(stage))
        if look.arrows:
            add_solids(self.scene, force_arrows(snapshot, stage))
        pieces = thinned(snapshot.bare() if look.balls else snapshot, MOST_PARTICLES)
        colors, scale = painted(pieces, look.field, look.scale)
        shells = []
        for segment, (piece, color) in enumerate(zip(pieces, colors, strict=True), self.first_segment):
            shell = shell_of(piece)
            if shell is None:
                self.add_matter(piece, color, segment)
            elif len(shell.triangles):
                shells.append((segment, shell))
        if shells:
            self.drape_of([shell for _, shell in shells]).hang(self.scene, shells, look.field, scale)
        return scale

    def drape_of(self, shells: Sequence[Shell]) -> Drape:
        """Made anew for surfaces that do not fit into the last one."""
        self.gl.make_current()
        if self.drape is not None and not self.drape.fits(shells):
            self.drape.close()
            self.drape = None
        self.drape = self.drape or Drape(self.context, shells)
        return self.drape

    def add_matter(self, piece: Grains, color: np.ndarray, segment: int) -> None:
        radius = 0.6 * piece.spacing
        seen = visible(piece.positions, radius, self.scene.camera[0], self.sun_dirs())
        add_spheres(self.scene, piece.positions[seen], radius, color[seen], segment)

    @property
    def first_segment(self) -> int:
        """MuJoCo numbers what it shows from 0; pieces of matter come after all that, then boundaries."""
        return int(self.scene.maxgeom)

    def sun_dirs(self) -> list[np.ndarray]:
        """Where the light of each lamp with a shadow goes."""
        if not self.scene.flags[FLAGS.mjRND_SHADOW]:
            return []
        lamps = [self.scene.lights[i] for i in range(self.scene.nlight)]
        return [np.array(lamp.dir) if is_sun(lamp) else None for lamp in lamps if lamp.castshadow]

    def place_camera(self, data: mujoco.MjData, pose: Pose | str | None, stage: Stage) -> None:
        camera = mujoco.MjvCamera()
        if isinstance(pose, str):
            camera.type = mujoco.mjtCamera.mjCAMERA_FIXED
            camera.fixedcamid = camera_id(self.model, pose)
        every = mujoco.mjtCatBit.mjCAT_ALL.value
        mujoco.mjv_updateScene(self.model, data, self.options, None, camera, every, self.scene)
        for eye in self.scene.camera:
            # as far as the backdrop
            eye.frustum_far = max(eye.frustum_far, 60 * stage.size)
        aspect = self.width / self.height
        if not isinstance(pose, str):
            glue(self.scene, pose or stage.pose(aspect), stage.size, aspect)

    def light(self, stage: Stage) -> None:
        """A sun with shadows, unless the model brings lamps."""
        if self.model.nlight:
            return
        scene = self.scene
        for i in range(scene.nlight):
            lamp = scene.lights[i]
            if lamp.headlight:
                lamp.ambient[:], lamp.diffuse[:], lamp.specular[:] = 0.38, 0.38, 0.05
        sun = scene.lights[scene.nlight]
        sun.id, sun.headlight, sun.castshadow = 0, 0, 1
        sun.type = mujoco.mjtLightType.mjLIGHT_DIRECTIONAL
        sun.dir[:] = SUN / np.linalg.norm(SUN)
        sun.pos[:] = stage.center - 2 * stage.size * sun.dir
        sun.attenuation[:] = (1, 0, 0)
        sun.ambient[:], sun.diffuse[:], sun.specular[:] = 0, 0.55, 0.25
        sun.texid, sun.cutoff, sun.exponent = -1, 45, 10
        scene.nlight += 1
        self.context.shadowClip = 1.2 * stage.size

    def walls(self, snapshot: Snapshot, scene: object, stage: Stage) -> list[Solid]:
        """The boundaries, and a floor below a tank. A model with a floor needs no second one."""
        centers = snapshot.boundary_centers
        solids = boundary_solids(scene, centers, self.first_segment + len(snapshot.grains))
        if np.any(self.model.geom_type == PLANE):
            return [s for s in solids if s.kind != PLANE]
        bottom = tank_floor(scene, centers)
        if bottom is not None and not any(s.kind == PLANE for s in solids):
            solids.append(Solid(PLANE, (0, 0, 1), (0, 0, bottom - 2e-3), rgba=FLOOR_COLOR))
        if not self.own_stage:
            return [slab(s, stage) for s in solids]
        tiles = (0, int(self.model.mat_texid[0, mujoco.mjtTextureRole.mjTEXROLE_RGB]))
        return [replace(slab(s, stage), tiles=tiles, rgba=WHITE) if s.kind == PLANE else s for s in solids]

    def has_sky(self) -> bool:
        return bool(np.any(self.model.tex_type == mujoco.mjtTexture.mjTEXTURE_SKYBOX))

    def draw(self, *flags: FLAGS) -> tuple[np.ndarray, np.ndarray]:
        """Pixels (height, width, 3) uint8, and depth (height, width), m; inf where there is nothing."""
        if self.context is None:
            raise RuntimeError("this canvas is closed")
        self.gl.make_current()
        before = self.scene.flags.copy()
        pixels = np.empty((self.height, self.width, 3), np.uint8)
        nearness = np.empty((self.height, self.width), np.float32)
        for flag in flags:
            self.scene.flags[flag] = 1
        try:
            mujoco.mjr_render(self.rect, self.scene, self.context)
            mujoco.mjr_readPixels(pixels, nearness, self.rect, self.context)
        finally:
            self.scene.flags[:] = before
        camera = self.scene.camera[0]
        near, far = float(camera.frustum_near), float(camera.frustum_far)
        share = nearness[::-1].astype(float)
        depth = near * far / (near + share * (far - near))
        if camera.orthographic:
            depth = far - share * (far - near)
        return pixels[::-1], np.where(share > 0, depth, np.inf).astype(np.float32)

    def segments(self) -> np.ndarray:
        """(height, width) int32: id of a geom of the model, or its count of geoms + number of matter, then of boundary.

        -1 where there is nothing.
        """
        pixels, _ = self.draw(FLAGS.mjRND_SEGMENT, FLAGS.mjRND_IDCOLOR)
        numbers = pixels.astype(np.int32) @ np.array([1, 1 << 8, 1 << 16], np.int32) - 1
        rows = rows_of(self.scene)[: self.scene.ngeom]
        meaning = np.full(self.first_segment, -1, np.int32)
        geoms = rows[(rows["objtype"] == mujoco.mjtObj.mjOBJ_GEOM) & (rows["segid"] >= 0)]
        geoms = geoms[geoms["segid"] < self.first_segment]
        meaning[geoms["segid"]] = geoms["objid"]
        added = numbers >= self.first_segment
        known = np.clip(numbers, 0, self.first_segment - 1)
        result = np.where(added, numbers - self.first_segment + self.model.ngeom, meaning[known])
        return np.where(numbers < 0, -1, result).astype(np.int32)

    def close(self) -> None:
        if self.context is not None:
            self.gl.make_current()
            if self.drape is not None:
                self.drape.close()
            self.context.free()
            self.gl.free()
            self.context = None

    def __enter__(self) -> "Canvas":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def camera_id(model: mujoco.MjModel, name: str) -> int:
    """The camera of that name; "film" is also found as "table/film" if no other body has one."""
    names = [model.camera(i).name for i in range(model.ncam)]
    if name in names:
        return names.index(name)
    found = [i for i, known in enumerate(names) if known.endswith(f"/{name}")]
    if len(found) != 1:
        known = ", ".join(f"'{n}'" for n in names) or "none"
        which = "several cameras are" if found else "no camera is"
        raise BadInputError(f"{which} called '{name}'; the model has {known}")
    return found[0]


def is_sun(lamp: mujoco.MjvLight) -> bool:
    return lamp.type == mujoco.mjtLightType.mjLIGHT_DIRECTIONAL


def slab(solid: Solid, stage: Stage) -> Solid:
    """A plane as a wide thin box below the stage; other solids as they are. MuJoCo shows only planes of its model."""
    if solid.kind != PLANE:
        return solid
    mat = np.eye(3) if solid.mat is None else np.reshape(solid.mat, (3, 3))
    normal, wide, thin = mat[:, 2], 20 * stage.size, 0.002 * stage.size
    # the point of the plane that is nearest to the middle of the stage
    place = stage.center - normal * (normal @ (stage.center - np.asarray(solid.pos, float)))
    box = mujoco.mjtGeom.mjGEOM_BOX
    return replace(solid, kind=box, size=(wide, wide, thin), pos=place - thin * normal, casts=False)


def backdrop(stage: Stage) -> list[Solid]:
    """Six bright walls far away, seen from inside; light of its own outshines that of lamps on them."""
    far, thick = 25 * stage.size, 0.05 * stage.size
    dim, glow = 1e-4 * np.array([*BACKDROP, 1e4]), 1e4
    walls = []
    for axis in range(3):
        for side in (-1, 1):
            half = np.full(3, far)
            half[axis] = thick
            place = np.array(stage.center, float)
            place[axis] += side * far
            walls.append(Solid(mujoco.mjtGeom.mjGEOM_BOX, half, place, None, dim, False, glow))
    return walls


def force_arrows(snapshot: Snapshot, stage: Stage) -> list[Solid]:
    """Forces of single contacts, and thicker that of all matter on each body."""
    made = []
    for arrows, count, length, thick, color in (
        (snapshot.contacts, 1000, SHORT_ARROW, 0.004, (0.95, 0.55, 0.1, 1)),
        (snapshot.pushes, 50, LONG_ARROW, 0.016, (0.85, 0.15, 0.1, 1)),
    ):
        starts, ends = arrows.largest(count, length * stage.size)
        made += [arrow(a, b - a, thick * stage.size, color) for a, b in zip(starts, ends, strict=True)]
    return made
