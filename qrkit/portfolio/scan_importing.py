"""Adds visits that were counted elsewhere from a file: finds their QR Codes, compares numbers, and keeps the source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache
from typing import Any
from urllib.parse import parse_qsl

from qrkit.exchange.visit_tables import ScanTable
from qrkit.languages import say
from qrkit.late import pd
from qrkit.store import Scans, Store
from qrkit.store.recording.user_agents import names_bot
from qrkit.store.records.scan_imports import keep_scan_import, kept_scan_imports
from qrkit.store.records.short_codes import codes_named
from qrkit.tracking.times import to_iso

__all__ = ["ScanImport", "check_scans", "imports_frame", "insert_scans"]

CLOCKS = timedelta(days=1)
"""How far clocks and time zones may be apart."""
OWN_CODES = "SELECT short_code, content, imported_scans FROM qrcodes WHERE account_id = ?"


@dataclass(frozen=True, slots=True)
class ScanImport:
    """The result of an import of visits.

    Attributes:
        created: The number of visits that were added.
        known: The number of visits that were in the store already.
        issues: The number of each row that was left out or changed, and why; 0 for the whole file.
        differences: Short codes whose number of scans, as imported with the QR Code, is not the number of their rows:
            that number, and the number of rows.
        service: The service whose headings the file has, such as Shlink; "" for any other file.
        bots: The number of visits in the file that are bots here, because the file or their user agent says so.
        bots_said: The number of visits that the file calls bots; None if it does not say.
    """

    created: int
    known: int
    issues: tuple[tuple[int, str], ...] = ()
    differences: Mapping[str, tuple[int, int]] = field(default_factory=dict, hash=False)
    service: str = ""
    bots: int = 0
    bots_said: int | None = None

    def __str__(self) -> str:
        left = len({row for row, _ in self.issues if row})
        added = ("{count} visit added", "{count} visits added")
        told = [say(added, self.created), say("{count} known before", self.known)]
        if self.bots_said is not None and (self.bots or self.bots_said):
            of_file = ("{count} bot (the file says {said})", "{count} bots (the file says {said})")
            told.append(say(of_file, self.bots, said=self.bots_said))
        elif self.bots:
            told.append(say(("{count} bot", "{count} bots"), self.bots))
        if left:
            told.append(say(("{count} row with issues", "{count} rows with issues"), left))
        return ", ".join(told)

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per short code whose numbers differ.

        Columns: short_code (str), imported, rows (int64).
        """
        rows = [(code, *numbers) for code, numbers in self.differences.items()]
        return pd.DataFrame(rows, columns=["short_code", "imported", "rows"])


def insert_scans(scans: Scans, table: ScanTable, base_url: str, *, source: str, now: datetime) -> ScanImport:
    """Add the visits of a table to a portfolio, and keep their source; rows whose QR Code is not found become issues.

    Args:
        source: The name of the file; "" for bytes.
        now: The time of the import.
    """
    codes = scans.store.rows(OWN_CODES, [scans.account_id])
    own = {row["short_code"]: row for row in codes}
    found_by = _finder(own, table.utm) if table.utm else _path_finder(scans.store, own, base_url)
    visits, issues = [], list(table.issues)
    for row, number in zip(table.rows, table.numbers, strict=True):
        try:
            visits.append({**row, "short_code": found_by(row["short_code"])})
        except LookupError as error:
            issues.append((number, str(error.args[0])))
    if late := [time for visit in visits if datetime.fromisoformat(time := visit["time"]) > now + CLOCKS]:
        rule = "they were imported as they are; check the order of day and month, and the clock of the server"
        issues.append((0, f"visits in the future: {len(late):,}, such as {late[0]}; {rule}"))
    created = scans.insert(visits) if visits else 0
    counts = Counter(visit["short_code"] for visit in visits)
    numbers = {code: int(own[code]["imported_scans"]) for code in counts}
    # Rows that were there already have reduced the number before.
    is_first = created == len(visits)
    differences = {code: (numbers[code], rows) for code, rows in counts.items() if numbers[code] not in (0, rows)}
    bots = _count_bots(visits)
    if created:
        times = [visit["time"] for visit in visits]
        keep_scan_import(
            scans.store,
            scans.account_id,
            {
                "imported": to_iso(now), "source": source, "service": table.service, "visits": created,
                "qrcodes": len(counts), "bots": bots, "bots_said": table.bots_said,
                "first": min(times), "last": max(times),
            },
        )  # fmt: skip
    return ScanImport(
        created, len(visits) - created, tuple(sorted(set(issues))), differences if is_first else {},
        table.service, bots, table.bots_said,
    )  # fmt: skip


def check_scans(scans: Scans, table: ScanTable, base_url: str, *, now: datetime) -> ScanImport:
    """Return what `insert_scans` would return, and add nothing."""
    with _undoing(scans.store):
        return insert_scans(scans, table, base_url, source="", now=now)


class _CheckedOnlyError(Exception):
    """Rolls back a transaction."""


@contextmanager
def _undoing(store: Store) -> Iterator[None]:
    """Context manager: rolls back what the block stores."""
    with suppress(_CheckedOnlyError), store.atomic():
        yield
        raise _CheckedOnlyError


def _count_bots(visits: Sequence[Mapping[str, Any]]) -> int:
    """Return how many visits are bots because their file says so, or their user agent does."""
    is_bot = cache(names_bot)
    return sum(visit.get("kind") == "bot" or ("kind" not in visit and is_bot(visit.get("user_agent", "")))
               for visit in visits)  # fmt: skip


def imports_frame(store: Store, account_id: str) -> pd.DataFrame:
    """Return the imports of an account as `Portfolio.scan_imports` describes them."""
    kinds = {
        "imported": "datetime64[us, UTC]", "source": "str", "service": "str", "visits": "int64", "qrcodes": "int64",
        "bots": "int64", "bots_said": "Int64", "first": "datetime64[us, UTC]", "last": "datetime64[us, UTC]",
    }  # fmt: skip
    frame = pd.DataFrame(kept_scan_imports(store, account_id), columns=list(kinds))
    times = {name: pd.to_datetime(frame[name], utc=True, format="ISO8601") for name in ("imported", "first", "last")}
    return frame.assign(**times).astype(kinds)


def _path_finder(store: Store, own: Mapping[str, object], base_url: str) -> Callable[[str], str]:
    """Return what finds the short code of a short URL, a path or a short code, or raises LookupError."""

    @cache
    def find(text: str) -> str:
        if code := next((code for code in codes_named(store, text, base_url) if code in own), ""):
            return code
        raise LookupError(f"{text!r:.80} is not a short code or short URL of this portfolio")

    return find


def _finder(own: Mapping[str, Mapping[str, object]], utm: str) -> Callable[[str], str]:
    """Return what finds the one short code whose content has a value of a UTM parameter, or raises LookupError."""
    codes: dict[str, list[str]] = {}
    for code, row in own.items():
        query = str(row["content"]).partition("#")[0].partition("?")[2]
        if value := dict(parse_qsl(query)).get(utm):
            codes.setdefault(value.lower(), []).append(code)

    def find(text: str) -> str:
        found = codes.get(text.strip().lower(), [])
        if len(found) != 1:
            what = f"{len(found)} QR Codes lead" if found else "no QR Code leads"
            raise LookupError(f"{what} to an address with {utm}={text!r:.80}")
        return found[0]

    return find
