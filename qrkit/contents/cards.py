"""Describes a content for people: a phone number, contact, network … as a title with rows, or as one line.

Contents come from strangers. Nothing here validates them or raises: a content that cannot be parsed is plain text, and
callers that show a card also show the content itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import dropwhile, islice, takewhile
from quopri import decodestring
from typing import Literal, NamedTuple
from urllib.parse import unquote

__all__ = ["MOST_ROWS", "TITLES", "Card", "Kind", "card", "summary"]

Kind = Literal["link", "phone", "email", "message", "place", "contact", "event", "wifi", "text"]

TITLES: dict[Kind, str] = {
    "link": "Web address",
    "phone": "Phone number",
    "email": "E-mail",
    "message": "Message",
    "place": "Place",
    "contact": "Contact",
    "event": "Event",
    "wifi": "Wi-Fi network",
    "text": "Text",
}
"""The name of each kind, which is the title of a card without a name of its own."""

MOST_ROWS = 30
LONGEST_TITLE = 120

# Labels for the fields of each format, in display order.
MAIL = {"to": "To", "cc": "Cc", "bcc": "Bcc", "subject": "Subject", "body": "Text"}
CONTACT = {
    "TITLE": "Position",
    "ORG": "Organisation",
    "TEL": "Phone",
    "EMAIL": "E-mail",
    "URL": "Web",
    "ADR": "Address",
    "NOTE": "Note",
}
EVENT = {"DTSTART": "Begins", "DTEND": "Ends", "LOCATION": "Where", "DESCRIPTION": "About"}
WIFI = {"P": "Password", "I": "User name", "E": "Sign-in method", "T": "Security", "H": "Hidden network"}
SECURITY = {"WPA": "WPA", "SAE": "WPA3", "WEP": "WEP", "NOPASS": "None, no password needed"}
TYPES = {"WORK": "work", "HOME": "home", "CELL": "mobile", "FAX": "fax"}

MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

# `++` and `*+` never backtrack, so the time depends on the length of the text alone.
_PIECES = {mark: re.compile(rf"((?:[^{mark}\\]|\\.|\\)*+)(?:{mark}|\Z)", re.DOTALL) for mark in ";,"}
_PAYMENT = re.compile(r"(?:BCD|SPC)\s|000201|(?:upi|bitcoin):", re.IGNORECASE)
_LINE = re.compile(r'(?:[A-Z0-9-]++\.)?([A-Z0-9-]++)((?:;(?:"[^"]*+"|[^":])*+)?):(.*)', re.IGNORECASE | re.DOTALL)
_POINT = re.compile(r"(-?\d{1,3}(?:\.\d{1,20})?),(-?\d{1,3}(?:\.\d{1,20})?)(?![\d.])", re.ASCII)


@dataclass(frozen=True, slots=True)
class Card:
    """A description of a content.

    Attributes:
        kind: The kind of content.
        title: A short title: the name of the contact, event or network, else the name of the kind.
        rows: Pairs of label and value, at most 30; empty for plain text.
    """

    kind: Kind
    title: str
    rows: tuple[tuple[str, str], ...] = ()


class Field(NamedTuple):
    """A line of a contact or event, such as `TEL;TYPE=CELL:+386 40 123`; `about` is the part before the colon."""

    name: str
    about: str
    value: str


def card(content: str) -> Card:
    """Describe a content. Never raises, and takes time proportional to the length of the content."""
    text = content.strip(" \t\r\n")
    scheme, _, rest = text.partition(":")
    if scheme.upper() in ("HTTP", "HTTPS"):
        return Card("link", TITLES["link"], (("Address", text),))
    read = READERS.get(scheme.upper())
    parsed = read(rest) if read else Card("text", "")
    rows = [(label, value) for label, value in parsed.rows if value.strip()]
    if not parsed.title and not rows:
        return Card("text", TITLES["text"])
    title = parsed.title if len(parsed.title) <= LONGEST_TITLE else parsed.title[: LONGEST_TITLE - 1] + "…"
    if title != parsed.title:
        rows.insert(0, ("Name", parsed.title))
    return Card(parsed.kind, title if title.strip() else TITLES[parsed.kind], tuple(rows[:MOST_ROWS]))


def summary(content: str) -> str:
    """Return a content, or a name made from one, as one line without secrets, for lists, reports and alt text.

    Such lines are read by people who never scan the code. Contacts, events, Wi-Fi networks and one-time passwords are
    described by their names, payments by whom they are to and how much; any other content is returned unchanged.

    Example:
        >>> summary("WIFI:T:WPA;S:Cafe Nero;P:espresso;;")
        'Wi-Fi: Cafe Nero (WPA, password hidden)'
    """
    text = content.lstrip(" \t\r\n")
    if _PAYMENT.match(text):
        return _payment_summary(text)
    scheme = text[:LONGEST_SCHEME].partition(":")[0].upper()
    return SUMMARIES[scheme](text) if scheme in SUMMARIES else content


def _wifi_summary(text: str) -> str:
    # A name may be cut in the middle of a password, so parts that cannot be parsed are not shown.
    said = dict(reversed(list(_pairs(text.partition(":")[2]))))
    security = SECURITY.get(said.get("T", "").upper(), "").partition(",")[0]
    about = [security] if security and security != "None" else []
    about += ["password hidden"] if said.get("P") else []
    return _title_with_kind("Wi-Fi", _one_line(said.get("S", ""))) + (f" ({', '.join(about)})" if about else "")


def _block_summary(text: str) -> str:
    if "\n" not in text and "\r" not in text:
        text = re.sub(r" (?=[A-Z-]++[:;])", "\n", text)  # names have spaces instead of line breaks
    parsed = READERS["BEGIN"](text.partition(":")[2])
    return _title_with_kind(TITLES[parsed.kind], parsed.title) if parsed.kind != "text" else text


def _secret_summary(text: str) -> str:
    label = unquote(text.partition("?")[0].rpartition("/")[2])
    return f"{_title_with_kind('One-time password', _one_line(label))} (secret hidden)"


def _payment_summary(text: str) -> str:
    # Few contents are payments, and pydantic takes long to load.
    from qrkit.contents.payment_summaries import payment_summary

    return payment_summary(text)


def _title_with_kind(kind: str, name: str) -> str:
    text = f"{kind}: {name}" if name.strip() else kind
    return text if len(text) <= LONGEST_TITLE else text[: LONGEST_TITLE - 1] + "…"


def _phone(rest: str) -> Card:
    number = unquote(rest)
    # Words alone are a sentence; "1-800-FLOWERS" is a number.
    return Card("phone", "", (("Number", number),) if re.search("[0-9*#]", number) else ())


def _email(rest: str) -> Card:
    to, _, query = rest.partition("?")
    return Card("email", "", _label_rows([("to", unquote(to)), *_parse_query(query)], MAIL))


def _message(rest: str) -> Card:
    head, *query = re.split("[?&]", rest, maxsplit=1)
    number, _, text = head.partition(":")
    said = [("body", unquote(text)), *_parse_query("".join(query))]
    return Card("message", "", (("Number", unquote(number)), *_label_rows(said, {"body": "Text"})))


def _place(rest: str) -> Card:
    point, _, query = rest.partition("?")
    match = _POINT.match(point)
    # Map links use 0,0 for "search by name only".
    where = f"{match[1]}, {match[2]}" if match and (float(match[1]) or float(match[2])) else ""
    names = [(name, value.replace("+", " ")) for name, value in _parse_query(query)]
    return Card("place", _one_line(dict(names).get("q", "")), (("Coordinates", where),))


def _wifi(rest: str) -> Card:
    said = dict(reversed(list(_pairs(rest))))
    said["T"] = SECURITY.get(said.get("T", "").upper(), said.get("T", ""))
    said["H"] = "Yes" if said.get("H", "").lower() == "true" else ""
    # Spaces are part of names and passwords. A network needs a name.
    return Card("wifi", said["S"], _label_rows(said.items(), WIFI)) if said.get("S") else Card("text", "")


def _mecard(rest: str) -> Card:
    said = list(_pairs(rest))
    names = [" ".join(reversed(_pieces(value, ","))) for name, value in said if name == "N"]
    return Card("contact", _one_line(next(iter(names), "")), _label_rows(said, CONTACT))


def _block(rest: str) -> Card:
    """Parse a vCard (RFC 6350 and its predecessors) or an event (RFC 5545)."""
    if rest[:5].upper() == "VCARD":
        return _contact(rest)
    if rest[:6].upper() in ("VCALEN", "VEVENT"):
        return _event(f"BEGIN:{rest}")
    return Card("text", "")


def _contact(text: str) -> Card:
    fields = list(islice((one for one in _fields(text) if one.name in {"FN", "N", *CONTACT}), 4 * MOST_ROWS))
    names = {one.name: one.value for one in reversed(fields) if one.value.strip()}
    family, given, middle, before, after = [*_pieces(names.get("N", ""), ";"), "", "", "", ""][:5]
    name = _unescape(names.get("FN", "")) or " ".join((before, given, middle, family, after))
    rows = sorted((one for one in fields if one.name in CONTACT), key=lambda one: list(CONTACT).index(one.name))
    return Card("contact", _one_line(name), tuple((_label(one), _contact_value(one)) for one in rows))


def _label(field: Field) -> str:
    """Return the label of a field with its types, such as "Phone (work, fax)"."""
    said = set(re.findall("[A-Z]+", field.about.upper()))
    types = ", ".join(word for name, word in TYPES.items() if name in said)
    return f"{CONTACT[field.name]} ({types})" if types else CONTACT[field.name]


def _contact_value(field: Field) -> str:
    if field.name in ("ADR", "ORG"):
        return ", ".join(piece.strip() for piece in _pieces(field.value, ";") if piece.strip())
    return re.sub("^(tel|mailto):", "", _unescape(field.value), flags=re.IGNORECASE)


def _event(text: str) -> Card:
    # The time zones of a calendar also contain a DTSTART, and its alarms a DESCRIPTION.
    event = dropwhile(lambda one: (one.name, one.value.strip().upper()) != ("BEGIN", "VEVENT"), _fields(text))
    fields = {one.name: one for one in takewhile(lambda one: one.name not in ("BEGIN", "END"), islice(event, 1, None))}
    said = {name: _unescape(one.value) for name, one in fields.items()}
    said |= {name: _moment(fields[name]) for name in ("DTSTART", "DTEND") if name in fields}
    if said.get("DTEND") == said.get("DTSTART"):
        said.pop("DTEND", None)
    return Card("event", _one_line(said.get("SUMMARY", "")), _label_rows(said.items(), EVENT))


def _moment(field: Field) -> str:
    """Format a time, such as "Sunday, 14 June 2026, 18:00 UTC"; return other values unchanged."""
    value = field.value.strip()
    is_day = len(value) == len("yyyymmdd")
    try:
        moment = datetime.strptime(value.removesuffix("Z"), "%Y%m%d" if is_day else "%Y%m%dT%H%M%S")
        # The end of an all-day event is the day after it (RFC 5545, 3.6.1).
        moment -= timedelta(days=is_day and field.name == "DTEND")
    except (ValueError, OverflowError):
        return value
    day = f"{WEEKDAYS[moment.weekday()]}, {moment.day} {MONTHS[moment.month - 1]} {moment.year}"
    zone = re.search('TZID="?([^;"]+)', field.about, re.IGNORECASE)
    where = " UTC" if value.endswith("Z") else f" ({zone[1]})" if zone else ""
    return day if is_day else f"{day}, {moment:%H:%M}{where}"


def _fields(text: str) -> Iterator[Field]:
    """Yield the fields of a contact or calendar, with folded lines joined; other lines are skipped."""
    lines = iter(re.split("\r\n|\r|\n", re.sub("(?:\r\n|\r|\n)[ \t]", "", text)))
    for line in lines:
        match = _LINE.match(line)
        if match is None:
            continue
        name, about, value = match.groups()
        if "QUOTED-PRINTABLE" in about.upper():
            parts = [value]
            while parts[-1].endswith("=") and (more := next(lines, None)) is not None:
                parts.append(more)
            value = _decode_quoted_printable("\n".join(parts))
        yield Field(name.upper(), about, value)


def _decode_quoted_printable(value: str) -> str:
    """Decode quoted-printable text, which phones wrote in vCards of version 2.1."""
    data = decodestring(value.encode("utf-8", "replace"))
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    """Parse `S:net;P:secret;;`, the format of Wi-Fi networks and MECARDs, into names and values."""
    for piece in _PIECES[";"].findall(text):
        name, _, value = piece.partition(":")
        yield name.strip().upper(), re.sub(r"\\(.)", r"\1", value, flags=re.DOTALL)


def _parse_query(query: str) -> list[tuple[str, str]]:
    pairs = (one.partition("=") for one in query.split("&"))
    return [(name.lower(), unquote(value)) for name, _, value in pairs]


def _label_rows(said: Iterable[tuple[str, str]], labels: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Return the fields that have a label, in the order of the labels."""
    known = [(name, value) for name, value in said if name in labels]
    return tuple((labels[name], value) for name, value in sorted(known, key=lambda one: list(labels).index(one[0])))


