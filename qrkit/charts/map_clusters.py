"""Merges the dots of a map that would cover each other into one, which stands for several places."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

__all__ = ["LARGEST", "Dot", "cluster", "radius_of"]

LARGEST = 22.0
"""Radius in pixels of the dot with the most scans."""
SMALLEST = 4.0
"""Radius in pixels below which dots could hardly be seen."""
NEAR = 0.8
"""Dots closer than this share of the sum of their radii are merged; closer to 1, they only touch."""


class Dot(NamedTuple):
    """A dot on a map.

    Attributes:
        x: Pixels from the left.
        y: Pixels from the top.
        scans: Scans of its places.
        places: Numbers of its places, most scanned first.
    """

    x: float
    y: float
    scans: int
    places: tuple[int, ...]


def radius_of(scans: int, most: int) -> float:
    """Return the radius of a dot in pixels, given its scans and those of the largest dot; areas show the scans."""
    return max(SMALLEST, LARGEST * sqrt(scans / most))


def cluster(places: Sequence[tuple[float, float, int]]) -> list[Dot]:
    """Return the dots of places, most scans first; no two cover each other.

    A merged dot is where its most scanned place is.

    Args:
        places: Pixels from the left and from the top, and scans, most scanned first.
    """
    import numpy as np

    dots = [Dot(x, y, scans, (number,)) for number, (x, y, scans) in enumerate(places)]
    is_changed = True
    while is_changed:
        before, most = dots, max((dot.scans for dot in dots), default=0) or 1
        x, y, radii = np.array([(dot.x, dot.y, radius_of(dot.scans, most)) for dot in before]).reshape(-1, 3).T
        left, dots = np.ones(len(before), dtype=bool), []
        for number, dot in enumerate(before):
            if left[number]:
                (near,) = np.nonzero(left & (np.hypot(x - dot.x, y - dot.y) < NEAR * (radii + radii[number])))
                left[near] = False
                dots.append(_merge(dot, [before[other] for other in near.tolist()]))
        dots.sort(key=lambda dot: -dot.scans)
        is_changed = len(dots) < len(before)
    return dots


def _merge(dot: Dot, parts: Sequence[Dot]) -> Dot:
    """Return a dot that stands for the places of all of these."""
    return Dot(dot.x, dot.y, sum(part.scans for part in parts), tuple(sorted(n for part in parts for n in part.places)))
