"""Draws modules as connected shapes: each style turns a grid of cells into the parts of an outline, in cells."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import compress, count

from qrkit.design.decoration import Modules
from qrkit.design.limits import ModuleType
from qrkit.design.outline import KAPPA, Outline, Placed, Scattered, circle, rectangle, rounded
from qrkit.design.runs import runs, turned
from qrkit.design.shapes.contours import LOWER_LEFT, LOWER_RIGHT, UPPER_LEFT, UPPER_RIGHT, contours, surroundings
from qrkit.design.shapes.groups import Cells, bricks, bubbles, crosses, diagonal, lattice
from qrkit.design.shapes.sprites import SPRITES

Line = tuple[int, int]
"""How many cells a straight line leads across and down."""

BAR = 0.9
"""Width of bars in modules: readers that follow contours miss thinner bars at some module sizes."""
FILLET = 0.36
"""Radius of a filled inner corner."""
ALL_BUT_ONE = bytes(15 - light for light in (UPPER_LEFT, UPPER_RIGHT, LOWER_LEFT, LOWER_RIGHT))
"""Values of `surroundings` at a point where one of the four cells is light: the upper left, the upper right, …"""
IS_ALL_BUT_ONE = bytes(around in ALL_BUT_ONE for around in range(256))
ROUNDEST = 1.25
"""Radius of the corners of large areas: of a module at such a corner, three fifths of its width stay around its middle,
which readers sample."""


def _rounded(cells: Cells, upper_left: float = 0.5, upper_right: float = 0.5) -> Iterator[Placed]:
    """Round all corners without a neighbor: a single module is a disc, a run is a bar with round ends.

    `upper_left` is the radius of lower right corners, too, and `upper_right` that of the others; at most half of a
    module without any neighbor.
    """
    blank = bytes(len(cells[0]))
    for start, row, length in runs(cells):
        last = start + length - 1
        above = cells[row - 1] if row else blank
        below = cells[row + 1] if row + 1 < len(cells) else blank
        # No module is left or right of a run, so the modules above and below its ends decide.
        radius = upper_left if length > 1 or above[start] or below[start] else min(upper_left, 0.5)
        radii = (
            0.0 if above[start] else radius,
            0.0 if above[last] else upper_right,
            0.0 if below[last] else radius,
            0.0 if below[start] else upper_right,
        )
        yield rounded(0, 0, length, 1, radii), start, row


def _liquid(cells: Cells) -> Iterator[Placed]:
    """Round corners without a neighbor and fill inner corners, like drops that flow together."""
    yield from _rounded(cells)
    yield from _fillets(cells)


def _bars(cells: Cells) -> Iterator[Placed]:
    """Join the modules of each row into bars with round ends."""
    edge = (1 - BAR) / 2
    for column, row, length in runs(cells):
        yield rounded(edge, edge, length - 2 * edge, BAR, BAR / 2), column, row


def _columns(cells: Cells) -> Iterator[Placed]:
    """Join the modules of each column into bars with round ends."""
    edge = (1 - BAR) / 2
    for row, column, length in runs(turned(cells)):
        yield rounded(edge, edge, BAR, length - 2 * edge, BAR / 2), column, row


def smoothed(cells: Sequence[bytes], outer: float, inner: float, *, bridged: bool = False) -> Iterator[Placed]:
    """Draw the contours of cells with round corners. A corner takes at most half of the shorter side next to it.

    Corners that point outwards have at most the radius `outer`, in cells; those that point inwards are filled, with at
    most `inner`. If `bridged`, cells that touch only at a corner are joined.
    """
    for contour in contours(cells, bridged=bridged):
        before, ends = contour[0][1] - contour[-1][1], ("M", *"L" * (len(contour) - 2), "LZ")
        # One horizontal side after the other, with the corners at its ends.
        for (x, y), (to_x, to_y), end in zip(contour, (*contour[1:], contour[0]), ends, strict=True):
            yield _side(end, (before, to_x - x, to_y - y), outer, inner), x, y
            before = to_y - y


STAMPS: dict[str, Outline] = {
    "dots": circle(0.5, 0.5, 0.43),
    "gapped": rounded(0.06, 0.06, 0.88, 0.88, 0.1),
}
"""Maps the styles whose modules are all alike to what they draw in each cell. Dots and squares of 0.8 modules or more
scan as well as whole modules."""

STYLES: dict[str, Callable[[Cells], Iterator[Placed]]] = {
    "rounded": _rounded,
    "liquid": _liquid,
    "bars": _bars,
    "columns": _columns,
    "extra-rounded": partial(smoothed, outer=ROUNDEST, inner=0.35),  # the larger an area, the rounder its corners
    "classy": partial(_rounded, upper_right=0),
    "classy-rounded": partial(_rounded, upper_left=1, upper_right=0),  # over a whole module beside another one
    "fluid": partial(smoothed, outer=0.5, inner=0.45, bridged=True),
    "bubbles": bubbles,
    "lattice": lattice,
    "diagonal": diagonal,
    "bricks": bricks,
    "crosses": crosses,
}
"""Maps the styles whose modules depend on their neighbors to the functions that yield the parts of their outline."""


APART = ("bubbles", "diagonal", "bricks", "crosses")
"""The styles whose modules keep to themselves beside an alignment pattern; those of the others join it."""
TINTED = {"bricks": 0.12}
"""Opacity of the foreground in which styles also draw light modules."""


def as_modules(modules: Modules, cells: Cells, *, touching: bool = False) -> Outline:
    """Draw cells, such as those of an eye, as the modules of a symbol are drawn; for sprites of your own, as squares.

    If `touching`, dots and other small modules are enlarged until they touch.
    """
    if style := STYLES.get(modules.type):
        return Scattered(style(cells))
    stamp = STAMPS.get(modules.type) or SPRITES.get(modules.sprite or "") or rectangle(0, 0, 1, 1)
    left, top, right, bottom = stamp.box()
    if touching and (scale := 1 / max(right - left, bottom - top)) > 1:
        stamp = stamp.placed((1 - scale) / 2, (1 - scale) / 2, scale)
    return Scattered((stamp, column, row) for row, line in enumerate(cells) for column in compress(count(), line))


def one_module(style: ModuleType, cells: Cells, column: int, row: int) -> Outline:
    """Return what one module takes up of the shape of a style: rounded, bars or columns.

    In these styles, no module reaches into the cell of another.
    """
    line = cells[row]
    left, right = column > 0 and line[column - 1], column + 1 < len(line) and line[column + 1]
    up, down = row > 0 and cells[row - 1][column], row + 1 < len(cells) and cells[row + 1][column]
    if style == "bars":
        up = down = 0
    elif style == "columns":
        left = right = 0
    edge = 0 if style == "rounded" else (1 - BAR) / 2
    start, end, top, bottom = (0 if joined else edge for joined in (left, right, up, down))
    one, two, three, four = (
        0 if joined else 0.5 - edge for joined in (left or up, right or up, right or down, left or down)
    )
    return rounded(column + start, row + top, 1 - start - end, 1 - top - bottom, (one, two, three, four))


def _fillets(cells: Cells) -> Iterator[Placed]:
    """Fill the inner corners of light cells: those with modules on both sides and diagonally between them."""
    corners: dict[tuple[int, int], list[int]] = {}
    around = surroundings(cells)
    for point in compress(count(), around.translate(IS_ALL_BUT_ONE)):
        light, (row, column) = ALL_BUT_ONE.index(around[point]), divmod(point, len(cells[0]) + 1)
        corners.setdefault((column - 1 + light % 2, row - 1 + light // 2), []).append(3 - light)
    for (column, row), filled in corners.items():
        yield _fillet(*filled), column, row


@lru_cache(maxsize=64)
def _fillet(*corners: int) -> Outline:
    """Draw triangles with a concave side in corners of a cell: 0 and 1 are the upper ones, 2 and 3 the lower ones."""
    return Scattered((_triangle(corner), corner % 2, corner // 2) for corner in corners)


def _triangle(corner: int) -> Outline:
    """Draw the triangle of a corner that lies at 0, 0."""
    across, down = 1 - 2 * (corner % 2), 1 - 2 * (corner // 2)
    leg_x, leg_y, near_x, near_y = (one * leg for leg in (FILLET, FILLET * (1 - KAPPA)) for one in (across, down))
    # All parts of an outline run in the same direction; otherwise they would cut holes into each other.
    filled = Outline("MLCZ", (0, 0, leg_x, 0, near_x, 0, 0, near_y, 0, leg_y))
    return filled if across == down else filled.hole()


# ---- connected modules with round corners


@lru_cache(maxsize=4096)
def _side(end: str, steps: tuple[int, int, int], outer: float, inner: float) -> Outline:
    """Draw a horizontal side from 0, 0 with the corners at its ends.

    `end` is M for the first side of a contour, LZ for the last, and L for the others. The steps are cells down before
    it, across, and down after it. Corners that point outwards have at most the radius `outer`, others `inner`.
    """
    before, across, after = steps
    corners = _corner((0, before), (across, 0), outer, inner), _corner((across, 0), (0, after), outer, inner)
    both = corners[0] + corners[1].placed(across)
    return Outline(end[0] + both.letters[1:] + end[1:], both.numbers)


def _corner(before: Line, after: Line, outer: float, inner: float) -> Outline:
    """Draw a line to a corner at 0, 0, and around it to where the next line begins.

    Lines are whole, as cells across and down. The radius is at most `outer` if the contour turns right, `inner` if
    left.
    """
    lengths = [abs(sum(line)) for line in (before, after)]
    (in_x, in_y), (out_x, out_y) = (
        [one / length for one in line] for line, length in zip((before, after), lengths, strict=True)
    )
    radius = min(outer if in_x * out_y - in_y * out_x > 0 else inner, *[length / 2 for length in lengths])
    start, rest = (-in_x * radius, -in_y * radius), radius * (1 - KAPPA)
    curve = (-in_x * rest, -in_y * rest, out_x * rest, out_y * rest, out_x * radius, out_y * radius)
    return Outline("LC", (*start, *curve)) if radius else Outline("L", start)
