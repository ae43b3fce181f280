"""The page of a short URL in a real browser, which is told what to do over the DevTools protocol."""

import json
import os
import select
import subprocess
import threading
from collections.abc import Callable
from contextlib import contextmanager
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import pytest

from qrkit import open_portfolio
from qrkit.wsgi import make_app

CARD = "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ana Žnidaršič\r\nEND:VCARD\r\n"
HOSTILE = (
    "</pre><script>document.title='ran'</script>\"><img src=x onerror=\"document.title='ran'\"><svg onload=alert(1)>"
)
SWITCHES = (
    "headless no-sandbox disable-gpu no-first-run disable-background-networking disable-component-update disable-sync "
    "remote-debugging-pipe"
)
LONGEST_WAIT = 30


class Browser:
    """A Chromium with one page. It reads commands from its file 3 and writes answers and events to its file 4."""

    def __init__(self, folder):
        read, self._commands = os.pipe()
        self._answers, write = os.pipe()
        program = f'exec chromium "$@" about:blank 3<&{read} 4>&{write}'
        switches = [f"--{switch}" for switch in (*SWITCHES.split(), f"user-data-dir={folder / 'profile'}")]
        silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen(["bash", "-c", program, "-", *switches], pass_fds=(read, write), **silent)
        os.close(read)
        os.close(write)
        self._unread, self._events, self._number, self._session = b"", [], 0, {}
        page = next(one for one in self.call("Target.getTargets")["targetInfos"] if one["type"] == "page")
        attached = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)
        self._session = {"sessionId": attached["sessionId"]}
        for domain in ("Page", "Log", "Runtime"):
            self.call(f"{domain}.enable")
        self.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(folder), eventsEnabled=True)

    def call(self, method, **params):
        self._number += 1
        command = {"id": self._number, "method": method, "params": params} | self._session
        os.write(self._commands, json.dumps(command).encode() + b"\0")
        while (message := self._received()).get("id") != self._number:
            self._events.append(message)
        return message["result"]

    def wait_for(self, method, is_it: Callable = lambda params: True):
        while True:
            for event in self._events:
                if event["method"] == method and is_it(event["params"]):
                    return event["params"]
            self._events.append(self._received())

    def open(self, url):
        self._events.clear()
        assert "errorText" not in self.call("Page.navigate", url=url)
        self.wait_for("Page.loadEventFired")

    def run(self, script):
        return self.call("Runtime.evaluate", expression=script, returnByValue=True, userGesture=True)["result"].get(
            "value"
        )

    def complaints(self):
        """What the browser would write to its console."""
        logged = [event["params"]["entry"] for event in self._events if event["method"] == "Log.entryAdded"]
        return [entry["text"] for entry in logged if "favicon" not in entry.get("url", "")]

    def close(self):
        self.process.terminate()
        self.process.wait(LONGEST_WAIT)
        os.close(self._commands)
        os.close(self._answers)

    def _received(self):
        while b"\0" not in self._unread:
            assert select.select([self._answers], [], [], LONGEST_WAIT)[0], "the browser says nothing"
            part = os.read(self._answers, 65_536)
            assert part, "the browser has gone"
            self._unread += part
        message, _, self._unread = self._unread.partition(b"\0")
        return json.loads(message)


class Server(ThreadingMixIn, WSGIServer):
    """One thread a connection: browsers open some in advance."""


class Silent(WSGIRequestHandler):
    def log_message(self, *_):
        pass


@contextmanager
def served(app):
    with make_server("127.0.0.1", 0, app, server_class=Server, handler_class=Silent) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.needs("chromium", "bash")
@pytest.mark.rule("T8")
def test_a_browser_shows_the_content_opens_its_link_and_runs_nothing(tmp_path):
    """Open: how contents that are no web address are shown. On a page where links and files open and no script runs."""
    with open_portfolio(":memory:") as shop, served(make_app(shop.store)) as base:
        codes = {content: shop.insert_qrcode(content).short_code for content in ("tel:+39 040", CARD, HOSTILE)}
        browser = Browser(tmp_path)
        try:
            browser.open(f"{base}/{codes[HOSTILE]}")
            assert browser.run("document.querySelector('pre').textContent") == HOSTILE
            assert browser.run("document.title") == "This QR Code says"
            assert browser.run("document.querySelectorAll('script, img, svg, a').length") == 0

            browser.open(f"{base}/{codes[CARD]}")
            browser.run("document.querySelector('a').click()")
            assert browser.wait_for("Browser.downloadWillBegin")["suggestedFilename"] == "contact.vcf"
            ended = browser.wait_for("Browser.downloadProgress", lambda params: params["state"] != "inProgress")
            assert ended["state"] == "completed"
            assert (tmp_path / "contact.vcf").read_bytes() == CARD.encode()
            assert browser.complaints() == []

            browser.open(f"{base}/{codes['tel:+39 040']}")
            assert browser.run("getComputedStyle(document.querySelector('a')).borderRadius") == "999px"
            browser.run("document.querySelector('a').click()")
            assert browser.wait_for("Page.frameRequestedNavigation")["url"] == "tel:+39%20040"
            assert browser.complaints() == []
        finally:
            browser.close()
