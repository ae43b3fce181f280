"""`qrkit trial`, whose browser is a page without a screen; and what `qrkit check --store` says afterwards."""

import json
import webbrowser

import pytest

from qrkit import Design
from qrkit.__main__ import main
from tests.trials.phones import IPHONE, Page, heading

DESIGN = Design(content="https://example.com/menu")


@pytest.fixture
def browser(monkeypatch, tmp_path):
    """Opens pages: a phone reads the first code, and somebody presses Stop."""
    monkeypatch.chdir(tmp_path)
    addresses = []

    def opened(address):
        addresses.append(address)
        page = Page(address)
        page.begin(IPHONE)
        heading(page.code(), IPHONE)
        page.look()
        heading(page.code(), IPHONE)
        page.look()
        page.send("stop")
        page.take_result()

    monkeypatch.setattr(webbrowser, "open", opened)
    return addresses


def test_trial_is_printed_written_and_kept(browser, tmp_path, capsys):
    (tmp_path / "brand.json").write_text(DESIGN.to_json())
    kept = ["--store", "shop.duckdb"]
    assert main(["trial", "brand.json", "--host", "127.0.0.1", "--port", "0", "-o", "kept.html", *kept]) == 0
    said, complained = capsys.readouterr()
    assert said.startswith(f"trial at {browser[0]} (Ctrl-C stops)\niPhone: 1 of 1, plain 1 of 1; ")
    assert "only this computer reaches 127.0.0.1" in complained
    assert "iPhone read 1 of 1 codes" in (tmp_path / "kept.html").read_text()
    assert main(["check", "brand.json", "--level", "static", *kept]) == 0
    assert "\n  simulated: robust; your phone: 1 of 1\n" in capsys.readouterr().out
    assert main(["check", "brand.json", "--level", "static", "--json", *kept]) == 0
    assert json.loads(capsys.readouterr().out)["beside"] == "simulated: robust; your phone: 1 of 1"


@pytest.mark.parametrize("code", ["https://example.com/menu.png", "a text"])
def test_words_are_the_text_of_a_plain_code(browser, capsys, code):
    assert main(["trial", code, "--host", "127.0.0.1", "--port", "0", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["content"] == code
    assert [phone["name"] for phone in result["phones"]] == ["iPhone"]


def test_files_that_are_missing_are_named(capsys):
    assert main(["trial", "poster.svg", "--no-open", "--port", "0"]) == 2
    assert "poster.svg" in capsys.readouterr().err
