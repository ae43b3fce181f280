import io
import json

import pytest

from qrkit import contents, decode
from qrkit.__main__ import main

NETWORK = contents.wifi("Cafe Nero", "espresso")


def run(capsys, *words):
    status = main([*words])
    said, complained = capsys.readouterr()
    return status, said, complained


def test_a_kind_prints_its_content(capsys):
    found = run(capsys, "content", "wifi", "--ssid", "Cafe Nero", "--password", "espresso")
    assert found == (0, f"{NETWORK}\n", "")


def test_json_has_kind_fields_and_content(capsys):
    _, said, _ = run(capsys, "content", "wifi", "--ssid", "Cafe Nero", "--password", "espresso", "--json")
    assert json.loads(said) == {"kind": "wifi", "fields": dict(NETWORK.fields), "content": str(NETWORK)}


def test_errors_name_options_and_hide_secrets(capsys):
    status, said, complained = run(capsys, "content", "wifi", "--ssid", "x" * 40, "--password", "s3cret" * 30)
    assert (status, said) == (2, "")
    assert "--ssid=" in complained
    assert "--password: must" in complained
    assert "s3cret" not in complained


def test_read_prints_kind_and_fields(capsys, monkeypatch):
    assert run(capsys, "content", "read", NETWORK)[1] == "wifi\n  ssid: Cafe Nero\n  password: espresso\n"
    monkeypatch.setattr("sys.stdin", io.StringIO("hello"))
    assert json.loads(run(capsys, "content", "read", "-", "--json")[1]) == {"kind": "text", "fields": {"text": "hello"}}


def test_generate_draws_a_content_by_its_kind(capsys, tmp_path):
    file = tmp_path / "wifi.png"
    assert run(capsys, "generate", "--wifi", "ssid=Cafe Nero", "password=espresso", "-o", str(file))[0] == 0
    assert decode(file).content == NETWORK


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--wifi", "Nero"], "--wifi='Nero': must be FIELD=VALUE"),
        (["hello", "--wifi", "ssid=Nero"], "--wifi: cannot be combined with CONTENT"),
        (["--from", "x.csv", "-o", "x.zip", "--wifi", "ssid=Nero"], "--wifi: cannot be combined with --from"),
        (["--wifi", "ssid=Nero", "password=12345678", "hidden=maybe"], "hidden='maybe': must be true or false"),
        (["--wifi", "sid=Nero"], "sid='Nero': is not a parameter; did you mean 'ssid'?"),
    ],
)
def test_generate_refuses_what_describes_no_content(capsys, words, told):
    status, said, complained = run(capsys, "generate", *words)
    assert (status, said) == (2, "")
    assert told in complained
