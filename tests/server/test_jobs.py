"""Long work of a server is done in other processes: with the same results and errors, whatever happens to a process."""

import json
import os
import select
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from urllib.request import urlopen

import pytest

from qrkit import open_portfolio
from qrkit.analytics import scan_records
from qrkit.errors import (
    BadRequest,
    InvalidParameter,
    MissingParameter,
    Problem,
    QrkitError,
    StoreBusy,
    UnreadableFile,
)
from qrkit.exchange import EXCHANGE_FORMATS
from qrkit.exchange.scan_file import SCAN_FORMATS
from qrkit.portfolio.access import create_key
from qrkit.portfolio.storing import MOST_ATTEMPTS, store_rows
from qrkit.server import Client, Settings, jobs, make_app
from qrkit.server.requests.request import issues_json
from qrkit.store.records.qrcodes import stored_row
from qrkit.store.served.told_errors import error_from_json, error_to_json
from qrkit.store.upkeep import maintenance
from qrkit.tracking.records import QRCode, ScheduleEvent
from qrkit.tracking.short_urls import new_id
from tests.server.processes import has_request, served, workers
from tests.sweeps import quick_first

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
LINUX = pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="looks at processes in /proc")
BAD_ROWS = b"""Campaign Name,QR Code Name,Content,Trackable URL,Size,Version,Scans,Colour\r
Spring,Door,https://example.com,https://go.example.com/door,8,,3,red\r
Spring,Door,https://example.com,https://go.example.com/door,8,,3,red\r
,Door,https://example.com/other,,8,1,0,\r
,,\xc5\xa0kofja Loka \xf0\x9f\x8c\xb7,,8,,,\r
Spring,Large,https://example.com,,99,,-1,\r
,Wide,https://example.com,,8,,,,one too many\r
"""


def opened(place=":memory:"):
    return open_portfolio(place, base_url="https://go.example.com", clock=lambda: NOON)


def fill(portfolio):
    spring = portfolio.insert_campaign("Spring", description='with "quotes"')
    event = ScheduleEvent(content="https://example.com/sale", recurrence=0, date=NOON)
    for number, content in enumerate(
        ["https://example.com/1", "=1+1", "Nul \0 and \\u0000, \u2028 and Škofja Loka 🌷"]
    ):
        portfolio.insert_qrcode(
            content,
            name=f"Code, {number}",
            short_code=f"code-{number}",
            campaign_id=spring.id if number else None,
            is_dynamic=number != 2,
            comment="two\nlines",
            location={"address": "Main St", "latitude": 45.6497 / 3, "longitude": -1e-7},
            properties={"size": 3, "foreground": "#112233", "version": 7},
            is_schedule_enabled=number == 1,
            schedule=[event],
        )
    return portfolio


@pytest.fixture(scope="module")
def shop(new_place):
    with opened(new_place()) as portfolio:
        fill(portfolio)
        rows = [
            {"short_code": "code-0", "time": NOON - timedelta(hours=hour), "user_agent": agent, "country": "SI"}
            for hour, agent in enumerate(["Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X)", "", "curl/8"])
        ]
        portfolio.scans.insert(rows)
        yield portfolio


@pytest.mark.parametrize("format", EXCHANGE_FORMATS)
def test_an_export_is_that_of_the_library(shop, format):
    made = jobs.export(shop, format, image_format="png", safe=True)
    assert made == shop.export_bytes(format)


def test_options_of_an_export_reach_the_worker(shop):
    assert jobs.export(shop, "csv", image_format="png", safe=False) == shop.export_bytes("csv", safe=False)
    assert jobs.export(shop, "zip", image_format="svg", safe=True) == shop.export_bytes("zip", image_format="svg")


@pytest.mark.parametrize("small", [0, jobs.SMALL], ids=["worker", "at once"])
def test_the_list_has_the_records_of_the_library(shop, monkeypatch, small):
    monkeypatch.setattr(jobs, "SMALL", small)
    campaigns = [json.loads(one.to_json()) for one in shop.list_campaigns()]
    qrcodes = [json.loads(one.to_list_json()) for one in shop.list_qrcodes()]
    assert json.loads(jobs.list_everything(shop)) == {"campaigns": campaigns, "qrcodes": qrcodes}


