"""`Catalogue`: the QR Codes of a portfolio as somebody looks through them. Knows nothing of browsers."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from qrkit import charts
from qrkit.contents.cards import summary
from qrkit.errors import QrkitError
from qrkit.notebook.views.tracking import code_image
from qrkit.portfolio import Portfolio
from qrkit.tracking.records import QRCode

__all__ = ["EDITED", "Catalogue"]

EDITED = ("name", "content", "comment", "campaign_id", "is_schedule_enabled", "schedule")
"""Fields that are changed by hand."""

MOST_ROWS = 20
"""On a page."""
SPARK_DAYS = 30
"""That a sparkline goes back."""
LONGEST_CELL = 120
MOST_WORDS = 8

PER_DAY = """
SELECT qrcode_id, date_diff('day', $first::DATE, time::DATE) AS day, count(*) AS scans
FROM lean GROUP BY ALL
"""


class Catalogue:
    """What of a portfolio is looked at: filters, a page of rows, and one code that is chosen.

    Attributes:
        words: All of them are in the name, content, comment, place or short URL of the codes that are shown.
        campaign: The id of the campaign that they are in; "" for all.
        page: Counted from 0.
        chosen: The id of the code that is chosen, or "".
    """

    def __init__(self, portfolio: Portfolio) -> None:
        self.portfolio = portfolio
        self.words, self.campaign, self.page, self.chosen = "", "", 0, ""
        self.reload()

    def reload(self) -> None:
        """Read what the portfolio holds by now."""
        self._codes = self.portfolio.list_qrcodes()
        self._campaigns = {one.id: one.name for one in self.portfolio.list_campaigns()}

    def filter(self, *, words: str | None = None, campaign: str | None = None) -> None:
        """Show the codes that have all these words, and those of one campaign; what is None stays as it is."""
        self.words = self.words if words is None else words
        self.campaign = self.campaign if campaign is None else campaign
        self.page = 0

    def found(self) -> list[QRCode]:
        """The codes that the filters leave, in the order they were added."""
        words = self.words.lower().split()[:MOST_WORDS]
        inside = (one for one in self._codes if self.campaign in ("", one.campaign_id))
        return [one for one in inside if all(word in _searched(one) for word in words)]

    def save(self, changes: Mapping[str, Any]) -> None:
        """Change the code that is chosen.

        Args:
            changes: Some of `EDITED`, as `Portfolio.update_qrcode` takes them.

        Raises:
            InvalidParameter: A field breaks its rule; nothing was changed.
            NotFound: The code was deleted meanwhile.
        """
        self.portfolio.update_qrcode(self.chosen, **{name: changes[name] for name in EDITED if name in changes})
        self.reload()

    def as_dict(self) -> dict[str, Any]:
        """What a browser draws, as JSON."""
        found = self.found()
        pages = max(1, -(-len(found) // MOST_ROWS))
        self.page = min(max(self.page, 0), pages - 1)
        shown = found[self.page * MOST_ROWS : (self.page + 1) * MOST_ROWS]
        days = self._days([one.id for one in shown])
        return {
            "account": self.portfolio.account.name,
            "campaigns": [{"id": id, "name": name} for id, name in self._campaigns.items()],
            "words": self.words,
            "campaign": self.campaign,
            "rows": [self._row(one, days.get(one.id, [0] * SPARK_DAYS)) for one in shown],
            "total": len(found),
            "page": self.page,
            "pages": pages,
            "chosen": self._record(next((one for one in self._codes if one.id == self.chosen), None)),
        }

    def _days(self, ids: Sequence[str]) -> dict[str, list[int]]:
        """The scans of each of the last days, by the id of the code."""
        last = self.portfolio.now().date()
        first = last - timedelta(days=SPARK_DAYS - 1)
        view = self.portfolio.scans.where(qrcode_id=tuple(ids), since=first, until=last + timedelta(days=1))
        days: dict[str, list[int]] = {}
        if ids:
            for id, day, scans in view.ask(PER_DAY, first=first).itertuples(index=False):
                days.setdefault(id, [0] * SPARK_DAYS)[day] = int(scans)
        return days

    def _row(self, code: QRCode, days: Sequence[int]) -> dict[str, Any]:
        return {
            "id": code.id,
            "name": summary(code.name),
            "content": summary(code.content)[:LONGEST_CELL],
            "campaign": self._campaigns.get(code.campaign_id or "", ""),
            "scans": code.scans if code.is_available else None,
            "recent": sum(days),
            "sparkline": charts.sparkline(days),
            "picture": _picture(code),
        }

    def _record(self, code: QRCode | None) -> dict[str, Any] | None:
        if code is None:
            return None
        fields = code.model_dump(mode="json", by_alias=False, include={"id", "short_url", "is_available", *EDITED})
        return fields | {"campaign_id": code.campaign_id or ""}


def _searched(code: QRCode) -> str:
    return "\n".join((code.name, code.content, code.comment, code.location.address, code.short_url)).lower()


def _picture(code: QRCode) -> str:
    """A small png as a data URI; "" where there is none."""
    try:
        image = code_image(code)
        return (image and f"data:image/png;base64,{b64encode(image.to_bytes('png')).decode()}") or ""
    except QrkitError:
        return ""
