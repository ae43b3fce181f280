"""Measures how often intervals contain the truth, and how often comparisons see what is not there: `make coverage`.

Writes tables in Markdown: `python -m tests.analytics.study_intervals 1000 coverage.md`.
"""

import sys
from concurrent.futures import ProcessPoolExecutor
from datetime import date, timedelta
from itertools import islice, product
from math import isnan, log, nan, sqrt
from pathlib import Path
from statistics import mean, median
from typing import NamedTuple

import numpy as np
import pandas as pd

from qrkit.analytics.between_codes import CodeCounts, between_codes, changes_of, rates_of
from qrkit.analytics.comparing import Group, controlled_interval
from qrkit.analytics.daily_spread import from_beginning
from qrkit.analytics.day_models import read_covariates, weekly_trend, with_covariates
from qrkit.analytics.forecasts import RECENT, forecast_days
from qrkit.analytics.rate_intervals import rate_interval, ratio_interval
from qrkit.analytics.silent_codes import WINDOWS, judge_silence
from qrkit.analytics.unusual_days import days_with, judge_days
from tests.analytics.worlds import (
    EVENTS,
    GROUPS,
    INDEPENDENT,
    MONDAY,
    MOVING,
    TURBULENT,
    Posters,
    daily_counts,
    histories,
    moving_counts,
    poster_counts,
    turbulent_counts,
    turbulent_levels,
    turbulent_truth,
)

LEVEL = 0.95
LEVEL_OF_ALARM = 0.05
RATES = (0.3, 3.0, 40.0, 400.0)
LENGTHS = (14, 28, 90, 365)
FEWEST_TOLD = 0.1
"""Share of worlds with an answer below which a cell says nothing about how often answers are right."""
HORIZON = 28
"""Days of a forecast."""
FEWER = 5
"""Forecasts and unusual days are tried in that many times fewer worlds, because each takes longer."""
TRIED = [(True, 0.0), (True, 0.2), (True, 0.4), (False, 0.0)]
"""Whether posters are counted before the change, and how much each of them changes for itself (sd of the logarithm)."""
HEADING = """# How often intervals are right

Made by `make coverage`: {number:,} simulated worlds for each world, number of days and rate (0.3, 3, 40 and 400 scans a
day). Each cell shows the mean over the rates and, after the slash, the worst rate. Nominal is 0.050. For "before and
after", days are those on each side; those of a forecast are the past ones, and its width is relative to that of a
Poisson distribution with a known mean. Forecasts and unusual days are tried in {fewer:,} worlds each. Rates at which
fewer than one world in ten has an interval are left out. In worlds with rare events, some days are unusual, so no
share of false alarms is known. `tests/analytics/worlds.py` defines the worlds.

"""


class Cell(NamedTuple):
    """What was found in the worlds of one kind, rate and length.

    Attributes:
        wrong: Share of intervals that miss the truth; NaN if there are hardly any.
        refused: Share of worlds without an interval.
        width: Median width of the interval relative to that for independent days; NaN if there are hardly any.
    """

    wrong: float
    refused: float
    width: float


def rate_cell(world: str, rate: float, days: int, number: int, seed: int = 1) -> Cell:
    """Measure intervals of rates; the truth is the mean of the counted days, which need not be whole weeks."""
    found, weights = [], truth_of(world).weekdays
    truth = rate * mean(weights[day % 7] for day in range(days)) / mean(weights)  # histories begin on a Monday
    for history in histories(truth_of(world), rate, days, number, seed):
        ours, plain = (rate_interval(history, LEVEL, independent=independent) for independent in (False, True))
        found.append((ours.low <= truth <= ours.high, bool(ours.reason), ours.high - ours.low, plain.high - plain.low))
    return cell(found)


def change_cell(world: str, rate: float, days: int, number: int, seed: int = 2) -> Cell:
    """Measure comparisons of as many days before and after a day on which nothing changed."""
    found = []
    for history in histories(truth_of(world), rate, 2 * days, number, seed):
        entries = iter(history.items())
        found.append(comparison(dict(islice(entries, days)), dict(entries)))
    return cell(found)


def pair_cell(world: str, rate: float, days: int, number: int, seed: int = 3) -> Cell:
    """Measure comparisons of two codes with the same true rate."""
    both = histories(truth_of(world), rate, days, 2 * number, seed)
    return cell([comparison(one, next(both)) for one in both])


