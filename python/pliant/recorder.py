"""Writes recordings: HDF5 files that plain h5py reads. What is in them: docs/recordings.md."""

import math
import os
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import h5py
import numpy as np
from numpy.typing import NDArray

import pliant
from pliant._core import Scene, StepReport, World
from pliant.errors import BadFileError, Error
from pliant.growing_file import GrowingFile, clear_errors
from pliant.library import models_folder
from pliant.recording import FORMAT, FORMAT_VERSION
from pliant.sheet import world_triangles
from pliant.touch import feels_matter, touchable_bodies, wrench_rows

UNITS = "m, kg, s, N, J, Pa, rad; quaternions are w, x, y, z; in 2-D per metre of depth"
SNAPSHOT_EVERY = 30  # frames
BODY_STATE = ("qpos", "qvel", "act", "ctrl", "mocap_pos", "mocap_quat", "xpos", "xquat", "sensordata")
BODY_KINDS = ("body", "jnt", "geom", "site", "actuator", "sensor")
CONTACTS: dict[str, tuple[tuple[int, ...], str, str]] = {
    "position": ((3,), "f4", "m"),
    "normal": ((3,), "f4", "from the body to the matter"),
    "impulse": ((3,), "f4", "N s on the body, in the step that ends at the frame"),
    "particle": ((), "u4", "its id"),
    "body": ((), "i4", "its number in the model"),
    "geom": ((), "i4", "its number in the model"),
    "gap": ((), "f4", "m; below 0: overlap"),
    "slides": ((), "?", "at the end of the step"),
}
REPORT = np.dtype(
    [
        ("time", "f8"),
        ("substeps", "i8"),
        ("seconds", "f8"),
        ("max_speed", "f8"),
        ("mass", "f8"),
        ("volume", "f8"),
        ("kinetic_energy", "f8"),
        ("elastic_energy", "f8"),
        ("gravity_energy", "f8"),
        ("momentum", "f8", 3),
        ("angular_momentum", "f8", 3),
        ("momentum_error", "f8", 3),
        ("contacts", "f8"),
        ("most_contacts", "i8"),
        ("iterations", "i8"),
        ("residual", "f8"),
        ("warnings", "i8"),
    ]
)
WARNING = np.dtype([("step", "i8"), ("text", "S240")])
SNAPSHOT = np.dtype([("step", "i8"), ("frames", "i8"), ("bytes", "i8")])


def group_name(name: str) -> str:
    """A name as HDF5 can hold it: '/' and '.' mean something else there."""
    return name.replace("%", "%25").replace("/", "%2F").replace(".", "%2E")


def report_row(report: StepReport) -> NDArray[Any]:
    """One row of /reports/steps."""
    after, before = report.after, report.before
    change = np.subtract(after.momentum, before.momentum)
    impulses = [report.gravity_impulse, *report.boundary_impulses, *report.body_impulses, *report.pin_impulses]
    row = np.zeros((), REPORT)
    for field in ("time", "substeps", "max_speed", "contacts", "most_contacts", "iterations", "residual"):
        row[field] = getattr(report, field)
    for field in ("mass", "volume", "kinetic_energy", "elastic_energy", "gravity_energy"):
        row[field] = getattr(after, field)
    row["momentum"], row["angular_momentum"] = after.momentum, after.angular_momentum
    # without a balance nothing is known
    row["momentum_error"] = change - np.sum(impulses, axis=0) if after.mass > 0 else math.nan
    row["seconds"] = sum(report.stages.values())
    row["warnings"] = len(report.warnings)
    return row


