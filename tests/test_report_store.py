"""What a report reads from its store: what is left of old scans, too."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import lxml.html
import pandas as pd
import pytest

from qrkit import open_portfolio, report
from qrkit.report.facts import Asked, gather

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


def test_swept_scans_are_not_said_to_be_imported(shop):
    ids = {code.name: code.id for code in shop.list_qrcodes()}
    before = gather(shop, shop.scans, Asked())
    assert (before.imported, before.swept) == ({ids["Old"]: 350}, {})
    shop.keep_visits(days=10)
    assert shop.sweep() == 30
    after = gather(shop, shop.scans, Asked())
    assert (after.scans, after.imported) == (3, before.imported)
    assert after.swept == {ids["Door"]: 20, ids["Shelf"]: 10}
    page = lxml.html.document_fromstring(report.portfolio(shop).html)
    said = page.xpath("string(//section[@class='methods'])")
    assert "350 scans came with imported records." in said
    assert "30 scans of earlier days were swept out: the store keeps their number of each day alone" in said
    assert "and 350 imported and 30 swept out" in page.xpath("string(//dl[@class='figures']/div[1]/dd)")


def test_a_code_whose_scans_were_swept_out_was_scanned(shop):
    """Whether a code had no scan does not depend on how long visits are kept."""
    shop.keep_visits(days=10)
    shop.sweep()
    assert str(report.portfolio(shop).unscanned) == "No campaign (1): Old"
    june = report.portfolio(shop, since=date(2026, 6, 1))
    assert str(june.unscanned) == "No campaign (2): Shelf, Old"
    assert "swept out" not in june.html
