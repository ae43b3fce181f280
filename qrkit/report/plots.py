"""Chooses the charts of a report: what each shows, its title, and how it is drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
from pandas import to_timedelta

from qrkit import charts
from qrkit.languages import say
from qrkit.report import words
from qrkit.report.facts import Facts

MANY_DAYS = 120
"""Minimum number of days to show weeks in small charts, which have no room for so many days."""
DAYS_OF_WEEK = 7
KINDS: Mapping[Callable[..., charts.Chart], tuple[str, int]] = {
    charts.lines: ("over-time", 280),
    charts.previous_period: ("over-time", 280),
    charts.unusual_days: ("over-time", 280),
    charts.small_multiples: ("by-campaign", 0),
    charts.hour_of_week: ("hours-of-week", 0),
    charts.experiment: ("experiment", 280),
    charts.rates: ("rates", 0),
    charts.scans_by_location: ("locations", 320),
    charts.human_scans: ("human-scans", 0),
    charts.time_to_first_scan: ("first-scans", 200),
}
"""The name of each chart's file, the same for each period and language, so that slides can link to it; and its height
without a title, in pixels, or 0 if it fits what it shows."""


@dataclass(frozen=True, slots=True)
class Plot:
    """A chart to draw: a function of `qrkit.charts`, with the frame and the other arguments except the width."""

    title: str
    draw: Callable[..., charts.Chart]
    frame: pd.DataFrame
    options: Mapping[str, Any] = field(default_factory=dict)

    def at(self, width: int, *, has_title: bool = True) -> charts.Chart:
        """Draw the chart this many pixels wide; without a title where a page has one of its own."""
        if has_title:
            return self.draw(self.frame, width=width, **self.options)
        height = KINDS[self.draw][1]
        untitled: dict[str, Any] = {"title": ""} | ({"height": height} if height else {})
        return self.draw(self.frame, width=width, **untitled, **self.options)


def campaign_colors(facts: Facts) -> dict[str, int]:
    """Map campaign titles to the stored color numbers; if there are too many campaigns, all get the first color.

    QR Codes outside of any campaign have no color of their own where there are campaigns.
    """
    own = facts.colors
    if not own or 0 in own.values():
        return dict.fromkeys(facts.titles.values(), 1)
    return {title: own.get(id or "", 0) for id, title in facts.titles.items()}


def plots(facts: Facts) -> list[Plot]:
    """Return all charts of a report, in the order of the page; none without scans."""
    if not facts.scans:
        return []
    first = [over_time(facts), by_campaign(facts), week(facts)]
    return [plot for plot in first if plot] + smaller_plots(facts)


def over_time(facts: Facts) -> Plot | None:
    """Return the first chart: with the days compared with, with the usual range, or plain; by hour for one or two days.

    None for a single day without enough hours.
    """
    comparisons = facts.comparisons
    if facts.per_hour is not None:
        return Plot(say("Scans per hour"), charts.lines, facts.per_hour)
    if facts.first == facts.last:
        return None
    if comparisons.previous is not None:
        return Plot(say("Scans per day, and in the days before"), charts.previous_period, comparisons.previous)
    if comparisons.unusual is not None:
        return Plot(say("Scans per day, and what is usual"), charts.unusual_days, comparisons.unusual)
    days = facts.per_day.groupby("day", as_index=False)[["scans"]].sum()
    return Plot(say("Scans per day"), charts.lines, days)


def by_campaign(facts: Facts) -> Plot | None:
    """Return the chart of each campaign over time; None for one campaign or one day."""
    if len(facts.groups) < 2 or facts.first == facts.last:
        return None
    colors, days = {"colors": campaign_colors(facts)}, facts.per_day["day"]
    if (days.max() - days.min()).days < MANY_DAYS:
        return Plot(say("Scans per day of each campaign"), charts.small_multiples, facts.per_day, colors)
    return Plot(say("Scans per week of each campaign"), charts.small_multiples, _per_week(facts.per_day), colors)


def _per_week(per_day: pd.DataFrame) -> pd.DataFrame:
    """Sum scans per day and campaign to whole weeks, from Monday; days of an incomplete week are left out."""
    monday = per_day["day"] - to_timedelta(per_day["day"].dt.weekday, unit="D")
    weeks = per_day.assign(start=monday).groupby(["start", "campaign"], as_index=False)
    sums = weeks.agg(scans=("scans", "sum"), days=("day", "nunique"))
    return sums[sums["days"] == DAYS_OF_WEEK].drop(columns="days").reset_index(drop=True)


def week(facts: Facts) -> Plot:
    """Return the chart of weekdays and hours."""
    return Plot(say("Hours of the week, {zone}", zone=facts.time_zone), charts.hour_of_week, facts.by_hour)


def smaller_plots(facts: Facts) -> list[Plot]:
    """Return the charts that stand side by side: experiments, rates, locations, human scans, time to the first scan."""
    about = "Experiment on {name}: what is known after each day"
    found = [Plot(say(about, name=one.name), charts.experiment, one.days) for one in facts.experiments]
    if facts.rates is not None and facts.whole is not None:
        is_campaigns, days = "campaign" in facts.rates, words.period(facts.whole.since, facts.whole.last)
        colors = {"colors": campaign_colors(facts) if is_campaigns else None}
        title = "Scans a day of each campaign, {period}" if is_campaigns else "Scans a day of each QR Code, {period}"
        named = say(title, period=days)
        if left_out := facts.comparisons.left_out:
            named = say("{title}, without {days}", title=named, days=words.list_days(left_out))
        found.append(Plot(named, charts.rates, facts.rates, colors))
    if len(facts.locations) > 1:
        found.append(Plot(say("Locations"), charts.scans_by_location, facts.locations))
    likely, _ = facts.likely_and_possible
    if likely:  # otherwise, the records don't show which scans look like people
        found.append(Plot(say("Human scans"), charts.human_scans, facts.human))
    if (facts.half_lives["delay"] > 0).sum() > 1:
        found.append(
            Plot(say("How long codes waited for their first scan"), charts.time_to_first_scan, facts.half_lives)
        )
    return found
