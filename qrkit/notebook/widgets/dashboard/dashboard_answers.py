"""Answers the questions of a dashboard: selects scans, and returns numbers and charts. Independent of any browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date, timedelta
from typing import Any, Literal, NamedTuple, Self, TypedDict, get_args

from qrkit import analytics, charts, report
from qrkit.analytics.over_time import previous_view
from qrkit.errors import InvalidParameter, Problem, collecting, nearest, raise_any
from qrkit.languages import say
from qrkit.portfolio import Portfolio
from qrkit.report.campaign_comparison import side_by_side
from qrkit.report.comparisons import CompareTo, Scope, year_before
from qrkit.report.facts import gather, split_codes
from qrkit.report.findings import alerts, findings, headline, lead
from qrkit.report.key_numbers import key_figures
from qrkit.report.words import NO_CAMPAIGN, titles_of
from qrkit.store import Scans
from qrkit.store.questions.local_time import YEARS
from qrkit.store.questions.scan_attributes import TAG, UNKNOWN
from qrkit.store.records.campaign_colors import campaign_colors, colors_by_name
from qrkit.tracking.records import Kind
from qrkit.tracking.times import naive

KINDS: tuple[Kind, ...] = tuple(kind for kind in get_args(Kind) if kind != "orphan")
"""Kinds of visits that can be selected; visits to unknown codes belong to no campaign."""

Comparison = Literal["previous", "year", "range", "campaigns", ""]
"""What a period is compared with: the one before, the same days a year before, days of one's own, or nothing; or that
campaigns stand side by side."""

ATTRIBUTES = {"device": "Devices", "system": "Operating systems", "country": "Countries", TAG: "Tags"}
"""Attributes whose bars filter the scans, and the titles of their charts."""

WIDTHS = (340, 390, 450, 510, 560, 620, 680, 740, 800, 860, 940, 1020, 1100, 1180, 1260)
"""Widths of charts in pixels; the widest that fits is used."""

MOST_BARS = 8
MINUTES = 60
PER_MINUTE = "SELECT date_trunc('minute', time) AS minute, count(*) AS scans FROM lean GROUP BY ALL"


class SelectionFields(TypedDict, total=False):
    """The fields of `Selection` that people choose, as a browser sends them."""

    since: str
    until: str
    campaign: str
    campaigns: Sequence[str]
    qrcode: str
    device: str
    system: str
    country: str
    tag: str
    kinds: Sequence[Kind]
    compare: Comparison
    compare_since: str
    compare_until: str


@dataclass(frozen=True, slots=True)
class Selection:
    """The scans that a dashboard shows; "" does not filter.

    Attributes:
        since: First day; None for the day of the first scan.
        until: Last day; None for the day of the last scan.
        campaigns: IDs of the campaigns to compare, if `compare` is "campaigns"; none for all.
        compare: What the days are compared with.
        compare_since: First day of a comparison with a range; `compare_until` is its last day.
    """

    since: date | None = None
    until: date | None = None
    campaign: str = ""
    campaigns: tuple[str, ...] = ()
    qrcode: str = ""
    device: str = ""
    system: str = ""
    country: str = ""
    tag: str = ""
    kinds: tuple[Kind, ...] = ("scan",)
    compare: Comparison = "previous"
    compare_since: date | None = None
    compare_until: date | None = None
    time_zone: str = "UTC"

    def changed(self, fields: Mapping[str, Any]) -> Self:
        """Return a copy with the fields that a browser sent. A last day before a new first day moves to that day."""
        problems = [
            Problem(name, fields[name], f"is not a field; {nearest(name, READERS)}", "unknown-parameter")
            for name in fields
            if name not in READERS
        ]
        values: dict[str, Any] = {}
        for name, read in READERS.items():
            if name in fields:
                with collecting(problems):
                    values[name] = read(name, fields[name])
        copy = replace(self, **values)
        for form in ("", "compare_"):
            first, last = getattr(copy, f"{form}since"), getattr(copy, f"{form}until")
            if not (first and last and first > last):
                continue
            if f"{form}until" not in fields:
                copy = replace(copy, **{f"{form}until": first})
            else:
                problems.append(Problem(f"{form}until", f"{last}", f"must not be earlier than {first}", "out-of-range"))
        raise_any(problems)
        return copy

    def of(self, scans: Scans) -> Scans:
        """Return the selected scans."""
        compared = self.campaigns if self.compare == "campaigns" else ()
        return scans.where(
            campaign_id=self.campaign or compared or None,
            qrcode_id=self.qrcode or None,
            since=self.since,
            until=_after(self.until),
            kinds=self.kinds,
            time_zone=self.time_zone,
            **{name: getattr(self, name) or None for name in ATTRIBUTES},
        )

    def before(self, scans: Scans) -> Scans | None:
        """Return the scans that the selected ones are compared with; None if there is nothing to compare with."""
        if self.compare == "range":
            ends = self.compare_since, self.compare_until
        elif self.since and self.until and self.compare == "year":
            ends = year_before(self.since), year_before(self.until)
        elif self.since and self.until and self.compare == "previous":
            return previous_view(self.of(scans))
        else:
            return None
        return self.of(scans).where(since=ends[0], until=_after(ends[1])) if all(ends) else None

    def as_dict(self) -> dict[str, Any]:
        """Return the selection as JSON."""
        return {name: _plain(getattr(self, name)) for name in READERS}


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return list(value)
    return value.isoformat() if isinstance(value, date) else value or ""


def _after(day: date | None) -> date | None:
    return day and day + timedelta(days=1)


def _day(name: str, value: Any) -> date | None:
    if value in ("", None):
        return None
    rule = f"must be a day such as 2026-06-01, in the years {YEARS[0]} to {YEARS[1]}"
    try:
        day = date.fromisoformat(value)
    except (TypeError, ValueError) as error:
        raise InvalidParameter(Problem(name, value, rule)) from error
    if not YEARS[0] <= day.year <= YEARS[1]:
        raise InvalidParameter(Problem(name, value, rule, "out-of-range"))
    return day


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        rule = f"must be the ID of a {name}" if name in ("campaign", "qrcode") else "must be text"
        raise InvalidParameter(Problem(name, value, rule, "wrong-type"))
    return value


def _texts(name: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list | tuple | None):
        raise InvalidParameter(Problem(name, value, "must be a list of the IDs of campaigns", "wrong-type"))
    return tuple(_text("campaign", one) for one in value or ())


def _kinds(name: str, value: Any) -> tuple[Kind, ...]:
    given = value if isinstance(value, list | tuple) else []
    for one in given:
        if one not in KINDS:
            raise InvalidParameter(Problem(name, one, nearest(str(one), KINDS)))
    chosen = tuple(kind for kind in KINDS if kind in given)
    if not chosen:
        raise InvalidParameter(Problem(name, value, "needs at least one kind of visit"))
    return chosen


def _comparison(name: str, value: Any) -> str:
    if value not in get_args(Comparison):
        raise InvalidParameter(Problem(name, value, nearest(str(value), [one for one in get_args(Comparison) if one])))
    return str(value)


READERS: dict[str, Callable[[str, Any], Any]] = {
    **dict.fromkeys(("since", "until", "compare_since", "compare_until"), _day),
    **dict.fromkeys(("campaign", "qrcode", *ATTRIBUTES), _text),
    "campaigns": _texts,
    "kinds": _kinds,
    "compare": _comparison,
}
"""What reads each field that a browser sends."""


def periods(today: date) -> list[dict[str, str]]:
    """Return the periods that one click chooses, as JSON: the label, the first day and the last; "" for no bound."""
    month = today.replace(day=1)
    quarter = month.replace(month=today.month - (today.month - 1) % 3)
    last_quarter = quarter - timedelta(days=1)
    chosen: dict[str, tuple[date, date]] = {
        say("{days} days", days=7): (today - timedelta(days=6), today),
        say("Last month"): ((month - timedelta(days=1)).replace(day=1), month - timedelta(days=1)),
        say("Last quarter"): (last_quarter.replace(month=last_quarter.month - 2, day=1), last_quarter),
        say("{days} days", days=90): (today - timedelta(days=89), today),
    }
    ends = [(label, since.isoformat(), until.isoformat()) for label, (since, until) in chosen.items()]
    return [dict(zip(("label", "since", "until"), one, strict=True)) for one in (*ends, (say("All"), "", ""))]


def numbers(view: Scans) -> dict[str, int | None]:
    """Return the key figures by name; None for visitors if no scan says who came."""
    row = analytics.summary(view).iloc[0]
    found: dict[str, int | None] = {name: int(row[name]) for name in ("scans", "visitors", "qrcodes")}
    return found if found["visitors"] or not found["scans"] else found | {"visitors": None}


class Drawn(NamedTuple):
    """A chart of a dashboard, with the numbers that it shows.

    A wide one takes the whole width where others stand side by side.
    """

    title: str
    chart: charts.Chart
    rows: Any
    is_wide: bool


COMPARED = {
    "previous": "Compared with the previous period",
    "year": "Compared with the same days of the year before",
    "range": "Compared with {since} to {until}",
}


def drawn(portfolio: Portfolio, asked: Selection, width: int, narrow: int) -> Iterator[Drawn]:
    """Yield the charts over time: scans per day, against another period, and by hour of the week.

    `width` is the available width in pixels, `narrow` that of charts that stand side by side.
    """
    view, before = asked.of(portfolio.scans), asked.before(portfolio.scans)
    colors = colors_by_name(portfolio.store, portfolio.account.id)
    wide, half = (max((one for one in WIDTHS if one <= room), default=WIDTHS[0]) for room in (width, narrow))
    by_day = analytics.scans_per_day(view, by="campaign").replace({"campaign": {"": say(NO_CAMPAIGN)}})
    yield Drawn(say("Scans per day"), charts.lines(by_day, colors=colors, width=wide), by_day, is_wide=True)
    if before is not None:
        title = say(COMPARED[asked.compare], since=str(asked.compare_since), until=str(asked.compare_until))
        rows = analytics.scans_and_previous(view, previous=before)
        yield Drawn(title, charts.previous_period(rows, width=half), rows, is_wide=False)
    is_alone = before is None  # then nothing stands beside it
    for one in split_codes(portfolio, [portfolio.get_qrcode(asked.qrcode)] if asked.qrcode else []):
        title = say("Experiment on {name}", name=one.name)
        yield Drawn(title, charts.experiment(one.days, width=wide), one.days, is_wide=True)
    rows = analytics.scans_by_hour(view)
    title = say("Scans by weekday and hour ({zone})", zone=str(view.time_zone))
    yield Drawn(title, charts.hour_of_week(rows, width=wide if is_alone else half), rows, is_wide=is_alone)


def answer(portfolio: Portfolio, asked: Selection) -> dict[str, Any]:
    """Return what a report on the selected scans says first, as JSON.

    The sentences are headline, alerts (outages, bots, silent posters) and findings; the key figures come with their
    changes. Without sentences for other kinds of visits, or with a filter by device, system, country or tag.
    """
    if asked.kinds != ("scan",) or any(getattr(asked, name) for name in ATTRIBUTES):
        return {"headline": "", "lead": "", "alerts": [], "findings": [], "figures": [], "compared": ""}
    view = asked.of(portfolio.scans).where(since=None, until=None)  # a report also reads the days before
    period = (asked.since, _after(asked.until), asked.time_zone)
    facts = gather(portfolio, view, Scope(*period, attributes=(), compare_to=_compared(asked)))
    urgent = alerts(facts)
    return {
        "headline": headline(facts),
        "lead": lead(facts),
        "alerts": urgent,
        "findings": [sentence for sentence in findings(facts) if sentence not in urgent],
        "figures": [asdict(figure) for figure in key_figures(facts)],
        "compared": side_by_side(facts) if asked.compare == "campaigns" else "",
    }


def _compared(asked: Selection) -> CompareTo:
    """Return what a report compares the selected days with."""
    since, until = asked.compare_since, _after(asked.compare_until)
    compared: dict[str, CompareTo] = {"year": "last year", "range": (since, until) if since and until else None}
    return compared.get(asked.compare)


def report_on(portfolio: Portfolio, asked: Selection) -> report.Report:
    """Return the report on the selected days and campaigns, whatever else is selected."""
    how: dict[str, Any] = {"since": asked.since, "until": _after(asked.until), "time_zone": asked.time_zone}
    how["compare_to"] = _compared(asked)
    if asked.campaign:
        return report.campaign(portfolio, asked.campaign, **how)
    if asked.compare != "campaigns":
        return report.portfolio(portfolio, **how)
    how["compare_to"] = "campaigns"
    return report.campaign(portfolio, asked.campaigns, **how) if asked.campaigns else report.portfolio(portfolio, **how)


def bars(portfolio: Portfolio, asked: Selection) -> Iterator[dict[str, Any]]:
    """Yield rankings as JSON: a field of `Selection`, a title, and a row for each value that the field may have.

    A ranking shows what the other filters leave, so that another of its values can be chosen at once.
    """
    scans = portfolio.scans
    store, account_id = portfolio.store, portfolio.account.id
    own_colors, colors = campaign_colors(store, account_id), colors_by_name(store, account_id)
    titles = titles_of(portfolio.list_campaigns(), has_others=False)
    rows = analytics.scans_by(replace(asked, campaign="").of(scans), "campaign_id", most=MOST_BARS, visitors=False)
    named = rows[rows["campaign_id"].isin(titles)]
    counts = zip(named["campaign_id"], named["scans"].tolist(), strict=True)
    yield _ranking("campaign", say("Campaigns"), [(id, titles[id], count, own_colors[id]) for id, count in counts])
    codes = analytics.top_qrcodes(replace(asked, qrcode="").of(scans), most=MOST_BARS, visitors=False)
    fields = zip(codes["qrcode_id"], codes["qrcode"], codes["scans"].tolist(), codes["campaign"], strict=True)
    most = [(id, name, count, colors.get(campaign, 0)) for id, name, count, campaign in fields]
    yield _ranking("qrcode", say("QR Codes"), most)
    for name, title in ATTRIBUTES.items():
        others = replace(asked, **{name: ""})  # type: ignore[arg-type]
        rows = analytics.scans_by(others.of(scans), name, most=MOST_BARS, visitors=False)
        if name == TAG and set(rows[name]) <= {UNKNOWN}:
            continue  # most portfolios have no tags
        values = zip(rows[name], rows["scans"].tolist(), strict=True)
        yield _ranking(name, say(title), [(value, value, count, 0) for value, count in values])


def _ranking(name: str, title: str, rows: Sequence[tuple[str, str, int, int]]) -> dict[str, Any]:
    """Return a ranking as JSON; each row has the value to filter by, its label, its scans and its color."""
    names = ("value", "label", "scans", "color")
    return {"name": name, "title": title, "rows": [dict(zip(names, row, strict=True)) for row in rows]}


def last_hour(view: Scans) -> dict[str, str]:
    """Return the scans per minute in the hour until now: a title with their sums, and a picture as SVG."""
    end = naive(view.clock()).replace(second=0, microsecond=0)
    since = end - timedelta(minutes=MINUTES - 1)
    frame = view.where(since=since, time_zone="UTC").ask(PER_MINUTE)
    found = dict(zip(frame["minute"].dt.to_pydatetime(), frame["scans"].tolist(), strict=True))
    counts = [found.get(since + timedelta(minutes=passed), 0) for passed in range(MINUTES)]
    title = say(
        "Scans in the last hour: {hour}; in the last five minutes: {recent}",
        hour=sum(counts),
        recent=sum(counts[-5:]),
    )
    return {"title": title, "svg": _columns(counts, title)}


def _columns(counts: Sequence[int], title: str) -> str:
    """Draw scans per minute as SVG, with the largest number at the top."""
    most = max(*counts, 1)
    ends = say("an hour ago"), say("now")
    path = "".join(f"M{8 * place + 4} 100v-{80 * count / most:.1f}" for place, count in enumerate(counts) if count)
    return (
        f'<svg viewBox="0 0 480 120" width="600" style="max-width:100%" role="img" aria-label="{title}" font-size="11"'
        f' fill="currentColor"><path d="{path}" style="stroke:var(--color-1,currentColor)" stroke-width="6"/>'
        f'<path d="M0 100.5h480" stroke="currentColor"/><text y="12">{say("{count} a minute", most)}</text>'
        f'<text y="117">{ends[0]}</text><text x="480" y="117" text-anchor="end">{ends[1]}</text></svg>'
    )
