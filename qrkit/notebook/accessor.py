"""`df.qr`: QR Codes for the rows of a pandas DataFrame. `import qrkit.accessor` puts it there.

    >>> import pandas as pd
    >>> import qrkit.accessor
    >>> doors = pd.DataFrame({"name": ["Door", "Gate"], "url": ["https://example.com/d", "https://example.com/g"]})
    >>> doors.qr.generate("url", ec="Q")
    0    <QRImage 'https://example.com/d', 3-Q, 296 x 2...
    1    <QRImage 'https://example.com/g', 3-Q, 296 x 2...
    Name: qr, dtype: object

The library itself does not load it, because pandas takes a while.
"""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, Unpack

import pandas as pd
from pandas.api.extensions import register_dataframe_accessor

from qrkit.design.design import Design, DesignFields, lists_fields
from qrkit.drawing.untrusted.assets import Fetch
from qrkit.drawing.writers import format_named
from qrkit.errors import ContentTooLong, InvalidParameter, Problem, collecting, nearest
from qrkit.exchange.frames import text_of
from qrkit.late import watch
from qrkit.notebook.picture_columns import PictureTable, checked, drawn, rows_of
from qrkit.notebook.scan_frame import scan_frame
from qrkit.pictures.batch_files import Look, Painter
from qrkit.pictures.batches import filed, is_zip
from qrkit.pictures.printing import PrintSize
from qrkit.scanning import level_named
from qrkit.tracking.records import Properties, QRCode
from qrkit.tracking.text_columns import text_column

if TYPE_CHECKING:
    from qrkit.portfolio import Portfolio

__all__ = ["QRAccessor"]

Made = TypeVar("Made", pd.Series, pd.DataFrame)

ERRORS = "errors"
"""The attribute of a column that says which rows have no picture."""
NAMED_ERRORS = 3
"""How many of them the warning names."""
MOST_SHOWN = 40
"""How many columns an error lists."""
MOST_PROBLEMS = 20
"""How many wrong cells an error names."""


