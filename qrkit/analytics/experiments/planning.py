"""Plans an experiment before it begins: how many days until a difference shows."""

from __future__ import annotations

import numpy as np
import pandas as pd

from qrkit.analytics.experiments.anytime_intervals import radius, ratio_sequence
from qrkit.analytics.experiments.experiment import time_text
from qrkit.errors import InvalidParameter, Problem
from qrkit.languages import percent_text, say
from qrkit.tracking.redirect_rules import MOST_VARIANTS
from qrkit.tracking.text_columns import frame_of

AHEAD = tuple(dict.fromkeys(round(1.1**power) for power in range(111)))
"""Days that are looked ahead: 1 to 36,000, which are about a hundred years."""
PROBABILITIES = (0.5, 0.8, 0.9)
EXPERIMENTS = 100
"""Number of simulated experiments that tell how soon others will end."""
ALPHA = 0.05
HIGH_RATE = 0.2
"""Rate of conversion above which the difference is the shorter method."""
PLAN_TYPES = {"probability": "float64", "days": "Int64", "method": "str", "sentence": "str"}


def plan_experiment(visitors_a_day: float, rate: float, lift: float, *, variants: int = 2) -> pd.DataFrame:
    """Plan an experiment before it begins: how many days until a lift shows, for three probabilities of an answer.

    All variants have equal weights, and the experiment is looked at every day, at a level of 95%. The days are those
    of 100 simulated experiments.

    Columns: probability (float64, 0.5, 0.8, 0.9: how likely the better variant is named by then), days (Int64, missing
    for more than a hundred years), method (str, the method of `experiment` to use: ratio, or difference for rates above
    0.2), sentence (str, the row in words).

    Args:
        visitors_a_day: Visitor-days of the QR Code per day, all variants together, above 0.
        rate: Conversions per visitor-day today, above 0 and below 1.
        lift: The effect that matters to you, above 0: 0.2 for 20% more conversions.
        variants: How many variants, 2..10.

    Raises:
        InvalidParameter: If an argument is out of range, or if more than all visitors would convert.

    Example:
        >>> plan_experiment(400, rate=0.05, lift=0.2).loc[1, "sentence"]
        'A lift of 20% takes 11 weeks to show in 80% of experiments.'
    """
    most = (1e9, 1.0, 1 / rate - 1 if rate else 0.0)
    for name, value, high in zip(("visitors_a_day", "rate", "lift"), (visitors_a_day, rate, lift), most, strict=True):
        if not 0 < value < high:
            raise InvalidParameter(Problem(name, value, f"must be above 0 and below {high:,.4g}", "out-of-range"))
    if variants not in range(2, MOST_VARIANTS + 1):
        raise InvalidParameter(Problem("variants", variants, f"must be 2 to {MOST_VARIANTS}", "out-of-range"))
    method = "difference" if rate > HIGH_RATE else "ratio"
    rates, alpha = (rate, rate * (1 + lift)), ALPHA / (variants * (variants - 1) / 2)
    shown = _shows(method, rates, visitors_a_day * 2 / variants, alpha)
    share = np.maximum.accumulate(shown, axis=1).mean(axis=0)
    rows = []
    for probability in PROBABILITIES:
        days = AHEAD[int((share >= probability).argmax())] if share[-1] >= probability else None
        time = time_text(days) if days else say("over a hundred years")
        words = "A lift of {lift} takes {time} to show in {share} of experiments."
        sentence = say(words, lift=percent_text(100 * lift), time=time, share=percent_text(100 * probability))
        rows.append((probability, days, method, sentence))
    return frame_of(rows, PLAN_TYPES)


def _shows(method: str, rates: tuple[float, float], visitors: float, alpha: float) -> np.ndarray:
    """Return whether a lift shows in each simulated experiment after each number of days of `AHEAD`."""
    random, days = np.random.default_rng(0), np.diff(AHEAD, prepend=0)
    if method == "ratio":
        sides = [random.poisson(visitors / 2 * rate * days, (EXPERIMENTS, len(days))).cumsum(axis=1) for rate in rates]
        first, second = (side.reshape(-1, 1).astype("float64") for side in sides)
        return ratio_sequence(first, second, np.zeros(1), alpha).low.reshape(EXPERIMENTS, -1) > 0
    number, variance = visitors * np.array(AHEAD), 2 * sum(rate * (1 - rate) for rate in rates)
    noise = random.standard_normal((EXPERIMENTS, len(days))) * np.sqrt(variance * visitors * days)
    shown: np.ndarray = rates[1] - rates[0] + noise.cumsum(axis=1) / number > radius(variance, number, alpha)
    return shown
