"""Where the viewer's moments come from: a recording that is played, or a world that a thread of its own steps."""

import threading
import time
from collections.abc import Callable
from typing import Any, Protocol

from pliant.colors import Scale
from pliant.errors import Error
from pliant.replay import Replay
from pliant.snapshot import Snapshot, take

MOST_COPIES = 30.0  # per second, of a running world


class Source(Protocol):
    """What the viewer asks of either."""

    scene: Any
    model: Any
    playing: bool

    def latest(self) -> Snapshot: ...

    def scale(self, field: str) -> Scale | None: ...

    def close(self) -> None: ...


class RecordingPlayer:
    """A place on the time line of a recording. The clock moves it while it plays."""

    def __init__(self, replay: Replay, clock: Callable[[], float] = time.monotonic):
        self.replay, self.scene, self.model = replay, replay.scene, replay.model
        self.clock = clock
        self.lock = threading.Lock()
        self.speed = 1.0  # times real time
        self.position = float(replay.times[0])  # s
        self.last_look = clock()
        self.playing = False
        self.shown: tuple[int, Snapshot] | None = None

    def play(self, on: bool) -> None:
        with self.lock:
            if on and self.position >= self.replay.times[-1]:
                self.position = float(self.replay.times[0])
            self.last_look, self.playing = self.clock(), on

    def seek(self, moment: float) -> None:
        with self.lock:
            self.position = float(min(max(moment, self.replay.times[0]), self.replay.times[-1]))
            self.last_look = self.clock()

    def advance(self) -> float:
        """Where the time line is now, s. At its end it stops."""
        with self.lock:
            now = self.clock()
            if self.playing:
                self.position += self.speed * (now - self.last_look)
                if self.position >= self.replay.times[-1]:
                    self.position, self.playing = float(self.replay.times[-1]), False
            self.last_look = now
            return self.position

    def latest(self) -> Snapshot:
        number = self.replay.nearest(self.advance())
        if self.shown is None or self.shown[0] != number:
            self.shown = (number, self.replay.snapshot(number))
        return self.shown[1]

    def scale(self, field: str) -> Scale | None:
        return self.replay.scale(field)

    def close(self) -> None:
        self.playing = False


class WorldRunner:
    """Steps a world in its own thread and leaves copied snapshots of it. Nobody else touches the world."""

    def __init__(self, world: Any, rebuild: Callable[[], Any] | None = None, playing: bool = False):
        self.world, self.rebuild = world, rebuild
        self.scene, self.model = world.scene, getattr(world, "model", None)
        self.start = world.save() if rebuild is None else None
        self.wake = threading.Condition()
        self.playing, self.steps_wanted, self.reset_wanted, self.ended = playing, 0, False, False
        self.trouble = ""  # what the last failed step said
        self.snapshot, self.stale, self.taken = take(world), False, time.monotonic()
        self.thread = threading.Thread(target=self.run, name="pliant simulation", daemon=True)
        self.thread.start()

    def play(self, on: bool) -> None:
        with self.wake:
            self.playing = on
            self.wake.notify_all()

    def step(self, count: int = 1) -> None:
        with self.wake:
            self.steps_wanted += count
            self.wake.notify_all()

    def reset(self) -> None:
        with self.wake:
            self.reset_wanted, self.playing, self.steps_wanted = True, False, 0
            self.wake.notify_all()

    def latest(self) -> Snapshot:
        return self.snapshot

    def scale(self, field: str) -> Scale | None:
        """Nobody knows what is to come: each moment has its own scale."""
        return None

    def run(self) -> None:
        while not self.ended:
            with self.wake:
                busy = self.playing or self.steps_wanted or self.reset_wanted
                if not busy and not self.stale:
                    self.wake.wait()
                    continue
                reset, self.reset_wanted = self.reset_wanted, False
                if not reset and self.steps_wanted:
                    self.steps_wanted -= 1
            if busy:
                self.work(reset)
            # a copy takes time: while the world runs, only as many as can be looked at
            if not busy or time.monotonic() - self.taken > 1 / MOST_COPIES:
                self.snapshot, self.stale, self.taken = take(self.world), False, time.monotonic()

    def work(self, reset: bool) -> None:
        try:
            if reset:
                self.rewind()
            else:
                self.world.step()
            self.trouble = ""
        except Error as error:
            # a failed step changes nothing: stop here and say why
            with self.wake:
                self.playing, self.steps_wanted, self.trouble = False, 0, str(error)
        self.stale = True

    def rewind(self) -> None:
        if self.rebuild is None:
            self.world.restore(self.start)
        else:
            self.world = self.rebuild()

    def close(self) -> None:
        with self.wake:
            self.ended = True
            self.wake.notify_all()
        self.thread.join()
