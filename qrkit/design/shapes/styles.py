"""Draws modules as connected shapes: each style turns a grid of cells into one outline, measured in cells."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from qrkit.design.decoration import Modules
from qrkit.design.limits import ModuleType
from qrkit.design.outline import KAPPA, Outline, Segment, circle, rectangle, rounded
from qrkit.design.shapes.groups import bricks, bubbles, crosses, diagonal, lattice
from qrkit.design.shapes.sprites import SPRITES

__all__ = ["APART", "STAMPS", "STYLES", "TINTED", "as_modules", "one_module"]

Point = tuple[int, int]
"""Column and row of a corner between cells, or a direction; y runs down."""
Side = tuple[Point, Point]
"""A side of a cell: where it begins, and its direction, clockwise around the cell."""

RIGHT_OF = {(1, 0): (0, 1), (0, 1): (-1, 0), (-1, 0): (0, -1), (0, -1): (1, 0)}
"""Each direction, and the one to its right."""

Cells = Sequence[bytes]
"""Rows of bytes, 1 for each cell with a module."""

BAR = 0.9
"""Width of bars in modules: readers that follow contours miss thinner bars at some module sizes."""
FILLET = 0.36
"""Radius of a filled inner corner."""
ROUNDEST = 1.25
"""Radius of the corners of large areas: of a module at such a corner, three fifths of its width stay around its middle,
which readers sample."""


def _rounded(cells: Cells) -> Outline:
    """Round all corners without a neighbor: a single module is a disc, a run is a bar with round ends."""
    return Outline.joined(_runs_with_round_ends(cells))


def _liquid(cells: Cells) -> Outline:
    """Round corners without a neighbor and fill inner corners, like drops that flow together."""
    return Outline.joined((*_runs_with_round_ends(cells), *_fillets(cells)))


def _bars(cells: Cells) -> Outline:
    """Join the modules of each row into bars with round ends."""
    edge = (1 - BAR) / 2
    return Outline.joined(
        rounded(start + edge, row + edge, end - start - 2 * edge, BAR, BAR / 2) for row, start, end in _runs(cells)
    )


def _columns(cells: Cells) -> Outline:
    """Join the modules of each column into bars with round ends."""
    edge = (1 - BAR) / 2
    turned = [bytes(column) for column in zip(*cells, strict=True)]
    return Outline.joined(
        rounded(column + edge, start + edge, BAR, end - start - 2 * edge, BAR / 2)
        for column, start, end in _runs(turned)
    )


def _extra_rounded(cells: Cells) -> Outline:
    """Round the corners of connected modules as a whole: the larger the area, the rounder its corners."""
    return smoothed(cells, ROUNDEST, 0.35)


def _fluid(cells: Cells) -> Outline:
    """Let modules flow together, across corners as well."""
    return smoothed(cells, 0.5, 0.45, bridged=True)


def _classy(cells: Cells) -> Outline:
    """Round the upper left and the lower right corners without a neighbor."""
    return Outline.joined(_leaves(cells, 0.5))


def _classy_rounded(cells: Cells) -> Outline:
    """Round the same corners as `classy`, over a whole module where the module has a neighbor."""
    return Outline.joined(_leaves(cells, 1))


STAMPS: dict[str, Outline] = {
    "dots": circle(0.5, 0.5, 0.43),
    "gapped": rounded(0.06, 0.06, 0.88, 0.88, 0.1),
}
"""Maps the styles whose modules are all alike to what they draw in each cell. Dots and squares of 0.8 modules or more
scan as well as whole modules."""

STYLES: dict[str, Callable[[Cells], Outline]] = {
    "rounded": _rounded,
    "liquid": _liquid,
    "bars": _bars,
    "columns": _columns,
    "extra-rounded": _extra_rounded,
    "classy": _classy,
    "classy-rounded": _classy_rounded,
    "fluid": _fluid,
    "bubbles": bubbles,
    "lattice": lattice,
    "diagonal": diagonal,
    "bricks": bricks,
    "crosses": crosses,
}
"""Maps the styles whose modules depend on their neighbors to the functions that draw them."""


APART = ("bubbles", "diagonal", "bricks", "crosses")
"""The styles whose modules keep to themselves beside an alignment pattern; those of the others join it."""
TINTED = {"bricks": 0.12}
"""Opacity of the foreground in which styles also draw light modules."""


def as_modules(modules: Modules, cells: Cells, *, touching: bool = False) -> Outline:
    """Draw cells, such as those of an eye, as the modules of a symbol are drawn; for sprites of your own, as squares.

    Args:
        modules: The style of the modules.
        cells: Rows of bytes, 1 for each cell with a module.
        touching: True to enlarge dots and other small modules until they touch.
    """
    if style := STYLES.get(modules.type):
        return style(cells)
    stamp = STAMPS.get(modules.type) or SPRITES.get(modules.sprite or "") or rectangle(0, 0, 1, 1)
    left, top, right, bottom = stamp.box()
    if touching and (scale := 1 / max(right - left, bottom - top)) > 1:
        stamp = stamp.placed((1 - scale) / 2, (1 - scale) / 2, scale)
    places = ((column, row) for row, line in enumerate(cells) for column, cell in enumerate(line) if cell)
    return Outline.joined(stamp.placed(column, row) for column, row in places)


def one_module(style: ModuleType, cells: Cells, column: int, row: int) -> Outline:
    """Return what one module takes up of the shape that a style draws.

    Args:
        style: rounded, bars or columns, in which no module reaches into the cell of another.
        cells: Rows of bytes, 1 for each cell with a module.
        column: Column of the module.
        row: Row of the module.
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


