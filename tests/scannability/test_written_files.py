"""A verdict holds for every file that is written: readers get the files themselves, not the drawing that was checked."""

from math import ceil

import numpy as np
import pytest
from PIL import Image

from qrkit import QRImage
from qrkit.errors import InvalidParameter
from qrkit.scannability.conditions import retaken
from qrkit.scannability.readers import standard
from tests.conformance import readers
from tests.scannability.random_designs import random_design

RASTER = ("png", "jpg", "gif", "webp", "bmp", "tif")
FEWEST = {"robust": 3, "ok": 2, "fragile": 0, "unreadable": 0}
"""Readers of a file, by the verdict on its design."""
LEAST_PIXELS = 6
"""Of a module as it is seen: small files are looked at from near."""


def greys_of(data: bytes, format: str, module: float) -> np.ndarray:
    """A file as readers get it: on white, and with modules of a few pixels."""
    pixels = readers.svg(data) if format == "svg" else readers.raster(data)
    picture = Image.fromarray(pixels.astype(np.uint8), "RGBA")
    seen = Image.alpha_composite(Image.new("RGBA", picture.size, "white"), picture).convert("L")
    times = ceil(LEAST_PIXELS / module)
    return np.asarray(seen).repeat(times, axis=0).repeat(times, axis=1)


def readers_of(image: QRImage, format: str) -> set[str]:
    data = image.to_bytes(format)
    greys = greys_of(data, format, image.scene.module)
    # As in the panel: who sees nothing looks once more.
    looks = (greys, retaken(greys))
    content = image.design.content.encode()
    return {engine.name for engine in standard() if any(content in engine.read(look) for look in looks)}


def broken_promises(seeds: range, formats: tuple[str, ...]) -> list[str]:
    """Files that fewer readers read than the verdict on their design says."""
    found = []
    for seed in seeds:
        try:
            image = QRImage(random_design(seed))
        except InvalidParameter:  # less than a pixel for a module
            continue
        verdict = image.check().verdict
        for format in formats:
            names = readers_of(image, format)
            if len(names) < FEWEST[verdict]:
                found.append(f"{seed}.{format}: {verdict}, read by {sorted(names)}")
    return found
