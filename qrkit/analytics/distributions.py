"""Computes probabilities, quantiles and transforms behind intervals and alarms.

scipy does the computing; it comes with the extra `statistics`. Only this module imports scipy, and only when needed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from qrkit.errors import extra

BISECTIONS = 40
"""Halvings of an interval after which its width is below the precision of a quantile."""


def cosine_transform(values: np.ndarray) -> np.ndarray:
    """Return the orthonormal discrete cosine transform (DCT-II) of an array along its first axis."""
    with extra("statistics"):
        from scipy import fft
    found: np.ndarray = fft.dct(values, norm="ortho", axis=0)
    return found


def gamma_quantile(shape: float, probability: float) -> float:
    """Return the value that a gamma variable of scale 1 stays below with this probability."""
    return float(_special().gammaincinv(shape, probability))


def log_gamma(values: np.ndarray) -> np.ndarray:
    """Return the logarithm of the gamma function of each of the values, which must be above 0."""
    found: np.ndarray = _special().gammaln(values)
    return found


def beta_quantile(successes: float, failures: float, probability: float) -> float:
    """Return the value that a beta variable stays below with this probability."""
    return float(_special().betaincinv(successes, failures, probability))


def beta_probability(successes: float, failures: float, value: float) -> float:
    """Return the probability that a beta variable is at most `value`."""
    return float(_special().betainc(successes, failures, value))


def negative_binomial_at_most(number: np.ndarray, shape: np.ndarray, success: np.ndarray) -> np.ndarray:
    """Return the probabilities of counts of at most `number`."""
    return _special().betainc(shape, number + 1, success)  # type: ignore[no-any-return]


def negative_binomial_at_least(number: np.ndarray, shape: np.ndarray, success: np.ndarray) -> np.ndarray:
    """Return the probabilities of counts of at least `number`."""
    # scipy knows no probability of more than -1, which is 1.
    return _special().betaincc(shape, number.clip(1), success) * (number > 0) + (number <= 0)  # type: ignore[no-any-return]


def negative_binomial_log_probability(number: np.ndarray, shape: np.ndarray, success: np.ndarray) -> np.ndarray:
    """Return the logarithms of the probabilities of counts of exactly `number`; `success` is below 1."""
    ways = _special().gammaln(number + shape) - _special().gammaln(shape) - _special().gammaln(number + 1)
    return ways + shape * np.log(success) + number * np.log1p(-success)  # type: ignore[no-any-return]


def normal_quantile(probability: float) -> float:
    """Return the value that a standard normal variable stays below with this probability."""
    return float(_special().ndtri(probability))


def student_mixture_quantile(weights: np.ndarray, scales: np.ndarray, freedom: float, probability: float) -> float:
    """Return a quantile of a mixture of Student's t distributions with different scales.

    The weights sum to 1, the scales are above 0, and all have the same degrees of freedom. `probability` is above 0.5.
    """
    special = _special()
    quantile = student_quantile(freedom, probability)
    low, high = quantile * float(scales.min()), quantile * float(scales.max())
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        if weights @ special.stdtr(freedom, middle / scales) < probability:
            low = middle
        else:
            high = middle
    return high


def student_mixture_tail(weights: np.ndarray, scales: np.ndarray, freedom: float, value: float) -> float:
    """Return the probability that a mixture of Student's t distributions is above `value`."""
    return float(weights @ _special().stdtr(freedom, -value / scales))


def student_quantile(freedom: float, probability: float) -> float:
    """Return the value that a variable of Student's t distribution stays below with this probability."""
    return float(_special().stdtrit(freedom, probability))


def student_probability(freedom: float, value: float) -> float:
    """Return the probability that a variable of Student's t distribution is at most `value`."""
    return float(_special().stdtr(freedom, value))


def student_from_normal(probability: np.ndarray, freedom: np.ndarray) -> np.ndarray:
    """Convert values' cumulative probabilities in the normal distribution to those in Student's t distribution."""
    return _special().stdtr(freedom, _special().ndtri(probability))  # type: ignore[no-any-return]


def normal_from_student(probability: float, freedom: np.ndarray) -> np.ndarray:
    """Convert a value's cumulative probability in Student's t distribution to those in the normal distribution."""
    return _special().ndtr(_special().stdtrit(freedom, probability))  # type: ignore[no-any-return]


def _special() -> Any:
    with extra("statistics"):
        from scipy import special
    return special