def _pieces(text: str, mark: str) -> list[str]:
    return [_unescape(piece) for piece in _PIECES[mark].findall(text)]


def _unescape(value: str) -> str:
    """Remove the escapes from a value of a contact or event."""
    return re.sub(r"\\(.)", lambda match: "\n" if match[1] in "nN" else match[1], value, flags=re.DOTALL).strip()


def _one_line(text: str) -> str:
    return " ".join(text.split())


READERS: Mapping[str, Callable[[str], Card]] = {
    "TEL": _phone,
    "MAILTO": _email,
    "SMS": _message,
    "SMSTO": _message,
    "GEO": _place,
    "WIFI": _wifi,
    "MECARD": _mecard,
    "BEGIN": _block,
}
"""Maps the scheme of a content to the function that parses the rest."""

SUMMARIES: Mapping[str, Callable[[str], str]] = {
    "WIFI": _wifi_summary,
    "MECARD": lambda text: _title_with_kind(TITLES["contact"], _mecard(text.partition(":")[2]).title),
    "BEGIN": _block_summary,
    "OTPAUTH": _secret_summary,
    "OTPAUTH-MIGRATION": _secret_summary,
}
"""Maps the scheme of a content to the function that summarizes it."""
LONGEST_SCHEME = 1 + max(map(len, SUMMARIES))
