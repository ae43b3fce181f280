"""Counts requests, and writes metrics in the text format of OpenMetrics 1.0, which Prometheus reads.

The format is written here because it is small: a client library would count with locks and labels of its own on the way
of each redirect. Labels have few values (routes, statuses, gates), so strangers cannot create new series.
"""

from __future__ import annotations

import hmac
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from threading import Lock
from typing import Literal

from qrkit.errors import InvalidParameter, Problem, UnreadableFile
from qrkit.files import read_file

OPENMETRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8"
"""Media type of the text format."""
BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Upper bounds of the histogram of durations, in seconds."""
OTHER = "other"
"""Route of requests that are refused before their route is found."""
SHORTEST_TOKEN = 16


class Metrics:
    """Counts requests by route and status, and their durations by route; reading them takes the Bearer `token`."""

    def __init__(self, token: str) -> None:
        self._token = token.encode()
        self._lock = Lock()
        self._requests: Counter[tuple[str, int]] = Counter()
        self._durations: dict[str, list[int]] = {}
        self._seconds: dict[str, float] = defaultdict(float)

    def accepts(self, token: str) -> bool:
        """Whether this is the token; the comparison takes the same time for every wrong token of its length."""
        return hmac.compare_digest(self._token, token.encode("utf-8", "replace"))

    def count(self, route: str, status: int, seconds: float) -> None:
        """Count a request that was answered; its route is the path template, empty if it has none."""
        name, bucket = route or OTHER, bisect_left(BUCKETS, seconds)
        with self._lock:
            self._requests[name, status] += 1
            durations = self._durations.get(name)
            if durations is None:
                durations = self._durations[name] = [0] * (len(BUCKETS) + 1)
            durations[bucket] += 1
            self._seconds[name] += seconds

    def families(self) -> list[Family]:
        """Return the counts of requests, and the histogram of their durations."""
        with self._lock:
            requests, seconds = dict(self._requests), dict(self._seconds)
            durations = {name: list(counts) for name, counts in self._durations.items()}
        answered = [
            Sample(number, {"route": route, "code": str(status)}) for (route, status), number in requests.items()
        ]
        return [
            Family("qrkit_requests", "counter", "Requests answered, by route and status.", answered),
            Family(
                "qrkit_request_duration_seconds",
                "histogram",
                "Time until the answer to a request was ready.",
                [one for name, counts in durations.items() for one in _histogram(name, counts, seconds[name])],
            ),
        ]


def metrics_of(path: str | None) -> Metrics | None:
    """Return empty metrics for the token in a file; None without a file."""
    if path is None:
        return None
    try:
        token = read_file(Path(path)).decode().strip()
    except UnicodeDecodeError as error:
        raise UnreadableFile(f"{path} is not UTF-8 text") from error
    if len(token) < SHORTEST_TOKEN or not token.isascii() or len(token.split()) > 1:
        rule = f"must be a file that contains one word of at least {SHORTEST_TOKEN} ASCII characters"
        raise InvalidParameter(Problem("metrics_token_file", path, rule))
    return Metrics(token)


@dataclass(frozen=True, slots=True)
class Sample:
    """A value of a metric; a suffix replaces the one that the type of the metric has."""

    value: float
    labels: Mapping[str, str] = field(default_factory=dict)
    suffix: str | None = None


@dataclass(frozen=True, slots=True)
class Family:
    """A metric with its samples. Its name lacks the suffix that its type has in OpenMetrics; `help` is a sentence."""

    name: str
    kind: Literal["counter", "gauge", "histogram", "info"]
    help: str
    samples: Iterable[Sample]


SUFFIXES = {"counter": "_total", "info": "_info"}


def write_openmetrics(families: Iterable[Family]) -> bytes:
    """Return metrics in the text format of OpenMetrics."""
    lines: list[str] = []
    for family in families:
        lines += [f"# TYPE {family.name} {family.kind}", f"# HELP {family.name} {_escape(family.help)}"]
        for sample in family.samples:
            suffix = SUFFIXES.get(family.kind, "") if sample.suffix is None else sample.suffix
            labels = ",".join(f'{name}="{_escape(value)}"' for name, value in sample.labels.items())
            lines.append(f"{family.name}{suffix}{f'{{{labels}}}' if labels else ''} {sample.value!r}")
    return "\n".join([*lines, "# EOF", ""]).encode()


def _histogram(route: str, counts: list[int], seconds: float) -> list[Sample]:
    bounds = [*(repr(bound) for bound in BUCKETS), "+Inf"]
    buckets = [
        Sample(number, {"route": route, "le": bound}, "_bucket")
        for bound, number in zip(bounds, accumulate(counts), strict=True)
    ]
    labels = {"route": route}
    return [*buckets, Sample(sum(counts), labels, "_count"), Sample(seconds, labels, "_sum")]


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')
