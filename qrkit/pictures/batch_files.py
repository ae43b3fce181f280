"""Renders one image file per row of content, in one or more processes, for batches and tables."""

from __future__ import annotations

import os
import signal
import sys
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import PurePosixPath
from threading import Lock, Thread
from time import thread_time
from types import ModuleType
from typing import Any, NamedTuple, TypeVar

from qrkit.design.design import Design
from qrkit.drawing.resizing import layout_of, lies_in_pixels
from qrkit.drawing.scene import Pictures
from qrkit.drawing.untrusted.assets import Fetch, read_assets
from qrkit.errors import (
    ContentTooLong,
    InvalidParameter,
    MissingParameter,
    Problem,
    QrkitError,
    RenderingFailed,
    ScanWarning,
)
from qrkit.model import Model
from qrkit.pictures.image import QRImage
from qrkit.pictures.preflight import PrintFinding, known_findings
from qrkit.pictures.printing import PrintSize
from qrkit.pictures.zip_stream import Packed, packed

Kept = TypeVar("Kept")
Sent = TypeVar("Sent")
Result = TypeVar("Result")

AHEAD = 2
"""Parts submitted per process: one in progress and one waiting."""
MOST_PROCESSES = 61
"""The limit on Windows."""

_starts = Lock()
_work: Callable[[Any], Any] | None = None
"""The function that a worker process applies to each part."""

DENSE = frozenset({"png", "jpg", "gif", "webp"})
"""Formats that are already compressed: deflating a PNG of 433 bytes makes it 438 and takes 25 µs."""

SAMPLE = 16
"""Rows drawn in this process to measure the time per row, if several processes are requested."""
SAMPLE_SECONDS = 0.05
"""Processor seconds of drawing in this process before other processes are considered, if none are requested."""
WORTH = 5.0
"""Remaining processor seconds from which starting processes pays.

Starting two takes 0.2 s, and 0.4 s of processor time; sending pictures between processes takes 15% more. With less
work, or on processors that are busy, people would gain little time and pay for it with half as much processor time
again.
"""
WORTH_OF_UNKNOWN = 0.5
"""Processor seconds from which processes are started, if the number of remaining rows is unknown."""
PART_SECONDS = 0.05
"""Seconds of work in one part for a process."""
MOST_IN_PART = 256

MOST_LOOKS = 20
"""Number of different looks that are checked among the designs of one batch; checking takes longer than drawing."""


class Look:
    """The design shared by a batch of images. It is validated, and its assets are loaded, only once.

    If the design has its own content, its layers, sprites and absolute gradients scale with larger symbols; the content
    itself is not drawn. `fields` replace those of the design.
    """

    def __init__(
        self, design: Design | Mapping[str, Any] | None, fetch: Fetch | None, fields: Mapping[str, Any]
    ) -> None:
        fields = Design.by_field(fields)
        if isinstance(design, Design):
            self._design = design.replace(**{**fields, "content": _placeholder(fields.get("em", design.em))})
            self._pattern = _pattern(design, fields)
        elif design is None or isinstance(design, Mapping):
            known = {**Design.by_field(design or {}), **fields}
            self._design = Design(**{**known, "content": _placeholder(known.get("em"))})
            self._pattern = _pattern(design or {}, fields)
        else:
            raise InvalidParameter(Problem("design", design, "must be a Design, or its fields", "wrong-type"))
        self._fields = fields
        self._fetch = fetch
        self._pictures: Pictures = read_assets(self._design.pictures, fetch)
        self._first: QRImage | None = None
        self._others: dict[tuple[object, ...], _Seen] = {}
        self._findings: dict[tuple[object, ...], tuple[PrintFinding, ...]] = {}
        for warning in QRImage(self._design, pictures=self._pictures).warnings:
            warnings.warn(warning, stacklevel=3)

    def tell_fault(self, *, stacklevel: int) -> None:
        """Warn if phones may fail to scan the first image of a text, or images of designs of their own."""
        if self._first and self._first.fault:
            warnings.warn(f"each picture of this look is {self._first.fault}", ScanWarning, stacklevel=stacklevel)
        weak = [one for one in self._others.values() if one.image.fault]
        if weak:
            count, first = sum(one.number for one in weak), weak[0]
            text = f"phones may fail to scan {count} of these pictures. The first, in row {first.row}, is "
            warnings.warn(text + str(first.image.fault), ScanWarning, stacklevel=stacklevel)

    def see(self, row: int, design: Design) -> None:
        """Remember a design of its own for `tell_fault`.

        Designs that differ only in their content look alike, if their contents are equally long. Only the first of each
        look is checked, and only the first 20 looks. Designs with pictures to fetch are left out: checking them would
        fetch the pictures again.
        """
        if not self.can_travel(design):
            return
        look = (*_fields_of(design, "content"), len(design.content))
        if look in self._others:
            self._others[look].number += 1
        elif len(self._others) < MOST_LOOKS:
            self._others[look] = _Seen(row, self.image(design))

    def findings(self, image: QRImage, size: PrintSize) -> tuple[PrintFinding, ...]:
        """Return what to change in a picture before it is printed.

        Pictures whose symbols are equally large look alike, whatever their captions say. Only the first of each look is
        checked, and only the first 20 looks.
        """
        look = (image.design.frame and image.design.frame.kind, *look_of(image, "content", "frame"))
        if look not in self._findings and len(self._findings) < MOST_LOOKS:
            self._findings[look] = tuple(known_findings(image, size))
        return self._findings.get(look, ())

    def image(self, content: Any) -> QRImage:
        """Generate the image of a text, or of a design of its own, whose fields are replaced."""
        if isinstance(content, QrkitError):
            raise content
        if isinstance(content, Design):
            return QRImage(content.replace(**self._fields) if self._fields else content, fetch=self._fetch)
        if self._pattern is None:
            # Pixels of a design without a symbol of its own are those of each picture.
            drawn = Model.replace(self._design, content=content)
        else:
            drawn = self._pattern.replace(**self._fields, content=content)
        image = QRImage(drawn, pictures=self._pictures)
        self._first = self._first or image
        return image

    def can_travel(self, content: Any) -> bool:
        """Return True if another process can draw a content, which requires a known type and no `fetch`."""
        if type(content) is Design:
            return not (self._fetch and content.pictures)
        return type(content) in (str, QRImage)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_fetch": None, "_first": None, "_others": {}}


