"""Reads recordings. They are HDF5 files: docs/recordings.md says what is in them and how to read them without this."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import h5py
import numpy as np
from numpy.typing import NDArray

from pliant._core import Scene, World, load_scene_text
from pliant.errors import BadFileError, BadInputError, Error
from pliant.library import models_folder
from pliant.touch import Skin, TaxelMap, Touches, find_geom

FORMAT = "pliant recording"
FORMAT_VERSION = 1
HDF5_HEAD = b"\x89HDF\r\n\x1a\n\x03\x08"  # signature, version 3, addresses of 8 bytes

Array = NDArray[Any]


@dataclass(frozen=True)
class MatterFrame:
    """One piece of matter at one moment. Rows are particles, in the same order in every frame."""

    positions: Array  # m
    velocities: Array  # m/s
    deformation_gradient: Array | None = None  # elastic F, if it was recorded
    plastic: Array | None = None  # what the law remembers, if it was recorded


@dataclass(frozen=True)
class Frame:
    """A moment of a recording."""

    time: float  # s
    step: int  # steps made before it
    matter: dict[str, MatterFrame] = field(default_factory=dict)
    bodies: dict[str, Array] = field(default_factory=dict)  # qpos, qvel, ctrl, xpos, ... as in mujoco.MjData
    # of the step that ended here: position, normal, impulse, particle, body, geom, gap, slides; as in World.contacts
    contacts: dict[str, Array] = field(default_factory=dict)


@dataclass(frozen=True)
class Snapshot:
    """An exact state to go on from."""

    step: int
    frames: int  # of the recording at that step
    state: bytes  # for World.restore


class Recording:
    """A recording, finished, killed or still being written.

    recording = pl.Recording("rolling.h5")
    recording.times, len(recording), recording.matter   # when, how many frames, names
    recording.frame(-1).matter["dough"].positions        # numpy, (particles, 3)
    recording.reports["kinetic_energy"]                  # numpy, one number per step
    recording.wrenches["pin/roller"][:, 2]               # numpy, N: vertical force on a body in every step
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.file = open_file(self.path)
        attributes = self.file.attrs
        if attributes.get("format") != FORMAT:
            raise BadFileError(f"{self.path}: not a recording of pliant; give a file that 'pliant run --out' wrote")
        if attributes["format_version"] > FORMAT_VERSION:
            raise BadFileError(
                f"{self.path}: format {attributes['format_version']}, this pliant reads up to {FORMAT_VERSION}; "
                "install a newer pliant"
            )
        try:
            self._groups = {str(g.attrs["name"]): g for g in self.file.get("matter", {}).values()}
            self.refresh()
        except (KeyError, OSError, RuntimeError) as error:
            raise BadFileError(f"{self.path}: the recording is damaged: {error}; record it again") from error

    def refresh(self) -> None:
        """Looks for frames that were written since, while a run goes on."""
        columns = list(self._columns())
        for column in columns:
            column.refresh()
        times = self.file["time"][:]
        whole = min((len(column) for column in columns), default=0)
        # a frame without its time was being written when the writer was killed
        unfinished = np.flatnonzero(~np.isfinite(times))
        self.times: Array = times[: min(whole, unfinished[0] if len(unfinished) else len(times))]

    def _columns(self) -> Iterator[h5py.Dataset]:
        yield from (self.file["time"], self.file["step"])
        for group in self._groups.values():
            yield from (column for name, column in group.items() if name not in ("id", "mass", "volume", "triangles"))
        for name, column in self.file.get("bodies", {}).items():
            if name not in ("model", "names"):
                yield column
        if "contacts" in self.file:
            yield self.file["contacts/end"]

    def __len__(self) -> int:
        return len(self.times)

    def __repr__(self) -> str:
        span = f"{self.times[0]:.3g} to {self.times[-1]:.3g} s" if len(self) else "empty"
        return f"Recording('{self.path}', {len(self)} frames, {span}, matter: {', '.join(self.matter) or 'none'})"

    # what is in it

    @property
    def matter(self) -> list[str]:
        """Names of the pieces of matter."""
        return list(self._groups)

    @property
    def attributes(self) -> dict[str, Any]:
        """format, pliant_version, scene, units, dimension, dt, cell, ..."""
        return dict(self.file.attrs)

    def masses(self, matter: str) -> Array:
        """kg, of each particle."""
        return np.asarray(self._group(matter)["mass"])

    def volumes(self, matter: str) -> Array:
        """m^3 at rest, of each particle."""
        return np.asarray(self._group(matter)["volume"])

    def triangles(self, matter: str) -> Array:
        """Corners of triangles as rows of positions, (triangles, 3): of cloth, or of the surface of what has one."""
        group = self._group(matter)
        return np.asarray(group["triangles"]) if "triangles" in group else np.zeros((0, 3), np.int32)

    def material(self, matter: str) -> str:
        """Name of its material."""
        return str(self._group(matter).attrs["material"])

    def _group(self, matter: str) -> h5py.Group:
        if matter not in self._groups:
            raise KeyError(f"no matter '{matter}'; the recording has {', '.join(self._groups) or 'none'}")
        return self._groups[matter]

    def nearest(self, time: float) -> int:
        """Number of the frame closest to a time, s."""
        if len(self) == 0:
            raise BadFileError(f"{self.path}: the recording has no frames")
        return int(np.argmin(np.abs(self.times - time)))

    def frame(self, number: int) -> Frame:
        """All that was recorded at one moment; -1 is the last."""
        i = self._row(number)
        pieces = {
            name: MatterFrame(**{key: g[key][i] for key in MatterFrame.__dataclass_fields__ if key in g})
            for name, g in self._groups.items()
        }
        bodies = {
            key: column[i] for key, column in self.file.get("bodies", {}).items() if key not in ("model", "names")
        }
        contacts = {}
        if "contacts" in self.file:
            end = self.file["contacts/end"]
            rows = slice(int(end[i - 1]) if i > 0 else 0, int(end[i]))
            contacts = {key: column[rows] for key, column in self.file["contacts"].items() if key != "end"}
        return Frame(float(self.times[i]), int(self.file["step"][i]), pieces, bodies, contacts)

    def _row(self, number: int) -> int:
        if not -len(self) <= number < len(self):
            raise IndexError(f"frame {number} of a recording of {len(self)}")
        return number % len(self)

    @property
    def reports(self) -> Array:
        """One row per step: time, substeps, seconds, energies, momentum, volume, ...; a structured array."""
        return np.asarray(self.file["reports/steps"])

    @property
    def warnings(self) -> list[tuple[int, str]]:
        """Step and text."""
        return [(int(step), text.decode(errors="replace")) for step, text in self.file["reports/warnings"]]

    # bodies

    @property
    def wrenches(self) -> dict[str, Array]:
        """What matter did to each body that it can touch: (steps, 6), N and N m about its centre of mass."""
        if "reports/wrenches" not in self.file:
            return {}
        rows = np.asarray(self.file["reports/wrenches"])
        names = self.file["reports/wrench_bodies"].asstr()[:]
        return {str(name): rows[:, i] for i, name in enumerate(names)}

    def taxels(self, number: int, geom: str, rows: int, columns: int) -> TaxelMap:
        """The force of matter on a geom by place, in the step that ended at a frame, as World.taxels gives it."""
        model, data = self.model(), self.data(number)
        skin = Skin(model, find_geom(model, geom), rows, columns)
        touches = Touches.of(self.frame(number).contacts, float(self.file.attrs["dt"]))
        return skin.feel(touches, data.geom_xpos[skin.geom], data.geom_xmat[skin.geom])

    @property
    def has_bodies(self) -> bool:
        return "bodies" in self.file

    @cached_property
    def _model(self) -> Any:
        import mujoco

        if not self.has_bodies:
            raise BadInputError(f"{self.path}: the recording has no bodies")
        image = np.asarray(self.file["bodies/model"]).tobytes()
        try:
            return mujoco.MjModel.from_binary_path("model.mjb", {"model.mjb": image})
        except ValueError as error:
            version = self.file["bodies"].attrs["mujoco_version"]
            raise BadFileError(
                f"{self.path}: its bodies do not load: {error}; they were written by MuJoCo {version}, "
                f"this is {mujoco.__version__}"
            ) from error

    def model(self) -> Any:
        """The bodies as mujoco.MjModel; no other file is needed."""
        return self._model

    def data(self, number: int, data: Any = None) -> Any:
        """mujoco.MjData of one frame, with positions and all that follows from them; into `data`, if it is given."""
        import mujoco

        i, model, bodies = self._row(number), self.model(), self.file["bodies"]
        data = mujoco.MjData(model) if data is None else data
        data.time = self.times[i]
        for name in ("qpos", "qvel", "act", "ctrl", "mocap_pos", "mocap_quat"):
            if name in bodies:
                getattr(data, name)[:] = bodies[name][i]
        mujoco.mj_forward(model, data)
        if "sensordata" in bodies:
            data.sensordata[:] = bodies["sensordata"][i]
        return data

    # going on

    def scene(self) -> Scene:
        """The scene that was recorded."""
        text, folder = str(self.file.attrs["scene"]), str(self.file.attrs["scene_folder"])
        if not text:
            raise BadInputError(f"{self.path}: its scene is not in it (a file cannot hold points); hand the scene over")
        file = f"scene of {self.path}"
        return load_scene_text(text, folder=folder, file=file, models=models_folder(), allow_outside=True)

    def snapshots(self) -> list[Snapshot]:
        """Exact states to go on from, the newest first."""
        index = self.file["snapshots/index"]
        index.refresh()
        found = []
        for slot, (step, frames, size) in enumerate(index[:]):
            state = self.file[f"snapshots/slot_{slot}"]
            state.refresh()
            if step >= 0 and frames <= len(self) and size <= len(state):
                found.append(Snapshot(int(step), int(frames), state[:size].tobytes()))
        return sorted(found, key=lambda snapshot: -snapshot.step)

    def continue_world(self, threads: int = 0, scene: Scene | None = None) -> World:
        """A world at the last snapshot, which goes on with the same bits as the recorded one."""
        return self.last_state(threads, scene)[0]

    def last_state(self, threads: int = 0, scene: Scene | None = None) -> tuple[World, Snapshot]:
        """The same, with the snapshot that it is at."""
        world = World(scene or self.scene(), threads)
        refused: Error | None = None
        for snapshot in self.snapshots():
            try:
                world.restore(snapshot.state)
            except Error as error:
                refused = error
            else:
                return world, snapshot
        because = f" ({refused})" if refused else ""
        raise BadFileError(f"{self.path}: no snapshot to go on from{because}; run the scene again") from refused

    def close(self) -> None:
        self.file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.close()


