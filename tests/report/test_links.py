"""Links to reports that expire."""

import logging
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

import pytest

from qrkit import open_portfolio, report
from qrkit.errors import InvalidParameter
from qrkit.server import Client, Settings, make_app
from qrkit.store.records.receivers import sweep_events

NOON = datetime(2026, 6, 10, 12, tzinfo=UTC)


class World:
    def __init__(self, shop):
        self.shop, self.now = shop, NOON
        self.made = report.portfolio(shop)
        self.client = Client(make_app(shop.store, Settings(base_url=shop.base_url), clock=lambda: self.now))

    def get(self, link, **headers):
        parts = urlsplit(link)
        return self.client.request("GET", parts.path, query=parts.query, headers=headers)


@contextmanager
def opened():
    with open_portfolio(":memory:", base_url="https://go.example.com", clock=lambda: NOON) as shop:
        shop.insert_qrcode("https://example.com", name="Door")
        yield World(shop)


@pytest.fixture
def world():
    with opened() as made:
        yield made


@pytest.fixture(scope="module")
def same_world():
    """One for all links that there are not."""
    with opened() as made:
        yield made


def test_a_link_shows_the_report_until_it_expires(world, caplog):
    link = world.made.link(world.shop, days=2)
    assert link.startswith("https://go.example.com/api/v3/report?token=")
    with caplog.at_level(logging.INFO):
        answer = world.get(link)
    assert (answer.status, answer.text) == (200, world.made.html)
    assert answer.headers["cache-control"].startswith("private, no-store")
    policy = answer.headers["content-security-policy"]
    assert "sandbox allow-scripts" in policy
    assert "same-origin" not in policy
    token = link.rpartition("=")[2]
    assert token not in caplog.text
    assert token not in str(world.shop.store.rows("SELECT * FROM report_links"))
    world.now += timedelta(days=2, seconds=-1)
    assert world.get(link).status == 200
    world.now += timedelta(seconds=1)
    assert world.get(link).status == 404
    sweep_events(world.shop.store, world.now)
    assert world.shop.store.rows("SELECT * FROM report_links") == []


@pytest.mark.parametrize("query", ["", "?token=", "?token=x", "?auth=x", "?token=%FF&token=%00"])
def test_without_a_token_there_is_nothing(same_world, query):
    same_world.made.link(same_world.shop)
    assert same_world.get(f"/api/v3/report{query}").status in (400, 401, 404)
    assert "text/html" in same_world.get("/api/v3/report?token=x", accept="text/html").headers["content-type"]


@pytest.mark.parametrize("days", [0, 91, 1.5, True])
def test_links_last_at_most_90_days(same_world, days):
    with pytest.raises(InvalidParameter):
        same_world.made.link(same_world.shop, days=days)


def test_pages_are_limited_in_size_and_number(world, monkeypatch):
    for _ in range(100):
        world.made.link(world.shop)
    with pytest.raises(InvalidParameter, match="100 reports"):
        world.made.link(world.shop)
    monkeypatch.setattr(report, "MOST_LINKED_BYTES", 1_000)
    with pytest.raises(InvalidParameter, match=r"1,000 bytes"):
        world.made.link(world.shop)
