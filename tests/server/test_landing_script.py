"""What the script of the pages adds for people: buttons that copy, and the time where they are."""

import shutil

import pytest

from qrkit import open_portfolio
from tests.server.processes import served

WIFI = r"WIFI:T:WPA;S:Café Aurora;P:l1O0\;sunny;;"
EVENT = "BEGIN:VEVENT\nSUMMARY:Opening\nDTSTART:20260614T180000Z\nEND:VEVENT"
ROMAN_EVENT = EVENT.replace("DTSTART:20260614T180000Z", "DTSTART;TZID=Europe/Rome:20260614T180000")
CLIPBOARD = ["clipboard-read", "clipboard-write"]


@pytest.fixture(scope="module")
def visit(tmp_path_factory):
    """Opens the page of a content as a browser with these settings does, from a server with its headers."""
    from playwright.sync_api import sync_playwright

    store = tmp_path_factory.mktemp("store") / "pages.duckdb"
    with open_portfolio(store) as shop:
        codes = {content: shop.insert_qrcode(content).short_code for content in (WIFI, EVENT, ROMAN_EVENT)}
    options = {"executable_path": shutil.which("chromium"), "args": ["--no-sandbox", "--disable-gpu"]}
    with served(store) as (_, url), sync_playwright() as playwright:
        browser = playwright.chromium.launch(**options)

        def opened(content, **given):
            context = browser.new_context(**given)
            context.set_default_timeout(20_000)
            tab = context.new_page()
            tab.faults = []
            tab.on("console", lambda message: tab.faults.append(message.text))
            tab.on("pageerror", lambda error: tab.faults.append(str(error)))
            tab.goto(f"{url}/{codes[content]}")
            return tab

        yield opened
        browser.close()


@pytest.mark.slow
@pytest.mark.needs("chromium")
def test_name_and_password_of_a_network_are_copied(visit):
    tab = visit(WIFI, permissions=CLIPBOARD, locale="de")
    assert not tab.get_by_text("gedrückt").is_visible()
    for name, text in [("Namen kopieren", "Café Aurora"), ("Passwort kopieren", "l1O0;sunny")]:
        button = tab.get_by_role("button", name=name)
        button.click()
        tab.get_by_role("status").get_by_text("Kopiert").wait_for()
        assert button.inner_text() == "Kopiert"
        assert tab.evaluate("navigator.clipboard.readText()") == text
    assert tab.faults == []


@pytest.mark.slow
@pytest.mark.needs("chromium")
@pytest.mark.parametrize("given", [{"java_script_enabled": False}, {"permissions": []}], ids=["no script", "refused"])
def test_without_a_clipboard_lines_are_copied_by_hand(visit, given):
    tab = visit(WIFI, **given)
    button = tab.get_by_role("button", name="Copy password")
    if "permissions" in given:
        tab.evaluate("void (navigator.clipboard.writeText = async () => { throw new Error() })")
        button.click()
        tab.get_by_text("touch and hold it").wait_for()
    assert tab.get_by_text("touch and hold it").is_visible()
    assert not button.is_visible()


@pytest.mark.slow
@pytest.mark.needs("chromium")
@pytest.mark.parametrize(
    ("content", "zone", "locale", "parts"),
    [
        (EVENT, "Asia/Tokyo", "en", ["In your time zone:", "Monday", "15 June 2026", "03:00"]),
        (ROMAN_EVENT, "America/New_York", "de-AT", ["In Ihrer Zeitzone:", "Sonntag", "14. Juni 2026", "12:00"]),
        (ROMAN_EVENT, "Europe/Vienna", "de", []),
        (EVENT, "UTC", "en", []),
    ],
)
def test_an_event_is_also_said_in_the_time_of_the_visitor(visit, content, zone, locale, parts):
    tab = visit(content, timezone_id=zone, locale=locale)
    own = tab.locator(".own")
    assert own.is_visible() == bool(parts)
    assert [part for part in parts if part not in own.inner_text()] == []
    assert tab.faults == []


@pytest.mark.slow
@pytest.mark.needs("chromium")
def test_a_page_runs_no_other_script_than_its_own(visit):
    tab = visit(WIFI)
    tab.evaluate("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"document.title=1\">')")
    tab.evaluate(
        "const one = document.createElement('script'); one.text = 'document.title=2'; document.body.append(one)"
    )
    tab.wait_for_function("() => document.images[0].complete")
    assert tab.title() == "Café Aurora"
    assert tab.faults


@pytest.mark.slow
@pytest.mark.needs("chromium")
@pytest.mark.parametrize("content", [WIFI, ROMAN_EVENT], ids=["Wi-Fi", "event"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_page_has_no_fault_of_accessibility(visit, content, scheme):
    from axe_playwright_python.sync_playwright import Axe

    tab = visit(content, color_scheme=scheme, locale="pl", timezone_id="Asia/Tokyo", permissions=CLIPBOARD)
    faults = Axe().run(tab, options={"resultTypes": ["violations"]}).response["violations"]
    assert [(fault["id"], fault["help"]) for fault in faults] == []
