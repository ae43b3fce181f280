"""Short codes in memory: what a redirect reads without SQL, kept true by the transactions that change QR Codes."""

import threading
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from time import process_time

import pandas as pd
import pytest

from qrkit import open_portfolio
from qrkit.errors import InvalidParameter, NotFound
from qrkit.store import Store
from qrkit.store.recording.recorder import drain
from qrkit.store.records import short_codes
from qrkit.store.records.short_codes import DELETED, target
from qrkit.store.upkeep.maintenance import compact, verify
from qrkit.tracking.records import ScheduleEvent
from qrkit.visits.redirect import Redirects, Request

NOON = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)
SPRING, SUMMER = "https://example.com/spring", "https://example.com/summer"
PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) Mobile/15E148 Safari/604.1"
PATIENCE = 30
"""Seconds to wait for another thread before a test fails."""


class Undone(Exception):
    pass


@contextmanager
def opened(place, few):
    with pytest.MonkeyPatch.context() as patch, open_portfolio(place, clock=lambda: NOON) as portfolio:
        patch.setattr(short_codes, "FEW", few)
        portfolio.insert_qrcode(SPRING, short_code="door")
        assert target(portfolio.store, "door").content == SPRING  # all are in memory from here on
        yield portfolio


@pytest.fixture(scope="module", params=[short_codes.FEW, 0], ids=["few", "many"])
def few(request):
    return request.param


@pytest.fixture
def shop(new_place, few):
    with opened(new_place(), few) as portfolio:
        yield portfolio


@pytest.fixture(scope="module")
def same_shop(new_place, few):
    """One for all codes that it does not have."""
    with opened(new_place(), few) as portfolio:
        yield portfolio


def elsewhere(store, short_code):
    """Where a short code leads, as another thread sees it."""
    with ThreadPoolExecutor(1) as threads:
        return threads.submit(target, store, short_code).result(PATIENCE)


def led_to(store, *short_codes):
    """Contents by what leads there: None for an unknown code, DELETED for a deleted one."""
    found = [target(store, code) for code in short_codes]
    return [one if one is None or one is DELETED else one.content for one in found]


@pytest.mark.parametrize("short_code", ["nobody", "DOOR", "", "door/", "doo", "%", "\ud800", "d" * 10_000, "door\0"])
def test_a_code_that_was_never_given_leads_nowhere(same_shop, short_code):
    assert target(same_shop.store, short_code) is None


def test_unknown_codes_are_not_kept_in_memory(new_path):
    with open_portfolio(new_path()) as shop:
        shop.insert_qrcode(SPRING, short_code="door")
        assert led_to(shop.store, "door", "nobody") == [SPRING, None]
        tracemalloc.start()
        try:
            assert not any(target(shop.store, f"{number}{'d' * 16_000}") for number in range(200))
            kept, _ = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert kept < 1_000_000


def test_a_code_with_a_number_far_beyond_the_others_is_found(new_path):
    path = new_path()
    with open_portfolio(path) as shop:
        shop.insert_qrcode(SPRING, short_code="door")
        shop.insert_qrcode(SUMMER, short_code="gate")
        for table, column in (("qrcodes", "number"), ("short_codes", "qrcode"), ("scan_counts", "qrcode")):
            shop.store.execute(f"UPDATE {table} SET {column} = 2147483647 WHERE {column} = 2")
    with open_portfolio(path) as shop:
        assert led_to(shop.store, "door", "gate", "nobody") == [SPRING, SUMMER, None]


def test_a_deleted_code_is_told_from_an_unknown_one_before_and_after_a_new_start(new_path):
    path = new_path()
    with open_portfolio(path) as shop:
        code = shop.insert_qrcode(SPRING, short_code="door")
        assert led_to(shop.store, "door", "nobody") == [SPRING, None]
        shop.delete_qrcode(code.id)
        assert led_to(shop.store, "door", "nobody") == [DELETED, None]
        with shop.store.atomic():
            assert led_to(shop.store, "door", "nobody") == [DELETED, None]
    with Store(path) as store:
        assert led_to(store, "door", "nobody") == [DELETED, None]


def test_codes_of_all_lengths_lead_after_a_new_start_where_they_led_before(new_path):
    path = new_path()
    contents = {"ab": SPRING, "abc": "čaj, 茶", "Ab": "a\0b", "z" * 64: SUMMER, "_-": "x" * 3_000}
    event = {"content": SUMMER, "date": NOON.isoformat()}
    with open_portfolio(path) as shop:
        for code, content in contents.items():
            shop.insert_qrcode(content, short_code=code)
        shop.insert_qrcode(SPRING, short_code="timed", is_schedule_enabled=True, schedule=[event])
        before = {code: target(shop.store, code) for code in (*contents, "timed")}
    with Store(path) as store:
        assert {code: target(store, code) for code in before} == before
        assert led_to(store, *contents) == list(contents.values())
        assert target(store, "timed").content_at(NOON) == SUMMER


