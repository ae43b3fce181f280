import math
import re
from datetime import date
from io import BytesIO
from itertools import combinations, pairwise
from pathlib import Path
from xml.etree import ElementTree

import matplotlib
import pandas as pd
import pytest
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Ellipse
from PIL import Image

from qrkit import analytics, charts, open_portfolio
from qrkit.analytics import without_small_groups
from qrkit.charts import COLORS
from qrkit.errors import InvalidParameter
from tests.sweeps import quick_first

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = ("🎉🎊 Fête", "שלום עולם", "מבצע \u202e קיץ", "$5<script>x</script>", "日本語の名前", "a\nb\x0b\x00c", "")


def per_day(days: int, *names: str, start: str = "2026-06-01") -> pd.DataFrame:
    """Scans of each day: those of a later name are larger."""
    rows = [
        (day, name, (number * 7) % 5 + 3 * place)
        for place, name in enumerate(names)
        for number, day in enumerate(pd.date_range(start, periods=days))
    ]
    return pd.DataFrame(rows, columns=["day", "campaign", "scans"]).astype({"campaign": "str"})


def hours(counts: dict[tuple[int, int], int]) -> pd.DataFrame:
    rows = [(day, hour, counts.get((day, hour), 0)) for day in range(1, 8) for hour in range(24)]
    return pd.DataFrame(rows, columns=["weekday", "hour", "scans"])


def drawn(chart: Figure) -> dict[str, list[float]]:
    """The values of each line by its name, without those of the grid."""
    found = chart.axes[0].get_lines()
    return {line.get_label(): list(line.get_ydata()) for line in found if not line.get_label().startswith("_")}


def texts(chart: Figure) -> list[str]:
    return [text.get_text() for text in chart.texts]


def parsed(chart: Figure) -> ElementTree.Element:
    return ElementTree.fromstring(charts.to_svg(chart))


def svg_texts(chart: Figure) -> list[str | None]:
    return [text.text for text in parsed(chart).iter(f"{SVG}text")]


# ---- lines


def test_lines_show_the_scans_of_each_campaign_and_day():
    frame = per_day(30, "Spring", "Night")
    chart = charts.lines(frame)
    for name in ("Spring", "Night"):
        assert drawn(chart)[name] == frame.loc[frame["campaign"] == name, "scans"].tolist()
    days = chart.axes[0].get_lines()[-1].get_xdata()
    assert [days[0].date(), days[-1].date(), len(days)] == [date(2026, 6, 1), date(2026, 6, 30), 30]
    assert {"Spring", "Night"} <= set(texts(chart))


def test_lines_without_a_third_column_are_one():
    frame = per_day(9, "x").drop(columns="campaign")
    assert drawn(charts.lines(frame)) == {"scans": frame["scans"].tolist()}


@pytest.mark.parametrize("draw", [charts.lines, charts.small_multiples])
@pytest.mark.parametrize("change", [{"day": "date"}, {"scans": "sales"}])
def test_a_table_of_other_things_is_refused_with_what_is_needed(draw, change):
    with pytest.raises(InvalidParameter, match=r"needs the columns day .* and scans.*; it has .*(date|sales) "):
        draw(per_day(9, "x").rename(columns=change))


@pytest.mark.parametrize("draw", [charts.bars, charts.hour_of_week, charts.scans_by_country, charts.unusual_days])
def test_chart_names_the_column_that_is_missing(draw):
    with pytest.raises(InvalidParameter, match=r"frame: needs the column '\w+'; it has date, sales$"):
        draw(pd.DataFrame({"date": ["2026-06-01"], "sales": [3]}))


@pytest.mark.parametrize("draw", [charts.forecast, charts.unusual_days])
def test_chart_names_the_column_that_has_no_times(draw):
    frame = pd.DataFrame({"day": [1], "scans": [3], "low": [1.0], "high": [4.0], "is_unusual": [False]})
    with pytest.raises(InvalidParameter, match=r"frame: needs times \(datetime64\) in the column 'day', not int64"):
        draw(frame)


@pytest.mark.parametrize("draw", [charts.lines, charts.bars])
def test_chart_refuses_what_is_not_a_frame(draw):
    with pytest.raises(InvalidParameter, match="must be a DataFrame, such as functions of qrkit"):
        draw([1, 2, 3])


def test_beyond_six_lines_the_small_ones_are_one():
    frame = per_day(20, *(f"C{number}" for number in range(12)))
    lines = drawn(charts.lines(frame))
    assert len(lines) == 7
    assert set(lines) == {f"C{number}" for number in range(6, 12)} | {"6 others"}
    assert sum(map(sum, lines.values())) == frame["scans"].sum()


def test_a_campaign_called_like_the_others_is_not_lost():
    frame = per_day(5, "x", "y", "a", "b", "c", "d", "e", "2 others")
    assert sum(map(sum, drawn(charts.lines(frame)).values())) == frame["scans"].sum()


