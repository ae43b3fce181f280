"""`PrivacyReport`: what is kept of visitors, why, and for how long, as the store holds it at this moment."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from html import escape
from typing import TYPE_CHECKING

from qrkit.store.visitor_data import Kept
from qrkit.tracking.times import to_table

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["NEVER_KEPT", "PrivacyReport"]

NEVER_KEPT = (
    "addresses: one is used for the visitor's key and the place, then dropped; it is in no table and no log",
    "cookies: none are set, none are read",
    "names, accounts or anything typed: short URLs ask for nothing",
    "the key of the visitors' hashes: it is in memory, on a server in a table without a log, for one UTC day",
)
"""What no visit leaves, a sentence each."""

COUNTS = "number of visits of a day, by QR Code and kind"


@dataclass(frozen=True, slots=True)
class PrivacyReport:
    """What is kept of those who visit the short URLs of a portfolio. It shows itself in a notebook.

    Attributes:
        moment: When it was made, UTC.
        keep_days: For how many days visits are kept; None where nobody has said, so that they are kept for ever.
        kept: What is kept, counted in the store.
    """

    moment: datetime
    keep_days: int | None
    kept: Kept

    def to_frame(self) -> pd.DataFrame:
        """A row for each thing that is kept.

        Columns: name (of the column in the store), what, why, kept_for (str), visits (int64, that have it).
        """
        import pandas as pd

        rows = [(name, *self.kept.reason(name), self._kept_for(), number) for name, number in self.kept.columns.items()]
        rows.append(("day_counts", COUNTS, "totals stay when visits are swept out", "for ever", self.kept.swept))
        return pd.DataFrame(rows, columns=["name", "what", "why", "kept_for", "visits"])

    def sentences(self) -> list[str]:
        """What there is to say before the table."""
        kept = self.kept
        since = f", the oldest of {to_table(kept.oldest)} UTC" if kept.oldest else ""
        found = [f"{kept.visits:,} {'visit is' if kept.visits == 1 else 'visits are'} kept{since}."]
        if self.keep_days is None:
            found.append("Nobody has said for how long: keep_visits(days=…) does.")
        else:
            found.append(f"Visits are kept for {self.keep_days:,} days, then reduced to counts.")
        if kept.overdue:
            found.append(f"{kept.overdue:,} of them are older than that: sweep() reduces them to counts.")
        if kept.swept:
            found.append(f"Of {kept.swept:,} visits that were swept out, counts are left.")
        if kept.orphans:
            found.append(f"{kept.orphans:,} visits in the store went to short URLs that nobody has.")
        return found

    def _kept_for(self) -> str:
        return "for ever" if self.keep_days is None else f"{self.keep_days:,} days"

    def __str__(self) -> str:
        lines = [
            f"- {row.what}: {row.why}; {row.visits:,} visits, {row.kept_for}" for row in self.to_frame().itertuples()
        ]
        never = [f"- {what}" for what in NEVER_KEPT]
        return "\n".join([*self.sentences(), "", "Kept:", *lines, "", "Never kept:", *never])

    def _repr_html_(self) -> str:
        table = self.to_frame().to_html(index=False, border=0, justify="left")
        never = "".join(f"<li>{escape(what)}</li>" for what in NEVER_KEPT)
        return f"<p>{escape(' '.join(self.sentences()))}</p>{table}<p>Never kept:</p><ul>{never}</ul>"