CHANGES = {
    "insert": (lambda shop, _: shop.insert_qrcode(SUMMER, short_code="new"), [SPRING, SUMMER]),
    "update": (lambda shop, id_: shop.update_qrcode(id_, content=SUMMER), [SUMMER, None]),
    "delete": (lambda shop, id_: shop.delete_qrcode(id_), [DELETED, None]),
    "import": (
        lambda shop, _: shop.import_file(f"Content,Trackable URL\r\n{SUMMER},http://localhost:8080/new\r\n".encode()),
        [SPRING, SUMMER],
    ),
}


@pytest.mark.parametrize(("change", "after"), CHANGES.values(), ids=CHANGES)
def test_others_see_a_change_when_it_is_committed_and_its_own_thread_at_once(shop, change, after):
    (code,) = shop.list_qrcodes()
    with shop.store.atomic():
        assert led_to(shop.store, "door", "new") == [SPRING, None]
        change(shop, code.id)
        assert led_to(shop.store, "door", "new") == after
        assert elsewhere(shop.store, "door").content == SPRING
        assert elsewhere(shop.store, "new") is None
    assert led_to(shop.store, "door", "new") == after
    assert elsewhere(shop.store, "door") == target(shop.store, "door")


@pytest.mark.parametrize(("change", "after"), CHANGES.values(), ids=CHANGES)
def test_a_change_that_is_rolled_back_was_never_there(shop, change, after):
    (code,) = shop.list_qrcodes()
    before = target(shop.store, "door")
    with pytest.raises(Undone), shop.store.atomic():
        change(shop, code.id)
        assert led_to(shop.store, "door", "new") == after
        raise Undone
    assert (target(shop.store, "door"), target(shop.store, "new")) == (before, None)
    assert elsewhere(shop.store, "door") == before
    # The next commit of this thread brings nothing of it to light.
    shop.insert_campaign("Spring")
    assert (target(shop.store, "door"), target(shop.store, "new")) == (before, None)
    assert shop.insert_qrcode(SUMMER, short_code="new").short_code == "new"


def test_an_inner_transaction_that_is_spoilt_leaves_nothing(shop):
    (code,) = shop.list_qrcodes()
    with pytest.raises(RuntimeError, match="nothing was kept"), shop.store.atomic():
        shop.update_qrcode(code.id, content=SUMMER)
        with pytest.raises(Undone), shop.store.atomic():
            shop.insert_qrcode(SUMMER, short_code="new")
            raise Undone
    assert led_to(shop.store, "door", "new") == [SPRING, None]
    assert [one.content for one in shop.list_qrcodes()] == [SPRING]


def test_an_error_before_anything_was_written_leaves_the_rest_of_the_transaction(shop):
    (code,) = shop.list_qrcodes()
    with shop.store.atomic():
        shop.update_qrcode(code.id, content=SUMMER)
        with pytest.raises(InvalidParameter):
            shop.insert_qrcode("x", short_code="door")
    assert led_to(shop.store, "door") == [SUMMER]


def test_codes_that_are_first_read_inside_a_transaction_are_true_afterwards(new_path):
    path = new_path()
    with open_portfolio(path) as shop:
        code = shop.insert_qrcode(SPRING, short_code="door")
    for end in (None, Undone):
        with open_portfolio(path) as shop:
            try:
                with shop.store.atomic():
                    shop.update_qrcode(code.id, content=SUMMER if end is None else "never")
                    assert target(shop.store, "door").content in (SUMMER, "never")
                    if end:
                        raise end
            except Undone:
                pass
            assert led_to(shop.store, "door") == [SUMMER]


def test_a_change_that_commits_while_codes_are_first_read_is_not_missed(tmp_path):
    """The first look of one thread waits for the transaction that is open in another."""
    with open_portfolio(tmp_path / "shop.duckdb") as shop:
        code = shop.insert_qrcode(SPRING, short_code="door")
    with open_portfolio(tmp_path / "shop.duckdb") as shop, ThreadPoolExecutor(1) as threads:
        started = threading.Event()

        def look():
            started.set()
            return target(shop.store, "door")

        with shop.store.atomic():
            shop.update_qrcode(code.id, content=SUMMER)
            found = threads.submit(look)
            assert started.wait(PATIENCE)
            with pytest.raises(TimeoutError):
                found.result(0.2)
        assert found.result(PATIENCE).content == SUMMER
        assert led_to(shop.store, "door") == [SUMMER]


