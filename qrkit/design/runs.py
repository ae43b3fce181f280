"""Finds the runs of modules: cells side by side, which are drawn as one bar."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress


def runs(cells: Sequence[bytes]) -> list[tuple[int, int, int]]:
    """Return the horizontal runs of cells that are 1: (column, row, number of cells)."""
    starts, ends = run_ends(cells)
    width = len(cells[0]) + 1
    return [(start % width, start // width, end - start) for start, end in zip(starts, ends, strict=True)]


def run_ends(cells: Sequence[bytes]) -> tuple[list[int], list[int]]:
    """Return the first cell of each run, and the one after its last.

    Cells are numbered row by row; after each row comes a light one, in which its last run ends.
    """
    rows = b"\0".join((*cells, b""))
    dark = int.from_bytes(rows, "big")
    is_other = (dark ^ dark >> 8).to_bytes(len(rows), "big")  # 1 where a cell differs from the previous one
    ends = list(compress(range(len(rows)), is_other))
    return ends[::2], ends[1::2]


def turned(cells: Sequence[bytes]) -> list[bytes]:
    """Return the columns of cells as rows."""
    return [bytes(column) for column in zip(*cells, strict=True)]
