"""The browser of a portfolio and the dashboard in JupyterLab, used as a person uses them."""

from pathlib import Path

import pytest

from qrkit.languages.sentences import catalog
from qrkit.notebook import widgets

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.needs("chromium", "loopback")]

PLACES = (("JupyterLab Light", 390), ("JupyterLab Light", 1440), ("JupyterLab Dark", 900))
"""Each theme and each width once."""

SHOP = """
import pandas as pd
from datetime import UTC, datetime
from qrkit import open_portfolio
from qrkit.widgets import PortfolioBrowser, ScanDashboard
now = datetime(2026, 3, 31, 12, tzinfo=UTC)
shop = open_portfolio(":memory:", base_url="https://go.example.com", clock=lambda: now)
window = shop.insert_campaign("Window")
tables = shop.insert_campaign("Tables")
shop.templates.save("brand", {"ec": "H", "foreground": "#0B3D91"})
for number in range(3):
    fields = {"name": f"Door {number}", "campaign_id": window.id, "short_code": f"d{number}"}
    shop.insert_qrcode(f"https://example.com/{number}", **fields)
times = pd.date_range("2026-03-01", periods=31, freq="D") + pd.Timedelta(hours=9)
shop.scans.insert(pd.DataFrame({"short_code": "d1", "time": times}))
"""
TELL = "print([(one.name, one.comment, len(one.schedule)) for one in shop.list_qrcodes()])"
TELL_MORE = "print([(one.name, one.template, one.content[8:]) for one in shop.list_qrcodes()])"


SHOW_AGAIN = """
views = globals().get("views", 0) + 1
PortfolioBrowser(shop) if views > 1 else None
"""

WORDS = """root => [...root.querySelectorAll("*")].filter(one => one.checkVisibility()).flatMap(one => [
    ...[...one.childNodes].filter(node => node.nodeType === Node.TEXT_NODE).map(node => node.data.trim()),
    ...["aria-label", "title", "placeholder"].map(name => one.getAttribute(name))]).filter(Boolean)"""
"""What people read or hear of a widget."""


SHARED = Path(widgets.__file__).with_name("widget.js").read_text(encoding="utf-8")
"""What all widgets need of scripts."""
ASK_TWICE = """
    const sent = [];
    const model = { send: (message) => sent.push(message), get: () => ({}), set() {}, save_changes() {} };
    const outbox = makeOutbox(model, document.createElement("div"), () => {});
    outbox.ask({ ask: "first" });
    for (const fields of [{ password: "open", limit: 1 }, { limit: 2 }]) ASK;
    outbox.answered();
    outbox.end();
    return sent.at(-1).fields;
"""


def asked_twice(ask):
    """Asks twice while Python is busy with a first message; gives the fields of the message that is sent after it."""
    return f"() => {{ {SHARED} {ASK_TWICE.replace('ASK;', ask)} }}"


def run_cell(page, number):
    cell = page.locator(".jp-Notebook .jp-CodeCell").nth(number)
    cell.locator(".jp-InputArea-prompt").click()
    page.evaluate("() => { window.jupyterapp.commands.execute('notebook:run-cell'); }")
    return cell


@pytest.mark.parametrize("shown", ["PortfolioBrowser(shop, ", "ScanDashboard(shop, ", "Designer("])
def test_widgets_say_nothing_in_english_that_they_know_in_german(notebook, shown):
    page = notebook(f"{SHOP}\nfrom qrkit.widgets import Designer\n{shown}language='de')", width=900)
    widget = page.locator(".qrkit-widget").first
    widget.wait_for()
    words = widget.evaluate(WORDS)
    german = catalog("de")
    spoken = {text for text in german.values() if isinstance(text, str)}
    assert len(spoken & {*words}) > 10
    assert {*words} & {*german} - spoken == set()


def test_what_is_tried_is_the_form_as_it_is_and_a_filter_joins_those_that_wait(profile):
    page = profile.new_page()
    tried = page.evaluate(asked_twice('outbox.askTogether({ ask: "try", fields });'))
    assert tried == {"limit": 2}, "the password was typed and cleared while Python was busy"
    asked = page.evaluate(asked_twice('outbox.askTogether({ ask: "ask" }, fields);'))
    assert asked == {"password": "open", "limit": 2}
    page.close()


