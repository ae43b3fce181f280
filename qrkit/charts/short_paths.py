"""Writes the shapes of SVG files in fewer letters: circles, and paths with relative positions, in tenths of a pixel."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from math import hypot

__all__ = ["circle_of", "short_path"]

TENTHS = 10
ARCS = 8
"""Number of curves that matplotlib draws a circle with."""
NEAR = 0.05
"""Pixels that a point of a circle may be off."""
_PART = re.compile(r"([MLQCZz])([^MLQCZz]*)")


def circle_of(data: str) -> tuple[float, float, float] | None:
    """Return the center and the radius of the circle that a path with absolute commands draws; None for other paths."""
    parts = _PART.findall(data)
    if "".join(letter for letter, _ in parts).upper() != f"M{'C' * ARCS}Z":
        return None
    ends = [tuple(float(number) for number in text.split()[-2:]) for _, text in parts[:-1]]
    across, down = [x for x, _ in ends], [y for _, y in ends]
    x, y, radius = (min(across) + max(across)) / 2, (min(down) + max(down)) / 2, (max(across) - min(across)) / 2
    return (x, y, radius) if all(abs(hypot(a - x, b - y) - radius) < NEAR for a, b in ends) else None


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
    """Join commands: those that go on in the same direction become one, others of a kind share a letter."""
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
    texts = [re.sub(r"\b0\.", ".", f"{number / TENTHS:g}") for number in tenths]
    return "".join(text if not place or text[0] == "-" else f" {text}" for place, text in enumerate(texts))
