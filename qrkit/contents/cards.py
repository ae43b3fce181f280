"""Describes a content for people: a phone number, contact, network … as a title with rows, or as one line.

Contents come from strangers. Nothing here validates them or raises: a content that cannot be parsed is plain text, and
callers that show a card also show the content itself. Labels are English; pages translate them. The line of `summary`
is in the language of the context.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

from qrkit.contents import syntax
from qrkit.contents.app_codes import app_code_title
from qrkit.contents.content import Content
from qrkit.files import safe_stem
from qrkit.languages import say

if TYPE_CHECKING:
    from qrkit.contents.kinds import Kind


TITLES = {
    "link": "Web address",
    "phone": "Phone number",
    "email": "E-mail",
    "sms": "Message",
    "location": "Place",
    "contact": "Contact",
    "event": "Event",
    "wifi": "Wi-Fi network",
    "app": "App",
    "otp": "One-time password",
    "text": "Text",
}
"""The name of each kind that is described here, which is the title of a card without a name of its own."""

MOST_ROWS = 30
MOST_LINES = 10_000
LONGEST_TITLE = 120

# Labels for the fields of each format, in display order.
MAIL = {"to": "To", "cc": "Cc", "bcc": "Bcc", "subject": "Subject", "body": "Text"}
CONTACT = {
    "TITLE": "Position",
    "ORG": "Organization",
    "TEL": "Phone",
    "EMAIL": "E-mail",
    "URL": "Web",
    "ADR": "Address",
    "GEO": "Coordinates",
    "BDAY": "Birthday",
    "NOTE": "Note",
}
EVENT = {
    "DTSTART": "Begins",
    "DTEND": "Ends",
    "RRULE": "Repeats",
    "UNTIL": "Until",
    "LOCATION": "Where",
    "GEO": "Coordinates",
    "DESCRIPTION": "About",
    "URL": "Web",
    "ORGANIZER": "Organizer",
}
REPEATS = {"DAILY": "Every day", "WEEKLY": "Every week", "MONTHLY": "Every month", "YEARLY": "Every year"}
MORE_THAN_ONCE = "More than once"
"""What is shown for a rule that no short text expresses completely."""
WIFI = {"P": "Password", "I": "User name", "E": "Sign-in method", "T": "Security", "H": "Hidden network"}
SECURITY = {"WPA": "WPA", "WPA3": "WPA3", "WEP": "WEP", "none": "None, no password needed"}
TYPES = {"WORK": "work", "HOME": "home", "CELL": "mobile", "FAX": "fax"}
STORES = {"apps.apple.com": "App Store", "play.google.com": "Google Play"}

# `++` and `*+` never backtrack, so the time depends on the length of the text alone.
_PAYMENT = re.compile(rf"(?:BCD|SPC)\s|000201|{syntax.PAYMENTS_OF_APPS}|{syntax.WALLET_LINK}", re.IGNORECASE)
# Only plain numbers and addresses become links: phone codes with `*` and `#` can change settings of a phone, and a
# query can add recipients to an email.
_NUMBER = re.compile(r"(\+?[0-9 ()/.\u2013-]{2,40})(;ext=[0-9]{1,10})?", re.ASCII)
_MAIL = re.compile(r"""[^\s@<>()[\]\\,;:"?&%#/]{1,64}@[^\s@<>()[\]\\,;:"?&%#/]{1,255}""")
_STORE = re.compile(rf"https://({'|'.join(map(re.escape, STORES))})/", re.IGNORECASE)
_POINT = re.compile(r"\s*(-?\d{1,3}(?:\.\d{1,20})?),\s*(-?\d{1,3}(?:\.\d{1,20})?)(?![\d.])", re.ASCII)
_OTHER_SYSTEM = re.compile(syntax.OTHER_SYSTEM, re.IGNORECASE)
_LABEL = re.compile(r"\A[-\d.,]++\((.*)\)\Z", re.DOTALL)
"""Matches coordinates with a name in parentheses, as maps take them."""


class Word(str):
    """A value in our words, which pages translate; any other text is shown as it is."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Moment:
    """When an event begins or ends, as its content gives it: a day, or a day and time.

    The zone is `UTC`, or the time zone that the content names; "" if it names none.
    """

    local: date
    zone: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a card, whose value is a text from the content, a word of ours, or a moment.

    Types qualify the label, such as "work" and "fax". The link is what the value could open, as the content gives it;
    pages decide whether that is safe.
    """

    label: str
    value: str | Moment
    types: tuple[str, ...] = ()
    link: str = ""


@dataclass(frozen=True, slots=True)
class Card:
    """A description of a content, whose kind is a name of `qrkit.contents`, in at most 30 rows; none for plain text.

    The title is the name of the contact, event or network, else that of the kind. `is_secret` means that the content is
    for an app alone and has a secret, so that nobody is shown the content.
    """

    kind: str
    title: str
    rows: tuple[Row, ...] = ()
    is_secret: bool = False


def card(content: str) -> Card:
    """Describe a content. Never raises, and takes time proportional to the length of the content."""
    text = content.strip(syntax.BLANKS)
    scheme, colon, rest = text.partition(":")
    if scheme.upper() in ("HTTP", "HTTPS"):
        return _app(text) or Card("link", TITLES["link"], (Row("Address", text),))
    if colon and (reader := READERS.get(scheme.upper())):
        parsed = reader(rest)
    else:
        from qrkit.contents.reading import read  # summaries do without it

        parsed = card_of_fields(read(content))
    rows = [row for row in parsed.rows if not isinstance(row.value, str) or row.value.strip()]
    if not (parsed.title or rows or parsed.is_secret):
        return Card("text", TITLES["text"])
    title = parsed.title if len(parsed.title) <= LONGEST_TITLE else parsed.title[: LONGEST_TITLE - 1] + "…"
    if title != parsed.title:
        rows.insert(0, Row("Name", parsed.title))
    return Card(parsed.kind, title if title.strip() else TITLES[parsed.kind], tuple(rows[:MOST_ROWS]), parsed.is_secret)


def card_of_fields(content: Content) -> Card:
    """Describe a content by the fields that it was read with; a text has no rows.

    Nothing is hidden, because a visitor needs all of it: the account to pay to, or the password of a network.
    """
    # Every drawing has a summary for screen readers, which needs neither the kinds nor pydantic.
    from qrkit.contents.kinds import kind_named

    if content.kind == "text":
        return Card("text", "")
    kind = kind_named(content.kind)
    labels = field_labels(kind)
    rows = tuple(Row(labels[name], _field_value(value)) for name, value in content.fields.items())
    return Card(content.kind, kind.title, rows)


def field_labels(kind: Kind) -> dict[str, str]:
    """Return the label of each field of a kind by its name, for rows of a card."""
    fields = kind.fields.model_fields
    return {name: field.title or name.replace("_", " ").capitalize() for name, field in fields.items()}


def _field_value(value: Any) -> str:
    if isinstance(value, bool):
        return Word("Yes" if value else "No")
    if isinstance(value, Mapping):  # GS1's elements
        return "\n".join(f"({number}) {text}" for number, text in value.items())
    if isinstance(value, (list, tuple)):
        return "\n".join(map(str, value))
    return str(value)


def _app(text: str) -> Card | None:
    """Describe web addresses on lines of their own, one of which leads to an app in a store; None for other texts."""
    addresses = text.split()
    stores = [match and STORES[match[1].lower()] for match in map(_STORE.match, addresses)]
    if len(addresses) < 2 or not any(stores) or not all(re.match("https?://", one, re.IGNORECASE) for one in addresses):
        return None
    rows = (Row(store or "Web", one, link=one) for store, one in zip(stores, addresses, strict=True))
    return Card("app", TITLES["app"], tuple(rows)[:MOST_ROWS])


def summary(content: str) -> str:
    """Return a content, or a name made from one, as one line without secrets, for lists, reports and alt text.

    Such lines are read by people who never scan the code. Contacts, events, Wi-Fi networks and one-time passwords are
    described by their names, payments by whom they are to and how much, and codes of apps by what they are; any other
    content is returned unchanged.

    Example:
        >>> summary("WIFI:T:WPA;S:Cafe Nero;P:espresso;;")
        'Wi-Fi: Cafe Nero (WPA, password hidden)'
    """
    if content.startswith("https:"):
        return content  # most contents are links
    text = content.lstrip(syntax.IN_FRONT)  # it has a secret all the same
    if _PAYMENT.match(text):
        return _payment_summary(text)
    scheme, colon, _ = text[:LONGEST_SCHEME].upper().partition(":")
    if colon and scheme in SUMMARIES:
        return SUMMARIES[scheme](text)
    title = app_code_title(text)
    return f"{say(title[:1].upper() + title[1:])}, {say('details hidden')}" if title else content


def file_stem(text: str) -> str:
    """Return the name of a file, without its suffix, for a content or for a name made from one: without secrets."""
    return safe_stem(_one_line(summary(text)))


def _wifi_summary(text: str) -> str:
    # A name may be cut in the middle of a password, so parts that cannot be parsed are not shown.
    said = syntax.network_of(text.partition(":")[2])
    security = syntax.security_of(said.get("T", ""))
    about = [security] if SECURITY.get(security) == security else []
    about += [say("password hidden")] if said.get("P") else []
    return _title_with_kind("Wi-Fi", _one_line(said.get("S", ""))) + (f" ({', '.join(about)})" if about else "")


def _named_summary(text: str) -> str:
    if "\n" not in text and "\r" not in text:
        text = re.sub(r" (?=[A-Z-]++[:;])", "\n", text)  # names have spaces instead of line breaks
    scheme, _, rest = text.partition(":")
    parsed = READERS[scheme.upper()](rest)
    if parsed.kind == "text":
        return text
    named = _title_with_kind(TITLES[parsed.kind], parsed.title)
    return f"{named} ({say('secret hidden')})" if parsed.is_secret else named


def _payment_summary(text: str) -> str:
    # Few contents are payments, and pydantic takes long to load.
    from qrkit.contents.payments.payment_summaries import payment_summary

    return payment_summary(text)


def _title_with_kind(kind: str, name: str) -> str:
    kind = say(kind)
    text = say("{kind}: {name}", kind=kind, name=name) if name.strip() else kind
    return text if len(text) <= LONGEST_TITLE else text[: LONGEST_TITLE - 1] + "…"


def _phone(rest: str) -> Card:
    number = unquote(rest).removeprefix("//")
    # Words alone are a sentence; "1-800-FLOWERS" is a number.
    return Card("phone", "", (Row("Number", number),) if re.search("[0-9*#]", number) else ())


def _email(rest: str) -> Card:
    to, _, query = rest.partition("?")
    parts = [("to", to.lstrip("/")), *syntax.parameters_of(query)]
    return Card("email", "", _label_rows(((name, syntax.unquoted(value)) for name, value in parts), MAIL))


def _sms(rest: str, *, is_plain: bool = False) -> Card:
    number, text = syntax.message_of(rest, is_plain=is_plain)
    return Card("sms", "", (Row("Number", number), Row("Text", text)))


def _location(rest: str) -> Card:
    point, _, query = rest.partition("?")
    if _OTHER_SYSTEM.match(point):
        return Card("text", "")
    words = syntax.unquoted(dict(syntax.parameters_of(query)).get("q", "")).replace("+", " ")
    label = _LABEL.match(words)
    # Map links use 0,0 for a search: by name, or by coordinates with a name.
    found = (_POINT.match(one) for one in (point, words if label or _POINT.fullmatch(words) else ""))
    where = next((f"{one[1]}, {one[2]}" for one in found if one and (float(one[1]) or float(one[2]))), "")
    name = label[1] if label else "" if _POINT.fullmatch(words) else words
    return Card("location", _one_line(name), (Row("Coordinates", where),))


def _wifi(rest: str) -> Card:
    said = syntax.network_of(rest)
    security = SECURITY.get(syntax.security_of(said.get("T", "")))
    said["T"] = Word(security) if security else said.get("T", "")
    said["H"] = Word("Yes" if said.get("H", "").lower() == "true" else "")
    # Spaces are part of names and passwords. A network needs a name.
    return Card("wifi", said["S"], _label_rows(said.items(), WIFI)) if said.get("S") else Card("text", "")


def _one_time_password(rest: str) -> Card:
    return Card("otp", _one_line(unquote(rest.partition("?")[0].rpartition("/")[2])), is_secret=True)


def _card_of_old_phone(scheme: str, rest: str) -> Card:
    return _contact_of(syntax.lines_of_card(f"{scheme}:{rest}"))


def _block(rest: str) -> Card:
    """Parse a vCard (RFC 6350 and its predecessors) or an event (RFC 5545)."""
    if rest[:5].upper() == "VCARD":
        return _contact_of(syntax.block_of(f"BEGIN:{rest}", "VCARD", MOST_LINES))
    if rest[:6].upper() in ("VCALEN", "VEVENT"):
        return _event(f"BEGIN:{rest}")
    return Card("text", "")


def _contact_of(lines: Iterable[syntax.Line]) -> Card:
    fields = list(islice((one for one in lines if one.name in {"FN", "N", *CONTACT}), 4 * MOST_ROWS))
    names = {one.name: one.value for one in reversed(fields) if one.value.strip()}
    rows = sorted((one for one in fields if one.name in CONTACT), key=lambda one: list(CONTACT).index(one.name))
    shown = (Row(CONTACT[one.name], _contact_value(one), _types(one.types)) for one in rows)
    return Card("contact", syntax.full_name(names), _link_rows(shown))


def _types(known: Container[str]) -> tuple[str, ...]:
    return tuple(word for name, word in TYPES.items() if name in known)


def _contact_value(field: syntax.Line) -> str | Moment:
    if field.name in ("ADR", "ORG"):
        return ", ".join(piece.strip() for piece in syntax.split(field.value, ";") if piece.strip())
    if field.name == "GEO":
        return _coordinates(field.value)
    if field.name == "BDAY":
        from qrkit.contents.contacts import birthday_of  # few contacts have a birthday

        born = birthday_of(field)
        return born if isinstance(born, str) else Moment(born)
    return syntax.without_scheme(field)


def _coordinates(value: str) -> str:
    """Return the coordinates in a `GEO` line of a contact or an event, `45.6;13.7` or `geo:45.6,13.7`; else ""."""
    if _OTHER_SYSTEM.match(value):
        return ""
    match = _POINT.match(re.sub("^geo:", "", value.strip(), flags=re.IGNORECASE).replace(";", ",", 1))
    return f"{match[1]}, {match[2]}" if match else ""


def _event(text: str) -> Card:
    fields = syntax.first_lines(syntax.block_of(text, "VEVENT", MOST_LINES))
    said: dict[str, str | Moment] = {name: syntax.unescape(one.value) for name, one in fields.items()}
    begin = syntax.moment_of(fields["DTSTART"].value) if "DTSTART" in fields else None
    said |= {name: _moment(fields[name], begin) for name in ("DTSTART", "DTEND") if name in fields}
    start = said.get("DTSTART")
    if "DURATION" in fields and "DTEND" not in fields and isinstance(start, Moment):
        from qrkit.contents.moments import end_after  # few contents are events

        end = end_after(start.local, fields["DURATION"].value, start.zone)
        said |= {"DTEND": replace(start, local=end)} if end else {}
    if "GEO" in fields:
        said["GEO"] = _coordinates(fields["GEO"].value)
    if "ORGANIZER" in fields:
        said["ORGANIZER"] = re.sub("^mailto:", "", fields["ORGANIZER"].value.strip(), flags=re.IGNORECASE)
    if said.get("DTEND") == said.get("DTSTART"):
        said.pop("DTEND", None)
    if "RRULE" in fields:
        parts = dict(part.partition("=")[::2] for part in fields["RRULE"].value.strip().upper().split(";"))
        from qrkit.contents.events import WEEKDAYS, last_day_of  # few events are repeated

        if parts.get("FREQ") == "WEEKLY" and begin and parts.get("BYDAY") == WEEKDAYS[begin.weekday()]:
            del parts["BYDAY"]
        is_each = parts.get("INTERVAL", "1") == "1" and parts.keys() <= {"FREQ", "INTERVAL", "UNTIL", "WKST"}
        said["RRULE"] = Word(REPEATS.get(parts.get("FREQ", ""), MORE_THAN_ONCE) if is_each else MORE_THAN_ONCE)
        last = last_day_of(parts.get("UNTIL", ""), start.zone if isinstance(start, Moment) else "")
        said |= {"UNTIL": Moment(last)} if last else {}
    return Card("event", _one_line(str(said.get("SUMMARY", ""))), _link_rows(_label_rows(said.items(), EVENT)))


def _moment(field: syntax.Line, begin: date | None) -> Moment | str:
    """Return a day or a time of an event with this begin; other values unchanged."""
    moment = syntax.end_of(field.value, begin) if field.name == "DTEND" else syntax.moment_of(field.value)
    if moment is None:
        return field.value.strip()
    if not isinstance(moment, datetime):
        return Moment(moment)
    if "TZID=" not in field.about.upper():
        return Moment(moment.replace(tzinfo=None), "UTC" if moment.tzinfo else "")
    from qrkit.contents.events import zone_of  # few contents are events

    return Moment(moment.replace(tzinfo=None), "UTC" if moment.tzinfo else zone_of(field) or "")


def _link_rows(rows: Iterable[Row]) -> tuple[Row, ...]:
    """Give the rows of a contact or an event the links that their values could open."""
    return tuple(
        replace(row, link=LINKS[row.label](row.value)) if row.label in LINKS and isinstance(row.value, str) else row
        for row in rows
    )


def _phone_link(value: str) -> str:
    match = _NUMBER.fullmatch(value.strip())
    if not match:
        return ""
    number, extension = match.groups("")
    # The zero in +44 (0)20 is dialed only without the country code.
    dialed = re.sub("[^0-9+]", "", number.replace("(0)", "") if number.startswith("+") else number)
    return f"tel:{dialed}{extension}" if dialed.strip("+") else ""


def _mail_link(value: str) -> str:
    return f"mailto:{value.strip()}" if _MAIL.fullmatch(value.strip()) else ""


def _web_link(value: str) -> str:
    text = value.strip()
    return text if ":" in text else f"https://{text}" if "." in text else ""


def _map_link(value: str) -> str:
    return f"geo:0,0?q={quote(_one_line(value), safe='', errors='replace')}"


def _where_link(value: str) -> str:
    """Return the link of the place of an event, which is on the web or on a map."""
    return _web_link(value) if re.match("https?:", value.strip(), re.IGNORECASE) else _map_link(value)


LINKS: Mapping[str, Callable[[str], str]] = {
    "Phone": _phone_link,
    "E-mail": _mail_link,
    "Organizer": _mail_link,
    "Web": _web_link,
    "Address": _map_link,
    "Coordinates": lambda value: f"geo:{value.replace(' ', '')}",
    "Where": _where_link,
}
"""Maps the label of a row of a contact or an event to the function that makes its link; "" is no link."""


def _label_rows(said: Iterable[tuple[str, str | Moment]], labels: Mapping[str, str]) -> tuple[Row, ...]:
    """Return the fields that have a label, in the order of the labels."""
    known = [(name, value) for name, value in said if name in labels]
    return tuple(Row(labels[name], value) for name, value in sorted(known, key=lambda one: list(labels).index(one[0])))


def _one_line(text: str) -> str:
    return " ".join(text.split())


READERS: Mapping[str, Callable[[str], Card]] = {
    "TEL": _phone,
    "MAILTO": _email,
    **dict.fromkeys(("SMS", "MMS"), _sms),
    **dict.fromkeys(("SMSTO", "MMSTO"), partial(_sms, is_plain=True)),
    "GEO": _location,
    "WIFI": _wifi,
    "MECARD": partial(_card_of_old_phone, "MECARD"),
    "BIZCARD": partial(_card_of_old_phone, "BIZCARD"),
    "BEGIN": _block,
    **dict.fromkeys(("OTPAUTH", "OTPAUTH-MIGRATION"), _one_time_password),
}
"""Maps the scheme of a content to the function that parses the rest."""

SUMMARIES: Mapping[str, Callable[[str], str]] = {
    "WIFI": _wifi_summary,
    **dict.fromkeys(("MECARD", "BIZCARD", "BEGIN", "OTPAUTH", "OTPAUTH-MIGRATION"), _named_summary),
}
"""Maps the scheme of a content to the function that summarizes it."""
LONGEST_SCHEME = 1 + max(map(len, SUMMARIES))
