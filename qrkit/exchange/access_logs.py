"""Read access logs of web servers as tables of visits: Apache, nginx, Caddy, CloudFront and IIS.

Only redirects are visits: GET requests that were answered with status 301, 302, 303, 307 or 308. IP addresses
only tell which redirects are of one visitor, and are in no row.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import unquote

from qrkit.errors import UnreadableFile
from qrkit.exchange.encodings import decoded
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
HEADING = ["path", "time", "user_agent", "referrer", "status"]
_TEXT = r'(?:[^"\\]|\\.)*+'
_COMBINED = re.compile(
    r"(?P<client>[^\[]{0,500})"
    r"\[(?P<day>\d\d)/(?P<month>[A-Z][a-z]{2})/(?P<year>\d{4}):(?P<clock>[\d:]{8}) (?P<offset>[+-]\d{4})\] "
    rf'"(?P<method>[A-Z]+) (?P<path>[^\s"]+)[^"]*+" (?P<status>\d{{3}}) \S+'
    rf'(?: "(?P<referrer>{_TEXT})" "(?P<agent>{_TEXT})")?.*'
)
_ADDRESS = re.compile(r"(?<![\w.])(?:\d+\.\d+\.\d+\.\d+|[0-9a-f]*:[0-9a-f]*:[0-9a-f:.]*)", re.IGNORECASE)
_REDIRECTED = re.compile(r'" 30[12378] ')
_CADDY = re.compile(r'\s*\{.{0,200}"logger": ?"http\.log\.access')
_NEEDED = {"date", "time", "cs-method", "cs-uri-stem", "sc-status"}
"""The fields of the W3C's extended log format without which a line is not a visit."""


def is_log(data: bytes) -> bool:
    """Return whether one of the first lines of a text is one of an access log; others may be attacks and messages."""
    lines = data[:10_000].lstrip().decode(errors="replace").split("\n", MOST_TRIED)[:MOST_TRIED]
    return any(_CADDY.match(line) or _COMBINED.match(line) or _NEEDED.issubset(_fields_in(line)) for line in lines)


def _fields_in(line: str) -> list[str]:
    """Return the fields that a comment of the W3C's extended log format names; none of any other line."""
    return line.split()[1:] if line.startswith("#Fields:") else []


def parts(data: bytes, place: Place, _share: Share | None) -> list[Part]:
    """Return the redirects of a log, each as a row below names of `HEADING` (see `SheetParts`)."""
    text, note = decoded(data, place.encoding)
    return [Part("", _without_upgrades(_rows(text)), note=note)]


def _without_upgrades(rows: Iterator[Cells]) -> Iterator[Cells]:
    """Yield rows without addresses; of two redirects that follow each other, the second one becomes blank.

    That is so if the first is a lasting one, as to https, and the second is not, and both have the same address, agent
    and path.
    """
    waiting: dict[tuple[str, ...], datetime] = {}
    dates = LocalDates()
    yield next(rows)
    for cells in rows:
        if isinstance(cells, UnreadableFile) or not cells:
            yield cells
            continue
        path, time, agent, _, status, address = cells
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
            yield UnreadableFile(rule) if is_cut and any(values) else _cells_of_fields(said)
        else:
            yield _cells_of_json(line) if _CADDY.match(line) else _cells_of_line(line)


def _cells(method: str, status: str, address: str, *cells: str) -> list[str]:
    """Return the cells of a request, none if it was not redirected."""
    is_redirect = method == "GET" and status in REDIRECTS
    return ["" if cell == "-" else cell for cell in (*cells, status, address)] if is_redirect else []


def _cells_of_line(line: str) -> Cells:
    found = _COMBINED.fullmatch(line.rstrip("\r"))
    if found is None:
        # Without the line itself, which has an IP address.
        rule = "has the status of a redirect, but is not a request as access logs write it"
        return UnreadableFile(rule) if _REDIRECTED.search(line) else []
    time = f"{found['day']} {found['month']} {found['year']} {found['clock']} {found['offset']}"
    address, agent = _ADDRESS.search(found["client"]), found["agent"] or ""
    client = address[0] if address else ""
    return _cells(found["method"], found["status"], client, found["path"], time, agent, found["referrer"] or "")


def _cells_of_fields(said: Mapping[str, str]) -> list[str]:
    """Return the cells of a line by the names of the W3C, as IIS and CloudFront use them."""
    agent, referrer = (said.get(f"cs({name})", "") for name in ("User-Agent", "Referer"))
    time, path = f"{said.get('date', '')} {said.get('time', '')}", said.get("cs-uri-stem", "")
    method, status, address = (said.get(name, "") for name in ("cs-method", "sc-status", "c-ip"))
    return _cells(method, status, address, path, time, unquote(agent.replace("+", " ")), unquote(referrer))


def _cells_of_json(line: str) -> Cells:
    try:
        entry = json.loads(line)
        request: dict[str, Any] = entry["request"]
        headers = {name.lower(): values[0] for name, values in request.get("headers", {}).items() if values}
        agent, referrer = (str(headers.get(name, "")) for name in ("user-agent", "referer"))
        uri, status, time = str(request["uri"]), str(entry["status"]), str(entry["ts"])
        address = str(request.get("remote_ip", ""))
        return _cells(str(request["method"]), status, address, uri, time, agent, referrer)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return UnreadableFile("is not a whole request as Caddy writes it")
