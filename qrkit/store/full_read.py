"""Reads every block of a store file to find damage."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import duckdb

from qrkit.errors import StoreDamaged
from qrkit.store.connection import Store
from qrkit.store.duckdb.blocks import damaged_blocks
from qrkit.store.duckdb.damage import damaged, first_line, is_damage
from qrkit.store.duckdb.database import MEMORY, reading_file

__all__ = ["check_readable", "unreadable"]

Ask = Callable[[str], list[dict[str, Any]]]
"""Runs a query and returns its rows; raises `StoreDamaged` if the query needs a damaged block."""

COLUMNS = """
SELECT table_name AS name, list(column_name ORDER BY column_index) AS columns
FROM duckdb_columns() WHERE NOT internal AND table_name NOT IN (SELECT view_name FROM duckdb_views())
GROUP BY table_name ORDER BY table_name
"""
READ = "SELECT count(*) AS rows, sum(hash({columns})) AS hash FROM {table}"
BLOCKS = """
SELECT DISTINCT unnest(list_append(additional_block_ids, block_id)) AS block FROM pragma_storage_info('{table}')
WHERE block_id >= 0
"""


def unreadable(store: Store) -> list[str]:
    """Return a description of each table of a store file that cannot be read in full, and of damage elsewhere."""
    if store.database.is_shared or store.file.path == MEMORY:
        return []
    found, read = _unreadable_tables(store.rows)
    if _damaged_blocks(store.file.file, read):
        # A transaction may just have reused a block, so look again while nothing can be written.
        with store.database.writing, store.database.visiting:
            if not store.database.read_only:
                store.checkpoint()
            _, read = _unreadable_tables(store.rows)
            found += _damage_elsewhere(store.file.file, read)
    return found


def check_readable(path: Path, original: str) -> None:
    """Check every block of a store file that is not open anywhere.

    Raises:
        StoreDamaged: If a block of the file is damaged; the error message names the file `original`.
    """

    def ask(sql: str) -> list[dict[str, Any]]:
        try:
            cursor = connection.execute(sql)
            names = [column[0] for column in cursor.description or ()]
            return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
        except duckdb.Error as error:
            raise (damaged(original, first_line(error)) if is_damage(error) else error) from error

    with duckdb.connect(str(path), read_only=True) as connection:
        found, read = _unreadable_tables(ask)
        found += _damage_elsewhere(path, read)
    if found:
        raise damaged(original, f"is damaged: {'; '.join(found)}")


def _unreadable_tables(ask: Ask) -> tuple[list[str], set[int]]:
    """Return a description of each table that cannot be read in full, and the numbers of all blocks of tables."""
    found, blocks = [], set()
    for table in ask(COLUMNS):
        name, columns = table["name"], table["columns"]
        with suppress(StoreDamaged):
            blocks |= {row["block"] for row in ask(BLOCKS.format(table=name))}
        if not _is_readable(ask, name, columns):
            bad = [column for column in columns if not _is_readable(ask, name, [column])]
            which = "all columns" if len(bad) == len(columns) else ", ".join(bad)
            found.append(f"the table {name} cannot be read in full ({which})")
    return found, blocks


def _is_readable(ask: Ask, table: str, columns: list[str]) -> bool:
    try:
        ask(READ.format(table=table, columns=", ".join(columns)))
    except StoreDamaged:
        return False
    return True


def _damaged_blocks(path: Path, read: set[int]) -> list[int]:
    """Return the damaged blocks outside of tables: those of indexes, and of the table of contents."""
    with reading_file(path) as file:
        return damaged_blocks(file, besides=read)


def _damage_elsewhere(path: Path, read: set[int]) -> list[str]:
    number = len(_damaged_blocks(path, read))
    return [f"damaged blocks that hold an index: {number}"] if number else []
