"""Colours of particles: by material, or by a number that each particle has, with a small legend."""

from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageDraw, ImageFont

# sRGB, 0..1
MATERIALS = {
    "jelly": (0.86, 0.20, 0.30),
    "sand": (0.80, 0.66, 0.43),
    "water": (0.22, 0.52, 0.84),
    "dough": (0.93, 0.83, 0.64),
    "snow": (0.93, 0.95, 0.98),
    "liquid": (0.22, 0.52, 0.84),
    "rubber": (0.30, 0.62, 0.42),
    "cotton": (0.20, 0.55, 0.58),
    "linen": (0.88, 0.83, 0.72),
    "denim": (0.25, 0.36, 0.58),
    "wool": (0.72, 0.38, 0.33),
}
# strength of highlights, 0..1
GLOSS = {"water": 0.8, "liquid": 0.8, "jelly": 0.5, "rubber": 0.3, "snow": 0.05}
USUAL_GLOSS = 0.1
OTHERS = ((0.90, 0.49, 0.22), (0.35, 0.62, 0.80), (0.45, 0.70, 0.35), (0.70, 0.45, 0.75), (0.85, 0.70, 0.25))
# from low to high: dark blue, blue-green, green, yellow, light; lightness rises evenly
RAMP = np.array(
    [
        (0.18, 0.12, 0.38),
        (0.17, 0.32, 0.56),
        (0.10, 0.53, 0.56),
        (0.38, 0.72, 0.38),
        (0.95, 0.83, 0.20),
        (1, 0.97, 0.75),
    ]
)
LABELS = {
    "material": "material",
    "speed": "speed, m/s",
    "strain": "strain |C - 1|",
    "plastic": "plastic",
    "stress": "von Mises stress, Pa",
}
FIELDS = tuple(LABELS)
FIELD_HELP = (
    "material, speed, strain (Frobenius norm of F^T F - 1), plastic (the number that the law remembers) "
    "or stress (von Mises)"
)


def material_color(material: str, law: str = "", number: int = 0) -> tuple[float, float, float]:
    """The colour of a material by its name, else by its law, else by its number in the scene."""
    for word in (material, law):
        if word in MATERIALS:
            return MATERIALS[word]
    return OTHERS[number % len(OTHERS)]


def material_gloss(material: str, law: str = "") -> float:
    """How much a material shines, by its name, else by its law."""
    return next((GLOSS[word] for word in (material, law) if word in GLOSS), USUAL_GLOSS)


def tones(ids: np.ndarray, spread: float = 0.1) -> np.ndarray:
    """A factor near 1 for each particle, always the same for the same id, so that one sees them move."""
    mixed = (np.asarray(ids).astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(40)
    return 1 + spread * (mixed / float(1 << 23) - 1)


def ramp_shares(values: np.ndarray, low: float, high: float) -> np.ndarray:
    """0 at low, 1 at high; what lies outside, or is no number, goes to an end."""
    share = np.clip((np.asarray(values, float) - low) / max(high - low, 1e-30), 0, 1)
    return np.where(np.isfinite(share), share, 0)


def ramp(values: np.ndarray, low: float, high: float) -> np.ndarray:
    """Colours (n, 3) of numbers; what lies outside low..high gets the end's colour."""
    share = ramp_shares(values, low, high)
    ticks = np.linspace(0, 1, len(RAMP))
    return np.stack([np.interp(share, ticks, RAMP[:, channel]) for channel in range(3)], axis=-1)


def strain_of(deformation_gradients: np.ndarray) -> np.ndarray:
    """|F^T F - 1|, Frobenius."""
    f = np.asarray(deformation_gradients, float)
    right = np.einsum("nki,nkj->nij", f, f)
    return np.linalg.norm(right - np.eye(f.shape[-1]), axis=(1, 2))


@dataclass(frozen=True)
class Scale:
    """What numbers the ends of the ramp stand for."""

    label: str
    low: float
    high: float

    def shares(self, values: np.ndarray) -> np.ndarray:
        """Where numbers are on the ramp, 0..1."""
        return ramp_shares(values, self.low, self.high)


def scale_of(field: str, values: list[np.ndarray]) -> Scale:
    """A scale that a few outliers do not spoil; all but plastic start at 0."""
    numbers = np.concatenate(values) if values else np.zeros(0)
    numbers = numbers[np.isfinite(numbers)]
    low, high = (float(v) for v in np.quantile(numbers, (0.01, 0.99))) if len(numbers) else (0.0, 1.0)
    low = min(low, 0.0) if field == "plastic" else 0.0
    return Scale(LABELS[field], low, high if high > low + 1e-12 else low + 1.0)


def draw_legend(picture: np.ndarray, scale: Scale) -> np.ndarray:
    """The picture with a colour bar in its lower left corner."""
    image = Image.fromarray(picture)
    height = picture.shape[0]
    size = max(9, height // 36)
    font = ImageFont.load_default(size=size)
    left, width, bar = size, max(80, picture.shape[1] // 4), max(6, size // 2)
    top = height - bar - 2 * size - size // 2
    strip = np.repeat(ramp(np.linspace(0, 1, width), 0, 1)[None], bar, axis=0)
    draw = ImageDraw.Draw(image, "RGBA")
    frame = (left - size // 2, top - size - size // 2, left + width + size // 2, height - size // 3)
    draw.rounded_rectangle(frame, size // 2, fill=(255, 255, 255, 170))
    image.paste(Image.fromarray((255 * strip).astype(np.uint8)), (left, top))
    ink = (30, 34, 40)
    draw.text((left, top - size - size // 4), scale.label, fill=ink, font=font)
    draw.text((left, top + bar), f"{scale.low:.3g}", fill=ink, font=font)
    draw.text((left + width, top + bar), f"{scale.high:.3g}", fill=ink, font=font, anchor="ra")
    return np.asarray(image)
