"""Displays QR Codes, portfolios, templates and brands, with small images."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from html import escape
from itertools import islice
from typing import Any

from qrkit.contents.cards import summary
from qrkit.errors import QrkitError, counted
from qrkit.notebook.views.html import card, details, media, more, page_text, picture, pictures_of, shown, soft, table
from qrkit.pictures.image import QRImage
from qrkit.portfolio.brands import Brands
from qrkit.portfolio.code_designs import CodeDesigns
from qrkit.portfolio.code_pictures import drawn
from qrkit.portfolio.portfolio import Portfolio
from qrkit.portfolio.privacy import NEVER_KEPT, PrivacyReport
from qrkit.portfolio.templates import Templates
from qrkit.store.questions.following import Following
from qrkit.store.records.qrcodes import count_qrcodes
from qrkit.tracking.records import Campaign, QRCode
from qrkit.tracking.times import to_iso

MOST_SHOWN = 10
SMALL = 44
"""Size in pixels of an image in a table."""
TEMPLATE = 92
"""Size in pixels of the image of a template or brand."""
LONGEST_CELL = 60
SAMPLE = "https://example.com"
"""Content of the images of templates and brands."""

OF_NO_INTEREST = ("id", "campaign id", "short code", "image url", "is available", "name")
"""Fields of a QR Code that are hidden, because they are technical or already in the title."""


@media.register
def _(events: Following) -> dict[str, Any]:
    from qrkit.notebook.widgets.dashboard.scan_dashboard import LiveScans

    return LiveScans(events.view, name=repr(events.view))._repr_mimebundle_()[0]


@media.register
def _(campaign: Campaign) -> dict[str, Any]:
    pairs = [(name, value) for name, value in shown(campaign) if name != "name"]
    return {"text/html": card(page_text(campaign.name), details(pairs))}


def code_image(code: QRCode, designs: CodeDesigns | None = None) -> QRImage | None:
    """Return the image of a QR Code; None if the plan hides it.

    The designs are those of its portfolio. A record on its own has none, and is drawn with its properties.
    """
    if not code.is_available or not code.encoded:
        return None
    return QRImage(designs.design(code) if designs else drawn(code.encoded, code.properties))


@media.register
def _(code: QRCode) -> dict[str, Any]:
    pairs = [(name, value) for name, value in shown(code) if name not in OF_NO_INTEREST]
    if not code.is_available:
        pairs.append(("not shown", "the plan of the account does not include more of it"))
    image = code_image(code)
    drawn = pictures_of(image) if image else {}
    title = page_text(summary(code.name) or "QR Code")
    return {"text/html": card(title, details(pairs), beside=[_small(148, lambda: image)])} | drawn


def _small(side: int, draw: Callable[..., QRImage | None], *values: Any) -> str:
    """Show the image that a function draws of values; nothing if it cannot be drawn."""
    with suppress(QrkitError):
        if image := draw(*values):
            return picture(image, f"QR Code: {image.title}", side)
    return ""


@media.register
def _(portfolio: Portfolio) -> dict[str, Any]:
    """Show the first codes, and how many there are."""
    first = list(islice((code for part in portfolio.qrcodes_in_parts() for code in part), MOST_SHOWN))
    campaigns = {one.id: one.name for one in portfolio.list_campaigns()}
    designs = CodeDesigns.of(portfolio.store, portfolio.account.id)
    count = count_qrcodes(portfolio.store, portfolio.account.id)
    holds = f"{counted(count, 'QR Code')}, {counted(len(campaigns), 'campaign')}"
    head = f"{page_text(portfolio.account.name)}: {holds}"
    where = soft(f"{portfolio.store.path}, {portfolio.base_url}")
    rows = [
        (
            _small(SMALL, code_image, code, designs),
            page_text(summary(code.name)),
            page_text(campaigns.get(code.campaign_id or "", "")),
            f'<span style="overflow-wrap:anywhere">{page_text(_cut(summary(code.content)))}</span>',
            f"{code.scans:,}" if code.is_available else "",
            f'<span style="white-space:nowrap">{to_iso(code.created)[:10]}</span>',
        )
        for code in first
    ]
    codes = table(("", "Name", "Campaign", "Content", "Scans", "Created"), rows) if rows else ""
    return {"text/html": card(head, where, codes, more(count - len(first), "qrcodes()"))}


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_CELL else text[: LONGEST_CELL - 1] + "…"


@media.register(Brands)
@media.register(Templates)
def _(saved: Brands | Templates) -> dict[str, Any]:
    names = saved.names()
    figures = "".join(
        f'<figure style="margin:0;width:{TEMPLATE}px">{_small(TEMPLATE, _sample_image, saved, name)}'
        f'<figcaption style="margin-top:3px">{page_text(name)}</figcaption></figure>'
        for name in names[:MOST_SHOWN]
    )
    row = f'<div style="display:flex;flex-wrap:wrap;gap:12px">{figures}</div>'
    return {"text/html": card(counted(len(names), saved.kind), row, more(len(names) - MOST_SHOWN, "names()"))}


def _sample_image(saved: Brands | Templates, name: str) -> QRImage:
    return QRImage(saved.get(name).design(SAMPLE) if isinstance(saved, Brands) else saved.design(name, SAMPLE))


@media.register
def _(report: PrivacyReport) -> dict[str, Any]:
    table = report.to_frame().to_html(index=False, border=0, justify="left")
    never = "".join(f"<li>{escape(what)}</li>" for what in NEVER_KEPT)
    return {"text/html": f"<p>{escape(' '.join(report.sentences()))}</p>{table}<p>Never kept:</p><ul>{never}</ul>"}
