import logging
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest

from qrkit import open_portfolio
from qrkit.errors import Gone, NotFound
from qrkit.server.statuses import status_of
from qrkit.store.recording.recorder import drain
from qrkit.tracking.records import Place
from qrkit.visits.follow_or_show import Destination
from qrkit.visits.redirect import Redirects, Request
from tests.inboxes import failing, standing_still

IPHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
    "Version/17.5 Mobile/15E148 Safari/604.1"
)
TARGET = "https://example.com/spring"
ADDRESS = "203.0.113.7"


class Watch:
    """A clock that goes when it is told to."""

    def __init__(self):
        self.moment = datetime(2026, 3, 14, 12, 0, 0, 123_456, tzinfo=UTC)

    def __call__(self):
        return self.moment

    def forward(self, **much):
        self.moment += timedelta(**much)


@pytest.fixture
def watch():
    return Watch()


@pytest.fixture
def shop(watch, new_place):
    with open_portfolio(new_place(), clock=watch) as portfolio:
        portfolio.insert_qrcode(TARGET, name="Door", short_code="door")
        yield portfolio


@pytest.fixture
def shop_in_memory(watch):
    """For what is the same wherever a store is."""
    with open_portfolio(":memory:", clock=watch) as portfolio:
        yield portfolio


@pytest.fixture
def redirects(shop, watch):
    return Redirects(shop.store, clock=watch)


def ask(redirects, code="door", *, method="GET", address=ADDRESS, **headers):
    sent = {"user-agent": IPHONE} | {name.replace("_", "-"): value for name, value in headers.items()}
    return redirects.answer(Request(method, code, sent, address))


def visits(shop):
    drain(shop.store)
    found = shop.store.rows("SELECT * FROM visits ORDER BY time, kind")
    return [{name: value for name, value in row.items() if name != "xid"} for row in found]


def scans(shop):
    return {code.name: code.scans for code in shop.list_qrcodes()}


@pytest.mark.rule("T8")
@pytest.mark.parametrize(
    ("content", "destination"),
    [
        (TARGET, Destination("redirect", TARGET)),
        ("tel:+39040", Destination("page", "tel:+39040")),
        ("hello", Destination("page")),
        ("javascript:alert(1)", Destination("page")),
    ],
)
def test_the_answer_is_the_content_and_where_it_leads(content, destination, shop_in_memory):
    """Open: how contents are told apart. When they are served, so that no way of storing one gets around the rules."""
    shop_in_memory.insert_qrcode(content, short_code="other")
    answer = ask(Redirects(shop_in_memory.store), "other")
    assert (answer.content, answer.destination) == (content, destination)


@pytest.mark.rule("T10")
def test_a_scan_is_stored_with_all_that_is_known_of_it(shop, watch):
    """Open: what is recorded of a visit. When, what, how, from where as far as known; never the address."""
    place = Place("IT", "Friuli-Venezia Giulia", "Trieste", 45.6497, 13.7681)
    redirects = Redirects(shop.store, clock=watch, locate={ADDRESS: place}.get)
    ask(redirects, referer="https://www.example.com/secret?x", accept_language="sl-SI,de;q=0.5")
    (visit,) = visits(shop)
    assert visit.pop("visitor") in range(2**64)
    agent = shop.store.row("SELECT * FROM user_agents WHERE number = ?", [visit.pop("user_agent")])
    number = shop.store.row("SELECT number FROM qrcodes WHERE short_code = 'door'")["number"]
    assert visit == {
        "time": watch().replace(tzinfo=None),
        "kind": "scan",
        "qrcode": number,
        "short_code": "door",
        "content": TARGET,
        "referrer": "www.example.com",
        "language": "sl-SI",
        "country": "IT",
        "region": "Friuli-Venezia Giulia",
        "city": "Trieste",
        "latitude": 45.6497,
        "longitude": 13.7681,
        "variant": None,
        "split": None,
        "via": "link",
        "lot": None,
        "serial": None,
        "link_type": None,
        "conversion": None,
    }
    assert agent["text"] == IPHONE
    (scan,) = shop.scans.to_frame().to_dict("records")
    assert (scan["system"], scan["device"]) == ("iOS", "phone")
    assert ADDRESS not in repr([visit, agent])


@pytest.mark.rule("T10")
def test_what_a_visitor_does_not_say_is_absent(shop, redirects):
    """Open: unknown values. Absent, not empty: an empty country would look like one."""
    redirects.answer(Request("GET", "door", {}))
    (visit,) = visits(shop)
    names = ("referrer", "language", "country", "region", "city", "latitude", "longitude")
    assert {name: visit[name] for name in names} == dict.fromkeys(names)


