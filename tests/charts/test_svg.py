"""Paths in fewer letters go through the same points."""

from itertools import pairwise
from xml.etree import ElementTree

import pytest
from fontTools.pens.recordingPen import RecordingPen
from fontTools.svgLib.path.parser import parse_path
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure
from matplotlib.patches import Ellipse

from qrkit.charts import to_svg
from qrkit.charts.svg import short_path

tenths = st.integers(-40, 9_000).map(lambda number: number / 10)
point = st.tuples(tenths, tenths)
step = st.one_of(
    st.tuples(st.just("L"), st.tuples(point)),
    st.tuples(st.just("Q"), st.tuples(point, point)),
    st.tuples(st.just("C"), st.tuples(point, point, point)),
)
subpath = st.tuples(point, st.lists(step, min_size=1, max_size=6), st.booleans())


def drawn(path):
    """What a reader of SVG draws: the letter and the points of each step."""
    pen = RecordingPen()
    parse_path(path, pen)
    return [(name, tuple((round(x, 6), round(y, 6)) for x, y in points)) for name, points in pen.value]


@given(st.lists(subpath, min_size=1, max_size=3))
def test_curves_are_as_before_and_lines_end_at_points_of_before(subpaths):
    text = ""
    for (x, y), steps, is_closed in subpaths:
        text += f"M {x} {y} " + "".join(
            f"{letter} {' '.join(f'{across} {down}' for across, down in points)} " for letter, points in steps
        )
        text += "z " if is_closed else ""
    before, after = drawn(text), drawn(short_path(text))
    assert [one for one in after if one[0] != "lineTo"] == [one for one in before if one[0] != "lineTo"]
    left = iter(before)
    assert all(one in left for one in after)
    assert [one[1] for one, end in pairwise(after) if end[0] in ("closePath", "endPath")] == [
        one[1] for one, end in pairwise(before) if end[0] in ("closePath", "endPath")
    ]


@pytest.mark.parametrize(
    ("path", "short"),
    [
        ("M 44.4 151 L 315.2 151", "M44.4 151h270.8"),
        ("M 0 0 L 5 0 L 9 0 L 9 0.5 L 3 0.5", "M0 0h9v.5h-6"),
        ("M 0 0 L 5 0 L 2 0", "M0 0h5-3"),
        ("M 1 1 L 2 3 L 4 2 z M 5 5 L 5 4", "M1 1l1 2 2-1zM5 5v-1"),
        ("M 0 0 C 1 2 3 4 5 6 C 1 2 3 4 5 6", "M0 0c1 2 3 4 5 6-4-4-2-2 0 0"),
        ("M 10.04 0.06 L 10.04 0.06", "M10 .1h0"),
        ("M 146.7 37 L 1e-05 37", "M146.7 37h-146.7"),
    ],
)
def test_lines_along_an_axis_are_one(path, short):
    assert short_path(path) == short


@pytest.mark.parametrize(("x", "y", "radius"), [(149.8, 267.7, 22), (10, 12.35, 4), (0, 0, 0.5)])
def test_a_circle_of_matplotlib_is_a_circle(x, y, radius):
    chart = Figure(figsize=(5, 5), dpi=72, facecolor="none")
    chart.add_artist(Ellipse((x / 360, 1 - y / 360), 2 * radius / 360, 2 * radius / 360, facecolor="#263dc5"))
    (circle,) = ElementTree.fromstring(to_svg(chart)).findall("{*}circle")
    assert [float(circle.get(name)) for name in ("cx", "cy", "r")] == pytest.approx([x, y, radius], abs=0.051)
    assert "fill:var(--color-1,#263dc5)" in circle.get("style")


def test_an_ellipse_is_not_a_circle():
    chart = Figure(figsize=(5, 5), dpi=72)
    chart.add_artist(Ellipse((0.5, 0.5), 0.2, 0.3))
    assert "<circle" not in to_svg(chart)


def test_rounding_does_not_add_up():
    path = "M 0 0 " + " ".join(f"L {number * 1.04} {number % 2}" for number in range(1, 300))
    assert drawn(short_path(path))[-2][1] == ((311.0, 1.0),)
