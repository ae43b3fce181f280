"""Runs user-written SQL, which can read only that user's rows.

It runs in a separate process, on a copy of these rows, with limits on time and memory, because DuckDB cannot interrupt
a single function and does not count all of its memory. Safety does not depend on parsing: the check for a single SELECT
only reports mistakes early.
"""

from __future__ import annotations

import json
import os
import pickle
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any

import duckdb

from qrkit.errors import InvalidParameter, Problem
from qrkit.late import pd
from qrkit.processes import WorkerBroke, WorkerLate, Workers, WorkersBusy
from qrkit.store.connection import Store
from qrkit.store.copies.arrow_tables import frame_in_utc, is_table, pandas_frame
from qrkit.store.copies.sandbox import ALONE, Config, Query
from qrkit.store.questions.column_copy import columns
from qrkit.store.questions.free_sql_worker import BROKEN_RULE, DONE, TOO_LARGE, Plan, Question, UserQuery
from qrkit.store.questions.scans import SHOWN, Scans
from qrkit.store.quoting import quoted

MEMORY = "512MB"
MOST_ROWS = 1_000_000
LEAST_SECONDS, LONGEST_SECONDS = 0.1, 3_600.0
LONGEST_START = 60.0
"""Seconds for starting a process or waiting for a free one, in addition to the seconds of the query."""
COMPUTED = ("query", "pivot")
"""Words of statements whose plan depends on rows: `query` computes a statement, PIVOT has a column for each value."""
CONFIG: Config = {name: value for name, value in ALONE.items() if name != "enable_external_access"} | {
    "memory_limit": MEMORY
}

OWN = f"q.account_id = $account AND ($shown IS NULL OR {SHOWN})"
QRCODES = f"""
SELECT
    q.id, q.name, q.campaign_id, q.content, q.comment, q.short_code, q.created, {{scans}} AS scans,
    q.is_dynamic, q.is_schedule_enabled, nullif(q.address, '') AS address, q.latitude, q.longitude,
    from_json(q.tags, '["VARCHAR"]') AS tags, from_json(q.fields, '"MAP(VARCHAR, VARCHAR)"') AS fields
FROM qrcodes q {{counts}} WHERE {OWN}
"""
COUNTED = QRCODES.format(scans="q.imported_scans + n.scans", counts="JOIN scan_counts n ON n.qrcode = q.number")
UNCOUNTED = QRCODES.format(scans="NULL", counts="")
"""For SELECTs that do not use the column `scans`: with a million codes, the join takes most of the time."""
CAMPAIGNS = "SELECT id, name, description, created FROM campaigns WHERE account_id = $account"
DAY_COUNTS = f"""
SELECT d.day, q.id AS qrcode_id, d.kind, sum(d.visits)::BIGINT AS visits
FROM day_counts d JOIN qrcodes q ON q.number = d.qrcode WHERE {OWN} GROUP BY ALL
"""


_workers = Workers(Path(__file__).with_name("free_sql_worker.py"), max(2, os.cpu_count() or 1))


