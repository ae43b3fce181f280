"""Simulates scans with known properties, to try out a question, a chart or a comparison.

The same arguments produce the same scans. None of the data is measured.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from math import cos, pi
from numbers import Integral
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from qrkit.errors import InvalidParameter, Problem
from qrkit.tracking.text_columns import with_dtypes
from qrkit.tracking.times import zone_of

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

__all__ = ["Truth", "simulate"]

DAY_MICROSECONDS = 86_400_000_000
HOUR_MICROSECONDS = 3_600_000_000
TEXTS = ("short_code", "kind", "user_agent", "country", "city", "language")
MOST_SCANS = 50_000_000
"""Maximum expected number of scans; more would exhaust the memory."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """The known properties of simulated scans.

    Attributes:
        weekdays: Weight of each day of the week from Monday; 7 numbers, 0 or more. They distribute the scans over the
            week and leave its mean rate unchanged.
        hours: Weight of each hour of the day; 24 numbers, 0 or more.
        unrest: Variance of a daily random factor (gamma, mean 1) that all codes share, 0 or more. The variance of one
            code's daily scans is `mean + unrest x mean squared`.
        change: The day or moment from which the rate is different; None for no change.
        effect: Factor that multiplies the rate from the change on, 0 or more.
        half_life: Days after which the rate has halved, above 0; None for a constant rate.
        returning: Share of scans by a visitor who already scanned the code that UTC day, from 0 to below 1.
        robots: Bot visits per scan, 0 or more.
        previews: Share of scans that a link preview precedes, 0..1.
        time_zone: An IANA name or a ZoneInfo; weekdays and hours are in this time zone.
    """

    weekdays: tuple[float, ...] = (1.0,) * 7
    hours: tuple[float, ...] = tuple(1.02 - cos(2 * pi * (hour - 2) / 24) for hour in range(24))
    unrest: float = 0.0
    change: date | None = None
    effect: float = 1.0
    half_life: float | None = None
    returning: float = 0.1
    robots: float = 0.0
    previews: float = 0.0
    time_zone: str | ZoneInfo = "UTC"

    def __post_init__(self) -> None:
        """Validate the fields.

        Raises:
            InvalidParameter: If a number is out of range, or if there are not 7 weekdays and 24 hours.
        """
        for name, length in (("weekdays", 7), ("hours", 24)):
            weights = getattr(self, name)
            if len(weights) != length or min(weights) < 0 or not 0 < sum(weights) < float("inf"):
                raise InvalidParameter(Problem(name, weights, f"must be {length} numbers, none below 0, not all 0"))
        bounds = {"unrest": 100.0, "effect": 1_000.0, "returning": 0.999, "robots": 1_000.0, "previews": 1.0}
        for name, most in bounds.items():
            if not 0 <= getattr(self, name) <= most:
                raise InvalidParameter(Problem(name, getattr(self, name), f"must be in 0..{most:g}", "out-of-range"))
        if self.half_life is not None and not self.half_life > 0:
            raise InvalidParameter(
                Problem("half_life", self.half_life, "must be above 0 days, or None", "out-of-range")
            )
        zone_of(self.time_zone)


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
        InvalidParameter: If an argument is out of range, or if more than 50 million scans are expected.
    """
    import numpy as np
    import pandas as pd

    truth, since = truth or Truth(), _day("since", since)
    _check(rates, days, seed)
    random = np.random.default_rng(seed)
    means = _means(random, since, days, truth)
    if means.sum() * sum(rates.values()) > MOST_SCANS:
        raise InvalidParameter(Problem("rates", None, f"must give {MOST_SCANS:,} scans or fewer", "out-of-range"))
    codes = list(rates)
    numbers = random.poisson(np.outer([float(rates[code]) for code in codes], means))
    code, day = (np.repeat(place, numbers.ravel()) for place in np.indices(numbers.shape).reshape(2, -1))
    times = _times(random, since, day, truth)
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
    for name, number, most in (("days", days, MOST_DAYS), ("seed", seed, 2**63 - 1)):
        least = 1 if name == "days" else 0
        if not isinstance(number, Integral) or isinstance(number, bool) or not least <= number <= most:
            rule = f"must be a whole number in {least}..{most:,}"
            raise InvalidParameter(Problem(name, number, rule, "out-of-range"))


def _day(name: str, given: date) -> date:
    if not isinstance(given, date) or given != given:  # NaT is a datetime that does not equal itself
        raise InvalidParameter(Problem(name, given, "must be a day or a moment", "wrong-type"))
    return given.date() if isinstance(given, datetime) else given


def _means(random: np.random.Generator, since: date, days: int, truth: Truth) -> np.ndarray:
    """Return the factor that multiplies the rate on each day."""
    import numpy as np

    passed = np.arange(days)
    means = np.array(truth.weekdays)[(passed + since.weekday()) % 7] * 7 / sum(truth.weekdays)
    if truth.unrest:
        means = means * random.gamma(1 / truth.unrest, truth.unrest, days)
    if truth.half_life is not None:
        means = means * 0.5 ** (passed / truth.half_life)
    if truth.change is not None:
        means = np.where(passed >= (_day("change", truth.change) - since).days, means * truth.effect, means)
    return means


def _times(random: np.random.Generator, since: date, day: np.ndarray, truth: Truth) -> np.ndarray:
    """Return a random moment on each day, in microseconds since 1970, UTC."""
    import numpy as np
    import pandas as pd

    hours = random.choice(24, len(day), p=np.array(truth.hours) / sum(truth.hours))
    passed = day * DAY_MICROSECONDS + hours * HOUR_MICROSECONDS + random.integers(0, HOUR_MICROSECONDS, len(day))
    local = pd.DatetimeIndex(np.datetime64(since, "us") + passed.astype("timedelta64[us]"))
    # A time in the hour that the clocks skip moves forward; a repeated time means its first occurrence.
    twice = np.ones(len(local), dtype=bool)
    moments = local.tz_localize(zone_of(truth.time_zone), ambiguous=twice, nonexistent="shift_forward")
    return moments.tz_convert("UTC").as_unit("us").asi8


def _scans(random: np.random.Generator, codes: np.ndarray, times: np.ndarray, returning: float) -> pd.DataFrame:
    """Return scans in the order of their codes and times."""
    import numpy as np
    import pandas as pd

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
    import numpy as np

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
    import numpy as np

    return random.integers(0, 2**64, number, dtype=np.uint64)
