"""The browser of a portfolio and the dashboard in JupyterLab, used as a person uses them."""

import pytest

pytestmark = [pytest.mark.browser, pytest.mark.needs("chromium", "loopback")]

SHOP = """
import pandas as pd
from datetime import UTC, datetime
from qrkit import open_portfolio
from qrkit.widgets import PortfolioBrowser, ScanDashboard
now = datetime(2026, 3, 31, 12, tzinfo=UTC)
shop = open_portfolio(":memory:", base_url="https://go.example.com", clock=lambda: now)
window = shop.insert_campaign("Window")
for number in range(3):
    fields = {"name": f"Door {number}", "campaign_id": window.id, "short_code": f"d{number}"}
    shop.insert_qrcode(f"https://example.com/{number}", **fields)
times = pd.date_range("2026-03-01", periods=31, freq="D") + pd.Timedelta(hours=9)
shop.scans.insert(pd.DataFrame({"short_code": "d1", "time": times}))
"""
TELL = "print([one.name for one in shop.list_qrcodes()], [len(one.schedule) for one in shop.list_qrcodes()])"


def test_codes_are_found_and_changed_by_keys(notebook, faults):
    page = notebook(f"{SHOP}\nPortfolioBrowser(shop)", TELL, width=480)
    browser = page.locator(".qrkit-browser")
    browser.get_by_label("Search").fill("door 1")
    browser.get_by_text("1 QR Code", exact=True).wait_for()
    code = browser.locator(".qk-pick")
    code.focus()
    page.keyboard.press("Enter")
    name = browser.get_by_label("Name", exact=True)
    name.fill("Gate")
    browser.get_by_role("button", name="Add scheduled change").focus()
    page.keyboard.press("Enter")
    browser.get_by_role("button", name="Save").focus()
    page.keyboard.press("Enter")
    browser.get_by_text("must not be empty").first.wait_for()
    assert name.input_value() == "Gate", "what was typed stays while something is wrong"
    change = browser.get_by_role("group", name="Scheduled change 1")
    change.get_by_label("New content").fill("https://example.com/april")
    change.get_by_label("Starts (UTC)").fill("2026-04-01T08:00")
    browser.get_by_role("button", name="Save").click()
    browser.get_by_text("Saved").wait_for()
    assert list(faults(page, ".qrkit-browser")) == []
    cell = page.locator(".jp-Notebook .jp-CodeCell").nth(1)
    cell.locator(".jp-InputArea-prompt").click()
    page.evaluate("() => { window.jupyterapp.commands.execute('notebook:run-cell'); }")
    cell.get_by_text("['Door 0', 'Gate', 'Door 2'] [0, 1, 0]").wait_for()


def test_days_are_chosen_and_charts_follow(notebook, faults):
    page = notebook(f"{SHOP}\nScanDashboard(shop)", width=480)
    board = page.locator(".qrkit-dashboard")
    board.get_by_text("31 scans").wait_for()
    board.get_by_role("button", name="7 days").click()
    board.get_by_text("7 scans").wait_for()
    board.get_by_text("And the period before").wait_for()
    board.get_by_label("To", exact=True).fill("2026-03-20")
    board.get_by_text("must not be before 2026-03-25").wait_for()
    board.get_by_role("button", name="All").click()
    board.get_by_text("31 scans").wait_for()
    assert board.locator("figure svg").count() == 4
    assert list(faults(page, ".qrkit-dashboard")) == []