def test_codes_are_found_and_changed_by_keys(notebook, faults):
    page = notebook(f"{SHOP}\nPortfolioBrowser(shop)", TELL, width=480)
    browser = page.locator(".qrkit-browser")
    browser.get_by_title("31 scans since 1 March 2026").wait_for()
    browser.get_by_label("Search").fill("door ")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.type("1")  # letters go to the search
    browser.get_by_text("1 QR Code", exact=True).wait_for()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    browser.get_by_role("img", name="QR Code Door 1").wait_for()
    name = browser.get_by_role("form", name="Edit QR Code").get_by_label("Name")
    name.fill("Gate")
    browser.get_by_role("button", name="Add scheduled change").focus()
    page.keyboard.press("Enter")
    browser.get_by_role("button", name="Save").focus()
    page.keyboard.press("Enter")
    browser.get_by_text("must not be empty").filter(visible=True).first.wait_for()
    assert name.input_value() == "Gate", "what was typed stays while something is wrong"
    change = browser.get_by_role("group", name="Scheduled change 1")
    change.get_by_label("New content").fill("https://example.com/april")
    change.get_by_label("Starts (UTC)").fill("2026-04-01T08:00")
    browser.get_by_role("button", name="Save").click()
    browser.get_by_text("Saved").wait_for()
    assert list(faults(page, ".qrkit-browser", PLACES)) == []
    run_cell(page, 1).get_by_text("[('Door 0', '', 0), ('Gate', '', 1), ('Door 2', '', 0)]").wait_for()


