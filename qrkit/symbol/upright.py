"""Turns pictures upright, as their EXIF says."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL.Image import Image

ORIENTATION = 0x0112
"""The EXIF tag that says which side of a photo is up."""


def upright(frame: Image, source: Image) -> Image:
    """Turn a frame as the EXIF of its file says; damaged EXIF is ignored, as browsers do."""
    from PIL.ImageOps import exif_transpose

    source.load()  # Pillow turns a TIFF while it loads it, and then no longer says an orientation
    with suppress(Exception):  # for damaged EXIF, Pillow raises errors of many types
        orientation = source.getexif().get(ORIENTATION, 1)
        frame.info.clear()  # what is damaged could not be written into the turned frame
        frame.getexif()[ORIENTATION] = orientation
        exif_transpose(frame, in_place=True)
    return frame
