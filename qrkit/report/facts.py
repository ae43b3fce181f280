"""Gathers the facts of a report from analytics, all from one state of the store, because scans may arrive meanwhile."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Literal, NamedTuple

import pandas as pd

from qrkit import analytics
from qrkit.analytics.over_time import by_day
from qrkit.errors import InvalidParameter
from qrkit.portfolio import Portfolio
from qrkit.report.comparisons import FEWEST_DAYS, Comparisons, Scope, Span, compared
from qrkit.report.sentences import say
from qrkit.report.unscanned import Unscanned, unscanned_of
from qrkit.report.words import names_of, quoted, titles_of
from qrkit.store import Scans
from qrkit.store.all_visits import KEYLESS, counted
from qrkit.store.questions.code_counts import imported_scans
from qrkit.store.questions.column_copy import reading_one_state
from qrkit.store.questions.local_time import local_time
from qrkit.store.questions.outages import outage_days
from qrkit.store.questions.scan_attributes import table_of, value_sql
from qrkit.store.questions.time_zones import stretches_of
from qrkit.store.records.campaign_colors import campaign_colors
from qrkit.tracking.records import Campaign, QRCode
from qrkit.tracking.text_columns import as_text, with_dtypes

MOST_ROWS = 8
MOST_VALUES = 1_000_000
"""Maximum number of values of an attribute that are looked at to hide small ones."""
FEWEST_HOURS = 3

HOURLY = """
, counted AS (
    SELECT ({local})::DATE AS day, hour({local}) AS hour, number, count(*) AS scans FROM lean GROUP BY ALL
)
SELECT day, hour, coalesce(campaign_id, '') AS campaign_id, sum(scans)::BIGINT AS scans
FROM counted JOIN codes USING (number)
GROUP BY ALL
"""

BY_CAMPAIGN = counted({"campaign_id": "coalesce(campaign_id, '')"}, "lean")

WITHOUT_KEY = f"SELECT {{value}} AS value, {KEYLESS} AS scans FROM {{table}} GROUP BY ALL"

SWEPT = """
SELECT c.qrcode_id, sum(d.visits)::BIGINT AS scans
FROM codes c JOIN day_counts d ON d.qrcode = c.number
WHERE d.kind = 'scan'
    AND ($first_day IS NULL OR d.day >= $first_day) AND ($day_after IS NULL OR d.day < $day_after)
