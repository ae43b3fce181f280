"""Reads every block of a store file to find damaged ones."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from qrkit.errors import StoreBusy
from qrkit.store.connection import Store
from qrkit.store.duckdb.damage import damaged, first_line
from qrkit.store.duckdb.damaged_files import Ask, CannotRead, asking, can_read
from qrkit.store.duckdb.file_blocks import damaged_blocks

PATIENCE = 60.0
"""Seconds to wait until no other thread reads the file."""
COLUMNS = """
SELECT table_name AS name, list(column_name ORDER BY column_index) AS columns,
    list(column_name) FILTER (is_nullable) AS nullable
FROM duckdb_columns()
WHERE database_name = ? AND table_name NOT IN (SELECT view_name FROM duckdb_views())
GROUP BY table_name ORDER BY table_name
"""
READ = "SELECT count(*) AS rows, sum(hash({columns})) AS hash FROM old.{table}"
BLOCKS = """
SELECT DISTINCT unnest(list_append(additional_block_ids, block_id)) AS block FROM pragma_storage_info('old.{table}')
WHERE block_id >= 0
"""


def unreadable(store: Store) -> list[str]:
    """Return a description of each table of a store file that cannot be read in full, and of damage elsewhere.

    The file is closed meanwhile, so statements of other threads wait.
    """
    found: list[str] = []
    if not store.database.is_file:
        return found
    store.check_no_transaction()
    with store.database.writing, store.database.visiting, store.file.standing_still(PATIENCE) as is_still:
        if not is_still:
            raise StoreBusy(f"another thread reads {store.path}; try again when it is done")
        store.file.reopen(lambda: found.extend(_faults_in(store.file.file)))
    return found


def check_readable(path: Path, original: str) -> None:
    """Check every block of a store file that is not open anywhere; `StoreDamaged` names the file `original`."""
    if found := _faults_in(path):
        raise damaged(original, f"is damaged: {'; '.join(found)}")


def _faults_in(path: Path) -> list[str]:
    """Return a description of each fault in a file that is not open anywhere."""
    try:
        with asking(old=path) as ask:
            found, blocks = _unreadable_tables(ask)
    except CannotRead as error:
        return [f"the list of tables cannot be read: {first_line(error)}"]
    with path.open("rb") as file:
        elsewhere = len(damaged_blocks(file, besides=blocks))
    return found + ([f"damaged blocks that hold an index: {elsewhere}"] if elsewhere else [])


def _unreadable_tables(ask: Ask) -> tuple[list[str], set[int]]:
    """Return a description of each table that cannot be read in full, and the numbers of all blocks of tables."""
    found, blocks = [], set()
    for table in ask(COLUMNS, ["old"]):
        name, columns = table["name"], table["columns"]
        with suppress(CannotRead):
            blocks |= {row["block"] for row in ask(BLOCKS.format(table=name))}
        if not _is_readable(ask, name, columns):
            bad = [column for column in columns if not _is_readable(ask, name, [column])]
            which = "all columns" if len(bad) == len(columns) else ", ".join(bad)
            found.append(f"the table {name} cannot be read in full ({which})")
    return found, blocks


def _is_readable(ask: Ask, table: str, columns: list[str]) -> bool:
    return can_read(ask, READ.format(table=table, columns=", ".join(columns)))
