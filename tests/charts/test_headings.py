from datetime import UTC, date, datetime, timedelta
from itertools import combinations

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qrkit import analytics, charts, open_portfolio
from qrkit.charts.labels import fit, length

LONG = (
    "Donaudampfschifffahrtsgesellschaftskapitänsmützenständer 2026",
    "Sommerfest der Freiwilligen Feuerwehr Sankt Georgen am See!!",
    "Short",
)


def texts(chart: charts.Chart) -> list[str]:
    return [text.get_text() for text in chart.texts]


def words(chart: charts.Chart) -> str:
    return " ".join(texts(chart))


def days(counts: dict[str, list[int]], start: str = "2026-06-01", freq: str = "D") -> pd.DataFrame:
    rows = [
        (day, name, count)
        for name, numbers in counts.items()
        for day, count in zip(pd.date_range(start, periods=len(numbers), freq=freq), numbers, strict=True)
    ]
    return pd.DataFrame(rows, columns=["day", "campaign", "scans"]).astype({"campaign": "str"})


# ---- headings


def test_a_chart_says_what_it_shows_when_and_in_which_time_zone():
    hours = pd.date_range("2026-06-01 06:00", periods=20, freq="h", tz="Europe/Ljubljana")
    chart = charts.lines(pd.DataFrame({"start": hours, "scans": range(20)}))
    assert chart.headline == "190 scans; most, 19, on 2 June from 01:00"
    assert "1\N{EN DASH}2 June 2026, Europe/Ljubljana" in texts(chart)
    assert charts.lines(days({"A": [1, 2], "B": [5, 5]})).headline == "“B” has the most scans, 10 of 13"


def test_a_title_can_be_given_or_left_out():
    frame = days({"A": [1, 2]})
    assert "Scans rose" in texts(charts.lines(frame, title="Scans rose"))
    bare = charts.lines(frame, title="")
    assert bare.headline == ""
    assert bare.axes[0].bbox.height > charts.lines(frame).axes[0].bbox.height
    bars = pd.DataFrame({"device": ["phone"], "scans": [3]})
    assert charts.bars(bars, title="").bbox.height < charts.bars(bars).bbox.height
    assert charts.lines(frame, height=100).headline == ""  # no room


def test_those_that_are_combined_do_not_lead():
    assert "others" not in charts.lines(days({f"C{number}": [9 - number % 2] * 3 for number in range(12)})).headline


@pytest.mark.parametrize("width", [350, 760, 1080])
def test_names_of_sixty_letters_are_shown_in_full(width):
    frame = days({name: [3 + number, 4, 2] for number, name in enumerate(LONG)})
    ranked = pd.DataFrame({"qrcode": LONG, "scans": [30, 20, 10]})
    rates = pd.DataFrame({"campaign": LONG, "days": 30, "scans": 30, "rate": 1.0, "low": 0.8, "high": 1.3})
    drawn = [
        charts.small_multiples(frame, width=width, title="x"),
        charts.bars(ranked, width=width, title="x"),
        charts.rates(rates.astype({"campaign": "str"}), width=max(width, 560), title="x"),
    ]
    drawn += [charts.lines(frame, width=width, title="x")] if width > 400 else []
    for chart in drawn:
        assert not [text for text in texts(chart) if "…" in text]
        for text in chart.texts:
            box = text.get_window_extent()
            assert box.x0 >= -1, text
            assert box.x1 <= chart.bbox.width + 1, text


@given(st.text(max_size=90), st.floats(30, 300), st.integers(1, 3))
@settings(max_examples=60)
def test_lines_of_text_fit_and_lose_nothing_but_the_end(text, pixels, most):
    lines = fit(text, pixels, most=most)
    assert 1 <= len(lines) <= most
    assert all(length(line) <= pixels + 1e-6 or length(line) < 30 for line in lines)
    if "…" not in lines[-1]:
        assert "".join("".join(lines).split()) == "".join((fit(text, 1e9)[0]).split())


def test_a_word_that_fits_on_a_line_of_its_own_is_not_broken():
    name = "Berlin Alexanderplatz U-Bahn Zwischengeschoss"
    assert fit(name, length("Zwischengeschoss"), most=4) == name.split()


# ---- periods that are not over


