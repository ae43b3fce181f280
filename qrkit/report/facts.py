"""What a report tells, asked from analytics: all of one moment, for a code may be scanned while we ask."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, Literal

from qrkit import analytics
from qrkit.contents.cards import summary
from qrkit.portfolio import Portfolio
from qrkit.report.comparisons import FEWEST_DAYS, Comparisons, Span, compared
from qrkit.report.unscanned import Unscanned, unscanned_of
from qrkit.report.words import titles_of
from qrkit.store import Scans
from qrkit.store.duckdb.column_copy import reading_one_state
from qrkit.tracking.records import Campaign, QRCode
from qrkit.tracking.text_columns import as_text

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ATTRIBUTES", "Asked", "Facts", "gather"]

ATTRIBUTES: Mapping[analytics.Attribute, str] = {"device": "Devices", "system": "Systems", "country": "Countries"}
"""What visitors are told apart by, and what a page calls it."""

MOST_ROWS = 8
MOST_TOP = 10
FEWEST_HOURS = 3

IMPORTED = """
SELECT c.qrcode_id, q.imported_scans AS scans
FROM codes c JOIN qrcodes q ON q.number = c.number
WHERE q.imported_scans > 0
"""
SWEPT = """
SELECT c.qrcode_id, sum(d.visits)::BIGINT AS scans
FROM codes c JOIN day_counts d ON d.qrcode = c.number
WHERE d.kind = 'scan'
    AND ($first_day IS NULL OR d.day >= $first_day) AND ($day_after IS NULL OR d.day < $day_after)
