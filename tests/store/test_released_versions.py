"""Stores that released versions made: each is opened, migrated, and has everything it had.

`data/VERSION.duckdb.gz` and `data/VERSION.postgresql.sql.gz` hold records and visits that this version made through
its public names: two accounts, campaigns, codes, one with a schedule and one deleted, imported scans, a template, keys,
and 60 visits. The second is what `pg_dump --no-owner --no-unlogged-table-data --inserts` wrote, without comments. They
are never made anew: they stand for the stores that people have. A release adds its own, by
`.ci/make_released_store.py`; `data/keys.json` has a key that Anna has in each store, which opens nothing else.
"""

import gzip
import json
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pytest

from qrkit import open_portfolio
from qrkit.errors import Gone, NotAuthenticated, UnreadableFile
from qrkit.portfolio.access import authenticate, list_accounts, list_keys
from qrkit.store import Store
from qrkit.store.records.campaign_colors import campaign_colors
from qrkit.store.upkeep.maintenance import verify
from qrkit.store.upkeep.moving import migrate
from qrkit.tracking.records import QRCode
from qrkit.visits.redirect import Redirects, Request

DATA = Path(__file__).parent / "data"
LATER = datetime(2026, 3, 25, 12, tzinfo=UTC)
PATIENCE = 30
PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) Mobile/15E148 Safari/604.1"
KEYS = json.loads((DATA / "keys.json").read_text(encoding="utf-8"))


@pytest.fixture(params=KEYS)
def version(request):
    return request.param


@pytest.fixture(params=["duckdb", pytest.param("postgresql", marks=[pytest.mark.needs("postgres"), pytest.mark.slow])])
def engine(request):
    return request.param


@pytest.fixture
def place(request, version, engine, tmp_path):
    """Where the store of that version is."""
    if engine == "duckdb":
        path = tmp_path / "shop.duckdb"
        path.write_bytes(gzip.decompress((DATA / f"{version}.duckdb.gz").read_bytes()))
        return path
    import psycopg

    url = request.getfixturevalue("server").new_database()
    dump = gzip.decompress((DATA / f"{version}.postgresql.sql.gz").read_bytes())
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(dump)
    return url


def opened(place):
    return open_portfolio(place, clock=lambda: LATER)


def scans_by_name(shop):
    return {one.name: one.scans for one in shop.list_qrcodes()}


SCANS = {"Door": 30, "Table": 5, "Wi-Fi": 0, "https://example.com/old": 120}


def test_records_templates_accounts_and_keys_are_there(place, version, engine):
    with opened(place) as shop:
        assert shop.base_url == "https://go.example.com"
        assert [one.name for one in shop.list_campaigns()] == ["Spring", "Autumn"]
        assert list(campaign_colors(shop.store, shop.account.id).values()) == [1, 2]
        codes = {one.name: one for one in shop.list_qrcodes()}
        assert {name: QRCode(**vars(one)) for name, one in codes.items()} == codes
        assert scans_by_name(shop) == SCANS
        door, table = codes["Door"], codes["Table"]
        assert (door.short_code, door.urlinfo, door.comment) == ("door", "spring-menu", "At the entrance")
        assert door.content == "https://example.com/summer"
        assert (table.location.latitude, table.properties.ec, table.properties.size) == (46.05, "Q", 12)
        assert [event.content for event in table.schedule] == ["https://example.com/evening"]
        assert shop.templates.get("poster") == {"size": 12, "foreground": "#FF102030"}
        assert {one.name: one.plan for one in list_accounts(shop.store)} == {"local": "premium", "Anna": "pro"}
        assert [one.label for one in list_keys(shop.store, shop.account)] == ["old"]
        anna = authenticate(shop.store, KEYS[version][engine], LATER)
        assert anna.name == "Anna"
        with pytest.raises(NotAuthenticated):
            authenticate(shop.store, KEYS[version][engine] + "x", LATER)
        assert verify(shop.store) == []


def test_every_visit_is_there_and_counts_as_before(place):
    with opened(place) as shop:
        kinds = shop.store.rows("SELECT kind, count(*) AS number FROM visits GROUP BY kind")
        assert {row["kind"]: row["number"] for row in kinds} == {"bot": 8, "head": 2, "orphan": 10, "scan": 40}
        assert shop.scans.count() == 35  # those of the deleted code are left out
        frame = shop.scans.to_frame()
        assert len(frame) == 35
        assert set(frame["country"]) == {"SI", "DE"}


