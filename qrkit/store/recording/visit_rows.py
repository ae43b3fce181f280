"""Inserts visits into the store, many with one statement, and counts their scans in the same transaction."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Literal

from qrkit.store.connection import Store
from qrkit.store.engine import Dialect
from qrkit.store.recording.event_log import Event, add_events
from qrkit.store.recording.inbox import WaitingVisit
from qrkit.store.recording.user_agents import LONGEST, numbers_of
from qrkit.tracking.records import Place, Visit
from qrkit.tracking.times import naive

COLUMNS = {
    "time": "TIMESTAMP", "kind": "VARCHAR", "qrcode": "INTEGER", "short_code": "VARCHAR", "content": "VARCHAR",
    "user_agent": "INTEGER", "referrer": "VARCHAR", "language": "VARCHAR", "visitor": "UBIGINT", "country": "VARCHAR",
    "region": "VARCHAR", "city": "VARCHAR", "latitude": "FLOAT8", "longitude": "FLOAT8", "via": "VARCHAR",
    "lot": "VARCHAR", "serial": "VARCHAR", "link_type": "VARCHAR", "variant": "VARCHAR", "split": "INTEGER",
    "conversion": "VARCHAR",
}  # fmt: skip
FIELDS = {name: kind for name, kind in COLUMNS.items() if name != "user_agent"}
"""The fields of a visit in JSON; the number of its user agent is added when the visit is inserted."""
TOLD = ("content", "referrer", "language", "region", "city", "latitude", "longitude", "via", "lot", "serial", "variant")
"""The fields of a visit that receivers of events learn as they are: neither its visitor nor anything about others."""
LAST, LACKING = '"conversion":', ',"variant":null,"split":null,"conversion":null}'
"""What the JSON of each visit has, and what takes the place of its last brace if an older qrkit wrote it."""
_JSON = json.JSONEncoder(ensure_ascii=False, allow_nan=False, check_circular=False, separators=(",", ":"))
INSERT = "INSERT INTO visits ({columns}) SELECT {columns} FROM {rows}"
_values_of = attrgetter(*(f"place.{name}" if name in Place.__slots__ else name for name in FIELDS))


def waiting_visit(visit: Visit) -> WaitingVisit:
    """Convert a visit to the form that an inbox stores.

    Raises ValueError if the store cannot represent a value: a lone surrogate, a number that is too large, NaN.
    """
    fields = dict(zip(FIELDS, _values_of(visit), strict=True)) | {"time": naive(visit.time).isoformat()}
    for name, bits in (("qrcode", 31), ("visitor", 64)):
        if fields[name] is not None and not 0 <= fields[name] < 2**bits:
            raise ValueError(f"{name}={fields[name]} has more than {bits} bits")
    text = _JSON.encode(fields)
    (text + visit.user_agent).encode()  # raises here for this visit only, not later for all visits of a commit
    return WaitingVisit(visit.user_agent[:LONGEST], visit.qrcode if visit.kind == "scan" else None, text)


def insert_visits(store: Store, visits: Sequence[Visit]) -> None:
    """Store visits and count their scans in one transaction."""
    insert_waiting(store, [waiting_visit(visit) for visit in visits])


def insert_waiting(store: Store, visits: Sequence[WaitingVisit]) -> None:
    """Store visits from an inbox and count their scans in one transaction; the database itself parses the JSON."""
    dialect = store.database.dialect
    with store.adding():
        numbers = numbers_of(store, [visit.user_agent for visit in visits])
        texts = (text if LAST in (text := visit.fields) else text[:-1] + LACKING for visit in visits)
        rows = dialect.escape_json(f"[{','.join(texts)}]")
        agents = [numbers[visit.user_agent] for visit in visits]
        store.execute_often(_insert(dialect), {"rows": rows, "numbers": agents})
        add_to_counters(store, Counter(visit.scanned for visit in visits if visit.scanned is not None))
        add_events(store, _events(visits))


def add_to_counters(store: Store, scans: Mapping[int, int], column: Literal["scans", "forgotten"] = "scans") -> None:
    """Add scans to the counters of QR Codes, which are given by number, in the open transaction."""
    if scans:
        store.execute(store.database.dialect.count.format(column=column), [list(scans), list(scans.values())])


def _events(visits: Sequence[WaitingVisit]) -> Iterator[Event]:
    for visit in visits:
        fields = json.loads(visit.fields)
        if fields["kind"] in ("scan", "conversion"):
            told = {name: fields[name] for name in TOLD if fields.get(name) is not None}
            told |= {"countryCode": fields["country"], "userAgent": visit.user_agent}
            conversion = json.loads(fields.get("conversion") or "null")
            yield Event(fields["qrcode"], fields["kind"], fields["time"], told | {"conversion": conversion})


def _insert(dialect: Dialect) -> str:
    return INSERT.format(columns=", ".join(COLUMNS), rows=dialect.rows_of_json(FIELDS, number="user_agent"))
