"""Draws the thumbnails of the presets, which come with the package: python .ci/make_thumbnails.py FOLDER."""

from __future__ import annotations

import sys
from io import BytesIO
from pathlib import Path

from PIL import Image

from qrkit import Design, QRImage
from qrkit.presets import PRESETS, with_preset

__all__ = ["thumbnail"]

CONTENT = "https://example.com/menu"
SIDE, GAP = 320, 16
"""Longer side of a picture, and the space between two, in pixels; notebooks show half of that."""
COLORS = 96
"""Number of colors in a file."""


def thumbnail(name: str) -> bytes:
    """Return a preset in its colorways, side by side, as a PNG."""
    colorways = PRESETS[name].colorways
    sheet = Image.new("RGBA", (len(colorways) * (SIDE + GAP) - GAP, SIDE), (0, 0, 0, 0))
    for number, colorway in enumerate(colorways):
        image = QRImage(with_preset(Design(content=CONTENT, size=12), name, colorway))
        picture = Image.open(BytesIO(image.to_bytes("png"))).convert("RGBA")
        picture.thumbnail((SIDE, SIDE), Image.Resampling.LANCZOS)
        sheet.paste(picture, (number * (SIDE + GAP) + (SIDE - picture.width) // 2, (SIDE - picture.height) // 2))
    file = BytesIO()
    sheet.quantize(COLORS, Image.Quantize.FASTOCTREE).save(file, "PNG", optimize=True)
    return file.getvalue()


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(exist_ok=True)
    for name in PRESETS:
        (folder / f"{name}.png").write_bytes(thumbnail(name))
