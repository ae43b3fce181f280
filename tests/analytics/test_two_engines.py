"""The questions are written once, for DuckDB; another engine gives the same answers to them, put into its own SQL.

What puts them there is sqlglot, and a few lines here for what it leaves as it is. So a warehouse could answer them,
too; the store itself asks a copy in columns, which is many times as fast as rows.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from random import Random
from typing import Any

import pandas as pd
import pytest
import sqlglot
from pandas.testing import assert_frame_equal
from sqlglot import exp

from qrkit import analytics, open_portfolio
from qrkit.store import Scans
from qrkit.store.migrations import VISIT_COLUMNS
from qrkit.store.questions.scans import BOUNDS
from qrkit.store.recording.visit_rows import insert_visits
from qrkit.store.records.short_codes import target
from qrkit.tracking.records import Place, Visit

NOON = datetime(2026, 3, 27, 12, 0, 0, 5, UTC)
AGENTS = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.4"
    " Mobile/15E148 Safari/604.1",
    "Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:139.0) Gecko/20100101 Firefox/139.0",
    "curl/8.5.0",
    "",
)


# What DuckDB has and sqlglot leaves as it is. Visitors are counted by columns that only the copy of a server has.
FUNCTIONS = """
CREATE FUNCTION epoch_us(TIMESTAMP) RETURNS BIGINT LANGUAGE sql AS 'SELECT (extract(epoch FROM $1) * 1000000)::BIGINT';
CREATE FUNCTION epoch_us(INTERVAL) RETURNS BIGINT LANGUAGE sql AS 'SELECT (extract(epoch FROM $1) * 1000000)::BIGINT';
CREATE FUNCTION bit_count(BIGINT) RETURNS INTEGER LANGUAGE sql AS 'SELECT bit_count($1::BIT(64))::INTEGER';
"""
FUNCTIONS += "".join(
    f"CREATE FUNCTION {name}({kind}) RETURNS INTEGER LANGUAGE sql AS 'SELECT extract({part} FROM $1)::INTEGER';"
    for name, part in (("hour", "hour"), ("dayofweek_iso", "isodow"))
    for kind in ("TIMESTAMP", "TIMESTAMPTZ")
)
FUNCTIONS += f"""
CREATE TABLE IF NOT EXISTS history (first TIMESTAMP, last TIMESTAMP);
CREATE OR REPLACE VIEW all_visits AS
SELECT
    {VISIT_COLUMNS}, false AS alone, true AS numbered,
    CASE WHEN visitor IS NOT NULL THEN dense_rank() OVER (ORDER BY time::DATE, visitor) END AS again
