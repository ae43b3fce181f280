"""What is left of a server that is killed while it answers."""

import pytest

from qrkit import open_portfolio
from qrkit.store.upkeep import maintenance as care
from tests.server.load import Load, visits
from tests.server.processes import served
from tests.sweeps import night_after

EACH = 250
"""Answers that are waited for before a kill."""


@pytest.mark.slow
@pytest.mark.rule("T11")
@pytest.mark.needs("loopback")
@pytest.mark.parametrize("kills", night_after([5, 20]))
def test_every_redirect_that_was_answered_before_a_kill_has_its_scan_and_none_has_two(tmp_path, kills):
    """Open: when a scan is safe. Before its redirect is answered: a process that is killed takes none with it."""
    path = tmp_path / "shop.duckdb"
    with open_portfolio(path) as shop:
        shop.insert_qrcode("https://example.com/spring", short_code="door")
    answered = []
    for number in range(kills):
        with served(path) as (process, url):
            load = Load(url, visits("/door", 100_000, first=number * 100_000))
            last = EACH + 7 * number
            load.run(after=lambda count, process=process, last=last: process.kill() if count == last else None)
            answered += [one.tag for one in load.answers if one.status == 302]
    assert len(answered) >= kills * EACH
    with open_portfolio(path) as shop:
        stored = shop.scans.to_frame()["referrer"].tolist()
        assert care.verify(shop.store) == []
        (door,) = shop.list_qrcodes()
    assert set(answered) <= set(stored)
    assert len(stored) == len(set(stored)) == door.scans
