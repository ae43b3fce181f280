"""The redirect targets of a file in memory: few bytes per short code, because there may be millions.

A dictionary of targets would take four times the memory and twice the time to fill, before the first redirect.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from qrkit.store.connection import Store

if TYPE_CHECKING:
    import numpy as np

    from qrkit.store.records.short_codes import Target

__all__ = ["FITS", "TargetTable"]

FITS = "strlen(short_code) <= 64 AND strlen(short_code) = length(short_code)"
"""Which short codes are in the table, where each takes as much room as the longest: those of few letters, in ASCII."""

MOST_KEPT = 4_096
"""Targets that are kept as such after they were looked up: the same few codes are scanned repeatedly."""

TOGETHER = 50_000
"""QR Codes per query: the database holds the whole result of a query in memory."""
NEXT = "SELECT min(number) AS number FROM qrcodes WHERE number >= ?"
PLAIN = f"""
SELECT short_code AS code, number, content, strlen(content) AS length FROM qrcodes
WHERE number >= $first AND number < $until AND {FITS}
    AND (is_schedule_enabled AND schedule <> '[]') IS NOT TRUE
"""


class TargetTable:
    """Targets by short code: those of the QR Codes without a schedule, as they were read, and all others.

    Args:
        store: A file, in which nothing changes until the table is made.
        others: The targets of QR Codes with a schedule, and of deleted ones.
        target: Makes a target from the number and the content of a QR Code.
    """

    def __init__(self, store: Store, others: Mapping[str, Target], target: Callable[[int, str], Target]) -> None:
        self._others = dict(others)
        self._plain = _columns(store)
        self._target = target
        self._read = lru_cache(MOST_KEPT)(self._read_plain)

    def get(self, code: str) -> Target | None:
        """Return the target of a short code, which may be any text; None if the code was never assigned."""
        if found := self._others.get(code):
            return found
        try:
            return self._read(code)
        except KeyError:
            return None

    def update(self, targets: Mapping[str, Target]) -> None:
        """Replace targets, or add new ones."""
        self._others.update(targets)

    def _read_plain(self, code: str) -> Target:
        """Read a target; KeyError if there is none, because the cache keeps what is returned, and texts may be long."""
        codes, numbers, ends, contents = self._plain
        key = code.encode("utf-8", "replace")
        # NumPy would copy all codes in order to compare them with a longer one.
        place = int(codes.searchsorted(key)) if len(key) <= codes.itemsize else len(codes)
        if place == len(codes) or codes[place] != key:
            raise KeyError
        return self._target(int(numbers[place]), contents[slice(*ends[place])].decode())


class _Columns(NamedTuple):
    """QR Codes sorted by short code: the codes, the numbers, where each content begins and ends, and all contents."""

    codes: np.ndarray
    numbers: np.ndarray
    ends: np.ndarray
    contents: bytearray


def _columns(store: Store) -> _Columns:
    """Read the QR Codes without a schedule."""
    import numpy as np

    until, contents = 0, bytearray()
    codes, numbers, lengths = [np.array([], "S1")], [np.array([], "i4")], [np.array([], "i8")]
    while (first := store.rows(NEXT, [until])[0]["number"]) is not None:
        until = first + TOGETHER
        part = store.arrays(PLAIN, {"first": first, "until": until})
        codes.append(part["code"].astype("S"))
        numbers.append(part["number"])
        lengths.append(part["length"])
        contents += "".join(part["content"].tolist()).encode()
    found = np.concatenate(codes)
    order = found.argsort(kind="stable")  # several times as fast as the default for bytes
    stops = np.concatenate(lengths).cumsum()
    ends = np.stack([stops - np.concatenate(lengths), stops], axis=1)
    return _Columns(found[order], np.concatenate(numbers)[order], ends[order], contents)