GROUP BY ALL
"""


class SplitCode(NamedTuple):
    """An experiment on a QR Code: its name, what it tells, and the intervals of each day."""

    name: str
    sentence: str
    days: pd.DataFrame


@dataclass(frozen=True, slots=True)
class Facts:
    """Numbers about a period and its QR Codes; campaigns and codes are in the order they were added.

    Attributes:
        colors: Color numbers of all campaigns of the account by ID; 0 for one without a color of its own.
        titles: Unique titles of the campaigns by ID; None stands for codes outside of any campaign.
        visitors: Number of visitors, counted per day; 0 if unknown.
        visits: Number of visits by kind: scan, bot, prefetch, head.
        per_day: Columns day, campaign (its title), scans.
        whole: The whole days that are compared; None if there are too few.
        by_hour: Result of `analytics.scans_by_hour`.
        attributes: Results of `analytics.scans_by`, by attribute.
        leaders: The most scanned campaigns, or QR Codes if there is only one campaign, with their scans.
        visitors_of: Visitors in the period by the ID of the QR Code, without those that have none.
        visitors_in: Visitors in the period by the ID of the campaign ("" for none); counted only to hide small groups.
        keyless: Scans that carry no key of a visitor, by attribute and its value: always by `qrcode_id`, and by the
            attributes of the report only to hide small groups.
        counted: Scans in the period by the ID of the QR Code, without those that have none.
        silent: Result of `analytics.silent` at the end of the period, without codes whose last scan was before it.
        imported: Scans that were imported with a record, by the ID of the QR Code, without those that have none.
        swept: Scans in the period that the store keeps only as counts, by the ID of the QR Code.
        daily: Columns day, qrcode_id, scans; without the days on which a QR Code has no scans.
        hourly: Columns day, hour (0..23), campaign_id ("" for none), scans; without the hours that have none.
        human: Result of `analytics.human_scans`.
        unlike_people: Result of `analytics.unlike_people`, with the names of QR Codes for a report.
        per_hour: Result of `analytics.scans_per` for a period of one or two days; None for a longer one.
        rates: Result of `analytics.rates` by campaign (its title) or QR Code; None if there are too few days.
        half_lives: Result of `analytics.half_lives`, without static codes.
        locations: Result of `analytics.scans_by_location`, without static codes.
        outages: Result of `analytics.outages` for the period and the days compared with.
        down: Days of the period on which the server did not run for an hour or more; no rate counts them.
        most_a_day: The number of scans on a day from which on those of a visitor are left out; None if they count.
        experiments: What experiments on the QR Codes have found until now; none if small groups are hidden.
        least: The smallest number of visitors or scans that is shown; None if no group is hidden.
        hidden: IDs of the QR Codes whose numbers are hidden.
    """

    time_zone: str
    campaigns: Sequence[Campaign]
    codes: Sequence[QRCode]
    colors: Mapping[str, int]
    titles: Mapping[str | None, str]
    first: date | None
    last: date | None
    scans: int
    visitors: int
    visits: Mapping[str, int]
    per_day: pd.DataFrame
    whole: Span | None
    by_hour: pd.DataFrame
    attributes: Mapping[str, pd.DataFrame]
    leaders: Sequence[tuple[str, int]]
    visitors_of: Mapping[str, int]
    visitors_in: Mapping[str, int]
    keyless: Mapping[str, Mapping[str, int]]
    counted: Mapping[str, int]
    unscanned: Unscanned
    silent: pd.DataFrame
    imported: Mapping[str, int]
    swept: Mapping[str, int]
    daily: pd.DataFrame
    hourly: pd.DataFrame
    human: pd.DataFrame
    unlike_people: pd.DataFrame
    per_hour: pd.DataFrame | None
    rates: pd.DataFrame | None
    half_lives: pd.DataFrame
    locations: pd.DataFrame
    comparisons: Comparisons
    outages: pd.DataFrame
    down: Collection[date]
    most_a_day: int | None = None
    experiments: Sequence[SplitCode] = ()
    least: int | None = None
    hidden: Collection[str] = ()

    @property
    def groups(self) -> list[str]:
        """The titles of the campaigns, each once."""
        return list(dict.fromkeys(self.titles.values()))

    @property
    def codes_by_group(self) -> dict[str, list[QRCode]]:
        """The QR Codes by the titles of their campaigns; a list may be empty."""
        grouped: dict[str, list[QRCode]] = {title: [] for title in self.groups}
        for code in self.codes:
            grouped[self.titles[code.campaign_id]].append(code)
        return grouped

    @property
    def most_scanned(self) -> list[QRCode]:
        """The QR Codes, most scanned first; those whose numbers are hidden are among those without scans."""
        return sorted(self.codes, key=lambda code: 0 if code.id in self.hidden else -self.counted.get(code.id, 0))

    def daily_of(self, ids: Collection[str]) -> dict[str, list[int]]:
        """Return the scans per day of the period by QR Code ID, for these QR Codes if they have scans."""
        chosen = self.daily[self.daily["qrcode_id"].isin(list(ids))]
        table = chosen.pivot(index="qrcode_id", columns="day", values="scans")
        complete = table.reindex(columns=self.per_day["day"].unique()).fillna(0).astype("int64")
        return dict(zip(complete.index.astype(str), complete.to_numpy().tolist(), strict=True))

    @property
    def without_key(self) -> int:
        """Number of scans that carry no key of a visitor."""
        return sum(self.keyless["qrcode_id"].values())

    def known_visitors_of(self, id: str) -> int | None:
        """Return the visitors of a QR Code; None if they are unknown, because no scan carries a key, or hidden."""
        return self.visitors_of.get(id) or (None if self.counted.get(id) else 0)

    @property
    def likely_and_possible(self) -> tuple[int, int]:
        """Number of visits that look like people, and number that possibly are theirs."""
        return int(self.human["likely"].iloc[0]), int(self.human["possible"].iloc[0])

    @property
    def unknown(self) -> list[str]:
        """The attributes that are unknown for all scans."""
        return [
            name
            for name, frame in self.attributes.items()
            if set(frame[name]) == {analytics.UNKNOWN} and int(frame["scans"].sum()) == self.scans
        ]


def gather(portfolio: Portfolio, scans: Scans, asked: Scope) -> Facts:
    """Gather all facts about a view of a portfolio's scans in the given period."""
    view, most = asked.of(scans), MOST_ROWS if asked.least is None else MOST_VALUES
    with reading_one_state(portfolio.store):  # all questions see the same scans
        campaigns, codes, titles = _records(portfolio, scans)
        # With days without scans, 10,000 QR Codes would have 3 million rows in ten months.
        daily, days = analytics.scans_per_day(view, by="qrcode_id", zeros=False), analytics.scans_per_day(view)
        per_day = _by_campaign(daily, days["day"], codes, titles)
        (first, last), (counted, visitors_of) = _period(asked, per_day), _by_code(view, codes)
        # Swept visits are stored per UTC day, so the bounds are taken as UTC days.
        swept = _counts(view.ask(SWEPT, first_day=asked.since, day_after=asked.until))
        part, names, leaders = _parts(campaigns, codes, titles, counted)
        whole, down = whole_days(asked, first, last), outage_days(_inside(view, first, last))
        comparisons = compared(
            view, whole, by_day(days[~days["day"].dt.date.isin(down)]), asked, names=names, part=part
        )
        return Facts(
            campaigns=campaigns,
            codes=codes,
            colors=campaign_colors(portfolio.store, portfolio.account.id),
            titles=titles,
            first=first,
            last=last,
            per_day=per_day,
            whole=whole,
            attributes={name: _by_attribute(view, name, most, codes) for name in asked.attributes},
            leaders=leaders,
            visitors_of=visitors_of,
            **_sizes(view, asked),
            counted=counted,
            unscanned=unscanned_of(codes, titles, {**swept, **counted}),
            silent=_silent(view, first, last, codes),
            swept=swept,
            daily=daily[daily["qrcode_id"].isin([code.id for code in codes])],  # a damaged store may have others
            per_hour=_per_hour(view, first, last),
            rates=_rates(view, whole, codes, titles, comparisons),
            **_of_codes(view, codes),
            **_of_view(view),
            comparisons=comparisons,
            outages=_outages(view, first, last, comparisons),
            down=down,
            experiments=list(split_codes(portfolio, codes)) if asked.least is None else (),
        )


