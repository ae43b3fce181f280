"""Writes the paths of SVG files in fewer letters: each position relative to the one before, in tenths of a pixel."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

__all__ = ["short_path"]

TENTHS = 10
_PART = re.compile(r"([MLQCZz])([^MLQCZz]*)")


def short_path(data: str) -> str:
    """Return the same path with relative commands; its points stay where they are, rounded to tenths.

    Args:
        data: A path with absolute commands, each with its letter: M, L, Q, C, Z.
    """
    return "".join(f"{letter}{_numbers(moves)}" for letter, moves in _joined(_steps(data)))


def _steps(data: str) -> Iterator[tuple[str, list[int]]]:
    """Yield each command with how far it moves, in tenths."""
    here = start = (0, 0)
    for letter, text in _PART.findall(data):
        flat = [round(float(number) * TENTHS) for number in text.split()]
        points = list(zip(flat[::2], flat[1::2], strict=True))
        if letter in "Zz":
            here = start
            yield "z", []
        elif letter == "M":
            here = start = points[0]
            yield "M", flat
        else:
            moves = [part - at for point in points for part, at in zip(point, here, strict=True)]
            here = points[-1]
            yield _straight(moves) if letter == "L" else (letter.lower(), moves)


def _straight(moves: list[int]) -> tuple[str, list[int]]:
    """Return a line as a horizontal or vertical one, if it is."""
    across, down = moves
    if down and across:
        return "l", moves
    return ("v", [down]) if down else ("h", [across])


def _joined(steps: Iterator[tuple[str, list[int]]]) -> Iterator[tuple[str, list[int]]]:
    """Yield the commands, with those that go on in the same direction as one, and others of one kind with one letter."""
    last: tuple[str, list[int]] | None = None
    for letter, moves in steps:
        if last and letter == last[0] and letter in "hv" and moves[0] * last[1][-1] > 0:
            last[1][-1] += moves[0]
        elif last and letter == last[0] and letter in "hvlqc":
            last[1].extend(moves)
        else:
            if last:
                yield last
            last = letter, moves
    if last:
        yield last


def _numbers(tenths: Sequence[int]) -> str:
    """Write numbers with a space between them where the next one has no sign."""
    texts = [f"{number / TENTHS:g}" for number in tenths]
    return "".join(text if not place or text[0] == "-" else f" {text}" for place, text in enumerate(texts))
