"""Archived visits for other engines: the questions of a report as SQL of Spark and ClickHouse, and what they join.

`archive` writes the visits of each month into a Parquet file. Two more files, in the folder of the history, hold what a
visit refers to by number: `codes.parquet` and `user_agents.parquet`, both as they were at the last archive. The page
"Query archived scans with another engine" describes the columns of all three.
"""

from __future__ import annotations

import re
import tempfile
from importlib.resources import files
from pathlib import Path
from typing import Literal, get_args

from qrkit.errors import InvalidParameter, Problem
from qrkit.store.connection import Store
from qrkit.store.history.history_files import place_of
from qrkit.store.places.history_folder import Folder
from qrkit.store.places.history_places import Place
from qrkit.store.recording.user_agents import parse_new_user_agents

__all__ = ["Engine", "archive_sql", "copy_tables", "write_tables"]

Engine = Literal["clickhouse", "spark"]
"""Engines for which qrkit has SQL; Sail and Databricks run the SQL for Spark."""

CODES = """
SELECT
    q.number, q.account_id, q.id AS qrcode_id, q.name AS qrcode, q.created AS qrcode_created,
    nullif(q.address, '') AS qrcode_address, q.latitude AS qrcode_latitude, q.longitude AS qrcode_longitude,
    c.id AS campaign_id, coalesce(c.name, '') AS campaign
FROM qrcodes q
LEFT JOIN campaigns c ON c.id = q.campaign_id
ORDER BY q.number
"""
USER_AGENTS = """
SELECT number, system, system_version, browser, browser_version, manufacturer, device_model, device,
    coalesce(is_bot, false) AS is_bot
FROM user_agents
ORDER BY number
"""
TABLES = {"codes": CODES, "user_agents": USER_AGENTS}
"""What a visit refers to, by the name of its file."""
TYPES = {"number": "INTEGER", "qrcode_created": "TIMESTAMP", "is_bot": "BOOLEAN"} | dict.fromkeys(
    ("qrcode_latitude", "qrcode_longitude"), "DOUBLE"
)
"""Types of columns that are not VARCHAR. They are part of the contract, also where a column has no values."""
WRITE = "COPY (SELECT {columns} FROM rows) TO $1 (FORMAT parquet, COMPRESSION zstd)"
STATEMENT = re.compile(r"^-- (\w+): ", re.MULTILINE)


def archive_sql(engine: Engine) -> dict[str, str]:
    """Return SQL for asking archived visits with another engine, by name.

    The first statement, `scans`, makes a view that all others read. They are summary, scans_per_day, visitors_per_day,
    scans_by_hour, top_qrcodes, countries, systems, devices, repeat_share, half_lives, scans_by_content and
    visits_by_kind. Their answers are those of the functions of `qrkit.analytics` for all archived scans, in UTC and
    without rows that have no scans. For fewer scans, add conditions to the view.

    Args:
        engine: `spark`, also for Sail and Databricks, or `clickhouse`.

    Raises:
        InvalidParameter: If there is no SQL for this engine.

    Example:
        >>> print(archive_sql("spark")["visitors_per_day"])
        SELECT CAST(time AS DATE) AS day, count(*) AS scans, count_if(alone) + count(DISTINCT again) AS visitors
        FROM scans
        GROUP BY CAST(time AS DATE)
        ORDER BY day
    """
    if engine not in get_args(Engine):
        raise InvalidParameter(Problem("engine", engine, f"must be one of {', '.join(get_args(Engine))}"))
    _, *parts = STATEMENT.split(files(__name__).joinpath(f"{engine}.sql").read_text(encoding="utf-8"))
    statements = (text.partition("\n")[2].strip() for text in parts[1::2])
    return dict(zip(parts[::2], statements, strict=True))


def write_tables(store: Store, place: Place) -> None:
    """Write what visits refer to, their QR Codes and user agents, to the place of the history."""
    import duckdb

    parse_new_user_agents(store)
    with tempfile.TemporaryDirectory(prefix="qrkit-") as folder, duckdb.connect() as writer:
        for name, rows in TABLES.items():
            file = Path(folder) / f"{name}.parquet"
            frame = store.frame(rows)
            columns = ", ".join(f"{column}::{TYPES.get(column, 'VARCHAR')} AS {column}" for column in map(str, frame))
            writer.register("rows", frame)
            writer.execute(WRITE.format(columns=columns), [str(file)])
            place.replace(file.name, file.read_bytes())


def copy_tables(store: Store, folder: Path) -> None:
    """Copy what `write_tables` has written for a store to another folder of archived visits."""
    place, copy = place_of(store), Folder(folder)
    for name in TABLES:
        file = f"{name}.parquet"
        if place is not None and copy.is_used() and place.has(file):
            copy.replace(file, b"".join(place.parts(file)))
