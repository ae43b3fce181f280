"""The questions of a report to ten million scans, against pandas and against SQL written by hand.

DuckDB makes the scans and, for pandas, the Parquet file; both answer the same questions, and must say the same.
"""

import gc
import resource
from collections.abc import Callable
from datetime import UTC, datetime
from math import exp, log
from statistics import fmean
from time import perf_counter, process_time
from typing import NamedTuple

import duckdb
import pytest

from qrkit import analytics, open_portfolio
from qrkit.analytics.simulated.simulated import AGENTS
from qrkit.store.recording.user_agents import numbers_of

pytestmark = pytest.mark.benchmark

ROWS = 10_000_000
ROUNDS = 3
ZONE = "Europe/Ljubljana"

FILL = """
INSERT INTO visits (
    time, kind, qrcode, short_code, content, user_agent, referrer, language, visitor, country, city
)
SELECT
    TIMESTAMP '2026-01-01' + to_microseconds(r * (31536000000000 // $rows) + (hash(r) % 3000000)::BIGINT),
    CASE hash(r, 1) % 20 WHEN 0 THEN 'bot' WHEN 1 THEN 'prefetch' ELSE 'scan' END,
    1 + (hash(r, 2) % 100)::INTEGER, 'door', 'https://example.com/' || (hash(r, 9) % 2),
    1 + (hash(r, 3) % $agents)::INTEGER,
    ['t.co', 'example.com', NULL][1 + (hash(r, 4) % 3)::INTEGER],
    ['de', 'sl', 'it', NULL][1 + (hash(r, 5) % 4)::INTEGER],
    hash(r * 365 // $rows, hash(r, 6) % ($rows // 111)),
    ['SI', 'AT', 'IT', 'HR', NULL][1 + (hash(r, 7) % 5)::INTEGER], 'City ' || (hash(r, 8) % 200)
FROM range($rows) made(r)
"""
"""Visits of a year. One of seven comes from somebody who has been there on the same day."""
COUNT = """
UPDATE scan_counts SET scans = found.scans
FROM (SELECT qrcode, count(*) AS scans FROM visits WHERE kind = 'scan' GROUP BY qrcode) found
WHERE found.qrcode = scan_counts.qrcode
"""
ROWS_OF_SCANS = """
SELECT
    v.time, v.visitor, v.country, v.language, v.referrer, v.city, v.content,
    q.name AS qrcode, c.name AS campaign, u.system, u.browser, u.device
FROM visits v
JOIN qrcodes q ON q.number = v.qrcode
JOIN campaigns c ON c.id = q.campaign_id
JOIN user_agents u ON u.number = v.user_agent
WHERE v.kind = 'scan'
"""
TEXTS = ("country", "language", "referrer", "city", "content", "qrcode", "campaign", "system", "browser", "device")

FROM = "FROM visits v JOIN qrcodes q ON q.number = v.qrcode WHERE v.kind = 'scan' AND q.account_id = $account"
NAMED = FROM.replace("WHERE", "JOIN campaigns c ON c.id = q.campaign_id WHERE")
TOLD = FROM.replace("WHERE", "JOIN user_agents u ON u.number = v.user_agent WHERE")
LOCAL = """
CASE WHEN time < TIMESTAMP '2026-03-29 01:00' THEN time + INTERVAL 1 HOUR
WHEN time < TIMESTAMP '2026-10-25 01:00' THEN time + INTERVAL 2 HOUR ELSE time + INTERVAL 1 HOUR END
"""


def by_hand(what, source, rest="GROUP BY 1"):
    return f"SELECT {what}, count(*) AS scans {source} {rest}"


def local(frame):
    return frame["time"].dt.tz_localize("UTC").dt.tz_convert(ZONE).dt.tz_localize(None)


def visitors_by(frame, name):
    return frame.groupby(name, dropna=False, observed=True)["visitor"].agg(["size", "nunique"])


