"""A worker process runs a script: its requests, its limit of memory, and its end."""

import json
import os
import sys

import pytest

from qrkit.processes import WorkerBroke, WorkerLate, Workers

SCRIPT = """
import json, os, sys, threading

MOST_MEMORY = 2**29
begun = []

def start():
    begun.append("start")

def answer(job, *parts):
    return JOBS[job](*parts)

def limits():
    import resource
    return 0, json.dumps([*resource.getrlimit(resource.RLIMIT_AS)]).encode()

JOBS = {
    b"echo": lambda *parts: (7, b"|".join(parts)),
    b"start": lambda: (0, begun[0].encode()),
    b"process": lambda: (0, b"%d" % os.getpid()),
    b"last": lambda: (0x83, b"%d" % os.getpid()),
    b"modules": lambda: (0, json.dumps(sorted(sys.modules)).encode()),
    b"limits": limits,
    b"endless": lambda: threading.Event().wait(),
    b"large": lambda: (0, bytes(2**30)),
}
"""


@pytest.fixture
def ask(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    workers = Workers(script, most=1)
    yield lambda *parts, seconds=60: workers.ask(*parts, seconds=seconds)
    workers.stop()


def test_parts_of_a_request_arrive_as_sent(ask):
    large = os.urandom(2**17)
    assert ask(b"echo") == (7, b"")
    assert ask(b"echo", b"", b"\0\xff", large) == (7, b"|".join([b"", b"\0\xff", large]))


def test_a_script_starts_before_its_first_request(ask):
    assert ask(b"start") == (0, b"start")


def test_a_worker_loads_only_its_script(ask):
    assert not [name for name in json.loads(ask(b"modules")[1]) if name.split(".")[0] == "qrkit"]


def test_a_worker_is_used_again_until_its_last_answer(ask):
    first = ask(b"process")
    assert ask(b"process") == first
    assert ask(b"last") == (3, first[1]), "the mark of the last answer is no part of the outcome"
    assert ask(b"process") != first


def test_a_late_worker_is_replaced(ask):
    first = ask(b"process")
    for _ in range(2):  # the time of the last request would have ended later
        with pytest.raises(WorkerLate):
            ask(b"endless", seconds=0.05)
    assert ask(b"process") != first


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not limit the address space of a process")
def test_memory_is_limited_as_the_script_says(ask):
    import resource

    assert json.loads(ask(b"limits")[1]) == [2**29, resource.getrlimit(resource.RLIMIT_AS)[1]]
    with pytest.raises(WorkerBroke):
        ask(b"large")
    assert ask(b"start") == (0, b"start"), "the next request has a new worker"


def test_an_idle_worker_of_the_lender_answers(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    lender = Workers(script, most=1)
    borrower = Workers(script, most=1, lender=lender)
    _, lent = lender.ask(b"process", seconds=60)
    assert borrower.ask(b"process", seconds=60) == (0, lent)
    _, other = lender.ask(b"process", seconds=60)
    assert other != lent
    assert borrower.ask(b"process", seconds=60) == (0, lent)
    lender.stop()
    borrower.stop()