def _runs(cells: Cells) -> Iterator[tuple[int, int, int]]:
    """Yield each horizontal run of modules: its row, its first column and the column after its last."""
    for row, line in enumerate(cells):
        start = line.find(1)
        while start >= 0:
            end = line.find(0, start)
            end = len(line) if end < 0 else end
            yield row, start, end
            start = line.find(1, end)


def _runs_with_round_ends(cells: Cells) -> Iterator[Outline]:
    blank = bytes(len(cells[0]))
    for row, start, end in _runs(cells):
        above = cells[row - 1] if row else blank
        below = cells[row + 1] if row + 1 < len(cells) else blank
        # No module is left or right of a run, so the modules above and below its ends decide.
        radii = (
            0.0 if above[start] else 0.5,
            0.0 if above[end - 1] else 0.5,
            0.0 if below[end - 1] else 0.5,
            0.0 if below[start] else 0.5,
        )
        yield rounded(start, row, end - start, 1, radii)


def _leaves(cells: Cells, largest: float) -> Iterator[Outline]:
    """Draw each run with its upper left and lower right corners rounded, where no module is above or below them."""
    blank = bytes(len(cells[0]))
    for row, start, end in _runs(cells):
        above = cells[row - 1] if row else blank
        below = cells[row + 1] if row + 1 < len(cells) else blank
        is_alone = end - start == 1 and not above[start] and not below[start]
        radius = 0.5 if is_alone else largest
        yield rounded(
            start, row, end - start, 1, (0.0 if above[start] else radius, 0, 0.0 if below[end - 1] else radius, 0)
        )


def _fillets(cells: Cells) -> Iterator[Outline]:
    """Fill the inner corners of light cells: those with modules on both sides and diagonally between them."""
    side = len(cells)
    for row in range(side):
        for column in range(len(cells[row])):
            if cells[row][column]:
                continue
            for down in (-1, 1):
                for across in (-1, 1):
                    beside, over = column + across, row + down
                    inside = 0 <= beside < len(cells[row]) and 0 <= over < side
                    if inside and cells[row][beside] and cells[over][column] and cells[over][beside]:
                        yield _fillet(column + (across > 0), row + (down > 0), across, down)


