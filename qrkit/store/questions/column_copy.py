"""`Columns`: a copy of a server's tables in a local DuckDB file, for fast analytical queries.

PostgreSQL stores rows, and takes a hundred times as long as DuckDB to count ten million of them. Analytical queries
therefore run on a copy, which is updated before each query: new visits are added, and changed tables of records are
copied again. Archived visits are not copied: DuckDB reads them in the files of the history, which the server lists.

Which visits are new? Transactions are numbered when they begin but become visible when they are committed, so a visit
with a low transaction number may appear late. A snapshot of the server gives the number below which all transactions
have ended: visits above that number are read again at the next update, visits below it are not. After a crash,
however, the server forgets transactions that were not committed and assigns their numbers again, starting after the
last number it has stored. Visits above the highest number in the copy are therefore also read again. A store that was
restored on another server contains visits with transaction numbers that the new server has not reached yet; these
visits are read once.
"""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import Any

from qrkit.store.connection import Store
from qrkit.store.copies.transfer import add_rows
from qrkit.store.history.history_files import place_of
from qrkit.store.places.history_places import Place
from qrkit.store.recording.recorder import include_waiting
from qrkit.store.recording.user_agents import parse_new_user_agents

RECORDS = ("accounts", "campaigns", "qrcodes", "short_codes", "splits")
"""Tables that are all copied again when one of them has changed."""
BEGIN = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
BEGIN_IN_FILE = "BEGIN TRANSACTION READ ONLY"
LOOK = "SELECT count(*) FROM migrations"
"""Fixes the snapshot of a transaction: DuckDB takes the snapshot at the first query, not at BEGIN."""
# After a crash, the server may reuse a snapshot number for different visits, but never a position in its log.
STATE = """
SELECT
    pg_current_snapshot()::TEXT || ' ' || pg_current_wal_insert_lsn()::TEXT AS moment,
    pg_snapshot_xmin(pg_current_snapshot())::TEXT::BIGINT AS ended,
    pg_snapshot_xmax(pg_current_snapshot())::TEXT::BIGINT AS next,
    (SELECT number FROM changes WHERE name = 'records') AS records,
    (SELECT number FROM changes WHERE name = 'visits') AS visits,
    (SELECT number FROM changes WHERE name = 'history') AS history
"""
AGENTS = "SELECT count(*) AS agents, sum(number) AS numbers, sum(hashtext(parser)::BIGINT) AS parsers FROM user_agents"
HIGHEST = "SELECT max(xid) AS number FROM visits WHERE xid < $next"
FORGOTTEN = "SELECT qrcode, sum(forgotten)::BIGINT AS forgotten FROM scan_parts WHERE forgotten > 0 GROUP BY qrcode"
TABLES = """
ALTER TABLE visits ADD COLUMN xid BIGINT;
DROP TABLE scan_counts;
CREATE TABLE forgotten (qrcode INTEGER NOT NULL, forgotten BIGINT NOT NULL);
CREATE VIEW scan_counts AS
SELECT s.qrcode, coalesce(v.scans, 0) + coalesce(f.forgotten, 0) AS scans, coalesce(f.forgotten, 0) AS forgotten
FROM short_codes s
LEFT JOIN (SELECT qrcode, count(*) AS scans FROM all_visits WHERE kind = 'scan' GROUP BY qrcode) v
    ON v.qrcode = s.qrcode
LEFT JOIN forgotten f ON f.qrcode = s.qrcode;
"""
COUNTERS = """
DROP VIEW scan_counts;
CREATE TABLE scan_counts (qrcode INTEGER NOT NULL, scans BIGINT NOT NULL, forgotten BIGINT NOT NULL);
"""
DESCRIBED = """
SELECT column_name AS name, data_type AS kind FROM duckdb_columns() WHERE table_name = $table ORDER BY column_index
"""

_making = threading.Lock()


def columns(store: Store) -> Store:
    """Return the store to run analytical queries on: the store itself for a file, or an up-to-date copy of a server.

    The visits recorded so far are moved into the store first.

    Inside a transaction, the copy is made for that transaction only, because it includes uncommitted changes. Inside
    `reading_one_state`, the copy is the snapshot of that state.
    """
    include_waiting(store)
    if not store.database.is_shared:
        return store
    made: Columns | None = store.database.helpers.get("columns")
    if made is not None and made.store.is_in_transaction:
        return made.store
    if store.is_in_transaction:
        alone = Columns(":memory:", store, place_of(store))
        alone.bring_up_to_date(store)
        return alone.store
    found = _columns_of(store)
    found.bring_up_to_date(store)
    return found.store


