"""A store that is moved holds the same, whichever way, however often the move was interrupted."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count

import pandas as pd
import pytest

from qrkit import Brand, Design, open_portfolio
from qrkit.__main__ import main
from qrkit.errors import Gone, InvalidParameter, NotAuthenticated, NotFound, UnreadableFile
from qrkit.portfolio import Portfolio
from qrkit.portfolio.access import authenticate, create_account, create_key, get_account, list_keys, revoke_key
from qrkit.store import Store
from qrkit.store.duckdb.database import Database
from qrkit.store.postgresql.database import Server
from qrkit.store.records import trial_rows
from qrkit.store.records.short_codes import DELETED, target
from qrkit.store.upkeep.maintenance import forget_visits, verify
from qrkit.store.upkeep.moving import copied_tables, migrate
from qrkit.visits.redirect import Redirects, Request
from tests import servers

NOON = datetime(2026, 3, 1, 12, 0, 0, 123_456, UTC)
NASTY = "a \"b\",\r\n'c'\n\\N \\. \0 \U0010ffff0 😀 ;\t"
PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) Mobile/15E148 Safari/604.1"
ACME = Brand("Acme", ink="navy", logo="icon:heart")
NOT_COPIED = {"migrations", "inboxes", "history", "superseded", "deliveries"}
"""What each store notes for itself."""
ways = pytest.mark.parametrize(
    "way",
    ["file to file"]
    + [
        pytest.param(way, marks=[pytest.mark.needs("postgres"), pytest.mark.slow])
        for way in ("file to server", "server to file", "server to server")
    ],
)


class Interrupted(Exception):
    pass


@pytest.fixture
def place(request, tmp_path):
    """Makes the place of a new store by its kind."""
    numbers = count()

    def made(kind, *, is_full=False):
        if kind == "file":
            path = tmp_path / f"{next(numbers)}.duckdb"
            if is_full:
                shutil.copy(request.getfixturevalue("full_file"), path)
            return path
        template = request.getfixturevalue("full_database" if is_full else "empty_store")
        return request.getfixturevalue("server").new_database(template)

    return made


@pytest.fixture(scope="module")
def full_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("full") / "full.duckdb"
    fill(path)
    return path


@pytest.fixture(scope="module")
def full_database(server):
    url = server.new_database(is_kept=True)
    fill(url)
    return servers.name_of(url)


@pytest.fixture
def ends(way, place):
    """Where a full store is, and where an empty one may be."""
    source, target = way.split(" to ")
    return place(source, is_full=True), place(target)


def fill(path):
    """Something of everything, with texts that are hard to carry."""
    with open_portfolio(path, base_url="https://go.example.com", clock=lambda: NOON) as shop:
        other = Portfolio(shop.store, create_account(shop.store, "other", plan="free"), clock=lambda: NOON)
        other.insert_qrcode("https://b.example", short_code="theirs")
        create_key(shop.store, shop.account, label=NASTY, expires=NOON + timedelta(days=1))
        shop.templates.save("brand", Design(content="x", ec="H"))
        shop.templates.save(NASTY, {"padding": 2})
        shop.set_default_template(NASTY)
        shop.brands.save(NASTY, ACME)
        shop.brands.use(NASTY)
        trial_rows.add(shop.store, shop.account.id, "look", result=NASTY, created=NOON)
        campaigns = [shop.insert_campaign(name, description=NASTY) for name in ("b", "a", "b")]
        shop.update_campaign(campaigns[1].id, template="brand")
        door = shop.insert_qrcode("https://example.com", short_code="door", campaign_id=campaigns[1].id, comment=NASTY,
            template=NASTY, location={"address": "", "latitude": 0.1 + 0.2, "longitude": -1e-7})  # fmt: skip
        event = {"content": NASTY, "date": NOON}
        shop.insert_qrcode(NASTY, short_code="shelf", schedule=[event], is_schedule_enabled=True)
        gone = shop.insert_qrcode("https://gone.example", short_code="gone")
        redirects = Redirects(shop.store, clock=lambda: NOON - timedelta(days=9))
        for code in ("door", "shelf", "gone", "theirs", "nobody\0"):
            headers = {"user-agent": f"{PHONE} {code}", "accept-language": "sl", "referer": "https://a.example/x"}
            try:
                redirects.answer(Request("GET", code, headers, code))
            except NotFound:
                assert code == "nobody\0"
        shop.delete_qrcode(gone.id)
        shop.update_qrcode(door.id, content="https://example.org")
        times = [NOON + timedelta(seconds=number, microseconds=number % 7) for number in range(40)]
        visitors = pd.array([None, 0, 2**63, 2**64 - 1] * 10, dtype="UInt64")
        cities = [None, "", NASTY, "Graz"] * 10
        frame = pd.DataFrame({"short_code": "door", "time": times, "visitor": visitors, "city": cities})
        shop.scans.insert(frame.assign(kind="scan", latitude=1 / 3, user_agent=cities))
        assert forget_visits(shop.store, NOON - timedelta(days=1)) == 5
        redirects.answer(Request("GET", "door", {"user-agent": PHONE}, "again"))
        with pytest.raises(NotFound):
            redirects.answer(Request("GET", NASTY, {}, "a"))


def everything(store):
    """All rows of all tables."""
    order = {"campaigns": " ORDER BY created, rowid", "qrcodes": " ORDER BY number"}
    found = {
        name: store.rows(f"SELECT {', '.join(kinds)} FROM {name}{order.get(name, '')}")
        for name, kinds in copied_tables().items()
    }
    found["settings"] = [row for row in found["settings"] if row["name"] not in ("checked", "id")]
    return {name: rows if name in order else sorted(map(repr, rows)) for name, rows in found.items()}


def test_every_column_of_a_store_is_copied_but_those_of_its_own_tables():
    with open_portfolio(":memory:") as shop:
        columns = "SELECT table_name, column_name FROM duckdb_columns() JOIN duckdb_tables() USING (table_name)"
        found = {(row["table_name"], row["column_name"]) for row in shop.store.rows(columns)}
    copied = {(table, column) for table, columns in copied_tables().items() for column in columns}
    assert copied < found
    assert {table for table, _ in found - copied} == NOT_COPIED


@ways
def test_all_rows_arrive_as_they_were(ends):
    source, target = ends
    with Store(source) as old, Store(target) as new:
        moved = migrate(old, new)
        assert everything(new) == everything(old)
        assert moved.rows == {name: len(rows) for name, rows in everything(old).items()}
        assert moved.rows["visits"] == 42
        assert verify(new) == []


@pytest.mark.slow
@ways
def test_a_store_that_was_moved_goes_on_as_the_old_one_would(ends):
    source, place = ends
    with Store(source) as old, Store(place) as new:
        account = get_account(old, "local")
        keys = [create_key(old, account) for _ in range(2)]
        revoke_key(old, account, list_keys(old, account)[-1].id)
        migrate(old, new)
        works = [key for key in keys if opens(old, key)]
        assert [key for key in keys if opens(new, key)] == works
        assert len(works) == 1
    with open_portfolio(place, clock=lambda: NOON) as shop:
        assert shop.base_url == "https://go.example.com"
        assert shop.templates.names() == sorted([NASTY, "brand"])
        assert (shop.brands.names(), shop.brands.current) == ([NASTY], ACME)
        assert trial_rows.of_look(shop.store, shop.account.id, "look") == [NASTY]
        assert (shop.templates.default, shop.list_campaigns()[1].template) == (NASTY, "brand")
        assert [one.name for one in shop.list_campaigns()] == ["b", "a", "b"]
        assert target(shop.store, "gone") is DELETED
        with pytest.raises(InvalidParameter, match="never given out again"):
            shop.insert_qrcode("x", short_code="gone")
        assert shop.insert_qrcode("x", short_code="new").scans == 0
        redirects = Redirects(shop.store, clock=lambda: NOON)
        assert redirects.answer(Request("GET", "door", {"user-agent": f"{PHONE} 2"}, "a")).content.endswith(".org")
        with pytest.raises(Gone):
            redirects.answer(Request("GET", "gone", {"user-agent": PHONE}, "a"))
        assert [one.scans for one in shop.list_qrcodes()] == [43, 1, 0]
        assert shop.scans.count() == 42
        assert verify(shop.store) == []


def opens(store, key):
    try:
        return bool(authenticate(store, key, NOON))
    except NotAuthenticated:
        return False


def stopping(after: int) -> Callable:
    """A bar that is torn out of the terminal."""

    def seen(things, _what, _total):
        for number, thing in enumerate(things):
            if number == after:
                raise Interrupted
            yield thing

    return seen


@pytest.mark.slow
@pytest.mark.parametrize(
    ("way", "after"),
    [
        pytest.param("file to server", 17, marks=[pytest.mark.needs("postgres"), pytest.mark.slow]),
        pytest.param("server to file", 1, marks=[pytest.mark.needs("postgres"), pytest.mark.slow]),
        ("file to file", 40),
    ],
)
def test_a_move_that_was_interrupted_goes_on_where_it_was(ends, monkeypatch, after):
    for engine, places in ((Database, 7), (Server, 1)):
        monkeypatch.setattr(engine, "dialect", replace(engine.dialect, places_together=places))
    source, place = ends
    with Store(source) as old:
        with Store(place) as new, pytest.raises(Interrupted):
            migrate(old, new, seen=stopping(after))
        with Store(place) as new, suppress(Interrupted):
            migrate(old, new, seen=stopping(after))
        with Store(place) as new:
            with suppress(InvalidParameter):  # as the second run may have reached the end
                migrate(old, new)
            assert everything(new) == everything(old)


@pytest.mark.slow
def test_a_store_that_was_moved_in_part_is_used_by_nobody(place):
    source, part, other = place("file", is_full=True), place("file"), place("file")
    with Store(source) as old, Store(part) as new, Store(other) as third:
        with pytest.raises(Interrupted):
            migrate(old, new, seen=stopping(0))
        with pytest.raises(UnreadableFile, match="only a part of what was moved; run qrkit migrate again"):
            open_portfolio(part)
        with pytest.raises(UnreadableFile, match="only a part"):
            migrate(new, third)
        migrate(old, new)
        assert migrate(new, third).rows["visits"] == 42
    open_portfolio(part).close()


@pytest.mark.slow
@pytest.mark.needs("postgres")
@pytest.mark.parametrize(("source", "target"), [("file", "server"), ("server", "file")])
def test_texts_of_any_size_arrive(place, source, target):
    source, target = place(source), place(target)
    layer = {"content": "data:image/png;base64," + "A" * 3_000_000, "x": 1, "y": 2, "width": 3, "height": 4}
    big = {"layers": [layer]}
    with open_portfolio(source) as shop:
        shop.templates.save("big", big)
        with Store(target) as new:
            migrate(shop.store, new)
    with open_portfolio(target) as shop:
        assert shop.templates.get("big") == big


def test_a_store_that_is_in_use_is_not_copied_over(place):
    source, other = place("file", is_full=True), place("file")
    with open_portfolio(other, base_url="https://other.example") as shop, Store(source) as old:
        with pytest.raises(InvalidParameter, match="is in use already; copy into a store that is new"):
            migrate(old, shop.store)
        with pytest.raises(InvalidParameter, match="is the store to copy from; name another one"):
            migrate(old, old)
        assert shop.base_url == "https://other.example"


@pytest.mark.slow
@ways
def test_a_row_that_changes_meanwhile_is_found(ends):
    source, place = ends
    with Store(source) as old, Store(place) as new:

        def seen(things, what, _total):
            yield from things
            if what == "Copying visits":
                old.execute("UPDATE campaigns SET description = 'later'")

        with pytest.raises(UnreadableFile, match="in its campaigns: 3 rows of 3; start again"):
            migrate(old, new, seen=seen)


@pytest.mark.slow
@ways
def test_a_heartbeat_of_a_server_meanwhile_is_no_difference(ends):
    source, place = ends
    with Store(source) as old, Store(place) as new:
        old.execute("INSERT INTO uptime VALUES (TIMESTAMP '2026-06-01 08:00:00', TIMESTAMP '2026-06-01 09:00:00')")

        def seen(things, what, _total):
            yield from things
            if what == "Copying visits":
                old.execute("UPDATE uptime SET ended = TIMESTAMP '2026-06-01 09:01:00'")

        migrate(old, new, seen=seen)
        assert len(new.rows("SELECT * FROM uptime")) == 1


@pytest.mark.slow
@pytest.mark.needs("postgres")
def test_the_command_moves_a_store_and_shows_no_password(place, capsys):
    source, server = place("file", is_full=True), place("server").replace("qrkit@", "qrkit:geheim@")
    assert main(["migrate", str(source), server]) == 0
    assert main(["migrate", str(source), server]) == 2
    said = capsys.readouterr()
    assert "moved accounts 2, campaigns 3, qrcodes 3, short codes 4, visits 42" in said.out
    assert "is in use already" in said.err
    assert "geheim" not in said.out + said.err
    assert main(["migrate", f"{source}.missing", server]) == 2
