"""Says in one sentence what an experiment, its split or its plan tells."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import Any

import pandas as pd

from qrkit.languages import Sentence, percent_text, say, signed_text

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


def pair_sentence(row: Mapping[str, Any], outcome: str) -> str:
    """Say what is known of two variants.

    Args:
        row: A row of `experiment`, without its sentence.
        outcome: What counts, as for `experiment`.
    """
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


def split_sentence(frame: pd.DataFrame, *, is_broken: bool) -> str:
    """Say whether a split can be believed, by the variant that is farthest from its share.

    Args:
        frame: Columns variant, visitors, expected.
        is_broken: Whether the split is broken.
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
