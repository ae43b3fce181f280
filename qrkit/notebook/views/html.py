"""Provides the HTML parts of views: cards, tables, images, color swatches, and the fields of a record.

Styles are inline, because untrusted notebooks, mail and GitHub remove style sheets. Text has no color of its own: it
takes that of the page.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator
from dataclasses import fields as dataclass_fields
from dataclasses import is_dataclass
from datetime import datetime
from functools import singledispatch
from html import escape
from typing import Any

from qrkit.contents.cards import summary
from qrkit.design.color import Color
from qrkit.design.gradient import Gradient
from qrkit.model import Model
from qrkit.pictures.image import NOTEBOOK_COMPRESSION, QRImage
from qrkit.tracking.times import to_iso

SIDE = 148
"""Longer side in pixels of an image next to text."""

CARD = "display:flex;flex-wrap:wrap;gap:6px 18px;align-items:flex-start;font:13px/1.5 system-ui,sans-serif"
CELL = "padding:1px 14px 1px 0;text-align:left;vertical-align:top"
WHOLE = f"{CELL};vertical-align:middle;overflow-wrap:normal"
"""Cells in tables with many columns do not break words."""
CHECKS = "repeating-conic-gradient(#D9D9D9 0% 25%,#F6F6F6 0% 50%) 0 0/14px 14px"
"""Checkerboard behind transparent images and colors."""

VERDICTS = {"robust": "#15803D", "ok": "#4D7C0F", "fragile": "#B45309", "unreadable": "#B91C1C"}
"""Background colors that are dark enough for white text."""


LONGEST_TEXT = 200
"""Maximum characters that are shown of any text."""

_UNPRINTABLE = re.compile(r"[\0-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
"""Matches characters that HTML cannot contain."""
MOST_ENTRIES = 5
"""Maximum items of a list that are shown."""


def page_text(value: Any) -> str:
    """Format a value as HTML text: shortened, escaped, without invalid characters."""
    text = str(value)
    return escape(_UNPRINTABLE.sub("\ufffd", text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 1] + "…"))


def card(title: str, *body: str, beside: Iterable[str] = ()) -> str:
    """Return a card: a title with a body below it, and images to the left. All arguments are HTML."""
    # These classes keep notebooks from rendering $…$ as a formula.
    head = f'<div style="font-weight:600;margin:0 0 3px">{title}</div>' if title else ""
    pictures = "".join(f'<div style="flex:none">{one}</div>' for one in beside if one)
    text = f'<div style="flex:1 1 260px;min-width:0;overflow-wrap:anywhere">{head}{"".join(body)}</div>'
    return f'<div class="tex2jax_ignore mathjax_ignore" style="{CARD}">{pictures}{text}</div>'


def details(pairs: Iterable[tuple[str, str]]) -> str:
    """Return a table of names and values; the values are HTML."""
    rows = "".join(
        f'<tr><th scope="row" style="{CELL};font-weight:400;opacity:.72;white-space:nowrap">{page_text(name)}</th>'
        f'<td style="{CELL}">{value}</td></tr>'
        for name, value in pairs
    )
    return f'<table style="border-collapse:collapse;margin:0"><tbody>{rows}</tbody></table>' if rows else ""


def table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table with column headers; the cells are HTML."""
    top = "".join(f'<th scope="col" style="{WHOLE}">{page_text(head)}</th>' for head in heads)
    lines = "".join("<tr>" + "".join(f'<td style="{WHOLE}">{cell}</td>' for cell in row) + "</tr>" for row in rows)
    style = "border-collapse:collapse;margin:4px 0"
    return f'<table style="{style}"><thead><tr>{top}</tr></thead><tbody>{lines}</tbody></table>'


def soft(text: str) -> str:
    """Return a line of muted text."""
    return f'<div style="opacity:.72">{page_text(text)}</div>' if text else ""


def more(count: int, where: str) -> str:
    """Return a note that `count` more items exist, and where; "" if there are none."""
    return soft(f"… and {count:,} more; {where} has them all" if count > 0 else "")