@pytest.fixture(scope="module")
def shop():
    """One scan an hour from Monday, 1 June, to Thursday, 18 June 2026."""
    with open_portfolio(":memory:") as portfolio:
        campaign = portfolio.insert_campaign("Spring")
        portfolio.insert_qrcode("https://example.com", name="Door", short_code="door", campaign_id=campaign.id)
        times = pd.date_range("2026-06-01", "2026-06-19", freq="h", inclusive="left", tz="UTC")
        portfolio.scans.insert(pd.DataFrame({"short_code": "door", "time": times}))
        yield portfolio


def test_a_week_that_is_not_counted_to_its_end_is_dashed_and_named(shop):
    chart = charts.lines(analytics.scans_per(shop.scans, "week"))
    (line,) = (line for line in chart.axes[0].get_lines() if line.get_label() == "scans")
    assert [count for count in line.get_ydata() if count == count] == [168, 168]
    (dashed,) = (line for line in chart.axes[0].get_lines() if line.is_dashed())
    assert list(dashed.get_ydata()) == [168, 96]
    assert "Dashed: the week from 15 June is incomplete." in texts(chart)
    assert "Dashed: the week from 15 June is incomplete." in texts(
        charts.small_multiples(analytics.scans_per(shop.scans, "week", by="campaign"))
    )


def test_periods_that_are_whole_have_no_note(shop):
    june = shop.scans.where(since=date(2026, 6, 1), until=date(2026, 6, 15))
    for unit in ("hour", "day", "week"):
        chart = charts.lines(analytics.scans_per(june, unit))
        assert "Dashed" not in words(chart)
        assert not any(line.is_dashed() for line in chart.axes[0].get_lines())
    since_tuesday = shop.scans.where(since=date(2026, 6, 2), until=date(2026, 6, 18))
    assert "the first and the last week are incomplete" in words(
        charts.lines(analytics.scans_per(since_tuesday, "week"))
    )


def test_the_future_is_not_drawn_as_days_without_scans():
    today = datetime.now(UTC).date()
    with open_portfolio(":memory:") as portfolio:
        portfolio.insert_qrcode("https://example.com", name="Door", short_code="door")
        times = [datetime.now(UTC) - timedelta(days=number) for number in range(1, 6)]
        portfolio.scans.insert(pd.DataFrame({"short_code": "door", "time": times}))
        view = portfolio.scans.where(since=today - timedelta(days=4), until=today + timedelta(days=4))
        chart = charts.lines(analytics.scans_per_day(view))
    (line,) = (line for line in chart.axes[0].get_lines() if line.get_label() == "scans")
    assert sum(count == count for count in line.get_ydata()) in (4, 5)  # but for a test at midnight


def test_a_change_compares_the_same_part_of_both_periods(shop):
    view = shop.scans.where(since=date(2026, 6, 8), until=date(2026, 6, 15))
    chart = charts.previous_period(analytics.scans_and_previous(view))
    assert chart.headline == "168 scans, as many as in the period before"
    assert {"8\N{EN DASH}14 June 2026", "1\N{EN DASH}7 June 2026"} <= set(texts(chart))


# ---- time axes


@pytest.mark.parametrize("width", [350, 760])
@pytest.mark.parametrize(("periods", "freq"), [(1, "D"), (7, "D"), (92, "D"), (1096, "D"), (60, "W-MON"), (14, "MS")])
def test_time_axes_have_years_and_no_label_over_another(periods, freq, width):
    chart = charts.lines(days({"A": [5] * periods}, start="2025-03-31", freq=freq), width=width, title="x")
    low = float(chart.axes[0].bbox.y0)
    labels = [text for text in chart.texts if text.get_window_extent().y1 < low]
    assert any("202" in text.get_text() for text in labels)
    boxes = [text.get_window_extent() for text in labels]
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))
    assert all(box.x0 > -8 and box.x1 < width + 8 for box in boxes)


# ---- scales


def test_a_peak_beyond_the_scale_of_small_charts_has_its_number_and_date():
    frame = days({"Café": [20, 30] * 10, "Night": [5] * 10 + [400] + [5] * 9, "Other": [25] * 20})
    chart = charts.small_multiples(frame)
    assert {axes.get_ylim()[1] for axes in chart.axes} == {32.0}
    assert "400 on 11 June ↑" in texts(chart)


def test_small_charts_that_differ_too_much_have_scales_of_their_own():
    chart = charts.small_multiples(days({"A": [9000] * 12, "B": [40] * 12, "C": [8] * 12}))
    assert len({axes.get_ylim()[1] for axes in chart.axes}) == 3
    assert "the scale differs from chart to chart" in words(chart)


