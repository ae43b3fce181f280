"""`Columns`: what a server holds, in a DuckDB file of this process, where questions to many rows are quick.

A server keeps rows, and counting ten million of them takes it a hundred times as long as DuckDB. So questions are asked
of a copy, which is brought up to date before each: the visits that are new, and the records where some have changed.

Which visits are new? Their transactions are numbered when they begin, but they are seen when they are committed, so
that one with a low number may come late. A snapshot of the server says below which number all have ended: visits above
it are read again the next time, and those below it never. But what has ended in nothing, a crash makes the server
forget, and it gives the numbers again: those above the last one of which it has kept something. So visits above the
highest number that is here are read again, too. A store that was restored on another server has visits whose
transactions that one has not come to yet: they are read once.
"""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from qrkit.store.connection import Store
from qrkit.store.transfer import add_rows
from qrkit.store.user_agents import tell_new_apart

__all__ = ["Columns", "columns", "reading_one_state"]

RECORDS = ("accounts", "campaigns", "qrcodes", "short_codes")
"""Tables that are copied anew when one of them has changed."""
BEGIN = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
BEGIN_IN_FILE = "BEGIN TRANSACTION READ ONLY"
LOOK = "SELECT count(*) FROM migrations"
"""With the first look at a table, a transaction in a file has its state; it has none when it begins."""
# After a crash a snapshot of before may come again, with other visits; the place in the server's log does not.
STATE = """
SELECT
    pg_current_snapshot()::TEXT || ' ' || pg_current_wal_insert_lsn()::TEXT AS moment,
    pg_snapshot_xmin(pg_current_snapshot())::TEXT::BIGINT AS ended,
    pg_snapshot_xmax(pg_current_snapshot())::TEXT::BIGINT AS next,
    (SELECT number FROM changes WHERE name = 'records') AS records,
    (SELECT number FROM changes WHERE name = 'visits') AS visits
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
LEFT JOIN (SELECT qrcode, count(*) AS scans FROM visits WHERE kind = 'scan' GROUP BY qrcode) v ON v.qrcode = s.qrcode
LEFT JOIN forgotten f ON f.qrcode = s.qrcode;
"""
DESCRIBED = """
SELECT column_name AS name, data_type AS kind FROM duckdb_columns() WHERE table_name = $table ORDER BY column_index
"""

_making = threading.Lock()


def columns(store: Store) -> Store:
    """Where questions to many rows of a store are asked: itself, or a copy of a server as it is now.

    Inside a transaction of this thread the copy is made for it alone, for it has what nobody else sees yet; inside
    `reading_one_state` it is the one of that state.
    """
    if not store.database.is_shared:
        return store
    made: Columns | None = store.database.helpers.get("columns")
    if made is not None and made.store.is_in_transaction:
        return made.store
    if store.is_in_transaction:
        alone = Columns(":memory:")
        alone.bring_up_to_date(store)
        return alone.store
    found = _columns_of(store)
    found.bring_up_to_date(store)
    return found.store


@contextmanager
def reading_one_state(store: Store) -> Iterator[None]:
    """The time in which this thread reads a store as it is at the beginning, and keeps nobody waiting.

    Nothing can be written inside. A user agent that came just before may be told apart only afterwards. What reads in
    threads of its own, as `Scans.to_arrow`, does not join. Inside a transaction this is that transaction.

    Raises:
        StoreBusy: The store was closed, or the server does not answer.
    """
    with ExitStack() as until_the_end:
        if not store.is_in_transaction:
            if not store.database.read_only:  # a snapshot has them told apart already
                tell_new_apart(store)
            if store.database.is_shared:
                until_the_end.enter_context(_columns_of(store).reading_one_state(store))
            else:
                until_the_end.enter_context(store.reading(BEGIN_IN_FILE))
                store.rows(LOOK)
        yield


def _columns_of(store: Store) -> Columns:
    """The copy of a server that all threads of this process ask, made when it is first needed."""
    with _making:
        found: Columns | None = store.database.helpers.get("columns")
        if found is None:
            folder = tempfile.TemporaryDirectory(prefix="qrkit-")
            found = store.database.helpers["columns"] = Columns(Path(folder.name) / "columns.duckdb")
            store.database.before_closing.extend([found.store.close, folder.cleanup])
    return found


class Columns:
    """A copy of the tables of a server that questions are asked of.

    Args:
        path: A file that nobody else opens, or `:memory:`.

    Attributes:
        store: The copy, as a store of its own.
    """

    def __init__(self, path: str | Path) -> None:
        self.store = Store(path)
        self.store.execute(TABLES)
        self._state: dict[str, Any] = {}
        self._lock = threading.Lock()

    def bring_up_to_date(self, original: Store) -> None:
        """Copy what has changed; who asks meanwhile waits.

        Raises:
            StoreBusy: The server does not answer.
        """
        with self._lock:
            if original.is_in_transaction:
                self._state = self._copied(original)
            elif self._state.get("moment") != original.rows(STATE)[0]["moment"]:
                with original.reading(BEGIN):
                    self._state = self._copied(original)

    @contextmanager
    def reading_one_state(self, original: Store) -> Iterator[None]:
        """The time in which this thread reads one state of the server, and the same one here.

        Raises:
            StoreBusy: The server does not answer.
        """
        with ExitStack() as until_the_end:
            with self._lock:  # else the copy could be of a later state by now
                until_the_end.enter_context(original.reading(BEGIN))
                if self._state.get("moment") != original.rows(STATE)[0]["moment"]:
                    self._state = self._copied(original)
                until_the_end.enter_context(self.store.reading(BEGIN_IN_FILE))
                self.store.rows(LOOK)
            yield

    def _copied(self, original: Store) -> dict[str, Any]:
        """Copy what has changed, in one transaction here; what is copied then."""
        found = original.rows(STATE)[0] | original.rows(AGENTS)[0]
        with self.store.atomic(), self.store.adding():
            if self._differ(found, "records"):
                for table in RECORDS:
                    self._replace(original, table)
            if self._differ(found, "agents", "numbers", "parsers"):
                self._replace(original, "user_agents")
            which = f"xid >= {self._state.get('ended', 0)} AND xid < {found['next']}"
            if self._differ(found, "visits"):
                which = "true"
                self._replace(original, "forgotten", FORGOTTEN)
                self._replace(original, "day_counts")
            self.store.execute(f"DELETE FROM visits WHERE {which}")
            self._add(original, "visits", f"SELECT * FROM visits WHERE {which}")
            highest = self.store.rows(HIGHEST, {"next": found["next"]})[0]["number"] or 0
        return found | {"ended": min(found["ended"], highest + 1)}

    def _differ(self, found: dict[str, Any], *names: str) -> bool:
        return any(self._state.get(name, "not yet") != found[name] for name in names)

    def _replace(self, original: Store, table: str, select: str = "") -> None:
        self.store.execute(f"DELETE FROM {table}")
        self._add(original, table, select or f"SELECT * FROM {table}")

    def _add(self, original: Store, table: str, select: str) -> None:
        """Add the rows of a query to a table that has columns of these names."""
        kinds = {row["name"]: row["kind"] for row in self.store.rows(DESCRIBED, {"table": table})}
        with original.csv(f"SELECT {', '.join(kinds)} FROM ({select}) found") as lines:
            add_rows(self.store, table, lines, kinds)
