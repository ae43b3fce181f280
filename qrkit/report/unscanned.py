"""Lists the QR Codes that nobody scanned in a period, by campaign."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from qrkit.charts.labels import cut as line
from qrkit.contents.cards import summary
from qrkit.languages import LanguageTag, current_language, in_language, say
from qrkit.tracking.records import QRCode

MOST_NAMES = 1_000
"""Maximum number of names listed: nobody searches a longer list for a single code."""
FOLDED = 24
"""Minimum number of names for a page to fold the list."""
LONGEST = 60


@dataclass(frozen=True, slots=True)
class Unscanned:
    """QR Codes without a scan in a period, without static codes, whose scans cannot be counted.

    `names` has all of them by the title of their campaign ("No campaign" for none), both in the order they were added.
    """

    names: Mapping[str, Sequence[str]]
    language: LanguageTag = "en"

    def __len__(self) -> int:
        return sum(map(len, self.names.values()))

    def __str__(self) -> str:
        """Return one paragraph per campaign, and how many more than 1,000 names there are."""
        with in_language(self.language):
            paragraphs = [
                say(
                    "{campaign} ({count}): {names}",
                    len(self.names[campaign]),
                    campaign=line(campaign, LONGEST),
                    names=", ".join(line(name, LONGEST) for name in names),
                )
                for campaign, names in self.shown.items()
            ]
            return "\n\n".join(paragraphs + ([say("and {count} more", self.more)] if self.more else []))

    @property
    def shown(self) -> Mapping[str, Sequence[str]]:
        """The first 1,000 names."""
        left, listed = MOST_NAMES, {}
        for campaign, names in self.names.items():
            if left:
                listed[campaign] = names[:left]
                left -= len(listed[campaign])
        return listed

    @property
    def more(self) -> int:
        """Number of names that are not shown."""
        return max(0, len(self) - MOST_NAMES)

    @property
    def is_long(self) -> bool:
        """Whether a page collapses the list."""
        return len(self) >= FOLDED


def unscanned_of(codes: Sequence[QRCode], titles: Mapping[str | None, str], counted: Mapping[str, int]) -> Unscanned:
    """Return the codes without scans, given scans by the ID of the code and titles by the ID of the campaign."""
    unscanned: dict[str, list[str]] = {title: [] for title in titles.values()}
    for code in codes:
        if code.is_dynamic and code.id not in counted:
            unscanned[titles[code.campaign_id]].append(summary(code.name))
    return Unscanned({title: names for title, names in unscanned.items() if names}, current_language())
