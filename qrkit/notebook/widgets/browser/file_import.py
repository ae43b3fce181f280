"""A file that is looked at before its QR Codes or visits are added: `FileImport`. Independent of any browser."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from pathlib import PurePath
from typing import Any

from qrkit.contents.cards import summary
from qrkit.exchange import import_format_of_file
from qrkit.exchange.columns import COLUMN_OF
from qrkit.exchange.merge import ImportResult
from qrkit.exchange.sheets import heading_in, offered_columns, sheet_of
from qrkit.exchange.visit_tables import holds_scans, share_of_visits
from qrkit.languages import say, translated
from qrkit.portfolio import Portfolio
from qrkit.portfolio.access import check_exchange
from qrkit.portfolio.importing import read_table
from qrkit.portfolio.scan_importing import ScanImport
from qrkit.portfolio.updating import IDENTIFYING
from qrkit.tracking.names import tidy_name

OF_CODES = ("campaign", "update_by", "old_base_url")
CHOICES = (*OF_CODES, "code")
"""What people choose besides the columns, as `Portfolio.import_file` and `import_scans` take it."""
MOST_ROWS = 20
"""First rows that are shown."""
MOST_COLUMNS = 8
LONGEST_CELL = 60
MOST_ISSUES = 8
"""Issues that are shown."""
CODES = ("{count} QR Code", "{count} QR Codes")
VISITS = ("{count} visit", "{count} visits")
KNOWN = ("{count} visit is already in the portfolio.", "{count} visits are already in the portfolio.")


class FileImport:
    """The import of a file, as one can see it beforehand.

    Attributes:
        state: What the browser shows, as JSON: the `name` of the file; its `heading`, unless qrkit knows the tool that
            wrote it; the heading of each of our `columns`; whether it `has_scans`; what may be `identifying` QR Codes
            to update; the `CHOICES`. If the file can be imported, also the `count` of what is added or changed, the
            `sentence` and the `button` that say what, the first `rows` (their number, a note, and the columns `shown`),
            the `issues`, and how many `more` there are.
        result: The result of the last check, or of the import.
    """

    result: ImportResult | ScanImport

    def __init__(self, portfolio: Portfolio, name: str, data: bytes) -> None:
        check_exchange(portfolio.account)
        format = import_format_of_file(PurePath(name)).name
        self._portfolio, self._data, self._format = portfolio, data, format
        has_scans = holds_scans(heading_in(data, format, share_of_visits))
        heading, offered = ([], {}) if has_scans else offered_columns(data, format)
        self.state: dict[str, Any] = {"name": name, "heading": heading, "has_scans": has_scans}
        self.state |= self._chosen(offered, {})
        is_found = offered.get("Content", "content").lower() in COLUMN_OF  # or the import says what is missing
        self._columns: Mapping[str, str] = {} if is_found else offered

    def check(self, columns: Mapping[str, str] | None = None, choices: Mapping[str, str] | None = None) -> None:
        """Read the file with columns and `CHOICES`, as `Portfolio.import_file` takes them, and see what it would do.

        Columns of None are those of the last check, or for the first one, those that are offered. Choices that are left
        out are empty.
        """
        columns = self._columns if columns is None else columns
        self._columns = columns
        kept = {name: self.state[name] for name in ("name", "heading", "has_scans")}
        self.state = kept | self._chosen(columns or self.state["columns"], choices or {})
        result = self.add(check=True)
        issues = _issues(result)
        told = dict(reversed(issues))
        rows = [(number, {name: summary(text) for name, text in row.items() if text}) for number, row in self._rows()]
        shown = list(dict.fromkeys(name for _, row in rows for name in row))[:MOST_COLUMNS]
        self.state |= _summary(result) | {
            "issues": [_sentence(*issue) for issue in issues[:MOST_ISSUES]],
            "more": max(0, len(issues) - MOST_ISSUES),
            "shown": shown,
            "rows": [
                [str(number), told.get(number, ""), *(row.get(name, "")[:LONGEST_CELL] for name in shown)]
                for number, row in rows
            ],
        }

    def _chosen(self, columns: Mapping[str, str], choices: Mapping[str, str]) -> dict[str, Any]:
        """Return what is chosen, and what may be chosen with these columns, as parts of the state."""
        own, heading = self._portfolio.scans.field_names(), self.state["heading"]
        # A file without columns to map has names and short URLs in places of its own.
        found = () if self.state["has_scans"] else columns if heading else IDENTIFYING
        known = [ours for column, ours in IDENTIFYING.items() if column in found]
        return {
            **dict.fromkeys(CHOICES, ""),
            **choices,
            "columns": columns,
            "identifying": [*known, *(title for title in map(tidy_name, heading) if title in own)],
        }

    def _rows(self) -> Iterable[tuple[int, Mapping[str, str]]]:
        """Return the numbers and the cells of the first rows."""
        if self.state["has_scans"]:
            sheet = sheet_of(self._data, self._format)
            return islice(zip(sheet.numbers, sheet.texts(), strict=True), MOST_ROWS)
        rows = islice(read_table(self._data, self._format, self._columns).rows, MOST_ROWS)
        return [(row.number, {**row.cells, **row.own}) for row in rows]

    def add(self, *, check: bool = False) -> ImportResult | ScanImport:
        """Add the QR Codes or the visits as they were checked last, or check alone."""
        state, format = self.state, self._format
        if state["has_scans"]:
            self.result = self._portfolio.import_scans(
                self._data, format=format, code=state["code"], name=state["name"], check=check
            )
        else:
            how: dict[str, Any] = {name: state[name] for name in OF_CODES}
            self.result = self._portfolio.import_file(
                self._data, format=format, columns=self._columns, check=check, anyway=False, **how
            )
        return self.result


def _issues(result: ImportResult | ScanImport) -> list[tuple[int, str]]:
    """Return the rows that people should know about, and why; those to fix first."""
    if isinstance(result, ScanImport):
        return [(row, translated(detail)) for row, detail in result.issues]
    return [(one.row, translated(one.detail)) for one in result.to_fix_first]


def _sentence(row: int, detail: str) -> str:
    """Return what is said of a row of a file; of row 0, which is the whole file."""
    text = detail if detail.endswith("?") else f"{detail}."
    return say("Row {row}: {text}", row=str(row), text=text) if row else text[:1].upper() + text[1:]


def _summary(result: ImportResult | ScanImport) -> dict[str, Any]:
    """Return what an import adds and changes: the number, a sentence, and what its button says."""
    unit = VISITS if isinstance(result, ScanImport) else CODES
    if isinstance(result, ScanImport):
        count, others, other = result.created, result.known, say(KNOWN, result.known)
    else:
        others = len(result.updates)
        count, other = result.created + others, say("{codes} will be changed.", codes=say(CODES, others))
    sentences = [say("{codes} will be added.", codes=say(unit, result.created))] if result.created or not others else []
    sentences += [other] if others else []
    return {"count": count, "sentence": " ".join(sentences), "button": say("Import {name}", name=say(unit, count))}
