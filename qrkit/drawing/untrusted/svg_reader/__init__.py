"""Reads SVGs from strangers in processes of their own, with limits on time and memory.

An SVG becomes shapes, which stay sharp at any size, where they look as the file does. Otherwise, it becomes pixels.
"""

from __future__ import annotations

import json
import os
from io import BytesIO
from pathlib import Path
from typing import Any

from qrkit.drawing.scene import Bitmap, Drawing
from qrkit.drawing.untrusted.picture_errors import refused, too_much
from qrkit.drawing.untrusted.svg_reader.worker import MOST_SECONDS, REFUSED
from qrkit.errors import AssetError, UnreadableFile
from qrkit.late import Image
from qrkit.processes import WorkerBroke, WorkerLate, Workers, WorkersBusy

__all__ = ["drawn_svg", "read_svg", "svg_picture"]

LONGEST_SECONDS = 20.0
"""Time limit on the clock, for busy machines, and for systems that cannot limit processor time."""
AS_PNG = "; save it as png instead"
_readers = Workers(Path(__file__).with_name("worker.py"), 1 + min(4, os.cpu_count() or 1))


def read_svg(data: bytes) -> Drawing | Bitmap:
    """Read an SVG as shapes; if they would look different, as pixels, with warnings that say why.

    Raises `AssetError`, to which the caller adds the name of the field.
    """
    head, png = _ask(b"shapes", data)
    if png:
        width, height, warnings, _ = head
        return Bitmap(png, width, height, tuple(warnings))
    markup, name, box, warnings = head
    return Drawing(markup, name, tuple(box), tuple(warnings))


def drawn_svg(data: bytes) -> tuple[bytes, list[str]]:
    """Return an SVG as PNG on a transparent background, and sentences about what a browser may show differently."""
    (_, _, _, doubts), png = _ask(b"pixels", data)
    return png, doubts


def svg_picture(data: bytes, name: str) -> Image.Image:
    """Draw an SVG with a longer side of 1,600 pixels on a transparent background, as mode RGBA, to read or check it.

    Raises `UnreadableFile` if the SVG is damaged, takes too long to draw, or has something that a browser may show in
    another way: without it, a QR Code could look better than it is.
    """
    try:
        png, doubts = drawn_svg(data)
    except AssetError as error:
        raise UnreadableFile(f"{name} {error.rule.removesuffix(AS_PNG)}{AS_PNG}") from error
    if doubts:
        raise UnreadableFile(f"{name}: {doubts[0]}{AS_PNG}")
    return Image.open(BytesIO(png)).convert("RGBA")


def _ask(job: bytes, data: bytes) -> tuple[list[Any], bytes]:
    try:
        outcome, answer = _readers.ask(job, data, seconds=LONGEST_SECONDS)
    except WorkersBusy as error:
        raise refused("cannot be read now, because too many others are being read; try again later") from error
    except (WorkerLate, WorkerBroke) as error:
        raise too_much(f"what can be drawn within {MOST_SECONDS} seconds and 300 MB{AS_PNG}") from error
    head, _, png = answer.partition(b"\n")
    if outcome == REFUSED:
        raise refused(*json.loads(head))
    return json.loads(head), png
