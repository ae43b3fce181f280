"""Draws the QR Codes of a report: one card each, grouped by campaign."""

from __future__ import annotations

from base64 import b64encode
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import NamedTuple

from qrkit.contents.cards import summary
from qrkit.drawing.writers import svg
from qrkit.errors import QrkitError
from qrkit.languages import say
from qrkit.portfolio import Portfolio
from qrkit.portfolio.code_designs import CodeDesigns
from qrkit.report.code_table import CodeRow, plain_image, sparkline_of
from qrkit.report.facts import Facts
from qrkit.report.words import cut
from qrkit.tracking.records import QRCode

MOST_CARDS = 200
"""Maximum number of cards: more would make the file larger than a megabyte, so the least scanned are left out."""

SIDE = 148
LONGEST_CONTENT = 180


class Card(NamedTuple):
    """The card of one QR Code: its image as HTML, as wide in pixels as `side`, and the address of its location.

    `content` is where the code leads in the end, shortened.
    """

    row: CodeRow
    svg: str
    side: int
    content: str
    place: str


@dataclass(frozen=True, slots=True)
class Group:
    """The cards of a campaign.

    Attributes:
        id: ID of the group in the page.
        color: Number of its color, 0..6.
        codes: Number of its codes, including those without a card.
        scans: Scans in the period.
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
        """Number of codes and scans as text."""
        codes, scans = (
            say(("{count} code", "{count} codes"), self.codes),
            say(("{count} scan", "{count} scans"), self.scans),
        )
        return f"{codes}, {scans}"


def groups(portfolio: Portfolio, facts: Facts, colors: Mapping[str, int]) -> dict[str, Group]:
    """Return the cards grouped by the title of their campaign, codes outside of any campaign last."""
    most = facts.most_scanned[:MOST_CARDS]
    shown = {code.id for code in most}
    daily = facts.daily_of(shown)
    alone = Counter(facts.titles.values())
    descriptions = {title: one.description for one in facts.campaigns if alone[title := facts.titles[one.id]] == 1}
    by_campaign = {}
    for place, (title, codes) in enumerate(facts.codes_by_group.items(), 1):
        if codes:
            by_campaign[title] = Group(
                id=f"campaign-{place}",
                title=title,
                description=descriptions.get(title, ""),
                color=colors[title],
                codes=len(codes),
                scans=sum(facts.counted.get(code.id, 0) for code in codes),
                cards=[_card(portfolio, facts, code, daily.get(code.id, ())) for code in codes if code.id in shown],
            )
    return by_campaign


def _card(portfolio: Portfolio, facts: Facts, code: QRCode, daily: Sequence[int]) -> Card:
    image, side = _picture(portfolio, code)
    row = replace(CodeRow.of(facts, code), sparkline=sparkline_of(daily))
    return Card(row, image, side, cut(summary(code.content), LONGEST_CONTENT), code.location.address)


def _picture(portfolio: Portfolio, code: QRCode) -> tuple[str, int]:
    """Return the image of a QR Code as HTML, and its width; a template that cannot be drawn is left out."""
    if CodeDesigns.of(portfolio.store, portfolio.account.id).template_of(code):
        with suppress(QrkitError):
            # An image of its own, because the gradients of two templates may have the same ID.
            data = b64encode(svg.write_union(portfolio.image(code).exact_scene)).decode()
            return f'<img src="data:image/svg+xml;base64,{data}" alt="QR Code">', SIDE
    image = plain_image(code)
    # A whole number of pixels per module keeps edges sharp.
    return svg.write_union(image.scene).decode(), image.width * max(2, SIDE // image.width)
