"""Rows of contents -> pictures as files, in this process or in several: what batches and tables have in common."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from time import perf_counter
from typing import Any, NamedTuple

from qrkit.design.design import Design
from qrkit.drawing.draw import Pictures
from qrkit.drawing.resizing import layout_of, lies_in_pixels, relaid
from qrkit.drawing.untrusted.assets import Fetch, read_assets
from qrkit.errors import ContentTooLong, InvalidParameter, MissingParameter, Problem, QrkitError, ScanWarning
from qrkit.pictures.image import QRImage
from qrkit.pictures.printing import PrintSize, QRPrint
from qrkit.pictures.workers import can_start, in_workers, processors
from qrkit.pictures.zip_stream import Packed, packed

__all__ = ["Look", "Painted", "Painter", "Row", "painted_rows"]

PLACEHOLDER = "0"
"""A content that every mode can encode."""
DENSE = frozenset({"png", "jpg", "gif", "webp"})
"""Formats that are compressed already: deflating a PNG of 433 bytes once more makes it 438, and takes 25 us."""

SAMPLE = 16
"""Rows that are drawn in this process in any case, where several are asked for: to see how long they take."""
SAMPLE_SECONDS = 0.05
"""The same where nobody asks for several."""
WORTH = 1.0
"""Seconds of work left that are worth to start processes, which takes 0.2 s, and 0.4 s of processor time."""
WORTH_OF_UNKNOWN = 0.5
"""Seconds that have gone by, where nobody knows how many rows are left."""
PART_SECONDS = 0.05
"""How long a process draws at a part."""
MOST_IN_PART = 256


class Look:
    """What all pictures of a batch share: it is judged once, and the pictures in it are read once.

    Where the design has a content of its own, its layers and what else lies in pixels keep their share of the symbol
    in larger ones.

    Args:
        design: What they look like, whatever its content: a `Design`, its fields, or nothing.
        fetch: What reads pictures that the design names by their URL.
        fields: Fields of `Design` that replace those of the design.

    Raises:
        InvalidParameter: They break a rule for whatever content.
    """

    def __init__(
        self, design: Design | Mapping[str, Any] | None, fetch: Fetch | None, fields: Mapping[str, Any]
    ) -> None:
        if isinstance(design, Design):
            self._design = design.replace(**{**fields, "content": PLACEHOLDER})
            self._pattern = _pattern(design, fields)
        elif design is None or isinstance(design, Mapping):
            self._design = Design(**{**(design or {}), **fields, "content": PLACEHOLDER})
            self._pattern = _pattern(design or {}, fields)
        else:
            raise InvalidParameter(Problem("design", design, "must be a Design, or its fields", "wrong-type"))
        self._fields = dict(fields)
        self._fetch = fetch
        self._pictures: Pictures = read_assets(self._design.pictures, fetch)
        self._first: QRImage | None = None
        for warning in QRImage(self._design, pictures=self._pictures).warnings:
            warnings.warn(warning, stacklevel=3)

    def tell_fault(self, *, stacklevel: int) -> None:
        """Warn of what is in the way of readers of the first picture that was made of a text; others look the same."""
        if self._first and self._first.fault:
            warnings.warn(f"each picture of this look is {self._first.fault}", ScanWarning, stacklevel=stacklevel)

    def image(self, content: Any) -> QRImage:
        """The picture of a text, or of a design of its own, whose fields are replaced.

        Raises:
            InvalidParameter: It is neither, or cannot be encoded.
            ContentTooLong: It does not fit.
            QrkitError: It is one, which says why there is no picture.
        """
        if isinstance(content, QrkitError):
            raise content
        if isinstance(content, Design):
            return QRImage(content.replace(**self._fields) if self._fields else content, fetch=self._fetch)
        if self._pattern is None:
            drawn = self._design.replace(content=content)
        else:
            drawn = relaid(self._pattern, **self._fields, content=content)
        image = QRImage(drawn, pictures=self._pictures)
        self._first = self._first or image
        return image

    def can_travel(self, content: Any) -> bool:
        """Whether another process knows what this is, and can do without `fetch`."""
        if type(content) is Design:
            return not (self._fetch and content.pictures)
        return type(content) in (str, QRImage)

    def __reduce__(self) -> tuple[Callable[..., Look], tuple[Any, ...]]:
        return _unpacked_look, (self._design, self._pattern, self._fields, self._pictures)


def _unpacked_look(design: Design, pattern: Design | None, fields: dict[str, Any], pictures: Pictures) -> Look:
    look = object.__new__(Look)
    look._design, look._pattern, look._fields, look._pictures = design, pattern, fields, pictures
    look._fetch = look._first = None
    return look


def _pattern(design: Design | Mapping[str, Any], fields: Mapping[str, Any]) -> Design | None:
    """The design itself, if its own content says where on a symbol lies what lies in pixels."""
    if "layers" in fields:
        return None
    try:
        own = design if isinstance(design, Design) else Design(**design)
        layout_of(own)
    except (InvalidParameter, MissingParameter, ContentTooLong):
        return None
    return own if lies_in_pixels(own) else None


class Row(NamedTuple):
    """What a picture is made of.

    Attributes:
        content: A text, a design, a picture that is made already, or what is wrong with the row.
        name: What its file is called, without a suffix, "" to call it after its content; or what is wrong with that.
    """

    content: Any
    name: str | QrkitError = ""


class Painted(NamedTuple):
    """The file of a row, or why it has none; and what of its own design is not drawn."""

    file: Packed | None
    error: str = ""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Painter:
    """Content -> file. It can be sent to another process.

    Attributes:
        look: Of all of them.
        format: Name of the format.
        is_packed: Whether the files go into a zip.
        print_size: How large they are on paper; None for a size in pixels.
    """

    look: Look
    format: str
    is_packed: bool = False
    print_size: PrintSize | None = None

    def __post_init__(self) -> None:
        if not (self.print_size is None or isinstance(self.print_size, PrintSize)):
            rule = "must be a qrkit.PrintSize, as PrintSize(size_mm=60)"
            raise InvalidParameter(Problem("print_size", self.print_size, rule, "wrong-type"))

    def __call__(self, content: Any) -> Painted:
        """The file of a row's content."""
        try:
            image = content if isinstance(content, QRImage) else self.look.image(content)
            printed = QRPrint(image.scene, self.print_size) if self.print_size else image
            data = printed.to_bytes(self.format)
        except QrkitError as error:
            return Painted(None, str(error))
        lost = tuple(image.warnings) if isinstance(content, Design) else ()
        return Painted(packed(data, deflated=self.is_packed and self.format not in DENSE), "", lost)

    def each(self, contents: list[Any]) -> list[Painted]:
        """The files of some contents."""
        return [self(one) for one in contents]