def test_a_year_of_days_is_shown_as_the_mean_of_seven():
    frame = per_day(365, "x", start="2025-09-01")
    chart = charts.lines(frame)
    assert drawn(chart)["x"][3] == pytest.approx(frame["scans"][:7].mean())
    assert any("mean of 7 days" in text for text in texts(chart))
    assert {"2025", "Oct", "Jan", "2026", "Jul"} <= set(texts(chart))


@pytest.mark.parametrize("days", [1, 2, 13, 31, 90, 119, 400, 3_000])
@pytest.mark.parametrize("width", [350, 1080])
def test_dates_have_room(days, width):
    chart = charts.lines(per_day(days, "x", "y"), width=width)
    boxes = [text.get_window_extent() for text in chart.texts if text.get_position()[1] < 0.11]
    assert boxes
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))


def test_names_at_the_ends_keep_apart():
    chart = charts.lines(per_day(9, *"abcdef"), width=760)
    heights = sorted(text.get_position()[1] * chart.bbox.height for text in chart.texts if text.get_text() in "abcdef")
    assert len(heights) == 6
    assert min(after - before for before, after in pairwise(heights)) > 17


def test_counts_are_whole_numbers():
    frame = per_day(3, "x").assign(scans=[0, 1, 0])
    labels = [text.get_text() for text in charts.lines(frame).texts if text.get_ha() == "right"]
    assert labels == ["0", "1"]


def test_a_name_keeps_its_color_over_charts():
    colors = charts.assign_colors(["Night", "Spring"])
    lines = charts.lines(per_day(9, "Spring", "Night"), colors=colors).axes[0].get_lines()
    found = {line.get_label(): line.get_color() for line in lines}
    assert found["Night"] == COLORS["color-1"][0]
    assert found["Spring"] == COLORS["color-2"][0]
    frame = pd.DataFrame({"campaign": ["Spring", "Other"], "scans": [2, 1]})
    bars = charts.bars(frame, colors=colors).axes[0].patches
    assert [to_hex(bar.get_facecolor()) for bar in bars] == [COLORS["color-2"][0], COLORS["color-0"][0]]


def test_small_charts_have_the_colors_of_lines():
    with open_portfolio(":memory:") as shop:
        groups = {name: shop.insert_campaign(name).id for name in ("Spring", "Night")}
        codes = {name: shop.insert_qrcode("https://x.example", name=name, campaign_id=groups[name]) for name in groups}
        times = pd.date_range("2026-06-01T09:00", periods=6, freq="D", tz="UTC")
        scans = [
            (codes[name].short_code, time) for name, most in (("Spring", 3), ("Night", 6)) for time in times[:most]
        ]
        shop.scans.insert(pd.DataFrame(scans, columns=["short_code", "time"]))
        frame = analytics.scans_per_day(shop.scans, by="campaign")
    lines = {line.get_label(): line.get_color() for line in charts.lines(frame).axes[0].get_lines()}
    assert lines["Spring"] == COLORS["color-1"][0]  # the first campaign, though the other has more scans
    panels = [axes.get_lines()[-1].get_color() for axes in charts.small_multiples(frame).axes]
    assert set(panels) == {lines["Spring"], lines["Night"]}
    assert panels == [lines["Night"], lines["Spring"]]


def test_colors_are_numbered_up_to_six():
    assert list(charts.assign_colors("abcdefgh").values()) == [1, 2, 3, 4, 5, 6, 0, 0]


# ---- bars, week, sparkline


def test_bars_are_as_long_as_the_scans():
    frame = pd.DataFrame({"qrcode_id": ["1", "2"], "qrcode": ["Door", "Window " * 20], "scans": [1200, 3]})
    chart = charts.bars(frame)
    assert [bar.get_width() for bar in chart.axes[0].patches] == [1200, 3]
    assert "Door" in texts(chart)
    assert "1,200" in texts(chart)
    assert any(text.startswith("Window W") and text.endswith("…") for text in texts(chart))
    assert charts.bars(frame, label="qrcode_id").words == "1 1,200, 2 3"


def test_week_shows_each_hour_of_each_weekday():
    chart = charts.hour_of_week(hours({(1, 0): 4, (7, 23): 9}))
    (mesh,) = chart.axes[0].collections
    shown = mesh.get_array().reshape(7, 24)
    assert (shown[0, 0], shown[6, 23], shown.sum()) == (4, 9, 13)
    assert chart.words == "13 in all; most, 9, on Sun from 23:00"


@pytest.mark.parametrize(("most", "ranges"), [(1, "0 1"), (3, "0 1 2 3"), (10, "0 1-2 3-4 5-6 7-8 9-10")])
def test_levels_of_a_week_cover_all_counts(most, ranges):
    chart = charts.hour_of_week(hours({(3, 12): most, (4, 12): 1}))
    assert set(ranges.split()) <= {text.replace("\N{EN DASH}", "-") for text in texts(chart)}
    faces = {to_hex(color) for color in chart.axes[0].collections[0].to_rgba(range(most + 1))}
    assert COLORS["heat-0"][0] in faces
    assert COLORS["heat-5"][0] in faces