def picture(image: QRImage, alt: str, side: int = SIDE) -> str:
    """Return an image of a QR Code as HTML; its longer side is `side` pixels."""
    return png_picture(image.to_bytes("png"), (image.width, image.height), alt, side)


def png_picture(png: bytes, size: tuple[float, float], alt: str, side: int = SIDE) -> str:
    """Return a PNG as HTML, given its width and height; its longer side is `side` pixels."""
    width, height = (max(1, round(length * side / max(size))) for length in size)
    style = f"display:block;max-width:none;border-radius:4px;background:{CHECKS}"
    source = f"data:image/png;base64,{b64encode(png).decode()}"
    return f'<img src="{source}" width="{width}" height="{height}" alt="{page_text(alt)}" style="{style}">'


def pictures_of(image: QRImage) -> dict[str, Any]:
    """Return what a notebook shows of an image, by media type."""
    png = image.to_bytes("png", compression=NOTEBOOK_COMPRESSION)
    return {"image/svg+xml": image.small_svg(), "image/png": png}


def swatch(fill: Color | Gradient) -> str:
    """Return a swatch of a color or gradient, with its name."""
    colors = [stop.color for stop in fill.stops] if isinstance(fill, Gradient) else [fill, fill]
    ramp = f"linear-gradient(90deg,{','.join(f'{one.rgb}{one.alpha:02X}' for one in colors)})"
    name = f"{fill.gradient}, " if isinstance(fill, Gradient) else ""
    shown = colors if isinstance(fill, Gradient) else colors[:1]
    name += " → ".join(one.rgb if one.alpha == 255 else one.argb for one in shown)
    width = "4.2em" if isinstance(fill, Gradient) else "1.05em"
    style = (
        f"display:inline-block;width:{width};height:1.05em;vertical-align:-.18em;margin-right:.45em;border-radius:3px;"
        f"box-shadow:0 0 0 1px #80808080;background:{ramp},{CHECKS}"
    )
    return f'<span style="{style}"></span>{page_text(name)}'


def badge(verdict: str, *after: Any) -> str:
    """Return a badge with a scan verdict, followed by text."""
    style = f"background:{VERDICTS[verdict]};color:#fff;border-radius:4px;padding:1px 8px;font-weight:600"
    return f'<span style="{style}">{verdict}</span> {page_text("".join(map(str, after)))}'


@singledispatch
def media(subject: Any) -> dict[str, Any]:
    """Return the representations of an object besides its text, by media type; by default a card with its fields."""
    return {"text/html": card(page_text(type(subject).__name__), details(shown(subject)))}


@media.register
def _(color: Color) -> dict[str, Any]:
    return {"text/html": card("", swatch(color))}


def shown(record: Any) -> Iterator[tuple[str, str]]:
    """Yield the name and value of each field as HTML."""
    for name, value in given(record):
        yield name.replace("_", " "), _value(value)


def given(record: Any) -> Iterator[tuple[str, Any]]:
    """Yield the fields that were given or differ from their default."""
    if isinstance(record, Model):
        yield from record.given().items()
    elif is_dataclass(record):
        yield from ((one.name, getattr(record, one.name)) for one in dataclass_fields(record) if one.repr)


def _value(value: Any) -> str:
    match value:
        case Color() | Gradient():
            return swatch(value)
        case Model():
            return ", ".join(f"{page_text(name)} {one}" for name, one in shown(value)) or "as usual"
        case tuple():
            lines = [_value(one) for one in value[:MOST_ENTRIES]]
            more = len(value) - MOST_ENTRIES
            return "<br>".join([*lines, *([f"… and {more} more"] if more > 0 else [])])
        case str() if value.startswith("data:"):
            kind = value[5:].partition(",")[0].partition(";")[0]
            return page_text(f"{kind or 'data'}, {len(value):,} characters")
        case datetime():
            return page_text(to_iso(value))
        case bool():
            return "yes" if value else "no"
        case str():
            return page_text(summary(value))
        case float():
            return f"{value:g}"
    return page_text(value)
