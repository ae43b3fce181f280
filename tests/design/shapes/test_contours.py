"""The lines around modules fill exactly the dark ones."""

from hypothesis import given
from hypothesis import strategies as st

from qrkit.design.shapes.contours import contours

SIDES = st.integers(1, 9)
CELLS = st.tuples(SIDES, SIDES).flatmap(
    lambda sides: st.lists(
        st.lists(st.integers(0, 1), min_size=sides[0], max_size=sides[0]).map(bytes),
        min_size=sides[1],
        max_size=sides[1],
    ).map(tuple)
)


def sides(contour):
    """The vertical sides of a contour: column, and from which row to which."""
    return [(x, before, y) for (_, before), (x, y) in zip([contour[-1], *contour[:-1]], contour, strict=True)]


def windings(found, cells):
    """How many times the lines run around each cell, clockwise."""
    rows = [[0] * len(row) for row in cells]
    for contour in found:
        for x, before, y in sides(contour):
            for row in range(min(before, y), max(before, y)):
                for column in range(x, len(cells[0])):
                    rows[row][column] += 1 if y < before else -1
    return tuple(map(bytes, rows))


@given(CELLS, st.booleans())
def test_contours_run_once_around_each_dark_cell_and_around_no_other(cells, bridged):
    assert windings(contours(cells, bridged=bridged), cells) == cells


@given(CELLS, st.booleans())
def test_a_line_turns_at_each_corner(cells, bridged):
    for contour in contours(cells, bridged=bridged):
        for (x, y), (next_x, next_y) in zip(contour, [*contour[1:], contour[0]], strict=True):
            assert x != next_x
            assert y != next_y


def test_cells_that_touch_at_a_corner_share_a_contour_if_they_are_bridged():
    for cells in ((b"\1\0", b"\0\1"), (b"\0\1", b"\1\0")):
        assert len(contours(cells)) == 1
        assert len(contours(cells, bridged=False)) == 2


def test_a_hole_has_a_contour_of_its_own():
    outer, hole = contours((b"\1\1\1", b"\1\0\1", b"\1\1\1"))
    assert outer == [(0, 0), (3, 3)]
    assert hole == [(2, 1), (1, 2)]
