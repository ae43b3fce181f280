"""Measures finder patterns as they are drawn, and finds what else looks like one."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from qrkit.scanning.measures import EyeShape
from qrkit.scanning.sampling import MARGIN, Greys, Sampled, median
from qrkit.symbol.symbol import FINDER, finder_places

FAINTEST = 0.05
"""Contrast of a ring or a pupil below which its edges cannot be measured."""

LIGHTEST_INK = 0.5
"""How much of a pixel must be ink to be dark."""

AROUND = 1
"""Modules around an eye that are measured with it."""

PUPIL_REACH = 2.4
"""Modules from the center of an eye to the corners of its pupil at most; a round ring begins at 2.5."""

RUNS = np.array([1, 1, 3, 1, 1])
"""Modules of ring, gap, pupil, gap and ring on a line through the middle of an eye (ISO/IEC 18004:2015, 6.3.3)."""

TOLERANCE = 0.5
"""Share of a run's length by which readers of phones let it differ."""

LEAST_UNIT = 0.4
"""Modules of the smallest ring that readers could take for that of an eye."""

SOLID = 0.85
"""Share of the ring, gap and pupil of an eye that must be dark, light and dark."""

NEAR = 3.0
"""Modules between the centers of two finds that are the same eye."""


def eye_shape(is_dark: np.ndarray, luma: Greys, light: float, sampled: Sampled, corner: str) -> EyeShape:
    """Measure the finder pattern of a corner; `light` is the luma of typical light modules."""
    pixels = sampled.pixels
    top, left = ((MARGIN + place) * pixels for place in finder_places(sampled.side)[corner])
    box = is_dark[top : top + FINDER * pixels, left : left + FINDER * pixels]
    greys = luma[top : top + FINDER * pixels, left : left + FINDER * pixels]
    parts = _parts_of_eye(pixels)
    ring_luma, pupil_luma = (median(greys[part]) for part in (parts.ring, parts.middle))
    edge = AROUND * pixels
    wide = luma[top - edge : top + FINDER * pixels + edge, left - edge : left + FINDER * pixels + edge]
    width, growth = _ring_of(wide, light, ring_luma, pixels)
    return EyeShape(
        corner=corner,
        radius=max(_radius(np.rot90(box, turned)) for turned in range(4)) / pixels,
        core=float(np.sqrt(_ink(greys, light, pupil_luma)[parts.inside].sum())) / pixels,
        ring=float(box[parts.ring].mean()),
        gap=float(1 - box[parts.gap].mean()),
        width=width,
        growth=growth,
        diagonal=min(_diagonal_gap(np.rot90(box, turned)) for turned in range(4)) / pixels,
        ring_contrast=light - ring_luma,
        pupil_contrast=light - pupil_luma,
        light=light,
    )


class _EyeParts(NamedTuple):
    """The sides of ring and gap, the middle of the pupil, and all inside the ring: pixels, bool, 7 · pixels squared."""

    ring: np.ndarray
    gap: np.ndarray
    middle: np.ndarray
    inside: np.ndarray


@lru_cache(maxsize=8)
def _parts_of_eye(pixels: int) -> _EyeParts:
    """Return the parts of an eye with this number of pixels per module."""
    centre = np.abs(np.arange(FINDER * pixels) + 0.5 - FINDER * pixels / 2) / pixels
    # The distance from the center in modules, of which lines of equal distance are squares.
    distance = np.maximum(centre[:, None], centre[None, :])
    inside = (distance < 2) & (np.hypot(centre[:, None], centre[None, :]) < PUPIL_REACH)
    return _EyeParts(_sides(centre, 3), _sides(centre, 2), distance < 1, inside)


def _sides(centre: np.ndarray, distance: float) -> np.ndarray:
    """Mark the middles of the sides of a square at a distance from the center, where round corners have no effect."""
    across = np.abs(centre - distance) < 0.15
    beside = centre < distance / 2
    return (across[:, None] & beside[None, :]) | (beside[:, None] & across[None, :])


def _radius(box: np.ndarray) -> float:
    """Return the radius of the top left corner in pixels: its arc leaves out (1 - pi / 4) · radius² of the square."""
    reach = len(box) // 2
    quarter = box[:reach, :reach]
    # Pixels before the first dark pixel of both their row and their column are outside the shape.
    outside = (np.cumsum(quarter, axis=1) == 0) & (np.cumsum(quarter, axis=0) == 0)
    return min(float(reach), float(np.sqrt(outside.sum() / (1 - np.pi / 4))))


