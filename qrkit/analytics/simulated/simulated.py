"""Simulates scans with known properties, to try out a question, a chart or a comparison.

The same arguments produce the same scans. None of the data is measured.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from math import ceil, exp, log, sqrt
from typing import NamedTuple

import numpy as np
import pandas as pd

from qrkit.analytics.simulated.simulated_truth import Truth
from qrkit.errors import InvalidParameter, Problem, check_whole
from qrkit.tracking.text_columns import with_dtypes
from qrkit.tracking.times import from_day, zone_of

DAY_MICROSECONDS = 86_400_000_000
HOUR_MICROSECONDS = 3_600_000_000
MINUTE_MICROSECONDS = 60_000_000
TEXTS = ("short_code", "kind", "user_agent", "country", "city", "language")
MOST_SCANS = 50_000_000
"""Maximum number of scans, expected or drawn; more would exhaust the memory."""
MOST_DAYS = 36_525
PREVIEW_MICROSECONDS = 700_000
"""How long before its scan a link preview is requested."""

_APPLE = "AppleWebKit/605.1.15 (KHTML, like Gecko)"
_CHROME = "AppleWebKit/537.36 (KHTML, like Gecko)"
AGENTS = {
    f"Mozilla/5.0 (iPhone; CPU iPhone OS 18_4 like Mac OS X) {_APPLE} Version/18.4 Mobile/15E148 Safari/604.1": 0.45,
    f"Mozilla/5.0 (Linux; Android 15; Pixel 8) {_CHROME} Chrome/137.0.0.0 Mobile Safari/537.36": 0.42,
    f"Mozilla/5.0 (Linux; Android 14; SM-X710) {_CHROME} Chrome/136.0.0.0 Safari/537.36": 0.06,
    f"Mozilla/5.0 (Windows NT 10.0; Win64; x64) {_CHROME} Chrome/137.0.0.0 Safari/537.36": 0.04,
    "": 0.03,
}
"""User agents of visitors, each with its share."""
BOT = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
PLACES = {
    ("SI", "Ljubljana", "sl"): 0.6,
    ("AT", "Graz", "de"): 0.2,
    ("IT", "Trieste", "it"): 0.15,
    ("HR", "Rijeka", "hr"): 0.05,
}
"""Country, city and language of visitors, each with its share."""
LIVES = 10
"""Half-lives after which an event is over."""
RELAXATIONS = 5
"""Relaxation times after which offspring no longer depend on how a simulation began."""


def simulate(
    rates: Mapping[str, float], *, since: date | str, days: int, seed: int = 0, truth: Truth | None = None
) -> pd.DataFrame:
    """Return simulated scans, oldest first, in the form that `portfolio.scans.insert` takes.

    Columns: short_code (str), time (datetime64[us], UTC without a time zone), kind (str: scan, bot or prefetch),
    user_agent, country, city, language (str), visitor (UInt64, valid for one UTC day).

    Args:
        rates: Scans per day, 0 or more, by short code: the mean of a week before any change.
        since: The first day, such as 2026-06-01; a datetime counts as its day.
        days: Number of days, 1..36,525.
        seed: 0 or more; another seed produces other scans with the same properties.
        truth: Properties of the scans; None for the same rate on all days.

    Raises:
        InvalidParameter: If an argument is out of range, or if there would be more than 50 million scans.
    """
    truth, since = truth or Truth(), day_of("since", since)
    _check(rates, days, seed)
    random = np.random.default_rng(seed)
    _check_total(_calendar_factors(since, days, truth).sum() * sum(rates.values()))
    codes = list(rates)
    groups = daily_groups([float(rates[code]) for code in codes], since, days, random=random, truth=truth)
    _check_total(sum(size * number.sum() for size, number in enumerate(groups, truth.groups[0])))
    size, code, day = (np.repeat(place, groups.ravel()) for place in np.indices(groups.shape).reshape(3, -1))
    times = _times(random, since, day, truth)
    if truth.groups[1] > 1:
        code, times = (np.repeat(values, size + truth.groups[0]) for values in (code, times))
        times = times // MINUTE_MICROSECONDS * MINUTE_MICROSECONDS + random.integers(0, MINUTE_MICROSECONDS, len(times))
    order = np.lexsort((times, code))
    scans = _scans(random, np.array(codes, dtype=object)[code[order]], times[order], truth.returning)
    visits = pd.concat([scans, _previews(random, scans, truth.previews), _bots(random, scans, truth.robots)])
    visits = visits.sort_values(["time", "short_code", "kind", "visitor"], ignore_index=True)
    return with_dtypes(visits, {"time": "datetime64[us]", "visitor": "UInt64"} | dict.fromkeys(TEXTS, "str"))


def _check(rates: Mapping[str, float], days: int, seed: int) -> None:
    if not isinstance(rates, Mapping):
        rule = "must map short codes to scans per day, such as {'door': 9}"
        raise InvalidParameter(Problem("rates", rates, rule, "wrong-type"))
    wrong = [code for code, rate in rates.items() if not 0 <= rate < float("inf")]
    if wrong or not rates:
        value = rates[wrong[0]] if wrong else None
        raise InvalidParameter(Problem("rates", value, "must hold a rate of 0 or more for each short code"))
    check_whole("days", days, 1, MOST_DAYS)
    check_whole("seed", seed, 0, 2**63 - 1)


def _check_total(scans: float) -> None:
    if scans > MOST_SCANS:
        raise InvalidParameter(Problem("rates", None, f"must give {MOST_SCANS:,} scans or fewer", "out-of-range"))


def _times(random: np.random.Generator, since: date, day: np.ndarray, truth: Truth) -> np.ndarray:
    """Return a random moment on each day, in microseconds since 1970, UTC."""
    hours = random.choice(24, len(day), p=np.array(truth.hours) / sum(truth.hours))
    passed = day * DAY_MICROSECONDS + hours * HOUR_MICROSECONDS + random.integers(0, HOUR_MICROSECONDS, len(day))
    local = pd.DatetimeIndex(np.datetime64(since, "us") + passed.astype("timedelta64[us]"))
    # A time in the hour that the clocks skip moves forward; a repeated time means its first occurrence.
    twice = np.ones(len(local), dtype=bool)
    moments = local.tz_localize(zone_of(truth.time_zone), ambiguous=twice, nonexistent="shift_forward")
    return moments.tz_convert("UTC").as_unit("us").asi8


def _scans(random: np.random.Generator, codes: np.ndarray, times: np.ndarray, returning: float) -> pd.DataFrame:
    """Return scans in the order of their codes and times."""
    visitors = _visitors(random, codes, times, returning)
    agents = random.choice(len(AGENTS), len(codes), p=list(AGENTS.values()))[visitors]
    places = random.choice(len(PLACES), len(codes), p=list(PLACES.values()))[visitors]
    country, city, language = (np.array(names, dtype=object)[places] for names in zip(*PLACES, strict=True))
    return pd.DataFrame(
        {
            "short_code": codes,
            "time": times.astype("datetime64[us]"),
            "kind": "scan",
            "user_agent": np.array(list(AGENTS), dtype=object)[agents],
            "country": country,
            "city": city,
            "language": language,
            "visitor": _keys(random, len(codes))[visitors],
        }
    )


def _visitors(random: np.random.Generator, codes: np.ndarray, times: np.ndarray, returning: float) -> np.ndarray:
    """Return for each scan the index of its visitor's first scan of the same code on the same UTC day."""
    places = np.arange(len(codes))
    days = times // DAY_MICROSECONDS
    begins = np.ones(len(codes), dtype=bool)
    begins[1:] = (codes[1:] != codes[:-1]) | (days[1:] != days[:-1])
    starts = np.maximum.accumulate(np.where(begins, places, 0))
    earlier = starts + (random.random(len(codes)) * (places - starts)).astype("int64")
    visitors = np.where((random.random(len(codes)) < returning) & ~begins, earlier, places)
    # A returning visitor may point to another returning visitor: follow the chain back to the first scan.
    while (visitors[visitors] != visitors).any():
        visitors = visitors[visitors]
    return visitors


