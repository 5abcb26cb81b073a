"""The command line: pliant run | list | check | info | view | render | demo | reproduce | validate | gallery."""

import argparse
import json
import os
import signal
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pliant
from pliant.errors import BadInputError, Error

BAD_INPUT = 2
FAILED = 1


def parser_of_commands() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="pliant", description=pliant.__doc__)
    parser.add_argument("--version", action="version", version=pliant.__version__)
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--debug", action="store_true", help="show where in the program an error came from")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name: str, work: Callable[[argparse.Namespace], int], text: str) -> argparse.ArgumentParser:
        made = commands.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".", parents=[shared])
        made.set_defaults(work=work)
        return made

    add_run(command("run", run, "run a scene, check what it expects, record it"))
    command("list", list_scenes, "names of the scenes that come with pliant")
    check = command("check", check_file, "everything that is wrong with a scene file")
    check.add_argument("file", help="a YAML file")
    add_set(check)
    command("info", info, "what is in a recording").add_argument("recording", type=Path)
    add_view(command("view", view, "look at a recording, or at a scene as it runs, in a browser"))
    add_render(command("render", render, "make a film or a still of a recording"))
    demo = command("demo", make_demo, "run a scene, leave a picture strip and a film")
    demo.add_argument("scene", nargs="?", default="dough_rolling", choices=pliant.scene_names())
    demo.add_argument("--out", type=Path, default=Path("out"), help="folder for the files")
    add_threads(demo)
    add_reproduce(command("reproduce", reproduce, "run a table of a paper and print ours beside theirs"))
    add_validate(
        command("validate", validate, "run the table of trust: closed forms and measurements, ours beside them")
    )
    add_gallery(command("gallery", gallery, "make a small still of each scene that comes with pliant"))
    return parser


