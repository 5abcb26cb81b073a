"""Runs scenes for ten times their length, or 20,000 steps: no failed step, no growth of memory, no loss of volume.

usage: tools/soak [SCENE ...] [--again] [--out FOLDER] [--steps N]

All scenes take hours. Each runs in a process of its own and leaves its result in out/soak/SCENE.json; a scene that has
one is not run again, so that a soak that was broken off goes on where it was. Ends with 1 if a scene fails.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from tqdm import tqdm

import pliant as pl
from pliant.errors import Error

LENGTHS = 10
MOST_STEPS = 20_000


@dataclass
class Soaked:
    steps: int = 0
    wanted: int = 0
    error: str = ""
    memory_warm: int = 0  # bytes in the middle of the run
    memory_end: int = 0
    volume_start: float = 0.0  # m^3, of all matter
    volume_end: float = 0.0
    volume_least: float = 0.0
    seconds: float = 0.0  # that it took
    commit: str = ""  # of the code that ran


def memory() -> int:
    """Bytes of this process that are in memory."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def steps_of(scene) -> int:
    return min(MOST_STEPS, round(LENGTHS * scene.duration / scene.step.dt))


def soak(name: str, steps: int) -> Soaked:
    scene = pl.load(name)
    # the balance is where the volume stands
    scene.step.balance = True
    world = pl.World(scene, os.cpu_count())
    made = Soaked(wanted=steps)
    for _ in tqdm(range(steps), desc=name, unit="step", mininterval=1):
        try:
            report = world.step()
        except Error as error:
            made.error = str(error)
            break
        if made.steps == 0:
            made.volume_start = made.volume_least = report.before.volume
        made.volume_end = report.after.volume
        made.volume_least = min(made.volume_least, made.volume_end)
        made.steps += 1
        if made.steps == made.wanted // 2:
            made.memory_warm = memory()
    made.memory_end = memory()
    return made


def soak_apart(name: str, steps: int) -> Soaked:
    """In a process of its own: memory that another scene has left free would hide growth, and a crash ends no other."""
    started = time.monotonic()
    code = f"import json, soak; print(json.dumps(soak.asdict(soak.soak({name!r}, {steps}))))"
    environment = dict(os.environ, PYTHONPATH=str(Path(__file__).parent))
    done = subprocess.run([sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, text=True)
    made = Soaked(wanted=steps, error=f"its process ended with {done.returncode}")
    if done.returncode == 0:
        made = Soaked(**json.loads(done.stdout))
    return replace(made, seconds=time.monotonic() - started, commit=commit())


def commit() -> str:
    command = ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty", "--exclude=*"]
    return subprocess.run(command, capture_output=True, text=True).stdout.strip()


def faults(made: Soaked) -> list[str]:
    """What is wrong with a soak; nothing if it is good."""
    found = []
    if made.error:
        found.append(made.error)
    if made.steps != made.wanted:
        found.append(f"{made.steps} of {made.wanted} steps")
    # in the second half, when all motions have ended; a kB per step would be 2 MB after 2,000
    if made.steps == made.wanted and made.memory_end - made.memory_warm >= 2e6:
        found.append(f"memory grew by {(made.memory_end - made.memory_warm) / 1e6:.1f} MB")
    # what the scenes themselves allow, at the end
    if not made.volume_end > 0.95 * made.volume_start:
        found.append(f"volume fell to {made.volume_end / made.volume_start:.3f}" if made.volume_start else "no volume")
    return found


def kept(file: Path, wanted: int) -> Soaked | None:
    """The result of an earlier run, if it has the length that is wanted."""
    if not file.exists():
        return None
    made = Soaked(**json.loads(file.read_text()))
    return made if made.wanted == wanted else None


def soak_all(names: list[str], out: Path, steps: int = 0, again: bool = False) -> dict[str, Soaked]:
    """Results by name; steps = 0: ten times each scene's length."""
    out.mkdir(parents=True, exist_ok=True)
    results = {}
    for name in names:
        file = out / f"{name}.json"
        wanted = steps or steps_of(pl.load(name))
        made = None if again else kept(file, wanted)
        if made is None:
            made = soak_apart(name, wanted)
            # all or nothing: a file that is there is a whole one
            half = file.with_suffix(".part")
            half.write_text(json.dumps(asdict(made), indent=2) + "\n")
            half.rename(file)
        results[name] = made
    return results


def table(results: dict[str, Soaked]) -> str:
    rows = [("scene", "steps", "minutes", "grew, kB", "volume", "commit", "verdict")]
    for name, made in results.items():
        grew = (made.memory_end - made.memory_warm) / 1e3 if made.memory_warm else float("nan")
        volume = made.volume_end / made.volume_start if made.volume_start else float("nan")
        verdict = "; ".join(faults(made)) or "good"
        figures = (f"{made.steps}", f"{made.seconds / 60:.1f}", f"{grew:.0f}", f"{volume:.4f}")
        rows.append((name, *figures, made.commit, verdict))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    sides = "<>>>><<"
    lines = [
        "  ".join(f"{word:{side}{width}}" for word, side, width in zip(row, sides, widths, strict=True)) for row in rows
    ]
    return "\n".join(line.rstrip() for line in lines)


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="tools/soak", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("scenes", nargs="*", metavar="SCENE", help="all unless named")
    parser.add_argument("--again", action="store_true", help="run scenes that have a result too")
    parser.add_argument("--out", type=Path, default=Path("out/soak"), help="where results are kept")
    parser.add_argument("--steps", type=int, default=0, help="instead of ten times a scene's length")
    choice = parser.parse_args(words)
    unknown = sorted(set(choice.scenes) - set(pl.scene_names()))
    if unknown:
        parser.error(f"no scene {', '.join(unknown)}; there are {', '.join(pl.scene_names())}")
    try:
        results = soak_all(choice.scenes or pl.scene_names(), choice.out, choice.steps, choice.again)
    except KeyboardInterrupt:
        print(f"broken off; what is done is in {choice.out}, and the same command goes on from there", file=sys.stderr)
        return 130
    print(table(results))
    return int(any(faults(made) for made in results.values()))


if __name__ == "__main__":
    sys.exit(main())
