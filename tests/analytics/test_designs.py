"""Designs are compared with each poster as one observation, and planned before anything is printed."""

from datetime import UTC, date, datetime, timedelta

import numpy as np
import pandas as pd
import pytest

from qrkit import analytics, open_portfolio
from qrkit.analytics import Truth
from qrkit.analytics.between_codes import CodeLogs, between_codes
from qrkit.errors import InvalidParameter
from tests.analytics.study_intervals import designs_cell
from tests.analytics.worlds import Posters
from tests.dtypes import TEXT
from tests.sweeps import night_between, quick_rows

MONDAY = date(2026, 3, 2)
CHANGE = MONDAY + timedelta(days=28)
END = MONDAY + timedelta(days=56)


def posters(design, number, *, effect=1.0, seed=1, places=0.7, days=56, mean=4.0):
    """Scans of posters in places of their own, whose design changes after four weeks."""
    random = np.random.default_rng(seed)
    rates = mean * random.lognormal(0, places, number)
    codes = {f"{design}{place:02}": rate for place, rate in enumerate(rates)}
    truth = Truth(change=CHANGE, effect=effect, unrest=0.3, shared=False)
    return analytics.simulate(codes, since=MONDAY, days=days, seed=seed, truth=truth)[["short_code", "time"]]


def shop_of(**scans):
    """A portfolio, and a view for each design."""
    shop = open_portfolio(":memory:", clock=lambda: datetime(2026, 1, 1, tzinfo=UTC))
    views = {}
    for design, frame in scans.items():
        names = sorted(frame["short_code"].unique())
        codes = [shop.insert_qrcode("https://example.com", name=name, short_code=name) for name in names]
        shop.scans.insert(frame)
        views[design] = shop.scans.where(qrcode_id=[code.id for code in codes], since=MONDAY, until=END)
    return shop, views


@pytest.fixture(scope="module")
def alike():
    """Two groups of ten posters of one design: the places of the second happen to be better."""
    shop, views = shop_of(old=posters("old", 10, seed=2), new=posters("new", 10, seed=3, mean=6.0))
    with shop:
        yield views


@pytest.fixture(scope="module")
def changed():
    """The second group of ten posters gets a design that doubles its scans."""
    shop, views = shop_of(old=posters("old", 10, seed=4), new=posters("new", 10, effect=2.0, seed=5))
    with shop:
        yield views


# ---- the poster as the unit


@pytest.mark.parametrize(
    ("number", "per_day", "shift"),
    [*quick_rows([(3, 1, 0.0), (10, 1, 0.2), (30, 4, 0.4)], quick=2),
     *night_between(((n, rate, sd) for n in (3, 10, 30) for rate in (0.3, 4) for sd in (0.0, 0.2, 0.4)), step=4)],
)  # fmt: skip
def test_designs_alike_win_no_more_often_than_stated(number, per_day, shift):
    worlds = 100
    for has_before, ratio in ((True, 1.0), (False, 1.0), (True, 1.5)):
        found = designs_cell(Posters(number, per_day, shift, ratio), worlds, has_before=has_before)
        assert found.refused < 0.05
        assert found.wrong <= 0.06 + 3 * np.sqrt(0.06 * 0.94 / worlds)


@pytest.mark.slow
def test_an_effect_is_found_as_often_as_planned():
    """By the plan, ten posters show 50% more after 30 days in 4 of 5 cases."""
    needed = analytics.plan(per_day=1, lift=0.5, posters=11).set_index("days").loc[28]
    assert needed["is_enough"]
    found = designs_cell(Posters(int(needed["posters"]), 1.0, 0.2, ratio=1.5, places=0.0), 200)
    assert found.width < 2 * np.log(1.5)


@pytest.mark.parametrize(("few", "many"), [(2, 2), (2, 10), (2, 40), (40, 2), (3, 100), (20, 20)])
def test_few_codes_beside_many_are_called_different_no_more_often_than_stated(few, many):
    random, missed, worlds = np.random.default_rng(4), 0, 400
    for _ in range(worlds):
        logs = (CodeLogs(random.standard_normal(number), np.full(number, 1e-6)) for number in (few, many))
        found = between_codes(*logs, 0.95)
        assert found.differs == (not 0.025 <= found.probability <= 0.975)
        missed += found.differs
    assert missed <= 0.05 * worlds + 2 * np.sqrt(0.05 * 0.95 * worlds)


