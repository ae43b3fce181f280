"""Upkeep of a store while it is served: sweeps visits that are kept too long, and archives finished days.

Neither delays a redirect: a visitor is answered as soon as the visit is durable in the inbox, and the inbox waits until
the store can be written.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from threading import Event

from qrkit.store.connection import Store
from qrkit.store.history.archiving import archive
from qrkit.store.history.history_files import ArchivedElsewhere
from qrkit.store.upkeep.background_threads import in_background
from qrkit.store.upkeep.retention import sweep
from qrkit.tracking.times import Clock, now, utc

HOUR = 3_600.0

_log = logging.getLogger("qrkit")


@dataclass
class UpkeepCounts:
    """How many visits the upkeep of a store has swept (reduced to counts) and archived since this process opened it.

    `failed` counts sweeps and archives that failed; each is tried again.
    """

    swept: int = 0
    archived: int = 0
    failed: int = 0


def upkeep_counts(store: Store) -> UpkeepCounts:
    """Return what the upkeep of a store has done in this process; does not use the store."""
    return store.database.helper("upkeep", UpkeepCounts)


@contextmanager
def upkeep(
    store: Store, *, archive_after_days: int | None = None, clock: Clock = now, seconds: float = HOUR
) -> Iterator[None]:
    """Context manager: sweeps the store at once, then sweeps and archives it every `seconds` in a background thread.

    On exit, an archive that is under way ends with the month it is at, and the next process archives the rest.

    Each day is archived once. If several processes serve one store, one of them archives; the others find nothing left.
    A failure is logged, and the next round tries again. Visits of `archive_after_days` finished UTC days stay in the
    store; None archives nothing, because a copy of the file alone would then lack visits.
    """
    kept = _Upkeep(store, archive_after_days, clock)

    def go_on(ended: Event) -> None:
        kept.archive(ended)
        while not ended.wait(seconds):
            kept.sweep()
            kept.archive(ended)

    kept.sweep()
    with in_background(go_on, f"upkeep of {store.path}"):
        yield


class _Upkeep:
    """Sweeps and archives a store; counts and logs what was done."""

    def __init__(self, store: Store, archive_after_days: int | None, clock: Clock) -> None:
        self._store = store
        self._archive_after_days = archive_after_days
        self._clock = clock
        self._counts = upkeep_counts(store)
        self._archived_until: datetime | None = None

    def sweep(self) -> None:
        try:
            swept = sweep(self._store, self._clock())
        except Exception as error:  # any error, such as a full disk, because the thread must not end
            self._counts.failed += 1
            _log.warning("visits that are kept too long could not be reduced to counts yet: %s", error)
        else:
            self._counts.swept += swept
            if swept:
                _log.info("%d visits were reduced to counts", swept)

    def archive(self, ended: Event) -> None:
        if self._archive_after_days is None:
            return
        try:
            moment = utc(self._clock())
            today = moment.replace(hour=0, minute=0, second=0, microsecond=0)
            until = today - timedelta(days=self._archive_after_days)
            if until == self._archived_until:  # late visits wait for the next day: each archive writes a whole month
                return
            archived = archive(self._store, until, clock=lambda: moment, is_ended=ended.is_set)
        except ArchivedElsewhere as error:
            _log.info("%s", error)
        except Exception as error:  # any error, such as a full disk, because the thread must not end
            self._counts.failed += 1
            _log.warning("visits could not be archived yet: %s", error)
        else:
            self._archived_until = until
            self._counts.archived += archived.visits
            if archived.visits:
                _log.info("%d visits were archived; files written: %d", archived.visits, archived.files)
