"""Other engines answer the shipped questions to archived visits as qrkit does.

The engines take a gigabyte, so they are not among the packages of the tests: `pip install chdb pysail pyspark-client`,
and for Spark itself, which needs Java, `pyspark` in place of `pyspark-client`.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from contextlib import ExitStack
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from importlib.util import find_spec
from pathlib import Path

import duckdb
import pandas as pd
import pytest

from qrkit import analytics, open_portfolio
from qrkit.analytics import simulate
from qrkit.commands.demo import add_sample, replay
from qrkit.commands.demo.people import arrivals
from qrkit.errors import InvalidParameter
from qrkit.store.history.other_engines import archive_sql
from tests.analytics.test_real_clicks import LOG, portfolio_of_clicks

TABLES = ("codes", "user_agents")
NOW = datetime(2026, 11, 1, tzinfo=UTC)
PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) Mobile/15E148 Safari/604.1"
COLUMNS = {
    "time": "TIMESTAMP", "kind": "VARCHAR", "qrcode": "INTEGER", "short_code": "VARCHAR", "content": "VARCHAR",
    "user_agent": "INTEGER", "referrer": "VARCHAR", "language": "VARCHAR", "visitor": "BIGINT", "country": "VARCHAR",
    "region": "VARCHAR", "city": "VARCHAR", "latitude": "DOUBLE", "longitude": "DOUBLE",
    "variant": "VARCHAR", "split": "INTEGER", "conversion": "VARCHAR", "via": "VARCHAR", "lot": "VARCHAR",
    "serial": "VARCHAR", "link_type": "VARCHAR", "alone": "BOOLEAN",
    "again": "BIGINT",
}  # fmt: skip
"""The columns that other programs rely on; a change needs a new version."""
Ask = Callable[[str], list[tuple]]


def real_clicks(path: Path) -> None:
    """3,440 clicks on short links, without keys of visitors."""
    if not LOG.exists():
        pytest.skip(f"the click log is not in {LOG.parent}")
    with portfolio_of_clicks(LOG.read_text(encoding="utf-8").splitlines(), path):
        pass


def demo(path: Path) -> None:
    """The portfolio of `qrkit demo`, with its month of visits."""
    with open_portfolio(path) as shop:
        add_sample(shop)
        replay(shop, arrivals(shop.list_qrcodes()))


def simulated_year(path: Path) -> None:
    """A year of three codes in two campaigns, with codes without a campaign and a name that is not ASCII."""
    rates = {"door": 6.0, "window": 2.0, "bus": 1.0}
    with open_portfolio(path, clock=lambda: NOW - timedelta(days=500)) as shop:
        spring = shop.insert_campaign("Frühling").id
        for code in rates:
            campaign = None if code == "bus" else spring
            shop.insert_qrcode("https://example.com", name=code, short_code=code, campaign_id=campaign)
        shop.scans.insert(simulate(rates, since=date(2025, 10, 1), days=365))


MADE = {"clicks": real_clicks, "demo": demo, "year": simulated_year}


def expected(shop) -> dict[str, pd.DataFrame]:
    """What qrkit answers, in the form of the shipped questions."""
    scans = shop.scans
    per_day = analytics.scans_per(scans, "day").rename(columns={"start": "day"})
    lives = analytics.half_lives(scans)
    lives = lives[lives["scans"] > 0]
    lives["half"] = lives["first"] + pd.to_timedelta((lives["half_life"] * 8.64e10).round(), unit="us")
    counted = {
        "scans_per_day": analytics.scans_per_day(scans, by="campaign", zeros=False),
        "visitors_per_day": per_day[["day", "scans", "visitors"]],
        "scans_by_hour": analytics.scans_by_hour(scans)[["weekday", "hour", "scans"]],
    }
    return {
        "summary": analytics.summary(scans),
        **{name: frame[frame["scans"] > 0].astype({frame.columns[0]: DAY.get(name, "int64")})
           for name, frame in counted.items()},
        "top_qrcodes": analytics.top_qrcodes(scans),
        "countries": analytics.scans_by(scans, "country"),
        "systems": analytics.scans_by(scans, "system"),
        "devices": analytics.scans_by(scans, "device"),
        "repeat_share": analytics.repeat_share(scans),
        "half_lives": lives[["qrcode_id", "qrcode", "campaign", "created", "first", "last", "scans", "half"]],
        "scans_by_content": analytics.scans_by_content(scans),
        "visits_by_kind": analytics.visits_by_kind(scans),
    }  # fmt: skip


def comparable(value: object) -> object:
    """A value as every engine can say it: a moment as text with microseconds, a day as its midnight."""
    if isinstance(value, (pd.Timestamp, datetime)):
        return value.strftime("%Y-%m-%d %H:%M:%S.%f")
    if isinstance(value, date):
        return f"{value} 00:00:00.000000"
    if isinstance(value, str) and len(value) == len("2026-01-01") and value[:2] == "20" and value[4] == "-":
        return f"{value} 00:00:00.000000"
    return float(value) if isinstance(value, (int, float, Decimal)) else value


def rows_of(rows) -> list[list[object]]:
    return [[comparable(value) for value in row] for row in rows]


def tables_of(folder: Path) -> dict[str, list[str]]:
    """The files of each table in a history, as another program finds them."""
    manifest = json.loads((folder / "manifest.json").read_text())
    visits = [str(folder / file["file"]) for file in manifest["files"]]
    return {"visits": visits, **{name: [str(folder / f"{name}.parquet")] for name in TABLES}}


def in_clickhouse(tables: dict[str, list[str]], closing: ExitStack) -> Ask:
    from chdb.session import Session

    session = closing.enter_context(Session())
    for name, paths in tables.items():
        union = " UNION ALL ".join(f"SELECT * FROM file('{path}', Parquet)" for path in paths)
        session.query(f"CREATE VIEW {name} AS {union}")

    def ask(sql: str) -> list[tuple]:
        lines = str(session.query(sql, "JSONCompactEachRow")).splitlines()
        return [tuple(json.loads(line)) for line in lines]

    return ask


def with_views(spark, tables: dict[str, list[str]]) -> Ask:
    for name, paths in tables.items():
        spark.read.parquet(*paths).createOrReplaceTempView(name)
    return lambda sql: [tuple(row) for row in spark.sql(sql).collect()]


def in_sail(tables: dict[str, list[str]], closing: ExitStack) -> Ask:
    from pysail.spark import SparkConnectServer
    from pyspark.sql import SparkSession

    server = SparkConnectServer("127.0.0.1", 0)
    server.start(background=True)
    closing.callback(server.stop)
    _, port = server.listening_address
    spark = SparkSession.builder.remote(f"sc://127.0.0.1:{port}").create()
    closing.callback(spark.stop)
    return with_views(spark, tables)


def in_spark(tables: dict[str, list[str]], closing: ExitStack) -> Ask:
    from pyspark.sql import SparkSession

    building = SparkSession.builder.master("local-cluster[2,1,1024]").config("spark.ui.enabled", "false")
    building = building.config("spark.sql.shuffle.partitions", 2)  # 200 by default, for tables that are larger
    spark = building.config("spark.sql.session.timeZone", "UTC").getOrCreate()
    closing.callback(spark.stop)
    return with_views(spark, tables)


def engine(connect: Callable, dialect: str, *packages: str, program: str | None = None) -> object:
    """An engine to test, which is skipped where a package or a program is missing."""
    missing = [package for package in packages if not find_spec(package)]
    missing += [program] if program and not shutil.which(program) else []
    skip = pytest.mark.skipif(bool(missing), reason=f"needs {', '.join(missing)}")
    return pytest.param(connect, dialect, marks=skip, id=connect.__name__)


ENGINES = [
    engine(in_clickhouse, "clickhouse", "chdb"),
    engine(in_sail, "spark", "pysail", "pyspark"),
    engine(in_spark, "spark", "pyspark", "py4j", program="java"),
]
DAY = {"scans_per_day": "datetime64[us]", "visitors_per_day": "datetime64[us, UTC]"}


@pytest.fixture(scope="module", params=MADE)
def archived(request, tmp_path_factory):
    """A store whose visits are all archived, and what qrkit answers about them."""
    path = tmp_path_factory.mktemp(request.param) / "shop.duckdb"
    MADE[request.param](path)
    with open_portfolio(path, clock=lambda: NOW) as shop:
        before = expected(shop)
        shop.archive()
        assert shop.store.rows("SELECT count(*) AS number FROM visits") == [{"number": 0}]
        return path.with_suffix(".history"), before


def test_both_engines_have_the_same_questions():
    names = list(archive_sql("spark"))
    assert list(archive_sql("clickhouse")) == names
    assert names[0] == "scans"


def test_an_engine_without_sql_is_refused_by_name():
    with pytest.raises(InvalidParameter, match=r"engine='oracle'.*must be one of clickhouse, spark"):
        archive_sql("oracle")


def test_an_archive_writes_what_its_visits_refer_to(tmp_path):
    path = tmp_path / "shop.duckdb"
    with open_portfolio(path, clock=lambda: NOW) as shop:
        campaign = shop.insert_campaign("Spring").id
        code = shop.insert_qrcode("https://a.example", name="Door", short_code="door", campaign_id=campaign)
        shop.scans.insert([{"short_code": "door", "time": NOW - timedelta(days=2), "user_agent": PHONE}])
        shop.archive()
    with duckdb.connect() as other:
        for name, files in tables_of(path.with_suffix(".history")).items():
            other.execute(f"CREATE VIEW {name} AS FROM read_parquet({files})")
        found = other.execute("""
            SELECT c.qrcode_id, c.qrcode, c.campaign, u.system, u.device, u.is_bot, v.alone
            FROM visits v JOIN codes c ON c.number = v.qrcode JOIN user_agents u ON u.number = v.user_agent
        """).fetchall()
        assert found == [(code.id, "Door", "Spring", "iOS", "phone", False, False)]
        columns = other.execute("SELECT column_name, column_type FROM (DESCRIBE visits)").fetchall()
        files = tables_of(path.with_suffix(".history"))["visits"]
        encodings = other.execute(f"SELECT DISTINCT encodings FROM parquet_metadata({files})").fetchall()
    assert dict(columns) == COLUMNS
    # Older versions of Spark cannot read the newer encodings, such as BYTE_STREAM_SPLIT.
    assert {encoding for (encoding,) in encodings} <= {"PLAIN", "PLAIN_DICTIONARY", "RLE", "RLE_DICTIONARY"}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of libraries that only this test uses
@pytest.mark.parametrize(("connect", "dialect"), ENGINES)
def test_another_engine_gives_the_same_answers(archived, connect, dialect):
    folder, answers = archived
    differing = {}
    with ExitStack() as closing:
        ask = connect(tables_of(folder), closing)
        statements = archive_sql(dialect)
        ask(statements.pop("scans"))
        assert statements.keys() == answers.keys()
        for name, sql in statements.items():
            found, answer = rows_of(ask(sql)), rows_of(answers[name].itertuples(index=False))
            if found != [[pytest.approx(value, rel=1e-12) if isinstance(value, float) else value for value in row]
                         for row in answer]:  # fmt: skip
                differing[name] = found[:3], answer[:3]
    assert differing == {}


def test_columns_without_values_have_the_types_of_the_contract(tmp_path):
    with open_portfolio(tmp_path / "shop.duckdb") as shop:
        shop.insert_qrcode("https://example.com", name="Door", short_code="door")
        shop.scans.insert(analytics.simulate({"door": 5}, since=date(2026, 6, 1), days=1))
        shop.archive()
    found = duckdb.sql(f"DESCRIBE FROM '{tmp_path}/shop.history/codes.parquet'").fetchall()
    assert {name: kind for name, kind, *_ in found} == {
        "number": "INTEGER", "account_id": "VARCHAR", "qrcode_id": "VARCHAR", "qrcode": "VARCHAR",
        "qrcode_created": "TIMESTAMP", "qrcode_address": "VARCHAR", "qrcode_latitude": "DOUBLE",
        "qrcode_longitude": "DOUBLE", "campaign_id": "VARCHAR", "campaign": "VARCHAR",
    }  # fmt: skip
