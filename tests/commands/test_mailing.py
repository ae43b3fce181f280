"""Reports on a schedule: the last whole period, and mail through a real SMTP server on a socket."""

import email
import json
import socketserver
import threading
from base64 import b64decode
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email import policy

import pytest

from qrkit import open_portfolio
from qrkit.__main__ import main
from qrkit.tracking.times import last_whole

SECRET = "dear s3cret"


class Receiver(socketserver.StreamRequestHandler):
    """One session with a mail server that takes what its `refused` does not name, and keeps it in its `taken`."""

    def handle(self):
        self.say("220 here")
        while line := self.rfile.readline():
            word = line.split()[0].upper()
            if word == b"EHLO":
                self.say("250-here", "250 AUTH PLAIN")
            elif word == b"AUTH":
                self.server.logins.append(b64decode(line.split()[-1]).split(b"\0")[1:])
                self.say("535 no" if b"wrong" in self.server.logins[-1] else "235 yes")
            elif word == b"RCPT":
                self.say("550 unknown" if any(one in line for one in self.server.refused) else "250 yes")
            elif word == b"DATA":
                self.say("354 go on")
                self.server.taken.append(b"".join(iter(self.rfile.readline, b".\r\n")))
                self.say("250 taken")
            else:
                self.say("221 bye" if word == b"QUIT" else "250 yes")

    def say(self, *lines):
        self.wfile.write("".join(f"{line}\r\n" for line in lines).encode())


