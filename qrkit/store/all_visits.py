"""The view `all_visits`, which every question reads: the visits in the store, and those in the files of its history.

A visitor is a key of one UTC day. Most keys are on a single visit of their day. When a day is archived, those visits
get the mark `alone`: whatever a question filters and groups by, each of them is a visitor of its own. So only the
remaining keys need to be compared, which is most of the work:

    count(*) FILTER (alone) + count(DISTINCT again)

is the number of visitors, where `again` is the key and its day for visits that are not marked. (`DISTINCT … FILTER (NOT
alone)` is as slow as counting all keys: DuckDB puts them into its table of distinct values first.)

A late visit may bring the key of a visit that is marked. Until its day is archived anew, marks count only on the days
before the first visit in the store.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from qrkit.store.migrations import ALL_VISITS, DAY_KEY, VISIT_COLUMNS

__all__ = ["VERSION", "VISITORS", "archived_visits", "marked", "view_of"]

VERSION = 2
"""The version of the columns in a file of the history: 1 has no marks, and keys of visitors as UBIGINT."""
VISITORS = "count(*) FILTER (alone) + count(DISTINCT again)"
"""The number of visitors of rows of `all_visits` or of a view of scans."""

# Many programs have no unsigned numbers, so files have the same 64 bits as a signed number.
SIGNED = (
    "CASE WHEN visitor > 9223372036854775807::UBIGINT THEN ~(18446744073709551615::UBIGINT - visitor)::BIGINT "
    "ELSE visitor::BIGINT END"
)
UNSIGNED = "CASE WHEN visitor < 0 THEN 18446744073709551615::UBIGINT - (~visitor)::UBIGINT ELSE visitor::UBIGINT END"

MARKED = f"""
SELECT * REPLACE ({SIGNED} AS visitor),
    visitor IS NOT NULL AND count(*) OVER (PARTITION BY time::DATE, visitor) = 1 AS alone
FROM ({{rows}}) v
"""
UNMARKED_FILES = f"SELECT {VISIT_COLUMNS}, false AS alone, {DAY_KEY} AS again FROM read_parquet({{files}})"
IS_ALONE = "(alone AND time < (SELECT coalesce(min(time)::DATE, 'infinity') FROM visits))"
MARKED_FILES = f"""
SELECT {VISIT_COLUMNS}, {IS_ALONE} AS alone, CASE WHEN NOT {IS_ALONE} THEN {DAY_KEY} END AS again
FROM (SELECT * REPLACE ({UNSIGNED} AS visitor) FROM read_parquet({{files}}))
"""


def marked(rows: str) -> str:
    """Return a SELECT of visits as a file has them, from a SELECT of all visits of one or more whole UTC days."""
    return MARKED.format(rows=rows)


def archived_visits(address: str, version: int) -> str:
    """Return a SELECT of the visits in the file at an address, as the table `visits` has them."""
    return f"SELECT {VISIT_COLUMNS} FROM ({_select([address], version)})"


def view_of(files: Mapping[str, int]) -> str:
    """Return the statement that makes the view.

    Args:
        files: The version of each file, by its address.
    """
    versions = sorted(set(files.values()))
    selects = [_select([file for file in files if files[file] == version], version) for version in versions]
    return " UNION ALL ".join([ALL_VISITS, *selects])


def _select(files: Sequence[str], version: int) -> str:
    listed = ", ".join("'" + file.replace("'", "''") + "'" for file in files)
    return (UNMARKED_FILES if version == 1 else MARKED_FILES).format(files=f"[{listed}]")
