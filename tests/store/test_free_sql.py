"""SQL of users: answers, and attacks that must find nothing to attack."""

import os
import stat
import tempfile
import threading
from datetime import UTC, datetime, timedelta

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qrkit import open_portfolio
from qrkit.errors import InvalidParameter, StoreClosed
from qrkit.portfolio import Portfolio
from qrkit.portfolio.access import create_account
from qrkit.store.questions.free_sql import MOST_ROWS
from tests.sweeps import quick_first, quick_rows

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) Mobile/15E148 Safari/604.1"
SECRET = "sesame-of-another-account"


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    folder = tmp_path_factory.mktemp("free sql")
    (folder / "secret.csv").write_text("word\nsesame\n", encoding="utf-8")
    return folder / "a.duckdb"


@pytest.fixture(scope="module")
def shop(file):
    """A portfolio in a store in which somebody else has one, too."""
    with open_portfolio(file, clock=lambda: NOON) as portfolio:
        other = Portfolio(portfolio.store, create_account(portfolio.store, SECRET, plan="premium"))
        spring = portfolio.insert_campaign("Spring")
        portfolio.insert_qrcode("https://a.example", name="Door", short_code="door", campaign_id=spring.id,
                                location={"address": "Main St 1", "latitude": 46.2, "longitude": 6.1})  # fmt: skip
        portfolio.insert_qrcode("https://b.example", name="Shelf", short_code="shelf")
        secret = other.insert_campaign(SECRET)
        other.insert_qrcode(f"https://{SECRET}.example", name=SECRET, short_code="other", campaign_id=secret.id)
        times = [NOON + timedelta(minutes=n) for n in range(100)]
        codes = ["door" if n % 4 else "shelf" for n in range(100)]
        portfolio.scans.insert(pd.DataFrame({"short_code": codes, "time": times, "user_agent": PHONE, "country": "DE"}))
        other.scans.insert(pd.DataFrame({"short_code": "other", "time": times, "city": SECRET}))
        yield portfolio


def refused(shop, select, match=None, **parameters):
    with pytest.raises(InvalidParameter, match=match) as caught:
        shop.sql(select, **parameters)
    assert caught.value.name == "select"
    return str(caught.value)


@pytest.mark.parametrize("lines", [1, 9])
def test_errors_count_the_lines_of_the_user(shop, lines):
    select = "SELECT" + "\n" * (lines - 1) + " nme FROM qrcodes"
    *_, shown, mark = refused(shop, select, match='"nme" not found').splitlines()
    assert shown.startswith(f"LINE {lines}:")
    assert shown[mark.index("^") :].startswith("nme")


# ---- answers


def test_a_frame_is_a_table_of_its_name(shop):
    sales = pd.DataFrame({"name": ["Door", "Shelf"], "euro": [12.5, 3.0]}, index=[7, 8])
    found = shop.sql(
        """SELECT q.name, s.euro, count(*) AS scans FROM scans JOIN qrcodes q ON q.id = qrcode_id
        JOIN sales s ON s.name = q.name WHERE s.euro > $least GROUP BY ALL""",
        sales=sales,
        least=5,
    )
    assert found.to_dict("records") == [{"name": "Door", "euro": 12.5, "scans": 75}]
    assert shop.sql('FROM "so; DROP ""it"', **{'so; DROP "it': sales}).equals(sales.reset_index(drop=True))


@pytest.mark.parametrize("name", ["scans", "Visits", "qrcodes"])
def test_a_frame_does_not_take_the_place_of_a_table(shop, name):
    with pytest.raises(InvalidParameter, match=f"{name}: needs another name: {name.lower()} is a table of qrkit"):
        shop.sql("SELECT 1", **{name: pd.DataFrame({"a": [1]})})


def test_a_frame_that_is_no_table_is_refused(shop):
    with pytest.raises(InvalidParameter, match="sales: cannot be a table: "):
        shop.sql("FROM sales", sales=pd.DataFrame())