def test_sparkline_has_a_column_for_each_day_with_scans():
    assert 'd="M1 20v-20M5 20v-1"' in charts.sparkline([40, 0, 1])
    assert charts.sparkline([1] * 365).count("M") <= 45
    assert ElementTree.fromstring(charts.sparkline([])).get("aria-hidden") == "true"


# ---- lines of hours, small charts, the period before, what is usual


def test_hours_have_a_line_with_their_time():
    hours = pd.date_range("2026-06-01 06:00", periods=20, freq="h", tz="Europe/Ljubljana")
    chart = charts.lines(pd.DataFrame({"start": hours, "hours": 1.0, "scans": range(20), "visitors": range(20)}))
    assert drawn(chart) == {"scans": list(range(20))}
    assert chart.title == "scans per hour"
    assert chart.words == "190 from 2026-06-01 06:00 to 2026-06-02 01:00"
    assert {"scans an hour", "12:00", "1 Jun 2026", "2 Jun 2026"} <= set(texts(chart))


def panel_lines(chart: Figure) -> list[list[float]]:
    return [list(line.get_ydata()) for axes in chart.axes for line in axes.get_lines() if len(line.get_xdata()) > 2]


@pytest.mark.parametrize("width", [350, 760, 1080])
def test_panels_have_a_chart_each_of_one_scale(width):
    frame = per_day(12, *"abcde")
    chart = charts.small_multiples(frame, width=width)
    by_name = {name: rows.tolist() for name, rows in frame.groupby("campaign")["scans"]}
    assert panel_lines(chart) == [by_name[name] for name in "edcba"]
    assert len({axes.get_ylim() for axes in chart.axes}) == 1
    boxes = [axes.bbox for axes in chart.axes]
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))
    assert {f"{sum(counts):,}" for counts in by_name.values()} <= set(texts(chart))


def test_beyond_12_panels_the_rest_is_said():
    frame = per_day(9, *(f"C{number:02}" for number in range(40)))
    chart = charts.small_multiples(frame, width=1080)
    assert len(chart.axes) == 12
    rest = frame.loc[frame["campaign"] < "C28", "scans"].sum()
    assert f"and 28 others with {rest:,} scans" in texts(chart)


def beside(present: list[int], past: list[int]) -> pd.DataFrame:
    rows = max(len(present), len(past))
    frame = pd.DataFrame({"scans": pd.Series(present), "previous_scans": pd.Series(past)}, index=range(rows))
    days = pd.Series(pd.date_range("2026-05-01", periods=len(past) + len(present), tz="UTC"))
    frame["previous_start"], frame["start"] = days[: len(past)], days[len(past) :].reset_index(drop=True)
    return frame.astype({"scans": "Int64", "previous_scans": "Int64"})


@pytest.mark.parametrize(("now", "before"), [(31, 30), (28, 31), (1, 1), (7, 7)])
def test_the_period_before_is_drawn_from_the_same_place(now, before):
    chart = charts.previous_period(beside(list(range(1, now + 1)), [5] * before))
    found = {line.get_label(): line for line in chart.axes[0].get_lines() if not line.get_label().startswith("_")}
    assert list(found["this period"].get_ydata()) == list(range(1, now + 1))
    assert list(found["the one before"].get_ydata()) == [5] * before
    assert found["this period"].get_xdata()[0] == found["the one before"].get_xdata()[0]
    assert chart.words.endswith(f"{5 * before:,} in the period before")


def usual_frame(scans: list[int], unusual: set[int]) -> pd.DataFrame:
    days = pd.date_range("2026-06-01", periods=len(scans))
    marks = [place in unusual for place in range(len(scans))]
    return pd.DataFrame({"day": days, "scans": scans, "low": 2.0, "high": 20.0, "is_unusual": marks})


@pytest.mark.parametrize("width", [350, 760])
def test_unusual_days_have_their_dates_within_the_chart(width):
    chart = charts.unusual_days(usual_frame([50, *[9] * 12, 0], {0, 13}), width=width)
    assert {"1 Jun: 50 ↑", "14 Jun: 0"} <= set(texts(chart))  # beyond the scale that the other days need
    for text in chart.texts:
        box = text.get_window_extent()
        assert box.x0 > -1
        assert box.x1 < width + 1
    assert chart.words.endswith("unusual: 2026-06-01 with 50, 2026-06-14 with 0")
    assert charts.unusual_days(usual_frame([9] * 14, set())).words.endswith("unusual: no day")


def test_days_of_an_outage_are_a_gap_in_gray():
    frame = usual_frame([9] * 14, set())
    chart = charts.unusual_days(frame.drop(index=[5, 6]))
    (line,) = (line for line in chart.axes[0].get_lines() if line.get_label() == "scans")
    assert [place for place, scans in enumerate(line.get_ydata()) if math.isnan(scans)] == [5, 6]
    assert "Gray: the server did not answer" in texts(chart)
    assert "Gray: the server did not answer" not in texts(charts.unusual_days(frame))


