"""Designs at random: everything that may stand between a symbol and its readers, in all sizes."""

from random import Random
from typing import Any

from qrkit import Design, Gradient, Layer, Markers, Modules
from qrkit.design.decoration import Wrapper
from qrkit.design.limits import MARKER_PATTERNS, SPRITE_NAMES
from tests.drawing.pictures import filled

ICONS = ("camera", "heart", "star-outline", "square", "circle", "music-note")
DARK = ("#000000", "#1B2A49", "#7A1F0F", "#0B3D91", "#1F4D2B", "#C2185B", "#80000000")
LIGHT = ("#FFFFFF", "#F4F1E4", "#FFF3F8", "#FFD54F", "#00FFFFFF", "#80FFFFFF", "#40FFD54F")
STYLES = ("default", "rounded", "liquid", "bars", "columns", "dots")


def random_design(seed: int) -> Design:
    """The design of a seed: the same one each time."""
    random = Random(seed)
    content = "https://exmpl.co/" + "".join(random.choices("abcdefgh23456789", k=random.choice((4, 12, 40, 90))))
    fields: dict[str, Any] = {
        "ec": random.choice("LMQH"),
        "padding": random.choice((1, 2, 4, 4, 4, 6)),
        "foreground": _foreground(random),
        "background": random.choice((*LIGHT[:1] * 6, *LIGHT)),
        "modules": _modules(random),
        "flip": random.choice(("none",) * 9 + ("horizontal",)),
        "pad_codewords": random.choice(("iso", "segno", "free")),
    }
    if random.random() < 0.3:
        fields["markers"] = Markers.all(random.choice(MARKER_PATTERNS))
    # Most widths are no multiple of the modules, as people choose them.
    size = {"width": random.randint(130, 620)} if random.random() < 0.8 else {"size": random.randint(2, 10)}
    design = Design(content=content, **fields, **size)
    for _ in range(random.choice((0, 1, 1, 2))):
        design = _with_layer(random, design)
    return _in_wrapper(random, design) if random.random() < 0.1 else design


def _foreground(random: Random) -> str | Gradient:
    first, second = random.choices(DARK, k=2)
    return Gradient.linear(first, second) if random.random() < 0.2 else first


def _modules(random: Random) -> Modules:
    if random.random() < 0.5:
        return Modules()
    if random.random() < 0.3:
        return Modules(type="sprite", sprite=random.choice(SPRITE_NAMES))
    return Modules(type=random.choice(STYLES))


def _with_layer(random: Random, design: Design) -> Design:
    """With a picture over the middle, or anywhere, as large as error correction may bear or not."""
    side = design.width or 29 * design.size
    width = side * random.uniform(0.08, 0.4)
    middle = (side - width) / 2
    x, y = (middle, middle) if random.random() < 0.7 else (random.uniform(0, side - width) for _ in "xy")
    layer = Layer(
        f"icon:{random.choice(ICONS)}",
        x=round(x, 2),
        y=round(y, 2),
        width=round(width, 2),
        height=round(width * random.choice((1, 1, 0.6)), 2),
        display=random.choice(("overlay", "box-hit-test", "pixel-hit-test")),
        opacity=random.choice((1, 1, 0.6)),
        color=random.choice((None, "#FF6A00", "#FFFFFF")),
        tolerance=random.choice((0, 0, 4, -3)),
    )
    return design.replace(layers=[*design.layers, layer])


def _in_wrapper(random: Random, design: Design) -> Design:
    side = random.randint(240, 500)
    edge = random.randint(5, 30)
    hole = {"x": edge, "y": edge + 0.5, "width": side - 2 * edge, "height": side - 2 * edge}
    return design.replace(
        wrapper=Wrapper(source=filled((240, 230, 210, 255)), width=side, height=side + 40, placeholder=hole)
    )