@pytest.mark.parametrize("columns", ["", "IN ('Door', 'Shelf')"])
def test_a_pivot_has_a_column_for_each_value(shop, columns):
    pivot = f"PIVOT (SELECT device, qrcode FROM scans) ON qrcode {columns} USING count(*) GROUP BY device"
    assert shop.sql(pivot).to_dict("records") == [{"device": "phone", "Door": 75, "Shelf": 25}]
    refused(shop, f"{pivot}; DROP VIEW scans", match="must be one SELECT")


def test_scans_join_with_where_their_codes_hang(shop):
    found = shop.sql("""
        SELECT q.address, c.name AS campaign, s.device, count(*) AS scans
        FROM scans s JOIN qrcodes q ON q.id = s.qrcode_id LEFT JOIN campaigns c ON c.id = q.campaign_id
        GROUP BY ALL ORDER BY scans DESC;
    """)
    assert found.astype("object").where(found.notna(), None).to_numpy().tolist() == [
        ["Main St 1", "Spring", "phone", 75],
        [None, None, "phone", 25],
    ]


def test_scans_have_the_columns_of_their_frame_and_all_their_values(shop):
    frame = shop.scans.to_frame()
    assert shop.sql("DESCRIBE scans")["column_name"].tolist() == frame.columns.tolist()
    frame = frame.assign(time=frame["time"].dt.tz_localize(None))
    found = shop.sql("FROM scans ORDER BY time").astype(frame.dtypes.to_dict())
    pd.testing.assert_frame_equal(found, frame)


@pytest.mark.parametrize(
    ("select", "rows"),
    quick_rows(
        [
            ("SHOW TABLES", [["campaigns"], ["day_counts"], ["qrcodes"], ["scans"], ["visits"]]),
            ("VALUES (1, 'a')", [[1, "a"]]),
            ("FROM qrcodes SELECT name, scans ORDER BY name DESC ; \n", [["Shelf", 25], ["Door", 75]]),
            ("WITH t AS (SELECT name FROM campaigns) SELECT * FROM t -- done", [["Spring"]]),
            ("SELECT count(*) FROM visits a JOIN scans b USING (time)", [[100]]),
            ("SELECT range FROM range(3) ORDER BY 1 DESC", [[2], [1], [0]]),
            ("SELECT count(*) FROM day_counts", [[0]]),
            ("SELECT ';' AS a", [[";"]]),
            ("SELECT 1 AS a; -- done", [[1]]),
            ("SELECT 'ä;' AS a /* ; */ ;; /* done; */ ;\n--", [["ä;"]]),
            ('; -- from here on;\n; SELECT $$;$$ AS "ß;" -- done;', [[";"]]),
        ],
        7,
    ),
)
def test_what_is_one_select_is_answered(shop, select, rows):
    assert shop.sql(select).to_numpy().tolist() == rows


@pytest.mark.parametrize("select", [5, None, b"SELECT 1", ["SELECT 1"]])
def test_what_is_no_text_is_refused_by_name(shop, select):
    assert "must be text with one SELECT" in refused(shop, select)


def test_times_with_a_time_zone_are_in_utc(shop):
    berlin = pd.DataFrame({"time": pd.to_datetime(["2026-03-01T13:00+01:00"]).tz_convert("Europe/Berlin")})
    found = shop.sql('SELECT time AS "a ""time""", make_timestamptz(0) AS start FROM berlin', berlin=berlin)
    assert [*map(str, found.dtypes)] == ["datetime64[us, UTC]"] * 2
    assert found.loc[0].tolist() == [pd.Timestamp(NOON), pd.Timestamp(0, tz="UTC")]


def test_a_time_may_have_any_name(shop):
    assert shop.sql("SELECT make_timestamptz(0) AS self").loc[0, "self"] == pd.Timestamp(0, tz="UTC")


def test_a_date_that_pandas_has_not_is_refused(shop):
    assert "Could not convert DATE" in refused(shop, "SELECT 'infinity'::DATE")


