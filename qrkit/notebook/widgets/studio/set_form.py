"""Codes that are printed together in one look: one of them, numbered ones, or one for each row of a table."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from qrkit.drawing.writers import FORMATS
from qrkit.errors import InvalidParameter, Problem

if TYPE_CHECKING:
    from qrkit.design.design import Design
    from qrkit.paper import Labels, SheetSettings
    from qrkit.pictures.batches import Batch
    from qrkit.pictures.printing import PrintSize

__all__ = ["SetForm"]

MOST_CODES, MOST_ON_PAGE = 2000, 300
WIDTH = 800
"""Width of the picture of a page, in pixels."""

Asked = Mapping[str, Any]
"""What the form says: `of` ("one", "numbered" or "table"), `count`, the `stock` of a sheet, and the patterns `content`
and `caption`, which are those of the design if they are empty."""


class SetForm:
    """Makes the codes that the form describes."""

    def __init__(self) -> None:
        self._table: list[dict[str, str]] = []

    def read(self, data: bytes) -> list[str]:
        """Read a table from a csv, xlsx, xls or ods file, and return the names of its columns."""
        from qrkit.exchange.sheets import sheet_of

        table = sheet_of(data, "csv", name="the table")
        self._table = table.texts()
        return list(table.heading)

    def page(self, design: Design, asked: Asked) -> bytes:
        """Return the first page of a sheet as a PNG, and warn of what to change before printing."""
        from qrkit.paper import first_page

        return FORMATS["png"].write(first_page(*self._sheet(design, asked, MOST_ON_PAGE), width=WIDTH))

    def file(self, design: Design, asked: Asked, names: str, format: str, size: PrintSize | None) -> tuple[str, bytes]:
        """Return a sheet, a PDF with a page for each code, or a zip of pictures: its name and its bytes.

        Args:
            names: Pattern of the file names in a zip; "" for the captions.
        """
        from qrkit.paper import write_sheet

        names = names or str(asked.get("caption") or "{n}")
        with TemporaryDirectory() as folder:
            if asked.get("stock"):
                file = write_sheet(Path(folder, "sheet.pdf"), *self._sheet(design, asked)).path
            else:
                file = Path(folder, f"qr-codes.{'pdf' if format == 'pdf' else 'zip'}")
                self._codes(design, asked, to=file, names=names, format=format, print_size=size)
            return file.name, file.read_bytes()

    def _sheet(self, design: Design, asked: Asked, most: int | None = None) -> tuple[Labels, SheetSettings]:
        """Return the labels of a sheet; one code fills it."""
        from qrkit.paper import Labels, SheetSettings, stock_named

        images, stock = self._codes(design, asked, most).images, str(asked["stock"])
        copies = len(stock_named(stock).places) if asked.get("of") == "one" else 1
        return Labels(images, lambda image: image, lambda _: {}), SheetSettings(stock=stock, copies=copies)

    def _codes(self, design: Design, asked: Asked, most: int | None = None, **how: Any) -> Batch:
        """Draw the codes, of a set the first `most`; if one cannot be drawn, none is."""
        from qrkit.pictures.sets import generate_set

        if asked.get("of") == "one":
            return generate_set(1, [design.content], design=design, **how)
        is_numbered, count = asked.get("of") == "numbered", min(int(asked.get("count") or 0), MOST_CODES + 1)
        rows = [{}] * count if is_numbered else self._table
        if not (rows or is_numbered):
            raise InvalidParameter(Problem("table", None, "has no rows, and each row makes a code"))
        if not 1 <= len(rows) <= MOST_CODES:
            rule = f"must be in 1..{MOST_CODES:,}; for more, use `qrkit generate`"
            raise InvalidParameter(Problem("codes", len(rows), rule, "out-of-range"))
        usual = design.content.replace("%7B", "{").replace("%7D", "}")  # as links write braces
        content, words = str(asked.get("content") or usual), design.frame and design.frame.caption
        caption = asked.get("caption") or (words.text if words else None)
        made = generate_set(rows[:most], content, caption=caption, design=design, **how)
        for error in made.errors:
            raise InvalidParameter(Problem(f"code {error.row + 1}", None, error.error))
        return made