@contextmanager
def reading_one_state(store: Store) -> Iterator[None]:
    """Context manager: reads a store in one snapshot, taken at the beginning, without blocking other threads.

    The block cannot write. A user agent stored shortly before the block may be parsed only afterwards. Functions that
    read in other threads, such as `Scans.to_arrow`, do not use the snapshot. Inside a transaction, the block is part of
    that transaction.
    """
    with ExitStack() as until_the_end:
        if not store.is_in_transaction:
            include_waiting(store)
            if not store.database.read_only:  # a snapshot's user agents are already parsed
                parse_new_user_agents(store)
            if store.database.is_shared:
                until_the_end.enter_context(_columns_of(store).reading_one_state(store))
            else:
                until_the_end.enter_context(store.reading(BEGIN_IN_FILE))
                store.rows(LOOK)
        yield


@contextmanager
def complete_copy(store: Store) -> Iterator[Store]:
    """Context manager: yields a new copy of a server with the counters of the server itself, to check them."""
    with tempfile.TemporaryDirectory(prefix="qrkit-") as folder:
        made = Columns(Path(folder) / "columns.duckdb", store, place_of(store))
        with made.store:
            with nullcontext() if store.is_in_transaction else store.reading(BEGIN):
                made.bring_up_to_date(store)
                made.add_counters(store)
            yield made.store


def _columns_of(store: Store) -> Columns:
    """Return the copy of a server that all threads of this process share; made anew when the history gets its place."""
    place = place_of(store)
    with _making:
        found: Columns | None = store.database.helpers.get("columns")
        if found is None or found.place_address != (place and place.address):
            folder = tempfile.TemporaryDirectory(prefix="qrkit-")
            found = store.database.helpers["columns"] = Columns(Path(folder.name) / "columns.duckdb", store, place)
            store.database.before_closing.extend([found.store.close, folder.cleanup])
    return found


class Columns:
    """A DuckDB copy of a server's tables, for analytical queries, in a file that no other process opens, or in memory.

    `place` has the files of archived visits, which are read there and not copied.
    """

    def __init__(self, path: str | Path, original: Store, place: Place | None) -> None:
        self.store = Store(path, history=place)
        self.store.path = self.store.database.path = original.path  # for messages
        self.place_address = place and place.address
        self.store.execute(TABLES)
        self._state: dict[str, Any] = {}
        self._lock = threading.Lock()

    def bring_up_to_date(self, original: Store) -> None:
        """Copy all changes from the server; other threads wait until the copy is complete."""
        with self._lock:
            if original.is_in_transaction:
                self._state = self._copied(original)
            elif self._state.get("moment") != original.rows(STATE)[0]["moment"]:
                with original.reading(BEGIN):
                    self._state = self._copied(original)

    @contextmanager
    def reading_one_state(self, original: Store) -> Iterator[None]:
        """Context manager: reads the server and the copy in the same snapshot."""
        with ExitStack() as until_the_end:
            with self._lock:  # without the lock, another thread could update the copy first
                until_the_end.enter_context(original.reading(BEGIN))
                if self._state.get("moment") != original.rows(STATE)[0]["moment"]:
                    self._state = self._copied(original)
                until_the_end.enter_context(self.store.reading(BEGIN_IN_FILE))
                self.store.rows(LOOK)
            yield

    def add_counters(self, original: Store) -> None:
        """Replace the counts of visits by the counters of the server, for good."""
        self.store.execute(COUNTERS)
        self._add(original, "scan_counts", "SELECT * FROM scan_counts")

    def _copied(self, original: Store) -> dict[str, Any]:
        """Copy all changes in one transaction; return the server state that the copy now has."""
        found = original.rows(STATE)[0] | original.rows(AGENTS)[0]
        with self.store.atomic(), self.store.adding():
            if self._differ(found, "records"):
                for table in RECORDS:
                    self._replace(original, table)
            if self._differ(found, "agents", "numbers", "parsers"):
                self._replace(original, "user_agents")
            which = f"xid >= {self._state.get('ended', 0)} AND xid < {found['next']}"
            if self._differ(found, "history"):
                self._replace(original, "history")
                self.store.show_history()
            if self._differ(found, "visits"):
                which = "true"
                self._replace(original, "forgotten", FORGOTTEN)
                self._replace(original, "day_counts")
            self.store.execute(f"DELETE FROM visits WHERE {which}")
            self._add(original, "visits", f"SELECT * FROM visits WHERE {which}")
            highest = self.store.value(HIGHEST, {"next": found["next"]}) or 0
        return found | {"ended": min(found["ended"], highest + 1)}

    def _differ(self, found: dict[str, Any], *names: str) -> bool:
        return any(self._state.get(name, "not yet") != found[name] for name in names)

    def _replace(self, original: Store, table: str, select: str = "") -> None:
        self.store.execute(f"DELETE FROM {table}")
        self._add(original, table, select or f"SELECT * FROM {table}")

    def _add(self, original: Store, table: str, select: str) -> None:
        """Append the rows of a query to the table with the same column names."""
        kinds = {row["name"]: row["kind"] for row in self.store.rows(DESCRIBED, {"table": table})}
        with original.csv(f"SELECT {', '.join(kinds)} FROM ({select}) found") as lines:
            add_rows(self.store, table, lines, kinds)
