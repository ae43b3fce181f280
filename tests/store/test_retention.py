"""How long visits are kept, the sweep, and the report that tells of both."""

import re
import socket
from collections import Counter
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qrkit import open_portfolio
from qrkit.__main__ import main
from qrkit.errors import InvalidParameter, StoreReadOnly
from qrkit.portfolio import Portfolio
from qrkit.portfolio.access import create_account
from qrkit.portfolio.privacy import NEVER_KEPT
from qrkit.server.settings import Settings
from qrkit.store.recording.visit_rows import insert_visits
from qrkit.store.upkeep.maintenance import compact, verify
from qrkit.store.upkeep.retention import keep_days
from qrkit.store.upkeep.visitor_data import REASONS
from qrkit.tracking.records import Visit

NOON = datetime(2026, 3, 10, 12, tzinfo=UTC)
MIDNIGHT = datetime(2026, 3, 10, tzinfo=UTC)
AGENT = "Very/1.0 (rare browser of one person)"


@pytest.fixture
def shop(tmp_path):
    with open_portfolio(tmp_path / "a.duckdb", clock=lambda: NOON) as portfolio:
        for code in ("door", "shelf"):
            portfolio.insert_qrcode(f"https://{code}.example", name=code.title(), short_code=code)
        yield portfolio


def frame(*days, code="door", **more):
    return pd.DataFrame({"short_code": code, "time": [NOON - timedelta(days=n) for n in days]} | more)


def test_visits_are_kept_for_ever_until_somebody_says_how_long(shop):
    shop.scans.insert(frame(0, 9_000))
    assert keep_days(shop.store) is None
    assert shop.sweep() == 0
    assert shop.scans.count() == 2
    shop.keep_visits(days=30)
    assert (keep_days(shop.store), shop.scans.count()) == (30, 2)  # saying it deletes nothing yet
    assert shop.sweep() == 1
    shop.keep_visits(days=None)
    assert keep_days(shop.store) is None


def test_how_long_is_kept_in_the_store(shop):
    shop.keep_visits(days=30)
    shop.close()
    with open_portfolio(shop.store.path) as again:
        assert again.privacy_report().keep_days == 30


@pytest.mark.parametrize("days", [0, -1, 36_501, 1.5, "30", True])
def test_how_long_is_a_number_of_days(shop, days):
    with pytest.raises(InvalidParameter) as caught:
        shop.keep_visits(days=days)
    assert caught.value.name == "days"
    assert keep_days(shop.store) is None


@pytest.mark.parametrize(("before", "left"), [(timedelta(), 1), (timedelta(microseconds=1), 0)])
def test_a_sweep_ends_at_midnight(shop, before, left):
    insert_visits(shop.store, [Visit(MIDNIGHT - timedelta(days=1) - before, "scan", "door", 1)])
    shop.keep_visits(days=1)
    assert shop.sweep() == 1 - left
    assert shop.scans.count() == left


visits = st.lists(
    st.tuples(st.integers(0, 6), st.sampled_from(["scan", "bot", "head"]), st.sampled_from([1, 2])),
    min_size=1,
    max_size=12,
)


@pytest.mark.slow
@given(visits, st.lists(st.integers(1, 6), min_size=1, max_size=3))
@settings(max_examples=12)
def test_totals_and_days_stay_whatever_is_swept(found, sweeps):
    with open_portfolio(":memory:", clock=lambda: NOON) as shop:
        codes = [shop.insert_qrcode("https://a.example", short_code=code) for code in ("door", "shelf")]
        names = {1: "door", 2: "shelf"}
        insert_visits(shop.store, [Visit(NOON - timedelta(days=n), k, names[q], q) for n, k, q in found])
        for days in sweeps:
            shop.keep_visits(days=days)
            shop.sweep()
            assert verify(shop.store) == []
        scans = Counter(q for _, kind, q in found if kind == "scan")
        assert [shop.get_qrcode(code.id).scans for code in codes] == [scans[1], scans[2]]
        left = shop.store.rows("SELECT time::DATE AS day, kind, qrcode, count(*) AS visits FROM visits GROUP BY ALL")
        swept = shop.store.rows("SELECT day, kind, qrcode, visits FROM day_counts")
        total = Counter()
        for row in left + swept:
            total[row["day"], row["kind"], row["qrcode"]] += row["visits"]
        expected = Counter((date(2026, 3, 10) - timedelta(days=n), k, q) for n, k, q in found)
        assert total == expected
        assert shop.privacy_report().kept.swept == sum(n > min(sweeps) for n, _, _ in found)


def test_nothing_of_a_visitor_is_left_after_a_sweep(shop):
    columns = {"referrer": "rare.example", "city": "Rareville", "language": "xx-RARE", "visitor": [0xDEADBEEF]}
    shop.scans.insert(frame(40, user_agent=AGENT, **columns))
    shop.scans.insert(frame(0, user_agent="Common/1.0"))
    shop.keep_visits(days=30)
    assert shop.sweep() == 1
    assert [row["text"] for row in shop.store.rows("SELECT text FROM user_agents")] == ["Common/1.0"]
    compact(shop.store)
    shop.close()
    data = Path(shop.store.path).read_bytes()
    assert not [word for word in (b"rare.example", b"Rareville", b"xx-RARE", b"rare browser") if word in data]