@pytest.mark.parametrize(
    ("high", "words"),
    [(math.inf, "unusual: no day"), (math.nan, "unusual: not known, as too few days have scans")],
)
def test_a_usual_range_without_end_leaves_room_for_the_scans(high, words):
    chart = charts.unusual_days(usual_frame([50, *[9] * 13], set()).assign(high=high))
    assert 50 <= chart.axes[0].get_ylim()[1] <= 150
    assert chart.words.endswith(words)
    assert charts.to_svg(chart)


# ---- rates, people, posters, delays


def rate_frame(parts: int) -> pd.DataFrame:
    rows = [(f"C{number:02}", 30, 30 * number, number, number * 0.8, number * 1.3) for number in range(1, parts + 1)]
    return pd.DataFrame(rows, columns=["campaign", "days", "scans", "rate", "low", "high"]).astype({"campaign": "str"})


def test_rates_show_intervals_the_highest_first():
    chart = charts.rates(rate_frame(3))
    lines = {line.get_label(): list(line.get_xdata()) for line in chart.axes[0].get_lines()}
    assert lines["C03"] == pytest.approx([2.4, 3.9])
    assert [name for name in lines if name[0] == "C"] == ["C03", "C02", "C01"]
    assert "3.0  (2.4\N{EN DASH}3.9)" in texts(chart)


def test_rates_of_many_are_cut_and_of_all_have_one():
    assert "and 10 others" in texts(charts.rates(rate_frame(40)))
    alone = charts.rates(rate_frame(1).drop(columns="campaign"))
    assert {"all", "1.0  (0.8\N{EN DASH}1.3)"} <= set(texts(alone))


@pytest.mark.parametrize("width", [350, 560, 1080])
@pytest.mark.parametrize("parts", [31, 400])
def test_every_word_beside_rates_is_on_the_paper(parts, width):
    for text in charts.rates(rate_frame(parts), width=width).texts:
        box = text.get_window_extent()
        assert box.x0 >= 0, text.get_text()
        assert box.x1 <= width, text.get_text()


@pytest.mark.parametrize(("width", "least"), [(320, 90), (480, 150)])
def test_long_names_leave_room_for_the_dots_of_rates(width, least):
    names = [f"Spring festival of the old town, entrance number {number}" for number in range(3)]
    chart = charts.rates(rate_frame(3).assign(campaign=names), width=width)
    assert chart.axes[0].get_window_extent().width >= least


def test_one_that_is_left_out_is_one_other():
    assert "and 1 other" in texts(charts.rates(rate_frame(31)))
    panels = charts.small_multiples(per_day(9, *(f"C{number:02}" for number in range(13))), width=1080)
    assert "and 1 other with 17 scans" in texts(panels)
    assert "1 other" in drawn(charts.lines(per_day(9, *"abcdefg")))


def test_charts_say_what_their_numbers_are():
    assert "scans" in texts(charts.bars(pd.DataFrame({"country": ["DE"], "scans": [7]})))
    assert "scans a day, and the range of the true rate" in texts(charts.rates(rate_frame(3)))
    assert "scans a day" in texts(charts.small_multiples(per_day(9, "a", "b")))
    assert "QR Codes" in texts(charts.time_to_first_scan(pd.DataFrame({"delay": [1.0]})))


def test_people_are_a_range():
    chart = charts.human_scans(pd.DataFrame({"likely": [900], "scans": [950], "possible": [1000]}), width=404)
    assert {"900 likely people", "950 counted as scans", "1,000 possibly"} <= set(texts(chart))
    widths = [round(patch.get_window_extent().width) for patch in chart.patches + chart.artists]
    assert widths == [360, 40]


def poster_frame(*rows: tuple[str, float, float, int]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["qrcode", "latitude", "longitude", "scans"]).astype({"qrcode": "str"})


def dots(chart: Figure) -> list[tuple[float, float]]:
    """Middles of the dots, in pixels from the lower left corner."""
    boxes = [artist.get_window_extent() for artist in chart.artists if isinstance(artist, Ellipse)]
    return [((box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2) for box in boxes]


def test_a_map_has_north_up_and_true_distances():
    # A tenth of a degree is 11.1 km to the north, and half as far to the east at 60 degrees.
    chart = charts.scans_by_location(poster_frame(("Here", 60, 10, 9), ("North", 60.1, 10, 4), ("East", 60, 10.2, 1)))
    here, north, east = dots(chart)[:3]
    assert north[0] == pytest.approx(here[0])
    assert east[1] == pytest.approx(here[1])
    assert north[1] - here[1] == pytest.approx(east[0] - here[0], rel=0.01)
    assert {"Here: 9", "North: 4", "East: 1"} <= set(texts(chart))


def test_posters_on_both_sides_of_the_date_line_are_neighbours():
    west, east, *_ = dots(charts.scans_by_location(poster_frame(("Suva", -18.1, 178.4, 2), ("Apia", -13.8, -171.8, 1))))
    assert east[0] > west[0]


def test_posters_of_one_place_are_one_dot_and_one_poster_is_a_map():
    chart = charts.scans_by_location(poster_frame(("Door", 46, 14, 5), ("Desk", 46, 14, 3), ("Bar", 46.01, 14, 0)))
    assert len(dots(chart)) == 2 + 2  # two locations, and the key of sizes
    assert "Door and 1 more: 8" in texts(chart)
    (middle,) = dots(charts.scans_by_location(poster_frame(("Door", 46, 14, 0)), title="", height=420))
    assert middle == pytest.approx((280, 210))


def test_names_on_a_map_do_not_cover_each_other():
    rows = [(f"Poster number {number}", 46 + number % 7 / 50, 14 + number % 11 / 80, number) for number in range(30)]
    chart = charts.scans_by_location(poster_frame(*rows))
    boxes = [text.get_window_extent() for text in chart.texts if text.get_text().startswith("Poster")]
    assert len(boxes) > 2
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))


