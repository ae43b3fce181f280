"""User agents are stored by visits, parsed before the next question, and parsed again on demand."""

import threading
from datetime import UTC, datetime, timedelta

import duckdb
import pandas as pd
import pytest

from qrkit import open_portfolio
from qrkit.errors import StoreReadOnly
from qrkit.store.recording.recorder import drain, record_visit
from qrkit.store.recording.user_agents import TOGETHER, numbers_of, parse_user_agent, parser, reparse
from qrkit.store.recording.visit_rows import insert_visits
from qrkit.tracking.records import Visit

PATIENCE = 30
"""Seconds to wait for a visit to be durable before a test fails."""
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) Mobile/15E148 Safari/604.1"
LAPTOP = "Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:139.0) Gecko/20100101 Firefox/139.0"
STORED = "SELECT device, parser FROM user_agents ORDER BY number"


@pytest.fixture
def shop(new_path):
    with open_portfolio(new_path()) as portfolio:
        portfolio.insert_qrcode("https://example.com", short_code="door")
        yield portfolio


def devices(shop):
    return shop.scans.to_frame()["device"].tolist()


def record(shop, visit):
    assert record_visit(shop.store, visit, seconds=PATIENCE)
    drain(shop.store)


def visit(agent, seconds=0):
    return Visit(NOON + timedelta(seconds=seconds), "scan", "door", 1, user_agent=agent)


def test_no_visitor_waits_for_a_parser(shop):
    record(shop, visit(PHONE))
    assert shop.store.rows(STORED) == [{"device": "unknown", "parser": None}]
    assert devices(shop) == ["phone"]
    assert shop.store.rows(STORED) == [{"device": "phone", "parser": parser()}]


@pytest.mark.slow
def test_every_question_sees_all_of_them_parsed(shop):
    for number, agent in enumerate([PHONE, LAPTOP, PHONE, "curl/8.5.0"]):
        record(shop, visit(agent, number))
        assert devices(shop) == ["phone", "computer", "phone", "unknown"][: number + 1]
    shop.scans.insert(pd.DataFrame({"short_code": ["door"], "time": [NOON], "user_agent": [LAPTOP + " Brand"]}))
    assert sorted(devices(shop)) == ["computer", "computer", "phone", "phone", "unknown"]


def test_files_and_arrow_tables_have_them_parsed(shop, tmp_path):
    record(shop, visit(PHONE))
    assert shop.scans.count() == 1
    record(shop, visit(LAPTOP, 1))
    with duckdb.connect() as connection:
        written = connection.read_parquet(str(shop.scans.to_parquet(tmp_path / "scans.parquet")))
        assert written["device"].fetchall() == [("phone",), ("computer",)]
        record(shop, visit(f"{PHONE} Brand", 2))
        connection.register("scans", shop.scans.to_arrow())
        assert connection.sql("SELECT device FROM scans").fetchall() == [("phone",), ("computer",), ("phone",)]


def test_a_question_in_a_transaction_sees_its_own_and_a_rollback_leaves_the_rest_to_be_parsed(shop):
    record(shop, visit(PHONE))
    with pytest.raises(KeyError), shop.store.atomic():
        insert_visits(shop.store, [visit(LAPTOP, 1)])
        assert devices(shop) == ["phone", "computer"]
        raise KeyError
    assert shop.store.rows(STORED) == [{"device": "unknown", "parser": None}]
    assert devices(shop) == ["phone"]


@pytest.mark.slow
def test_questions_at_once_all_see_them_parsed(shop):
    shop.scans.insert(
        pd.DataFrame({"short_code": "door", "time": NOON, "user_agent": [f"{PHONE} {n}" for n in range(2_500)]})
    )
    found, start = [], threading.Barrier(4)

    def ask():
        start.wait(30)
        found.append(set(devices(shop)))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert found == [{"phone"}] * 4


@pytest.mark.parametrize("count", [TOGETHER - 1, TOGETHER, TOGETHER + 1])
def test_however_many_are_new_all_are_parsed(shop, count):
    numbers_of(shop.store, [f"{PHONE} {n}" for n in range(count)])
    assert shop.scans.to_frame().empty
    assert {row["device"] for row in shop.store.rows(STORED)} == {"phone"}


@pytest.mark.slow
def test_reparse_reads_those_anew_that_another_version_has_read(shop):
    record(shop, visit(PHONE))
    record(shop, visit("Googlebot/2.1", 1))
    assert devices(shop) == ["phone", "unknown"]
    assert shop.reparse() == 0
    shop.store.execute("UPDATE user_agents SET parser = 'rules 0', device = 'tablet', is_bot = NULL")
    assert devices(shop) == ["tablet", "tablet"]  # what another version has told stays until somebody asks
    assert shop.reparse() == 2
    assert devices(shop) == ["phone", "unknown"]
    assert shop.scans.to_frame()["is_bot"].tolist() == [False, True]
    assert {row["parser"] for row in shop.store.rows(STORED)} == {parser()}
    assert shop.reparse() == 0