def _fillet(x: int, y: int, across: int, down: int) -> Outline:
    """Draw a triangle with a concave side in the corner at x, y, its legs leading away from the corner."""
    leg_x, leg_y = x - across * FILLET, y - down * FILLET
    near_x, near_y = x - across * FILLET * (1 - KAPPA), y - down * FILLET * (1 - KAPPA)
    first: list[Segment] = [("M", (x, y)), ("L", (leg_x, y)), ("C", (near_x, y, x, near_y, x, leg_y)), ("Z", ())]
    # All parts of an outline run in the same direction; otherwise they would cut holes into each other.
    return Outline.of(first) if across == down else Outline.of(first).hole()


# ---- connected modules with round corners


def smoothed(cells: Sequence[bytes], outer: float, inner: float, *, bridged: bool = False) -> Outline:
    """Draw the contours of cells with round corners. A corner takes at most half of the shorter side next to it.

    Args:
        cells: Rows of bytes, 1 for each cell with a module.
        outer: Largest radius of corners that point outwards, in cells.
        inner: Largest radius of corners that point inwards, which are filled.
        bridged: True to join cells that touch only at a corner.
    """
    return Outline.joined(_round_off(sides, outer, inner) for sides in _contours(cells, bridged=bridged))


def _contours(cells: Sequence[bytes], *, bridged: bool) -> Iterator[list[Side]]:
    """Yield the sides of each contour in order. Cells lie on its right, so contours of holes run the other way."""
    left = dict.fromkeys(_sides(cells))
    known = frozenset(left)
    while left:
        first = side = next(iter(left))
        contour: list[Side] = []
        while not contour or side != first:
            contour.append(side)
            del left[side]
            side = _following(side, known, bridged=bridged)
        yield contour


def _sides(cells: Sequence[bytes]) -> Iterator[Side]:
    """Yield the sides that separate a cell with a module from one without."""
    blank = bytes(len(cells[0]))
    for y, line in enumerate(cells):
        above = cells[y - 1] if y else blank
        below = cells[y + 1] if y + 1 < len(cells) else blank
        for x, (dark, up, down, before, after) in enumerate(
            zip(line, above, below, b"\0" + line[:-1], line[1:] + b"\0", strict=True)
        ):
            if dark and not up:
                yield (x, y), (1, 0)
            if dark and not after:
                yield (x + 1, y), (0, 1)
            if dark and not down:
                yield (x + 1, y + 1), (-1, 0)
            if dark and not before:
                yield (x, y + 1), (0, -1)


def _following(side: Side, known: frozenset[Side], *, bridged: bool) -> Side:
    """Return the side after another. Where two cells touch at a corner there are two, one on each cell."""
    (x, y), heading = side
    end = (x + heading[0], y + heading[1])
    right = RIGHT_OF[heading]
    left = (-right[0], -right[1])
    choices = (left, heading, right) if bridged else (right, heading, left)
    return next((end, choice) for choice in choices if (end, choice) in known)


def _round_off(contour: list[Side], outer: float, inner: float) -> Outline:
    """Draw a contour with round corners."""
    corners = [
        (point, before, after)
        for (_, before), (point, after) in zip((contour[-1], *contour), contour, strict=False)
        if before != after
    ]
    points = [point for point, _, _ in corners]
    lengths = [abs(a[0] - b[0]) + abs(a[1] - b[1]) for a, b in zip((points[-1], *points), points, strict=False)]
    segments: list[Segment] = []
    for (point, before, after), length, other in zip(corners, lengths, (*lengths[1:], lengths[0]), strict=True):
        limit = outer if RIGHT_OF[before] == after else inner
        segments += _corner(point, before, after, min(limit, length / 2, other / 2))
    return Outline.of((("M", segments[0][1]), *segments[1:], ("Z", ())))


def _corner(point: Point, before: Point, after: Point, radius: float) -> list[Segment]:
    """Draw a line to a corner, and around it to where the next line begins."""
    (x, y), (in_x, in_y), (out_x, out_y) = point, before, after
    start = (x - in_x * radius, y - in_y * radius)
    if not radius:
        return [("L", start)]
    rest = radius * (1 - KAPPA)
    end = (x + out_x * radius, y + out_y * radius)
    return [("L", start), ("C", (x - in_x * rest, y - in_y * rest, x + out_x * rest, y + out_y * rest, *end))]
