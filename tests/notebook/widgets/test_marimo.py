"""Widgets and pictures in marimo, whose notebooks are programs that run again where something changed."""

import sys

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.needs("chromium", "loopback")]

NOTEBOOK = """
import marimo

app = marimo.App()


@app.cell
def _():
    import marimo as mo
    import pandas as pd

    import qrkit.accessor
    from qrkit.widgets import Designer, PortfolioBrowser
    return Designer, PortfolioBrowser, mo, pd, qrkit


@app.cell
def _(Designer, mo):
    studio = mo.ui.anywidget(Designer("https://example.com/menu"))
    studio
    return (studio,)


@app.cell
def _(mo, studio):
    studio.value
    mo.md(f"It encodes {studio.widget.design.content}.")


@app.cell
def _(qrkit):
    qrkit.generate("https://example.com/plain")


@app.cell
def _(pd):
    doors = pd.DataFrame({"url": ["https://example.com/a", "https://example.com/b"]})
    doors.assign(picture=doors.qr.generate("url")).qr.show()


@app.cell
def _(PortfolioBrowser, qrkit):
    shop = qrkit.open_portfolio(":memory:")
    shop.insert_qrcode("https://example.com", name="Door")
    PortfolioBrowser(shop)
"""


@pytest.fixture(scope="module")
def page(start, tmp_path_factory, browser):
    folder = tmp_path_factory.mktemp("marimo")
    (folder / "codes.py").write_text(NOTEBOOK)
    command = [sys.executable, "-m", "marimo", "run", "--headless", "--no-token", "--host", "127.0.0.1", "codes.py"]
    opened = browser.new_page(viewport={"width": 1280, "height": 1000})
    opened.set_default_timeout(60_000)
    opened.goto(start(command, folder))
    yield opened
    opened.close()


def test_what_is_changed_in_the_studio_runs_the_cells_that_use_it(page):
    studio = page.locator(".qrkit-designer")
    studio.wait_for()
    page.get_by_text("It encodes https://example.com/menu.").wait_for()
    studio.get_by_label("Web address", exact=True).fill("https://example.com/changed")
    page.get_by_text("It encodes https://example.com/changed.").wait_for()
    studio.locator(".qk-badge:not(.qk-old)").wait_for()
    assert "Phones read it" in studio.locator(".qk-badge").inner_text()


def test_pictures_tables_and_the_portfolio_are_shown(page):
    picture = page.get_by_role("img", name="https://example.com/plain").first
    picture.wait_for()
    assert picture.bounding_box()["width"] > 100
    for url in ("https://example.com/a", "https://example.com/b"):
        page.get_by_role("row").filter(has_text=url).get_by_role("img").wait_for()
    page.locator(".qrkit-browser").get_by_text("Door").first.wait_for()
