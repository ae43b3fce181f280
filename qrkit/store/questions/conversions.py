"""`Conversions`: what came of the scans of a portfolio, such as orders, as shops tell it.

A conversion is a visit of the kind `conversion`. So it is durable, archived, moved, backed up and deleted like a scan.
It holds the key of the visitor on the day of the scan, but no address and no user agent.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from qrkit.errors import InvalidParameter, NotFound, NotStored, Problem, nearest
from qrkit.late import pd
from qrkit.store.connection import Store
from qrkit.store.copies.arrow_tables import TABLE_RULE, ArrowTable, is_table, pandas_frame
from qrkit.store.questions.scans import Scans
from qrkit.store.recording.click_ids import LENGTH, click_of
from qrkit.store.recording.recorder import record_visit
from qrkit.store.recording.visit_rows import insert_visits
from qrkit.store.records.short_codes import longest_known, spelling
from qrkit.tracking.conversion import SHOPS, Conversion, number_in
from qrkit.tracking.records import Visit
from qrkit.tracking.short_urls import host_of, path_of, tidy_code, with_scheme
from qrkit.tracking.text_columns import text_of, with_dtypes
from qrkit.tracking.times import to_iso, utc

__all__ = ["TOLD", "ConversionImport", "Conversions", "conversion_visit", "keep_conversion"]

CLOCKS_DIFFER = timedelta(minutes=5)
"""How far the clock of a shop may be off."""
NAMING = frozenset({"click_id", "short_code"})
"""The fields that name a scan or a QR Code."""
_CLICK_IDS = re.compile(rf"(?<![\w-])[\w-]{{{LENGTH}}}(?![\w-])", re.ASCII)
_HOUR = re.compile(r"(20\d\d)([01]\d)([0-3]\d)([0-2]\d)")
_THOUSANDS = re.compile(r"[1-9]\d{0,2}(,\d{3})+(\.\d+)?")
"""Numbers with commas between thousands; in others, a comma may begin the decimals."""
_SPACED_OFFSET = re.compile(r" (?=[+-]\d\d:?\d\d$)")
CODE = """
SELECT number, account_id, short_code, created FROM qrcodes
WHERE number = $number::INTEGER OR ($number::INTEGER IS NULL AND short_code = $code::VARCHAR)
"""
TOLD = """
, told AS (
    SELECT
        time, visitor, qrcode_id, short_code, json_extract_string(conversion, '$.id') AS id,
        json_extract_string(conversion, '$.name') AS name, json_extract(conversion, '$.value')::DOUBLE AS value,
        json_extract_string(conversion, '$.currency') AS currency,
        json_extract_string(conversion, '$.scanned')::TIMESTAMP AS scanned
    FROM lean WHERE kind = 'conversion'
    QUALIFY row_number() OVER (
        PARTITION BY number, json_extract_string(conversion, '$.id') ORDER BY time, conversion
    ) = 1
)
"""
"""A further table expression after those of a view: the conversions, each ID of a QR Code once."""
FindCode = Callable[[int | None, str], Mapping[str, Any] | None]
"""Selects a QR Code by its number or, without a number, by its short code or short URL."""
TYPES = dict.fromkeys(("qrcode_id", "short_code", "id", "name", "currency"), "str") | {"value": "Float64"}


@dataclass(frozen=True, slots=True)
class ConversionImport:
    """The result of inserting a table of conversions.

    Attributes:
        created: The number of conversions that were added.
        known: The number of rows that were there already, or that repeat an ID.
        unmatched: The number of rows that name no scan and no QR Code of the portfolio.
    """

    created: int
    known: int
    unmatched: int


def find_code(store: Store, base_urls: Sequence[str]) -> FindCode:
    """Return a function that asks a store for each QR Code once; short URLs have one of these base URLs."""

    @cache
    def find(number: int | None, text: str) -> Mapping[str, Any] | None:
        code = _code_in(store, text, base_urls) if number is None else ""
        return store.row(CODE, {"number": number, "code": code})

    return find


def _code_in(store: Store, text: str, base_urls: Sequence[str]) -> str:
    """Return the short code that a text is, or that a short URL contains; "" if none is known."""
    if code := spelling(store, tidy_code(text.partition("?")[0].strip().strip("/"))):
        return code
    url = with_scheme(text)
    # Pages on other hosts, such as those of the shop, may end with a short code, too.
    paths = (path_of(url, base_url) for base_url in base_urls if host_of(base_url) == host_of(url))
    named = (longest_known(store, tidy_code(path)) for path in paths if path)
    return next((found[0] for found in named if found and found[1][:1] in ("", "/")), "")


def conversion_visit(
    store: Store, told: Conversion, now: datetime, account_id: str | None, find: FindCode
) -> Visit | None:
    """Return a conversion in the form in which it is stored; None if it names no scan or QR Code that there is.

    Args:
        now: The current time, UTC.
        account_id: The account that must own the QR Code; None for any.
        find: Returns the QR Code.

    Raises:
        InvalidParameter: If it happened before the scan or the QR Code was created, or has not happened yet.
    """
    time = told.time or now
    clicks = (click_of(store, id, time) for id in _CLICK_IDS.findall(told.click_id))
    click = next((one for one in clicks if one), None)
    if told.click_id and click is None:
        return None
    code = find(click and click.qrcode, told.short_code)
    if code is None or account_id not in (None, code["account_id"]):
        return None
    made = min(utc(code["created"]), now)  # which an import may have from a clock ahead of ours
    since, what = (click.time, "the scan") if click else (made, "the creation of the QR Code")
    if time - now > CLOCKS_DIFFER or since - time > CLOCKS_DIFFER:
        rule = f"must be between {what}, {to_iso(since)}, and now"
        raise InvalidParameter(Problem("time", to_iso(time), rule, "out-of-range"))
    fields: dict[str, Any] = {"id": told.key, "name": told.name, "value": told.value, "currency": told.currency}
    fields["scanned"] = click and click.time.replace(tzinfo=None).isoformat()
    return Visit(
        time=max(time, click.time) if click else time,
        kind="conversion",
        short_code=code["short_code"],
        qrcode=code["number"],
        visitor=click and click.visitor,
        conversion=json.dumps({name: value for name, value in fields.items() if value not in (None, "")}),
    )


def keep_conversion(
    store: Store, conversion: Conversion, now: datetime, account_id: str | None = None, base_urls: Sequence[str] = ()
) -> None:
    """Store a conversion as `Conversions.record` does, for any account if none is given.

    Raises:
        NotFound: If it names no scan and no QR Code.
        NotStored: If it could not be stored in time.
    """
    visit = conversion_visit(store, conversion, now, account_id, find_code(store, base_urls))
    if visit is None:
        raise NotFound("scan or QR Code", conversion.click_id or conversion.short_code)
    if not record_visit(store, visit, keep_late=False):
        raise NotStored("the conversion could not be stored in time; please send it again")


@dataclass(frozen=True, slots=True)
class Conversions:
    """What came of the scans of a portfolio.

    Attributes:
        scans: A view of the scans.
        base_urls: The base URLs that short URLs may have; those with others name no QR Code.
    """

    scans: Scans
    base_urls: tuple[str, ...]

    def record(self, conversion: Conversion) -> None:
        """Store a conversion; it is durable when this returns. The same ID again counts once.

        Raises:
            NotFound: If it names no scan and no QR Code of the portfolio, or a scan of more than 90 days before.
            InvalidParameter: If it happened before the scan or the QR Code was created, or has not happened yet.
            NotStored: If it could not be stored in time.
        """
        scans = self.scans
        keep_conversion(scans.store, conversion, scans.clock(), scans.account_id, self.base_urls)

    def insert(
        self,
        frame: pd.DataFrame | ArrowTable | Sequence[Mapping[str, Any]],
        columns: str | Mapping[str, str] | None = None,
    ) -> ConversionImport:
        """Store the conversions of a table, such as the orders of a shop, and return how many were added.

        Rows that were inserted before are not added again. Rows without a scan or QR Code of this portfolio, such as
        orders of other customers or URLs on other hosts, are left out.

        Args:
            frame: A DataFrame of pandas or polars, an Arrow table, or a list with a dict for each row. The fields are
                `click_id` (ID of the scan, or a text with it, such as the URL of the landing page) or, as weaker
                evidence, `short_code` (also a short URL); `time` (datetime or ISO 8601; UTC without a time zone); and
                optionally `id`, `name` (by default "conversion"), `value` (0..10^12) and `currency` (three letters).
            columns: The column of each field, such as `{"click_id": "Landing page", "id": "Order"}`, or `shopify`,
                `woocommerce` or `ga4` for the usual names in their exports; by default, columns have the names of the
                fields. Other columns are not read.

        Raises:
            InvalidParameter: If there is no such table, if it lacks a column that you map or that is needed, or if a
                field is invalid; the error names the column, or the field and the row.
        """
        rows: list[Any] = pandas_frame(frame, "frame").to_dict("records") if is_table(frame) else frame  # type: ignore[assignment]
        if not isinstance(rows, list | tuple) or not all(isinstance(row, Mapping) for row in rows):
            raise InvalidParameter(Problem("frame", frame, f"{TABLE_RULE}, or a list of dicts", "wrong-type"))
        names = _columns(columns, list(dict.fromkeys(column for row in rows for column in row)))
        known = {(one.short_code, one.id) for one in self.to_frame()[["short_code", "id"]].itertuples()}
        store, account, now = self.scans.store, self.scans.account_id, self.scans.clock()
        find, visits, unmatched = find_code(store, self.base_urls), [], 0
        for number, row in enumerate(rows):
            try:
                told = _read({name: row.get(column) for name, column in names.items()})
                visit = conversion_visit(store, told, now, account, find) if told else None
            except InvalidParameter as error:
                problems = [replace(one, rule=f"row {number}: {one.rule}") for one in error.problems]
                raise InvalidParameter(*problems) from error
            if told is None or visit is None:
                unmatched += 1
            elif (key := (visit.short_code, told.key)) not in known:
                known.add(key)
                visits.append(visit)
        insert_visits(store, visits)
        return ConversionImport(len(visits), len(rows) - len(visits) - unmatched, unmatched)

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per conversion, oldest first.

        Columns: time (datetime64[us, UTC]), scanned (datetime64[us, UTC], time of the scan; missing if it named the QR
        Code alone), qrcode_id, short_code, id, name (str), value (Float64, missing if there is none), currency (str).
        """
        columns = "time, scanned, qrcode_id, short_code, id, name, value, currency"
        found = self.scans.where(kinds=("conversion",)).ask(f"{TOLD} SELECT {columns} FROM told ORDER BY time, id")
        times = {name: found[name].dt.tz_localize("UTC") for name in ("time", "scanned")}
        return with_dtypes(found.assign(**times), TYPES)