@pytest.mark.parametrize("value", ["current_time", "1::UHUGEINT"])
def test_a_value_that_pandas_has_not_is_refused(shop, value):
    """An error of DuckDB was raised, which no program expects."""
    assert "Unsupported type" in refused(shop, f"SELECT {value}")


def test_a_mistake_leaves_the_open_transaction_alone(tmp_path):
    with open_portfolio(tmp_path / "b.duckdb") as shop:
        with shop.store.atomic():
            shop.insert_campaign("Spring")
            refused(shop, "SELEC 1", match="syntax error")
        assert len(shop.list_campaigns()) == 1


def test_tables_that_a_select_does_not_use_have_no_rows_but_all_columns(shop):
    for _ in range(2):
        shown = shop.sql("SHOW ALL TABLES").set_index("name")["column_names"]
        assert "qrcode_id" in list(shown["scans"])
        assert shop.sql("DESCRIBE campaigns")["column_name"].tolist() == ["id", "name", "description", "created"]


def test_half_a_character_is_refused(shop):
    assert "holds half a character" in refused(shop, "SELECT '\ud800'")


@pytest.mark.slow
@given(st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=40), min_size=5))
@settings(max_examples=5)
def test_a_value_is_never_a_part_of_the_text(shop, texts):
    select = (
        "SELECT text, (SELECT count(*) FROM qrcodes WHERE name = text) AS codes FROM (SELECT unnest($texts) AS text)"
    )
    found = shop.sql(select, texts=texts)
    assert found.to_numpy().tolist() == [[text, int(text in ("Door", "Shelf"))] for text in texts]
    assert shop.sql("SELECT $text AS text", text=texts[0])["text"].tolist() == texts[:1]


def test_bots_are_visits_and_no_scans(file, tmp_path):
    with open_portfolio(tmp_path / "b.duckdb") as shop:
        shop.insert_qrcode("https://a.example", short_code="door")
        shop.scans.insert(pd.DataFrame({"short_code": "door", "time": [NOON] * 3, "kind": ["scan", "bot", "prefetch"]}))
        found = shop.sql("SELECT (SELECT count(*) FROM scans) AS scans, (SELECT count(*) FROM visits) AS visits")
        assert found.to_numpy().tolist() == [[1, 3]]


def test_what_the_plan_does_not_show_is_not_there(tmp_path):
    with open_portfolio(tmp_path / "c.duckdb") as shop:
        free = Portfolio(shop.store, create_account(shop.store, "small", plan="free"))
        for n in range(51):
            free.insert_qrcode("https://a.example", name=f"code {n}", short_code=f"c{n}")
        shown = free.sql("SELECT count(*) AS n, max(name) = 'code 9' AS last FROM qrcodes")
        assert shown.to_numpy().tolist() == [[50, True]]
        frame = pd.DataFrame({"short_code": ["c0", "c50"], "time": [NOON, NOON]})
        free.scans.insert(frame)
        assert free.sql("SELECT qrcode FROM scans")["qrcode"].tolist() == ["code 0"]


# ---- attacks


OTHER_TABLES = [
    *(
        "accounts",
        "api_keys",
        "settings",
        "templates",
        "brands",
        "trials",
        "user_agents",
        "short_codes",
        "scan_counts",
        "migrations",
    ),
    *("a.main.qrcodes", "store.qrcodes", "main.accounts", "memory.main.api_keys"),
]


@pytest.mark.slow
@pytest.mark.parametrize("table", OTHER_TABLES)
def test_no_other_table_can_be_named(shop, table):
    assert refused(shop, f"SELECT * FROM {table}", "does not exist")
    assert refused(shop, f"SELECT * FROM query_table('{table}')")


def texts_of(frame):
    return frame.astype(str).to_csv()


