"""An HDF5 file of columns that grow by rows, and that can be read whatever happens to its writer.

It is written in HDF5's mode for one writer and many readers, in which nothing on disk refers to what is not there yet.
HDF5 does not survive a full disk (it loses errors, and crashes when it closes), so space is reserved before it is
needed: it is the reservation that fails. The file appears under its name once `publish` is called; until then an older
file of that name stays.
"""

import contextlib
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from pliant.errors import BadFileError, Error
from pliant.recording import HDF5_HEAD

ROW_OF_ITS_OWN = 8192  # bytes: from here on a row is a compressed chunk; smaller rows share plain chunks
CHUNK = 16384  # bytes of a plain chunk, about
SLACK = 1 << 20  # bytes for what HDF5 keeps beside the rows
CURES = {
    2: "make its folder first, or choose another place",
    13: "choose another place",
    20: "make its folder first, or choose another place",
    21: "give the name of a file, not of a folder",
    27: "the limit on file sizes is reached: raise it, or record less (record.rate)",
    28: "free some space, or record less (record.rate)",
    122: "free some space, or record less (record.rate)",
}


@contextlib.contextmanager
def clear_errors(path: Path) -> Iterator[None]:
    """Turns errors of the disk and of HDF5 into ours."""
    try:
        yield
    except Error:
        raise
    except (OSError, RuntimeError) as error:
        # HDF5 hides the number in its text
        found = re.search(r"errno = (\d+)", str(error))
        number = int(found[1]) if found else getattr(error, "errno", None)
        why = f"{os.strerror(number)}; {CURES.get(number, 'choose another place')}" if number else str(error)
        raise BadFileError(f"{path}: cannot write: {why}") from error


class GrowingFile:
    """Make groups and columns through `h5` and `column`, then `start`, then put rows."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._draft = path.with_name(f".{path.name}.{os.getpid()}.part")
        self._columns: dict[str, h5py.Dataset] = {}
        if path.is_dir():
            raise IsADirectoryError(21, "")
        if path.exists() and not os.access(path, os.W_OK):
            raise PermissionError(13, "")
        # says what is wrong with the place in plain words
        with open(self._draft, "wb"):
            pass
        self.h5 = h5py.File(self._draft, "w", libver="latest")

    def column(self, name: str, shape: tuple[int, ...], kind: Any, unit: str = "", **options: Any) -> None:
        """A chunk that is written more than once has no filter: it keeps its size and its place."""
        row = max(1, np.dtype(kind).itemsize * int(np.prod(shape, dtype=np.int64)))
        alone = row >= ROW_OF_ITS_OWN
        if alone:
            options |= {"compression": "gzip", "compression_opts": 1, "shuffle": True}
        chunks = (1 if alone else max(1, CHUNK // row), *(max(1, n) for n in shape))
        column = self.h5.create_dataset(name, (0, *shape), kind, maxshape=(None, *shape), chunks=chunks, **options)
        if unit:
            column.attrs["unit"] = unit
        self._columns[name] = column

    def start(self) -> None:
        """After this no group and no attribute can be added."""
        self.h5.swmr_mode = True

    def publish(self) -> None:
        os.replace(self._draft, self.path)

    def __contains__(self, name: str) -> bool:
        return name in self.h5

    def __getitem__(self, name: str) -> h5py.Dataset:
        """A column. It stays open: HDF5 loses errors when it closes one."""
        if name not in self._columns:
            self._columns[name] = self.h5[name]
        return self._columns[name]

    @property
    def columns(self) -> list[str]:
        return list(self._columns)

    def reserve(self, count: int) -> None:
        """Room for this many bytes of rows. If the disk is full it is this that fails, and the file stays good."""
        room = count + count // 64 + SLACK + 2 * CHUNK * len(self._columns)
        os.posix_fallocate(self.h5.id.get_vfd_handle(), self.h5.id.get_filesize(), room)

    def put(self, name: str, number: int, row: Any) -> None:
        column = self[name]
        column.resize(number + 1, axis=0)
        if column.size > 0:
            column[number] = row

    def append(self, name: str, rows: Any) -> None:
        column = self[name]
        start = len(column)
        column.resize(start + len(rows), axis=0)
        if len(rows) > 0 and column.size > 0:
            column[start:] = rows

    def flush(self) -> None:
        for column in self._columns.values():
            column.flush()
        self.h5.flush()

    def close(self) -> None:
        if not self.h5:
            return
        place = self.path if not self._draft.exists() else self._draft
        self._columns.clear()
        self.h5.close()
        give_back(place)

    def abandon(self) -> None:
        """Closes what can be closed; a file that was not published is removed."""
        with contextlib.suppress(Exception):
            self.close()
        with contextlib.suppress(OSError):
            self._draft.unlink()


def give_back(path: Path) -> None:
    """Cuts off what was reserved and not used. The end is in the first bytes of an HDF5 file of version 3."""
    with open(path, "r+b") as file:
        head = file.read(36)
        end = int.from_bytes(head[28:36], "little")
        if head[:10] == HDF5_HEAD and 48 <= end < os.fstat(file.fileno()).st_size:
            file.truncate(end)
