"""Ranks QR Codes or campaigns by their true rates, with the probability that each of them is first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import NamedTuple

import numpy as np
import pandas as pd

from qrkit.analytics.daily_spread import (
    beginnings_by,
    check_choice,
    check_share,
    from_beginning,
    spread_of,
    whole_days,
    without_outages,
)
from qrkit.analytics.distributions import gamma_quantile, log_gamma
from qrkit.analytics.long_run_spread import long_run_posterior, side_of
from qrkit.analytics.over_time import daily_by, scans_per_day
from qrkit.analytics.rate_intervals import FOUR_WEEKS
from qrkit.store import Scans
from qrkit.store.questions.scan_attributes import Part, group_sql
from qrkit.tracking.text_columns import with_dtypes

FEWEST_GROUPS = 3
"""Fewer groups do not show how different groups are; each is estimated by itself."""
ALONE = 0.5
"""The Jeffreys prior of a single rate: this much is added to its count."""
VARIATIONS = (0.05, 5.0, 40)
"""Least, greatest and number of the coefficients of variation (standard deviation / mean) of rates in the grid."""
MEANS = (4.0, 15)
"""How many standard errors around the best the grid of means goes, and how many means it has."""
LEAST_WEIGHT = 1e-6
"""Distributions with less weight, relative to the best, are left out."""

DRAWS = 4_000
"""Number of draws behind the probabilities of the first places."""
SEED = 1
PLACES = 3
"""How many places count as the top."""
MIDDLE = 0.5
"""Level at which spreads are taken for estimates; one of an interval of 95% is made larger to hold in most cases."""
TYPICAL_DAYS = 20
"""How many days of its own a group must have for its spread to count as much as that of a typical group."""


def ranking(scans: Scans, *, by: Part = "qrcode", level: float = 0.95) -> pd.DataFrame:
    """Rank QR Codes or campaigns by scans per day, and tell how likely each of them is truly first.

    The first of a list is often the one that was lucky. `pooled_rate` allows for that: rates that rest on few scans are
    moved toward those of the other groups (partial pooling, see `qrkit.analytics.ranking`), and the table is
    ordered by the result. Of the groups with a `first` of 0.5, about half have the highest true rate.

    Scans that come in bursts count as fewer independent scans: each count is divided by its measured spread, which from
    28 days on includes that days depend on the days before them (`qrkit.analytics.long_run_spread`). Where a group has
    few scans, its spread is averaged with the typical one. The method assumes that true rates are spread out like a
    gamma distribution, and that no group had an event that is rarer than the period is long. Each group counts from the
    day after its first scan, to the end of the view.

    Columns: the name of `by` (str), days, scans (int64), rate (float64, scans per day), pooled_rate (float64, the
    estimate of the true rate), low, high (float64, an interval for the true rate), first (float64, 0..1, the
    probability that its true rate is the highest), top_three (float64, 0..1, that it is one of the three highest).
    Groups without scans are included. With fewer than three groups, nothing is pooled.

    Args:
        scans: The view. Only its whole days count; without `since`, those from its first scan on, and without `until`,
            those until yesterday.
        by: What to rank: campaign (codes without one have the name ""), campaign_id, qrcode (its name) or qrcode_id.
        level: Probability that an interval contains the true rate, above 0 and below 1.

    Raises:
        InvalidParameter: If the view has fewer than 2 whole days, or if an argument is out of range.

    Example:
        >>> from datetime import date
        >>> from qrkit import open_portfolio
        >>> from qrkit.analytics import simulate
        >>> rates = {"door": 9.0, "window": 3.0, "bus": 3.0}
        >>> with open_portfolio(":memory:") as shop:
        ...     codes = [shop.insert_qrcode("https://example.com", name=code, short_code=code) for code in rates]
        ...     number = shop.scans.insert(simulate(rates, since=date(2026, 3, 1), days=31))
        ...     march = shop.scans.where(since="2026-03-01", until="2026-04-01")
        ...     ranking(march)[["qrcode", "first"]].head(1).values.tolist()
        [['door', 1.0]]
    """
    check_choice("by", by, Part)
    level = check_share("level", level)
    histories = _histories(scans, by)
    days = np.array([len(history) for history in histories.values()], dtype="int64")
    totals = np.array([sum(history.values()) for history in histories.values()], dtype="int64")
    middle, wide = _spreads(list(histories.values()), totals, level)
    rates = pooled_rates(totals / middle, days / middle)
    low, high = _bounds(rates, wide / middle, level)
    first, top_three = _probabilities(rates)
    table = pd.DataFrame(
        {
            by: list(histories),
            "days": days,
            "scans": totals,
            "rate": totals / days,
            # Rounded, because NumPy's powers of equal numbers may differ in the last digit; equal groups go by name.
            "pooled_rate": (rates.mean if len(histories) >= FEWEST_GROUPS else totals / days).round(12),
            "low": low,
            "high": high,
            "first": first,
            "top_three": top_three,
        }
    )
    types = {by: "str", "days": "int64", "scans": "int64"} | dict.fromkeys(table.columns[3:], "float64")
    return with_dtypes(table, types).sort_values(["pooled_rate", by], ascending=[False, True], ignore_index=True)


def _histories(scans: Scans, by: Part) -> dict[str, dict[date, int]]:
    """Return the scans of every group of a view, scanned or not, on each of its whole days from its beginning on."""
    ((since, until),) = whole_days([scans], to_now=True)
    view = scans.where(since=since, until=until)
    begins = beginnings_by(view, by)
    days = without_outages(view, dict.fromkeys(scans_per_day(view)["day"].dt.date, 0))
    names = sorted(view.ask(f"SELECT DISTINCT {group_sql(by, scans)} AS part FROM codes")["part"])
    known = daily_by(view, by)
    histories = {name: {day: known.get(name, {}).get(day, 0) for day in days} for name in names}
    return {name: from_beginning(history, begins.get(name)) for name, history in histories.items()}


def _spreads(
    histories: Sequence[Mapping[date, int]], totals: np.ndarray, level: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return for each group how many scans carry the information of one independent scan.

    The first array is for estimates, the second for intervals of a level: it is larger, since the spread is uncertain.
    """
    measured = np.array([_measured(history, level) for history in histories]).reshape(-1, 2)
    typical = np.median(measured[totals > 0], axis=0) if totals.any() else np.ones(2)
    # A spread that is measured on a few days or scans is hardly known: average it with that of a typical group.
    known = np.minimum(totals / typical[0], [len(history) for history in histories])
    share = (known / (known + TYPICAL_DAYS))[:, None]
    middle, wide = (measured**share * typical ** (1 - share)).T
    return middle, np.maximum(middle, wide)


