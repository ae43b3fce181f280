"""Moving a store: all that one holds is copied into another that is empty, from a file to a server or back.

It can be interrupted at any moment, and goes on where it was: what is copied and how far that is are one transaction of
the new store. At the end all rows of both are read again and compared.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from qrkit.errors import InvalidParameter, Problem, UnreadableFile
from qrkit.late import UNSEEN, Watch
from qrkit.store.connection import Store
from qrkit.store.qrcodes import QRCODES
from qrkit.store.store_settings import get_setting, set_setting
from qrkit.store.transfer import Kinds, add_rows, checksum, csv_of

__all__ = ["Migrated", "check_complete", "migrate"]

PROGRESS = "migration"
"""The setting of the new store that says how far it is; gone when all is done."""
OWN_SETTINGS = ("migration", "checked")

TABLES: dict[str, Kinds] = {
    "accounts": {"id": "VARCHAR", "name": "VARCHAR", "plan": "VARCHAR", "created": "TIMESTAMP"},
    "api_keys": {
        "digest": "VARCHAR", "account_id": "VARCHAR", "label": "VARCHAR", "created": "TIMESTAMP",
        "expires": "TIMESTAMP", "revoked": "TIMESTAMP",
    },
    "templates": {"account_id": "VARCHAR", "name": "VARCHAR", "fields": "VARCHAR", "created": "TIMESTAMP"},
    "campaigns": {
        "id": "VARCHAR", "account_id": "VARCHAR", "name": "VARCHAR", "description": "VARCHAR", "created": "TIMESTAMP",
    },
    "qrcodes": QRCODES,
    "short_codes": {"code": "VARCHAR", "qrcode": "INTEGER"},
    "scan_counts": {"qrcode": "INTEGER", "scans": "BIGINT", "forgotten": "BIGINT"},
    "user_agents": {
        "number": "INTEGER", "text": "VARCHAR", "system": "VARCHAR", "system_version": "VARCHAR", "browser": "VARCHAR",
        "browser_version": "VARCHAR", "manufacturer": "VARCHAR", "device_model": "VARCHAR", "device": "VARCHAR",
        "is_bot": "BOOLEAN", "parser": "VARCHAR",
    },
    "day_counts": {"day": "DATE", "qrcode": "INTEGER", "kind": "VARCHAR", "visits": "BIGINT"},
    "settings": {"name": "VARCHAR", "value": "VARCHAR"},
    "visits": {
        "time": "TIMESTAMP", "kind": "VARCHAR", "qrcode": "INTEGER", "short_code": "VARCHAR", "content": "VARCHAR",
        "user_agent": "INTEGER", "referrer": "VARCHAR", "language": "VARCHAR", "visitor": "UBIGINT",
        "country": "VARCHAR", "region": "VARCHAR", "city": "VARCHAR", "latitude": "DOUBLE", "longitude": "DOUBLE",
    },
}  # fmt: skip
"""What is copied, in this order: what a new store must not be without comes first."""
ORDERS = {"campaigns": "created, rowid", "qrcodes": "number"}
"""Tables whose rows have an order that is seen."""


@dataclass(frozen=True, slots=True)
class Migrated:
    """What was moved.

    Attributes:
        rows: How many rows, by table.
    """

    rows: dict[str, int]

    def __str__(self) -> str:
        told = ("accounts", "campaigns", "qrcodes", "short_codes", "visits")
        counted = ", ".join(f"{name.replace('_', ' ')} {self.rows[name]:,}" for name in told)
        return f"moved {counted}; all rows were read again and are the same"


def check_complete(store: Store) -> None:
    """Refuse a store into which another was moved in part: what is missing would be taken for what never was.

    Raises:
        UnreadableFile: It is one.
    """
    if get_setting(store, PROGRESS) is not None:
        raise UnreadableFile(f"{store.path} holds only a part of what was moved; run qrkit migrate again")


def migrate(source: Store, target: Store, *, seen: Watch = UNSEEN) -> Migrated:
    """Copy all that a store holds into another one, and compare the two. The first is only read.

    Args:
        source: What is copied. Nobody should change it meanwhile; if somebody does, that is found at the end.
        target: A new store, or one into which the same was copied in part.
        seen: Shows how far it has come.

    Raises:
        InvalidParameter: Both are the same, or the second holds something else already.
        UnreadableFile: At the end the two are not the same; `check_complete` refuses the second. Or the first is
            such a store.
    """
    state = _begun(source, target)
    for table in TABLES:
        if table != "visits" and table not in state["done"]:
            with target.atomic(), target.adding():
                _copy(source, target, table, _select(table, source))
                _keep(target, state | {"done": [*state["done"], table]})
            state["done"].append(table)
    for _ in seen(_copied_visits(source, target, state), "Copying visits", _count(source) - _count(target)):
        pass
    rows = {}
    for table in seen(TABLES, "Comparing tables", len(TABLES)):
        before, after = (checksum(store, _select(table, store), TABLES[table]) for store in (source, target))
        if before != after:
            rule = f"differs from {source.path} in its {table}: {after.rows:,} rows of {before.rows:,}"
            raise UnreadableFile(f"{target.path} {rule}; begin anew with an empty store, and change nothing meanwhile")
        rows[table] = after.rows
    _go_on_counting(target)
    target.execute("DELETE FROM settings WHERE name = ?", [PROGRESS])
    return Migrated(rows)


def _begun(source: Store, target: Store) -> dict[str, Any]:
    """How far an earlier run came; where there was none, it is noted that one has begun."""
    if source.database.is_same(target.database):
        raise InvalidParameter(Problem("to", target.path, "is the store that is copied"))
    target.check_writable()
    check_complete(source)
    of = source.rows("SELECT min(id) AS first, count(*) AS accounts FROM accounts")[0]
    kept = get_setting(target, PROGRESS)
    if kept is not None:
        state: dict[str, Any] = json.loads(kept)
        if state["of"] == of:
            return state
    if kept is not None or _count(target, "accounts") or _count(target, "settings"):
        raise InvalidParameter(Problem("to", target.path, "is in use already; copy into a store that is new"))
    state = {"of": of, "done": [], "next": 0}
    _keep(target, state)
    return state


def _keep(target: Store, state: dict[str, Any]) -> None:
    set_setting(target, PROGRESS, json.dumps(state))


def _count(store: Store, table: str = "visits") -> int:
    return int(store.rows(f"SELECT count(*) AS number FROM {table}")[0]["number"])


def _copy(source: Store, target: Store, table: str, select: str) -> None:
    # A counter on a server has parts; what is copied is one of them.
    name = "scan_parts" if table == "scan_counts" and target.database.is_shared else table
    with csv_of(source, select, TABLES[table]) as lines:
        add_rows(target, name, lines, TABLES[table])


def _select(table: str, store: Store) -> str:
    where = f" WHERE name NOT IN {OWN_SETTINGS}" if table == "settings" else ""
    order = f" ORDER BY {ORDERS[table]}" if table in ORDERS else ""
    if table == "scan_counts" and not store.database.is_shared:
        # A QR Code that is gone has its counter still.
        where = " WHERE qrcode IN (SELECT qrcode FROM short_codes)"
    return f"SELECT {', '.join(TABLES[table])} FROM {table}{where}{order}"


def _copied_visits(source: Store, target: Store, state: dict[str, Any]) -> Iterator[int]:
    """Copy the visits part by part; for each that is copied, its number in the part."""
    dialect = source.database.dialect
    end, select = source.rows(dialect.last_place)[0]["place"], f"SELECT {', '.join(TABLES['visits'])} FROM visits"
    while state["next"] < end:
        after = state["next"] + dialect.places_together
        before = _count(target)
        with target.atomic(), target.adding():
            _copy(source, target, "visits", select + dialect.between.format(since=state["next"], until=after))
            _keep(target, state | {"next": after})
        state["next"] = after
        yield from range(_count(target) - before)


def _go_on_counting(target: Store) -> None:
    """Have the new store number what is made from now on above all that was ever numbered."""
    for sequence, highest in (
        ("qrcode_numbers", "SELECT max(qrcode) AS number FROM short_codes"),
        ("user_agent_numbers", "SELECT max(number) AS number FROM user_agents"),
    ):
        number = int(target.rows(highest)[0]["number"] or 0) + 1
        target.execute(target.database.dialect.begin_sequence.format(name=sequence, number=number))
