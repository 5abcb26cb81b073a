"""A recording as moments that can be drawn like a world."""

from collections.abc import Iterator
from functools import reduce
from types import SimpleNamespace
from typing import Any

import numpy as np

from pliant.colors import Scale, scale_of
from pliant.errors import BadInputError
from pliant.framing import Stage
from pliant.snapshot import Grains, Snapshot, take

MOST_LOOKS = 12  # moments that are looked at to find camera and colours


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
        self.scales: dict[str, Scale] = {}

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
        triangles = self.recording.triangles(name) if hasattr(self.recording, "triangles") else None
        return SimpleNamespace(**columns, volumes=volumes, ids=np.arange(len(state.positions)), triangles=triangles)

    def snapshot(self, number: int) -> Snapshot:
        return take(self.moment(number))

    def looks(self) -> Iterator[Snapshot]:
        """A few moments from beginning to end."""
        for number in np.unique(np.linspace(0, len(self) - 1, MOST_LOOKS).astype(int)):
            yield self.snapshot(int(number))

    def stage(self) -> Stage:
        """The space that all moments need."""
        return reduce(Stage.with_, (Stage.of(snapshot, self.scene, self.model) for snapshot in self.looks()))

    def scale(self, field: str) -> Scale | None:
        """What the colours of a field mean in all moments; None: they are those of materials."""
        if field == "material":
            return None
        if field not in self.scales:
            pieces = [piece for snapshot in self.looks() for piece in snapshot.grains]
            values = [v for piece in pieces if (v := piece.values(field)) is not None]
            if pieces and not values:
                raise BadInputError(f"the colour '{field}' is not known: {self.missing(pieces)}")
            self.scales[field] = scale_of(field, values)
        return self.scales[field]

    def missing(self, pieces: list[Grains]) -> str:
        """What a recording lacks to be coloured by what is in its particles, and the cure."""
        if all(piece.gradients is None for piece in pieces):
            return "the recording holds no deformation; record it with 'record: {deformation: true}' in the scene"
        return "the recording does not hold its scene, and so no materials; draw the world itself"

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