def unusual_cell(world: str, rate: float, days: int, number: int, seed: int = 5) -> Cell:
    """Measure views in which a day is called unusual although every day follows the same rule."""
    found = []
    for history in histories(truth_of(world), rate, days, number, seed):
        daily = days_with(history)
        found.append((not judge_days(daily, 1 - LEVEL)["is_unusual"].any(), not daily.is_known, 1.0, 1.0))
    return cell(found)


def forecast_days_cell(world: str, rate: float, days: int, number: int, seed: int = 4) -> Cell:
    """Measure the intervals of single days of a forecast of four weeks."""
    return forecast_cell(world, rate, days, number, seed, lambda found: found.days, lambda coming: coming)


def forecast_totals_cell(world: str, rate: float, days: int, number: int, seed: int = 4) -> Cell:
    """Measure the intervals of the total of a forecast of four weeks."""
    return forecast_cell(
        world, rate, days, number, seed, lambda found: found.totals[:, -1:], lambda coming: [sum(coming)]
    )


def forecast_cell(world, rate, days, number, seed, predicted, actual) -> Cell:
    """Measure forecasts; their width is relative to that of a Poisson distribution."""
    found = []
    for history in histories(truth_of(world), rate, days + HORIZON, number, seed):
        entries = list(history.items())
        made = forecast_days(
            days_with(dict(entries[max(0, days - RECENT) : days])), [day.weekday() for day, _ in entries[days:]], LEVEL
        )
        scans = actual([scans for _, scans in entries[days:]])
        for expected, low, high, count in zip(*predicted(made).tolist(), scans, strict=True):
            found.append((low <= count <= high, bool(made.reason), high - low, 2 * 1.96 * sqrt(expected)))
    return cell(found)


def forecasts_right(world: str, rate: float, number: int, *, days: int = RECENT, seed: int = 10) -> tuple[float, ...]:
    """Forecast codes whose level moved; return the shares of right days and right totals, and the error of totals."""
    random, right_days, right_totals, errors = np.random.default_rng(seed), [], [], []
    for _ in range(number):
        counts = moving_counts(world, rate, days, HORIZON, random)
        past = {MONDAY + timedelta(days=day): int(counts[day]) for day in range(days)}
        made = forecast_days(days_with(past), [day % 7 for day in range(days, days + HORIZON)], LEVEL)
        coming, total = counts[days:], counts[days:].sum()
        right_days.append(float(((made.days[1] <= coming) & (coming <= made.days[2])).mean()))
        right_totals.append(bool(made.totals[1, -1] <= total <= made.totals[2, -1]))
        errors.append(float(abs(made.totals[0, -1] - total)))
    return mean(right_days), mean(right_totals), mean(errors)


def moving_table(number: int) -> str:
    """Measure forecasts of codes whose level moved, and return them as Markdown."""
    lines = [
        "**Forecast of 28 days from 112 whose level moved: share of 95% intervals that miss a day / the total**",
        "",
        "| world | 3 scans a day | 40 scans a day |",
        "|---|---|---|",
    ]
    for world in MOVING:
        cells = [forecasts_right(world, rate, number)[:2] for rate in (3.0, 40.0)]
        lines.append(f"| {world} | {' | '.join(f'{1 - days:.3f} / {1 - totals:.3f}' for days, totals in cells)} |")
    return "\n".join(lines)


def designs_cell(world: Posters, number: int, *, has_before: bool = True, seed: int = 6) -> Cell:
    """Measure comparisons of two designs on posters; the width is the mean of the logarithm."""
    random, found = np.random.default_rng(seed), []
    for _ in range(number):
        before, after = (
            [{str(place): CodeCounts(scans, world.days) for place, scans in enumerate(group)} for group in side]
            for side in poster_counts(world, random).transpose(2, 0, 1).tolist()
        )
        logs = [changes_of(*sides) if has_before else rates_of(sides[1]) for sides in zip(before, after, strict=True)]
        made = between_codes(*logs, LEVEL)
        found.append((made.low <= world.ratio <= made.high, bool(made.reason), log(made.high / made.low), 1.0))
    return cell(found)