@pytest.mark.parametrize("format", SCAN_FORMATS)
def test_statistics_are_those_of_the_library(shop, format):
    assert jobs.statistics(shop.scans, format) == SCAN_FORMATS[format].write(scan_records(shop.scans))


def imported(portfolio, data, format, **how):
    """What is said of an import in a worker, and what the portfolio has then."""
    _, issues = jobs.import_file(portfolio, data, "", format, **how)
    return json.loads(issues), content_of(portfolio)


def content_of(portfolio):
    rows = [vars(code) for code in portfolio.list_qrcodes()]
    names = {one.id: one.name for one in portfolio.list_campaigns()} | {None: None}
    return [row | {"id": "", "campaign_id": names[row["campaign_id"]]} for row in rows]


@pytest.mark.parametrize("format", quick_first(EXCHANGE_FORMATS, 3))
@pytest.mark.rule("X2")
def test_an_import_is_that_of_the_library(shop, new_place, format):
    data = shop.export_bytes(format)
    with opened() as direct, opened(new_place()) as ours:
        result = direct.import_file(data, format=format)
        assert imported(ours, data, format) == (json.loads(issues_json(result)), content_of(direct))
        again = direct.import_file(data, format=format)
        assert imported(ours, data, format) == (json.loads(issues_json(again)), content_of(direct))


@pytest.mark.rule("X2")
def test_rows_that_are_skipped_or_changed_are_those_of_the_library():
    with opened() as direct, opened() as ours:
        issues = json.loads(issues_json(direct.import_file(BAD_ROWS)))
        assert {one["error"].partition(":")[0] for one in issues} == {
            "duplicate", "renamed", "invalid", "changed", "no-address", "own-column",
        }  # fmt: skip
        said, found = imported(ours, BAD_ROWS, "csv")
        assert said == issues
        names = ("name", "content", "campaign_id", "scans", "properties")
        expected = content_of(direct)
        assert [[row[name] for name in names] for row in found] == [[row[name] for name in names] for row in expected]
        assert ours.list_qrcodes()[0].short_url == "https://go.example.com/door"


CHANGES = b"""Name,Content,Campaign,Comment,Floor,Longitude,Size,Limit,Password
"Code, 0",https://example.com/new,Summer,left,1,14.5,9,,
"Code, 1",https://example.com/newer,,,,,,7,swordfish
"Code, 1",https://example.com/again,,,,,,,
Till,https://example.com/till,,,2,,,,
"""


def test_an_import_that_changes_codes_is_that_of_the_library():
    with opened() as direct, opened() as ours:
        fill(direct), fill(ours)
        result = direct.import_file(CHANGES, update_by="name")
        said, found = imported(ours, CHANGES, "csv", update_by="name")
        assert said == json.loads(issues_json(result))
        assert len(result.updates) == 2
        assert {row["name"]: row["limit"] for row in found} == {"Code, 0": 0, "Code, 1": 7, "Code, 2": 0, "Till": 0}
        assert [one.name for one in ours.list_campaigns()] == ["Spring", "Summer"]
        new = {"short_code", "short_url", "image_url", "password"}  # each is another one each time
        alike = [
            [{name: row[name] for name in row.keys() - new} for row in rows] for rows in (found, content_of(direct))
        ]
        assert alike[0] == alike[1]


def test_an_import_decides_anew_if_a_code_changes_meanwhile():
    with opened() as ours:
        fill(ours)
        code = ours.list_qrcodes()[1]
        changed = partial(ours.update_qrcode, code.id, comment="left", content="https://example.com/other")
        deleted = partial(ours.delete_qrcode, code.id)
        interrupted(ours, changed, deleted, lambda: None, data=CHANGES, update_by="name")
        assert [code.content for code in ours.list_qrcodes() if code.name == "Code, 1"] == ["https://example.com/newer"]


def test_a_code_that_was_imported_leads_where_it_should():
    with opened() as ours:
        client = Client(make_app(ours.store))
        assert client.get("/door").status == 404
        imported(ours, BAD_ROWS, "csv")
        assert client.get("/door").headers["location"] == "https://example.com"


