"""The command line: pliant list | pliant demo."""

import argparse
from pathlib import Path

import pliant


def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="pliant", description=pliant.__doc__)
    parser.add_argument("--version", action="version", version=pliant.__version__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list", help="names of the built-in scenes")
    demo = commands.add_parser("demo", help="run a scene, leave a picture strip and a film")
    demo.add_argument("scene", nargs="?", default="four_materials", choices=pliant.scene_names())
    demo.add_argument("--out", type=Path, default=Path("out"), help="folder for the files")
    demo.add_argument("--threads", type=int, default=0, help="0: all that the machine has")
    choice = parser.parse_args(words)
    if choice.command == "list":
        print("\n".join(pliant.scene_names()))
    else:
        # needs numpy, a picture and a film library: only when asked for
        from pliant.demo import run

        strip, film = run(pliant.load(choice.scene), choice.scene, choice.out, choice.threads)
        print(f"look at {strip} and {film}")


if __name__ == "__main__":
    main()
