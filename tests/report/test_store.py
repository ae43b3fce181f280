"""What a report reads from its store: what is left of old scans, too."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta
from itertools import count

import lxml.html
import pandas as pd
import pytest

from qrkit import open_portfolio, report
from qrkit.report.comparisons import ATTRIBUTES, Scope
from qrkit.report.facts import gather
from qrkit.store import Scans
from qrkit.store.questions.column_copy import columns, reading_one_state
from qrkit.store.recording.recorder import record_visit
from qrkit.store.records.short_codes import target
from qrkit.tracking.records import Visit

PATIENCE = 30
"""Seconds to wait for another thread before a test fails."""
FIREFOX = "Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:139.0) Gecko/20100101 Firefox/139.0"
BROWSERS = count()
NOON = datetime(2026, 6, 20, 12, tzinfo=UTC)


@pytest.fixture
def shop(new_place):
    """A code with scans in May and June, and an imported record without any."""
    with open_portfolio(new_place(), clock=lambda: NOON) as portfolio:
        portfolio.insert_qrcode("https://a.example", name="Door", short_code="door")
        portfolio.insert_qrcode("https://b.example", name="Shelf", short_code="shelf")
        portfolio.import_file(b"QR Code Name,Content,Scans\r\nOld,https://old.example,350\r\n", format="csv")
        may = [NOON - timedelta(days=30, minutes=minute) for minute in range(30)]
        june = [NOON - timedelta(hours=hour) for hour in range(3)]
        portfolio.scans.insert(pd.DataFrame({"short_code": "shelf", "time": may[:10]}))
        portfolio.scans.insert(pd.DataFrame({"short_code": "door", "time": may[10:] + june}))
        yield portfolio


@pytest.mark.slow
def test_swept_scans_are_not_said_to_be_imported(shop):
    ids = {code.name: code.id for code in shop.list_qrcodes()}
    before = gather(shop, shop.scans, Scope())
    assert (before.imported, before.swept) == ({ids["Old"]: 350}, {})
    shop.keep_visits(days=10)
    assert shop.sweep() == 30
    after = gather(shop, shop.scans, Scope())
    assert (after.scans, after.imported) == (3, before.imported)
    assert after.swept == {ids["Door"]: 20, ids["Shelf"]: 10}
    page = lxml.html.document_fromstring(report.portfolio(shop).html)
    said = page.xpath("string(//section[@class='methods'])")
    assert "350 scans came with imported records." in said
    assert "30 scans of earlier days are kept only as counts per day" in said
    assert "and 350 imported and 30 kept only as counts" in page.xpath("string(//dl[@class='figures']/div[1]/dd)")


@pytest.mark.slow
def test_days_without_scans_of_a_code_are_no_rows():
    """120 codes over 25 years: a row for each code and day would be more rows than an answer may have."""
    days = [NOON - timedelta(days=number) for number in (0, 9_000)]
    with open_portfolio(":memory:", clock=lambda: NOON) as shop:
        names = [f"c{number}" for number in range(120)]
        shop.import_frame(pd.DataFrame({"content": [f"https://{name}.example" for name in names], "name": names}))
        codes = shop.list_qrcodes()
        shop.scans.insert(
            pd.DataFrame(
                [{"short_code": code.short_code, "time": day, "kind": "scan"} for code in codes for day in days]
            )
        )
        facts = gather(shop, shop.scans, Scope())
    assert len(facts.daily) == 240
    assert (len(facts.per_day), facts.per_day["scans"].sum()) == (9_001, 240)
    (counts,) = facts.daily_of([codes[0].id]).values()
    assert (len(counts), counts[0], counts[-1], sum(counts)) == (9_001, 1, 1, 2)


def test_a_code_whose_scans_were_swept_out_was_scanned(shop):
    """Whether a code had no scan does not depend on how long visits are kept."""
    shop.keep_visits(days=10)
    shop.sweep()
    assert str(report.portfolio(shop).unscanned) == "No campaign (1): Old"
    june = report.portfolio(shop, since=date(2026, 6, 1))
    assert str(june.unscanned) == "No campaign (2): Shelf, Old"
    assert "kept only as counts" not in june.html


def visited(store):
    """Another thread records a visit with a browser that is new, while this one waits; whether it is stored."""
    visit = Visit(NOON, "scan", "door", target(store, "door").qrcode, user_agent=f"browser {next(BROWSERS)}")
    with ThreadPoolExecutor(1) as other:
        return other.submit(record_visit, store, visit, seconds=PATIENCE).result()


class Busy(Scans):
    """A view of scans of which one more happens before each question."""

    def ask(self, select, **values):
        assert visited(self.store)
        return super().ask(select, **values)


def test_what_happens_while_a_report_is_made_waits_for_nothing_and_changes_nothing(shop):
    busy = gather(shop, Busy(shop.store, shop.account.id), Scope())
    assert shop.scans.count() > 33 + 10
    assert (busy.scans, sum(busy.counted.values()), busy.visits) == (33, 33, {"scan": 33})
    assert busy.per_day["scans"].sum() == busy.by_hour["scans"].sum() == 33
    assert {name: frame["scans"].sum() for name, frame in busy.attributes.items()} == dict.fromkeys(ATTRIBUTES, 33)


def test_one_state_is_read_while_others_change_the_store(shop):
    """Visits and records alike, and without a new copy of a server for each question."""
    with reading_one_state(shop.store):
        assert visited(shop.store)
        with ThreadPoolExecutor(1) as other:
            new = other.submit(shop.insert_qrcode, "https://new.example", short_code="new").result(PATIENCE)
            assert other.submit(shop.scans.count).result(PATIENCE) == 34
        assert shop.scans.count() == len(shop.scans.to_frame()) == 33
        assert new.id not in {code.id for code in shop.list_qrcodes()}
        assert columns(shop.store) is columns(shop.store)
    assert shop.scans.count() == 34
    assert new.id in {code.id for code in shop.list_qrcodes()}


def test_two_threads_read_a_state_each(shop):
    with reading_one_state(shop.store), ThreadPoolExecutor(1) as other:
        assert visited(shop.store)

        def read():
            with reading_one_state(shop.store):
                assert visited(shop.store)
                return shop.scans.count()

        assert (other.submit(read).result(PATIENCE), shop.scans.count()) == (34, 33)
    assert shop.scans.count() == 35


def test_inside_a_transaction_its_own_changes_are_read(shop):
    with shop.store.atomic(), reading_one_state(shop.store):
        shop.scans.insert(pd.DataFrame({"short_code": ["door"], "time": [NOON + timedelta(hours=1)]}))
        assert shop.scans.count() == 34


def test_a_user_agent_that_came_before_is_parsed(shop):
    frame = pd.DataFrame({"short_code": ["door"], "time": [NOON + timedelta(hours=1)], "user_agent": [FIREFOX]})
    shop.scans.insert(frame)
    with reading_one_state(shop.store):
        assert "Firefox" in set(shop.scans.to_frame()["browser"])


def test_a_campaign_without_an_id_does_not_stop_a_report(shop):
    """A damaged store may have one; its codes then belong to no campaign."""
    spring = shop.insert_campaign("Spring")
    shop.update_qrcode(shop.find_qrcode("door").id, campaign_id=spring.id)
    shop.store.execute("UPDATE campaigns SET id = '' WHERE id = ?", [spring.id])
    assert "Shelf" in report.portfolio(shop).html