def test_delays_are_counted_by_how_long_they_were():
    frame = pd.DataFrame({"delay": [0.0, 0.99, 1.0, 30.0, 71.9, 72.0, 5_000.0, float("nan")]})
    chart = charts.time_to_first_scan(frame)
    assert chart.words == "< 1 h 2, 1\N{EN DASH}6 h 1, 1\N{EN DASH}3 d 2, 3\N{EN DASH}7 d 1, later 1, not yet 1"
    assert [bar.get_height() for bar in chart.axes[0].patches] == [2, 1, 0, 2, 1, 0, 1, 1]
    assert "before" not in texts(chart)
    assert charts.time_to_first_scan(pd.DataFrame({"delay": [-3.0]})).words == "before 1"


# ---- light and dark


def test_charts_are_drawn_for_dark_paper_within_dark():
    light = charts.lines(per_day(9, "x"))
    with charts.dark():
        chart = charts.lines(per_day(9, "x"))
    assert to_hex(chart.get_facecolor()) == COLORS["paper"][1]
    assert to_hex(charts.lines(per_day(9, "x")).get_facecolor()) == COLORS["paper"][0]
    picture = Image.open(BytesIO(chart._repr_mimebundle_()[0]["image/png"])).convert("RGB")
    assert picture.getpixel((0, 0)) == tuple(round(255 * part) for part in to_rgb(COLORS["paper"][1]))
    # A page decides for itself, whatever it was drawn for.
    assert re.findall(r"var\(--[\w-]+", charts.to_svg(chart)) == re.findall(r"var\(--[\w-]+", charts.to_svg(light))


# ---- tables that are given away, clocks that are changed


def test_hidden_counts_have_no_bar():
    frame = pd.DataFrame({"country": ["SI", "AT", "HR"], "scans": [30, 20, 4]})
    chart = charts.bars(without_small_groups(frame, by=("country",), least=14))
    assert [bar.get_width() for bar in chart.axes[0].patches] == [30, 0, 0]
    assert texts(chart).count("hidden") == 2
    assert chart.words == "Slovenia 30, Austria hidden, Croatia hidden"


def test_lines_have_a_gap_where_counts_are_hidden():
    frame = pd.DataFrame({"day": pd.date_range("2026-06-01", periods=4), "scans": [30, 3, 4, 40]})
    chart = charts.lines(without_small_groups(frame, by=("day",), least=5))
    assert drawn(chart)["scans"] == pytest.approx([30, math.nan, math.nan, 40], nan_ok=True)
    assert chart.words == "70 and 2 hidden counts from 2026-06-01 to 2026-06-04"


def with_gaps(*places: int, days: int = 20) -> pd.DataFrame:
    """Scans of two campaigns; those of Night are hidden at some days."""
    frame = per_day(days, "Spring", "Night").astype({"scans": "Int64"})
    frame.loc[[days + place for place in places], "scans"] = pd.NA
    return frame


def test_a_day_between_two_gaps_is_a_dot():
    (night,) = (line for line in charts.lines(with_gaps(3, 5, 19)).axes[0].get_lines() if line.get_label() == "Night")
    assert night.get_marker() == "o"
    assert night.get_markevery() == [4]


def test_a_campaign_without_rows_at_a_day_has_none_then_and_no_gap():
    chart = charts.lines(with_gaps(3).drop(index=[0, 1]))
    assert drawn(chart)["Spring"][:2] == [0, 0]
    assert math.isnan(drawn(chart)["Night"][3])


def test_a_mean_of_seven_days_is_not_drawn_over_a_gap():
    night = drawn(charts.lines(with_gaps(50, days=130)))["Night"]
    assert [place for place, value in enumerate(night) if math.isnan(value)] == [50]


