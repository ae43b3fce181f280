"""Label stocks by name, from the template database of gLabels, and cards of ours that are cut from plain paper.

`label_stocks.tsv` holds the figures in millimeters, and `label_stocks.LICENSE` the notice that comes with them. A part
with several lines has several grids on one page. Eight rolls are not in that database. Brother DK-1203, 1209, 1218,
1221, 1240, 1241 and 1247 are as large as the dots at 300 dpi that github.com/pklaus/brother_ql (for DK-1247,
github.com/matmair/brother_ql-inventree) gives for whole labels, as Brother's other rolls are in the database; the
corners are those of these rolls. Dymo S0904980 has the millimeters of its name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

from qrkit.design.outline import Outline, circle, rounded
from qrkit.errors import InvalidParameter, Problem, nearest

Point = tuple[float, float]

ROUNDING = 1e-9
PAPERS: dict[str, Point] = {
    "A2": (420, 594), "A3": (297, 420), "A4": (210, 297), "A5": (148, 210), "A6": (105, 148), "SRA3": (320, 450),
    "Letter": (215.9, 279.4), "Legal": (215.9, 355.6), "Tabloid": (279.4, 431.8),
}  # fmt: skip
"""Width and height of paper, in millimeters."""
CARD = "card"
"""The paper that is as large as a card with its bleed and marks."""


@dataclass(frozen=True, repr=False)
class Stock:
    """Labels or cards on a page. All lengths are in millimeters.

    Attributes:
        name: The maker and the part, or the name of a card.
        description: What the maker calls it.
        page: Width and height of the page.
        shape: `rectangle`, `round`, `ellipse`, or `disc`, which has a hole in the middle.
        width: Width of a label.
        height: Height of a label.
        radius: Radius of its corners.
        hole: Radius of its hole.
        places: x, y of the top left corner of each label, from the top left corner of the page, row by row.
        punch: Distance of the center of the hole from the top edge, for a tag; 0 for a hole in the middle.
        panels: Number of panels, one above the other; the upper one of two is upside down, because the card is folded.
        is_poster: Whether it is as large as its paper, with the first line of text above the code.
        unit: What one of them is called, such as business card.
    """

    name: str
    description: str
    page: Point
    shape: str
    width: float
    height: float
    radius: float = 0.0
    hole: float = 0.0
    places: tuple[Point, ...] = ((0.0, 0.0),)
    punch: float = 0.0
    panels: int = 1
    is_poster: bool = False
    unit: str = "label"

    def outline(self, grown: float = 0.0) -> Outline:
        """Return the outline of a label, from its top left corner.

        Args:
            grown: Millimeters by which it is larger on all sides, for bleed, which fills round corners, too.
        """
        width, height = self.width + 2 * grown, self.height + 2 * grown
        if self.shape == "rectangle":
            shape = rounded(-grown, -grown, width, height, self.radius + grown if self.radius and grown <= 0 else 0.0)
        else:
            shape = circle(0, 0, 0.5).placed(self.width / 2, self.height / 2, width, height)
        middle = self.punch or self.height / 2
        return shape + circle(self.width / 2, middle, self.hole).hole() if self.hole else shape

    def __repr__(self) -> str:
        label, page = (f"{width:.4g} x {height:.4g} mm" for width, height in ((self.width, self.height), self.page))
        return f"<Stock {self.name}, {self.description}: {len(self.places)} of {label} on {page}>"


CARDS: Mapping[str, Stock] = {
    stock.name: stock
    for stock in (
        Stock("a6", "Postcards", (0, 0), "rectangle", 105, 148, unit="postcard"),
        Stock("business-card", "Business cards", (0, 0), "rectangle", 85, 55, unit="business card"),
        Stock("hang-tag", "Hang tags", (0, 0), "rectangle", 50, 90, radius=3, hole=2.5, punch=8, unit="hang tag"),
        Stock("poster", "Posters", (0, 0), "rectangle", 210, 297, is_poster=True, unit="poster"),
        Stock("sticker", "Round stickers", (0, 0), "round", 50, 50, unit="round sticker"),
        Stock(
            "table-tent", "Table tents, folded in the middle", (0, 0), "rectangle", 90, 240, panels=2, unit="table tent"
        ),
        Stock("ticket", "Tickets", (0, 0), "rectangle", 140, 60, unit="ticket"),
        Stock("us-business-card", "US business cards", (0, 0), "rectangle", 88.9, 50.8, unit="business card"),
    )
}
"""Cards of ours, by name; `stock_named` places them on a paper."""


def _on_paper(card: Stock, paper: Point, gap: float, edge: float) -> Stock:
    """Return as many cards as fit a paper, upright or across, in its middle."""

    def grid(page: Point) -> tuple[int, int]:
        sides = zip(page, (card.width, card.height), strict=True)
        across, down = (int((side - 2 * edge + gap) / (own + gap) + ROUNDING) for side, own in sides)
        return across, down

    page = max((paper, paper[::-1]), key=lambda one: grid(one)[0] * grid(one)[1])
    columns, rows = grid(page)
    if columns * rows < 1:
        rule = f"is too small for a {card.name} of {card.width:g} x {card.height:g} mm with its bleed and marks"
        raise InvalidParameter(Problem("paper", f"{paper[0]:g} x {paper[1]:g} mm", rule, "out-of-range"))
    step_x, step_y = card.width + gap, card.height + gap
    left, top = (page[0] - columns * step_x + gap) / 2, (page[1] - rows * step_y + gap) / 2
    return replace(card, page=page, places=_grid(columns, rows, (left, top), (step_x, step_y)))


def stock_named(name: str, *, paper: str | None = None, gap: float = 0.0, edge: float = 0.0) -> Stock:
    """Return a label stock by its part or by that of an equivalent stock, with or without its maker; or a card of ours.

    Args:
        name: The name, such as `L7160`, `Avery 5160` or `business-card`. Case, spaces and hyphens do not matter.
        paper: One of `PAPERS`, for a card; A4 by default. `card` is as large as the card with its edge. A poster is as
            large as its paper.
        gap: Millimeters between two cards, for their bleed.
        edge: Millimeters around all cards of a page, for bleed and marks.

    Raises:
        InvalidParameter: If there is no such stock (the error has the nearest names), or several makers have it, or the
            paper is unknown, too small, or given for a label stock, which has its own.
    """
    key = _key(name)
    if card := next((card for one, card in CARDS.items() if _key(one) == key), None):
        own = {} if card.is_poster else {CARD: (card.width + 2 * edge, card.height + 2 * edge)}
        sizes = PAPERS | own
        size = next((size for one, size in sizes.items() if one.lower() == (paper or "A4").lower()), None)
        if size is None:
            raise InvalidParameter(Problem("paper", paper, f"is not a paper size; {nearest(paper or '', sizes)}"))
        if card.is_poster:
            width, height = size
            card, size = replace(card, width=width, height=height), (width + 2 * edge, height + 2 * edge)
        return _on_paper(card, size, gap, edge)
    found = {replace(stock, name=""): stock for stock in _by_key().get(key, ())}
    if len(found) > 1:
        makers = " or ".join(repr(stock.name) for stock in found.values())
        rule = f"is a stock of several makers, and they differ; write {makers}"
        raise InvalidParameter(Problem("stock", name, rule))
    if not found:
        # A name of two words has the maker, so names with makers are suggested.
        half = slice(len(name.split()) > 1, None, 2)
        others = [one for _, names in _read().values() for one in names[half]]
        summary = f"{len(_read())} label stocks, such as L7160, and {', '.join(CARDS)}"
        hint = nearest(name, [*CARDS, *others], summary=summary)
        raise InvalidParameter(Problem("stock", name, f"is not a stock; {hint}"))
    if paper is not None:
        raise InvalidParameter(Problem("paper", paper, "is only for cards; a label stock has its own paper"))
    return next(iter(found.values()))


def stocks() -> dict[str, Stock]:
    """Return all label stocks by maker and part, such as `Avery 5160`."""
    return {name: stock for name, (stock, _) in _read().items()}


@cache
def _by_key() -> dict[str, list[Stock]]:
    """Return the stocks by each of their names, with and without the maker."""
    found: dict[str, list[Stock]] = {}
    for stock, names in _read().values():
        for one in names:
            found.setdefault(_key(one), []).append(stock)
    return found


def _key(name: str) -> str:
    return re.sub(r"[^a-z0-9.]", "", name.lower())


@cache
def _read() -> dict[str, tuple[Stock, tuple[str, ...]]]:
    """Return each stock with its names, by turns without and with the maker."""
    found: dict[str, tuple[Stock, tuple[str, ...]]] = {}
    lines = files(__package__).joinpath("label_stocks.tsv").read_text(encoding="utf-8").splitlines()
    for line in lines[1:]:
        maker, part, others, sides, label, grid, description = line.split("\t")
        name = f"{maker} {part}"
        columns, rows, left, top, step_x, step_y = map(float, grid.split())
        places = _grid(int(columns), int(rows), (left, top), (step_x, step_y))
        if name in found:  # a further grid of the same labels
            stock, names = found[name]
            found[name] = replace(stock, places=stock.places + places), names
            continue
        shape, *sizes = label.split()
        page_width, page_height, width, height, radius, hole = map(float, (*sides.split(), *sizes))
        page = page_width, page_height
        stock = Stock(name, description, page, shape, width, height, radius, hole, places)
        parts = [part, *filter(None, others.split(","))]
        found[name] = stock, tuple(one for own in parts for one in (own, f"{maker} {own}"))
    return found


def _grid(columns: int, rows: int, first: Point, step: Point) -> tuple[Point, ...]:
    return tuple((first[0] + x * step[0], first[1] + y * step[1]) for y in range(rows) for x in range(columns))