def _columns(columns: Any, labels: list[Any]) -> dict[str, Any]:
    """Return the column of each field that a table with these columns has; one without any has no rows."""
    fields = tuple(Conversion.model_fields)
    own = {name: name for name in fields}
    names = own if columns is None else SHOPS.get(columns) if isinstance(columns, str) else columns
    if not isinstance(names, Mapping) or names.keys() - set(fields) or not names.keys() & NAMING:
        rule = f"must be one of {', '.join(SHOPS)}, or map {', '.join(fields)} to column names"
        raise InvalidParameter(Problem("columns", columns, rule))
    found = {name: column for name, column in names.items() if column in labels}
    needed = names if isinstance(columns, Mapping) else ["time"] if found.keys() & NAMING else ["click_id", "time"]
    problems = [
        Problem(f"columns.{name}", one, f"is not a column of the frame; {nearest(str(one), map(str, labels))}")
        for name in needed
        if (one := names[name]) not in labels
    ]
    if problems and labels:
        raise InvalidParameter(*problems)
    return found


def _read(row: dict[str, Any]) -> Conversion | None:
    """Return the conversion of a row of a table, whose cells may have other types than JSON; None if it names none."""
    given: dict[str, Any] = {name: text for name, value in row.items() if (text := text_of(value, name))}
    if not given.keys() & NAMING:
        return None
    if value := given.get("value"):
        given["value"] = number_in(value.replace(",", "") if _THOUSANDS.fullmatch(value) else value)
    if "click_id" in given:
        given.pop("short_code", None)
    if "time" not in given:
        raise InvalidParameter(Problem("time", None, "is required", "missing-parameter"))
    if hour := _HOUR.fullmatch(given["time"]):  # of which only the end is surely after the scan
        given["time"] = f"{hour[1]}-{hour[2]}-{hour[3]}T{hour[4]}:59:59Z"
    elif isinstance(row["time"], datetime):
        given["time"] = row["time"]  # with its fraction of a second
    else:
        given["time"] = _SPACED_OFFSET.sub("", given["time"])
    return Conversion(**given)
