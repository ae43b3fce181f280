"""How fast the server is on loopback: redirects with durable scans and without, against a bare waitress; pictures."""

import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from statistics import median, quantiles

import pytest

from qrkit import open_portfolio
from tests.server.load import Load, asking, visits
from tests.server.processes import served

pytestmark = pytest.mark.benchmark

ROUNDS = 5
REDIRECTS = 4_000
CONNECTIONS = 64

BARE = """
import socket, waitress

def app(environ, start_response):
    start_response("302 Found", [("Location", "https://example.com/spring"), ("Content-Length", "0")])
    return [b""]

with socket.create_server(("127.0.0.1", 0)) as listening:
    server = waitress.create_server(app, sockets=[listening], threads=64, asyncore_use_poll=True)
    print(listening.getsockname()[1], flush=True)
    server.run()
"""


@contextmanager
def bare():
    process = subprocess.Popen([sys.executable, "-c", BARE], stdout=subprocess.PIPE, text=True)
    try:
        yield process, f"http://127.0.0.1:{process.stdout.readline().strip()}"
    finally:
        process.kill()
        process.communicate()


def processor_seconds(process):
    """Processor time of a process so far, of all its threads (proc(5), fields 14 and 15)."""
    fields = Path(f"/proc/{process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


@pytest.fixture
def store(tmp_path):
    path = tmp_path / "shop.duckdb"
    with open_portfolio(path) as shop:
        shop.insert_qrcode("https://example.com/spring", short_code="door")
    return path


def test_redirects(store, tmp_path, say):
    other = tmp_path / "other.duckdb"
    other.write_bytes(store.read_bytes())
    with bare() as plain, served(other, "--no-record-visits") as off, served(store) as on:
        servers = {"bare waitress": plain, "scans off": off, "durable scans": on}
        rates, waits, busy = ({name: [] for name in servers} for _ in range(3))
        for number in range(ROUNDS + 1):
            for name, (process, url) in servers.items():
                load = Load(url, visits("/door", REDIRECTS, first=number * REDIRECTS), CONNECTIONS)
                before = processor_seconds(process)
                seconds = load.run()
                assert {one.status for one in load.answers} == {302}
                if number:  # the first round warms up
                    rates[name].append(REDIRECTS / seconds)
                    busy[name].append((processor_seconds(process) - before) / REDIRECTS * 1e6)
                    waits[name] += [one.seconds for one in load.answers]
    say(f"{CONNECTIONS} connections, {ROUNDS} rounds of {REDIRECTS:,} redirects, interleaved")
    for name, found in rates.items():
        cuts = quantiles(waits[name], n=100)
        times = median(this / bare for this, bare in zip(busy[name], busy["bare waitress"], strict=True))
        say(
            f"{name:14} {median(found):6.0f}/s  p50 {cuts[49] * 1000:5.1f} ms  p99 {cuts[98] * 1000:5.1f} ms"
            f"  processor {median(busy[name]):4.0f} us, {times:.2f} times the bare one"
        )
        assert times < 4
    durable, off = median(rates["durable scans"]), median(rates["scans off"])
    say(f"durable / off {durable / off:.2f}   durable / bare {durable / median(rates['bare waitress']):.2f}\n")
    with open_portfolio(store) as shop:
        assert shop.list_qrcodes()[0].scans == (ROUNDS + 1) * REDIRECTS


@pytest.mark.parametrize("format", ["png", "svg"])
def test_pictures(store, say, format):
    picture = f"/api/v3/generate?content=https://example.com/spring&format={format}"
    paths, count = {"redirects": "/door", "pictures": picture}, 400
    with served(store) as (_, url):
        rates = {name: [] for name in paths}
        for number in range(ROUNDS + 1):
            for name, path in paths.items():
                load = Load(url, asking(path, count), 16)
                seconds = load.run()
                assert {one.status for one in load.answers} <= {200, 302}
                if number:
                    rates[name].append(count / seconds)
    share = median(ours / other for ours, other in zip(rates["pictures"], rates["redirects"], strict=True))
    rate = median(rates["pictures"])
    say(f"generate {format}: {rate:.0f}/s, {share:.2f} of the redirects (median of {ROUNDS} rounds of {count})\n")
    assert share > 0.2
