"""Finds outages: times between two spans in which a server ran, as `upkeep.uptime` records them.

Before the first span nobody knows whether a server ran, and after the last one it may just have been stopped, so
nothing is said of either. If anything was visited meanwhile, another server answered, and there was no outage.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from datetime import date, datetime, timedelta

from qrkit.late import pd
from qrkit.store.questions.column_copy import columns
from qrkit.store.questions.local_time import on_the_clock
from qrkit.store.questions.scans import Scans, in_zone_of
from qrkit.tracking.text_columns import frame_of
from qrkit.tracking.times import first_moment, naive

LATE = timedelta(minutes=2)
"""How long after its last heartbeat a server may still have answered before it crashed."""
COUNTED = timedelta(hours=1)
"""A day with outages this long is left out of rates. Less time costs a day too few scans to matter."""

VISITED = "SELECT 1 FROM all_visits WHERE time > ? AND time < ? LIMIT 1"


def outages(scans: Scans) -> pd.DataFrame:
    """Return when the server did not run, within the bounds of a view: no code could be scanned then.

    `qrkit serve` records once a minute that it runs, so an outage of more than three minutes is known to a minute. A
    time in which anything was visited, such as by another server, is none. Nothing is known of the time before the
    server first ran, of the time since it was last stopped, and of a store without a server.

    Columns: begin, end (datetime64[us, time zone], in the view's time zone), hours (float64, elapsed). Earliest first.

    Args:
        scans: The view; only its bounds and its time zone matter.
    """
    types = {"begin": "datetime64[us]", "end": "datetime64[us]"}
    frame = frame_of(_gaps(scans), types)
    frame = in_zone_of(scans, frame, list(types))
    return frame.assign(hours=(frame["end"] - frame["begin"]).dt.total_seconds() / 3600)


def outage_days(scans: Scans) -> set[date]:
    """Return the days in a view's time zone on which the server did not run for an hour or more.

    Rates leave such days out. To scale them by the hours that are left would not be true: an hour of the night has
    fewer scans than one of the afternoon.
    """
    lost: dict[date, timedelta] = defaultdict(timedelta)
    for begin, end in _gaps(scans):
        while begin < end:
            day = on_the_clock(begin, scans.zone).date()
            until = min(end, naive(first_moment(scans.zone, day + timedelta(days=1))))
            lost[day] += until - begin
            begin = until
    return {day for day, time in lost.items() if time >= COUNTED}


def _gaps(scans: Scans) -> Iterator[tuple[datetime, datetime]]:
    """Yield begin and end of each outage within the bounds of a view, in UTC without a time zone."""
    since, until = (bound or end for bound, end in zip(scans.period, (datetime.min, datetime.max), strict=True))
    last = datetime.max
    for span in scans.store.rows("SELECT began, ended FROM uptime ORDER BY began, ended"):
        begin, end = max(last, since), min(span["began"], until)
        if begin < end and not columns(scans.store).rows(VISITED, [last + LATE, span["began"]]):
            yield begin, end
        last = span["ended"] if last == datetime.max else max(last, span["ended"])