@pytest.mark.slow
@pytest.mark.parametrize(
    "select",
    [
        *("FROM scans", "FROM visits", "FROM qrcodes", "FROM campaigns", "FROM day_counts"),
        *("FROM duckdb_tables()", "FROM duckdb_views()", "FROM duckdb_databases()", "FROM duckdb_settings()"),
        *("FROM information_schema.tables", "FROM pg_catalog.pg_tables", "SHOW ALL TABLES", "SHOW DATABASES"),
        *("FROM sqlite_master", "FROM duckdb_variables()", "FROM duckdb_temporary_files()"),
        *("FROM main.visits", "FROM temp.main.qrcodes", "FROM query_table('qrcodes')"),
        *("FROM duckdb_columns()", "FROM duckdb_prepared_statements()", "FROM query('FROM qrcodes')"),
    ],
)
def test_whatever_can_be_read_says_nothing_of_others_nor_where_the_store_is(shop, select):
    text = texts_of(shop.sql(select))
    assert SECRET not in text
    assert str(shop.store.path) not in text
    assert "free sql" not in text


@pytest.mark.parametrize(
    "select",
    quick_first(
        [
            "FROM read_csv('{folder}/secret.csv')",
            "FROM '{folder}/secret.csv'",
            "FROM read_text('{folder}/secret.csv')",
            "FROM read_blob('{folder}/*')",
            "FROM glob('{folder}/*')",
            "FROM sniff_csv('{folder}/secret.csv')",
            "FROM read_json('{folder}/secret.csv')",
            "FROM read_parquet('{folder}/a.parquet')",
            "FROM parquet_metadata('{folder}/a.parquet')",
            "FROM read_duckdb('{folder}/a.duckdb')",
            "FROM '{folder}/a.duckdb'",
            "FROM query('FROM read_csv(''{folder}/secret.csv'')')",
            "FROM read_csv('http://127.0.0.1:9/x.csv')",
            "FROM read_csv('s3://bucket/x.csv')",
            "FROM read_csv('https://example.com/x.csv')",
            "SELECT getenv('HOME')",
            "FROM duckdb_secrets()",
            "FROM which_secret('s3://x', 's3')",
            "SELECT * FROM postgres_scan('', '', '')",
            "SELECT * FROM sqlite_scan('{folder}/x', 'y')",
            "FROM pandas_scan()",
            "FROM python_arrow_scan()",
            "FROM python_map_function((FROM scans))",
            "FROM json_execute_serialized_sql(json_serialize_sql('FROM accounts'))",
            "WITH gone AS (DELETE FROM scans RETURNING *) FROM gone",
            "WITH more AS (INSERT INTO qrcodes BY NAME SELECT 'x' AS id RETURNING *) FROM more",
            "WITH made AS (UPDATE campaigns SET name = 'x' RETURNING *) FROM made",
            "FROM secret_frame",
            "FROM parameters",
            "SELECT nextval('qrcode_numbers')",
            "FROM enable_logging()",
            "FROM enable_profiling()",
        ],
        10,
    ),
)
def test_nothing_but_ones_own_rows_can_be_read_or_written(shop, file, select):
    secret_frame = pd.DataFrame({"word": ["sesame"]})  # a variable of the program, as notebooks are full of
    told = refused(shop, select.replace("{folder}", str(file.parent)))
    assert "sesame" not in told.split(": ", 1)[1]
    assert len(secret_frame) == 1


