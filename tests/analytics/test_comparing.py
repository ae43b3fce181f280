"""Rates and comparisons keep what they promise on simulated scans, whose truth is known."""

from datetime import UTC, date, datetime, timedelta
from itertools import islice
from math import inf, isnan
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qrkit import analytics, open_portfolio
from qrkit.analytics import Truth
from qrkit.analytics.comparing import level_of_each_look
from qrkit.analytics.daily_spread import TWO_WEEKS
from qrkit.analytics.rate_intervals import rate_interval, ratio_interval
from qrkit.errors import InvalidParameter
from qrkit.languages import in_language
from tests.analytics.study_intervals import measured, truth_of
from tests.analytics.worlds import GROUPS, histories
from tests.dtypes import TEXT
from tests.sweeps import quick_rows

BEFORE, LOOKS = 56, 90
WORLDS = ["Poisson", "negative binomial, 1", "AR(1), 0.5", "AR(1), 0.8", "self-exciting, 3 days", "rare events, 1 day"]

MONDAY = date(2026, 3, 2)
WEEK = (0.7, 0.9, 1.0, 1.0, 1.1, 1.2, 1.1)
some = settings(max_examples=10)
ALL = {name: truth for group in GROUPS.values() for name, truth in group.items()}


def shop_with(frame):
    """A portfolio with the scans of a frame, and its views by short code."""
    portfolio = open_portfolio(":memory:", clock=lambda: datetime(2026, 1, 1, tzinfo=UTC))
    with portfolio.store.atomic():
        for code in sorted(frame["short_code"].unique()):
            portfolio.insert_qrcode("https://example.com", name=code, short_code=code)
    portfolio.scans.insert(frame)
    return portfolio, {code.name: portfolio.scans.where(qrcode_id=code.id) for code in portfolio.list_qrcodes()}


def codes_of_one_truth(number, rate, days, truth):
    """Scans of codes that each have good and bad days of their own."""
    frames = [
        analytics.simulate({f"code{place:03}": rate}, since=MONDAY, days=days, seed=place, truth=truth)
        for place in range(number)
    ]
    return pd.concat(frames)[["short_code", "time", "visitor"]]


def within(views, days):
    """The same views, of a number of days."""
    return [view.where(since=MONDAY, until=MONDAY + timedelta(days=days)) for view in views.values()]


def scans_on(days_of):
    """A frame with so many scans, at noon, on each day from Monday, by short code; a scan far before and after them."""
    rows = [
        (code, datetime.combine(MONDAY + timedelta(days=day), datetime.min.time()) + timedelta(hours=12))
        for code, days in days_of.items()
        for day, number in enumerate(days)
        for _ in range(number)
    ]
    rows += [(code, datetime(1995 + 20 * place, 1, 1)) for code in days_of for place in range(2)]
    return pd.DataFrame(rows, columns=["short_code", "time"])


# ---- promises

CELLS = [
    ("Rates", "AR(1), 0.5", 40, 28, 0.08),
    ("Before and after", "rare events, 1 day", 40, 14, 0.09),
    ("Two codes", "self-exciting, half a day", 40, 28, 0.08),
]
MORE_CELLS = [
    ("Rates", "Poisson", 3, 28, 0.06),
    ("Rates", "negative binomial, 1", 40, 28, 0.06),
    ("Rates", "groups of 2 to 5", 3, 90, 0.06),
    ("Rates", "self-exciting, 1 day", 3, 90, 0.08),
    ("Rates", "AR(1), 0.8", 40, 365, 0.12),
    ("Before and after", "weekdays, negative binomial, 3", 40, 28, 0.065),
    ("Before and after", "AR(1), 0.5", 40, 28, 0.08),
    ("Two codes", "negative binomial, 0.3", 3, 90, 0.065),
]


@pytest.mark.parametrize(
    ("question", "world", "rate", "days", "most"),
    [*CELLS, *(pytest.param(*cell, marks=pytest.mark.slow) for cell in MORE_CELLS)],
)
def test_intervals_hold_the_truth_where_one_day_depends_on_another(question, world, rate, days, most):
    """The cells are a sample of `make coverage`; `most` is the goal, to which three standard errors are added."""
    number = 200
    cell = measured(question, world, rate, days, number)
    assert cell.refused <= 0.15
    assert cell.wrong <= most + 3 * np.sqrt(most * (1 - most) / number)


