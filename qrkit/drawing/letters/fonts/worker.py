"""Reads the letters of a text from a font; the script of a worker process."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from io import BytesIO
from itertools import pairwise
from threading import Lock
from typing import Any

DONE, BROKEN = 0, 1
"""Outcomes of a request; for the last one, the answer contains the reason."""
MOST_MEMORY = 2**30
"""Bytes of address space."""
PAIRS, EXTENSION = 2, 9
"""Types of GPOS lookups: adjustments of pairs, and a wrapper around lookups of other types."""
ADVANCE = 4
"""The bit of a GPOS value for a change of the advance."""


class Font:
    """An open TrueType or OpenType font, which several threads may read."""

    def __init__(self, data: bytes) -> None:
        from fontTools.ttLib import TTFont

        self._font = TTFont(BytesIO(data), lazy=True)
        self._glyphs, self._names = self._font.getGlyphSet(), self._font.getBestCmap() or {}
        self._kerning = _Kerning(self._font)
        self._lock = Lock()

    def letters(self, text: str) -> dict[str, Any]:
        """Read the letters of a text; a character that the font lacks has no letter.

        Lengths are in units, of which an em has `units`. `capital` is the height of capital letters, `letters` has the
        advance and the strokes of the outline (y upwards) of each character, and `kerning` is by pair of characters.
        """
        from fontTools.pens.recordingPen import DecomposingRecordingPen

        names, letters = self._names, {}
        with self._lock:
            for character in sorted(set(text)):
                if (name := names.get(ord(character))) is not None:
                    pen = DecomposingRecordingPen(self._glyphs)
                    self._glyphs[name].draw(pen)
                    letters[character] = [self._glyphs[name].width, pen.value]
            pairs = {one + two for one, two in pairwise(text) if one in letters and two in letters}
            adjust = self._kerning.pair
            kerning = {pair: adjust(names[ord(pair[0])], names[ord(pair[1])]) for pair in sorted(pairs)}
            units = self._font["head"].unitsPerEm
            capital = getattr(self._font["OS/2"], "sCapHeight", 0) if "OS/2" in self._font else 0
        return {
            "units": units,
            "capital": capital if 0.2 * units <= capital <= 2 * units else 0.7 * units,
            "letters": letters,
            "kerning": {pair: units for pair, units in kerning.items() if units},
        }


class _Kerning:
    """The kerning of a font: pair adjustments of its GPOS table, else its older kern table.

    The GPOS table is read here, because fontTools takes longer to load its description of that table, and to read the
    whole of it, than all other work on a caption takes.
    """

    def __init__(self, font: Any) -> None:
        self._gpos = memoryview(font.getTableData("GPOS") if "GPOS" in font else b"")
        self._lookups = list(_pair_lookups(self._gpos)) if self._gpos else []
        self._number_of = font.getGlyphID
        self._tables = (
            [one.kernTable for one in font["kern"].kernTables if hasattr(one, "kernTable")]
            if ("kern" in font and not self._lookups)
            else []
        )

    def pair(self, first: str, second: str) -> int:
        """Return the change of the first glyph's advance before the second one."""
        total: int = sum(table.get((first, second), 0) for table in self._tables)
        numbers = self._number_of(first), self._number_of(second)
        for starts in self._lookups:
            # The first subtable that covers a pair decides; all lookups add up.
            found = (_adjustment(self._gpos[start:], *numbers) for start in starts)
            total += next((units for units in found if units is not None), 0)
        return total


def _words(table: memoryview, start: int, count: int) -> tuple[int, ...]:
    """Read unsigned numbers of 16 bits, of which most of a GPOS table consists."""
    return struct.unpack_from(f">{count}H", table, start)


def _list(table: memoryview, start: int) -> tuple[int, ...]:
    """Read the numbers of a list that begins with their count."""
    return _words(table, start + 2, *_words(table, start, 1))


def _pair_lookups(gpos: memoryview) -> Iterator[list[int]]:
    """Yield where the pair adjustments of each lookup of the feature `kern` start."""
    features, lookups = _words(gpos, 6, 2)
    if not (features and lookups):
        return
    records = struct.iter_unpack(">4sH", gpos[features + 2 :][: 6 * _words(gpos, features, 1)[0]])
    indexes = {index for tag, start in records if tag == b"kern" for index in _list(gpos, features + start + 2)}
    for index in sorted(indexes):
        lookup = lookups + _list(gpos, lookups)[index]
        kind = _words(gpos, lookup, 1)[0]
        starts = [lookup + start for start in _list(gpos, lookup + 4)]
        if kind == EXTENSION:
            inner = [(start, *struct.unpack_from(">HI", gpos, start + 2)) for start in starts]
            starts = [start + further for start, inner_kind, further in inner if inner_kind == PAIRS]
        yield starts if kind in (PAIRS, EXTENSION) else []


def _adjustment(pairs: memoryview, first: int, second: int) -> int | None:
    """Return the adjustment of a pair of glyphs by a subtable; None if it does not cover the pair."""
    form, coverage, *kinds = _words(pairs, 0, 4)
    place = _place(pairs[coverage:], first)
    if place is None:
        return None
    size = 2 * sum(kind.bit_count() for kind in kinds)
    if form == 1:
        table = pairs[_list(pairs, 8)[place] :]
        records = range(2, 2 + (2 + size) * _words(table, 0, 1)[0], 2 + size)
        start = next((start + 2 for start in records if _words(table, start, 1)[0] == second), None)
    else:
        classes, others, _, width = _words(pairs, 8, 4)
        table = pairs[16:]
        start = size * (_class(pairs[classes:], first) * width + _class(pairs[others:], second))
    return None if start is None else _advance(table, start, kinds[0])


def _place(coverage: memoryview, glyph: int) -> int | None:
    """Return the place of a glyph among those that a subtable covers; None if it does not cover the glyph."""
    if _words(coverage, 0, 1)[0] == 1:
        glyphs = _list(coverage, 2)
        return glyphs.index(glyph) if glyph in glyphs else None
    return next((place + glyph - first for first, last, place in _ranges(coverage) if first <= glyph <= last), None)


def _class(classes: memoryview, glyph: int) -> int:
    """Return the class of a glyph, 0 if it is in none of them."""
    form, start, count = _words(classes, 0, 3)
    if form == 1:
        return _words(classes, 6 + 2 * (glyph - start), 1)[0] if start <= glyph < start + count else 0
    return next((number for first, last, number in _ranges(classes) if first <= glyph <= last), 0)


def _ranges(table: memoryview) -> Iterator[tuple[int, ...]]:
    """Yield the first and the last glyph of each range of a coverage or of classes, and its number."""
    return struct.iter_unpack(">3H", table[4:][: 6 * _words(table, 2, 1)[0]])


def _advance(table: memoryview, start: int, kinds: int) -> int:
    """Return how a value changes the advance; `kinds` says which parts the value has, and placements come first."""
    if not kinds & ADVANCE:
        return 0
    change: int = struct.unpack_from(">h", table, start + 2 * (kinds & (ADVANCE - 1)).bit_count())[0]
    return change


def answer(font: bytes, text: bytes) -> tuple[int, bytes]:
    """Return the letters of a text as JSON, or the name of the error that a damaged font caused."""
    try:
        return DONE, json.dumps(Font(font).letters(text.decode())).encode()
    except Exception as error:  # for damaged fonts, fontTools raises errors of many types
        return BROKEN, type(error).__name__.encode()
