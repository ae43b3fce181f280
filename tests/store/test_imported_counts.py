"""Scans that were imported as a number, and the visits behind it that are imported one by one (ruling T16)."""

from datetime import UTC, datetime, timedelta

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qrkit import open_portfolio
from qrkit.store.recording.visit_rows import insert_visits
from qrkit.store.upkeep.maintenance import verify
from qrkit.tracking.records import Visit

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
PEOPLE, BOTS = 9, 3
some = settings(max_examples=15)


def history(kinds, code="door", since=NOON):
    """Visits a minute apart, of these kinds."""
    times = [since + timedelta(minutes=number) for number in range(len(kinds))]
    return pd.DataFrame({"short_code": code, "time": pd.Series(times, dtype="datetime64[us, UTC]"), "kind": kinds})


def listed(shop, **scans):
    """Import codes with these numbers of scans."""
    rows = [{"Content": "x", "Trackable URL": f"http://a.b/{code}", "Scans": count} for code, count in scans.items()]
    assert shop.import_frame(pd.DataFrame(rows).assign(**{"QR Code Name": list(scans)})).created == len(scans)


def counted(shop):
    """Scans by short code, which records, tables and SQL must tell alike."""
    found = {code.short_code: code.scans for code in shop.list_qrcodes()}
    asked = shop.sql("SELECT short_code, scans FROM qrcodes")
    assert dict(zip(asked["short_code"], asked["scans"], strict=True)) == found
    assert shop.qrcodes()["scans"].tolist() == list(found.values())
    assert verify(shop.store) == []
    return found


@pytest.fixture
def shop(new_place):
    with open_portfolio(new_place(), base_url="https://go.example.com") as portfolio:
        yield portfolio


@pytest.mark.rule("T16")
def test_rows_of_a_history_replace_the_number_they_explain(shop):
    """Open: a list that says 12 visits, and these 12 as rows. Scans said 21, and could not be corrected."""
    listed(shop, door=PEOPLE + BOTS, gate=40)
    rows = history(["scan"] * PEOPLE + ["bot"] * BOTS)
    assert shop.scans.insert(rows) == 12
    assert counted(shop) == {"door": PEOPLE, "gate": 40}
    assert shop.scans.insert(rows) == 0
    assert counted(shop) == {"door": PEOPLE, "gate": 40}
    assert len(shop.scans.to_frame()) == PEOPLE


@pytest.mark.slow
@pytest.mark.rule("T16")
def test_a_part_of_a_history_leaves_the_rest_of_the_number(shop):
    """Open: rows that come bit by bit. The number goes down as they come, and is never less than nothing."""
    listed(shop, door=12)
    rows = history(["scan"] * 4 + ["bot"] + ["scan"] * 5 + ["head", "prefetch"] + ["scan"] * 3)
    for end, scans in ((5, 7 + 4), (5, 7 + 4), (12, 9), (15, 12)):
        shop.scans.insert(rows[:end])
        assert counted(shop) == {"door": scans}


@pytest.mark.slow
@pytest.mark.rule("T16")
@given(st.integers(0, 20), st.lists(st.lists(st.sampled_from(["scan", "bot", "head"]), max_size=8), max_size=3))
@some
def test_no_visit_counts_twice_whatever_comes_in_whatever_parts(number, parts):
    with open_portfolio(":memory:") as shop:
        listed(shop, door=number)
        kinds = []
        for day, part in enumerate(parts):
            shop.scans.insert(history(part, since=NOON + timedelta(days=day)))
            kinds += part
        assert counted(shop) == {"door": max(number - len(kinds), 0) + kinds.count("scan")}


@pytest.mark.rule("T16")
def test_visits_that_come_in_live_explain_nothing(shop):
    """Open: what is a history. Rows that are inserted; a visit to the short URL is a new one."""
    listed(shop, door=12)
    number = shop.store.row("SELECT number FROM qrcodes")["number"]
    insert_visits(shop.store, [Visit(NOON, "scan", "door", qrcode=number, content="x")])
    assert counted(shop) == {"door": 13}


@pytest.mark.rule("T16")
def test_rows_from_after_the_import_add_to_the_number(new_place):
    """Open: what a number can explain. Visits from before it was imported; later ones are not in it."""
    with open_portfolio(new_place(), base_url="https://go.example.com", clock=lambda: NOON) as shop:
        listed(shop, door=12)
        shop.scans.insert(history(["scan"] * 3, since=NOON - timedelta(minutes=2)))
        assert counted(shop) == {"door": 10 + 3}


@pytest.mark.rule("T16")
def test_a_history_that_is_refused_leaves_the_number(shop):
    listed(shop, door=12)
    with pytest.raises(ValueError, match="short code"), shop.store.atomic():
        shop.scans.insert(history(["scan"] * 3))
        shop.scans.insert(history(["scan"], code="nowhere"))
    assert counted(shop) == {"door": 12}