def _measured(days: Mapping[date, int], level: float) -> tuple[float, float]:
    """Return the spread of the days of one group, for estimates and for intervals of a level."""
    mean = sum(days.values()) / len(days)
    if not mean:
        return 1.0, 1.0
    if len(days) < FOUR_WEEKS:
        spread = spread_of(days)
        return spread.ratio, spread.widened(level)
    posterior = long_run_posterior([side_of(days)])
    middle, wide = (max(1.0, posterior.variance(one) / mean) for one in (MIDDLE, level))
    return middle, wide


def _bounds(rates: Gammas, ratios: np.ndarray, level: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of intervals for rates whose variances are multiplied by these ratios."""
    shapes = rates.shape / ratios
    low, high = (
        np.array([gamma_quantile(shape, (1 + side * level) / 2) for shape in shapes]) * rates.mean / shapes
        for side in (-1, 1)
    )
    return low, high


def _probabilities(rates: Gammas) -> tuple[np.ndarray, np.ndarray]:
    """Return for each rate the probability that it is the highest, and that it is one of the three highest."""
    number = len(rates.shape)
    draws = np.random.default_rng(SEED).gamma(rates.shape, rates.scale, (DRAWS, number))
    order = np.argsort(-draws, axis=1)
    first, top = (np.bincount(order[:, :places].ravel(), minlength=number) / DRAWS for places in (1, PLACES))
    return first, top


# ---- partial pooling
#
# The highest of many measured rates is, more often than not, one that was lucky: ranked by what was measured, codes
# with few scans fill both ends of the list. The rates of many codes also tell how different codes are. An estimate
# that combines both is closer to the truth on average than the measured rates (Efron and Morris, 1975).
#
# Each count is Poisson with a rate of its own, and the rates have a gamma distribution (Gelman and others, Bayesian
# Data Analysis, 3rd edition, 2013, section 2.6 for the model, chapter 5 for the hierarchy). So the counts of groups
# whose rate is unknown have negative binomial distributions, whose likelihood shows which gamma distributions are
# plausible. Instead of the best one, all of a grid are used, weighted by their likelihood: a handful of groups does
# not tell how different groups are, and the best fit alone would often say that they are all the same. The prior is
# flat for the coefficient of variation of the rates, up to 5, and for the logarithm of their mean.


class Gammas(NamedTuple):
    """What is known about each rate: a gamma distribution; its scale is in the unit of the rates."""

    shape: np.ndarray
    scale: np.ndarray

    @property
    def mean(self) -> np.ndarray:
        """Means of the distributions."""
        means: np.ndarray = self.shape * self.scale
        return means


def pooled_rates(counts: np.ndarray, exposures: np.ndarray) -> Gammas:
    """Return gamma distributions of the true rates, with the mean and the variance of their posterior distributions.

    Counts are of independent events, 0 or more, not necessarily whole. Exposures say how long each group was observed,
    above 0; rates are counts per unit of this.
    """
    if len(counts) < FEWEST_GROUPS:
        return Gammas(counts + ALONE, 1 / exposures)
    shapes, rates, priors = _grid(counts, exposures)
    above, below = shapes + counts, rates + exposures
    logs = priors + (log_gamma(above) - log_gamma(shapes) + shapes * np.log(rates) - above * np.log(below)).sum(axis=1)
    weights = np.exp(logs - logs.max())
    weights[weights < LEAST_WEIGHT] = 0
    weights /= weights.sum()
    mean = weights @ (above / below)
    variance = weights @ (above * (above + 1) / below**2) - mean**2
    return Gammas(mean**2 / variance, variance / mean)


def _grid(counts: np.ndarray, exposures: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the distributions that the rates may have: columns of shapes and inverse scales, and log priors."""
    variations = np.geomspace(*VARIATIONS)[:, None]
    expected = max(counts.sum(), ALONE) / exposures.sum() * exposures
    # How well each group tells the mean of all rates, given how different rates are.
    knowledge = expected / (1 + expected * variations**2)
    totals = knowledge.sum(axis=1, keepdims=True)
    means = (knowledge * np.maximum(counts, ALONE / len(counts)) / exposures).sum(axis=1, keepdims=True) / totals
    errors = 1 / np.sqrt(totals)
    means = means * np.exp(errors * np.linspace(-MEANS[0], MEANS[0], MEANS[1]))
    shapes = np.broadcast_to(variations**-2, means.shape)
    # The grid is even in the logarithm of the variation, and in that of the mean in units of its error.
    priors = np.broadcast_to(np.log(variations * errors), means.shape)
    return shapes.reshape(-1, 1), (shapes / means).reshape(-1, 1), priors.ravel()
