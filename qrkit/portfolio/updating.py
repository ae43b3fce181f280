"""Finds the QR Code that a row of an import changes, by a value that identifies it, and what the row changes of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any

from qrkit.errors import InvalidParameter, Problem, first_of, nearest
from qrkit.exchange.columns import EVERY, Row
from qrkit.exchange.foreign import plain_name
from qrkit.portfolio.codes import told_apart
from qrkit.store.records.searching import EDITED
from qrkit.tracking.names import tidy_name
from qrkit.tracking.passwords import is_right
from qrkit.tracking.records import QRCode
from qrkit.tracking.short_urls import ShortLink, host_of, with_scheme

IDENTIFYING = {"QR Code Name": "name", "Trackable URL": "short_url"}
"""Our columns that may identify QR Codes, besides fields of users."""
MOST_LISTED = 5
"""QR Codes that an error lists, if several have the same value."""
PARTS = ("location", "properties")


class Identified:
    """The QR Codes of a portfolio by what identifies them: name, short_url, or the name of a field of users.

    `link` returns the short code and the tail of a short URL in the file. Short URLs of these hosts are those of the
    portfolio; "" stands for short codes alone.
    """

    def __init__(
        self, by: str, codes: Iterable[QRCode], link: Callable[[str], ShortLink | None], hosts: Collection[str]
    ) -> None:
        self._link, self._hosts = link, hosts
        name = by if isinstance(by, str) else ""
        ours = {plain_name(written): by for column, by in IDENTIFYING.items() for written in (column, by)}
        self._by = ours.get(plain_name(name), tidy_name(name))
        self._rows: dict[str, int] = {}
        self._codes: dict[str, list[QRCode]] = {}
        names = dict.fromkeys(IDENTIFYING.values())
        for code in codes:
            self._codes.setdefault(tidy_name(self._value(code)), []).append(code)
            names |= dict.fromkeys(code.fields)
        if self._by not in names:
            rule = f"must be name, short_url, or a field of your QR Codes; {nearest(str(by), names)}"
            raise InvalidParameter(Problem("update_by", by, rule))

    def _value(self, code: QRCode) -> str:
        if self._by == "short_url":
            return code.short_code
        return code.name if self._by == "name" else code.fields.get(self._by, "")

    def _value_in(self, row: Row, code: QRCode) -> str:
        """Return the value in a row, whose QR Code has a short URL but no short code, and always a name."""
        if self._by == "short_url":
            link = self._link(code.short_url)
            return link.code if link else ""
        return "" if self._by == "name" and not row.cells.get("QR Code Name") else self._value(code)

    def match(self, row: Row, code: QRCode) -> QRCode | None:
        """Return the QR Code that a row changes, None if it is a new one; raise InvalidParameter if it is neither."""
        host = host_of(with_scheme(code.short_url)) if self._by == "short_url" else ""
        if host not in self._hosts:
            rule = f"is a short URL of {host}, not of this portfolio; if it was your base URL, name it as old_base_url"
            raise InvalidParameter(Problem(self._by, code.short_url, rule))
        written = self._value_in(row, code)
        value = tidy_name(written)
        found = self._codes.get(value, [])
        found = [one for one in found if self._value(one) == written] or found
        first = self._rows.setdefault(found[0].id if len(found) == 1 else value, row.number)
        rule = ""
        if not value:
            rule = "must not be empty, because it identifies the QR Code to update"
        elif first != row.number:
            rule = f"is in row {first}, too; only that row was used"
        elif len(found) > 1:
            listed = first_of([*map(told_apart, found)], MOST_LISTED)
            rule = f"belongs to {len(found)} QR Codes: {listed}; none was changed. Update by short_url instead"
        elif found and not found[0].is_available:
            rule = "belongs to a QR Code that the plan does not show, so it cannot be changed"
        if rule:
            raise InvalidParameter(Problem(self._by, value, rule))
        return found[0] if found else None


def changes_of(row: Row, code: QRCode, before: QRCode) -> dict[str, Any]:
    """Return the fields that the cells of a row give to a QR Code, apart from its campaign; empty cells give none."""
    given = [column.field for column in EVERY if row.cells.get(column.name, "").strip()]
    changes = {field: getattr(code, field) for field in given if field in EDITED}
    if tidy_name(code.name) == tidy_name(before.name):  # spaces that a spreadsheet adds are no new name
        changes.pop("name", None)
    for part in PARTS:
        names = [name for field in given for of, _, name in [field.partition(".")] if of == part]
        values = {name: getattr(getattr(code, part), name) for name in names}
        changes |= {part: getattr(before, part).model_copy(update=values)} if values else {}
    if "password" in changes and before.password and is_right(before.password, row.cells["Password"]):
        del changes["password"]  # whose hash is another one each time
    return changes | {"fields": {**before.fields, **code.fields}}