class Recorder:
    """Records a world while it runs.

    with pl.Recorder("rolling.h5", world) as recorder:
        while world.time < 2:
            recorder.add(world.step())

    The first frame is the world as it is handed over, the last one as it is at the end; in between there are
    scene.record.rate frames per simulated second, or one per step if that is fewer. `scene` is needed where the scene
    holds points, which a world does not keep. The file appears under its name with its first frame; until then an older
    file of that name stays.
    """

    def __init__(self, path: str | os.PathLike[str], world: World, scene: Scene | None = None) -> None:
        self.path = Path(path)
        self.world = world
        self.scene = scene or world.scene
        self.frames = 0
        self.steps = 0
        self._closed = False
        self._due = math.floor(world.time * self.scene.record.rate + 1e-6)
        self._recorded_step = -1
        self._snapshot_size = 0
        self._rows: list[NDArray[Any]] = []
        self._touched = touchable_bodies(world.model) if feels_matter(world) else []
        self._wrenches: list[NDArray[Any]] = []
        self._warnings: list[tuple[int, bytes]] = []
        with clear_errors(self.path):
            self.file = GrowingFile(self.path)
            try:
                self._lay_out()
                self.file.start()
                self._fill()
                self.file.publish()
            except BaseException:
                self.file.abandon()
                raise

    def _fill(self) -> None:
        """What is in the file before it appears under its name."""
        self._write_frame()
        self._write_snapshot()

    # layout

    def _lay_out(self) -> None:
        model = getattr(self.world, "model", None)
        self.file.reserve(32 * self.world.particle_count + model_size(model))
        attributes = self.file.h5.attrs
        attributes["format"], attributes["format_version"] = FORMAT, FORMAT_VERSION
        attributes["pliant_version"] = pliant.__version__
        attributes["created"] = datetime.now(UTC).isoformat(timespec="seconds")
        attributes["scene_name"] = self.scene.name
        attributes["scene"], attributes["scene_folder"] = scene_text(self.scene), str(Path.cwd())
        attributes["units"] = UNITS
        attributes["dimension"], attributes["precision"] = self.scene.dimension, str(self.scene.precision)
        attributes["dt"], attributes["cell"] = self.scene.step.dt, self.scene.step.cell

        self.file.column("time", (), "f8", "s; NaN: the frame was not finished", fillvalue=math.nan)
        self.file.column("step", (), "i8", "steps made before the frame")
        self.file.h5.create_group("matter", track_order=True)
        for name in self.world.matter:
            self._lay_out_matter(name)
        if model is not None:
            self._lay_out_bodies(model)
        self.file.column("reports/steps", (), REPORT)
        if self._touched:
            self._lay_out_contacts()
        self.file.column("reports/warnings", (), WARNING)
        self._lay_out_snapshots()

    def _lay_out_matter(self, name: str) -> None:
        matter = self.world.matter[name]
        group = self.file.h5.create_group(f"matter/{group_name(name)}")
        group.attrs["name"] = name
        group.attrs["material"] = next(m.material for m in self.scene.matter if m.name == name)
        count, dimension = matter.positions.shape
        order = np.argsort(matter.ids)
        group.create_dataset("id", data=matter.ids[order])
        group.create_dataset("mass", data=matter.masses[order]).attrs["unit"] = "kg"
        group.create_dataset("volume", data=matter.volumes[order]).attrs["unit"] = "m^3 at rest (m^2 in 2-D)"
        triangles = world_triangles(self.world, name)
        if len(triangles):
            group.create_dataset("triangles", data=triangles).attrs["unit"] = "rows of positions"
        fields: dict[str, tuple[tuple[int, ...], str]] = {
            "positions": ((count, dimension), "m"),
            "velocities": ((count, dimension), "m/s"),
        }
        if self.scene.record.deformation:
            fields["deformation_gradient"] = ((count, dimension, dimension), "elastic F")
            fields["plastic"] = ((count,), "what the law remembers")
        for field, (shape, unit) in fields.items():
            self.file.column(f"{group.name[1:]}/{field}", shape, "f4", unit)

    def _lay_out_bodies(self, model: Any) -> None:
        import mujoco

        group = self.file.h5.create_group("bodies")
        group.attrs["mujoco_version"] = mujoco.__version__
        image = np.empty(model_size(model), np.uint8)
        mujoco.mj_saveModel(model, None, image)
        group.create_dataset("model", data=image, compression="gzip", compression_opts=4, shuffle=True)
        text = h5py.string_dtype()
        counts = {kind: getattr(model, "nu" if kind == "actuator" else f"n{kind}") for kind in BODY_KINDS}
        for kind, count in counts.items():
            accessor = getattr(model, kind)
            group.create_dataset(
                f"names/{kind}", data=[accessor(i).name for i in range(count)], dtype=text, shape=(count,)
            )
        for name in BODY_STATE:
            shape = np.shape(getattr(self.world.data, name))
            if 0 not in shape:
                self.file.column(f"bodies/{name}", shape, "f8")

    def _lay_out_contacts(self) -> None:
        for name, (shape, kind, unit) in CONTACTS.items():
            self.file.column(f"contacts/{name}", shape, kind, unit)
        self.file.column("contacts/end", (), "i8", "row after the last contact of the frame")
        unit = "force in N, torque in N m about the centre of mass; on the body"
        self.file.column("reports/wrenches", (len(self._touched), 6), "f8", unit)
        self.file.h5.create_dataset("reports/wrench_bodies", data=self._touched, dtype=h5py.string_dtype())

    def _lay_out_snapshots(self) -> None:
        group = self.file.h5.create_group("snapshots")
        group.create_dataset("index", data=np.array([(-1, 0, 0)] * 2, SNAPSHOT))
        for slot in range(2):
            group.create_dataset(f"slot_{slot}", (0,), "u1", maxshape=(None,), chunks=(1 << 18,))

    # writing

    def add(self, report: StepReport) -> None:
        """After each step."""
        self._warnings += [(self.steps, text.encode()[:240]) for text in report.warnings]
        self._rows.append(report_row(report))
        if self._touched:
            self._wrenches.append(wrench_rows(self.world, self._touched))
        self.steps += 1
        if self.world.time * self.scene.record.rate < self._due - 1e-6:
            return
        with clear_errors(self.path):
            self._write_frame()
            if self.frames % SNAPSHOT_EVERY == 0:
                self._write_snapshot()

    def _write_frame(self) -> None:
        self.file.reserve(self._frame_size())
        self._write_reports()
        self.file.put("step", self.frames, self.steps)
        self.file["time"].resize(self.frames + 1, axis=0)
        for name in self.world.matter:
            self._write_matter(name)
        if "bodies" in self.file:
            for field in (name for name in BODY_STATE if f"bodies/{name}" in self.file):
                self.file.put(f"bodies/{field}", self.frames, getattr(self.world.data, field))
        if "contacts" in self.file:
            contacts = self.world.contacts
            for field in CONTACTS:
                self.file.append(f"contacts/{field}", getattr(contacts, field))
            self.file.put("contacts/end", self.frames, len(self.file["contacts/position"]))
        self.file.flush()
        # all of it is on its way to the disk: now the frame counts
        self.file["time"][self.frames] = self.world.time
        self.file["time"].flush()
        self.frames += 1
        self._recorded_step = self.steps
        self._due = math.floor(self.world.time * self.scene.record.rate + 1e-6) + 1

    def _frame_size(self) -> int:
        """Bytes of a frame, its reports and a snapshot, at most."""
        names = (name for name in self.file.columns if not name.startswith(("reports/", "contacts/", "snapshots/")))
        rows = sum(self.file[name].dtype.itemsize * int(np.prod(self.file[name].shape[1:])) for name in names)
        contacts = 64 * len(self.world.contacts) if "contacts" in self.file else 0
        row = REPORT.itemsize + 48 * len(self._touched)
        reports = len(self._rows) * row + len(self._warnings) * WARNING.itemsize
        return rows + contacts + reports + 2 * self._snapshot_size

    def _write_matter(self, name: str) -> None:
        matter = self.world.matter[name]
        order = np.argsort(matter.ids)
        path = f"matter/{group_name(name)}"
        self.file.put(f"{path}/positions", self.frames, matter.positions[order])
        self.file.put(f"{path}/velocities", self.frames, matter.velocities[order])
        if self.scene.record.deformation:
            self.file.put(f"{path}/deformation_gradient", self.frames, matter.deformation_gradients[order])
            self.file.put(f"{path}/plastic", self.frames, matter.plastic[order])

    def _write_reports(self) -> None:
        if self._rows:
            self.file.append("reports/steps", np.array(self._rows, REPORT))
        if self._wrenches:
            self.file.append("reports/wrenches", np.array(self._wrenches))
        if self._warnings:
            self.file.append("reports/warnings", np.array(self._warnings, WARNING))
        self._rows, self._wrenches, self._warnings = [], [], []

    def _write_snapshot(self) -> None:
        """Into the older of two slots, which is marked as empty meanwhile: the other one holds at any moment."""
        index = self.file["snapshots/index"]
        slot = int(np.argmin(index["step"]))
        index[slot] = np.array((-1, 0, 0), SNAPSHOT)
        self.file.flush()
        saved = np.frombuffer(self.world.save(), np.uint8)
        self._snapshot_size = len(saved)
        self.file.reserve(len(saved))
        place = self.file[f"snapshots/slot_{slot}"]
        place.resize(max(len(place), len(saved)), axis=0)
        place[: len(saved)] = saved
        self.file.flush()
        index[slot] = np.array((self.steps, self.frames, len(saved)), SNAPSHOT)
        self.file.flush()

    # the end

    def close(self, last_frame: bool = True) -> None:
        """Records the world as it is now, and a snapshot to go on from, and closes the file."""
        if self._closed:
            return
        self._closed = True
        with clear_errors(self.path):
            try:
                if last_frame and self._recorded_step != self.steps:
                    self._write_frame()
                self._write_reports()
                self._write_snapshot()
                self.file.close()
            except BaseException:
                self.file.abandon()
                raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if isinstance(error, BadFileError):
            self._closed = True
            self.file.abandon()
        else:
            self.close()


def model_size(model: Any) -> int:
    """Bytes of the bodies in a recording."""
    if model is None:
        return 0
    import mujoco

    return int(mujoco.mj_sizeModel(model))


def scene_text(scene: Scene) -> str:
    """The scene as YAML, or nothing where a file cannot say it."""
    try:
        return str(scene.to_yaml(models=models_folder()))
    except Error:
        return ""
