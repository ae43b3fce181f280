"""Finds what is worth telling once a day: QR Codes that fell silent, unusual days, and experiments with a winner.

The answers are those of `silent`, `unusual_days` and `experiment`, so that an event never says what a report denies.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from datetime import timedelta
from math import inf
from typing import Any, TypeAlias

from qrkit.analytics.daily_spread import TWO_WEEKS, beginnings, on_each_day, today, without_outages
from qrkit.analytics.experiments.experiment import experiment
from qrkit.analytics.over_time import scans_per_day
from qrkit.analytics.silent_codes import silent
from qrkit.analytics.unusual_days import AROUND, days_with, judge_days
from qrkit.errors import InvalidParameter
from qrkit.portfolio.scanned import Scanned
from qrkit.store import Scans
from qrkit.store.recording.event_log import Event
from qrkit.tracking.times import naive
from qrkit.tracking.webhook import EventKind

ALARM = 0.05
"""Probability of a false alarm on the days that are judged: of all QR Codes together, and of any one of them."""
LATEST = timedelta(days=7)
"""How old an unusual day may be, so that a server which was off for some days still tells of them."""
MOST = 100
"""QR Codes whose days are judged, the most scanned ones: judging one takes some milliseconds."""
DECISION = ("winner", "first", "second", "effect", "low", "high", "sentence")

CODES = """
SELECT c.number, c.qrcode_id, q.rules LIKE '%"variants"%' AS is_split
FROM codes c JOIN qrcodes q ON q.number = c.number ORDER BY c.number
"""
Found: TypeAlias = "Iterator[tuple[str, str, Mapping[str, Any]]]"
"""The ID of a QR Code, what tells the event apart from others of the same kind and code, and its data."""


def daily_events(portfolio: Scanned, kinds: Collection[EventKind], time_zone: str | None) -> dict[str, Event]:
    """Return the events of a portfolio today, in its time zone or another, by keys that tell them apart."""
    view, moment = portfolio.scans.where(time_zone=time_zone or portfolio.time_zone), naive(portfolio.now()).isoformat()
    codes = view.ask(CODES)
    numbers = dict(zip(codes["qrcode_id"], codes["number"].tolist(), strict=True)) | {"": 0}
    decided = _decided(portfolio, codes.loc[codes["is_split"], "qrcode_id"])
    found: dict[EventKind, Found] = {
        "code.silent": _silent(view), "unusual.day": _unusual(view), "experiment.decided": decided,
    }  # fmt: skip
    return {
        f"{kind} {id} {name}": Event(numbers[id], kind, moment, {one: data[one] for one in data if data[one] != inf})
        for kind in found.keys() & kinds
        for id, name, data in found[kind]
    }


def _silent(view: Scans) -> Found:
    for row in silent(view).to_dict("records"):
        last = f"{row['last']:%F}"
        yield row["qrcode_id"], last, {"last": last} | {name: row[name] for name in ("days", "scans", "rate", "chance")}


def _unusual(view: Scans) -> Found:
    """Judge the last weeks of all QR Codes together, which have the ID "", and of those with the most scans."""
    end, begins = today(view), beginnings(view)
    since, begins[""] = end - timedelta(days=AROUND), min(begins.values(), default=end)
    recent = view.where(since=since, until=end)
    table = scans_per_day(recent, by="qrcode_id", zeros=False).pivot(index="day", columns="qrcode_id", values="scans")
    most = table.sum().nlargest(MOST).index
    table[""] = table.sum(axis=1)
    for id in ("", *most):
        known = {day.date(): int(number) for day, number in table[id].dropna().items()}
        daily = without_outages(recent, on_each_day(known, (max(begins[id], since), end), view.zone))
        if len(daily) < TWO_WEEKS:
            continue
        judged = judge_days(days_with(daily), ALARM / (len(most) if id else 1))
        for row in judged[judged["is_unusual"]].to_dict("records"):
            if row["day"].date() >= end - LATEST:
                day, names = f"{row['day']:%F}", ("scans", "expected", "low", "high", "chance")
                yield id, day, {"day": day} | {name: row[name] for name in names}


def _decided(portfolio: Scanned, ids: Collection[str]) -> Found:
    for id in ids:
        with suppress(InvalidParameter):  # only one of its variants is served
            row = experiment(portfolio, id).iloc[0].to_dict()
            if isinstance(row["winner"], str):
                yield id, row["winner"], {name: row[name] for name in DECISION}
