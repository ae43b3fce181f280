"""SQL of users over copies of the columns that it uses: the answers are those over whole tables."""

from datetime import UTC, datetime, timedelta

import duckdb
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from qrkit import open_portfolio
from qrkit.errors import InvalidParameter
from tests.sweeps import quick_first

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) Mobile/15E148 Safari/604.1"
TABLES = ("scans", "visits", "qrcodes", "campaigns", "day_counts")
SALES = pd.DataFrame({"name": ["Door", "Shelf"], "euro": [12.5, 3.0], "city": ["Bled", None]})


@pytest.fixture(scope="module")
def shop():
    with open_portfolio(":memory:", clock=lambda: NOON) as portfolio:
        spring = portfolio.insert_campaign("Spring")
        portfolio.insert_qrcode("https://a.example", name="Door", short_code="door", campaign_id=spring.id,
                                location={"address": "Main St 1", "latitude": 46.2, "longitude": 6.1})  # fmt: skip
        portfolio.insert_qrcode("https://b.example", name="Shelf", short_code="shelf", comment="Door")
        portfolio.scans.insert(
            pd.DataFrame(
                {
                    "short_code": ["door" if n % 4 else "shelf" for n in range(40)],
                    "time": [NOON - timedelta(days=n % 3, minutes=n) for n in range(40)],
                    "kind": ["bot" if n % 5 == 1 else "scan" for n in range(40)],
                    "country": ["SI", "AT", None, "HR"] * 10,
                    "city": ["Bled", "Door", None, "Split"] * 10,
                    "visitor": [n % 7 for n in range(40)],
                    "user_agent": PHONE,
                }
            )
        )
        yield portfolio


@pytest.fixture(scope="module")
def whole(shop):
    """A database with all columns of all tables."""
    with duckdb.connect(":memory:") as database:
        for name in TABLES:
            frame = shop.sql(f"FROM {name}")
            database.execute(f"CREATE TABLE {name} AS FROM frame")
        sales = SALES
        database.execute("CREATE TABLE sales AS FROM sales")
        assert len(frame.columns) == 4
        assert len(sales) == 2
        yield database


def values(frame):
    """The columns and rows of an answer; the rows of a SELECT without ORDER BY have no order."""
    return list(frame.columns), sorted(str(row) for row in frame.itertuples(index=False, name=None))


def assert_right(shop, whole, select):
    frames = {"sales": SALES} if "sales" in select else {}
    assert values(shop.sql(select, **frames)) == values(whole.sql(select).df())


