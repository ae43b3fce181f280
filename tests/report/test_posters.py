"""Reports on posters whose truth is planted: the sentences are true, and the planted fact is among the first."""

import re
from datetime import UTC, date, datetime

import pandas as pd
import pytest

from qrkit import open_portfolio, report
from qrkit.analytics import Truth, simulate
from qrkit.errors import InvalidParameter

MAY = date(2026, 5, 1)


def shop_of(campaigns, *, now=datetime(2026, 6, 30, tzinfo=UTC)):
    """A portfolio with campaigns, each with the scans of its codes."""
    shop = open_portfolio(":memory:", clock=lambda: now)
    for name, scans in campaigns.items():
        campaign = shop.insert_campaign(name)
        for code in sorted(scans["short_code"].unique()):
            shop.insert_qrcode(f"https://example.com/{code}", name=code, short_code=code, campaign_id=campaign.id)
        shop.scans.insert(scans)
    return shop


def scans_of(rates, *, days=60, since=MAY, seed=1, **truth):
    return simulate(rates, since=since, days=days, seed=seed, truth=Truth(**truth))[["short_code", "time", "visitor"]]


def with_dead_stop():
    """Eight stops with four scans a day; a ninth with seven dies on 2 June."""
    return pd.concat([scans_of({f"stop{place}": 4 for place in range(8)}), scans_of({"stop9": 7}, days=33, seed=3)])


def words_of(shop, **options):
    with shop:
        return report.portfolio(shop, since=MAY, until=date(2026, 6, 30), **options).words


@pytest.mark.slow
def test_places_may_explain_why_a_campaign_leads():
    rates = {"Trams": (4, 12, 2, 7, 18), "Shops": (3, 9, 2, 6, 12)}
    campaigns = {
        name: scans_of({f"{name}{place}": rate for place, rate in enumerate(each)}, seed=len(name) + each[0])
        for name, each in rates.items()
    }
    words = words_of(shop_of(campaigns))
    (told,) = [sentence for sentence in words if "leads" in sentence]
    assert told.endswith("Their locations may explain the lead: codes within one campaign differ as much.")


@pytest.mark.slow
def test_one_code_that_leads_another_leads_beyond_chance():
    words = words_of(shop_of({"Trams": scans_of({"tram": 12}), "Shops": scans_of({"shop": 7}, seed=2)}))
    assert any("leads" in sentence and "more than chance" in sentence for sentence in words)


def test_a_poster_that_fell_off_the_wall_is_named_first():
    rates = {f"stop{place}": 4 for place in range(8)}
    dead = scans_of({"stop9": 7}, days=33, seed=3)
    words = words_of(shop_of({"Trams": pd.concat([scans_of(rates), dead])}))
    told = [
        number for number, sentence in enumerate(words) if "stop9" in sentence and "has had no scan since" in sentence
    ]
    assert told[0] < 3
    assert "has had no scan since 2 June (" in words[told[0]]
    assert sum("has had no scan" in sentence for sentence in words) == 1


@pytest.mark.slow
def test_where_all_posters_are_silent_the_service_is_asked_for():
    rates = {f"stop{place}": 4 for place in range(8)}
    words = words_of(shop_of({"Trams": scans_of(rates, days=33)}))
    assert any(sentence == "No code has been scanned since 2 June. Do the short URLs still work?" for sentence in words)


@pytest.mark.slow
def test_no_poster_is_named_silent_where_nothing_happened():
    rates = {f"stop{place}": 1 + place for place in range(12)}
    assert not any("no scan" in sentence for sentence in words_of(shop_of({"Trams": scans_of(rates)})))


@pytest.mark.slow
def test_a_report_that_hides_small_groups_names_no_silent_code():
    words = words_of(shop_of({"Trams": with_dead_stop()}), least=5)
    assert not any("has had no scan" in sentence for sentence in words)


@pytest.mark.slow
def test_a_moved_poster_is_named_among_those_of_one_campaign():
    """Nine stops stay; a tenth has 60% fewer scans from the middle of the period on."""
    stops = scans_of({f"stop{place}": 6 for place in range(9)}, log_sd=0.3, log_correlation=0.8)
    moved = scans_of({"stop9": 8}, seed=4, change=date(2026, 5, 31), effect=0.4)
    words = words_of(shop_of({"Trams": pd.concat([stops, moved]), "Shop": scans_of({"shop": 5}, seed=7)}))
    (told,) = [sentence for sentence in words if "Was it moved?" in sentence]
    assert "stop9" in told


@pytest.mark.slow
def test_a_trend_is_told_as_one():
    words = words_of(shop_of({"Trams": scans_of({f"stop{place}": 40 for place in range(3)}, half_life=28)}))
    assert re.fullmatch(r"Scans have been falling by about 1[4-8]% a week throughout\.", words[0])
    assert not any("fell" in sentence for sentence in words)


