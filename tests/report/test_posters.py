"""Reports on posters whose truth is planted: the sentences are true, and the planted fact is among the first."""

from datetime import UTC, date, datetime

from qrkit import open_portfolio, report
from qrkit.analytics import Truth, simulate

MAY = date(2026, 5, 1)


def shop_of(campaigns, *, now=datetime(2026, 6, 30, tzinfo=UTC)):
    """A portfolio with campaigns, each given by the scans of its codes."""
    shop = open_portfolio(":memory:", clock=lambda: datetime(2026, 4, 1, tzinfo=UTC))
    for name, scans in campaigns.items():
        campaign = shop.insert_campaign(name)
        for code in sorted(scans["short_code"].unique()):
            shop.insert_qrcode(f"https://example.com/{code}", name=code, short_code=code, campaign_id=campaign.id)
        shop.scans.insert(scans)
    return shop


def scans_of(rates, *, days=60, since=MAY, seed=1, **truth):
    return simulate(rates, since=since, days=days, seed=seed, truth=Truth(**truth))[["short_code", "time", "visitor"]]


def words_of(shop, **options):
    with shop:
        return report.portfolio(shop, since=MAY, until=date(2026, 6, 30), **options).words


def test_places_may_explain_why_a_campaign_leads():
    rates = {"Trams": (4, 12, 2, 7, 18), "Shops": (3, 9, 2, 6, 12)}
    campaigns = {
        name: scans_of({f"{name}{place}": rate for place, rate in enumerate(each)}, seed=len(name) + each[0])
        for name, each in rates.items()
    }
    words = words_of(shop_of(campaigns))
    (told,) = [sentence for sentence in words if "leads" in sentence]
    assert told.endswith("The places may explain that: codes of one campaign differ as much.")


def test_one_code_that_leads_another_leads_beyond_chance():
    words = words_of(shop_of({"Trams": scans_of({"tram": 12}), "Shops": scans_of({"shop": 7}, seed=2)}))
    assert any("leads" in sentence and "more than chance" in sentence for sentence in words)
