"""Writes the HTML pages for visitors: contents that are not a web address, previews of short URLs, and errors.

The pages run no scripts and load nothing. Text from strangers is shown as text; the only link is the one to the
destination. The page of a content has the name, the logo and the accent of the brand that its account uses.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib.resources import files
from typing import NamedTuple
from urllib.parse import urlsplit

from jinja2 import Environment, StrictUndefined, Template

from qrkit.contents.cards import TITLES, card
from qrkit.design.brand import Brand
from qrkit.design.color import BLACK, WHITE, Color
from qrkit.drawing.logo import logo_image
from qrkit.errors import QrkitError, TooManyRequests
from qrkit.server.statuses import status_of
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
"""Label of the button by the scheme of its link."""

FILES = {"text/vcard": "Save contact", "text/calendar": "Save event"}
RAW = "?raw=1"
"""Query string that requests the content itself, as a file."""

NOT_COUNTED = "You are only looking: this is not counted as a scan."
NOTES = {
    "wifi": "Choose this network in the Wi-Fi settings of your phone. To copy a line, touch and hold it.",
    "link": "There is no link to it, because it may lead elsewhere than it seems to.",
}
"""Hint for a content without a button, by its kind."""

LOOKS = {
    "Number": "take big",
    "Coordinates": "take big",
    "Password": "take exact",
    "Full address": "take address",
    "Address as written": "take address",
    "Address": "take",
}
"""CSS classes of a row by its label: `take` is selected as a whole, `exact` distinguishes similar letters."""


LOGO = (160, 40)
"""Width and height that a logo may have, in pixels."""
CARDS = (("#FFFFFF", 0.1), ("#171B20", 0.25))
"""The color of the card, light and dark, and the share of the accent in a tint of it."""


class Button(NamedTuple):
    """The button of a page; `file` is the name to save the content under."""

    label: str
    href: str
    file: str = ""


class Mark(NamedTuple):
    """The brand on a page: its name, its logo on a ground, and the CSS variables of its accent."""

    name: str
    logo: str
    ground: str
    css: str


@dataclass(frozen=True, slots=True)
class Sheet:
    """The content of a page, from top to bottom.

    Attributes:
        icon: Name of the icon in the template.
        heading: What the page is about.
        is_label: Whether the heading only labels the single value below it.
        over: Small text above the heading.
        lead: Text below the heading.
        tips: List of things to try, below the lead.
        rows: Labels and values.
        content: The unchanged content; collapsed if there are rows.
        button: The button of the page.
        note: Text below the button.
        foot: Text below the card.
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
        """Return the CSS classes of a row."""
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
"""Page for somebody who scanned a printed code, by status. Other statuses use the 400 or 500 page."""


def page(answer: Answer, brand: Brand | None = None) -> bytes:
    """Return an HTML page that shows the content, with a button for the safe action, such as saving a contact.

    Add `?raw=1` to the URL to get the file of a contact or an event.

    Args:
        answer: The content, and what to do with it.
        brand: Gives the page its name, logo and accent.
    """
    return _render(_content_sheet(answer), _mark(brand) if brand else None)


def preview(short_url: str, answer: Answer) -> bytes:
    """Return an HTML page that shows where a short URL leads, without going there."""
    link = answer.destination.link
    if link is None or not link.startswith(("http:", "https:")):
        return _render(replace(_content_sheet(answer), foot=NOT_COUNTED))
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
    return _render(sheet)


def failure(error: QrkitError) -> bytes:
    """Return an HTML page that tells a visitor in plain words what went wrong and what to try."""
    status = status_of(error)
    sheet = FAILURES.get(status) or FAILURES[500 if status >= 500 else 400]
    if isinstance(error, TooManyRequests):
        sheet = replace(sheet, lead=f"{sheet.lead} Please try again in {_wait(error.retry_after)}.")
    return _render(replace(sheet, foot=f"Error {status}"))


def _content_sheet(answer: Answer) -> Sheet:
    content_card, button = card(answer.content), _button(answer.destination)
    is_text, has_name = content_card.kind == "text", content_card.title != TITLES[content_card.kind]
    return Sheet(
        content_card.kind,
        "This QR Code says" if is_text else content_card.title,
        over=TITLES[content_card.kind] if has_name else "",
        is_label=is_text or (len(content_card.rows) == 1 and not has_name),
        rows=content_card.rows,
        content=answer.content,
        button=button,
        note="" if button else NOTES.get(content_card.kind, ""),
    )


def _button(where: Destination) -> Button | None:
    if where.link:
        return Button(INVITATIONS.get(where.link.partition(":")[0].lower(), "Open"), where.link)
    if where.download:
        name, media_type = where.download
        return Button(FILES.get(media_type, "Save"), RAW, name)
    return None


def _wait(seconds: int) -> str:
    """Say how long to wait, rounded up to minutes or hours."""
    minutes, hours = -(-seconds // 60), -(-seconds // 3600)
    if minutes <= 1:
        return "a minute"
    return f"{minutes} minutes" if minutes < 100 else f"{hours} hours"


@lru_cache(maxsize=16)
def _mark(brand: Brand) -> Mark:
    """Return the mark of a brand; without its logo if that cannot be read."""
    accent, logo = brand.accent or brand.ink, ""
    if brand.logo:
        with suppress(QrkitError):
            logo = logo_image(brand.logo, accent.visible_on(brand.ground), *LOGO)
    light, dark = (_accent_css(accent, Color.parse(card), share) for card, share in CARDS)
    return Mark(
        brand.name, logo, brand.ground.rgb, f":root{{{light}}}@media (prefers-color-scheme:dark){{:root{{{dark}}}}}"
    )


def _accent_css(accent: Color, card: Color, share: float) -> str:
    """Return the CSS variables of an accent on a card: of icons and buttons, of text on it, and of a tint behind it."""
    tint = replace(accent, alpha=round(255 * share)).over(card)
    shown = accent.visible_on(tint)
    text = max(BLACK, WHITE, key=shown.contrast)
    return f"--accent:{shown.rgb};--on-accent:{text.rgb};--tint:{tint.rgb}"


def _render(sheet: Sheet, mark: Mark | None = None) -> bytes:
    template, css = _template()
    # "replace", so that text that cannot be encoded as UTF-8 still gets a page.
    return template.render(sheet=sheet, mark=mark, css=css).encode("utf-8", "replace")


@cache
def _template() -> tuple[Template, str]:
    """Load the template and its CSS on first use."""
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    folder = files("qrkit.server")
    template = environment.from_string(folder.joinpath("landing.html.jinja").read_text(encoding="utf-8"))
    return template, folder.joinpath("landing.css").read_text(encoding="utf-8")