@pytest.mark.parametrize(
    "select",
    quick_first(
        [
            "SELECT count(*) AS n FROM scans",
            "SELECT s.* EXCLUDE (time, visitor) FROM scans s",
            "SELECT count(DISTINCT s) AS n FROM scans s",
            "SELECT q.name, (SELECT max(time) FROM scans s WHERE s.qrcode_id = q.id) AS last FROM qrcodes q",
            "PIVOT scans ON country USING count(*) GROUP BY qrcode",
            "SELECT a, h FROM qrcodes AS q(a, b, c, d, e, f, g, h)",
            "SELECT name, euro, content FROM sales JOIN qrcodes USING (name)",
            "SELECT * FROM scans",
            "FROM qrcodes",
            "TABLE campaigns",
            "SELECT s FROM (SELECT country, kind FROM scans) s",
            "SELECT hash(q) = hash(p) AS same FROM qrcodes q, qrcodes p",
            "SELECT COLUMNS('^c') FROM scans",
            "SELECT min(COLUMNS(*)) FROM scans",
            "SELECT COLUMNS(lambda name: name LIKE '%id') FROM scans",
            "SELECT * LIKE 'q%' FROM scans",
            "SELECT * REPLACE (upper(country) AS country) FROM scans",
            "SELECT * RENAME (country AS land) FROM scans",
            "SELECT unnest(q) FROM qrcodes q",
            "SELECT {'a': name, 'b': comment}.b AS b FROM qrcodes",
            "SELECT to_json(q)->>'comment' AS comment FROM qrcodes q",
            "SELECT [x FOR x IN list(country) IF x > 'B'] AS lands FROM scans WHERE city <> 'Split'",
            "SELECT #2 AS second FROM qrcodes",
            "SELECT count(*) AS n FROM (SELECT DISTINCT country, city FROM scans)",
            "SELECT count(*) AS n FROM (SELECT DISTINCT * FROM scans)",
            "SELECT count(*) AS n FROM (FROM scans UNION FROM visits)",
            "SELECT name FROM qrcodes UNION ALL BY NAME SELECT name, description FROM campaigns",
            "SELECT country FROM scans EXCEPT ALL SELECT country FROM visits WHERE kind = 'bot'",
            "SELECT kind FROM visits INTERSECT SELECT kind FROM scans",
            "SELECT count(*) AS n FROM scans NATURAL JOIN (SELECT 'SI' AS country)",
            "SELECT count(*) AS n FROM qrcodes NATURAL JOIN campaigns",
            "SELECT count(*) AS n FROM scans s POSITIONAL JOIN qrcodes q",
            "SELECT count(q.name) AS n FROM scans s POSITIONAL JOIN qrcodes q",
            "SELECT q.name, s.country FROM qrcodes q ASOF JOIN scans s ON s.qrcode_id = q.id AND s.time <= q.created",
            "SELECT q.name FROM qrcodes q SEMI JOIN scans s ON s.city = q.name",
            "SELECT q.name FROM qrcodes q ANTI JOIN scans s ON s.city = q.name",
            "SELECT q.name, l.n FROM qrcodes q, LATERAL (SELECT count(*) AS n FROM scans s WHERE s.qrcode = q.name) l",
            "SELECT name FROM qrcodes WHERE EXISTS (FROM scans WHERE scans.city = qrcodes.name)",
            "SELECT name FROM qrcodes WHERE name NOT IN (SELECT city FROM scans WHERE city IS NOT NULL)",
            "SELECT name FROM qrcodes WHERE (name, comment) IN (SELECT (q.name, q.comment) FROM qrcodes q)",
            "SELECT 'Bled' = ANY (SELECT city FROM scans) AS some",
            "SELECT EXISTS (SELECT 1 FROM day_counts) AS some, (SELECT count(*) FROM visits) AS n",
            "WITH a AS MATERIALIZED (FROM scans) SELECT country FROM a",
            "WITH a AS (FROM scans), b AS (SELECT * FROM a WHERE city = 'Bled') SELECT count(b.kind) AS n FROM b, a",
            "WITH scans AS (SELECT name AS country FROM qrcodes) SELECT country FROM scans",
            "WITH RECURSIVE r(n, city) AS (SELECT 1, 'Bled' UNION ALL SELECT n + 1, s.city FROM r, scans s "
            "WHERE s.country = 'HR' AND n < 2) SELECT * FROM r",
            "SELECT country, count(*) AS n FROM scans GROUP BY ALL HAVING max(city) > 'A'",
            "SELECT DISTINCT ON (country) country FROM scans ORDER BY country, city",
            "SELECT DISTINCT ON (country) country, min(time) OVER (PARTITION BY city) AS m FROM scans ORDER BY ALL",
            "SELECT country FROM scans ORDER BY time DESC, visitor LIMIT 3",
            "SELECT country FROM scans QUALIFY row_number() OVER (PARTITION BY country ORDER BY time) = 1",
            "SELECT country, rank() OVER w AS r FROM scans WINDOW w AS (PARTITION BY kind ORDER BY time)",
            "SELECT country, count(*) AS n FROM scans GROUP BY GROUPING SETS ((country), (city), ())",
            "SELECT arg_max(city, time) AS last, count(*) FILTER (WHERE is_bot IS NOT NULL) AS n FROM scans",
            "SELECT string_agg(country, ',' ORDER BY time, visitor) AS lands FROM scans",
            "SELECT typeof(visitor) AS a, alias(city) AS b FROM scans",
            "SELECT 1 AS a FROM scans, visits LIMIT 3",
            "SELECT 1 AS a FROM scans WHERE false",
            "SELECT kind FROM visits WHERE kind = 'bot' AND true",
            "FROM scans SELECT country WHERE city = 'Bled'",
            "SELECT sum(scans) AS n FROM qrcodes",
            "SELECT name FROM qrcodes WHERE scans > 8",
            "SELECT count(scans) AS n FROM scans",
            "SELECT count(*) AS n FROM (PIVOT scans ON country USING count(*))",
            "SELECT count(*) AS n FROM (PIVOT scans ON country IN ('SI', 'AT') USING max(time) GROUP BY city)",
            "UNPIVOT (SELECT name, scans, length(content) AS letters FROM qrcodes) ON scans, letters",
            "SELECT count(*) AS n FROM query_table('sca' || 'ns') WHERE city = 'Bled'",
            "SELECT n FROM query('SELECT count(city) AS n FROM scans')",
            "SELECT column_name, null_percentage FROM (SUMMARIZE scans)",
            "SELECT s.city FROM sales s, scans WHERE scans.city = s.city",
            'SELECT "COUNTRY", Scans.CITY FROM "Scans"',
        ],
        5,
    ),
)
def test_an_answer_is_the_same_as_over_whole_tables(shop, whole, select):
    assert_right(shop, whole, select)


