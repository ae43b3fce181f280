"""The history of a store on a server: a DuckDB beside the server reads and writes the files.

The server lists the files, so that all processes know them; visits pass between its table and the files as CSV. What
only the server can do with archived visits is done after they are brought back into a table.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from qrkit.late import pd
from qrkit.store.connection import Store
from qrkit.store.copies.transfer import add_rows, csv_of
from qrkit.store.history.history_files import archived_rows, history_files, place_of, unseen_files
from qrkit.store.migrations import VISIT_COLUMNS
from qrkit.store.recording.visit_rows import COLUMNS

EQUAL = "archived"
"""A temporary table on the server with the archived visits that rows of an import may equal."""
MAKE_EQUAL = f"CREATE TEMPORARY TABLE {EQUAL} ON COMMIT DROP AS SELECT {VISIT_COLUMNS} FROM visits LIMIT 0"
FIND_EQUAL = "{rows} v WHERE EXISTS (SELECT 1 FROM wanted w WHERE w.time = v.time AND w.short_code = v.short_code)"


@contextmanager
def files_of(store: Store) -> Iterator[Store]:
    """Context manager: yields the store whose DuckDB reads and writes the files of a history.

    That is the store itself if it is in a file, and a temporary one beside a server.
    """
    if not store.database.is_shared:
        yield store
        return
    with (
        tempfile.TemporaryDirectory(prefix="qrkit-") as folder,
        Store(Path(folder) / "files.duckdb", history=place_of(store)) as files,
    ):
        files.path = files.database.path = store.path  # for messages
        yield files


def take_visits(store: Store, files: Store, where: str) -> None:
    """Move visits from the table of a server into that of `files`, in the open transaction of the server."""
    deleted = f"DELETE FROM visits WHERE {where} RETURNING {VISIT_COLUMNS}"
    with store.csv(f"SELECT {VISIT_COLUMNS} FROM visits", deleted=deleted) as lines:
        add_rows(files, "visits", lines, COLUMNS)


def bring_back(store: Store, files: Store, before: datetime) -> None:
    """Copy the archived visits before a timestamp into the table of a server, in the open transaction."""
    _bring(store, files, "visits", f"{{rows}} WHERE time < TIMESTAMP '{before}'", until=before)


def bring_equal(store: Store, visits: pd.DataFrame) -> str:
    """Copy the archived visits with a code and a time of `visits` to a server, in the open transaction.

    Returns a table of all visits of the store that may equal rows of `visits`.
    """
    if not unseen_files(store):
        return "all_visits"
    store.execute(MAKE_EQUAL)
    with files_of(store) as files:
        files.execute("CREATE TABLE wanted (time TIMESTAMP, short_code VARCHAR)")
        files.add_rows("wanted", visits[["time", "short_code"]])
        since, until = visits["time"].min().to_pydatetime(), visits["time"].max().to_pydatetime()
        _bring(store, files, EQUAL, FIND_EQUAL, since=since, until=until)
    return f"(SELECT {VISIT_COLUMNS} FROM visits UNION ALL SELECT {VISIT_COLUMNS} FROM {EQUAL})"


def archived_agents(store: Store, files: Store) -> list[int]:
    """Return the numbers of the user agents of archived visits that the server has only in its files."""
    if not (listed := unseen_files(store)):
        return []
    rows = " UNION ALL ".join(archived_rows(files, file) for file in listed)
    return [int(row["user_agent"]) for row in files.rows(f"SELECT DISTINCT user_agent FROM ({rows})")]


def _bring(
    store: Store, files: Store, table: str, select: str, *, since: datetime = datetime.min, until: datetime
) -> None:
    """Append archived visits to a table of the server: a SELECT of `{rows}`, for each file between two timestamps."""
    for file in history_files(store):
        if file.first <= until and file.last >= since:
            with csv_of(files, select.format(rows=archived_rows(files, file)), COLUMNS) as lines:
                add_rows(store, table, lines, COLUMNS)
