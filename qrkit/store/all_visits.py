"""The view `all_visits`, which every question reads: the visits in the store, and those in the files of its history.

A visitor is a key of one UTC day. Most keys are on a single visit of their day. When a day is archived, those visits
get the mark `alone`: whatever a question filters and groups by, each of them is a visitor of its own. All others get
`again`, the number of their day and of their key on it. So only these need to be compared:

    count(*) FILTER (alone) + count(DISTINCT again)

is the number of visitors, from two columns that are small and quick to read. (`DISTINCT … FILTER (NOT alone)` is as
slow as counting all keys: DuckDB puts them into its table of distinct values first.) Each day has numbers from 1 on,
city by city, so that visitors of one group have numbers close to each other: `counted` keeps a bit for each, where a
table of distinct values has dozens of bytes.

A late visit may bring the key of a visit that is marked. Until its day is archived anew, marks count only on the days
before the first visit in the store, and `again` is what it is for visits in the store: the key and its day as one
number. This is slower, so the view has both forms, which `numbered` tells apart. A condition without columns ends one
of them before it reads any rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from qrkit.store.migrations import ALL_VISITS, DAY_KEY, VISIT_COLUMNS
from qrkit.store.quoting import quoted

VERSION = 4
"""The version of the columns in a file: 1 has no marks, and keys of visitors as UBIGINT; 1 and 2 lack `again`;
1 to 3 lack `via`, variants, conversions, and what GS1 Digital Links name."""
VISITORS = "count(*) FILTER (alone) + count(DISTINCT again)"
"""The number of visitors of rows of `all_visits` or of a view of scans; `counted` takes less time."""
KEYLESS = "count(*) FILTER (NOT alone AND again IS NULL)"
"""The number of visits without the key of a visitor, which `VISITORS` does not count."""

# MATERIALIZED lets DuckDB read the visits once for all three parts; it hands them on as it reads, and keeps none.
COUNTED = """
SELECT {names}coalesce(sum(scans), 0)::BIGINT AS scans, coalesce(sum(visitors), 0)::BIGINT AS visitors{ends}
FROM (
    WITH rows AS MATERIALIZED (SELECT {groups}alone, again, numbered{time} FROM {table})
    SELECT {names}count(*) AS scans, count(*) FILTER (alone) AS visitors{bounds} FROM rows GROUP BY ALL
    UNION ALL
    SELECT {names}0 AS scans, bit_count(word) AS visitors{no_bounds}
    FROM (
        SELECT {names}again // 63 AS place, bit_or(1::BIGINT << (again % 63)::INTEGER) AS word
        FROM rows
        WHERE numbered AND again IS NOT NULL
        GROUP BY ALL
    ) words
    UNION ALL
    SELECT {names}0 AS scans, count(DISTINCT again) AS visitors{no_bounds} FROM rows WHERE NOT numbered GROUP BY ALL
) parts
GROUP BY ALL
"""

# Many programs have no unsigned numbers, so files have the same 64 bits as a signed number.
SIGNED = (
    "CASE WHEN visitor > 9223372036854775807::UBIGINT THEN ~(18446744073709551615::UBIGINT - visitor)::BIGINT "
    "ELSE visitor::BIGINT END"
)
UNSIGNED = "CASE WHEN visitor < 0 THEN 18446744073709551615::UBIGINT - (~visitor)::UBIGINT ELSE visitor::UBIGINT END"

MARKED = f"""
WITH rows AS NOT MATERIALIZED ({{rows}}), repeated AS (
    SELECT
        time::DATE AS day, visitor,
        (time::DATE - DATE '1970-01-01') * 4294967296
            + row_number() OVER (PARTITION BY day ORDER BY min(city), visitor) AS again
    FROM rows
    WHERE visitor IS NOT NULL
    GROUP BY day, visitor
    HAVING count(*) > 1
)
SELECT v.* REPLACE ({SIGNED.replace("visitor", "v.visitor")} AS visitor),
    v.visitor IS NOT NULL AND r.again IS NULL AS alone, r.again