@pytest.mark.parametrize("draw", [charts.lines, charts.small_multiples])
def test_a_campaign_that_is_hidden_as_a_whole_is_not_said_to_have_none(draw):
    chart = draw(with_gaps(*range(20)))
    assert "Night hidden" in chart.words
    assert "20 hidden counts" in chart.words
    # Nor one of which nothing but zeros is shown: Night has 3 at each 5th day.
    frame = with_gaps(*range(1, 20))
    frame.loc[frame["scans"] == 3, "scans"] = frame["scans"].where(frame["campaign"] == "Spring", 0)
    assert "Night hidden" in draw(frame).words
    assert "hidden" not in draw(per_day(20, "Spring", "Night")).words


def test_hidden_hours_are_blank():
    frame = hours({(1, 0): 4, (7, 23): 9}).astype({"scans": "Int64"})
    frame.loc[1, "scans"] = pd.NA
    chart = charts.hour_of_week(frame)
    shown = chart.axes[0].collections[0].get_array().reshape(7, 24)
    assert (shown[0, 0], shown[6, 23], shown.sum(), shown.mask.sum()) == (4, 9, 13, 1)
    assert shown.mask[0, 1]
    assert chart.words == "13 and 1 hidden count; most, 9, on Sun from 23:00"
    assert "hidden" in texts(chart)


@pytest.mark.parametrize(
    ("draw", "frame"),
    [
        (charts.lines, per_day(3, "x")),
        (charts.small_multiples, per_day(3, "x")),
        (charts.bars, pd.DataFrame({"country": ["SI", "AT"]})),
        (charts.hour_of_week, hours({})),
    ],
)
def test_where_all_is_hidden_it_is_said(draw, frame):
    chart = draw(frame.assign(scans=pd.array([pd.NA] * len(frame), dtype="Int64")))
    assert texts(chart) == ["scans are hidden"]


AUTUMN = pd.date_range("2026-10-24 22:00", periods=6, freq="h", tz="UTC").tz_convert("Europe/Ljubljana")


@pytest.mark.parametrize("parts", [[], ["campaign"]])
def test_the_hour_that_comes_twice_is_drawn_twice(parts):
    frame = pd.DataFrame({"start": AUTUMN, "scans": [1, 1, 5, 7, 1, 1]} | dict.fromkeys(parts, "x"))
    chart = charts.lines(frame)
    ((name, counts),) = drawn(chart).items()
    assert counts == [1, 1, 5, 7, 1, 1]
    line = next(line for line in chart.axes[0].get_lines() if line.get_label() == name)
    steps = [24 * (after - before) for before, after in pairwise(line.get_xdata(orig=False))]
    assert steps == pytest.approx([1] * 5)
    assert {"01:00", "02:00", "04:00"} <= set(texts(chart))
    assert "from 2026-10-25 00:00 to 2026-10-25 04:00" in chart.words


@pytest.mark.parametrize("now", [4, 6])
def test_the_period_before_keeps_the_hour_that_comes_twice(now):
    before = pd.Series(AUTUMN - pd.Timedelta(days=1))
    frame = pd.DataFrame({"start": pd.Series(AUTUMN[:now]), "previous_start": before, "previous_scans": 2})
    frame["scans"] = pd.Series([1] * now)
    chart = charts.previous_period(frame.astype({"scans": "Int64", "previous_scans": "Int64"}))
    found = {line.get_label(): line for line in chart.axes[0].get_lines()}
    places = found["the one before"].get_xdata(orig=False)
    assert [24 * (after - first) for first, after in pairwise(places)] == pytest.approx([1] * 5)


# ---- whatever comes


@pytest.mark.parametrize("years", [[2025, 2026], [date(2025, 1, 1), 7], [None, "x"], ["x", math.nan]])
def test_bars_have_labels_of_any_type(years):
    chart = charts.bars(pd.DataFrame({"year": pd.Series(years, dtype="object"), "scans": [2, 1]}))
    assert {"none" if year is None or year != year else str(year) for year in years} <= set(texts(chart))


def test_bars_of_numbers_have_the_colors_of_these():
    frame = pd.DataFrame({"year": [2025, 2026], "scans": [2, 1]})
    bars = charts.bars(frame, colors=charts.assign_colors([2026, 2025])).axes[0].patches
    assert [to_hex(bar.get_facecolor()) for bar in bars] == [COLORS["color-2"][0], COLORS["color-1"][0]]


@pytest.mark.parametrize("days", [0, 3])
def test_panels_of_one_line_are_refused(days):
    with pytest.raises(InvalidParameter, match="frame: needs a column of text"):
        charts.small_multiples(per_day(3, "x").drop(columns="campaign").head(days))


@pytest.mark.parametrize(
    ("draw", "size", "what"),
    [
        (charts.lines, {"width": 60, "height": 40}, "width=60: must be 120 pixels or more"),
        (charts.lines, {"height": 60}, "height=60: must be 74 pixels or more"),
        (charts.lines, {"height": 0}, "height=0: must be 40 pixels or more"),
        (charts.small_multiples, {"width": -1}, "width=-1: must be 120 pixels or more"),
    ],
)
def test_a_chart_without_room_is_refused(draw, size, what):
    with pytest.raises(InvalidParameter, match=what):
        draw(per_day(3, "x", "y"), **size)
    if "height" in size:
        least = int(what.split()[3])
        assert texts(charts.lines(per_day(3, "x"), height=max(least, 74)))