def test_codes_are_added_copied_deleted_and_changed_together(notebook, faults):
    page = notebook(f"{SHOP}\nPortfolioBrowser(shop)", TELL_MORE, SHOW_AGAIN, width=1440)
    browser = page.locator(".qrkit-browser")
    heads = browser.get_by_role("group", name="Sort by")
    heads.get_by_role("button", name="Name", pressed=False).click()
    heads.get_by_role("button", name="Name", pressed=True).wait_for()
    assert heads.get_by_role("button", name="Scans", pressed=False).count() == 1
    browser.get_by_role("button", name="New QR Code").click()
    form = browser.get_by_role("form", name="New QR Code")
    form.get_by_role("button", name="Add").click()
    form.get_by_text("must not be empty").wait_for()
    form.get_by_label("Content").fill("https://example.com/gate")
    form.get_by_role("button", name="Add").click()
    browser.get_by_text("QR Code added.").wait_for()
    browser.get_by_role("button", name="Duplicate").click()
    browser.get_by_text("5 QR Codes", exact=True).wait_for()
    browser.get_by_role("button", name="Delete", exact=True).click()
    browser.get_by_text("4 QR Codes", exact=True).wait_for()
    browser.get_by_role("button", name="Undo deletion").click()
    browser.get_by_text("5 QR Codes", exact=True).wait_for()
    browser.get_by_label("Search").fill("door")
    browser.get_by_text("3 QR Codes", exact=True).wait_for()
    browser.get_by_label("Select page").check()
    browser.get_by_role("button", name="Download for print").click()
    printing = browser.get_by_role("form", name="Download for print")
    printing.get_by_label("Width, mm").fill("40")
    assert list(faults(page, ".qrkit-browser", PLACES[:1])) == []
    with page.expect_download() as file:
        printing.get_by_role("button", name="Download").click()
    assert file.value.suggested_filename == "qr-codes.zip"
    printing.wait_for(state="hidden")
    browser.get_by_role("button", name="Edit together").click()
    together = browser.get_by_role("form", name="Edit together")
    together.get_by_label("Template").select_option("brand")
    together.get_by_label("Find in content").fill("example.com/2")
    together.get_by_label("Replace with").fill("example.org/two")
    together.get_by_role("button", name="Preview").click()
    together.get_by_text("Changes the content of 1 of 3 QR Codes.").wait_for()
    assert list(faults(page, ".qrkit-browser", PLACES)) == []
    together.get_by_role("button", name="Change 3 QR Codes").click()
    browser.get_by_text("3 QR Codes changed.").wait_for()
    browser.get_by_role("button", name="Undo change").click()
    browser.get_by_text("3 QR Codes changed back.").wait_for()
    browser.get_by_label("Select page").click()
    browser.get_by_text("3 selected").wait_for()
    browser.get_by_role("button", name="Edit together").click()
    together.get_by_label("Template").select_option("brand")
    together.get_by_label("Find in content").fill("example.com/2")
    together.get_by_label("Replace with").fill("example.org/two")
    together.get_by_label("Campaign", exact=True).select_option(label="New campaign…")
    together.get_by_label("New campaign").fill("Spring")
    together.get_by_role("button", name="Preview").click()
    together.get_by_text("Sets the campaign of 3 QR Codes: Spring.").wait_for()
    together.get_by_role("button", name="Change 3 QR Codes").click()
    browser.get_by_text("3 QR Codes changed.").wait_for()
    table = {
        "name": "more.csv",
        "mimeType": "text/csv",
        "buffer": b"Name,Content,Hall\nDoor 9,https://example.com/9,3\n",
    }
    browser.get_by_label("Spreadsheet").set_input_files(table)
    browser.get_by_label("Put into campaign").fill("Spring")
    browser.get_by_label("Put into campaign").blur()
    browser.get_by_role("button", name="Import 1 QR Code").click()
    browser.get_by_text("more.csv: 1 created, 1 column kept as fields.").wait_for()
    table["buffer"] = b"Name,Content\nDoor 9,https://example.com/nine\n"
    browser.get_by_label("Spreadsheet").set_input_files(table)
    browser.get_by_label("Match existing codes by").select_option(label="Name")
    browser.get_by_text("1 QR Code will be changed.").wait_for()
    assert list(faults(page, ".qrkit-browser", PLACES[:2])) == []
    browser.get_by_role("button", name="Import 1 QR Code").click()
    browser.get_by_text("more.csv: 0 created, 1 updated.").wait_for()
    visits = b"short_code,time\nd0,2026-03-30T09:00:00Z\n"
    browser.get_by_label("Spreadsheet").set_input_files({**table, "name": "visits.csv", "buffer": visits})
    browser.get_by_label("QR Code for all visits").wait_for()
    assert not browser.get_by_label("Put into campaign").is_visible()
    browser.get_by_role("button", name="Import 1 visit").click()
    browser.get_by_text("visits.csv: 1 visit added, 0 known before.").wait_for()
    browser.get_by_role("button", name="Close", exact=True).filter(visible=True).click()
    browser.get_by_text("Columns", exact=True).first.click()
    browser.get_by_role("group", name="Columns").get_by_label("Campaign").uncheck()
    browser.get_by_role("button", name="Campaign ↕").wait_for(state="detached")
    assert list(faults(page, ".qrkit-browser", PLACES[1:2])) == []
    browser.get_by_role("button", name="Name").click()
    browser.get_by_role("button", name="Unscanned").click()
    browser.locator(".qk-pick").filter(has_text="Door 1").wait_for(state="detached")
    assert browser.locator(".qk-pick").filter(has_text="Door 9").filter(has_text="Spring").is_visible()
    cell = run_cell(page, 1)
    cell.get_by_text("('Door 1', 'brand', 'example.com/1'), ('Door 2', 'brand', 'example.org/two')").wait_for()
    assert page.evaluate("localStorage.getItem('qrkit columns')") == '["field:Hall"]'
    page.evaluate("""() => localStorage.setItem("qrkit columns", '["campaign"]')""")
    run_cell(page, 2)
    browser.first.get_by_role("button", name="Hall ↕").wait_for(state="detached")
    page.evaluate("localStorage.removeItem('qrkit columns')")


def test_a_code_is_designed_in_the_studio_inside_the_browser(notebook):
    page = notebook(f"{SHOP}\nPortfolioBrowser(shop)", TELL_MORE, width=1440)
    browser = page.locator(".qrkit-browser")
    browser.get_by_text("Door 1").first.click()
    browser.get_by_role("button", name="Open in studio").click()
    studio = browser.locator(".qrkit-designer")
    studio.wait_for()
    browser.get_by_label("Save as template").fill("door")
    browser.get_by_role("button", name="Use for this QR Code").click()
    browser.get_by_text("The template “door” now draws this QR Code.").wait_for()
    assert studio.count() == 0
    run_cell(page, 1).get_by_text("('Door 1', 'door', 'example.com/1')").wait_for()


