"""The settings of the console: who may do what, and what becomes of it in the store."""

import pytest

from qrkit import Portfolio, open_portfolio
from qrkit.notebook.widgets.administration.administration import Administration
from qrkit.portfolio.access import authenticate, create_account, list_accounts, list_keys
from qrkit.store.upkeep.retention import keep_days
from qrkit.tracking.times import now


@pytest.fixture
def shop(tmp_path):
    with open_portfolio(tmp_path / "shop.duckdb", base_url="https://go.example.com") as shop:
        yield shop


@pytest.fixture
def page(shop):
    page = Administration(shop)
    yield page
    page.close()


@pytest.fixture
def of_ana(shop):
    page = Administration(Portfolio(shop.store, create_account(shop.store, "Ana")), name="of Ana")
    yield page
    page.close()


def say(page, **message):
    page._handle_custom_msg(message, [])
    return page.errors.get("", "")


def test_a_key_is_shown_once_and_works_until_it_is_revoked(page, shop):
    assert say(page, ask="make key", label="laptop") == ""
    secret, (key,) = page.state["secret"], page.state["keys"]
    assert authenticate(shop.store, secret, now()) == shop.account
    assert (key["label"], key["revoked"]) == ("laptop", None)
    assert say(page, ask="revoke key", key=key["id"]) == ""
    assert page.state["secret"] == ""
    assert page.state["keys"][0]["revoked"]
    assert "no API key" in say(page, ask="revoke key", key=key["id"])
    assert "at most 100 characters" in say(page, ask="make key", label="x" * 101)


def test_the_administrator_makes_accounts_and_their_keys(page, shop):
    assert say(page, ask="make account", account="Ana", plan="pro") == ""
    say(page, ask="make key", label="first")
    ana = authenticate(shop.store, page.state["secret"], now())
    assert (ana.name, ana.plan, page.state["account"]) == ("Ana", "pro", "Ana")
    assert say(page, ask="change plan", account="Ana", plan="free") == ""
    assert page.state["accounts"] == [["local", "premium", 0], ["Ana", "free", 1]]
    assert "is already the name" in say(page, ask="make account", account="Ana", plan="pro")
    say(page, ask="show account", account="local")
    assert (page.state["account"], page.state["keys"]) == ("local", [])


def test_an_account_manages_only_its_own_keys(of_ana, shop):
    assert set(of_ana.state) & {"accounts", "plans", "base_url", "days"} == set()
    for message in (
        {"ask": "make account", "account": "Eve", "plan": "premium"},
        {"ask": "change plan", "account": "Ana", "plan": "premium"},
        {"ask": "show account", "account": "local"},
        {"ask": "save settings", "base_url": "https://evil.example", "days": "1"},
        {"ask": "back up"},
    ):
        assert "only the account local" in say(of_ana, **message)
    say(of_ana, ask="part")
    assert [(one.name, one.plan) for one in list_accounts(shop.store)] == [("local", "premium"), ("Ana", "free")]
    assert (keep_days(shop.store), of_ana.state["account"], of_ana.state["file"]) == (None, "Ana", None)
    say(of_ana, ask="make key", label="mine")
    assert len(list_keys(shop.store, of_ana.portfolio.account)) == 1


def test_settings_of_the_store_are_kept(page, shop, tmp_path):
    assert say(page, ask="save settings", base_url="https://qr.example.com/", days="90") == ""
    assert (page.state["base_url"], page.state["days"]) == ("https://qr.example.com", 90)
    assert "base_url" in say(page, ask="save settings", base_url="qr", days="")
    assert "whole number of days" in say(page, ask="save settings", base_url="https://qr.example.com", days="soon")
    assert say(page, ask="save settings", base_url="https://qr.example.com", days=" ") == ""
    assert page.state["days"] is None
    shop.close()
    with open_portfolio(tmp_path / "shop.duckdb") as again:
        assert again.base_url == "https://qr.example.com"


def test_a_base_url_that_a_server_uses_stays(shop):
    page = Administration(shop, name="served", may_move=False)
    assert say(page, ask="save settings", base_url="https://qr.example.com", days="9") == ""
    assert (shop.base_url, keep_days(shop.store)) == ("https://go.example.com", 9)
    page.close()


def test_a_backup_arrives_in_parts_and_opens(page, shop, tmp_path, monkeypatch):
    sent = []
    monkeypatch.setattr(page, "send", lambda told, buffers: sent.append((told, buffers[0])))
    shop.insert_qrcode("https://example.com", name="Door")
    assert say(page, ask="back up") == ""
    file = page.state["file"]
    while sum(len(data) for _, data in sent) < file["bytes"]:
        say(page, ask="part", view="v")
    copy = tmp_path / "copy.duckdb"
    copy.write_bytes(b"".join(data for _, data in sent))
    assert (file["name"], sent[0][0]) == ("shop.duckdb", {"answer": "part", "view": "v"})
    with open_portfolio(copy) as again:
        assert [one.name for one in again.list_qrcodes()] == ["Door"]
