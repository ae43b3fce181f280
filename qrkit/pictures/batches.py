"""`generate_many`: thousands of pictures in one call, back as objects or straight into a zip or a folder.

Rows flow through: contents are taken as they are needed, and no more than some hundred pictures are at hand at a time.
Large batches are drawn by several processes (`workers`), which changes nothing but the time.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sized
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

from qrkit.design.design import Design, DesignFields, lists_fields
from qrkit.design.limits import FORMAT_ALIASES, FORMATS
from qrkit.drawing.untrusted.assets import Fetch
from qrkit.drawing.writers import format_named
from qrkit.errors import InvalidParameter, Problem, QrkitError
from qrkit.files import FileNames, complete_file, safe_stem, writing
from qrkit.late import Shown, watch
from qrkit.pictures.batch_files import Look, Painter, Row, painted_rows
from qrkit.pictures.image import QRImage
from qrkit.pictures.printing import PrintSize
from qrkit.pictures.zip_stream import Packed, ZipStream

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Batch", "Filed", "RowError", "filed", "generate_many", "is_zip"]

LONGEST_CONTENT = 100
"""Characters of a content that an error keeps."""
_MISSING = object()


@dataclass(frozen=True, slots=True)
class RowError:
    """A row that has no picture.

    Attributes:
        row: Its place among the contents, counted from 0.
        content: Its content as text, cut at 100 characters.
        error: Why, in the words of the error that `generate` raises.
    """

    row: int
    content: str
    error: str


@dataclass(frozen=True, slots=True)
class Batch(Shown):
    """What `generate_many` made. In a notebook it shows as a table of the rows that have no picture.

    Attributes:
        created: How many pictures there are.
        errors: The rows that have none, in their order.
        images: Without a target, the picture of each row, None where there is none; else empty.
        target: The zip or the folder, or None.
    """

    created: int
    errors: tuple[RowError, ...] = ()
    images: tuple[QRImage | None, ...] = ()
    target: Path | None = None

    def to_frame(self) -> pd.DataFrame:
        """The errors, a row each, indexed by their row, counted from 0.

        Columns: content, error (str).
        """
        import pandas as pd

        rows = [(one.content, one.error) for one in self.errors]
        index = pd.Index([one.row for one in self.errors], name="row", dtype="int64")
        return pd.DataFrame(rows, columns=["content", "error"], index=index, dtype="str")

    def __str__(self) -> str:
        return f"{self.created} created" + (f", {len(self.errors)} not possible" if self.errors else "")

    def __repr__(self) -> str:
        return f"<Batch: {self}>"


class Filed(NamedTuple):
    """What became of a row.

    Attributes:
        row: What it was made of.
        file: The name of its file in the zip, or its path in the folder; "" where it has none.
        error: Why it has none.
        warnings: What of its own design is not drawn.
    """

    row: Row
    file: str
    error: str = ""
    warnings: tuple[str, ...] = ()


@lists_fields(DesignFields)
def generate_many(
    contents: Iterable[str | Design | QrkitError],
    /,
    *,
    to: str | Path | None = None,
    names: Iterable[str] | None = None,
    format: str = "png",
    print_size: PrintSize | None = None,
    design: Design | Mapping[str, Any] | None = None,
    fetch: Fetch | None = None,
    progress: bool = False,
    processes: int | None = None,
    **fields: Unpack[DesignFields],
) -> Batch:
    """Make a QR Code picture of each content. A bad row never stops the rest: the result tells of it.

    With a target, pictures are written while contents are still read, so that memory holds some hundred of them (and
    0.3 KB of each name, to number those that are there twice). A zip is written as a whole or not at all; a folder has
    all files that were finished, each of them whole. Files of the same names are replaced.

    Processes: a plain code takes about 0.1 ms; starting two processes takes 0.2 s, and 0.4 s of processor time. So the
    first codes are drawn in this one, and if more than a second of work is left (some 10,000 plain codes, or 200 with a
    logo), all processors do it. Scripts need no `if __name__ == "__main__"` for that.

    Args:
        contents: Texts, or designs of their own; or for a row that is known to be wrong, the error that says so. Each
            is taken once. A generator may have any number.
        to: A path that ends in .zip, or a folder, which is made where it is missing. Without it, pictures come back as
            objects, drawn when they are asked for.
        names: Of the files, one for each content; one that is "" or None, as all without it, is called after its
            content. They are made safe for every file system, and numbered where two are the same.
        format: Of the files: one of `qrkit.drawing.writers.FORMATS`.
        print_size: Of the files on paper, as `QRImage.print_at` makes them; by default they have a size in pixels.
        design: What all pictures look like, whatever its content: a `Design`, or its fields. Contents that are designs
            do not ask it.
        fetch: What reads pictures that a design names by their URL; without it, none is read.
        progress: Whether a bar shows how far it has come.
        processes: At most how many draw, with 1 this one alone. None: as many as there are processors, if it pays.
        **fields: Fields of `Design` that replace those of all designs.

    Raises:
        InvalidParameter: There is no such format, or the design or a field breaks a rule for whatever content. Or there
            are not as many names as contents, or the target has the name of a single picture. Or there is a size on
            paper, and no target.
        CannotWrite: The target cannot be written.
        RenderingFailed: A process was killed on the way.

    Warns:
        UserWarning: An SVG of a design holds something that cannot be drawn.
        ScanWarning: Readers may fail on the first picture of a text, and on all that look so.

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
    if print_size is not None and to is None:
        rule = "is that of files, and needs `to`; a picture that comes back takes its size by `print_at`"
        raise InvalidParameter(Problem("print_size", None, rule))
    chosen = format_named(format).name
    look = Look(design, fetch, fields)
    total = len(contents) if isinstance(contents, Sized) else None
    seen = watch(progress=progress)
    if to is None:
        return _drawn(seen(contents, "Drawing", total), look)
    target = _target(to)
    painter = Painter(look, chosen, is_packed=is_zip(target), print_size=print_size)
    errors: list[RowError] = []
    told: set[str] = set()
    created = 0
    with closing(filed(_rows(contents, names), target, painter, total, processes)) as found:
        for number, one in enumerate(seen(found, "Drawing", total)):
            created += bool(one.file)
            if not one.file:
                errors.append(_error(number, one.row.content, one.error))
            for warning in set(one.warnings) - told:
                told.add(warning)
                warnings.warn(warning, stacklevel=2)
    look.tell_fault(stacklevel=3)
    return Batch(created, tuple(errors), target=target)


