"""Parses and writes the notations that contents share: pairs, lines of vCards and calendars, queries of URIs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from itertools import dropwhile, islice
from quopri import decodestring
from typing import NamedTuple
from urllib.parse import quote, unquote

# `++` and `*+` never backtrack, so the time depends on the length of the text alone. A group in front of them has to be
# atomic, `(?>...)`, because Python before 3.11.5 moves on if a repetition of another group fails in its middle.
_PIECES = {mark: re.compile(rf"((?>[^{mark}\\]|\\.|\\)*+)(?:{mark}|\Z)", re.DOTALL) for mark in ";,"}
_QUOTES = "\"'`<\xab\u2018\u2019\u201a\u201c\u201d\u201e\u2039"
_UNSEEN = (*range(0x21), *range(0x7F, 0xA1), 0xAD, 0x61C, *range(0x2000, 0x2010), *range(0x2028, 0x2030))
BLANKS = " \t\r\n\ufeff"
"""Characters in front of a content that phones skip: blanks, and a byte order mark."""
IN_FRONT = _QUOTES + "".join(map(chr, (*_UNSEEN, *range(0x205F, 0x2070), 0x3000, 0xFEFF)))
"""Quotes, blanks and characters that cannot be seen, which come along in front of a pasted content."""
HTML_AMPERSAND = re.compile(r"&amp;(?=[\w.-]+=)")
"""Matches an ampersand in front of a parameter, as HTML writes it; any other belongs to a value."""
_FOLD = re.compile("(?:\r\n|\r|\n)[ \t]")
_FOLD_OF_CODED = re.compile("(?<!=)(?:\r\n|(?<!=\r)\n|\r)[ \t]")
"""Matches a fold, but not a soft line break of quoted-printable text: the blank behind that is part of the text."""
_RAW = re.compile("[^\r\n]*+(?>(?:\r\n|\n|\r)[ \t][^\r\n]*+)*+(?:\r\n|\n|\r|\\Z)")
_MOMENT = re.compile(
    r"([0-9]{4})-?([0-9]{2})-?([0-9]{2})"
    r"(?:T([01][0-9]|2[0-3]):?([0-9]{2})(?::?([0-9]{2})(?:\.[0-9]+)?)?(Z|[+-][0-9]{2}:?[0-9]{2})?)?",
    re.ASCII | re.IGNORECASE,
)
_LINE = re.compile(r'(?:[A-Z0-9-]++\.)?([A-Z0-9-]++)((?:;(?>"[^"]*+"|[^":])*+)?):(.*)', re.IGNORECASE | re.DOTALL)


WALLETS = (
    "upi", "bitcoin", "lightning", "ethereum", "monero", "litecoin", "dogecoin", "bitcoincash", "solana", "ton",
    "zcash",
)  # fmt: skip
"""Schemes of links that open a payment in an app."""
BANKING_APPS = ("bank", "gpay", "payto", "paytmmp", "phonepe", "swish", "tez", "venmo")
"""Schemes of apps whose links have slashes; without them, a text is a sentence, such as `Swish:123 456`."""
WALLET_LINK = rf"(?:{'|'.join(WALLETS)}):(?=\S)|(?:{'|'.join(BANKING_APPS)})://(?=\S)"
"""How these links begin. With a space behind the colon, a text is a sentence, such as `Ton: laut`."""
OTHER_SYSTEM = r"[^?]*;crs=(?!wgs84\b)"
"""A geo: link up to a coordinate system other than WGS 84, the only one that RFC 5870 defines and maps show."""
APP_LINK = (
    r"(?:comgooglemaps|fb|imessage|instagram|kakaotalk|line|pinterest|sgnl|skype|snapchat|tg|"
    r"twitter|viber|vnd\.youtube|waze|webcal|whatsapp|zoom(?:mtg|us))://(?=\S)|"
    r"(?:facetime(?:-audio)?|sips?|xmpp):(?=\S)|msteams:/|skype:[^\s?]+\?|spotify:[a-z]+:(?=\S)"
)
"""How links begin that open a call, a chat, a profile, a map, a calendar, or music in an app."""
PAYMENTS_OF_APPS = (
    r"S[PI]D\*[0-9]|ST0001[0-9]\||K:P[RTK]\||UPNQR\s|HCT\s+[0-9]{3}\s|HRVHUB30\s|(?:[0-9]{10})?\|PL\|[0-9]{26}\||"
    r"C\+?[0-9]{9,15};[0-9.,]*;[^;]*;[0-7]\s*\Z|(?-i:0[048]0(?=[0-9]*[A-V])[0-9A-V]{89,})\s*\Z|wxp://\S|weixin://wxpay/|"
    r"(?:ln(?:bc|tb)[0-9]*[munp]?1[02-9ac-hj-np-z]{50,}|lnurl1[02-9ac-hj-np-z]{20,})\s*\Z|"
    r"(?:(?:bc|tb)1[02-9ac-hj-np-z]{39,71}|0x[0-9a-f]{40})\s*\Z"
)
"""How payments begin that only banking apps and wallets read: those of Czechia, Russia, Serbia, Slovenia, Hungary,
Croatia, Poland, Sweden, Slovakia and China, and of Lightning, Bitcoin and Ethereum without a scheme in front."""

BIZCARD = {
    "T": "TITLE", "C": "ORG", "A": "ADR", "B": "TEL;WORK", "M": "TEL;CELL", "F": "TEL;FAX", "E": "EMAIL",
}  # fmt: skip
"""The line of a vCard for each part of a BIZCARD except the name."""


class Line(NamedTuple):
    """A line of a vCard or a calendar, such as `TEL;TYPE=CELL:+386 40 123`.

    The name is in capitals, without a group; `about` has the parameters as they are written, and the value its escapes.
    """

    name: str
    about: str
    value: str

    @property
    def types(self) -> set[str]:
        """The types among the parameters, such as WORK and FAX of a phone number, with the names of parameters."""
        return set(re.findall("[A-Z]+", self.about.upper()))


def pairs(text: str) -> Iterator[tuple[str, str]]:
    """Parse `S:net;P:secret;;`, the format of Wi-Fi networks and MeCards, into names in capitals and values."""
    for name, value in raw_pairs(text):
        yield name, re.sub(r"\\(.)", r"\1", value, flags=re.DOTALL)


def network_of(rest: str) -> dict[str, str]:
    """Parse what follows `WIFI:` into uppercase names and their values; the first value of a repeated name counts."""
    values = dict(reversed(list(pairs(rest))))
    # With R, the Wi-Fi Alliance's own form, which has no other escapes.
    return {name: unquote(value) for name, value in values.items()} if "R" in values else values


def security_of(word: str) -> str:
    """Return the kind of security that words such as `WPA2-PSK`, `SAE` or `OWE` name; "" for other words."""
    words = set(re.findall("[A-Z0-9.]+", word.upper()))
    if words & {"EAP", "ENTERPRISE", "802.1X"}:
        return "enterprise"
    if words & {"WPA3", "SAE"} and not words & {"WPA", "WPA2"}:
        return "WPA3"
    if words & {"WPA", "WPA2", "WPA3"}:
        return "WPA"
    return "none" if words & {"NOPASS", "NONE", "OPEN", "OWE"} else "WEP" if "WEP" in words else ""


def message_of(rest: str, *, is_plain: bool) -> tuple[str, str]:
    """Return the number and the text of a message: `1:text`, `1?body=text`, `1&body=text` or `1;?&body=text`.

    Several numbers have commas between them; Apple's form for them is `/open?addresses=1,2&body=text`. The text after a
    colon is literal if `is_plain`, as in `SMSTO:`, else percent-encoded.
    """
    rest = re.sub("^([^:?&;]*);(?=body=)", r"\1?", rest, flags=re.IGNORECASE)  # as iPhones took it before iOS 8
    number, mark, more = re.fullmatch("([^:?&]*)([:?&]?)(.*)", rest, re.DOTALL).groups()  # type: ignore[union-attr]  # matches any text
    if mark != ":":
        values = {name.lstrip("?"): value for name, value in reversed(list(parameters_of(more)))}
        more = values.get("body", "")
        number = values.get("addresses", "") if number.strip("/").lower() == "open" else number
    return unquoted(number).strip(" /;\r\n"), more if mark == ":" and is_plain else unquoted(more)


def parameters_of(query: str) -> Iterator[tuple[str, str]]:
    """Parse a query into names in lower case and values as they are written."""
    for pair in HTML_AMPERSAND.sub("&", query).split("&"):
        name, _, value = pair.partition("=")
        yield name.lower(), value


def lines_of_card(text: str) -> Iterator[Line]:
    """Yield what a MeCard or a BIZCARD, the business card of NTT Communications' N-Code, says as lines of a vCard."""
    scheme, _, rest = text.partition(":")
    values = list(raw_pairs(rest))
    if scheme.strip().upper() == "BIZCARD":
        family, given = (next((value for name, value in values if name == part), "") for part in "XN")
        values = [("N", f"{family},{given}"), *((BIZCARD[name], value) for name, value in values if name in BIZCARD)]
    for name, value in values:
        name, mark, about = name.partition(";")
        parts = split_raw(value, ",")
        if name == "N":
            value = ";".join(parts[:2])
        elif name == "ADR" and len(parts) not in (7, 8):  # one line for all of it
            value = ";;" + ", ".join(part.strip() for part in parts if part.strip())
        elif name == "ADR":
            value = ";".join(parts)
        yield Line(name, mark + about, value)


