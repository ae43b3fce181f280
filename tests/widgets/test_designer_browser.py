"""The designer in JupyterLab, as a person with a browser uses it."""

import pytest

pytestmark = [pytest.mark.browser, pytest.mark.needs("chromium", "loopback")]


def test_shot(notebook):
    page = notebook("from qrkit.widgets import Designer\nstudio = Designer('https://example.com')\nstudio")
    try:
        page.locator(".qrkit-designer").wait_for()
        page.locator(".qk-badge[data-verdict]").wait_for()
    finally:
        page.screenshot(path="/tmp/wd_shot1.png")
    assert True
