"""A trial in a real browser: two phones read what is on the screen, and people can use the page."""

import re
import shutil

import pytest

from qrkit import Design, decode
from tests.trials.phones import IPHONE, PIXEL, Page, begun, heading

DESIGN = Design(content="https://example.com/menu", foreground="#0F4C5C", modules={"type": "dots"})
PLACES = [(390, "dark"), (1440, "light")]


@pytest.fixture(scope="module")
def chromium():
    from playwright.sync_api import sync_playwright

    options = {"executable_path": shutil.which("chromium"), "args": ["--no-sandbox", "--disable-gpu"]}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(**options)
        yield browser
        browser.close()


@pytest.fixture
def opened(chromium):
    """Opens a page in a window of its own, with two pixels for each CSS pixel, and collects what goes wrong there."""
    contexts = []

    def open_page(address, width=600, scheme="light"):
        size = {"width": width, "height": 600}
        contexts.append(chromium.new_context(viewport=size, device_scale_factor=2, color_scheme=scheme))
        contexts[-1].set_default_timeout(20_000)
        tab = contexts[-1].new_page()
        tab.faults = []
        tab.on("console", lambda message: tab.faults.append(message.text))
        tab.on("pageerror", lambda error: tab.faults.append(str(error)))
        tab.goto(address)
        tab.locator("#code").wait_for()
        return tab

    yield open_page
    for context in contexts:
        context.close()


def code_on(tab, number):
    """The address in the code on the screen, as a phone sees it."""
    tab.locator(f'#code[src="picture?{number}"]').wait_for()
    tab.locator("#code").evaluate("picture => picture.decode()")  # until it is loaded, nothing is on the screen
    return decode(tab.locator(".stage").screenshot()).content


@pytest.mark.slow
@pytest.mark.needs("chromium")
def test_two_phones_read_what_the_screen_shows(opened):
    with begun(DESIGN) as running:
        tab = opened(running.address)
        address = code_on(tab, 0)
        assert tab.get_by_role("button", name="Start").is_disabled()
        for agent in (IPHONE, PIXEL):
            assert heading(address, agent) == "This phone takes part"
        tab.get_by_role("button", name="Start").click()
        for number in range(1, 25):
            address = code_on(tab, number)
            if number == 24:
                tab.get_by_text("Step 12 of 12").wait_for()
                assert heading(address, PIXEL) == "Seen. Look at the screen."
                tab.get_by_role("button", name="Skip this code").click()
            else:
                assert {heading(address, agent) for agent in (IPHONE, PIXEL)} == {"Seen. Look at the screen."}
        tab.get_by_role("heading", name="2 phones read 24 of 24 codes, and 23 of 24 plain ones").wait_for()
        with tab.expect_download() as saved:
            tab.get_by_role("link", name="Save this page").click()
        assert running.wait(0)
    html = saved.value.path().read_text(encoding="utf-8")
    assert re.search("<h1>2 phones read 24 of 24", html)
    assert "<script" not in html
    assert [str(phone).split(";")[0] for phone in running.result.phones] == [
        "iPhone: 12 of 12, plain 11 of 12", "Pixel 8: 12 of 12, plain 12 of 12",
    ]  # fmt: skip
    assert tab.faults == []


@pytest.mark.slow
@pytest.mark.needs("chromium")
def test_slider_measures_the_screen(opened):
    with begun(DESIGN) as running:
        tab = opened(running.address)
        heading(code_on(tab, 0), IPHONE)
        tab.get_by_role("slider", name="Size of the screen").fill("5")
        assert tab.locator(".card").bounding_box()["width"] == pytest.approx(5 * 85.6, abs=0.5)
        wide = tab.locator("#code").bounding_box()["width"]
        tab.get_by_role("button", name="Start").click()
        code_on(tab, 1)
        page = Page(running.address)
        pixels = tab.locator("#code").evaluate("picture => picture.naturalWidth")
        assert tab.locator("#code").bounding_box()["width"] == pytest.approx(pixels * page.look()["pixelMm"] * 5, abs=1)
        assert wide == pytest.approx(tab.locator("#code").bounding_box()["width"], rel=0.2)
    assert running.result.screen == 5


@pytest.mark.slow
@pytest.mark.needs("chromium")
@pytest.mark.parametrize(("width", "scheme"), PLACES)
def test_page_keeps_nobody_out(opened, width, scheme, tmp_path):
    from axe_playwright_python.sync_playwright import Axe

    def faults(tab):
        assert tab.evaluate("document.documentElement.scrollWidth") <= width
        found = Axe().run(tab, options={"resultTypes": ["violations"]}).response["violations"]
        return [one["id"] for one in found if one["impact"] in ("serious", "critical")]

    with begun(DESIGN) as running:
        tab = opened(running.address, width, scheme)
        heading(code_on(tab, 0), IPHONE)
        tab.locator("#start:enabled").wait_for()
        assert faults(tab) == []
        tab.get_by_role("button", name="Start").click()
        heading(code_on(tab, 1), IPHONE)
        code_on(tab, 2)
        assert faults(tab) == []
        tab.get_by_role("button", name="Stop").click()
        tab.get_by_role("heading", name="iPhone read 1 of 1 codes").wait_for()
        assert faults(tab) == []