def _previews(random: np.random.Generator, scans: pd.DataFrame, share: float) -> pd.DataFrame:
    """Return the visits of apps that fetch a preview before a person opens the link."""
    chosen = scans[random.random(len(scans)) < share]
    return chosen.assign(kind="prefetch", time=chosen["time"] - timedelta(microseconds=PREVIEW_MICROSECONDS))


def _bots(random: np.random.Generator, scans: pd.DataFrame, ratio: float) -> pd.DataFrame:
    """Return visits by bots, at random times between the first and the last scan."""
    number = int(random.poisson(ratio * len(scans)))
    chosen = scans.iloc[random.integers(0, max(len(scans), 1), number if len(scans) else 0)]
    if not len(chosen):
        return chosen
    ends = scans["time"].astype("int64").agg(["min", "max"])
    times = random.integers(ends["min"], ends["max"] + 1, len(chosen)).astype("datetime64[us]")
    return chosen.assign(
        kind="bot", time=times, user_agent=BOT, country=None, city=None, visitor=_keys(random, len(chosen))
    )


def _keys(random: np.random.Generator, number: int) -> np.ndarray:
    return random.integers(0, 2**64, number, dtype=np.uint64)


# ---- days


class Memory(NamedTuple):
    """When offspring come, in days. The hour of a scan is random, so a scan has some of them on its own day.

    Mean numbers of them on the own day and on the next; each further day has `kept` times those of the day before it.
    """

    own_day: float
    next_day: float
    kept: float


def daily_groups(
    rates: Sequence[float], since: date, days: int, *, random: np.random.Generator, truth: Truth
) -> np.ndarray:
    """Return how many groups of each size come to each code on each day: int64, sizes x codes x days.

    If scans depend on earlier days, the simulation starts early enough to be stationary on the first day. The rates are
    scans per day of each code, 0 or more. Of `truth`, only what concerns days and groups is used.
    """
    lead = _lead(truth)
    calendar = _calendar_factors(since, days, truth, lead=lead)
    factors = _random_factors(random, (1 if truth.shared else len(rates), lead + days), truth)
    means = np.array(rates, dtype="float64")[:, None] / (sum(truth.groups) / 2) * factors
    arrivals = _self_exciting(random, means, calendar, truth) if truth.offspring else random.poisson(means * calendar)
    return _by_size(random, arrivals[:, lead:], truth)


