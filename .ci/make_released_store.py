"""Makes the stores of a release: PYTHONPATH=. python .ci/make_released_store.py 1.3.0.

`tests/store/test_released_versions.py` opens them ever after. Writes `VERSION.duckdb.gz`, `VERSION.postgresql.sql.gz`
and the keys of both into `tests/store/data`. Run it once, with the code of the release. It needs the server programs of
PostgreSQL, and replaces no store.
"""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
import tempfile
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from qrkit import Portfolio, open_portfolio
from qrkit.errors import NotFound
from qrkit.portfolio.access import create_account, create_key
from qrkit.tracking.records import Place
from qrkit.visits.redirect import Redirects, Request
from tests.servers import Server, program

__all__ = ["fill"]

DATA = Path(__file__).parents[1] / "tests/store/data"
OPENED = datetime(2026, 3, 1, 8, tzinfo=UTC)
PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) Mobile/15E148 Safari/604.1"
BOT = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
ROUND = ("door", "table", "door", "nobody", "door", "gone", "door", "nobody", "door", "table bot", "door", "gone bot")
"""Twelve visits, seven hours apart, that come five times; of those of bots, the last time is a HEAD request."""
ROUNDS = 5


class _Clock:
    """Returns the time that it is set to."""

    def __init__(self) -> None:
        self.time = OPENED

    def __call__(self) -> datetime:
        return self.time


def fill(place: str | Path) -> str:
    """Fill an empty store with what the tests expect, and return a key of Anna."""
    clock = _Clock()
    with open_portfolio(place, base_url="https://go.example.com", clock=clock) as shop:
        gone = _add_codes(shop)
        anna = create_account(shop.store, "Anna", plan="pro")
        key = create_key(shop.store, anna, label="web")
        Portfolio(shop.store, anna, base_url=shop.base_url, clock=clock).insert_qrcode(
            "https://anna.example", name="Anna", short_code="anna"
        )
        create_key(shop.store, shop.account, label="old", expires=datetime(2026, 4, 1, tzinfo=UTC))
        _visit(shop, clock)
        shop.delete_qrcode(gone)
    return key


def _add_codes(shop: Portfolio) -> str:
    """Add campaigns, codes and a template; return the ID of the code that is deleted later."""
    spring = shop.insert_campaign("Spring", description="Posters in town")
    shop.insert_campaign("Autumn")
    shop.templates.save("poster", {"size": 12, "foreground": "#FF102030"})
    door = shop.insert_qrcode(
        "https://example.com/spring", name="Door", campaign_id=spring.id, short_code="door", urlinfo="spring-menu",
        comment="At the entrance",
    )  # fmt: skip
    shop.update_qrcode(door.id, content="https://example.com/summer")
    shop.insert_qrcode(
        "https://example.com/menu", name="Table", campaign_id=spring.id, short_code="table",
        properties={"size": 12, "ec": "Q", "foreground": "#003366"},
        location={"address": "Ljubljana", "latitude": 46.05, "longitude": 14.5}, is_schedule_enabled=True,
        schedule=[{"content": "https://example.com/evening", "date": "2026-03-10T18:00:00Z"}],
    )  # fmt: skip
    shop.insert_qrcode("WIFI:T:WPA;S:guest;P:secret;;", name="Wi-Fi", short_code="wifi")
    shop.import_file(b"Content,Scans\nhttps://example.com/old,120\n", format="csv")
    return shop.insert_qrcode("https://example.com/gone", name="Gone", short_code="gone").id


def _visit(shop: Portfolio, clock: _Clock) -> None:
    def locate(address: str) -> Place:
        return Place(country="SI" if int(address.rpartition(".")[2]) % 2 else "DE")

    redirects = Redirects(shop.store, clock=clock, locate=locate)
    for number in range(len(ROUND) * ROUNDS):
        clock.time = OPENED + timedelta(hours=1 + 7 * number)
        code, _, is_bot = ROUND[number % len(ROUND)].partition(" ")
        method = "HEAD" if is_bot and number >= len(ROUND) * (ROUNDS - 1) else "GET"
        agent = BOT if is_bot and method == "GET" else PHONE
        asked = Request(method, code, {"user-agent": agent}, f"203.0.113.{number // 2 + 1}")
        with suppress(NotFound):  # of nobody
            redirects.answer(asked)


def _write(path: Path, data: bytes) -> None:
    with path.open("xb") as file:
        file.write(gzip.compress(data, mtime=0))


def _dump(url: str) -> bytes:
    """Return what `pg_dump` writes about a database, without comments."""
    command = [program("pg_dump") or "pg_dump", "--no-owner", "--no-unlogged-table-data", "--inserts", url]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    lines = (line for line in text.splitlines() if line and not re.match(r"--|\\(un)?restrict ", line))
    return ("\n".join(lines) + "\n").encode()


def _make(version: str) -> None:
    keys = json.loads((DATA / "keys.json").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "shop.duckdb"
        made = {"duckdb": fill(path)}
        _write(DATA / f"{version}.duckdb.gz", path.read_bytes())
    server = Server()
    try:
        url = server.new_database(is_kept=True)
        made["postgresql"] = fill(url)
        _write(DATA / f"{version}.postgresql.sql.gz", _dump(url))
    finally:
        server.remove()
    (DATA / "keys.json").write_text(json.dumps(keys | {version: made}, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    _make(*sys.argv[1:])
