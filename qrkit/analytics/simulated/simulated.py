"""Simulates scans with known properties, to try out a question, a chart or a comparison.

The same arguments produce the same scans. None of the data is measured.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta

import numpy as np
import pandas as pd

from qrkit.analytics.simulated.simulated_days import calendar_factors, daily_groups, day_of
from qrkit.analytics.simulated.simulated_truth import Truth
from qrkit.errors import InvalidParameter, Problem, check_whole
from qrkit.tracking.text_columns import with_dtypes
from qrkit.tracking.times import zone_of

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


def simulate(
    rates: Mapping[str, float], *, since: date, days: int, seed: int = 0, truth: Truth | None = None
) -> pd.DataFrame:
    """Return simulated scans, oldest first, in the form that `portfolio.scans.insert` takes.

    Columns: short_code (str), time (datetime64[us], UTC without a time zone), kind (str: scan, bot or prefetch),
    user_agent, country, city, language (str), visitor (UInt64, valid for one UTC day).

    Args:
        rates: Scans per day, 0 or more, by short code: the mean of a week before any change.
        since: The first day; a datetime counts as its day.
        days: Number of days, 1..36,525.
        seed: 0 or more; another seed produces other scans with the same properties.
        truth: Properties of the scans; None for the same rate on all days.

    Raises:
        InvalidParameter: If an argument is out of range, or if there would be more than 50 million scans.
    """
    truth, since = truth or Truth(), day_of("since", since)
    _check(rates, days, seed)
    random = np.random.default_rng(seed)
    _check_total(calendar_factors(since, days, truth).sum() * sum(rates.values()))
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
