"""What benchmarks share: they keep what they measured in `measured.json`, with its spread, date and machine."""

import json
import os
import platform
import subprocess
import sys
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from statistics import quantiles

import pytest

MEASURED = Path(__file__).with_name("measured.json")
PEERS = ("segno", "duckdb", "pandas", "pillow")
"""Packages whose version matters to a figure."""
RUN = os.environ.get("RECORD_FIGURES", "")
"""`quiet` for a run on a quiet machine, then `loaded` for one with other work, which keeps the wider spread of both."""


@pytest.fixture(scope="session", autouse=True)
def load():
    """In the loaded run, a process for each processor that never rests."""
    busy = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"])
        for _ in range((os.cpu_count() or 1) * (RUN == "loaded"))
    ]
    yield
    for one in busy:
        one.kill()
        one.wait()


def machine() -> str:
    """The processor, the number of cores and Python's version."""
    told = Path("/proc/cpuinfo").read_text(encoding="utf-8") if Path("/proc/cpuinfo").exists() else ""
    names = [line.partition(":")[2].strip() for line in told.splitlines() if line.startswith("model name")]
    return f"{len(names) or os.cpu_count()} x {(names or [platform.machine()])[0]}, Python {platform.python_version()}"


@pytest.fixture
def record(request):
    """Keep the rounds of each number under a name: lower quartile, median and upper quartile of them.

    Only `make bench` keeps them: a figure of a test that was run in passing is not one to quote.
    """

    def record(name, **rounds):
        if not RUN:
            return
        known = json.loads(MEASURED.read_text(encoding="utf-8")) if MEASURED.exists() else {}
        found = {what: dict(zip(("low", "median", "high"), spread(many), strict=True)) for what, many in rounds.items()}
        if RUN == "loaded":
            found = {what: widened(known[name][what], loaded) for what, loaded in found.items()}
        known[name] = {
            "runs": ["quiet", "loaded"] if RUN == "loaded" else ["quiet"],
            "measured_by": request.node.nodeid.partition("[")[0],
            "measured_on": datetime.now(UTC).date().isoformat(),
            "machine": machine(),
            "peers": {package: version(package) for package in PEERS},
            **found,
        }
        MEASURED.write_text(json.dumps(dict(sorted(known.items())), indent=1) + "\n", encoding="utf-8")

    return record


def spread(rounds):
    """The middle half of the rounds, and their median; three times the number where there is only one round."""
    many = list(rounds)
    cuts = quantiles(many, n=4, method="inclusive") if len(many) > 1 else many * 3
    return [round(cut, 3) for cut in cuts]


def widened(quiet, loaded):
    """The spread of a quiet and a loaded run: the worse quartiles of both, and the median of the quiet one."""
    low, high = min(quiet["low"], loaded["low"]), max(quiet["high"], loaded["high"])
    return {"low": low, "median": quiet["median"], "high": high}


@pytest.fixture
def say(capsys):
    def say(text):
        with capsys.disabled():
            print(f"\n{text}", end="", flush=True)  # noqa: T201

    return say
