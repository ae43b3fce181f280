"""Keeps recent drawings, because checks, batches and the studio draw the same gradient, logo and eyes repeatedly."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock

from qrkit.drawing.untrusted.rasteriser import check_time, rasterise_all

__all__ = ["MOST_KEPT", "forget_drawings", "rasterise_new"]

MOST_KEPT = 20_000_000
"""Bytes of all kept drawings and their pixels together."""

MOST_OF_ONE = MOST_KEPT // 4
"""Bytes of one kept drawing: about 1,100 x 1,100 pixels."""

_Drawing = tuple[bytes, int, int]


def rasterise_new(drawings: Sequence[_Drawing]) -> list[bytes]:
    """Draw several SVGs like `rasterise_all`, but only those of which the pixels are not kept from before.

    Raises:
        RenderingFailed: See `rasterise_all`. The time limit of `within` holds for kept drawings as well.
    """
    check_time()
    pixels = {drawing: found for drawing in drawings if (found := _kept.get(drawing))}
    if missing := [drawing for drawing in dict.fromkeys(drawings) if drawing not in pixels]:
        pixels |= zip(missing, rasterise_all(missing), strict=True)
        for drawing in missing:
            _kept.keep(drawing, pixels[drawing])
    return [pixels[drawing] for drawing in drawings]


def forget_drawings() -> None:
    """Drop all kept drawings, for measuring how long new ones take."""
    _kept.forget()


class _KeptDrawings:
    """The pixels of recent drawings; the least recently used are dropped first."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Drop all drawings, and the lock, which another thread may hold while this process is forked."""
        self._lock = Lock()
        self._pixels: OrderedDict[_Drawing, bytes] = OrderedDict()
        self._bytes = 0

    def get(self, drawing: _Drawing) -> bytes | None:
        with self._lock:
            pixels = self._pixels.get(drawing)
            if pixels:
                self._pixels.move_to_end(drawing)
        return pixels

    def keep(self, drawing: _Drawing, pixels: bytes) -> None:
        if _size(drawing, pixels) > MOST_OF_ONE:
            return
        with self._lock:
            if drawing in self._pixels:
                return
            self._pixels[drawing] = pixels
            self._bytes += _size(drawing, pixels)
            while self._bytes > MOST_KEPT:
                self._bytes -= _size(*self._pixels.popitem(last=False))


def _size(drawing: _Drawing, pixels: bytes) -> int:
    return len(drawing[0]) + len(pixels)


_kept = _KeptDrawings()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_kept.forget)
