"""A real click log becomes a portfolio: 3,440 clicks of March 2012 on short links to pages of US agencies."""

import json
from collections import Counter
from pathlib import Path
from urllib.parse import urlsplit

import pandas as pd
import pytest

from qrkit import Portfolio, analytics, open_portfolio
from qrkit.errors import InvalidParameter

LOG = Path(__file__).parents[3] / "shared" / "data" / "usagov_clicks.jsonl"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not LOG.exists(), reason=f"the click log is not in {LOG.parent}"),
]


def portfolio_of_clicks(lines: list[str], path: str | Path = ":memory:") -> Portfolio:
    """A QR Code for each short link of a click log, and a scan for each click.

    A line is a JSON object: `g` short link, `u` where it leads, `t` seconds since 1970, `a` user agent, `c` country,
    `gr` region, `cy` city, `ll` [latitude, longitude], `r` referrer, `al` languages. What is not known is missing.
    """
    clicks = [click for click in map(json.loads, lines) if "_heartbeat_" not in click]  # signs of life of the log
    portfolio = open_portfolio(path, base_url="https://go.example.com")
    with portfolio.store.atomic():  # one commit for all of them is much faster than one each
        for short_code, url in {click["g"]: click["u"] for click in clicks}.items():
            # Named after its link: several lead to one page, and an import takes the same name and content for one.
            portfolio.insert_qrcode(url, name=short_code, short_code=short_code)
    places = [click.get("ll") or (None, None) for click in clicks]
    scans = {
        "short_code": [click["g"] for click in clicks],
        "time": pd.to_datetime([click["t"] for click in clicks], unit="s", utc=True),
        "kind": "scan",  # of robots, too: what is found is held against plain counts of all clicks
        "user_agent": [click.get("a") for click in clicks],
        "language": [click.get("al", "").partition(",")[0] or None for click in clicks],
        "referrer": [urlsplit(click["r"]).hostname for click in clicks],  # none for "direct"
        "country": [click.get("c") or None for click in clicks],
        "region": [click.get("gr") for click in clicks],
        "city": [click.get("cy") for click in clicks],
        "latitude": [latitude for latitude, _ in places],
        "longitude": [longitude for _, longitude in places],
    }
    portfolio.scans.insert(pd.DataFrame(scans))
    return portfolio


@pytest.fixture(scope="module")
def lines():
    return LOG.read_text(encoding="utf-8").splitlines()


@pytest.fixture(scope="module")
def clicks(lines):
    return [click for click in map(json.loads, lines) if "_heartbeat_" not in click]


@pytest.fixture(scope="module")
def portfolio(lines):
    with portfolio_of_clicks(lines) as portfolio:
        yield portfolio


def counts(frame):
    return dict(zip(frame.iloc[:, 0], frame["scans"], strict=True))


def test_no_click_and_no_link_is_lost(portfolio, clicks):
    assert len(clicks) == portfolio.scans.count() == 3_440
    assert len(portfolio.list_qrcodes()) == 737
    assert Counter(click["g"] for click in clicks) == {
        code.short_code: code.scans for code in portfolio.list_qrcodes() if code.scans
    }
    assert {code.short_code: code.content for code in portfolio.list_qrcodes()} == {
        click["g"]: click["u"] for click in clicks
    }


@pytest.mark.parametrize(
    ("attribute", "value_of"),
    [
        ("country", lambda click: click["c"]),
        ("region", lambda click: click.get("gr")),
        ("city", lambda click: click.get("cy")),
        ("language", lambda click: click.get("al", "").split(",")[0]),
        ("referrer", lambda click: urlsplit(click["r"]).hostname),
    ],
)
def test_totals_are_those_of_a_plain_count(portfolio, clicks, attribute, value_of):
    found = counts(analytics.scans_by(portfolio.scans, attribute, most=10_000))
    assert found == Counter(value_of(click) or "unknown" for click in clicks)


def test_devices_systems_and_browsers_add_up(portfolio):
    for attribute in ("device", "system", "browser"):
        assert analytics.scans_by(portfolio.scans, attribute, most=1_000)["scans"].sum() == 3_440
    devices = counts(analytics.scans_by(portfolio.scans, "device"))
    assert devices["computer"] > devices["phone"] > devices["tablet"] > 0
    assert devices["unknown"] < 0.1 * 3_440


def test_the_hour_of_the_log_is_a_friday_evening_in_utc(portfolio, clicks):
    summary = analytics.summary(portfolio.scans).to_dict("records")[0]
    times = [click["t"] for click in clicks]
    assert (summary["scans"], summary["qrcodes"]) == (3_440, 737)
    assert (summary["first"].timestamp(), summary["last"].timestamp()) == (min(times), max(times))
    hours = analytics.scans_by_hour(portfolio.scans).query("scans > 0")
    plain = Counter(pd.Timestamp(time, unit="s").hour for time in times)
    assert dict(zip(hours["hour"], hours["scans"], strict=True)) == plain
    assert set(hours["weekday"]) == {5}
    per_day = analytics.scans_per_day(portfolio.scans)
    assert list(per_day.itertuples(index=False, name=None)) == [(pd.Timestamp("2012-03-16"), 3_440)]


