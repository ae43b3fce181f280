"""Places a logo on a symbol in its proportions, with or without a plate that keeps modules away, or on a web page."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

from qrkit.design.color import WHITE, Color
from qrkit.design.decoration import Layer
from qrkit.design.design import Design
from qrkit.design.limits import ICON_BOX, ErrorCorrection
from qrkit.design.outline import Outline, rounded
from qrkit.drawing.bitmaps import at_most
from qrkit.drawing.parts.layers import pixels_of
from qrkit.drawing.resizing import layout_of
from qrkit.drawing.scene import Bitmap, Drawing, Picture, Shape
from qrkit.drawing.svg.svg_elements import Definitions, document, elements, path_data
from qrkit.drawing.svg.svg_text import number
from qrkit.drawing.untrusted.assets import Fetch, data_uri, read_asset
from qrkit.drawing.untrusted.svg_images import data_of
from qrkit.errors import Problem, nearest
from qrkit.late import np

Plate: TypeAlias = Literal["circle", "rounded", "square"]
"""The shape of the ground under a logo; a `circle` under a long logo is as long, with round ends."""

ROUNDED = 1.5
"""Radius of the corners of a rounded plate, in modules."""
RING, RIM = 0.4, 0.5
"""Width of the ring around a logo, and of the ground outside it, in modules. A ring of 0.6 modules or more around a
disc looks like a finder pattern to readers."""
MOST_PADDING = 5.0
STRONGEST: ErrorCorrection = "H"
"""Error correction level of a design that does not name one, because a plate covers more modules than its logo."""
RING_COLOR = re.compile(rb'stroke="(#[0-9a-f]{6})"')
TRIED = 128
"""Pixels of the longer side of a logo when its farthest visible point is looked for, or its size is chosen."""


class Logo(NamedTuple):
    """A logo: its content as in `Layer.content`, the image that was read, and its sides as shares of the longer."""

    content: str
    picture: Bitmap | Drawing | Outline
    width: float
    height: float

    @classmethod
    def read(cls, content: str, fetch: Fetch | None = None) -> Logo:
        """Read an image and compute its proportions; errors name the field `logo`, as brands and presets do."""
        picture = read_asset(content, fetch=fetch, part="logo")
        size: tuple[float, float] = (1, 1)
        if isinstance(picture, Bitmap):
            size = (picture.width, picture.height)
        elif not isinstance(picture, Outline):
            size = picture.box[2:]
        return cls(content, picture, size[0] / max(size), size[1] / max(size))

    def layer_on(self, design: Design, share: float, place: tuple[float, float]) -> Layer:
        """Return the logo as a layer of a design; see `Design.with_logo`."""
        layout = layout_of(design)
        across, down = layout.place(place[0] * layout.side, place[1] * layout.side)
        longer = share * layout.side * layout.module
        return _centred(self.content, (across, down), self.width * longer, self.height * longer)

    def layers(self, design: Design, layer: Layer, ground: Ground | None, meeting: Mapping[str, Any]) -> list[Layer]:
        """Return the layers that show the logo: the plate if there is one, and the logo in its place.

        `meeting` has the `display` and `tolerance` of the lowest layer, which say how it affects the modules.
        """
        if ground is None:
            return [layer.replace(**meeting)]
        return [ground.layer_under(self, layer, design, name=_plate_name(layer.name), **meeting), layer]

    def pixels(self) -> np.ndarray:
        """Return the logo with `TRIED` pixels on its longer side: red, green, blue and alpha as uint8."""
        return _pixels(self.picture, max(1, round(self.width * TRIED)), max(1, round(self.height * TRIED)))

    def round_ends(self) -> tuple[float, float]:
        """Return the least shape with round ends around all visible pixels, as shares of the longer side.

        It is half of the distance between the middles of its ends, 0 for a logo as high as wide, and their radius.
        """
        return _round_ends(self)


# Several sizes of a logo are tried on a symbol, and a slider moves through many.
@lru_cache(maxsize=4)
def _pixels(picture: Bitmap | Drawing | Outline, width: int, height: int) -> np.ndarray:
    box = (0, 0, width, height)
    return pixels_of(picture, box, box)


@lru_cache(maxsize=4)
def _round_ends(logo: Logo) -> tuple[float, float]:
    pixels = logo.pixels()
    height, width, _ = pixels.shape
    rows, columns = np.nonzero(pixels[:, :, 3])
    middle = abs(logo.width - logo.height) / 2
    if not len(rows):
        return middle, 0.5 - middle
    x, y = abs(columns + 0.5 - width / 2), abs(rows + 0.5 - height / 2)
    along, across = (x, y) if width > height else (y, x)
    return middle, float(np.hypot((along - middle * TRIED).clip(0), across).max()) / TRIED


def for_plate(design: Design, plate: Plate | None) -> Design:
    """Return a design at the level that suits a plate, unless a level was chosen."""
    return design.replace(ec=STRONGEST) if plate and "ec" not in design.model_fields_set else design


def scaled_logo(design: Design, placed: PlacedLogo, share: float, *, fetch: Fetch | None = None) -> Design:
    """Return the design with a logo in another size, about its middle, and a plate with the same margin and ring."""
    layers, factor = list(design.layers), share / placed.share
    old = layers[placed.layer]
    logo, middle = Logo.read(old.content, fetch), (old.x + old.width / 2, old.y + old.height / 2)
    place = _centred(old.content, middle, old.width * factor, old.height * factor)
    layers[placed.layer] = old.replace(x=place.x, y=place.y, width=place.width, height=place.height)
    ground = ground_of(design, placed, logo)
    if ground:
        kept = layers[placed.layer - 1].model_dump(include={"name", "display", "tolerance"})
        layers[placed.layer - 1] = ground.layer_under(logo, place, design, **kept)
    return design.replace(layers=layers)


def ground_of(design: Design, placed: PlacedLogo, logo: Logo) -> Ground | None:
    """Measure the plate of a logo; None if it has none."""
    if not placed.plate:
        return None
    layer = design.layers[placed.layer]
    below, longer = design.layers[placed.layer - 1], max(layer.width, layer.height)
    half = sum(logo.round_ends()) * longer if placed.plate == "circle" else longer / 2
    margin = (max(below.width, below.height) / 2 - half) / layout_of(design).module
    return Ground(placed.plate, placed.ring, max(0.0, margin - (RING + RIM if placed.ring else 0)))


class PlacedLogo(NamedTuple):
    """A logo that is on a design: the index of its layer, and its longer side as a share of the symbol's side.

    The plate, if there is one, is the layer before; the ring is the color of the ring on it.
    """

    layer: int
    share: float
    plate: Plate | None
    ring: str | None


def placed_logo(design: Design, content: str | None = None) -> PlacedLogo | None:
    """Return the topmost logo of a design: a layer on a plate, or one that shows `content`; None if there is none."""
    layers = design.layers
    for index in reversed(range(len(layers))):
        layer, below = layers[index], layers[index - 1] if index else None
        plate, ring = _plate_of(below) if below and below.name == _plate_name(layer.name) else (None, None)
        if plate or layer.upright.content == content:
            layout, upright = layout_of(design), layer.upright
            share = max(upright.width, upright.height) / (layout.side * layout.module)
            return PlacedLogo(index, round(share, 4), plate, ring)
    return None


def without_logo(design: Design, index: int) -> Design:
    """Return a design without a logo and its plate."""
    layers = design.layers
    first = index - (index > 0 and layers[index - 1].name == _plate_name(layers[index].name))
    return design.replace(layers=[*layers[:first], *layers[index + 1 :]])


def _plate_name(logo_name: str) -> str:
    return f"plate of {logo_name or 'the logo'}"


def _plate_of(layer: Layer) -> tuple[Plate, str | None]:
    """Return the shape of a plate that `with_logo` drew, and the color of its ring."""
    svg = data_of(layer.upright.content)
    ring = RING_COLOR.search(svg)
    plate: Plate = "circle" if b"<circle" in svg or b"<path" in svg else "square" if b'rx="0"' in svg else "rounded"
    return plate, ring and ring[1].decode()


def logo_image(logo: str, color: Color, width: float, height: float) -> str:
    """Return a logo, as in `Layer.content`, as the data URI of an SVG of at most these pixels. Nothing is fetched."""
    found = Logo.read(logo)
    longer = min(width / found.width, height / found.height)
    across, down = max(1, round(found.width * longer)), max(1, round(found.height * longer))
    item: Shape | Picture
    if isinstance(found.picture, Outline):
        item = Shape(found.picture.placed(0, 0, longer / ICON_BOX), color)
    else:
        item = Picture(at_most(found.picture, across, down), 0, 0, across, down)
    definitions = Definitions()
    return data_uri(document(across, down, "".join(elements(item, definitions)), definitions))


def place_problems(place: tuple[float, float]) -> list[Problem]:
    """Return the problems of a place on a symbol; empty if it is valid."""
    if len(place) == 2 and all(0 <= one <= 1 for one in place):
        return []
    return [Problem("place", place, "must be two numbers in 0..1, as shares of the symbol's side", "out-of-range")]


def plate_problems(plate: str | None, ring: str | Color | None, padding: float) -> list[Problem]:
    """Return the problems of a plate, its ring and its padding; empty if they are valid."""
    problems = []
    if plate is None and ring is not None:
        problems.append(Problem("ring", str(ring), "is drawn on a plate: choose plate='circle', 'rounded' or 'square'"))
    if ring is not None and not isinstance(ring, Color):
        try:
            Color.parse(str(ring))
        except ValueError as error:
            problems.append(Problem("ring", ring, str(error)))
    if plate is not None and plate not in get_args(Plate):
        problems.append(Problem("plate", plate, f"is not a plate; {nearest(str(plate), get_args(Plate))}"))
    if not isinstance(padding, int | float) or not 0 <= padding <= MOST_PADDING:
        problems.append(Problem("padding", padding, f"must be in 0..{MOST_PADDING:g} modules", "out-of-range"))
    return problems


class Ground(NamedTuple):
    """A plate: its shape, the color of its ring if it has one, and the modules between both and the logo."""

    plate: Plate
    ring: str | Color | None
    padding: float

    @staticmethod
    def color_on(design: Design) -> Color:
        """Return the color of the plate on a design: that of the background if it is one opaque color."""
        background = design.background
        return background if isinstance(background, Color) and background.alpha == 255 else WHITE

    def layer_under(self, logo: Logo, layer: Layer, design: Design, **fields: Any) -> Layer:
        """Return the plate of a logo as a layer with these fields, in the background color of the design."""
        module = layout_of(design).module
        width, height = layer.width / module, layer.height / module
        if self.plate == "circle":
            middle, radius = (part * max(width, height) for part in logo.round_ends())
            width, height = 2 * radius + 2 * middle * (width > height), 2 * radius + 2 * middle * (width < height)
        edge = self.padding + (RING + RIM if self.ring else 0)
        width, height = width + 2 * edge, height + 2 * edge
        shapes = _shape(self.plate, width, height, 0, f'fill="{self.color_on(design).rgb.lower()}"')
        if self.ring:
            color = Color.parse(self.ring) if isinstance(self.ring, str) else self.ring
            line = f'stroke="{color.rgb.lower()}" stroke-opacity="{color.opacity:.4g}" stroke-width="{RING}"'
            shapes += _shape(self.plate, width, height, RIM + RING / 2, f'fill="none" {line}')
        svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {number(width)} {number(height)}">{shapes}</svg>'
        center = (layer.x + layer.width / 2, layer.y + layer.height / 2)
        return _centred(data_uri(svg.encode()), center, width * module, height * module, **fields)


def _shape(plate: Plate, width: float, height: float, inset: float, paint: str) -> str:
    """Write the shape of a plate, at a distance from its edge."""
    if plate == "circle" and width == height:
        middle = number(width / 2)
        return f'<circle cx="{middle}" cy="{middle}" r="{number(width / 2 - inset)}" {paint}/>'
    if plate == "circle":
        outline = rounded(inset, inset, width - 2 * inset, height - 2 * inset, min(width, height) / 2 - inset)
        return f'<path d="{path_data(outline)}" {paint}/>'
    x, across, down = number(inset), number(width - 2 * inset), number(height - 2 * inset)
    radius = number(max(0.0, ROUNDED - inset)) if plate == "rounded" else "0"
    return f'<rect x="{x}" y="{x}" width="{across}" height="{down}" rx="{radius}" {paint}/>'


def _centred(content: str, middle: tuple[float, float], width: float, height: float, **fields: Any) -> Layer:
    width, height = round(width, 2), round(height, 2)
    x, y = round(middle[0] - width / 2, 2), round(middle[1] - height / 2, 2)
    return Layer(content, x=x, y=y, width=width, height=height, **fields)