@pytest.mark.parametrize(
    "statement",
    [
        *("", ";", "-- nothing", "SELECT 1; SELECT 2", "SELECT 1; DROP TABLE visits"),
        *(
            "SELECT 1) LIMIT 1; DROP TABLE visits; --",
            "SELECT 1) UNION (SELECT 2",
            "))((",
            "\0",
            "SELECT '",
            "/*",
            "漢",
        ),
        *("FROM scans; COPY scans TO 'x.csv'", "COPY scans TO 'x.csv'", "COPY (FROM scans) TO 'x.parquet'"),
        *("COPY scans FROM 'x.csv'", "EXPORT DATABASE 'x'", "IMPORT DATABASE 'x'"),
        *("ATTACH 'a.duckdb' AS a", "ATTACH ':memory:' AS a", "DETACH memory", "USE temp"),
        *("INSTALL httpfs", "LOAD httpfs", "LOAD 'x.duckdb_extension'"),
        *("PRAGMA database_list", "PRAGMA table_info('scans')", "CALL duckdb_settings()"),
        *(
            "SET memory_limit = '100GB'",
            "RESET memory_limit",
            "SET enable_external_access = true",
            "SET VARIABLE a = 1",
        ),
        *("CREATE TABLE a AS FROM scans", "CREATE VIEW scans AS SELECT 1", "CREATE MACRO f() AS 1"),
        *(
            "CREATE SECRET (TYPE s3)",
            "INSERT INTO scans SELECT 1",
            "DELETE FROM scans",
            "UPDATE qrcodes SET name = 'x'",
        ),
        *(
            "DROP VIEW scans",
            "TRUNCATE scans",
            "ALTER TABLE scans RENAME TO a",
            "BEGIN",
            "COMMIT",
            "CHECKPOINT",
            "VACUUM",
        ),
        *("PREPARE a AS SELECT 1", "EXECUTE a", "EXPLAIN ANALYZE FROM scans", "EXPLAIN SELECT 1", "ANALYZE"),
    ],
)
def test_what_is_not_one_select_is_refused_and_leaves_nothing(shop, tmp_path, monkeypatch, statement):
    monkeypatch.chdir(tmp_path)
    before = shop.scans.count(), len(shop.list_qrcodes())
    assert refused(shop, statement)
    assert list(tmp_path.iterdir()) == []
    assert (shop.scans.count(), len(shop.list_qrcodes())) == before


def test_a_select_that_takes_too_long_is_ended(shop):
    with pytest.raises(InvalidParameter, match=r"takes longer than 0\.2 seconds"):
        shop.sql(
            "SELECT count(*) FROM range(10_000_000) a, range(1_000_000) b WHERE (a.range * b.range) % 7 = 3",
            seconds=0.2,
        )
    assert shop.sql("SELECT 1 AS a")["a"].tolist() == [1]


@pytest.mark.slow
@pytest.mark.parametrize(
    "select",
    quick_first(
        [
            "SELECT levenshtein(repeat('a', 200_000), repeat('b', 200_000))",
            "SELECT length(repeat('a', 1_500_000_000)) + length(repeat('b', 1_500_000_000))",
        ]
    ),
)
def test_a_single_function_that_takes_too_long_or_too_much_is_ended(shop, select):
    """DuckDB can neither interrupt a function nor count what it takes."""
    assert refused(shop, select, r"takes longer than 0\.2 seconds|needs more memory than 512MB", seconds=0.2)
    assert shop.sql("SELECT count(*) AS n FROM scans")["n"].tolist() == [100]


@pytest.mark.parametrize(
    "table", quick_first(["SCANS", '"Scans"', "query_table('sca' || 'ns')", "query('FROM sc' || 'ans')"], 2)
)
def test_a_table_has_its_rows_however_it_is_named(shop, table):
    assert shop.sql(f"SELECT count(*) AS n FROM {table}")["n"].tolist() == [100]


def test_a_parameter_that_is_no_value_is_refused(shop):
    assert refused(shop, "SELECT $a", "has a parameter that is no value of SQL", a=lambda: 1)


@pytest.mark.parametrize("seconds", [0, -1, 0.01, 1e9, float("nan"), "1", None, True])
def test_the_time_is_a_number_of_seconds(shop, seconds):
    with pytest.raises(InvalidParameter) as caught:
        shop.sql("SELECT 1", seconds=seconds)
    assert caught.value.name == "seconds"


