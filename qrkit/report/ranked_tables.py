"""Fills the tables of a report: names with their scans, and their share as a bar."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from qrkit import languages
from qrkit.analytics import UNKNOWN
from qrkit.contents.cards import summary
from qrkit.report.facts import Facts
from qrkit.report.sentences import say
from qrkit.report.words import attribute_name, percent
from qrkit.store.questions.scan_attributes import TAG
from qrkit.tracking.countries import country_name

ALL_OTHERS = "All others"
MOST_CAMPAIGNS = 40


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a table.

    Attributes:
        share: Share of all scans, 0..1.
        color: Number of the color of the bar, 0..6.
        visitors: Number of visitors; None if unknown or hidden.
        codes: Number of QR Codes, in a table of campaigns.
        number: Number of the campaign in the sums that filters count with, in a table of campaigns.
    """

    name: str
    scans: int
    share: float
    color: int = 1
    visitors: int | None = None
    codes: int | None = None
    number: int | None = None

    @property
    def percent(self) -> str:
        """The share as text."""
        return percent(self.share)


@dataclass(frozen=True, slots=True)
class Table:
    """A title and rows; `what` names the first column, `note` is below the rows."""

    title: str
    what: str
    rows: Sequence[Row]
    note: str = ""

    @property
    def has_visitors(self) -> bool:
        """Whether any row has visitors."""
        return any(row.visitors for row in self.rows)

    @property
    def has_codes(self) -> bool:
        """Whether rows stand for several QR Codes."""
        return any(row.codes is not None for row in self.rows)


def attribute_table(facts: Facts, attribute: str) -> Table | None:
    """Return scans by an attribute; None if it is unknown for all scans."""
    frame = facts.attributes[attribute]
    if not len(frame) or attribute in facts.unknown:
        return None
    counts = zip(frame[attribute], frame.itertuples(), strict=True)
    rows = [_row(_value_text(attribute, str(value)), row) for value, row in counts if value != UNKNOWN]
    if not rows:
        return None
    rest = facts.scans - int(frame["scans"].sum())
    if rest > 0 and attribute != TAG:
        rows.append(Row(languages.say(ALL_OTHERS), rest, rest / facts.scans, color=0))
    unknown = int(frame.loc[frame[attribute] == UNKNOWN, "scans"].sum())
    note = say("unknown", unknown, percent=percent(unknown / facts.scans)) if unknown else ""
    names = (attribute_name(attribute, is_plural=is_plural) for is_plural in (False, True))
    one, several = (f"{name[0].upper()}{name[1:]}" for name in names)
    return Table(several, one, rows, note)


def campaign_table(facts: Facts, colors: Mapping[str, int]) -> Table:
    """Return the campaigns, most scanned first, and the QR Codes outside of any campaign; colors are by title."""
    rows = []
    for place, (title, codes) in enumerate(facts.codes_by_group.items()):
        scans = sum(facts.counted.get(code.id, 0) for code in codes)
        share = scans / facts.scans if facts.scans else 0.0
        rows.append(Row(title, scans, share, color=colors[title], codes=len(codes), number=place))
    rows.sort(key=lambda row: -row.scans)
    if len(rows) > MOST_CAMPAIGNS:
        few, rest = rows[:MOST_CAMPAIGNS], rows[MOST_CAMPAIGNS:]
        scans, share = sum(row.scans for row in rest), sum(row.share for row in rest)
        rows = [*few, Row(languages.say(ALL_OTHERS), scans, share, color=0, codes=sum(row.codes or 0 for row in rest))]
    return Table(languages.say("Campaigns"), languages.say("Campaign"), rows)


def _row(name: str, counts: Any) -> Row:
    """Convert a row of a frame with columns scans, visitors, share; visitors are 0 where no scan carries a key."""
    return Row(name, int(counts.scans), float(counts.share), visitors=int(counts.visitors) or None)


def _value_text(attribute: str, value: str) -> str:
    if attribute == "content":  # it may contain secrets
        return summary(value)
    if attribute == "country":
        return country_name(value)
    return languages.say(value.capitalize()) if attribute == "device" else value
