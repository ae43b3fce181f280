"""What VS Code, Colab and others rely on, where a browser of ours cannot look: the contracts of their documentation.

They find a widget by its view, load its script as one module without an import map, and have style variables of their
own. A viewer without widgets, such as a forge's, shows the picture in the same bundle.
"""

import re

import pytest
from qrkit.widgets import Designer, PortfolioBrowser, ScanDashboard

from qrkit import open_portfolio


def designer():
    return Designer("https://example.com/hosts")


def browser():
    shop = open_portfolio(":memory:")
    shop.insert_qrcode("https://example.com/hosts")
    return PortfolioBrowser(shop)


def dashboard():
    return ScanDashboard(open_portfolio(":memory:"))


@pytest.fixture(params=[designer, browser, dashboard])
def widget(request):
    made = request.param()
    yield made
    made.close()


def test_bundle_has_a_view_a_picture_and_text(widget):
    bundle, _ = widget._repr_mimebundle_()
    view = bundle["application/vnd.jupyter.widget-view+json"]
    assert (view["version_major"], view["model_id"]) == (2, widget.model_id)
    assert {"text/plain", "text/html"} <= bundle.keys()
    assert "<img" in bundle["text/html"] or "<svg" in bundle["text/html"]
    assert "<script" not in bundle["text/html"]


def test_script_is_one_module_that_loads_nothing(widget):
    script = widget.get_state()["_esm"]
    assert re.search(r"^export default \{", script, re.MULTILINE)
    assert not re.search(r"^\s*import |\bimport\(|\bfetch\(|XMLHttpRequest|\brequire\(", script, re.MULTILINE)


def test_styles_do_without_the_variables_of_jupyterlab(widget):
    css = widget.get_state()["_css"]
    assert re.findall(r"var\(--(?:jp|vscode)[\w-]*\)", css) == []
    assert "url(" not in css.replace("url(data:", "").replace('url("data:', "")
