"""Answers user-written SQL; the script of a worker process.

A request is pickled: a `Plan` asks which rows a query reads, a `Question` asks for its result. The rows and the result
are passed in files.
"""

from __future__ import annotations

import json
import os
import pickle
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from threading import Timer
from time import monotonic
from typing import Any, TypedDict, final

import duckdb

DONE, BROKEN_RULE, TOO_LARGE, TOO_LATE = 0, 1, 2, 3
"""Outcomes of a request. For `BROKEN_RULE`, the answer is DuckDB's message."""
MOST_MEMORY = 2 * 2**30
"""Bytes of address space: a single function may need more memory than DuckDB counts."""
GRACE = 0.5
"""Seconds after which an interrupted query that has not ended is ended together with the process."""
CERTAIN = (duckdb.BinderException, duckdb.CatalogException, duckdb.InterruptException, duckdb.OutOfMemoryException)
"""Errors of a plan that the query itself would have, too. Others may be due to the lack of rows or optimizers."""


class UserQuery(TypedDict):
    """A query of a user, and the configuration of a database for it."""

    select: str
    parameters: Mapping[str, Any]
    seconds: float
    config: Mapping[str, Any]


@final
class Plan(UserQuery):
    """Asks which columns a query reads, given the columns of each table with their types.

    The answer is JSON: `seconds`, the time taken, and `columns`, a list for each table that is read; empty if only the
    number of rows matters. `columns` is null if unknown.
    """

    columns: Mapping[str, Mapping[str, str]]


@final
class Question(UserQuery):
    """Asks for the result of a query, given the SELECT that makes each table and the files that it reads.

    The worker writes the database `result`, whose table `result` has at most `most` rows.
    """

    tables: Mapping[str, str]
    files: Sequence[str]
    result: str
    most: int


def answer(pickled: bytes) -> tuple[int, bytes]:
    """Answer a `Plan` or a `Question`."""
    request: Plan | Question = pickle.loads(pickled)
    try:
        return DONE, _used_columns(request) if "columns" in request else _write_result(request)
    except duckdb.InterruptException:
        return TOO_LATE, b""
    except (duckdb.OutOfMemoryException, MemoryError):
        return TOO_LARGE, b""
    except duckdb.Error as error:
        return BROKEN_RULE, str(error).encode("utf-8", "replace")


def _write_result(question: Question) -> bytes:
    with duckdb.connect(":memory:", config=dict(question["config"])) as alone:
        for name, rows in question["tables"].items():
            alone.execute(f"CREATE TEMP VIEW {_quoted(name)} AS {rows}")
        alone.execute("ATTACH ? AS result", [question["result"]])
        alone.execute("CREATE SCHEMA apart")
        alone.execute("SET allowed_paths = ?", [list(question["files"])])
        alone.execute("SET enable_external_access = false; SET lock_configuration = true")
        with _in_time(alone, question["seconds"]):
            # First create a table in memory, because the memory limit does not apply to files.
            made = f"CREATE TABLE memory.apart.answer AS FROM (\n{question['select']}\n) LIMIT {question['most']}"
            alone.execute(made, dict(question["parameters"]))
        alone.execute("CREATE TABLE result.main.result AS FROM memory.apart.answer")
    return b""


def _used_columns(plan: Plan) -> bytes:
    """Plan a query over empty tables, and return the columns that its scans read.

    A scan reads every column that the query refers to, also by `*` or by the name of its table. The only optimizer that
    runs leaves out those that no result depends on, such as most of `SELECT count(*) FROM (FROM scans)`.
    """
    alone, used = _planner(tuple(plan["config"].items())), None
    began, are_made = monotonic(), False
    try:
        alone.begin()
        for name, columns in plan["columns"].items():
            defined = ", ".join(f"{_quoted(column)} {kind}" for column, kind in columns.items())
            alone.execute(f"CREATE TEMP TABLE {_quoted(name)} ({defined})")
        are_made = True
        with _in_time(alone, plan["seconds"]):
            explained = f"EXPLAIN (FORMAT json) FROM (\n{plan['select']}\n)"
            found = alone.execute(explained, dict(plan["parameters"])).fetchall()
        alone.rollback()
        used = _columns_in(found[0][1])
    except (duckdb.Error, LookupError, ValueError, RecursionError) as error:
        _planner.cache_clear()
        if are_made and isinstance(error, CERTAIN):
            raise
    return json.dumps({"columns": used, "seconds": monotonic() - began}).encode()


@cache
def _planner(config: tuple[tuple[str, Any], ...]) -> duckdb.DuckDBPyConnection:
    """Return a connection that plans queries; opening one for each query would take 15 ms."""
    alone = duckdb.connect(":memory:", config=dict(config))
    others = [name for (name,) in alone.execute("FROM duckdb_optimizers()").fetchall() if name != "unused_columns"]
    alone.execute(f"SET disabled_optimizers = '{','.join(others)}'; SET enable_external_access = false")
    alone.execute("SET lock_configuration = true")
    return alone


def _columns_in(plan: str) -> dict[str, list[str]]:
    """Return the columns that the scans of a plan read, by table."""
    used: dict[str, list[str]] = {}

    def add(part: dict[str, Any]) -> None:
        if "Table" in part:
            read = part["Projections"]  # text if it is one column, or none
            table = part["Table"].rpartition(".")[2]
            used.setdefault(table, []).extend(read if isinstance(read, list) else read.split())

    json.loads(plan, object_hook=add)
    return used


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


@contextmanager
def _in_time(alone: duckdb.DuckDBPyConnection, seconds: float) -> Iterator[None]:
    """Interrupt the query after a number of seconds, and end the process if a long function ignores the interrupt."""
    timers = [Timer(seconds, alone.interrupt), Timer(seconds + GRACE, os._exit, (TOO_LATE,))]
    for timer in timers:
        timer.daemon = True
        timer.start()
    try:
        yield
    finally:
        for timer in timers:
            timer.cancel()
        timers[0].join()  # otherwise the timer could interrupt later statements