def names_of(value: str) -> list[str]:
    """Return the family name, given name, additional names, prefixes and suffixes in the value of an N line."""
    parts = (" ".join(filter(None, split(part, ","))) for part in split_raw(value, ";"))
    return [*parts, "", "", "", "", ""][:5]


def full_name(values: Mapping[str, str]) -> str:
    """Return the name of a contact by the values of its lines FN, N and ORG; "" if it has none."""
    family, given, middle, before, after = names_of(values.get("N", ""))
    name = unescape(values.get("FN", "")) or " ".join((before, given, middle, family, after))
    # A card of a company has no other name.
    return " ".join((name if name.strip() else split(values.get("ORG", ""), ";")[0]).split())


def without_scheme(line: Line) -> str:
    """Return the number or the address of a line, without the `tel:` or `mailto:` that some write before it."""
    return re.sub("^(?:tel|mailto):", "", unescape(line.value), flags=re.IGNORECASE)


def raw_pairs(text: str) -> Iterator[tuple[str, str]]:
    """Parse this format into names in capitals and values with their escapes, for values that have parts."""
    for piece in _PIECES[";"].findall(text):
        name, _, value = piece.partition(":")
        yield name.strip().upper(), value


def write_pairs(scheme: str, values: Iterable[tuple[str, str | None]]) -> str:
    """Write pairs in this format; pairs without a value are left out."""
    return f"{scheme}:" + "".join(f"{name}:{escape_pair(value)};" for name, value in values if value) + ";"


