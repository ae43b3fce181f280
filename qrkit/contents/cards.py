"""What a content says, for people: a phone number, a contact, a network … as a title and rows, or as one line.

Contents come from strangers. Nothing is judged here and nothing raises: what cannot be read is text, and whoever shows
a card shows the content itself as well.
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
"""What each kind is called; the title of a card that has no name of its own."""

MOST_ROWS = 30
LONGEST_TITLE = 120

# What the fields of each format are called, in the order in which they are shown.
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

# `++` and `*+` never go back, so that no text takes longer than others of its length.
_PIECES = {mark: re.compile(rf"((?:[^{mark}\\]|\\.|\\)*+)(?:{mark}|\Z)", re.DOTALL) for mark in ";,"}
_LINE = re.compile(r'(?:[A-Z0-9-]++\.)?([A-Z0-9-]++)((?:;(?:"[^"]*+"|[^":])*+)?):(.*)', re.IGNORECASE | re.DOTALL)
_POINT = re.compile(r"(-?\d{1,3}(?:\.\d{1,20})?),(-?\d{1,3}(?:\.\d{1,20})?)(?![\d.])", re.ASCII)


@dataclass(frozen=True, slots=True)
class Card:
    """A content for people.

    Attributes:
        kind: What it is.
        title: A short heading: the name of the contact, the event or the network, else what the kind is called.
        rows: Labels and values, at most 30; none for plain text.
    """

    kind: Kind
    title: str
    rows: tuple[tuple[str, str], ...] = ()


class Field(NamedTuple):
    """A line of a contact or an event, `TEL;TYPE=CELL:+386 40 123`; `about` is what stands between name and value."""

    name: str
    about: str
    value: str


def card(content: str) -> Card:
    """Say what a content is; that takes time by its length alone, and raises nothing."""
    text = content.strip(" \t\r\n")
    scheme, _, rest = text.partition(":")
    if scheme.upper() in ("HTTP", "HTTPS"):
        return Card("link", TITLES["link"], (("Address", text),))
    read = READERS.get(scheme.upper())
    found = read(rest) if read else Card("text", "")
    rows = [(label, value) for label, value in found.rows if value.strip()]
    if not found.title and not rows:
        return Card("text", TITLES["text"])
    title = found.title if len(found.title) <= LONGEST_TITLE else found.title[: LONGEST_TITLE - 1] + "…"
    if title != found.title:
        rows.insert(0, ("Name", found.title))
    return Card(found.kind, title if title.strip() else TITLES[found.kind], tuple(rows[:MOST_ROWS]))


def summary(content: str) -> str:
    """A content, or a name made from one, as a line of a list, a report or an alternative text: without its secrets.

    Other people read these lines than those who scan the code. Contacts, events, Wi-Fi networks and secrets of one-time
    passwords are called by their names; anything else is what it is.

    Example:
        >>> summary("WIFI:T:WPA;S:Cafe Nero;P:espresso;;")
        'Wi-Fi: Cafe Nero (WPA, password hidden)'
    """
    text = content.lstrip(" \t\r\n")
    scheme = text[:LONGEST_SCHEME].partition(":")[0].upper()
    return SUMMARIES[scheme](text) if scheme in SUMMARIES else content


def _wifi_summary(text: str) -> str:
    # A name is cut, perhaps in the middle of a password; of what cannot be read, nothing is shown.
    said = dict(reversed(list(_pairs(text.partition(":")[2]))))
    security = SECURITY.get(said.get("T", "").upper(), "").partition(",")[0]
    about = [security] if security and security != "None" else []
    about += ["password hidden"] if said.get("P") else []
    return _named("Wi-Fi", _one_line(said.get("S", ""))) + (f" ({', '.join(about)})" if about else "")


def _block_summary(text: str) -> str:
    if "\n" not in text and "\r" not in text:
        text = re.sub(r" (?=[A-Z-]++[:;])", "\n", text)  # a name has its lines as one
    found = READERS["BEGIN"](text.partition(":")[2])
    return _named(TITLES[found.kind], found.title) if found.kind != "text" else text


def _secret_summary(text: str) -> str:
    label = unquote(text.partition("?")[0].rpartition("/")[2])
    return f"{_named('One-time password', _one_line(label))} (secret hidden)"


def _named(kind: str, name: str) -> str:
    text = f"{kind}: {name}" if name.strip() else kind
    return text if len(text) <= LONGEST_TITLE else text[: LONGEST_TITLE - 1] + "…"


def _phone(rest: str) -> Card:
    number = unquote(rest)
    # Words alone are a sentence; "1-800-FLOWERS" is a number.
    return Card("phone", "", (("Number", number),) if re.search("[0-9*#]", number) else ())


def _email(rest: str) -> Card:
    to, _, query = rest.partition("?")
    return Card("email", "", _shown([("to", unquote(to)), *_queried(query)], MAIL))


def _message(rest: str) -> Card:
    head, *query = re.split("[?&]", rest, maxsplit=1)
    number, _, text = head.partition(":")
    said = [("body", unquote(text)), *_queried("".join(query))]
    return Card("message", "", (("Number", unquote(number)), *_shown(said, {"body": "Text"})))


def _place(rest: str) -> Card:
    point, _, query = rest.partition("?")
    found = _POINT.match(point)
    # Maps take 0,0 for "only look for the name".
    where = f"{found[1]}, {found[2]}" if found and (float(found[1]) or float(found[2])) else ""
    names = [(name, value.replace("+", " ")) for name, value in _queried(query)]
    return Card("place", _one_line(dict(names).get("q", "")), (("Coordinates", where),))


def _wifi(rest: str) -> Card:
    said = dict(reversed(list(_pairs(rest))))
    said["T"] = SECURITY.get(said.get("T", "").upper(), said.get("T", ""))
    said["H"] = "Yes" if said.get("H", "").lower() == "true" else ""
    # Blanks are part of a name and a password; without a name there is no network.
    return Card("wifi", said["S"], _shown(said.items(), WIFI)) if said.get("S") else Card("text", "")


def _mecard(rest: str) -> Card:
    said = list(_pairs(rest))
    names = [" ".join(reversed(_pieces(value, ","))) for name, value in said if name == "N"]
    return Card("contact", _one_line(next(iter(names), "")), _shown(said, CONTACT))


def _block(rest: str) -> Card:
    """A vCard (RFC 6350 and what was before it) or an event (RFC 5545)."""
    if rest[:5].upper() == "VCARD":
        return _contact(rest)
    if rest[:6].upper() in ("VCALEN", "VEVENT"):
        return _event(f"BEGIN:{rest}")
    return Card("text", "")


def _contact(text: str) -> Card:
    fields = list(islice((one for one in _fields(text) if one.name in {"FN", "N", *CONTACT}), 4 * MOST_ROWS))
    names = {one.name: one.value for one in reversed(fields) if one.value.strip()}
    family, given, middle, before, after = [*_pieces(names.get("N", ""), ";"), "", "", "", ""][:5]
    name = _plain(names.get("FN", "")) or " ".join((before, given, middle, family, after))
    rows = sorted((one for one in fields if one.name in CONTACT), key=lambda one: list(CONTACT).index(one.name))
    return Card("contact", _one_line(name), tuple((_label(one), _contact_value(one)) for one in rows))


def _label(field: Field) -> str:
    """Phone (work, fax)."""
    said = set(re.findall("[A-Z]+", field.about.upper()))
    types = ", ".join(word for name, word in TYPES.items() if name in said)
    return f"{CONTACT[field.name]} ({types})" if types else CONTACT[field.name]


def _contact_value(field: Field) -> str:
    if field.name in ("ADR", "ORG"):
        return ", ".join(piece.strip() for piece in _pieces(field.value, ";") if piece.strip())
    return re.sub("^(tel|mailto):", "", _plain(field.value), flags=re.IGNORECASE)


def _event(text: str) -> Card:
    # A calendar has a DTSTART in its time zones, and a DESCRIPTION in its alarms, too.
    event = dropwhile(lambda one: (one.name, one.value.strip().upper()) != ("BEGIN", "VEVENT"), _fields(text))
    fields = {one.name: one for one in takewhile(lambda one: one.name not in ("BEGIN", "END"), islice(event, 1, None))}
    said = {name: _plain(one.value) for name, one in fields.items()}
    said |= {name: _moment(fields[name]) for name in ("DTSTART", "DTEND") if name in fields}
    if said.get("DTEND") == said.get("DTSTART"):
        said.pop("DTEND", None)
    return Card("event", _one_line(said.get("SUMMARY", "")), _shown(said.items(), EVENT))


def _moment(field: Field) -> str:
    """Sunday, 14 June 2026, 18:00 UTC; as it is written where it is no moment."""
    value = field.value.strip()
    is_day = len(value) == len("yyyymmdd")
    try:
        moment = datetime.strptime(value.removesuffix("Z"), "%Y%m%d" if is_day else "%Y%m%dT%H%M%S")
        # The end of whole days is the day after them (RFC 5545, 3.6.1).
        moment -= timedelta(days=is_day and field.name == "DTEND")
    except (ValueError, OverflowError):
        return value
    day = f"{WEEKDAYS[moment.weekday()]}, {moment.day} {MONTHS[moment.month - 1]} {moment.year}"
    zone = re.search('TZID="?([^;"]+)', field.about, re.IGNORECASE)
    where = " UTC" if value.endswith("Z") else f" ({zone[1]})" if zone else ""
    return day if is_day else f"{day}, {moment:%H:%M}{where}"


def _fields(text: str) -> Iterator[Field]:
    """The lines of a contact or a calendar, folded ones as one; what is no such line is left out."""
    lines = iter(re.split("\r\n|\r|\n", re.sub("(?:\r\n|\r|\n)[ \t]", "", text)))
    for line in lines:
        found = _LINE.match(line)
        if found is None:
            continue
        name, about, value = found.groups()
        if "QUOTED-PRINTABLE" in about.upper():
            parts = [value]
            while parts[-1].endswith("=") and (more := next(lines, None)) is not None:
                parts.append(more)
            value = _unquoted("\n".join(parts))
        yield Field(name.upper(), about, value)


def _unquoted(value: str) -> str:
    """Text from quoted-printable, which phones wrote in vCards of version 2.1."""
    data = decodestring(value.encode("utf-8", "replace"))
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    """Names and values of `S:net;P:secret;;`, the way of Wi-Fi networks and MECARDs."""
    for piece in _PIECES[";"].findall(text):
        name, _, value = piece.partition(":")
        yield name.strip().upper(), re.sub(r"\\(.)", r"\1", value, flags=re.DOTALL)


def _queried(query: str) -> list[tuple[str, str]]:
    pairs = (one.partition("=") for one in query.split("&"))
    return [(name.lower(), unquote(value)) for name, _, value in pairs]


def _shown(said: Iterable[tuple[str, str]], labels: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """The fields that have a label, in the order of the labels."""
    known = [(name, value) for name, value in said if name in labels]
    return tuple((labels[name], value) for name, value in sorted(known, key=lambda one: list(labels).index(one[0])))


def _pieces(text: str, mark: str) -> list[str]:
    return [_plain(piece) for piece in _PIECES[mark].findall(text)]


def _plain(value: str) -> str:
    """A value of a contact or an event without its escapes."""
    return re.sub(r"\\(.)", lambda found: "\n" if found[1] in "nN" else found[1], value, flags=re.DOTALL).strip()


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
"""What reads the rest of a content, by what it begins with."""

SUMMARIES: Mapping[str, Callable[[str], str]] = {
    "WIFI": _wifi_summary,
    "MECARD": lambda text: _named(TITLES["contact"], _mecard(text.partition(":")[2]).title),
    "BEGIN": _block_summary,
    "OTPAUTH": _secret_summary,
    "OTPAUTH-MIGRATION": _secret_summary,
}
"""What says a content in a line, by what it begins with."""
LONGEST_SCHEME = 1 + max(map(len, SUMMARIES))