FROM visits;
"""
MOMENTS = (1082, 1114, 1184)
"""Numbers of the types DATE, TIMESTAMP and TIMESTAMPTZ, which is UTC here."""


def in_postgresql(sql: str, values: dict[str, Any]) -> str:
    """A question in the SQL of PostgreSQL, with its values."""
    tree = sqlglot.parse_one(sql, read="duckdb")
    for select in tree.find_all(exp.Select):
        group = select.args.get("group")
        if group and group.args.get("all"):
            # PostgreSQL 15 has no GROUP BY ALL: by what is selected and no aggregate, then.
            places = [
                exp.Literal.number(place)
                for place, one in enumerate(select.selects, 1)
                if not one.find(exp.AggFunc) and not isinstance(one.unalias(), exp.Literal)
            ]
            select.set("group", exp.Group(expressions=places) if places else None)

    def valued(node: exp.Expression) -> exp.Expression:
        return exp.convert(values[node.name]) if isinstance(node, (exp.Parameter, exp.Placeholder)) else node

    return tree.transform(valued).sql("postgres")


class Rows(Scans):
    """The same view, whose questions PostgreSQL answers from the rows themselves."""

    def ask(self, select: str, **values: Any) -> pd.DataFrame:
        asked = self.query(select, **values)
        return self._answer(asked.sql, dict(asked.parameters))

    def bounds(self) -> tuple[datetime, datetime] | None:
        first, last = self._answer(BOUNDS, {"since": self.since, "until": self.until}).iloc[0]
        return None if pd.isna(first) else (first, last)

    def _answer(self, sql: str, values: dict[str, Any]) -> pd.DataFrame:
        with self.store.database.using() as cursor:
            cursor.execute(in_postgresql(sql, values))
            rows = pd.DataFrame(cursor.fetchall(), columns=[column[0] for column in cursor.description])
            moments = [column[0] for column in cursor.description if column.type_code in MOMENTS]
        for name in moments:
            rows[name] = pd.to_datetime(rows[name], utc=True).dt.tz_localize(None).astype("datetime64[us]")
        return rows


@pytest.fixture(scope="module")
def shop(server, empty_store):
    """Three codes of two campaigns, and a year of visits of all kinds on them."""
    random = Random(11)
    with open_portfolio(server.new_database(empty_store), clock=lambda: NOON - timedelta(days=400)) as shop:
        spring, autumn = (shop.insert_campaign(name).id for name in ("Spring", "Autumn"))
        for code, campaign in (("door", spring), ("shelf", spring), ("gate", autumn), ("loose", None), ("never", None)):
            shop.insert_qrcode(f"https://{code}.example", name=code.title(), short_code=code, campaign_id=campaign)
        for code in ("door", "shelf", "gate", "loose", "nobody"):
            insert_visits(shop.store, [made(random, shop, code) for _ in range(150)])
        shop.store.execute(FUNCTIONS)
        yield shop


def made(random: Random, shop: Any, code: str) -> Visit:
    found = target(shop.store, code)
    kinds = random.choices(["scan", "bot", "prefetch", "head"], [8, 1, 2, 1])
    country = random.choice([None, "", "DE", "SI"])
    return Visit(
        time=NOON - timedelta(minutes=random.randrange(300_000), microseconds=random.randrange(10**9)),
        kind=kinds[0] if found else "orphan",
        short_code=code,
        qrcode=found.qrcode if found else None,
        content=random.choice([None, "", "https://a.example", "https://b.example"]),
        user_agent=random.choice(AGENTS),
        referrer=random.choice([None, "a.example"]),
        language=random.choice([None, "de", "sl"]),
        visitor=random.choice([None, 2**64 - 1, *range(40)]),
        place=Place(country, None, random.choice([None, "Graz"])),
    )


QUESTIONS: dict[str, Any] = {
    "summary": analytics.summary,
    "per day": analytics.scans_per_day,
    "per day of campaigns": lambda scans: analytics.scans_per_day(
        scans.where(time_zone="Europe/Ljubljana"), by="campaign"
    ),
    "per hour where clocks change": lambda scans: analytics.scans_per(
        scans.where(since=date(2026, 3, 1), time_zone="Europe/Ljubljana"), "hour", by="qrcode"
    ),
    "per week": lambda scans: analytics.scans_per(scans.where(time_zone="Australia/Lord_Howe"), "week"),
    "per month": lambda scans: analytics.scans_per(scans, "month", by="qrcode_id"),
    "by hour of the week": lambda scans: analytics.scans_by_hour(scans.where(time_zone="Asia/Kathmandu")),
    "and before": lambda scans: analytics.scans_and_previous(
        scans.where(since=date(2026, 2, 1), until=date(2026, 3, 1)), "week"
    ),
    "top": lambda scans: analytics.top_qrcodes(scans, most=2),
    "ranking": analytics.ranking,
    "by campaign": lambda scans: analytics.scans_by(scans, "campaign"),
    "by country": lambda scans: analytics.scans_by(scans, "country"),
    "by device of a city": lambda scans: analytics.scans_by(scans.where(city="Graz"), "device"),
    "per day of systems": lambda scans: analytics.scans_per_day(scans, by="system"),
    "by system": lambda scans: analytics.scans_by(scans, "system"),
    "repeats": analytics.repeat_share,
    "repeats of codes": lambda scans: analytics.repeat_share(scans, by="qrcode"),
    "lives": analytics.half_lives,
    "contents": analytics.scans_by_content,
    "kinds": analytics.visits_by_kind,
    "evidence": analytics.visits_by_evidence,
    "people": analytics.human_scans,
    "orphans": analytics.orphan_visits,
}


@pytest.mark.needs("postgres")
@pytest.mark.parametrize("ask", QUESTIONS.values(), ids=QUESTIONS)
@pytest.mark.parametrize("narrower", [{}, {"qrcode_id": "door"}, {"campaign_id": "both"}], ids=["all", "one", "two"])
def test_a_question_has_the_same_answer_on_both_engines(shop, ask, narrower):
    if "qrcode_id" in narrower:
        narrower = {"qrcode_id": shop.list_qrcodes()[0].id}
    elif narrower:
        narrower = {"campaign_id": tuple(one.id for one in shop.list_campaigns())}
    view = shop.scans.where(**narrower)
    rows = Rows(view.store, view.account_id, clock=view.clock, **narrower)
    if ask is analytics.orphan_visits and narrower:
        view, rows = shop.scans, Rows(view.store, view.account_id, clock=view.clock)
    answer = ask(view)
    assert len(answer)
    assert_frame_equal(ask(rows), answer, check_exact=False, rtol=1e-12)
