"""Reads the letters of a text from a font; the script of a worker process."""

from __future__ import annotations

import json
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


class Font:
    """An open font, which several threads may read.

    Args:
        data: A TrueType or OpenType font.
    """

    def __init__(self, data: bytes) -> None:
        from fontTools.ttLib import TTFont

        self._font = TTFont(BytesIO(data), lazy=True)
        self._glyphs, self._names = self._font.getGlyphSet(), self._font.getBestCmap() or {}
        self._kerning = _Kerning(self._font)
        self._lock = Lock()

    def letters(self, text: str) -> dict[str, Any]:
        """Read the letters of a text; a character that the font lacks has no letter.

        Returns:
            `units` per em; `capital`, the height of capital letters; `letters` by character, each with its advance and
            the strokes of its outline (y upwards); `kerning` by pair of characters. All lengths are in units.
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
    """The kerning of a font: pair adjustments of its GPOS table, else its older kern table."""

    def __init__(self, font: Any) -> None:
        self._lookups = list(_pair_lookups(font["GPOS"].table)) if "GPOS" in font else []
        self._tables = (
            [one.kernTable for one in font["kern"].kernTables if hasattr(one, "kernTable")]
            if ("kern" in font and not self._lookups)
            else []
        )

    def pair(self, first: str, second: str) -> int:
        """Return the change of the first glyph's advance before the second one."""
        total: int = sum(table.get((first, second), 0) for table in self._tables)
        for subtables in self._lookups:
            # The first subtable that covers a pair decides; all lookups add up.
            found = (_adjustment(one, first, second) for one in subtables)
            total += next((units for units in found if units is not None), 0)
        return total


def _pair_lookups(table: Any) -> Iterator[list[Any]]:
    """Yield the pair adjustments of each lookup of the feature `kern`."""
    if not (table.FeatureList and table.LookupList):
        return
    records = [one.Feature for one in table.FeatureList.FeatureRecord if one.FeatureTag == "kern"]
    for index in sorted({index for feature in records for index in feature.LookupListIndex}):
        subtables = table.LookupList.Lookup[index].SubTable
        inner = [one.ExtSubTable if one.LookupType == EXTENSION else one for one in subtables]
        yield [one for one in inner if one.LookupType == PAIRS]


def _adjustment(subtable: Any, first: str, second: str) -> int | None:
    """Return the adjustment of a pair by a subtable; None if it does not cover the pair."""
    if first not in subtable.Coverage.glyphs:
        return None
    if subtable.Format == 1:
        pairs = subtable.PairSet[subtable.Coverage.glyphs.index(first)].PairValueRecord
        value = next((one.Value1 for one in pairs if one.SecondGlyph == second), None)
        return None if value is None else getattr(value, "XAdvance", 0)
    classes = subtable.ClassDef1.classDefs.get(first, 0), subtable.ClassDef2.classDefs.get(second, 0)
    value = subtable.Class1Record[classes[0]].Class2Record[classes[1]].Value1
    return getattr(value, "XAdvance", 0) if value else 0


def answer(font: bytes, text: bytes) -> tuple[int, bytes]:
    """Return the letters of a text as JSON, or the name of the error that a damaged font caused."""
    try:
        return DONE, json.dumps(Font(font).letters(text.decode())).encode()
    except Exception as error:  # for damaged fonts, fontTools raises errors of many types
        return BROKEN, type(error).__name__.encode()
