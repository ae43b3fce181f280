"""Read access logs as tables of visits: of web servers, of load balancers, and of services that write lines of JSON.

Lines have the quoted request of the common log format (Apache, nginx, HAProxy, load balancers of AWS), the fields that
a comment of the W3C's format names (IIS, CloudFront), or are objects with known names of fields (Caddy, Traefik,
Cloudflare).

Only redirects are visits: GET requests that were answered with status 301, 302, 303, 307 or 308. IP addresses
only tell which redirects are of one visitor, and are in no row.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from itertools import chain
from typing import Any
from urllib.parse import unquote

from qrkit.errors import UnreadableFile
from qrkit.exchange.columns import HEADINGS
from qrkit.exchange.encodings import decoded
from qrkit.exchange.foreign import plain_name
from qrkit.exchange.local_dates import LocalDates
from qrkit.exchange.locating import Cells, Part, Place, Share

REDIRECTS = frozenset({"301", "302", "303", "307", "308"})
MOST_TRIED = 20
"""The number of lines among which the first one of a log is looked for."""
LASTING = frozenset({"301", "308"})
"""The redirects among them with which servers lead from http to https."""
MOST_WAITING = 10_000
"""The number of such redirects that are kept in mind."""
SOON = timedelta(seconds=10)
"""The time within which a phone follows one."""
HEADING = ["path", "time", "user_agent", "referrer", "country", "status"]
MOST_DEPTH = 4
LINE_IN = ("log", "message")
"""Plain names of fields in which containers and the journal of Linux wrap the line of a log."""
_TIME = re.compile(
    r"\[(?P<day>\d\d)/(?P<month>[A-Z][a-z]{2})/(?P<year>\d{4})[: ](?P<clock>[\d:]{8})[\d.]*(?P<offset> [+-]\d{4})?\]"
)
_ISO_DAY = r"\d{4}(?:-\d\d-|/\d\d/)\d\d(?:T| )\d\d:\d\d:\d\d(?>[.,]\d+)?+"
_ISO_TIME = re.compile(rf"{_ISO_DAY}(?: ?(?:Z|[+-]\d\d:?\d\d))?")
_MOMENT = re.compile(rf"{_TIME.pattern}|{_ISO_TIME.pattern}")
_LOCAL_TIME = re.compile(rf"\[\d\d/[A-Z][a-z]{{2}}/\d{{4}}[: ][\d:]{{8}}[\d.]*\]|{_ISO_DAY}(?! ?(?:Z|[+-]\d))")
_PAIR = re.compile(r'(?<![\w.@-])([\w.@-]++)=("(?>[^"\\]|\\.)*+"|[^\s"]++)')
"""A field and its value in a line such as method=GET path="/door"."""
_TEXT = r'"((?>[^"\\]|\\.)*+)"'
_REQUEST = re.compile(
    r'(?P<before>[^"]*+)"(?P<method>[A-Z]+) (?P<path>[^\s"]+)[^"]*+"(?: (?P<status>\d{3}))?'
    r'(?P<between> [^"]*+(?:"-" [\d -]++(?="))?)?'
    rf"(?:{_TEXT}(?: {_TEXT})?)?"
)
_STATUS = re.compile(r" ([1-5]\d\d) ")
_VERB = re.compile("[A-Z]{3,10}")
_METHOD = re.compile(r"([A-Z]+) (\S+)")
_ADDRESS = re.compile(
    r"(?<![\w.])(?!\d\d:\d\d:\d\d(?![\w:]))(?:\d+\.\d+\.\d+\.\d+|[0-9a-f]*:[0-9a-f]*:[0-9a-f:.]*)", re.IGNORECASE
)
"""Matches an IP address, but no time of day."""
_REDIRECTED = re.compile(r'" 30[12378](?!\S)')
_UNTIMED = re.compile(r'"[A-Z]{3,10} \S+ HTTP/[\d.]+" [1-5]\d\d(?!\S)')
"""A request that some servers print on the console, without a time."""
_TIMELESS = "has the status of a redirect, but has no time; set up the server to log the time"
_NEEDED = {"date", "time", "cs-method", "cs-uri-stem", "sc-status"}
"""The fields of the W3C's extended log format without which a line is not a visit."""

