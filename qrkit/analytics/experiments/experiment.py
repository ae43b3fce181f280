"""Answers which variant of an experiment converts more, how certain that is, and whether the split can be believed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from math import exp, inf, lgamma, log, nan, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from qrkit.analytics.daily_spread import check_share
from qrkit.analytics.experiments.anytime_intervals import FEWEST, Intervals, difference_sequence, radius, ratio_sequence
from qrkit.analytics.experiments.sentences import pair_sentence, split_sentence
from qrkit.analytics.experiments.splits import Pair, Splits, pairs_of, shares_of
from qrkit.errors import InvalidParameter, Problem
from qrkit.languages import say
from qrkit.tracking.text_columns import with_dtypes

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

__all__ = ["AHEAD", "Method", "Outcome", "check_split", "experiment", "log_evidence"]

Outcome = Literal["conversion", "value"]
"""What counts: whether a visitor converted, or what the conversions of a visitor were worth."""
Method = Literal["ratio", "difference"]
"""How two variants are compared."""
METHODS: dict[Outcome, tuple[Method, ...]] = {"conversion": ("ratio", "difference"), "value": ("difference",)}

AHEAD = tuple(dict.fromkeys(round(1.1**power) for power in range(111)))
"""Days that are looked ahead: 1 to 36,000, which are about a hundred years."""
LATER = 28
"""Days after which the loss of a choice is told again."""
CERTAINTY = 1_000
"""Visitors that a wrong split is compared with: larger finds small faults late, smaller finds them never."""
ALARM = 100
"""Evidence from which on a split is broken: a sound one ever gets there in less than one of a hundred experiments."""
MOST_EXPONENT, TINY = 700.0, 1e-300
SHORT = "too few visitors decide; they are worth {reached} equal ones, and {fewest} are needed"

COUNTS = ("first_visitors", "second_visitors", "first_conversions", "second_conversions")
NUMBERS = ("first_rate", "second_rate", "effect", "low", "high", "probability", "loss", "loss_later")
PAIR_TYPES = dict.fromkeys(("first", "second", "method"), "str") | dict.fromkeys(COUNTS, "int64")
PAIR_TYPES |= dict.fromkeys(NUMBERS, "float64") | {"days_left": "Int64"}
PAIR_TYPES |= dict.fromkeys(("winner", "reason", "sentence"), "str")
DAY_TYPES = {"day": "datetime64[us]"} | dict.fromkeys(("first", "second", "method"), "str")
DAY_TYPES |= dict.fromkeys(("effect", "low", "high"), "float64")
SPLIT_TYPES = {"variant": "str", "visitors": "int64", "expected": "float64", "evidence": "float64"}
SPLIT_TYPES |= {"is_broken": "bool", "sentence": "str"}


class Answer(NamedTuple):
    """What is known of a pair.

    Attributes:
        intervals: The intervals at the end of each day, as users see them: by ratio 0.12 for 12% more.
        reason: Why there is no interval on the last day; "" if there is one.
        days_left: Days until a winner would show if the effect and the pace stay as they are; None for never.
        loss: What choosing now loses, and what choosing after `LATER` more days does.
    """

    intervals: Intervals
    reason: str = ""
    days_left: int | None = None
    loss: tuple[float, float] = (nan, nan)


def experiment(
    portfolio: Splits,
    code: str,
    *,
    outcome: Outcome = "conversion",
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
    experiments without a difference. Nothing is stopped or moved: choosing is up to you.

    By ratio, the rates of conversion are divided. The interval is exact whatever the weather, bursts, weekdays or other
    changes do to all variants, and however often you change the weights, because each visitor who converts is a coin of
    known weight. By difference, the means of all visitors are subtracted. That is the only way for values, and the
    shorter one for rates of conversion above a fifth; it holds approximately, and there is no interval until the
    visitors with large values are many enough (as many as 100 equal ones). For rates, the weights must not have
    changed. Choose a method before the experiment begins; `plan_experiment` says which.

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
    import pandas as pd

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
        answer = compare(pair, pair.value if outcome == "value" else pair.converted.astype("float64"), alpha)
        row = _row(pair, answer, outcome, method, is_broken=is_broken)
        ahead[pair.first], ahead[pair.second] = ahead[pair.first] - row["lead"], ahead[pair.second] + row["lead"]
        rows.append(row)
    leader = max(ahead, key=ahead.__getitem__)
    rows.sort(key=lambda row: (leader not in (row["first"], row["second"]), abs(row["lead"])))
    if by_day:
        return with_dtypes(pd.concat([row["by_day"] for row in rows], ignore_index=True), DAY_TYPES)
    return with_dtypes(pd.DataFrame(rows)[list(PAIR_TYPES)], PAIR_TYPES)


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
    import pandas as pd

    visits, shares = portfolio.split_visits(code, within=within), shares_of(portfolio.split_weights(code), code)
    evidence, counts = _evidence(visits, shares), visits["variant"].value_counts()
    expected = shares.mul(visits["stratum"].value_counts().reindex(shares.index, fill_value=0), axis=0).sum()
    number = counts.reindex(shares.columns, fill_value=0).astype("int64")
    frame = pd.DataFrame({"variant": shares.columns, "visitors": number.to_numpy(), "expected": expected.to_numpy()})
    is_broken = evidence >= ALARM
    words = split_sentence(frame, is_broken=is_broken)
    return with_dtypes(frame.assign(evidence=evidence, is_broken=is_broken, sentence=words), SPLIT_TYPES)


def _evidence(visits: pd.DataFrame, shares: pd.DataFrame) -> float:
    """Return how many times as likely the variants of visitors are under a wrong split as under the right one."""
    import pandas as pd

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
    import numpy as np

    log_odds = np.log(pair.odds)
    daily = np.zeros((2, len(pair.days), len(log_odds)))
    np.add.at(daily, (pair.is_second.astype("int64"), pair.day, pair.stratum), values)
    first, second = daily.cumsum(axis=1)
    found = ratio_sequence(first, second, log_odds, alpha)
    effect, low, high = (np.expm1(numbers) for numbers in found[:3])
    shown = found._replace(effect=effect, low=low, high=high)
    if not values.any():
        return Answer(shown, say("nobody has converted yet"))
    chance, pace = 1 / (1 + exp(-found.effect[-1] - log_odds[-1])), pair.pace(values > 0)
    more = np.zeros((2, len(AHEAD), len(log_odds)))
    more[:, :, -1] = np.outer([1 - chance, chance], pace * np.array(AHEAD))
    ahead = ratio_sequence(first[-1] + more[0], second[-1] + more[1], log_odds, alpha)
    return Answer(shown, "", _days_left(found, ahead), _losses(found, pace * chance * (1 - chance)))


def _by_difference(pair: Pair, values: np.ndarray, alpha: float) -> Answer:
    import numpy as np

    looks, share = np.bincount(pair.day, minlength=len(pair.days)).cumsum(), pair.odds / (1 + pair.odds)
    found, worth = difference_sequence(values, pair.is_second, share[pair.stratum], looks, alpha)
    found = Intervals(*(np.where(worth >= FEWEST, numbers, nan) for numbers in found))
    if np.isnan(values).any():
        return Answer(found, say("the values are in several currencies; choose a conversion"))
    if not len(worth) or worth[-1] < FEWEST:
        reached = int(worth[-1]) if len(worth) else 0
        return Answer(found, say(SHORT, reached=reached, fewest=FEWEST))
    pace, variance = pair.pace(values == values), found.error[-1] ** 2 * looks[-1]
    far = radius(variance, looks[-1] + pace * np.array(AHEAD), alpha)
    ahead = found._replace(low=found.effect[-1] - far, high=found.effect[-1] + far)
    return Answer(found, "", _days_left(found, ahead), _losses(found, pace / variance))


def _days_left(found: Intervals, ahead: Intervals) -> int | None:
    """Return how many days ahead an interval would first exclude 0; 0 if it does now, None if it never would."""
    if found.low[-1] > 0 or found.high[-1] < 0:
        return 0
    shown = (ahead.low > 0) | (ahead.high < 0)
    return AHEAD[int(shown.argmax())] if shown.any() else None


def _losses(found: Intervals, information: float) -> tuple[float, float]:
    """Return what choosing the better variant is expected to lose, now and later.

    Args:
        found: The intervals; their effect is taken for normal.
        information: What a day adds to 1 / the variance of the effect.
    """
    effect, variance = abs(float(found.effect[-1])), float(found.error[-1]) ** 2
    learnt = variance - 1 / (1 / variance + LATER * information)
    normal, both = NormalDist(), []
    for error in (sqrt(variance), sqrt(max(learnt, 0.0))):
        far = effect / max(error, TINY)
        both.append(error * (normal.pdf(far) - far * normal.cdf(-far)))
    return both[0], both[0] - both[1]


def _row(pair: Pair, answer: Answer, outcome: Outcome, method: Method, *, is_broken: bool) -> dict[str, Any]:
    """Return what is known of a pair: a row of the table, the lead of the second, and the intervals of each day."""
    import pandas as pd

    counted = pair.value if outcome == "value" else pair.converted
    share = (pair.odds / (1 + pair.odds))[pair.stratum]
    row: dict[str, Any] = {"first": pair.first, "second": pair.second, "method": method, "winner": None, "lead": 0.0}
    for name, side, weight in (("first", ~pair.is_second, 1 - share), ("second", pair.is_second, share)):
        row[f"{name}_visitors"], row[f"{name}_conversions"] = side.sum(), pair.converted[side].sum()
        row[f"{name}_rate"] = (counted / weight)[side].sum() / (1 / weight)[side].sum() if side.any() else nan
    row["reason"] = answer.reason or (say("the split is broken") if is_broken else "")
    names = ("effect", "low", "high", "probability")
    row |= dict.fromkeys(names, nan) | dict(zip(("loss", "loss_later"), answer.loss, strict=True))
    row["days_left"] = None if row["reason"] else answer.days_left
    if not answer.reason:
        row |= {name: float(getattr(answer.intervals, name)[-1]) for name in names}
        row["lead"] = row["probability"] - 0.5
    if row["days_left"] == 0:
        row["winner"] = pair.second if row["effect"] > 0 else pair.first
    numbers = {name: getattr(answer.intervals, name) for name in names[:3]}
    days = {
        "day": pair.days.tz_localize(None).as_unit("us"),
        "first": pair.first,
        "second": pair.second,
        "method": method,
    }
    return row | {"sentence": pair_sentence(row, outcome), "by_day": pd.DataFrame(days | numbers)}
