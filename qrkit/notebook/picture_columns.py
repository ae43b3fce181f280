"""Handles columns of images: draws them from a column of contents, writes them to files, shows them in a table."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Hashable, Iterable, Iterator
from typing import Any

import pandas as pd

from qrkit.drawing.writers.svg import readable
from qrkit.errors import QrkitError, check_whole, counted
from qrkit.late import Shown
from qrkit.notebook.views.html import media, page_text
from qrkit.pictures.batch_files import Look, Row
from qrkit.pictures.image import QRImage
from qrkit.tracking.text_columns import text_of

__all__ = ["PictureTable", "drawn", "rows_of"]

SIDES = (16, 512)
MOST_ROWS = 1_000


def drawn(values: Iterable[Any], column: Hashable, look: Look) -> tuple[list[QRImage | None], dict[int, str]]:
    """Draw an image for each cell, keeping cells that are images already; also return errors by row."""
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


def rows_of(values: Iterable[Any], column: Hashable, names: Iterable[Any]) -> Iterator[Row]:
    """Yield the source and the name of each file.

    The source is text or an image. An invalid cell becomes an error.
    """
    for value, name in zip(values, names, strict=True):
        content = value if isinstance(value, QRImage) else _text_or_error(value, column)
        yield Row(content, _text_or_error(name, "name"))


def _text_or_error(value: Any, column: Hashable) -> str | QrkitError:
    try:
        return text_of(value, column)
    except QrkitError as error:
        return error


class PictureTable(Shown):
    """A DataFrame as a table with its QR Codes. In a notebook, the last line of a cell displays it.

    Everything that is not an image is shown as text, with HTML escaped.

    Args:
        frame: The rows; cells with a `QRImage` are shown as images.
        size: Width of an image in pixels, 16..512.
        rows: Maximum number of rows, 1..1,000.

    Raises:
        InvalidParameter: If a number is out of range.
    """

    def __init__(self, frame: pd.DataFrame, *, size: int = 64, rows: int = 50) -> None:
        check_whole("size", size, *SIDES, of=" of pixels")
        check_whole("rows", rows, 1, MOST_ROWS, of=" of rows")
        self.frame = frame
        self.size = size
        self.rows = rows

    def to_html(self) -> str:
        """Return the table as HTML for a page: no script, no external resources, and no styles except sizes."""
        shown = self.frame.head(self.rows)
        columns = [shown.iloc[:, place].tolist() for place in range(shown.shape[1])]
        head = "".join(f"<th>{_cell_text(label)}</th>" for label in ("", *shown.columns))
        lines = [f"<tr><th>{_cell_text(label)}</th>" for label in shown.index]
        for cells in columns:
            for row, value in enumerate(cells):
                lines[row] += f"<td>{self._picture(value) if isinstance(value, QRImage) else _cell_text(value)}</td>"
        # These classes keep notebooks from rendering $…$ in a cell as a formula.
        table = '<table class="dataframe tex2jax_ignore mathjax_ignore">'
        body = [f"<thead><tr>{head}</tr></thead>", "<tbody>", *(f"{line}</tr>" for line in lines), "</tbody>"]
        more = len(self.frame) - len(shown)
        end = [f"<p>… and {counted(more, 'more row')}</p>"] if more > 0 else []
        return "\n".join([table, *body, "</table>", *end]) + "\n"

    def _picture(self, image: QRImage) -> str:
        try:
            data = b64encode(image.to_bytes("png")).decode()
        except QrkitError as error:
            return _cell_text(error)
        height = max(1, round(self.size * image.height / image.width))
        alt = page_text(readable(image.title))
        return f'<img src="data:image/png;base64,{data}" width="{self.size}" height="{height}" alt="{alt}">'

    def __repr__(self) -> str:
        columns = ", ".join(map(repr, self.frame.columns))
        return f"<PictureTable of {counted(len(self.frame), 'row')}: {columns}>"


def _cell_text(value: Any) -> str:
    """Format a cell as HTML text: shortened, escaped, empty if missing."""
    if value is None or (pd.api.types.is_scalar(value) and pd.isna(value)):
        return ""
    return page_text(value)


@media.register
def _(table: PictureTable) -> dict[str, Any]:
    return {"text/html": table.to_html()}
