"""The QR Codes that nobody scanned in a period, by campaign: a page lists them, a notebook prints them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from qrkit.contents.cards import summary
from qrkit.report.words import line, number
from qrkit.tracking.records import QRCode

__all__ = ["MOST_NAMES", "Unscanned", "unscanned_of"]

MOST_NAMES = 1_000
"""Who has more looks for no single one in a list."""
FOLDED = 24
"""Names from which on a page shows them when it is asked."""
LONGEST = 60


@dataclass(frozen=True, slots=True)
class Unscanned:
    """QR Codes without a scan in a period. Static ones are not among them: nobody knows theirs.

    Attributes:
        names: All their names by the title of their campaign ("No campaign" for none), both in the order they were
            added.
    """

    names: Mapping[str, Sequence[str]]

    def __len__(self) -> int:
        return sum(map(len, self.names.values()))

    def __str__(self) -> str:
        """A paragraph for each campaign, and how many more than 1,000 there are."""
        paragraphs = [
            f"{line(campaign, LONGEST)} ({number(len(self.names[campaign]))}): "
            + ", ".join(line(name, LONGEST) for name in names)
            for campaign, names in self.shown.items()
        ]
        return "\n\n".join(paragraphs + ([f"and {number(self.more)} more"] if self.more else []))

    @property
    def shown(self) -> Mapping[str, Sequence[str]]:
        """The first 1,000 of the names."""
        left, found = MOST_NAMES, {}
        for campaign, names in self.names.items():
            if left:
                found[campaign] = names[:left]
                left -= len(found[campaign])
        return found

    @property
    def more(self) -> int:
        """How many are not shown."""
        return max(0, len(self) - MOST_NAMES)

    @property
    def is_long(self) -> bool:
        """Whether a page folds the names."""
        return len(self) >= FOLDED


def unscanned_of(codes: Sequence[QRCode], titles: Mapping[str | None, str], counted: Mapping[str, int]) -> Unscanned:
    """Those of a period, of which the scans are counted by the id of their QR Code, and campaigns called by theirs."""
    found: dict[str, list[str]] = {title: [] for title in titles.values()}
    for code in codes:
        if code.is_dynamic and code.id not in counted:
            found[titles[code.campaign_id]].append(summary(code.name))
    return Unscanned({title: names for title, names in found.items() if names})
