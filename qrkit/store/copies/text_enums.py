"""Reads text columns as ENUMs, which hold each distinct text once and a small number for each row.

Ten million scans repeat a few thousand texts. As ENUMs, DuckDB sorts numbers, a DataFrame gets each text as one object,
and a Parquet writer gets a finished dictionary. As text, the same work takes several times the time and memory.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from qrkit.late import pd
from qrkit.store.connection import Store

MOST_TEXTS = 10_000
"""A column with more distinct texts stays text, because each row group of a Parquet file repeats the dictionary."""
TEXTS = "CASE WHEN count(DISTINCT {0}) <= {1} THEN list(DISTINCT {0}) FILTER ({0} IS NOT NULL) END AS {0}"
CREATE = "CREATE TEMP TYPE {} AS ENUM (SELECT unnest($texts::VARCHAR[]))"
DROP = "DROP TYPE {}"


def texts_of(tables: Mapping[str, Sequence[str]]) -> str:
    """Return a SELECT of one row, with the distinct texts of each column; NULL if they are many or none.

    Each table must have all texts of its columns.
    """
    lists = []
    for name, columns in tables.items():
        lists.append(f"(SELECT {', '.join(TEXTS.format(one, MOST_TEXTS) for one in columns)} FROM {name})")
    return f"SELECT * FROM {', '.join(lists)}"


def create_enums(run: Callable[[str, dict[str, Any]], Any], table: str, texts: Mapping[str, list[str] | None]) -> str:
    """Create a temporary type for each column with texts; return the SELECT list that converts the columns.

    `run` runs a statement on the connection that the types are for; their names begin with `table`. `texts` is the row
    of `texts_of`.
    """
    types = _types(table, texts)
    for name, type in types.items():
        run(CREATE.format(type), {"texts": texts[name]})
    converted = ", ".join(f"{name}::{type} AS {name}" for name, type in types.items())
    return f"* REPLACE ({converted})" if types else "*"


def enum_frame(store: Store, sql: str, texts: str, parameters: Mapping[str, Any], *, order: str) -> pd.DataFrame:
    """Return the rows of a query, with categorical columns in place of text; with text if `texts` is "".

    The caller must have an open transaction, so that `texts`, the SELECT of `texts_of`, lists all texts.
    """
    row = store.rows(texts, parameters)[0] if texts else {}
    selected = create_enums(store.rows, "frame", row)
    frame = store.frame(f"SELECT {selected} FROM ({sql}) ORDER BY {order}", parameters)
    for type in _types("frame", row).values():
        store.rows(DROP.format(type))
    return frame


def _types(table: str, texts: Mapping[str, list[str] | None]) -> dict[str, str]:
    """Return the name of the type of each column with texts."""
    return {name: f"{table}_{name}" for name, values in texts.items() if values}