def split_codes(portfolio: Portfolio, codes: Sequence[QRCode]) -> Iterator[SplitCode]:
    """Yield what the experiments on QR Codes have found until now, with all of their days."""
    names = names_of(codes)
    for code in codes:
        if any(rule.variants for rule in code.rules):
            with suppress(InvalidParameter):  # all get the same variant, by weights of 0
                days = analytics.experiment(portfolio, code.id, by_day=True)
                split = analytics.check_split(portfolio, code.id).iloc[0]
                told = split if split["is_broken"] else analytics.experiment(portfolio, code.id).iloc[0]
                yield SplitCode(
                    names[code.id], say("experiment", name=quoted(names[code.id]), sentence=told["sentence"]), days
                )


def _records(portfolio: Portfolio, view: Scans) -> tuple[list[Campaign], list[QRCode], dict[str | None, str]]:
    """Return the records of a view, without QR Codes that the plan hides, and the titles of the campaigns."""
    codes = [code for code in portfolio.list_qrcodes() if code.is_available]
    campaigns = portfolio.list_campaigns()
    if (own := view.qrcodes) is not None:
        codes = [code for code in codes if code.id in own]
    if (chosen := view.campaigns) is not None:
        campaigns = [campaign for campaign in campaigns if campaign.id in chosen]
        codes = [code for code in codes if code.campaign_id in chosen]
    return campaigns, codes, titles_of(campaigns, has_others=any(code.campaign_id is None for code in codes))


