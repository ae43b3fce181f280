"""The pictures of the README, drawn by what they show: python .ci/make_pictures.py FOLDER."""

from __future__ import annotations

import json
import shutil
import sys
from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cache, partial
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from PIL import Image, ImageDraw
from playwright.sync_api import Browser, sync_playwright
from qrkit.widgets import Designer, PortfolioBrowser, ScanDashboard

from qrkit import Design, Gradient, Layer, Markers, Modules, Portfolio, QRImage, open_portfolio
from qrkit.commands import demo
from qrkit.presets import with_preset

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
async ([script, state, forms]) => {
    const { default: widget } = await import(URL.createObjectURL(new Blob([script], { type: "text/javascript" })));
    const values = { state: JSON.parse(state), ...JSON.parse(forms), twin: "picture", seen: 0 };
    const listeners = { "change:state": [], "msg:custom": [] };
    let waiting = 0;
    let quiet = Date.now();
    window.isIdle = () => !waiting && Date.now() - quiet > 1000;
    const model = {
        get: (name) => values[name],
        set: (name, value) => (values[name] = value),
        save_changes() {},
        on: (name, listener) => listeners[name].push(listener),
        off() {},
        async send(message) {
            waiting += 1;
            const answer = JSON.parse(await window.tell(JSON.stringify(message)));
            values.state = answer.state;
            for (const listener of listeners["change:state"]) listener();
            for (const [content, parts] of answer.sent) {
                const bytes = parts.map((part) => Uint8Array.from(atob(part), (one) => one.charCodeAt()));
                const views = bytes.map((one) => new DataView(one.buffer));
                for (const listener of listeners["msg:custom"]) listener(content, views);
            }
            waiting -= 1;
            quiet = Date.now();
        },
    };
    widget.render({ model, el: document.body });
}
"""
"""Shows a widget in place of a notebook."""

SHOWN = (
    "bubble", "photo", "seal", "swiss", "wifi", "badge",
    "kraft", "orbit", "mosaic", "ticket", "viewfinder", "cream",
)  # fmt: skip
SIX = ("bubble", "photo", "seal", "wifi", "kraft", "orbit")
MENU = Design(content="https://example.com/menu", size=12)
HERO = 1280, 480
"""The size of the first picture of the README, in pixels."""
WIDTHS = {"": 1440, "-900": 900, "-390": 390}
"""The widths at which widgets are shown, in pixels: a wide window, a narrow one, and a phone."""
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
    """A page of Chromium that shows a widget of this process."""

    def __init__(self, chromium: Browser, widget: AnyWidget, width: int, height: int) -> None:
        self.page = chromium.new_page(viewport={"width": width, "height": height}, color_scheme="light")
        self.page.expose_function("tell", lambda message: self._answer(widget, message))
        self._sent: list[tuple[object, list[str]]] = []
        widget.send = self._keep
        colors = "--jp-layout-color1:#fff;--jp-ui-font-color0:#16191d;--jp-brand-color1:#1976d2"
        css = widget.get_state()["_css"]
        self.page.set_content(
            f'<body data-jp-theme-light="true" style="margin:0;background:#fff;{colors}"><style>{css}</style></body>'
        )
        forms = json.dumps({name: value for name, value in widget.get_state().items() if name.endswith("form")})
        self.page.evaluate(SHOW, [widget.get_state()["_esm"], self._state(widget), forms])

    def _state(self, widget: AnyWidget) -> str:
        return json.dumps(widget.get_state()["state"])

    def _keep(self, content: object, buffers: Sequence[bytes] = ()) -> None:
        self._sent.append((content, [b64encode(one).decode() for one in buffers]))

    def _answer(self, widget: AnyWidget, message: str) -> str:
        widget._handle_custom_msg(json.loads(message), [])  # as a notebook does
        sent, self._sent = self._sent, []
        return json.dumps({"state": json.loads(self._state(widget)), "sent": sent})

    def shot(self) -> bytes:
        """The widget, as far as the window shows it, as a PNG of few colors, once it has its answers."""
        self.page.wait_for_function("() => window.isIdle()")
        self.page.evaluate("() => window.scrollTo(0, 0)")
        file = BytesIO()
        box = self.page.locator("body > .qrkit-widget").bounding_box()
        size = self.page.viewport_size
        if box is None or size is None:
            raise AssertionError("a page that was shown has a widget")
        seen = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], box["y"] + box["height"])}
        picture = Image.open(BytesIO(self.page.screenshot(clip=seen))).convert("RGB")
        picture.quantize(256, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE).save(file, "PNG", optimize=True)
        return file.getvalue()


@cache
def demo_folder() -> TemporaryDirectory[str]:
    """A folder with the demo, which is made once for all pictures."""
    folder = TemporaryDirectory()
    demo.run(Path(folder.name), show_progress=False)
    return folder


@contextmanager
def demo_shop() -> Iterator[tuple[Browser, Portfolio]]:
    """Chromium, and the portfolio of the demo on the day after its last scan."""
    with sync_playwright() as playwright:
        (store,) = Path(demo_folder().name).glob("*.duckdb")
        chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        with open_portfolio(store, base_url="https://go.example.com", clock=lambda: LAST_DAY) as shop:
            shop.templates.save("museum", with_preset(Design(content="https://example.com"), "bar"))
            shop.templates.use("museum")
            yield chromium, shop
        chromium.close()


def browser(width: int) -> bytes:
    """The portfolio of the demo with one code chosen."""
    with demo_shop() as (chromium, shop):
        widget = PortfolioBrowser(shop, name="picture")
        stage = Stage(chromium, widget, width, 900)
        stage.page.get_by_text("Table card, window").first.click()
        stage.page.get_by_role("img", name="QR Code Table card, window").wait_for()
        shot = stage.shot()
        widget.close()
    return shot


def dashboard(width: int) -> bytes:
    """The last two weeks of the demo, compared with the two before."""
    with demo_shop() as (chromium, shop):
        widget = ScanDashboard(shop, name="picture")
        widget.ask(since="2026-06-17", until="2026-06-30")
        shot = Stage(chromium, widget, width, 1100).shot()
        widget.close()
    return shot


def studio(width: int) -> bytes:
    """The studio with a framed look and the colors of a preset."""
    with demo_shop() as (chromium, shop):
        begun = with_preset(Design(content="https://example.com/menu"), "bubble", caption="See the menu")
        widget = Designer(begun, name="picture", portfolio=shop)
        stage = Stage(chromium, widget, width, 860)
        shot = stage.shot()
        widget.close()
    return shot


def hero() -> bytes:
    """Six looks, the studio and the report, side by side."""
    sheet = Image.new("RGB", (2 * HERO[0], 2 * HERO[1]), "#eef2f8")
    drawings = [Image.open(BytesIO(QRImage(with_preset(MENU, name)).to_bytes("png"))).convert("RGBA") for name in SIX]
    for number, drawing in enumerate(drawings):
        drawing.thumbnail((280, 270), Image.Resampling.LANCZOS)
        x, y = 50 + 310 * (number % 2), 50 + 300 * (number // 2)
        sheet.paste(drawing, (x + (280 - drawing.width) // 2, y + (270 - drawing.height) // 2), drawing)
    for picture, width, place in ((studio(1280), 1240, (690, 60)), (report(), 780, (1730, 260))):
        card = Image.open(BytesIO(picture)).convert("RGB")
        card = card.resize((width, card.height * width // card.width), Image.Resampling.LANCZOS)
        edge = (place[0] - 2, place[1] - 2, place[0] + card.width + 1, place[1] + card.height + 1)
        ImageDraw.Draw(sheet).rectangle(edge, fill="#c8d0dc")
        sheet.paste(card, place)
    file = BytesIO()
    small = sheet.resize((HERO[0], HERO[1]), Image.Resampling.LANCZOS)
    small.quantize(256, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE).save(file, "PNG", optimize=True)
    return file.getvalue()


PICTURES: dict[str, Callable[[], bytes]] = {
    "code.svg": partial(drawn, BRAND),
    "large.svg": partial(drawn, LARGE),
    "damage.svg": damage,
    "mended.svg": mended,
    "gallery.png": gallery,
    "report.png": report,
    "hero.png": hero,
    **{f"studio{suffix}.png": partial(studio, width) for suffix, width in WIDTHS.items()},
    **{f"browser{suffix}.png": partial(browser, width) for suffix, width in WIDTHS.items()},
    **{f"dashboard{suffix}.png": partial(dashboard, width) for suffix, width in WIDTHS.items()},
}
"""What draws each file."""

if __name__ == "__main__":
    for name, draw in PICTURES.items():
        (Path(sys.argv[1]) / name).write_bytes(draw())