def designs_table(number: int) -> str:
    """Measure comparisons of two designs on posters, and return them as Markdown."""
    titles = [f"{'before and after' if has_before else 'after only'}, shift {shift}" for has_before, shift in TRIED]
    lines = [
        "**Two designs on posters, 28 days a side: share of 95% intervals that miss a ratio of 1 / of 1.5**",
        "",
        f"| posters a group, scans a day of each | {' | '.join(titles)} |",
        "|---" * (len(titles) + 1) + "|",
    ]
    for posters, rate in product((3, 10, 30), (0.3, 1.0, 4.0)):
        wrong = [
            [designs_cell(Posters(posters, rate, shift, ratio), number, has_before=before).wrong for ratio in (1, 1.5)]
            for before, shift in TRIED
        ]
        lines.append(f"| {posters}, {rate:g} | {' | '.join(f'{none:.3f} / {some:.3f}' for none, some in wrong)} |")
    return "\n".join(lines)


def covariates_cell(world: str, rate: float, days: int, number: int, seed: int = 11) -> Cell:
    """Measure comparisons with rain as a covariate, which halves scans and falls more after the change."""
    random, found = np.random.default_rng(seed), []
    for history in histories(truth_of(world), rate, 2 * days, number, seed):
        rain = np.concatenate([random.beta(1, 3, days), random.beta(2, 2, days)])
        wet = random.binomial(list(history.values()), 0.5**rain).tolist()  # a scan that the rain does not prevent
        entries = list(zip(history, wet, strict=True))
        sides = [dict(entries[:days]), dict(entries[days:])]
        columns = read_covariates(pd.DataFrame({"rain": rain}, index=list(history)), sides)
        made = with_covariates(sides, columns, LEVEL)
        found.append((not made.differs, bool(made.reason), made.high - made.low, 1.0))
    return cell(found)


def season_cell(rate: float, days: int, number: int, seed: int = 12) -> Cell:
    """Measure comparisons of two times of a year whose season is half of the mean, with the year before as control."""
    random, found, sides = np.random.default_rng(seed), [], (slice(days), slice(days, None))
    for _ in range(number):
        times = 2 * np.pi * (np.arange(2 * days) / 364 + random.random())
        years = [random.poisson(rate * (1 + 0.5 * np.sin(times)) * random.gamma(10, 0.1, 2 * days)) for _ in range(2)]
        dates = [MONDAY + timedelta(days=day) for day in range(2 * days)]
        halves = [[dict(zip(dates[half], year[half].tolist(), strict=True)) for half in sides] for year in years]
        groups = [Group(*both) for both in halves]
        made = controlled_interval(*groups, LEVEL)
        found.append((not made.differs, bool(made.reason), made.high - made.low, 1.0))
    return cell(found)


class Turbulent(NamedTuple):
    """Shares of worlds with something that no model has in it: rates that miss or are refused, and false alarms.

    Alarms are those of two codes with the same true rate, of a change where there was none that are not told as a
    trend, and of the same with a control group of the same levels.
    """

    missed: float
    refused: float
    two_codes: float
    change: float
    control: float


def turbulent_cell(world: str, rate: float, days: int, number: int, seed: int = 13) -> Turbulent:
    """Measure all intervals in a turbulent world, on that many days, or that many on each side."""
    random, rates, alarms = np.random.default_rng(seed), [], {"two": [], "change": [], "control": []}
    for _ in range(number):
        levels = turbulent_levels(world, days, random)
        one, other = (dated(turbulent_counts(world, rate, levels, random)) for _ in range(2))
        began = since_first_scan(one)
        made = rate_interval(began, LEVEL, fewest=28 if len(began) == days else 14)
        truth = rate * turbulent_truth(world, levels)
        rates.append((made.low <= truth <= made.high, bool(made.reason), made.high - made.low, 1.0))
        alarms["two"].append(bool(ratio_interval(one, other, LEVEL, independent=False).differs))
        levels = turbulent_levels(world, 2 * days, random)
        group, control = (Group(*halves(dated(turbulent_counts(world, rate, levels, random)), days)) for _ in range(2))
        found = ratio_interval(since_first_scan(group.before), group.after, LEVEL, independent=False)
        alarms["change"].append(bool(found.differs) and isnan(weekly_trend(group)))
        alarms["control"].append(bool(controlled_interval(group, control, LEVEL).differs))
    made = cell(rates)
    return Turbulent(made.wrong, made.refused, *(mean(found) for found in alarms.values()))