@pytest.mark.rule("X16")
def test_an_import_in_a_worker_knows_every_printed_address():
    data = b"Content,Trackable URL\nhttps://example.com/x,https://a.test/door/winter\nhttps://example.com/y,GATE\n"
    with opened() as ours:
        ours.insert_qrcode("https://example.com/1", short_code="door", urlinfo="Winter")
        ours.insert_qrcode("https://example.com/2", short_code="gate")
        make_app(ours.store, Settings(ignore_case=True))
        said, _ = imported(ours, data, "csv")
        assert [issue["error"].partition(":")[0] for issue in said] == ["code-taken", "code-taken"]


def interrupted(shop, *changes, data=BAD_ROWS, **how):
    """Import rows, and make one change in another thread before each attempt to store them."""
    left = iter(changes)

    @contextmanager
    def turn():
        threads.submit(next(left, lambda: None)).result()
        yield

    with ThreadPoolExecutor(1) as threads:
        _, issues = jobs.import_file(shop, data, "", "csv", turn=turn, **how)
    assert not list(left), "an import that was not decided anew"
    return {one["error"].partition(":")[0] for one in json.loads(issues)}


def test_other_codes_do_not_make_an_import_decide_anew():
    with opened() as ours:
        assert "code-taken" not in interrupted(ours, lambda: ours.insert_qrcode("https://example.com", name="Window"))
        assert ours.list_qrcodes()[0].name == "Window"


@pytest.mark.rule("X2", "X3", "X4")
def test_two_imports_of_one_file_add_it_once(new_place):
    with opened(new_place()) as direct, opened(new_place()) as ours:
        direct.import_file(BAD_ROWS)
        interrupted(ours, lambda: ours.import_file(BAD_ROWS))
        names = [[code.name for code in one.list_qrcodes()] for one in (direct, ours)]
        assert names[0] == names[1]
        assert [one.name for one in ours.list_campaigns()] == ["Spring"]


@pytest.mark.rule("X4")
def test_a_short_code_taken_meanwhile_is_told(new_place):
    with opened(new_place()) as ours:
        take = partial(ours.insert_qrcode, "https://example.com/first", name="First", short_code="door")
        assert "code-taken" in interrupted(ours, take, lambda: None)
        assert next(code for code in ours.list_qrcodes() if code.short_code == "door").name == "First"


def test_a_campaign_deleted_meanwhile_is_made_anew(new_place):
    with opened(new_place()) as ours:
        spring = ours.insert_campaign("Spring")
        interrupted(ours, lambda: ours.delete_campaign(spring.id), lambda: None)
        assert [one.name for one in ours.list_campaigns()] == ["Spring"]
        assert ours.list_qrcodes()[0].campaign_id == ours.list_campaigns()[0].id


def test_a_file_compacted_meanwhile_gets_all_rows(tmp_path):
    with opened(tmp_path / "shop.duckdb") as ours:
        interrupted(ours, lambda: maintenance.compact(ours.store), lambda: None)
        assert len(ours.list_qrcodes()) == 3


def test_a_file_compacted_while_rows_are_read_gets_all_rows(tmp_path):
    rows = [stored_row(QRCode(id=new_id(), name=text, content=text, short_code=text, created=NOON)) for text in "abc"]
    waiting = [True]

    def decide(known, codes):
        codes.add(rows[:1])
        if waiting:
            waiting.clear()
            with ThreadPoolExecutor(1) as threads:
                threads.submit(maintenance.compact, ours.store).result()
        codes.add(rows[1:])
        return [], [], "done"

    with opened(tmp_path / "shop.duckdb") as ours:
        assert store_rows(ours, decide) == "done"
        assert [code.name for code in ours.list_qrcodes()] == ["a", "b", "c"]
        assert not waiting


def test_an_import_that_is_always_too_late_is_refused():
    with opened() as ours:
        others = [partial(ours.insert_campaign, f"Campaign {number}") for number in range(MOST_ATTEMPTS)]
        with pytest.raises(StoreBusy, match="keep changing the portfolio"):
            interrupted(ours, *others)
        assert ours.list_qrcodes() == []