Question = tuple[Callable, Callable, str]
QUESTIONS: dict[str, Question] = {
    "summary": (
        analytics.summary,
        lambda f: (len(f), f["visitor"].nunique(), f["qrcode"].nunique(), f["time"].min(), f["time"].max()),
        f"SELECT count(*), count(DISTINCT visitor), count(DISTINCT v.qrcode), min(time), max(time) {FROM}",
    ),
    "scans per day x campaign": (
        lambda scans: analytics.scans_per_day(scans, by="campaign"),
        lambda f: f.groupby([f["time"].dt.floor("D"), "campaign"], observed=True).size(),
        by_hand("time::DATE, c.name", NAMED, "GROUP BY 1, 2"),
    ),
    "scans and visitors per local day": (
        lambda scans: analytics.scans_per(scans.where(time_zone=ZONE), "day"),
        lambda f: f.groupby(local(f).dt.floor("D"))["visitor"].agg(["size", "nunique"]),
        by_hand(f"({LOCAL})::DATE, count(DISTINCT visitor)", FROM),
    ),
    "local hours of the week": (
        lambda scans: analytics.scans_by_hour(scans.where(time_zone=ZONE)),
        lambda f: (lambda time: f.groupby([time.dt.day_of_week, time.dt.hour]).size())(local(f)),
        by_hand(f"isodow({LOCAL}), hour({LOCAL})", FROM, "GROUP BY 1, 2"),
    ),
    "top codes": (
        analytics.top_qrcodes,
        lambda f: visitors_by(f, "qrcode").nlargest(10, "size"),
        by_hand("q.id, any_value(q.name), count(DISTINCT visitor)", FROM, "GROUP BY 1 ORDER BY scans DESC LIMIT 10"),
    ),
    "countries": (
        lambda scans: analytics.scans_by(scans, "country"),
        lambda f: visitors_by(f, "country"),
        by_hand("country, count(DISTINCT visitor)", FROM),
    ),
    "systems": (
        lambda scans: analytics.scans_by(scans, "system"),
        lambda f: visitors_by(f, "system"),
        by_hand("system, count(DISTINCT visitor)", TOLD),
    ),
    "devices": (
        lambda scans: analytics.scans_by(scans, "device"),
        lambda f: visitors_by(f, "device"),
        by_hand("device, count(DISTINCT visitor)", TOLD),
    ),
    "repeat share": (
        analytics.repeat_share,
        lambda f: (lambda times: (len(times), (times > 1).sum()))(f["visitor"].value_counts()),
        f"SELECT count(*), count_if(n > 1) FROM (SELECT visitor, count(*) AS n {FROM} GROUP BY visitor)",
    ),
    "life of codes": (
        analytics.half_lives,
        lambda f: f.groupby("qrcode", observed=True)["time"].agg(["size", "min", "median", "max"]),
        by_hand("v.qrcode, min(time), quantile_disc(time, 0.5), max(time)", FROM),
    ),
    "content served": (
        analytics.scans_by_content,
        lambda f: f.groupby(["qrcode", "content"], observed=True).agg({"time": ["min", "max"], "visitor": "nunique"}),
        by_hand("v.qrcode, v.content, min(time), max(time), count(DISTINCT visitor)", FROM, "GROUP BY 1, 2"),
    ),
}
"""What a report asks: our function, the same with pandas on the frame of scans, and by hand in SQL."""


def fill(portfolio, visits):
    """Make a hundred codes in four campaigns, and visits of a year."""
    with portfolio.store.atomic():
        for place in range(4):
            campaign = portfolio.insert_campaign(f"Campaign {place}")
            for number in range(25):
                portfolio.insert_qrcode(f"https://example.com/{number}", name=f"Poster {place}.{number}",
                                        campaign_id=campaign.id)  # fmt: skip
    numbers_of(portfolio.store, AGENTS)
    portfolio.store.execute(FILL, {"rows": visits, "agents": len(AGENTS)})
    portfolio.store.execute(COUNT)
    portfolio.store.checkpoint()


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    """A portfolio with ten million visits, nine of ten of them scans."""
    folder = tmp_path_factory.mktemp("scans")
    with open_portfolio(folder / "a.duckdb", clock=lambda: datetime(2026, 1, 1, tzinfo=UTC)) as portfolio:
        fill(portfolio, ROWS)
        yield portfolio


