"""The tables of a store file, as named migrations: each is applied once and recorded in the table `migrations`.

A released migration is never changed; later changes are new migrations. A new store gets the sum of all of them, which
`at_once` works out, so that the tables are described only in `migrations.sql`. Timestamps are UTC without a time zone,
because grouping by them is several times faster than by TIMESTAMP WITH TIME ZONE. What DuckDB and PostgreSQL both
understand is written so that it serves both: `postgresql/tables.sql` has the rest.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

EARLIER_COLUMNS = (
    "time, kind, qrcode, short_code, content, user_agent, referrer, language, visitor, country, region, city, "
    "latitude, longitude"
)
VISIT_COLUMNS = f"{EARLIER_COLUMNS}, via, lot, serial, link_type, variant, split, conversion"
"""The columns of a visit in a file of the history; a change needs a new version of these files."""
DAY_KEY = "xor(visitor, hash(time::DATE))"
"""The key of a visitor and its UTC day as one number, for keys that an import brought with several days."""
ALL_VISITS = f"""
CREATE OR REPLACE VIEW all_visits AS SELECT {VISIT_COLUMNS}, false AS alone, {DAY_KEY} AS again, false AS numbered
FROM visits
"""
"""The view that every question reads, without files of the history; `all_visits.view_of` adds them."""
_EARLIER_VISITS = ALL_VISITS.replace(VISIT_COLUMNS, EARLIER_COLUMNS)


def sections(file: Path) -> dict[str, str]:
    """Return the sections of a file of SQL by name: each begins with a line such as `-- [portfolio]`."""
    _, *parts = re.split(r"^-- \[(.+)\]\n", file.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[::2], parts[1::2], strict=True))


SHARED = sections(Path(__file__).with_name("migrations.sql"))
"""The SQL of each migration by name, in the order they are applied, without the views."""
MIGRATIONS = SHARED | {
    "inboxes": f"{SHARED['inboxes']} DROP TABLE batches;",
    "history": SHARED["history"] + _EARLIER_VISITS,
    "marks": f"{_EARLIER_VISITS};{SHARED['marks']}",
    "numbered": f"{_EARLIER_VISITS};{SHARED['numbered']}",
    "splits": SHARED["splits"] + ALL_VISITS,
}
"""Those of a file, with its views."""


def at_once(migrations: Mapping[str, str]) -> str:
    """Return the statements that create what all migrations together create, each table with all of its columns.

    DuckDB runs them in a third of the time of the migrations. What changes stored rows is left out, because a new
    store has none.
    """
    created: dict[str, str] = {}
    first_rows: dict[str, str] = {}
    for statement in re.sub("--.*", "", ";".join(migrations.values())).split(";"):
        match statement.split():
            case ["CREATE", "OR", "REPLACE", _, name, *_] | ["CREATE", _, name, *_]:
                created[name] = statement.strip()
            case ["ALTER", "TABLE", name, "ADD", "COLUMN", *column]:
                created[name] = f"{created[name].removesuffix(')')}, {' '.join(column)})"
            case ["INSERT", "INTO", name, "VALUES", *_]:
                first_rows[name] = statement
            case ["DROP", "TABLE", name]:
                del created[name], first_rows[name]
    return ";".join([*created.values(), *first_rows.values()])
