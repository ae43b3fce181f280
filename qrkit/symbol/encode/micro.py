"""Encodes content as a Micro QR Code, M1 to M4 (ISO/IEC 18004:2015, clause 7), in the smallest version that holds it.

A Micro QR Code has one block and at most 192 modules of data and error correction, so its modules need no planes.
"""

from __future__ import annotations

from qrkit.errors import ContentTooLong, InvalidParameter, Problem
from qrkit.symbol.encode.bit_stream import PAD_CODEWORDS, encode_characters
from qrkit.symbol.encode.capacity import (
    LEVELS,
    MICRO_DATA_BITS,
    Segment,
    bits_held,
    bits_needed,
    characters_held,
    count_bits,
)
from qrkit.symbol.encode.function_patterns import FINDER, FORMAT_GENERATOR, with_check_bits
from qrkit.symbol.encode.masking import CONDITIONS
from qrkit.symbol.encode.reed_solomon import correction_codewords
from qrkit.symbol.encode.segments import densest_mode, segments_of
from qrkit.symbol.symbol import ErrorCorrectionLevel, Symbol, bit_numbers, name_of, side_of

LARGEST = -4
"""M4; see `Symbol.version`."""
MODE_INDICATORS = {"numeric": 0, "alphanumeric": 1, "byte": 2, "kanji": 3}
"""Mode indicators (table 2); their length is 0 bits in M1, up to 3 bits in M4."""
CORRECTION_CODEWORDS = {
    (-1, "L"): 2,
    (-2, "L"): 5, (-2, "M"): 6,
    (-3, "L"): 6, (-3, "M"): 8,
    (-4, "L"): 8, (-4, "M"): 10, (-4, "Q"): 14,
}  # fmt: skip
"""Error correction codewords (table 9)."""
SYMBOL_NUMBERS = {key: number for number, key in enumerate(MICRO_DATA_BITS)}
"""What stands for version and level in the format information (table 13)."""
FORMAT_MASK = 0b100_0100_0100_0101
MASKS = tuple(CONDITIONS[pattern] for pattern in (1, 4, 6, 7))
"""The four data mask patterns, which are among the eight of ordinary symbols (table 10)."""


def encode_micro(content: str, level: ErrorCorrectionLevel, mode: str, mask: int | None) -> Symbol:
    """Encode a text as a Micro QR Code; without a mask, the one with the highest score is used (7.8.3.2).

    Only M4 has level Q. M1 holds up to five digits and is used for L only.
    """
    if mask is not None and int(mask) not in range(4):
        rule = "must be in 0..3 in a Micro QR Code, or None for automatic"
        raise InvalidParameter(Problem("mask", mask, rule, "out-of-range"))
    segments, version = check_micro_fits(content, level, mode)
    region = _place(_message(segments, version, level), version)
    if mask is None:
        mask = max(range(4), key=lambda number: _score(_masked(region, number), side_of(version)))
    dark = _masked(region, int(mask)) | _function_patterns(version, level, int(mask))
    side = range(side_of(version))
    used = {segment.mode for segment in segments}
    return Symbol(
        version=version,
        error_correction=level,
        mode=used.pop() if len(used) == 1 else "mixed",
        mask=int(mask),
        modules=tuple(bytes((row, column) in dark for column in side) for row in side),
    )


def check_micro_fits(content: str, level: str, mode: str) -> tuple[list[Segment], int]:
    """Return the segments of a content and the smallest version that holds them; `ContentTooLong` if M4 does not."""
    if (LARGEST, level) not in MICRO_DATA_BITS:
        rule = "must be L, M or Q in a Micro QR Code; micro=False allows H"
        raise InvalidParameter(Problem("ec", level, rule, "bad-value"))
    for version in (one for one, of in MICRO_DATA_BITS if of == level):
        segments = segments_of(content, mode, version)
        if bits_needed(segments, version) <= bits_held(version, level):
            return segments, version
    raise _too_long(content, segments, level)


