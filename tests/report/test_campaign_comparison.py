"""The campaigns of a report side by side: `compare_to="campaigns"`."""

from datetime import date

import lxml.html
import pytest

from qrkit import analytics, open_portfolio, report
from qrkit.errors import InvalidParameter, NotFound

MARCH = {"since": "2026-03-01", "until": "2026-04-01"}


@pytest.fixture(scope="module")
def shop():
    """Two campaigns with scans on each day of two months, and a third without any."""
    with open_portfolio(":memory:") as portfolio:
        rates = {"door": 12.0, "bus": 3.0}
        for code in rates:
            campaign = portfolio.insert_campaign(code.title())
            portfolio.insert_qrcode("https://example.com", name=code, short_code=code, campaign_id=campaign.id)
        portfolio.insert_campaign("Idle")
        portfolio.scans.insert(analytics.simulate(rates, since=date(2026, 2, 1), days=59))
        yield portfolio


def side_by_side(made):
    """The cells of the table, by campaign."""
    table = lxml.html.fromstring(made.html).find(".//section[@id='side-by-side']//table")
    return {row[0].text_content(): [cell.text_content() for cell in row[1:]] for row in table.iter("tr")}


@pytest.mark.slow
def test_campaigns_have_rates_and_changes_with_intervals(shop):
    made = side_by_side(report.portfolio(shop, compare_to="campaigns", **MARCH))
    assert list(made) == ["Campaign", "Door", "Bus"]
    assert "Feb" in made["Campaign"][1]
    rates = analytics.rates(shop.scans.where(**MARCH), by="campaign").set_index("campaign")
    for name in ("Door", "Bus"):
        low, high = rates.loc[name, ["low", "high"]]
        assert made[name][0] == f"{rates.loc[name, 'rate']:.1f}likely {low:.1f}\N{EN DASH}{high:.1f}"
        assert "likely between" in made[name][1] or "%" in made[name][1]


@pytest.mark.slow
def test_a_report_compares_the_campaigns_that_are_chosen(shop):
    door, bus, idle = (one.id for one in shop.list_campaigns())
    made = report.campaign(shop, [door, idle], **MARCH)
    assert "<bdi>Bus<" not in made.html
    assert '<p class="description"><bdi>Door, Idle</bdi></p>' in made.html
    assert list(side_by_side(report.campaign(shop, [bus, door], compare_to="campaigns", **MARCH))) == [
        "Campaign", "Door", "Bus",
    ]  # fmt: skip
    with pytest.raises(InvalidParameter, match="needs two campaigns or more"):
        report.campaign(shop, [door], compare_to="campaigns")
    with pytest.raises(NotFound, match="no campaign 'nobody'"):
        report.campaign(shop, ["nobody"])


@pytest.mark.slow
def test_too_few_days_are_named_as_the_reason(shop):
    made = side_by_side(report.portfolio(shop, compare_to="campaigns", since="2026-03-01", until="2026-03-09"))
    assert "days" in made["Door"][0]


@pytest.mark.slow
def test_a_month_without_scans_is_no_error(shop):
    assert report.portfolio(shop, compare_to="campaigns", since="2020-01-01", until="2020-02-01").words == ()


@pytest.mark.slow
def test_small_campaigns_stay_hidden_side_by_side(shop):
    html = report.portfolio(shop, compare_to="campaigns", least=400, **MARCH).html
    assert 'id="side-by-side"' in html
    assert ">Bus<" not in html


def test_one_campaign_cannot_be_compared():
    with open_portfolio(":memory:") as portfolio, pytest.raises(InvalidParameter, match="two campaigns or more"):
        report.portfolio(portfolio, compare_to="campaigns")


def test_a_report_on_one_campaign_compares_none(shop):
    with pytest.raises(InvalidParameter, match="compare_to"):
        report.campaign(shop, shop.find_campaign("Door").id, compare_to="campaigns")
    with pytest.raises(InvalidParameter, match="needs two campaigns or more"):
        report.campaign(shop, [shop.find_campaign("Door").id] * 2, compare_to="campaigns")


@pytest.mark.parametrize("ids", [[], None, ""])
def test_a_report_on_no_campaign_is_refused(shop, ids):
    with pytest.raises((InvalidParameter, NotFound), match="campaign"):
        report.campaign(shop, ids)


def test_an_unknown_comparison_is_told_all_that_there_are(shop):
    with pytest.raises(InvalidParameter, match="'previous', 'last year', 'campaigns', or two days"):
        report.portfolio(shop, compare_to="months")