def free_sql(scans: Scans, select: str, parameters: Mapping[str, Any], *, seconds: float) -> pd.DataFrame:
    """Run a SELECT over the rows of the account of a view and return the result.

    Args:
        scans: The view; the table `scans` contains the scans of the view.
        select: The statement. Its tables are `scans`, `visits`, `qrcodes`, `campaigns` and `day_counts`.
        parameters: Values of the `$names` in the statement; DataFrames and Arrow tables become tables of their name.
        seconds: The time limit, 0.1..3600.
    """
    is_number = isinstance(seconds, (int, float)) and not isinstance(seconds, bool)
    if not is_number or not LEAST_SECONDS <= seconds <= LONGEST_SECONDS:
        rule = f"must be in {LEAST_SECONDS}..{LONGEST_SECONDS:.0f}"
        raise InvalidParameter(Problem("seconds", seconds, rule, "out-of-range"))
    frames = {name: pandas_frame(value, name) for name, value in parameters.items() if is_table(value)}
    query = UserQuery(
        select=_one_select(scans.store, select),
        parameters={name: value for name, value in parameters.items() if name not in frames},
        seconds=seconds,
        config=CONFIG,
    )
    store = columns(scans.store)
    store.database.copies.mkdir(mode=0o700, exist_ok=True)
    with TemporaryDirectory(dir=store.database.copies) as folder:
        files = {name: Path(folder, f"frame{number}.parquet") for number, name in enumerate(frames)}
        types = {name: _write_frame(name, frames[name], file) for name, file in files.items()}
        used, took = _used_columns(scans, query, types)
        rows = _write_rows(store, scans, used, Path(folder))
        tables = {name: _select(kinds, used.get(name, ()), rows.get(name)) for name, kinds in _columns(scans).items()}
        question = Question(
            **query | {"seconds": max(seconds - took, LEAST_SECONDS)},
            tables=tables | {name: f"FROM read_parquet({quoted(str(file))})" for name, file in files.items()},
            files=[str(file) for file in (*rows.values(), *files.values())],
            result=str(Path(folder, "result.duckdb")),
            most=MOST_ROWS + 1,
        )
        _ask(question, seconds)
        try:
            answer = _result(store, Path(question["result"]))
        # Of a value that pandas has not, such as an infinite date or a time with a time zone.
        except (duckdb.ConversionException, duckdb.NotImplementedException) as error:
            raise _refused(select, str(error)) from error
    if len(answer) > MOST_ROWS:
        raise _refused(select, f"has more than {MOST_ROWS:,} rows; count or narrow them, or write scans.to_parquet()")
    return answer


TABLES = ("scans", "visits", "qrcodes", "campaigns", "day_counts")
Columns = Mapping[str, Mapping[str, str]]
"""The columns of tables by the name of the table, each with its type."""

_known: dict[str, dict[str, str]] = {}
"""The columns of our tables, once known; they are the same for all views."""


def _tables(scans: Scans, qrcodes: str = COUNTED, *, with_links: bool = True) -> dict[str, Query]:
    own = {"account": scans.account_id, "shown": scans.most_qrcodes}
    return {
        "scans": scans.all_rows(with_links=with_links),
        "visits": scans.where(kinds=("scan", "bot", "prefetch", "head")).all_rows(with_links=with_links),
        "qrcodes": Query(qrcodes, own),
        "campaigns": Query(CAMPAIGNS, {"account": scans.account_id}),
        "day_counts": Query(DAY_COUNTS, own),
    }


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


def _used_columns(scans: Scans, query: UserQuery, frames: Columns) -> tuple[dict[str, list[str]], float]:
    """Return the columns of each of our tables that a query reads, and the seconds that it took to plan the query.

    If the plan is unknown, these are all columns of the tables that the text may refer to.
    """
    own, text, used, took = _columns(scans), query["select"].lower(), None, 0.0
    if not any(word in text for word in COMPUTED):
        plan = json.loads(_ask(Plan(**query, columns={**own, **frames}), query["seconds"]))
        used, took = plan["columns"], plan["seconds"]
    if used is None:
        used = {name: own[name] for name in own if name in text or "query" in text}
    return {name: [one for one in own[name] if one in used[name]] for name in own if name in used}, took


def _columns(scans: Scans) -> Columns:
    """Return the columns of our tables."""
    if not _known:
        with columns(scans.store).further_cursors() as cursor:
            for_each = {
                name: _types(cursor().sql(query.sql, params=dict(query.parameters)))
                for name, query in _tables(scans).items()
            }
        _known.update(for_each)  # all at once, because other threads may read it
    return _known


def _types(rows: duckdb.DuckDBPyRelation) -> dict[str, str]:
    return dict(zip(rows.columns, map(str, rows.types), strict=True))


