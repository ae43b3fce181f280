"""Draws rankings: bars with their numbers, rates with their intervals, and human scans as a range."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan
from typing import Any, NamedTuple

import pandas as pd
from matplotlib.axes import Axes

from qrkit.charts.axes import LEADING, NOTE, Chart, count_text, from_frame, listed
from qrkit.charts.colors import tint
from qrkit.charts.labels import cut, fit, heading, length, others, quoted
from qrkit.charts.periods import by_words, column_words
from qrkit.languages import number_text, percent_text, say
from qrkit.tracking.countries import country_name
from qrkit.tracking.text_columns import as_text

ROW = 26
"""Height of a bar and its name, in pixels."""

UNIT = 24
"""Pixels above the bars, for the unit of their numbers."""

MOST_ROWS = 30
NAMES = 0.4
"""Maximum share of the width for the names of bars, and of dots from `WIDE` on."""
WIDE = 480
"""Width in pixels below which dots, with a longer number beside them, need more room than bars."""
NARROW_NAMES = 0.32
BAR = 14
"""Height of a bar in pixels."""

UNKNOWN = "unknown"
"""The value that `analytics.scans_by` gives to scans without one."""
NAMED = ("campaign", "qrcode")
"""Columns with names chosen by people, who may have chosen "unknown"."""

LINE: dict[str, Any] = {"linewidth": 1, "clip_on": False, "label": "_"}
INTERVAL: dict[str, Any] = {"linewidth": 5, "alpha": 0.35, "solid_capstyle": "round", "clip_on": False}
DOT: dict[str, Any] = {"marker": "o", "markersize": 8, "markeredgewidth": 0, "clip_on": False}


@from_frame
def bars(
    frame: pd.DataFrame,
    *,
    label: str | None = None,
    colors: Mapping[str, int] | None = None,
    title: str | None = None,
    width: int = 560,
) -> Chart:
    """Draw the scans of each QR Code, country or device as a bar with its number, in the order of the rows.

    Where the frame has shares of all scans, as that of `analytics.scans_by`, the length of a whole bar stands for 100%.
    Scans of which the country or device is not known are in a note below, and shares are of the others.

    Args:
        frame: Columns scans (int; missing values are shown as "hidden"), `label` (any type, shown as text), and
            optionally share (0..1); as returned by `analytics.top_qrcodes` and `analytics.scans_by`.
        label: The column that names the bars; by default the first text column without IDs. Codes in a column country
            are shown as names.
        colors: Number of the color of each bar by its label; by default all have the first color.
        title: The sentence above the chart; by default what the chart shows; "" for none.
        width: Pixels.
    """
    if not frame["scans"].dropna().sum():
        return Chart.nothing(width, 120, is_hidden=frame["scans"].hasnans)
    column = label or next(str(name) for name in frame.columns if name != "scans" and not str(name).endswith("_id"))
    ranking = _ranking(frame, column)
    rows = [fit(name, width * NAMES, most=4) for name in ranking.names]
    heights = [max(ROW, LEADING * len(lines) + 8) for lines in rows]
    notes = fit(ranking.note, width - 12, most=2, size=11) if ranking.note else []
    said = heading(title, ranking.finding, [say("scans by {column}", column=column_words(column))], width)
    chart = Chart.blank(width, UNIT + max(sum(heights), ROW) + 6 + NOTE * len(notes), said, grows=True)
    left = max((length(line) for lines in rows for line in lines), default=0) + 12
    right = max((length(text) for text in ranking.texts), default=0) + 10
    axes = chart.axes_between(left=left, right=right, top=UNIT, bottom=6 + NOTE * len(notes))
    axes.set(xlim=(0, ranking.end), ylim=(max(sum(heights), 1), 0))
    chart.write_above(axes, say("scans"))
    numbers = colors or dict.fromkeys(ranking.keys, 1)
    top = 0.0
    for key, lines, text, count, high in zip(ranking.keys, rows, ranking.texts, ranking.counts, heights, strict=True):
        _bar(axes, top + high / 2, count, tint(f"color-{numbers.get(key, 0)}"), has_track=ranking.is_shares)
        (start, y), (end, _) = chart.place(axes, 0, top + high / 2), chart.place(axes, count, 0)
        chart.add_lines((start - 8, y), lines, LEADING, ha="right")
        at = chart.place(axes, ranking.end, 0)[0] if ranking.is_shares else end
        chart.add_text((at + 6, y), text, "quiet")
        top += high
    chart.write_notes(2, notes)
    chart.title, chart.words = say("scans by {column}", column=column_words(column)), ranking.words
    return chart


class Ranking(NamedTuple):
    """What bars show: for each its key, name, number and text; the end of the scale; what is said of all."""

    keys: list[Any]
    names: list[str]
    counts: list[int]
    texts: list[str]
    end: float
    is_shares: bool
    finding: str
    note: str
    words: str


def _ranking(frame: pd.DataFrame, column: str) -> Ranking:
    names = as_text(frame[column]).fillna("")
    is_unknown = (names == UNKNOWN) & (column not in NAMED)
    known, unknown = frame[~is_unknown], int(frame.loc[is_unknown, "scans"].fillna(0).sum())
    labels = [country_name(name) if column == "country" else name for name in names[~is_unknown]]
    is_shares = "share" in frame and "qrcode_id" not in frame
    total = _total(frame) - unknown if is_shares else 0
    counts = known["scans"].fillna(0).astype("int64").tolist()
    texts = [_count_words(count, total) for count in known["scans"]]
    note = ""
    if unknown:
        note = say("Not known: the {column} of {count} scans", unknown, column=column_words(column))
        note += f" ({_percent(unknown, unknown + total)})" if is_shares else ""
    finding = _ranking_finding(labels, counts, total, column, is_part=unknown > 0) if counts else note
    words = listed(labels, known["scans"].tolist()) if labels else ""
    end = float(total if is_shares else max(counts, default=1)) or 1.0
    said = ", ".join(filter(None, [words, say("not known {scans}", scans=unknown) if unknown else ""]))
    return Ranking(known[column].tolist(), labels, counts, texts, end, is_shares, finding, note, said)


def _ranking_finding(labels: Sequence[str], counts: Sequence[int], total: int, column: str, *, is_part: bool) -> str:
    """Say which bar is the longest, and its share of all scans, or of those of which it is known."""
    most = max(counts)
    label = labels[counts.index(most)]
    name = quoted(label) if column in NAMED or not total else cut(label, 70)
    finding = say("{name} has the most scans: {most}", name=name, most=most)
    if not total:
        return finding
    share = _percent(most, total)
    return f"{finding}, {say('{percent} of those known', percent=share) if is_part else share}"


def _total(frame: pd.DataFrame) -> int:
    """Return the number of all scans, also of those that the frame leaves out, from the largest count and its share."""
    row = frame.dropna(subset=["scans", "share"]).nlargest(1, "scans").iloc[0]
    return max(round(row["scans"] / row["share"]) if row["share"] else 0, int(frame["scans"].fillna(0).sum()))


def _count_words(count: Any, total: int) -> str:
    """Write a count, with its percentage of the total unless that is 0."""
    text = count_text(count)
    return f"{text} ({_percent(count, total)})" if total and text != say("hidden") else text


def _percent(count: float, total: float) -> str:
    share = 100 * count / total
    return f"< {percent_text(1)}" if 0 < share < 1 else percent_text(share)


def _bar(axes: Axes, y: float, count: float, color: str, *, has_track: bool) -> None:
    if has_track:
        axes.barh(y, axes.get_xlim()[1], height=BAR, color=tint("line"), linewidth=0, clip_on=False, label="_")
    axes.barh(y, count, height=BAR, color=color, linewidth=0, clip_on=False)


@from_frame
def rates(
    frame: pd.DataFrame, *, colors: Mapping[str, int] | None = None, title: str | None = None, width: int = 560
) -> Chart:
    """Draw the scans per day of each campaign or QR Code: a dot, the interval of the true rate, and both as numbers.

    The highest rates come first. Beyond 30, the others are left out, and the chart says how many there are.

    Args:
        frame: Columns rate, low, high (float, scans per day; low and high are missing if there is no interval), and
            optionally one text column; as returned by `analytics.rates`.
        colors: Number of the color of each dot by its name; by default all have the first color.
        title: The sentence above the chart; by default what the chart shows; "" for none.
        width: Pixels.
    """
    if not frame["scans"].sum():
        return Chart.nothing(width, 120)
    by = "" if frame.columns[0] == "days" else str(frame.columns[0])
    ranked = frame.sort_values("rate", ascending=False, kind="stable")
    names = [str(name) for name in ranked[by]] if by else [say("all")]
    shown, rest = ranked.head(MOST_ROWS), len(ranked) - MOST_ROWS
    room = width * (NAMES if width >= WIDE else NARROW_NAMES)
    rows = [fit(name, room, most=4) for name in names[:MOST_ROWS]]
    heights = [max(ROW, LEADING * len(lines) + 8) for lines in rows]
    last = [say("and {others}", others=others(rest))] if rest > 0 else []
    intervals = list(zip(shown["rate"].tolist(), shown["low"].tolist(), shown["high"].tolist(), strict=True))
    texts = [_rate_text(*interval) for interval in intervals]
    said = heading(title, _rate_finding(ranked, by), [by_words(by)], width)
    chart = Chart.blank(width, UNIT + sum(heights) + ROW * len(last) + 6, said, grows=True)
    left = max(map(length, [line for lines in rows for line in lines] + last)) + 16
    axes = chart.axes_between(left=left, right=max(map(length, texts)) + 14, top=UNIT, bottom=6 + ROW * len(last))
    axes.set(xlim=(0, max(shown["rate"].max(), shown["high"].fillna(0).max())), ylim=(sum(heights), 0))
    middle = 0.0
    for number, (interval, high) in enumerate(zip(intervals, heights, strict=True)):
        middle += high / 2
        color = tint(f"color-{1 if colors is None else colors.get(names[number], 0)}")
        _rate(axes, middle, interval, color, names[number])
        y = chart.place(axes, 0, middle)[1]
        chart.add_lines((left - 12, y), rows[number], LEADING, ha="right")
        chart.add_text((width - 2, y), texts[number], "quiet", ha="right")
        middle += high / 2
    for text in last:
        chart.add_text((left - 12, chart.body_height - 6 - ROW / 2), text, "quiet", ha="right")
    chart.add_text((width - 2, 12), say("scans a day, and the range of the true rate"), "quiet", ha="right", size=11)
    chart.title = say("scans a day, with intervals")
    if by:
        chart.title = say("scans a day by {column}, with intervals", column=column_words(by))
    chart.words = ", ".join(f"{cut(name, 60)} {text}" for name, text in zip(names, texts, strict=False))
    return chart


def _rate(axes: Axes, y: float, interval: tuple[float, float, float], color: str, name: str) -> None:
    """Draw the rate as a dot on its interval."""
    rate, low, high = interval
    axes.plot([0, rate if isnan(high) else high], [y] * 2, color=tint("line"), **LINE)
    if not isnan(high):
        axes.plot([low, high], [y] * 2, color=color, label=name, **INTERVAL)
    axes.plot([rate], [y], color=color, label="_", **DOT)


def _rate_finding(ranked: pd.DataFrame, by: str) -> str:
    """Say which rate is the highest, and whether its lead may be chance."""
    first = ranked.iloc[0]
    if not by:
        return say("{rate} scans a day", rate=number_text(first["rate"], ",.1f"))
    is_close = len(ranked) > 1 and ranked["high"].iloc[1] >= first["low"]
    return say(
        "{name} has the most scans a day: {rate}; the lead may be chance"
        if is_close
        else "{name} has the most scans a day: {rate}",
        name=quoted(str(first[by])), rate=number_text(first["rate"], ",.1f"),
    )  # fmt: skip


def _rate_text(rate: float, low: float, high: float) -> str:
    """Write a rate with its range, which is NaN if the days are too few to tell."""
    ends = "\N{EN DASH}".join(number_text(end, ",.1f") for end in (low, high))
    return f"{number_text(rate, ',.1f')}  ({say('too few days') if isnan(low) else ends})"


@from_frame
def human_scans(frame: pd.DataFrame, *, title: str | None = None, width: int = 560) -> Chart:
    """Draw how many visits look like people: likely ones in full color, possible ones paler.

    Args:
        frame: Columns likely, scans, possible (int), one row; as returned by `analytics.human_scans`.
        title: The sentence above the chart; by default what the chart shows; "" for none.
        width: Pixels.
    """
    likely, scans, possible = (int(frame[name].iloc[0]) for name in ("likely", "scans", "possible"))
    if not possible:
        return Chart.nothing(width, 84)
    if likely < possible:
        finding = say("Between {likely} and {possible} visits look like people", likely=likely, possible=possible)
    else:
        finding = say(("{count} visit looks like a person", "{count} visits look like people"), likely)
    chart = Chart.blank(width, 84, heading(title, finding, [], width), grows=True)
    axes = chart.axes_between(left=2, right=2, top=30, bottom=34)
    axes.set(xlim=(0, max(possible, scans)), ylim=(0, 1))
    for start, end, key in ((0, likely, "color-1"), (likely, possible, "heat-2")):
        (x, y), (after, _) = chart.place(axes, start, 1), chart.place(axes, end, 1)
        chart.add_swatch((x, y), (after - x, 20), tint(key))
    middle = chart.place(axes, scans, 0)[0]
    axes.plot([scans] * 2, [-0.25, 1.25], color=tint("ink"), linewidth=1.5, clip_on=False, label="_")
    text = say("{scans} counted as scans", scans=scans)
    half = length(text) / 2
    chart.add_text((min(max(middle, half), width - half), 14), text, ha="center")
    chart.add_text((2, 70), say("{likely} likely people", likely=likely), "color-1")
    if possible > likely:
        chart.add_text((width - 2, 70), say("{possible} possibly", possible=possible), "quiet", ha="right")
    chart.title = say("human scans")
    chart.words = say(
        "between {likely} and {possible} visits look like people; {scans} count as scans",
        likely=likely, possible=possible, scans=scans,
    )  # fmt: skip
    return chart