def test_taken_as_independent_days_that_depend_on_each_other_mislead():
    """What the long-run spread is measured for."""
    truth = ALL["AR(1), 0.8"]
    wrong = {}
    for independent in (True, False):
        found = [rate_interval(days, 0.95, independent=independent) for days in histories(truth, 40, 90, 150, 1)]
        wrong[independent] = np.mean([not one.low <= 40 <= one.high for one in found])
    assert wrong[True] > 0.3
    assert wrong[False] < 0.15


@pytest.mark.parametrize(
    ("question", "most"), quick_rows([("Rates", 1.5), ("Before and after", 1.35), ("Two codes", 1.5)])
)
def test_intervals_of_independent_days_are_hardly_wider(question, most):
    assert measured(question, "Poisson", 40, 28, 100).width < most
    assert measured(question, "Poisson", 40, 365, 50).width < 1.06


def test_days_that_depend_on_each_other_count_as_fewer():
    truth = ALL["AR(1), 0.8"]
    dependent = np.median([rate_interval(days, 0.95, independent=False).days_as_one
                           for days in histories(truth, 400, 365, 40, 5)])  # fmt: skip
    alone = np.median([rate_interval(days, 0.95, independent=False).days_as_one
                       for days in histories(Truth(), 400, 365, 40, 5)])  # fmt: skip
    # Of AR(1) days with a correlation of 0.8, (1 + 0.8) / (1 - 0.8) = 9 count as one.
    assert 4 < dependent < 14
    assert 1 <= alone < 1.3


@pytest.mark.slow
@pytest.mark.parametrize("codes", [30, 100])
def test_a_change_is_in_its_interval_and_the_smallest_difference_is_seen_as_often_as_stated(codes):
    change = MONDAY + timedelta(days=56)
    truth = Truth(weekdays=WEEK, unrest=0.05, change=change, effect=1.3)
    portfolio, views = shop_with(codes_of_one_truth(codes, 12, 119, truth))
    with portfolio:
        found = pd.concat([analytics.before_and_after(view, change) for view in within(views, 119)])
    assert not found["is_paired"].any()
    assert set(found["first_days"]) == {56}
    assert set(found["second_days"]) == {63}
    assert ((found["low"] <= 1.3) & (found["high"] >= 1.3)).mean() >= 0.9
    assert found["smallest"].median() == pytest.approx(1.25, abs=0.07)
    assert found["differs"].mean() >= 0.65


@pytest.mark.slow
def test_looking_every_day_alarms_no_more_often_than_a_single_look():
    """From two weeks after the change to 60 days after it, in worlds where nothing changed."""
    before, last, number = 28, 60, 60
    level = level_of_each_look(before, 0.95)
    alarms = {0.95: 0, level: 0}
    for days in histories(Truth(unrest=0.1, shared=False), 40, before + last, number, 7):
        rows = list(days.items())
        looks = [(dict(rows[:before]), dict(rows[before : before + after])) for after in range(14, last + 1, 4)]
        for one in alarms:
            alarms[one] += any(ratio_interval(*look, one, independent=False).differs for look in looks)
    assert alarms[level] / number <= 0.05
    assert alarms[level] < alarms[0.95]


