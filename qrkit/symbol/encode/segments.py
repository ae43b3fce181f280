"""Splits the content into segments: one in the requested mode, or the shortest mix of modes."""

from __future__ import annotations

import re
from itertools import groupby
from operator import add, itemgetter

from qrkit.design.characters import ALPHANUMERIC, AMBIGUOUS, NUMERIC, SEPARATOR
from qrkit.symbol.encode.capacity import Mode, Segment, header_bits
from qrkit.symbol.encode.headers import PLAIN, Header

__all__ = ["densest_mode", "segments_of"]

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

IMPOSSIBLE = 1 << 60
"""The cost of characters that a mode cannot encode."""


def segments_of(content: str, mode: str, version: int, header: Header = PLAIN) -> list[Segment]:
    """Split a content.

    Args:
        content: The content.
        mode: numeric, alphanumeric, byte, kanji or auto.
        version: Sets the lengths of mode indicators and character count indicators; -1..-4 for M1..M4.
        header: Sets the charset of bytes, and whether % is special.
    """
    if mode == "auto":
        is_only_bytes = header.needs_bytes or (header.fnc1 and AMBIGUOUS.search(content))
        return [Segment("byte", content)] if is_only_bytes else _shortest_mix(content, version, header)
    text = _escape(content) if header.fnc1 and mode == "alphanumeric" else content
    return [Segment(mode, text)]  # type: ignore[arg-type]  # the caller's modes are those of Design.em


def _shortest_mix(content: str, version: int, header: Header) -> list[Segment]:
    runs = RUNS.findall(_escape(content) if header.fnc1 else content) or [("", "", "")]
    modes = _cheapest_modes(runs, version, header)
    segments = groupby(zip(modes, runs, strict=True), key=itemgetter(0))
    mix = [Segment(mode, "".join([text for _, run in parts for text in run])) for mode, parts in segments]
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
    """Return the mode of each run in the shortest bit stream.

    A segment never ends within a run: a digit takes at most 4 bits, an alphanumeric character 5 or 6, and a byte 8, so
    the denser of two segments would take the whole run.

    Uses dynamic programming from left to right. Costs are in sixths of a bit, so that a digit (10/3 bits) and an
    alphanumeric character (11/2 bits) cost whole numbers; fractions of a bit are rounded up at the end of a segment.

    Args:
        runs: The groups of `RUNS`, of which one is not empty.
        version: Sets the lengths of mode indicators and character count indicators.
        header: Sets the charset of bytes, and whether the runs are escaped.
    """
    charset, fnc1 = header.charset, header.fnc1
    heads = [6 * header_bits(mode, version) for mode in MODES]
    costs = stay = tuple(heads)
    steps: list[tuple[int, ...]] = []  # for each run, the mode that leads to each mode of the next run
    for digits, others, rest in runs:
        if rest:
            plain = _unescape(rest) if fnc1 else rest
            prices = (IMPOSSIBLE, IMPOSSIBLE, 48 * len(plain.encode(charset)))
        elif others:
            plain = _unescape(others) if fnc1 else others
            prices = (IMPOSSIBLE, 33 * len(others), 48 * len(plain))
        else:
            prices = (20 * len(digits), 33 * len(digits), 48 * len(digits))
        stay = tuple(map(add, costs, prices))
        ended = [-(-cost // 6) * 6 for cost in stay]
        lowest = min(ended)
        cheapest = ended.index(lowest)
        # Either the mode goes on, or a new segment follows the one that ends most cheaply. Of equal costs, the denser
        # mode is taken.
        options = [min((stay[mode], mode), (lowest + head, cheapest)) for mode, head in enumerate(heads)]
        costs, come_from = zip(*options, strict=True)
        steps.append(come_from)
    chosen = [stay.index(min(stay))]
    for come_from in reversed(steps[:-1]):
        chosen.append(come_from[chosen[-1]])
    return [MODES[mode] for mode in reversed(chosen)]
