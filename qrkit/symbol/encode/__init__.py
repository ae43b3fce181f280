"""Content -> `Symbol`. What fits and how it is split is decided here.

The way of a content, a file for each step and in the order of ISO/IEC 18004:2015, clause 7:

    segments      the shortest mix of modes
    capacity      the version they fit into
    bit_stream    segments -> data codewords
    blocks        data codewords -> all codewords in the order of placement, by way of reed_solomon
    placement     codewords -> modules, on the layout of function_patterns
    masking       the data mask pattern with the lowest penalty

From placement on, modules are bits of large integers; planes has their order. With segno's padding the modules are
those of segno, bit by bit; it is the reference in the tests.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from qrkit.design.design import Design
from qrkit.errors import ContentTooLong, InvalidParameter, Problem
from qrkit.symbol.encode.bit_stream import PadCodewords, data_codewords
from qrkit.symbol.encode.blocks import final_message
from qrkit.symbol.encode.capacity import LEVELS, Segment, bits_held, bits_needed, characters_held, smallest_version
from qrkit.symbol.encode.function_patterns import information
from qrkit.symbol.encode.masking import best_mask, masked
from qrkit.symbol.encode.placement import place
from qrkit.symbol.encode.planes import geometry
from qrkit.symbol.encode.segments import densest_mode, segments_of
from qrkit.symbol.symbol import ErrorCorrectionLevel, Symbol

__all__ = ["PadCodewords", "check_fits", "encode", "symbol_of"]


class Asked(NamedTuple):
    """What a symbol shall be; None is automatic."""

    version: int | None
    level: ErrorCorrectionLevel
    mode: str
    mask: int | None
    pad_codewords: PadCodewords


def encode(
    content: str,
    *,
    version: int | None = None,
    error_correction: ErrorCorrectionLevel = "M",
    mode: str = "byte",
    mask: int | None = None,
    pad_codewords: PadCodewords = "iso",
) -> Symbol:
    """Encode a text into a symbol.

    Args:
        content: The text; in byte mode it is written as UTF-8 without ECI (ruling G2).
        version: 1..40; None takes the smallest that fits (ruling G1).
        error_correction: L, M, Q or H; kept, never raised (ruling G3).
        mode: numeric, alphanumeric, byte, or auto for the shortest mix of segments of these; or kanji.
        mask: Data mask pattern reference 0..7; None takes the one with the lowest penalty (7.8.3).
        pad_codewords: What follows the terminator: by ISO/IEC 18004:2015, 7.4.10, the pad codewords 11101100 and
            00010001 in turn (`iso`); where the terminator ends on a codeword boundary, segno has a codeword 00000000
            before them (`segno`). Few readers see a difference, but the modules are others. So they may be any bytes,
            too, one for each pad codeword; `free_padding.solve` finds some.

    Raises:
        ContentTooLong: The content does not fit; the message says what would.
        InvalidParameter: There is no such version or mask, the mode does not know a character, or there are not as
            many pad codewords as bytes.
    """
    return _encoded(content, Asked(version, error_correction, mode, mask, pad_codewords))


@lru_cache(maxsize=64)
def _encoded(content: str, asked: Asked) -> Symbol:
    """The symbol; a design that changes only in its looks keeps it."""
    _check_version_and_mask(asked)
    segments, version = _fitted(content, asked.version, asked.level, asked.mode)
    data = data_codewords(segments, version, asked.level, asked.pad_codewords)
    plane = place(final_message(data, version, asked.level), version)
    mask = best_mask(plane, version) if asked.mask is None else int(asked.mask)
    shape = geometry(version)
    rows = shape.rows_alone(masked(plane, version, mask)) | information(version, asked.level, mask)
    used = {segment.mode for segment in segments}
    return Symbol(
        version=version,
        error_correction=asked.level,
        mode=used.pop() if len(used) == 1 else "mixed",
        mask=mask,
        modules=shape.modules(rows),
    )


def _check_version_and_mask(asked: Asked) -> None:
    for name, value, allowed in (("version", asked.version, range(1, 41)), ("mask", asked.mask, range(8))):
        if value is not None and int(value) not in allowed:
            raise InvalidParameter(
                Problem(name, value, f"must be in {allowed[0]}..{allowed[-1]}, or None for automatic", "out-of-range")
            )


def symbol_of(design: Design) -> Symbol:
    """Encode the content of a design as it says; free pad codewords are those of the standard until they are solved.

    Raises:
        ContentTooLong: If the content does not fit; the message says what would.
        InvalidParameter: If the mode does not have a character of the content.
    """
    return encode(
        design.content,
        version=design.version,
        error_correction=design.ec,
        mode=design.em,
        mask=design.mask,
        pad_codewords="segno" if design.pad_codewords == "segno" else "iso",
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