class Cost(NamedTuple):
    """What an answer takes: seconds on the clock, and of all cores together."""

    wall: float
    cpu: float


def cost_of(ask):
    """What an answer takes, and the answer."""
    gc.collect()
    wall, cpu = perf_counter(), process_time()
    found = ask()
    return Cost(perf_counter() - wall, process_time() - cpu), found


def best(ask, rounds=ROUNDS):
    """The least of each; other programs on the machine make the clock go on, but not the cores."""
    costs = [cost_of(ask)[0] for _ in range(rounds)]
    return Cost(*(min(column) for column in zip(*costs, strict=True)))


def ratio(above, below):
    """The geometric mean over all questions."""
    return exp(fmean(log(above[name] / below[name]) for name in QUESTIONS))


def loaded(path):
    """A Parquet file as a frame, texts as categories: what pandas groups by fastest.

    DuckDB reads it, on all cores and without a detour through Python objects; pandas needs another package for it.
    """
    kinds = ", ".join(f"{name}::kinds_{name} AS {name}" for name in TEXTS)
    with duckdb.connect() as connection:
        file = connection.read_parquet(str(path))
        for name in TEXTS:
            connection.execute(
                f"CREATE TYPE kinds_{name} AS ENUM (SELECT DISTINCT {name} FROM file WHERE {name} IS NOT NULL)"
            )
        return file.select(f"time, visitor, {kinds}").df()


def test_a_report_of_ten_million_scans(shop, tmp_path, say):
    """Ours first: the peak of memory is then ours, not that of the frame."""
    account = {"account": shop.account.id}
    scans = shop.scans
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    ours = {name: best(lambda ask=ask: ask(scans)) for name, (ask, _, _) in QUESTIONS.items()}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    hand = {name: best(lambda sql=sql: shop.store.frame(sql, account)) for name, (_, _, sql) in QUESTIONS.items()}
    number = scans.count()
    shop.close()
    path = tmp_path / "scans.parquet"
    with duckdb.connect(shop.store.path, read_only=True) as connection:
        connection.execute(f"COPY ({ROWS_OF_SCANS}) TO '{path}' (FORMAT parquet)")
    loading, frame = cost_of(lambda: loaded(path))
    assert len(frame) == number
    theirs = {name: best(lambda ask=ask: ask(frame), rounds=1) for name, (_, ask, _) in QUESTIONS.items()}
    for unit in Cost._fields:
        mine, sql, pandas = (
            {name: getattr(cost, unit) for name, cost in costs.items()} for costs in (ours, hand, theirs)
        )
        for name in QUESTIONS:
            say(
                f"{unit:4} {name:34} {mine[name]:6.2f} s, by hand {sql[name]:6.2f} s ({mine[name] / sql[name]:4.2f}), "
                f"pandas {pandas[name]:6.2f} s ({pandas[name] / mine[name]:5.1f})"
            )
        assert ratio(mine, sql) < 3
        load = getattr(loading, unit)
        say(
            f"{unit}, {number:,} scans, geometric means: ours/by hand {ratio(mine, sql):.2f}, pandas/ours "
            f"{ratio(pandas, mine):.1f} in memory, "
            f"{ratio({name: load + took for name, took in pandas.items()}, mine):.1f} where each question loads the "
            f"rows ({load:.1f} s), {(load + sum(pandas.values())) / sum(mine.values()):.1f} for all after loading once"
        )
    size = frame.memory_usage(deep=True).sum() / 2**20
    say(f"memory: {before / 1024:,.0f} MB, at the peak of our questions {peak / 1024:,.0f}; the frame {size:,.0f}")
