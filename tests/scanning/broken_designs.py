"""Designs that do not scan well, in the styles in which generators of QR Codes are known to make them."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from io import BytesIO
from typing import Any

from PIL import Image

from qrkit import Design, Gradient, Layer, Marker, Markers, Modules, Sprite, Wrapper
from qrkit.design.decoration import Placeholder
from qrkit.drawing.resizing import layout_of
from qrkit.symbol.encode import encode

PAYLOADS = {
    "short": "https://qrk.it/a1b2c",
    "long": "https://www.example.com/shops/spring/2026/window?source=poster&city=lisbon&campaign=42abc",
    "card": (
        "BEGIN:VCARD\nVERSION:3.0\nN:Gomes;Inácia\nFN:Inácia Gomes\nORG:Example Lda\nTITLE:Head of print\n"
        "TEL;TYPE=work:+351210000000\nEMAIL:inacia.gomes@example.com\nURL:https://www.example.com\nEND:VCARD"
    ),
}


def svg(body: str) -> str:
    """A data URI of an SVG in a box of 10 x 10."""
    text = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10">{body}</svg>'
    return "data:image/svg+xml;base64," + b64encode(text.encode()).decode()


def photo(side: int = 240) -> str:
    """A data URI of a colourful picture without a pattern that repeats."""
    picture = Image.new("RGB", (side, side))
    picture.putdata(
        [
            ((x * y // 60 + 40) % 256, (x * 3 + y * y // 50) % 256, (y * 2 + x * x // 80) % 256)
            for y in range(side)
            for x in range(side)
        ]
    )
    file = BytesIO()
    picture.save(file, "PNG")
    return "data:image/png;base64," + b64encode(file.getvalue()).decode()


PHOTO = photo()
DISC = svg('<circle cx="5" cy="5" r="5"/>')
WHITE_DISC = svg('<circle cx="5" cy="5" r="5" fill="#fff"/>')
ORANGE = svg('<rect width="10" height="10" fill="#FF6A00"/>')


def logo(content: str, share: float, **fields: Any) -> Callable[[Design], Design]:
    """A layer in the middle, so wide as this share of the symbol."""

    def change(design: Design) -> Design:
        layout = layout_of(design)
        width = share * layout.side * layout.module
        x, y = layout.place(layout.side / 2, layout.side / 2)
        layer = Layer(content=content, x=x - width / 2, y=y - width / 2, width=width, height=width, **fields)
        return design.replace(layers=[*design.layers, layer])

    return change


def backdrop(opacity: float) -> Callable[[Design], Design]:
    """A photograph over the whole picture."""

    def change(design: Design) -> Design:
        symbol = encode(design.content, version=design.version, error_correction=design.ec)
        side = (symbol.side + 2 * design.padding) * design.size
        return design.replace(layers=[Layer(content=PHOTO, x=0, y=0, width=side, height=side, opacity=opacity)])

    return change


def sprites(content: str, *sizes: float, type: str = "fill") -> Modules:
    """Sprites of these sizes in pixels, taken by chance."""
    return Modules(type="sprite", sprites=[Sprite(content=content, width=one, height=one, type=type) for one in sizes])


def fields(**changes: Any) -> Callable[[Design], Design]:
    """Fields of a design."""
    return lambda design: design.replace(**changes)


STYLES: dict[str, tuple[Callable[[Design], Design], ...]] = {
    "no quiet zone": (fields(padding=0),),
    "no quiet zone, logo": (fields(padding=0), logo("icon:star", 0.4)),
    "see-through": (fields(background="#00FFFFFF", padding=1),),
    "round eyes": (fields(markers=Markers.all("circle"), padding=1),),
    "dotted": (fields(modules=sprites(DISC, 4), markers=Markers.all("dot")),),
    "heart eyes": (fields(markers=Markers.all("heart"), modules=sprites("icon:heart", 6)),),
    "yellow pupils": (fields(markers=Markers.all("eye-2", inner_color="#FFD400")),),
    "faint eyes": (fields(markers=Markers(top_left=Marker("eye-3", opacity=0.3))),),
    "diamonds": (fields(modules=sprites(svg('<path d="M5 1 9 5 5 9 1 5z"/>'), 7)),),
    "small stars": (fields(modules=sprites("icon:star", 5)),),
    "small hearts": (fields(modules=sprites("icon:heart", 5)),),
    "random dots": (fields(modules=sprites(DISC, 2, 4, 6, 8), padding=0),),
    "tiny squares": (fields(modules=sprites(svg('<rect width="10" height="10"/>'), 3)),),
    "dots on light modules": (fields(modules=sprites("icon:circle", 7, type="both")),),
    "rings": (fields(modules=sprites(svg('<path d="M0 0h10v10H0zM2 2v6h6V2z" fill-rule="evenodd"/>'), 8)),),
    "inverted": (fields(foreground="white", background="black"),),
    "inverted, brand": (fields(foreground="#FFD400", background="#1B1464", markers=Markers.all("rounded")),),
    "grey on grey": (fields(foreground="#808080", background="#C0C0C0"),),
    "steel on grey": (fields(foreground="steelblue", background="#EEEEEE"),),
    "light gradient": (fields(foreground=Gradient.linear("#7FD4FF", "#FF9ECF")),),
    "black on mid-grey": (fields(background="#787878"),),
    "logo .33 M": (logo(DISC, 0.33),),
    "logo .40 L": (fields(ec="L"), logo("icon:star", 0.5)),
    "logo .50 M": (logo(DISC, 0.5),),
    "logo .50 L, kept clear": (fields(ec="L"), logo(DISC, 0.45, display="pixel-hit-test", tolerance=6)),
    "white logo, box kept clear": (logo(WHITE_DISC, 0.4, display="box-hit-test", tolerance=12),),
    "orange logo": (logo(ORANGE, 0.35),),
    "half opaque logo": (logo(DISC, 0.45, opacity=0.6),),
    "photograph over it": (backdrop(0.7),),
    "photograph and logo": (backdrop(0.5), logo(DISC, 0.35)),
    "logo on an eye": (lambda design: design.replace(layers=[Layer(DISC, x=20, y=20, width=60, height=60)]),),
    "mirrored": (fields(flip="horizontal"),),
    "wrapper without quiet zone": (
        fields(
            padding=0,
            wrapper=Wrapper(
                source=svg('<rect width="10" height="10" fill="#222"/>'),
                width=500,
                height=500,
                placeholder=Placeholder(x=50, y=50, width=400, height=400),
            ),
        ),
    ),
}


def broken_designs() -> dict[str, Design]:
    """Name of a style and of a payload -> the design."""
    found = {}
    for style, changes in STYLES.items():
        for name, content in PAYLOADS.items():
            design = Design(content=content)
            for change in changes:
                design = change(design)
            found[f"{style} / {name}"] = design
    return found