@dataclass(slots=True)
class _Seen:
    """The first image of a look, its row counted from 0, and the number of rows that look like it."""

    row: int
    image: QRImage
    number: int = 1


def look_of(image: QRImage, *left_out: str) -> tuple[object, ...]:
    """Return what images have in common that differ only in these fields: their symbols are equally large."""
    return image.symbol.version, *_fields_of(image.design, *left_out)


def _fields_of(design: Design, *left_out: str) -> Iterator[object]:
    return (getattr(design, name) for name in Design.model_fields if name not in left_out)


def _placeholder(mode: Any) -> str:
    """Return a content of one character that a mode can encode."""
    return "点" if mode == "kanji" else "0"


def _pattern(design: Design | Mapping[str, Any], fields: Mapping[str, Any]) -> Design | None:
    """Return the design if it has content and uses pixel-based layers, sprites or gradients; else None."""
    if "layers" in fields:
        return None
    try:
        own = design if isinstance(design, Design) else Design(**design)
        layout_of(own)
    except (InvalidParameter, MissingParameter, ContentTooLong):
        return None
    return own if lies_in_pixels(own) else None


class Row(NamedTuple):
    """One image: a text, a design, a finished image or the error of the row; and the name of its file without suffix.

    The name is a path of safe names, "" to derive it from the content, or the error of the name.
    """

    content: Any
    name: str | PurePosixPath | QrkitError = ""


class Painted(NamedTuple):
    """The file of a row or its error, warnings about its own design, and what to change before it is printed."""

    file: Packed | None
    error: str = ""
    warnings: tuple[str, ...] = ()
    findings: tuple[PrintFinding, ...] = ()


@dataclass(frozen=True, slots=True)
class Painter:
    """Draws contents as files, which may go into a zip; can be sent to another process."""

    look: Look
    format: str
    is_packed: bool = False
    print_size: PrintSize | None = None

    def __post_init__(self) -> None:
        if not (self.print_size is None or isinstance(self.print_size, PrintSize)):
            rule = "must be a qrkit.PrintSize, such as PrintSize(size_mm=60)"
            raise InvalidParameter(Problem("print_size", self.print_size, rule, "wrong-type"))

    def __call__(self, content: Any) -> Painted:
        """Draw the file of a row's content."""
        try:
            image = self.image(content)
            printed = image.printed(self.print_size) if self.print_size else image
            data = printed.to_bytes(self.format)
        except QrkitError as error:
            return Painted(None, str(error))
        file = packed(data, deflated=self.is_packed and self.format not in DENSE)
        return Painted(file, "", own_warnings(content, image), self.findings(image))

    def findings(self, image: QRImage) -> tuple[PrintFinding, ...]:
        """Return what to change in a picture before it is printed; nothing without a print size."""
        return self.look.findings(image, self.print_size) if self.print_size else ()

    def image(self, content: Any) -> QRImage:
        """Return the image of a row's content."""
        return content if isinstance(content, QRImage) else self.look.image(content)

    def each(self, contents: list[Any]) -> list[Painted]:
        """Draw the files of several contents."""
        return [self(content) for content in contents]


