"""`qrkit webhook` and `qrkit tail`."""

import json
import subprocess
import sys
import time

import pytest

from qrkit import open_portfolio
from qrkit.__main__ import main
from qrkit.portfolio.delivering import deliver
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


@pytest.mark.slow
def test_tail_appends_events_to_a_file(tmp_path):
    place, file = str(tmp_path / "shop.duckdb"), tmp_path / "events.ndjson"
    with open_portfolio(place) as shop:
        shop.webhooks.add("https://example.com/scans")  # so that events are kept
        made = [shop.insert_qrcode(HOME).id for _ in range(3)]
    words = ["tail", "--after", "1", "--to", str(file), "--store", place]
    with subprocess.Popen([sys.executable, "-m", "qrkit", *words]) as tail:
        end = time.monotonic() + 20
        while time.monotonic() < end and not (file.exists() and file.read_text().count("\n") == 2):
            assert tail.poll() is None
        tail.terminate()
    assert [json.loads(line)["subject"] for line in file.read_text().splitlines()] == made[1:]
