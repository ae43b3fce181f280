"""Measures how far the mean of a series of days can be off, when days depend on the days before them.

A post, a trade fair or a spell of rain changes the scans of several days in a row. Twenty such days tell less about the
mean than twenty independent ones, so an interval that takes them as independent is too narrow.

The method is Bayesian. The days are modelled as white noise plus a first-order autoregression, AR(1), which is the
simplest process whose days depend on each other with a memory of some length. Thirty-one models are considered:
independence, with a prior probability of 0.3, and 30 pairs of a correlation from one day to the next and a share of the
variance that is correlated. The likelihood of each is Whittle's (1953): the squared cosine transform of the residuals
is compared with the spectrum of the model. The variance of the mean is that of each model, weighted by its posterior
probability; Student's t accounts for the scale. Where the days cannot tell whether they depend on each other, all
models keep their weight, and the interval is wide.

Two things are outside these models: a level that drifts over more than about a third of the period, and an event so
rare that the period does not contain one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from math import pi
from typing import NamedTuple

import numpy as np

from qrkit.analytics.distributions import cosine_transform, normal_quantile, student_mixture_quantile

INDEPENDENT = 0.3
"""Prior probability that days are independent. More would make intervals narrower, and too narrow for bursts."""
CORRELATIONS = (0.3, 0.5, 0.7, 0.8, 0.9, 0.95)
SHARES = (0.1, 0.25, 0.5, 0.75, 1.0)
LEAST_LEFT = 0.6
"""Share of a cosine that fitting the weekdays must leave; cosines near 1, 2 and 3 waves a week are not used."""


class Side(NamedTuple):
    """Consecutive days: a float64 number for each, and its weekday, 0 to 6."""

    values: np.ndarray
    weekdays: np.ndarray


class LongRun(NamedTuple):
    """How much days vary in the long run, and how many carry the information of one independent day, 1 or more.

    `variance` is that of the mean of the days times their number; large enough that the normal distribution may be used
    with it at the level that was asked for, although it is an estimate.
    """

    variance: float
    days_as_one: float


class LongRunPosterior(NamedTuple):
    """What the days tell about how much they vary in the long run: a mixture of Student's t distributions.

    Each model has its posterior probability, and the scale of the mean of the days times the root of their number.
    `days_as_one` is that of `LongRun`.
    """

    weights: np.ndarray
    scales: np.ndarray
    freedom: float
    days_as_one: float

    def variance(self, level: float) -> float:
        """Return the variance of `LongRun` for intervals of this level, above 0 and below 1."""
        tail = (1 + level) / 2
        half = student_mixture_quantile(self.weights, self.scales, self.freedom, tail)
        return (half / normal_quantile(tail)) ** 2


def side_of(days: Mapping[date, float]) -> Side:
    """Return consecutive days, given as their scans by day, as arrays."""
    return Side(np.array(list(days.values()), dtype="float64"), np.array([day.weekday() for day in days]))


def weekday_factors(side: Side, mean: float, spread: float) -> np.ndarray:
    """Return the scans of each weekday relative to all days, shrunk toward 1 where few scans support it.

    `mean` is scans per day, and `spread` the variance of a day's scans, relative to it.
    """
    on_weekday, prior = np.eye(7)[side.weekdays], 2 * spread / mean
    factors: np.ndarray = (side.values @ on_weekday / mean + prior) / (on_weekday.sum(axis=0) + prior)
    return factors


def long_run_spread(sides: Sequence[Side], level: float, *, weekly: bool = True) -> LongRun:
    """Return how much days vary in the long run around the mean of their side, for intervals of a level.

    The sides are one or two series of days, each of about two weeks or more. `weekly` removes the pattern of weekdays.
    """
    posterior = long_run_posterior(sides, weekly=weekly)
    return LongRun(posterior.variance(level), posterior.days_as_one)


def long_run_posterior(sides: Sequence[Side], *, weekly: bool = True) -> LongRunPosterior:
    """Return how much days vary in the long run, as `long_run_spread` does, for intervals of any level."""
    lengths = [len(side.values) for side in sides]
    basis = _basis(sides, lengths, weekly=weekly)
    values = np.concatenate([side.values for side in sides])
    residuals = values - basis @ (basis.T @ values)
    powers, waves = _periodogram(residuals, basis, lengths)
    models = _models()
    number = len(powers)
    freedom = min(number, len(values) - basis.shape[1])
    rho, share = models[:, 0, None], models[:, 1, None]
    spectra = (1 - share) + share * (1 - rho**2) / (1 - 2 * rho * np.cos(waves) + rho**2)
    sums = (powers / spectra).sum(axis=1) + 1e-9
    logs = np.log(models[:, 2]) - freedom / number * np.log(spectra).sum(axis=1) / 2 - freedom / 2 * np.log(sums)
    weights = np.exp(logs - logs.max())
    weights /= weights.sum()
    ratios = _mean_variances(models, lengths)
    scales = np.sqrt(sums / number * ratios)
    return LongRunPosterior(weights, scales, freedom, max(1.0, float(weights @ ratios)))


def _basis(sides: Sequence[Side], lengths: Sequence[int], *, weekly: bool) -> np.ndarray:
    """Return an orthonormal basis of what is fitted: the mean of each side and, if `weekly`, the weekdays."""
    which = np.repeat(np.arange(len(sides)), lengths)
    columns = [which == number for number in range(len(sides))]
    if weekly:
        weekdays = np.concatenate([side.weekdays for side in sides])
        columns += [weekdays == number for number in range(6)]
    basis, singular, _ = np.linalg.svd(np.column_stack(columns).astype("float64"), full_matrices=False)
    return basis[:, singular > 1e-9 * singular[0]]


def _periodogram(residuals: np.ndarray, basis: np.ndarray, lengths: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """Return the squared cosine transform of the residuals and its angular frequencies, in radians per day."""
    powers, waves, start = [], [], 0
    for length in lengths:
        part = slice(start, start + length)
        left = 1 - (cosine_transform(basis[part])[1:] ** 2).sum(axis=1)
        cosines = cosine_transform(residuals[part])[1:]
        is_kept = left > LEAST_LEFT
        powers.append(cosines[is_kept] ** 2 / left[is_kept])
        waves.append(pi * np.arange(1, length)[is_kept] / length)
        start += length
    return np.concatenate(powers), np.concatenate(waves)


def _models() -> np.ndarray:
    """Return the models: correlation from one day to the next, correlated share of the variance, prior probability."""
    pairs = [(rho, share) for rho in CORRELATIONS for share in SHARES]
    prior = (1 - INDEPENDENT) / len(pairs)
    return np.array([(0.0, 0.0, INDEPENDENT), *((rho, share, prior) for rho, share in pairs)])


def _mean_variances(models: np.ndarray, lengths: Sequence[int]) -> np.ndarray:
    """Return for each model the variance of a mean of days, relative to that of independent days."""
    rho, share = models[:, 0], models[:, 1]
    sides = [(1 + rho) / (1 - rho) - 2 * rho * (1 - rho**n) / (n * (1 - rho) ** 2) for n in lengths]
    found: np.ndarray = 1 - share + share * np.average(sides, axis=0, weights=[1 / n for n in lengths])
    return found