@register_dataframe_accessor("qr")
class QRAccessor:
    """QR Codes for the rows of a DataFrame, as `df.qr`.

    Columns are named by their labels. One that is not there is an `AttributeError`, which lists those that are needed
    and those that are there. Cells may have any dtype: 7.0 is encoded as "7", a moment as `yyyy-MM-dd HH:mm:ss` in UTC.
    """

    def __init__(self, frame: pd.DataFrame) -> None:
        self._frame = frame

    @lists_fields(DesignFields)
    def generate(
        self,
        content: Hashable,
        *,
        design: Design | Mapping[str, Any] | None = None,
        fetch: Fetch | None = None,
        **fields: Unpack[DesignFields],
    ) -> pd.Series:
        """A column of pictures for a column of contents. A bad row never stops the rest: its cell is None.

        Args:
            content: The column that says what to encode.
            design: What all pictures look like, whatever its content: a `Design`, or its fields.
            fetch: What reads pictures that the design names by their URL; without it, none is read (ruling G20).
            **fields: Fields of `Design` that replace those of the design.

        Returns:
            Series of `QRImage` (dtype object) named `qr`, with the index of the frame. `attrs["errors"]` is a list with
            a pair of label and reason for each row that has none, in the order of the rows.

        Raises:
            AttributeError: There is no such column.
            InvalidParameter: The design, or a field, breaks a rule for whatever content.

        Warns:
            UserWarning: Rows have no picture; the first three are named. Or an SVG of the design holds something that
                cannot be drawn.
            ScanWarning: Readers may fail on the first picture, and on all that look so.

        Example:
            >>> doors = pd.DataFrame({"url": ["https://example.com", "x" * 99]}, index=["door", "gate"])
            >>> with warnings.catch_warnings(action="ignore"):
            ...     images = doors.qr.generate("url", version=2)
            >>> images["door"]
            <QRImage 'https://example.com', 2-M, 264 x 264 px>
            >>> [label for label, reason in images.attrs["errors"]]
            ['gate']
        """
        self._check_columns({"content": content})
        look = Look(design, fetch, fields)
        images, errors = drawn(self._values(content), content, look)
        look.tell_fault(stacklevel=3)
        made = pd.Series(images, index=self._frame.index, name="qr", dtype="object")
        return self._told(made, errors)

    @lists_fields(DesignFields)
    def check(
        self,
        content: Hashable,
        *,
        level: str = "static",
        progress: bool = False,
        design: Design | Mapping[str, Any] | None = None,
        fetch: Fetch | None = None,
        **fields: Unpack[DesignFields],
    ) -> pd.DataFrame:
        """Whether the pictures of a column scan, a row each. A bad row never stops the rest: it has no verdict.

        Columns: verdict (ordered category, from unreadable to robust), score
        (Int64, 0..100), used (float64, share of the error correction), issue (str), report (object). The index is that
        of the frame; `attrs["errors"]` as of `generate`.

        Args:
            content: The column that says what to encode, or that has pictures that `generate` made.
            level: static, quick, standard or full; see `qrkit.check`. With readers, a row takes up to a second.
            progress: Whether a progress bar is shown.
            design: What the pictures of contents look like, as in `generate`.
            fetch: As in `generate`.
            **fields: As in `generate`.

        Raises:
            AttributeError: There is no such column.
            InvalidParameter: There is no such level, or the design breaks a rule for whatever content.

        Warns:
            UserWarning: Rows have no picture; the first three are named.

        Example:
            >>> doors = pd.DataFrame({"url": ["https://example.com"]}, index=["door"])
            >>> doors.qr.check("url", padding=0).loc["door", "verdict"]
            'fragile'
        """
        self._check_columns({"content": content})
        chosen = level_named(level)
        images, errors = drawn(self._values(content), content, Look(design, fetch, fields))
        shown = watch(progress=progress)(images, "check", len(images))
        reports = checked(shown, chosen, errors)
        return self._told(scan_frame(reports, self._frame.index), errors)

    def show(self, columns: Sequence[Hashable] | None = None, *, size: int = 64, rows: int = 50) -> PictureTable:
        """The frame as a table with its pictures in it. In a notebook the last line of a cell shows it.

        Args:
            columns: Which columns, in this order; by default all.
            size: Width of a picture in pixels, 16..512.
            rows: How many rows are shown, 1..1,000; a line tells how many more there are.

        Raises:
            AttributeError: There is no such column.
            InvalidParameter: A number is out of its range.

        Example:
            >>> doors = pd.DataFrame({"url": ["https://example.com"]})
            >>> doors.assign(qr=doors.qr.generate("url")).qr.show()
            <PictureTable of 1 row: 'url', 'qr'>
        """
        if columns is None:
            return PictureTable(self._frame, size=size, rows=rows)
        labels = [columns] if isinstance(columns, str) else list(columns)
        self._check_columns({f"columns[{place}]": label for place, label in enumerate(labels)})
        return PictureTable(self._frame[labels], size=size, rows=rows)

    @lists_fields(DesignFields)
    def save(
        self,
        target: str | Path,
        content: Hashable,
        *,
        name: Hashable | None = None,
        format: str = "svg",
        print_size: PrintSize | None = None,
        design: Design | Mapping[str, Any] | None = None,
        **fields: Unpack[DesignFields],
    ) -> pd.Series:
        """Write a picture for each row into a folder or a zip. A bad row never stops the rest: it has no file.

        File names are made safe for every file system, and numbered where two rows have the same: `Door.svg`,
        `Door (2).svg`. Files of these names that are in the folder already are replaced, and so is the zip.

        Args:
            target: A path that ends in .zip, or a folder, which is made where it is missing.
            content: The column that says what to encode; pictures that `generate` made are written as they are.
            name: The column that files are named after; a row without a name is named after its content.
            format: One of `qrkit.drawing.writers.FORMATS`.
            print_size: Of the files on paper, as `QRImage.print_at` makes them; by default they have a size in pixels.
            design: What the pictures of contents look like, as in `generate`.
            **fields: Fields of `Design` that replace those of the design.

        Returns:
            Series of str named `file`, with the index of the frame: the paths, or the names in the zip, NaN for a row
            without a file; `attrs["errors"]` as of `generate`. `list(files.dropna())` is the list of them.

        Raises:
            AttributeError: There is no such column.
            InvalidParameter: There is no such format, or the design breaks a rule for whatever content.

        Warns:
            UserWarning: Rows have no file; the first three are named.
            ScanWarning: Readers may fail on the first picture, and on all that look so.

        Example:
            >>> from tempfile import TemporaryDirectory
            >>> doors = pd.DataFrame({"name": ["Door", "a/b"], "url": ["https://example.com", "https://example.org"]})
            >>> with TemporaryDirectory() as folder:
            ...     doors.qr.save(f"{folder}/codes.zip", "url", name="name", format="png").tolist()
            ['Door.png', 'a_b.png']
        """
        chosen = format_named(format).name
        self._check_columns({"content": content} if name is None else {"content": content, "name": name})
        look = Look(design, None, fields)
        painter = Painter(look, chosen, is_packed=is_zip(Path(target)), print_size=print_size)
        names = self._values(name) if name is not None else repeat("", len(self._frame))
        rows = rows_of(self._values(content), content, names)
        found = [(one.file, one.error) for one in filed(rows, Path(target), painter, len(self._frame))]
        look.tell_fault(stacklevel=3)
        files = [file or None for file, _ in found]
        errors = {row: error for row, (_, error) in enumerate(found) if error}
        return self._told(text_column(files, index=self._frame.index, name="file"), errors)

    def track(
        self,
        portfolio: Portfolio,
        content: Hashable = "url",
        *,
        name: Hashable | None = None,
        campaign: Hashable | None = None,
        comment: Hashable | None = None,
        urlinfo: Hashable | None = None,
        short_code: Hashable | None = None,
        properties: Properties | Mapping[str, Any] | None = None,
        short_url: str = "short_url",
        id: str = "id",
    ) -> pd.DataFrame:
        """Add a tracked QR Code for each row to a portfolio: all of them in one transaction, or none.

        Each call adds codes, also for what is tracked already; `Portfolio.import_frame` leaves out what is there.

        Columns: those of the frame, with its index, and two more: `short_url` and `id` (str). Codes that the plan does
        not show have NaN as short URL (ruling T13).

        Args:
            portfolio: Where to.
            content: The column that says where scans lead.
            name: The column of names; a row without one is named after its content (ruling T4).
            campaign: The column of campaigns' names; those that are missing are made.
            comment: The column of private notes.
            urlinfo: The column of words that short URLs end in.
            short_code: The column of short codes of your choice; a row without one gets a random one (ruling T1).
            properties: How all pictures are drawn: size, version, padding, em, ec, foreground, background.
            short_url: What the new column of short URLs is called.
            id: What the new column of ids is called.

        Raises:
            AttributeError: There is no such column.
            InvalidParameter: Cells break a rule: up to 20 are named, each by the label of its row and its column. Or
                the frame has a column of a name that a new one takes. Nothing was stored.

        Example:
            >>> from qrkit import open_portfolio
            >>> doors = pd.DataFrame({"where": ["Door"], "url": ["https://example.com"], "code": ["door"]})
            >>> with open_portfolio(":memory:", base_url="https://go.example.com") as shop:
            ...     doors.qr.track(shop, "url", name="where", short_code="code")["short_url"].tolist()
            ['https://go.example.com/door']
        """
        columns = {"content": content, "name": name, "campaign": campaign, "comment": comment}
        columns |= {"urlinfo": urlinfo, "short_code": short_code}
        given = {field: label for field, label in columns.items() if label is not None}
        self._check_columns(given)
        for parameter, label in (("short_url", short_url), ("id", id)):
            if label in self._frame.columns or short_url == id:
                rule = "is a column already; choose another name for the new one"
                raise InvalidParameter(Problem(parameter, label, rule, "duplicate-parameter"))
        drawn = properties if isinstance(properties, Properties) else Properties(**(properties or {}))
        rows = zip(*(self._values(label) for label in given.values()), strict=True)
        records = _tracked(portfolio, given, zip(self._frame.index.tolist(), rows, strict=True), drawn)
        result = self._frame.copy()
        result[short_url] = text_column(record.short_url or None for record in records).array
        result[id] = text_column(record.id for record in records).array
        return result

    def _values(self, label: Hashable) -> list[Any]:
        """The cells of a column, numbers and moments as those of Python."""
        return list(self._frame[label].tolist())

    def _check_columns(self, needed: Mapping[str, Hashable]) -> None:
        """Refuse labels that are no column of the frame, or that are two."""
        there = list(self._frame.columns)
        problems = []
        for label in needed.values():
            if label not in there:
                texts = [one for one in there if isinstance(one, str)]
                near = nearest(label, texts) if isinstance(label, str) else ""
                problems.append(f"no column {label!r}" + (f"; {near}" if near.startswith("did") else ""))
            elif there.count(label) > 1:
                problems.append(f"the column {label!r} {there.count(label)} times")
        if problems:
            wanted = ", ".join(f"{label!r} ({parameter})" for parameter, label in needed.items())
            shown = ", ".join(map(repr, there[:MOST_SHOWN])) or "none"
            more = f" and {len(there) - MOST_SHOWN} more" if len(there) > MOST_SHOWN else ""
            raise AttributeError(f"the frame has {', '.join(problems)}. Needed: {wanted}. There: {shown}{more}")

    def _told(self, made: Made, errors: Mapping[int, str]) -> Made:
        """A new column, or frame, that says which rows have nothing in it, with one warning of the caller's line."""
        labels = self._frame.index.tolist()
        told = [(labels[row], errors[row]) for row in sorted(errors)]
        made.attrs[ERRORS] = told
        if told:
            some = "; ".join(f"row {label!r}: {reason}" for label, reason in told[:NAMED_ERRORS])
            more = f"; and {len(told) - NAMED_ERRORS} more" if len(told) > NAMED_ERRORS else ""
            count = f"{len(told)} of {len(made)} rows"
            warnings.warn(f"{count} have no picture: {some}{more} (attrs['errors'] has all)", stacklevel=3)
        return made


