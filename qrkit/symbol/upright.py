"""Turns pictures upright, as their EXIF says."""

from __future__ import annotations

from contextlib import suppress

from qrkit.late import Image

ORIENTATION = 0x0112
"""The EXIF tag that says which side of a photo is up."""


def upright(frame: Image.Image, source: Image.Image) -> Image.Image:
    """Turn a frame as the EXIF of its file says; damaged EXIF is ignored, as browsers do."""
    source.load()  # Pillow turns a TIFF while it loads it, and then no longer says an orientation
    orientation = 1
    with suppress(Exception):  # for damaged EXIF, Pillow raises errors of many types
        orientation = source.getexif().get(ORIENTATION, 1)
    turns = {
        2: Image.Transpose.FLIP_LEFT_RIGHT,
        3: Image.Transpose.ROTATE_180,
        4: Image.Transpose.FLIP_TOP_BOTTOM,
        5: Image.Transpose.TRANSPOSE,
        6: Image.Transpose.ROTATE_270,
        7: Image.Transpose.TRANSVERSE,
        8: Image.Transpose.ROTATE_90,
    }
    return frame.transpose(turns[orientation]) if orientation in turns else frame
