"""Import rows into a portfolio: validate each row, then store the rows in batches."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from qrkit.errors import ContentTooLong, InvalidParameter
from qrkit.exchange.columns import Row
from qrkit.exchange.merge import ImportIssue, issue_of
from qrkit.portfolio.code_pictures import check_drawable, fitting
from qrkit.portfolio.codes import Records
from qrkit.store import qrcodes as table
from qrkit.tracking.records import Properties, QRCode
from qrkit.tracking.short_urls import ShortLink, new_id, new_short_code, read_short_url, shared_paths, short_url

__all__ = ["Importing"]


class Importing:
    """One import into a portfolio; call `finish` at the end to store the remaining rows.

    Args:
        records: The portfolio to import into, in a transaction.
        urls: The short URLs of all rows.
    """

    def __init__(self, records: Records, urls: Iterable[str]) -> None:
        self._records = records
        self._taken = table.all_short_codes(records.store)
        self._campaigns = {one.name: one.id for one in reversed(records.list_campaigns())}
        self._waiting: list[QRCode] = []
        # The short URL of a row is parsed several times in succession: `has_own_code` and `insert` both need the link.
        paths = shared_paths(urls)
        self._link = lru_cache(maxsize=1)(lambda url: read_short_url(url, records.base_url, paths))

    def present(self) -> list[tuple[str, str]]:
        """Return the name and the content of every QR Code in the portfolio before the import."""
        return table.names_and_contents(self._records.store, self._records.account.id)

    def has_own_code(self, code: QRCode) -> bool:
        """Return whether the short URL of a row contains a short code that is not in use."""
        return self._own_link(code) is not None

    def insert(self, row: Row, code: QRCode, name: str) -> list[ImportIssue]:
        """Import a row as a QR Code under this name; return what could not be kept."""
        campaign = row.cells.get("Campaign Name", "")
        try:
            asked = self._named(code, name, campaign)
            made = _fitting(asked)
            is_changed = made is not asked
            if campaign and made.campaign_id is None:
                # Create a campaign only for a QR Code that is really imported.
                made = made.model_copy(update={"campaign_id": self._new_campaign(campaign)})
        except (InvalidParameter, ContentTooLong) as error:
            return [issue_of(row, code, "invalid", str(error))]
        issues = []
        if code.short_url and self._own_link(code) is None:
            what = "is in use" if self._link(code.short_url) else "is no short URL"
            detail = f"{code.short_url!r} {what}; the new one is {made.short_url}"
            issues.append(issue_of(row, code, "code-taken", detail))
        if is_changed:
            issues.append(issue_of(row, code, "changed", _what_changed(asked.properties, made.properties)))
        self._waiting.append(made)
        if len(self._waiting) == table.TOGETHER:
            self.finish()
        self._taken.add(made.short_code)
        return issues

    def _named(self, code: QRCode, name: str, campaign: str) -> QRCode:
        """Return the QR Code of a row with this name, a new ID, a short code, and the campaign if one exists."""
        own = self._own_link(code)
        link = own or self._link(code.short_url)
        short_code = own.code if own else self._free_short_code()
        urlinfo = link.urlinfo if link else ""
        given = {
            "id": new_id(),
            "campaign_id": self._campaigns.get(campaign) if campaign else None,
            "short_code": short_code,
            "urlinfo": urlinfo,
            "short_url": short_url(self._records.base_url, short_code, urlinfo),
        }
        # `model_copy` skips validation, which saves time; only a new name has to be validated.
        return (code if name == code.name else code.replace(name=name)).model_copy(update=given)

    def finish(self) -> None:
        """Store the QR Codes that are waiting to be stored."""
        table.insert_qrcodes(self._records.store, self._records.account.id, self._waiting, self._records.now())
        self._waiting.clear()

    def _own_link(self, code: QRCode) -> ShortLink | None:
        """Return the link with the short code of a row; None if the code is missing or in use."""
        link = self._link(code.short_url)
        return None if link is None or link.code in self._taken else link

    def _free_short_code(self) -> str:
        return next(code for code in iter(new_short_code, "") if code not in self._taken)

    def _new_campaign(self, name: str) -> str:
        self._campaigns[name] = self._records.insert_campaign(name).id
        return self._campaigns[name]


def _fitting(code: QRCode) -> QRCode:
    """Return the QR Code, with another version or mode if its short URL does not fit."""
    if code.is_dynamic:
        properties = fitting(code.encoded, code.properties)
        if properties is not code.properties:
            return code.model_copy(update={"properties": properties})
    check_drawable(code)
    return code


def _what_changed(asked: Properties, given: Properties) -> str:
    """Describe which requested properties were changed so that the short URL fits."""
    told = []
    if given.version != asked.version:
        told.append(f"Version={asked.version} is too small for its short URL, and is automatic now")
    if given.em != asked.em:
        told.append(f"Encode Mode={asked.em.capitalize()} cannot write its short URL, and is Byte now")
    return "; ".join(told)
