"""Finds the parts of a shape that are alike, so that pictures with pixels draw each of them once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from math import ceil, floor
from typing import NamedTuple

from qrkit.design.outline import Outline, Placed


class Form(NamedTuple):
    """An outline in cells, the cells that it may touch, and how far each copy is moved to the right and down."""

    outline: Outline
    cells: tuple[tuple[int, int], ...]
    places: list[tuple[float, float]]


def is_in_cells(part: Placed) -> bool:
    """Return True for a whole outline that is moved by whole cells."""
    outline, right, down = part
    return outline.letters[-1] == "Z" and right % 1 == down % 1 == 0


@lru_cache(maxsize=1024)  # symbols share few outlines
def _cells(outline: Outline) -> tuple[tuple[int, int], ...]:
    """Return the cells that an outline may touch, the first at the top left and the last at the bottom right."""
    left, top, right, bottom = outline.box()
    return tuple(product(range(floor(left), ceil(right)), range(floor(top), ceil(bottom))))


def forms_of(parts: Sequence[Placed]) -> tuple[list[Form], list[Placed]]:
    """Return the parts that share no cell with another, by their outlines, and those that share one."""
    outlines = {id(outline): outline for outline, _, _ in parts}
    forms = {key: Form(outline, _cells(outline), []) for key, outline in outlines.items()}
    owners: dict[tuple[float, float], int] = {}
    sharing: set[int] = set()
    for number, (outline, right, down) in enumerate(parts):
        for column, row in forms[id(outline)].cells:
            owner = owners.setdefault((right + column, down + row), number)
            if owner != number:
                sharing |= {owner, number}
    for number, (outline, right, down) in enumerate(parts):
        if number not in sharing:
            forms[id(outline)].places.append((right, down))
    return [form for form in forms.values() if form.places], [parts[number] for number in sorted(sharing)]
