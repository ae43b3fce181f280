"""Reports on portfolios whose truth is planted: that is among the first three lines, and nothing else is claimed."""

import re
from datetime import UTC, date, datetime, time, timedelta

import lxml.html
import pandas as pd
import pytest

from qrkit import analytics, open_portfolio, report
from qrkit.analytics import Truth, simulate

MAY = date(2026, 5, 1)
JULY = date(2026, 7, 1)
PHONE = "Mozilla/5.0 (Linux; Android 15; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0 Mobile Safari"


def usual(seed=1, **truth):
    """Two campaigns, of four and two codes, on 61 days."""
    rates = {"tram0": 8, "tram1": 5, "tram2": 6, "tram3": 4, "shop0": 10, "shop1": 6}
    return simulate(rates, since=MAY, days=61, seed=seed, truth=Truth(returning=0.2, **truth))


def crowd(number, day, code="shop0"):
    """People who all came on one day, from 9:00 on."""
    times = [datetime.combine(day, time(9)) + timedelta(seconds=97 * n) for n in range(number)]
    return pd.DataFrame({"short_code": code, "time": times, "visitor": range(9, 9 + number), "user_agent": PHONE})


def attack(number, since, code="tram0"):
    """Requests of one program, five each four seconds."""
    times = [since + timedelta(seconds=0.8 * n) for n in range(number)]
    return pd.DataFrame({"short_code": code, "time": times, "visitor": 7, "user_agent": PHONE})


def shop_of(*parts, outage=()):
    shop = open_portfolio(":memory:", clock=lambda: datetime(2026, 7, 1, tzinfo=UTC))
    scans = pd.concat(parts)
    for begin, end in [outage] if outage else []:
        scans = scans[~scans["time"].between(begin, end)]
        for span in ((datetime(2026, 5, 1), begin), (end, datetime(2026, 7, 1))):
            shop.store.execute("INSERT INTO uptime VALUES (?, ?)", span)
    for name in ("Trams", "Shops"):
        campaign = shop.insert_campaign(name)
        for code in sorted(code for code in set(scans["short_code"]) if code[:4] == name[:4].lower()):
            shop.insert_qrcode(f"https://example.com/{code}", name=code, short_code=code, campaign_id=campaign.id)
    shop.scans.insert(scans)
    return shop


def report_of(*parts, outage=(), since=MAY, until=JULY, **asked):
    with shop_of(*parts, outage=outage) as shop:
        return report.portfolio(shop, since=since, until=until, **asked)


def first_three(made):
    return " ".join(made.words[:3])


@pytest.mark.slow
def test_where_nothing_happened_nothing_is_claimed():
    words = " ".join(report_of(usual()).words)
    assert "did not clearly change" in words
    assert not re.search(r"unusual|burst|monitor|visitor made|did not answer|Has it been|Without", words)


@pytest.mark.slow
def test_an_event_day_is_beside_every_number():
    made = report_of(usual(), crowd(300, date(2026, 6, 13)))
    assert made.words[0].startswith("13 June brought ")
    lead = r"([\d,]+) scans in 61 days, about (\d+) a day\. Without 13 June, about (\d+) a day\."
    scans, rate, without = re.match(lead, made.words[1]).groups()
    assert round(int(scans.replace(",", "")) / 61) == int(rate) > int(without)
    (trend,) = (one for one in made.words if "counting every day" in one)
    (leader,) = (one for one in made.words if "leads" in one)
    assert "This leaves out 13 June" in trend
    assert "Without 13 June, that is" in leader
    page = lxml.html.document_fromstring(made.html)
    assert page.xpath("string(//div[@data-figure='scans']//small[@class='change'])").endswith(
        ", without 13 June (an unusual day)"
    )
    assert "without 13 June" in page.xpath("string(//h2[starts-with(., 'Scans a day')])")


@pytest.mark.slow
def test_an_event_in_the_days_compared_with_is_left_out():
    """A day of May had three hundred scans more: June is compared with May without it."""
    made = report_of(usual(), crowd(300, date(2026, 5, 13)), since=date(2026, 6, 1))
    (trend,) = (one for one in made.words if "compared with" in one)
    assert trend.startswith("Scans did not clearly change")
    assert "This leaves out 13 May; counting every day, there were" in trend


