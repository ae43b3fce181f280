"""Filters and pages the QR Codes of a portfolio for the browser widget: `Catalogue`. Independent of any browser."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from qrkit import charts
from qrkit.analytics.totals import imported_scans
from qrkit.contents.cards import summary
from qrkit.errors import QrkitError
from qrkit.notebook.views.tracking import code_image
from qrkit.portfolio import Portfolio
from qrkit.portfolio.code_designs import CodeDesigns
from qrkit.tracking.records import QRCode

__all__ = ["EDITED", "Catalogue"]

EDITED = ("name", "content", "comment", "campaign_id", "is_schedule_enabled", "schedule")
"""Fields that users can edit."""

MOST_ROWS = 20
"""Rows per page."""
SPARK_DAYS = 30
"""Days covered by a sparkline."""
LONGEST_CELL = 120
MOST_WORDS = 8

PER_DAY = """
SELECT qrcode_id, date_diff('day', $first::DATE, time::DATE) AS day, count(*) AS scans
FROM lean GROUP BY ALL
"""


class Catalogue:
    """The current view of a portfolio: filters, a page of rows, and one selected code.

    Attributes:
        words: Search words; a code matches if its name, content, comment, address or short URL contains all of them.
        campaign: ID of the campaign to show; "" for all.
        page: Page number from 0.
        chosen: ID of the selected code, or "".
    """

    def __init__(self, portfolio: Portfolio) -> None:
        self.portfolio = portfolio
        self.words, self.campaign, self.page, self.chosen = "", "", 0, ""
        self.reload()

    def reload(self) -> None:
        """Read the current state of the portfolio."""
        self._codes = self.portfolio.list_qrcodes()
        self._designs = CodeDesigns.of(self.portfolio.store, self.portfolio.account.id)
        self._campaigns = {campaign.id: campaign.name for campaign in self.portfolio.list_campaigns()}

    def filter(self, *, words: str | None = None, campaign: str | None = None) -> None:
        """Show the codes that contain all these words, and those of one campaign. None leaves a filter as it is."""
        self.words = self.words if words is None else words
        self.campaign = self.campaign if campaign is None else campaign
        self.page = 0

    def found(self) -> list[QRCode]:
        """Return the codes that match the filters, in the order they were added."""
        words = self.words.lower().split()[:MOST_WORDS]
        codes = (code for code in self._codes if self.campaign in ("", code.campaign_id))
        return [code for code in codes if all(word in _search_text(code) for word in words)]

    def save(self, changes: Mapping[str, Any]) -> None:
        """Change the selected code.

        Args:
            changes: Some of the fields in `EDITED`, as `Portfolio.update_qrcode` accepts them.

        Raises:
            InvalidParameter: If a field is invalid; nothing is changed.
            NotFound: If the code has been deleted in the meantime.
        """
        self.portfolio.update_qrcode(self.chosen, **{name: changes[name] for name in EDITED if name in changes})
        self.reload()

    def as_dict(self) -> dict[str, Any]:
        """Return what the browser draws, as JSON."""
        found = self.found()
        pages = max(1, -(-len(found) // MOST_ROWS))
        self.page = min(max(self.page, 0), pages - 1)
        shown = found[self.page * MOST_ROWS : (self.page + 1) * MOST_ROWS]
        ids = [one.id for one in shown]
        days = self._days(ids)
        imported = imported_scans(self.portfolio.scans.where(qrcode_id=tuple(ids)))
        return {
            "account": self.portfolio.account.name,
            "campaigns": [{"id": id, "name": name} for id, name in self._campaigns.items()],
            "words": self.words,
            "campaign": self.campaign,
            "rows": [self._row(one, days.get(one.id, [0] * SPARK_DAYS), imported.get(one.id, 0)) for one in shown],
            "total": len(found),
            "page": self.page,
            "pages": pages,
            "chosen": self._record(next((one for one in self._codes if one.id == self.chosen), None)),
        }

    def _days(self, ids: Sequence[str]) -> dict[str, list[int]]:
        """Return the scans of each of the last days, by the ID of the code."""
        last = self.portfolio.now().date()
        first = last - timedelta(days=SPARK_DAYS - 1)
        view = self.portfolio.scans.where(qrcode_id=tuple(ids), since=first, until=last + timedelta(days=1))
        days: dict[str, list[int]] = {}
        if ids:
            for id, day, scans in view.ask(PER_DAY, first=first).itertuples(index=False):
                days.setdefault(id, [0] * SPARK_DAYS)[day] = int(scans)
        return days

    def _row(self, code: QRCode, days: Sequence[int], imported: int) -> dict[str, Any]:
        return {
            "id": code.id,
            "name": summary(code.name),
            "content": summary(code.content)[:LONGEST_CELL],
            "campaign": self._campaigns.get(code.campaign_id or "", ""),
            "scans": code.scans - imported if code.is_available else None,
            "imported": imported,
            "recent": sum(days),
            "sparkline": charts.sparkline(days),
            "picture": _picture(code, self._designs),
        }

    def _record(self, code: QRCode | None) -> dict[str, Any] | None:
        if code is None:
            return None
        fields = code.model_dump(mode="json", by_alias=False, include={"id", "short_url", "is_available", *EDITED})
        return fields | {"campaign_id": code.campaign_id or ""}


def _search_text(code: QRCode) -> str:
    return "\n".join((code.name, code.content, code.comment, code.location.address, code.short_url)).lower()


def _picture(code: QRCode, designs: CodeDesigns) -> str:
    """Return a small PNG as a data URI; "" if the code cannot be drawn."""
    try:
        image = code_image(code, designs)
        return (image and f"data:image/png;base64,{b64encode(image.to_bytes('png')).decode()}") or ""
    except QrkitError:
        return ""