def test_what_changes_a_control_group_as_well_cancels_out():
    """Rain halves the scans of both from the change on; one of them has new posters, which double its scans again."""
    change = MONDAY + timedelta(days=42)
    rain = Truth(unrest=0.1, change=change, effect=0.5)
    code = analytics.simulate({"posters": 40, "control": 20}, since=MONDAY, days=84, seed=1, truth=rain)
    posters = analytics.simulate({"posters": 20}, since=change, days=42, seed=2)
    portfolio, views = shop_with(pd.concat([code, posters])[["short_code", "time", "visitor"]])
    with portfolio:
        posters, control = (views[name].where(since=MONDAY, until=MONDAY + timedelta(days=84))
                            for name in ("posters", "control"))  # fmt: skip
        (alone,) = analytics.before_and_after(posters, change).to_dict("records")
        (found,) = analytics.before_and_after(posters, change, control=control).to_dict("records")
        (nothing,) = analytics.before_and_after(control, change, control=posters).to_dict("records")
        with pytest.raises(InvalidParameter, match="independent=True: must be False with a control group"):
            analytics.before_and_after(posters, change, control=control, independent=True)
        with pytest.raises(InvalidParameter, match="time_zone='Asia/Tokyo': must be that of the other view"):
            analytics.before_and_after(posters, change, control=control.where(time_zone="Asia/Tokyo"))
        without = analytics.before_and_after(posters, change, control=control.where(kinds=("bot",))).iloc[0]
    assert alone["low"] < 1 < alone["high"]
    assert found["low"] < 2 < found["high"]
    assert found["differs"]
    assert found["ratio"] == pytest.approx(found["view_ratio"] / found["control_ratio"])
    assert nothing["ratio"] == pytest.approx(1 / found["ratio"])
    assert "no scan" in without["reason"]


def test_days_that_are_left_out_are_in_no_number():
    portfolio, views = shop_with(scans_on({"aa": [5] * 14 + [6] * 13 + [90]}))
    with portfolio:
        view = views["aa"].where(since=MONDAY, until=MONDAY + timedelta(days=28))
        change, event = MONDAY + timedelta(days=14), MONDAY + timedelta(days=27)
        (row,) = analytics.before_and_after(view, change, without=[event], independent=True).to_dict("records")
        assert (row["second_days"], row["second_scans"]) == (13, 78)
        with pytest.raises(InvalidParameter, match=r"without=.*must leave 2 days on each side; 0 are left"):
            analytics.before_and_after(view, change, without=[MONDAY + timedelta(days=day) for day in range(14)])


def test_what_cannot_be_said_is_missing_and_has_a_reason():
    portfolio, views = shop_with(
        scans_on({"aa": [4] * 27 + [3], "bb": [0] * 27 + [90], "cc": [0] * 28, "dd": [0] * 20 + [1, *[0] * 7]})
    )
    with portfolio:
        short = [view.where(since=MONDAY, until=MONDAY + timedelta(days=27)) for view in views.values()]
        (row,) = analytics.rates(short[0]).to_dict("records")
        assert isnan(row["low"])
        assert row["reason"] == "27 whole days are too few; from 28 on, they show whether one day depends on another"
        assert analytics.rates(short[0], independent=True)["reason"].tolist() == [""]
        few = analytics.compare(short[0], short[1]).iloc[0]
        assert few["differs"] is pd.NA
        assert isnan(few["smallest"])
        whole = within(views, 28)
        assert "too few bursts" in analytics.rates(whole[1])["reason"].iloc[0]
        assert analytics.rates(whole[2])["reason"].iloc[0] == "0 scans are too few; 2 or more are needed"
        assert analytics.rates(within(views, 28)[3])["reason"].iloc[0] == "1 scan is too few; 2 or more are needed"
        assert analytics.compare(whole[2], whole[2])["reason"].iloc[0] == "neither side has a scan"
        with in_language("de"):
            assert analytics.compare(whole[2], whole[2])["reason"].iloc[0] == "keine der beiden Seiten hat einen Scan"
        change = analytics.before_and_after(whole[0], MONDAY + timedelta(days=10)).iloc[0]
        assert change["reason"].startswith("10 whole days on one side are too few; from 14 on")


# ---- numbers


def test_weekdays_without_scans_use_no_degrees_of_freedom():
    """A shop that is closed on weekends has 5 means of its weekdays, from 20 days."""
    week = np.array([[3, 7, 4, 9, 5], [8, 2, 6, 4, 9], [5, 5, 9, 7, 1], [2, 9, 3, 6, 8]])
    days = [int(number) for numbers in week for number in (*numbers, 0, 0)]
    spread = ((week - week.mean(axis=0)) ** 2 / week.mean(axis=0)).sum() / (20 - 5)
    portfolio, views = shop_with(scans_on({"aa": days, "bb": [1] + [0] * 41}))
    with portfolio:
        assert analytics.rates(within(views, 28)[0])["spread"].tolist() == [pytest.approx(spread)]
        one = analytics.rates(within(views, 42)[1], independent=True).iloc[0]
        assert (one["spread"], bool(one["high"] < 1)) == (pytest.approx(1), True)