@pytest.mark.slow
@pytest.mark.parametrize(("since", "event", "told"), [((6, 17), (6, 13), "13 June"), ((5, 15), (5, 11), "11 May")])
def test_an_event_of_the_days_compared_with_is_found_even_if_they_are_few(since, event, told):
    """Two weeks alone do not show what is usual; those before them do, or those after the first ones."""
    first = date(2026, *since)
    made = report_of(usual(), crowd(300, date(2026, *event)), since=first, until=first + timedelta(days=14))
    (trend,) = (one for one in made.words if "compared with" in one)
    assert trend.startswith("Scans did not clearly change")
    assert f"This leaves out {told}" in trend


@pytest.mark.slow
def test_an_event_day_of_a_short_period_is_told():
    made = report_of(usual(), crowd(300, date(2026, 6, 25)), since=date(2026, 6, 24))
    assert made.words[0].startswith("25 June brought ")


@pytest.mark.slow
def test_an_attack_is_told_with_its_figure_and_can_be_left_out():
    scans, begin = usual(), datetime(2026, 6, 12, 3)
    made = report_of(scans, attack(3000, begin))
    assert "One visitor made 3,000 of these scans within 40 minutes on 12 June." in first_three(made)
    likely, possible = re.search(r"Between ([\d,]+) and ([\d,]+) visits look like people", first_three(made)).groups()
    assert int(possible.replace(",", "")) - int(likely.replace(",", "")) >= 3000
    quiet = report_of(scans, attack(3000, begin), most_a_day=50)
    assert quiet.words == report_of(scans).words
    assert "Visitors with more than 50 scans on a day are left out" in quiet.html


@pytest.mark.slow
def test_a_monitor_is_named_with_its_rhythm():
    days = [attack(288, datetime(2026, 5, day)).assign(visitor=day) for day in range(2, 20)]
    for frame in days:
        frame["time"] = [frame["time"].iloc[0] + timedelta(minutes=5 * n) for n in range(len(frame))]
    told = first_three(report_of(usual(), *days))
    assert f"A monitor seems to open “\u2068tram0\u2069” every 5 minutes. It made {288 * 18:,} of these scans." in told


@pytest.mark.slow
def test_an_outage_is_told_and_left_out_of_rates():
    made = report_of(usual(), outage=(datetime(2026, 6, 10), datetime(2026, 6, 12, 12)))
    days = "10\N{EN DASH}12 June 2026"
    assert f"No code was scanned for 60 hours, {days}: the server did not answer." in first_three(made)
    words = " ".join(made.words)
    assert "did not clearly change" in words
    assert "No day stands out" in words
    assert "Without 10 June, 11 June and 12 June, about" in words


@pytest.mark.slow
def test_a_total_that_falls_names_what_rose():
    """Simpson's paradox: a busy shop is hardly scanned any more, and all other codes are scanned more often."""
    change = date(2026, 6, 1)
    rise, fall = (Truth(change=change, effect=effect) for effect in (1.6, 0.3))
    more = simulate({f"tram{n}": 6 for n in range(4)}, since=MAY, days=61, seed=3, truth=rise)
    gone = simulate({"shop0": 60}, since=MAY, days=61, seed=4, truth=fall)
    made = report_of(more, gone, since=change)
    assert re.search(r"Scans fell \d+%", first_three(made))
    campaigns = [one for one in made.words if re.match("“\u2068(Trams|Shops)\u2069”:", one)]
    assert [("fewer" in one, "more" in one) for one in campaigns] == [(True, False), (False, True)]
    assert made.words.index(campaigns[1]) <= 4


@pytest.mark.slow
def test_numbers_of_one_fact_agree():
    """All scans by campaign, by code and by day add up to the number of the lead and of the tile."""
    with shop_of(usual(robots=0.1), crowd(300, date(2026, 6, 13))) as shop:
        made = report.portfolio(shop, since=MAY, until=JULY)
        total = shop.scans.count()
        days = int(analytics.scans_per_day(shop.scans)["scans"].sum())
    page = lxml.html.document_fromstring(made.html)

    def cells(section):
        found = page.xpath(f"//section[{section}]//td[@class='count']/text()")
        return sum(int(text.replace(",", "")) for text in found)

    tile = page.xpath("string(//div[@data-figure='scans']/dd/text()[1])")
    assert made.words[1].startswith(f"{total:,} scans in 61 days")
    assert tile.strip() == f"{total:,}"
    assert [days, *map(cells, ("@id='campaigns'", "@id='codes'"))] == [total] * 3