def open_file(path: Path) -> h5py.File:
    """An HDF5 file for reading, also one that is being written or whose writer was killed."""
    try:
        unfinished = look_at_head(path)
        # HDF5 waits long for what it cannot read in a file that may be being written, so only then
        return h5py.File(path, "r", swmr=unfinished)
    except FileNotFoundError as error:
        raise BadFileError(f"{path}: no such file; check the name") from error
    except IsADirectoryError as error:
        raise BadFileError(f"{path}: a folder; give a recording") from error
    except PermissionError as error:
        raise BadFileError(f"{path}: cannot be read: permission denied") from error
    except OSError as error:
        raise BadFileError(f"{path}: not a recording, or damaged; give a file that 'pliant run --out' wrote") from error


def look_at_head(path: Path) -> bool:
    """Whether a file was left open by its writer. Refuses what is no HDF5 file of version 3 and what is cut off."""
    with open(path, "rb") as file:
        head = file.read(48)
        size = os.fstat(file.fileno()).st_size
    if len(head) < 48 or head[:10] != HDF5_HEAD:
        raise BadFileError(f"{path}: not a recording; give a file that 'pliant run --out' wrote")
    end = int.from_bytes(head[28:36], "little")
    if end > size:
        raise BadFileError(f"{path}: cut off after {size} of {end} bytes; copy it again")
    return head[11] != 0