@contextmanager
def receiving(*refused):
    """A mail server on this machine."""
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Receiver) as server:
        server.taken, server.logins, server.refused = [], [], refused
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def empty(tmp_path, monkeypatch):
    """A store with a code that was never scanned, in the folder of the test."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("QRKIT_MAIL_FROM", "reports@example.com")
    with open_portfolio("shop.duckdb") as portfolio:
        portfolio.insert_qrcode("https://example.com", name="Door", short_code="door")
    return "shop.duckdb"


@pytest.fixture
def shop(empty):
    """A store with two scans a day from a hundred days ago on."""
    with open_portfolio(empty) as portfolio:
        now = datetime.now(UTC)
        times = [now - timedelta(hours=12 * number) for number in range(200)]
        portfolio.scans.insert([{"short_code": "door", "time": time} for time in times])
    return empty


def report(shop, *words):
    return main(["report", "--store", shop, *words])


def set_server(monkeypatch, server, login="ana:dear%20s3cret@"):
    monkeypatch.setenv("QRKIT_SMTP", f"smtp://{login}127.0.0.1:{server.server_address[1]}")


@pytest.mark.slow
def test_a_report_on_the_last_month_arrives_by_mail(shop, tmp_path, monkeypatch, capsys):
    with receiving() as server:
        set_server(monkeypatch, server)
        words = ("--last", "month", "--title", "Shop", "--mail", "ana@example.com", "--mail", "bo@example.com")
        assert report(shop, *words, "--json") == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out) == {"file": None, "mail": ["ana@example.com", "bo@example.com"], "link": None}
    assert SECRET not in printed.err + printed.out
    assert server.logins == [[b"ana", SECRET.encode()]]
    (message,) = (email.message_from_bytes(one, policy=policy.default) for one in server.taken)
    since, until = last_whole("month", datetime.now(UTC).date())
    period = f"1\N{EN DASH}{(until - timedelta(days=1)).day} {since:%B %Y}"
    assert message["Subject"] == f"Shop, {period}"
    assert (message["From"], message["To"]) == ("reports@example.com", "ana@example.com, bo@example.com")
    (page,) = message.iter_attachments()
    assert (page.get_filename(), page.get_content_type()) == ("report.html", "text/html")
    assert page.get_content().startswith("<!doctype html>")
    assert period in page.get_content()
    assert " scans in " in message.get_body().get_content()
    assert not list(tmp_path.glob("*.html"))


def test_refused_mail_is_an_error_without_the_password(empty, monkeypatch, capsys):
    with receiving(b"bo@") as server:
        set_server(monkeypatch, server, "ana:wrong@")
        assert report(empty, "--mail", "ana@example.com") == 2
        set_server(monkeypatch, server, "")
        assert report(empty, "--mail", "ana@example.com", "--mail", "bo@example.com") == 2
    told = capsys.readouterr().err
    assert "127.0.0.1 did not take the message" in told
    assert "bo@example.com" in told
    assert "wrong" not in told


@pytest.mark.parametrize(
    ("server", "address", "told"),
    [
        ("", "ana@example.com", "QRKIT_SMTP: must be the URL of a server"),
        ("smtp://ana:s3cret@mail.example.com:x", "ana@example.com", "QRKIT_SMTP: must be the URL of a server"),
        ("http://mail.example.com", "ana@example.com", "QRKIT_SMTP: must be the URL of a server"),
        ("smtp://localhost", "ana", "mail='ana': must be an address"),
        ("smtp://localhost", "ana@example.com\r\nBcc: bo@example.com", "must be an address"),
        ("smtp://localhost", "ana@example.com,bo@example.com", "must be an address"),
    ],
)
def test_settings_of_mail_are_checked_before_anything(server, address, told, monkeypatch, capsys):
    monkeypatch.setenv("QRKIT_SMTP", server)
    monkeypatch.setenv("QRKIT_MAIL_FROM", "reports@example.com")
    assert report("missing.duckdb", "--mail", address) == 2
    complained = capsys.readouterr().err
    assert told in complained
    assert "s3cret" not in complained


def test_a_server_without_a_proper_name_is_told(shop, monkeypatch, capsys):
    monkeypatch.setenv("QRKIT_SMTP", "smtp://a..b:25")
    monkeypatch.setenv("QRKIT_MAIL_FROM", "reports@example.com")
    assert report(shop, "--mail", "ana@example.com") == 2
    assert "a..b did not take the message" in capsys.readouterr().err


def test_the_sender_is_needed(monkeypatch, capsys):
    monkeypatch.setenv("QRKIT_SMTP", "smtp://localhost")
    monkeypatch.delenv("QRKIT_MAIL_FROM", raising=False)
    assert report("missing.duckdb", "--mail", "ana@example.com") == 2
    assert "QRKIT_MAIL_FROM" in capsys.readouterr().err


def test_all_that_mail_lacks_is_told_at_once(monkeypatch, capsys):
    for name in ("QRKIT_SMTP", "QRKIT_MAIL_FROM"):
        monkeypatch.delenv(name, raising=False)
    assert report("missing.duckdb", "--mail", "ana") == 2
    told = capsys.readouterr().err
    assert all(name in told for name in ("QRKIT_SMTP", "QRKIT_MAIL_FROM", "'ana'"))


@pytest.mark.parametrize("command", ["report", "scans"])
def test_last_has_its_own_bounds(command, empty, capsys):
    assert main([command, "--store", empty, "--last", "week", "--since", "2026-06-01"]) == 2
    assert "last='week': has a first and a last day of its own" in capsys.readouterr().err


def test_scans_of_the_last_week(shop, capsys):
    assert main(["scans", "--store", shop, "--last", "week", "--by", "day", "--json"]) == 0
    days = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    since, until = last_whole("week", datetime.now(UTC).date())
    assert [day["day"] for day in days] == [f"{since + timedelta(days=number)}" for number in range(7)]
    assert sum(day["scans"] for day in days) == 14
    assert until - since == timedelta(days=7)


def test_comparing_campaigns_needs_two(empty, capsys):
    assert report(empty, "--compare", "campaigns") == 2
    assert "needs two campaigns or more" in capsys.readouterr().err


def test_a_report_is_kept_behind_a_link(empty, capsys):
    assert report(empty, "--link", "30", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["file"], told["mail"]) == (None, [])
    with open_portfolio(empty) as shop:
        assert told["link"].startswith(f"{shop.base_url}/api/v3/report?token=")
        (kept,) = shop.store.rows("SELECT * FROM report_links")
        assert timedelta(days=29) < kept["expires"] - datetime.now(UTC).replace(tzinfo=None) < timedelta(days=30)
    assert report(empty, "--link", "91") == 2
    assert "1..90" in capsys.readouterr().err
