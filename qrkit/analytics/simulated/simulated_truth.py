"""`Truth`: the known properties of simulated scans."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from math import cos, pi
from numbers import Integral
from zoneinfo import ZoneInfo

from qrkit.errors import InvalidParameter, Problem
from qrkit.tracking.times import zone_of

MOST = {
    "unrest": 100.0,
    "log_sd": 3.0,
    "log_correlation": 0.999,
    "offspring": 0.95,
    "events": 1.0,
    "event_size": 1_000.0,
    "event_log_sd": 3.0,
    "effect": 1_000.0,
    "returning": 0.999,
    "robots": 1_000.0,
    "previews": 1.0,
}
"""Maximum of each number that may be 0."""
LONGEST = 100.0
"""Maximum half-life of events and offspring, in days. A simulation begins several half-lives before its first day."""
LARGEST_GROUP = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """The known properties of simulated scans.

    Days are independent unless `log_correlation`, `offspring` or `events` says otherwise. None of the random properties
    changes the mean rate: with all of them, the rates given to `simulate` are the mean over many simulations.

    Attributes:
        weekdays: Weight of each day of the week from Monday; 7 numbers, 0 or more. They distribute the scans over the
            week and leave its mean rate unchanged.
        hours: Weight of each hour of the day; 24 numbers, 0 or more.
        unrest: Variance of a random factor of the rate (gamma, mean 1) that is drawn anew each day, 0..100. The
            variance of one code's daily scans is `mean + unrest x mean squared`.
        log_sd: Standard deviation of the logarithm of another random factor of the rate, 0..3. The logarithm is an
            AR(1) process: it follows the day before, more or less closely.
        log_correlation: Correlation of that logarithm from one day to the next, from 0 to below 1 (0.999 at most).
            Without `log_sd`, it has no effect.
        offspring: Share of scans that earlier scans of the same code set off (a self-exciting or Hawkes process),
            0..0.95. The other scans come by themselves; the random factors of the rate apply to those alone.
        offspring_half_life: Days within which a scan sets off half of its offspring, above 0, 100 at most.
        groups: Smallest and largest number of scans that come together, within the same minute, such as (2, 5); 1 to
            20, all sizes are equally likely. Where scans set off others, a group does so as one scan would.
        events: Probability, 0..1, that an event begins on a day.
        event_size: Mean number of scans that an event adds, 0..1,000, as a multiple of a day's scans without events.
        event_log_sd: Standard deviation of the logarithm of the size of an event (lognormal), 0..3.
        event_half_life: Days within which half of an event is over, above 0, 100 at most.
        shared: Whether all codes have the same random factors of the rate (`unrest`, `log_sd`, `events`), as if
            they had the same weather. If False, each code has its own. Groups and offspring always belong to one code.
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
    log_sd: float = 0.0
    log_correlation: float = 0.0
    offspring: float = 0.0
    offspring_half_life: float = 1.0
    groups: tuple[int, int] = (1, 1)
    events: float = 0.0
    event_size: float = 6.0
    event_log_sd: float = 0.5
    event_half_life: float = 1.0
    shared: bool = True
    change: date | str | None = None
    effect: float = 1.0
    half_life: float | None = None
    returning: float = 0.1
    robots: float = 0.0
    previews: float = 0.0
    time_zone: str | ZoneInfo = "UTC"

    def __post_init__(self) -> None:
        """Validate the fields."""
        for name, length in (("weekdays", 7), ("hours", 24)):
            weights = getattr(self, name)
            if len(weights) != length or min(weights) < 0 or not 0 < sum(weights) < float("inf"):
                raise InvalidParameter(Problem(name, weights, f"must be {length} numbers, none below 0, not all 0"))
        for name, most in MOST.items():
            if not 0 <= getattr(self, name) <= most:
                raise InvalidParameter(Problem(name, getattr(self, name), f"must be in 0..{most:g}", "out-of-range"))
        for name in ("offspring_half_life", "event_half_life"):
            if not 0 < getattr(self, name) <= LONGEST:
                rule = f"must be above 0 days and at most {LONGEST:g}"
                raise InvalidParameter(Problem(name, getattr(self, name), rule, "out-of-range"))
        if self.half_life is not None and not self.half_life > 0:
            raise InvalidParameter(
                Problem("half_life", self.half_life, "must be above 0 days, or None", "out-of-range")
            )
        _check_groups(self.groups)
        if not isinstance(self.shared, bool):
            raise InvalidParameter(Problem("shared", self.shared, "must be True or False", "wrong-type"))
        zone_of(self.time_zone)


def _check_groups(groups: tuple[int, int]) -> None:
    are_whole = isinstance(groups, tuple | list) and all(
        isinstance(size, Integral) and not isinstance(size, bool) for size in groups
    )
    if not are_whole or len(groups) != 2 or not 1 <= groups[0] <= groups[1] <= LARGEST_GROUP:
        rule = f"must be the smallest and the largest size of a group, whole numbers in 1..{LARGEST_GROUP}"
        raise InvalidParameter(Problem("groups", groups, rule))
