"""A file that is looked at before its QR Codes are added: `FileImport`. Independent of any browser."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from pathlib import PurePath
from typing import Any

from qrkit.contents.cards import summary
from qrkit.exchange import import_format_of_file
from qrkit.exchange.columns import COLUMN_OF
from qrkit.exchange.merge import ImportResult
from qrkit.exchange.sheets import offered_columns
from qrkit.portfolio import Portfolio
from qrkit.portfolio.access import check_exchange
from qrkit.portfolio.importing import read_mapped

__all__ = ["FileImport"]

MOST_ROWS = 20
"""First rows that are shown."""
MOST_COLUMNS = 8
LONGEST_CELL = 60
MOST_ISSUES = 8
"""Issues that are shown."""


class FileImport:
    """The import of a file, as one can see it beforehand.

    Attributes:
        state: What the browser shows, as JSON: the `name` of the file; its `heading`, unless qrkit knows the tool that
            wrote it; the heading of each of our `columns`; the `campaign` for rows that name none. If the file can be
            imported, also how many QR Codes are `created`, the first `rows` with the columns `shown`, the `issues`, and
            how many `more` there are.
        result: The result of the last check, or of the import.

    Raises:
        NotAllowed: If the plan of the account does not include imports.
        InvalidParameter: If the name does not end as the files do that can be imported.
    """

    def __init__(self, portfolio: Portfolio, name: str, data: bytes) -> None:
        check_exchange(portfolio.account)
        format = import_format_of_file(PurePath(name)).name
        self._portfolio, self._data, self._format = portfolio, data, format
        heading, offered = offered_columns(data, format)
        self.state: dict[str, Any] = {"name": name, "heading": heading, "columns": offered, "campaign": ""}
        is_found = offered.get("Content", "content").lower() in COLUMN_OF  # or the import says what is missing
        self._columns: Mapping[str, str] = {} if is_found else offered

    def check(self, columns: Mapping[str, str] | None = None, campaign: str = "") -> None:
        """Read the file with columns and a campaign, as `Portfolio.import_file` takes them, and see what it would do.

        Args:
            columns: The columns; None for those of the last check, or for the first one, those that are offered.

        Raises:
            UnreadableFile: If the file would be refused.
            InvalidParameter: If no column is the content.
        """
        columns = self._columns if columns is None else columns
        self._columns = columns
        kept = {name: self.state[name] for name in ("name", "heading", "columns")}
        self.state = kept | {"campaign": campaign} | ({"columns": columns} if columns else {})
        result = self.add(check=True)
        rows = list(islice(read_mapped(self._data, self._format, columns).rows, MOST_ROWS))
        told = {issue.row: issue.detail for issue in reversed(result.to_fix_first)}
        texts = [{name: summary(text) for name, text in {**row.cells, **row.own}.items() if text} for row in rows]
        shown = list(dict.fromkeys(name for row in texts for name in row))[:MOST_COLUMNS]
        self.state |= {
            "created": result.created,
            "issues": [
                f"Row {one.row}: {one.detail}{'' if one.detail.endswith('?') else '.'}"
                for one in result.to_fix_first[:MOST_ISSUES]
            ],
            "more": max(0, len(result.issues) - MOST_ISSUES),
            "shown": shown,
            "rows": [
                [str(row.number), *(text.get(name, "")[:LONGEST_CELL] for name in shown), told.get(row.number, "")]
                for row, text in zip(rows, texts, strict=True)
            ],
        }

    def add(self, *, check: bool = False) -> ImportResult:
        """Add the QR Codes as they were checked last, or check alone."""
        campaign: str = self.state["campaign"]
        how: dict[str, Any] = {"format": self._format, "columns": self._columns, "campaign": campaign, "anyway": False}
        self.result = self._portfolio.import_file(self._data, check=check, **how)
        return self.result