counts = st.lists(st.integers(0, 9), min_size=14, max_size=24)


def slow_ratio(first, second):
    """Mantel and Haenszel's ratio of the rates of days, by weekday, with pandas."""
    rows = [(side, *row) for side, days in enumerate((first, second)) for row in days]
    frame = pd.DataFrame(rows, columns=["side", "group", "scans"])
    table = frame.groupby(["group", "side"])["scans"].agg(["sum", "size"]).unstack("side").dropna()
    share = table["size"][1] / table["size"].sum(axis=1)
    return (table["sum"][1] * (1 - share)).sum(), (table["sum"][0] * share).sum()


@pytest.mark.slow
@given(counts, counts, st.booleans())
@some
def test_ratios_are_those_of_pandas(first, second, is_paired):
    length = min(len(first), len(second)) if is_paired else None
    first, second = first[:length], second[:length]
    portfolio, views = shop_with(scans_on({"aa": first, "bb": second}))
    ends = [MONDAY + timedelta(days=len(days)) for days in (first, second)]
    with portfolio:
        (row,) = analytics.compare(
            *(views[name].where(since=MONDAY, until=end) for name, end in zip(("aa", "bb"), ends, strict=True)),
            independent=True,
        ).to_dict("records")
    assert row["is_paired"] == (len(first) == len(second))
    groups = [day if row["is_paired"] else day % 7 for day in range(24)]
    above, below = slow_ratio(list(zip(groups, first, strict=False)), list(zip(groups, second, strict=False)))
    assert (row["first_scans"], row["first_days"]) == (sum(first), len(first))
    assert row["second_rate"] == pytest.approx(sum(second) / len(second))
    if below:
        assert row["ratio"] == pytest.approx(above / below)
        assert row["low"] <= max(row["ratio"], row["low"]) <= row["high"]
    else:
        assert row["ratio"] == inf or isnan(row["ratio"])
    if row["is_paired"] and sum(first) and sum(second):
        both = np.array(first) + np.array(second)
        share = sum(second) / both.sum()
        chi = ((np.array(second) - both * share) ** 2)[both > 0] / (both * share * (1 - share))[both > 0]
        assert row["spread"] == pytest.approx(max(1, chi.sum() / max((both > 0).sum() - 1, 1)))


@pytest.mark.slow
@given(counts)
@some
def test_rates_are_those_of_pandas(days):
    portfolio, views = shop_with(scans_on({"aa": days}))
    with portfolio:
        view = views["aa"].where(since=MONDAY, until=MONDAY + timedelta(days=len(days)))
        (row,) = analytics.rates(view, independent=True).to_dict("records")
    frame = pd.DataFrame({"weekday": [day % 7 for day in range(len(days))], "scans": days})
    means = frame.groupby("weekday")["scans"].transform("mean")
    chi = (((frame["scans"] - means) ** 2) / means)[means > 0].sum()
    freedom = max((means > 0).sum() - frame["weekday"][means > 0].nunique(), 1)
    assert (row["days"], row["scans"], row["rate"]) == (len(days), sum(days), pytest.approx(sum(days) / len(days)))
    assert row["low"] <= max(row["rate"], row["low"]) < row["high"]
    assert row["spread"] == pytest.approx(max(1, chi / freedom))


def test_the_other_way_round_the_ratio_is_its_inverse():
    portfolio, views = shop_with(scans_on({"aa": [5, 2, 0, 4, 9, 3, 1], "bb": [2, 1, 1, 0, 3, 2, 2]}))
    with portfolio:
        one, two = within(views, 7)
        forth, back = (analytics.compare(*pair, independent=True).iloc[0] for pair in ((one, two), (two, one)))
    assert forth["ratio"] == pytest.approx(1 / back["ratio"])
    assert forth["low"] == pytest.approx(1 / back["high"])
    assert forth["probability"] == pytest.approx(1 - back["probability"])
    assert forth["smallest"] == back["smallest"]


