"""Fits days before and after a change by a log-linear model: a trend, or what weather, sales and holidays explain.

A trend is a slope of the logarithm of the scans on the days of both sides of a change, each around a level of its own:
a step between the sides is no trend. It counts if it is more than three standard errors from none. Covariates are
numbers of each day; each multiplies the scans by a factor for one more of it (Poisson regression). All errors allow for
days that depend on the days before them (`qrkit.analytics.long_run_spread`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime
from math import exp, expm1, log, nan, sqrt
from typing import NamedTuple

import numpy as np
import pandas as pd

from qrkit.analytics.daily_spread import TWO_WEEKS, span_of
from qrkit.analytics.long_run_spread import LongRun, Side, long_run_spread
from qrkit.analytics.rate_intervals import FEWEST_SCANS, RatioInterval, too_few_days, too_few_scans
from qrkit.errors import InvalidParameter, Problem

ERRORS = 3.0
"""Standard errors from which on a slope counts."""
LEVEL = 0.68
"""Level of one standard error."""
ROUNDS = 12
"""Newton's steps until the fit is exact."""
FEWEST_SCANS_OF_TREND = 20
STEEPEST = 0.5
"""Maximum slope of the logarithm per day."""
MOST_COVARIATES = 10
FARTHEST = 10.0
"""Maximum logarithm of what a covariate does between its least and greatest value: no day has fewer than 0 scans."""


class Fit(NamedTuple):
    """A fitted model.

    `values` are the logarithms of the first side, of the second divided by the first, and of each column's factor, with
    their covariances if scans were independent. `run` is how much the days vary in the long run, relative to such
    scans.
    """

    values: np.ndarray
    covariances: np.ndarray
    run: LongRun

    def error(self, place: int) -> float:
        """Return the standard error of a value."""
        return sqrt(max(1.0, self.run.variance) * self.covariances[place, place])


def weekly_trend(sides: Sequence[Mapping[date, int]]) -> float:
    """Return by how much scans change each week on both sides, such as 0.07 for 7% more; NaN without a clear trend.

    The sides are scans by day before and after a change, in the order of time, each of two weeks or more.
    """
    if min(map(span_of, sides)) < TWO_WEEKS or min(sum(days.values()) for days in sides) < FEWEST_SCANS_OF_TREND:
        return nan
    days = [day.toordinal() for side in sides for day in side]
    times = np.array(days, dtype="float64") - np.mean(days)
    fit = _fit(sides, times[:, None], LEVEL, most=STEEPEST)
    slope = float(fit.values[-1])
    return expm1(7 * slope) if abs(slope) > ERRORS * fit.error(-1) else nan


def read_covariates(covariates: pd.DataFrame, sides: Sequence[Mapping[date, int]]) -> np.ndarray:
    """Return the covariates of the days of both sides, one column each, centered and divided by its range."""
    if not isinstance(covariates, pd.DataFrame) or not 1 <= covariates.shape[1] <= MOST_COVARIATES:
        rule = f"must be a DataFrame with 1 to {MOST_COVARIATES} columns of numbers, indexed by day"
        raise InvalidParameter(Problem("covariates", type(covariates).__name__, rule, "wrong-type"))
    days = list(map(_day_of, covariates.index))
    rows = dict(zip(days, range(len(days)), strict=True))
    missing = [day for side in sides for day in side if day not in rows]
    if missing or len(rows) < len(days):
        wrong = f"{missing[0]} has none" if missing else "a day has two"
        rule = f"must have one row for each day; {wrong}"
        raise InvalidParameter(Problem("covariates", None, rule))
    columns = []
    for name in covariates:
        try:
            column = covariates[name].to_numpy(dtype="float64")[[rows[day] for side in sides for day in side]]
        except (TypeError, ValueError):
            column = np.array([nan])
        if not np.isfinite(column).all():
            raise InvalidParameter(Problem(f"covariates.{name}", None, "must be numbers, with none missing"))
        columns.append((column - column.mean()) / (np.ptp(column) or 1))
    known = np.column_stack([*_sides(sides).T, *columns])
    if np.linalg.matrix_rank(known) < known.shape[1]:
        rule = "must differ between days, and must not follow from other columns or from the change itself"
        raise InvalidParameter(Problem("covariates", list(map(str, covariates)), rule))
    return np.column_stack(columns)


def _day_of(label: object) -> object:
    """Return the day that a label of an index names; return other labels unchanged."""
    if isinstance(label, str):
        with suppress(ValueError):
            return datetime.fromisoformat(label).date()
    label = label.start_time if isinstance(label, pd.Period) else label
    return label.date() if isinstance(label, datetime) else label


def with_covariates(sides: Sequence[Mapping[date, int]], columns: np.ndarray, level: float) -> RatioInterval:
    """Return the interval for the second side divided by the first, on days with the same covariates and weekdays.

    The columns are the result of `read_covariates`.
    """
    scans, fewest_days = [sum(side.values()) for side in sides], min(map(span_of, sides))
    if fewest_days < TWO_WEEKS:
        return RatioInterval.none(nan, too_few_days(fewest_days, TWO_WEEKS, is_one_side=True))
    if not min(scans):
        return RatioInterval.none(nan, too_few_scans(0, 0))
    weekdays = np.eye(7)[[day.weekday() for side in sides for day in side]][:, 1:]
    fit = _fit(sides, np.hstack([columns, weekdays]), level, most=FARTHEST)
    width, ratio = max(1.0, fit.run.variance), exp(fit.values[1])
    if min(scans) / width < FEWEST_SCANS:
        return RatioInterval.none(ratio, too_few_scans(min(scans), min(scans) / width), days_as_one=fit.run.days_as_one)
    # What a covariate explained by chance is missing from the residuals.
    number = columns.shape[0]
    error = fit.error(1) * sqrt(number / (number - columns.shape[1]))
    return RatioInterval.of_normal(ratio, fit.values[1], error, level, fit.run)


def _sides(sides: Sequence[Mapping[date, int]]) -> np.ndarray:
    """Return two columns: 1 for each day, and 1 for the days of the second side."""
    is_after = np.repeat(np.arange(len(sides)), [len(side) for side in sides])
    return np.column_stack([np.ones(len(is_after)), is_after])


def _fit(sides: Sequence[Mapping[date, int]], further: np.ndarray, level: float, *, most: float) -> Fit:
    """Fit a level for each side and a factor for each further column, up to `most`; both sides have scans."""
    seen = np.array([number for side in sides for number in side.values()], dtype="float64")
    columns = np.hstack([_sides(sides), further])
    levels = [log(sum(side.values()) / len(side)) for side in sides]
    fitted = np.array([levels[0], levels[1] - levels[0], *np.zeros(further.shape[1])])
    for _ in range(ROUNDS):
        means = np.exp(np.clip(columns @ fitted, -20, 20))
        information = columns.T @ (means[:, None] * columns)
        fitted = fitted + np.clip(np.linalg.solve(information, columns.T @ (seen - means)), -1, 1)
        fitted[2:] = np.clip(fitted[2:], -most, most)
    residuals = (seen - means) / np.sqrt(means)
    weekdays, first = np.array([day.weekday() for side in sides for day in side]), len(sides[0])
    parts = [Side(residuals[part], weekdays[part]) for part in (slice(first), slice(first, None))]
    run = long_run_spread(parts, level)
    return Fit(fitted, np.linalg.inv(information), run)