def own_warnings(content: Any, image: QRImage) -> tuple[str, ...]:
    """Return the warnings about a design of its own; those about the design of all rows are told once."""
    return tuple(image.warnings) if isinstance(content, Design) else ()


def painted_rows(
    rows: Iterator[Row], painter: Painter, total: int | None = None, processes: int | None = None
) -> Generator[tuple[Row, Painted]]:
    """Yield each row with its file, in order. Large batches are drawn by several processes after the first rows.

    Rows are consumed as needed. Without a number of processes, all processors are used if there is enough work.
    """
    most = processors() if processes is None else processes
    can_share = most > 1 and can_start()
    seconds = 0.0
    done = 0
    for done, row in enumerate(rows):
        # Processor time, because a row takes long by the clock where the processors are busy, and would not gain.
        start = thread_time()
        painted = painter(row.content)
        # The first row does not count, because it also loads the code that all rows need.
        seconds += thread_time() - start if done else 0.0
        yield row, painted
        if can_share and _is_worth_parallelizing(seconds, done, total, asked=processes is not None):
            break
    else:
        return
    size = max(1, min(MOST_IN_PART, round(PART_SECONDS * done / seconds)))
    parts = iter(lambda: list(islice(rows, size)), [])
    look = painter.look
    pairs = ((part, [row.content if look.can_travel(row.content) else None for row in part]) for part in parts)
    with closing(in_workers(painter.each, pairs, most)) as found:
        for part, painted_ones in found:
            for row, painted in zip(part, painted_ones, strict=True):
                yield row, painted if look.can_travel(row.content) else painter(row.content)


def _is_worth_parallelizing(seconds: float, done: int, total: int | None, *, asked: bool) -> bool:
    """Return True if other processes should draw the remaining rows, after `done` rows took `seconds`."""
    if asked:
        return done >= SAMPLE
    if total is None:
        return seconds > WORTH_OF_UNKNOWN
    return seconds > SAMPLE_SECONDS and seconds / done * (total - done) > WORTH


# ---- rows in other processes
#
# Processes are started anew (spawn) instead of copied (fork), because a copy of a process with threads, such as that
# of a notebook or DuckDB, may hang. Normally, a spawned process imports the main script again. These processes do
# not, so scripts need no `if __name__ == "__main__"` and none of their lines runs twice. The processes can only use
# qrkit.


def processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def can_start() -> bool:
    """Return True if this process may start others, which frozen programs and daemonic processes may not."""
    from multiprocessing import current_process

    return not (getattr(sys, "frozen", False) or not sys.executable or current_process().daemon)


def in_workers(
    work: Callable[[Sent], Result], parts: Iterator[tuple[Kept, Sent]], count: int
) -> Generator[tuple[Kept, Result]]:
    """Apply a function to parts in at most 61 other processes; yield the results in order, with few parts read ahead.

    A part is a value that stays in this process and is yielded with the result, and a value to send to another. The
    function may only refer to qrkit, because the processes do not import the main script.
    """
    from concurrent.futures import Future, ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    count = min(count, MOST_PROCESSES)
    pool = ProcessPoolExecutor(count, get_context("spawn"), _begin, (work,))
    under_way: deque[tuple[Kept, Future[Any]]] = deque()
    try:
        for kept, sent in parts:
            with _starting():
                under_way.append((kept, pool.submit(_apply_work, sent)))
            if len(under_way) >= AHEAD * count:
                first, future = under_way.popleft()
                yield first, future.result()
        while under_way:
            first, future = under_way.popleft()
            yield first, future.result()
    except BrokenProcessPool as error:
        remedy = "it was killed, or memory ran out; processes=1 does all the work in this one"
        raise RenderingFailed(f"a process that drew pictures ended before it was done: {remedy}") from error
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def _starting() -> Iterator[None]:
    """Hide the main script and Ctrl-C from processes that are started in the block."""
    with _starts:
        main = sys.modules["__main__"]
        sys.modules["__main__"] = ModuleType("__main__")
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}) if hasattr(signal, "pthread_sigmask") else ()
        try:
            yield
        finally:
            sys.modules["__main__"] = main
            if hasattr(signal, "pthread_sigmask"):
                signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin(work: Callable[[Any], Any]) -> None:
    """Initialize a worker process."""
    global _work
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()
    _work = work


def _end_with_parent() -> None:
    """End this process when the process that started it has ended for any reason."""
    from multiprocessing import connection, parent_process

    if parent := parent_process():
        connection.wait([parent.sentinel])
    os._exit(1)


def _apply_work(part: Any) -> Any:
    return _work(part) if _work else None
