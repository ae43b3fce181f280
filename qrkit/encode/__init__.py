"""Content -> `Symbol`. segno builds the modules; what fits and how it is split is decided here."""

from __future__ import annotations

from functools import lru_cache

import segno

from qrkit.design import Design
from qrkit.encode.capacity import (
    LEVELS,
    Segment,
    bits_held,
    bits_needed,
    characters_held,
    smallest_version,
)
from qrkit.encode.segments import densest_mode, segments_of
from qrkit.errors import ContentTooLong
from qrkit.symbol import ErrorCorrectionLevel, Symbol

__all__ = ["check_fits", "encode"]

MODE_INDICATORS = {"numeric": 1, "alphanumeric": 2, "byte": 4}
"""Mode indicators of ISO/IEC 18004:2015, table 2, which segno takes for each segment."""


def encode(
    content: str,
    *,
    version: int | None = None,
    error_correction: ErrorCorrectionLevel = "M",
    mode: str = "byte",
    mask: int | None = None,
) -> Symbol:
    """Encode a text into a symbol.

    Args:
        content: The text; in byte mode it is written as UTF-8 without ECI (ruling G2).
        version: 1..40; None takes the smallest that fits (ruling G1).
        error_correction: L, M, Q or H; kept, never raised (ruling G3).
        mode: numeric, alphanumeric, byte, or auto for the shortest mix of segments.
        mask: Data mask pattern reference 0..7; None takes the one with the lowest penalty (7.8.3).

    Raises:
        ContentTooLong: The content does not fit; the message says what would.
    """
    return _encoded(content, version, error_correction, mode, mask)


@lru_cache(maxsize=64)
def _encoded(
    content: str, version: int | None, error_correction: ErrorCorrectionLevel, mode: str, mask: int | None
) -> Symbol:
    """The symbol; a design that changes only in its looks keeps it."""
    segments, version = _fitted(content, version, error_correction, mode)
    code = segno.make_qr(
        [(text, MODE_INDICATORS[one], "utf-8") for one, text in segments],  # type: ignore[arg-type]  # segno takes parts
        error=error_correction,
        version=version,
        mask=mask,
        boost_error=False,
    )
    used = {segment.mode for segment in segments}
    return Symbol(
        version=version,
        error_correction=error_correction,
        mode=used.pop() if len(used) == 1 else "mixed",
        mask=code.mask,
        modules=tuple(bytes(row) for row in code.matrix),
    )


def check_fits(design: Design) -> None:
    """Refuse a design whose content is too long, without the work of encoding it.

    Raises:
        ContentTooLong: The content does not fit; the message says what would.
    """
    _fitted(design.content, design.version, design.ec, design.em)


def _fitted(content: str, version: int | None, level: ErrorCorrectionLevel, mode: str) -> tuple[list[Segment], int]:
    """The segments and the version they go into."""
    # Headers grow at versions 10 and 27, and with them the best split changes.
    for last in (9, 26, 40) if version is None else (version,):
        segments = segments_of(content, mode, last)
        fitting = smallest_version(segments, level)
        if fitting is not None and fitting <= last:
            return segments, version or fitting
    raise _too_long(segments, version, level)


def _too_long(segments: list[Segment], version: int | None, level: str) -> ContentTooLong:
    tried = version or 40
    needed, held = bits_needed(segments, tried), bits_held(tried, level)
    remedies = []
    if version and (larger := smallest_version(segments, level)):
        remedies.append(f"version {larger} with ec={level}")
    weaker = [one for one in LEVELS[: LEVELS.index(level)] if needed <= bits_held(tried, one)]
    if weaker:
        remedies.append(f"version {tried} with ec={weaker[-1]}")
    text = "".join(segment.text for segment in segments)
    if (denser := densest_mode(text)) and bits_needed([Segment(denser, text)], tried) <= held:
        remedies.append(f"em={denser}")
    if not remedies:
        mode = densest_mode(text) or "byte"
        unit = "bytes" if mode == "byte" else f"{mode} characters"
        remedies.append(f"at most {characters_held(40, 'L', mode)} {unit} (version 40 with ec=L)")
    message = (
        f"content needs {needed} bits, but version {tried} with ec={level} holds {held}; "
        f"what would fit: {' or '.join(remedies)}"
    )
    return ContentTooLong(message, needed_bits=needed, capacity_bits=held)
