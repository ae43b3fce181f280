"""Fills the table of a report with one row per QR Code, most scanned first."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Self

from qrkit import charts
from qrkit.contents.cards import summary
from qrkit.errors import QrkitError
from qrkit.pictures.image import QRImage
from qrkit.portfolio import Portfolio
from qrkit.portfolio.code_designs import CodeDesigns
from qrkit.portfolio.code_pictures import drawn
from qrkit.report.facts import Facts
from qrkit.report.words import cut, percent
from qrkit.tracking.records import QRCode

MOST_ROWS = 1_000
"""Maximum number of rows: nobody reads a longer table, and the least scanned are left out."""
MOST_PICTURES = 60
"""Maximum number of rows with a picture and days, so that the file stays small."""
PIXELS = 3
"""Pixels per module of a picture with a template."""
LARGEST_PICTURES = 300_000
"""Maximum characters of all pictures together."""
LONGEST_CONTENT = 90
QUIET_ZONE = 4
"""Modules: the minimum of the standard, even if a record has less (ISO/IEC 18004:2015, 6.3.8)."""


@dataclass(frozen=True, slots=True)
class CodeRow:
    """A row of the table. Scans and visitors are those of the period.

    Attributes:
        campaign: Title of its campaign.
        color: Number of the color of the campaign, 0..6.
        short_url: "" for a static code, which leads straight to its content.
        content: Where the code leads, in words without secrets, shortened; "" if the name says the same.
        visitors: None if they are unknown or hidden.
        share: Share of all scans, as text.
        imported: Scans imported with the record.
        is_hidden: Whether the numbers are hidden, so that the report can be shared.
        has_template: Whether a template draws the picture.
        picture: The picture as a data URI; "" for the codes that are scanned least.
        sparkline: Scans per day of the period, as an image.
    """

    id: str
    name: str
    campaign: str
    color: int
    short_url: str
    content: str
    scans: int
    visitors: int | None
    share: str
    imported: int
    is_hidden: bool = False
    has_template: bool = False
    picture: str = ""
    sparkline: str = ""

    @classmethod
    def of(cls, facts: Facts, code: QRCode, color: int = 0) -> Self:
        """Return the row of a QR Code, without its picture and days."""
        scans, name, content = facts.counted.get(code.id, 0), summary(code.name), _describe(code.content)
        return cls(
            id=code.id,
            name=name,
            campaign=facts.titles[code.campaign_id],
            color=color,
            short_url=code.short_url if code.is_dynamic else "",
            content="" if content == name else cut(content, LONGEST_CONTENT),
            scans=scans,
            visitors=facts.known_visitors_of(code.id),
            share=percent(scans / facts.scans if facts.scans else 0.0),
            imported=facts.imported.get(code.id, 0),
            is_hidden=code.id in facts.hidden,
        )

    @property
    def is_counted(self) -> bool:
        """Whether scans of the code can be counted, or were, and are shown."""
        return bool(self.short_url or self.scans) and not self.is_hidden

    @property
    def address(self) -> str:
        """The short URL without its scheme, for display."""
        return self.short_url.partition("://")[2]


def code_rows(portfolio: Portfolio, facts: Facts, colors: Mapping[str, int]) -> list[CodeRow]:
    """Return the rows of the QR Codes with the most scans; the first ones have a picture in their own design."""
    codes = facts.most_scanned[:MOST_ROWS]
    first = codes[:MOST_PICTURES]
    daily = facts.daily_of({code.id for code in first})
    designs = CodeDesigns.of(portfolio.store, portfolio.account.id)
    templates = {code.id for code in first if designs.template_of(code)}
    pictures = _pictures(portfolio, first, templates)
    rows = [CodeRow.of(facts, code, colors[facts.titles[code.campaign_id]]) for code in codes]
    return [
        replace(
            row,
            has_template=row.id in templates,
            picture=pictures.get(row.id, ""),
            sparkline=sparkline_of(daily.get(row.id, ())),
        )
        for row in rows
    ]


def _describe(content: str) -> str:
    """Describe a content by its kind, without secrets: a link without its scheme, a contact by its name."""
    text = summary(content)
    scheme, separator, rest = text.partition("://")
    return rest.removesuffix("/") if separator and scheme.lower() in ("http", "https") else text


def _pictures(portfolio: Portfolio, codes: Sequence[QRCode], templates: Collection[str]) -> dict[str, str]:
    pictures, room = dict[str, str](), LARGEST_PICTURES
    for code in codes:
        uri = _picture_uri(portfolio, code, has_template=code.id in templates)
        if len(uri) <= room:
            pictures[code.id] = uri
            room -= len(uri)
    return pictures


def _picture_uri(portfolio: Portfolio, code: QRCode, *, has_template: bool) -> str:
    """Return the picture of a QR Code as a data URI; a template that cannot be drawn is left out.

    All are PNG files: an SVG of a plain picture is ten times as large, and one with shapes of modules even larger.
    """
    if has_template:
        with suppress(QrkitError):
            return _data_uri(portfolio.image(code, size=PIXELS).to_bytes("png"))
    return _data_uri(plain_image(code).to_bytes("png"))


def _data_uri(png: bytes) -> str:
    return f"data:image/png;base64,{b64encode(png).decode()}"


def plain_image(code: QRCode) -> QRImage:
    """Return the picture of a QR Code without a template, one pixel per module, with the quiet zone of the standard."""
    padding = max(QUIET_ZONE, code.properties.padding)
    return QRImage(drawn(code.encoded, code.properties, size=1, padding=padding))


def sparkline_of(daily: Sequence[int]) -> str:
    """Return the scans per day of a QR Code as an image; "" if there are none."""
    return charts.sparkline(daily) if len(daily) > 1 and any(daily) else ""
