"""Scans against units that users keep with their QR Codes, such as posters, cost and opening hours."""

from datetime import UTC, date, datetime, timedelta

import numpy as np
import pandas as pd
import pytest

from qrkit import analytics, open_portfolio
from qrkit.analytics import Truth, simulate
from qrkit.errors import InvalidParameter

FIRST = date(2026, 3, 2)
END = FIRST + timedelta(days=56)
CREATED = datetime(2026, 1, 1, tzinfo=UTC)


def shop_of(codes, frame):
    """A portfolio with codes, given as their fields by short code, and the scans of a frame."""
    shop = open_portfolio(":memory:", clock=lambda: CREATED)
    for code, fields in codes.items():
        shop.insert_qrcode("https://example.com", name=code, short_code=code, fields=fields)
    shop.scans.insert(frame)
    return shop


def scans_at(*moments):
    return pd.DataFrame(moments, columns=["short_code", "time"])


POSTERS = {"tram": "10", "shop": "2", "hall": "4"}


@pytest.fixture(scope="module")
def view():
    """Three groups of posters; the hall was never scanned, and the last code has no posters."""
    codes = {
        name: {"Posters": number, "Cost": "30.5", "Kind": "in" if name != "tram" else "out"}
        for name, number in POSTERS.items()
    }
    frame = simulate({"tram": 20.0, "shop": 8.0, "none": 5.0}, since=FIRST, days=56)
    with shop_of({**codes, "none": {}}, frame) as shop:
        yield shop.scans.where(since=FIRST, until=END)


def test_scans_and_units_are_divided(view):
    table = analytics.scans_per_unit(view, "Posters").set_index("qrcode")
    counted = analytics.scans_by(view, "qrcode").set_index("qrcode")["scans"]
    for name in ("tram", "shop"):
        row = table.loc[name]
        assert row["scans"] == counted[name]
        assert row["rate"] == pytest.approx(counted[name] / 56 / float(POSTERS[name]))
        assert row["units_per_scan"] == pytest.approx(float(POSTERS[name]) / counted[name])
        assert row["low"] < row["rate"] < row["high"]
        assert row["units_per_scan_low"] < row["units_per_scan"] < row["units_per_scan_high"]
    assert sorted(table.index) == ["hall", "shop", "tram"]
    assert table.loc["hall", ["scans", "units_per_scan"]].tolist() == [0, np.inf]
    assert table.loc["hall", "reason"].startswith("0 scans are too few")


def test_interval_of_one_unit_is_that_of_the_rate(view):
    """With one poster a code, scans per unit are the rates of `rates`."""
    ones = {"one": {"Posters": "1"}}
    with shop_of(ones, simulate({"one": 6.0}, since=FIRST, days=56)) as shop:
        scans = shop.scans.where(since=FIRST, until=END)
        names = ["days", "rate", "low", "high"]
        per_unit, rates = analytics.scans_per_unit(scans, "Posters"), analytics.rates(scans)
        assert per_unit[names].to_numpy().ravel() == pytest.approx(rates[names].to_numpy().ravel())


def test_groups_add_up_their_codes(view):
    table = analytics.scans_per_unit(view, "Posters", by="Kind").set_index("Kind")
    assert table["codes"].to_dict() == {"in": 2, "out": 1}
    assert table["units"].to_dict() == {"in": 6.0, "out": 10.0}
    whole = analytics.scans_per_unit(view, "Posters", by=None)
    assert whole[["codes", "units", "scans"]].iloc[0].tolist() == [3, 16, table["scans"].sum()]
    campaigns = analytics.scans_per_unit(view, "Posters", by="campaign")
    assert campaigns["campaign"].tolist() == [""]


def test_posters_count_from_their_first_day(view):
    """Two posters of ten scans a day each, one of them for the last three weeks only."""
    late = END - timedelta(days=21)
    frame = pd.concat([simulate({"a": 10.0}, since=FIRST, days=56), simulate({"b": 10.0}, since=late, days=21, seed=2)])
    codes = {code: {"Posters": "1"} for code in "ab"}
    with shop_of(codes, frame[["short_code", "time"]]) as shop:
        scans = shop.scans.where(since=FIRST, until=END)
        both = analytics.scans_per_unit(scans, "Posters", by=None).iloc[0]
        assert both["low"] < 10 < both["high"]
        assert both["rate"] == pytest.approx(10, rel=0.1)
        alone = analytics.scans_per_unit(scans, "Posters").set_index("qrcode").loc["b"]
        assert alone["days"] == 20
        assert alone["low"] < 10 < alone["high"]


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        ({"field": "Town"}, r"field='Town': must be the name of a field of QR Codes: 'Cost', 'Kind', 'Posters'"),
        ({"field": 7}, "field=7: must be the name"),
        ({"field": "city"}, "field='city': must be the name"),
        ({"field": "Kind"}, r"Kind='out': must be a number above 0.*'tram'|Kind='in'"),
        ({"field": "Posters", "by": "device"}, "by='device': must be one of campaign, .* or another field"),
        ({"field": "Posters", "by": "Town"}, "by='Town': must be one of"),
        ({"field": "Posters", "level": 2}, "level=2: must be above 0"),
    ],
)
def test_errors_name_the_parameter(view, asked, error):
    with pytest.raises(InvalidParameter, match=error):
        analytics.scans_per_unit(view, **asked)


