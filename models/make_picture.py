"""Draws all models side by side into models.png, which README.md shows.

Needs a software or hardware GL: MUJOCO_GL=egl python models/make_picture.py
"""

from pathlib import Path

import mujoco
import numpy as np
from PIL import Image

HERE = Path(__file__).parent
WIDTH, HEIGHT = 1200, 600

STAGE = f"""
<mujoco>
  <visual>
    <global offwidth="{2 * WIDTH}" offheight="{2 * HEIGHT}" fovy="30"/>
    <headlight ambient=".35 .35 .35" diffuse=".45 .45 .45" specular=".1 .1 .1"/>
    <quality shadowsize="4096" offsamples="0"/>
    <map znear=".01"/>
  </visual>
  <asset>
    <texture type="skybox" builtin="flat" rgb1="1 1 1" rgb2="1 1 1" width="32" height="32"/>
    <material name="ground" rgba=".93 .93 .92 1"/>
  </asset>
  <worldbody>
    <light pos="1 -3 4" dir="-.2 .55 -.8" directional="true" diffuse=".5 .5 .5"/>
    <geom type="plane" size="8 8 .1" material="ground"/>
  </worldbody>
</mujoco>
"""

# model, its prefix, place (x to the right, y away from the eye), turn about z in degrees, site that carries it
PLACES = [
    ("table", "table/", (-0.1, 0.0, 0.0), 0, None),
    ("iiwa7", "arm/", (-1.35, -0.1, 0.0), -35, None),
    ("wsg50", "arm/gripper/", (0, 0, 0), 0, "arm/flange"),
    ("iiwa7", "second/", (1.15, -0.1, 0.0), -145, None),
    ("allegro", "second/hand/", (0, 0, 0), 180, "second/flange"),
    ("wsg50", "gripper/", (-0.55, -0.2, 0.75), 0, None),
    ("allegro", "hand/", (-0.25, -0.2, 0.75), -60, None),
    ("mug", "mug/", (0.0, -0.25, 0.75), -30, None),
    ("bin", "bin/", (-0.35, 0.2, 0.75), 0, None),
    ("rolling_pin", "pin/", (0.13, 0.1, 0.78), 60, None),
    ("scoop", "scoop/", (-0.02, 0.05, 0.895), -50, None),
    ("panel", "left/", (0.27, -0.15, 0.85), -20, None),
    ("panel", "right/", (0.38, -0.19, 0.85), 160, None),
]


def stage() -> mujoco.MjModel:
    spec = mujoco.MjSpec.from_string(STAGE)
    for name, prefix, place, turn, site in PLACES:
        child = mujoco.MjSpec.from_file(str(HERE / name / f"{name}.xml"))
        half = np.radians(turn) / 2
        pose = {"pos": place, "quat": (np.cos(half), 0, 0, np.sin(half))}
        if site:
            spec.attach(child, prefix=prefix, site=spec.site(site))
        else:
            spec.attach(child, prefix=prefix, frame=spec.worldbody.add_frame(**pose))
    return spec.compile()


def at_home(model: mujoco.MjModel) -> mujoco.MjData:
    """Every robot in its own home pose."""
    data = mujoco.MjData(model)
    for key in range(model.nkey):
        owner = model.key(key).name.removesuffix("home")
        joints = [model.joint(j) for j in range(model.njnt)]
        for joint in joints:
            if joint.name.rpartition("/")[0] + "/" == owner:
                data.qpos[joint.qposadr] = model.key_qpos[key][joint.qposadr]
    mujoco.mj_forward(model, data)
    return data


def picture() -> Image.Image:
    model = stage()
    camera = mujoco.MjvCamera()
    camera.lookat[:] = (-0.1, 0, 0.46)
    camera.distance, camera.azimuth, camera.elevation = 2.85, 90, -27
    with mujoco.Renderer(model, 2 * HEIGHT, 2 * WIDTH) as renderer:
        options = mujoco.MjvOption()
        options.sitegroup[:] = 0
        renderer.update_scene(at_home(model), camera, options)
        pixels = renderer.render()
    return Image.fromarray(pixels).resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS)


if __name__ == "__main__":
    picture().quantize(192, dither=Image.Dither.NONE).save(HERE / "models.png", optimize=True)
