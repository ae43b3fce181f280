"""Measures how often experiments name false winners: `python -m tests.analytics.study_experiments 1000`.

Each cell has that many simulated experiments of 90 days, with a look at the end of each day.
"""

import sys
from itertools import product
from math import log
from typing import NamedTuple

import numpy as np

from qrkit.analytics.experiments.anytime_intervals import FEWEST, difference_sequence, ratio_sequence
from qrkit.analytics.experiments.experiment import ALARM, log_evidence

DAYS = 90
ALPHA = 0.05
WEIGHTS = {
    "even": [(0, 0.5)],
    "20/80": [(0, 0.8)],
    "95/5": [(0, 0.05)],
    "5/95": [(0, 0.95)],
    "90/10, then even": [(0, 0.1), (45, 0.5)],
    "even, then 5/95": [(0, 0.5), (45, 0.95)],
    "every week": [
        (7 * week, share) for week, share in enumerate((0.5, 0.1, 0.9, 0.5, 0.2, 0.8, 0.5, 0.3, 0.95, 0.05))
    ],
}
"""Shares of the second variant, by the day from which they hold."""
WORLDS = ("steady", "drift", "falls", "moods", "groups")
"""How rates of conversion change: not, up, down, from day to day (AR .8), or ten visitors in a row convert together."""


class Cell(NamedTuple):
    """Shares of experiments with a winner, and with the truth in all intervals; the days of the first winners."""

    winners: float
    covers: float
    days: np.ndarray


def levels(world, worlds, random):
    """Factors of the rates, worlds x days."""
    ramp = np.linspace(0.25, 1.75, DAYS)
    if world in ("drift", "falls"):
        return np.tile(ramp if world == "drift" else ramp[::-1], (worlds, 1))
    moods = random.standard_normal((worlds, DAYS))
    for day in range(1, DAYS):
        moods[:, day] = 0.8 * moods[:, day - 1] + 0.6 * moods[:, day]
    return np.exp(0.5 * moods - 0.125) if world == "moods" else np.ones((worlds, DAYS))


def strata(weights):
    """Number of the stratum of each day, and the share of the second variant in each."""
    starts, shares = zip(*WEIGHTS[weights], strict=True)
    return np.searchsorted(starts, np.arange(DAYS), side="right") - 1, np.array(shares)


def ratio_cell(world, weights, *, visitors, rate, effect, worlds, seed=0):
    random, (stratum, shares) = np.random.default_rng(seed), strata(weights)
    came = random.poisson(visitors, (worlds, DAYS))
    second = random.binomial(came, shares[stratum])
    chance = np.minimum(rate * levels(world, worlds, random), 0.99 * np.exp(-max(effect, 0)))
    if world == "groups":  # without an effect
        total = np.minimum(10 * random.poisson(came * chance / 10), came)
        converted = random.binomial(total, shares[stratum])
        sides = total - converted, converted
    else:
        sides = random.binomial(came - second, chance), random.binomial(second, chance * np.exp(effect))
    looks = [
        (side[:, :, None] * np.eye(len(shares))[stratum]).cumsum(axis=1).reshape(-1, len(shares)) for side in sides
    ]
    found = ratio_sequence(looks[0], looks[1], np.log(shares / (1 - shares)), ALPHA)
    return _cell(found.low.reshape(worlds, DAYS), found.high.reshape(worlds, DAYS), effect)


def value_cell(world, weights, *, visitors, rate, difference, spread, worlds, seed=0):
    """Conversions are worth 1 on average, with that standard deviation of the logarithm; 0 for conversions alone."""
    random, (stratum, shares) = np.random.default_rng(seed), strata(weights)
    lows, highs = np.full((2, worlds, DAYS), np.nan)
    for number, factors in enumerate(levels(world, worlds, random)):
        came = random.poisson(visitors, DAYS)
        day = np.repeat(np.arange(DAYS), came)
        share = shares[stratum][day]
        is_second = random.random(len(day)) < share
        chance = rate * factors[day] + difference * is_second
        drawn = random.random(len(day) // 10 + 1)[np.arange(len(day)) // 10]
        converted = (drawn if world == "groups" else random.random(len(day))) < chance
        values = converted * random.lognormal(-(spread**2) / 2, spread, len(day))
        found, worth = difference_sequence(values, is_second, share, came.cumsum(), ALPHA)
        lows[number], highs[number] = (
            np.where(worth >= FEWEST, end, sign * np.inf) for end, sign in ((found.low, -1), (found.high, 1))
        )
    return _cell(lows, highs, difference)


def _cell(low, high, truth):
    shown = (low > 0) | (high < 0)
    days = np.where(shown.any(axis=1), shown.argmax(axis=1) + 1, DAYS + 1)
    return Cell(shown.any(axis=1).mean(), ((low <= truth) & (truth <= high)).all(axis=1).mean(), days)


def split_cell(*, shift, visitors, worlds, looks=90, seed=0):
    """Share of experiments whose split is called broken at a look, if the second gets `shift` more than its half."""
    random = np.random.default_rng(seed)
    second = random.binomial(visitors // looks, 0.5 + shift, (worlds, looks)).cumsum(axis=1)
    total = np.arange(1, looks + 1) * (visitors // looks)
    found = [
        any(log_evidence([total[look] - one[look], one[look]], [0.5, 0.5]) >= log(ALARM) for look in range(looks))
        for one in second
    ]
    return np.mean(found)


def main(number):
    write = sys.stdout.write
    write("| visitors a day | rate | world | weights | effect | winners | covers |\n|---|---|---|---|---|---|---|\n")
    for visitors, rate, world, weights in product((10, 40, 400, 4_000), (0.01, 0.05, 0.3, 0.4), WORLDS, WEIGHTS):
        for effect in (0.0,) if world == "groups" else (0.0, log(1.2), log(0.6)):
            cells = [
                ratio_cell(world, weights, visitors=visitors, rate=rate, effect=effect, worlds=50, seed=seed)
                for seed in range(number // 50)
            ]
            winners, covers = (np.mean([cell[place] for cell in cells]) for place in (0, 1))
            row = (visitors, rate, world, weights, f"{np.exp(effect):.1f}", f"{winners:.3f}", f"{covers:.3f}")
            write(f"| {' | '.join(map(str, row))} |\n")


if __name__ == "__main__":
    main(int(sys.argv[1]))
