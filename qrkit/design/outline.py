"""`Outline`: a filled form as straight lines and cubic curves, and the simple forms others are built from."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

__all__ = ["Outline", "bowed", "chamfered", "circle", "polygon", "rectangle", "rounded", "squircle", "star"]

Segment = tuple[str, tuple[float, ...]]
"""A letter and absolute numbers: M x y, L x y, C x1 y1 x2 y2 x y, Z, as in the paths of SVG."""

KAPPA = 0.5522847498
"""How far the handles of a quarter circle's cubic curve reach, in radii."""

SQUIRCLE_KAPPA = 0.909
"""The same for a quarter of a squircle: the middle of the curve lies on x⁴ + y⁴ = 1."""


@dataclass(frozen=True, slots=True)
class Outline:
    """One or more closed subpaths, filled by the non-zero rule: a hole runs the other way round.

    Attributes:
        segments: What they are made of, in order.
    """

    segments: tuple[Segment, ...]

    def __add__(self, other: Outline) -> Outline:
        return Outline(self.segments + other.segments)

    @classmethod
    def joined(cls, parts: Iterable[Outline]) -> Self:
        """Many outlines as one."""
        return cls(tuple(segment for part in parts for segment in part.segments))

    @staticmethod
    def parse(path: str) -> Outline:
        """Read the path data of SVG (SVG 2, section 9.3); arcs and quadratic curves become cubic ones.

        Raises:
            ValueError: It is no path data.
        """
        from fontTools.pens.recordingPen import RecordingPen
        from fontTools.svgLib.path.parser import parse_path

        pen = RecordingPen()
        parse_path(path, pen)
        return Outline(tuple(_from_pen(pen.value)))

    def placed(self, x: float = 0, y: float = 0, scale_x: float = 1, scale_y: float | None = None) -> Outline:
        """The outline scaled about 0, 0, then moved.

        Args:
            x: How far to the right.
            y: How far down.
            scale_x: How much wider; negative mirrors it.
            scale_y: How much higher; as much as it gets wider where nothing is said.
        """
        by = scale_x if scale_y is None else scale_y
        # Mirroring turns every subpath round, holes included, so the non-zero rule sees the same form.
        return Outline(
            tuple(
                (
                    letter,
                    tuple(
                        number * by + y if index % 2 else number * scale_x + x for index, number in enumerate(numbers)
                    ),
                )
                for letter, numbers in self.segments
            )
        )

    def hole(self) -> Outline:
        """The same form run the other way round, to be cut out of what it is added to."""
        found: list[Segment] = []
        for subpath in self._subpaths():
            points = [numbers[-2:] for _, numbers in subpath]
            found.append(("M", points[-1]))
            for index in range(len(subpath) - 1, 0, -1):
                letter, numbers = subpath[index]
                handles = numbers[2:4] + numbers[0:2] if letter == "C" else ()
                found.append((letter, handles + points[index - 1]))
            found.append(("Z", ()))
        return Outline(tuple(found))

    def box(self) -> tuple[float, float, float, float]:
        """Left, top, right and bottom of all points, handles included."""
        numbers = [number for _, numbers in self.segments for number in numbers]
        across, down = numbers[0::2], numbers[1::2]
        return min(across), min(down), max(across), max(down)

    def _subpaths(self) -> list[list[Segment]]:
        found: list[list[Segment]] = []
        for letter, numbers in self.segments:
            if letter == "M":
                found.append([])
            if letter != "Z":
                found[-1].append((letter, numbers))
        return found


def polygon(*points: tuple[float, float]) -> Outline:
    """A form with straight sides."""
    return Outline((("M", points[0]), *(("L", point) for point in points[1:]), ("Z", ())))


def rectangle(x: float, y: float, width: float, height: float) -> Outline:
    """A rectangle.

    Args:
        x: Left edge.
        y: Top edge.
        width: To the right.
        height: Downwards.
    """
    return polygon((x, y), (x + width, y), (x + width, y + height), (x, y + height))


def circle(x: float, y: float, radius: float) -> Outline:
    """A disc.

    Args:
        x: Of its centre, from the left.
        y: Of its centre, from the top.
        radius: Of its edge.
    """
    return rounded(x - radius, y - radius, 2 * radius, 2 * radius, radius)