def escape_pair(value: str) -> str:
    r"""Return a value with a backslash before each of `\ ; , : "`."""
    return re.sub(r'([\\;,:"])', r"\\\1", value)


def raw_lines(text: str) -> Iterator[str]:
    """Yield the lines of a vCard or a calendar as they are written, with what continues them (RFC 6350, 3.2)."""
    lines = (match[0] for match in _RAW.finditer(text) if match[0])
    for line in lines:
        parts = [line]
        while _is_quoted(line) and parts[-1].rstrip("\r\n").endswith("=") and (more := next(lines, None)) is not None:
            parts.append(more)
        yield "".join(parts)


def _is_quoted(line: str) -> bool:
    return "QUOTED-PRINTABLE" in line.partition(":")[0].upper()


def line_of(raw: str) -> Line | None:
    """Parse a line; None for one that is none."""
    match = _LINE.fullmatch((_FOLD_OF_CODED if _is_quoted(raw) else _FOLD).sub("", raw).rstrip("\r\n"))
    if match is None:
        return None
    name, about, value = match.groups()
    if _is_quoted(raw):
        value = _decode_quoted_printable(re.sub("\r\n|\r", "\n", value), about)
    return Line(name.upper(), about, value)


def lines_of(text: str) -> Iterator[Line]:
    """Yield the lines of a vCard or a calendar, with folded ones joined; other lines are skipped."""
    return filter(None, map(line_of, raw_lines(text)))


def moment_of(value: str) -> date | None:
    """Parse a day or a time of a calendar (RFC 5545, 3.3.5), or of ISO 8601; one with an offset becomes UTC."""
    match = _MOMENT.fullmatch(value.strip())
    if match is None:
        return None
    *day, hour, minute, second, offset = match.groups()
    try:
        if not hour:
            return date(*map(int, day))
        # A leap second has the number 60, which Python does not accept.
        written = f"{'-'.join(day)}T{hour}:{minute}:{min(second or '00', '59')}{offset or ''}"
        moment = datetime.fromisoformat(written.upper())
        return moment.astimezone(UTC) if offset else moment
    except (ValueError, OverflowError):
        return None


