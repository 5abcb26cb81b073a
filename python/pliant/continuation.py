"""Goes on with a recording, in the same file, from its last snapshot."""

import math
import os

import h5py

from pliant._core import Scene
from pliant.errors import BadFileError
from pliant.growing_file import GrowingFile
from pliant.recorder import Recorder
from pliant.recording import Recording, Snapshot


class Continuation(Recorder):
    """Starts from the frames of an older recording, which is replaced once all of them are copied."""

    def __init__(self, old: Recording, threads: int = 0, scene: Scene | None = None) -> None:
        self._old = old
        world, self._from = old.last_state(threads, scene)
        super().__init__(old.path, world, scene)

    def _fill(self) -> None:
        with self._old:
            self.file.reserve(self._old.path.stat().st_size)
            copy_frames(self._old, self.file, self._from)
        self.frames, self.steps = self._from.frames, self._from.step
        if self.frames and self.file["step"][self.frames - 1] == self.steps:
            self._recorded_step = self.steps
        self._due = math.floor(self.world.time * self.scene.record.rate + 1e-6) + 1
        self._write_snapshot()


def resume(path: str | os.PathLike[str], threads: int = 0, scene: Scene | None = None) -> Recorder:
    """A recorder that goes on with a recording; its `world` is at the last snapshot. Later frames are made anew."""
    return Continuation(Recording(path), threads, scene)


def copy_frames(old: Recording, file: GrowingFile, snapshot: Snapshot) -> None:
    """Each column up to the snapshot."""
    contacts = int(old.file["contacts/end"][snapshot.frames - 1]) if "contacts" in old.file and snapshot.frames else 0
    warnings = sum(step < snapshot.step for step, _ in old.warnings)

    def rows_of(name: str) -> int:
        if name.startswith("contacts/") and name != "contacts/end":
            return contacts
        if name in ("reports/steps", "reports/wrenches"):
            return snapshot.step
        return warnings if name == "reports/warnings" else snapshot.frames

    for name in file.columns:
        if name.startswith("snapshots/"):
            continue
        known = name in old.file and old.file[name].dtype == file[name].dtype
        if not known or old.file[name].shape[1:] != file[name].shape[1:]:
            raise BadFileError(f"{old.path}: '{name}' is not as this version writes it; run the scene again")
        copy_rows(old.file[name], file[name], rows_of(name))
    file.flush()


def copy_rows(old: h5py.Dataset, new: h5py.Dataset, count: int) -> None:
    new.resize(count, axis=0)
    if new.size == 0:
        return
    if new.compression is None or old.chunks != new.chunks or old.compression is None:
        new[:] = old[:count]
        return
    # a row is a chunk: copied as it is, without unpacking
    for i in range(count):
        corner = (i,) + (0,) * (old.ndim - 1)
        mask, packed = old.id.read_direct_chunk(corner)
        new.id.write_direct_chunk(corner, packed, mask)