Request = Mapping[str, str]
"""What a line says, by the names in `HEADINGS`."""


def is_log(data: bytes) -> bool:
    """Return whether one of the first lines of a text is one of an access log; others may be attacks and messages."""
    text = data[:10_000].lstrip().decode(errors="replace")
    lines = text.split("\n", MOST_TRIED)[:MOST_TRIED]
    if text.startswith("["):
        with suppress(ValueError, RecursionError):
            lines.append(json.dumps(json.JSONDecoder().raw_decode(text.lstrip("[ \r\n\t"))[0]))
    return any(
        _NEEDED.issubset(_fields_in(line)) or isinstance(_request_in(line), Mapping) or _UNTIMED.search(line)
        for line in lines
    )


def _fields_in(line: str) -> list[str]:
    """Return the fields that a comment of the W3C's extended log format names; none of any other line."""
    return line.split()[1:] if line.startswith("#Fields:") else []


def parts(data: bytes, place: Place, _share: Share | None) -> list[Part]:
    """Return the redirects of a log, each as a row below names of `HEADING` (see `SheetParts`)."""
    text, note = decoded(data, place.encoding)
    rows = _without_upgrades(_rows(text))
    start = [next(rows)]
    for cells in rows:
        start.append(cells)
        if cells:
            break
    notes = [note] if note else []
    if "#Fields:" not in text and _LOCAL_TIME.search(text):
        notes.append("times without an offset, such as +0200, are read in UTC")
    if not any(start[1:]):
        statuses = ", ".join(sorted(REDIRECTS))
        notes.append(f"only GET requests answered with status {statuses} are visits, and the log has none")
    return [Part("", chain(start, rows), note="; ".join(notes))]


def _without_upgrades(rows: Iterator[Cells]) -> Iterator[Cells]:
    """Leave out addresses, and blank each redirect that soon follows a lasting one of the same visitor, as to https."""
    waiting: dict[tuple[str, ...], datetime] = {}
    dates = LocalDates()
    yield next(rows)
    for cells in rows:
        if isinstance(cells, UnreadableFile) or not cells:
            yield cells
            continue
        path, time, agent, _, _, status, address = cells
        if not (waiting or status in LASTING):
            yield cells[:-1]
            continue
        visitor = (path, agent, address)
        moment, before = dates.read(time), waiting.pop(visitor, None)
        if moment and status in LASTING:
            if len(waiting) == MOST_WAITING:
                waiting.clear()
            waiting[visitor] = moment
        is_next = status not in LASTING and moment and before and abs(moment - before) <= SOON
        yield [] if is_next else cells[:-1]


def _rows(text: str) -> Iterator[Cells]:
    """Yield the heading and the rows, with the address behind the cells of each."""
    yield HEADING
    if text.lstrip()[:1] == "[":
        with suppress(ValueError, RecursionError):
            entries = json.loads(text)
            yield from (_cells(_said(entry)) if isinstance(entry, dict) else [] for entry in entries)
            return
    fields: list[str] = []
    lines = text.removesuffix("\n").split("\n")
    for line in lines:
        if line.startswith("#"):
            fields = _fields_in(line) or fields
            missing = ", ".join(sorted(_NEEDED.difference(fields)))
            rule = f"does not name {missing}; the lines below it were not read"
            yield UnreadableFile(f"{line[:200]!r} {rule}") if _fields_in(line) and missing else []
        elif fields:
            values = line.strip("\r ").split("\t" if "\t" in line else None)
            rule = f"has {len(values)} values, but the line #Fields names {len(fields)}"
            said = dict(zip(fields, values, strict=False))
            # Some servers leave out empty values at the end; the last line of a log may be cut off within one.
            is_cut = len(said) < len(fields) and (line is lines[-1] or not _NEEDED.issubset(said))
            yield UnreadableFile(rule) if is_cut and any(values) else _cells(_said(said))
        else:
            yield _cells(_request_in(line.rstrip("\r")))


def _cells(request: Request | UnreadableFile | None) -> Cells:
    """Return the cells of a request, none if it was not redirected."""
    if request is None or isinstance(request, UnreadableFile):
        return request or []
    if request["method"] != "GET" or request["status"] not in REDIRECTS:
        return []
    names = ("path", "time", "agent", "referrer", "country", "status", "address")
    return ["" if request[name] == "-" else request[name] for name in names]


