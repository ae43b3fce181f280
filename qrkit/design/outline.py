"""Provides `Outline`, a filled shape of straight lines and cubic curves, and functions that create simple shapes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain, islice
from operator import add
from typing import Any, Self, TypeAlias

__all__ = [
    "Outline", "Placed", "Scattered", "bowed", "chamfered", "circle", "flower", "four_times", "heart", "polygon",
    "rectangle", "regular", "rounded", "squircle", "star", "toward",
]  # fmt: skip

Segment = tuple[str, tuple[float, ...]]
"""A letter and absolute coordinates: M x y, L x y, C x1 y1 x2 y2 x y, Z, as in SVG paths."""

Placed: TypeAlias = "tuple[Outline, float, float]"
"""An outline, and how far it is moved to the right and down."""

NUMBERS = {"M": 2, "L": 2, "C": 6, "Z": 0}
"""How many coordinates follow each letter."""

KAPPA = 0.5522847498
"""Length of the handles of the cubic curve that approximates a quarter circle, in radii."""

SQUIRCLE_KAPPA = 0.909
"""Length of the handles for a quarter of a squircle: the middle of the curve lies on x⁴ + y⁴ = 1."""


@dataclass(frozen=True)
class Outline:
    """One or more closed subpaths, filled by the non-zero rule: a hole runs in the opposite direction.

    Attributes:
        letters: The letters of the segments of all subpaths, in order.
        numbers: The coordinates of all segments, in order: x, y, x, y ...
    """

    letters: str = ""
    numbers: tuple[float, ...] = ()

    def __add__(self, other: Outline) -> Outline:
        return Outline.joined((self, other))

    @classmethod
    def of(cls, segments: Iterable[Segment]) -> Self:
        """Create an outline from segments."""
        drawn = list(segments)
        letters = "".join([letter for letter, _ in drawn])
        return cls(letters, tuple(chain.from_iterable([numbers for _, numbers in drawn])))

    @classmethod
    def of_strokes(cls, strokes: Iterable[tuple[str, Any]]) -> Self:
        """Create an outline from the strokes that a pen of fontTools has recorded."""
        return cls.of(_segments(strokes))

    @classmethod
    def joined(cls, parts: Iterable[Outline]) -> Self:
        """Combine several outlines into one."""
        return cls.of([(part.letters, part.numbers) for part in parts])

    @property
    def segments(self) -> tuple[Segment, ...]:
        """The segments of all subpaths, in order."""
        numbers = iter(self.numbers)
        return tuple((letter, tuple(islice(numbers, NUMBERS[letter]))) for letter in self.letters)

    @staticmethod
    def parse(path: str) -> Outline:
        """Parse SVG path data (SVG 2, section 9.3); arcs and quadratic curves become cubic ones.

        Raises:
            ValueError: If the string is not valid path data.
        """
        from fontTools.pens.recordingPen import RecordingPen
        from fontTools.svgLib.path.parser import parse_path

        pen = RecordingPen()
        parse_path(path, pen)
        return Outline.of_strokes(pen.value)

    def placed(self, x: float = 0, y: float = 0, scale_x: float = 1, scale_y: float | None = None) -> Outline:
        """Return the outline scaled about 0, 0, then moved.

        Args:
            x: Distance to the right.
            y: Distance down.
            scale_x: Horizontal factor; a negative one mirrors the outline.
            scale_y: Vertical factor; `scale_x` by default.
        """
        by = scale_x if scale_y is None else scale_y
        # Mirroring reverses every subpath, holes included, so the non-zero rule fills the same shape.
        return self._with(
            [one * scale_x + x for one in self.numbers[::2]], [one * by + y for one in self.numbers[1::2]]
        )

    def transformed(self, matrix: tuple[float, float, float, float, float, float]) -> Outline:
        """Return the outline transformed by a matrix as in SVG: x becomes a·x + c·y + e, y becomes b·x + d·y + f."""
        a, b, c, d, e, f = matrix
        points = list(zip(self.numbers[::2], self.numbers[1::2], strict=True))
        return self._with([a * x + c * y + e for x, y in points], [b * x + d * y + f for x, y in points])

    def hole(self) -> Outline:
        """Return the outline with its direction reversed, which cuts it out of the outline it is added to."""
        reverse: list[Segment] = []
        for subpath in self._subpaths():
            points = [numbers[-2:] for _, numbers in subpath]
            reverse.append(("M", points[-1]))
            for index in range(len(subpath) - 1, 0, -1):
                letter, numbers = subpath[index]
                handles = numbers[2:4] + numbers[0:2] if letter == "C" else ()
                reverse.append((letter, handles + points[index - 1]))
            reverse.append(("Z", ()))
        return Outline.of(reverse)

    def box(self) -> tuple[float, float, float, float]:
        """Return left, top, right and bottom of all points, including handles."""
        return self._box

    @cached_property
    def _box(self) -> tuple[float, float, float, float]:
        across, down = self.numbers[::2], self.numbers[1::2]
        return min(across), min(down), max(across), max(down)

    @cached_property
    def _hash(self) -> int:  # symbols share outlines, whose text is looked up for each part of each symbol
        return hash((self.letters, self.numbers))

    def __hash__(self) -> int:
        return self._hash

    def __getstate__(self) -> dict[str, Any]:
        """Leave the hash out of pickles: letters have another one in each process."""
        return {name: value for name, value in vars(self).items() if name != "_hash"}

    def _with(self, across: list[float], down: list[float]) -> Outline:
        """Return the outline with other coordinates."""
        return Outline(self.letters, _interleaved(across, down))

    def _subpaths(self) -> list[list[Segment]]:
        subpaths: list[list[Segment]] = []
        for letter, numbers in self.segments:
            if letter == "M":
                subpaths.append([])
            if letter != "Z":
                subpaths[-1].append((letter, numbers))
        return subpaths


class Scattered(Outline):
    """Outlines, each moved to its place; they are joined only when they are needed as one outline.

    Attributes:
        letters: Those of the whole outline.
        numbers: Those of the whole outline.
        parts: Outlines, and how far each is moved to the right and down.
    """

    parts: tuple[Placed, ...]

    def __init__(self, parts: Iterable[Placed]) -> None:
        object.__setattr__(self, "parts", tuple(parts))

    @cached_property
    def letters(self) -> str:
        """The letters of the segments of all parts."""
        return "".join([part.letters for part, _, _ in self.parts])

    @cached_property
    def numbers(self) -> tuple[float, ...]:
        """The coordinates of all segments, of each part in its place."""
        moved = [(part.numbers, (right, down)) for part, right, down in self.parts]
        moves = chain.from_iterable([move * (len(numbers) // 2) for numbers, move in moved])
        return tuple(map(add, chain.from_iterable([numbers for numbers, _ in moved]), moves))

    @cached_property
    def _box(self) -> tuple[float, float, float, float]:
        """The box, without joining the parts."""
        parts, across, down = zip(*self.parts, strict=True)
        left, top, right, bottom = zip(*[part.box() for part in parts], strict=True)
        return (
            min(map(add, left, across)), min(map(add, top, down)),
            max(map(add, right, across)), max(map(add, bottom, down)),
        )  # fmt: skip


def _interleaved(across: list[float], down: list[float]) -> tuple[float, ...]:
    """Return the numbers alternately: x, y, x, y."""
    numbers = across + down
    numbers[::2], numbers[1::2] = across, down
    return tuple(numbers)


def polygon(*points: tuple[float, float]) -> Outline:
    """Create a polygon."""
    return Outline("M" + "L" * (len(points) - 1) + "Z", tuple(chain.from_iterable(points)))


def rectangle(x: float, y: float, width: float, height: float) -> Outline:
    """Create a rectangle.

    Args:
        x: Left edge.
        y: Top edge.
        width: Width.
        height: Height.
    """
    return polygon((x, y), (x + width, y), (x + width, y + height), (x, y + height))


def circle(x: float, y: float, radius: float) -> Outline:
    """Create a disc.

    Args:
        x: Center, from the left.
        y: Center, from the top.
        radius: Radius.
    """
    return rounded(x - radius, y - radius, 2 * radius, 2 * radius, radius)


@lru_cache(maxsize=1024)  # a symbol has many bars of the same size
def rounded(
    x: float, y: float, width: float, height: float, radius: float | tuple[float, float, float, float]
) -> Outline:
    """Create a rectangle with round corners.

    Args:
        x: Left edge.
        y: Top edge.
        width: Width.
        height: Height.
        radius: Radius of all corners, or four radii: top left, top right, bottom right, bottom left.
    """
    radii = radius if isinstance(radius, tuple) else (radius,) * 4
    right, bottom = x + width, y + height
    # Each corner, with the directions of the sides that lead to it and away from it.
    corners = ((x, y, 0, -1, 1, 0), (right, y, 1, 0, 0, 1), (right, bottom, 0, 1, -1, 0), (x, bottom, -1, 0, 0, -1))
    found: list[Segment] = []
    for (across, down, in_x, in_y, out_x, out_y), one in zip(corners, radii, strict=True):
        letter = "L" if found else "M"
        found.append((letter, (across - in_x * one, down - in_y * one)))
        if one:
            rest = one * (1 - KAPPA)
            handles = across - in_x * rest, down - in_y * rest, across + out_x * rest, down + out_y * rest
            found.append(("C", (*handles, across + out_x * one, down + out_y * one)))
    return Outline.of((*found, ("Z", ())))


def star(x: float, y: float, outer: float, inner: float, points: int) -> Outline:
    """Create a star whose first point is at the top.

    Args:
        x: Center, from the left.
        y: Center, from the top.
        outer: Distance from the center to a point.
        inner: Distance from the center to a notch.
        points: Number of points.
    """
    turn = math.pi / points
    return polygon(
        *(
            (x + radius * math.sin(index * turn), y - radius * math.cos(index * turn))
            for index, radius in enumerate((outer, inner) * points)
        )
    )


def regular(x: float, y: float, radius: float, corners: int) -> Outline:
    """Create a polygon of equal sides and angles, whose first corner is at the top.

    Args:
        x: Center, from the left.
        y: Center, from the top.
        radius: Distance from the center to a corner.
        corners: Number of corners.
    """
    return star(x, y, radius, radius * math.cos(math.pi / corners), corners)


def heart(x: float, y: float, half: float) -> Outline:
    """Create a heart with full sides and a shallow notch, so that readers that sample its middle find it dark.

    Args:
        x: Middle, from the left.
        y: Middle, from the top.
        half: Half of its width.
    """
    shape = Outline.of(
        (
            ("M", (0, -0.74)),
            ("C", (0.25, -1.05, 1, -1.05, 1, -0.25)),
            ("C", (1, 0.55, 0.45, 0.8, 0, 0.98)),
            ("C", (-0.45, 0.8, -1, 0.55, -1, -0.25)),
            ("C", (-1, -1.05, -0.25, -1.05, 0, -0.74)),
            ("Z", ()),
        )
    )
    return shape.placed(x, y, half)


def bowed(bow: float | Sequence[float], *points: tuple[float, float]) -> Outline:
    """Create a polygon with curved sides.

    Args:
        bow: Distance by which the middle of a side bulges out, as a share of the side; negative values curve inwards.
            One for all sides, or one for each, in the order of the corners at which they begin.
        points: The corners, clockwise.
    """
    bows = bow if isinstance(bow, Sequence) else [bow] * len(points)
    found: list[Segment] = [("M", points[0])]
    for start, end, one in zip(points, (*points[1:], points[0]), bows, strict=True):
        # The control point of a quadratic curve is twice as far out as the middle of the curve.
        out_x, out_y = 2 * one * (end[1] - start[1]), 2 * one * (start[0] - end[0])
        control = ((start[0] + end[0]) / 2 + out_x, (start[1] + end[1]) / 2 + out_y)
        found.append(("C", (*toward(start, control), *toward(end, control), *end)))
    return Outline.of((*found, ("Z", ())))


def chamfered(x: float, y: float, side: float, cut: float | tuple[float, float, float, float]) -> Outline:
    """Create a square with its corners cut off.

    Args:
        x: Left edge.
        y: Top edge.
        side: Side of the square.
        cut: Length cut from a side at each corner, or four lengths: top left, top right, bottom right, bottom left.
    """
    one, two, three, four = cut if isinstance(cut, tuple) else (cut,) * 4
    right, bottom = x + side, y + side
    corners = (
        ((x, y + one), (x + one, y)),
        ((right - two, y), (right, y + two)),
        ((right, bottom - three), (right - three, bottom)),
        ((x + four, bottom), (x, bottom - four)),
    )
    return polygon(*(point for corner in corners for point in dict.fromkeys(corner)))


def squircle(x: float, y: float, side: float, handles: float = SQUIRCLE_KAPPA) -> Outline:
    """Create a squircle, a shape between a square and a disc: by default, nearly the superellipse of degree 4.

    Args:
        x: Left edge.
        y: Top edge.
        side: Width and height.
        handles: Length of the handles of its curves, as a share of half the side; larger ones make it squarer.
    """
    half, reach = side / 2, side / 2 * handles
    return four_times(Outline("C", (half + reach, 0, side, half - reach, side, half)), side).placed(x, y)


def four_times(quarter: Outline, side: float) -> Outline:
    """Draw a quarter of a shape four times, clockwise around the middle of a square.

    Args:
        quarter: Its segments. They begin with a straight line, or where the last quarter ends.
        side: Side of the square, whose top left corner is at 0, 0.
    """
    quarters = [quarter]
    for _ in range(3):
        quarters.append(quarters[-1].transformed((0, 1, -1, 0, side, 0)))
    whole = Outline.joined(quarters)
    if quarter.letters[0] == "L":
        return Outline(f"M{whole.letters[1:]}Z", whole.numbers)
    return Outline(f"M{whole.letters}Z", whole.numbers[-2:] + whole.numbers)


def flower(center: float, middle: float, petals: int, distance: float, radius: float, *, turn: float = 0) -> Outline:
    """Create a flower of discs around a larger one.

    Args:
        center: How far its center is from the left, and from the top.
        middle: Radius of the disc in the middle.
        petals: Number of discs around it.
        distance: Distance of their centers from the middle.
        radius: Their radius.
        turn: By how much of a full turn the first of them is further than the top.
    """
    angles = [2 * math.pi * (index / petals + turn) for index in range(petals)]
    places = ((center + distance * math.sin(angle), center - distance * math.cos(angle)) for angle in angles)
    return Outline.joined((circle(center, center, middle), *(circle(x, y, radius) for x, y in places)))


def _segments(strokes: Iterable[tuple[str, Any]]) -> Iterator[Segment]:
    """Convert strokes to segments. Quadratic curves may have any number of points, of which fonts leave out some."""
    from fontTools.pens.basePen import decomposeQuadraticSegment

    here: Sequence[float] = (0.0, 0.0)
    for name, points in strokes:
        if name in ("closePath", "endPath"):
            yield "Z", ()
            continue
        if name == "qCurveTo":
            for control, end in decomposeQuadraticSegment(points):
                yield "C", (*toward(here, control), *toward(end, control), *map(float, end))
                here = end
            continue
        letter = {"moveTo": "M", "lineTo": "L"}.get(name, "C")
        yield letter, tuple(float(number) for point in points for number in point)
        here = points[-1]


def toward(start: Sequence[float], control: Sequence[float]) -> tuple[float, float]:
    """Return the point two thirds of the way, a handle of the cubic curve that equals a quadratic one.

    Args:
        start: An end of the curve.
        control: The control point of the quadratic curve.
    """
    return (start[0] + 2 * (control[0] - start[0]) / 3, start[1] + 2 * (control[1] - start[1]) / 3)