@pytest.mark.parametrize(("few", "many", "share"), [(2, 100, 0.4), (3, 50, 0.8)])
def test_a_few_codes_that_differ_less_than_many_others_do_not_hide_a_difference(few, many, share):
    random, found, worlds = np.random.default_rng(4), 0, 200
    for _ in range(worlds):
        values = random.normal(0, 0.2, few), random.normal(0.7, 0.6, many)
        found += between_codes(*(CodeLogs(one, np.full(len(one), 1e-6)) for one in values), 0.95).differs
    assert found > share * worlds


def test_places_that_differ_are_no_difference_of_designs(alike):
    by_codes = analytics.compare(alike["old"], alike["new"]).iloc[0]
    by_days = analytics.compare(alike["old"], alike["new"], unit="days").iloc[0]
    assert by_days["differs"]  # these two sums of scans do differ
    assert not by_codes["differs"]
    assert (by_codes["unit"], by_days["unit"]) == ("codes", "days")
    assert by_codes["first_codes"] == by_codes["second_codes"] == 10
    assert by_codes["low"] < by_codes["ratio"] < by_codes["high"]
    assert by_codes["first_scans"] == by_days["first_scans"]


def test_one_code_is_compared_with_another_by_days(alike):
    ids = [view.qrcode_id for view in alike.values()]
    one, two = (alike["old"].where(qrcode_id=group[0]) for group in ids)
    pd.testing.assert_frame_equal(analytics.compare(one, two), analytics.compare(one, two, unit="days"))
    same = alike["old"]
    halves = same.where(until=CHANGE), same.where(since=CHANGE)
    assert analytics.compare(*halves)["unit"].item() == "days"
    alone = analytics.compare(one, alike["new"]).iloc[0]
    assert alone["differs"] is pd.NA
    assert "1 scanned QR Codes in one of the groups are too few" in alone["reason"]


def test_a_moved_poster_is_no_effect_of_the_change():
    """Nothing changes but for one poster, which moves to a place with five times the scans."""
    busy = analytics.simulate({"new00": 60}, since=CHANGE, days=28, seed=9)[["short_code", "time"]]
    moved = pd.concat([posters("new", 8, places=0.2, seed=6), busy])
    shop, views = shop_of(old=posters("old", 8, places=0.2, seed=7), new=moved)
    with shop:
        by = {
            unit: analytics.before_and_after(views["new"], CHANGE, control=views["old"], unit=unit).iloc[0]
            for unit in ("codes", "days")
        }
    assert by["days"]["differs"]
    assert not by["codes"]["differs"]
    assert by["codes"]["ratio"] == pytest.approx(by["codes"]["view_ratio"] / by["codes"]["control_ratio"])
    assert by["codes"]["view_codes"] == by["codes"]["control_codes"] == 8


def test_a_design_that_works_is_found_by_both_functions(changed):
    found = analytics.compare_designs(changed, change=CHANGE).iloc[0]
    same = analytics.before_and_after(changed["new"], CHANGE, control=changed["old"]).iloc[0]
    assert found["low"] < 2 < found["high"]
    assert found["differs"]
    assert found[["ratio", "low", "high"]].tolist() == pytest.approx(same[["ratio", "low", "high"]].tolist())
    assert found["sentence"].startswith(f"new brings {found['ratio']:.2f} times as many scans as old (likely ")


def test_without_a_time_before_the_places_are_in_the_interval(alike):
    found = analytics.compare_designs(alike).iloc[0]
    assert not found["differs"]
    assert found["high"] / found["low"] > 2
    assert "Places differ, too" in found["sentence"]


def test_each_poster_counts_from_its_beginning():
    """Half of the new posters went up in the last week; they are scanned as often as the others."""
    late = posters("new", 10, places=0.1, seed=8)
    is_late = late["short_code"] >= "new05"
    late = late[~is_late | (late["time"] >= pd.Timestamp(END) - pd.Timedelta(days=8))]
    shop, views = shop_of(old=posters("old", 10, places=0.1, seed=9), new=late)
    with shop:
        found = analytics.compare_designs(views).iloc[0]
        assert found["low"] < 1 < found["high"]
        assert found["ratio"] == pytest.approx(1, abs=0.25)
        # Those that began after the change tell nothing about it.
        assert analytics.compare_designs(views, change=CHANGE)["second_codes"].item() == 5


