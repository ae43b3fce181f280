"""Writes the HTML pages for visitors: contents that are not a web address, previews of short URLs, and errors.

The pages load nothing, and work without scripts; the one script that may run copies lines and adds the visitor's own
time. Text from strangers is shown as text, and linked only where the link is safe and leads to what the text says. The
headers of the request, by lower-case name, tell the language of a page and the device it is for. Pages of a content
have the name, the logo and the accent of the brand that its account uses.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import sha256
from types import MappingProxyType
from typing import NamedTuple
from urllib.parse import parse_qs, quote, urlencode, urlsplit

from qrkit.contents.cards import TITLES, Card, Moment, Row, Word, card
from qrkit.contents.gs1_paths import Gs1Path
from qrkit.contents.syntax import BANKING_APPS, WALLETS
from qrkit.design.brand import Brand
from qrkit.design.color import BLACK, WHITE, Color
from qrkit.drawing.logo import logo_image
from qrkit.errors import LeadsNowhere, NotFound, QrkitError, TooManyRequests
from qrkit.server.pages.docs import page_file, template
from qrkit.server.pages.page_languages import Language, instant, language_for
from qrkit.server.statuses import status_of
from qrkit.tracking.gs1_choosing import filled
from qrkit.tracking.gs1_entities import Gs1Entity, Gs1Link
from qrkit.visits.follow_or_show import Destination, link_behind
from qrkit.visits.redirect import Answer

CSS = page_file("theme.css") + page_file("landing.css")
SCRIPT = page_file("landing.js")
DIGEST = b64encode(sha256(SCRIPT.encode()).digest()).decode("ascii")
PAGE_HEADERS = {
    # Without "sandbox", which would block `tel:` links and downloads.
    "Content-Security-Policy": (
        f"default-src 'none'; script-src 'sha256-{DIGEST}'; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Vary": "Accept-Language",
}
"""Headers of every page. No script runs but that of the pages, and nothing is loaded."""
FORM_HEADERS = PAGE_HEADERS | {
    "Content-Security-Policy": PAGE_HEADERS["Content-Security-Policy"].replace(
        "form-action 'none'", "form-action 'self'"
    )
}
"""Headers of the page that asks for a password."""
NO_HEADERS: Mapping[str, str] = MappingProxyType({})

LABELED = re.compile(r"(-?[0-9.]+,-?[0-9.]+)\((.*)\)", re.DOTALL)
"""Matches coordinates with a name, as Android map apps take them."""

INVITATIONS = {
    "tel": "Call",
    "mailto": "Write an e-mail",
    **dict.fromkeys(("sms", "smsto", "mms", "mmsto"), "Send a message"),
    "geo": "Show on a map",
    **dict.fromkeys((*WALLETS, *BANKING_APPS), "Pay"),
    "http": "Open",
    "https": "Open",
}
"""Label of the button by the scheme of its link."""

FILES = {"text/vcard": "Save contact", "text/calendar": "Add to calendar"}
RAW = "?raw=1"
"""Query string that requests the content itself, as a file."""

NOT_COUNTED = "This is a preview. It is not counted as a scan."
NOTES = {
    "wifi": "Choose this network in the Wi-Fi settings of your phone.",
    "otp": "Its secret is for an authenticator app, and is not shown here.",
    "link": "There is no link to it, because it may lead elsewhere than it seems to.",
}
"""Hint for a content without a button, by its kind."""
BY_HAND = "To copy a line, touch and hold it."
COPIES = {"Name": "Copy name", "Password": "Copy password", "User name": "Copy user name"}
"""What the button beside a line of a network does, by the label of the line."""

LOOKS = {
    "Number": "take big",
    "Coordinates": "take big",
    "Password": "exact",
    "Full address": "take address",
    "Address as written": "take address",
    "Address": "take",
}
"""CSS classes of a row by its label: `take` is selected as a whole, `exact` distinguishes similar letters."""

DEVICES = {"App Store": "iPhone|iPad|iPod|Macintosh", "Google Play": "Android"}
"""The store of a device, and how its user agent is recognized."""

LOGO = (160, 40)
"""Width and height that a logo may have, in pixels."""
CARDS = (("#FFFFFF", 0.1), ("#171B20", 0.25))
"""The color of the card, light and dark, and the share of the accent in a tint of it."""


class Button(NamedTuple):
    """A button of a page; `file` is the name to save the content under."""

    label: str
    href: str
    file: str = ""


class Line(NamedTuple):
    """A row of a page.

    Attributes:
        look: CSS classes.
        link: What a tap opens.
        copies: Name of the button that copies the value; "" for no button.
        time: The day or time of an event in ISO 8601, with its offset if that is known.
        is_instant: Whether the time can be said in the visitor's time zone.
    """

    label: str
    value: str
    look: str = ""
    link: str = ""
    copies: str = ""
    time: str = ""
    is_instant: bool = False


class Mark(NamedTuple):
    """The brand on a page: its name, its logo on a background, and the CSS variables of its accent color."""

    name: str
    logo: str
    ground: str
    css: str


@dataclass(frozen=True, slots=True)
class Reader:
    """Who reads a page: the language to write in, and the app store ("App Store", "Google Play", or "" if unknown)."""

    language: Language
    store: str

    @classmethod
    def of(cls, headers: Mapping[str, str]) -> Reader:
        """Read the headers of a request."""
        agent = headers.get("user-agent", "")
        store = next((store for store, names in DEVICES.items() if re.search(names, agent)), "")
        return cls(language_for(headers.get("accept-language", "")), store)


@dataclass(frozen=True, slots=True)
class Sheet:
    """The content of a page, from top to bottom.

    Attributes:
        icon: Name of the icon in the template.
        is_label: Whether the heading only labels the single value below it.
        copies: Name of the button that copies the heading; "" for no button.
        over: Small text above the heading.
        lead: Text below the heading.
        tips: List of things to try, below the lead.
        content: The unchanged content; collapsed if there are lines or several buttons.
        buttons: The buttons of the page, the most important one first.
        note: Text below the buttons.
        by_hand: What the note adds where nothing can be copied by a button.
        foot: Text below the card.
        is_form: Whether the page asks for a password.
    """

    icon: str
    heading: str
    is_label: bool = False
    copies: str = ""
    over: str = ""
    lead: str = ""
    tips: tuple[str, ...] = ()
    lines: tuple[Line, ...] = ()
    content: str = ""
    buttons: tuple[Button, ...] = ()
    note: str = ""
    by_hand: str = ""
    foot: str = ""
    is_form: bool = False


FAILURES = {
    404: Sheet(
        "lost",
        "This code leads nowhere",
        lead="There is no page at this address. What you can try:",
        tips=(
            "Scan the code again, with all of it in the picture.",
            "If you typed the address, compare every letter: small and capital letters differ.",
        ),
    ),
    410: Sheet(
        "lost",
        "This page was taken down",
        lead="Whoever made this QR Code has removed what it led to. Perhaps there is a newer code where you found it.",
    ),
    429: Sheet("wait", "Too many tries", lead="Too much was asked for at once. Please try again {when}."),
    500: Sheet(
        "wait",
        "That did not work",
        lead="Something went wrong on our side, not on yours. Please try again in a moment.",
        buttons=(Button("Try again", ""),),
    ),
    400: Sheet(
        "lost",
        "This page cannot be shown",
        lead="Something about its address is not right. Please scan the code once more.",
    ),
}
"""Page for somebody who scanned a printed code, in English, by status. Other statuses use the 400 or 500 page."""


NOWHERE_NOW = Sheet(
    "wait",
    "This QR Code leads nowhere at the moment",
    lead="Its owner has switched it off, or has limited it to a time or a number of scans.",
)
LOCKED = Sheet(
    "otp",
    "This QR Code asks for a password",
    lead="Its owner can tell you the password.",
    is_form=True,
)
NO_PAGE = Sheet(
    "lost",
    "There is no such page",
    lead="If you typed the address, compare every letter: small and capital letters differ.",
)
"""Page for an address that no short URL can have."""


def home(host: str, docs: str, headers: Mapping[str, str] = NO_HEADERS) -> bytes:
    """Return an HTML page that says what the address is that all short URLs begin with.

    `host` is that of the short URLs, `docs` the address of the documentation of the interface.
    """
    language = Reader.of(headers).language
    say = language.say
    sheet = Sheet(
        "link",
        host,
        over=say("Short URLs of QR Codes"),
        lead=say("QR Codes lead to addresses that begin like this one. To follow a code, scan the whole of it."),
        buttons=(Button(say("Documentation for developers"), docs),),
        foot=say("This is a qrkit server."),
    )
    return _render(sheet, language)


def page(answer: Answer, brand: Brand | None = None, headers: Mapping[str, str] = NO_HEADERS) -> bytes:
    """Return an HTML page that shows the content, with a button for the safe action, such as saving a contact.

    Add `?raw=1` to the URL to get the file of a contact or an event.
    """
    reader = Reader.of(headers)
    return _render(_content_sheet(answer, reader), reader.language, brand)


def preview(
    short_url: str, answer: Answer, brand: Brand | None = None, headers: Mapping[str, str] = NO_HEADERS
) -> bytes:
    """Return an HTML page that shows where a short URL leads, without going there.

    The brand is only for the page of a content that is not a web address.
    """
    reader, link = Reader.of(headers), answer.destination.link
    say = reader.language.say
    if link is None or not link.startswith(("http:", "https:")):
        sheet = _content_sheet(answer, reader)
        why = (_line(Row("Why", answer.why), reader),) if answer.why else ()
        sheet = replace(sheet, lines=(*sheet.lines, *why), foot=say(NOT_COUNTED))
        return _render(sheet, reader.language, brand)
    parts, written = urlsplit(link), answer.content.strip()
    rows = [Row("Full address", link)]
    if written != link:
        rows.append(Row("Address as written", written))
    if parts.scheme == "http":
        rows.append(Row("Connection", Word("Not encrypted: others may read along.")))
    if answer.why:
        rows.append(Row("Why", answer.why))
    sheet = Sheet(
        "look",
        parts.hostname or link,
        over=say("{address} leads to", address=short_url.partition("://")[2] or short_url),
        lines=tuple(_line(row, reader) for row in rows),
        buttons=(Button(say("Go there"), link),),
        foot=say(NOT_COUNTED),
    )
    return _render(sheet, reader.language)


def failure(
    error: QrkitError, headers: Mapping[str, str] = NO_HEADERS, brand: Brand | None = None, *, why: str = ""
) -> bytes:
    """Return an HTML page that tells a visitor in plain words what went wrong and what to try.

    The brand is that of a known code that the visitor scanned. `why` is what decided that a short URL leads nowhere
    now, for its owner.
    """
    reader, status = Reader.of(headers), status_of(error)
    language = reader.language
    say, when = language.say, language.wait(error.retry_after) if isinstance(error, TooManyRequests) else ""
    sheet = FAILURES.get(status) or FAILURES[500 if status >= 500 else 400]
    if isinstance(error, NotFound) and error.kind == "page":
        sheet = NO_PAGE
    elif isinstance(error, LeadsNowhere):
        sheet = NOWHERE_NOW
    sheet = replace(
        sheet,
        heading=say(sheet.heading),
        lead=say(sheet.lead, when=when),
        tips=tuple(map(say, sheet.tips)),
        buttons=tuple(button._replace(label=say(button.label)) for button in sheet.buttons),
        lines=(_line(Row("Why", why), reader),) if why else (),
        foot=say("Error {status}", status=status),
    )
    return _render(sheet, language, brand)


def notice(icon: str, heading: str, lead: str, headers: Mapping[str, str] = NO_HEADERS) -> bytes:
    """Return an HTML page that says two English sentences, under an icon, to somebody who scanned a code."""
    language = Reader.of(headers).language
    return _render(Sheet(icon, language.say(heading), lead=language.say(lead)), language)


def password_page(headers: Mapping[str, str], brand: Brand | None = None, *, is_wrong: bool = False) -> bytes:
    """Return the HTML page that asks for the password of a QR Code, again if a wrong one was sent."""
    language = Reader.of(headers).language
    say = language.say
    note = say("This is not the password. Please try again.") if is_wrong else ""
    sheet = replace(LOCKED, heading=say(LOCKED.heading), lead=say(LOCKED.lead), note=note)
    return _render(sheet, language, brand)


def links_page(
    headers: Mapping[str, str],
    brand: Brand | None,
    levels: Sequence[tuple[Gs1Path, Gs1Entity]],
    links: Sequence[Gs1Link] = (),
) -> bytes:
    """Return an HTML page with the links of a product, place or thing to choose from; by default, all of its links.

    The levels are what is identified, with its entities, the nearest first.
    """
    language = Reader.of(headers).language
    shown = [(path, link) for path, entity in levels for link in entity.links if link in (links or entity.links)]
    buttons = {filled(link.href, path): link for path, link in shown}
    heading = next((entity.description for _, entity in levels if entity.description), str(levels[0][0]))
    sheet = Sheet(
        "link",
        heading,
        lead=language.say("What would you like to see?"),
        buttons=tuple(
            Button(" · ".join([link.title, *link.hreflang, *link.context]), href) for href, link in buttons.items()
        ),
        note=str(levels[0][0]) if heading != str(levels[0][0]) else "",
    )
    return _render(sheet, language, brand)


def _content_sheet(answer: Answer, reader: Reader) -> Sheet:
    shown, say = card(answer.content), reader.language.say
    kind_title = TITLES.get(shown.kind, shown.title)
    is_text, has_name = shown.kind == "text", shown.title != kind_title
    buttons = _buttons(answer.destination, shown, reader)
    lines = () if shown.kind == "app" else tuple(_line(row, reader, shown.kind) for row in shown.rows)
    headings = {"text": "This QR Code says", "app": "Get the app"}
    is_network = shown.kind == "wifi"
    return Sheet(
        shown.kind,
        shown.title if has_name else say(headings.get(shown.kind, kind_title)),
        over=say(kind_title) if has_name else "",
        is_label=is_text or (len(lines) == 1 and not has_name),
        copies=say(COPIES["Name"]) if is_network and not any(row.label == "Name" for row in shown.rows) else "",
        lines=lines,
        content="" if shown.is_secret else answer.content,
        buttons=buttons,
        note=say(NOTES[shown.kind]) if shown.kind in NOTES and not buttons else "",
        by_hand=say(BY_HAND) if is_network else "",
    )


def _line(row: Row, reader: Reader, kind: str = "") -> Line:
    say = reader.language.say
    types = f" ({', '.join(map(say, row.types))})" if row.types else ""
    label = f"{say(row.label)}{types}"
    if isinstance(row.value, Moment):
        known, text = instant(row.value), reader.language.moment(row.value)
        return Line(label, text, time=(known or row.value.local).isoformat(), is_instant=known is not None)
    value = say(row.value) if isinstance(row.value, Word) else row.value
    copies = say(COPIES[row.label]) if kind == "wifi" and row.label in COPIES else ""
    link = link_behind(value, row.link) if row.link else None
    return Line(label, value, LOOKS.get(row.label, ""), _for_device(link or "", reader), copies)


def _buttons(where: Destination, shown: Card, reader: Reader) -> tuple[Button, ...]:
    say = reader.language.say
    if shown.kind == "app":
        stores = ((row.label, link_behind(str(row.value), row.link)) for row in shown.rows)
        found = [Button(store if store in DEVICES else urlsplit(link).netloc, link) for store, link in stores if link]
        return tuple(sorted(found, key=lambda button: button.label != reader.store))
    if where.link:
        invitation = INVITATIONS.get(where.link.partition(":")[0].lower(), "Open")
        link = _message_link(shown, reader) if shown.kind == "sms" else _for_device(where.link, reader)
        return (Button(say(invitation), link),)
    if where.download:
        name, media_type = where.download
        return (Button(say(FILES.get(media_type, "Save")), RAW, name),)
    return ()


def _message_link(shown: Card, reader: Reader) -> str:
    """Return the link to a message: browsers do not open `SMSTO:`, and Apple devices need & before the text."""
    said = {"Number": ""} | {row.label: quote(str(row.value), safe="+,") for row in shown.rows}
    is_apple = reader.store == "App Store"
    number, mark = said["Number"], "&" if is_apple else "?"
    number = f"/open?addresses={number}" if is_apple and "," in number else number
    return f"sms:{number}" + (f"{mark}body={said['Text']}" if "Text" in said else "")


def _for_device(link: str, reader: Reader) -> str:
    """Return a link as the device understands it: iPhones and Macs have Apple's address of a map in place of `geo:`."""
    if reader.store != "App Store" or not link.lower().startswith("geo:"):
        return link
    point, _, query = link.partition(":")[2].partition("?")
    where = ",".join(re.split("[,;]", point)[:2])
    words = parse_qs(query).get("q", [where])[0]
    if labeled := LABELED.fullmatch(words):
        where, words = labeled.groups()
    asked = {"q": words} | ({} if where == "0,0" else {"ll": where})
    return f"https://maps.apple.com/?{urlencode(asked, quote_via=quote)}"


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
    """Return the CSS variables of an accent on a card: icons and buttons, text on it, a tint behind it, and links."""
    tint = replace(accent, alpha=round(255 * share)).over(card)
    shown = accent.visible_on(tint)
    text = max(BLACK, WHITE, key=shown.contrast)
    link = accent.visible_on(card, 4.5)
    return f"--accent:{shown.rgb};--on-accent:{text.rgb};--tint:{tint.rgb};--link:{link.rgb}"


def _render(sheet: Sheet, language: Language, brand: Brand | None = None) -> bytes:
    mark = _mark(brand) if brand else None
    text = template("landing.html.jinja").render(
        sheet=sheet, say=language.say, language=language, mark=mark, css=CSS, script=SCRIPT
    )
    # "replace", so that text that cannot be encoded as UTF-8 still gets a page.
    return text.encode("utf-8", "replace")