NAMES = st.sampled_from(["time", "kind", "visitor", "country", "city", "qrcode", "campaign", "device", "is_bot"])
PLACES = st.sampled_from(
    [
        *(
            "scans t",
            "visits t",
            "(FROM scans) t",
            "(SELECT DISTINCT * FROM visits) t",
            "(FROM scans UNION FROM visits) t",
        ),
        *("scans t JOIN qrcodes q ON q.id = t.qrcode_id", "visits t LEFT JOIN sales s ON s.city = t.city"),
    ]
)


@st.composite
def selects(draw):
    one, two, three = draw(NAMES), draw(NAMES), draw(NAMES)
    shown = draw(
        st.sampled_from(
            [
                *(
                    "t.*",
                    "t",
                    "count(*)",
                    f"t.{one}",
                    f"t.{one}, t.{two}",
                    f"count(t.{one})",
                    f"min(t.{one}), count(*)",
                ),
                *(f"DISTINCT t.{one}", f"DISTINCT ON (t.{one}) t.{one}", f"count(DISTINCT t), count(t.{two})"),
                f"(SELECT count(u.{one}) FROM scans u WHERE u.{two} = t.{two})",
            ]
        )
    )
    condition = draw(
        st.sampled_from(
            [
                *("true", f"t.{three} IS NOT NULL", f"t.{three} IN (SELECT {three} FROM visits WHERE {two} IS NULL)"),
                f"EXISTS (FROM scans u WHERE u.{three} = t.{three} AND u.{one} IS NOT NULL)",
            ]
        )
    )
    inner = f"SELECT {shown} FROM {draw(PLACES)} WHERE {condition}"
    return draw(st.sampled_from([inner, f"WITH w AS ({inner}) SELECT count(*) FROM w", f"FROM ({inner}) LIMIT 1000"]))


@pytest.mark.slow
@given(selects())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_answer_is_the_same_as_over_whole_tables(shop, whole, select):
    assert_right(shop, whole, select)


def test_only_the_columns_in_use_are_copied(shop):
    made = shop.sql("SELECT (SELECT count(name) FROM qrcodes WHERE scans > 0) AS n, sql FROM duckdb_views() "
                    "WHERE view_name IN ('qrcodes', 'visits') ORDER BY view_name")  # fmt: skip
    assert made["n"].tolist() == [2, 2]
    codes, visits = made["sql"]
    assert 'CAST("name" AS VARCHAR) AS "name"' in codes
    assert "CAST(scans AS BIGINT) AS scans" in codes
    assert 'CAST(NULL AS VARCHAR) AS "content"' in codes
    assert "read_parquet" in codes
    assert "read_parquet" not in visits


@pytest.mark.slow
def test_a_plan_that_is_deep_or_has_many_values_has_its_answer(shop):
    deep = " UNION ALL ".join(f"SELECT count(city) + {n} AS n FROM scans" for n in range(400))
    assert shop.sql(f"SELECT count(*) AS n FROM ({deep})")["n"].tolist() == [400]
    many = [f"city {n}" for n in range(20_000)]
    found = shop.sql("SELECT count(*) AS n FROM scans WHERE city IN (SELECT unnest($many))", many=[*many, "Bled"])
    assert found["n"].tolist() == [8]


@pytest.mark.slow
def test_a_plan_that_takes_too_long_or_too_much_is_ended(shop):
    for count in ("length(repeat(repeat('x', 1_000_000), 4_000))",
                  "levenshtein(repeat('a', 200_000), repeat('b', 200_000))"):  # fmt: skip
        with pytest.raises(InvalidParameter, match=r"takes longer than 0\.3 seconds|needs more memory than 512MB"):
            shop.sql(f"SELECT city FROM scans, range({count})", seconds=0.3)
    assert shop.sql("SELECT count(city) AS n FROM scans")["n"].tolist() == [24]


def test_a_frame_is_whole_whatever_its_columns_are(shop):
    odd = pd.DataFrame(
        {
            'so "x", y.z': [{"a": 1, "b c": [2]}],
            "scans.city": pd.Categorical(["it's"]),
            "": pd.to_datetime(["2026-01-01T00:00Z"]),
            "Name": [None],
        }
    )
    found = shop.sql("SELECT o, q.name FROM odd o, qrcodes q WHERE q.name = 'Door'", odd=odd)
    assert found["name"].tolist() == ["Door"]
    (row,) = found["o"]
    assert row['so "x", y.z']["a"] == 1
    assert row["scans.city"] == "it's"
    assert len(row) == 4
