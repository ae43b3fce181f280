"""Runs as the process that answers user-written SQL: reads requests from stdin until stdin ends.

A request is a pickled `Question`; the rows and the result are passed in files.
"""

from __future__ import annotations

import os
import pickle
import struct
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from threading import Timer
from typing import Any, TypedDict

import duckdb

__all__ = ["BROKEN_RULE", "DONE", "TOO_LARGE", "TOO_LATE", "Question", "main"]

DONE, BROKEN_RULE, TOO_LARGE, TOO_LATE = 0, 1, 2, 3
"""Outcomes of a request. For `BROKEN_RULE`, the answer is DuckDB's message."""
MOST_MEMORY = 2 * 2**30
"""Bytes of address space: a single function may need more memory than DuckDB counts."""
GRACE = 0.5
"""Seconds after which an interrupted query that has not ended is ended together with the process."""


class Question(TypedDict):
    """A query, and the files with its rows.

    `files` has the Parquet file of each table. The worker writes the database `result`, whose table `result` has at
    most `most` rows.
    """

    select: str
    parameters: Mapping[str, Any]
    files: Mapping[str, str]
    result: str
    most: int
    seconds: float
    config: Mapping[str, Any]


def _answer(question: Question) -> tuple[int, bytes]:
    try:
        with duckdb.connect(":memory:", config=dict(question["config"])) as alone:
            files = question["files"]
            for name, file in files.items():
                quoted = name.replace('"', '""')
                alone.execute(f"""CREATE TEMP VIEW "{quoted}" AS FROM read_parquet('{file}')""")
            alone.execute(f"ATTACH '{question['result']}' AS result; CREATE SCHEMA apart")
            alone.execute(f"SET allowed_paths = {list(files.values())}")
            alone.execute("SET enable_external_access = false; SET lock_configuration = true")
            with _in_time(alone, question["seconds"]):
                # First create a table in memory, because the memory limit does not apply to files.
                made = f"CREATE TABLE memory.apart.answer AS FROM (\n{question['select']}\n) LIMIT {question['most']}"
                alone.execute(made, dict(question["parameters"]))
            alone.execute("CREATE TABLE result.main.result AS FROM memory.apart.answer")
    except duckdb.InterruptException:
        return TOO_LATE, b""
    except (duckdb.OutOfMemoryException, MemoryError):
        return TOO_LARGE, b""
    except duckdb.Error as error:
        return BROKEN_RULE, str(error).encode("utf-8", "replace")
    return DONE, b""


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


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:  # Windows does not support this limit
        return
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    wanted = MOST_MEMORY if most == resource.RLIM_INFINITY else min(MOST_MEMORY, most)
    resource.setrlimit(resource.RLIMIT_AS, (wanted, most))


def main() -> None:
    """Answer requests until stdin ends."""
    _limit_memory()
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    while head := requests.read(4):
        outcome, answer = _answer(pickle.loads(requests.read(int.from_bytes(head, "big"))))
        answers.write(struct.pack(">BI", outcome, len(answer)))
        answers.write(answer)
        answers.flush()


if __name__ == "__main__":
    main()
