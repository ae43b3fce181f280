"""The settings of the console: who may do what, and what becomes of it in the store."""

from datetime import UTC, datetime
from urllib.parse import quote

import pytest

from qrkit import Brand, Portfolio, open_portfolio
from qrkit.notebook.widgets.administration.administration import Administration
from qrkit.portfolio.access import authenticate, create_account, create_key, list_accounts, list_keys
from qrkit.store.upkeep.retention import keep_days
from qrkit.tracking.times import now

SQUARE = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 9 9'><path d='M0 0h9v9z'/></svg>"
LOGO = f"data:image/svg+xml,{quote(SQUARE)}"


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
    assert (page.state["secret_of"], say(page, ask="use brand", brand="")) == ("local", "")
    assert "name" in say(page, ask="save brand", name=" ")
    assert page.state["secret"] == secret, "it is not shown again, so it stays until it is dismissed"
    say(page, ask="dismiss key")
    assert page.state["secret"] == ""
    assert say(page, ask="revoke key", key=key["id"]) == ""
    assert page.state["keys"][0]["revoked"]
    assert "no API key" in say(page, ask="revoke key", key=key["id"])
    assert "at most 100 characters" in say(page, ask="make key", label="x" * 101)


def test_a_key_can_expire(page, shop):
    assert say(page, ask="make key", label="guest", expires="2999-12-31") == ""
    (key,), secret = page.state["keys"], page.state["secret"]
    assert (key["expires"][:10], key["is_over"]) == ("2999-12-31", False)
    assert "must be in the future" in say(page, ask="make key", label="late", expires="2020-01-01")
    assert page.state["secret"] == secret
    create_key(shop.store, shop.account, expires=datetime(2020, 1, 1, tzinfo=UTC))
    say(page, ask="show account", account="local")
    assert [one["is_over"] for one in page.state["keys"]] == [False, True]


LOOK = {"name": "Acme", "ink": "#1B2A49", "accent": "#9A3412", "ground": "#FFFFFF", "logo": LOGO}


def test_a_brand_is_made_changed_and_chosen(page, shop):
    assert page.state["look"] == {"name": "", "ink": "#000000", "accent": "#000000", "ground": "#FFFFFF", "logo": ""}
    assert say(page, ask="save brand", **LOOK) == ""
    assert (shop.brands.used, page.state["brand"], page.state["look"]) == ("Acme", "Acme", LOOK)
    assert say(page, ask="save brand", **LOOK | {"name": "Acme Ltd", "accent": "#1B2A49", "logo": ""}) == ""
    assert shop.brands.current == Brand("Acme Ltd", ink="#1B2A49", ground="#FFFFFF")
    assert (shop.brands.names(), page.state["look"]["accent"]) == (["Acme"], "#1B2A49")
    assert say(page, ask="use brand", brand="") == ""
    assert (shop.brands.current, page.state["brands"]) == (None, ["Acme"])
    assert "is the name of a saved brand" in say(page, ask="save brand", **LOOK)
    assert say(page, ask="use brand", brand="Acme") == ""
    assert shop.brands.used == "Acme"


def test_colors_that_scanners_may_not_read_are_told_beside_their_fields(page):
    assert page.state["warnings"] == {}
    assert say(page, ask="save brand", **LOOK | {"ink": "#F5F5DC", "accent": "#FF7700"}) == ""
    assert page.state["warnings"]["ink"] == "Contrast 5%: scanners may fail"
    assert set(page.state["warnings"]) == {"ink", "accent"}
    assert say(page, ask="judge color", ink="#000000") == ""
    assert set(page.state["warnings"]) == {"accent"}, "before it is saved"
    assert say(page, ask="judge color", ground="pale") != ""
    assert say(page, ask="save brand", **LOOK) == ""
    assert page.state["warnings"] == {}


def test_a_brand_keeps_what_the_studio_gave_it(page, shop):
    shop.brands.save("acme", Brand("Acme", frame="bar", eye="rounded"))
    say(page, ask="use brand", brand="acme")
    assert say(page, ask="save brand", **LOOK) == ""
    assert (shop.brands.current.frame, shop.brands.current.eye) == (Brand("Acme", frame="bar").frame, "rounded")
    assert "must not be blank" in say(page, ask="save brand", **LOOK | {"name": " "})
    assert "logo" in say(page, ask="save brand", **LOOK | {"logo": "data:image/png;base64,AAAA"})
    assert shop.brands.current.logo == LOGO


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
    assert set(of_ana.state) & {"accounts", "plans", "base_url", "days", "time_zone"} == set()
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
    kept = {"ask": "save settings", "base_url": "https://qr.example.com", "days": ""}
    assert say(page, **kept, time_zone="Europe/Ljubljana") == ""
    assert "time_zone" in say(page, **kept, time_zone="Laibach")
    assert (page.state["time_zone"], shop.time_zone) == ("Europe/Ljubljana", "Europe/Ljubljana")
    shop.close()
    with open_portfolio(tmp_path / "shop.duckdb") as again:
        assert (again.base_url, again.time_zone) == ("https://qr.example.com", "Europe/Ljubljana")


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