GROUP BY ALL
"""


@dataclass(frozen=True, slots=True)
class Asked:
    """The days that a report is asked for, and whose they are.

    Attributes:
        since: The first; None for that of the first scan.
        until: The day after the last; None for the one after the last scan.
        time_zone: An IANA name: whose days and hours.
    """

    since: date | None = None
    until: date | None = None
    time_zone: str = "UTC"

    def of(self, scans: Scans) -> Scans:
        """A view narrowed to these days, in this time zone."""
        return scans.where(since=self.since, until=self.until, time_zone=self.time_zone)


@dataclass(frozen=True, slots=True)
class Facts:
    """Numbers of a period, and of the QR Codes they belong to.

    Attributes:
        time_zone: Whose days and hours.
        campaigns: Oldest first.
        codes: In the order they were added.
        titles: What campaigns are called by their ids, each in another way; None stands for codes outside any.
        first: First day of the period; None where there is none.
        last: Last day of the period.
        scans: How many were counted.
        visitors: How many visitors were told apart, day by day; 0 where none was.
        visits: Number of visits by their kind: scan, bot, prefetch, head.
        per_day: Columns day, campaign (its title), scans.
        top: As `analytics.top_qrcodes` gives them.
        by_hour: As `analytics.scans_by_hour` gives them.
        attributes: As `analytics.scans_by` gives them, by attribute.
        counted: Scans of the period by the id of their QR Code; those without any are left out.
        unscanned: The QR Codes without any.
        imported: Scans that came with records of an import, by the id of the QR Code; those without any are left out.
        swept: Scans of the days asked for of which the store keeps counts alone, by the id of the QR Code.
        daily: Scans of each day of the period by the id of the QR Code, as far as there are any.
        human: As `analytics.human_scans` gives it.
        per_hour: As `analytics.scans_per` gives them, of a period of one or two days; None of a longer one.
        rates: As `analytics.rates` gives them, by campaign (its title) or QR Code; None where there are too few days.
        half_lives: As `analytics.half_lives` gives them, without static codes.
        locations: As `analytics.scans_by_location` gives them, without static codes.
        comparisons: What was compared with what.
    """

    time_zone: str
    campaigns: Sequence[Campaign]
    codes: Sequence[QRCode]
    titles: Mapping[str | None, str]
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
    unscanned: Unscanned
    imported: Mapping[str, int]
    swept: Mapping[str, int]
    daily: Mapping[str, Sequence[int]]
    human: pd.DataFrame
    per_hour: pd.DataFrame | None
    rates: pd.DataFrame | None
    half_lives: pd.DataFrame
    locations: pd.DataFrame
    comparisons: Comparisons

    @property
    def codes_by_campaign(self) -> dict[str | None, list[QRCode]]:
        """The QR Codes by the ids of their campaigns, in the order of their titles; there may be none."""
        found: dict[str | None, list[QRCode]] = {id: [] for id in self.titles}
        for code in self.codes:
            found[code.campaign_id].append(code)
        return found

    @property
    def likely_and_possible(self) -> tuple[int, int]:
        """How many visits likely came from people, and how many possibly did."""
        return int(self.human["likely"].iloc[0]), int(self.human["possible"].iloc[0])

    @property
    def unknown(self) -> list[analytics.Attribute]:
        """The attributes of which nothing is known, though there are scans."""
        return [name for name in ATTRIBUTES if set(self.attributes[name][name]) == {analytics.UNKNOWN}]


def gather(portfolio: Portfolio, scans: Scans, asked: Asked) -> Facts:
    """Ask everything about a view of the scans of a portfolio, of the days that are asked for."""
    view = asked.of(scans)
    with reading_one_state(portfolio.store):  # no scan comes in between two questions
        campaigns, codes = _records(portfolio, scans.campaigns)
        totals = analytics.summary(view).iloc[0]
        kinds = analytics.visits_by_kind(view)
        titles = titles_of(campaigns, has_others=any(code.campaign_id is None for code in codes))
        daily = analytics.scans_per_day(view, by="qrcode_id")
        per_day = _by_campaign(daily, codes, titles)
        first, last = _period(asked, per_day)
        counted = _by_code(view, codes)
        swept = _swept(view, asked)
        part, names = _parts(campaigns, codes, titles, counted)
        whole = _whole(asked, first, last)
        return Facts(
            time_zone=view.time_zone,
            campaigns=campaigns,
            codes=codes,
            titles=titles,
            first=first,
            last=last,
            scans=int(totals["scans"]),
            visitors=int(totals["visitors"]),
            visits=dict(zip(kinds["kind"], kinds["visits"].tolist(), strict=True)),
            per_day=per_day,
            top=_summarized(analytics.top_qrcodes(view, most=MOST_TOP)),
            by_hour=analytics.scans_by_hour(view),
            attributes={name: analytics.scans_by(view, name, most=MOST_ROWS) for name in ATTRIBUTES},
            counted=counted,
            unscanned=unscanned_of(codes, titles, {**swept, **counted}),
            imported=_counts(view.ask(IMPORTED)),
            swept=swept,
            daily={str(id): counts.tolist() for id, counts in daily.groupby("qrcode_id")["scans"]},
            human=analytics.human_scans(view),
            per_hour=_per_hour(view, first, last),
            rates=_rates(whole.of(view), part, campaigns, titles) if whole and len(names) > 1 else None,
            half_lives=_summarized(_tracked(analytics.half_lives(view), codes)),
            locations=_summarized(_tracked(analytics.scans_by_location(view), codes)),
            comparisons=_compared(view, whole, asked, names, part),
        )


def _records(portfolio: Portfolio, chosen: Sequence[str] | None) -> tuple[list[Campaign], list[QRCode]]:
    """Those of a view; what the plan does not show is in no report either (ruling T13)."""
    codes = [code for code in portfolio.list_qrcodes() if code.is_available]
    campaigns = portfolio.list_campaigns()
    if chosen is None:
        return campaigns, codes
    return [one for one in campaigns if one.id in chosen], [code for code in codes if code.campaign_id in chosen]


def _tracked(frame: pd.DataFrame, codes: Sequence[QRCode]) -> pd.DataFrame:
    """Without static codes: nobody knows whether they were scanned."""
    return frame[frame["qrcode_id"].isin([code.id for code in codes if code.is_dynamic])]


def _summarized(frame: pd.DataFrame) -> pd.DataFrame:
    """With names of QR Codes as a report shows them: one that was made from a content may hold its secrets."""
    return frame.assign(qrcode=as_text(frame["qrcode"].map(summary)))


def _compared(scans: Scans, whole: Span | None, asked: Asked, names: Mapping[str, str], part: str) -> Comparisons:
    if whole is None:
        return Comparisons()
    has_bounds = asked.since is not None and asked.until is not None
    return compared(scans, whole, has_bounds=has_bounds, names=names, part=part)


def _period(asked: Asked, per_day: pd.DataFrame) -> tuple[date | None, date | None]:
    """The days asked for; where they were not, those of the first and the last scan."""
    found = (per_day["day"].iloc[0].date(), per_day["day"].iloc[-1].date()) if per_day["scans"].sum() else (None, None)
    return asked.since or found[0], asked.until - timedelta(days=1) if asked.until else found[1]


def _whole(asked: Asked, first: date | None, last: date | None) -> Span | None:
    """The days that are compared: nobody knows for what share of the days of the first and the last scan codes hung."""
    if first is None or last is None:
        return None
    span = Span(
        first if asked.since else first + timedelta(days=1),
        last + timedelta(days=1) if asked.until else last,
    )
    return span if span.days >= FEWEST_DAYS else None


def _parts(
    campaigns: Sequence[Campaign],
    codes: Sequence[QRCode],
    titles: Mapping[str | None, str],
    counted: Mapping[str, int],
) -> tuple[Literal["campaign", "qrcode"], dict[str, str]]:
    """What scans are told apart by, and the names of those with scans by their ids, the most scanned first."""
    scans: Counter[str] = Counter()
    for code in codes:
        scans[(code.campaign_id or "") if len(campaigns) > 1 else code.id] += counted.get(code.id, 0)
    names = titles if len(campaigns) > 1 else {code.id: summary(code.name) for code in codes}
    found = {id: names[id] for id, number in scans.most_common() if number and id in names}
    return ("campaign" if len(campaigns) > 1 else "qrcode"), found


def _per_hour(scans: Scans, first: date | None, last: date | None) -> pd.DataFrame | None:
    """Of a day or two, hours tell more."""
    if first is None or last is None or last - first > timedelta(days=1):
        return None
    frame = analytics.scans_per(scans, "hour")
    return frame if len(frame) >= FEWEST_HOURS else None


def _by_code(scans: Scans, codes: Sequence[QRCode]) -> dict[str, int]:
    return _counts(analytics.top_qrcodes(scans, most=len(codes) + 1))


def _swept(scans: Scans, asked: Asked) -> dict[str, int]:
    """Of the UTC days that are named as those asked for: the store knows no others of them."""
    return _counts(scans.ask(SWEPT, first_day=asked.since, day_after=asked.until))


def _counts(frame: pd.DataFrame) -> dict[str, int]:
    """Of a frame with columns qrcode_id, scans."""
    return dict(zip(frame["qrcode_id"], map(int, frame["scans"]), strict=True))


def _by_campaign(daily: pd.DataFrame, codes: Sequence[QRCode], titles: Mapping[str | None, str]) -> pd.DataFrame:
    """The scans of each day and QR Code as those of each day and campaign, by its title."""
    title = {code.id: titles[code.campaign_id] for code in codes}
    told_apart = daily.assign(campaign=as_text(daily["qrcode_id"].map(title)))
    return told_apart.groupby(["day", "campaign"], as_index=False)[["scans"]].sum()


def _rates(
    scans: Scans,
    part: Literal["campaign", "qrcode"],
    campaigns: Sequence[Campaign],
    titles: Mapping[str | None, str],
) -> pd.DataFrame:
    """Campaigns by their titles; those of one name are asked one by one."""
    import pandas as pd

    rates = analytics.rates(scans, by=part)
    if part != "campaign":
        return _summarized(rates)
    named = Counter(one.name for one in campaigns)
    title = {one.name: titles[one.id] for one in campaigns if named[one.name] == 1} | {"": titles.get(None)}
    found = [rates.assign(campaign=rates["campaign"].map(title)).dropna(subset="campaign")]
    for one in campaigns:
        if named[one.name] > 1:
            alone = analytics.rates(scans.where(campaign_id=one.id))
            alone.insert(0, "campaign", titles[one.id])
            found.append(alone[alone["scans"] > 0])
    return pd.concat(found, ignore_index=True)
