"""Adds `df.qr` to pandas: QR Codes for the rows of a DataFrame. `import qrkit.accessor` registers it.

    >>> import pandas as pd
    >>> import qrkit.accessor
    >>> doors = pd.DataFrame({"name": ["Door", "Gate"], "url": ["https://example.com/d", "https://example.com/g"]})
    >>> doors.qr.generate("url", ec="Q")
    0    <QRImage 'https://example.com/d', 3-Q, 296 x 2...
    1    <QRImage 'https://example.com/g', 3-Q, 296 x 2...
    Name: qr, dtype: object

`import qrkit` does not register it, because importing pandas takes a while.
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

from qrkit.contents.content import Content
from qrkit.contents.kinds import kind_named, make_from_texts
from qrkit.design.design import Design, DesignFields, lists_fields
from qrkit.drawing.untrusted.assets import Fetch
from qrkit.drawing.writers import format_named
from qrkit.errors import ContentTooLong, InvalidParameter, Problem, UnknownParameter, collecting, renaming, similar
from qrkit.late import watch
from qrkit.notebook.picture_columns import PictureTable, drawn, rows_of
from qrkit.pictures.batch_files import Look, Painter
from qrkit.pictures.batches import filed, is_zip
from qrkit.pictures.image import QRImage
from qrkit.pictures.printing import PrintSize
from qrkit.pictures.scan_frame import checked, scan_frame
from qrkit.scanning import audience_named, level_named
from qrkit.tracking.records import Properties, QRCode
from qrkit.tracking.text_columns import text_column, text_of

if TYPE_CHECKING:
    from qrkit.paper.label_sheets import SheetFile
    from qrkit.portfolio import Portfolio

__all__ = ["QRAccessor"]

Result = TypeVar("Result", pd.Series, pd.DataFrame)

ERRORS = "errors"
"""Key in the `attrs` of a column that holds the rows without an image."""
NAMED_ERRORS = 3
"""Maximum number of rows that the warning names."""
MOST_SHOWN = 40
"""Maximum number of columns that an error lists."""
MOST_PROBLEMS = 20
"""Maximum number of invalid cells that an error names."""


@register_dataframe_accessor("qr")
class QRAccessor:
    """QR Codes for the rows of a DataFrame, as `df.qr`.

    Columns are given by their labels. An unknown label raises an `AttributeError` that lists the needed and the
    existing columns. Cells can have any dtype: 7.0 is encoded as "7", a timestamp as `yyyy-MM-dd HH:mm:ss` in UTC.
    """

    def __init__(self, frame: pd.DataFrame) -> None:
        self._frame = frame

    def __repr__(self) -> str:
        """List the functions, each with the first sentence of its documentation."""
        known = {name: one for name, one in vars(type(self)).items() if not name.startswith("_")}
        lines = (f"  {name:<10}{(one.__doc__ or '').partition('.')[0]}." for name, one in known.items())
        return "\n".join([f"<df.qr: QR Codes for {len(self._frame):,} rows>", *lines])

    @lists_fields(DesignFields)
    def generate(
        self,
        content: Hashable,
        *,
        design: Design | Mapping[str, Any] | None = None,
        fetch: Fetch | None = None,
        **fields: Unpack[DesignFields],
    ) -> pd.Series:
        """Generate a QR Code for each row. A row that fails gets None and does not stop the others.

        Args:
            content: The column with the contents to encode.
            design: The design of all images, a `Design` or its fields; its content is ignored.
            fetch: Downloads images that the design references by URL; without it, none are downloaded.
            **fields: Fields of `Design` that override those of the design.

        Returns:
            Series of `QRImage` (dtype object) named `qr`, with the index of the frame. `attrs["errors"]` is a list with
            a pair of label and reason for each row without an image, in the order of the rows.

        Raises:
            AttributeError: If the column does not exist.
            InvalidParameter: If the design or a field is invalid regardless of the content.

        Warns:
            UserWarning: If rows have no image (the first three are named), or if an SVG of the design contains
                something that cannot be drawn.
            ScanWarning: If readers may fail on the first image, and therefore on all that look like it.

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
        result = pd.Series(images, index=self._frame.index, name="qr", dtype="object")
        return self._attach_errors(result, errors)

    def contents(self, kind: str, **fields: Hashable) -> pd.Series:
        """Make a content of one kind for each row, such as a contact. A row that fails gets None.

        Args:
            kind: The name of a kind, which is that of its function in `qrkit.contents`.
            **fields: The column of each field of the kind; empty cells count as absent.

        Returns:
            Series of `Content` (dtype object) named `content`, with the index of the frame. `attrs["errors"]` is a list
            with a pair of label and reason for each row without a content, in the order of the rows.

        Raises:
            AttributeError: If a column does not exist.
            InvalidParameter: If the kind is unknown, or has no such field.

        Warns:
            UserWarning: If rows have no content (the first three are named).

        Example:
            >>> people = pd.DataFrame({"Network": ["Lobby", "Bar"], "Key": ["welcome-1", "espresso"]})
            >>> people.qr.contents("wifi", ssid="Network", password="Key")[1]
            <Content wifi, ssid='Bar', password='…'>
        """
        known = kind_named(kind).fields.model_fields
        problems = [UnknownParameter(name, fields[name], known).problems[0] for name in fields if name not in known]
        problems += [] if fields else [Problem("fields", None, f"needs a column for one or more of {', '.join(known)}")]
        if problems:
            raise InvalidParameter(*problems)
        self._check_columns(fields)
        made: list[Content | None] = []
        errors: dict[int, str] = {}
        for row, values in enumerate(zip(*(self._values(label) for label in fields.values()), strict=True)):
            try:
                made.append(make_from_texts(kind, _texts(fields, values)))
            except InvalidParameter as error:
                made.append(None)
                errors[row] = str(error)
        result = pd.Series(made, index=self._frame.index, name="content", dtype="object")
        return self._attach_errors(result, errors, "content")

    @lists_fields(DesignFields)
    def check(
        self,
        content: Hashable,
        *,
        level: str = "static",
        audience: str = "phones",
        progress: bool = False,
        design: Design | Mapping[str, Any] | None = None,
        fetch: Fetch | None = None,
        **fields: Unpack[DesignFields],
    ) -> pd.DataFrame:
        """Check whether the images of a column scan: one row each. A row that fails has no verdict.

        Columns: verdict (ordered category, from unreadable to robust), score (Int64, 0..100), used (float64, share of
        the error correction), least_width_mm (float64, of a print), issue (str), report (object). The index is that of
        the frame; `attrs["errors"]` is as in `generate`.

        Args:
            content: The column with the contents to encode, or with images from `generate`.
            level: static, quick, standard or full; see `qrkit.check`. With readers, a row takes up to a second.
            audience: Whose readers must read them: phones, or all, which adds embedded readers; see `qrkit.check`.
            progress: Whether to show a progress bar.
            design: The design of the images, as in `generate`.
            fetch: As in `generate`.
            **fields: As in `generate`.

        Raises:
            AttributeError: If the column does not exist.
            InvalidParameter: If the level or the audience is unknown, or the design is invalid for any content.

        Warns:
            UserWarning: If rows have no image (the first three are named).

        Example:
            >>> doors = pd.DataFrame({"url": ["https://example.com"]}, index=["door"])
            >>> doors.qr.check("url", padding=0).loc["door", "verdict"]
            'fragile'
        """
        self._check_columns({"content": content})
        chosen, readers = level_named(level), audience_named(audience)
        images, errors = drawn(self._values(content), content, Look(design, fetch, fields))
        shown = watch(progress=progress)(images, "check", len(images))
        reports = checked(shown, chosen, readers, errors)
        return self._attach_errors(scan_frame(reports, self._frame.index), errors)

    def show(self, columns: Sequence[Hashable] | None = None, *, size: int = 64, rows: int = 50) -> PictureTable:
        """Show the frame as a table with its images. In a notebook, the last line of a cell displays it.

        Args:
            columns: The columns to show, in this order; by default all.
            size: Width of an image in pixels, 16..512.
            rows: Maximum number of rows, 1..1,000; a line below says how many more there are.

        Raises:
            AttributeError: If a column does not exist.
            InvalidParameter: If a number is out of range.

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
        """Write an image for each row to a folder or a zip. A row that fails has no file and does not stop the others.

        File names are made safe for every file system, and numbered if two rows have the same name: `Door.svg`,
        `Door (2).svg`. Existing files with these names, or an existing zip, are replaced.

        Args:
            target: A path that ends in .zip; one that ends in .pdf, for a page for each image; or a folder, which is
                created if it does not exist.
            content: The column with the contents to encode; images from `generate` are written as they are.
            name: The column with the file names; a row without a name is named after its content.
            format: One of `qrkit.drawing.writers.FORMATS`.
            print_size: The size on paper, as in `QRImage.print_at`; by default images have a size in pixels.
            design: The design of the images, as in `generate`.
            **fields: Fields of `Design` that override those of the design.

        Returns:
            Series of str named `file`, with the index of the frame: the paths, or the names in the zip; NaN for a row
            without a file. `attrs["errors"]` is as in `generate`. `list(files.dropna())` returns them as a list.

        Raises:
            AttributeError: If a column does not exist.
            InvalidParameter: If the format is unknown, or if the design is invalid regardless of the content.

        Warns:
            UserWarning: If rows have no file (the first three are named).
            ScanWarning: If readers may fail on the first image, and therefore on all that look like it.

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
        outcomes = [(outcome.file, outcome.error) for outcome in filed(rows, Path(target), painter, len(self._frame))]
        look.tell_fault(stacklevel=3)
        files = [file or None for file, _ in outcomes]
        errors = {row: error for row, (_, error) in enumerate(outcomes) if error}
        return self._attach_errors(text_column(files, index=self._frame.index, name="file"), errors)

    def sheet(
        self, path: str | Path, stock: str, content: Hashable, *, lines: Sequence[str] = (),
        design: Design | Mapping[str, Any] | None = None, **settings: Any,
    ) -> SheetFile:  # fmt: skip
        """Write a PDF of labels or cards with a QR Code for each row and lines of text, without tracking.

        Args:
            path: The file, which ends in .pdf, or in .zpl for a label printer (with `dpi`).
            stock: Part number of a label stock, such as `L7160`, or a card, such as `business-card`.
            content: The column with the contents to encode, or with images from `generate`.
            lines: Lines of text on a label, with columns in braces: `Table {Table}`. The first one is set larger.
            design: The design of the images, as in `generate`.
            **settings: Further fields of `qrkit.paper.SheetSettings`, such as start, copies, marks and bleed.

        Raises:
            AttributeError: If the column does not exist.
            InvalidParameter: If a setting breaks its rule, there is no such stock, a text does not fit, or a QR Code is
                too dense for its label, which the error names; no file is written.
            CannotWrite: If the file cannot be written.

        Warns:
            UserWarning: If the font lacks letters, which are drawn as boxes.
            ScanWarning: If phones may fail to scan the first image, and therefore all that look like it.

        Example:
            >>> from tempfile import TemporaryDirectory
            >>> tables = pd.DataFrame({"Table": [1, 2], "url": ["https://example.com/1", "https://example.com/2"]})
            >>> with TemporaryDirectory() as folder:
            ...     print(tables.qr.sheet(f"{folder}/tents.pdf", "table-tent", "url", lines=["Table {Table}"]))
            2 table tents on 1 page
        """
        from qrkit.paper.label_pages import SheetSettings
        from qrkit.paper.label_sheets import Labels, write_sheet

        self._check_columns({"content": content})
        look = Look(design, None, {})
        cells, others = self._values(content), {str(label): self._values(label) for label in self._frame.columns}
        texts = [
            {name: "" if isinstance(one[row], QRImage) else text_of(one[row], name) for name, one in others.items()}
            for row in range(len(cells))
        ]

        def image(row: int) -> QRImage:
            return cells[row] if isinstance(cells[row], QRImage) else look.image(text_of(cells[row], content))

        labels = Labels(range(len(cells)), image, lambda row: texts[row], self._frame.index.tolist())
        written = write_sheet(path, labels, SheetSettings(stock=stock, lines=lines, **settings))
        look.tell_fault(stacklevel=3)
        return written

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

        Each call adds codes, even if they exist already; `Portfolio.import_frame` skips existing ones.

        Columns: those of the frame, with its index, and two more: `short_url` and `id` (str). Codes beyond the plan's
        limit have NaN as their short URL.

        Args:
            portfolio: The portfolio to add to.
            content: The column with the redirect targets.
            name: The column with names; a row without one is named after its content.
            campaign: The column with campaign names; missing campaigns are created.
            comment: The column with private notes.
            urlinfo: The column with readable endings of the short URLs.
            short_code: The column with custom short codes; a row without one gets a random one.
            properties: How all images are drawn: size, version, padding, em, ec, foreground, background.
            short_url: Name of the new column of short URLs.
            id: Name of the new column of IDs.

        Raises:
            AttributeError: If a column does not exist.
            InvalidParameter: If cells are invalid (up to 20 are named, each by the label of its row and its column), or
                if the frame already has a column with the name of a new one. Nothing is stored.

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
        records = _insert_rows(portfolio, given, zip(self._frame.index.tolist(), rows, strict=True), drawn)
        result = self._frame.copy()
        result[short_url] = text_column(record.short_url or None for record in records).array
        result[id] = text_column(record.id for record in records).array
        return result

    def _values(self, label: Hashable) -> list[Any]:
        """Return the cells of a column, with numbers and timestamps as Python objects."""
        return list(self._frame[label].tolist())

    def _check_columns(self, needed: Mapping[str, Hashable]) -> None:
        """Raise unless every label is exactly one column of the frame."""
        columns = list(self._frame.columns)
        problems = []
        for label in needed.values():
            if label not in columns:
                texts = [column for column in columns if isinstance(column, str)]
                near = similar(label, texts) if isinstance(label, str) else ""
                problems.append(f"no column {label!r}" + (f" ({near})" if near else ""))
            elif columns.count(label) > 1:
                problems.append(f"the column {label!r} {columns.count(label)} times")
        if problems:
            wanted = ", ".join(f"{label!r} ({parameter})" for parameter, label in needed.items())
            shown = ", ".join(map(repr, columns[:MOST_SHOWN])) or "none"
            more = f" and {len(columns) - MOST_SHOWN} more" if len(columns) > MOST_SHOWN else ""
            raise AttributeError(f"the frame has {', '.join(problems)}. Needed: {wanted}. There: {shown}{more}")

    def _attach_errors(self, result: Result, errors: Mapping[int, str], what: str = "picture") -> Result:
        """Attach the errors of rows to a new column or frame, and warn once, at the caller's line."""
        labels = self._frame.index.tolist()
        row_errors = [(labels[row], errors[row]) for row in sorted(errors)]
        result.attrs[ERRORS] = row_errors
        if row_errors:
            first = "; ".join(f"row {label!r}: {reason}" for label, reason in row_errors[:NAMED_ERRORS])
            more = f"; and {len(row_errors) - NAMED_ERRORS} more" if len(row_errors) > NAMED_ERRORS else ""
            count = f"{len(row_errors)} of {len(result)} rows"
            warnings.warn(f"{count} have no {what}: {first}{more} (attrs['errors'] has all)", stacklevel=3)
        return result