def test_shares_are_of_all_known_scans_and_the_others_are_a_note():
    frame = pd.DataFrame({"country": ["unknown", "SI", "AT"], "scans": [60, 30, 10], "share": [0.6, 0.3, 0.1]})
    chart = charts.bars(frame)
    assert {"Slovenia", "30 (75%)", "Austria", "10 (25%)", "Not known: the country of 60 scans (60%)"} <= set(
        texts(chart)
    )
    assert chart.axes[0].get_xlim() == (0, 40)
    assert charts.bars(frame.head(1)).headline == "Not known: the country of 60 scans (60%)"
    campaigns = pd.DataFrame({"campaign": ["unknown"], "scans": [3]})
    assert "unknown" in texts(charts.bars(campaigns))


def test_hours_of_the_week_are_means(shop):
    view = shop.scans.where(since=date(2026, 6, 1), until=date(2026, 6, 19), time_zone="Asia/Tokyo")
    frame = analytics.scans_by_hour(view)
    chart = charts.hour_of_week(frame)
    assert frame["hours"].sum() == 18 * 24
    (mesh,) = chart.axes[0].collections
    assert {round(float(value), 2) for value in mesh.get_array().ravel()} <= {0.67, 1.0}
    assert "Mean number of scans in each hour of the week, Asia/Tokyo" in texts(chart)


# ---- maps


def test_countries_have_shades_and_small_ones_are_dots():
    frame = pd.DataFrame({"country": ["SI", "MT", "unknown"], "scans": [900, 3, 50]})
    chart = charts.scans_by_country(frame)
    assert chart.headline == "Slovenia has the most scans, 900 of 903"
    assert chart.words == "Slovenia 900, Malta 3, not known 50"
    assert "Slovenia 900, Malta 3. Not known: the country of 50 scans." in texts(chart)
    shades = {patch.get_facecolor() for patch in chart.axes[0].patches}
    assert len(shades) == 2  # Slovenia, and all others
    assert "var(--heat-5" in charts.to_svg(chart)
    assert texts(charts.scans_by_country(frame.tail(1))) == ["no scans from known countries"]


def test_wide_maps_have_coastlines_and_narrow_ones_a_bar():
    frame = pd.DataFrame({"qrcode": ["A", "B"], "latitude": [52.5, 38.7], "longitude": [13.4, -9.1], "scans": [9, 4]})
    wide, narrow = (
        charts.scans_by_location(frame),
        charts.scans_by_location(frame.assign(latitude=50, longitude=[8, 8.1])),
    )
    assert any(axes.patches for axes in wide.axes)
    assert not any(axes.patches for axes in narrow.axes)
    assert any(text.endswith(" km") for text in texts(narrow))


def test_locations_without_a_label_are_listed():
    rows = [(f"Poster {number}", 46 + number / 1000, 14 + number / 1000, 30 - number) for number in range(20)]
    chart = charts.scans_by_location(
        pd.DataFrame(rows, columns=["qrcode", "latitude", "longitude", "scans"]), width=760
    )
    assert "Not labeled: " in words(chart)


# ---- colors


def test_a_campaign_keeps_its_color_whatever_is_shown_beside_it():
    def colors(view) -> dict[str, str]:
        lines = charts.lines(analytics.scans_per_day(view, by="campaign")).axes[0].get_lines()
        return {line.get_label(): line.get_color() for line in lines if not line.get_label().startswith("_")}

    with open_portfolio(":memory:") as portfolio:
        made = [portfolio.insert_campaign(name) for name in ("Old", "Large", "New")]
        for number, campaign in enumerate(made):
            code = portfolio.insert_qrcode("https://example.com", name="Door", campaign_id=campaign.id)
            times = pd.date_range("2026-06-01", periods=9 if number == 1 else 3, freq="8h", tz="UTC")
            portfolio.scans.insert(pd.DataFrame({"short_code": code.short_code, "time": times}))
        before = colors(portfolio.scans)
        assert before == {
            name: charts.COLORS[f"color-{number}"][0] for number, name in enumerate(("Old", "Large", "New"), 1)
        }
        portfolio.insert_campaign("Newest")
        assert colors(portfolio.scans) == before
        assert colors(portfolio.scans.where(campaign_id=[made[0].id, made[2].id])) == {
            name: before[name] for name in ("Old", "New")
        }
