"""The lines around modules fill exactly the dark ones."""

from hypothesis import given
from hypothesis import strategies as st

from qrkit.drawing.contours import contours

SIDES = st.integers(1, 9)
CELLS = st.tuples(SIDES, SIDES).flatmap(
    lambda sides: st.lists(
        st.lists(st.integers(0, 1), min_size=sides[0], max_size=sides[0]).map(bytes),
        min_size=sides[1],
        max_size=sides[1],
    ).map(tuple)
)


def sides(contour):
    return zip(contour, [*contour[1:], contour[0]], strict=True)


def windings(found, cells):
    """How many times the lines run around each cell, clockwise."""
    rows = [[0] * len(row) for row in cells]
    for contour in found:
        for (x, y), (_, to_y) in sides(contour):
            for row in range(min(y, to_y), max(y, to_y)):
                for column in range(x, len(cells[0])):
                    rows[row][column] += 1 if to_y < y else -1
    return tuple(map(bytes, rows))


@given(CELLS)
def test_contours_run_once_around_each_dark_cell_and_around_no_other(cells):
    assert windings(contours(cells), cells) == cells


@given(CELLS)
def test_sides_are_horizontal_and_vertical_in_turn(cells):
    for contour in contours(cells):
        across = [y == to_y and x != to_x for (x, y), (to_x, to_y) in sides(contour)]
        assert across == [True, False] * (len(contour) // 2)
        assert all(x == to_x for (x, _), (to_x, _) in list(sides(contour))[1::2])


def test_cells_that_touch_at_a_corner_share_a_contour():
    for cells in ((b"\1\0", b"\0\1"), (b"\0\1", b"\1\0")):
        assert len(contours(cells)) == 1


def test_a_hole_has_a_contour_of_its_own():
    outer, hole = contours((b"\1\1\1", b"\1\0\1", b"\1\1\1"))
    assert sorted(outer) == [(0, 0), (0, 3), (3, 0), (3, 3)]
    assert sorted(hole) == [(1, 1), (1, 2), (2, 1), (2, 2)]
