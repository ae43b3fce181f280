"""Writes the log of `qrkit serve` to the error stream, one line of JSON per record.

Requests never wait for the program that reads the error stream, and the log cannot grow without limit:

- Lines wait in a queue, and a thread writes them. If the queue is full, lines are dropped and counted.
- A repeated failure is logged once a minute, with the number of times it happened.
- When the server stops, the thread has one second to write the remaining lines.
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

from qrkit.server.operation.access_log import ACCESS, REQUEST_ID
from qrkit.tracking.times import to_iso

OPERATIONS = "qrkit.operations"
operations = logging.getLogger(OPERATIONS)
"""The logger for rare records, which are always written, even if they repeat."""

MOST_WAITING = 10_000
"""Maximum number of lines that wait to be written."""
MOST_TOGETHER = 200
"""Maximum number of lines that are written together."""
LONGEST_TEXT = 8_192
"""Maximum characters of a message, and of the end of a traceback."""
REPEAT_SECONDS = 60.0
"""Time between two lines about the same failure."""
PAUSE_SECONDS = 0.02
"""Time between two writes, so that lines are written together."""
LAST_SECONDS = 1.0
"""Time to write the remaining lines when the server stops."""

_log = logging.getLogger("qrkit")


@contextmanager
def writing_log(level: str, *, to: int) -> Iterator[None]:
    """Context manager: writes the log records of this process to a file descriptor.

    Records of qrkit are written if they have at least `level` ("info", "warning" or "error"), records of libraries from
    "warning" on. The access log, if it is enabled, is written regardless of the level.
    """
    root, access = logging.getLogger(), logging.getLogger(ACCESS)
    before = _log.level, access.level
    queue = _Queue()
    writer = _Writer(queue, to)
    set_log_level(level)
    access.setLevel(logging.INFO)
    logging.captureWarnings(capture=True)  # otherwise warnings are printed, which may block forever
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
    """Set the lowest level of qrkit's own records that are written: "info", "warning" or "error"."""
    _log.setLevel(level.upper())


@dataclass(frozen=True, slots=True)
class _Line:
    """A finished line. Lines of the access log (`is_access`) are the first to be dropped."""

    text: str
    is_access: bool = False


class _Queue(QueueHandler):
    """Puts finished lines into a queue, unless it is full; `dropped` counts those that did not fit."""

    def __init__(self) -> None:
        # Not a Queue: a signal handler could deadlock on its lock if its own thread already holds it.
        self.lines: SimpleQueue[_Line | None] = SimpleQueue()
        self.repeats = _Repeats()
        self.dropped = 0
        super().__init__(self.lines)

    def emit(self, record: logging.LogRecord) -> None:
        try:
            if self.repeats.is_first(record):
                self.enqueue(self.prepare(record))
        except Exception:  # the text cannot be formatted; printing this error could block forever
            self.dropped += 1

    def prepare(self, record: logging.LogRecord) -> _Line:
        """Format a record at once, while its request is known and its values are unchanged."""
        return _Line(_to_json(record), record.name == ACCESS)

    def enqueue(self, record: Any) -> None:
        if self.lines.qsize() < MOST_WAITING:
            self.lines.put(record)
        else:
            self.dropped += 1


class _Repeats:
    """Holds back repeated failures: each is written at most once a minute."""

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
        """Return the last record of each failure that was held back, with the number of repetitions."""
        with self._lock:
            repeated = {place: held for place, held in self._places.items() if held}
            self._places = dict.fromkeys(repeated)
        return [
            _with_text(held.last, f"{held.last.getMessage()} (the last of {held.number} like this)")
            for held in repeated.values()
        ]


@dataclass(frozen=True, slots=True)
class _Held:
    """The last record of a failure that was held back, and the number of records held back."""

    last: logging.LogRecord
    number: int


def _with_text(record: logging.LogRecord, text: str) -> logging.LogRecord:
    """Return a copy of a record with another text, without its values and traceback, which may be large."""
    copied = copy.copy(record)
    copied.msg, copied.args, copied.exc_info = text, None, None
    return copied


def _place_of(record: logging.LogRecord) -> object:
    """Return the lines of code that logged a record and raised its error; their number is limited."""
    kind, _, trace = record.exc_info or (None, None, None)
    while trace and trace.tb_next:
        trace = trace.tb_next
    raised = (trace.tb_frame.f_code.co_filename, trace.tb_lineno) if trace else None
    return record.pathname, record.lineno, kind, raised


def _to_json(record: logging.LogRecord) -> str:
    """Return a record as one line of JSON; records of the access log are already JSON."""
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

    The thread does not use `sys.stderr`: if it waited there for the reader, it would hold the lock of `sys.stderr`, and
    Python could not exit.
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
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Write the waiting lines, as many as the reader accepts in time, then end the thread."""
        self._ends_at = time.monotonic() + LAST_SECONDS
        self._ending.set()
        self._queue.lines.put(None)
        self._thread.join(2 * LAST_SECONDS)  # longer, so that the thread can still log what it dropped

    def _run(self) -> None:
        is_open, summary_at = True, time.monotonic() + REPEAT_SECONDS
        while is_open:
            is_open = self._write_waiting(summary_at)
            if not is_open or time.monotonic() >= summary_at:
                self._write_summary()
                summary_at = time.monotonic() + REPEAT_SECONDS
            self._ending.wait(PAUSE_SECONDS)

    def _write_waiting(self, until: float) -> bool:
        """Wait for a line, then write all waiting lines; return whether more lines may follow."""
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
        """Log the failures that were held back and the number of lines dropped since the last summary."""
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
        except OSError:  # the reader has ended, or the disk is full
            self._unwritten += len(lines)