def test_known_numbers_of_a_plain_comparison():
    """Ten scans a day against twenty, no more spread than chance: Jeffreys' beta interval of 140 and 280 scans."""
    portfolio, views = shop_with(scans_on({"aa": [10] * 14, "bb": [20] * 14}))
    with portfolio:
        one, two = within(views, 14)
        (row,) = analytics.compare(one, two, independent=True).to_dict("records")
        (rate,) = analytics.rates(one, independent=True).to_dict("records")
    assert (row["ratio"], row["spread"], bool(row["differs"])) == (2, 1, True)
    assert (row["low"], row["high"]) == (pytest.approx(1.636, abs=2e-3), pytest.approx(2.453, abs=2e-3))
    assert row["smallest"] == pytest.approx(np.exp((1.959964 + 0.841621) / np.sqrt(420 / 4)), rel=1e-6)
    assert (rate["low"], rate["high"]) == (pytest.approx(8.445, abs=1e-3), pytest.approx(11.762, abs=1e-3))


def test_none_has_an_interval_too():
    portfolio, views = shop_with(scans_on({"aa": [4] * 14, "bb": [0] * 14}))
    with portfolio:
        one, two = within(views, 14)
        (row,) = analytics.compare(one, two, independent=True).to_dict("records")
        assert (row["ratio"], bool(row["differs"])) == (0, True)
        assert 0 <= row["low"] < row["high"] < 0.1
        (row,) = analytics.compare(two, two, independent=True).to_dict("records")
        assert isnan(row["ratio"])
        assert (row["low"] < 0.01, row["high"] > 100, bool(row["differs"]), row["smallest"]) == (True, True, False, inf)
        (rate,) = analytics.rates(two, independent=True).to_dict("records")
        assert (rate["low"] < 0.001, rate["rate"], 0.1 < rate["high"] < 0.2) == (True, 0, True)


# ---- which days count


def test_only_whole_days_count_and_the_day_of_a_change_does_not():
    portfolio, views = shop_with(scans_on({"aa": [1, 2, 3, 4, 5, 6]}))
    with portfolio:
        view = views["aa"]
        cut = view.where(since=datetime(2026, 3, 2, 6), until=datetime(2026, 3, 7, 18))
        assert analytics.rates(cut)["scans"].tolist() == [2 + 3 + 4 + 5]
        zone = ZoneInfo("Europe/Ljubljana")
        local = view.where(since=datetime(2026, 3, 2, tzinfo=zone), until=datetime(2026, 3, 8, tzinfo=zone))
        assert analytics.rates(local.where(time_zone="Europe/Ljubljana"))["days"].tolist() == [6]
        assert analytics.rates(local)["days"].tolist() == [5]
        for change, before, after in (
            (datetime(2026, 3, 4, 9), 1 + 2, 4 + 5 + 6),
            (datetime(2026, 3, 4), 1 + 2, 3 + 4 + 5 + 6),
            (date(2026, 3, 4), 1 + 2, 3 + 4 + 5 + 6),
            ("2026-03-04", 1 + 2, 3 + 4 + 5 + 6),
        ):
            (row,) = analytics.before_and_after(view.where(since=MONDAY, until=date(2026, 3, 8)), change).to_dict(
                "records"
            )
            assert (row["first_scans"], row["second_scans"]) == (before, after)


def test_a_change_is_on_the_clocks_of_the_view():
    portfolio, views = shop_with(scans_on({"aa": [1, 2, 3, 4, 5, 6]}))
    with portfolio:
        view = views["aa"].where(since=MONDAY, until=date(2026, 3, 8), time_zone="Europe/Ljubljana")
        for change in (datetime(2026, 3, 4), date(2026, 3, 4), "2026-03-04", datetime(2026, 3, 3, 23, tzinfo=UTC)):
            (row,) = analytics.before_and_after(view, change).to_dict("records")
            assert (row["first_scans"], row["second_scans"]) == (1 + 2, 3 + 4 + 5 + 6)


def test_views_that_are_compared_have_one_time_zone():
    portfolio, views = shop_with(scans_on({"aa": [1, 2, 3], "bb": [3, 2, 1]}))
    with portfolio:
        one, two = within(views, 3)
        with pytest.raises(InvalidParameter, match="time_zone='Asia/Tokyo': must be that of the other view, UTC"):
            analytics.compare(one, two.where(time_zone="Asia/Tokyo"))


