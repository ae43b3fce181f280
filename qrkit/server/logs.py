"""Writes the log of `qrkit serve` to the error stream, one line of JSON each.

Answering a request never waits for whoever reads the error stream, and the log never grows without bound:

- Lines wait in a queue, and a thread writes them. If the queue is full, lines are dropped and counted.
- A failure that repeats is one line a minute, with the number of times it happened.
- When the server ends, the thread gets a second for what is left.
"""

from __future__ import annotations

import copy
import json
import logging
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from logging.handlers import QueueHandler
from queue import Empty, SimpleQueue
from threading import Event, Lock, Thread
from typing import Any

from qrkit.server.access_log import ACCESS
from qrkit.server.request_ids import REQUEST_ID
from qrkit.tracking.times import to_iso

__all__ = ["OPERATIONS", "set_log_level", "writing_log"]

OPERATIONS = "qrkit.operations"
"""Name of the logger for records that are rare by themselves: they are never held back as repeated."""

MOST_WAITING = 10_000
"""Maximum number of lines that wait to be written."""
MOST_TOGETHER = 200
"""Maximum number of lines that are written together."""
LONGEST_TEXT = 8_192
"""Maximum characters of a message, and of the end of a traceback."""
REPEAT_SECONDS = 60.0
"""Time between two lines about the same failure."""
PAUSE_SECONDS = 0.02
"""Time between two writes: lines that come together are written together."""
LAST_SECONDS = 1.0
"""Time for the lines that wait when the server ends."""

_log = logging.getLogger("qrkit")


@contextmanager
def writing_log(level: str, *, to: int) -> Iterator[None]:
    """Context manager: writes the log records of this process.

    Records of qrkit are written from `level` on, those of libraries from "warning" on; the access log is always
    written if it is on.

    Args:
        level: "info", "warning" or "error".
        to: The file descriptor to write to.
    """
    root, access = logging.getLogger(), logging.getLogger(ACCESS)
    before = _log.level, access.level
    queue = _Queue()
    writer = _Writer(queue, to)
    set_log_level(level)
    access.setLevel(logging.INFO)
    logging.captureWarnings(capture=True)  # otherwise they are printed, which may wait for ever
    root.addHandler(queue)
    writer.start()
    try:
        yield
    finally:
        root.removeHandler(queue)
        logging.captureWarnings(capture=False)
        _log.setLevel(before[0])
        access.setLevel(before[1])
        writer.stop()


def set_log_level(level: str) -> None:
    """Write records of qrkit from a level on: "info", "warning" or "error"."""
    _log.setLevel(level.upper())


@dataclass(frozen=True, slots=True)
class _Line:
    """A finished line; `is_access` for the access log, which is dropped before anything else."""

    text: str
    is_access: bool = False


class _Queue(QueueHandler):
    """Puts finished lines into a queue, unless it is full.

    Attributes:
        dropped: Number of lines that were dropped.
    """

    def __init__(self) -> None:
        # Not a Queue, which a signal handler could find locked by its own thread.
        self.lines: SimpleQueue[_Line | None] = SimpleQueue()
        self.repeats = _Repeats()
        self.dropped = 0
        super().__init__(self.lines)

    def emit(self, record: logging.LogRecord) -> None:
        try:
            if self.repeats.is_first(record):
                self.enqueue(self.prepare(record))
        except Exception:  # its text cannot be formatted; to print that could wait for ever
            self.dropped += 1

    def prepare(self, record: logging.LogRecord) -> _Line:
        """Format a record here and now, while its request is known and its values are unchanged."""
        return _Line(_to_json(record), record.name == ACCESS)

    def enqueue(self, record: Any) -> None:
        if self.lines.qsize() < MOST_WAITING:
            self.lines.put(record)
        else:
            self.dropped += 1


class _Repeats:
    """Holds back repeated failures: one that goes on becomes one record a minute."""

    def __init__(self) -> None:
        self._places: dict[object, _Held | None] = {}
        self._lock = Lock()

    def is_first(self, record: logging.LogRecord) -> bool:
        """Whether to write a record now. Only warnings and errors are held back."""
        if record.levelno < logging.WARNING or record.name == OPERATIONS:
            return True
        place = _place_of(record)
        with self._lock:
            if place not in self._places:
                self._places[place] = None
                return True
            held = self._places[place]
            self._places[place] = _Held(_with_text(record, record.getMessage()), held.number + 1 if held else 1)
            return False

    def take(self) -> list[logging.LogRecord]:
        """Return the last record of each failure that was held back, with their number."""
        with self._lock:
            repeated = {place: held for place, held in self._places.items() if held}
            self._places = dict.fromkeys(repeated)
        return [
            _with_text(held.last, f"{held.last.getMessage()} (the last of {held.number} like this)")
            for held in repeated.values()
        ]


