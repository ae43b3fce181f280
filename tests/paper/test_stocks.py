"""Label stocks by name, and cards on plain paper."""

import csv
from importlib.resources import files

import pytest

from qrkit.errors import InvalidParameter
from qrkit.paper import CARDS, PAPERS, stock_named, stocks

ROWS = list(csv.reader(files("qrkit.paper").joinpath("label_stocks.tsv").read_text().splitlines()[1:], delimiter="\t"))
OVERLAPPING = {"SheetLabels SL113", "Begalabel M-600 (medium)"}
"""Parts whose maker's figures are suspicious."""


def gap(one, other, stock):
    """The distance between two labels, in millimeters; negative if their boxes overlap."""
    across, down = abs(one[0] - other[0]) - stock.width, abs(one[1] - other[1]) - stock.height
    if stock.shape in ("round", "disc"):
        return ((one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2) ** 0.5 - stock.width
    return max(across, down)


def test_every_line_of_the_file_is_a_stock():
    assert len(ROWS) == 928
    found = stocks()
    assert sum(len(stock.places) for stock in found.values()) == sum(
        int(columns) * int(rows) for columns, rows in (row[5].split()[:2] for row in ROWS)
    )
    assert {f"{row[0]} {row[1]}" for row in ROWS} == set(found)


def test_labels_have_room_on_their_page_and_do_not_overlap():
    wrong = set()
    for name, stock in stocks().items():
        for x, y in stock.places:
            if min(x, y) < -0.1 or x + stock.width > stock.page[0] + 0.3 or y + stock.height > stock.page[1] + 0.3:
                wrong.add(name)
        near = zip(stock.places, stock.places[1:], strict=False)
        if any(gap(one, other, stock) < -0.01 for one, other in near):
            wrong.add(name)
    assert wrong <= OVERLAPPING


@pytest.mark.parametrize("name", ["L7160", "l7160", "Avery L7160", "avery-l7160", " L 7160 ", "7160", "J8160"])
def test_a_stock_has_several_names(name):
    stock = stock_named(name)
    assert (stock.name, len(stock.places), stock.page) == ("Avery 7160", 21, (210, 297))
    assert (stock.width, stock.height, stock.places[0], stock.places[-1]) == (
        63.994, 38.1, (7.479, 15.487), (pytest.approx(139.559), pytest.approx(244.087)),
    )  # fmt: skip


def test_every_name_of_the_file_is_known():
    for maker, part, others, *_ in ROWS:
        for name in (part, *filter(None, others.split(","))):
            assert stock_named(f"{maker} {name}").name == f"{maker} {part}"


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("L716", "did you mean 'L7161'|did you mean 'L7169'"),
        ("Avery L716", "did you mean 'Avery L716"),
        ("bisness-card", "did you mean 'business-card'"),
        ("3614", "several makers, and they differ; write 'Avery 8165' or 'Rayfilm 3614'"),
        ("", "is not a stock; allowed: 895 label stocks, such as L7160, and a6, business-card, hang-tag, "),
    ],
)
def test_an_unknown_stock_is_told_with_its_neighbors(name, told):
    with pytest.raises(InvalidParameter, match=told):
        stock_named(name)


def test_one_stock_of_two_makers_is_one_stock():
    assert stock_named("32015").places == stock_named("Avery 32015").places


@pytest.mark.parametrize("paper", ["A4", "letter", "A3"])
@pytest.mark.parametrize("card", [name for name, one in CARDS.items() if not one.is_poster])
def test_cards_lie_in_the_middle_of_the_paper(card, paper):
    stock = stock_named(card, paper=paper, gap=6, edge=8)
    assert sorted(stock.page) == sorted(next(size for name, size in PAPERS.items() if name.lower() == paper.lower()))
    (left, top), (right, bottom) = stock.places[0], stock.places[-1]
    assert left == pytest.approx(stock.page[0] - right - stock.width)
    assert top == pytest.approx(stock.page[1] - bottom - stock.height)
    assert min(left, top) >= 8 - 1e-9
    assert all(gap(one, other, stock) >= 6 - 1e-9 for one in stock.places for other in stock.places if one != other)


def test_a_business_card_of_the_us_is_two_by_three_and_a_half_inches():
    stock = stock_named("us-business-card", paper="Letter")
    assert (len(stock.places), stock.width, stock.height) == (12, pytest.approx(3.5 * 25.4), pytest.approx(2 * 25.4))


@pytest.mark.parametrize("paper", ["A4", "letter", "A2"])
def test_a_poster_is_as_large_as_its_paper(paper):
    size = next(size for name, size in PAPERS.items() if name.lower() == paper.lower())
    stock = stock_named("poster", paper=paper, gap=6, edge=8)
    assert ((stock.width, stock.height), stock.places) == (size, ((8, 8),))
    assert stock.page == (size[0] + 16, size[1] + 16)


def test_a_paper_is_large_enough_and_only_for_cards():
    assert len(stock_named("a6").places) == 4
    with pytest.raises(InvalidParameter, match="is too small for a table-tent of 90 x 240 mm"):
        stock_named("table-tent", paper="A6")
    with pytest.raises(InvalidParameter, match=r"paper='A40': is not a paper size; did you mean 'A4'"):
        stock_named("ticket", paper="A40")
    with pytest.raises(InvalidParameter, match="a label stock has its own paper"):
        stock_named("L7160", paper="A4")


def test_the_notice_of_the_figures_comes_along():
    assert "Copyright (c) 2001-2009 Jim Evins" in files("qrkit.paper").joinpath("label_stocks.LICENSE").read_text()
