"""How long a well-behaved client waits while others attack the server in several ways at once.

The attackers run on the same machine at the lowest priority, as their programs would run elsewhere. Each has addresses
of its own (127.0.1.x).
"""

import os
import subprocess
import sys
from base64 import b64encode
from time import monotonic, perf_counter, sleep
from urllib.request import Request, urlopen

import pytest

from qrkit import open_portfolio
from tests.scanning.test_untrusted import finders
from tests.server.open_loop import p99, redirects
from tests.server.processes import served
from tests.server.test_fair_shares import SLOW

pytestmark = pytest.mark.benchmark

SECONDS = float(os.environ.get("ATTACK_SECONDS", "60"))
RATE = 100
"""Redirects a second of the client."""
PAUSE = 0.5
"""Seconds between two of its designs."""

ATTACKERS = """
import http.client, json, os, socket, sys, threading, time
from base64 import b64decode

os.nice(19)
host, port = sys.argv[1].split(":")
key, *bodies = sys.stdin.read().split()
picture, design = map(b64decode, bodies)
statuses, lock = {}, threading.Lock()

def count(kind, status):
    with lock:
        name = f"{kind} {status}"
        statuses[name] = statuses.get(name, 0) + 1

def address(number):
    return (f"127.0.1.{number}", 0)

def slow_headers(number):
    while True:
        made = []
        for _ in range(60):
            one = socket.create_connection((host, port), 30, source_address=address(number))
            one.sendall(b"GET /door HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\nX-Slow: ")
            made.append(one)
        for _ in range(15):
            time.sleep(1)
            for one in made:
                try:
                    one.sendall(b"a")
                except OSError:
                    pass
        for one in made:
            one.close()
        count("slow headers", len(made))

def asking(kind, number, method, path, body=None, headers={}, pause=0):
    while True:
        connection = http.client.HTTPConnection(host, int(port), timeout=60, source_address=address(number))
        try:
            while True:
                connection.request(method, path, body, headers)
                answer = connection.getresponse()
                answer.read()
                count(kind, answer.status)
                time.sleep(pause)
        except (OSError, http.client.HTTPException) as error:
            count(kind, type(error).__name__)
        finally:
            connection.close()

works = [lambda n=n: slow_headers(n) for n in range(1, 7)]
works += [lambda n=n: asking("health", n, "GET", "/api/v3/health", pause=0.002) for n in range(10, 16)]
works += [lambda n=n: asking("hostile pictures", n, "POST", "/api/v3/decode", picture) for n in range(20, 26)]
of_account = {"Content-Type": "application/json", "Authorization": f"Bearer {key}"}
works += [lambda n=n: asking("hostile drawings", n, "POST", "/api/v3/generate", design, of_account)
          for n in range(30, 36)]
works += [lambda n=n: asking("large headers", n, "GET", "/door", None, {"X-Large": "a" * 70_000}, 0.01)
          for n in range(40, 46)]
for work in works:
    threading.Thread(target=work, daemon=True).start()
print("attacking", flush=True)
time.sleep(float(sys.argv[2]))
with lock:
    print(json.dumps(statuses))
"""


def test_a_well_behaved_client_under_attack(tmp_path, capsys):
    from qrkit.portfolio.access import create_account, create_key

    file = tmp_path / "shop.duckdb"
    with open_portfolio(file) as portfolio:
        portfolio.insert_qrcode("https://example.com/spring", short_code="door")
        key = create_key(portfolio.store, portfolio.account)
        other = create_key(portfolio.store, create_account(portfolio.store, "other", plan="premium"))
    design = b'{"content": "https://example.com/spring"}'
    as_customer = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    hostile = '{"content": "hi", "size": 20, "ec": "H", "layers": [{"x": 0, "y": 0, "width": 50, "height": 50, '
    hostile += f'"display": "overlay", "content": "data:image/svg+xml;base64,{b64encode(SLOW.encode()).decode()}"}}]}}'
    with served(file, "--generates-a-minute", "60") as (_, url):
        command = [sys.executable, "-c", ATTACKERS, url.removeprefix("http://"), str(SECONDS)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as attackers:
            bodies = [b64encode(body).decode() for body in (finders(900), hostile.encode())]
            attackers.stdin.write(" ".join([other, *bodies]))
            attackers.stdin.close()
            attackers.stdout.readline()
            drawn, end = [], monotonic() + SECONDS
            with redirects(url, RATE) as times:
                while monotonic() < end:
                    start = perf_counter()
                    with urlopen(Request(f"{url}/api/v3/generate", design, as_customer), timeout=60) as answer:
                        assert answer.status == 200
                        answer.read()
                    drawn.append(1_000 * (perf_counter() - start))
                    sleep(PAUSE)
            statuses = attackers.stdout.read()
    drawn.sort()
    with capsys.disabled():
        print(  # noqa: T201
            f"\nattacked for {SECONDS:.0f} s ({statuses.strip()}): redirects p99 {p99(times):.0f} ms, longest "
            f"{times[-1]:.0f} ms of {len(times):,}; designs p99 {p99(drawn):.0f} ms, longest {drawn[-1]:.0f} ms "
            f"of {len(drawn):,}"
        )
    assert len(times) > SECONDS * RATE / 2
