"""Columns of pictures: drawn from a column of contents, written to files, shown as a table."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Hashable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import pandas as pd

from qrkit.contents.cards import summary
from qrkit.design.limits import Within
from qrkit.drawing.writers.svg import readable
from qrkit.errors import InvalidParameter, Problem, QrkitError
from qrkit.exchange.frames import text_of
from qrkit.notebook.views.html import page_text
from qrkit.pictures.batch_files import Look, Row
from qrkit.pictures.image import QRImage

if TYPE_CHECKING:
    from qrkit.scanning.scan_report import ScanReport

__all__ = ["PictureTable", "checked", "drawn", "rows_of"]

SIDES = Within(16, 512, "pixels")
MOST_ROWS = Within(1, 1000, "rows")


def drawn(values: Iterable[Any], column: Hashable, look: Look) -> tuple[list[QRImage | None], dict[int, str]]:
    """A picture for each cell, those that are pictures as they are; and why some have none."""
    images: list[QRImage | None] = []
    errors: dict[int, str] = {}
    for row, value in enumerate(values):
        image = value if isinstance(value, QRImage) else None
        if image is None:
            try:
                image = look.image(text_of(value, column))
            except QrkitError as error:
                errors[row] = str(error)
        images.append(image)
    return images, errors


def checked(images: Iterable[QRImage | None], level: str, errors: dict[int, str]) -> list[ScanReport | None]:
    """A report for each picture; why one has none joins the errors."""
    reports: list[ScanReport | None] = []
    for row, image in enumerate(images):
        report = None
        if image is not None:
            try:
                report = image.scan if level == "static" else image.check(level)
            except QrkitError as error:
                errors[row] = str(error)
        reports.append(report)
    return reports


def rows_of(values: Iterable[Any], column: Hashable, names: Iterable[Any]) -> Iterator[Row]:
    """What each file is made of: its cell as text, or the picture in it, and the cell of its name."""
    for value, name in zip(values, names, strict=True):
        content = value if isinstance(value, QRImage) else _text_or_error(value, column)
        yield Row(content, _text_or_error(name, "name"))


def _text_or_error(value: Any, column: Hashable) -> str | QrkitError:
    try:
        return text_of(value, column)
    except QrkitError as error:
        return error


class PictureTable:
    """A DataFrame as a table with the QR Codes in it. In a notebook the last line of a cell shows it.

    Whatever is no picture is shown as text, in which HTML is nothing but text.

    Args:
        frame: The rows; cells that are a `QRImage` are shown as pictures.
        size: Width of a picture in pixels, 16..512.
        rows: How many rows are shown, 1..1,000.

    Raises:
        InvalidParameter: A number is out of its range.
    """

    def __init__(self, frame: pd.DataFrame, *, size: int = 64, rows: int = 50) -> None:
        for name, value, bound in (("size", size, SIDES), ("rows", rows, MOST_ROWS)):
            if not isinstance(value, int) or not bound.low <= value <= bound.high:
                raise InvalidParameter(Problem(name, value, f"must be a whole number in {bound}", "out-of-range"))
        self.frame = frame
        self.size = size
        self.rows = rows

    def to_html(self) -> str:
        """The table as a part of a page: no script, no style but sizes, nothing from elsewhere."""
        shown = self.frame.head(self.rows)
        columns = [shown.iloc[:, place].tolist() for place in range(shown.shape[1])]
        head = "".join(f"<th>{_shown(label)}</th>" for label in ("", *shown.columns))
        lines = [f"<tr><th>{_shown(label)}</th>" for label in shown.index]
        for cells in columns:
            for row, value in enumerate(cells):
                lines[row] += f"<td>{self._picture(value) if isinstance(value, QRImage) else _shown(value)}</td>"
        # The classes keep notebooks from reading $…$ in a cell as a formula.
        table = '<table class="dataframe tex2jax_ignore mathjax_ignore">'
        body = [f"<thead><tr>{head}</tr></thead>", "<tbody>", *(f"{line}</tr>" for line in lines), "</tbody>"]
        more = len(self.frame) - len(shown)
        end = [f"<p>… and {more:,} more row{'s' if more > 1 else ''}</p>"] if more > 0 else []
        return "\n".join([table, *body, "</table>", *end]) + "\n"

    def _picture(self, image: QRImage) -> str:
        try:
            data = b64encode(image.to_bytes("png")).decode()
        except QrkitError as error:
            return _shown(error)
        height = max(1, round(self.size * image.height / image.width))
        said = page_text(readable(summary(image.design.content)))
        return f'<img src="data:image/png;base64,{data}" width="{self.size}" height="{height}" alt="{said}">'

    def _repr_html_(self) -> str:
        return self.to_html()

    def __repr__(self) -> str:
        count = len(self.frame)
        columns = ", ".join(map(repr, self.frame.columns))
        return f"<PictureTable of {count} row{'' if count == 1 else 's'}: {columns}>"


def _shown(value: Any) -> str:
    """A cell as text of a page: cut, escaped, empty where there is nothing."""
    if value is None or (pd.api.types.is_scalar(value) and pd.isna(value)):
        return ""
    return page_text(value)