def test_a_user_agent_comes_back_after_its_sweep(shop):
    shop.scans.insert(frame(40, user_agent=AGENT))
    shop.keep_visits(days=30)
    shop.sweep()
    shop.scans.insert(frame(0, user_agent=AGENT, kind="scan"))
    insert_visits(shop.store, [Visit(NOON, "scan", "door", 1, user_agent=AGENT)])
    assert verify(shop.store) == []
    assert shop.scans.count() == 2


def test_a_server_sweeps_by_its_setting(tmp_path):
    assert Settings.read({"QRKIT_KEEP_DAYS": "90"}).keep_days == 90
    assert Settings().keep_days is None
    for text in ("0", "36501", "long"):
        with pytest.raises(InvalidParameter, match="keep_days"):
            Settings.read({"QRKIT_KEEP_DAYS": text})


def test_a_server_that_cannot_listen_deletes_no_visits(shop):
    shop.scans.insert(frame(0, 900))
    shop.close()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert main(["serve", "--store", shop.store.path, "--port", port, "--keep-days", "30"]) == 2
    with open_portfolio(shop.store.path) as again:
        assert (keep_days(again.store), again.scans.count()) == (None, 2)


# ---- the report


def test_every_column_of_a_visit_is_described(shop):
    columns = [row["column_name"] for row in shop.store.rows("DESCRIBE visits")]
    assert list(shop.privacy_report().kept.columns) == columns
    assert set(columns) == set(REASONS)


def test_the_report_counts_what_is_there(shop):
    shop.scans.insert(frame(0, 1, 2, country=["DE", None, "DK"], user_agent=["a", "", None]))
    insert_visits(shop.store, [Visit(NOON, "orphan", "nobody")])
    found = shop.privacy_report().to_frame().set_index("name")["visits"]
    assert found.loc[["time", "country", "city", "user_agent", "visitor", "day_counts"]].tolist() == [3, 2, 0, 1, 0, 0]
    kept = shop.privacy_report().kept
    assert (kept.visits, kept.orphans, kept.overdue) == (3, 1, 0)
    assert kept.oldest == NOON - timedelta(days=2)


def test_the_report_tells_what_is_kept_too_long(shop):
    shop.scans.insert(frame(0, 31, 45))
    assert set(shop.privacy_report().to_frame()["kept_for"]) == {"forever"}
    shop.keep_visits(days=30)
    report = shop.privacy_report()
    assert report.kept.overdue == 2
    assert "Kept for longer: 2 visits." in str(report)
    assert report.to_frame().set_index("name")["kept_for"].to_dict() | {"day_counts": ""} == dict.fromkeys(
        REASONS, "30 days"
    ) | {"day_counts": ""}
    shop.sweep()
    after = shop.privacy_report()
    assert (after.kept.overdue, after.kept.visits, after.kept.swept) == (0, 1, 2)
    assert "Of 2 earlier visits, only counts are kept." in str(after)


def test_the_report_counts_single_days_and_visits(shop):
    shop.scans.insert(frame(0, 2))
    shop.keep_visits(days=1)
    told = str(shop.privacy_report())
    assert "Visits are kept for 1 day, then reduced to counts." in told
    assert "Kept for longer: 1 visit." in told
    assert not re.search(r"\b1 (days|visits)", told)


def test_the_report_speaks_of_ones_own_visits_alone(shop):
    other = Portfolio(shop.store, create_account(shop.store, "other", plan="premium"))
    other.insert_qrcode("https://a.example", short_code="other")
    other.scans.insert(frame(0, 99, code="other"))
    assert shop.privacy_report().kept.visits == 0
    assert shop.privacy_report().kept.oldest is None
    assert other.privacy_report().kept.visits == 2


def test_the_report_shows_itself_in_a_notebook(shop):
    shop.scans.insert(frame(0, country="DE"))
    page = shop.privacy_report()._repr_mimebundle_()["text/html"]
    assert page.startswith("<p>1 visit is kept, the oldest of 2026-03-10 12:00:00 UTC.")
    assert all(reason.what in page for reason in REASONS.values())
    assert page.count("<li>") == len(NEVER_KEPT)
    assert "- country, from a GeoIP database: scans by country; 1 visit, forever" in str(shop.privacy_report())


def test_a_snapshot_reports_and_sweeps_nothing(shop):
    shop.scans.insert(frame(0, 40))
    shop.keep_visits(days=30)
    with open_portfolio(snapshot_of=shop.store.path, clock=lambda: NOON) as copy:
        assert copy.privacy_report().kept.overdue == 1
        with pytest.raises(StoreReadOnly, match="snapshot"):
            copy.sweep()
