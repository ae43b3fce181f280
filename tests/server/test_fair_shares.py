"""What is drawn or read for one client keeps no other client out."""

import os
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from qrkit import data_uri
from qrkit.portfolio.access import create_account, create_key, local_account
from qrkit.server import Client, Server, Settings, jobs, make_app
from tests.scanning.test_untrusted import finders
from tests.server.load import Load, asking
from tests.server.processes import has_request, workers

API = "/api/v3"


@pytest.fixture
def app(shop):
    """With so few threads that one request may wait for a body to be read, and none for a picture to be decoded."""
    return make_app(shop.store, Settings(base_url=shop.base_url, threads=40, renders=2, generates_a_minute=0))


def while_busy(works, ask):
    """Ask again and again while other requests are under way; gives the statuses and the answers of the others."""
    with ThreadPoolExecutor(len(works)) as threads:
        busy = [threads.submit(work) for work in works]
        statuses = [ask().status]
        while not all(one.done() for one in busy):
            statuses.append(ask().status)
    return set(statuses), [one.result() for one in busy]


@pytest.mark.slow
def test_decoding_without_a_key_keeps_no_design_of_a_key_out(shop, app):
    key = create_key(shop.store, local_account(shop.store))
    stranger, customer = Client(app, address="192.0.2.1"), Client(app, address="192.0.2.2")
    statuses, hostile = while_busy(
        [lambda: stranger.request("POST", f"{API}/decode", body=finders(900))],
        lambda: customer.post(f"{API}/generate", {"content": "hi"}, auth=key),
    )
    assert statuses == {200}
    assert [one.status for one in hostile] == [400]


CURVES = "".join(f"M{n % 40} {n // 40}c1 0 1 1 0 1" for n in range(2_000))
SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 60 60">{}</svg>'
SLOW = SVG.format(f'<path d="{CURVES}" stroke="red" stroke-width="20"/>')
"""Takes a second to draw, and is just about accepted."""
QUICK = SVG.format('<path d="M0 0h9v9z"/>')


def test_drawing_for_one_account_keeps_no_other_out(shop, app):
    keys = [create_key(shop.store, create_account(shop.store, name, plan="premium")) for name in ("slow", "quick")]
    slow, others = Client(app, address="192.0.2.1"), Client(app, address="192.0.2.2")
    place = {"x": 0, "y": 0, "width": 50, "height": 50, "display": "overlay"}
    designs = [
        {"content": "hi", "size": 20, "ec": "H", "layers": [{"content": data_uri(svg.encode())} | place]}
        for svg in (SLOW, QUICK)
    ]
    asked = iter(range(10**6))

    def ask():
        """A plain picture, and one with an image."""
        if next(asked) % 2:
            return others.get(f"{API}/generate", content="hi")
        return others.post(f"{API}/generate", designs[1], auth=keys[1])

    statuses, replies = while_busy([lambda: slow.post(f"{API}/generate", designs[0], auth=keys[0])] * 4, ask)
    assert statuses == {200}
    assert 200 in {one.status for one in replies} <= {200, 429}


def test_a_page_with_many_codes_gets_all_its_pictures(shop):
    """A browser asks a proxy for all pictures of a page at once, and shows those that were refused as broken."""
    logo = {"content": data_uri(SVG.format(QUICK).encode()), "x": 0, "y": 0, "width": 20, "height": 20}
    shop.templates.save("logo", {"layers": [logo]})
    shop.insert_qrcode("https://example.com", short_code="plain")
    shop.insert_qrcode("https://example.com", short_code="decorated", template="logo")
    with Server(shop, Settings(access_log=False, renders=2), port=0) as server:
        loads = [Load(server.url, asking("/plain.png", 50), 50), Load(server.url, asking("/decorated.png", 25), 25)]
        for load in loads:
            load.run()
    assert [one.status for load in loads for one in load.answers] == [200] * 75


def rows(prefix, count):
    lines = (f"{prefix} {number},https://example.com/{prefix}/{number}\n" for number in range(count))
    return ("Name,Content\n" + "".join(lines)).encode()


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="looks at processes in /proc")
def test_imports_of_one_account_hold_up_no_other(shop, app):
    """One import stands still in its worker, and another of the same account waits behind it."""
    keys = [create_key(shop.store, create_account(shop.store, name, plan="premium")) for name in ("many", "one")]
    client = Client(app)

    def import_(data, key):
        return client.request("POST", f"{API}/track/import", query=f"format=csv&auth={key}", body=data).status

    jobs.stop()
    assert import_(rows("first", 1), keys[0]) == 200  # its worker stays
    (worker,) = workers(os.getpid())
    os.kill(worker, signal.SIGSTOP)
    with ThreadPoolExecutor(2) as threads:
        held = [threads.submit(import_, rows(name, 10), keys[0]) for name in "ab"]
        try:
            while not has_request(worker):
                pass
            assert client.post(f"{API}/track/qrcode", {"content": "https://example.com"}, auth=keys[1]).status == 200
            assert import_(rows("c", 1), keys[1]) == 200
            for path in ("track/export.csv", "track/list"):
                assert client.get(f"{API}/{path}", auth=keys[1]).status == 200
        finally:
            os.kill(worker, signal.SIGCONT)
        assert [one.result() for one in held] == [200, 200]
