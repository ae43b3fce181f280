"""Encodes content as a `Symbol`, choosing its segments and version.

Each step has its own file, in the order of ISO/IEC 18004:2015, clause 7:

    headers       structured append, ECI and FNC1, which stand before the segments
    segments      the shortest mix of modes
    capacity      the version that holds them
    bit_stream    segments -> data codewords
    blocks        data codewords -> all codewords in the order of placement, using reed_solomon
    placement     codewords -> modules, on the layout of function_patterns
    masking       the data mask pattern with the lowest penalty

micro does all of this for Micro QR Codes, which are so small that it needs none of the fast tables.

From placement on, modules are bits of large integers; planes defines their order. With segno's padding, the modules
equal segno's, which is the reference in the tests.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, TypedDict

from qrkit.design.characters import Charset, charset_rule
from qrkit.errors import ContentTooLong, InvalidParameter, Problem
from qrkit.symbol.encode.bit_stream import PadCodewords, data_codewords
from qrkit.symbol.encode.blocks import final_message
from qrkit.symbol.encode.capacity import LEVELS, Segment, bits_held, bits_needed, characters_held, smallest_version
from qrkit.symbol.encode.function_patterns import information
from qrkit.symbol.encode.headers import PLAIN, Header, header_of
from qrkit.symbol.encode.masking import best_mask, masked
from qrkit.symbol.encode.micro import check_micro_fits, encode_micro
from qrkit.symbol.encode.placement import place
from qrkit.symbol.encode.planes import geometry
from qrkit.symbol.encode.segments import densest_mode, segments_of
from qrkit.symbol.symbol import ErrorCorrectionLevel, Symbol

if TYPE_CHECKING:
    from qrkit.design.design import Design
    from qrkit.design.message_part import MessagePart

__all__ = ["Encoding", "PadCodewords", "check_fits", "encode", "encoding_of", "symbol_of", "symbol_with"]


class Encoding(TypedDict):
    """How a design turns its content into a bit stream: arguments of `encode`."""

    mode: str
    charset: Charset | None
    fnc1: bool
    part: MessagePart | None


class Parameters(NamedTuple):
    """The parameters of a symbol; None means automatic."""

    version: int | None
    level: ErrorCorrectionLevel
    mode: str
    mask: int | None
    pad_codewords: PadCodewords
    header: Header
    micro: bool


def encode(
    content: str,
    *,
    version: int | None = None,
    error_correction: ErrorCorrectionLevel = "M",
    mode: str = "byte",
    charset: Charset | None = None,
    fnc1: bool = False,
    part: MessagePart | None = None,
    micro: bool = False,
    mask: int | None = None,
    pad_codewords: PadCodewords = "iso",
) -> Symbol:
    """Encode a text as a symbol.

    Args:
        version: None uses the smallest version that fits.
        error_correction: Used as given and never raised.
        mode: numeric, alphanumeric, byte, or auto for the shortest mix of these; or kanji.
        charset: The charset of byte mode, which an ECI declares; None for UTF-8 without ECI.
        fnc1: True for FNC1 in first position: the content is a GS1 element string, with GS as separator.
        part: The position of the symbol in a message that several symbols share.
        micro: True for the smallest Micro QR Code that fits, M1 to M4; excludes a version, a charset, FNC1, a part and
            level H.
        mask: Data mask pattern reference 0..7, or 0..3 in a Micro QR Code; None uses the mask with the lowest penalty
            (7.8.3).
        pad_codewords: `iso`, `segno`, or bytes for all of them, which are used as they are; see `data_codewords`.
            `free_padding.solve` finds useful ones, and nearly all readers ignore them.

    Raises:
        ContentTooLong: If the content does not fit; the message says what would fit.
    """
    if charset and (rule := charset_rule(content, charset)):
        raise InvalidParameter(Problem("content", content, rule, "bad-content"))
    header = header_of(charset, part, fnc1=fnc1) if charset or part or fnc1 else PLAIN
    return _encode(content, Parameters(version, error_correction, mode, mask, pad_codewords, header, micro))


@lru_cache(maxsize=64)
def _encode(content: str, parameters: Parameters) -> Symbol:
    """Encode and cache the symbol, because most changes to a design leave the symbol unchanged."""
    if parameters.micro:
        return encode_micro(content, parameters.level, parameters.mode, parameters.mask)
    _check_version_and_mask(parameters)
    header = parameters.header
    segments, version = _fit(content, parameters.version, parameters.level, parameters.mode, header)
    data = data_codewords(segments, version, parameters.level, parameters.pad_codewords, header)
    plane = place(final_message(data, version, parameters.level), version)
    mask = best_mask(plane, version) if parameters.mask is None else int(parameters.mask)
    used = {segment.mode for segment in segments}
    return symbol_with(plane, version, parameters.level, mask, used.pop() if len(used) == 1 else "mixed")


def symbol_with(plane: int, version: int, level: ErrorCorrectionLevel, mask: int, mode: str) -> Symbol:
    """Return the symbol of an unmasked plane, which `place` returns."""
    shape = geometry(version)
    rows = shape.rows_alone(masked(plane, version, mask)) | information(version, level, mask)
    return Symbol(version, level, mode, mask, shape.modules(rows))


def _check_version_and_mask(parameters: Parameters) -> None:
    for name, value, allowed in (("version", parameters.version, range(1, 41)), ("mask", parameters.mask, range(8))):
        if value is not None and int(value) not in allowed:
            raise InvalidParameter(
                Problem(name, value, f"must be in {allowed[0]}..{allowed[-1]}, or None for automatic", "out-of-range")
            )


def symbol_of(design: Design) -> Symbol:
    """Encode the content of a design; free pad codewords start as the standard ones and are chosen in a later step."""
    return encode(
        design.content,
        version=design.version,
        error_correction=design.ec,
        mask=design.mask,
        pad_codewords="segno" if design.pad_codewords == "segno" else "iso",
        micro=design.micro,
        **encoding_of(design),
    )


def encoding_of(design: Design) -> Encoding:
    """Return the fields of a design that decide its bit stream, as arguments of `encode`."""
    return {"mode": design.em, "charset": design.charset, "fnc1": design.fnc1, "part": design.part}


def check_fits(design: Design) -> None:
    """Raise `ContentTooLong` if the content of a design does not fit, without encoding it."""
    if design.micro:
        check_micro_fits(design.content, design.ec, design.em)
        return
    encoding = encoding_of(design)
    header = header_of(encoding["charset"], encoding["part"], fnc1=encoding["fnc1"])
    _fit(design.content, design.version, design.ec, design.em, header)


def _fit(
    content: str, version: int | None, level: ErrorCorrectionLevel, mode: str, header: Header
) -> tuple[list[Segment], int]:
    """Return the segments, and the version that holds them."""
    # Headers are longer from versions 10 and 27 on, which changes the shortest split.
    for last in (9, 26, 40) if version is None else (version,):
        segments = segments_of(content, mode, last, header)
        fitting = smallest_version(segments, level, header)
        if fitting is not None and fitting <= last:
            return segments, version or fitting
    raise _too_long(content, segments, version, level, header)


def _too_long(content: str, segments: list[Segment], version: int | None, level: str, header: Header) -> ContentTooLong:
    tried = version or 40
    needed, held = bits_needed(segments, tried, header), bits_held(tried, level)
    remedies = []
    if version and (larger := smallest_version(segments, level, header)):
        remedies.append(f"version {larger} with ec={level}")
    weaker = [one for one in LEVELS[: LEVELS.index(level)] if needed <= bits_held(tried, one)]
    if weaker:
        remedies.append(f"version {tried} with ec={weaker[-1]}")
    denser = None if header.needs_bytes else densest_mode(content)
    if denser and bits_needed(segments_of(content, denser, tried, header), tried, header) <= held:
        remedies.append(f"em={denser}")
    if not remedies:
        mode = denser or "byte"
        unit = "bytes" if mode == "byte" else f"{mode} characters"
        remedies.append(f"at most {characters_held(40, 'L', mode, header)} {unit} (version 40 with ec=L)")
    message = (
        f"content needs {needed} bits, but version {tried} with ec={level} holds {held}; "
        f"what would fit: {' or '.join(remedies)}"
    )
    return ContentTooLong(message, needed_bits=needed, capacity_bits=held)
