"""What benchmarks share: they keep what they measured in `measured.json`, with its spread, date and machine."""

import json
import os
import platform
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from statistics import quantiles

import pytest

MEASURED = Path(__file__).with_name("measured.json")
PEERS = ("segno", "duckdb", "pandas", "pillow")
"""Packages whose version matters to a figure."""


def machine() -> str:
    """The processor, the number of cores and Python's version."""
    told = Path("/proc/cpuinfo").read_text(encoding="utf-8") if Path("/proc/cpuinfo").exists() else ""
    names = [line.partition(":")[2].strip() for line in told.splitlines() if line.startswith("model name")]
    return f"{len(names) or os.cpu_count()} x {(names or [platform.machine()])[0]}, Python {platform.python_version()}"


@pytest.fixture
def record(request):
    """Keep the rounds of each number under a name: lower quartile, median and upper quartile of them.

    Only `make bench` keeps them: a figure of a busy machine, or of a test that was run in passing, is not one to quote.
    """

    def record(name, **rounds):
        if "RECORD_FIGURES" not in os.environ:
            return
        known = json.loads(MEASURED.read_text(encoding="utf-8")) if MEASURED.exists() else {}
        found = {what: dict(zip(("low", "median", "high"), spread(many), strict=True)) for what, many in rounds.items()}
        known[name] = {
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


@pytest.fixture
def say(capsys):
    def say(text):
        with capsys.disabled():
            print(f"\n{text}", end="", flush=True)  # noqa: T201

    return say
