"""Phones and pages without a screen: they ask a trial over HTTP, as those of people do."""

import json
import re
import urllib.error
import urllib.request

from qrkit import decode
from qrkit.trials import trial

IPHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 "
    "Mobile/15E148 Safari/604.1"
)
PIXEL = (
    "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Mobile "
    "Safari/537.36"
)
REDUCED = "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0 Mobile Safari/537.36"


def begun(subject, **options):
    """A trial on this machine alone, without pauses."""
    return trial(subject, host="127.0.0.1", **({"pause": 0, "port": 0} | options))


def ask(url, agent="", method="GET", **headers):
    """Status, headers and body of an answer."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    request = urllib.request.Request(url, method=method, headers={"User-Agent": agent, "Accept": "text/html"} | named)
    try:
        with urllib.request.urlopen(request, timeout=20) as reply:
            return reply.status, dict(reply.headers), reply.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, dict(error.headers), error.read()


def heading(url, agent, **headers):
    """What the page says that a phone gets; None if there is none."""
    status, _, body = ask(url, agent, **headers)
    return re.search(r"<h1.*?>\s*(.*?)\s*</h1>", body.decode(), re.DOTALL)[1] if status == 200 else None


class Page:
    """What the page of a trial does."""

    def __init__(self, address):
        self.address, self.state = address, None

    def look(self):
        """Wait for news."""
        revision = self.state["revision"] if self.state else "null"
        self.state = json.loads(ask(f"{self.address}state?{revision}")[2])
        return self.state

    def code(self):
        """Show the code whose turn it is, and return the address in it."""
        number = self.look()["number"] if self.state is None else self.state["number"]
        return decode(ask(f"{self.address}picture?{number}")[2]).content

    def send(self, what):
        assert ask(f"{self.address}{what}", method="POST")[0] == 200
        return self.look()

    def take_result(self):
        """Ask for the page with the result, which ends the address."""
        status, _, body = ask(f"{self.address}result")
        assert status == 200
        return body.decode()

    def begin(self, *agents):
        """Let phones join, and begin."""
        address = self.code()
        for agent in agents:
            assert heading(address, agent) == "This phone takes part"
        self.look()
        return self.send("next?0")
