"""150 looks that five other generators offer, by their own options, as designs.

The generators are qr-code-styling 1.9.2, @liquid-js/qr-code-styling 5.5.0, python-qrcode 8.2, segno 1.6.6 with
qrcode-artistic 3.0.2, and amzqr 0.1.0. A look that a `Design` cannot describe has the reason in place of its fields.
"""

from typing import Any

from qrkit import Frame, Gradient, Layer, Markers, Modules, Photo, Sprite, data_uri

LINK = "https://example.com/menu"
SIZE = {"content": LINK, "width": 400, "ec": "H"}

INK = Gradient.linear("#3B0764", "#9D174D")
GLOW = Gradient.radial("#9D174D", "#3B0764")
SKY = Gradient.linear("#E0F2FE", "#FEF9C3")
LIKE = Markers.all("modules")
"""Eyes in the style of the modules, which both libraries in JavaScript draw by default."""


def _svg(body: str, box: str = "0 0 10 10") -> str:
    return data_uri(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}">{body}</svg>'.encode())


PICTURE = _svg('<path d="M0 0H10V10H0z" fill="#94A3B8"/><circle cx="5" cy="5" r="4" fill="#B45309"/>')
SQUARES = _svg(
    "".join(f'<path d="M{n} {n}H{10 - n}V{10 - n}H{n}z" fill="hsl({220 + 20 * n},90%,25%)"/>' for n in range(5))
)
LOGO = Layer("icon:heart", x=160, y=160, width=80, height=80, display="box-hit-test")
SMALL_LOGO = LOGO.replace(x=176, y=176, width=48, height=48)


def _drawn_by(*shapes: str, **fields: Any) -> Modules:
    sprites = [Sprite(content=_svg(shape), width=8, height=8, **fields) for shape in shapes]
    return Modules(type="sprite", sprites=sprites)


STYLING_DOTS = {
    "square": "default", "dots": "dots", "rounded": "rounded", "extra-rounded": "extra-rounded", "classy": "classy",
    "classy-rounded": "classy-rounded",
}  # fmt: skip
STYLING_EYES = {
    "square": "default", "dot": "circle", "rounded": "rounded", "extra-rounded": "extra-rounded", "classy": "leaf",
    "classy-rounded": "leaf",
}  # fmt: skip
DOTS = Modules(type="dots")

STYLING: dict[str, Any] = {
    **{f"dots {name}": {"modules": {"type": kind}, "markers": LIKE} for name, kind in STYLING_DOTS.items()},
    **{f"corner squares {name}": {"modules": DOTS, "markers": Markers.all(eye, inner="eye-2")}
       for name, eye in STYLING_EYES.items()},
    **{f"corner dots {name}": {"modules": {"type": "rounded"}, "markers": Markers.all("extra-rounded", inner=eye)}
       for name, eye in STYLING_EYES.items()},
    "corner squares dots": {"modules": DOTS, "markers": Markers.all("modules", inner="default")},
    "corner dots dots": {"modules": DOTS, "markers": Markers.all("default", inner="modules")},
    "corner squares dots, other modules": "the ring of an eye in the style of modules that the symbol does not have",
    "dots linear": {"foreground": INK, "modules": DOTS},
    "dots radial": {"foreground": GLOW, "modules": {"type": "rounded"}},
    "dots rotated": {"foreground": Gradient.linear("#3B0764", "#9D174D", start=(0.5, 0), stop=(0.5, 1))},
    "corner squares linear": {"markers": Markers.all("extra-rounded", outer_color=INK)},
    "corner squares radial": {"markers": Markers.all("rounded", outer_color=GLOW)},
    "corner dots linear": {"markers": Markers.all("extra-rounded", inner_color=INK)},
    "corner dots radial": {"markers": Markers.all("rounded", inner_color=GLOW)},
    "background linear": {"background": SKY},
    "background radial": {"background": Gradient.radial("#FEF9C3", "#E0F2FE")},
    "all gradients": {"foreground": INK, "background": SKY, "modules": {"type": "classy"},
                      "markers": Markers.all("leaf", outer_color=GLOW, inner_color=INK)},
    "background round": {"frame": Frame("border", color="#FEF9C3", radius=0.2), "background": "#FEF9C3"},
    "background transparent": {"background": "transparent"},
    "shape circle": {"frame": Frame("round"), "padding": 2},
    "shape circle of dots": {"frame": Frame("round"), "padding": 2, "modules": DOTS},
    "image": {"layers": [LOGO], "modules": {"type": "rounded"}},
    "image over dots": {"layers": [SMALL_LOGO.replace(display="overlay")]},
    "image with a margin": {"layers": [SMALL_LOGO.replace(tolerance=10)]},
    "margin": {"padding": 10},
    "colors": {"foreground": "#1E3A8A", "background": "#F0F9FF",
               "markers": Markers.all("extra-rounded", outer_color="#7C2D12", inner_color="#14532D")},
}  # fmt: skip