FROM rows v
LEFT JOIN repeated r ON r.day = v.time::DATE AND r.visitor = v.visitor
"""
READ = "(SELECT * REPLACE ({visitor} AS visitor){{lacking}} FROM read_parquet({{files}}))"
FILES = READ.format(visitor=UNSIGNED)
UNSIGNED_FILES = READ.format(visitor="visitor")
LACKING = (
    "".join(f", NULL::VARCHAR AS {name}" for name in ("via", "lot", "serial", "link_type", "variant", "conversion"))
    + ", NULL::INTEGER AS split"
)
"""The columns that files of versions 1 to 3 do not have."""
UNMARKED = f"""
SELECT {VISIT_COLUMNS}, false AS alone, {DAY_KEY} AS again, false AS numbered FROM {UNSIGNED_FILES}
"""
IS_ALONE = "(alone AND time < (SELECT coalesce(min(time)::DATE, 'infinity') FROM visits))"
PARTLY_MARKED = f"""
SELECT {VISIT_COLUMNS}, {IS_ALONE} AS alone, CASE WHEN NOT {IS_ALONE} THEN {DAY_KEY} END AS again, false AS numbered
FROM {FILES}
"""
LATE = "(SELECT 1 FROM visits WHERE time < TIMESTAMP '{until}')"
# With EXISTS in the place of IN, DuckDB would read all files for the visits of one code.
AS_MARKED = f"""
SELECT {VISIT_COLUMNS}, alone, again::UBIGINT AS again, true AS numbered FROM {FILES} WHERE 1 NOT IN {LATE}
UNION ALL {PARTLY_MARKED} WHERE 1 IN {LATE}
"""


def counted(groups: Mapping[str, str], table: str, *, times: bool = False) -> str:
    """Return a SELECT that counts visits and visitors by group, from a table with the columns of `all_visits`.

    `groups` are expressions by the names of their columns. Further columns: scans, visitors (BIGINT) and, with `times`,
    first, last (TIMESTAMP). Without groups, it is one row.
    """
    return COUNTED.format(
        names="".join(f"{name}, " for name in groups),
        groups="".join(f"{sql} AS {name}, " for name, sql in groups.items()),
        table=table,
        time=", time" if times else "",
        bounds=", min(time) AS first, max(time) AS last" if times else "",
        no_bounds=", NULL::TIMESTAMP AS first, NULL::TIMESTAMP AS last" if times else "",
        ends=", min(first) AS first, max(last) AS last" if times else "",
    )


def marked(rows: str) -> str:
    """Return a SELECT of visits in the form stored in files, from a SELECT of all visits of whole UTC days."""
    return MARKED.format(rows=rows)


def archived_visits(address: str, version: int) -> str:
    """Return a SELECT of the visits in the file at an address, as the table `visits` has them."""
    rows = UNSIGNED_FILES if version == 1 else FILES
    return f"SELECT {VISIT_COLUMNS} FROM {rows.format(files=_listed([address]), lacking=LACKING * (version < 4))}"


def view_of(files: Mapping[str, int], until: datetime | None) -> str:
    """Return the statement that makes the view, given the version of each file by its address.

    `until` is the end of the last archived day, UTC without a time zone: visits before it in the store are late. It is
    None if there are no files.
    """
    forms = {1: UNMARKED, 2: PARTLY_MARKED, 3: AS_MARKED, 4: AS_MARKED}
    selects = [
        forms[version].format(
            files=_listed([file for file in files if files[file] == version]),
            until=until,
            lacking=LACKING * (version < 4),
        )
        for version in sorted(set(files.values()))
    ]
    return " UNION ALL ".join([ALL_VISITS, *selects])


def _listed(addresses: Sequence[str]) -> str:
    return f"[{', '.join(map(quoted, addresses))}]"
