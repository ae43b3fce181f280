"""Estimates many rates at once, each with the help of the others (partial pooling).

The highest of many measured rates is, more often than not, one that was lucky: ranked by what was measured, codes with
few scans fill both ends of the list. The rates of many codes also tell how different codes are. An estimate that
combines both is closer to the truth on average than the measured rates (Efron and Morris, 1975).

Each count is Poisson with a rate of its own, and the rates have a gamma distribution (Gelman and others, Bayesian Data
Analysis, 3rd edition, 2013, section 2.6 for the model, chapter 5 for the hierarchy). So the counts of groups whose rate
is unknown have negative binomial distributions, whose likelihood shows which gamma distributions are plausible. Instead
of the best one, all of a grid are used, weighted by their likelihood: a handful of groups does not tell how different
groups are, and the best fit alone would often say that they are all the same. The prior is flat for the coefficient of
variation of the rates, up to 5, and for the logarithm of their mean.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from qrkit.analytics.distributions import log_gamma

if TYPE_CHECKING:
    import numpy as np

__all__ = ["FEWEST_GROUPS", "Gammas", "pooled_rates"]

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


class Gammas(NamedTuple):
    """What is known about each rate: a gamma distribution.

    Attributes:
        shape: Shapes, float64.
        scale: Scales, in the unit of the rates.
    """

    shape: np.ndarray
    scale: np.ndarray

    @property
    def mean(self) -> np.ndarray:
        """Means of the distributions."""
        means: np.ndarray = self.shape * self.scale
        return means


def pooled_rates(counts: np.ndarray, exposures: np.ndarray) -> Gammas:
    """Return gamma distributions of the true rates, with the mean and the variance of their posterior distributions.

    Args:
        counts: Number of independent events in each group, 0 or more, not necessarily whole.
        exposures: How long each group was observed, above 0; rates are counts per unit of this.
    """
    import numpy as np

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
    import numpy as np

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