@pytest.mark.slow
@pytest.mark.parametrize(
    "select",
    [
        "SELECT list(range) FROM range(1_000_000_000)",
        "SELECT repeat('x', 1_000_000) || range FROM range(5_000)",
        "SELECT DISTINCT md5(range::VARCHAR) FROM range(100_000_000)",
    ],
)
def test_a_select_that_takes_too_much_memory_is_ended(shop, select):
    assert refused(shop, select, "needs more memory than 512MB", seconds=600)


def test_an_answer_has_at_most_a_million_rows(shop):
    assert len(shop.sql("FROM range($n)", n=MOST_ROWS)) == MOST_ROWS
    assert refused(shop, "FROM range($n)", "has more than 1,000,000 rows", n=MOST_ROWS + 1)


def test_a_mistake_is_told_in_duckdbs_words(shop):
    assert refused(shop, "SELECT countri FROM scans", '"countri" not found')
    assert refused(shop, "SELECT $a + 1", "a")
    assert refused(shop, "SELECT 1", b=1)


# ---- beside others


@pytest.mark.slow
def test_the_store_goes_on_while_somebody_asks(tmp_path):
    """Visits are written, and the file can be made compact or closed, however many have asked."""
    with open_portfolio(tmp_path / "a.duckdb") as shop:
        shop.insert_qrcode("https://a.example", short_code="door")
        answers = []

        def ask():
            answers.extend(int(shop.sql("SELECT count(*) AS n FROM scans")["n"][0]) for _ in range(5))

        threads = [threading.Thread(target=ask) for _ in range(3)]
        for thread in threads:
            thread.start()
        for n in range(10):
            shop.scans.insert(pd.DataFrame({"short_code": ["door"], "time": [NOON + timedelta(seconds=n)]}))
        for thread in threads:
            thread.join(60)
        assert len(answers) == 15
        assert set(answers) <= set(range(11))
        assert shop.sql("SELECT count(*) AS n FROM scans")["n"].tolist() == [10]
    with open_portfolio(tmp_path / "a.duckdb") as again, pytest.raises(StoreClosed):
        assert again.sql("SELECT count(*) AS n FROM scans")["n"].tolist() == [10]
        again.close()
        again.sql("SELECT 1")


def test_a_snapshot_can_be_asked(shop):
    with open_portfolio(snapshot_of=shop.store.path) as copy:
        assert copy.sql("SELECT count(*) AS n FROM scans WHERE device = 'phone'")["n"].tolist() == [100]


def test_the_copies_of_rows_are_private_and_gone_afterwards(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with open_portfolio(":memory:") as shop:
        shop.insert_qrcode("https://example.com", short_code="door")
        assert len(shop.sql("FROM qrcodes")) == 1
        (folder,) = tmp_path.glob("qrkit-*")
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700 or os.name == "nt"
        assert list(folder.iterdir()) == []
    assert list(tmp_path.iterdir()) == []


def test_what_is_not_committed_is_not_seen(tmp_path):
    with open_portfolio(tmp_path / "a.duckdb") as shop:
        with shop.store.atomic():
            shop.insert_qrcode("https://a.example")
            assert shop.sql("SELECT count(*) AS n FROM qrcodes")["n"].tolist() == [0]
        assert shop.sql("SELECT count(*) AS n FROM qrcodes")["n"].tolist() == [1]


def test_folders_with_special_characters(tmp_path, monkeypatch):
    folder = tmp_path / "O'Brien [1]{a}*"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    times = pd.DataFrame({"short_code": "door", "time": [NOON - timedelta(days=day) for day in range(40)]})
    with open_portfolio(folder / "it's.duckdb", clock=lambda: NOON) as shop:
        shop.insert_qrcode("https://a.example", name="Door", short_code="door")
        shop.scans.insert(times)
        assert shop.archive().visits > 0
        found = shop.sql("SELECT count(*) AS scans, max(x) AS x FROM scans, frame", frame=pd.DataFrame({"x": [7]}))
    assert found.to_dict("records") == [{"scans": 40, "x": 7}]
