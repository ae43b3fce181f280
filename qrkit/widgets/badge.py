"""What the badge of a designer says about its picture."""

from __future__ import annotations

from typing import Any

from qrkit.decode import MOST_READ_SIDE, decode
from qrkit.errors import QrkitError
from qrkit.image import QRImage

__all__ = ["Badge", "judged"]

Badge = dict[str, Any]
"""`verdict` (robust, ok, fragile, unreadable, or reads where no more is known), `score` 0..100 or None, and `issues`: a
list of `message` and `fix`, fields of `Design` that mend it, or None."""

MOST_PIXELS = 4_000_000
"""Of a picture that is read back while somebody waits."""


def judged(image: QRImage) -> Badge:
    """Read a picture back. Nothing is said of how much room there is for dirt and distance."""
    if image.width * image.height > MOST_PIXELS:
        return _said("unknown", "The picture is too large to be read back here")
    try:
        found = decode(image.to_bytes("png", compression=0), most_side=MOST_READ_SIDE).content
    except QrkitError:
        return _said("unreadable", "A reader finds no QR Code in it")
    if found != image.design.content:
        return _said("unreadable", f"It reads as something else: {found[:60]}")
    return _said("reads", "")


def _said(verdict: str, message: str) -> Badge:
    return {"verdict": verdict, "score": None, "issues": [{"message": message, "fix": None}] if message else []}
