"""Fills the tables of a report: names with their scans, and their share as a bar."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from qrkit.analytics import UNKNOWN, Attribute
from qrkit.contents.cards import summary
from qrkit.report.facts import Facts
from qrkit.report.words import ATTRIBUTE_NAMES, percent
from qrkit.tracking.countries import country_name

__all__ = ["Row", "Table", "attribute_table", "campaign_table", "top_table"]

ALL_OTHERS = "All others"
MOST_CAMPAIGNS = 12


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a table.

    Attributes:
        name: What the row is about.
        scans: Number of scans.
        share: Share of all scans, 0..1.
        bar: Length of the bar relative to the longest, 0..1.
        detail: Small text below the name.
        color: Number of the color of the bar, 0..6.
        visitors: Number of visitors; None if unknown.
        codes: Number of QR Codes, in a table of campaigns.
        link: ID of the section of the page with details.
    """

    name: str
    scans: int
    share: float
    bar: float = 0.0
    detail: str = ""
    color: int = 1
    visitors: int | None = None
    codes: int | None = None
    link: str = ""

    @property
    def percent(self) -> str:
        """The share as text."""
        return percent(self.share)


@dataclass(frozen=True, slots=True)
class Table:
    """A title and rows; `what` names the first column."""

    title: str
    what: str
    rows: Sequence[Row]

    @property
    def has_visitors(self) -> bool:
        """Whether any row has visitors."""
        return any(row.visitors for row in self.rows)

    @property
    def has_codes(self) -> bool:
        """Whether rows stand for several QR Codes."""
        return any(row.codes is not None for row in self.rows)


def top_table(facts: Facts, colors: Mapping[str, int]) -> Table:
    """Return the QR Codes with the most scans, with their campaigns if there are several."""
    titles = {code.id: facts.titles[code.campaign_id] for code in facts.codes}
    rows = []
    for code in facts.top.itertuples():
        title = titles[str(code.qrcode_id)]
        rows.append(_row(str(code.qrcode), code, detail=title if len(colors) > 1 else "", color=colors[title]))
    return Table("Top QR Codes", "QR Code, campaign" if len(colors) > 1 else "QR Code", _with_bars(rows))


def attribute_table(facts: Facts, attribute: Attribute) -> Table | None:
    """Return scans by an attribute; None if it is unknown for all scans."""
    frame = facts.attributes[attribute]
    if not len(frame) or attribute in facts.unknown:
        return None
    rows = [
        _row(_value_text(attribute, str(value)), one, color=int(value != UNKNOWN))
        for value, one in zip(frame[attribute], frame.itertuples(), strict=True)
    ]
    rest = facts.scans - sum(row.scans for row in rows)
    if rest:
        rows.append(Row(ALL_OTHERS, rest, rest / facts.scans, color=0))
    one, several = (f"{name[0].upper()}{name[1:]}" for name in ATTRIBUTE_NAMES[attribute])
    return Table(several, one, _with_bars(rows))


def campaign_table(facts: Facts, colors: Mapping[str, int], links: Mapping[str | None, str]) -> Table:
    """Return the campaigns, most scanned first, and the QR Codes outside of any campaign.

    Args:
        facts: The facts of the report.
        colors: Number of the color of each campaign, by its title.
        links: ID of the campaign's section in the page, by the ID of the campaign.
    """
    rows = []
    for id, codes in facts.codes_by_campaign.items():
        title = facts.titles[id]
        scans = sum(facts.counted.get(code.id, 0) for code in codes)
        share = scans / facts.scans if facts.scans else 0.0
        rows.append(Row(title, scans, share, color=colors[title], codes=len(codes), link=links.get(id, "")))
    rows.sort(key=lambda row: -row.scans)
    if len(rows) > MOST_CAMPAIGNS:
        few, rest = rows[:MOST_CAMPAIGNS], rows[MOST_CAMPAIGNS:]
        scans, share = sum(row.scans for row in rest), sum(row.share for row in rest)
        rows = [*few, Row(ALL_OTHERS, scans, share, color=0, codes=sum(row.codes or 0 for row in rest))]
    return Table("Campaigns", "Campaign", _with_bars(rows))


def _row(name: str, counts: Any, *, detail: str = "", color: int = 1) -> Row:
    """Convert a row of a frame with columns scans, visitors, share."""
    return Row(name, int(counts.scans), float(counts.share), detail=detail, color=color, visitors=int(counts.visitors))


def _with_bars(rows: Sequence[Row]) -> list[Row]:
    longest = max((row.share for row in rows), default=0.0) or 1.0
    return [replace(row, bar=row.share / longest) for row in rows]


def _value_text(attribute: Attribute, value: str) -> str:
    if value == UNKNOWN:
        return "Not known"
    if attribute in ("content", "qrcode"):  # a content, or a name derived from it, may contain secrets
        return summary(value)
    if attribute == "country":
        return country_name(value)
    return value.capitalize() if attribute == "device" else value