@pytest.mark.rule("T9")
@pytest.mark.parametrize(
    ("method", "headers", "kind", "counted"),
    [
        ("GET", {}, "scan", 1),
        ("HEAD", {}, "head", 0),
        ("GET", {"user_agent": "Twitterbot/1.0"}, "bot", 0),
        ("GET", {"user_agent": ""}, "bot", 0),
        ("GET", {"sec_purpose": "prefetch"}, "prefetch", 0),
        ("GET", {"sec_fetch_dest": "image"}, "prefetch", 0),
    ],
)
def test_every_visit_is_kept_and_scans_alone_are_counted(method, headers, kind, counted, shop, redirects):
    """Open: what becomes of visits that are none of persons. They are kept with their kind."""
    answer = ask(redirects, method=method, **headers)
    assert answer.destination.link == TARGET
    assert [visit["kind"] for visit in visits(shop)] == [kind]
    assert scans(shop) == {"Door": counted}
    assert shop.scans.count() == counted


@pytest.mark.rule("T9")
def test_a_repeat_within_two_seconds_is_answered_but_not_counted(shop, redirects, watch):
    """Open: a reader that asks twice. Both get the answer; it was one scan."""
    for seconds in (0, 1, 0.9, 0.1, 1.9):
        watch.forward(seconds=seconds)
        assert ask(redirects).destination.link == TARGET
    assert scans(shop) == {"Door": 2}
    ask(redirects, address="203.0.113.8")
    ask(redirects, user_agent=IPHONE + " GSA/319")
    assert scans(shop) == {"Door": 4}


@pytest.mark.rule("T9")
def test_head_before_get_does_not_make_the_get_a_repeat(shop, redirects):
    """Open: apps that look with HEAD first. The GET behind it is the person."""
    ask(redirects, method="HEAD")
    ask(redirects)
    assert [visit["kind"] for visit in visits(shop)] == ["head", "scan"]


@pytest.mark.rule("T9")
def test_scans_are_those_imported_and_those_counted(shop, redirects):
    """Open: `scans` after an import. What the file said and what was counted since."""
    shop.store.execute("UPDATE qrcodes SET imported_scans = 41")
    ask(redirects)
    assert scans(shop) == {"Door": 42}


@pytest.mark.rule("T8")
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_an_unknown_code_is_not_found_and_kept_as_an_orphan(method, shop, redirects, watch):
    """Open: visits to codes nobody has. 404, and kept: they tell of misprints and of codes lost in a move."""
    with pytest.raises(NotFound) as caught:
        ask(redirects, "nobody", method=method)
    assert (caught.value.kind, caught.value.id) == ("short URL", "nobody")
    (visit,) = visits(shop)
    found = (visit["kind"], visit["short_code"], visit["qrcode"], visit["content"], visit["time"])
    assert found == ("orphan", "nobody", None, None, watch().replace(tzinfo=None))
    assert shop.scans.count() == 0


def test_short_codes_differ_by_case(shop, redirects):
    with pytest.raises(NotFound):
        ask(redirects, "DOOR")
    assert scans(shop) == {"Door": 0}


@pytest.mark.rule("T11")
def test_a_visit_is_stored_when_the_answer_is_given(tmp_path, watch):
    """Open: when a scan is safe. Before the visitor is sent on: what was answered is in the file."""
    path = tmp_path / "shop.duckdb"
    with open_portfolio(path, clock=watch) as shop:
        shop.insert_qrcode(TARGET, name="Door", short_code="door")
        ask(Redirects(shop.store, clock=watch))
        copy = tmp_path / "copy.duckdb"
        for file in tmp_path.glob("shop.duckdb*"):
            (tmp_path / file.name.replace("shop", "copy", 1)).write_bytes(file.read_bytes())
    with open_portfolio(copy) as found:
        assert scans(found) == {"Door": 1}


