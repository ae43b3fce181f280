"""Splits the content into segments: one in the requested mode, or the shortest mix of modes."""

from __future__ import annotations

import re

from qrkit.design.characters import ALPHANUMERIC, AMBIGUOUS, NUMERIC, SEPARATOR
from qrkit.symbol.encode.capacity import Mode, Segment, header_bits
from qrkit.symbol.encode.headers import PLAIN, Header

MODES: tuple[Mode, ...] = ("numeric", "alphanumeric", "byte")
"""The modes of a mix, without Kanji: readers decode Kanji segments as Shift JIS but bytes as UTF-8. Densest first."""

DIGIT, OTHER = (re.escape("".join(sorted(characters))) for characters in (NUMERIC, ALPHANUMERIC - NUMERIC))
BYTE, ANY = f"[^{DIGIT}{OTHER}]", f"[{DIGIT}{OTHER}]"
RUNS = re.compile(f"([{DIGIT}]+)|([{OTHER}]+)|({BYTE}+(?:{ANY}{{1,5}}{BYTE}+)*)")
"""Matches characters that belong in one segment: digits, other alphanumeric characters, or bytes.

Up to five characters between bytes belong to them: another mode saves at most 14/3 bits each, and the headers of its
segment and of the next one take at least 25 bits. In M3 and M4 they take at least 13, so a mix may be a few bits longer
than the shortest one there.
"""

PERCENTS = re.compile("%%?")
"""Matches what alphanumeric mode writes for % or for the separator, with FNC1 in first position (7.4.8.2)."""

BIT = 24
"""The cost of a bit; see `_cheapest_modes`."""
DIGIT_COST, CHARACTER_COST, BYTE_COST = BIT * 10 // 3, BIT * 11 // 2, BIT * 8
"""The costs of a digit in numeric mode, a character in alphanumeric mode, and a byte."""
IMPOSSIBLE = BIT << 40
"""The cost of characters that a mode cannot encode."""
MODE = 3
"""The bit mask of the mode in a cost."""


def segments_of(content: str, mode: str, version: int, header: Header = PLAIN) -> list[Segment]:
    """Split a content into segments; the version, -1..-4 for M1..M4, sets the lengths of their heads."""
    if mode == "auto":
        is_only_bytes = header.needs_bytes or (header.fnc1 and AMBIGUOUS.search(content))
        return [Segment("byte", content)] if is_only_bytes else _shortest_mix(content, version, header)
    text = _escape(content) if header.fnc1 and mode == "alphanumeric" else content
    return [Segment(mode, text)]  # type: ignore[arg-type]  # the caller's modes are those of Design.em


def _shortest_mix(content: str, version: int, header: Header) -> list[Segment]:
    runs = RUNS.findall(_escape(content) if header.fnc1 else content) or [("", "", "")]
    modes = _cheapest_modes(runs, version, header)
    mix = list[Segment]()
    for mode, run in zip(modes, runs, strict=True):
        text = "".join(run)
        if mix and mix[-1].mode == mode:
            text = mix.pop().text + text
        mix.append(Segment(mode, text))
    if not header.fnc1:
        return mix
    return [Segment(mode, _unescape(text) if mode == "byte" else text) for mode, text in mix]


def _escape(content: str) -> str:
    """Write % and the separator as alphanumeric mode does with FNC1 in first position."""
    return content.replace("%", "%%").replace(SEPARATOR, "%")


def _unescape(text: str) -> str:
    return PERCENTS.sub(lambda match: "%" if match[0] == "%%" else SEPARATOR, text)


def densest_mode(content: str) -> Mode | None:
    """Return the densest mode that can encode the whole content; None if only byte mode can."""
    if NUMERIC.issuperset(content):
        return "numeric"
    return "alphanumeric" if ALPHANUMERIC.issuperset(content) else None


def _cheapest_modes(runs: list[tuple[str, str, str]], version: int, header: Header) -> list[Mode]:
    """Return the mode of each run in the shortest bit stream. Runs are groups of `RUNS`, of which one is not empty.

    A segment never ends within a run: a digit takes at most 4 bits, an alphanumeric character 5 or 6, and a byte 8, so
    the denser of two segments would take the whole run.

    Uses dynamic programming from left to right. Costs count 24ths of a bit, so that those of a digit (10/3 bits) and an
    alphanumeric character (11/2 bits) are multiples of four; fractions of a bit are rounded up at the end of a segment.
    The lowest two bits of a cost are the index of its mode, so the lowest of several costs names its mode, and of equal
    costs that of the denser mode is lower.
    """
    charset, fnc1 = header.charset, header.fnc1
    numeric_head, alphanumeric_head, byte_head = heads = [BIT * header_bits(mode, version) for mode in MODES]
    numeric, alphanumeric, byte = (head + mode for mode, head in enumerate(heads))
    ended = IMPOSSIBLE  # the lowest cost if a segment ends after the previous run
    steps: list[tuple[int, int, int]] = []  # for each mode of a run, the mode of the previous run that leads to it
    for digits, others, rest in runs:
        # Either a mode goes on, or a new segment follows the one that ends most cheaply.
        numeric = min(numeric, ended + numeric_head)
        alphanumeric = min(alphanumeric, ended + alphanumeric_head)
        byte = min(byte, ended + byte_head)
        steps.append((numeric & MODE, alphanumeric & MODE, byte & MODE))
        numeric, alphanumeric, byte = numeric & ~MODE, alphanumeric & ~MODE | 1, byte & ~MODE | 2
        if rest:
            plain = _unescape(rest) if fnc1 else rest
            numeric += IMPOSSIBLE
            alphanumeric += IMPOSSIBLE
            byte += BYTE_COST * len(plain.encode(charset))
        elif others:
            plain = _unescape(others) if fnc1 else others
            numeric += IMPOSSIBLE
            alphanumeric += CHARACTER_COST * len(others)
            byte += BYTE_COST * len(plain)
        else:
            numeric += DIGIT_COST * len(digits)
            alphanumeric += CHARACTER_COST * len(digits)
            byte += BYTE_COST * len(digits)
        ended = min(numeric + -numeric % BIT, alphanumeric + (1 - alphanumeric) % BIT, byte)
    chosen = [min(numeric, alphanumeric, byte) & MODE]
    for come_from in reversed(steps[1:]):
        chosen.append(come_from[chosen[-1]])
    return [MODES[mode] for mode in reversed(chosen)]
