"""Many clients of a server at once, and for long: the books stay right, and nothing grows."""

import gc
import json
import random
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path

import pytest

from qrkit import open_portfolio
from qrkit.portfolio.access import create_key
from qrkit.server import Server
from qrkit.store.upkeep import maintenance as care
from tests.server.load import Load, asking, visits

pytestmark = pytest.mark.needs("loopback")

PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) Mobile/15E148 Safari/604.1"
OPEN = {"trusted_proxies": ("127.0.0.1",), "generates_a_minute": 0, "unknown_codes_a_minute": 0}


@pytest.fixture
def shop(tmp_path):
    with open_portfolio(tmp_path / "shop.duckdb", base_url="https://go.example.com") as portfolio:
        yield portfolio


class Person:
    """A client with a key that does this and that; keeps what it should have come to."""

    def __init__(self, port, key, number):
        self.connection = HTTPConnection("127.0.0.1", port, timeout=60)
        self.key, self.number, self.chance = key, number, random.Random(number)
        self.codes, self.scans, self.asked = {}, 0, 0

    def ask(self, method, path, body=None, **headers):
        self.asked += 1
        self.connection.request(method, path, body and json.dumps(body), headers)
        reply = self.connection.getresponse()
        received = reply.read()
        assert reply.status < 500, (method, path, reply.status, received)
        return reply.status, received

    def api(self, method, path, body=None):
        status, received = self.ask(method, f"/api/v3{path}", body, Authorization=f"Bearer {self.key}")
        assert status == 200, received
        return json.loads(received) if received[:1] in (b"{", b"[") else received

    def insert(self):
        made = self.api("POST", "/track/qrcode", {"content": f"https://example.com/{self.number}/{self.asked}"})
        record = self.api("GET", f"/track/qrcode/{made['id']}")
        self.codes[made["id"]] = record["shortCode"]

    def change(self):
        id = self.chance.choice(list(self.codes))
        self.api("PUT", f"/track/qrcode/{id}", {"comment": f"changed {self.asked}"})

    def delete(self):
        id = self.chance.choice(list(self.codes))
        self.api("DELETE", f"/track/qrcode/{id}")
        status, _ = self.ask("GET", f"/{self.codes.pop(id)}")
        assert status == 410

    def scan(self):
        address = f"10.{self.number}.{self.asked >> 8}.{self.asked & 255}"
        code = self.chance.choice(list(self.codes.values()))
        status, _ = self.ask("GET", f"/{code}", **{"X-Forwarded-For": address, "User-Agent": PHONE})
        assert status == 302

    def draw(self):
        assert self.ask("GET", "/api/v3/generate?content=hi&format=svg")[0] == 200

    def list(self):
        listed = {code["id"] for code in self.api("GET", "/track/list")["qrcodes"]}
        assert set(self.codes) <= listed

    def live(self, steps):
        with closing(self.connection):
            self.insert()
            for _ in range(steps):
                if not self.codes:
                    self.insert()
                self.chance.choice([self.insert, self.change, self.delete, *[self.scan] * 5, self.draw, self.list])()


@pytest.mark.slow
@pytest.mark.rule("T6", "T9", "T11")
def test_thirty_two_people_at_once_get_no_error_and_the_books_stay_right(shop):
    """Open: what many at once may break. Nothing: every answer is right, and the counters are what was recorded."""
    key = create_key(shop.store, shop.account)
    with Server(shop, port=0, **OPEN) as server:
        people = [Person(server.port, key, number) for number in range(32)]
        with ThreadPoolExecutor(32) as threads:
            list(threads.map(lambda person: person.live(40), people))
    assert care.verify(shop.store) == []
    assert {code.id for code in shop.list_qrcodes()} == {id for person in people for id in person.codes}
    assert sum(code.scans for code in shop.list_qrcodes()) == shop.scans.count() > 0


def grown(before):
    """What a server may hold on to: files, threads that were not there ``before``, and memory in MB."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    threads = set(threading.enumerate()) - before
    return len(list(Path("/proc/self/fd").iterdir())), len(threads), pages * 4096 / 2**20


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
def test_a_server_that_goes_on_and_on_holds_on_to_nothing(shop):
    shop.insert_qrcode("https://example.com/spring", short_code="door")
    before = set(threading.enumerate())
    with Server(shop, port=0, threads=16, **OPEN) as server:
        seen = []
        for number in range(9):
            Load(server.url, visits("/door", 1_000, first=number * 1_000)).run()
            Load(server.url, asking("/api/v3/generate?content=hi&format=png", 300)).run()
            Load(server.url, asking("/nobody", 300)).run()
            seen.append(grown(before))
    files, threads, memory = zip(*seen[3:], strict=True)
    assert len(set(threads)) == 1, seen
    assert max(files) - min(files) <= 16, (seen, "connections whose end is just being heard of")
    # The store keeps what it has written in memory until it is written out, and lets go of it then.
    assert memory[-1] - memory[0] < 40, seen
