"""The style sheets of all pages have no rules for what no page shows."""

import re
from pathlib import Path

import pytest

from qrkit.notebook.widgets.widget import style

PACKAGE = Path(__file__).parents[3] / "qrkit"
SHEETS = sorted(PACKAGE.rglob("*.css"))
OTHERS = ("jp-", "lm-", "vscode-", "voila")
"""How classes of the notebooks around our widgets begin."""


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.stem)
def test_each_class_of_a_style_sheet_is_on_a_page(sheet):
    files = (path for end in ("js", "py", "jinja", "html", "tpl") for path in PACKAGE.rglob(f"*.{end}"))
    words = set(re.findall(r"[\w-]+", " ".join(path.read_text(encoding="utf-8") for path in files)))
    selectors = re.sub(r"/\*.*?\*/|\{[^{}]*\}", " ", sheet.read_text(encoding="utf-8"), flags=re.DOTALL)
    named = {name for name in re.findall(r"\.([a-z][\w-]*)", selectors) if not name.startswith(OTHERS)}
    # A control has the class of its kind, such as qk-number.
    assert {name for name in named if not {name, name.removeprefix("qk-")} & words} == set()


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.needs("chromium")
def test_error_that_begins_with_a_value_shows_it_unchanged(browser):
    page = browser.new_page()
    errors = "<p class='qk-error'>x</p><p class='qk-error qk-general'>/tmp</p>"
    page.set_content(f"<div class='qrkit-widget'>{errors}</div>")
    page.add_style_tag(path=PACKAGE / "notebook" / "widgets" / "widget.css")
    found = "parts => parts.map((one) => getComputedStyle(one, '::first-letter').textTransform)"
    assert page.locator("p").evaluate_all(found) == ["uppercase", "none"]
    page.close()


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.needs("chromium")
def test_long_campaign_names_stay_on_a_phone(browser):
    page = browser.new_page(viewport={"width": 390, "height": 600})
    chosen = f"<select><option>{'A campaign with a long name ' * 4}</option></select>"
    bar = f"<div class='qk-line qk-filters'><div class='qk-set'><label>Campaign</label>{chosen}</div></div>"
    page.set_content(f"<div class='qrkit-widget qrkit-browser'>{bar}</div>")
    page.add_style_tag(content=style("browser", "portfolio_browser", "qrkit-browser"))
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.close()