@pytest.mark.parametrize("width", quick_first([120, 350]))
def test_the_least_width_is_enough_for_all(width):
    assert charts.to_svg(charts.lines(per_day(9, *"abcdef"), width=width))
    assert charts.to_svg(charts.small_multiples(per_day(9, *"abcdef"), width=width))
    assert charts.to_svg(charts.previous_period(beside([5] * 3, [4] * 3), width=width))
    assert charts.to_svg(charts.unusual_days(usual_frame([9] * 14, set()), width=width))
    assert charts.to_svg(charts.bars(pd.DataFrame({"country": ["SI"], "scans": [4]}), width=width))
    assert charts.to_svg(charts.hour_of_week(hours({(1, 1): 3}), width=width))
    assert charts.to_svg(charts.rates(rate_frame(2), width=width))


@pytest.mark.parametrize(
    "chart",
    [
        charts.lines(per_day(0, "x")),
        charts.lines(per_day(3, "x").assign(scans=0)),
        charts.bars(pd.DataFrame({"country": [], "scans": []})),
        charts.hour_of_week(hours({})),
        charts.small_multiples(per_day(3, "x").assign(scans=0)),
        charts.previous_period(beside([0, 0], [0, 0])),
        charts.unusual_days(usual_frame([0] * 14, set())),
        charts.rates(rate_frame(2).assign(scans=0)),
        charts.human_scans(pd.DataFrame({"likely": [0], "scans": [0], "possible": [0]})),
    ],
)
def test_nothing_is_said_calmly(chart):
    assert texts(chart) == ["no scans"]
    assert "no scans" in charts.to_svg(chart)


def test_no_codes_and_no_places_are_said():
    assert texts(charts.scans_by_location(poster_frame())) == ["no places of QR Codes"]
    assert texts(charts.time_to_first_scan(pd.DataFrame({"delay": []}))) == ["no QR Codes"]


@pytest.mark.filterwarnings("ignore:the chart shows boxes")
@pytest.mark.parametrize("name", quick_first(HOSTILE, 3))
def test_any_name_is_drawn(name):
    frame = per_day(3, name, "y")
    chart = charts.lines(frame)
    bars = charts.bars(pd.DataFrame({"qrcode": [name], "scans": [1]}))
    others = [
        charts.small_multiples(frame),
        charts.rates(rate_frame(1).assign(campaign=name)),
        charts.scans_by_location(poster_frame((name, 46, 14, 1))),
    ]
    shown = {"a\nb\x0b\x00c": "a b c", "": "none", "מבצע \u202e קיץ": "מבצע  קיץ"}.get(name, name)
    assert shown in svg_texts(chart)
    assert shown in svg_texts(bars)
    assert chart._repr_mimebundle_()[0]["image/png"]
    assert "<script>" not in charts.to_svg(bars)
    assert all(any(text and shown in text for text in svg_texts(other)) for other in others)


def test_long_names_are_cut_between_letters():
    chart = charts.bars(
        pd.DataFrame({"qrcode": ["e\u0301" * 300, "漢" * 300, "👩\u200d🚀" * 99], "scans": [3, 2, 1]}), width=400
    )
    latin, wide, emoji = (text for text in svg_texts(chart) if text and text.endswith("…"))
    assert latin.count("e\u0301") == len(latin) // 2
    assert abs(latin.count("e") - 2 * wide.count("漢")) <= 1
    assert emoji == "👩\u200d🚀" * (emoji.count("👩")) + "…"


# ---- SVG


def test_the_same_frame_gives_the_same_svg_whatever_the_settings():
    frame = per_day(30, "Spring", "Night")
    expected = charts.to_svg(charts.lines(frame))
    chart = charts.lines(frame)
    assert charts.to_svg(chart) == charts.to_svg(chart) == expected
    with matplotlib.rc_context(
        {"font.family": "serif", "axes.grid": True, "lines.marker": "x", "svg.fonttype": "path"}
    ):
        assert charts.to_svg(charts.lines(frame)) == expected
        assert matplotlib.rcParams["font.family"] == ["serif"]


def test_svg_follows_the_colors_of_its_page():
    svg = charts.to_svg(charts.lines(per_day(30, "Spring", "Night")))
    plain = svg
    for name, (light, _) in COLORS.items():
        plain = plain.replace(f"var(--{name},{light})", "")
    assert "var(--ink," in svg
    assert "var(--color-1," in svg
    assert "#" not in plain
    assert all(f"--{name}:{both[1]};" in charts.CSS for name, both in COLORS.items())


def test_svg_says_what_it_shows_and_names_no_font():
    chart = charts.lines(per_day(30, "Spring", "Night"))
    root = parsed(chart)
    assert root.get("role") == "img"
    assert root.find(f"{SVG}title").text == "scans per day by campaign"
    assert root.find(f"{SVG}desc").text == chart.words
    assert "Night 150" in chart.words
    svg = charts.to_svg(chart)
    assert not [word for word in ("font-family", "<style", "metadata", "DejaVu", " id=") if word in svg]


