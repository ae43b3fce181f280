"""The color of a campaign stays with it, in the store and in all charts."""

import re
from datetime import UTC, datetime

import pandas as pd
import pytest

from qrkit import open_portfolio, report
from qrkit.analytics import scans_per_day
from qrkit.charts import COLORS, lines
from qrkit.portfolio import Portfolio
from qrkit.portfolio.access import create_account
from qrkit.store import Store
from qrkit.store.upkeep.moving import migrate

JUNE = datetime(2026, 6, 1, 12, tzinfo=UTC)


@pytest.fixture
def shop(new_place):
    with open_portfolio(new_place(), clock=lambda: JUNE) as portfolio:
        yield portfolio


def colors(portfolio):
    """Color numbers of the campaigns by name, as charts get them."""
    return scans_per_day(portfolio.scans, by="campaign").attrs["campaigns"]


def add(portfolio, names):
    return {name: portfolio.insert_campaign(name).id for name in names}


def test_deleting_a_campaign_leaves_the_colors_of_others(shop):
    ids = add(shop, "ABC")
    assert colors(shop) == {"A": 1, "B": 2, "C": 3}
    shop.delete_campaign(ids["A"])
    assert colors(shop) == {"B": 2, "C": 3}
    add(shop, "D")
    assert colors(shop) == {"B": 2, "C": 3, "D": 1}


def test_a_campaign_without_a_color_takes_the_one_of_a_deleted_campaign(shop):
    ids = add(shop, "ABCDEFGH")
    assert colors(shop) == {name: number for number, name in enumerate("ABCDEF", 1)} | {"G": 0, "H": 0}
    shop.delete_campaign(ids["H"])
    shop.delete_campaign(ids["C"])
    assert colors(shop) == {"A": 1, "B": 2, "D": 4, "E": 5, "F": 6, "G": 3}


def test_each_account_has_all_colors(shop):
    add(shop, "AB")
    anna = Portfolio(shop.store, create_account(shop.store, "Anna"))
    add(anna, "A")
    assert (colors(shop), colors(anna)) == ({"A": 1, "B": 2}, {"A": 1})


@pytest.mark.slow
def test_charts_and_reports_keep_the_color_when_an_older_campaign_goes():
    with open_portfolio(":memory:", clock=lambda: JUNE) as shop:
        ids = add(shop, ("Old", "Spring", "Night"))
        for name in ("Spring", "Night"):
            code = shop.insert_qrcode("https://example.com", name=name, campaign_id=ids[name])
            times = pd.date_range("2026-06-01", periods=20, freq="8h", tz="UTC")
            shop.scans.insert(pd.DataFrame({"short_code": code.short_code, "time": times}))
        before = drawn(shop, ids)
        assert before == [COLORS["color-2"][0], COLORS["color-3"][0], {"2", "3"}, {"3"}]
        shop.delete_campaign(ids["Old"])
        assert drawn(shop, ids) == before


def drawn(shop, ids):
    """The colors of the lines of Spring and Night, and the color numbers of their reports."""
    chart = lines(scans_per_day(shop.scans, by="campaign"))
    shades = {line.get_label(): line.get_color() for line in chart.axes[0].get_lines()}
    pages = report.portfolio(shop).html, report.campaign(shop, ids["Night"]).html
    tables = [page.partition('id="codes"')[2].partition("</section>")[0] for page in pages]
    numbers = [set(re.findall(r"color-(\d)", table)) for table in tables]
    return [shades["Spring"], shades["Night"], *numbers]


@pytest.mark.slow
def test_colors_move_with_the_store(shop, tmp_path):
    ids = add(shop, "ABC")
    shop.delete_campaign(ids["B"])
    with Store(tmp_path / "moved.duckdb") as moved:
        migrate(shop.store, moved)
    with open_portfolio(tmp_path / "moved.duckdb") as again:
        assert colors(again) == {"A": 1, "C": 3}
