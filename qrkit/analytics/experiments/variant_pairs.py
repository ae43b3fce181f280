"""Reads how the visitors of a QR Code were split among variants, as pairs of variants that ran side by side."""

from __future__ import annotations

from datetime import timedelta
from itertools import combinations
from typing import NamedTuple, Protocol

import numpy as np
import pandas as pd

from qrkit.errors import InvalidParameter, Problem

RECENT = 28
"""Number of last days whose visitors tell how many will come."""
LAST = 100
"""Number of last visitors among whom there is one of each pair that still runs."""


class Splits(Protocol):
    """A source of split visitors: a portfolio, or a simulated experiment."""

    def split_visits(self, code: str, *, within: str | timedelta = ..., conversion: str | None = ...) -> pd.DataFrame:
        """Return a row per visitor-day: start (UTC), stratum, variant, converted, value, pending."""

    def split_weights(self, code: str) -> pd.DataFrame:
        """Return a row per stratum and variant: stratum, since (UTC), variant, share."""


class Pair(NamedTuple):
    """Visitor-days of two variants, in the order of their time, from strata in which both could be drawn.

    Attributes:
        rows: The visitors: columns day (number among `days`), place (number of the stratum among `odds`), is_second,
            converted (bool), value (float64, missing for several currencies); the index counts all visitors.
        odds: Weight of the second divided by that of the first, for each stratum.
        days: The UTC days on which visitors came, of all variants.
        visitors: Number of all visitors.
    """

    first: str
    second: str
    rows: pd.DataFrame
    odds: np.ndarray
    days: pd.DatetimeIndex
    visitors: int

    @property
    def share(self) -> np.ndarray:
        """Probability of the second variant for each visitor."""
        found: np.ndarray = (self.odds / (1 + self.odds))[self.rows["place"]]
        return found

    def pace(self, which: np.ndarray) -> float:
        """Return how many of the chosen visitors came per day lately; 0 if the pair does not run any more."""
        if self.rows.index[-1] < self.visitors - LAST:
            return 0.0
        passed = (self.days[-1] - self.days[self.rows["day"]]).days
        return float((which & (passed < RECENT)).sum()) / min(RECENT, int(passed.max()) + 1)


def shares_of(weights: pd.DataFrame, code: str) -> pd.DataFrame:
    """Return the share of each variant (columns) in each stratum (rows, in the order of their time)."""
    shares = weights.pivot_table(index="stratum", columns="variant", values="share", sort=False).fillna(0.0)
    if not (shares > 0).sum(axis=1).gt(1).any():
        raise InvalidParameter(Problem("code", code, "must be a QR Code whose visitors are split among variants"))
    return shares.sort_index()


def pairs_of(visits: pd.DataFrame, shares: pd.DataFrame) -> list[Pair]:
    """Return each two variants that could be drawn at the same time, with the visitors whose time is over."""
    settled = visits[~visits["pending"].astype("bool")].sort_values("start", ignore_index=True, kind="stable")
    number, days = pd.factorize(settled["start"].dt.floor("D"))
    settled["day"], settled["value"] = number, settled["value"].astype("float64")
    settled["converted"] = settled["converted"].to_numpy(dtype="bool", na_value=False)
    found = []
    for first, second in combinations(map(str, shares.columns), 2):
        both = shares[(shares[first] > 0) & (shares[second] > 0)]
        rows = settled[settled["variant"].isin([first, second]) & settled["stratum"].isin(both.index)]
        place, is_second = both.index.get_indexer(pd.Index(rows["stratum"])), (rows["variant"] == second).astype("bool")
        odds = (both[second] / both[first]).to_numpy()
        pair = Pair(first, second, rows.assign(place=place, is_second=is_second), odds, days, len(settled))
        found += [pair] if len(both) else []
    return found
