"""Migrates a store: copies all data into another, empty store, from a file to a server or back.

A migration can be interrupted and resumed at any time, because the new store records the progress in the same
transaction as the copied rows. At the end, all rows of both stores are read again and compared.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from qrkit.errors import InvalidParameter, Problem, UnreadableFile
from qrkit.late import UNSEEN, Watch
from qrkit.store.connection import Store
from qrkit.store.copies.transfer import Checksum, Kinds, add_rows, checksum, csv_of
from qrkit.store.history.history_files import archived_rows, history_files, unseen_files
from qrkit.store.history.server_history import files_of
from qrkit.store.recording.recorder import drain
from qrkit.store.store_settings import get_setting, set_setting

__all__ = ["Migrated", "check_complete", "copied_tables", "go_on_counting", "migrate"]

PROGRESS = "migration"
"""The setting of the new store that records the progress; deleted at the end."""
OWN_SETTINGS = ("migration", "checked", "id", "history")

NOT_MOVED = ("migrations", "inboxes", "history", "superseded", "deliveries")
"""Tables that are about this store: its version, and files and servers that it alone has to do with."""
COLUMNS = f"""
SELECT table_name, column_name, data_type FROM duckdb_columns() SEMI JOIN duckdb_tables() USING (table_name)
WHERE table_name NOT IN {NOT_MOVED} ORDER BY table_oid, column_index
"""
ORDERS = {"campaigns": "created, rowid", "qrcodes": "number"}
"""Tables whose row order is visible to users."""


@cache
def copied_tables() -> Mapping[str, Kinds]:
    """Return the tables to copy, and the types of their columns, as a new store has them."""
    found: dict[str, dict[str, str]] = {}
    with Store(":memory:") as new:
        for row in new.rows(COLUMNS):
            found.setdefault(row["table_name"], {})[row["column_name"]] = row["data_type"]
    return found


@dataclass(frozen=True, slots=True)
class Migrated:
    """The result of a migration.

    Attributes:
        rows: Number of rows copied, by table.
    """

    rows: dict[str, int]

    def __str__(self) -> str:
        told = ("accounts", "campaigns", "qrcodes", "short_codes", "visits")
        counted = ", ".join(f"{name.replace('_', ' ')} {self.rows[name]:,}" for name in told)
        return f"moved {counted}; all rows were read again and are the same"


def check_complete(store: Store) -> None:
    """Raise an error for a store with an unfinished migration, because its data is incomplete.

    Raises:
        UnreadableFile: If the migration into this store is not finished.
    """
    if get_setting(store, PROGRESS) is not None:
        raise UnreadableFile(f"{store.path} holds only a part of what was moved; run qrkit migrate again")


def migrate(source: Store, target: Store, *, seen: Watch = UNSEEN) -> Migrated:
    """Copy all data of a store into another store, and compare the two stores.

    Args:
        source: The store to copy; it is only read. A change during the migration is detected at the end.
        target: A new store, or a store with an unfinished migration of the same source.
        seen: Shows the progress.

    Raises:
        InvalidParameter: If both stores are the same, or the target already contains other data.
        UnreadableFile: If the two stores differ at the end; `check_complete` then rejects the target. Also if the
            source itself contains an unfinished migration.
    """
    drain(source)
    state = _begun(source, target)
    for table in copied_tables():
        if table != "visits" and table not in state["done"]:
            with target.atomic(), target.adding():
                _copy(source, target, table, _select(table, source))
                _keep(target, state | {"done": [*state["done"], table]})
            state["done"].append(table)
    for _ in seen(_copied_visits(source, target, state), "Copying visits", _visits(source) - _visits(target)):
        pass
    rows = {}
    for table in seen(copied_tables(), "Comparing tables", len(copied_tables())):
        before, after = (_checksum(store, table) for store in (source, target))
        if before != after:
            rule = f"differs from {source.path} in its {table}: {after.rows:,} rows of {before.rows:,}"
            raise UnreadableFile(f"{target.path} {rule}; start again with an empty store, and change neither meanwhile")
        rows[table] = after.rows
    go_on_counting(target)
    target.execute("DELETE FROM settings WHERE name = ?", [PROGRESS])
    return Migrated(rows)


def _begun(source: Store, target: Store) -> dict[str, Any]:
    """Return the progress of an earlier run, or record the start of a new migration."""
    if source.database.is_same(target.database):
        raise InvalidParameter(Problem("to", target.path, "is the store to copy from; name another one"))
    target.check_writable()
    check_complete(source)
    of = source.rows("SELECT min(id) AS first, count(*) AS accounts FROM accounts")[0]
    kept = get_setting(target, PROGRESS)
    if kept is not None:
        state: dict[str, Any] = json.loads(kept)
        if state["of"] == of:
            return state
    if kept is not None or _count(target, "accounts") or _count(target, f"settings WHERE name NOT IN {OWN_SETTINGS}"):
        raise InvalidParameter(Problem("to", target.path, "is in use already; copy into a store that is new"))
    state = {"of": of, "done": [], "next": 0}
    _keep(target, state)
    return state


def _keep(target: Store, state: dict[str, Any]) -> None:
    set_setting(target, PROGRESS, json.dumps(state))


def _count(store: Store, table: str) -> int:
    return int(store.value(f"SELECT count(*) FROM {table}") or 0)


def _copy(source: Store, target: Store, table: str, select: str) -> None:
    # A counter on a server is the sum of several parts; the copied value becomes one part.
    name = "scan_parts" if table == "scan_counts" and target.database.is_shared else table
    with csv_of(source, select, copied_tables()[table]) as lines:
        add_rows(target, name, lines, copied_tables()[table])


def _select(table: str, store: Store) -> str:
    where = f" WHERE name NOT IN {OWN_SETTINGS}" if table == "settings" else ""
    order = f" ORDER BY {ORDERS[table]}" if table in ORDERS else ""
    if table == "scan_counts" and not store.database.is_shared:
        # The counter of a deleted QR Code still exists.
        where = " WHERE qrcode IN (SELECT qrcode FROM short_codes)"
    rows = "all_visits" if table == "visits" else table
    return f"SELECT {', '.join(copied_tables()[table])} FROM {rows}{where}{order}"


def _copied_visits(source: Store, target: Store, state: dict[str, Any]) -> Iterator[int]:
    """Copy the visits in batches, one transaction each; yield once for each copied visit.

    Archived visits are copied into the table, too: the new store can archive them again.
    """
    dialect = source.database.dialect
    end = source.rows(dialect.last_place)[0]["place"]
    select = f"SELECT {', '.join(copied_tables()['visits'])} FROM visits"
    while state["next"] < end:
        after = state["next"] + dialect.places_together
        recent = select + dialect.between.format(since=state["next"], until=after)
        yield from _copied_batch(source, target, recent, state | {"next": after})
        state["next"] = after
    with files_of(source) as files:
        for file in history_files(source):
            copied = state.get("files", [])
            if file.file not in copied:
                after_file = state | {"files": [*copied, file.file]}
                yield from _copied_batch(files, target, archived_rows(files, file), after_file)
                state["files"] = after_file["files"]


def _visits(store: Store) -> int:
    """Return the number of visits in a store and its history."""
    return _count(store, "all_visits") + sum(file.visits for file in unseen_files(store))


def _checksum(store: Store, table: str) -> Checksum:
    """Return the checksum of a table, and of the archived visits with it."""
    if table == "uptime":  # the last span becomes longer while a server runs
        return checksum(store, "SELECT began FROM uptime", {"began": "TIMESTAMP"})
    total = checksum(store, _select(table, store), copied_tables()[table])
    if table == "visits" and (unseen := unseen_files(store)):
        with files_of(store) as files:
            for file in unseen:
                part = checksum(files, archived_rows(files, file), copied_tables()[table])
                total = Checksum(total.rows + part.rows, total.sum + part.sum)
    return total


def _copied_batch(source: Store, target: Store, select: str, progress: dict[str, Any]) -> Iterator[int]:
    before = _visits(target)
    with target.atomic(), target.adding():
        _copy(source, target, "visits", select)
        _keep(target, progress)
    yield from range(_visits(target) - before)


def go_on_counting(target: Store) -> None:
    """Advance the sequences of the new store beyond all numbers already assigned."""
    for sequence, highest in (
        ("qrcode_numbers", "SELECT max(qrcode) AS number FROM short_codes"),
        ("user_agent_numbers", "SELECT max(number) AS number FROM user_agents"),
        ("event_numbers", "SELECT greatest(max(position), (SELECT max(number) FROM events)) AS number FROM receivers"),
    ):
        number = int(target.value(highest) or 0) + 1
        target.execute(target.database.dialect.begin_sequence.format(name=sequence, number=number))