def _check(
    contents: Iterable[Any], names: Iterable[Any] | None, processes: int | None, fields: Mapping[str, Any]
) -> None:
    """Refuse what looks right, and would make thousands of wrong pictures."""
    for name, value in (("contents", contents), ("names", names)):
        is_one = isinstance(value, str | bytes | Design | Mapping)
        if value is not None and (is_one or not isinstance(value, Iterable)):
            rule = f"must be a list of texts, or give one after the other; not {type(value).__name__}"
            raise InvalidParameter(Problem(name, None, rule, "wrong-type"))
    if "content" in fields:
        rule = "is what the first argument gives, for each picture its own"
        raise InvalidParameter(Problem("content", fields["content"], rule, "unknown-parameter"))
    if processes is not None and (not isinstance(processes, int) or processes < 1):
        rule = "must be a whole number from 1, or None for as many as pay"
        raise InvalidParameter(Problem("processes", processes, rule, "out-of-range"))


def _target(to: str | Path) -> Path:
    """A zip or a folder: who writes `poster.svg` does not mean a folder of this name."""
    path = Path(to)
    if path.suffix[1:].lower() in {*FORMATS, *FORMAT_ALIASES} and not is_zip(path) and not path.is_dir():
        raise InvalidParameter(Problem("to", str(path), "is the name of one picture; must be a folder, or end in .zip"))
    return path


def _drawn(contents: Iterable[Any], look: Look) -> Batch:
    """The pictures themselves: another process could encode them, but bringing them here takes as long."""
    images: list[QRImage | None] = []
    errors: list[RowError] = []
    told: set[str] = set()
    for number, content in enumerate(contents):
        image = None
        try:
            image = look.image(content)
        except QrkitError as error:
            errors.append(_error(number, content, str(error)))
        images.append(image)
        for warning in set(image.warnings) - told if image and isinstance(content, Design) else ():
            told.add(warning)
            warnings.warn(warning, stacklevel=3)
    look.tell_fault(stacklevel=4)
    return Batch(len(images) - len(errors), tuple(errors), tuple(images))


def _error(number: int, content: Any, error: str) -> RowError:
    text = content.content if isinstance(content, Design) else "" if isinstance(content, QrkitError) else str(content)
    return RowError(number, text if len(text) <= LONGEST_CONTENT else text[: LONGEST_CONTENT - 1] + "…", error)


def _rows(contents: Iterable[Any], names: Iterable[Any] | None) -> Iterator[Row]:
    if names is None:
        yield from map(Row, contents)
        return
    for number, (content, name) in enumerate(zip_longest(contents, names, fillvalue=_MISSING)):
        if content is _MISSING or name is _MISSING:
            rule = f"must be as many as contents; there are {'fewer' if name is _MISSING else 'more'}, {number:,}"
            raise InvalidParameter(Problem("names", None, rule))
        if name is None or isinstance(name, str):
            yield Row(content, name or "")
        else:
            yield Row(content, InvalidParameter(Problem("name", name, "must be text", "wrong-type")))


def filed(
    rows: Iterable[Row], target: Path, painter: Painter, total: int | None = None, processes: int | None = None
) -> Generator[Filed]:
    """Write a file for each row into a zip or a folder, and tell of each, in their order.

    A zip is complete when all are taken; who stops before closes this iterator, which leaves what was there before.

    Args:
        rows: Taken as they are needed.
        target: A path that ends in .zip, or a folder, which is made where it is missing.
        painter: Draws them.
        total: How many rows there are, where that is known.
        processes: As of `generate_many`.

    Raises:
        CannotWrite: The target cannot be written.
        RenderingFailed: A process was killed on the way.
    """
    from qrkit.exchange.columns import name_from

    names = FileNames(painter.format)
    with _opened(target) as write, closing(painted_rows(iter(rows), painter, total, processes)) as painted:
        for row, one in painted:
            if one.file is None or isinstance(row.name, QrkitError):
                yield Filed(row, "", one.error or str(row.name))
                continue
            content = row.content.design if isinstance(row.content, QRImage) else row.content
            text = content.content if isinstance(content, Design) else content
            name = names.name_for(safe_stem(row.name or name_from(text)))
            yield Filed(row, write(name, one.file), "", one.warnings)


def is_zip(target: Path) -> bool:
    """Whether this is the path of a zip, not of a folder."""
    return target.suffix.lower() == ".zip"


@contextmanager
def _opened(target: Path) -> Iterator[Callable[[str, Packed], str]]:
    """What writes a file into a zip or a folder, and gives the name that it has there."""
    if is_zip(target):
        with complete_file(target) as opened, ZipStream(opened) as archive:

            def add(name: str, file: Packed) -> str:
                archive.add(name, file)
                return name

            yield add
        return
    with writing(target):
        target.mkdir(parents=True, exist_ok=True)

    def write(name: str, file: Packed) -> str:
        path = target / name
        with complete_file(path) as opened:
            opened.write(file.data)
        return str(path)

    yield write
