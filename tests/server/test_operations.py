"""`qrkit serve` as an operator meets it: logs that nobody reads, a full disk, SIGHUP, and a terminal that is closed."""

import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest

from qrkit import open_portfolio
from qrkit.server import Server, Settings
from qrkit.store.upkeep.maintenance import verify
from tests.inboxes import SlowCommits
from tests.server.load import Load, asking, visits
from tests.server.raw import LONGEST_WAIT, connect, one_answer, request

pytestmark = pytest.mark.needs("loopback")

HEALTH = "/api/v3/health"


class Running:
    """A server as a process of its own."""

    def __init__(self, process):
        self.process = process
        said = process.stdout.readline()
        self.url = re.search(r"at (http://127\.0\.0\.1:[1-9]\d*) ", said)[1]
        self.port = urlsplit(self.url).port
        assert "Ctrl-C stops" in process.stdout.readline()

    def ended(self, number=signal.SIGTERM):
        """End it; gives the lines of its log that were read so late."""
        self.process.send_signal(number)
        assert self.process.wait(LONGEST_WAIT) == 0
        return [json.loads(line) for line in self.process.stderr.read().splitlines() if line.startswith("{")]

    def line(self, words):
        """The next line of its log that holds some words."""
        for line in self.process.stderr:
            if words in line:
                return json.loads(line)
        raise AssertionError("it ended without that line")


@contextmanager
def serving(path, *options, stderr=subprocess.PIPE):
    with open_portfolio(path, base_url="https://go.example.com") as shop:
        shop.insert_qrcode("https://example.com/spring", short_code="door")
    command = [sys.executable, "-W", "error", "-m", "qrkit", "serve", "--store", str(path), "--port", "0", *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=stderr, text=True, encoding="utf-8")
    try:
        yield Running(process)
    finally:
        process.kill()
        process.communicate()


def status(url):
    try:
        with urlopen(url, timeout=LONGEST_WAIT) as reply:
            return reply.status
    except HTTPError as error:
        with error:
            return error.code


@pytest.mark.slow
def test_a_log_that_nobody_reads_stops_neither_redirects_nor_the_end(tmp_path):
    number = 3_000
    with serving(tmp_path / "shop.duckdb", "--no-record-visits") as server:
        load = Load(server.url, asking("/door", number))
        load.run()
        assert [answer.status for answer in load.answers] == [302] * number
        start = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(LONGEST_WAIT) == 0
        assert time.monotonic() - start < LONGEST_WAIT


@pytest.mark.slow
@pytest.mark.rule("H7", "T11")
@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="needs Linux")
def test_a_full_disk_is_told_in_a_few_lines_and_makes_the_server_not_ready(tmp_path):
    """Open: what is said of losses. Redirects go on, health is 503, and the log does not grow with each visit."""
    number = 200
    with serving(tmp_path / "shop.duckdb", "--no-access-log", "--trusted-proxies", "127.0.0.1") as server:
        assert status(f"{server.url}{HEALTH}") == 200
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
        load = Load(server.url, visits("/door", number))
        load.run()
        assert {answer.status for answer in load.answers} == {302}
        until = time.monotonic() + LONGEST_WAIT
        while status(f"{server.url}{HEALTH}") == 200:
            assert time.monotonic() < until
        lines = server.ended()
    messages = [line["message"] for line in lines]
    assert any(message.startswith("this server is not ready: ") for message in messages)
    assert f"the server has stopped; {number} visits were lost since it started" in messages
    assert len(lines) < 20


@pytest.mark.slow
def test_sighup_takes_new_settings_over_and_cuts_no_connection(tmp_path):
    file = tmp_path / "qrkit.toml"
    file.write_text('log_level = "info"\nthreads = 8\n')
    with serving(tmp_path / "shop.duckdb", "--settings", str(file)) as server, connect(server) as connection:
        connection.sendall(request("/door"))
        assert one_answer(connection).status == 302

        file.write_text('log_level = "warning"\nthreads = 9\ngenerates_a_minute = 1\n')
        server.process.send_signal(signal.SIGHUP)
        assert server.line("restart")["message"] == "these settings changed, and need a restart: threads"
        generate = f"{server.url}/api/v3/generate?content=hi"
        assert [status(generate) for _ in range(2)] == [200, 429]

        file.write_text("threads = 'many'\nplaces = 'nowhere.mmdb'\n")
        server.process.send_signal(signal.SIGHUP)
        told = server.line("not reloaded")
        assert told["level"] == "error"
        assert "threads='many'" in told["message"]

        file.write_text("access_log = false\nplaces = 'nowhere.mmdb'\n")
        server.process.send_signal(signal.SIGHUP)
        assert "nowhere.mmdb cannot be read" in server.line("not reloaded")["message"]
        assert status(generate) == 429  # as it was before

        file.write_text("access_log = false\nthreads = 8\n")
        server.process.send_signal(signal.SIGHUP)
        changed = "access_log, log_level, generates_a_minute"
        assert server.line("were reloaded")["message"] == f"the settings were reloaded; changed: {changed}"
        assert [status(generate) for _ in range(3)] == [200] * 3

        connection.sendall(request("/door"))
        assert one_answer(connection).status == 302
        assert [line["message"] for line in server.ended()] == ["the server has stopped"]


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs terminals")
def test_a_server_whose_terminal_is_closed_ends(tmp_path):
    terminal, inside = os.openpty()
    with serving(tmp_path / "shop.duckdb", "--no-access-log", stderr=inside) as server:
        server.process.send_signal(signal.SIGHUP)
        assert status(f"{server.url}{HEALTH}") == 200
        os.close(inside)
        os.close(terminal)
        server.process.send_signal(signal.SIGHUP)
        assert server.process.wait(LONGEST_WAIT) == 0


@pytest.mark.slow
@pytest.mark.rule("T11", "T17")
def test_a_strict_server_stores_each_visit_that_it_redirected_and_none_that_it_refused():
    """Open: visits that are being written when their time is up. They are withdrawn, and the next attempts count."""
    settings = Settings(strict=True, trusted_proxies=["127.0.0.1"], access_log=False)
    number = 12
    with (
        open_portfolio(":memory:", base_url="https://go.example.com") as shop,
        Server(shop, port=0, settings=settings) as server,
        ThreadPoolExecutor(number) as threads,
    ):
        shop.insert_qrcode("https://example.com/spring", short_code="door")

        def ask(visitor):
            asked = Load(server.url, visits("/door", 1, visitor), 1)
            asked.run()
            return asked.answers[0].status

        with SlowCommits(shop.store) as commits:
            first = threads.submit(ask, 0)
            commits.begun()
            others = [threads.submit(ask, visitor) for visitor in range(1, number)]
            commits.queued(number - 1)
            commits.let_go()  # the others are now being written together, and one of them waits for the disk
            commits.begun()
            refused = [one for _, one in zip(range(number - 2), as_completed(others), strict=False)]
            assert {one.result() for one in refused} == {503}
            commits.let_go()
        assert [one.result() for one in (first, *others)].count(302) == 2
        assert shop.scans.count() == 2
        again = [ask(visitor) for visitor, one in enumerate(others, 1) if one.result() == 503]
        assert again == [302] * (number - 2)
        assert shop.scans.count() == number
        assert verify(shop.store) == []