def test_a_transaction_for_visits_sees_no_code_that_was_given_after_it_began(shop):
    """A visit to it is an orphan there: that transaction has no counter that it could grow."""
    redirects = Redirects(shop.store, clock=lambda: NOON)
    redirects.answer(Request("GET", "door", {"user-agent": PHONE}, "192.0.2.1"))
    drain(shop.store)
    with ThreadPoolExecutor(1) as threads, shop.store.adding():
        assert shop.scans.count() == 1  # here it begins to see
        threads.submit(shop.insert_qrcode, SUMMER, short_code="new").result(PATIENCE)
        if not shop.store.database.is_shared:  # a server's transactions see each commit at once
            with pytest.raises(NotFound):
                redirects.answer(Request("GET", "new", {"user-agent": PHONE}, "192.0.2.1"))
        assert elsewhere(shop.store, "new").content == SUMMER
    assert led_to(shop.store, "door", "new") == [SPRING, SUMMER]
    assert verify(shop.store) == []
    assert [code.scans for code in shop.list_qrcodes()] == [1, 0]


def test_each_look_inside_a_transaction_sees_its_last_change(shop):
    with shop.store.atomic():
        shop.insert_campaign("Spring")
        shop.scans.insert(pd.DataFrame({"short_code": ["door"], "time": [NOON]}))
        for content in (SUMMER, SPRING):
            (code,) = shop.list_qrcodes()
            shop.update_qrcode(code.id, content=content)
            assert led_to(shop.store, "door") == [content]


def test_a_transaction_that_changes_no_code_looks_into_memory_alone(tmp_path):
    """As the month of the demo does a day at a time; so a change behind the back of the library is not seen there."""
    with open_portfolio(tmp_path / "shop.duckdb") as shop:
        shop.insert_qrcode(SPRING, short_code="door")
        redirects = Redirects(shop.store, clock=lambda: NOON)
        with shop.store.atomic():
            shop.store.execute("UPDATE qrcodes SET content = ?", [SUMMER])
            answers = [
                redirects.answer(Request("GET", "door", {"user-agent": f"{PHONE} {number}"}, "192.0.2.1"))
                for number in range(3)
            ]
            assert {answer.content for answer in answers} == {SPRING}
        with shop.store.atomic():
            shop.insert_qrcode(SPRING, short_code="new")
            assert redirects.look("door").content == SUMMER
        assert shop.list_qrcodes()[0].scans == 3


def test_a_store_knows_what_other_stores_on_its_file_did(tmp_path):
    with open_portfolio(tmp_path / "shop.duckdb") as shop, Store(tmp_path / "shop.duckdb") as other:
        assert target(other, "door") is None
        code = shop.insert_qrcode(SPRING, short_code="door")
        assert target(other, "door") == target(shop.store, "door")
        shop.delete_qrcode(code.id)
        assert target(other, "door") is DELETED
        assert compact(other) is not None
        shop.insert_qrcode(SUMMER, short_code="new")
        assert led_to(other, "door", "new") == [DELETED, SUMMER]


@pytest.mark.rule("T7")
def test_a_target_knows_its_schedule_and_follows_it_only_where_that_is_enabled(shop):
    """Open: isScheduleEnabled false. The record's own content, whatever its schedule says."""
    (code,) = shop.list_qrcodes()
    events = [ScheduleEvent(content=SUMMER, date=NOON), ScheduleEvent(content="same time", date=NOON)]
    for is_enabled, content in ((False, SPRING), (True, "same time"), (False, SPRING)):
        shop.update_qrcode(code.id, schedule=events, is_schedule_enabled=is_enabled)
        for _ in range(2):
            assert target(shop.store, "door").content_at(NOON) == content
            assert target(shop.store, "door").content_at(NOON - timedelta(microseconds=1)) == SPRING
        with shop.store.atomic():
            assert target(shop.store, "door").content_at(NOON) == content
    with Store() as fresh:
        assert target(fresh, "door") is None


@pytest.mark.slow
def test_ten_thousand_codes_are_read_quickly_and_then_found_without_sql(tmp_path):
    """Bounds are ten times what a slow machine needs: they fail for a query a code, and are of work alone."""
    path = tmp_path / "shop.duckdb"
    with open_portfolio(path) as shop:
        code = shop.insert_qrcode(SPRING, short_code="door")
        shop.update_qrcode(code.id, is_schedule_enabled=True, schedule=[{"content": SUMMER, "date": NOON}])
        with shop.store.atomic():
            shop.store.execute(
                "INSERT INTO qrcodes SELECT q.* REPLACE (nextval('qrcode_numbers') AS number, 'id' || n AS id,"
                " 'code' || n AS short_code, 'content ' || n AS content) FROM qrcodes q, range(10000) r(n)"
            )
            shop.store.execute(
                "INSERT INTO short_codes SELECT short_code, number FROM qrcodes WHERE id <> ?", [code.id]
            )
    with Store(path) as store:
        start = process_time()
        assert target(store, "code0").content == "content 0"
        reading = process_time() - start
        start = process_time()
        found = [target(store, f"code{number}") for number in range(10_000)]
        looking = process_time() - start
    assert [one.content for one in found] == [f"content {number}" for number in range(10_000)]
    assert {one.content_at(NOON) for one in found} == {SUMMER}
    assert len({one.qrcode for one in found}) == 10_000
    assert reading < 5
    assert looking < 1