def rounded(
    x: float, y: float, width: float, height: float, radius: float | tuple[float, float, float, float]
) -> Outline:
    """A rectangle with round corners.

    Args:
        x: Left edge.
        y: Top edge.
        width: To the right.
        height: Downwards.
        radius: Of all corners; or four of them: top left, top right, bottom right, bottom left.
    """
    radii = radius if isinstance(radius, tuple) else (radius,) * 4
    right, bottom = x + width, y + height
    # Corner, and the directions in which its side comes in and goes out.
    corners = (
        (x, y, 0, -1, 1, 0),
        (right, y, 1, 0, 0, 1),
        (right, bottom, 0, 1, -1, 0),
        (x, bottom, -1, 0, 0, -1),
    )
    found: list[Segment] = []
    for (across, down, in_x, in_y, out_x, out_y), one in zip(corners, radii, strict=True):
        letter = "L" if found else "M"
        found.append((letter, (across - in_x * one, down - in_y * one)))
        if one:
            rest = one * (1 - KAPPA)
            found.append(
                (
                    "C",
                    (
                        across - in_x * rest,
                        down - in_y * rest,
                        across + out_x * rest,
                        down + out_y * rest,
                        across + out_x * one,
                        down + out_y * one,
                    ),
                )
            )
    return Outline((*found, ("Z", ())))


def star(x: float, y: float, outer: float, inner: float, points: int) -> Outline:
    """A star with its first point upwards.

    Args:
        x: Of its centre, from the left.
        y: Of its centre, from the top.
        outer: From the centre to a point.
        inner: From the centre to a notch.
        points: How many.
    """
    turn = math.pi / points
    return polygon(
        *(
            (x + radius * math.sin(index * turn), y - radius * math.cos(index * turn))
            for index, radius in enumerate((outer, inner) * points)
        )
    )


def bowed(bow: float, *points: tuple[float, float]) -> Outline:
    """A polygon, given clockwise, whose sides are curves.

    Args:
        bow: How far the middle of a side stands out, in lengths of the side; negative: how far it is drawn in.
        points: The corners.
    """
    found: list[Segment] = [("M", points[0])]
    for start, end in zip(points, (*points[1:], points[0]), strict=True):
        # The control point of a quadratic curve lies twice as far out as the curve gets.
        out_x, out_y = 2 * bow * (end[1] - start[1]), 2 * bow * (start[0] - end[0])
        control = ((start[0] + end[0]) / 2 + out_x, (start[1] + end[1]) / 2 + out_y)
        found.append(("C", (*_toward(start, control), *_toward(end, control), *end)))
    return Outline((*found, ("Z", ())))


def chamfered(x: float, y: float, side: float, cut: float | tuple[float, float, float, float]) -> Outline:
    """A square with its corners cut off.

    Args:
        x: Left edge.
        y: Top edge.
        side: Of the square.
        cut: How much of a side goes at each corner; or four of them: top left, top right, bottom right, bottom left.
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


def squircle(x: float, y: float, side: float) -> Outline:
    """Between a square and a disc, without a straight line: almost the superellipse of the fourth degree.

    Args:
        x: Left edge.
        y: Top edge.
        side: Width and height.
    """
    half, reach = side / 2, side / 2 * SQUIRCLE_KAPPA
    quarters = (((0, -1), (1, 0)), ((1, 0), (0, 1)), ((0, 1), (-1, 0)), ((-1, 0), (0, -1)))
    found: list[Segment] = [("M", (x + half, y))]
    for (from_x, from_y), (to_x, to_y) in quarters:
        start, end = (half * from_x, half * from_y), (half * to_x, half * to_y)
        curve = (start[0] + reach * to_x, start[1] + reach * to_y, end[0] + reach * from_x, end[1] + reach * from_y)
        numbers = (*curve, *end)
        found.append(("C", tuple(number + (y if index % 2 else x) + half for index, number in enumerate(numbers))))
    return Outline((*found, ("Z", ())))


def _from_pen(strokes: list[tuple[str, tuple[tuple[float, float], ...]]]) -> Iterable[Segment]:
    """What fontTools' pen was told, as segments."""
    here = (0.0, 0.0)
    for name, points in strokes:
        if name in ("closePath", "endPath"):
            yield "Z", ()
            continue
        if name == "qCurveTo":
            control, end = points
            points = (_toward(here, control), _toward(end, control), end)
        letter = {"moveTo": "M", "lineTo": "L"}.get(name, "C")
        yield letter, tuple(float(number) for point in points for number in point)
        here = points[-1]


def _toward(start: tuple[float, float], control: tuple[float, float]) -> tuple[float, float]:
    """Two thirds of the way: a handle of the cubic curve that equals a quadratic one."""
    return (start[0] + 2 * (control[0] - start[0]) / 3, start[1] + 2 * (control[1] - start[1]) / 3)