def _write_rows(store: Store, scans: Scans, used: Mapping[str, Sequence[str]], folder: Path) -> dict[str, Path]:
    """Write the columns that are used to a file for each table; all files show the same state of the store."""
    with_links = any(name.startswith("utm_") for table in ("scans", "visits") for name in used.get(table, ()))
    tables = _tables(scans, COUNTED if "scans" in used.get("qrcodes", ()) else UNCOUNTED, with_links=with_links)
    files = {name: Path(folder, f"{name}.parquet") for name in used}
    # The database writes them itself: through a database of its own, the rows would take twice the time.
    with store.further_cursors() as cursor:
        source = cursor()
        source.execute("BEGIN TRANSACTION READ ONLY")
        for name, file in files.items():
            rows = tables[name].only(used[name])
            written = f"COPY ({rows.sql}) TO {quoted(str(file))} (FORMAT parquet, COMPRESSION uncompressed)"
            source.execute(written, dict(rows.parameters))
    return files


def _result(store: Store, file: Path) -> pd.DataFrame:
    """Read the table that a worker has written. A database of its own would take 15 ms to open."""
    with store.further_cursors() as cursor:
        reader, name = cursor(), file.parent.name  # letters, digits and underscores
        reader.execute(f"ATTACH {quoted(str(file))} AS {name} (READ_ONLY)")
        try:
            frame, moments = frame_in_utc(reader.sql(f"FROM {name}.result"))
        finally:
            reader.execute(f"DETACH {name}")
    for moment in moments:
        frame[moment] = frame[moment].dt.tz_localize("UTC")
    return frame


def _select(types: Mapping[str, str], used: Sequence[str], file: Path | None) -> str:
    """Return the SELECT of a table, with NULL in the columns that are not used, and no rows without a file."""
    listed = (f"{name if name in used else 'NULL'}::{type} AS {name}" for name, type in types.items())
    return f"SELECT {', '.join(listed)} " + (f"FROM read_parquet({quoted(str(file))})" if file else "WHERE false")


def _write_frame(name: str, frame: pd.DataFrame, file: Path) -> dict[str, str]:
    """Write a DataFrame without its index to a file; return the types of its columns."""
    if name.lower() in TABLES:
        raise InvalidParameter(Problem(name, None, f"needs another name: {name.lower()} is a table of qrkit"))
    with duckdb.connect(":memory:") as alone:
        try:
            alone.register("given", frame)
            alone.execute("COPY given TO ? (FORMAT parquet, COMPRESSION uncompressed)", [str(file)])
            return _types(alone.read_parquet(str(file)))
        except duckdb.Error as error:
            raise InvalidParameter(Problem(name, None, f"cannot be a table: {error}")) from error


def _ask(query: UserQuery, seconds: float) -> bytes:
    """Ask a worker, and return its answer; messages name `seconds`, the limit of the query and its plan together."""
    select, limit = query["select"], query["seconds"]
    late = f"takes longer than {seconds:g} seconds"
    try:
        asked = pickle.dumps(query)
    except Exception as error:  # pickle raises errors of many types
        raise _refused(select, f"has a parameter that is no value of SQL: {error}") from error
    began = monotonic()
    try:
        outcome, answer = _workers.ask(asked, seconds=limit + LONGEST_START)
    except WorkerBroke as error:
        rule = late if monotonic() - began >= limit else "breaks the database"
        raise _refused(select, rule) from error
    except (WorkerLate, WorkersBusy) as error:
        raise _refused(select, late) from error
    if outcome == TOO_LARGE:
        raise _refused(select, f"needs more memory than {MEMORY}")
    if outcome == BROKEN_RULE:
        raise _refused(select, _with_own_lines(answer.decode()))
    if outcome != DONE:
        raise _refused(select, late)
    return answer


def _with_own_lines(message: str) -> str:
    """Return a message of DuckDB with the numbers of the user's lines: the worker puts a line before them."""
    return re.sub(r"^LINE (\d+):", lambda line: f"LINE {int(line[1]) - 1}:".ljust(len(line[0])), message, flags=re.M)


def _refused(select: str, rule: str) -> InvalidParameter:
    return InvalidParameter(Problem("select", select, rule))
