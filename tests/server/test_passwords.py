"""QR Codes with a password: visitors are asked for it on a page, and led on for a quarter of an hour."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from qrkit import open_portfolio
from qrkit.portfolio.access import create_key
from qrkit.server import Client, Settings, make_app

HOME = "https://example.com/home"
PHONE = {
    "User-Agent": "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
    "Version/17.5 Mobile/15E148 Safari/604.1",
    "Accept": "text/html",
}


@pytest.fixture
def shop():
    with open_portfolio(":memory:", base_url="https://go.example.com") as portfolio:
        portfolio.insert_qrcode(HOME, short_code="door", password="open sesame")
        portfolio.insert_qrcode(HOME, short_code="summer/2026", password="open sesame")
        yield portfolio


@pytest.fixture
def client(shop):
    return Client(make_app(shop.store, Settings(base_url=shop.base_url)))


def send(client, password, path="/door", **headers):
    return client.request("POST", path, body=f"password={password}".encode(), headers=PHONE | headers)


def cookie_of(reply):
    return reply.headers["set-cookie"]


@pytest.mark.rule("T20", "P2")
@pytest.mark.parametrize("path", ["/door", "/summer/2026"])
def test_a_visitor_types_the_password_and_is_led_on_for_a_quarter_of_an_hour(shop, client, path):
    asked = client.request("GET", path, headers=PHONE)
    assert asked.status == 200
    assert 'type="password"' in asked.text
    assert HOME not in asked.text
    assert shop.scans.count() == 0
    wrong = send(client, "open+barley", path)
    assert wrong.status == 403
    assert "not the password" in wrong.text
    right = send(client, "open+sesame", path)
    assert (right.status, right.headers["location"]) == (303, path)
    cookie = cookie_of(right)
    assert f"Path={path};" in cookie
    assert "HttpOnly; SameSite=Lax; Secure" in cookie
    assert "Max-Age=900" in cookie
    led = client.request("GET", path, headers=PHONE | {"Cookie": cookie.partition(";")[0]})
    assert (led.status, led.headers["location"]) == (302, HOME)
    assert shop.scans.count() == 1


@pytest.mark.parametrize("other", ["foo", "a/b=1", 'prefs={"a":1}', "x=a b", "path=1", "Größe=1"])
def test_cookies_of_other_programs_on_the_host_do_not_hide_ours(client, other):
    cookie = cookie_of(send(client, "open+sesame")).partition(";")[0]
    for sent in (f"{other}; {cookie}", f"{cookie}; {other}", f"{other};{cookie};"):
        assert client.request("GET", "/door", headers=PHONE | {"Cookie": sent}).status == 302


def test_a_cookie_is_no_use_for_another_code_or_another_password_or_after_a_quarter_of_an_hour(shop, client):
    name, _, value = cookie_of(send(client, "open+sesame")).partition(";")[0].partition("=")
    other, _, _ = cookie_of(send(client, "open+sesame", "/summer/2026")).partition(";")[0].partition("=")

    def status(path, cookie):
        return client.request("GET", path, headers=PHONE | {"Cookie": cookie}).status

    assert status("/door", f"{name}={value}") == 302
    assert status("/summer/2026", f"{other}={value}") == 200
    until, _, signature = value.partition(".")
    assert status("/door", f"{name}={int(until) + 1}.{signature}") == 200
    for broken in ("", "x", "9" * 5_000, "٣.٤", f"{until}.", f"{until}.ä"):
        assert status("/door", f"{name}={broken}") == 200
    shop.update_qrcode(shop.find_qrcode("door").id, password="open barley")
    assert status("/door", f"{name}={value}") == 200


def test_five_passwords_a_minute_may_be_tried_for_a_code(client):
    assert [send(client, "wrong+word").status for _ in range(7)] == [403] * 5 + [429] * 2
    assert send(client, "open+sesame", "/summer/2026").status == 303


def test_nothing_of_a_locked_code_is_shown_on_its_preview_or_as_raw_text(client):
    for path, query in (("/door+", ""), ("/door", "raw=1")):
        assert HOME not in client.request("GET", path, query=query, headers=PHONE).text


@pytest.mark.parametrize("body", [b"", b"password", b"password=" + b"x" * 3_000, b"&" * 4_000, b"\xff" * 50])
def test_strange_forms_are_refused_without_a_fault(client, body):
    assert client.request("POST", "/door", body=body, headers=PHONE).status in (400, 403, 413)


def test_there_is_nothing_to_post_to_a_code_without_a_password(shop, client):
    shop.insert_qrcode(HOME, short_code="open")
    assert send(client, "x", "/open").status == send(client, "x", "/nothing").status == 405


def test_a_page_says_that_a_code_leads_nowhere_now(shop, client):
    since = datetime.now(UTC) + timedelta(days=1)
    shop.insert_qrcode(HOME, short_code="early", valid_since=since)
    reply = client.request("GET", "/early", headers=PHONE | {"Accept-Language": "de"})
    assert reply.status == 410
    assert "führt im Moment nirgendwohin" in reply.text
    told = client.request("GET", "/early", headers={"Accept": "application/json"})
    assert "leads nowhere before" in json.loads(told.body)["detail"]


def test_rules_about_places_are_told_where_a_server_knows_none(shop, caplog):
    rule = {
        "conditions": [{"type": "geolocation-country-code", "matchValue": "SI"}],
        "content": "https://example.com/si",
    }
    key = create_key(shop.store, shop.account)
    client = Client(make_app(shop.store, Settings(base_url=shop.base_url)))
    body = json.dumps({"content": HOME, "rules": [rule]}).encode()
    reply = client.request("POST", "/api/v3/track/qrcode", query=f"auth={key}", body=body)
    assert "this server has no GeoIP database" in reply.headers["x-api-warning"]
    caplog.clear()
    make_app(shop.store, Settings(base_url=shop.base_url))
    assert "this server has no GeoIP database" in caplog.text


def test_the_owner_sees_which_rule_answered(shop, client):
    rule = {"conditions": [{"type": "device", "matchValue": "ios"}], "content": "https://example.com/ios"}
    shop.insert_qrcode(HOME, short_code="ruled", rules=[rule])
    text = client.request("GET", "/ruled+", headers=PHONE).text
    assert "rule 1 of 1 applies: device ios" in text


def test_the_owner_sees_why_a_text_is_shown_or_nothing(shop, client):
    shop.insert_qrcode(HOME, short_code="closed", valid_until="2020-01-01T00:00:00Z", otherwise="Come again.")
    code = shop.insert_qrcode(HOME, short_code="off", active=False)
    shown = client.request("GET", "/closed+", headers=PHONE).text
    assert "Come again." in shown
    assert "it leads nowhere from 2020-01-01T00:00:00Z on" in shown
    reply = client.request("GET", "/off+", headers=PHONE)
    assert (reply.status, "it is switched off" in reply.text) == (410, True)
    seen = client.request("GET", "/off", headers=PHONE)
    assert (seen.status, "leads nowhere at the moment" in seen.text, "switched off</" in seen.text) == (
        410,
        True,
        False,
    )
    assert shop.get_qrcode(code.id).scans == 0
    shop.update_qrcode(code.id, active=True)
    assert client.request("GET", "/off", headers=PHONE).headers["location"] == HOME