def since_first_scan(days: dict[date, int]) -> dict[date, int]:
    """Leave out the days up to the first scan, unless it was on one of the first two days, as the library does."""
    scanned = [day for day, count in days.items() if count]
    first = min(scanned, default=MONDAY)
    return from_beginning(days, first + timedelta(days=1))


def dated(counts: np.ndarray) -> dict[date, int]:
    return {MONDAY + timedelta(days=day): count for day, count in enumerate(counts.tolist())}


def halves(days: dict[date, int], first: int) -> tuple[dict[date, int], dict[date, int]]:
    entries = list(days.items())
    return dict(entries[:first]), dict(entries[first:])


def turbulent_table(number: int) -> str:
    """Measure the turbulent worlds, and return them as Markdown."""
    keys = list(product(TURBULENT, (3.0, 40.0), (28, 90)))
    with ProcessPoolExecutor() as processes:
        found = dict(zip(keys, processes.map(turbulent_cell, *_columns(keys), [number] * len(keys)), strict=True))
    lines = [
        "**Worlds with something that no model has in it: share of rates that miss / are refused, and share of false "
        "alarms between two codes / before and after, not told as a trend / with a control group; the worse of 3 and "
        "40 scans a day**",
        "",
        "| world | rate, 28 days | 90 days | alarms, 28 days | 90 days |",
        "|---|---|---|---|---|",
    ]
    for world in TURBULENT:
        cells = []
        for names, days in product((("missed", "refused"), ("two_codes", "change", "control")), (28, 90)):
            both = [found[world, rate, days] for rate in (3.0, 40.0)]
            worst = [max((getattr(one, name) for one in both), key=or_none) for name in names]
            cells.append(" / ".join(f"{share:.3f}" for share in worst))
        lines.append(f"| {world} | {' | '.join(cells)} |")
    season, rain = (max(one(rate, number).wrong for rate in (3.0, 40.0)) for one in (_season, _rain))
    return "\n".join([
        *lines, "",
        f"A season of half of the mean, 90 days a side, against last year: {season:.3f} false alarms. Rain that halves "
        f"scans and falls more after the change, as a covariate, 28 days a side: {rain:.3f}. Scans per unit of codes "
        f"that began one after the other: {units_cell(5.0, 90, number).wrong:.3f} of intervals miss.",
    ])  # fmt: skip


def or_none(share: float) -> float:
    """Sort what is unknown before everything else."""
    return -1.0 if isnan(share) else share


def _season(rate: float, number: int) -> Cell:
    return season_cell(rate, 90, number)


def _rain(rate: float, number: int) -> Cell:
    return covariates_cell("AR(1), 0.5", rate, 28, number)


def _columns(keys):
    return zip(*keys, strict=True)


def units_cell(rate: float, days: int, number: int, seed: int = 14) -> Cell:
    """Measure scans per unit of five codes with 1 to 5 units, which began one after the other in the first half."""
    random, found = np.random.default_rng(seed), []
    units, starts = np.arange(1, 6), np.arange(5) * days // 10
    exposures = (units[:, None] * (np.arange(days) >= starts[:, None])).sum(axis=0)
    for _ in range(number):
        weather = random.gamma(5, 1 / 5, days)
        made = rate_interval(dated(random.poisson(rate * exposures * weather)), LEVEL, exposures=dated(exposures))
        found.append((made.low <= rate <= made.high, bool(made.reason), made.high - made.low, 1.0))
    return cell(found)


def silence_table(portfolios: int) -> str:
    """Measure silent posters, and return them as Markdown."""
    lines = [
        "**Silent posters: share of portfolios of 40 in which a poster with 3 scans a day that died is found after "
        "14 days, and in which another one is called silent**",
        "",
        "| world | found | false alarm |",
        "|---|---|---|",
    ]
    for world in ("Poisson", "negative binomial, 3", "AR(1), 0.8", "groups of 2 to 5"):
        found, false = silence_cell(world, portfolios=portfolios)
        lines.append(f"| {world} | {found:.3f} | {false:.3f} |")
    return "\n".join(lines)


