"""Runs user-written SQL, which can read only that user's rows.

It runs in a separate process, on a copy of these rows, with limits on time and memory, because DuckDB cannot interrupt
a single function and does not count all of its memory. Safety does not depend on parsing: the check for a single SELECT
only reports mistakes early.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import TYPE_CHECKING, Any

import duckdb

from qrkit.errors import InvalidParameter, Problem
from qrkit.processes import WorkerBroke, WorkerLate, Workers, WorkersBusy
from qrkit.store.connection import Store
from qrkit.store.duckdb.column_copy import columns
from qrkit.store.free_sql_worker import BROKEN_RULE, DONE, TOO_LARGE, Question
from qrkit.store.sandbox import ALONE, Config, Query, sandbox
from qrkit.store.scans import Scans

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["MOST_ROWS", "free_sql"]

MEMORY = "512MB"
MOST_ROWS = 1_000_000
LONGEST_SECONDS = 3_600.0
LONGEST_START = 60.0
"""Seconds for starting a process or waiting for a free one, in addition to the seconds of the query."""
COMPUTED = "query"
"""Matches statements that can refer to tables in other ways than by name, for example with `query_table`."""

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


_workers = Workers(Path(__file__).with_name("free_sql_worker.py"), max(2, os.cpu_count() or 1))


def free_sql(scans: Scans, select: str, parameters: Mapping[str, Any], *, seconds: float) -> pd.DataFrame:
    """Run a SELECT over the rows of the account of a view and return the result.

    Args:
        scans: The view; the table `scans` contains the scans of the view.
        select: The statement. Its tables are `scans`, `visits`, `qrcodes`, `campaigns` and `day_counts`.
        parameters: Values of the `$names` in the statement; DataFrames become tables of their name.
        seconds: The time limit, 0.1..3600.

    Raises:
        InvalidParameter: If the text is not a single SELECT, DuckDB rejects it, it exceeds the limit of time, memory or
            rows, or a DataFrame has the name of another table or cannot be a table.
    """
    import pandas as pd

    is_number = isinstance(seconds, (int, float)) and not isinstance(seconds, bool)
    if not is_number or not 0.1 <= seconds <= LONGEST_SECONDS:
        raise InvalidParameter(Problem("seconds", seconds, f"must be in 0.1..{LONGEST_SECONDS:.0f}", "out-of-range"))
    frames = {name: value for name, value in parameters.items() if isinstance(value, pd.DataFrame)}
    with TemporaryDirectory(prefix="qrkit-") as folder:
        text = _write_rows(scans, select, Path(folder))
        files = {name: str(Path(folder, f"{name}.parquet")) for name in TABLES}
        for number, (name, frame) in enumerate(frames.items()):
            files[name] = str(Path(folder, f"frame{number}.parquet"))
            _write_frame(name, frame, files[name])
        question = Question(
            select=text,
            parameters={name: value for name, value in parameters.items() if name not in frames},
            files=files,
            result=str(Path(folder, "result.duckdb")),
            most=MOST_ROWS + 1,
            seconds=seconds,
            config={name: value for name, value in ALONE.items() if name != "enable_external_access"}
            | {"memory_limit": MEMORY},
        )
        _ask(question)
        with duckdb.connect(question["result"], read_only=True, config=dict(ALONE)) as found:
            answer: pd.DataFrame = found.sql("FROM result").df()
    if len(answer) > MOST_ROWS:
        raise _refused(select, f"has more than {MOST_ROWS:,} rows; count or narrow them, or write scans.to_parquet()")
    return answer


TABLES = ("scans", "visits", "qrcodes", "campaigns", "day_counts")

_without_rows: dict[str, bytes] = {}
"""The file of each table without rows, kept because most SELECTs use one or two tables; all views have its columns."""


def _tables(scans: Scans) -> dict[str, Query]:
    own = {"account": scans.account_id, "shown": scans.most_qrcodes}
    return {
        "scans": scans.all_rows(),
        "visits": scans.where(kinds=("scan", "bot", "prefetch", "head")).all_rows(),
        "qrcodes": Query(QRCODES, own),
        "campaigns": Query(CAMPAIGNS, {"account": scans.account_id}),
        "day_counts": Query(DAY_COUNTS, own),
    }


def _is_used(name: str, text: str) -> bool:
    return name in text.lower() or COMPUTED in text.lower()


def _one_select(store: Store, select: str) -> str:
    """Return the text of a single SELECT without its trailing semicolon."""
    if not isinstance(select, str):
        raise InvalidParameter(Problem("select", select, "must be text with one SELECT", "wrong-type"))
    with _parsing(store) as cursor:
        try:
            found = cursor.extract_statements(select)
        except TypeError as error:
            raise _refused(select, "holds half a character (a lone surrogate)") from error
        except duckdb.Error as error:
            raise _refused(select, str(error)) from error
    # A PIVOT that finds its columns by itself is of type MULTI. The worker puts the text in parentheses in any case.
    if len(found) != 1 or found[0].type not in (duckdb.StatementType.SELECT, duckdb.StatementType.MULTI):
        raise _refused(select, "must be one SELECT")
    text = found[0].query.encode()
    ends = [place for place, _ in duckdb.tokenize(found[0].query) if text[place : place + 1] == b";"]
    return text[: ends[0]].decode() if ends else found[0].query


@contextmanager
def _parsing(store: Store) -> Iterator[duckdb.DuckDBPyConnection]:
    """Context manager: yields a connection that parses statements. Opening a database of its own would take 15 ms."""
    if store.database.is_shared:
        with duckdb.connect(":memory:", config=dict(ALONE)) as alone:
            yield alone
    else:
        with store.further_cursors() as cursor:
            yield cursor()


def _write_rows(scans: Scans, select: str, folder: Path) -> str:
    """Write the tables to files, without rows if the SELECT does not use them; return the text of the SELECT."""
    text = _one_select(scans.store, select)
    store = columns(scans.store)
    tables = _tables(scans)
    used = {name: query for name, query in tables.items() if _is_used(name, text)}
    for name, query in tables.items():
        if name not in used and name not in _without_rows:
            used[name] = Query(f"FROM ({query.sql}) LIMIT 0", query.parameters)
    # External access is safe: only our own statements run here. Tables have no order, and keeping one needs memory.
    config: Config = {"enable_external_access": "true", "preserve_insertion_order": "false"}
    with sandbox(store, used, config=config) as alone:
        for name in TABLES:
            file = folder / f"{name}.parquet"
            if name not in used:
                file.write_bytes(_without_rows[name])
                continue
            alone.execute(f"COPY (FROM {name}) TO '{file}' (FORMAT parquet, COMPRESSION uncompressed)")
            if not _is_used(name, text):
                _without_rows[name] = file.read_bytes()
    return text


def _write_frame(name: str, frame: pd.DataFrame, file: str) -> None:
    """Write a DataFrame without its index to a file."""
    if name.lower() in TABLES:
        raise InvalidParameter(Problem(name, None, f"needs another name: {name.lower()} is a table of qrkit"))
    with duckdb.connect(":memory:") as alone:
        try:
            alone.register("given", frame)
            alone.execute(f"COPY given TO '{file}' (FORMAT parquet, COMPRESSION uncompressed)")
        except duckdb.Error as error:
            raise InvalidParameter(Problem(name, None, f"cannot be a table: {error}")) from error


def _ask(question: Question) -> None:
    select, seconds = question["select"], question["seconds"]
    late = f"takes longer than {seconds:g} seconds"
    try:
        asked = pickle.dumps(question)
    except Exception as error:  # pickle raises errors of many types
        raise _refused(select, f"has a parameter that is no value of SQL: {error}") from error
    began = monotonic()
    try:
        outcome, answer = _workers.ask(len(asked).to_bytes(4, "big"), asked, seconds=seconds + LONGEST_START)
    except WorkerBroke as error:
        rule = late if monotonic() - began >= seconds else "breaks the database"
        raise _refused(select, rule) from error
    except (WorkerLate, WorkersBusy) as error:
        raise _refused(select, late) from error
    if outcome == TOO_LARGE:
        raise _refused(select, f"needs more memory than {MEMORY}")
    if outcome == BROKEN_RULE:
        raise _refused(select, answer.decode())
    if outcome != DONE:
        raise _refused(select, late)


def _refused(select: str, rule: str) -> InvalidParameter:
    return InvalidParameter(Problem("select", select, rule))
