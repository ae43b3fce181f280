"""How long the dashboard takes to answer a filter on a million scans, without the browser."""

from statistics import median

import pytest

from qrkit import analytics, open_portfolio
from qrkit.notebook.widgets import ScanDashboard
from tests.benchmarks.test_analytics_speed import best, cost_of, fill

pytestmark = pytest.mark.benchmark

ROWS = 1_000_000
ROUNDS = 5
FILTERS = ({"device": "phone"}, {"device": ""}, {"country": "SI"}, {"country": ""})


def test_a_filter_on_a_million_scans(tmp_path, say):
    with open_portfolio(tmp_path / "a.duckdb") as shop:
        fill(shop, ROWS)
        board = ScanDashboard(shop, name="speed")
        costs = []
        for fields in FILTERS * ROUNDS:
            cost, _ = cost_of(lambda fields=fields: board._handle_custom_msg({"ask": "ask", "fields": fields}, []))
            costs.append(cost)
        board.close()
        scans = shop.scans
        without, with_visitors = (
            best(lambda is_asked=is_asked: analytics.scans_by(scans, "country", visitors=is_asked)).cpu
            for is_asked in (False, True)
        )
    wall, processor = (1000 * median(column) for column in zip(*costs, strict=True))
    say(f"a filter: {wall:.0f} ms, of which {processor:.0f} ms of processor time")
    say(f"a ranking: {1000 * without:.0f} ms of processor time, with visitors {1000 * with_visitors:.0f} ms")
    assert without < with_visitors / 2
