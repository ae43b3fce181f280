"""`qrkit webhook` and `qrkit tail`."""

import json
import subprocess
import sys
from datetime import UTC, datetime, time, timedelta
from itertools import chain, repeat
from threading import Event
from time import monotonic

import pandas as pd
import pytest

from qrkit import open_portfolio
from qrkit.__main__ import main
from qrkit.analytics import simulate
from qrkit.portfolio.delivering import deliver
from qrkit.server.operation.daily_looks import looking_daily
from qrkit.store.door import Door
from qrkit.store.records.receivers import newer_events
from qrkit.tracking.times import now
from tests.receivers import receiving

HOME = "https://example.com/home"


@pytest.mark.slow
@pytest.mark.needs("loopback")
def test_a_webhook_from_its_making_to_its_end(tmp_path, capsys):
    place = str(tmp_path / "shop.duckdb")
    with open_portfolio(place) as shop:
        shop.insert_campaign("Spring")

    def run(*words, status=0):
        assert main(["webhook", *words, "--store", place]) == status
        return [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    with receiving() as receiver:
        how = ("--kinds", "code.created,scan", "--campaign", "Spring", "--batch", "10", "--private")
        (added,) = run("add", receiver.url, *how, "--json")
        id = added["id"]
        assert run("test", id, "--json") == [{"status": 200, "error": ""}]
        assert receiver.sent[0].is_signed_with(added["secret"])
        with open_portfolio(place) as shop:
            campaign = shop.find_campaign("Spring").id
            code = shop.insert_qrcode(HOME, campaign_id=campaign)
            shop.insert_qrcode(HOME)
            deliver(shop.store, id, shop.now)
        assert [event["subject"] for event in receiver.events[1:]] == [code.id]
    assert [(row["id"], row["kinds"]) for row in run("list", "--json")] == [(id, "code.created, scan")]
    assert [row["status"] for row in run("log", id, "--json")] == [200, 200]
    assert run("log", id, "--dead") == []
    assert run("replay", id, "--json") == [{"id": id, "events": 0}]
    assert run("test", id, "--json", status=1)[0]["status"] is None
    assert run("remove", id, "--json") == [{"id": id}]
    assert run("list", "--json") == []


def test_an_unknown_kind_is_refused_under_its_option(tmp_path, capsys):
    place = str(tmp_path / "shop.duckdb")
    with open_portfolio(place):
        pass
    assert main(["webhook", "add", HOME, "--kinds", "scan,scn", "--store", place]) == 2
    assert "--kinds='scn': must be one of" in capsys.readouterr().err


@pytest.mark.slow
def test_tail_appends_events_to_a_file(tmp_path):
    place, file = str(tmp_path / "shop.duckdb"), tmp_path / "events.ndjson"
    with open_portfolio(place) as shop:
        shop.webhooks.add("https://example.com/scans")  # so that events are kept
        made = [shop.insert_qrcode(HOME).id for _ in range(3)]
    words = ["tail", "--after", "1", "--to", str(file), "--store", place]
    with subprocess.Popen([sys.executable, "-m", "qrkit", *words]) as tail:
        end = monotonic() + 120
        while monotonic() < end and not (file.exists() and file.read_text().count("\n") == 2):
            assert tail.poll() is None
            Event().wait(0.05)
        tail.terminate()
    assert [json.loads(line)["subject"] for line in file.read_text().splitlines()] == made[1:]


@pytest.mark.slow
def test_a_server_finds_silent_codes_after_midnight(tmp_path):
    place, today = tmp_path / "shop.duckdb", now().date()
    midnight = datetime.combine(today, time.min, UTC)
    moments = chain([midnight - timedelta(minutes=1)], repeat(midnight))
    with open_portfolio(place) as shop, Door(shop.store):
        for code in ("dead", "alive"):
            shop.insert_qrcode(HOME, short_code=code)
        days = {"dead": 30, "alive": 52}  # today and tomorrow, too: midnight may pass meanwhile
        scans = [simulate({code: 5}, since=today - timedelta(50), days=days[code]) for code in days]
        shop.scans.insert(pd.concat(scans))
        shop.webhooks.add("https://example.com/", kinds=["code.silent"])
        with looking_daily(str(place), "UTC", lambda: next(moments), 0.01):
            end = monotonic() + 120  # its process has a low priority
            while not (found := newer_events(shop.store, shop.account.id, after=0, most=9)) and monotonic() < end:
                Event().wait(0.05)
    assert [event["data"]["shortCode"] for _, event in found] == ["dead"]
