"""`qrkit set` with rules, limits and times, and `qrkit explain`."""

import json
import re
import shutil
from io import StringIO
from pathlib import Path

import pytest

from qrkit import open_portfolio
from qrkit.__main__ import main
from qrkit.tracking.passwords import is_right

HOME = "https://example.com/home"
RULE = {"conditions": [{"type": "device", "matchValue": "ios"}], "content": HOME}


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    path = tmp_path_factory.mktemp("prepared") / "shop.duckdb"
    with open_portfolio(path, base_url="https://go.example.com") as shop:
        shop.insert_qrcode(HOME, short_code="door")
    return path


@pytest.fixture
def store(prepared, tmp_path):
    return Path(shutil.copy(prepared, tmp_path))


@pytest.fixture
def run(store, capsys):
    def run(*words, status=0):
        assert main([*words, "--store", str(store)]) == status
        told = capsys.readouterr()
        return told.out if status == 0 else told.err

    run.store = store
    return run


def test_a_password_may_come_through_a_pipe(run, monkeypatch):
    monkeypatch.setattr("sys.stdin", StringIO("open sesame\n"))
    run("set", "door", "--password", "-")
    with open_portfolio(run.store) as shop:
        assert is_right(shop.find_qrcode("door").password, "open sesame")
    run("set", "door", "--password", "-", status=2)  # the pipe is empty now
    with open_portfolio(run.store) as shop:
        assert is_right(shop.find_qrcode("door").password, "open sesame")


def test_a_rule_in_words_leads_where_explain_says(run):
    rules = (
        "device=ios language!=de,fr https://example.com/app",
        "hours(Europe/Ljubljana)=09:00-17:00 https://example.com/open",
    )
    run("set", "door", "--rule", rules[0], "--rule", rules[1])
    assert run("explain", "door", "--device", "ios", "--language", "en").startswith(
        "https://example.com/app: rule 1 of 2"
    )
    told = run("explain", "door", "--device", "ios", "--language", "de-AT", "--at", "2026-07-01T08:00:00Z", "--json")
    assert json.loads(told) | {"sentence": ""} == {
        "reason": "rule",
        "content": "https://example.com/open",
        "rule": 2,
        "sentence": "",
    }
    assert "no rule applies" in run("explain", "door", "--at", "2026-07-01T20:00:00Z")
    shown = run("show", "door")
    assert "device ios and not language de or fr" in shown
    run("set", "door", "--rules", "[]")
    assert "rule" not in run("show", "door")


def test_a_campaign_has_rules_for_its_codes(run, store):
    run("campaign", "add", "Spring", "--rule", "device=ios https://example.com/app")
    run("set", "door", "--campaign", "Spring")
    assert "no rule" not in run("explain", "door", "--device", "ios")
    run("campaign", "set", "Spring", "--apply-rules")
    assert run("explain", "door", "--device", "ios").startswith("https://example.com/app:")
    run("add", "https://example.com/2", "--short-code", "gate", "--campaign", "Spring")
    assert run("explain", "gate", "--device", "ios").startswith("https://example.com/app:")
    run("campaign", "set", "Spring", "--rules", "[]", "--apply-rules")
    assert "rule" not in run("show", "gate")
    assert "takes effect" in run("campaign", "set", "Spring", *(["--rule", "device=ios https://a.b"] * 2), status=2)


def test_rules_come_from_a_file_of_shlink(run, tmp_path):
    file = tmp_path / "rules.json"
    rule = {
        "longUrl": "https://example.com/1",
        "priority": 1,
        "conditions": [{"type": "device", "matchKey": None, "matchValue": "android"}],
    }
    file.write_text(json.dumps({"defaultLongUrl": HOME, "redirectRules": [rule]}))
    run("set", "door", "--rules", str(file))
    assert run("explain", "door", "--device", "android").startswith("https://example.com/1:")


def test_times_limits_the_switch_and_the_password(run, store):
    run(
        "set",
        "door",
        "--until",
        "2026-12-24T18:00:00Z",
        "--limit",
        "100",
        "--limit-a-day",
        "9",
        "--password",
        "sesame",
        "--click-id",
        "click",
        "--off",
    )
    assert run("explain", "door").startswith("nowhere: it is switched off")
    run("set", "door", "--on")
    assert "type the password" in run("explain", "door", "--at", "2026-12-24T00:00:00Z")
    shown = json.loads(run("show", "door", "--json"))["terms"]
    told = re.sub(" +", " ", run("show", "door"))
    assert " limit 100 scans\n" in told
    assert " limit a day 9 scans\n" in told
    until = "2026-12-24T18:00:00Z"
    assert shown == {"validUntil": until, "limit": 100, "limitADay": 9, "password": True, "clickId": "click"}
    run("set", "door", "--limit", "1")
    assert " limit 1 scan\n" in re.sub(" +", " ", run("show", "door"))
    run("set", "door", "--until", "", "--limit", "0", "--limit-a-day", "0", "--password", "", "--click-id", "")
    assert json.loads(run("show", "door", "--json"))["terms"] == {}


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("set", "door", "--rule", "gadget=ios https://example.com"), "'gadget=ios' is not a condition; known are"),
        (("set", "door", "--rule", "https://example.com"), "conditions"),
        (("set", "door", "--rules", "[1]"), "rules"),
        (("set", "door", "--rules", '{"a": 1}'), "must be a JSON list"),
        (("set", "door", "--rules", json.dumps([RULE] * 51)), "must have 0..50 entries, not 51"),
        (("set", "door", "--rule", "hours(Mars)=09:00-17:00 https://example.com"), "IANA name of a time zone"),
        (("set", "door", "--rule", "device=ios https://go.example.com/door"), "the short URL of this QR Code itself"),
        (("set", "door", "--password", "x"), "must have 4..100 characters, not 1"),
        (("set", "door", "--until", "tomorrow"), "must be a date and time"),
        (("explain", "gate"), "gate"),
    ],
)
def test_what_cannot_be_read_is_said_in_a_sentence(run, words, told):
    assert told in run(*words, status=2)


def test_campaigns_say_what_links_are_tagged_with(run):
    run("campaign", "add", "Spring", "--utm", "source=poster", "--utm", "term={short_code}")
    run("set", "door", "--campaign", "Spring", "--pass-query", "yes")
    assert run("explain", "door").startswith(f"{HOME}?utm_source=poster&utm_term=door: ")
    assert json.loads(run("show", "door", "--json"))["terms"] == {"passQuery": True}
    run("campaign", "set", "Spring", "--utm", "term=")
    assert json.loads(run("campaign", "list", "--json"))["utm"] == "source=poster"
    run("set", "door", "--pass-query", "")
    assert run("explain", "door").startswith(f"{HOME}?utm_source=poster: ")
    assert "--utm sauce" in run("campaign", "set", "Spring", "--utm", "sauce=x", status=2)


def test_a_picture_may_go_without_the_marker(run):
    run("add", HOME, "--short-code", "gate")
    run("add", HOME, "--short-code", "shelf", "--no-scan-marker")
    with open_portfolio(run.store) as shop:
        assert [code.scan_marker for code in shop.list_qrcodes()] == [True, True, False]