def _with_names(frame: pd.DataFrame, codes: Sequence[QRCode]) -> pd.DataFrame:
    """Return a table without static QR Codes, whose scans cannot be counted, and with the names for a report."""
    names = names_of([code for code in codes if code.is_dynamic])
    counted = frame[frame["qrcode_id"].isin(names)]
    return counted.assign(qrcode=as_text(counted["qrcode_id"].map(names)))


def _of_view(view: Scans) -> dict[str, Any]:
    """Return what a view alone tells, under the names of the fields of the facts."""
    totals = analytics.summary(view).iloc[0]
    return {
        "scans": int(totals["scans"]),
        "visitors": int(totals["visitors"]),
        "time_zone": view.time_zone,
        "most_a_day": view.most_a_day,
        "visits": _counts(analytics.visits_by_kind(view), "visits", by="kind"),
        "by_hour": analytics.scans_by_hour(view),
        "imported": imported_scans(view),
        "hourly": _hourly(view),
        "human": analytics.human_scans(view),
    }


def _of_codes(view: Scans, codes: Sequence[QRCode]) -> dict[str, Any]:
    """Return the tables about QR Codes, under the names of the fields of the facts."""
    found = {
        "half_lives": analytics.half_lives(view),
        "locations": analytics.scans_by_location(view),
        "unlike_people": analytics.unlike_people(view),
    }
    return {name: _with_names(frame, codes) for name, frame in found.items()}


def _named(frame: pd.DataFrame, codes: Sequence[QRCode]) -> pd.DataFrame:
    """Return a table by `qrcode_id` as one by `qrcode`, with the names for a report."""
    named = frame.rename(columns={"qrcode_id": "qrcode"})
    return named.assign(qrcode=as_text(named["qrcode"].map(names_of(codes))))


def _by_attribute(view: Scans, name: str, most: int, codes: Sequence[QRCode]) -> pd.DataFrame:
    if name == "qrcode":
        return _named(analytics.scans_by(view, "qrcode_id", most=most), codes)
    return analytics.scans_by(view, name, most=most)


def _silent(view: Scans, first: date | None, last: date | None, codes: Sequence[QRCode]) -> pd.DataFrame:
    """Return the QR Codes that fell silent in the period, by the names that a report gives them."""
    end = last + timedelta(days=1) if last else view.until
    frame = _with_names(analytics.silent(view.where(since=None, until=end)), codes)
    return frame[frame["last"].dt.date >= first] if first else frame


def _inside(view: Scans, first: date | None, last: date | None) -> Scans:
    return view.where(since=first, until=last and last + timedelta(days=1))


def _outages(view: Scans, first: date | None, last: date | None, comparisons: Comparisons) -> pd.DataFrame:
    """Return the outages of the period, and those of the days that it is compared with."""
    views = [_inside(view, first, last)]
    if comparisons.first and not comparisons.is_half:
        views.insert(0, comparisons.first.of(view))
    return pd.concat(map(analytics.outages, views), ignore_index=True)


def _period(asked: Scope, per_day: pd.DataFrame) -> tuple[date | None, date | None]:
    """Return the first and last day of the period; by default the days of the first and the last scan."""
    found = (per_day["day"].iloc[0].date(), per_day["day"].iloc[-1].date()) if per_day["scans"].sum() else (None, None)
    return asked.since or found[0], asked.until - timedelta(days=1) if asked.until else found[1]


def whole_days(asked: Scope, first: date | None, last: date | None) -> Span | None:
    """Return the days to compare, without the days of the first and last scan, which may be incomplete."""
    if first is None or last is None:
        return None
    span = Span(first if asked.since else first + timedelta(days=1), last + timedelta(days=1) if asked.until else last)
    return span if span.days >= FEWEST_DAYS else None


def _parts(
    campaigns: Sequence[Campaign], codes: Sequence[QRCode], titles: Mapping[str | None, str], counted: Mapping[str, int]
) -> tuple[Literal["campaign", "qrcode"], dict[str, str], list[tuple[str, int]]]:
    """Return what to group scans by, the names of groups with scans by ID, most scanned first, and the first two."""
    part: Literal["campaign", "qrcode"] = "campaign" if len(campaigns) > 1 else "qrcode"
    names = titles if part == "campaign" else names_of(codes)
    scans: Counter[str] = Counter()
    for code in codes:
        scans[(code.campaign_id or "") if part == "campaign" else code.id] += counted.get(code.id, 0)
    scanned = {id: number for id, number in scans.most_common() if number and id in names}
    leaders = [(names[id], number) for id, number in list(scanned.items())[:2]]
    return part, {id: names[id] for id in scanned}, leaders


