"""Displays images, contact sheets, and the results of imports and batches."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from qrkit.contents.cards import summary
from qrkit.design.presets import PRESETS
from qrkit.exchange.merge import ImportResult
from qrkit.languages import say
from qrkit.notebook.views.html import card, details, media, more, page_text, pictures_of, png_picture, soft
from qrkit.pictures.batches import Batch
from qrkit.pictures.contact_sheet import ContactSheet
from qrkit.pictures.gallery import THUMBNAIL, Gallery
from qrkit.pictures.image import QRImage
from qrkit.pictures.payment_part import SwissPaymentPart
from qrkit.pictures.printing import QRPrint

MOST_SHOWN = 50
"""Maximum rows shown."""
GALLERY = "display:flex;flex-wrap:wrap;gap:20px 28px;font:13px/1.5 system-ui,sans-serif"


@media.register(Batch)
@media.register(ImportResult)
def _(result: Batch | ImportResult) -> dict[str, Any]:
    """Show a sentence and the first rows of the table, which may contain text written by strangers."""
    hosts = ""
    if isinstance(result, ImportResult):
        hosts, result = result.hosts_left, replace(result, issues=tuple(result.to_fix_first))
    frame = result.to_frame()
    sentences = f"<p>{result}</p>" + (f"<p>{page_text(hosts)}</p>" if hosts else "")
    if frame.empty:
        return {"text/html": sentences}
    first = frame.head(MOST_SHOWN).rename_axis(index=None, columns="row")
    contents = {name: first[name].map(summary) for name in ("name", "content") if name in first}
    shown = first.assign(**contents).to_html(border=0)
    rest = more(len(frame) - MOST_SHOWN, "to_frame()")
    # Cells are neither markup nor formulas, and may contain unpaired surrogates.
    page = f'{sentences}<div class="tex2jax_ignore mathjax_ignore">{shown}</div>{rest}'
    return {"text/html": page.encode("utf-8", "replace").decode()}


@media.register
def _(image: QRImage) -> dict[str, Any]:
    image.warn()
    return pictures_of(image)


@media.register
def _(sheet: ContactSheet) -> dict[str, Any]:
    return {"image/svg+xml": sheet.to_svg()}


@media.register
def _(part: SwissPaymentPart) -> dict[str, Any]:
    return {"image/svg+xml": part.to_bytes("svg").decode()}


@media.register
def _(gallery: Gallery) -> dict[str, Any]:
    """Show each preset with its name, what it looks like, and its colorways in their order."""
    figures = []
    for name, preset in PRESETS.items():
        names, title = soft(", ".join(preset.colorways)), say(preset.title)
        picture = png_picture(gallery.thumbnail(name), THUMBNAIL, f"{name}: {title}", THUMBNAIL[0] // 2)
        figures.append(f"<div><b>{page_text(name)}</b> {page_text(title)}{picture}{names}</div>")
    return {"text/html": f'<div style="{GALLERY}">{"".join(figures)}</div>'}


@media.register
def _(subject: QRPrint) -> dict[str, Any]:
    """Show only the sizes: the image itself may be as large as a wall."""
    sizes = [
        ("size", f"{subject.width_mm:.2f} x {subject.height_mm:.2f} mm"),
        ("module", f"{subject.module_mm:.2f} mm, {subject.dots_per_module} dots"),
        ("printer", f"{subject.size.dpi:g} dpi"),
    ]
    return {"text/html": card("QRPrint", details(sizes))}