def test_ids_of_two_figures_on_a_page_are_not_the_same():
    def figure(top: int) -> Figure:
        """One of somebody else's, with a clip path."""
        figure = Figure()
        figure.add_subplot().plot([0, top])
        return figure

    found = []
    for top in (1, 2):
        root = ElementTree.fromstring(charts.to_svg(figure(top)))
        ids = {element.get("id") for element in root.iter()} - {None}
        used = {
            value[5:-1] for element in root.iter() for value in element.attrib.values() if value.startswith("url(#")
        }
        assert ids
        assert used <= ids
        found.append(ids)
    assert not found[0] & found[1]


def test_drawing_to_svg_leaves_the_figure_as_it_was():
    chart = charts.hour_of_week(hours({(1, 1): 1}))
    charts.to_svg(chart)
    assert chart.patch.get_visible()


def test_a_notebook_shows_a_picture_of_twice_the_size():
    chart = charts.lines(per_day(9, "x"), width=600, height=200)
    bundle, size = chart._repr_mimebundle_()
    assert Image.open(BytesIO(bundle["image/png"])).size == (1200, 400)
    assert size["image/png"] == {"width": 600, "height": 200}
    assert bundle["text/plain"].startswith("<Chart of scans per day")
    with matplotlib.rc_context({"savefig.bbox": "tight", "savefig.facecolor": "red"}):
        assert chart._repr_mimebundle_()[0]["image/png"] == bundle["image/png"]
    assert isinstance(chart, Figure)


def test_charts_need_neither_pyplot_nor_a_store():
    sources = [path.read_text(encoding="utf-8") for path in Path(charts.__file__).parent.glob("*.py")]
    imports = re.findall(r"^\s*(?:from|import) .*", "\n".join(sources), re.MULTILINE)
    assert len(imports) > 20
    assert not [line for line in imports if re.search("pyplot|store|analytics|duckdb", line)]


# ---- colours


def linear(color: str) -> list[float]:
    return [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in to_rgb(color)]


def contrast(one: str, other: str) -> float:
    """As WCAG 2.2 has it."""
    lights = [sum(w * part for w, part in zip((0.2126, 0.7152, 0.0722), linear(c), strict=True)) for c in (one, other)]
    return (max(lights) + 0.05) / (min(lights) + 0.05)


EYES = {
    "all cones": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    # Machado, Oliveira, Fernandes 2009, severity 1
    "no red": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "no green": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "no blue": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}


def seen(color: str, eyes: str) -> tuple[float, ...]:
    """Oklab coordinates of a colour as some eyes see it."""

    def times(matrix, vector):
        return [sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix]

    cones = times(
        ((0.41222, 0.53633, 0.05145), (0.21190, 0.68070, 0.10740), (0.08830, 0.28172, 0.62998)),
        [max(0.0, part) for part in times(EYES[eyes], linear(color))],
    )
    lab = ((0.21045, 0.79362, -0.00407), (1.97800, -2.42859, 0.45059), (0.02590, 0.78277, -0.80868))
    return tuple(times(lab, [cone ** (1 / 3) for cone in cones]))


@pytest.mark.parametrize("mode", [0, 1], ids=["light", "dark"])
def test_colors_can_be_told_apart_by_all_eyes(mode):
    lines = [both[mode] for name, both in COLORS.items() if name.startswith("color")]
    paper = COLORS["paper"][mode]
    assert all(contrast(color, paper) >= 3 for color in lines)
    assert contrast(COLORS["ink"][mode], paper) >= 7
    assert contrast(COLORS["quiet"][mode], paper) >= 4.5
    for eyes in EYES:
        places = [seen(color, eyes) for color in lines]
        assert min(math.dist(one, other) for one, other in combinations(places, 2)) > 0.085, eyes


def test_an_outlier_of_lines_is_cut_with_its_number():
    days = pd.date_range("2026-03-01", periods=30)
    frame = pd.DataFrame({"day": days, "scans": [10, 12] * 14 + [400, 11]})
    chart = charts.lines(frame)
    assert chart.axes[0].get_ylim()[1] < 30
    assert any(text.get_text().startswith("400 on 29 Mar") for text in chart.texts)
    plain = charts.lines(frame.assign(scans=[10, 12] * 15))
    assert not any("↑" in text.get_text() for text in plain.texts)


def test_a_saved_chart_has_a_margin():
    chart = charts.lines(per_day(9, "x"), width=600, height=200)
    sizes = []
    for how in ({}, {"bbox_inches": chart.bbox_inches}):
        chart.savefig(buffer := BytesIO(), format="png", dpi=72, **how)
        sizes.append(Image.open(buffer).size)
    assert sizes in ([(624, 224), (600, 200)], [(624, 223), (600, 200)])  # older versions of Matplotlib round down
    assert 'viewBox="0 0 600 200"' in charts.to_svg(chart)