def _per_hour(scans: Scans, first: date | None, last: date | None) -> pd.DataFrame | None:
    """Return scans per hour for a period of one or two days, which are too few to show by day."""
    if first is None or last is None or last - first > timedelta(days=1):
        return None
    frame = analytics.scans_per(scans, "hour")
    return frame if len(frame) >= FEWEST_HOURS else None


def _by_code(scans: Scans, codes: Sequence[QRCode]) -> tuple[dict[str, int], dict[str, int]]:
    """Return scans and visitors by the ID of the QR Code."""
    frame = analytics.top_qrcodes(scans, most=len(codes) + 1)
    return _counts(frame), _counts(frame, "visitors")


def _sizes(scans: Scans, asked: Scope) -> dict[str, Any]:
    """Return what groups are measured by: fields of the facts by name. Most are counted only to hide small groups."""
    if asked.least is None:
        return {"visitors_in": {}, "keyless": {"qrcode_id": _keyless(scans, "qrcode_id")}}
    # A visitor of several QR Codes of a campaign counts once.
    visitors, measured = _counts(scans.ask(BY_CAMPAIGN), "visitors", by="campaign_id"), ("qrcode_id", *asked.attributes)
    return {"visitors_in": visitors, "keyless": {name: _keyless(scans, name) for name in measured}}


def _keyless(scans: Scans, attribute: str) -> dict[str, int]:
    """Count scans without the key of a visitor by the value of an attribute."""
    asked = WITHOUT_KEY.format(value=value_sql(attribute, scans), table=table_of(attribute))
    return _counts(scans.ask(asked), by="value")


def _hourly(scans: Scans) -> pd.DataFrame:
    """Count scans by campaign and hour on the clock of the view's time zone."""
    frame = scans.ask(HOURLY.format(local=local_time(stretches_of(scans))))
    types = {"day": "datetime64[us]", "hour": "int64", "campaign_id": "str", "scans": "int64"}
    return with_dtypes(frame, types)


def _counts(frame: pd.DataFrame, what: str = "scans", *, by: str = "qrcode_id") -> dict[str, int]:
    """Convert a column of a frame to a dictionary, by default with the IDs of the QR Codes as keys."""
    return dict(zip(frame[by].astype("str"), map(int, frame[what]), strict=True))


def _by_campaign(
    daily: pd.DataFrame, days: pd.Series, codes: Sequence[QRCode], titles: Mapping[str | None, str]
) -> pd.DataFrame:
    """Sum scans per day and QR Code to scans per day and campaign, by its title, with the days without scans."""
    title = {code.id: titles[code.campaign_id] for code in codes}
    by_title = daily.assign(campaign=as_text(daily["qrcode_id"].map(title)))
    counted = by_title.groupby(["day", "campaign"], as_index=False)[["scans"]].sum()
    campaigns = counted[["campaign"]].drop_duplicates().sort_values("campaign")
    complete = days.to_frame().merge(campaigns, how="cross").merge(counted, how="left", on=["day", "campaign"])
    return complete.fillna({"scans": 0}).astype({"scans": "int64"})


def _rates(
    scans: Scans,
    whole: Span | None,
    codes: Sequence[QRCode],
    titles: Mapping[str | None, str],
    comparisons: Comparisons,
) -> pd.DataFrame | None:
    """Return rates of the parts that are compared: QR Codes by their names for a report, or campaigns by their titles.

    None if there are too few days, or only one part.
    """
    if whole is None or not comparisons.part:
        return None
    view, without = whole.of(scans), comparisons.left_out
    if comparisons.part == "qrcode":
        return _named(analytics.rates(view, by="qrcode_id", without=without), codes)
    rates = analytics.rates(view, by="campaign_id", without=without).rename(columns={"campaign_id": "campaign"})
    return rates.assign(campaign=as_text(rates["campaign"].map(lambda id: titles[id or None])))
