"""Answers which variant of an experiment converts more, how certain that is, and whether the split can be believed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from math import ceil, exp, inf, lgamma, log, nan, sqrt
from statistics import NormalDist
from typing import Any, Literal

import numpy as np
import pandas as pd

from qrkit.analytics.daily_spread import check_share
from qrkit.analytics.experiments.anytime_intervals import FEWEST, Intervals, difference_sequence, ratio_sequence
from qrkit.analytics.experiments.variant_pairs import Pair, Splits, pairs_of, shares_of
from qrkit.errors import InvalidParameter, Problem
from qrkit.languages import Sentence, percent_text, say, signed_text
from qrkit.tracking.text_columns import frame_of, with_dtypes

Measure = Literal["conversion", "value"]
"""What counts: whether a visitor converted, or what the conversions of a visitor were worth."""
Method = Literal["ratio", "difference"]
"""How two variants are compared."""
Answer = tuple[Intervals, float, str]
"""The intervals of a pair at the end of each day, as they are computed; what a day adds to 1 / the variance; and the
reason why there is no interval on the last day, or ""."""
METHODS: dict[Measure, tuple[Method, ...]] = {"conversion": ("ratio", "difference"), "value": ("difference",)}

LONGEST = 36_500
"""Days from which on an answer is not waited for."""
LATER = 28
"""Days after which the loss of a choice is told again."""
CERTAINTY = 1_000
"""Visitors that a wrong split is compared with: larger finds small faults late, smaller finds them never."""
ALARM = 100
"""Evidence from which on a split is broken: a sound one ever gets there in less than one of a hundred experiments."""
MOST_EXPONENT, TINY = 700.0, 1e-18
MANY = 10_000
"""Conversions from which on ratios are mixed in smaller steps, because they are known more precisely."""
SHORT = "too few conversions so far: they weigh as much as {reached} equal ones, and {fewest} are needed"

COUNTS = ("first_visitors", "second_visitors", "first_conversions", "second_conversions")
NUMBERS = ("first_rate", "second_rate", "effect", "low", "high", "probability", "loss", "loss_later")
PAIR_TYPES = dict.fromkeys(("first", "second", "method"), "str") | dict.fromkeys(COUNTS, "int64")
PAIR_TYPES |= dict.fromkeys(NUMBERS, "float64") | {"days_left": "Int64"}
PAIR_TYPES |= dict.fromkeys(("winner", "reason", "sentence"), "str")
SHOWN = ("first", "second", "method", "effect", "low", "high")
DAY_TYPES = {"day": "datetime64[us]"} | {name: PAIR_TYPES[name] for name in SHOWN}
SPLIT_TYPES = {"variant": "str", "visitors": "int64", "expected": "float64", "evidence": "float64"}
SPLIT_TYPES |= {"is_broken": "bool", "sentence": "str"}
CLAIMS = {
    "ratio": "{better} converts {more} more than {worse} ({low} to {high})",
    "rate": "{better} converts {more} percentage points more than {worse} ({low} to {high})",
    "value": "{better} brings {more} more per visitor than {worse} ({low} to {high})",
}
YEARS = 730
"""Days from which on a time is said in years, and an experiment takes too long."""
UNITS: tuple[tuple[float, float, Sentence], ...] = (
    (14, 1, ("a day", "{count} days")), (84, 7, ("a week", "{count} weeks")),
    (YEARS, 30.4, ("a month", "{count} months")), (inf, 365.25, ("a year", "{count} years")),
)  # fmt: skip
"""Days up to which a time is said in a unit, the days of the unit, and its names."""


def experiment(
    portfolio: Splits,
    code: str,
    *,
    outcome: Measure = "conversion",
    within: str | timedelta = "24h",
    conversion: str | None = None,
    method: Method | None = None,
    level: float = 0.95,
    by_day: bool = False,
) -> pd.DataFrame:
    """Compare the variants of a QR Code, each with each other. You may look as often as you like, and stop any time.

    What counts is a visitor-day: a visitor has one variant for a UTC day, and converts or does not within a time of the
    first scan. Visitor-days whose time is not over are left out of all variants. All intervals hold at all looks
    together, so a variant that is named as the winner at any look is a false one in at most 1 - level of all
    experiments without a difference. qrkit never ends an experiment by itself: choosing is up to you.

    By ratio, the rates of conversion are divided. The interval is exact whatever the weather, bursts, weekdays or other
    changes do to all variants, and however often you change the weights, because each visitor who converts is a coin of
    known weight. By difference, the means of all visitors are subtracted. That is the only way for values, and the
    shorter one for rates of conversion above a fifth. It holds approximately, and there is no interval until the
    visitors with large values are many enough, as many as 200 equal ones. Choose a method before the experiment begins;
    `plan_experiment` says which.

    Columns: first, second (str, two variants; the first row compares the leading one with its closest rival), method
    (str, ratio or difference), first_visitors, second_visitors, first_conversions, second_conversions (int64,
    visitor-days while both could be drawn, and those that converted), first_rate, second_rate (float64, conversions, or
    value, per visitor-day; weighted so that changed weights do not matter), effect, low, high (float64, by ratio how
    much more the second converts, such as 0.12 for 12% more, infinite where there is no upper limit; by difference what
    it has more per visitor-day; the effect is drawn toward 0 while there are few conversions), probability (float64,
    0..1, that the second is better), loss (float64, what you expect to lose per visitor-day by choosing the better one
    now: a share of conversions by ratio, else conversions or value), loss_later (float64, the same after 28 more days:
    the difference is the value of waiting), days_left (Int64, days until a winner would show if the effect and the
    number of visitors stay as they are; 0 with a winner, missing for never), winner (str, missing if there is none),
    reason (str, why there is no winner to be had, or empty), sentence (str, the answer in words). Without an interval,
    the numbers from effect on are missing. If the split is broken (`check_split`), there is no winner.

    With `by_day`, the intervals at the end of each day instead, with the visitors who had come by then; columns: day
    (datetime64[us], UTC days), first, second, method, effect, low, high (as above; missing while there is no interval).

    Args:
        portfolio: The portfolio, or a simulated experiment.
        code: Short code of a QR Code whose visitors are split.
        outcome: "conversion" counts visitors who convert; "value" the worth of their conversions, in one currency.
        within: How soon after the first scan a conversion counts, such as 24h.
        conversion: Name of the conversion; None for any.
        method: "ratio" or "difference"; None for the ratio of conversions, and for the difference of values.
        level: Probability that all intervals contain the truth at all looks, above 0 and below 1; of several pairs,
            each has its part of what is left (Bonferroni).
        by_day: Return the intervals of each day.

    Raises:
        NotFound: If there is no such QR Code.
        InvalidParameter: If its visitors are not split, or if an argument is invalid.
    """
    if outcome not in METHODS:
        raise InvalidParameter(Problem("outcome", outcome, f"must be {' or '.join(map(repr, METHODS))}"))
    method = METHODS[outcome][0] if method is None else method
    if method not in METHODS[outcome]:
        rule = f"must be {' or '.join(map(repr, METHODS[outcome]))} for the outcome {outcome!r}"
        raise InvalidParameter(Problem("method", method, rule))
    visits = portfolio.split_visits(code, within=within, conversion=conversion)
    shares = shares_of(portfolio.split_weights(code), code)
    pairs, is_broken = pairs_of(visits, shares), _evidence(visits, shares) >= ALARM
    alpha, compare = (1 - check_share("level", level)) / len(pairs), _by_ratio if method == "ratio" else _by_difference
    rows, ahead = [], dict.fromkeys(shares.columns, 0.0)
    for pair in pairs:
        values = pair.rows["value" if outcome == "value" else "converted"].to_numpy(dtype="float64")
        row = _row(pair, values, compare(pair, values, alpha), method, is_broken=is_broken)
        ahead[pair.first], ahead[pair.second] = ahead[pair.first] - row["lead"], ahead[pair.second] + row["lead"]
        rows.append(row)
    leader = max(ahead, key=ahead.__getitem__)
    rows.sort(key=lambda row: (leader not in (row["first"], row["second"]), abs(row["lead"])))
    if by_day:
        days = [row["by_day"].assign(**{name: row[name] for name in SHOWN[:3]}) for row in rows]
        return with_dtypes(pd.concat(days, ignore_index=True)[list(DAY_TYPES)], DAY_TYPES)
    return frame_of((row | {"sentence": _pair_sentence(row, outcome)} for row in rows), PAIR_TYPES)


def check_split(portfolio: Splits, code: str, *, within: str | timedelta = "24h") -> pd.DataFrame:
    """Check whether the variants of an experiment got as many visitors as their weights say: one row per variant.

    If they did not, something loses or repeats visitors of one variant, such as a cache, a bot, or a page that is slow,
    and then the visitors of the variants differ, too: do not believe a result before you know why. You may look as
    often as you like: less than one of a hundred sound experiments is ever called broken.

    Columns: variant (str, in the order of the weights), visitors (int64, visitor-days, also those whose time is not
    over), expected (float64), evidence (float64, the same in all rows: how many times as likely these numbers are under
    a wrong split as under the right one), is_broken (bool, the same in all rows: whether the evidence has reached 100),
    sentence (str, the same in all rows).

    Args:
        portfolio: See `experiment`.
        code: Short code of a QR Code whose visitors are split.
        within: See `experiment`.

    Raises:
        NotFound: If there is no such QR Code.
        InvalidParameter: If its visitors are not split.
    """
    visits, shares = portfolio.split_visits(code, within=within), shares_of(portfolio.split_weights(code), code)
    evidence, counts = _evidence(visits, shares), visits["variant"].value_counts()
    expected = shares.mul(visits["stratum"].value_counts().reindex(shares.index, fill_value=0), axis=0).sum()
    number = counts.reindex(shares.columns, fill_value=0).astype("int64")
    frame = pd.DataFrame({"variant": shares.columns, "visitors": number.to_numpy(), "expected": expected.to_numpy()})
    is_broken = evidence >= ALARM
    words = _split_sentence(frame, is_broken=is_broken)
    return with_dtypes(frame.assign(evidence=evidence, is_broken=is_broken, sentence=words), SPLIT_TYPES)


def _evidence(visits: pd.DataFrame, shares: pd.DataFrame) -> float:
    """Return how many times as likely the variants of visitors are under a wrong split as under the right one."""
    counts = pd.crosstab(visits["stratum"], visits["variant"])
    likely = shares.reindex(index=counts.index, columns=counts.columns, fill_value=0.0).to_numpy()
    rows = zip(counts.to_numpy().tolist(), likely.tolist(), strict=True)
    return exp(min(sum(log_evidence(visitors, each) for visitors, each in rows), MOST_EXPONENT))


def log_evidence(visitors: Sequence[int], shares: Sequence[float]) -> float:
    """Return the logarithm of how many times as likely numbers of visitors are under a wrong split (Beta-binomial)."""
    total = lgamma(CERTAINTY) - lgamma(CERTAINTY + sum(visitors))
    for number, share in zip(visitors, shares, strict=True):
        if share:
            start = CERTAINTY * share
            total += lgamma(start + number) - lgamma(start) - number * log(share)
        elif number:
            return inf  # a variant that nobody could have had
    return total


def _by_ratio(pair: Pair, values: np.ndarray, alpha: float) -> Answer:
    log_odds = np.log(pair.odds)
    daily = np.zeros((2, len(pair.days), len(log_odds)))
    np.add.at(daily, (pair.rows["is_second"].astype("int64"), pair.rows["day"], pair.rows["place"]), values)
    first, second = daily.cumsum(axis=1)
    found = ratio_sequence(first, second, log_odds, alpha, step=0.025 if values.sum() < MANY else 0.0025)
    if not values.any():
        return (found, 0.0, say("nobody has converted yet"))
    chance = 1 / (1 + exp(-found.effect[-1] - log_odds[-1]))
    return (found, pair.pace(values > 0) * chance * (1 - chance), "")


def _by_difference(pair: Pair, values: np.ndarray, alpha: float) -> Answer:
    looks = np.bincount(pair.rows["day"], minlength=len(pair.days)).cumsum()
    found, worth = difference_sequence(values, pair.rows["is_second"].to_numpy(), pair.share, looks, alpha)
    found = Intervals(*(np.where(worth >= FEWEST, numbers, nan) for numbers in found))
    if np.isnan(values).any():
        return (found, 0.0, say("the values are in several currencies; choose a conversion"))
    if not len(worth) or worth[-1] < FEWEST:
        return (found, 0.0, say(SHORT, reached=int(worth[-1]) if len(worth) else 0, fewest=FEWEST))
    return (found, pair.pace(values == values) / (found.error[-1] ** 2 * looks[-1]), "")


def _outlook(effect: float, nearest: float, error: float, information: float) -> tuple[int | None, float, float]:
    """Return days until a winner shows, and what choosing now, and choosing later, is expected to lose.

    The error shrinks with what each day adds to 1 / the variance (`information`), and the interval with it; the effect,
    which is above 0, stays, and is taken for normal. `nearest` is the end of its interval that is the nearest to 0.
    """
    wider, gained = (1 - nearest / effect) ** 2 - 1 if effect else inf, error**2 * information
    days = 0.0 if nearest > 0 else wider / gained if gained else inf
    learnt = error**2 * (1 - 1 / (1 + LATER * gained))
    normal, losses = NormalDist(), []
    for each in (error, sqrt(max(learnt, TINY))):
        far = effect / each
        losses.append(each * (normal.pdf(far) - far * normal.cdf(-far)))
    return ceil(days) if days < LONGEST else None, losses[0], losses[0] - losses[1]


def _row(pair: Pair, values: np.ndarray, answer: Answer, method: Method, *, is_broken: bool) -> dict[str, Any]:
    """Return what is known of a pair: a row of the table, the lead of the second, and the intervals of each day."""
    row: dict[str, Any] = {"first": pair.first, "second": pair.second, "method": method, "winner": None}
    is_second, converted = (pair.rows[name].to_numpy() for name in ("is_second", "converted"))
    for name, side, share in (("first", ~is_second, 1 - pair.share), ("second", is_second, pair.share)):
        row[f"{name}_visitors"], row[f"{name}_conversions"] = side.sum(), converted[side].sum()
        row[f"{name}_rate"] = (values / share)[side].sum() / (1 / share)[side].sum() if side.any() else nan
    (found, information, reason), names = answer, ("effect", "low", "high", "probability")
    row["reason"] = reason or (say("the split is broken") if is_broken else "")
    row |= dict.fromkeys((*names, "loss", "loss_later"), nan) | {"days_left": None, "lead": 0.0}
    shown = _shown(found, method)
    if not reason:
        row |= {name: float(getattr(shown, name)[-1]) for name in names}
        effect, low, high, error, probability = (float(numbers[-1]) for numbers in found)
        row["lead"] = probability - 0.5
        nearest = low if effect > 0 else -high
        days, row["loss"], row["loss_later"] = _outlook(abs(effect), nearest, error, information)
        if not is_broken:
            row["days_left"], row["winner"] = days, (pair.second if effect > 0 else pair.first) if nearest > 0 else None
    days_shown = {"day": pair.days.tz_localize(None).as_unit("us")} | {name: getattr(shown, name) for name in names[:3]}
    return row | {"by_day": pd.DataFrame(days_shown)}


def _shown(found: Intervals, method: Method) -> Intervals:
    """Return intervals as users see them: logarithms of ratios as what the second has more, such as 0.12 for 12%."""
    if method == "difference":
        return found
    effect, low, high = (np.expm1(numbers) for numbers in found[:3])
    return found._replace(effect=effect, low=low, high=high)


# ---- sentences


def _pair_sentence(row: Mapping[str, Any], outcome: str) -> str:
    """Say what is known of two variants, from a row of `experiment` without its sentence."""
    if row["reason"]:
        words = "Nothing can be said about {second} and {first}: {reason}."
        return say(words, first=row["first"], second=row["second"], reason=row["reason"])
    numbers, names = [row["effect"], row["low"], row["high"]], [row["first"], row["second"]]
    is_ratio = row["method"] == "ratio"
    if numbers[0] < 0:  # the better one is the subject
        turned = [1 / (1 + one) - 1 if 1 + one else inf for one in numbers] if is_ratio else [-one for one in numbers]
        numbers, names = [turned[0], turned[2], turned[1]], names[::-1]
    kind = "ratio" if is_ratio else "rate" if outcome == "conversion" else "value"
    scaled = [100 * one for one in numbers] if kind == "rate" else numbers
    width = None if is_ratio else scaled[2] - scaled[1]
    more, low, high = (say("any number") if one == inf else signed_text(one, width) for one in scaled)
    claim = say(
        CLAIMS[kind],
        better=names[1], worse=names[0], more=more.lstrip("+"), low=low, high=high,
    )  # fmt: skip
    if row["winner"]:
        return f"{claim}."
    left = row["days_left"]
    if left is None or left > YEARS:
        return say("{claim}: no difference shows, and waiting for one would take years.", claim=claim)
    return say("{claim}: too early to say; about {time} to go.", claim=claim, time=time_text(left))


def time_text(days: float) -> str:
    """Say a time roughly: 3 weeks."""
    size, names = next((size, names) for bound, size, names in UNITS if days < bound)
    return say(names, max(1, round(days / size)))


def _split_sentence(frame: pd.DataFrame, *, is_broken: bool) -> str:
    """Say whether a split can be believed, by the variant that is farthest from its share.

    The frame has the columns variant, visitors and expected.
    """
    total = int(frame["visitors"].sum())
    if not total:
        return say("Nobody was split yet.")
    row = frame.iloc[int((frame["visitors"] - frame["expected"]).abs().argmax())]
    values = {name: percent_text(100 * row[name] / total, 1) for name in ("visitors", "expected")}
    words = "The split works: {variant} got {visitors} of all visitors, {expected} expected."
    if is_broken:
        words = (
            "The split is broken: {variant} got {visitors} of all visitors instead of {expected}. Do not trust any "
            "difference until you know why."
        )
    return say(words, variant=row["variant"], **values)