def test_reparse_changes_no_count(shop):
    """What was counted as a scan stays one, even where its user agent is judged a bot's today."""
    for number, kind in enumerate(("scan", "bot", "head")):
        insert_visits(shop.store, [Visit(NOON, kind, "door", 1, user_agent=f"Googlebot/{number}")])
    shop.store.execute("UPDATE user_agents SET parser = 'rules 0'")
    assert reparse(shop.store) == 3
    assert shop.scans.count() == shop.list_qrcodes()[0].scans == 1
    drain(shop.store)
    assert sorted(row["kind"] for row in shop.store.rows("SELECT kind FROM visits")) == ["bot", "head", "scan"]


def test_reparse_reads_more_than_fit_into_one_transaction(shop):
    numbers_of(shop.store, [f"{PHONE} {n}" for n in range(TOGETHER + 7)])
    assert shop.reparse() == TOGETHER + 7


def test_a_snapshot_has_them_parsed_and_cannot_parse_again(tmp_path):
    shop = open_portfolio(tmp_path / "a.duckdb")
    shop.insert_qrcode("https://example.com", short_code="door")
    record(shop, visit(PHONE))
    with open_portfolio(snapshot_of=shop.store.path) as copy:
        assert devices(copy) == ["phone"]
        with pytest.raises(StoreReadOnly, match="snapshot"):
            copy.reparse()
    assert shop.store.rows(STORED) == [{"device": "unknown", "parser": None}]
    shop.close()


def test_the_parser_names_its_versions():
    parts = [part.split() for part in parser().split(", ")]
    assert [name for name, _ in parts] == ["rules", "ua-parser", "ua-parser-builtins", "is-crawler"]


@pytest.mark.parametrize(
    ("agent", "is_bot"),
    [
        (PHONE, False),
        (LAPTOP, False),
        ("Mozilla/5.0 (Linux; Android 9; CUBOT NOTE 20) AppleWebKit/537.36 Chrome/96.0 Mobile Safari/537.36", False),
        ("", False),  # files of scans often have none
        ("Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", True),
        ("WhatsApp/2.23.20.0 A", True),
        ("curl/8.5.0", True),
    ],
)
def test_bots_are_known_by_their_user_agents(agent, is_bot):
    assert parse_user_agent(agent).is_bot is is_bot


CHROME = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0"


@pytest.mark.parametrize(
    ("agent", "device"),
    [
        (f"Mozilla/5.0 (Linux; Android 13; SM-X200) {CHROME} Mobile Safari/537.36", "tablet"),
        (f"Mozilla/5.0 (Linux; Android 13; Armor Pad Pro) {CHROME} Mobile Safari/537.36", "tablet"),
        (f"Mozilla/5.0 (Linux; Android 11; TAB-8US2) {CHROME} Mobile Safari/537.36", "tablet"),
        (f"Mozilla/5.0 (Linux; Android 9; AGS2-W09) {CHROME} Mobile Safari/537.36", "tablet"),
        (f"Mozilla/5.0 (Linux; Android 13; SM-S918B) {CHROME} Safari/537.36", "tablet"),
        (f"Mozilla/5.0 (Linux; Android 12; SM-F936B) {CHROME} Safari/537.36", "phone"),
        (f"Mozilla/5.0 (Linux; Android 4.4; Coolpad8720Q) {CHROME} Mobile Safari/537.36", "phone"),
        ("Mozilla/5.0 (Linux; Android 10; RMX2173; wv) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/77.0", "phone"),
        (f"Mozilla/5.0 (linux; android 9; armor_7) {CHROME.lower()} mobile safari/537.36", "phone"),
        ("Mozilla/5.0 (Windows NT 10.0; ARM; Lumia 550) AppleWebKit/537.36 Safari/537.36 Edge/13.1", "phone"),
        ("SonyEricssonU100i/R1x Browser/NetFront/3.5 Profile/MIDP-2.1 Configuration/CLDC-1.1", "phone"),
        ("dv(iPh14,5);pr(UCBrowser/13.9.0.1727);ov(15_4_1);", "phone"),
        ("Mozilla/4.0 (compatible; MSIE 8.0; Windows NT 6.1; Trident/4.0; Tablet PC 2.0)", "computer"),
        ("curl/8.5.0", "unknown"),
    ],
)
def test_devices_are_told_by_their_names(agent, device):
    assert parse_user_agent(agent).device == device