def test_an_open_view_is_bound_by_its_first_and_last_scan_whose_days_do_not_count():
    times = [datetime(2026, 3, day, 12) for day in (2, 3, 3, 5, 6, 6)]
    portfolio, views = shop_with(pd.DataFrame({"short_code": "aa", "time": times}))
    with portfolio:
        (row,) = analytics.rates(views["aa"]).to_dict("records")
    assert (row["days"], row["scans"]) == (3, 3)


def test_what_cannot_be_compared_is_refused():
    portfolio, views = shop_with(scans_on({"aa": [1, 2, 3, 4, 5, 6]}))
    with portfolio:
        view = views["aa"].where(since=MONDAY, until=date(2026, 3, 8))
        with pytest.raises(InvalidParameter, match="scans: needs 2 whole days or more to see how days vary, not 1"):
            analytics.rates(view.where(until=date(2026, 3, 3)))
        for level in (0, 1, -1, "0.9", True, None):
            with pytest.raises(InvalidParameter, match=r"level.*: must be above 0 and below 1"):
                analytics.compare(view, view, level=level)
        for change in (date(2026, 3, 2), date(2026, 3, 8), date(2030, 1, 1)):
            with pytest.raises(InvalidParameter, match="must lie within the view"):
                analytics.before_and_after(view, change)
        # Where a view has no bounds, its days are those between the first and the last scan.
        for change in (date(1995, 1, 1), date(1995, 1, 3), date(2026, 3, 6), date(2030, 1, 1)):
            with pytest.raises(InvalidParameter, match=r"change='\d.*on each side; the .* 1995-01-02 to 2026-03-06"):
                analytics.before_and_after(views["aa"], change)
        with pytest.raises(InvalidParameter, match="change='Monday': must be a day such as"):
            analytics.before_and_after(view, "Monday")
        with pytest.raises(InvalidParameter, match="must be one of campaign, campaign_id, qrcode"):
            analytics.rates(view, by="nothing")
        with pytest.raises(InvalidParameter, match="scans: has no scan"):
            analytics.rates(view.where(kinds=("bot",), since=None))


def test_numbers_of_numpy_and_zones_are_taken_as_those_of_python_are():
    portfolio, views = shop_with(scans_on({"aa": [1, 2, 3, 4, 5, 6, 5, 4, 3, 9, 1, 2, 3, 4], "bb": [3] * 14}))
    with portfolio:
        one, two = within(views, 14)
        ljubljana, half = "Europe/Ljubljana", np.float32(0.5)
        for ask in (
            lambda zone, share: analytics.rates(one.where(time_zone=zone), level=share),
            lambda zone, share: analytics.compare(one.where(time_zone=zone), two.where(time_zone=zone), level=share),
            lambda zone, share: analytics.before_and_after(one.where(time_zone=zone), date(2026, 3, 9), level=share),
            lambda zone, share: analytics.unusual_days(one.where(until=date(2026, 3, 18), time_zone=zone), alarm=share),
            lambda zone, _: analytics.scans_per(one.where(time_zone=zone), "hour"),
            lambda zone, _: analytics.scans_per_day(one.where(time_zone=zone)),
            lambda zone, _: analytics.scans_by_hour(one.where(time_zone=zone)),
            lambda zone, _: analytics.scans_and_previous(one.where(time_zone=zone)),
        ):
            pd.testing.assert_frame_equal(ask(ZoneInfo(ljubljana), half), ask(ljubljana, 0.5), rtol=0, atol=0)
        # Shorter numbers would not make the interval coarser.
        level = np.float32(0.95)
        pd.testing.assert_frame_equal(analytics.rates(one, level=level), analytics.rates(one, level=float(level)))
        for wrong in (np.float32(1), np.bool_(True), np.float64("nan")):
            with pytest.raises(InvalidParameter, match="level"):
                analytics.rates(one, level=wrong)


