"""Drawings that are needed again are kept, within a bound, and are the same as new ones."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from qrkit.drawing.untrusted.rasteriser import rasterise_all, within
from qrkit.drawing.untrusted.rasteriser.kept import MOST_KEPT, rasterise_new
from qrkit.errors import RenderingFailed


def drawing(color: str, side: int = 20) -> tuple[bytes, int, int]:
    """A square of one color as SVG, with its width and height."""
    size = f'width="{side}" height="{side}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}><rect {size} fill="{color}"/></svg>'.encode(), side, side


def test_kept_drawings_are_those_of_the_renderer_in_the_order_asked_for():
    red, green, blue = (drawing(color) for color in ("#f00001", "#00f001", "#0001f0"))
    rasterise_new([green])
    asked = [red, green, red, blue]
    assert rasterise_new(asked) == rasterise_all(asked)
    assert rasterise_new([]) == []


def test_a_drawing_is_drawn_once():
    (first,) = rasterise_new([drawing("#123457")])
    (again,) = rasterise_new([drawing("#123457")])
    assert again is first


def test_drawings_that_were_not_used_for_longest_are_dropped():
    side = 1000
    count = MOST_KEPT // (4 * side * side)
    colors = [f"#9{number:02}" for number in range(count + 1)]
    (used,) = rasterise_new([drawing(colors[0], side)])
    (unused,) = rasterise_new([drawing(colors[1], side)])
    for color in colors[2:]:
        assert rasterise_new([drawing(colors[0], side)])[0] is used
        rasterise_new([drawing(color, side)])
    (new,) = rasterise_new([drawing(colors[1], side)])
    assert new == unused
    assert new is not unused


def test_a_large_drawing_is_not_kept():
    large = drawing("#abcdef", 1200)
    (first,), (again,) = rasterise_new([large]), rasterise_new([large])
    assert first == again
    assert first is not again


def test_a_kept_drawing_cannot_be_had_when_the_time_is_up():
    rasterise_new([drawing("#765432")])
    with within(0), pytest.raises(RenderingFailed, match="all its parts together take too long"):
        rasterise_new([drawing("#765432")])


def test_a_drawing_that_fails_is_not_kept():
    for _ in range(2):
        with pytest.raises(RenderingFailed):
            rasterise_new([(b"<svg", 20, 20)])


def test_threads_get_their_own_drawings():
    colors = [f"#{number:02x}00ff" for number in range(16)] * 8

    def draw(color: str) -> bytes:
        return rasterise_new([drawing(color)])[0]

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(draw, colors))
    assert found == [bytes((*bytes.fromhex(color[1:]), 255)) * 400 for color in colors]
