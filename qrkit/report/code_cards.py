"""The QR Codes themselves: a card each, campaign by campaign."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from qrkit import charts
from qrkit.contents.cards import summary
from qrkit.drawing.writers import svg
from qrkit.portfolio import Portfolio
from qrkit.report.facts import Facts
from qrkit.report.words import cut, many
from qrkit.tracking.records import QRCode

__all__ = ["MOST_CARDS", "Card", "Group", "groups"]

MOST_CARDS = 200
"""More would make a file larger than a megabyte; those with the fewest scans are left out."""

QUIET_ZONE = 4
"""Modules; the least that the standard asks for, whatever a record says (ISO/IEC 18004:2015, 6.3.8)."""

SIDE = 148
LONGEST_CONTENT = 180


@dataclass(frozen=True, slots=True)
class Card:
    """One QR Code.

    Attributes:
        name: Its name.
        svg: Its picture.
        side: Width and height of the picture in pixels, a whole number for each module: edges stay sharp.
        short_url: Where it leads first; "" for a static code, which leads to its content at once.
        address: The short URL without its scheme, for people.
        content: Where it leads in the end, cut.
        place: Where it hangs.
        scans: Of the period.
        imported: Scans that came with the record.
        sparkline: Scans of the days of the period, as a picture.
    """

    name: str
    svg: str
    side: int
    short_url: str
    address: str
    content: str
    place: str
    scans: int
    imported: int
    sparkline: str


@dataclass(frozen=True, slots=True)
class Group:
    """The cards of a campaign.

    Attributes:
        id: Of the group in the page.
        title: Of the campaign.
        description: Of the campaign.
        color: Number of its colour, 0..6.
        codes: How many it has, those left out among them.
        scans: Of the period.
        cards: In the order the QR Codes were added.
    """

    id: str
    title: str
    description: str
    color: int
    codes: int
    scans: int
    cards: Sequence[Card]

    @property
    def counts(self) -> str:
        """How many codes and scans, in words."""
        return f"{many(self.codes, 'code')}, {many(self.scans, 'scan')}"


def groups(portfolio: Portfolio, facts: Facts, colors: Mapping[str, int]) -> dict[str | None, Group]:
    """The cards by the id of their campaign, those outside any last."""
    most = sorted(facts.codes, key=lambda code: -facts.counted.get(code.id, 0))[:MOST_CARDS]
    shown = {code.id for code in most}
    descriptions = {one.id: one.description for one in facts.campaigns}
    found = {}
    for place, (id, codes) in enumerate(facts.codes_by_campaign.items(), 1):
        if codes:
            title = facts.titles[id]
            found[id] = Group(
                id=f"campaign-{place}",
                title=title,
                description=descriptions.get(id or "", ""),
                color=colors[title],
                codes=len(codes),
                scans=sum(facts.counted.get(code.id, 0) for code in codes),
                cards=[_card(portfolio, facts, code) for code in codes if code.id in shown],
            )
    return found


def _card(portfolio: Portfolio, facts: Facts, code: QRCode) -> Card:
    image = portfolio.image(code, size=1, padding=max(QUIET_ZONE, code.properties.padding))
    url = code.short_url if code.is_dynamic else ""
    daily = facts.daily.get(code.id, ())
    return Card(
        name=summary(code.name),
        svg=svg.write_union(image.scene).decode(),
        side=image.width * max(2, SIDE // image.width),
        short_url=url,
        address=url.partition("://")[2],
        content=cut(summary(code.content), LONGEST_CONTENT),
        place=code.location.address,
        scans=facts.counted.get(code.id, 0),
        imported=facts.imported.get(code.id, 0),
        sparkline=charts.sparkline(daily) if len(daily) > 1 and any(daily) else "",
    )
