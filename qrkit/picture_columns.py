"""Columns of pictures: drawn from a column of contents, written to files, shown as a table."""

from __future__ import annotations

import re
import warnings
import zipfile
from base64 import b64encode
from collections.abc import Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from html import escape
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pandas as pd

from qrkit.assets import Fetch, read_assets
from qrkit.design import Design
from qrkit.errors import InvalidParameter, Problem, QrkitError
from qrkit.exchange import archives
from qrkit.exchange.columns import name_from
from qrkit.frames import text_of
from qrkit.generate_request import FileNames, safe_stem
from qrkit.image import QRImage
from qrkit.limits import Within
from qrkit.writers.svg import readable

__all__ = ["Look", "PictureTable", "drawn", "file_names", "written"]

PLACEHOLDER = "0"
"""A content that every mode can encode."""
SIDES = Within(16, 512, "pixels")
MOST_ROWS = Within(1, 1000, "rows")
LONGEST_TEXT = 200
"""Characters of a cell that are shown."""


class Look:
    """What all pictures of a column share: it is judged once, and the pictures in it are read once.

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
        elif design is None or isinstance(design, Mapping):
            self._design = Design(**{**(design or {}), **fields, "content": PLACEHOLDER})
        else:
            raise InvalidParameter(Problem("design", design, "must be a Design, or its fields", "wrong-type"))
        self._pictures = read_assets(self._design.pictures, fetch)
        for warning in QRImage(self._design, pictures=self._pictures).warnings:
            warnings.warn(warning, stacklevel=3)

    def image(self, content: str) -> QRImage:
        """The picture of a content."""
        return QRImage(self._design.replace(content=content), pictures=self._pictures)


@contextmanager
def _noting(errors: dict[int, str], row: int) -> Iterator[None]:
    """Note what qrkit refuses inside as the error of a row, and go on."""
    try:
        yield
    except QrkitError as error:
        errors[row] = str(error)


def drawn(values: Iterable[Any], column: Hashable, look: Look) -> tuple[list[QRImage | None], dict[int, str]]:
    """A picture for each cell, those that are pictures as they are; and why some have none."""
    images: list[QRImage | None] = []
    errors: dict[int, str] = {}
    for row, value in enumerate(values):
        image = value if isinstance(value, QRImage) else None
        if image is None:
            with _noting(errors, row):
                image = look.image(text_of(value, column))
        images.append(image)
    return images, errors


def file_names(
    images: Iterable[QRImage | None], names: Iterable[Any], format: str, errors: dict[int, str]
) -> dict[int, str]:
    """A file name for each picture by its row: safe, no two the same, from its own name or else its content."""
    stems: dict[int, str] = {}
    for row, (image, name) in enumerate(zip(images, names, strict=True)):
        if image is not None:
            with _noting(errors, row):
                stems[row] = safe_stem(text_of(name, "name") or name_from(image.design.content))
    free = FileNames(format)
    return {row: free.name_for(stem) for row, stem in stems.items()}


def written(
    target: Path, format: str, pictures: Mapping[int, tuple[str, QRImage]], errors: dict[int, str]
) -> dict[int, str]:
    """Write pictures, by their rows with their file names, into a folder or a zip; the files by their rows."""
    files: dict[int, str] = {}
    if target.suffix.lower() != ".zip":
        target.mkdir(parents=True, exist_ok=True)
        for row, (name, image) in pictures.items():
            with _noting(errors, row):
                (target / name).write_bytes(image.to_bytes(format))
                files[row] = str(target / name)
        return files
    packed = BytesIO()
    with ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for row, (name, image) in pictures.items():
            with _noting(errors, row):
                archives.add(archive, name, image.to_bytes(format))
                files[row] = name
    target.write_bytes(packed.getvalue())
    return files


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
        said = escape(_printable(readable(image.design.content)))
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
    text = str(value)
    return escape(_printable(text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 1] + "…"))


def _printable(text: str) -> str:
    """The text without characters that a page cannot hold."""
    return re.sub(r"[\0-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]", "\ufffd", text)
