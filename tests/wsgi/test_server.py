"""The server as a process of its own, behind a real socket."""

import http.client
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from urllib.parse import urlsplit

import pytest

from qrkit import decode, open_portfolio

TARGET = "https://example.com/spring"
IPHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
    "Version/17.5 Mobile/15E148 Safari/604.1"
)
LONGEST_WAIT = 30


class Unfollowed(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


def qrkit(*arguments):
    """A command line of its own; what it says is text."""
    command = [sys.executable, "-W", "error", "-m", "qrkit", *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8")


def address_of(server):
    """Where a server listens that was given port 0; it says so once it does."""
    first, second = server.stdout.readline(), server.stdout.readline()
    assert "short URLs https://go.example.com/" in first, server.communicate()[1]
    assert "Ctrl-C stops" in second
    return re.search(r"at (http://127\.0\.0\.1:[1-9]\d*),", first)[1]


@pytest.mark.rule("T11")
@pytest.mark.needs("loopback")
def test_a_server_serves_holds_its_store_and_stops_cleanly(tmp_path):
    """Open: when a scan is safe, and who may open the file. It is stored with the answer; one process at a time."""
    path = tmp_path / "shop.duckdb"
    with open_portfolio(path) as shop:
        shop.insert_qrcode(TARGET, name="Door", short_code="door")
    server = qrkit("serve", "--store", path, "--base-url", "https://go.example.com", "--port", 0)
    try:
        base = address_of(server)
        with urllib.request.urlopen(f"{base}/api/v3/generate?content=hi&format=svg") as reply:
            assert (reply.status, reply.headers["Content-Type"]) == (200, "image/svg+xml")
            assert reply.headers["X-Api-Version"] == "3.0"
            assert "Server" not in reply.headers
            assert reply.read().endswith(b"</svg>\n")
        with urllib.request.urlopen(f"{base}/api/v3/generate?content=%C3%BC") as reply:
            assert decode(reply.read()).content == "ü"
        with pytest.raises(urllib.error.HTTPError) as caught:
            request = urllib.request.Request(f"{base}/door/tail", headers={"User-Agent": IPHONE})
            urllib.request.build_opener(Unfollowed).open(request)
        with caught.value as reply:
            assert (reply.code, reply.headers["Location"]) == (302, TARGET)
        with pytest.raises(urllib.error.HTTPError) as caught:
            urllib.request.urlopen(f"{base}/api/v3/generate?content=hi&size=99")
        with caught.value as reply:
            assert (reply.code, reply.headers["X-Api-Error-Code"]) == (400, "out-of-range")
        connection = http.client.HTTPConnection(urlsplit(base).netloc, timeout=LONGEST_WAIT)
        connection.request("HEAD", "/door")
        reply = connection.getresponse()
        assert (reply.status, reply.read()) == (302, b"")
        connection.close()

        second = qrkit("serve", "--store", path, "--port", 0)
        said, complained = second.communicate(timeout=LONGEST_WAIT)
        assert (second.returncode, said) == (2, "")
        assert complained.startswith(f"qrkit serve: {path} is open in another process: close that one, use its HTTP")
        assert complained.count("\n") == 1
    finally:
        server.send_signal(signal.SIGINT)
        said, complained = server.communicate(timeout=LONGEST_WAIT)
    assert (server.returncode, said, complained) == (0, "", "")
    assert [file.name for file in tmp_path.iterdir()] == ["shop.duckdb"]
    with open_portfolio(path) as shop:
        assert [code.scans for code in shop.list_qrcodes()] == [1]


@pytest.mark.needs("loopback")
def test_a_server_that_is_ended_closes_its_store_as_well(tmp_path):
    server = qrkit("serve", "--store", tmp_path / "shop.duckdb", "--base-url", "https://go.example.com", "--port", 0)
    try:
        assert address_of(server)
    finally:
        server.send_signal(signal.SIGTERM)
        said, complained = server.communicate(timeout=LONGEST_WAIT)
    assert (server.returncode, said, complained) == (0, "", "")
    assert [file.name for file in tmp_path.iterdir()] == ["shop.duckdb"]