def end_of(value: str, start: date | None) -> date | None:
    """Parse the end of an event: a time, or its last day, which is the day before the one that is written (3.6.1).

    Some programs write the day of the start for an event of one day.
    """
    end = moment_of(value)
    if end is None or isinstance(end, datetime) or end == start:
        return end
    return end - timedelta(days=1) if end > date.min else None


def block_of(text: str, name: str, most: int) -> Iterator[Line]:
    """Yield the lines of the first block of this name, such as VEVENT, without those of blocks inside it.

    The name is in capitals; at most `most` lines of the vCard or calendar are looked at.
    """
    depth = 0
    for line in islice(dropwhile(lambda one: not _begins(one, name), lines_of(text)), most):
        depth += (line.name == "BEGIN") - (line.name == "END")
        if depth == 0:
            return
        if depth == 1 and line.name not in ("BEGIN", "END"):
            yield line


def first_lines(lines: Iterable[Line]) -> dict[str, Line]:
    """Return the first line of each name."""
    return {line.name: line for line in reversed(list(lines))}


def _begins(line: Line, name: str) -> bool:
    return (line.name, line.value.strip().upper()) == ("BEGIN", name)


def _decode_quoted_printable(value: str, about: str) -> str:
    """Decode quoted-printable text, which phones wrote in vCards of version 2.1."""
    data = decodestring(value.encode("utf-8", "replace")).replace(b"\r\n", b"\n")
    charset = re.search("CHARSET=([A-Z0-9_-]+)", about, re.IGNORECASE)
    for name in (charset[1] if charset else "utf-8", "utf-8"):
        try:
            return data.decode(name)
        except (UnicodeDecodeError, LookupError):
            continue
    return data.decode("latin-1")


def escape(value: str) -> str:
    r"""Return a text value of a vCard or a calendar, with escaped `\ ; ,` and line breaks (RFC 6350, 3.4)."""
    return re.sub(r"([\\;,])", r"\\\1", value).replace("\r\n", "\n").replace("\r", "\n").replace("\n", "\\n")


def unescape(value: str) -> str:
    """Remove the escapes from a text value of a vCard or a calendar."""
    return re.sub(r"\\(.)", lambda match: "\n" if match[1] in "nN" else match[1], value, flags=re.DOTALL).strip()


def split(value: str, mark: str) -> list[str]:
    """Split a value at semicolons or commas that are not escaped, and remove the escapes."""
    return [unescape(piece) for piece in split_raw(value, mark)]


def split_raw(value: str, mark: str) -> list[str]:
    """Split a value at semicolons or commas that are not escaped, and keep the escapes."""
    found: list[str] = _PIECES[mark].findall(value)
    # The end of the text matches once more, unless the last mark ends it.
    return found if sum(map(len, found)) + len(found) - 1 == len(value) else found[:-1]


def write_query(values: Iterable[tuple[str, str | None]], safe: str = "") -> str:
    """Write a query; values that are None or empty are left out, spaces are `%20`."""
    return "&".join(f"{name}={quote(value, safe=safe)}" for name, value in values if value)


def read_query(query: str, *, is_form: bool = False) -> dict[str, str] | None:
    """Parse a query; None if a name is there twice or a value is not UTF-8, so that apps may read different values.

    In a form, a plus sign means a space, as Android apps read it; not all standards say so.
    """
    values: dict[str, str] = {}
    for pair in filter(None, query.split("&")):
        name, _, written = pair.partition("=")
        value = decode(written.replace("+", " ") if is_form else written)
        if value is None or name in values:
            return None
        values[name] = value
    return values


def unquoted(written: str) -> str:
    """Decode percent-encoding as UTF-8, or else as Latin-1, as old programs wrote it."""
    return unquote(written, errors="strict") if decode(written) is not None else unquote(written, "latin-1")


def decode(written: str) -> str | None:
    """Decode percent-encoding; None if the result is not UTF-8."""
    try:
        return unquote(written, errors="strict")
    except UnicodeDecodeError:
        return None
