"""QR Codes and campaigns of the same name are counted apart."""

from datetime import UTC, datetime, timedelta

import pytest

from qrkit import analytics, open_portfolio, report

SINCE = datetime(2026, 3, 1, tzinfo=UTC)
DAYS = 31
CODES = {"Poster (north)": 2, "Poster (south)": 3, "Bus": 4}
CAMPAIGNS = {"Spring": 2, "Spring (2)": 3, "": 4}


@pytest.fixture(scope="module")
def march():
    """Two posters of the same name in two campaigns of the same name, and a bus; two to four scans a day each."""
    with open_portfolio(":memory:") as shop:
        campaigns = [shop.insert_campaign("Spring").id for _ in range(2)] + [None]
        names = [("Poster", "north"), ("Poster", "south"), ("Bus", "bus")]
        for campaign, (name, code) in zip(campaigns, names, strict=True):
            shop.insert_qrcode("https://example.com", name=name, short_code=code, campaign_id=campaign)
        shop.scans.insert(
            [
                {"short_code": code, "time": SINCE + timedelta(days=day, minutes=minute)}
                for day in range(DAYS)
                for (_, code), scans in zip(names, CODES.values(), strict=True)
                for minute in range(scans)
            ]
        )
        yield shop, shop.scans.where(since="2026-03-01", until="2026-04-01")


QUESTIONS = {
    "scans_by": lambda view, by: analytics.scans_by(view, by),
    "rates": lambda view, by: analytics.rates(view, by=by),
    "ranking": lambda view, by: analytics.ranking(view, by=by),
    "scans_per": lambda view, by: analytics.scans_per(view, "month", by=by),
    "scans_per_day": lambda view, by: analytics.scans_per_day(view, by=by).groupby(by, as_index=False)[["scans"]].sum(),
}


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize(("by", "expected"), [("qrcode", CODES), ("campaign", CAMPAIGNS)])
def test_equal_names_are_counted_apart(march, question, by, expected):
    frame = QUESTIONS[question](march[1], by)
    counts = dict(zip(frame[by].replace("unknown", ""), frame["scans"], strict=True))
    assert counts == {name: number * DAYS for name, number in expected.items()}


@pytest.mark.parametrize("by", ["qrcode", "campaign"])
def test_a_name_is_plain_where_no_other_is_equal(march, by):
    shop, view = march
    one = view.where(qrcode_id=shop.find_qrcode("south").id)
    assert analytics.scans_by(one, by)[by].tolist() == [{"qrcode": "Poster", "campaign": "Spring"}[by]]


def test_campaigns_are_counted_by_id(march):
    shop, view = march
    ids = [one.id for one in shop.list_campaigns()]
    frame = analytics.scans_per_day(view, by="campaign_id").groupby("campaign_id")[["scans"]].sum()
    assert frame["scans"].to_dict() == {ids[0]: 2 * DAYS, ids[1]: 3 * DAYS, "": 4 * DAYS}


def test_lists_of_codes_show_short_codes_beside_equal_names(march):
    frame = analytics.top_qrcodes(march[1])
    assert frame["qrcode"].tolist() == ["Bus", "Poster (south)", "Poster (north)"]


def test_a_report_tells_equal_names_apart(march):
    page = report.portfolio(march[0], since="2026-03-01", until="2026-04-01", attributes=["qrcode"]).html
    assert "Poster (north)" in page
    assert "Spring (2)" in page


def test_a_secret_in_equal_names_stays_hidden():
    with open_portfolio(":memory:") as shop:
        wifi = "WIFI:T:WPA;S:Nero;P:espresso-1;;"
        codes = [shop.insert_qrcode(wifi) for _ in range(2)]
        shop.scans.insert([{"short_code": code.short_code, "time": SINCE} for code in codes])
        page = report.portfolio(shop, attributes=["qrcode", "content"]).html
        assert "espresso-1" not in page
        assert f"({codes[0].short_code})" in page
