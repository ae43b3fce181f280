"""Designs to post, and pictures in them."""

from base64 import b64encode
from copy import deepcopy
from io import BytesIO

from PIL import Image

LINK = "https://example.com/Grüße?a=1&b=2"


def png(*color, side=8):
    file = BytesIO()
    Image.new("RGBA", (side, side), color).save(file, "PNG")
    return file.getvalue()


def uri(data, kind="png"):
    return f"data:image/{kind};base64,{b64encode(data).decode()}"


RED = uri(png(255, 0, 0, 255))
DISC = uri(b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><circle cx="4" cy="4" r="2"/></svg>', "svg+xml")

PLAIN = {"content": LINK}
FULL = PLAIN | {
    "version": 5, "width": 300, "height": 300, "padding": 4, "em": "byte", "ec": "Q", "flip": "none",
    "foreground": {
        "gradient": "linear", "units": "relative", "direction": {"start": {"x": 0, "y": 0}, "stop": {"x": 1, "y": 1}},
        "stops": [{"offset": 0, "color": "#AA0000", "opacity": 1}, {"offset": 1, "color": "#0000AA", "opacity": 1}],
    },
    "background": {
        "gradient": "radial", "units": "relative", "cx": 0.5, "cy": 0.5, "fx": 0.4, "fy": 0.4, "radius": 0.5,
        "stops": [{"offset": 0, "color": "#FFFFFF"}, {"offset": 1, "color": "#FFEEDD"}],
    },
    "modules": {"type": "sprite", "seed": 0, "sprites": [
        {"name": "a", "type": "fill", "width": 6, "height": 6, "content": RED},
        {"name": "b", "type": "fill", "width": 6, "height": 6, "content": DISC},
    ]},
    "markers": {
        corner: {"pattern": "eye-3", "innerColor": "#003300", "outerColor": "#330033", "opacity": 1}
        for corner in ("topLeft", "topRight", "bottomLeft")
    },
    "layers": [{"name": "logo", "content": "icon:home", "x": 100, "y": 100, "width": 60, "height": 60, "opacity": 1,
                "color": "#00AA00", "display": "box-hit-test", "tolerance": 1}],
    "wrapper": {"source": uri(png(9, 90, 200, 255)), "width": 400, "height": 400,
                "placeholder": {"x": 40, "y": 40, "width": 320, "height": 320}},
}  # fmt: skip
"""Every object of the interface, with all its fields."""


def changed(design, path, value):
    """A copy of a design with another value somewhere inside; `layers.0.x` is a path."""
    copy = deepcopy(design)
    *way, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    place = copy
    for part in way:
        place = place[part]
    place[last] = value
    return copy


def paths(design, before=""):
    """Where in a design something stands, as `changed` takes it."""
    for name, value in design.items() if isinstance(design, dict) else enumerate(design):
        yield f"{before}{name}"
        if isinstance(value, dict | list):
            yield from paths(value, f"{before}{name}.")
