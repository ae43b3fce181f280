"""Writes what PostScript and PDF have in common: numbers, paths, inks and gradients."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise

from qrkit.design.color import BLACK, WHITE, Color
from qrkit.design.outline import Outline
from qrkit.drawing.scene import Gradient, Linear, Matrix
from qrkit.drawing.svg.svg_text import number

POINTS_PER_INCH = 72
EDGE = 1e-4
"""Share of a gradient's length for the color beyond its first or last stop, if two stops have that offset."""

Stops = list[tuple[float, str]]


@lru_cache(maxsize=256)
def rgb(color: Color) -> str:
    """Write red, green and blue, each 0..1."""
    return " ".join(f"{part / 255:.4g}" for part in color.channels)


def ink(color: Color, *, key_black: bool) -> str:
    """Write a color as three numbers, or as one gray, which printers print with black ink only."""
    if key_black and color.opaque in (BLACK, WHITE):
        return "0" if color.opaque == BLACK else "1"
    return rgb(color)


@lru_cache(maxsize=256)
def matrix_numbers(matrix: Matrix) -> str:
    """Write the six numbers of a matrix to a millionth, because they are multiplied by large coordinates."""
    return exact(matrix.scale_x, 0.0, 0.0, matrix.scale_y, matrix.move_x, matrix.move_y)


def exact(*numbers: float) -> str:
    """Write numbers to a millionth."""
    return " ".join(f"{one:.6f}".rstrip("0").rstrip(".") for one in numbers)


def page_matrix(height: float, dots_per_inch: float | None) -> Matrix:
    """Return the matrix from pixels, y down, to points, y up; without a print resolution, a pixel is one point."""
    scale = POINTS_PER_INCH / dots_per_inch if dots_per_inch else 1.0
    return Matrix(scale, -scale, 0.0, height * scale)


def path(outline: Outline) -> list[str]:
    """Write an outline, one segment per line: numbers, then m, l or c; h closes a subpath."""
    return [
        "h" if letter == "Z" else " ".join([number(one) for one in numbers]) + " " + letter.lower()
        for letter, numbers in outline.segments
    ]


def shading(paint: Gradient, space: str = "/DeviceRGB", part: Callable[[Color], str] = rgb) -> str:
    """Write the dictionary of a gradient (ISO 32000, 8.7.4.5), which PDF and PostScript share; `part` writes colors."""
    points: tuple[float, ...]
    if isinstance(paint, Linear):
        kind, points = 2, (*paint.start, *paint.stop)
    else:
        kind, points = 3, (*paint.focus, 0.0, *paint.centre, paint.radius)
    coordinates = exact(*points)
    function = _function(_from_0_to_1([(offset, part(color)) for offset, color in paint.stops]))
    where = f"/Coords[{coordinates}]/Extend[true true]"
    return f"<</ShadingType {kind}/ColorSpace{space}{where}\n/Function {function}>>"


def _from_0_to_1(stops: Stops) -> Stops:
    """Add stops at 0 and 1 if they are missing."""
    (first, second), (last_but_one, last) = stops[:2], stops[-2:]
    if first[0] == second[0] == 0 or last_but_one[0] == last[0] == 1:
        # A gradient continues beyond its ends with the color there, which must be the outer one of two stops.
        stops = [(EDGE + offset * (1 - 2 * EDGE), color) for offset, color in stops]
    before = [(0.0, first[1])] if stops[0][0] > 0 else []
    after = [(1.0, last[1])] if stops[-1][0] < 1 else []
    return before + stops + after


def _function(stops: Stops) -> str:
    """Write a function that interpolates between colors; at two stops with one offset, the color jumps."""
    pieces = [(start, end) for start, end in pairwise(stops) if start[0] < end[0]]
    functions = [f"<</FunctionType 2/Domain[0 1]/N 1/C0[{start[1]}]/C1[{end[1]}]>>" for start, end in pieces]
    if len(functions) == 1:
        return functions[0]
    # One piece per line, because PostScript limits the length of lines.
    bounds = "\n".join(f"{end[0]:.6f}" for _, end in pieces[:-1])
    encode = "\n".join("0 1" for _ in pieces)
    listed = "\n".join(functions)
    return f"<</FunctionType 3/Domain[0 1]/Functions[{listed}]\n/Bounds[{bounds}]\n/Encode[{encode}]>>"
