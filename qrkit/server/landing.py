"""The pages that people see: contents that are no web address, where a short URL leads, and what went wrong (T8).

They run no script and load nothing. Whatever a stranger wrote is text in them; the one link is that of the destination.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import NamedTuple
from urllib.parse import urlsplit

from jinja2 import Environment, StrictUndefined, Template

from qrkit.contents.cards import TITLES, card
from qrkit.errors import QrkitError, TooManyRequests
from qrkit.visits.destinations import Destination
from qrkit.visits.redirect import Answer

__all__ = ["failure", "page", "preview"]

INVITATIONS = {
    "tel": "Call",
    "mailto": "Write an e-mail",
    "sms": "Send a message",
    "smsto": "Send a message",
    "geo": "Show on a map",
    "http": "Open",
    "https": "Open",
}
"""What the button says, by the scheme of its link."""

FILES = {"text/vcard": "Save contact", "text/calendar": "Save event"}
RAW = "?raw=1"
"""What is asked for the content itself, as a file."""

NOT_COUNTED = "You are only looking: this is not counted as a scan."
NOTES = {
    "wifi": "Choose this network in the Wi-Fi settings of your phone. To copy a line, touch and hold it.",
    "link": "There is no link to it, because it may lead elsewhere than it seems to.",
}
"""What helps with a content that no button opens, by its kind."""

LOOKS = {
    "Number": "take big",
    "Coordinates": "take big",
    "Password": "take exact",
    "Full address": "take address",
    "Address as written": "take address",
    "Address": "take",
}
"""How a row looks, by its label: `take` is selected as a whole, `exact` has letters that are told apart."""


class Button(NamedTuple):
    """What a page invites to; `file` is the name to save under."""

    label: str
    href: str
    file: str = ""


@dataclass(frozen=True, slots=True)
class Sheet:
    """What stands on a page, from top to bottom.

    Attributes:
        icon: Name of the icon, in the template.
        heading: What the page is about.
        is_label: Whether the heading only says what the one thing below it is.
        over: Small, above the heading.
        lead: Below the heading, and `tips` below that.
        tips: What to try.
        rows: Labels and values.
        content: The content as it is; folded away where there are rows.
        button: What the page invites to.
        note: Below the button.
        foot: Below the card.
    """

    icon: str
    heading: str
    is_label: bool = False
    over: str = ""
    lead: str = ""
    tips: tuple[str, ...] = ()
    rows: tuple[tuple[str, str], ...] = ()
    content: str = ""
    button: Button | None = None
    note: str = ""
    foot: str = ""

    def look_of(self, label: str) -> str:
        """The CSS classes of a row."""
        return LOOKS.get(label, "")


FAILURES = {
    404: Sheet(
        "lost",
        "This code leads nowhere",
        lead="There is no page at this address. What you can try:",
        tips=(
            "Scan the code once more, with the whole of it in the picture.",
            "If you typed the address, compare every letter: small and capital letters differ.",
        ),
    ),
    410: Sheet(
        "lost",
        "This page was taken down",
        lead="Whoever made this QR Code has removed what it led to. Perhaps there is a newer code where you found it.",
    ),
    429: Sheet("wait", "Too many tries", lead="Too much was asked for at once."),
    500: Sheet(
        "wait",
        "That did not work",
        lead="Something went wrong on our side, not on yours. Please try again in a moment.",
        button=Button("Try again", ""),
    ),
    400: Sheet(
        "lost",
        "This page cannot be shown",
        lead="Something about its address is not right. Please scan the code once more.",
    ),
}
"""What to say to someone who scanned a printed code, by status; of others, that of their hundred."""


def page(answer: Answer) -> bytes:
    """An HTML page with the content for people, and a button for what is safe to do with it.

    The file of a contact or an event is at `?raw=1` of the same URL.
    """
    return _written(_shown(answer))


def preview(short_url: str, answer: Answer) -> bytes:
    """An HTML page that tells where a short URL leads, and does not go there."""
    link = answer.destination.link
    if link is None or not link.startswith(("http:", "https:")):
        return _written(replace(_shown(answer), foot=NOT_COUNTED))
    parts = urlsplit(link)
    written = answer.content.strip()
    rows = [("Full address", link)]
    if written != link:
        rows.append(("Address as written", written))
    if parts.scheme == "http":
        rows.append(("Connection", "Not encrypted: others may read along."))
    sheet = Sheet(
        "look",
        parts.hostname or link,
        over=f"{short_url.partition('://')[2] or short_url} leads to",
        rows=tuple(rows),
        button=Button("Go there", link),
        foot=NOT_COUNTED,
    )
    return _written(sheet)


def failure(error: QrkitError) -> bytes:
    """An HTML page that tells a visitor in plain words what went wrong, and what to try."""
    sheet = FAILURES.get(error.status) or FAILURES[500 if error.status >= 500 else 400]
    if isinstance(error, TooManyRequests):
        sheet = replace(sheet, lead=f"{sheet.lead} Please try again in {_wait(error.retry_after)}.")
    return _written(replace(sheet, foot=f"Error {error.status}"))


def _shown(answer: Answer) -> Sheet:
    found, button = card(answer.content), _button(answer.destination)
    is_text, has_name = found.kind == "text", found.title != TITLES[found.kind]
    return Sheet(
        found.kind,
        "This QR Code says" if is_text else found.title,
        over=TITLES[found.kind] if has_name else "",
        is_label=is_text or (len(found.rows) == 1 and not has_name),
        rows=found.rows,
        content=answer.content,
        button=button,
        note="" if button else NOTES.get(found.kind, ""),
    )


def _button(where: Destination) -> Button | None:
    if where.link:
        return Button(INVITATIONS.get(where.link.partition(":")[0].lower(), "Open"), where.link)
    if where.download:
        name, media_type = where.download
        return Button(FILES.get(media_type, "Save"), RAW, name)
    return None


def _wait(seconds: int) -> str:
    """How long that is, roughly and never too short."""
    minutes, hours = -(-seconds // 60), -(-seconds // 3600)
    if minutes <= 1:
        return "a minute"
    return f"{minutes} minutes" if minutes < 100 else f"{hours} hours"


def _written(sheet: Sheet) -> bytes:
    template, css = _template()
    # "replace": a text that cannot be written as UTF-8 is still worth a page.
    return template.render(sheet=sheet, css=css).encode("utf-8", "replace")


@cache
def _template() -> tuple[Template, str]:
    """The page and its style, read when the first is shown."""
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    folder = files("qrkit.server")
    template = environment.from_string(folder.joinpath("landing.html.jinja").read_text(encoding="utf-8"))
    return template, folder.joinpath("landing.css").read_text(encoding="utf-8")