def test_the_hour_in_washington_is_that_of_pandas(portfolio, clicks):
    zone = "America/New_York"  # five days after its clocks were put forward
    times = pd.to_datetime([click["t"] for click in clicks], unit="s", utc=True).tz_convert(zone)
    found = analytics.scans_per(portfolio.scans.where(time_zone=zone), "hour")
    wanted = pd.Series(1, index=times.floor("h")).groupby(level=0).size()
    assert dict(zip(found["start"], found["scans"], strict=True)) == wanted.to_dict()
    (day,) = analytics.scans_per(portfolio.scans.where(time_zone=zone), "day").to_dict("records")
    assert (day["start"], day["hours"], day["scans"]) == (pd.Timestamp("2012-03-16", tz=zone), 24, 3_440)
    week = analytics.scans_by_hour(portfolio.scans.where(time_zone=zone)).query("scans > 0")
    assert {(row.weekday, row.hour): row.scans for row in week.itertuples()} == Counter(
        (time.isoweekday(), time.hour) for time in times
    )


def test_systems_are_those_that_the_user_agents_name(portfolio, clicks):
    found = counts(analytics.scans_by(portfolio.scans, "system", most=1_000))
    agents = pd.Series([click.get("a") or "" for click in clicks])
    assert found["iOS"] == agents.str.contains(r"\((?:iPhone|iPad|iPod)").sum()
    assert found["Android"] == agents.str.contains("Android").sum()
    assert found["Windows"] + found["Windows Phone"] == agents.str.contains("Windows").sum()


def test_clicks_of_robots_are_told_apart_where_nobody_says_what_they_were(clicks):
    agents = [click.get("a") for click in clicks]
    frame = pd.DataFrame({"short_code": [click["g"] for click in clicks], "user_agent": agents,
                          "time": [pd.Timestamp(click["t"], unit="s") for click in clicks]})  # fmt: skip
    with open_portfolio(":memory:") as fresh:
        with fresh.store.atomic():
            for short_code in frame["short_code"].unique():
                fresh.insert_qrcode("https://example.com", short_code=short_code)
        assert fresh.scans.insert(frame) == 3_440
        assert fresh.scans.insert(frame) == 0
        robots = fresh.scans.where(kinds=("bot",)).to_frame()
        assert fresh.scans.count() + len(robots) == 3_440
        assert len(robots) >= agents.count("GoogleProducer") > 0
        assert robots["is_bot"].all()
        # 19 more look like programs at first sight, and are phones by BlackBerry, LG and Samsung.
        assert len(robots) == 199
        assert not fresh.scans.to_frame()["is_bot"].any()


def test_an_hour_is_too_short_to_say_how_much_days_vary(portfolio):
    with pytest.raises(InvalidParameter, match="needs 2 whole days or more to see how days vary, not 0"):
        analytics.rates(portfolio.scans.where(until="2012-03-17"))


def test_people_are_a_range_around_the_clicks(portfolio):
    (people,) = analytics.human_scans(portfolio.scans).to_dict("records")
    assert 0.8 * 3_440 < people["likely"] <= people["possible"] <= people["scans"] == 3_440


def test_the_most_clicked_links_come_first(portfolio, clicks):
    top = analytics.top_qrcodes(portfolio.scans, most=5)
    assert top["scans"].tolist() == [number for _, number in Counter(click["g"] for click in clicks).most_common(5)]
    assert top["share"].tolist() == [number / 3_440 for number in top["scans"]]


def test_places_are_those_of_the_log(portfolio, clicks):
    found = portfolio.scans.to_frame()
    wanted = Counter(tuple(click["ll"]) for click in clicks if click.get("ll"))
    places = found[["latitude", "longitude"]].dropna()
    assert Counter(places.itertuples(index=False, name=None)) == wanted


def test_export_and_import_keep_every_count(portfolio):
    exported = portfolio.export_bytes("csv")
    with open_portfolio(":memory:", base_url=portfolio.base_url) as copy:
        result = copy.import_file(exported)
        assert result.created == 737
        found = {(issue.reason, " " in issue.content) for issue in result.issues}
        assert found == {("suspicious-url", True), ("damaged-text", False)}  # one link has "Marineâ€™s" in it
        assert copy.export_bytes("csv") == exported
        assert sum(code.scans for code in copy.list_qrcodes()) == 3_440
        assert copy.scans.count() == 0  # a file carries numbers, not scans
        again = copy.import_file(exported)
        assert (again.created, again.count("duplicate")) == (0, 737)
