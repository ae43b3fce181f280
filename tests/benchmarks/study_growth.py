"""Measures how costs grow with the number of codes and of scans, each in a new process: `make growth`.

Writes tables in Markdown: `make growth CODES=1000000 SCANS=100000000`, with the most codes and the most scans. Each
size is ten times the one before it.
"""

import resource
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from math import log
from multiprocessing import get_context
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

from qrkit import analytics, open_portfolio, report
from qrkit.exchange.table_files import MOST_ROWS
from qrkit.notebook.widgets.dashboard.dashboard_answers import Selection, bars, drawn, numbers
from qrkit.portfolio import Portfolio
from qrkit.visits.redirect import Redirects, Request
from tests.benchmarks.conftest import machine
from tests.benchmarks.test_analytics_speed import fill

AFTER = datetime(2027, 1, 2, tzinfo=UTC)
"""A day after the scans."""
FEWEST_CODES, FEWEST_SCANS = 10_000, 1_000_000
REDIRECTS = 5_000
PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) Mobile/15E148 Safari/604.1"
HEADING = """# How costs grow

Made by `make growth` on {machine}, on {day}. Seconds are processor time of all
cores, each in a new process that has loaded qrkit; MB are the peak of memory of that process. The slope is the exponent
of growth between the last two sizes: 0 for costs that stay as they are, 1 for those that grow with the number. Scans
are those of a year, of 100 codes in 4 campaigns; all are archived.

"""


class Cost(NamedTuple):
    """What a piece of work takes: seconds of processor time, and the peak of memory in MB."""

    seconds: float
    memory: float


def opened(path: Path) -> Portfolio:
    """Open a portfolio after its last scan."""
    return open_portfolio(path, base_url="https://go.example", clock=lambda: AFTER)


def import_codes(path: Path, number: int) -> None:
    """Import CSV files of codes, as large as they may be."""
    with opened(path) as shop:
        for first in range(0, number, MOST_ROWS):
            part = range(first, min(first + MOST_ROWS, number))
            rows = "".join(f"Campaign {row % 40},Poster {row},https://example.com/{row}\n" for row in part)
            shop.import_file(f"Campaign,Name,Content\n{rows}".encode(), format="csv")


def open_server(path: Path, _number: int) -> None:
    """Open a store and answer the first redirect."""
    with opened(path) as shop:
        redirect(shop, 1)


def redirect(shop: Portfolio, times: int) -> None:
    """Answer requests to a code, and record their visits."""
    redirects = Redirects(shop.store, seconds=60)
    code = shop.store.rows("SELECT code FROM short_codes LIMIT 1")[0]["code"]
    for number in range(times):
        redirects.answer(Request("GET", code, {"user-agent": PHONE}, f"{number}.example"))


def redirect_often(path: Path, _number: int) -> None:
    """Open a store and answer many redirects."""
    with opened(path) as shop:
        redirect(shop, REDIRECTS)


def list_codes(path: Path, _number: int) -> None:
    """Make the table of all codes."""
    with opened(path) as shop:
        shop.qrcodes()


def insert_scans(path: Path, number: int) -> None:
    """Make a store with scans of a year."""
    with opened(path) as shop:
        fill(shop, number)


def archive(path: Path, _number: int) -> None:
    """Archive all scans."""
    with opened(path) as shop:
        shop.archive()


def first_answer(path: Path, _number: int) -> None:
    """Open a store and count its scans."""
    with opened(path) as shop:
        shop.scans.count()


def one_month(path: Path, _number: int) -> None:
    """Summarize a month, with its visitors."""
    with opened(path) as shop:
        analytics.summary(shop.scans.where(since="2026-06-01", until="2026-07-01"))


def dashboard(path: Path, _number: int) -> None:
    """Answer everything that a dashboard shows at first."""
    with opened(path) as shop:
        numbers(shop.scans)
        for _ in drawn(shop, Selection(), 1200, 600):
            pass
        for _ in bars(shop, Selection()):
            pass


def make_report(path: Path, _number: int) -> None:
    """Make the report of a portfolio."""
    with opened(path) as shop:
        report.portfolio(shop)


CODES = {
    "import, a code": (import_codes, 1),
    "open and first redirect": (open_server, 0),
    "a redirect with its visit": (redirect_often, REDIRECTS),
    "table of all codes": (list_codes, 0),
}
SCANS = {
    "archive, a scan": (archive, 1),
    "open and count": (first_answer, 0),
    "visitors of a month": (one_month, 0),
    "dashboard": (dashboard, 0),
    "report": (make_report, 0),
}
"""Each piece of work, and of what the cost is told: 1 for one of the codes or scans, 0 for all of it, or how many."""


def measured(work: Callable[[Path, int], None], path: Path, number: int) -> Cost:
    """Do some work in a new process."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(_measured, work, path, number).result()


def _measured(work: Callable[[Path, int], None], path: Path, number: int) -> Cost:
    start = process_time()
    work(path, number)
    return Cost(process_time() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def sizes(fewest: int, most: int) -> Iterator[int]:
    """Yield the sizes to measure, each ten times the one before."""
    while fewest <= most:
        yield fewest
        fewest *= 10


def table(what: str, works: dict[str, Any], found: dict[int, dict[str, Cost]]) -> str:
    """Return a table in Markdown: a row for each piece of work, a column for each size, and the slope."""
    lines = [f"| {what} | {' | '.join(f'{size:,}' for size in found)} | slope |", f"|---{'|--:' * (len(found) + 1)}|"]
    for name, (_, unit) in works.items():
        costs = {size: by_name[name] for size, by_name in found.items()}
        each = [told(cost.seconds, size if unit == 1 else unit, cost.memory) for size, cost in costs.items()]
        lines.append(f"| {name} | {' | '.join(each)} | {slope(costs)} |")
    return "\n".join(lines)


def slope(costs: dict[int, Cost]) -> str:
    """Return the exponent of growth between the last two sizes; nothing if there is one size."""
    if len(costs) < 2:
        return ""
    (fewer, before), (more, after) = list(costs.items())[-2:]
    return f"{log(after.seconds / before.seconds) / log(more / fewer):.2f}"


def told(seconds: float, units: int, memory: float) -> str:
    """Return a cost for people: in all, or for one of many."""
    cost = f"{seconds / units * 1e6:,.1f} µs" if units else f"{seconds:.2f} s"
    return f"{cost}, {memory:,.0f} MB"


def study(works: dict[str, Any], fewest: int, most: int, make: Callable[[Path, int], None] | None) -> Any:
    """Measure all work at all sizes, in a new store for each size."""
    found: dict[int, dict[str, Cost]] = {}
    for size in sizes(fewest, most):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "shop.duckdb"
            if make:
                measured(make, path, size)
            found[size] = {name: measured(work, path, size) for name, (work, _) in works.items()}
            print(size, found[size], flush=True)  # noqa: T201 - it takes minutes
    return found


def main(path: str, codes: str, scans: str) -> None:
    """Measure, and write the tables."""
    heading = HEADING.format(machine=machine(), day=datetime.now(UTC).date())
    tables = [
        table("codes", CODES, study(CODES, FEWEST_CODES, int(codes), None)),
        table("scans", SCANS, study(SCANS, FEWEST_SCANS, int(scans), insert_scans)),
    ]
    Path(path).write_text(heading + "\n\n".join(tables) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