CHOOSE_BOTH = """([from, to]) => {
    const value = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value");
    const choose = (input, day) => {
        value.set.call(input, day);
        input.dispatchEvent(new Event("change"));
    };
    window.written = [];
    Object.defineProperty(to, "value", {
        get() { return value.get.call(this); },
        set(day) { window.written.push(day); value.set.call(this, day); },
    });
    choose(from, "2026-03-01");
    choose(to, "2026-03-14");
}"""
"""Choose two days at once, and keep what the page writes into the second field."""


def figure(board, name, text):
    """The tile of a key figure, once it says this."""
    return board.locator(f".qk-tile[data-name={name}]").filter(has_text=text)


def test_days_are_chosen_and_charts_follow(notebook, faults):
    page = notebook(f"{SHOP}\nScanDashboard(shop)", width=390)
    board = page.locator(".qrkit-dashboard")
    figure(board, "scans", "31").wait_for()
    figure(board, "busiest", "1 Mar").wait_for()
    assert not board.get_by_label("To", exact=True).is_visible(), "a phone shows the answer first"
    assert list(faults(page, ".qrkit-dashboard", PLACES[:1])) == []
    bar, headline = (board.locator(one).bounding_box() for one in (".qk-periods", "h2"))
    assert headline["y"] - bar["y"] - bar["height"] == pytest.approx(16, abs=0.5)  # nothing is left free between them
    board.get_by_role("button", name="7 days").click()
    figure(board, "scans", "7 before").wait_for()
    board.get_by_text("Compared with the previous period").wait_for()
    board.get_by_role("button", name="Filter", exact=True).click()
    board.get_by_label("Conversions", exact=True).wait_for()
    board.get_by_label("To", exact=True).fill("2026-03-20")
    board.get_by_text("must not be earlier than 2026-03-25").wait_for()
    board.get_by_label("Compare with").select_option("range")
    page.locator(".qrkit-dashboard:not(.qk-asking)").wait_for()
    both = [board.get_by_label(f"Compare {name}").element_handle() for name in ("from", "to")]
    page.evaluate(CHOOSE_BOTH, both)
    figure(board, "scans", "\N{MINUS SIGN}50%, 14 before").wait_for()
    assert "" not in page.evaluate("window.written"), "an answer to the first choice leaves the second one alone"
    board.get_by_label("Compare with").select_option("campaigns")
    board.get_by_role("group", name="Campaigns to compare").get_by_label("Window").check()
    board.get_by_role("button", name="Remove filter Campaigns: Window").wait_for()
    board.get_by_role("group", name="Campaigns to compare").get_by_label("Tables").check()
    board.get_by_role("region", name="Campaigns side by side").get_by_text("fewer than two have scans").wait_for()
    assert list(faults(page, ".qrkit-dashboard", PLACES[:2])) == []
    board.get_by_label("Compare with").select_option("range")
    board.get_by_role("button", name="All", exact=True).click()
    figure(board, "scans", "31").wait_for()
    assert board.locator("figure svg").count() == 3
    board.get_by_role("button", name="Table of Scans per day").click()
    board.get_by_role("columnheader", name="campaign").wait_for()
    assert board.get_by_role("button", name="Table of", expanded=True).count() == 1
    assert board.get_by_role("button", name="Table of", expanded=False).count() == 2
    board.get_by_role("checkbox", name="HEAD requests").check()
    board.get_by_role("button", name="Remove filter What counts: Scans, HEAD requests").click()
    board.get_by_role("button", name="Remove filter What counts").wait_for(state="detached")
    assert list(faults(page, ".qrkit-dashboard", PLACES)) == []


def test_a_bar_filters_by_key_and_its_chip_removes_the_filter(notebook, faults):
    page = notebook(f"{SHOP}\nboard = ScanDashboard(shop)\nboard", "ScanDashboard(shop); print(board.asked.qrcode)")
    board = page.locator(".qrkit-dashboard")
    bar = board.get_by_role("button", name="Door 1 31")
    bar.focus()
    page.keyboard.press("Enter")
    chip = board.get_by_role("button", name="Remove filter QR Code: Door 1")
    chip.wait_for()
    assert bar.get_attribute("aria-pressed") == "true"
    assert list(faults(page, ".qrkit-dashboard", PLACES[::2])) == []
    assert run_cell(page, 1).locator(".jp-OutputArea-output pre").inner_text().strip()
    assert chip.is_visible(), "a cell that runs again keeps the filter"
    chip.click()
    chip.wait_for(state="detached")
    figure(board, "scans", "31").wait_for()


