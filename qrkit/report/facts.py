"""What a report tells, asked from analytics: all of one moment, for a code may be scanned while we ask."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING

from qrkit import analytics
from qrkit.portfolio import Portfolio
from qrkit.records import Campaign, QRCode
from qrkit.report.words import NO_CAMPAIGN
from qrkit.store import Scans

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ATTRIBUTES", "Facts", "gather"]

ATTRIBUTES: Mapping[analytics.Attribute, str] = {"device": "Devices", "system": "Systems", "country": "Countries"}
"""What visitors are told apart by, and what a page calls it."""

MOST_ROWS = 8
MOST_TOP = 10


@dataclass(frozen=True, slots=True)
class Facts:
    """Numbers of a period, and of the QR Codes they belong to.

    Attributes:
        campaigns: Oldest first.
        codes: In the order they were added.
        first: First day of the period, UTC; None where there is none.
        last: Last day of the period.
        scans: How many were counted.
        visitors: How many visitors were told apart, day by day; 0 where none was.
        visits: Number of visits by their kind: scan, bot, prefetch, head.
        per_day: Columns day, campaign, scans.
        top: As `analytics.top_qrcodes` gives them.
        by_hour: As `analytics.scans_by_hour` gives them.
        attributes: As `analytics.scans_by` gives them, by attribute.
        counted: Scans of the period by the id of their QR Code; those without any are left out.
        imported: Scans that came with records of an import, by the id of the QR Code; those without any are left out.
        daily: Scans of each day of the period by the id of the QR Code, as far as there are any.
    """

    campaigns: Sequence[Campaign]
    codes: Sequence[QRCode]
    first: date | None
    last: date | None
    scans: int
    visitors: int
    visits: Mapping[str, int]
    per_day: pd.DataFrame
    top: pd.DataFrame
    by_hour: pd.DataFrame
    attributes: Mapping[analytics.Attribute, pd.DataFrame]
    counted: Mapping[str, int]
    imported: Mapping[str, int]
    daily: Mapping[str, Sequence[int]]

    @property
    def unknown(self) -> list[analytics.Attribute]:
        """The attributes of which nothing is known, though there are scans."""
        return [name for name in ATTRIBUTES if set(self.attributes[name][name]) == {analytics.UNKNOWN}]


def gather(portfolio: Portfolio, scans: Scans) -> Facts:
    """Ask everything about a view of the scans of a portfolio."""
    chosen = scans.campaigns
    # Inside a transaction, no scan comes in between two questions.
    with portfolio.store.atomic():
        # What the plan does not show is in no report either (ruling T13).
        codes = [
            code
            for code in portfolio.list_qrcodes()
            if code.is_available and (chosen is None or code.campaign_id in chosen)
        ]
        totals = analytics.summary(scans).iloc[0]
        first, last = _period(scans, totals)
        kinds = analytics.visits_by_kind(scans)
        per_day = analytics.scans_per_day(scans, by="campaign")
        return Facts(
            campaigns=[one for one in portfolio.list_campaigns() if chosen is None or one.id in chosen],
            codes=codes,
            first=first,
            last=last,
            scans=int(totals["scans"]),
            visitors=int(totals["visitors"]),
            visits=dict(zip(kinds["kind"], kinds["visits"].tolist(), strict=True)),
            per_day=per_day.assign(campaign=per_day["campaign"].replace("", NO_CAMPAIGN)),
            top=analytics.top_qrcodes(scans, most=MOST_TOP),
            by_hour=analytics.scans_by_hour(scans),
            attributes={name: analytics.scans_by(scans, name, most=MOST_ROWS) for name in ATTRIBUTES},
            counted=_by_code(scans, codes),
            imported=_imported(scans, codes),
            daily=_daily(scans, codes, first, last),
        )


def _period(scans: Scans, totals: pd.Series) -> tuple[date | None, date | None]:
    """The days asked for; where they were not, those of the first and the last scan."""
    found = (totals["first"].date(), totals["last"].date()) if totals["scans"] else (None, None)
    return scans.since or found[0], scans.until - timedelta(days=1) if scans.until else found[1]


def _by_code(scans: Scans, codes: Sequence[QRCode]) -> dict[str, int]:
    frame = analytics.top_qrcodes(scans, most=len(codes) + 1)
    return dict(zip(frame["qrcode_id"], frame["scans"].tolist(), strict=True))


def _imported(scans: Scans, codes: Sequence[QRCode]) -> dict[str, int]:
    """A record's scans less those ever counted."""
    ever = _by_code(scans.where(since=None, until=None), codes)
    found = {code.id: code.scans - ever.get(code.id, 0) for code in codes}
    return {id: number for id, number in found.items() if number}


def _daily(scans: Scans, codes: Sequence[QRCode], first: date | None, last: date | None) -> dict[str, Sequence[int]]:
    if first is None or last is None:
        return {}
    frame = analytics.scans_per_day(scans, by="qrcode")
    by_name = {str(name): counts.tolist() for name, counts in frame.groupby("qrcode")["scans"]}
    uses = Counter(code.name for code in codes)
    daily: dict[str, Sequence[int]] = {code.id: by_name[code.name] for code in codes if code.name in by_name}
    days = scans.where(since=first, until=last + timedelta(days=1))
    for code in codes:
        if uses[code.name] > 1 and code.id in daily:
            # Analytics adds up codes of one name.
            alone = analytics.scans_per_day(days.where(qrcode_id=code.id))
            daily[code.id] = alone["scans"].tolist()
    return daily