@pytest.mark.rule("T11")
def test_a_redirect_happens_when_its_visit_cannot_be_stored(shop, redirects, caplog):
    """Open: a disk that fails. The redirect still happens, and the loss is counted and logged."""
    with failing(shop.store), caplog.at_level(logging.ERROR, logger="qrkit"):
        assert ask(redirects).destination.link == TARGET
        assert ask(redirects, method="HEAD").destination.link == TARGET
        with pytest.raises(NotFound):
            ask(redirects, "nobody")
    assert redirects.lost == 3
    logged = [record.getMessage() for record in caplog.records]
    assert logged[0].startswith("a visit to door could not be stored: no inbox for visits can be made at ")
    assert "; the next attempt follows soon; " in logged[1]
    assert logged[0].endswith("; 1 lost so far")
    assert len(logged) == 3
    assert ADDRESS not in caplog.text


@pytest.mark.rule("T11")
def test_what_is_not_lost_is_not_counted_as_lost(shop, redirects):
    """Open: what `lost` counts. Visits that could not be stored, and no others."""
    ask(redirects)
    ask(redirects)
    assert (redirects.lost, len(visits(shop))) == (0, 1)


@pytest.mark.rule("T10", "T11")
def test_a_visitor_that_cannot_be_located_is_nowhere(shop, watch, caplog):
    """Open: a table of places that fails. The scan is kept, and the redirect happens."""

    def locate(address):
        raise ValueError(f"{address!r} is no address")

    redirects = Redirects(shop.store, clock=watch, locate=locate)
    assert ask(redirects).destination.link == TARGET
    assert [visit["country"] for visit in visits(shop)] == [None]
    assert (scans(shop), redirects.lost) == ({"Door": 1}, 0)
    assert "ValueError" in caplog.text
    assert ADDRESS not in caplog.text


def test_requests_of_many_threads_are_all_kept(shop, redirects):
    addresses = [f"192.0.2.{number}" for number in range(40)]
    with ThreadPoolExecutor(8) as threads:
        links = list(threads.map(lambda address: ask(redirects, address=address).destination.link, addresses))
    assert links == [TARGET] * 40
    assert (scans(shop), redirects.lost) == ({"Door": 40}, 0)
    assert len({visit["visitor"] for visit in visits(shop)}) == 40


def test_odd_headers_are_stored(shop, redirects):
    ask(
        redirects,
        user_agent="Mozilla/5.0 (\x00'\";DROP TABLE visits;--\xff" + "x" * 9_000,
        referer="http://\xe9/",
        x="1",
    )
    (visit,) = visits(shop)
    agent = shop.store.row("SELECT text FROM user_agents WHERE number = ?", [visit["user_agent"]])
    assert len(agent["text"]) == 512
    assert redirects.lost == 0


# ---- schedule and deletion


@pytest.mark.rule("T7")
@pytest.mark.parametrize(
    ("is_enabled", "seconds", "content"),
    [
        (True, -1, TARGET),
        (True, 0, "https://example.com/summer"),
        (True, 86_399, "https://example.com/summer"),
        (True, 86_400, "hello"),
        (False, 86_400, TARGET),
    ],
)
def test_the_answer_and_its_visit_are_of_the_content_that_is_active(is_enabled, seconds, content, shop, watch):
    """Open: which moment counts. That of the request: it decides the answer, and what is recorded as served."""
    watch.moment = watch.moment.replace(microsecond=0)
    events = [
        {"content": "hello", "date": watch() + timedelta(days=1)},
        {"content": "https://example.com/summer", "date": watch()},
    ]
    shop.insert_qrcode(TARGET, short_code="turns", schedule=events, is_schedule_enabled=is_enabled)
    watch.forward(seconds=seconds)
    answer = ask(Redirects(shop.store, clock=watch), "turns")
    assert answer.content == content
    assert answer.destination.link == (None if content == "hello" else content)
    assert [visit["content"] for visit in visits(shop)] == [content]


@pytest.mark.rule("T7")
def test_a_weekly_change_comes_and_goes_with_the_clock(shop, redirects, watch):
    """Open: a lunch menu on workdays. Each event holds until the next one begins, week after week."""
    (door,) = shop.list_qrcodes()
    monday = datetime(2026, 3, 16, 11, 30, tzinfo=UTC)
    lunch = [{"content": f"day {day}", "recurrence": day, "date": monday} for day in range(1, 6)]
    evening = [{"content": "closed", "recurrence": day, "date": monday + timedelta(hours=3)} for day in range(1, 6)]
    shop.update_qrcode(door.id, schedule=lunch + evening, is_schedule_enabled=True)
    found = []
    watch.moment = monday - timedelta(days=1)
    for _ in range(9):
        watch.forward(minutes=30)
        found.append(ask(redirects).content)
        watch.forward(hours=23, minutes=30)
    assert found == [TARGET, "day 1", "day 2", "day 3", "day 4", "day 5", "closed", "closed", "day 1"]


