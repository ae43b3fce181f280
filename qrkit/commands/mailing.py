"""Sends reports by e-mail, through the SMTP server of the operator."""

from __future__ import annotations

import re
import smtplib
from collections.abc import Callable, Mapping, Sequence
from email.message import EmailMessage
from ssl import create_default_context
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, unquote, urlsplit

from qrkit.commands.output import in_one_line
from qrkit.errors import InvalidParameter, Problem, collecting, raise_any
from qrkit.server.settings import SENDER_VARIABLE, SMTP_VARIABLE
from qrkit.tracking.short_urls import THIS_MACHINE

if TYPE_CHECKING:
    from qrkit.report import Report


PORTS = {"smtp": 587, "smtps": 465}
LONGEST_SECONDS = 60
MOST_ADDRESSES = 100
_ADDRESS = re.compile(r'(?!.*[<>()\[\],;:\\"])[!-~]{1,64}@[!-~]{1,250}')


def mailer(to: Sequence[str], environment: Mapping[str, str]) -> Callable[[Report], None]:
    """Return what sends a report to these addresses as one message; the settings are checked at once.

    The report is attached as HTML. The message is encrypted, except to a server on this machine. No error, at once or
    when the message is sent, contains the password.
    """
    if len(to) > MOST_ADDRESSES:
        raise InvalidParameter(Problem("mail", len(to), f"must be at most {MOST_ADDRESSES} addresses"))
    sender = environment.get(SENDER_VARIABLE, "")
    given = [(SENDER_VARIABLE, sender), *(("mail", address) for address in to)]
    rule = "must be an address such as ana@example.com"
    problems = [Problem(name, address, rule) for name, address in given if not _ADDRESS.fullmatch(address)]
    with collecting(problems):
        server = _server(environment.get(SMTP_VARIABLE, ""))
    raise_any(problems)

    def send(made: Report) -> None:
        message = EmailMessage()
        message["Subject"] = in_one_line(", ".join(filter(None, (made.title, made.period))))
        message["From"], message["To"] = sender, ", ".join(to)
        message.set_content("\n\n".join([made.title, *made.words]))
        message.add_attachment(made.html, subtype="html", filename="report.html")
        try:
            if refused := _deliver(server, message):
                raise smtplib.SMTPRecipientsRefused(refused)
        except (OSError, UnicodeError) as error:  # the latter if a label of the host is empty or too long
            rule = f"{server.hostname} did not take the message: {error}"
            raise InvalidParameter(Problem("mail", message["To"], rule)) from error

    return send


def _server(address: str) -> SplitResult:
    try:
        url = urlsplit(address)
        if url.scheme in PORTS and url.hostname and url.port != 0 and unquote(address).isascii():
            return url
    except ValueError:  # without its text, which may contain the password
        pass
    rule = "must be the URL of a server, such as smtps://user:password@mail.example.com or smtp://localhost:25"
    raise InvalidParameter(Problem(SMTP_VARIABLE, None, rule))


def _deliver(url: SplitResult, message: EmailMessage) -> dict[str, tuple[int, bytes]]:
    """Send a message; return the addresses that the server refused, if it took others."""
    host, port = str(url.hostname), url.port or PORTS[url.scheme]
    context = create_default_context()
    if url.scheme == "smtps":
        connection: smtplib.SMTP = smtplib.SMTP_SSL(host, port, timeout=LONGEST_SECONDS, context=context)
    else:
        connection = smtplib.SMTP(host, port, timeout=LONGEST_SECONDS)
    with connection:
        if url.scheme == "smtp" and host not in THIS_MACHINE:
            connection.starttls(context=context)
        if url.username:
            connection.login(unquote(url.username), unquote(url.password or ""))
        return connection.send_message(message)