def _calendar_factors(since: date, days: int, truth: Truth, *, lead: int = 0) -> np.ndarray:
    """Return the factor that multiplies the rate on each day and is not random: weekdays, decay and change.

    `lead` days before the first day are included as well.
    """
    since = day_of("since", since)
    passed = np.arange(-lead, days)
    factors: np.ndarray = np.array(truth.weekdays)[(passed + since.weekday()) % 7] * 7 / sum(truth.weekdays)
    if truth.half_life is not None:
        factors = factors * 0.5 ** (np.maximum(passed, 0) / truth.half_life)
    if truth.change is not None:
        factors = np.where(passed >= (day_of("change", truth.change) - since).days, factors * truth.effect, factors)
    return factors


def day_of(name: str, given: date | str) -> date:
    """Return a date as it is, and the date of a datetime or of a text such as 2026-06-01; errors call it `name`."""
    if isinstance(given, str):
        return from_day(given, name=name)
    if not isinstance(given, date) or given != given:  # NaT is a datetime that does not equal itself
        raise InvalidParameter(Problem(name, given, "must be a day, such as 2026-06-01", "wrong-type"))
    return given.date() if isinstance(given, datetime) else given


def _lead(truth: Truth) -> int:
    """Return how many days before its first day a simulation must start."""
    events = LIVES * truth.event_half_life if truth.events else 0
    offspring = RELAXATIONS * truth.offspring_half_life / log(2) / (1 - truth.offspring) if truth.offspring else 0
    return ceil(max(events, offspring))


def _random_factors(random: np.random.Generator, shape: tuple[int, int], truth: Truth) -> np.ndarray:
    """Return random factors of the rate with mean 1, codes x days."""
    factors: np.ndarray = np.ones(shape)
    if truth.unrest:
        factors = factors * random.gamma(1 / truth.unrest, truth.unrest, shape)
    if truth.log_sd:
        noise = random.standard_normal(shape)
        noise[:, 1:] *= sqrt(1 - truth.log_correlation**2)
        factors = factors * np.exp(truth.log_sd * _remembered(noise, truth.log_correlation) - truth.log_sd**2 / 2)
    if truth.events:
        begins = random.random(shape) < truth.events
        sizes = random.lognormal(-(truth.event_log_sd**2) / 2, truth.event_log_sd, shape) * truth.event_size
        kept = 0.5 ** (1 / truth.event_half_life)
        factors = factors * (1 + _remembered((1 - kept) * begins * sizes, kept)) / (1 + truth.events * truth.event_size)
    return factors


def _remembered(values: np.ndarray, kept: float) -> np.ndarray:
    """Add to each value a share of the result for the day before."""
    sums = values.copy()
    for day in range(1, values.shape[1]):
        sums[:, day] += kept * sums[:, day - 1]
    return sums


def _memory(truth: Truth) -> Memory:
    """Return the days on which offspring come if a scan may happen at any hour and their delays are exponential."""
    decay = log(2) / truth.offspring_half_life
    kept = exp(-decay)
    later = (1 - kept) / decay
    return Memory(truth.offspring * (1 - later), truth.offspring * later * (1 - kept), kept)


def _self_exciting(random: np.random.Generator, means: np.ndarray, calendar: np.ndarray, truth: Truth) -> np.ndarray:
    """Return arrivals, codes x days, of which earlier arrivals set off a share.

    Offspring, too, follow the calendar: they are relative to the calendar's factor on the day of their parent. So the
    mean of each day is its rate, and there are none on days without a rate.
    """
    memory = _memory(truth)
    arrivals = np.empty(means.shape, dtype="int64")
    # The mean of what earlier days set off; every random factor has the mean 1.
    excited = means.mean(axis=1) * memory.next_day / (1 - memory.kept)
    for day, factor in enumerate(calendar):
        expected = (1 - truth.offspring) * means[:, day] + excited
        newest = random.poisson(factor * expected)
        arrivals[:, day] = newest
        while newest.any():
            newest = random.poisson(memory.own_day * newest)
            arrivals[:, day] += newest
        relative = arrivals[:, day] / factor if factor else expected / (1 - memory.own_day)
        excited = memory.kept * excited + memory.next_day * relative
    return arrivals


def _by_size(random: np.random.Generator, arrivals: np.ndarray, truth: Truth) -> np.ndarray:
    """Divide arrivals at random among equally likely group sizes: sizes x codes x days."""
    smallest, largest = truth.groups
    numbers = []
    for sizes_left in range(largest - smallest + 1, 1, -1):
        chosen = random.binomial(arrivals, 1 / sizes_left)
        numbers.append(chosen)
        arrivals = arrivals - chosen
    return np.stack([*numbers, arrivals])
