"""Keeps recent drawings, because checks, batches and the studio draw the same gradient, logo and eyes repeatedly."""

from __future__ import annotations

import os
from collections.abc import Sequence

from qrkit.drawing.untrusted.rasteriser import check_time, rasterise_all
from qrkit.drawing.untrusted.recent import Recent

MOST_KEPT = 20_000_000
"""Bytes of all kept drawings and their pixels together."""

MOST_OF_ONE = MOST_KEPT // 4
"""Bytes of one kept drawing: about 1,100 x 1,100 pixels."""

_Drawing = tuple[bytes, int, int]


def rasterise_new(drawings: Sequence[_Drawing], *, covers: bool = False) -> list[bytes]:
    """Draw several SVGs like `rasterise_all`, but only those whose pixels are not kept from before."""
    check_time()
    pixels = {drawing: found for drawing in drawings if (found := _kept.get((*drawing, covers)))}
    if missing := [drawing for drawing in dict.fromkeys(drawings) if drawing not in pixels]:
        pixels |= zip(missing, rasterise_all(missing, covers=covers), strict=True)
        for drawing in missing:
            if _size((*drawing, covers), pixels[drawing]) <= MOST_OF_ONE:
                _kept.keep((*drawing, covers), pixels[drawing])
    return [pixels[drawing] for drawing in drawings]


def forget_drawings() -> None:
    """Drop all kept drawings, for measuring how long new ones take."""
    _kept.forget()


def _size(key: tuple[bytes, int, int, bool], pixels: bytes) -> int:
    return len(key[0]) + len(pixels)


_kept = Recent(_size, MOST_KEPT)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_kept.forget)
