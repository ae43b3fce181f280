"""Events that are found in the scans once a day: silent codes, unusual days, experiments with a winner."""

from datetime import UTC, date, datetime, timedelta

import pandas as pd
import pytest

from qrkit import analytics, open_portfolio
from qrkit.store.records.receivers import newer_events
from tests.split_shop import make_split_shop

MONDAY = date(2026, 3, 2)
DAYS = 60
KINDS = ("code.silent", "unusual.day", "experiment.decided")


@pytest.fixture(scope="module")
def scans():
    """A code that is scanned to the end, one that died 14 days before it, and one with a burst on the last day."""
    burst = pd.DataFrame({"short_code": "busy", "time": pd.date_range("2026-04-30T08:00", periods=40, freq="min")})
    alive = analytics.simulate({"alive": 3, "busy": 3}, since=MONDAY, days=DAYS, seed=1)
    frame = pd.concat([alive, analytics.simulate({"dead": 3}, since=MONDAY, days=DAYS - 14, seed=2), burst])
    return frame[["short_code", "time"]]


@pytest.fixture
def shop(scans):
    with open_portfolio(":memory:", clock=lambda: datetime(2026, 5, 1, 9, tzinfo=UTC)) as shop:
        for code in ("alive", "busy", "dead"):
            shop.insert_qrcode("https://example.com", name=code, short_code=code)
        shop.scans.insert(scans)
        yield shop


def told(shop):
    return [event for _, event in newer_events(shop.store, shop.account.id, after=0, most=99)]


def test_what_reports_find_is_told_once(shop):
    webhook = shop.webhooks.add("https://example.com/", kinds=KINDS)
    assert shop.webhooks.daily() == 3
    assert shop.webhooks.daily() == 0
    silent, *days = sorted(told(shop), key=lambda event: (event["type"], "name" in event["data"]))
    row = shop.silent().iloc[0]
    assert silent["data"]["last"] == f"{row['last']:%F}"
    assert (silent["type"], silent["subject"], silent["data"]["days"]) == ("qrkit.code.silent", row["qrcode_id"], 14)
    assert [(one["data"].get("name"), one["data"]["day"]) for one in days] == [
        (None, "2026-04-30"), ("busy", "2026-04-30")
    ]  # fmt: skip
    judged = analytics.unusual_days(shop.scans.where(since="2026-03-06", until="2026-05-01")).iloc[-1]
    assert days[0]["data"]["chance"] == pytest.approx(judged["chance"], rel=1e-3)
    assert days[1]["data"]["scans"] > 40 > days[1]["data"]["high"]
    assert webhook.wants(days[0])
    assert not webhook.model_copy(update={"qrcode_id": row["qrcode_id"]}).wants(days[0])


def test_only_what_is_asked_for_is_told(shop):
    assert shop.webhooks.daily() == 0
    shop.webhooks.add("https://example.com/", kinds=["scan", "unusual.day"])
    assert shop.webhooks.daily() == 2
    assert {event["type"] for event in told(shop)} == {"qrkit.unusual.day"}


def test_days_end_at_midnight_of_the_zone(shop):
    """In Honolulu, the burst was on the day before; its last whole day has no 9 o'clock of 1 May in UTC."""
    shop.webhooks.add("https://example.com/", kinds=["unusual.day"])
    shop.webhooks.daily(time_zone="Pacific/Honolulu")
    assert {event["data"]["day"] for event in told(shop)} == {"2026-04-29"}


def test_a_winner_is_told(tmp_path):
    make_split_shop(tmp_path / "shop.duckdb")
    later = datetime.now(UTC) + timedelta(days=2)
    with open_portfolio(tmp_path / "shop.duckdb", clock=lambda: later) as shop:
        shop.webhooks.add("https://example.com/", kinds=["experiment.decided"])
        assert (shop.webhooks.daily(), shop.webhooks.daily()) == (1, 0)
        (event,) = told(shop)
    assert (event["data"]["winner"], event["data"]["shortCode"]) == ("New", "door")
    assert event["data"]["sentence"].startswith("New converts ")
