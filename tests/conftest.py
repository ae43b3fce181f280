"""What all tests share: the mark `needs` for what is not a Python package, and stores in both kinds of databases."""

import atexit
import gc
import importlib
import os
import pkgutil
import shutil
import socket
import sys
import tempfile
from ctypes.util import find_library
from math import isfinite

import pytest
from hypothesis import settings
from hypothesis.database import DirectoryBasedExampleDatabase

import qrkit
from tests import servers

# `make test` tries the same 50 examples every time, so that it fails because of a change and nothing else. `make
# explore` tries 100 new ones; what it finds becomes an `@example` of its test. A busy machine may take long for any.
settings.register_profile("steady", derandomize=True, deadline=None, max_examples=50)
# Said in full, because on a CI server Hypothesis begins with a profile that tries nothing new and keeps nothing.
FOUND = DirectoryBasedExampleDatabase(".hypothesis/examples")
settings.register_profile("explore", derandomize=False, database=FOUND, deadline=None, print_blob=True)
settings.load_profile("steady")

PACKAGES = {
    "gs": "ghostscript",
    "pdftoppm": "poppler-utils",
    "postgres": "postgresql",
    "soffice": "libreoffice-calc-nogui",
    "systemd-analyze": "systemd",
}
"""Debian's package of a program, where it is not named as the program is."""

# What a store on a server keeps on this machine must not end up in the home of whoever runs the tests.
os.environ["QRKIT_STATE_FOLDER"] = tempfile.mkdtemp(prefix="qrkit-state-")
atexit.register(shutil.rmtree, os.environ["QRKIT_STATE_FOLDER"], ignore_errors=True)

# For each word of its messages, argparse looks through folders for a translation: a tenth of what a command takes.
os.environ["LANGUAGE"] = "C"

# jsonschema builds a grammar of IRIs with it, which takes more than a second, and no schema of ours has IRIs.
sys.modules["rfc3987_syntax"] = None

LIBRARY = "libzbar0"
"""In place of a program: a library, by its package."""

LOOPBACK = "loopback"
"""In place of a program: that the machine reaches itself, as it does not in an empty network namespace."""


def _is_there(program: str) -> bool:
    if program == LIBRARY:
        return find_library("zbar") is not None
    if program == "postgres":
        return servers.program(program) is not None
    if program != LOOPBACK:
        return shutil.which(program) is not None
    try:
        with socket.create_server(("127.0.0.1", 0)) as server:
            socket.create_connection(server.getsockname(), timeout=2).close()
    except OSError:
        return False
    return True


COSTLY = {"lab", "built"}
"""Fixtures that take long to make: a server of JupyterLab, and the documentation."""

QUICK_SECONDS = float(os.environ.get("QUICK_SECONDS", "inf"))
"""Processor time after which each process of `make quick` skips tests of the room; those of the house run first."""
NO_TIME = "make quick has no time left"
HOUSE = "tests/test_house.py"


def pytest_collection() -> None:
    """Let the collector of garbage rest while tests are collected: nearly all that is made meanwhile stays."""
    gc.disable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put tests that share what is costly first, and load all of qrkit before the first property test.

    So one worker has these, which makes it once, and no long test is left for the end.
    Hypothesis also tries the constants of modules that are loaded: examples must not depend on which tests ran before.
    Loading takes 3 seconds, which `make quick` does not have.
    """
    items.sort(key=lambda item: COSTLY.isdisjoint(getattr(item, "fixturenames", ())))
    if isfinite(QUICK_SECONDS):
        items.sort(key=lambda item: not item.nodeid.startswith(HOUSE))
    elif any(item.get_closest_marker("hypothesis") for item in items):
        for module in pkgutil.walk_packages(qrkit.__path__, "qrkit."):
            importlib.import_module(module.name)


def pytest_collection_finish() -> None:
    """Let it work again, but not on what stays to the end: thousands of tests, and all that their modules loaded."""
    gc.enable()
    gc.collect()
    gc.freeze()


def pytest_unconfigure() -> None:
    """Let the collector have it, or libraries complain of what is left at the end of Python."""
    gc.unfreeze()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test whose programs are missing, or fail it where REQUIRE_PROGRAMS=1 asks for them."""
    if sum(os.times()[:4]) > QUICK_SECONDS and not item.nodeid.startswith(HOUSE):
        pytest.skip(NO_TIME)
    for mark in item.iter_markers("needs"):
        for program in mark.args:
            if not _is_there(program):
                package = PACKAGES.get(program, program)
                reason = f"needs {program} (Debian: apt install {package})"
                if program == LOOPBACK:
                    reason = "needs the network of this machine with itself, which is down"
                if os.environ.get("REQUIRE_PROGRAMS") == "1":
                    pytest.fail(reason, pytrace=False)
                pytest.skip(reason)


def pytest_terminal_summary(terminalreporter) -> None:
    """Say that `make quick` did not run all tests."""
    skipped = terminalreporter.stats.get("skipped", [])
    if left := sum(NO_TIME in str(report.longrepr) for report in skipped):
        terminalreporter.write_line(f"{left:,} tests of the room were not run, as make quick had no time left for them")


@pytest.fixture(scope="session")
def server():
    """A PostgreSQL server that is quick and not durable."""
    with servers.server(*servers.NOT_DURABLE, place=servers.quick_place()) as server:
        yield server


@pytest.fixture(scope="session")
def empty_store(server):
    """Name of a database in which the tables of a store are, and no more."""
    from qrkit.store import Store

    url = server.new_database(is_kept=True)
    Store(url).close()
    return servers.name_of(url)


# What both do alike is tried on PostgreSQL in `make slow`; `make test` tries what is its own, in test_postgresql.py.
ENGINES = ["duckdb", pytest.param("postgresql", marks=[pytest.mark.needs("postgres"), pytest.mark.slow])]


@pytest.fixture(scope="session", params=ENGINES)
def new_place(request):
    """Makes places for new stores: what `Store` and `open_portfolio` take."""
    if request.param == "duckdb":
        return lambda: ":memory:"
    server, template = (request.getfixturevalue(name) for name in ("server", "empty_store"))
    return lambda: server.new_database(template)


@pytest.fixture
def new_path(new_place, tmp_path):
    """Makes places for new stores that can be opened again."""
    numbers = iter(range(1_000))

    def made():
        place = new_place()
        return tmp_path / f"{next(numbers)}.duckdb" if place == ":memory:" else place

    return made
