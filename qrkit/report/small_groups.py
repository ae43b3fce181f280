"""Hides small groups in the facts of a report, so that every page, file and sum made of these facts can be shared.

All rules follow from one bound, `least`:

- **Groups** follow the rule of tables (`analytics.without_small_groups`): a small one is hidden, and with it enough
  others that no total reveals it. Values of an attribute, QR Codes and campaigns are as large as the number of their
  visitors plus that of their scans without the key of a visitor, such as imported ones: each of these is at most one
  visit, and nothing ties it to another. Hours of the week are measured by their scans. Small campaigns become one,
  "All others". Numbers of visitors follow the same rule again, so that a few known ones are not shown among many scans.
- **Days** of a campaign wait for each other: scans count on the first day on which there are `least` of them, or on the
  last such day if too few are left over. So each number of a day, and each sum and difference that the filters of the
  page can count, consists of parts that are 0 or at least `least`. A period without bounds begins and ends with days
  that are shown.
- What is finer is left out: the days and first scans of a QR Code, the hours of a campaign, and comparisons that need
  days whose scans had to wait.

Totals of the whole report, and bots, are shown as they are. Someone who has reports on overlapping periods, or knows
some of the scans, may still find out more.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import chain, count

import pandas as pd

from qrkit.analytics import without_small_groups
from qrkit.analytics.over_time import by_day
from qrkit.errors import InvalidParameter, Problem
from qrkit.languages import say
from qrkit.report.comparisons import FEWEST_DAYS, LEVEL, Comparisons, Scope, Span, compare_sides
from qrkit.report.facts import MOST_ROWS, Facts, whole_days
from qrkit.report.ranked_tables import ALL_OTHERS


def shareable(facts: Facts, asked: Scope, least: int) -> Facts:
    """Return the facts without groups of fewer than `least` visitors or scans.

    The attributes of `facts` must have a row for each value.
    """
    if not facts.scans:
        return replace(facts, least=least, hidden=_hidden_codes(facts, least))
    if (size := facts.visitors + facts.without_key) < least:
        what = "visitors" if not facts.without_key else "visitors or scans" if facts.visitors else "scans"
        what = what if size > 1 else what[:-1]
        rule = f"hides the whole report, which has {size} {what}; choose a longer period or a smaller number"
        raise InvalidParameter(Problem("least", least, rule))
    titles = _titles(facts, least)
    exact = _with_titles(facts, titles)
    per_day = _waiting(exact, least)
    is_exact = per_day.equals(exact)
    shown = _trimmed(replace(facts, titles=titles, colors=_colors(facts, titles), per_day=per_day), asked)
    hidden = _hidden_codes(shown, least)
    return replace(
        shown,
        least=least,
        hidden=hidden,
        visitors=facts.visitors if facts.visitors >= least else 0,
        visitors_of=_visitors_of(shown, hidden, least),
        silent=facts.silent[:0],
        unlike_people=facts.unlike_people[:0],
        per_hour=None,
        daily=facts.daily[:0],
        hourly=facts.hourly[:0],
        by_hour=_by_hour(facts.by_hour, least),
        attributes={name: _values(frame, facts.keyless[name], least) for name, frame in facts.attributes.items()},
        human=_rounded(facts, least),
        half_lives=facts.half_lives[:0],
        locations=facts.locations[~facts.locations["qrcode_id"].isin(list(hidden))].reset_index(drop=True),
        rates=_rates(facts, titles) if is_exact else None,
        comparisons=_comparisons(replace(shown, hidden=hidden), least, is_exact=is_exact),
    )


# ---- groups


def _titles(facts: Facts, least: int) -> dict[str | None, str]:
    """Return the titles of the campaigns; campaigns with too few visitors share one title, which comes last."""
    counts = _of_codes(facts).groupby("campaign", as_index=False, sort=False)[["scans", "keyless"]].sum()
    visitors = {title: facts.visitors_in.get(id or "", 0) for id, title in facts.titles.items()}
    counts = counts.assign(visitors=counts["campaign"].map(visitors))
    hidden = set(counts["campaign"][_are_hidden(counts, ("campaign",), least)])
    kept = {id: title for id, title in facts.titles.items() if title not in hidden}
    others = say(ALL_OTHERS)
    names = chain([others], (f"{others} ({number})" for number in count(2)))
    name = next(name for name in names if name not in kept.values())
    return kept | {id: name for id in facts.titles if id not in kept}


def _colors(facts: Facts, titles: Mapping[str | None, str]) -> dict[str, int]:
    """Return the colors of the campaigns that kept their titles."""
    return {id: color for id, color in facts.colors.items() if titles.get(id) == facts.titles.get(id)}


def _of_codes(facts: Facts) -> pd.DataFrame:
    """Return a row for each QR Code with its campaign and numbers; `keyless` are scans without the key of a visitor."""
    numbers = (facts.counted, facts.visitors_of, facts.keyless["qrcode_id"], facts.imported)
    rows = [(facts.titles[code.campaign_id], code.id, *(of.get(code.id, 0) for of in numbers)) for code in facts.codes]
    frame = pd.DataFrame(rows, columns=["campaign", "qrcode_id", "scans", "visitors", "keyless", "imported"])
    return frame.astype({"campaign": "str", "qrcode_id": "str"} | dict.fromkeys(frame.columns[2:], "int64"))


def _hidden_codes(facts: Facts, least: int) -> frozenset[str]:
    """Return the IDs of the QR Codes whose numbers are hidden."""
    codes, by = _of_codes(facts), ("campaign", "qrcode_id")
    imported = without_small_groups(codes[[*by, "imported"]], by=by, count="imported", least=least)["imported"]
    return frozenset(codes["qrcode_id"][_are_hidden(codes, by, least) | imported.isna()])


def _visitors_of(facts: Facts, hidden: Collection[str], least: int) -> dict[str, int]:
    """Return the number of visitors of each shown QR Code, without small numbers."""
    codes, by = _of_codes(facts), ("campaign", "qrcode_id")
    known = _shown_visitors(codes, by, least)
    counts = zip(codes["qrcode_id"], known.tolist(), strict=True)
    return {id: visitors for id, visitors in counts if visitors and id not in hidden}


def _shown_visitors(groups: pd.DataFrame, by: tuple[str, ...], least: int) -> pd.Series[int]:
    """Return the numbers of visitors; small numbers, and those that would reveal them, become 0, as if unknown."""
    shown = without_small_groups(groups[[*by, "visitors"]], by=by, count="visitors", least=least)
    return shown["visitors"].fillna(0).astype("int64")


def _values(frame: pd.DataFrame, keyless: Mapping[str, int], least: int) -> pd.DataFrame:
    """Return the most frequent values of an attribute that are shown."""
    name = str(frame.columns[0])
    hidden = _are_hidden(frame.assign(keyless=frame[name].map(keyless)), (name,), least)
    shown = frame.assign(visitors=_shown_visitors(frame, (name,), least))
    return shown[~hidden].head(MOST_ROWS).reset_index(drop=True)


def _are_hidden(groups: pd.DataFrame, by: tuple[str, ...], least: int) -> pd.Series[bool]:
    """Return whether each group is hidden, by the sum of its visitors and its scans without a visitor key."""
    sizes = groups["visitors"] + groups["keyless"]
    return without_small_groups(groups[[*by]].assign(size=sizes), by=by, count="size", least=least)["size"].isna()


def _by_hour(frame: pd.DataFrame, least: int) -> pd.DataFrame:
    """Return scans per hour of the week; hours with too few scans are missing."""
    counts = frame[["weekday", "hour", "scans"]]
    return frame.assign(scans=without_small_groups(counts, by=("weekday", "hour"), least=least)["scans"])


def _rounded(facts: Facts, least: int) -> pd.DataFrame:
    """Round the range of human scans outward to multiples of `least`: its ends may differ by a few visits only.

    A range within the scans stays there. Only link previews, which are not scans, can be beyond them.
    """
    human, (likely, possible) = facts.human, facts.likely_and_possible
    if likely == possible:
        return human
    most = facts.scans if possible <= facts.scans else facts.scans + facts.visits.get("prefetch", 0)
    return human.assign(likely=likely // least * least, possible=min(-(-possible // least) * least, most))


# ---- days


def together(numbers: Sequence[int], least: int) -> list[int]:
    """Add up consecutive numbers until there are enough; what is left over joins the last such sum.

    Every number of the result is 0 or at least `least`, unless all of them together are fewer.
    """
    sums, waiting, last = [0] * len(numbers), 0, len(numbers) - 1
    for place, number in enumerate(numbers):
        waiting += number
        if waiting >= least:
            sums[place], waiting, last = waiting, 0, place
    if waiting:
        sums[last] += waiting
    return sums


def _with_titles(facts: Facts, titles: Mapping[str | None, str]) -> pd.DataFrame:
    """Return scans per day and campaign, with new campaign titles."""
    new = {facts.titles[id]: title for id, title in titles.items()}
    named = facts.per_day.assign(campaign=facts.per_day["campaign"].map(new).astype("str"))
    return named.groupby(["day", "campaign"], as_index=False)[["scans"]].sum()


def _waiting(per_day: pd.DataFrame, least: int) -> pd.DataFrame:
    """Return scans per day and campaign, counted on the first day on which there are enough."""
    return per_day.assign(
        scans=per_day.groupby("campaign")["scans"].transform(lambda scans: together(scans.tolist(), least))
    )


def _trimmed(facts: Facts, asked: Scope) -> Facts:
    """Return the facts for the days from the first to the last one with scans, except for bounds that were asked for.

    Otherwise, the period would begin with the day of the first scan, even if that scan counts on a later day.
    """
    days = facts.per_day.loc[facts.per_day["scans"] > 0, "day"].dt.date
    first = facts.first if asked.since else days.min()
    last = facts.last if asked.until else days.max()
    if (first, last) == (facts.first, facts.last):
        return facts
    inside = facts.per_day["day"].dt.date.between(first, last)
    whole, per_day = whole_days(asked, first, last), facts.per_day[inside].reset_index(drop=True)
    made = _of_halves(facts.comparisons, whole)
    return replace(facts, first=first, last=last, per_day=per_day, whole=whole, comparisons=made)


def _of_halves(made: Comparisons, whole: Span | None) -> Comparisons:
    """Return what to compare in a shorter period: only its halves, if halves were compared."""
    leading = Comparisons(part=made.part, leading=made.leading)
    if whole is None or not made.is_half:
        return leading
    first, second = whole.split()
    total = made.total if min(first.days, second.days) >= FEWEST_DAYS else None
    return replace(leading, first=first, second=second, is_half=True, total=total)


def _rates(facts: Facts, titles: Mapping[str | None, str]) -> pd.DataFrame | None:
    """Return the rates of the campaigns that kept their titles; rates of QR Codes would reveal single days."""
    if facts.rates is None or "campaign" not in facts.rates:
        return None
    kept = facts.rates["campaign"].isin([title for id, title in titles.items() if title == facts.titles[id]])
    return facts.rates[kept].reset_index(drop=True) if kept.sum() > 1 else None


def _comparisons(facts: Facts, least: int, *, is_exact: bool) -> Comparisons:
    """Return the comparisons that the shown days and groups allow; `is_exact` says that no scan had to wait.

    The facts have the new titles, the shown days and the hidden QR Codes.
    """
    made = facts.comparisons
    leading, previous = made.leading if _has_leaders(facts) else None, made.previous
    if made.first is None or made.second is None:
        return Comparisons(leading=leading)
    days = by_day(facts.per_day.groupby("day", as_index=False)[["scans"]].sum())
    sides = [
        {day: days.get(day, 0) for day in span.dates if day not in facts.down} for span in (made.first, made.second)
    ]
    if previous is not None:
        before = previous["previous_scans"].dropna().astype("int64").tolist()
        sides[0] = dict(zip(made.first.dates, together(before, least), strict=True))
        if sum(before) < least:
            return Comparisons(leading=leading)
        is_exact = is_exact and list(sides[0].values()) == before
        numbers = [pd.Series(list(side.values()), dtype="Int64") for side in reversed(sides)]
        previous = previous.assign(scans=numbers[0], previous_scans=numbers[1])
    elif not made.is_half:
        sides[0] = dict.fromkeys(made.first.dates, 0)
    has_parts = is_exact and made.is_half and made.part == "campaign"
    kept = replace(
        made,
        total=made.total and compare_sides("", sides, LEVEL),
        leading=leading,
        previous=previous,
        part=made.part if has_parts else "",
        parts=[one for one in made.parts if one.name in facts.titles.values()] if has_parts else [],
        before=made.before if made.before is None or int(made.before["visitors"].iloc[0]) >= least else None,
        contents=(),
        moved={},
        on_left_out=(),
        new={},
        season=None,
    )
    return kept if is_exact else replace(kept, calm=None, left_out=(), holidays=(), unusual=None, bursts=None)


def _has_leaders(facts: Facts) -> bool:
    """Whether the two groups that lead are shown."""
    if len(facts.leaders) < 2:
        return False
    if facts.comparisons.part == "campaign":
        return all(name in facts.titles.values() for name, _ in facts.leaders)
    return all(facts.counted.get(id, 0) < facts.leaders[1][1] for id in facts.hidden)