@pytest.mark.parametrize("text", ["0", "-3", "12,5", "nan", "inf", "many"])
def test_numbers_are_above_zero(text):
    with (
        shop_of({"a": {"Cost": text}}, scans_at(("a", datetime(2026, 3, 5)))) as shop,
        pytest.raises(InvalidParameter, match=r"Cost=.*'a' has another value"),
    ):
        analytics.scans_per_unit(shop.scans.where(since=FIRST, until=END), "Cost")


# ---- lift


def test_lift_is_per_unit_and_day():
    swap = FIRST + timedelta(days=28)
    truth = Truth(change=swap, effect=2.0)
    with shop_of({"a": {"Cost": "100"}}, simulate({"a": 20.0}, since=FIRST, days=56, truth=truth)) as shop:
        row = analytics.lift_per_unit(shop.scans.where(since=FIRST, until=END), swap, "Cost").iloc[0]
        assert row["units"] == 100
        assert row["days"] == 28
        assert row["extra_low"] < 20 / 100 < row["extra_high"]
        assert row["units_per_extra"] == pytest.approx(100 / (28 * row["extra"] * 100))
        assert row["units_per_extra_low"] < 100 / (28 * 20) < row["units_per_extra_high"]


@pytest.mark.parametrize(("effect", "prices"), [(1.0, [True, True]), (0.3, [False, False])])
def test_no_lift_has_no_price(effect, prices):
    swap = FIRST + timedelta(days=28)
    truth = Truth(change=swap, effect=effect)
    with shop_of({"a": {"Cost": "100"}}, simulate({"a": 20.0}, since=FIRST, days=56, truth=truth, seed=5)) as shop:
        row = analytics.lift_per_unit(shop.scans.where(since=FIRST, until=END), swap, "Cost").iloc[0]
        assert row["extra_low"] < 0
        assert row[["units_per_extra_low", "units_per_extra_high"]].notna().tolist() == prices
        assert np.isnan(row["units_per_extra"]) or row["extra"] > 0


# ---- opening hours


def test_hours_count_while_a_place_is_open():
    """A shop that opens at 9:30 and is scanned four times an hour, day and night."""
    hours = Truth(hours=(1.0,) * 24)
    with shop_of(
        {"a": {"Open": "Mo-Fr 09:30-18; Sa 10:00-14:00"}}, simulate({"a": 96.0}, since=FIRST, days=56, truth=hours)
    ) as shop:
        table = analytics.scans_by_open_hour(shop.scans.where(since=FIRST, until=END), "Open")
        assert table["hour"].tolist() == list(range(24))
        assert table["hours"].tolist() == [0] * 9 + [20.0] + [48.0] * 4 + [40.0] * 4 + [0] * 6
        assert table["scans"].sum() + table["closed_scans"].sum() == shop.scans.where(since=FIRST, until=END).count()
        told = table[table["hours"] > 0]
        assert (told["rate"] / 4).between(0.7, 1.3).all()
        assert ((told["low"] < 4) & (told["high"] > 4)).mean() > 0.8
        assert table.loc[3, ["rate", "low"]].isna().all()


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("9-17", dict.fromkeys(range(9, 17), 56.0)),
        ("Fr-Su 22:00-02:00", {0: 24.0, 1: 24.0, 22: 24.0, 23: 24.0}),
        ("Mo, Th 8-9, 12:15-12:45; Th off", {8: 8.0, 12: 4.0}),
        ("0-24; Sa-Mo off", dict.fromkeys(range(24), 32.0)),
        ("Mo 8-9, 8:30-9", {8: 8.0}),
    ],
)
def test_opening_hours_are_read(text, hours):
    with shop_of({"a": {"Open": text}}, scans_at(("a", datetime(2026, 3, 1)))) as shop:
        table = analytics.scans_by_open_hour(shop.scans.where(since=FIRST, until=END), "Open")
        assert table[table["hours"] > 0].set_index("hour")["hours"].to_dict() == pytest.approx(hours)


@pytest.mark.parametrize("text", ["open", "9-25", "9:60-10", "Xx 9-10", "9", "Mo-Fr", "9-10 11-12"])
def test_other_opening_hours_are_refused(text):
    with (
        shop_of({"a": {"Open": text}}, scans_at(("a", datetime(2026, 3, 1)))) as shop,
        pytest.raises(InvalidParameter, match=r"must be opening hours such as 'Mo-Fr 09:00-18:00.*QR Code 'a'"),
    ):
        analytics.scans_by_open_hour(shop.scans.where(since=FIRST, until=END), "Open")