def test_three_designs_are_compared_in_pairs():
    shop, views = shop_of(a=posters("a", 4, seed=1), b=posters("b", 4, seed=2), c=posters("c", 4, seed=3))
    with shop:
        found = analytics.compare_designs(views, change=CHANGE)
        alone = analytics.compare_designs({name: views[name] for name in "ab"}, change=CHANGE)
    assert found[["first", "second"]].to_numpy().tolist() == [["a", "b"], ["a", "c"], ["b", "c"]]
    assert found["high"][0] / found["low"][0] > alone["high"][0] / alone["low"][0]
    types = {"first": TEXT, "second": TEXT}
    types |= dict.fromkeys(("first_codes", "second_codes", "first_scans", "second_scans"), "int64")
    types |= dict.fromkeys(("ratio", "low", "high", "probability"), "float64") | {"differs": "boolean"}
    types |= {"smallest": "float64", "reason": TEXT, "sentence": TEXT}
    assert found.dtypes.astype(str).to_dict() == types


def test_groups_that_cannot_be_compared_are_refused(alike):
    old, new = alike.values()
    for groups, message in (
        ([old, new], "groups='list': must be a dict of views of scans by the names of designs"),
        ({"old": old}, "groups=1: must be 2 to 20 views"),
        ({"old": old, "new": "codes"}, "must be a dict of views of scans"),
        ({"old": old, "same": old}, "groups='old, same': must have no QR Code in common; 'old00' is in both"),
        ({"old": old, "new": new.where(time_zone="Asia/Tokyo")}, "time_zone='Asia/Tokyo': must be that of"),
    ):
        with pytest.raises(InvalidParameter, match=message):
            analytics.compare_designs(groups)
    with pytest.raises(InvalidParameter, match="unit='scans': must be one of codes, days"):
        analytics.compare(old, new, unit="scans")
    with pytest.raises(InvalidParameter, match="unit: must be one of codes, days"):
        analytics.before_and_after(old, CHANGE, control=new, unit=None)


def test_a_group_without_scans_has_no_interval(alike):
    never = alike["new"].where(kinds=("bot",))
    found = analytics.compare_designs({"old": alike["old"], "new": never}).iloc[0]
    assert found["differs"] is pd.NA
    assert found["sentence"].startswith("Nothing can be said about new and old: 0 scanned QR Codes")


# ---- planning


def test_a_plan_is_the_formula_of_its_docstring():
    found = analytics.plan(posters=10, per_day=2, lift=0.4, shift=0.3, spread=1.5).set_index("days")
    scans = 2 * 14
    wanted = 2 * (1.959964 + 0.841621) ** 2 * (0.3**2 + 1.5 * (1 / scans + 1 / scans)) / np.log(1.4) ** 2
    assert found.loc[14, "posters"] == np.ceil(wanted)
    assert not found.loc[14, "is_enough"]
    assert found["posters"].is_monotonic_decreasing
    assert (found["posters_without_before"] > found["posters"]).all()
    exact = analytics.plan(posters=10, per_day=2, lift=found.loc[14, "smallest"] * 1.0001, shift=0.3, spread=1.5)
    assert exact.set_index("days").loc[14, "is_enough"]


def test_a_plan_without_posters_says_how_many():
    found = analytics.plan(per_day=2, lift=0.4)
    assert found["is_enough"].isna().all()
    assert found.dtypes.astype(str).to_dict() == {
        "days": "int64", "posters": "int64", "posters_without_before": "int64", "smallest": "float64",
        "is_enough": "boolean", "sentence": TEXT,
    }  # fmt: skip
    assert found["sentence"][1] == "14 days before and 14 after: 16 posters in each group show a lift of 40%."


@pytest.mark.parametrize(
    ("name", "value"),
    [("per_day", 0), ("per_day", "3"), ("lift", -0.2), ("lift", float("nan")), ("posters", 1), ("posters", 2.5),
     ("posters", 10**9), ("shift", -1), ("places", True), ("spread", 0.5)],
)  # fmt: skip
def test_a_plan_of_nonsense_is_refused(name, value):
    with pytest.raises(InvalidParameter, match=f"{name}="):
        analytics.plan(**{"per_day": 1, "lift": 0.5, name: value})
