"""`Explained`: tells the owner of a QR Code where it leads a visitor, and why."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from qrkit.errors import InvalidParameter, Problem
from qrkit.portfolio.many_codes import ManyRecords
from qrkit.store.records.qrcodes import number_of, target_of
from qrkit.tracking.records import Place, QRCode
from qrkit.tracking.times import from_iso, utc

if TYPE_CHECKING:
    from qrkit.visits.decision import Decision
    from qrkit.visits.redirect import Request


class Explained(ManyRecords):
    """What a portfolio says of the visitors of a QR Code."""

    def explain(
        self,
        code: str | QRCode,
        request: Request | None = None,
        *,
        country: str = "",
        region: str = "",
        city: str = "",
        at: datetime | str | None = None,
    ) -> Decision:
        """Return what a visitor of a QR Code gets, and why: its rules, limits, times and schedule decide.

        Args:
            code: Short code, short URL, name or ID; or a record with changes that are not saved.
            request: What the visitor's browser sends, for any short code; by default, a request that says nothing.
            country: The country of the visitor, of two letters; "" if unknown, as for region and city.
            region: The name of the region.
            city: The name of the city.
            at: When the request arrives, as a datetime or ISO 8601, in UTC without a time zone; by default now.

        Raises:
            NotFound: If there is no such QR Code.
            InvalidParameter: If `at` is not a time, or `request` is not a `Request`.

        Example:
            >>> from qrkit import open_portfolio
            >>> rule = {"conditions": [{"type": "language", "matchValue": "de"}], "content": "https://example.com/de"}
            >>> with open_portfolio(":memory:") as shop:
            ...     door = shop.insert_qrcode("https://example.com", short_code="door", rules=[rule])
            ...     print(shop.explain("door").sentence)
            no rule applies; the visitor gets the content of the QR Code
        """
        from qrkit.visits.redirect import Redirects, Request

        if not isinstance(request, Request | None):
            raise InvalidParameter(Problem("request", request, "must be a Request", "wrong-type"))
        moment = from_iso(at, name="at") if isinstance(at, str) else utc(at) if at else self.now()
        found = code if isinstance(code, QRCode) else self.find_qrcode(code)
        # A record that the plan does not show lacks what a visitor gets.
        record = found if found.is_available else self._one(found.id)
        short_code = record.short_code
        asked = replace(request, short_code=short_code) if request else Request("GET", short_code, {})
        place = Place(country or None, region or None, city or None)
        campaign = self.get_campaign(record.campaign_id) if record.campaign_id else None
        entry = target_of(record, number_of(self.store, self.account.id, record.id) or 0, campaign)
        with self.store.atomic():  # so that scans are counted in the tables, where another process serves the store
            return Redirects(self.store, locate=lambda _: place, records=False).decide(asked, moment, entry)
