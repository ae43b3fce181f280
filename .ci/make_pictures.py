"""The pictures of the README, drawn by what they show: python .ci/make_pictures.py FOLDER."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from functools import partial
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image
from playwright.sync_api import sync_playwright
from qrkit.presets import with_preset

from qrkit import Design, Gradient, Layer, Markers, Modules, QRImage
from qrkit.commands import demo

__all__ = ["PICTURES"]

BRAND = Design(
    content="https://example.com",
    ec="H",
    width=320,
    foreground=Gradient.linear("#0B3D91", "#0B5563"),
    modules=Modules(type="sprite", sprite="circle"),
    markers=Markers.all("eye-2", inner_color="#9A3412"),
    layers=[Layer("icon:heart", x=126, y=126, width=68, height=68, color="#9A3412", display="pixel-hit-test")],
)
"""The design of the README's own lines."""

SEEN = {"x": 0, "y": 235, "width": 1000, "height": 1000}
"""Of the report, in pixels: what happened, the four numbers, and the first chart."""


SHOWN = (
    "bar", "bubble", "badge", "orbit", "confetti", "plate",
    "seal", "classy", "wifi", "viewfinder", "sunset", "ticket",
)  # fmt: skip
CELL = 280, 320
"""The presets in the gallery, and the room for each in pixels."""

LARGE = BRAND.replace(layers=[BRAND.layers[0].replace(x=85, y=85, width=150, height=150)])
"""The same with a logo that is too large."""


def drawn(design: Design) -> bytes:
    """The design as the small SVG that notebooks show."""
    return QRImage(design).small_svg().encode()


def damage() -> bytes:
    """Which codewords the large logo makes wrong."""
    budget = LARGE.check("static").budget
    if budget is None:
        raise AssertionError("a design that was drawn has a budget")
    return budget.heat_map().encode()


def mended() -> bytes:
    """The large logo, made to scan."""
    return drawn(LARGE.make_scannable().design)


def gallery() -> bytes:
    """Twelve presets, each in the first of its colorways."""
    sheet = Image.new("RGBA", (6 * CELL[0], 2 * CELL[1]), (0, 0, 0, 0))
    for number, name in enumerate(SHOWN):
        image = QRImage(with_preset(Design(content="https://example.com/menu", size=12), name))
        drawing = Image.open(BytesIO(image.to_bytes("png"))).convert("RGBA")
        drawing.thumbnail((CELL[0] - 24, CELL[1] - 24), Image.Resampling.LANCZOS)
        left, top = CELL[0] * (number % 6), CELL[1] * (number // 6)
        sheet.paste(drawing, (left + (CELL[0] - drawing.width) // 2, top + (CELL[1] - drawing.height) // 2))
    file = BytesIO()
    sheet.quantize(192, Image.Quantize.FASTOCTREE).save(file, "PNG", optimize=True)
    return file.getvalue()


def report() -> bytes:
    """The top of the demo's report, as a browser shows it."""
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        outcome = demo.run(Path(folder), show_progress=False)
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1000, "height": 1200})
        page.goto(outcome.report.as_uri())
        shot = page.screenshot(clip=SEEN, full_page=True)
        browser.close()
    file = BytesIO()
    Image.open(BytesIO(shot)).convert("RGB").quantize(256, Image.Quantize.FASTOCTREE).save(file, "PNG", optimize=True)
    return file.getvalue()


PICTURES: dict[str, Callable[[], bytes]] = {
    "code.svg": partial(drawn, BRAND),
    "large.svg": partial(drawn, LARGE),
    "damage.svg": damage,
    "mended.svg": mended,
    "gallery.png": gallery,
    "report.png": report,
}
"""What draws each file."""

if __name__ == "__main__":
    for name, draw in PICTURES.items():
        (Path(sys.argv[1]) / name).write_bytes(draw())