def test_short_urls_lead_on_and_new_visits_join_the_old_ones(place):
    with opened(place) as shop:
        redirects = Redirects(shop.store, clock=lambda: LATER, seconds=PATIENCE)

        def ask(code):
            return redirects.answer(Request("GET", code, {"user-agent": PHONE}, "203.0.113.77")).content

        assert [ask("door"), ask("table"), ask("anna")] == [
            "https://example.com/summer", "https://example.com/evening", "https://anna.example",
        ]  # fmt: skip
        with pytest.raises(Gone):
            ask("gone")
        shop.insert_qrcode("https://example.com/new", name="New", short_code="new")
    with opened(place) as shop:
        assert scans_by_name(shop) == SCANS | {"Door": 31, "Table": 6, "New": 0}
        assert shop.scans.count() == 37
        assert verify(shop.store) == []


@pytest.mark.slow
def test_it_moves_to_a_new_store(place, tmp_path):
    with opened(place) as shop, Store(tmp_path / "moved.duckdb") as moved:
        migrate(shop.store, moved)
        assert verify(moved) == []
    with opened(tmp_path / "moved.duckdb") as shop:
        assert scans_by_name(shop) == SCANS
        assert shop.scans.count() == 35


TABLES = {
    "duckdb": (
        "SELECT sql FROM duckdb_tables() ORDER BY table_name",
        """
        SELECT table_name, column_name, column_index, data_type, is_nullable, column_default
        FROM duckdb_columns() WHERE NOT internal ORDER BY ALL
        """,
        "SELECT table_name, constraint_type, constraint_column_names FROM duckdb_constraints() ORDER BY ALL",
        "SELECT sql FROM duckdb_indexes() ORDER BY ALL",
        "SELECT sequence_name, increment_by, cycle FROM duckdb_sequences() ORDER BY ALL",
        "SELECT sql FROM duckdb_views() WHERE NOT internal",
        "SELECT name FROM migrations ORDER BY name",
        "SELECT name FROM settings WHERE name = 'id'",
    ),
    "postgresql": (
        """
        SELECT table_name::VARCHAR, column_name::VARCHAR, ordinal_position, udt_name::VARCHAR, is_nullable::VARCHAR,
            column_default::VARCHAR, collation_name::VARCHAR
        FROM information_schema.columns WHERE table_schema = current_schema() ORDER BY 1, 3
        """,
        "SELECT indexdef FROM pg_indexes WHERE schemaname = current_schema() ORDER BY 1",
        "SELECT conname::VARCHAR, pg_get_constraintdef(oid) FROM pg_constraint ORDER BY 1, 2",
        "SELECT pg_get_triggerdef(oid) FROM pg_trigger ORDER BY 1",
        "SELECT name FROM migrations ORDER BY name",
        "SELECT name FROM settings WHERE name = 'id'",
    ),
}
"""Queries for all that the tables of a store have: columns, keys, indexes, sequences, views, triggers."""


def tables_of(place, engine):
    with Store(place) as store:
        return [store.rows(query) for query in TABLES[engine]]


@pytest.fixture
def new_place(request, engine, tmp_path):
    """Where a new store can be made."""
    return tmp_path / "new.duckdb" if engine == "duckdb" else request.getfixturevalue("server").new_database()


def test_a_new_store_has_the_tables_of_a_migrated_one(request, engine, new_place, tmp_path):
    first_steps = "CREATE TABLE migrations (name VARCHAR PRIMARY KEY, applied TIMESTAMP NOT NULL)"
    if engine == "duckdb":
        migrated = tmp_path / "migrated.duckdb"
        with duckdb.connect(str(migrated)) as connection:
            connection.execute(first_steps)
    else:
        import psycopg

        migrated = request.getfixturevalue("server").new_database()
        with psycopg.connect(migrated, autocommit=True) as connection:
            connection.execute(first_steps)
    assert tables_of(new_place, engine) == tables_of(migrated, engine)


def test_its_tables_become_those_of_a_new_store(place, engine, new_place):
    assert tables_of(place, engine) == tables_of(new_place, engine)


def test_an_upgrade_that_fails_changes_nothing(tmp_path):
    path = tmp_path / "a.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE migrations (name VARCHAR PRIMARY KEY, applied TIMESTAMP NOT NULL)")
        connection.execute("CREATE TABLE history (is_in_the_way BOOLEAN)")
    with pytest.raises(UnreadableFile, match="history"):
        Store(path)
    with duckdb.connect(str(path)) as connection:
        assert connection.execute("SELECT table_name FROM duckdb_tables() ORDER BY ALL").fetchall() == [
            ("history",),
            ("migrations",),
        ]
        assert connection.execute("SELECT * FROM migrations").fetchall() == []
