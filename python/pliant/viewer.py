"""The web viewer: recordings with a time line, worlds that run live. It is served to this machine only."""

import os
import threading
import time
import webbrowser
from pathlib import Path
from typing import Any

from pliant._core import Scene, World
from pliant.errors import BadInputError, Error
from pliant.library import load, scene_names
from pliant.player import RecordingPlayer, WorldRunner
from pliant.replay import Replay
from pliant.snapshot import Snapshot
from pliant.touch import touchable_geoms
from pliant.viewer_scene import HOST, MOST_POINTS, Theatre, start_server, stop_server
from pliant.viewer_skin import SkinPanel

RATE = 10.0  # pictures per second, at most: what software GL can show
RECORDING_ENDINGS = (".h5", ".hdf5")


class Viewer:
    """A page in the browser. Close it, or use a `with` block."""

    def __init__(self, source: Any, port: int = 8080, most_points: int = MOST_POINTS, threads: int = 0):
        self.threads = threads
        self.source: RecordingPlayer | WorldRunner = self.opened(source)
        try:
            self.server = start_server(port)
        except BaseException:
            self.source.close()
            raise
        self.port = self.server.get_port()
        self.server.gui.configure_theme(show_logo=False, show_share_button=False, brand_color=(70, 110, 160))
        self.theatre = Theatre(self.server, most_points)
        self.shown: tuple[Any, ...] | None = None
        self.drawn = 0  # pictures sent
        self.ending = threading.Event()
        self.next_source: Any = None
        self.controls: list[Any] = []
        self.raise_curtain()
        self.thread = threading.Thread(target=self.run, name="pliant viewer", daemon=True)
        self.thread.start()

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.port}"

    def opened(self, source: Any) -> RecordingPlayer | WorldRunner:
        """A recording's file or object, a scene, its name or file, or a world."""
        if isinstance(source, (str, os.PathLike)):
            if Path(source).suffix in RECORDING_ENDINGS:
                from pliant.recording import Recording

                return RecordingPlayer(Replay(Recording(source)))
            source = load(os.fspath(source))
        if isinstance(source, Scene):
            return WorldRunner(World(source, self.threads), lambda: World(source, self.threads))
        if hasattr(source, "frame") and hasattr(source, "times"):
            return RecordingPlayer(Replay(source))
        if hasattr(source, "step") and hasattr(source, "matter"):
            return WorldRunner(source)
        raise BadInputError(f"cannot show a {type(source).__name__}; give a recording, a scene or a world")

    # controls

    def raise_curtain(self) -> None:
        """Controls and scene of a new source."""
        for control in self.controls:
            control.remove()
        gui, snapshot = self.server.gui, self.source.latest()
        self.field = gui.add_dropdown("colour", snapshot.fields(), hint="what the colour of a particle means")
        self.rate = gui.add_slider("pictures/s", 1.0, 60.0, 1.0, RATE, hint="at most")
        self.controls = [self.field, self.rate]
        live = isinstance(self.source, WorldRunner)
        self.controls += self.live_controls() if live else self.recording_controls()
        self.skin = self.skin_panel()
        self.controls += self.skin.controls if self.skin else []
        self.text = gui.add_markdown("")
        self.controls.append(self.text)
        stage = None if live else self.source.replay.stage()
        self.theatre.build(snapshot, self.source.scene, self.source.model, stage)
        self.shown = None

    def skin_panel(self) -> SkinPanel | None:
        """Where bodies feel matter."""
        model, step = self.source.model, self.source.scene.step
        feels = model is not None and str(getattr(step, "method", "async")) != "one_way"
        return SkinPanel(self.server.gui, model) if feels and touchable_geoms(model) else None

    def recording_controls(self) -> list[Any]:
        gui, player = self.server.gui, self.source
        first, last = float(player.replay.times[0]), float(player.replay.times[-1])
        step = max((last - first) / 1000, 1e-6)
        self.slider = gui.add_slider("time, s", first, max(last, first + step), step, first)
        self.play = gui.add_checkbox("play", False)
        speed = gui.add_dropdown("speed", ("0.1", "0.25", "0.5", "1", "2"), initial_value="1")
        # changes that come from us carry no client
        self.slider.on_update(lambda event: player.seek(self.slider.value) if event.client is not None else None)
        self.play.on_update(lambda event: player.play(self.play.value) if event.client is not None else None)
        speed.on_update(lambda _: setattr(player, "speed", float(speed.value)))
        return [self.slider, self.play, speed]

    def live_controls(self) -> list[Any]:
        gui, runner = self.server.gui, self.source
        self.play = gui.add_checkbox("run", runner.playing)
        step, reset = gui.add_button("step"), gui.add_button("reset")
        picker = gui.add_dropdown("scene", ("(this one)", *scene_names()))
        self.play.on_update(lambda event: runner.play(self.play.value) if event.client is not None else None)
        step.on_click(lambda _: runner.step())
        reset.on_click(lambda _: runner.reset())
        picker.on_update(lambda event: self.pick(picker.value) if event.client is not None else None)
        return [self.play, step, reset, picker]

    def pick(self, name: str) -> None:
        """The viewer's own thread opens it."""
        if name in scene_names():
            self.next_source = name

    # the thread that draws

    def run(self) -> None:
        while not self.ending.is_set():
            began = time.monotonic()
            try:
                self.change_source()
                self.draw()
            except Error as error:
                self.text.content = f"**{error}**"
            self.ending.wait(max(0.005, 1 / max(self.rate.value, 1.0) - (time.monotonic() - began)))

    def change_source(self) -> None:
        name, self.next_source = self.next_source, None
        if name is None:
            return
        source = self.opened(name)
        self.source.close()
        self.source = source
        self.raise_curtain()

    def draw(self) -> None:
        """Sends the latest moment, if it was not yet sent."""
        snapshot, field = self.source.latest(), self.field.value
        skin = self.skin.choice if self.skin else ""
        self.follow(snapshot)
        if self.shown is not None and self.shown[0] is snapshot and self.shown[1:] == (field, skin):
            return
        scale = self.theatre.update(snapshot, field, self.source.scale(field))
        felt = self.skin.show(snapshot) if self.skin else ""
        self.shown = (snapshot, field, skin)
        self.drawn += 1
        self.text.content = self.caption(snapshot, scale, felt)

    def follow(self, snapshot: Snapshot) -> None:
        """Controls show what is."""
        if isinstance(self.source, RecordingPlayer) and self.source.playing:
            self.slider.value = float(snapshot.time)
        if self.play.value != self.source.playing:
            self.play.value = self.source.playing
        trouble = getattr(self.source, "trouble", "")
        if trouble and trouble not in self.text.content:
            self.text.content = f"**{trouble}**"

    def caption(self, snapshot: Snapshot, scale: Any, felt: str = "") -> str:
        most = self.theatre.most_points
        count = f"{snapshot.particle_count:,} particles"
        if snapshot.loose_count > most:
            count += f", about {most:,} shown"
        touches = 0 if snapshot.touches is None else len(snapshot.touches.position)
        lines = [f"{snapshot.time:.3f} s, {count}" + (f", {touches:,} contacts" if touches else "")]
        if felt:
            lines.append(felt)
        if scale is not None:
            lines.append(f"{scale.label}: dark {scale.low:.3g}, light {scale.high:.3g}")
        trouble = getattr(self.source, "trouble", "")
        return "\n\n".join([*lines, f"**{trouble}**"] if trouble else lines)

    def close(self) -> None:
        if not self.ending.is_set():
            self.ending.set()
            self.thread.join()
            self.source.close()
            stop_server(self.server)

    def __enter__(self) -> "Viewer":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def view(source: Any, port: int = 8080, open_browser: bool = True, threads: int = 0) -> None:
    """Shows a recording, a scene or a world in the browser until Ctrl-C."""
    with Viewer(source, port, threads=threads) as viewer:
        try:
            print(f"look at {viewer.url} (Ctrl-C ends)", flush=True)
            if open_browser:
                webbrowser.open(viewer.url)
            while True:
                time.sleep(3600)
        except KeyboardInterrupt:
            print()


def export_html(recording: Any, path: str | os.PathLike[str], field: str = "material", most_frames: int = 300) -> Path:
    """The whole recording as one HTML file with a time line, which needs no network and no server."""
    replay = Replay(recording)
    stride = -(-len(replay) // max(1, most_frames))
    numbers = list(range(0, len(replay), stride))
    server = start_server(0)
    try:
        theatre = Theatre(server, precision="float16")
        theatre.build(replay.snapshot(0), replay.scene, replay.model, replay.stage())
        theatre.update(replay.snapshot(0), field, replay.scale(field))
        tape = server.get_scene_serializer()
        for before, number in zip(numbers, numbers[1:], strict=False):
            tape.insert_sleep(float(replay.times[number] - replay.times[before]))
            theatre.update(replay.snapshot(number), field, replay.scale(field))
        tape.insert_sleep(0.5)
        page = tape.as_html()
    finally:
        stop_server(server)
    Path(path).write_text(page, encoding="utf-8")
    return Path(path)
