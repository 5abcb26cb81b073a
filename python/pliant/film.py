"""Pictures and films into files."""

from collections.abc import Sequence
from pathlib import Path

import imageio_ffmpeg
import numpy as np
from PIL import Image, ImageDraw, ImageFont


class Film:
    """An .mp4 file that takes pictures one by one. Use it in a `with` block."""

    def __init__(self, path: Path, width: int, height: int, per_second: int = 30):
        self.writer = imageio_ffmpeg.write_frames(
            str(path), (width, height), fps=per_second, quality=8, macro_block_size=2, ffmpeg_log_level="error"
        )
        self.writer.send(None)

    def add(self, picture: np.ndarray) -> None:
        self.writer.send(np.ascontiguousarray(picture))

    def __enter__(self) -> "Film":
        return self

    def __exit__(self, *_: object) -> None:
        self.writer.close()


def write_picture(path: Path, picture: np.ndarray) -> None:
    Image.fromarray(picture).save(path, optimize=True)


def write_strip(path: Path, pictures: Sequence[np.ndarray], labels: Sequence[str], columns: int = 3) -> None:
    """Pictures of one size side by side, each with its label."""
    height, width = pictures[0].shape[:2]
    rows = -(-len(pictures) // columns)
    gap = 4
    sheet = Image.new("RGB", (columns * (width + gap) - gap, rows * (height + gap) - gap), "white")
    font = ImageFont.load_default(size=max(10, height // 24))
    for i, (picture, label) in enumerate(zip(pictures, labels, strict=True)):
        still = Image.fromarray(picture)
        ImageDraw.Draw(still).text((height // 30, height // 40), label, fill=(30, 34, 40), font=font)
        sheet.paste(still, (i % columns * (width + gap), i // columns * (height + gap)))
    sheet.save(path, optimize=True)
