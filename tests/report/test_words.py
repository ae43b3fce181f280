"""What a report says in words: computed, and as sure as the numbers are."""

import re
from datetime import UTC, date, datetime, timedelta

import pandas as pd
import pytest

from qrkit import analytics, open_portfolio, report
from qrkit.analytics import Truth
from tests.sweeps import quick_first

FIRST = date(2026, 5, 4)


def told(scans, names=("Door",), *, campaigns=(), made=datetime(2026, 5, 1, tzinfo=UTC), **asked):
    """The words of a report on codes with these scans; the short codes are the names in small letters."""
    with open_portfolio(":memory:", clock=lambda: made) as portfolio:
        ids = [portfolio.insert_campaign(name).id for name in campaigns] or [None] * len(names)
        for name, campaign_id in zip(names, ids, strict=True):
            target = f"https://example.com/{name}"
            portfolio.insert_qrcode(target, name=name, campaign_id=campaign_id, short_code=re.sub(r"\W", "", name))
        portfolio.scans.insert(scans)
        return report.portfolio(portfolio, **asked).words


def saying(words, pattern):
    return [sentence for sentence in words if re.search(pattern, sentence)]


def test_the_first_sentence_says_how_much_there_was_and_how_much_of_it_people():
    scans = analytics.simulate({"Door": 20}, since=FIRST, days=28, truth=Truth(robots=0.2, previews=0.3))
    with open_portfolio(":memory:") as portfolio:
        portfolio.insert_qrcode("https://example.com", short_code="Door")
        portfolio.scans.insert(scans)
        people = analytics.human_scans(portfolio.scans).iloc[0]
        lead, *others = report.portfolio(portfolio).words
    number = int((scans["kind"] == "scan").sum())
    assert lead.startswith(f"{number:,} scans in 28 days, about {number / 28:.0f} a day. ")
    assert lead.endswith(f"Between {people['likely']:,} and {people['possible']:,} visits look like people.")
    share = (scans["kind"] != "scan").mean()
    assert f"{share:.0%} of {len(scans):,} visits were bots or link previews. They don't count as scans." in others


@pytest.mark.slow
def test_bots_and_link_previews_are_told_without_head_requests():
    kinds = ["scan"] * 6 + ["bot"] * 2 + ["prefetch"] * 2 + ["head"] * 30
    scans = pd.DataFrame({"short_code": "Door", "time": pd.Timestamp("2026-05-04T12:00Z"), "kind": kinds})
    assert "40% of 10 visits were bots or link previews. They don't count as scans." in told(scans)
    assert not saying(told(scans[scans["kind"].isin(["scan", "head"])]), "bots or link previews")


@pytest.mark.slow
def test_a_planted_change_is_found_and_its_interval_holds_it():
    truth = Truth(change=FIRST + timedelta(days=14), effect=3)
    scans = analytics.simulate({"Door": 30}, since=FIRST, days=28, seed=4, truth=truth)
    words = told(scans, since=FIRST, until=FIRST + timedelta(days=28))
    (trend,) = saying(words, "^Scans grew to .*likely")
    ratio, low, high = map(float, re.findall(r"\d\.\d", trend))
    assert low <= 3 <= high
    assert low < ratio < high
    assert "times as many in the second half, 18\N{EN DASH}31 May 2026 (likely " in trend
    assert words[0] == f"Scans grew to {ratio:.1f} times as many in the second half."


@pytest.mark.slow
def test_where_nothing_changed_it_is_said_and_how_small_a_change_would_have_shown():
    scans = analytics.simulate({"Door": 30}, since=FIRST, days=42, seed=5)
    words = told(scans)
    (trend,) = saying(words, "^Scans did not clearly change in the second half")
    smallest = int(re.search(r"A change of (\d+)% or more would have been detected", trend)[1])
    assert 10 <= smallest <= 60
    assert not saying(words, "fell|rose|grew")