def silence_cell(
    world: str, *, portfolios: int, days: int = 60, dead: int = 14, rate: float = 3.0, codes: int = 40, seed: int = 8
) -> tuple[float, float]:
    """Kill the first of 40 codes; return in which share of portfolios it is found, and in which another one is."""
    random = np.random.default_rng(seed)
    found, false, today = 0, 0, MONDAY + timedelta(days=days)
    for _ in range(portfolios):
        rates = [rate, *random.lognormal(0, 1.2, codes - 1)]
        scans = daily_counts(rates, MONDAY, days, random=random, truth=truth_of(world))
        scans[0, days - dead :] = 0
        alarms = [is_silent(counts, today, LEVEL_OF_ALARM / codes) for counts in scans]
        found, false = found + alarms[0], false + any(alarms[1:])
    return found / portfolios, false / portfolios


def is_silent(counts: np.ndarray, today: date, alarm: float) -> bool:
    (scanned,) = counts.nonzero()
    if len(scanned) < 2 or scanned[-1] == len(counts) - 1:
        return False
    days = range(max(int(scanned[0]) + 1, int(scanned[-1]) - WINDOWS[-1] + 1), int(scanned[-1]) + 1)
    silence = judge_silence({MONDAY + timedelta(days=day): int(counts[day]) for day in days}, today, alarm)
    return silence is not None and silence.chance < alarm


def comparison(first, second):
    ours, plain = (ratio_interval(first, second, LEVEL, independent=independent) for independent in (False, True))
    return not ours.differs, bool(ours.reason), ours.high - ours.low, plain.high - plain.low


def cell(found) -> Cell:
    told = [(is_right, width / plain) for is_right, is_refused, width, plain in found if not is_refused]
    refused = 1 - len(told) / len(found)
    if len(told) < FEWEST_TOLD * len(found):
        return Cell(nan, refused, nan)
    return Cell(1 - mean(is_right for is_right, _ in told), refused, median(width for _, width in told))


def truth_of(world: str):
    return next(worlds[world] for worlds in GROUPS.values() if world in worlds)


INTERVALS = {"Rates": rate_cell, "Before and after": change_cell, "Two codes": pair_cell}
FORECASTS = {"Forecast, each day": forecast_days_cell, "Forecast, total of 28 days": forecast_totals_cell}
QUESTIONS = INTERVALS | FORECASTS | {"Unusual days": unusual_cell}


def measured(question: str, world: str, rate: float, days: int, number: int) -> Cell:
    return QUESTIONS[question](world, rate, days, number if question in INTERVALS else number // FEWER)


def tables(number: int) -> str:
    """Measure everything, and return it as Markdown."""
    worlds = [world for group in GROUPS.values() for world in group]
    keys = list(product(QUESTIONS, worlds, RATES, LENGTHS))
    with ProcessPoolExecutor() as processes:
        cells = dict(zip(keys, processes.map(measured, *zip(*keys, strict=True), [number] * len(keys)), strict=True))

    def of(question, name):
        return lambda world, days: [getattr(cells[question, world, rate, days], name) for rate in RATES]

    parts = []
    for question in INTERVALS | FORECASTS:
        parts += [
            table(f"{question}: share of 95% intervals that miss the truth", worlds, of(question, "wrong")),
            table(f"{question}: share of worlds without an interval", worlds, of(question, "refused")),
            table(
                f"{question}: width relative to intervals for independent days",
                list(INDEPENDENT),
                of(question, "width"),
            ),
        ]
    uneventful = [world for world in worlds if world not in EVENTS]
    parts += [
        table("Unusual days: share of views with a false alarm", uneventful, of("Unusual days", "wrong")),
        table("Unusual days: share of views with too few scans to say", worlds, of("Unusual days", "refused")),
    ]
    return "\n\n".join([*parts, moving_table(number // FEWER), *further(number)])


def further(number: int) -> list[str]:
    """Measure what has tables of its own."""
    return [turbulent_table(number), designs_table(number), silence_table(number)]


def table(title, worlds, values) -> str:
    lines = [f"**{title}**", "", f"| world | {' | '.join(f'{days} days' for days in LENGTHS)} |", "|---" * 5 + "|"]
    for world in worlds:
        shown = []
        for days in LENGTHS:
            known = [value for value in values(world, days) if not isnan(value)]
            shown.append(f"{mean(known):.3f} / {max(known):.3f}" if known else "none")
        lines.append(f"| {world} | {' | '.join(shown)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    number, file = int(sys.argv[1]), Path(sys.argv[2])
    file.write_text(HEADING.format(number=number, fewer=number // FEWER) + tables(number) + "\n", encoding="utf-8")