def _insert_rows(
    portfolio: Portfolio,
    columns: Mapping[str, Hashable],
    rows: Iterable[tuple[Hashable, tuple[Any, ...]]],
    properties: Properties,
) -> list[QRCode]:
    """Add a QR Code for each row, given as its label and its cells in the order of the columns, in one transaction."""
    problems: list[Problem] = []
    records = []
    with portfolio.store.atomic():
        campaigns = {one.name: one.id for one in reversed(portfolio.list_campaigns())}
        for label, values in rows:
            try:
                texts: dict[str, Any] = {**_texts(columns, values)}
                wanted = texts.pop("campaign", "")
                if wanted and wanted not in campaigns:
                    with renaming(lambda _: "campaign"):
                        campaigns[wanted] = portfolio.insert_campaign(wanted).id
                # Without a marker, because the column of short URLs may be drawn.
                given = {**texts, "campaign_id": campaigns.get(wanted), "properties": properties}
                records.append(portfolio.insert_qrcode(**given, scan_marker=False))
            except InvalidParameter as error:
                problems += [_locate(label, one, columns) for one in error.problems]
            except ContentTooLong as error:
                problems.append(_locate(label, Problem("content", None, str(error), error.code), columns))
            if len(problems) >= MOST_PROBLEMS:
                break
        if problems:
            raise InvalidParameter(*problems[:MOST_PROBLEMS])
    return records


def _texts(columns: Mapping[str, Hashable], values: Iterable[Any]) -> dict[str, str]:
    """Return the cells of a row as strings, by field."""
    problems: list[Problem] = []
    texts: dict[str, str] = {}
    for field, value in zip(columns, values, strict=True):
        with collecting(problems):
            texts[field] = text_of(value, field)
    if problems:
        raise InvalidParameter(*problems)
    return texts


def _locate(label: Hashable, problem: Problem, columns: Mapping[str, Hashable]) -> Problem:
    """Return the problem with the labels of the row and the column in place of the field's name."""
    return replace(problem, name=f"row {label!r}, column {columns.get(problem.name, problem.name)!r}")