@dataclass(frozen=True, slots=True)
class _Held:
    """The last of some records that were held back, and their number."""

    last: logging.LogRecord
    number: int


def _with_text(record: logging.LogRecord, text: str) -> logging.LogRecord:
    """Return a copy with another text, and without the values and the traceback, which may be large."""
    copied = copy.copy(record)
    copied.msg, copied.args, copied.exc_info = text, None, None
    return copied


def _place_of(record: logging.LogRecord) -> object:
    """Return the places in the code that logged a record and raised its error: there are finitely many."""
    kind, _, trace = record.exc_info or (None, None, None)
    while trace and trace.tb_next:
        trace = trace.tb_next
    raised = (trace.tb_frame.f_code.co_filename, trace.tb_lineno) if trace else None
    return record.pathname, record.lineno, kind, raised


def _to_json(record: logging.LogRecord) -> str:
    """Return a record as one line of JSON. A line of the access log is JSON already."""
    if record.name == ACCESS:
        return record.getMessage()
    line: dict[str, Any] = {
        "time": to_iso(datetime.fromtimestamp(record.created, UTC)),
        "level": record.levelname.lower(),
        "request": REQUEST_ID.get(),
        "message": record.getMessage()[:LONGEST_TEXT],
    }
    if record.exc_info:
        line["traceback"] = logging.Formatter().formatException(record.exc_info)[-LONGEST_TEXT:]
    return json.dumps({name: value for name, value in line.items() if value != ""})


class _Writer:
    """A thread that writes lines to a file descriptor.

    It does not use `sys.stderr`: a thread that waits for its reader would hold its lock, and Python could not end.
    """

    def __init__(self, queue: _Queue, to: int) -> None:
        self._queue = queue
        self._to = to
        self._told = 0
        self._unwritten = 0
        self._ends_at: float | None = None
        self._ending = Event()
        self._thread = Thread(target=self._run, name="qrkit-log", daemon=True)

    def start(self) -> None:
        """Begin to write."""
        self._thread.start()

    def stop(self) -> None:
        """Write what waits, as far as the reader takes it in time."""
        self._ends_at = time.monotonic() + LAST_SECONDS
        self._ending.set()
        self._queue.lines.put(None)
        self._thread.join(2 * LAST_SECONDS)  # longer, so that the thread can still say what it dropped

    def _run(self) -> None:
        is_open, summary_at = True, time.monotonic() + REPEAT_SECONDS
        while is_open:
            is_open = self._write_waiting(summary_at)
            if not is_open or time.monotonic() >= summary_at:
                self._write_summary()
                summary_at = time.monotonic() + REPEAT_SECONDS
            self._ending.wait(PAUSE_SECONDS)

    def _write_waiting(self, until: float) -> bool:
        """Wait for a line, and write all that wait by then; return whether more may come."""
        lines: list[_Line | None] = []
        with suppress(Empty):
            lines.append(self._queue.lines.get(timeout=max(0.0, until - time.monotonic())))
            while len(lines) < MOST_TOGETHER:
                lines.append(self._queue.lines.get_nowait())
        is_late = self._ends_at is not None and time.monotonic() > self._ends_at
        wanted = [line.text for line in lines if line and not (is_late and line.is_access)]
        self._unwritten += sum(line is not None for line in lines) - len(wanted)
        self._write(wanted)
        return None not in lines

    def _write_summary(self) -> None:
        """Write what was held back or dropped since the last summary."""
        self._write([_to_json(record) for record in self._queue.repeats.take()])
        dropped = self._queue.dropped + self._unwritten
        if dropped > self._told:
            text = f"{dropped - self._told} lines of this log were dropped, because nobody read them in time"
            self._told = dropped
            self._write([_to_json(_log.makeRecord(_log.name, logging.WARNING, __file__, 0, text, (), None))])

    def _write(self, lines: list[str]) -> None:
        data = "".join(f"{line}\n" for line in lines).encode()
        try:
            while data:
                data = data[os.write(self._to, data) :]
        except OSError:  # the reader is gone, or the disk is full
            self._unwritten += len(lines)