def _ring_of(greys: Greys, light: float, dark: float, pixels: int) -> tuple[float, float]:
    """Return width and growth of a ring in modules, from an eye with `AROUND` modules around it."""
    ink = _ink(greys, light, dark)
    if not ink.any():
        return 0.0, 0.0
    start, end = ((AROUND + place) * pixels for place in (2, 5))
    sides = [_above_page(np.rot90(ink, turned)[:, start:end], AROUND * pixels // 2) for turned in range(4)]
    within, outer = (round((AROUND + place) * pixels) for place in (1.75, 0.5))
    widths = [median(side[:within].sum(axis=0)) / pixels for side in sides]
    growths = [median(side[:outer].sum(axis=0)) / pixels - 0.5 for side in sides]
    return max(widths, key=lambda width: abs(width - 1)), max(growths, key=abs)


def _above_page(ink: Greys, outside: int) -> Greys:
    """Return the ink of a side of an eye beyond that of a light page, which the row `outside` shows."""
    page = median(ink[outside])
    return np.clip((ink - page) / (1 - page), 0, 1) if page < LIGHTEST_INK else ink


def _ink(greys: Greys, light: float, dark: float) -> Greys:
    """Return how much of each pixel is ink, 0..1; gray pixels on an edge count in part, and faint ink as none."""
    if abs(light - dark) < FAINTEST:
        return np.zeros_like(greys)
    ink: Greys = np.clip((light - greys) / (light - dark), 0, 1)
    return ink


def _diagonal_gap(box: np.ndarray) -> float:
    """Return the length in pixels of the light gap on the diagonal from the middle to the top left corner."""
    diagonal = np.diagonal(box)[: len(box) // 2][::-1]
    light = ~diagonal[int(np.argmin(diagonal)) :]
    gap = len(light) if light.all() else int(np.argmin(light))
    return gap * float(np.sqrt(2))


def other_eyes(is_dark: np.ndarray, pixels: int) -> int:
    """Count the places outside the three corners that look like a finder pattern: a ring around a disc or a square.

    Readers of phones look for runs of 1:1:3:1:1 in rows and columns through the same point. Modules have such runs by
    chance, so the ring, the gap and the pupil must also be solid.
    """
    margin, side = MARGIN * pixels, len(is_dark)
    far = side - margin - FINDER * pixels
    found: list[tuple[float, float]] = []
    for row, column, unit in _crossings(is_dark):
        corner = [margin <= place < margin + FINDER * pixels for place in (row, column)]
        opposite = [far <= place < far + FINDER * pixels for place in (row, column)]
        is_finder = all(corner) or (corner[0] and opposite[1]) or (opposite[0] and corner[1])
        is_known = any(max(abs(row - y), abs(column - x)) < NEAR * pixels for y, x in found)
        if unit >= LEAST_UNIT * pixels and not is_finder and not is_known and _is_solid(is_dark, row, column, unit):
            found.append((row, column))
    return len(found)


def _crossings(is_dark: np.ndarray) -> list[tuple[float, float, float]]:
    """Return the points through which a row and a column have the runs of an eye: row, column, and pixels of a run."""
    rows = {(row, round(middle)): unit for row, middle, unit in _runs(is_dark)}
    found = []
    for column, middle, unit in _runs(is_dark.T):
        across = rows.get((round(middle), column))
        if across and abs(across - unit) < TOLERANCE * unit:
            found.append((middle, float(column), (unit + across) / 2))
    return found


def _runs(is_dark: np.ndarray) -> list[tuple[int, float, float]]:
    """Return the places with the runs of an eye in the rows of a drawing: row, middle, and pixels of a run of 1."""
    height, width = is_dark.shape[0], is_dark.shape[1] + 2
    padded = np.zeros((height, width), dtype=bool)
    padded[:, 1:-1] = is_dark
    line = padded.ravel()
    edges = np.flatnonzero(line[1:] != line[:-1]) + 1
    # Rows begin and end with light pixels, so every second edge is where a dark run begins.
    count = len(range(0, len(edges) - 5, 2))
    start, *_, end = ends = [edges[step : step + 2 * count : 2] for step in range(6)]
    lengths = np.diff(ends, axis=0)
    unit = (end - start) / RUNS.sum()
    is_eye = (start // width == end // width) & (
        np.abs(lengths - RUNS[:, None] * unit) < TOLERANCE * RUNS[:, None] * unit
    ).all(axis=0)
    first, third = ends[2][is_eye], ends[3][is_eye]
    middles = (first + third) / 2 % width - 1
    return [*zip((first // width).tolist(), middles.tolist(), unit[is_eye].tolist(), strict=True)]


def _is_solid(is_dark: np.ndarray, row: float, column: float, unit: float) -> bool:
    """Return True if pupil, gap and ring, round or square, are as dark and as light as those of an eye."""
    reach = 3.5 * unit
    top, left = round(row - reach), round(column - reach)
    box = is_dark[max(top, 0) : round(row + reach), max(left, 0) : round(column + reach)]
    down, across = (np.abs(np.arange(size) + first - place) / unit for size, first, place in (
        (box.shape[0], max(top, 0), row - 0.5), (box.shape[1], max(left, 0), column - 0.5)
    ))  # fmt: skip
    for distance in (np.hypot(down[:, None], across[None, :]), np.maximum(down[:, None], across[None, :])):
        ring, gap, pupil = (np.abs(distance - place) < 0.25 for place in (3, 2, 0.6))
        if min(box[ring].mean(), 1 - box[gap].mean(), box[pupil].mean()) >= SOLID:
            return True
    return False
