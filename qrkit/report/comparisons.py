"""What a report compares: a period with the one before or in halves, parts with each other, days with the usual."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from qrkit import analytics
from qrkit.analytics.time_zones import first_moment
from qrkit.contents.cards import summary
from qrkit.store import Scans

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["FEWEST_DAYS", "Change", "Comparisons", "Span", "compared"]

LEVEL = 0.95
MOST_PARTS = 20
"""The more are compared, the wider intervals have to be."""
FEWEST_DAYS = 2
"""Of a side of a comparison."""
FEWEST_USUAL = 14
"""Whole days from which on it is known what a day is usually like."""
MOST_CONTENTS = 3


@dataclass(frozen=True, slots=True)
class Change:
    """Scans a day of two times, or of two parts.

    Attributes:
        name: Of the part; "" for all of them.
        before: Scans a day of the first.
        after: Scans a day of the second.
        ratio: The second in units of the first.
        low: Lower end of the interval of the ratio.
        high: Its upper end.
        differs: Whether the interval leaves 1 out.
        smallest: The ratio that would have shown in 4 of 5 cases.
    """

    name: str
    before: float
    after: float
    ratio: float
    low: float
    high: float
    differs: bool
    smallest: float


@dataclass(frozen=True, slots=True)
class Span:
    """Whole days of a time zone, from the first to the one after the last."""

    since: date
    until: date
    zone: ZoneInfo

    @property
    def days(self) -> int:
        """How many they are."""
        return (self.until - self.since).days

    @property
    def last(self) -> date:
        """The last of them."""
        return self.until - timedelta(days=1)

    def of(self, scans: Scans) -> Scans:
        """A view narrowed to them."""
        return scans.where(since=first_moment(self.zone, self.since), until=first_moment(self.zone, self.until))

    def split(self) -> tuple[Span, Span]:
        """Two halves; of an odd number, the second has the day in the middle."""
        middle = self.since + timedelta(days=self.days // 2)
        return Span(self.since, middle, self.zone), Span(middle, self.until, self.zone)


@dataclass(frozen=True, slots=True)
class Comparisons:
    """What a period was compared with, and what came out.

    Attributes:
        first: The days it is compared with: those before the period, or its first half.
        second: The days that are compared: the period, or its second half.
        is_half: Whether they are halves.
        total: Of all scans; None where there are too few days.
        part: What `parts` are: campaign or qrcode; "" for none.
        parts: Of each campaign or QR Code, all intervals right together in 95 of 100 cases.
        leading: The part with the most scans in units of the one with the second most; None where there is no other.
        runner_up: Name of that one.
        previous: As `analytics.scans_and_previous` gives it; None where nothing was scanned before.
        unusual: As `analytics.unusual_days` gives it; None where there are too few days.
        contents: Of QR Codes whose content changed: the day, the new content, and the change.
    """

    first: Span | None = None
    second: Span | None = None
    is_half: bool = False
    total: Change | None = None
    part: str = ""
    parts: Sequence[Change] = ()
    leading: Change | None = None
    runner_up: str = ""
    previous: pd.DataFrame | None = None
    unusual: pd.DataFrame | None = None
    contents: Sequence[tuple[date, str, Change]] = ()


def compared(scans: Scans, whole: Span, *, has_bounds: bool, names: Mapping[str, str], part: str) -> Comparisons:
    """Ask all comparisons of a view.

    Args:
        scans: The view, not narrowed to any time.
        whole: The whole days of the period.
        has_bounds: Whether somebody asked for just these days: then they have others before them.
        names: Names of the parts by id, those with the most scans first.
        part: What they are: campaign or qrcode.
    """
    if whole.days < FEWEST_DAYS:
        return Comparisons()
    view, zone = whole.of(scans), whole.zone.key
    unusual = analytics.unusual_days(view, time_zone=zone) if whole.days >= FEWEST_USUAL and view.count() else None
    previous = analytics.scans_and_previous(view, time_zone=zone) if has_bounds else None
    if previous is not None and not previous["previous_scans"].sum():
        previous = None
    first, second = whole.split()
    if previous is not None:
        begin = previous["previous_start"].iloc[0].to_pydatetime().date()
        first, second = Span(begin, whole.since, whole.zone), whole
    chosen = dict(list(names.items())[:MOST_PARTS]) if len(names) > 1 else {}
    total, parts = None, []
    if min(first.days, second.days) >= FEWEST_DAYS:
        total = _change("", (first.of(scans), second.of(scans)), LEVEL, zone)
        # Of many intervals some would miss by chance: each is as wide as all of them together ask for.
        level = 1 - (1 - LEVEL) / max(len(chosen), 1)
        for id, name in chosen.items():
            alone = _only(scans, part, id)
            parts.append(_change(name, (first.of(alone), second.of(alone)), level, zone))
    best = [(name, whole.of(_only(scans, part, id))) for id, name in list(chosen.items())[:2]]
    leading = _change(best[0][0], (best[1][1], best[0][1]), LEVEL, zone) if len(best) == 2 else None
    return Comparisons(
        first, second, previous is None, total, part if chosen else "", parts, leading,
        best[1][0] if leading else "", previous, unusual, _contents(scans, whole),
    )  # fmt: skip


def _only(scans: Scans, part: str, id: str) -> Scans:
    return scans.where(campaign_id=id) if part == "campaign" else scans.where(qrcode_id=id)


def _change(name: str, sides: tuple[Scans, Scans], level: float, zone: str) -> Change:
    row = analytics.compare(*sides, time_zone=zone, level=level).iloc[0]
    return Change(
        name=name,
        before=float(row["first_rate"]),
        after=float(row["second_rate"]),
        ratio=float(row["ratio"]),
        low=float(row["low"]),
        high=float(row["high"]),
        differs=bool(row["differs"]),
        smallest=float(row["smallest"]),
    )


def _contents(scans: Scans, whole: Span) -> list[tuple[date, str, Change]]:
    """The QR Codes with the most scans whose content changed once for good, with whole days on both sides."""
    frame = analytics.scans_by_content(whole.of(scans))
    frame = frame[frame["content"] != ""]
    found = []
    for id, rows in frame.groupby("qrcode_id", sort=False):
        before, after = (rows.iloc[0], rows.iloc[-1])
        if len(rows) == 2 and before["last"] < after["first"]:
            moment = after["first"].to_pydatetime()
            day = moment.replace(tzinfo=ZoneInfo("UTC")).astimezone(whole.zone).date()
            left = Span(whole.since, day, whole.zone), Span(day + timedelta(days=1), whole.until, whole.zone)
            if min(side.days for side in left) >= FEWEST_DAYS:
                alone = scans.where(qrcode_id=str(id))
                change = _change(
                    summary(str(after["qrcode"])), (left[0].of(alone), left[1].of(alone)), LEVEL, whole.zone.key
                )
                found.append((int(rows["scans"].sum()), day, summary(str(after["content"])), change))
    found.sort(key=lambda one: -one[0])
    return [(day, content, change) for _, day, content, change in found[:MOST_CONTENTS]]