def _request_in(line: str) -> Request | UnreadableFile | None:
    """Return the request that a line records; None if it records something else."""
    if (start := line.find('{"')) >= 0:
        with suppress(ValueError, RecursionError):
            request = _said(_with_time(json.loads(line[start:]), line[:start]))
            if request or not line[:start].strip():  # behind a request, an object may say more of it
                return request
        if not line[:start].strip():
            return UnreadableFile("is not a complete JSON object")
    time = _time_in(line)
    found = _REQUEST.match(line, time.end()) if time else None
    if time and found and (status := found["status"] or next(iter(_STATUS.findall(found["before"])), "")):
        first, second = found[6] or "", found[7]
        referrer, agent = (first, second) if second is not None else ("", first)
        address = _ADDRESS.search(f"{line[: time.start()]} {found['before']} {referrer}")
        return _request(
            method=found["method"], status=status, path=found["path"], time=time[0], agent=agent, referrer=referrer,
            address=address[0] if address else "",
        )  # fmt: skip
    if "method=" in line:
        pairs = {name: value.strip('"') for name, value in _PAIR.findall(line)}
        if request := _said(_with_time(pairs, _PAIR.sub("", line))):
            return request
    # Without the line itself, which has an IP address.
    rule = "has the status of a redirect, but is not a request as access logs write it" if time else _TIMELESS
    return UnreadableFile(rule) if _REDIRECTED.search(line) else None


def _time_in(text: str) -> re.Match[str] | None:
    return _TIME.search(text) or _ISO_TIME.search(text)


def _with_time(entry: Mapping[str, Any], rest: str) -> Mapping[str, Any]:
    """Return the fields of a line, with the time in the rest of the line unless one of them is a time.

    A time within a field may be part of an address that a visitor chose.
    """
    time = _time_in(rest)
    return {"time": time[0], **entry} if time else entry


def _said(entry: Mapping[str, Any]) -> Request | UnreadableFile | None:
    """Return the request that named fields, at any depth, record; None if they record something else."""
    fields: dict[str, str] = {}
    level: list[Mapping[str, Any]] = [entry]
    for _ in range(MOST_DEPTH):
        members = [member for one in level for member in one.items()]
        values = [(name, value[0] if isinstance(value, list) and value else value) for name, value in members]
        for name, value in values:
            if isinstance(value, str | int | float):
                fields.setdefault(plain_name(name), str(value))
        level = [value for _, value in members if isinstance(value, dict)]
    said = {
        what: next((fields[name] for name in names if name in fields), "")
        for what, names in HEADINGS["requests"].items()
    }
    if not said["method"] and (found := _METHOD.match(fields.get("request", ""))):
        said["method"], said["path"] = found[1], found[2]
    if not _VERB.fullmatch(said["method"]):
        return next((_request_in(fields[name]) for name in LINE_IN if '"' in fields.get(name, "")), None)
    if not (said["path"] and said["status"].isdigit()):
        return None
    if not said["time"]:  # visitors choose what these fields hold
        chosen = (said["path"], said["agent"], said["referrer"])
        said["time"] = next((one for one in fields.values() if one not in chosen and _MOMENT.fullmatch(one)), "")
    if not said["time"]:
        return UnreadableFile(_TIMELESS) if said["method"] == "GET" and said["status"] in REDIRECTS else None
    said["time"] = f"{said.pop('day')} {said['time']}" if ":" in said["time"][:3] else said["time"]
    return _request(**said)


def _request(*, agent: str, referrer: str, time: str, **said: str) -> Request:
    """Return a request with a time that `LocalDates` reads, and without a referrer that is not one."""
    if found := _TIME.fullmatch(time if time[:1] == "[" else f"[{time}]"):
        time = f"{found['day']} {found['month']} {found['year']} {found['clock']}{found['offset'] or ''}"
    time = time.replace("/", "-") if time[4:5] == "/" else time
    agent = agent if " " in agent else unquote(agent.replace("+", " "))
    referrer = "" if _ADDRESS.fullmatch(referrer) else unquote(referrer)
    return {"country": "", **said, "agent": agent, "referrer": referrer, "time": time}