TELL_RULES = "print([(str(rule), rule.content) for rule in shop.find_qrcode('d1').rules], shop.find_qrcode('d1').limit)"
TELL_VARIANTS = "print([(one.name, one.weight, one.content[8:]) for one in shop.find_qrcode('d1').rules[0].variants])"


def test_rules_are_written_by_keys_and_tried_before_they_are_saved(notebook, faults):
    page = notebook(f"{SHOP}\nPortfolioBrowser(shop)", TELL_RULES, TELL_VARIANTS, width=1440)
    browser = page.locator(".qrkit-browser")
    browser.get_by_title("31 scans since 1 March 2026").click()
    form = browser.get_by_role("form", name="Edit QR Code")
    form.get_by_text("Rules", exact=True).click()
    form.get_by_text("the visitor gets the content of the QR Code").wait_for()
    form.get_by_role("button", name="Add rule").focus()
    page.keyboard.press("Enter")
    first = form.get_by_role("group", name="Rule 1", exact=True)
    form.get_by_text("Rule 1 is not complete").wait_for()
    assert first.locator(".qk-error:visible").count() == 0, "what is being written is not yet wrong"
    page.keyboard.type("Lang")  # the focus is on the type of the condition
    first.get_by_label("Value").fill("de\nfr")
    first.get_by_label("leads to").fill("https://example.com/eu")
    form.get_by_label("Language").last.fill("de-AT")
    form.get_by_text("rule 1 of 1 applies: language de or fr").wait_for()
    form.get_by_role("button", name="Add rule").click()
    second = form.get_by_role("group", name="Rule 2", exact=True)
    second.get_by_text("iOS", exact=True).click()
    second.get_by_role("button", name="Add condition").click()
    second.get_by_label("Value").fill("fr")
    second.get_by_label("leads to").fill("https://example.com/app")
    second.get_by_text("never takes effect: rule 1 applies to all of its visitors and comes first").wait_for()
    assert list(faults(page, ".qrkit-browser", PLACES)) == []
    form.get_by_role("button", name="Move Rule 2 up").focus()
    page.keyboard.press("Enter")
    form.get_by_text("rule 2 of 2 applies").wait_for()
    form.get_by_text("Limits and password").click()
    form.get_by_label("Scans in all, at most").fill("100")
    form.get_by_role("button", name="Save").click()
    browser.get_by_text("1 QR Code changed.").wait_for()
    cell = run_cell(page, 1)
    cell.get_by_text("[('device ios and language fr', 'https://example.com/app'), ('language de or fr'").wait_for()
    browser.get_by_role("button", name="Undo change").click()
    browser.get_by_text("1 QR Code changed back.").wait_for()
    run_cell(page, 1).get_by_text("[] 0").wait_for()
    form.get_by_text("Rules", exact=True).click()
    form.get_by_role("button", name="Add experiment").click()
    page.keyboard.type("https://example.com/a")  # the focus is on the first variant
    form.get_by_label("B leads to").fill("https://example.com/b")
    assert form.get_by_role("button", name="Remove Variant 1").is_disabled(), "an experiment has two variants"
    form.get_by_role("button", name="Add variant").focus()
    page.keyboard.press("Enter")
    page.keyboard.type("https://example.com/c")  # the focus is on the new one
    third = form.get_by_role("group", name="Variant 3")
    third.get_by_label("Name").fill("A")
    third.get_by_label("Weight").fill("2")
    form.get_by_role("button", name="Save").click()
    form.get_by_text("must have different names").first.wait_for()
    third.get_by_label("Name").fill("Poster")
    form.get_by_role("button", name="Remove Variant 2").click()
    assert list(faults(page, ".qrkit-browser", PLACES[:2])) == []
    form.get_by_role("button", name="Save").click()
    browser.get_by_text("1 QR Code changed.").wait_for()
    run_cell(page, 1).get_by_text("[('everybody', '')] 0").wait_for()
    told = "[('A', 1, 'example.com/a'), ('Poster', 2, 'example.com/c')]"
    run_cell(page, 2).get_by_text(told).wait_for()