LIQUID_DOTS: dict[str, Any] = {
    "dot": DOTS, "random-dot": {"type": "dots", "sizes": (0.75, 1)}, "rounded": {"type": "rounded"},
    "extra-rounded": {"type": "extra-rounded"}, "vertical-line": {"type": "columns"},
    "horizontal-line": {"type": "bars"}, "classy": {"type": "classy"}, "classy-rounded": {"type": "classy-rounded"},
    "square": {"type": "default"}, "small-square": {"type": "gapped", "sizes": (0.7, 0.7)},
    "tiny-square": {"type": "gapped", "sizes": (0.33, 0.33)}, "soft": {"type": "rounded"}, "blobs": {"type": "fluid"},
    "zebra-horizontal": {"type": "bars"}, "zebra-vertical": {"type": "columns"},
    **{name: {"type": "sprite", "sprite": name}
       for name in ("diamond", "heart", "star", "pentagon", "hexagon", "octagon")},
    "weave": {"type": "sprite", "sprite": "four"},
    "blocks-horizontal": _drawn_by('<path d="M0 1.5H10V8.5H0z"/>'),
    "blocks-vertical": _drawn_by('<path d="M1.5 0H8.5V10H1.5z"/>'),
    "wave": "modules that bend in waves through their neighbors", "circuit": "modules joined by thin lines",
}  # fmt: skip
LIQUID_RINGS = {"dot": "circle", "square": "default", "extra-rounded": "extra-rounded", "classy": "leaf",
                "inpoint": "drop", "outpoint": "petal"}  # fmt: skip
LIQUID_CENTERS = {"dot": "eye-2", "square": "default", "heart": "heart", "extra-rounded": "extra-rounded",
                  "classy": "leaf", "inpoint": "drop", "outpoint": "petal", "star": "star", "pentagon": "pentagon",
                  "hexagon": "hexagon", "octagon": "octagon", "diamond": "diamond"}  # fmt: skip
LIQUID: dict[str, Any] = {
    **{f"dots {name}": modules if isinstance(modules, str) else {"modules": modules, "markers": LIKE}
       for name, modules in LIQUID_DOTS.items()},
    **{f"corner squares {name}": {"markers": Markers.all(eye, inner="default")} for name, eye in LIQUID_RINGS.items()},
    **{f"corner dots {name}": {"markers": Markers.all("default", inner=eye)} for name, eye in LIQUID_CENTERS.items()},
    "corner squares center-circle": "a square eye with a round hole of the full width, which phones do not find",
    "border": {"frame": Frame("border", color="#7C2D12")},
    "border with text": {"frame": Frame("bar", caption="Scan me")},
    "round border with text": {"frame": Frame("seal", caption="Scan me")},
    "border of dashes": {"frame": Frame("stamp")},
    "image in the background": {"photo": Photo(PICTURE)},
}  # fmt: skip

DRAWERS = {"Square": "default", "GappedSquare": "gapped", "Circle": "dots", "Rounded": "rounded",
           "VerticalBars": "columns", "HorizontalBars": "bars"}  # fmt: skip
UPRIGHT = Gradient.linear("#3B0764", "#9D174D", start=(0, 0), stop=(0, 1))
MASKS: dict[str, Any] = {"SolidFill": {"foreground": "#1E3A8A"}, "RadialGradiant": {"foreground": GLOW},
         "HorizontalGradiant": {"foreground": INK}, "VerticalGradiant": {"foreground": UPRIGHT},
         "SquareGradiant": {"photo": Photo(SQUARES, place="inside")},
         "Image": {"photo": Photo(PICTURE, place="inside")}}  # fmt: skip
PYTHON_QRCODE: dict[str, Any] = {
    f"{drawer} {mask}": {"modules": {"type": kind}, **fields}
    for drawer, kind in DRAWERS.items()
    for mask, fields in MASKS.items()
} | {
    "embedded image": {"layers": [SMALL_LOGO.replace(display="overlay")]},
    "eyes of circles": {"modules": DOTS, "markers": LIKE},
    "eyes of gapped squares": {"modules": {"type": "gapped"}, "markers": LIKE},
    "eyes of bars": {"modules": {"type": "bars"}, "markers": LIKE},
    "round eyes": {"markers": Markers.all("rounded")},
}

CREAM = "#FEF3C7"
SEGNO: dict[str, Any] = {
    "dark": {"foreground": "#7F1D1D"},
    "light": {"background": CREAM},
    "light none": {"background": "transparent"},
    "data_dark": {"foreground": "#9A3412", "markers": Markers.all("default", outer_color="#7F1D1D",
                                                                 inner_color="#7F1D1D")},
    "data_light": {"modules": _drawn_by(f'<path d="M0 0H10V10H0z" fill="{CREAM}"/>', type="blank")},
    "finder_dark": {"markers": Markers.all("default", outer_color="#1E3A8A", inner_color="#1E3A8A")},
    "quiet_zone": {"modules": _drawn_by(f'<path d="M0 0H10V10H0z" fill="{CREAM}"/>', type="padding")},
    "alignment_dark": "colors of other patterns than the finder patterns",
    "timing_dark": "colors of other patterns than the finder patterns",
    "version_dark": "colors of other patterns than the finder patterns",
    "micro": {"micro": True, "ec": "M", "content": "SEGNO"},
    "border": {"padding": 2},
    "artistic": {"photo": Photo(PICTURE, place="halftone")},
    "artistic of one color": {"photo": Photo(PICTURE, place="halftone"), "foreground": "#1E3A8A"},
    "artistic GIF": "moving pictures",
}  # fmt: skip

AMZQR: dict[str, Any] = {
    "picture": {"photo": Photo(PICTURE, place="halftone"), "version": 8},
    "colorized": {"photo": Photo(PICTURE, place="halftone"), "version": 10},
    "contrast": {"photo": Photo(PICTURE, place="halftone"), "version": 12},
    "moving": "moving pictures",
}

PEERS = {"qr-code-styling": STYLING, "liquid": LIQUID, "qrcode": PYTHON_QRCODE, "segno": SEGNO, "amzqr": AMZQR}
LOOKS = {f"{peer}: {name}": look for peer, looks in PEERS.items() for name, look in looks.items()}
