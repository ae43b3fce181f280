"""The pictures of the README, drawn by what they show: python .ci/make_pictures.py FOLDER."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from PIL import Image
from playwright.sync_api import Browser, sync_playwright
from qrkit.presets import with_preset
from qrkit.widgets import PortfolioBrowser, ScanDashboard

from qrkit import Design, Gradient, Layer, Markers, Modules, Portfolio, QRImage, open_portfolio
from qrkit.commands import demo

if TYPE_CHECKING:
    from anywidget import AnyWidget

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


LAST_DAY = datetime(2026, 6, 30, 20, tzinfo=UTC)
"""The last day of the demo's scans."""

SHOW = """
async ([script, state]) => {
    const { default: widget } = await import(URL.createObjectURL(new Blob([script], { type: "text/javascript" })));
    const values = { state: JSON.parse(state), twin: "picture", seen: 0 };
    const listeners = [];
    let waiting = 0;
    let quiet = Date.now();
    window.isIdle = () => !waiting && Date.now() - quiet > 1000;
    const model = {
        get: (name) => values[name],
        set: (name, value) => (values[name] = value),
        save_changes() {},
        on: (name, listener) => listeners.push(listener),
        off() {},
        async send(message) {
            waiting += 1;
            values.state = JSON.parse(await window.tell(JSON.stringify(message)));
            for (const listener of listeners) listener();
            waiting -= 1;
            quiet = Date.now();
        },
    };
    widget.render({ model, el: document.body });
}
"""
"""Shows a widget in place of a notebook."""

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


class Stage:
    """A page of Chromium that shows a widget of this process, in a window of 1,280 pixels."""

    def __init__(self, chromium: Browser, widget: AnyWidget, height: int) -> None:
        self.page = chromium.new_page(viewport={"width": 1280, "height": height}, color_scheme="light")
        self.page.expose_function("tell", lambda message: self._answer(widget, message))
        colors = "--jp-layout-color1:#fff;--jp-ui-font-color0:#16191d;--jp-brand-color1:#1976d2"
        css = widget.get_state()["_css"]
        self.page.set_content(
            f'<body data-jp-theme-light="true" style="margin:0;background:#fff;{colors}"><style>{css}</style></body>'
        )
        self.page.evaluate(SHOW, [widget.get_state()["_esm"], self._state(widget)])

    def _state(self, widget: AnyWidget) -> str:
        return json.dumps(widget.get_state()["state"])

    def _answer(self, widget: AnyWidget, message: str) -> str:
        widget._handle_custom_msg(json.loads(message), [])  # as a notebook does
        return self._state(widget)

    def shot(self) -> bytes:
        """The window as a PNG of few colors, once the widget has its answers."""
        self.page.wait_for_function("() => window.isIdle()")
        self.page.evaluate("() => window.scrollTo(0, 0)")
        file = BytesIO()
        picture = Image.open(BytesIO(self.page.screenshot())).convert("RGB")
        picture.quantize(256, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE).save(file, "PNG", optimize=True)
        return file.getvalue()


@contextmanager
def demo_shop() -> Iterator[tuple[Browser, Portfolio]]:
    """Chromium, and the portfolio of the demo on the day after its last scan."""
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        store = demo.run(Path(folder), show_progress=False).store
        chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        with open_portfolio(store, base_url="https://go.example.com", clock=lambda: LAST_DAY) as shop:
            shop.templates.save("museum", with_preset(Design(content="https://example.com"), "bar"))
            shop.templates.use("museum")
            yield chromium, shop
        chromium.close()


def browser() -> bytes:
    """The portfolio of the demo with one code chosen."""
    with demo_shop() as (chromium, shop):
        widget = PortfolioBrowser(shop, name="picture")
        stage = Stage(chromium, widget, 900)
        stage.page.get_by_text("Table card, window").first.click()
        stage.page.get_by_role("img", name="QR Code Table card, window").wait_for()
        shot = stage.shot()
        widget.close()
    return shot


def dashboard() -> bytes:
    """The last two weeks of the demo, compared with the two before."""
    with demo_shop() as (chromium, shop):
        widget = ScanDashboard(shop, name="picture")
        widget.ask(since="2026-06-17", until="2026-06-30")
        shot = Stage(chromium, widget, 1210).shot()
        widget.close()
    return shot


PICTURES: dict[str, Callable[[], bytes]] = {
    "code.svg": partial(drawn, BRAND),
    "large.svg": partial(drawn, LARGE),
    "damage.svg": damage,
    "mended.svg": mended,
    "gallery.png": gallery,
    "report.png": report,
    "browser.png": browser,
    "dashboard.png": dashboard,
}
"""What draws each file."""

if __name__ == "__main__":
    for name, draw in PICTURES.items():
        (Path(sys.argv[1]) / name).write_bytes(draw())