def test_no_moment_of_pandas_is_no_bound():
    portfolio, views = shop_with(scans_on({"aa": [1, 2]}))
    with portfolio:
        view = views["aa"].where(since=MONDAY, until=date(2026, 3, 4))
        for name in ("since", "until"):
            with pytest.raises(InvalidParameter, match=f"{name}=NaT: must be a date, a datetime or None"):
                view.where(**{name: pd.NaT})
        assert view.count() == 3
        assert view.where(since=pd.Timestamp("2026-03-03"), until=None).count() == 2


def test_columns_and_dtypes_are_those_of_the_docstring():
    portfolio, views = shop_with(scans_on({"aa": [1, 2, 3, 4, 5, 6], "bb": [0] * 6}))
    with portfolio:
        one, two = within(views, 6)
        sides = {"days": "int64", "scans": "int64", "rate": "float64"}
        wanted = {f"{side}_{name}": dtype for side in ("first", "second") for name, dtype in sides.items()}
        wanted |= dict.fromkeys(("ratio", "low", "high", "probability"), "float64")
        wanted |= {"differs": "boolean"} | dict.fromkeys(("smallest", "spread", "days_as_one"), "float64")
        wanted |= {"is_paired": "bool", "reason": TEXT}
        wanted |= {"unit": TEXT, "first_codes": "int64", "second_codes": "int64"}
        for pair in ((one, two), (two, one), (two, two)):
            for independent in (False, True):
                assert analytics.compare(*pair, independent=independent).dtypes.astype(str).to_dict() == wanted
        rates = {"days": "int64", "scans": "int64"}
        rates |= dict.fromkeys(("rate", "low", "high", "spread", "days_as_one"), "float64") | {"reason": TEXT}
        assert analytics.rates(one).dtypes.astype(str).to_dict() == rates
        assert analytics.rates(one, by="campaign").dtypes.astype(str).to_dict() == {"campaign": TEXT} | rates
        assert analytics.rates(two, by="campaign").dtypes.astype(str).to_dict() == {"campaign": TEXT} | rates


def any_time_alarms(world: str, rate: float, number: int, *, looks: int = LOOKS, seed: int = 9) -> float:
    """Share of worlds in which any daily look, from two weeks after the change on, sees a difference."""
    level = level_of_each_look(BEFORE, 0.95)
    alarms = 0
    for history in histories(truth_of(world), rate, BEFORE + TWO_WEEKS + looks - 1, number, seed):
        entries = list(history.items())
        before = dict(entries[:BEFORE])
        ends = range(BEFORE + TWO_WEEKS, len(entries) + 1)
        found = (ratio_interval(before, dict(islice(entries, BEFORE, end)), level, independent=False) for end in ends)
        alarms += any(interval.differs for interval in found)
    return alarms / number


def test_hardly_any_alarm_in_two_weeks_of_looks():
    """With the interval for one look, every look would be a new chance of an alarm."""
    assert any_time_alarms("AR(1), 0.8", 40.0, 12, looks=14) <= 0.1


@pytest.mark.benchmark  # a minute each or more: to be run when the rule changes
@pytest.mark.parametrize("world", WORLDS)
def test_all_looks_of_three_months_keep_the_level(world, capsys):
    """Nominal is 0.05; the standard error of 500 worlds is 0.01."""
    share = any_time_alarms(world, 40.0, 500)
    with capsys.disabled():
        print(f"\n{world}: an alarm at any of {LOOKS} looks in {share:.3f} of 500 worlds")  # noqa: T201
    assert share <= 0.065


# ---- trends


