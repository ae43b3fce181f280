"""Redirects at a fixed rate, from another process.

An open loop: each request has a time at which it is due, and waiting for an earlier one counts as its own time.
"""

import json
import subprocess
import sys
from contextlib import contextmanager

RATE, THREADS = 400, 8
"""Requests a second, and connections."""

REDIRECTS = """
import http.client, json, sys, threading, time

host, rate, threads = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
took, lock, number = [], threading.Lock(), 0
ending = threading.Event()

def work():
    global number
    connection = http.client.HTTPConnection(host, timeout=60)
    while not ending.is_set():
        with lock:
            own, number = number, number + 1
        due = begin + own / rate
        time.sleep(max(0.0, due - time.monotonic()))
        address = f"10.{own >> 16 & 255}.{own >> 8 & 255}.{own & 255}"
        connection.request("GET", "/door", headers={"X-Forwarded-For": address, "User-Agent": "Mozilla/5.0 (iPhone)"})
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 302, answer.status
        took.append(time.monotonic() - due)

begin = time.monotonic() + 0.05
running = [threading.Thread(target=work) for _ in range(threads)]
for one in running:
    one.start()
sys.stdin.readline()
ending.set()
for one in running:
    one.join()
print(json.dumps(took))
"""


@contextmanager
def redirects(url, rate=RATE):
    """Ask for redirects while the block runs; the list holds the milliseconds of each afterwards, in order."""
    command = [sys.executable, "-c", REDIRECTS, url.removeprefix("http://"), str(rate), str(THREADS)]
    found = []
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield found
        found += sorted(1_000 * one for one in json.loads(process.communicate("end\n")[0]))


def p99(times):
    return times[int(len(times) * 0.99)]
