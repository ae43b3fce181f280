"""`PrivacyReport`: the data the store currently keeps about visitors, why, and for how long."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from qrkit.errors import counted
from qrkit.late import Shown, pd
from qrkit.store.upkeep.visitor_data import Kept
from qrkit.tracking.times import to_table

__all__ = ["NEVER_KEPT", "PrivacyReport"]

NEVER_KEPT = (
    "addresses: one is used for the visitor's key and the place, then dropped; it is in no table and no log",
    "cookies: they are set only where a rule remembers variants, or a password is asked for, and name no visitor",
    "names, accounts or anything typed: short URLs ask for a password at most, which is never kept",
    "the key of the visitors' hashes: it is in memory, on a server in a table without a log, for one UTC day",
)
"""Data that is never kept about a visit, one text per kind of data."""

COUNTS = "number of visits of a day, by QR Code and kind"


@dataclass(frozen=True, slots=True)
class PrivacyReport(Shown):
    """A report of the data kept about visitors of a portfolio's short URLs; notebooks display the report.

    Attributes:
        moment: The time of the report, in UTC.
        keep_days: For how many days visits are kept; None if no limit is set, so that visits are kept forever.
        kept: The data kept, as counted in the store.
    """

    moment: datetime
    keep_days: int | None
    kept: Kept

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per kind of data that is kept.

        Columns: name (the store's column), what, why, kept_for (str), visits (int64: the visits with this data).
        """
        return pd.DataFrame(self._rows(), columns=["name", "what", "why", "kept_for", "visits"])

    def _rows(self) -> list[tuple[str, str, str, str, int]]:
        rows = [(name, *self.kept.reason(name), self._kept_for(), number) for name, number in self.kept.columns.items()]
        why = "totals stay when visits are reduced to counts"
        return [*rows, ("day_counts", COUNTS, why, "forever", self.kept.swept)]

    def sentences(self) -> list[str]:
        """Return the sentences that introduce the report."""
        kept = self.kept
        since = f", the oldest of {to_table(kept.oldest)} UTC" if kept.oldest else ""
        found = [f"{kept.visits:,} {'visit is' if kept.visits == 1 else 'visits are'} kept{since}."]
        if self.keep_days is None:
            found.append("Nobody has said for how long: keep_visits(days=…) does.")
        else:
            found.append(f"Visits are kept for {self._kept_for()}, then reduced to counts.")
        if kept.overdue:
            found.append(f"Kept for longer: {counted(kept.overdue, 'visit')}. sweep() reduces such visits to counts.")
        if kept.swept:
            found.append(f"Of {counted(kept.swept, 'earlier visit')}, only counts are kept.")
        if kept.orphans:
            found.append(f"{counted(kept.orphans, 'visit')} in the store went to short URLs that nobody has.")
        return found

    def _kept_for(self) -> str:
        return "forever" if self.keep_days is None else counted(self.keep_days, "day")

    def __str__(self) -> str:
        lines = [f"- {what}: {why}; {counted(number, 'visit')}, {days}" for _, what, why, days, number in self._rows()]
        never = [f"- {what}" for what in NEVER_KEPT]
        return "\n".join([*self.sentences(), "", "Kept:", *lines, "", "Never kept:", *never])
