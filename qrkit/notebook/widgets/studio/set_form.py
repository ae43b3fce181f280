"""Codes that are printed together in one look: one of them, numbered ones, or one for each row of a table."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from qrkit.drawing.writers import FORMATS
from qrkit.errors import InvalidParameter, Problem
from qrkit.languages.sentences import say
from qrkit.pictures.patterns import FIELD, filled

if TYPE_CHECKING:
    from qrkit.design.design import Design
    from qrkit.paper import Labels, SheetSettings
    from qrkit.pictures.batches import Batch
    from qrkit.pictures.printing import PrintSize


MOST_CODES, MOST_ON_PAGE = 2000, 300
WIDTH = 800
"""Width of the picture of a page, in pixels."""

Asked = Mapping[str, Any]
"""What the form says: `of` ("one", "numbered" or "table"), `count`, the `SETTINGS` of a sheet, and the patterns
`content` and `caption`, which are those of the design if they are empty."""
SETTINGS = ("stock", "lines", "label_color", "text_color", "paper", "marks", "bleed", "profile")


class SetForm:
    """Makes the codes that the form describes."""

    def __init__(self) -> None:
        self._table: list[dict[str, str]] = []
        self._column = ""

    def read(self, data: bytes, design: Design) -> tuple[list[str], str]:
        """Read a table from a csv, xlsx, xls or ods file.

        Returns the names of its columns, and the pattern of the contents; "" if it is that of the design.
        """
        from qrkit.exchange.sheets import sheet_of

        table = sheet_of(data, "csv", name="the table")
        self._table, self._column = table.texts(), table.content_column
        is_used = any(column in table.heading for column in FIELD.findall(_pattern(design, {})))
        return list(table.heading), f"{{{self._column}}}" if self._column and not is_used else ""

    def sameness(self, design: Design, asked: Asked) -> list[str]:
        """Say that all codes of a set have the same content, which few people mean to print."""
        from qrkit.pictures.sets import NUMBER

        rows, pattern = self._rows(asked), _pattern(design, asked)
        if len(rows) < 2 or len({filled(pattern, row) for row in rows}) > 1:
            return []
        if FIELD.search(pattern):
            return [say("All {count} codes are the same", len(rows))]
        unused = f"{{{NUMBER if asked.get('of') == 'numbered' else self._column or list(rows[0])[-1]}}}"
        return [say("All {count} codes are the same; {column} is not used", len(rows), column=unused)]

    def page(self, design: Design, asked: Asked) -> bytes | None:
        """Return the first page of a sheet as a PNG, and warn of what to change before printing.

        Codes that are not on a sheet have no page; the first one is drawn, which raises what is wrong with all.
        """
        from qrkit.paper import first_page

        if not asked.get("stock"):
            self._codes(design, asked, 1)
            return None
        return FORMATS["png"].write(first_page(*self._sheet(design, asked, MOST_ON_PAGE), width=WIDTH))

    def file(self, design: Design, asked: Asked, names: str, format: str, size: PrintSize | None) -> tuple[str, bytes]:
        """Return a sheet, a PDF with a page for each code, or a zip of pictures: its name and its bytes.

        `names` is the pattern of the file names in a zip; "" for the captions.
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
        from qrkit.paper import Labels, SheetSettings
        from qrkit.paper.label_sheets import stock_of
        from qrkit.pictures.sets import NUMBER

        is_one, given = asked.get("of") == "one", {name: asked[name] for name in SETTINGS if name in asked}
        settings = SheetSettings(**given)
        if is_one:
            settings = settings.replace(copies=len(stock_of(settings).places))
        rows = [{NUMBER: "1"}] if is_one else self._rows(asked)[:most]
        labels = [*zip(self._codes(design, asked, most).images, rows, strict=True)]
        return Labels(labels, lambda label: label[0], lambda label: label[1]), settings

    def _codes(self, design: Design, asked: Asked, most: int | None = None, **how: Any) -> Batch:
        """Draw the codes, of a set the first `most`; if one cannot be drawn, none is."""
        from qrkit.pictures.sets import generate_set

        if asked.get("of") == "one":
            return generate_set(1, [design.content], design=design, **how)
        words = design.frame and design.frame.caption
        caption = asked.get("caption") or (words.text if words else None)
        made = generate_set(self._rows(asked)[:most], _pattern(design, asked), caption=caption, design=design, **how)
        for error in made.errors:
            raise InvalidParameter(Problem(f"code {error.row + 1}", None, error.error))
        return made

    def _rows(self, asked: Asked) -> list[dict[str, str]]:
        """Return the row of each code of a set."""
        from qrkit.pictures.sets import numbered

        is_numbered, count = asked.get("of") == "numbered", min(int(asked.get("count") or 0), MOST_CODES + 1)
        rows = [{}] * count if is_numbered else self._table
        if not (rows or is_numbered):
            raise InvalidParameter(Problem("table", None, "has no rows, and each row makes a code"))
        if not 1 <= len(rows) <= MOST_CODES:
            rule = f"must be in 1..{MOST_CODES:,}; for more, use `qrkit generate`"
            raise InvalidParameter(Problem("codes", len(rows), rule, "out-of-range"))
        return numbered(rows)


def _pattern(design: Design, asked: Asked) -> str:
    """Return the pattern of the contents of a set; that of the design by default."""
    return str(asked.get("content") or with_braces(design.content))


def with_braces(content: str) -> str:
    """Return a content as it was typed; links write the braces of a pattern as %7B and %7D."""
    return content.replace("%7B", "{").replace("%7D", "}")