@pytest.mark.slow
def test_where_the_days_are_too_few_that_is_said_and_nothing_is_claimed():
    scans = analytics.simulate({"Door": 30, "Gate": 20}, since=FIRST, days=20, seed=5)
    words = told(scans, ("Door", "Gate"))
    (trend,) = saying(words, "in the second half")
    assert "whether that is more than chance is unknown: 9 whole days on one side are too few" in trend
    assert saying(words, "^There are too few days to say whether a QR Code changed")
    assert saying(words, "whether its lead over .* is chance is unknown")


@pytest.mark.slow
def test_an_event_day_does_not_make_a_trend():
    """Thirteen times the scans on one day of the first half: without it, nothing has changed."""
    scans = analytics.simulate({"Door": 30}, since=FIRST, days=42, seed=5)
    event = pd.DataFrame({"short_code": "Door", "time": [datetime(2026, 5, 12, 12)] * 400})
    words = told(pd.concat([scans[["short_code", "time"]], event]))
    (trend,) = saying(words, "This leaves out 12 May")
    assert trend.startswith("Scans did not clearly change in the second half, ")
    assert re.search(r"counting every day, there were \d+% fewer\.$", trend)
    assert re.fullmatch(r"12 May brought \d+ scans, \d+\.\d times a usual day\.", words[0])


@pytest.mark.slow
def test_a_period_with_bounds_is_compared_with_the_one_before():
    truth = Truth(change=FIRST + timedelta(days=14), effect=0.3)
    scans = analytics.simulate({"Door": 40}, since=FIRST, days=28, seed=6, truth=truth)
    words = told(scans, since=FIRST + timedelta(days=14), until=FIRST + timedelta(days=28))
    (trend,) = saying(words, "^Scans fell .* compared with 4\N{EN DASH}17 May 2026 .likely")
    low, high = map(int, re.search(r"likely (\d+)\N{EN DASH}(\d+)%", trend).groups())
    assert low <= 70 <= high


@pytest.mark.slow
def test_parts_that_changed_are_named_alone():
    days = pd.date_range(FIRST, periods=28, unit="us")
    rows = [("Same", day, 12) for day in days] + [("Less", day, 20 if at < 14 else 4) for at, day in enumerate(days)]
    scans = pd.DataFrame(
        [(code, day + pd.Timedelta(minutes=number)) for code, day, count in rows for number in range(count)],
        columns=["short_code", "time"],
    )
    bounds = {"since": FIRST, "until": FIRST + timedelta(days=28)}
    words = told(scans, ("Same", "Less"), campaigns=("Kept", "Gone"), **bounds)
    (change,) = saying(words, "^“\u2068Gone\u2069”: 80% fewer, from 20.0 to 4.0 scans a day")
    assert change.endswith("%).")
    assert not saying(words, "^“\u2068Kept\u2069”:")


@pytest.mark.slow
def test_a_day_that_stands_out_is_named():
    scans = analytics.simulate({"Door": 20}, since=FIRST, days=28, seed=7)
    day = FIRST + timedelta(days=12)
    more = pd.DataFrame({"short_code": "Door", "time": [datetime(2026, 5, 16, 12, tzinfo=UTC)] * 150})
    quiet = told(scans)
    loud = told(pd.concat([scans.assign(time=scans["time"].dt.tz_localize("UTC")), more]))
    assert saying(quiet, "^No day stands out")
    (found,) = saying(loud, "^16 May had ")
    assert day == date(2026, 5, 16)
    number, low, high = map(int, re.findall(r"\d+", found)[1:])
    assert low < 20 < high < number


def test_a_change_of_content_is_told_with_what_followed():
    with open_portfolio(":memory:") as portfolio:
        portfolio.insert_qrcode("https://example.com/new", name="Door", short_code="Door")
        scans = analytics.simulate({"Door": 40}, since=FIRST, days=42, seed=8, truth=Truth(returning=0))
        is_new = scans["time"] >= datetime(2026, 5, 24, 9)
        contents = is_new.map({False: "https://example.com/old", True: "https://example.com/new"})
        portfolio.scans.insert(scans.assign(content=contents))
        words = report.portfolio(portfolio).words
    (found,) = saying(words, "has led to https://example.com/new since 24 May")
    assert "its scans did not clearly change" in found


