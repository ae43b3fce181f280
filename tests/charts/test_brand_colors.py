"""Colors of charts in the look of a brand."""

import re

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from qrkit import Brand, Color, charts

ACME = Brand("Acme", ink="#1B2A49", accent="#9A3412")
DAYS = pd.DataFrame({"day": pd.date_range("2026-06-01", periods=9), "scans": range(9)})

shades = st.builds(Color, *[st.integers(0, 255)] * 3)


@given(shades, shades)
def test_colors_of_a_brand_stand_out_from_the_page(ink, accent):
    colors = charts.brand_colors(Brand("Acme", ink=ink, accent=accent))
    assert colors.keys() == charts.COLORS.keys()
    for mode in (0, 1):
        paper = Color.parse(colors["paper"][mode])
        series = [Color.parse(colors[f"color-{number}"][mode]) for number in range(1, charts.MOST_COLORS + 1)]
        assert all(color.contrast(paper) >= 3 for color in series)
        assert Color.parse(colors["ink"][mode]).contrast(paper) >= 7


@given(shades)
def test_accent_is_the_first_color_and_the_house_color_like_it_gives_way(accent):
    colors = charts.brand_colors(Brand("Acme", accent=accent))
    first = Color.parse(colors["color-1"][0])
    assert first == accent.visible_on(Color.parse(colors["paper"][0]))
    others = {colors[f"color-{number}"] for number in range(2, charts.MOST_COLORS + 1)}
    house = {charts.COLORS[f"color-{number}"] for number in range(1, charts.MOST_COLORS + 1)}
    assert others < house and len(others) == charts.MOST_COLORS - 1


def test_charts_within_branded_are_in_the_colors_of_the_brand():
    house = charts.to_svg(charts.lines(DAYS))
    with charts.branded(ACME):
        chart = charts.lines(DAYS)
    drawn = charts.to_svg(chart)
    shown, known = ("".join(re.findall(r"var\(--([\w-]+)", one)) for one in (drawn, house))
    assert shown == known
    assert "var(--color-1,#9a3412)" in drawn
    assert "#9a3412" not in charts.to_svg(charts.lines(DAYS))
    for name, shade in re.findall(r"var\(--([\w-]+),(#\w+)\)", drawn):
        assert shade in charts.brand_colors(ACME)[name]