def _tracked(
    portfolio: Portfolio,
    columns: Mapping[str, Hashable],
    rows: Iterable[tuple[Hashable, tuple[Any, ...]]],
    properties: Properties,
) -> list[QRCode]:
    """Add a QR Code for each row, its label and its cells in the order of the columns, in one transaction."""
    problems: list[Problem] = []
    records = []
    with portfolio.store.atomic():
        campaigns = {one.name: one.id for one in reversed(portfolio.list_campaigns())}
        for label, values in rows:
            try:
                texts: dict[str, Any] = {**_texts(columns, values)}
                wanted = texts.pop("campaign", "")
                if wanted and wanted not in campaigns:
                    campaigns[wanted] = _new_campaign(portfolio, wanted)
                code = portfolio.insert_qrcode(**texts, campaign_id=campaigns.get(wanted), properties=properties)
                records.append(code)
            except InvalidParameter as error:
                problems += [_of_row(label, one, columns) for one in error.problems]
            except ContentTooLong as error:
                problems.append(_of_row(label, Problem("content", None, str(error), error.code), columns))
            if len(problems) >= MOST_PROBLEMS:
                break
        if problems:
            raise InvalidParameter(*problems[:MOST_PROBLEMS])
    return records


def _texts(columns: Mapping[str, Hashable], values: Iterable[Any]) -> dict[str, str]:
    """The cells of a row as text, by what they are for."""
    problems: list[Problem] = []
    texts: dict[str, str] = {}
    for field, value in zip(columns, values, strict=True):
        with collecting(problems):
            texts[field] = text_of(value, field)
    if problems:
        raise InvalidParameter(*problems)
    return texts


def _new_campaign(portfolio: Portfolio, name: str) -> str:
    problems: list[Problem] = []
    with collecting(problems):
        return portfolio.insert_campaign(name).id
    raise InvalidParameter(*(replace(one, name="campaign") for one in problems))


def _of_row(label: Hashable, problem: Problem, columns: Mapping[str, Hashable]) -> Problem:
    """The same problem, with the row's label and the column's in the place of the field's name."""
    return replace(problem, name=f"row {label!r}, column {columns.get(problem.name, problem.name)!r}")