@pytest.mark.parametrize(
    ("body", "content_type", "format", "error"),
    [
        (b"", "", "csv", BadRequest),
        (b"Content\nx", "", "", MissingParameter),
        (b"Content\nx", "", "doc", InvalidParameter),
        (b"Contents\nx", "", "csv", UnreadableFile),
        (b"\xff\xfeC", "", "csv", UnreadableFile),
        (b"--a\r\n", "multipart/form-data; boundary=a", "csv", BadRequest),
        (b'{"type": "Buffer", "data": [300]}', "", "csv", InvalidParameter),
    ],
)
def test_a_file_that_cannot_be_read_is_refused(body, content_type, format, error):
    with opened() as shop, pytest.raises(error) as caught:
        jobs.import_file(shop, body, content_type, format)
    assert type(caught.value) is error


@pytest.mark.parametrize(
    "error",
    [
        UnreadableFile("no heading", line=3).advising({"python": "a", "command": "b", "http": "c"}),
        BadRequest("empty", code="empty-body"),
        MissingParameter("format"),
        InvalidParameter(Problem("size", 99, "is too large", "out-of-range"), Problem("ec", b"Z", "is none")),
        QrkitError("something"),
    ],
)
def test_an_error_is_the_same_after_its_way(error):
    found = error_from_json(error_to_json(error))
    assert type(found) is type(error)
    assert (str(found), found.code, found.told("http")) == (str(error), error.code, error.told("http"))
    assert getattr(found, "line", None) == getattr(error, "line", None)
    problems = [[(one.name, one.rule, one.code) for one in getattr(e, "problems", ())] for e in (found, error)]
    assert problems[0] == problems[1]


@pytest.mark.slow
@LINUX
def test_a_worker_that_dies_refuses_one_import_and_no_more():
    jobs.stop()
    with opened() as shop:
        with pytest.raises(UnreadableFile):
            jobs.import_file(shop, b"no heading", "", "csv")  # its worker stays
        (worker,) = workers(os.getpid())
        os.kill(worker, signal.SIGSTOP)
        errors = []

        def ask():
            try:
                jobs.import_file(shop, BAD_ROWS, "", "csv")
            except QrkitError as error:
                errors.append(error)

        asking = threading.Thread(target=ask)
        asking.start()
        while not has_request(worker):
            pass
        os.kill(worker, signal.SIGKILL)
        asking.join()
        assert [type(error) for error in errors] == [UnreadableFile]
        assert "split the file" in str(errors[0])
        assert shop.list_qrcodes() == shop.list_campaigns() == []
        jobs.import_file(shop, BAD_ROWS, "", "csv")
        assert len(shop.list_qrcodes()) == 3


@pytest.mark.slow
@LINUX
def test_a_worker_that_takes_too_long_is_given_up(shop, monkeypatch):
    def export():
        return jobs.export(shop, "csv", image_format="png", safe=True)

    expected = export()
    for worker in workers(os.getpid()):
        os.kill(worker, signal.SIGSTOP)
    try:
        with monkeypatch.context() as patch:
            patch.setattr(jobs, "LONGEST_SECONDS", 0.2)
            with pytest.raises(QrkitError, match=r"takes more than 0\.2 seconds"):
                export()
    finally:
        jobs.stop()  # no other test gets a worker that stands still
    assert export() == expected


@pytest.mark.slow
@LINUX
@pytest.mark.needs("loopback")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_no_process_is_left_of_a_server(tmp_path, number):
    file = tmp_path / "shop.duckdb"
    with opened(file) as shop:
        key = create_key(fill(shop).store, shop.account)
    with served(file) as (process, url):
        with urlopen(f"{url}/api/v3/track/export.csv?auth={key}", timeout=60) as answer:
            assert answer.read().count(b"https://go.example.com/code-") == 3
        left = [os.pidfd_open(worker) for worker in workers(process.pid)]
        assert left
        process.send_signal(number)
        process.wait(60)
        for worker in left:
            assert select.select([worker], [], [], 60)[0] == [worker]  # readable when the process has ended
            os.close(worker)