@pytest.mark.rule("T6", "T8")
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_a_deleted_code_is_gone_and_its_visits_are_orphans(method, shop, redirects, watch):
    """Open: visits to deleted codes. 410, and kept like those to codes nobody has: somewhere they still hang."""
    ask(redirects)
    (door,) = shop.list_qrcodes()
    shop.delete_qrcode(door.id)
    watch.forward(seconds=10)
    with pytest.raises(Gone) as caught:
        ask(redirects, method=method)
    assert (caught.value.kind, caught.value.id, status_of(caught.value)) == ("short URL", "door", 410)
    kept, visit = visits(shop)
    assert (kept["kind"], kept["content"]) == ("scan", TARGET)
    found = (visit["kind"], visit["short_code"], visit["qrcode"], visit["content"], visit["time"])
    assert found == ("orphan", "door", None, None, watch().replace(tzinfo=None))
    assert shop.scans.count() == 0


def test_a_look_is_the_answer_without_a_visit(shop, redirects, watch):
    event = {"content": "bye", "date": watch()}
    record = shop.insert_qrcode("hello", short_code="other", schedule=[event], is_schedule_enabled=True)
    assert redirects.look("door") == ask(redirects)
    assert redirects.look("other").content == "bye"
    watch.forward(days=-1)
    assert redirects.look("other").content == "hello"
    assert len(visits(shop)) == 1
    shop.delete_qrcode(record.id)
    with pytest.raises(Gone):
        redirects.look("other")
    with pytest.raises(NotFound):
        redirects.look("nobody")
    assert len(visits(shop)) == 1


def test_a_code_is_known_as_long_as_it_was_ever_given(shop, redirects):
    record = shop.insert_qrcode("hello", short_code="other")
    assert redirects.knows("other")
    shop.delete_qrcode(record.id)
    assert redirects.knows("other")
    assert not redirects.knows("nobody")
    assert visits(shop) == []


def test_without_records_nothing_is_kept_and_nothing_is_lost(shop, watch):
    redirects = Redirects(shop.store, clock=watch, records=False, strict=True)
    shop.store.execute("ALTER TABLE visits RENAME TO gone")
    assert ask(redirects).destination.link == TARGET
    with pytest.raises(NotFound):
        ask(redirects, "nobody")
    assert (redirects.lost, redirects.late) == (0, 0)
    assert shop.store.rows("SELECT * FROM gone") == []
    assert scans(shop) == {"Door": 0}


@pytest.mark.parametrize(
    ("hosts", "path", "target", "kind"),
    [
        (("go.example.com",), "", "https://go.example.com/door", "page"),
        (("go.example.com",), "", "http://GO.example.com.:8080/a/../door/x", "page"),
        (("go.example.com",), "", "https://go.example.com/api/v3/generate?content=x", "redirect"),
        (("go.example.com",), "", "https://go.example.community/door", "redirect"),
        (("go.example.com",), "", "https://go.example.com/unknown", "redirect"),
        (("a.example", "localhost"), "", "http://localhost:9/door", "page"),
        (("go.example.com",), "/q", "https://go.example.com/q/door", "page"),
        (("go.example.com",), "/q", "https://go.example.com/other", "redirect"),
        (("xn--bcher-kva.example",), "", "https://bücher.example/door", "page"),
        ((), "", "https://go.example.com/door", "redirect"),
    ],
)
def test_nobody_is_sent_from_one_of_our_short_urls_to_another(hosts, path, target, kind, shop_in_memory):
    shop_in_memory.insert_qrcode("https://go.example.com", short_code="door")
    shop_in_memory.insert_qrcode(target, short_code="other")
    answer = ask(Redirects(shop_in_memory.store, hosts=hosts, path=path), "other")
    assert (answer.content, answer.destination.kind) == (target, kind)
    assert answer.destination.link


def test_a_visit_that_waits_too_long_is_late_and_stored_all_the_same(shop, watch, caplog):
    redirects = Redirects(shop.store, clock=watch, seconds=0.01)
    with standing_still(shop.store):
        assert ask(redirects).destination.link == TARGET
    assert (redirects.lost, redirects.late) == (0, 1)
    assert "not yet durable" in caplog.text
    assert ADDRESS not in caplog.text
    watch.forward(seconds=5)
    assert ask(Redirects(shop.store, clock=watch)).destination.link == TARGET
    assert scans(shop) == {"Door": 2}
