"""Takes a content apart into the pieces that its notation has, and puts what one text says into another.

A piece is a line of a vCard or a calendar, a pair of a Wi-Fi network, a parameter of a link, a value of a Pix code.
Each has a key, the same one in every text of the notation.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from difflib import SequenceMatcher
from itertools import groupby, takewhile
from typing import NamedTuple
from urllib.parse import quote

from qrkit.contents.contacts import phone_field
from qrkit.contents.events import zone_named
from qrkit.contents.payments.pix_codes import tagged, values_of, with_checksum
from qrkit.contents.syntax import BLANKS, Line, line_of, pairs, raw_lines, split_raw

MADE_UP = re.compile(r".*/(?:UID|DTSTAMP|VTIMEZONE .*)", re.DOTALL)
"""Matches keys of what calendars need and no person says: a text that has it keeps its own."""

LISTED = ("TEL", "EMAIL", "URL")
"""Lines that are read all; of others, the first."""
DEEPEST = 6
"""The maximum depth of nested blocks whose lines have keys."""
LINES_TO_ZONE = 8
"""Lines of a time zone among which its name is looked for."""

# Parameters that say how a value is written; others say what it is.
_HOW_WRITTEN = re.compile("(?:ENCODING|CHARSET|VALUE|TZID)=.*|QUOTED-PRINTABLE|BASE64|B|8BIT", re.I | re.DOTALL)
_HEAD = re.compile(r'([^:;]*+)((?:;(?>"[^"]*+"|[^":])*+)?):')
_PARAMETER = re.compile('(?>"[^"]*+"|[^;"])++')
_IS_21 = re.compile(r"^VERSION:2\.1", re.MULTILINE | re.IGNORECASE)
_IS_PERCENT_ENCODED = re.compile("WIFI:(?:.*;)?R:[0-9A-F]", re.DOTALL | re.IGNORECASE)
_START = re.compile(r"""^DTSTART((?:;(?>"[^"]*+"|[^":\r\n])*+)?):""", re.MULTILINE | re.IGNORECASE)
_MOMENT = re.compile("[0-9]{8}T[0-9]{6}Z?", re.ASCII)
_LINE_END = re.compile("\r\n|\r|\n")


class Piece(NamedTuple):
    """A piece of a text, as it is written; `key` is what it is about, "" if nothing reads it."""

    key: str
    text: str


Parts = tuple[str, list[Piece], str]
"""What stands before the parts of a piece, the parts, and the mark between them."""


class Notation:
    """A notation of contents: names and values of a link after its path, such as `upi://pay?pa=a@bank&cu=INR`."""

    def split(self, text: str) -> list[Piece]:
        """Return the pieces of a text. Texts that begin with different keys have nothing in common."""
        front, mark, fragment = text.partition("#")
        head, question, query = front.partition("?")
        values = [Piece(pair.partition("=")[0].lower(), pair) for pair in query.split("&")] if question else []
        return [Piece("head", head), *values, *([Piece("#", mark + fragment)] if mark else [])]

    def join(self, pieces: Sequence[Piece], _theirs: str) -> str:
        """Return the text of pieces, most of which are of a text of somebody else."""
        values = [piece.text for piece in pieces if piece.key not in ("head", "#")]
        front = pieces[0].text + ("?" if values else "") + "&".join(values)
        return front + "".join(piece.text for piece in pieces if piece.key == "#")

    def written(self, ours: str, _piece: str, _theirs: str) -> str:
        """Return a piece of ours as their text writes such pieces, in the place of one of its own, or of none ("")."""
        return ours

    def parts(self, _piece: Piece) -> Parts:
        """Return the parts of a piece: the unit of a company, the prefix of a name. A piece that is whole has none."""
        return "", [], ""


class _Pairs(Notation):
    """Names and values as Wi-Fi networks and MeCards have them: `WIFI:S:net;P:secret;;`."""

    def split(self, text: str) -> list[Piece]:
        head, _, rest = text.partition(":")
        texts = split_raw(rest, ";")
        keys = (text.partition(":")[0].strip().upper() if ":" in text else "" for text in texts)
        return [Piece(f"{head.upper().strip()}:", f"{head}:"), *map(Piece, keys, texts)]

    def join(self, pieces: Sequence[Piece], _theirs: str) -> str:
        return pieces[0].text + ";".join(piece.text for piece in pieces[1:])

    def written(self, ours: str, _piece: str, theirs: str) -> str:
        if not _IS_PERCENT_ENCODED.match(theirs):
            return ours
        name, value = next(pairs(ours))
        return f"{name}:{quote(value, safe=' ')}"

    def parts(self, piece: Piece) -> Parts:
        name, _, value = piece.text.partition(":")
        places = enumerate(split_raw(value, ",")) if piece.key in ("N", "ADR") else ()
        return f"{name}:", [Piece(f"{place}", part) for place, part in places], ","


class _Values(Notation):
    """Numbered values as Pix codes have them, some of which hold others."""

    def split(self, text: str) -> list[Piece]:
        pieces: list[Piece] = []
        for number, value in values_of(text.strip()).items():
            inner = values_of(value) if number in ("26", "62") else {}
            pieces += [Piece(f"{number}/{name}", one) for name, one in inner.items()] or [Piece(number, value)]
        return [piece for piece in pieces if piece.key != "63"]

    def join(self, pieces: Sequence[Piece], _theirs: str) -> str:
        text = ""
        for number, group in groupby(pieces, key=lambda piece: piece.key.partition("/")[0]):
            values = [tagged(piece.key.partition("/")[2], piece.text) for piece in group]
            text += tagged(number, "".join(values))
        return with_checksum(text)


class _Lines(Notation):
    """Lines of vCards and calendars, in blocks."""

    def split(self, text: str) -> list[Piece]:
        return list(_keyed_lines(list(raw_lines(text.removeprefix("\ufeff")))))

    def join(self, pieces: Sequence[Piece], theirs: str) -> str:
        end = _end_of_lines(theirs)
        texts = [piece.text for piece in pieces]
        return "".join([*(text if text.endswith(("\r", "\n")) else text + end for text in texts[:-1]), *texts[-1:]])

    def written(self, ours: str, piece: str, theirs: str) -> str:
        """Return a line with the value of ours, and with the group and the types of theirs."""
        head, about, value = _taken_apart(ours)
        their_head, their_about, _ = _taken_apart(piece)
        # The end of an event may take the place of its duration, or be new; it is in the time zone of the start.
        begins = _START.search(theirs) if head == "DTEND" else None
        about, value = _in_their_zone([*their_about, *(_PARAMETER.findall(begins[1]) if begins else ())], about, value)
        if piece:
            head = their_head if their_head.upper().endswith(head) else head
            is_how = _HOW_WRITTEN.fullmatch
            about = [one for one in their_about if not is_how(one)] + [one for one in about if is_how(one)]
        if _IS_21.search(theirs):
            value, how = _as_21(value)
            about += how
        end = _end_of_lines(theirs) if not piece or piece.endswith(("\r", "\n")) else ""
        return f"{';'.join([head, *about])}:{value}{end}"

    def parts(self, piece: Piece) -> Parts:
        name = piece.key.rpartition("/")[2]
        if name not in ("N", "ADR", "ORG", "RRULE"):
            return "", [], ""
        head, about, value = _taken_apart(piece.text)
        texts = split_raw(value, ";")
        # Parts of a rule have names, those of other values have places.
        keys = [text.partition("=")[0].upper() if name == "RRULE" else f"{place}" for place, text in enumerate(texts)]
        return f"{';'.join([head, *about])}:", list(map(Piece, keys, texts)), ";"


def _keyed_lines(lines: list[str]) -> Iterator[Piece]:
    """Yield lines with keys: the blocks that a line is in, numbered by their names, and its own name."""
    counts, path, depth, zone = Counter[str](), list[str](), 0, ""
    for place, raw in enumerate(lines):
        line = line_of(raw) or Line("", "", "")
        block = line.value.strip().upper() if line.name in ("BEGIN", "END") else ""
        if line.name == "BEGIN" and (depth := depth + 1) <= DEEPEST:
            counts["/".join([*path, block])] += 1
            path.append(f"{block} {counts['/'.join([*path, block])]}")
            zone = _zone_key(lines[place : place + LINES_TO_ZONE]) if block == "VTIMEZONE" else zone
        own = zone or (_line_key(line) if depth <= DEEPEST else "")
        yield Piece("/".join(["", *path[:-1], own] if zone else ["", *path, own]) if own else "", raw)
        if line.name == "END":
            path, depth = path[:-1] if depth <= DEEPEST else path, max(0, depth - 1)
            zone = "" if block == "VTIMEZONE" else zone


def _zone_key(lines: list[str]) -> str:
    found = (line.value.strip() for line in map(line_of, lines) if line and line.name == "TZID")
    return f"VTIMEZONE {next(found, '')}"


def _line_key(line: Line) -> str:
    if line.name in LISTED and not line.value.strip():
        return ""
    name = {"DURATION": "DTEND"}.get(line.name, line.name)
    return f"TEL {phone_field(line)}" if name == "TEL" else name


def _end_of_lines(text: str) -> str:
    match = _LINE_END.search(text)
    return match[0] if match else "\r\n"


def _taken_apart(raw: str) -> tuple[str, list[str], str]:
    """Return the name of a line with its group, its parameters, and its value."""
    match, line = _HEAD.match(raw), line_of(raw)
    return (match[1], _PARAMETER.findall(match[2]), line.value) if match and line else ("", [], "")


def _in_their_zone(theirs: list[str], about: list[str], value: str) -> tuple[list[str], str]:
    """Return a moment in the time zone of the line whose place it takes: its rule may count days of that zone."""
    named = next((one for one in theirs if one.upper().startswith("TZID=")), "")
    zone = zone_named(named[5:].strip('"'))
    if not named or not _MOMENT.fullmatch(value):
        return about, value
    if zone is None:  # a name that only their calendar knows
        return about + [named] * (not about and not value.endswith("Z")), value
    if value.endswith("Z"):
        local = datetime.strptime(value, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC).astimezone(zone)
        return [named], f"{local:%Y%m%dT%H%M%S}".zfill(15)
    # Their calendar defines the zone under their name of it.
    return [named] if about == [f"TZID={zone.key}"] else about, value


def _as_21(value: str) -> tuple[str, list[str]]:
    """Return a value as vCard 2.1 has it, where only semicolons are escaped, and parameters that say how."""
    escapes = {"n": "\r\n", "N": "\r\n", ";": "\\;"}
    text = re.sub(r"\\(.)", lambda match: escapes.get(match[1], match[1]), value)
    if text.isascii() and text.isprintable():
        return text, []
    coded = (chr(byte) if 32 <= byte <= 126 and byte != ord("=") else f"={byte:02X}" for byte in text.encode())
    return "".join(coded), ["CHARSET=UTF-8", "ENCODING=QUOTED-PRINTABLE"]


NOTATIONS = {
    "BEGIN:": _Lines(),
    **dict.fromkeys(("WIFI:", "MECARD:", "BIZCARD:", "MATMSG:", "MEBKM:"), _Pairs()),
    "000201": _Values(),
}
"""The notation of texts that begin so."""
IN_LINKS = ("email", "location", "upi", "bitcoin", "otp", "gs1_digital_link")
"""The kinds whose other texts are links with parameters."""


def notation_of(kind: str, text: str) -> Notation | None:
    """Return the notation of a text of a kind; None if we read all of it, or if it has no pieces."""
    start = text.lstrip(BLANKS).upper()
    found = next((notation for beginning, notation in NOTATIONS.items() if start.startswith(beginning)), None)
    return found or (Notation() if kind in IN_LINKS else None)


# ---- merging

Renew = Callable[[Piece, str, str], str]
"""Takes a piece of theirs, or an empty one, and what we wrote before and write now in its place; returns its text."""


def merged(notation: Notation, theirs: str, old: str, new: str, *, in_parts: bool) -> str:
    """Return their text with what differs between two texts of ours; everything else stays as it is written.

    `old` is what we would have written for the same fields, "" to write all anew; `new` is for the changed fields. With
    `in_parts`, a piece that has parts keeps those that do not differ, and all of them if they are empty.
    """

    def renew(piece: Piece, was: str, now: str) -> str:
        _, parts, mark = notation.parts(piece)
        if piece.text and parts and in_parts and not any(part.text.strip() for part in parts):
            return piece.text  # the name of a company, which has a line of its own
        if parts and was and in_parts:
            front, after, _ = notation.parts(Piece(piece.key, now))
            before = notation.parts(Piece(piece.key, was))[1]
            now = front + mark.join(one.text for one in _merge(parts, before, after, lambda _, __, text: text))
        return notation.written(now, piece.text, theirs)

    return notation.join(_merge(notation.split(theirs), notation.split(old), notation.split(new), renew), theirs)


def _merge(theirs: list[Piece], old: list[Piece], new: list[Piece], renew: Renew) -> list[Piece]:
    kept: list[Piece | None] = list(theirs)
    behind: dict[int, list[Piece]] = {}
    for key in dict.fromkeys(piece.key for piece in (*new, *old) if piece.key):
        before, after = ([piece.text for piece in pieces if piece.key == key] for pieces in (old, new))
        mine = [place for place, piece in enumerate(theirs) if piece.key == key]
        if before == after or (MADE_UP.fullmatch(key) and (before or mine)):
            continue
        if not before:  # what they say of it could not be read, or is to be written anew
            mine = mine if key.rpartition("/")[2].partition(" ")[0] in LISTED else mine[:1]
            before = [""] * len(mine)
        for _, i1, i2, j1, j2 in _differences(before, after):
            places = mine[i1:i2]
            for place, was, now in zip(places, before[i1:], [*after[j1:j2], *[None] * len(places)], strict=False):
                kept[place] = None if now is None else Piece(key, renew(theirs[place], was, now))
            added = [Piece(key, renew(Piece(key, ""), "", text)) for text in after[j1 + len(places) : j2]]
            behind.setdefault(_place_for(theirs, new, key, mine, i2), []).extend(added)
    first = behind.get(-1, [])
    return first + [one for place, piece in enumerate(kept) for one in (piece, *behind.get(place, ())) if one]


def _differences(before: list[str], after: list[str]) -> Iterator[tuple[str, int, int, int, int]]:
    return (code for code in SequenceMatcher(None, before, after, autojunk=False).get_opcodes() if code[0] != "equal")


def _place_for(theirs: list[Piece], new: list[Piece], key: str, mine: list[int], before: int) -> int:
    """Return the place behind which a piece is added: behind its likes, or behind what precedes it in our text."""
    if mine:
        return mine[min(before, len(mine)) - 1] if before else mine[0] - 1
    earlier = [piece.key for piece in takewhile(lambda piece: piece.key != key, new)]
    places = {piece.key: place for place, piece in enumerate(theirs)}
    return next((places[one] for one in reversed(earlier) if one in places), 0)
