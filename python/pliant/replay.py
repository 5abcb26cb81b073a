"""A recording as moments that can be drawn like a world."""

from types import SimpleNamespace
from typing import Any

import numpy as np

from pliant.errors import BadInputError
from pliant.snapshot import Snapshot, take


class Replay:
    """Moments of a recording by number: anything with len(), times, frame(i), and perhaps scene(), model(), data(i)."""

    def __init__(self, recording: Any):
        if len(recording) == 0:
            raise BadInputError("the recording has no frames; run the scene for longer")
        self.recording = recording
        self.times = np.asarray(recording.times, float)
        self.scene = scene_of(recording)
        self.model = recording.model() if getattr(recording, "has_bodies", False) else None
        self.data = None

    def __len__(self) -> int:
        return len(self.times)

    def moment(self, number: int) -> SimpleNamespace:
        """Has .scene, .matter, .time, .model, .data, .contacts. The data is overwritten by the next call."""
        frame = self.recording.frame(number)
        if self.model is not None:
            self.data = self.recording.data(number, self.data)
        pieces = {m.name: self.piece(m.name, frame.matter[m.name]) for m in self.scene.matter}
        contacts = getattr(frame, "contacts", None)
        return SimpleNamespace(
            scene=self.scene, matter=pieces, time=frame.time, model=self.model, data=self.data, contacts=contacts
        )

    def piece(self, name: str, state: Any) -> SimpleNamespace:
        known = ("positions", "velocities", "deformation_gradient", "plastic")
        columns = {key: getattr(state, key, None) for key in known}
        volumes = self.recording.volumes(name) if hasattr(self.recording, "volumes") else None
        return SimpleNamespace(**columns, volumes=volumes, ids=np.arange(len(state.positions)))

    def snapshot(self, number: int) -> Snapshot:
        return take(self.moment(number))

    def nearest(self, time: float) -> int:
        """Number of the moment closest to a time, s."""
        return int(np.argmin(np.abs(self.times - time)))

    @property
    def particle_count(self) -> int:
        frame = self.recording.frame(0)
        return sum(len(frame.matter[m.name].positions) for m in self.scene.matter)


def scene_of(recording: Any) -> Any:
    """The recorded scene, or what the recording knows of it: names, materials and sizes."""
    try:
        return recording.scene()
    except BadInputError:
        facts = recording.attributes
    names = list(recording.matter)
    made_of = {name: recording.material(name) for name in names}
    matter = [SimpleNamespace(name=n, material=made_of[n], sampling=None) for n in names]
    return SimpleNamespace(
        dimension=int(facts["dimension"]),
        step=SimpleNamespace(cell=float(facts["cell"]), dt=float(facts["dt"])),
        materials=[SimpleNamespace(name=n, law="") for n in sorted(set(made_of.values()))],
        matter=matter,
        boundaries=[],
    )