@pytest.mark.slow
def test_codes_that_wait_are_named():
    made = datetime(2026, 5, 5, tzinfo=UTC)
    times = [made + timedelta(hours=7), *(made + timedelta(days=day) for day in range(1, 9))]
    early = pd.DataFrame({"short_code": "Old", "time": [datetime(2026, 5, 5, 1, tzinfo=UTC)]})
    scans = pd.concat([early, pd.DataFrame({"short_code": "Door", "time": times})])
    words = told(scans, ("Old", "Door", "Cellar"), made=made)
    assert saying(words, "2 codes created in this period were scanned, typically within 4 hours.")
    assert saying(words, "Not scanned in this period: “\u2068Cellar\u2069”.")


def test_words_of_one_hour_are_few_and_true():
    scans = pd.DataFrame({"short_code": "Door", "time": [datetime(2026, 5, 5, 9, minute) for minute in range(50)]})
    words = told(scans)
    assert words[0].startswith("50 scans. ")
    assert not saying(words, "half|chance|usual")


@pytest.mark.parametrize("name", quick_first(["<b>bold</b>", "\u202eback\u2069wards", "x" * 400]))
def test_names_in_sentences_are_text(name):
    scans = analytics.simulate({"One": 30, "Two": 10}, since=FIRST, days=20, seed=9)
    with open_portfolio(":memory:") as portfolio:
        for code in ("One", "Two"):
            portfolio.insert_qrcode("https://example.com", name=name + code[0], short_code=code)
        portfolio.scans.insert(scans)
        made = report.portfolio(portfolio)
    (leader,) = saying(made.words, " leads with ")
    assert leader.count("\u2068") == leader.count("\u2069") == 2
    assert "\u202e" not in leader
    assert len(leader) < 300
    assert "<b>bold" not in made.html


@pytest.mark.slow
def test_hours_and_days_are_those_of_the_time_zone():
    late = pd.DataFrame({"short_code": "Door", "time": [datetime(2026, 5, 5, 23, 30, tzinfo=UTC)] * 3})
    with open_portfolio(":memory:") as portfolio:
        portfolio.insert_qrcode("https://example.com", short_code="Door")
        portfolio.scans.insert(late)
        made = report.portfolio(portfolio, time_zone="Europe/Ljubljana")
        day = {"since": date(2026, 5, 6), "until": date(2026, 5, 7)}
        same = report.portfolio(portfolio, time_zone="Europe/Ljubljana", **day)
        none = report.portfolio(portfolio, **day)
    assert "Wednesday, 6 May 2026" in made.html
    assert "the Europe/Ljubljana time zone" in made.html
    assert same.words[0].startswith("3 scans")
    assert none.words == ()


@pytest.mark.slow
def test_unusual_days_and_bursts_are_told_apart():
    """A burst has its first day, its length and what it brought; its days are not told again one by one."""
    scans = analytics.simulate({"Door": 40}, since=FIRST, days=70, seed=12)
    day_of = {FIRST + timedelta(days=number): 250 for number in (20, 21, 22, 50)}
    times = [datetime.combine(day, datetime.min.time(), UTC) for day, more in day_of.items() for _ in range(more)]
    more = pd.DataFrame({"short_code": "Door", "time": pd.to_datetime(times), "kind": "scan"})
    words = told(pd.concat([scans, more]), since=FIRST, until=FIRST + timedelta(days=70))
    (burst,) = saying(words, "burst")
    number, extra = map(int, re.findall(r"(\d+) (?:scans|more)", burst))
    assert burst.startswith("A burst began on 24 May and lasted 3 days. It brought ")
    assert abs(extra - 750) < 100
    assert extra < number
    (day,) = saying(words, "would be usual")
    assert re.fullmatch(r"23 June had \d+ scans; \d+ to \d+ would be usual\.", day)


@pytest.mark.slow
def test_few_days_with_scans_are_said_to_tell_nothing():
    scans = analytics.simulate({"Door": 400}, since=FIRST, days=3)
    words = told(scans, since=FIRST, until=FIRST + timedelta(days=28))
    assert "Too few days had scans to tell what is unusual." in words
    assert not saying(words, "stands out")
