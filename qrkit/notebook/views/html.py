"""What views are put together from: cards, tables, pictures, swatches.

Styles are written at each element, as notebooks that are not trusted, mail and GitHub leave out style sheets. There is
no colour of text: it is that of the page.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING, Any

from qrkit.design.color import Color
from qrkit.design.gradient import Gradient

if TYPE_CHECKING:
    from qrkit.pictures.image import QRImage

__all__ = ["badge", "card", "details", "more", "page_text", "picture", "png_picture", "soft", "swatch", "table"]

SIDE = 148
"""Pixels of the longer side of a picture beside text."""

CARD = "display:flex;flex-wrap:wrap;gap:6px 18px;align-items:flex-start;font:13px/1.5 system-ui,sans-serif"
CELL = "padding:1px 14px 1px 0;text-align:left;vertical-align:top"
WHOLE = f"{CELL};vertical-align:middle;overflow-wrap:normal"
"""Words in a row of many cells are not broken up."""
CHECKS = "repeating-conic-gradient(#D9D9D9 0% 25%,#F6F6F6 0% 50%) 0 0/14px 14px"
"""Behind pictures and colours that one can see through."""

VERDICTS = {"robust": "#15803D", "ok": "#4D7C0F", "fragile": "#B45309", "unreadable": "#B91C1C"}
"""Dark enough for white letters."""


LONGEST_TEXT = 200
"""Characters that are shown of any text."""

_UNPRINTABLE = re.compile(r"[\0-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
"""Characters that a page cannot hold."""


def page_text(value: Any) -> str:
    """A value as text of a page: cut, without characters that a page cannot hold, and with no markup in it."""
    text = str(value)
    return escape(_UNPRINTABLE.sub("\ufffd", text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 1] + "…"))


def card(title: str, *body: str, beside: Iterable[str] = ()) -> str:
    """A heading and what is below it, with pictures at their left; all of it HTML already."""
    # The classes keep notebooks from reading $…$ as a formula.
    head = f'<div style="font-weight:600;margin:0 0 3px">{title}</div>' if title else ""
    pictures = "".join(f'<div style="flex:none">{one}</div>' for one in beside if one)
    text = f'<div style="flex:1 1 260px;min-width:0;overflow-wrap:anywhere">{head}{"".join(body)}</div>'
    return f'<div class="tex2jax_ignore mathjax_ignore" style="{CARD}">{pictures}{text}</div>'


def details(pairs: Iterable[tuple[str, str]]) -> str:
    """A table of names and values; the values are HTML already."""
    rows = "".join(
        f'<tr><th scope="row" style="{CELL};font-weight:400;opacity:.72;white-space:nowrap">{page_text(name)}</th>'
        f'<td style="{CELL}">{value}</td></tr>'
        for name, value in pairs
    )
    return f'<table style="border-collapse:collapse;margin:0"><tbody>{rows}</tbody></table>' if rows else ""


def table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table with headings; the cells are HTML already."""
    top = "".join(f'<th scope="col" style="{WHOLE}">{page_text(head)}</th>' for head in heads)
    lines = "".join("<tr>" + "".join(f'<td style="{WHOLE}">{cell}</td>' for cell in row) + "</tr>" for row in rows)
    style = "border-collapse:collapse;margin:4px 0"
    return f'<table style="{style}"><thead><tr>{top}</tr></thead><tbody>{lines}</tbody></table>'


def soft(said: str) -> str:
    """A line of text that stands back."""
    return f'<div style="opacity:.72">{page_text(said)}</div>' if said else ""


def more(count: int, where: str) -> str:
    """What says that there are more than are shown, and where; nothing if there are not."""
    return soft(f"… and {count:,} more; {where} has them all" if count > 0 else "")


def picture(image: QRImage, said: str, side: int = SIDE) -> str:
    """A picture, the longer side so many pixels long.

    Raises:
        QrkitError: It cannot be drawn.
    """
    return png_picture(image.to_bytes("png"), (image.width, image.height), said, side)


def png_picture(png: bytes, size: tuple[float, float], said: str, side: int = SIDE) -> str:
    """The same of a file, and of its width and height."""
    width, height = (max(1, round(one * side / max(size))) for one in size)
    style = f"display:block;max-width:none;border-radius:4px;background:{CHECKS}"
    source = f"data:image/png;base64,{b64encode(png).decode()}"
    return f'<img src="{source}" width="{width}" height="{height}" alt="{page_text(said)}" style="{style}">'


def swatch(fill: Color | Gradient) -> str:
    """A field of a colour, or of a gradient's from its first to its last, and its name."""
    colors = [stop.color for stop in fill.stops] if isinstance(fill, Gradient) else [fill, fill]
    ramp = f"linear-gradient(90deg,{','.join(f'{one.rgb}{one.alpha:02X}' for one in colors)})"
    name = f"{fill.gradient}, " if isinstance(fill, Gradient) else ""
    name += " → ".join(_named(one) for one in (colors if isinstance(fill, Gradient) else colors[:1]))
    width = "4.2em" if isinstance(fill, Gradient) else "1.05em"
    style = (
        f"display:inline-block;width:{width};height:1.05em;vertical-align:-.18em;margin-right:.45em;border-radius:3px;"
        f"box-shadow:0 0 0 1px #80808080;background:{ramp},{CHECKS}"
    )
    return f'<span style="{style}"></span>{page_text(name)}'


def _named(color: Color) -> str:
    return color.rgb if color.alpha == 255 else color.argb


def badge(verdict: str, *after: Any) -> str:
    """A verdict on whether something scans, and text after it."""
    style = f"background:{VERDICTS[verdict]};color:#fff;border-radius:4px;padding:1px 8px;font-weight:600"
    return f'<span style="{style}">{verdict}</span> {page_text("".join(map(str, after)))}'