def add_run(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("scene", help="name of a scene, a YAML file, or with --continue a recording")
    parser.add_argument("--time", type=float, help="s, when to end; default: what the scene says")
    parser.add_argument("--out", type=Path, metavar="FILE.h5", help="record into this file")
    add_set(parser)
    add_threads(parser)
    parser.add_argument("--json", action="store_true", help="print one object for machines and nothing else")
    parser.add_argument("--continue", dest="go_on", action="store_true", help="go on with a recording, in its file")


def add_set(parser: argparse.ArgumentParser) -> None:
    text = "replace what the scene says, as in step.dt=0.005; may be given again"
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", type=pair, help=text)


def add_threads(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--threads", type=int, default=0, help="0: all that the machine has")


def add_view(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", help="a recording, or the name or YAML file of a scene")
    parser.add_argument("--port", type=int, default=8080, help="on the loopback address")
    add_threads(parser)


def add_render(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("recording", type=Path)
    parser.add_argument("--film", type=Path, metavar="OUT.mp4", help="the whole recording, in real time")
    parser.add_argument("--still", type=Path, metavar="OUT.png", help="one picture")
    parser.add_argument("--at", type=float, help="s, time of the still; default: the end")
    parser.add_argument("--html", type=Path, metavar="OUT.html", help="a page with a time line that needs no network")
    parser.add_argument("--camera", help="name of a camera of the bodies; default: one that sees everything")
    parser.add_argument("--color", default="material", help="material, speed, strain, plastic or stress")
    parser.add_argument("--arrows", action="store_true", help="show forces between bodies, and of matter on bodies")
    parser.add_argument("--balls", action="store_true", help="show particles, not surfaces, of all matter but cloth")
    parser.add_argument("--size", type=int, nargs=2, default=(640, 480), metavar=("WIDTH", "HEIGHT"), help="pixels")


def add_reproduce(parser: argparse.ArgumentParser) -> None:
    what = "Table I of a paper; s1: material points and robots in one convex problem, s2: asynchronous coupling"
    what += "; s5: tasks of soft robots, by gradients"
    parser.add_argument("table", choices=["s1", "s2", "s5"], help=what)
    parser.add_argument("--quick", action="store_true", help="only the beginning of each scene, in a few seconds")
    parser.add_argument("--json", action="store_true", help="print one object for machines and nothing else")
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for plots, recordings and the page")
    add_only(parser)
    parser.add_argument("--report", action="store_true", help="also a page with films and plots of each scene")
    parser.add_argument("--results", type=Path, metavar="FILE.md", help="also replace the table's part of this file")
    add_threads(parser)


def add_only(parser: argparse.ArgumentParser) -> None:
    text = "only this scene; may be given again"
    parser.add_argument("--only", action="append", default=[], metavar="SCENE", help=text)


def add_validate(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--list", action="store_true", help="names of the rows, and where their references come from")
    parser.add_argument("--quick", action="store_true", help="a small part of the rows, in about a minute")
    parser.add_argument("--refine", action="store_true", help="cells and steps of half the size")
    parser.add_argument("--seed", type=int, default=1, help="of the places at which each row is run")
    only = "only rows with such a name, as 'ball*' or 'tank'; may be given again"
    parser.add_argument("--only", action="append", default=[], metavar="PATTERN", help=only)
    parser.add_argument("--method", choices=["async", "strong"], help="only this method")
    parser.add_argument("--json", metavar="FILE", help="one object for machines; -: print it and nothing else")
    parser.add_argument(
        "--report", action="store_true", help="also a page with a plot of each line, in the folder --out"
    )
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for the page")
    parser.add_argument("--results", type=Path, metavar="FILE.md", help="also replace the table in this file")
    add_threads(parser)


def add_gallery(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", type=Path, default=Path("docs/gallery"), help="folder for the pictures")
    parser.add_argument("--readme", type=Path, metavar="FILE.md", help="also replace the pictures in this file")
    add_only(parser)
    add_threads(parser)


def pair(text: str) -> tuple[str, str]:
    key, sign, value = text.partition("=")
    if not key or not sign:
        raise argparse.ArgumentTypeError(f"'{text}' is not KEY=VALUE; write for example step.dt=0.005")
    return key, value


# run


def run(choice: argparse.Namespace) -> int:
    from pliant.runner import run as run_world

    check_run(choice)
    recorder, world, plan = prepare(choice)
    outcome = run_world(world, plan, recorder)
    if choice.json:
        print(json.dumps(outcome.as_dict()))
    else:
        print_outcome(outcome, recorder)
    if outcome.error:
        say(outcome.error)
    if outcome.stopped_by:
        say("stopped; go on with: pliant run --continue " + str(recorder.path) if recorder else "stopped")
        return 128 + int(outcome.stopped_by)
    return 0 if outcome.ok else FAILED


def check_run(choice: argparse.Namespace) -> None:
    if choice.time is not None and not 0 <= choice.time < float("inf"):
        raise BadInputError(f"--time is {choice.time} s; give a number of 0 or more")
    if choice.go_on and (choice.set or choice.out):
        raise BadInputError("--continue goes on with the recorded scene in its file; leave out --set and --out")


def prepare(choice: argparse.Namespace) -> tuple[Any, Any, Any]:
    """Recorder (or None), world and plan."""
    from pliant.continuation import resume
    from pliant.expect import RunLog, evaluate
    from pliant.recorder import Recorder
    from pliant.recording import Recording
    from pliant.runner import Plan

    log = RunLog()
    if choice.go_on:
        recorder = resume(choice.scene, choice.threads)
        world, scene = recorder.world, recorder.scene
        with Recording(choice.scene) as recording:
            log.reports = list(recording.reports)
            log.forces = {body: list(rows[:, :3]) for body, rows in recording.wrenches.items()}
            log.cloth.look_back(recording, scene.expect)
    else:
        scene = pliant.load(choice.scene, overrides=dict(choice.set))
        if choice.out:
            scene.cache_folder = str(Path(choice.out).parent / "pliant_cache")
        world = pliant.World(scene, choice.threads)
        # before an older recording of that name is replaced
        evaluate(world, log)
        recorder = Recorder(choice.out, world, scene) if choice.out else None
    end = scene.duration if choice.time is None else choice.time
    return recorder, world, Plan(end, Path(choice.scene).stem, False if choice.json else None, log)


def print_outcome(outcome: Any, recorder: Any) -> None:
    numbers = outcome.as_dict()
    print(
        f"{outcome.scene}: {outcome.steps} steps, {outcome.simulated:.4g} s simulated, "
        f"{numbers['ms_per_step']:.3g} ms per step, {numbers['real_time_factor']:.3g} x real time"
    )
    if recorder is not None:
        print(f"recorded: {recorder.path} ({recorder.frames} frames)")
    for check in outcome.checks:
        print(check)


# the other commands


def list_scenes(choice: argparse.Namespace) -> int:
    names = pliant.scene_names()
    width = max(map(len, names), default=0)
    for name in names:
        print(f"{name:{width}}  {description(name)}".rstrip())
    return 0


def description(name: str) -> str:
    """The first comment of a scene file, or the first line of a Python scene."""
    from pliant import library

    file = library.scene_file(name)
    if file is None:
        import importlib

        return (importlib.import_module(f"pliant.scenes.{name}").__doc__ or "").strip().partition("\n")[0]
    with open(file, encoding="utf-8") as text:
        comments = (line.lstrip("# ").strip() for line in text if line.startswith("#"))
        return next((comment for comment in comments if comment), "")


def check_file(choice: argparse.Namespace) -> int:
    from pliant import library

    findings = library.check(choice.file, overrides=dict(choice.set))
    for finding in findings:
        print(finding, file=sys.stderr)
    if findings:
        say(f"{choice.file}: {len(findings)} thing{'s' * (len(findings) > 1)} to repair")
        return BAD_INPUT
    print(f"{choice.file}: good")
    return 0


def info(choice: argparse.Namespace) -> int:
    from pliant.info import table
    from pliant.recording import Recording

    with Recording(choice.recording) as recording:
        print(table(recording))
    return 0


def view(choice: argparse.Namespace) -> int:
    viewer = optional("pliant.viewer", "the viewer")
    from pliant.recording import Recording

    what = Recording(choice.what) if is_recording(choice.what) else pliant.load(choice.what)
    viewer.view(what, port=choice.port, threads=choice.threads)
    return 0


def is_recording(name: str) -> bool:
    return name.endswith((".h5", ".hdf5"))


def render(choice: argparse.Namespace) -> int:
    if not (choice.film or choice.still or choice.html):
        raise BadInputError("nothing to render; give --film OUT.mp4, --still OUT.png or --html OUT.html")
    if choice.at is not None and not choice.still:
        raise BadInputError("--at is the time of a still; give --still OUT.png")
    from pliant.recording import Recording

    written = []
    with Recording(choice.recording) as recording:
        if choice.film or choice.still:
            written += optional("pliant.pictures", "rendering").render_recording(
                recording,
                film=choice.film,
                still=choice.still,
                at=choice.at,
                size=tuple(choice.size),
                camera=choice.camera,
                field=choice.color,
                arrows=choice.arrows,
                balls=choice.balls,
            )
        if choice.html:
            written.append(optional("pliant.viewer", "the viewer").export_html(recording, choice.html, choice.color))
    print(f"look at {' and '.join(str(path) for path in written)}")
    return 0


def make_demo(choice: argparse.Namespace) -> int:
    # needs picture and film libraries: only when asked for
    scene = pliant.load(choice.scene)
    if scene.bodies:
        from pliant.robot_demo import run as demonstrate

        files = demonstrate(choice.scene, choice.out, choice.threads)
    else:
        from pliant.demo import run as film

        files = film(scene, choice.scene, choice.out, choice.threads)
    print(f"look at {', '.join(str(file) for file in files)}")
    return 0


def reproduce(choice: argparse.Namespace) -> int:
    from pliant.reproduce_command import run as run_table

    return 0 if run_table(choice) else FAILED


def validate(choice: argparse.Namespace) -> int:
    from pliant.validate.command import run as run_table

    return 0 if run_table(choice) else FAILED


def gallery(choice: argparse.Namespace) -> int:
    pictures = optional("pliant.gallery", "rendering")
    made = pictures.make_gallery(choice.out, choice.only, choice.threads)
    if choice.readme:
        pictures.hang(choice.readme, choice.out)
    print(f"look at {', '.join(str(picture) for picture in made)}")
    return 0


def optional(module: str, what: str) -> Any:
    import importlib

    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise BadInputError(f"{what} is not installed: {error}; install it with pip") from error


# errors


def say(text: str) -> None:
    print(f"pliant: {text}", file=sys.stderr)


def main(words: Sequence[str] | None = None) -> int:
    """Returns the exit code: 0 if all held, 1 if something failed, 2 for bad input, 130 for Ctrl-C."""
    choice = parser_of_commands().parse_args(words)
    try:
        return int(choice.work(choice))
    except KeyboardInterrupt:
        say("stopped")
        return 128 + signal.SIGINT
    except BrokenPipeError:
        # whoever read our output has left, as in `pliant list | head -1`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except Exception as error:
        if choice.debug:
            traceback.print_exc()
        return complain(error)


def complain(error: Exception) -> int:
    if isinstance(error, Error):
        say(str(error))
        return BAD_INPUT
    if isinstance(error, OSError) and error.strerror:
        say(f"{error.filename or 'file'}: {error.strerror}")
        return BAD_INPUT
    say(f"unexpected {type(error).__name__}: {error}; --debug shows where it came from")
    return FAILED
