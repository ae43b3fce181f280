"""Writes the sums that the filters of a page count with: scans by QR Code and day, and by campaign and hour.

The file has nothing finer than that: no visits, visitors, user agents or places. A report without small groups has only
scans by campaign and day, in which scans of days with few are counted on a later day, or the last one before.
"""

from __future__ import annotations

import json
import zlib
from base64 import b64encode
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy import ndarray

from qrkit.languages import say
from qrkit.report.code_table import CodeRow
from qrkit.report.facts import Facts
from qrkit.report.sentences import sentences_of

MOST_HOURS = 120_000
"""Maximum number of sums by hour; beyond it, three hours are counted together, which makes them half as large."""
MOST_CELLS = 4_000_000
"""Maximum number of sums: more would make a page slow, which then has no filters."""
FEWEST_DAYS = 2


def embedded(facts: Facts, rows: Sequence[CodeRow], colors: Mapping[str, int]) -> str:
    """Return the sums as JSON; "" if there are no sums or too many, or too few days to filter.

    The sums follow the order of the rows; codes without a row are summed by campaign. Colors are numbers, by campaign
    title.
    """
    if facts.first is None or facts.last is None or not facts.scans:
        return ""
    days, titles = (facts.last - facts.first).days + 1, facts.groups
    if days < FEWEST_DAYS or (len(rows) + 25 * len(titles)) * days > MOST_CELLS:
        return ""
    sums: dict[str, object]
    if facts.least is None:
        together = 3 if 24 * days * len(titles) > MOST_HOURS else 1
        per_hour = _per_hour(facts, days).reshape(len(titles), -1, together).sum(axis=2)
        sums = {"perDay": _packed(_per_day(facts, rows, days)), "perHour": _packed(per_hour), "hoursTogether": together}
    else:
        sums = {"perDay": _packed(_per_campaign(facts, days))}
    data = {
        "first": facts.first.isoformat(),
        "days": days,
        "campaigns": [{"name": title, "color": colors[title]} for title in titles],
        "codes": [titles.index(row.campaign) for row in rows] + list(range(len(titles))),
        **sums,
        "words": {name: say(sentence) for name, sentence in sentences_of("script").items()},
    } | _expected(facts, days)
    return json.dumps(data, ensure_ascii=True, separators=(",", ":")).replace("<", "\\u003c")


def _expected(facts: Facts, days: int) -> dict[str, list[int]]:
    """Return the days compared with, or else the usual range, if there is one for each day of the period."""
    previous, unusual = facts.comparisons.previous, facts.comparisons.unusual
    if previous is not None:
        # The period before may be shorter: the last days then have no counterpart.
        return {"before": previous["previous_scans"].dropna().astype("int64").tolist()[:days]}
    if unusual is None or len(unusual) != days or unusual["high"].isna().any():
        return {}
    most = 2 * int(unusual["scans"].max())
    return {end: unusual[end].clip(upper=most).round().astype("int64").tolist() for end in ("low", "high")}


def _per_campaign(facts: Facts, days: int) -> ndarray:
    """Return scans by campaign and day."""
    place = {title: number for number, title in enumerate(facts.groups)}
    frame, sums = facts.per_day, np.zeros((len(place), days), dtype=np.int64)
    np.add.at(sums, (frame["campaign"].map(place).to_numpy(), _day_numbers(facts, frame["day"])), frame["scans"])
    return sums


def _per_day(facts: Facts, rows: Sequence[CodeRow], days: int) -> ndarray:
    """Return scans by row and day, with a last row for the other codes of each campaign."""
    campaigns = list(facts.titles)
    place = {code.id: len(rows) + campaigns.index(code.campaign_id) for code in facts.codes}
    place |= {row.id: number for number, row in enumerate(rows)}
    sums = np.zeros((len(rows) + len(campaigns), days), dtype=np.int64)
    at = facts.daily["qrcode_id"].map(place).to_numpy()
    np.add.at(sums, (at, _day_numbers(facts, facts.daily["day"])), facts.daily["scans"].to_numpy())
    return sums


def _per_hour(facts: Facts, days: int) -> ndarray:
    """Return scans by campaign and hour."""
    place = {id or "": number for number, id in enumerate(facts.titles)}
    frame, sums = facts.hourly, np.zeros((len(facts.titles), 24 * days), dtype=np.int64)
    hours = 24 * _day_numbers(facts, frame["day"]) + frame["hour"].to_numpy()
    np.add.at(sums, (frame["campaign_id"].map(place).to_numpy(), hours), frame["scans"].to_numpy())
    return sums


def _day_numbers(facts: Facts, days: pd.Series[Any]) -> ndarray:
    """Number days from the first day of the period."""
    return (days.to_numpy().astype("datetime64[D]") - np.datetime64(facts.first, "D")).astype("int64")


def _packed(sums: ndarray) -> str:
    """Compress numbers as 16-bit or 32-bit integers, smallest byte first; the first character is their size in bytes.

    All lower bytes come first, then all higher ones, most of which are 0. Counts hardly repeat in the same order, so
    only runs of one byte are looked for (Z_RLE): that is a tenth smaller than with other matches.
    """
    size = 2 if int(sums.max(initial=0)) < 65_536 else 4
    planes = sums.astype(f"<u{size}").view("uint8").reshape(-1, size).T
    packer = zlib.compressobj(9, strategy=zlib.Z_RLE)
    return f"{size}{b64encode(packer.compress(planes.tobytes()) + packer.flush()).decode()}"
