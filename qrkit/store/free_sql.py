"""Runs user-written SQL, which can read only that user's rows.

It runs in a sandbox database with a time and memory limit. Safety does not depend on parsing: the single-SELECT check
only reports mistakes early.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from threading import Timer
from typing import TYPE_CHECKING, Any

import duckdb

from qrkit.errors import InvalidParameter, Problem
from qrkit.store.duckdb.column_copy import columns
from qrkit.store.sandbox import Query, sandbox
from qrkit.store.scans import Scans

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["MOST_ROWS", "free_sql"]

MEMORY = "512MB"
MOST_ROWS = 1_000_000
LONGEST_SECONDS = 3_600.0
ANSWER = "apart.answer"

SHOWN = """
q.account_id = $account AND ($shown IS NULL OR q.number < coalesce((
    SELECT number FROM qrcodes WHERE account_id = $account ORDER BY number LIMIT 1 OFFSET $shown
), q.number + 1))
"""
QRCODES = f"""
SELECT
    q.id, q.name, q.campaign_id, q.content, q.comment, q.short_code, q.created, q.imported_scans + n.scans AS scans,
    q.is_dynamic, q.is_schedule_enabled, nullif(q.address, '') AS address, q.latitude, q.longitude
FROM qrcodes q JOIN scan_counts n ON n.qrcode = q.number WHERE {SHOWN}
"""
CAMPAIGNS = "SELECT id, name, description, created FROM campaigns WHERE account_id = $account"
DAY_COUNTS = f"""
SELECT d.day, q.id AS qrcode_id, d.kind, sum(d.visits)::BIGINT AS visits
FROM day_counts d JOIN qrcodes q ON q.number = d.qrcode WHERE {SHOWN} GROUP BY ALL
"""


def free_sql(scans: Scans, select: str, parameters: Mapping[str, Any], *, seconds: float) -> pd.DataFrame:
    """Run a SELECT over the rows of the account of a view and return the result.

    Args:
        scans: The view; the table `scans` contains the scans of the view.
        select: The statement. Its tables are `scans`, `visits`, `qrcodes`, `campaigns` and `day_counts`.
        parameters: Values of the `$names` in the statement.
        seconds: The time limit, 0.1..3600.

    Raises:
        InvalidParameter: If the text is not a single SELECT, DuckDB rejects it, or it exceeds the limit of time, memory
            or rows.
    """
    is_number = isinstance(seconds, (int, float)) and not isinstance(seconds, bool)
    if not is_number or not 0.1 <= seconds <= LONGEST_SECONDS:
        raise InvalidParameter(Problem("seconds", seconds, f"must be in 0.1..{LONGEST_SECONDS:.0f}", "out-of-range"))
    with sandbox(columns(scans.store), _tables(scans), config={"memory_limit": MEMORY}) as alone:
        alone.execute("CREATE SCHEMA apart")  # hides the result from SHOW TABLES
        try:
            with _in_time(alone, seconds):
                # As a table first: the memory limit applies to a DuckDB table, but not to a DataFrame.
                made = f"CREATE TABLE {ANSWER} AS FROM (\n{_one_select(alone, select)}\n) LIMIT {MOST_ROWS + 1}"
                alone.execute(made, dict(parameters))
            answer: pd.DataFrame = alone.sql(f"FROM {ANSWER}").df()
        except duckdb.InterruptException as error:
            raise _refused(select, f"takes longer than {seconds:g} seconds") from error
        except duckdb.OutOfMemoryException as error:
            raise _refused(select, f"needs more memory than {MEMORY}") from error
        except duckdb.Error as error:
            raise _refused(select, str(error)) from error
    if len(answer) > MOST_ROWS:
        raise _refused(select, f"has more than {MOST_ROWS:,} rows; count or narrow them, or write scans.to_parquet()")
    return answer


def _tables(scans: Scans) -> dict[str, Query]:
    own = {"account": scans.account_id, "shown": scans.most_qrcodes}
    return {
        "scans": scans.query(),
        "visits": scans.where(kinds=("scan", "bot", "prefetch", "head")).query(),
        "qrcodes": Query(QRCODES, own),
        "campaigns": Query(CAMPAIGNS, {"account": scans.account_id}),
        "day_counts": Query(DAY_COUNTS, own),
    }


def _one_select(alone: duckdb.DuckDBPyConnection, select: str) -> str:
    """Return the text of a single SELECT without its trailing semicolon."""
    if not isinstance(select, str):
        raise InvalidParameter(Problem("select", select, "must be a text, one SELECT", "wrong-type"))
    try:
        found = alone.extract_statements(select)
    except TypeError as error:
        raise _refused(select, "holds half a character (a lone surrogate)") from error
    if len(found) != 1 or found[0].type is not duckdb.StatementType.SELECT:
        raise _refused(select, "must be one SELECT")
    text = found[0].query.encode()
    ends = [place for place, _ in duckdb.tokenize(found[0].query) if text[place : place + 1] == b";"]
    return text[: ends[0]].decode() if ends else found[0].query


@contextmanager
def _in_time(alone: duckdb.DuckDBPyConnection, seconds: float) -> Iterator[None]:
    timer = Timer(seconds, alone.interrupt)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()


def _refused(select: str, rule: str) -> InvalidParameter:
    return InvalidParameter(Problem("select", select, rule))
