"""`Scanned`: the scans of a portfolio, and what came of them."""

from __future__ import annotations

from datetime import timedelta

from qrkit.errors import NotAllowed, NotFound
from qrkit.late import pd
from qrkit.portfolio.base_urls import earlier_base_urls
from qrkit.portfolio.explained import Explained
from qrkit.store import Scans
from qrkit.store.questions.conversions import Conversions
from qrkit.store.questions.split_visits import split_visits, split_weights
from qrkit.store.store_settings import get_setting, set_setting
from qrkit.tracking.times import zone_of

TIME_ZONE = "time_zone"
"""The store setting that contains the time zone."""


class Scanned(Explained):
    """The scans of a portfolio, and what came of them."""

    @property
    def time_zone(self) -> str:
        """IANA name of the store's time zone, whose days and hours `scans`, reports and all programs use; saved."""
        return get_setting(self.store, TIME_ZONE) or "UTC"

    @time_zone.setter
    def time_zone(self, name: str) -> None:
        """Save another time zone."""
        set_setting(self.store, TIME_ZONE, zone_of(name).key)

    @property
    def scans(self) -> Scans:
        """The scans of this portfolio, in its time zone; pass this object to the functions of `qrkit.analytics`."""
        most = self.account.limits.most_qrcodes
        return Scans(self.store, self.account.id, most_qrcodes=most, time_zone=self.time_zone, clock=self.now)

    def scans_of(self, id: str) -> Scans:
        """Return the scans of a QR Code or a campaign.

        Raises:
            NotFound: If this portfolio has no QR Code or campaign with this ID.
            NotAllowed: If the plan does not show the QR Code.
        """
        try:
            code = self.get_qrcode(id)
        except NotFound:
            try:
                return self.scans.where(campaign_id=self.get_campaign(id).id)
            except NotFound:
                raise NotFound("QR Code or campaign", id, hint="an ID is needed, not a short code or a name") from None
        if not code.is_available:
            raise NotAllowed(f"the plan {self.account.plan} does not show QR Code {id}, nor its scans")
        return self.scans.where(qrcode_id=code.id)

    @property
    def conversions(self) -> Conversions:
        """What came of the scans of this portfolio, such as orders, as shops tell it."""
        return Conversions(self.scans, (self.base_url, *earlier_base_urls(self.store)))

    def split_visits(
        self, code: str, *, within: str | timedelta = "24h", conversion: str | None = None
    ) -> pd.DataFrame:
        """Return the visitors among whom the rules of a QR Code drew variants: one row per visitor and UTC day.

        Columns: start (datetime64[us, UTC], first scan), stratum (Int64: which variants and weights were set then, from
        0, see `split_weights`), variant (str), converted (boolean: whether there was a conversion within the time),
        value (Float64: the sum of their values, 0 without any; missing everywhere if they have several currencies),
        pending (boolean: whether the time is not over yet). Earliest first.

        Only scans count. Days on which a cookie kept the variant of an earlier day have no row. A conversion without
        the ID of a scan counts for the last scan before it.

        Args:
            code: Short code, short URL, name or ID.
            within: How long after the first scan conversions count: above 0, at most 90 days.
            conversion: The name of the conversions that count, one of those there are, if any; None for all.

        Raises:
            NotFound: If there is no such QR Code.
            InvalidParameter: If `within` is not above 0 and at most 90 days, or if no conversion has the name.
        """
        return split_visits(self.scans_of(self.find_qrcode(code).id), within, conversion)

    def split_weights(self, code: str) -> pd.DataFrame:
        """Return the shares of the variants of a QR Code: one row per stratum and variant.

        Each change of variants or weights begins a stratum, and so does each further rule that has variants.

        Columns: stratum (Int64, from 0), since (datetime64[us, UTC]), variant (str), share (float64, 1 in all per
        stratum). In the order of the strata.

        Args:
            code: Short code, short URL, name or ID.

        Raises:
            NotFound: If there is no such QR Code.
        """
        return split_weights(self.scans_of(self.find_qrcode(code).id))
