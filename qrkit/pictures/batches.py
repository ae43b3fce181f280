"""Provides `generate_many`, which generates thousands of images as objects, or as files in a zip or folder.

Contents are consumed as needed, and at most a few hundred images are in memory at a time. Large batches are drawn by
several processes (`workers`), which changes only the time.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sized
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple, Unpack

from qrkit.contents.cards import file_stem
from qrkit.design.design import Design, DesignFields, lists_fields
from qrkit.design.limits import FORMAT_ALIASES, FORMATS
from qrkit.drawing.plain_picture import title_of
from qrkit.drawing.untrusted.assets import Fetch
from qrkit.drawing.writers import format_named
from qrkit.errors import InvalidParameter, Problem, QrkitError, check_whole
from qrkit.files import FileNames, complete_file, writing
from qrkit.late import Shown, pd, watch
from qrkit.pictures.batch_files import Look, Painter, Row, own_warnings, painted_rows
from qrkit.pictures.image import QRImage
from qrkit.pictures.preflight import PrintFinding, PrintTally
from qrkit.pictures.printing import PrintSize
from qrkit.pictures.zip_stream import Packed, ZipStream

__all__ = ["Batch", "Filed", "RowError", "filed", "generate_many", "is_zip"]

LONGEST_CONTENT = 100
"""Characters of a content in an error."""
OTHER_ARCHIVES = (".tar", ".gz", ".tgz", ".7z", ".rar")

_MISSING = object()


@dataclass(frozen=True, slots=True)
class RowError:
    """A row that failed.

    Attributes:
        row: Index of the row, counted from 0.
        content: The content as text, cut after 100 characters.
        error: The message of the error that `generate` raises.
    """

    row: int
    content: str
    error: str


@dataclass(frozen=True, slots=True)
class Batch(Shown):
    """The result of `generate_many`. Notebooks show it as a table of the rows that failed.

    Attributes:
        created: Number of images.
        errors: The rows that failed, in order.
        images: Without a target, the image of each row, None for rows that failed; empty with a target.
        target: The zip or the folder, or None.
    """

    created: int
    errors: tuple[RowError, ...] = ()
    images: tuple[QRImage | None, ...] = ()
    target: Path | None = None

    def to_frame(self) -> pd.DataFrame:
        """Return the errors as a DataFrame, indexed by row number, counted from 0.

        Columns: content, error (str).
        """
        rows = [(failed.content, failed.error) for failed in self.errors]
        index = pd.Index([failed.row for failed in self.errors], name="row", dtype="int64")
        return pd.DataFrame(rows, columns=["content", "error"], index=index, dtype="str")

    def __str__(self) -> str:
        return f"{self.created} created" + (f", {len(self.errors)} not possible" if self.errors else "")

    def __repr__(self) -> str:
        return f"<Batch: {self}>"


class Filed(NamedTuple):
    """The result of one row.

    Attributes:
        row: The row.
        file: The name of its file in the zip, or its path in the folder; "" if the row failed or is not for a file.
        error: The error message, if the row failed.
        warnings: Warnings about its own design.
        findings: What to change before it is printed.
        image: The image, if it is not for a file.
    """

    row: Row
    file: str = ""
    error: str = ""
    warnings: tuple[str, ...] = ()
    findings: tuple[PrintFinding, ...] = ()
    image: QRImage | None = None


@lists_fields(DesignFields)
def generate_many(
    contents: Iterable[str | Design | QrkitError],
    /,
    *,
    to: str | Path | None = None,
    names: Iterable[str | PurePosixPath] | None = None,
    format: str = "png",
    print_size: PrintSize | None = None,
    design: Design | Mapping[str, Any] | None = None,
    fetch: Fetch | None = None,
    progress: bool = False,
    processes: int | None = None,
    **fields: Unpack[DesignFields],
) -> Batch:
    """Generate a QR Code for each content. A row that fails does not stop the others; the result lists its error.

    With a target, images are written while contents are still read, so that only a few hundred are in memory (and
    0.3 KB per name, to number repeated ones). A zip or PDF is written completely or, if an error stops it or no row
    can be drawn, not at all; a folder contains all files that were finished, each complete. Existing files with the
    same names are replaced.

    A plain code takes about 0.1 ms. Starting two processes takes 0.2 s, and 0.4 s of processor time. Therefore the
    first codes are drawn in this process; if more than five seconds of work are left (about 50,000 plain codes, or
    1,000 with a logo), all processors share it. Scripts do not need `if __name__ == "__main__"` for this.

    Args:
        contents: Texts, or designs of their own; for a row that already failed, pass its error. Each item is read
            once, so a generator may yield any number.
        to: A path that ends in .zip; one that ends in .pdf, for a PDF with a page for each image; or a folder, which is
            created if it does not exist. Without `to`, images are returned as objects and drawn on demand.
        names: File names, one for each content; "" or None derives the name from the content. Names are made safe for
            every file system, and repeated names are numbered; a `PurePosixPath` may have folders.
        format: The format of the files, one of `qrkit.drawing.writers.FORMATS`.
        print_size: The print size of the files, as in `QRImage.print_at`; by default, they have a size in pixels.
        design: The design of all images: a `Design`, or its fields. Its content is not drawn, and contents that are
            designs do not use it.
        fetch: Downloads the images that a design refers to by URL. Without it, such a design raises an error.
        progress: True to show a progress bar.
        processes: Maximum number of processes; 1 draws everything in this process. None uses all processors if there
            is enough work.
        **fields: Fields of `Design` that replace those of all designs.

    Raises:
        InvalidParameter: If the format is unknown, the design or a field is invalid for any content, the number of
            names differs from that of contents, `to` is the name of a single image, or `print_size` is given
            without `to`.
        CannotWrite: If the target cannot be written.
        RenderingFailed: If a process was killed.

    Warns:
        UserWarning: If an SVG in a design becomes pixels, or a browser may draw it in another way.
        ScanWarning: If phones may fail to scan the first image of a text, and thus all that look the same, or some of
            the images of designs. The first image of each look is checked, of at most 20 looks.
        UserWarning: With a print size, once for each kind of finding of `QRImage.preflight`.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> doors = ["https://example.com/1", "x" * 3000, "https://example.com/3"]
        >>> with TemporaryDirectory() as folder:
        ...     generate_many(doors, to=f"{folder}/doors.zip", names=["Door", "Gate", "Door"], size=10)
        <Batch: 2 created, 1 not possible>
        >>> generate_many(doors, ec="H").images[2]
        <QRImage 'https://example.com/3', 3-H, 296 x 296 px>
    """
    _check(contents, names, processes, fields)
    target, chosen = _target(to, print_size), format_named(format).name
    look = Look(design, fetch, fields)
    total = len(contents) if isinstance(contents, Sized) else None
    seen = watch(progress=progress)
    if target is None:
        outcomes = _drawn(contents, look)
    else:
        painter = Painter(look, chosen, is_packed=is_zip(target), print_size=print_size)
        outcomes = filed(_rows(contents, names), target, painter, total, processes)
    images, errors, told, tally = list[QRImage | None](), list[RowError](), set[str](), PrintTally()
    with closing(outcomes) as found:
        for number, one in enumerate(seen(found, "Drawing", total)):
            images.append(one.image)
            tally.see(one.findings)
            content = one.row.content
            if one.error:
                errors.append(_error(number, content, one.error))
            elif isinstance(content, Design):
                look.see(number, content)
            for warning in set(one.warnings) - told:
                told.add(warning)
                warnings.warn(warning, stacklevel=2)
    look.tell_fault(stacklevel=3)
    tally.warn(stacklevel=2)
    return Batch(len(images) - len(errors), tuple(errors), tuple(images) if target is None else (), target)


def _check(
    contents: Iterable[Any], names: Iterable[Any] | None, processes: int | None, fields: Mapping[str, Any]
) -> None:
    """Reject arguments that would silently create thousands of wrong images."""
    for name, value in (("contents", contents), ("names", names)):
        is_one = isinstance(value, str | bytes | Design | Mapping)
        if value is not None and (is_one or not isinstance(value, Iterable)):
            rule = f"must be a list or another iterable of texts, not {type(value).__name__}"
            raise InvalidParameter(Problem(name, None, rule, "wrong-type"))
    if "content" in fields:
        rule = "is given by the first argument, for each picture"
        raise InvalidParameter(Problem("content", fields["content"], rule, "unknown-parameter"))
    if processes is not None:
        check_whole("processes", processes, 1, more=", or None to choose automatically")


def _target(to: str | Path | None, print_size: PrintSize | None) -> Path | None:
    """Return the path of a zip, PDF or folder; reject names that are no folders: `poster.svg`, `codes.tar.gz`."""
    if to is None:
        if print_size is not None:
            rule = "is only for files, and needs `to`; use `print_at` for pictures that are returned"
            raise InvalidParameter(Problem("print_size", None, rule))
        return None
    path = Path(to)
    if path.suffix.lower() in OTHER_ARCHIVES and not path.is_dir():
        rule = "is the name of an archive that cannot be written; pass a folder or a .zip file"
        raise InvalidParameter(Problem("to", str(path), rule))
    is_several = is_zip(path) or is_pdf(path) or path.is_dir()
    if path.suffix[1:].lower() in {*FORMATS, *FORMAT_ALIASES} and not is_several:
        rule = "is the name of one picture; pass a folder or a .zip file, or a .pdf with a page for each"
        raise InvalidParameter(Problem("to", str(path), rule))
    return path


def _drawn(contents: Iterable[Any], look: Look) -> Generator[Filed]:
    """Yield the images as objects, from this process: transferring them from another would take as long."""
    for content in contents:
        try:
            image = look.image(content)
        except QrkitError as error:
            yield Filed(Row(content), error=str(error))
        else:
            yield Filed(Row(content), warnings=own_warnings(content, image), image=image)


def _error(number: int, content: Any, error: str) -> RowError:
    text = content.content if isinstance(content, Design) else "" if isinstance(content, QrkitError) else str(content)
    return RowError(number, text if len(text) <= LONGEST_CONTENT else text[: LONGEST_CONTENT - 1] + "…", error)


def _rows(contents: Iterable[Any], names: Iterable[Any] | None) -> Iterator[Row]:
    if names is None:
        yield from map(Row, contents)
        return
    for number, (content, name) in enumerate(zip_longest(contents, names, fillvalue=_MISSING)):
        if content is _MISSING or name is _MISSING:
            rule = f"must be as many as the contents, not {'' if name is _MISSING else 'more than '}{number:,}"
            raise InvalidParameter(Problem("names", None, rule))
        if name is None or isinstance(name, str | PurePosixPath):
            yield Row(content, name or "")
        else:
            yield Row(content, InvalidParameter(Problem("name", name, "must be text", "wrong-type")))


def filed(
    rows: Iterable[Row], target: Path, painter: Painter, total: int | None = None, processes: int | None = None
) -> Generator[Filed]:
    """Write a file for each row into a zip or folder, and yield the results in order.

    A zip is complete when the iterator is exhausted. Closing the iterator earlier keeps an existing zip unchanged, and
    so does a zip or PDF that would have no picture.

    Args:
        rows: The rows, consumed as needed.
        target: A path that ends in .zip or .pdf, or a folder, which is created if it does not exist.
    """
    if is_pdf(target):
        yield from _paged(rows, target, painter)
        return
    names = FileNames(painter.format)
    with _open_target(target) as write, closing(painted_rows(iter(rows), painter, total, processes)) as painted:
        for row, one in painted:
            if one.file is None or isinstance(row.name, QrkitError):
                yield Filed(row, "", one.error or str(row.name))
                continue
            content = row.content.design if isinstance(row.content, QRImage) else row.content
            text = title_of(content.content, content.part) if isinstance(content, Design) else content
            parts = row.name.parts if isinstance(row.name, PurePosixPath) else (row.name or text,)
            name = names.name_for("/".join(map(file_stem, parts)))
            yield Filed(row, write(name, one.file), "", one.warnings, one.findings)


def _paged(rows: Iterable[Row], target: Path, painter: Painter) -> Generator[Filed]:
    """Write a page for each row into one PDF; each row is drawn in this process."""
    from qrkit.drawing.writers.pdf import PdfFile  # loads the renderer

    size, pages = painter.print_size, 0
    with suppress(_NoPicture), complete_file(target) as opened, PdfFile(opened) as file:
        for row in rows:
            try:
                image = painter.image(row.content)
                file.add_picture(image.printed(size).exact_scene if size else image.exact_scene)
            except QrkitError as error:
                yield Filed(row, "", str(error))
                continue
            pages += 1
            lost = own_warnings(row.content, image)
            yield Filed(row, f"{target.name}#page={pages}", "", lost, painter.findings(image))
        if not pages:
            raise _NoPicture


def is_pdf(target: Path) -> bool:
    """Return True if a target is a PDF with a page for each image."""
    return target.suffix.lower() == ".pdf" and not target.is_dir()


def is_zip(target: Path) -> bool:
    """Return True if a target is a zip, False if it is a folder."""
    return target.suffix.lower() == ".zip"


class _NoPicture(Exception):
    """No row of a zip or PDF could be drawn, so an older file stays."""


@contextmanager
def _open_target(target: Path) -> Iterator[Callable[[str, Packed], str]]:
    """Open a zip or folder; yields a function that writes a file into it and returns the file's name there."""
    if is_zip(target):
        with suppress(_NoPicture), complete_file(target) as opened, ZipStream(opened) as archive:
            yield archive.add
            if archive.is_empty:
                raise _NoPicture
        return
    with writing(target):
        target.mkdir(parents=True, exist_ok=True)

    def write(name: str, file: Packed) -> str:
        path = target / name
        with writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
        with complete_file(path) as opened:
            opened.write(file.data)
        return str(path)

    yield write