def painted_rows(
    rows: Iterator[Row], painter: Painter, total: int | None = None, processes: int | None = None
) -> Generator[tuple[Row, Painted]]:
    """Each row with its file, in their order: the first of them are drawn in this process, the rest where it pays.

    Args:
        rows: Taken as they are needed.
        painter: Draws them.
        total: How many there are, where that is known.
        processes: At most how many draw; None takes as many as there are processors, if there is enough to do.

    Raises:
        RenderingFailed: A process was killed on the way.
    """
    most = processors() if processes is None else processes
    can_share = most > 1 and can_start()
    seconds = 0.0
    done = 0
    for done, row in enumerate(rows):
        start = perf_counter()
        painted = painter(row.content)
        # The first one does not count: it also loads what all of them need.
        seconds += perf_counter() - start if done else 0.0
        yield row, painted
        if can_share and _pays(seconds, done, total, asked=processes is not None):
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


def _pays(seconds: float, done: int, total: int | None, *, asked: bool) -> bool:
    """Whether other processes shall draw what is left, after so many seconds for so many rows."""
    if asked:
        return done >= SAMPLE
    if total is None:
        return seconds > WORTH_OF_UNKNOWN
    return seconds > SAMPLE_SECONDS and seconds / done * (total - done) > WORTH