@pytest.mark.slow
def test_a_campaign_that_rose_is_named_among_the_first():
    """One of two campaigns has 30% more scans from the middle on, far more than chance on so many scans."""
    up = scans_of({f"tram{n}": 30 for n in range(3)}, change=date(2026, 5, 31), effect=1.3)
    words = words_of(shop_of({"Trams": up, "Shops": scans_of({f"shop{n}": 30 for n in range(3)}, seed=2)}))
    told = [place for place, sentence in enumerate(words) if sentence.startswith("\u201c\u2068Trams\u2069\u201d: 2")]
    assert told
    assert told[0] <= 3
    assert not any(sentence.startswith("\u201c\u2068Shops") for sentence in words)


@pytest.mark.slow
def test_a_change_in_the_total_alone_says_so():
    """Twelve campaigns rise together, each by too little for its own scans to show it."""
    up = {f"Stop {n}": scans_of({f"stop{n}": 3}, seed=n, change=date(2026, 5, 31), effect=1.3) for n in range(12)}
    words = words_of(shop_of(up))
    assert any(sentence.startswith("Scans rose ") for sentence in words)
    assert "That is clear only in the total: no campaign has enough scans to show it." in words


@pytest.mark.slow
def test_a_new_code_is_named_with_the_rate_of_its_own_days():
    old, new = (
        scans_of({f"stop{n}": 8 for n in range(4)}),
        scans_of({"new": 8}, since=date(2026, 6, 10), days=20, seed=3),
    )
    words = words_of(shop_of({"Trams": pd.concat([old, new])}))
    (told,) = [sentence for sentence in words if "for the first time" in sentence]
    name, first, rate = re.fullmatch(
        r"“\u2068(.*)\u2069” was scanned for the first time on (.*); since then, ([\d.]+) a day\.", told
    ).groups()
    assert (name, first) == ("new", "10 June")
    assert 6 < float(rate) < 10


@pytest.mark.slow
def test_a_season_is_told_where_the_store_is_old_enough():
    """Both years, scans fall by half at the end of May."""
    year = [
        scans_of({f"stop{n}": 20 for n in range(3)}, since=since, seed=seed, change=change, effect=0.5)
        for since, seed, change in ((date(2025, 5, 2), 1, date(2025, 6, 1)), (MAY, 2, date(2026, 5, 31)))
    ]
    early = scans_of({f"stop{n}": 20 for n in range(3)}, since=date(2025, 4, 1), days=20, seed=3)
    with shop_of({"Trams": pd.concat([early, *year])}) as shop:
        words = report.portfolio(shop, since=date(2026, 5, 31), until=date(2026, 6, 30)).words
    assert any("A year earlier" in sentence and "it may be the season" in sentence for sentence in words)


@pytest.mark.slow
def test_a_holiday_is_no_unusual_day_and_is_not_compared():
    closed = date(2026, 5, 14)
    scans = scans_of({f"stop{n}": 30 for n in range(3)})
    with shop_of({"Trams": scans[scans["time"].dt.date != closed]}) as shop:
        made = report.portfolio(shop, since=MAY, until=date(2026, 6, 30), holidays=[closed])
        with pytest.raises(InvalidParameter, match="holidays="):
            report.portfolio(shop, holidays=["2026-05-14"])
    words = made.words
    assert "without 13 May and 14 May (unusual days and holidays)" in made.html
    assert not any(sentence.startswith("14 May had") for sentence in words)
    assert any("This leaves out" in sentence and "14 May" in sentence for sentence in words)


@pytest.mark.slow
def test_a_swap_of_targets_is_told_with_what_followed():
    """The content changes on 31 May, and scans double then."""
    swap = date(2026, 5, 31)
    scans = scans_of({"stop": 20}, change=swap, effect=2.0)
    before = scans["time"].dt.date < swap
    scans = scans.assign(content=before.map({True: "https://example.com/old", False: "https://example.com/new"}))
    (told,) = [sentence for sentence in words_of(shop_of({"Trams": scans})) if "has led to" in sentence]
    assert "example.com/new since 31 May" in told
    assert re.search(r"(\d+% more|times as many), from", told)


@pytest.mark.slow
def test_few_data_say_so():
    words = words_of(shop_of({"Trams": scans_of({"tram": 0.1}), "Shops": scans_of({"shop": 0.1}, seed=2)}))
    assert any("unknown" in sentence for sentence in words[:4])
    assert not any("leads with" in sentence and "unknown" not in sentence for sentence in words)


@pytest.mark.slow
def test_a_step_is_no_trend():
    changed = scans_of({f"stop{place}": 20 for place in range(3)}, change=date(2026, 5, 31), effect=1.6)
    words = words_of(shop_of({"Trams": changed}))
    assert words[0].startswith("Scans rose ")
