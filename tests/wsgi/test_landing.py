"""The page of a short URL in a real browser."""

import subprocess
from html import escape
from threading import Thread
from wsgiref.simple_server import WSGIRequestHandler, make_server

import pytest

from qrkit import open_portfolio
from qrkit.wsgi import make_app

HOSTILE = (
    "</pre><script>document.title='ran'</script>\"><img src=x onerror=\"document.title='ran'\"><svg onload=alert(1)>"
)
SWITCHES = (
    "headless no-sandbox disable-gpu no-first-run disable-background-networking disable-component-update disable-sync"
)


class Silent(WSGIRequestHandler):
    def log_message(self, *_):
        pass


@pytest.mark.needs("chromium", "loopback")
@pytest.mark.rule("T8")
def test_a_browser_shows_hostile_content_as_text_and_runs_nothing(tmp_path):
    """Open: how contents that are no web address are shown. As text on a page on which no script runs."""
    with (
        open_portfolio(":memory:") as shop,
        make_server("127.0.0.1", 0, make_app(shop.store), handler_class=Silent) as server,
    ):
        Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/{shop.insert_qrcode(HOSTILE).short_code}"
        switches = [f"--{switch}" for switch in SWITCHES.split()]
        page = subprocess.run(
            ["chromium", *switches, f"--user-data-dir={tmp_path}", "--dump-dom", address],
            capture_output=True,
            check=True,
            text=True,
            timeout=60,
        ).stdout
        server.shutdown()
    assert f"<pre>{escape(HOSTILE, quote=False)}</pre>" in page
    assert "<title>This QR Code says</title>" in page
    assert not any(f"<{element}" in page for element in ("script", "img", "svg", "a "))