def trend_of(days, **truth):
    """The trend of a code with 40 scans a day, half of whose days are before a change."""
    frame = analytics.simulate({"aa": 40}, since=MONDAY, days=days, seed=4, truth=Truth(**truth))
    portfolio, views = shop_with(frame[["short_code", "time"]])
    with portfolio:
        view = views["aa"].where(since=MONDAY, until=MONDAY + timedelta(days=days))
        return analytics.before_and_after(view, MONDAY + timedelta(days=days // 2))["trend"].item()


def test_a_trend_is_told_apart_from_a_change():
    assert trend_of(84, half_life=28) == pytest.approx(0.5 ** (7 / 28) - 1, abs=0.06)
    assert isnan(trend_of(84, change=MONDAY + timedelta(days=42), effect=1.5))
    assert isnan(trend_of(84, log_sd=0.4, log_correlation=0.8))
    assert isnan(trend_of(20, half_life=14))


# ---- each code from its own beginning, until now


def late_starter():
    """Three codes from the start, and one that began 19 days before the end of 60 days; it is the busiest."""
    rates = {"five": 5, "four": 4, "three": 3}
    frames = [
        analytics.simulate(rates, since=MONDAY, days=60, seed=1),
        analytics.simulate({"late": 8}, since=MONDAY + timedelta(days=30), days=30, seed=2),
    ]
    portfolio, _ = shop_with(pd.concat(frames)[["short_code", "time"]])
    return portfolio, portfolio.scans.where(since=MONDAY, until=MONDAY + timedelta(days=60))


def test_a_code_that_began_late_has_the_rate_of_its_own_days():
    portfolio, view = late_starter()
    with portfolio:
        found = analytics.rates(view, by="qrcode").set_index("qrcode")
        best = analytics.ranking(view).iloc[0]
    assert found["days"].to_dict() == {"five": 60, "four": 60, "late": 29, "three": 60}
    assert found.loc["late", "low"] < 8 < found.loc["late", "high"]
    assert found.loc["late", "rate"] == pytest.approx(8, abs=1.5)
    assert best["qrcode"] == "late"
    assert best["first"] > 0.9


def test_a_campaign_counts_from_its_first_code():
    portfolio, view = late_starter()
    with portfolio:
        spring = portfolio.insert_campaign("Spring")
        portfolio.update_qrcode(portfolio.find_qrcode("late").id, campaign_id=spring.id)
        assert analytics.rates(view, by="campaign").set_index("campaign")["days"].to_dict() == {"": 60, "Spring": 29}
        portfolio.update_qrcode(portfolio.find_qrcode("five").id, campaign_id=spring.id)
        assert analytics.rates(view, by="campaign")["days"].tolist() == [60, 60]


def test_rates_and_forecasts_without_until_end_now():
    """A code that died four weeks ago has a rate that says so, and its forecast begins today."""
    scans = analytics.simulate({"dead": 6}, since=MONDAY, days=32, seed=3)
    now = datetime(2026, 5, 1, 9, tzinfo=UTC)
    with open_portfolio(":memory:", clock=lambda: now) as portfolio:
        portfolio.insert_qrcode("https://example.com", short_code="dead")
        portfolio.scans.insert(scans)
        assert analytics.rates(portfolio.scans)["days"].item() == 59
        assert analytics.forecast(portfolio.scans)["day"].iloc[0] == pd.Timestamp(2026, 5, 1)
        until = portfolio.scans.where(until=MONDAY + timedelta(days=32))
        assert analytics.rates(until)["days"].item() == 31


# ---- codes that began late


def late_pair():
    """A code with 8 scans a day for the last nineteen days, and one with 5 a day for ten weeks."""
    late = MONDAY + timedelta(days=51)
    frames = [
        analytics.simulate({"new": 8.0}, since=late, days=19, seed=3),
        analytics.simulate({"old": 5.0}, since=MONDAY, days=70, seed=4),
    ]
    return shop_with(pd.concat(frames)[["short_code", "time"]])


def test_a_young_code_has_a_rate_of_its_own_days():
    shop, views = late_pair()
    with shop:
        row = analytics.rates(within(views, 70)[0]).iloc[0]
        assert row["days"] == 18
        assert row["low"] < 8 < row["high"]
        assert not row["reason"]


def test_two_codes_are_compared_on_days_of_both():
    shop, views = late_pair()
    with shop:
        row = analytics.compare(*within(views, 70)).iloc[0]
        assert row[["first_days", "second_days", "is_paired"]].tolist() == [18, 18, True]
        assert row["first_rate"] == pytest.approx(8, rel=0.25)
        assert row["ratio"] < 1


def test_days_before_a_code_began_are_not_before_a_change():
    shop, views = late_pair()
    with shop:
        row = analytics.before_and_after(within(views, 70)[0], MONDAY + timedelta(days=61)).iloc[0]
        assert row["first_days"] == 9
        assert row["first_rate"] == pytest.approx(8, rel=0.35)