def _too_long(content: str, segments: list[Segment], level: str) -> ContentTooLong:
    needed, held = bits_needed(segments, LARGEST), bits_held(LARGEST, level)
    mode = segments[0].mode if len(segments) == 1 else "byte"
    count = characters_held(LARGEST, level, mode)
    unit = {"byte": "bytes", "numeric": "digits", "kanji": "Kanji"}.get(mode, f"{mode} characters")
    remedies = [f"at most {count} {unit}"]
    levels = LEVELS[: LEVELS.index(level)]
    remedies += [f"ec={one}" for one in reversed(levels) if needed <= bits_held(LARGEST, one)][:1]
    denser = densest_mode(content)
    if denser and denser != mode and bits_needed([Segment(denser, content)], LARGEST) <= held:
        remedies.append(f"em={denser}")
    message = (
        f"content needs {needed} bits, but {name_of(LARGEST, level)}, the largest Micro QR Code with ec={level}, holds "
        f"{held}; what would fit: {', '.join(remedies)}, or micro=False"
    )
    return ContentTooLong(message, needed_bits=needed, capacity_bits=held)


def _message(segments: list[Segment], version: int, level: str) -> str:
    """Return the bits of all codewords: segments, terminator and padding (7.4), then error correction (7.5)."""
    held = bits_held(version, level)
    stream = "".join(_bits_of(segment, version) for segment in segments)
    # The terminator has 3, 5, 7 or 9 bits (7.4.9); the padding bits to the next codeword are 0, too (7.4.10).
    stream += "0" * min(1 - 2 * version, held - len(stream))
    stream += "0" * min(-len(stream) % 8, held - len(stream))
    pads = held // 8 - len(stream) // 8
    stream += "".join(f"{codeword:08b}" for codeword in PAD_CODEWORDS[:pads])
    # The last codeword of M1 and M3 has 4 bits, and is 0000 as padding.
    stream = stream.ljust(held, "0")
    data = bytes(int(stream[start : start + 8].ljust(8, "0"), 2) for start in range(0, held, 8))
    correction = correction_codewords(data, CORRECTION_CODEWORDS[version, level])
    return stream + "".join(f"{codeword:08b}" for codeword in correction)


def _bits_of(segment: Segment, version: int) -> str:
    """Return mode indicator, character count indicator and characters; M1 has no mode indicator."""
    count, value, length = encode_characters(*segment)
    indicator_bits, counted = -version - 1, count_bits(segment.mode, version)
    indicators = MODE_INDICATORS[segment.mode] << counted | count
    return f"{indicators << length | value:0{indicator_bits + counted + length}b}"


def _place(message: str, version: int) -> dict[tuple[int, int], bool]:
    """Return whether each module of the encoding region is dark before masking, by row and column (7.7.3)."""
    numbers, side = bit_numbers(version), range(side_of(version))
    return {
        (row, column): message[numbers[row, column]] == "1"
        for row in side
        for column in side
        if numbers[row, column] >= 0
    }


def _masked(region: dict[tuple[int, int], bool], mask: int) -> set[tuple[int, int]]:
    """Return the dark modules: a mask inverts those where its condition is 0."""
    return {place for place, is_dark in region.items() if is_dark != (MASKS[mask](*place) == 0)}


def _score(dark: set[tuple[int, int]], side: int) -> int:
    """Return the score of a mask, which counts dark modules at the right and the lower edge (7.8.3.2)."""
    right, below = (sum(place[axis] == side - 1 for place in dark) for axis in (1, 0))
    return 16 * min(right, below) + max(right, below)


def _function_patterns(version: int, level: str, mask: int) -> set[tuple[int, int]]:
    """Return the dark modules of finder pattern, timing patterns (6.3) and format information (7.9)."""
    dark = {(row, column) for row, line in enumerate(FINDER) for column, digit in enumerate(line) if digit == ord("1")}
    for index in range(len(FINDER) + 1, side_of(version), 2):
        dark |= {(0, index), (index, 0)}
    number = SYMBOL_NUMBERS[version, level] << 2 | mask
    information = with_check_bits(number, 5, FORMAT_GENERATOR) ^ FORMAT_MASK
    places = [(8, column) for column in range(1, 9)] + [(row, 8) for row in range(7, 0, -1)]
    return dark | {place for place, bit in zip(places, f"{information:015b}", strict=True) if bit == "1"}
