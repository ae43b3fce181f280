"""What decorates a QR Code: gradients, module styles, sprites, markers, layers, the wrapper, as plain data."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Self

from pydantic import Discriminator, Tag, field_validator, model_validator
from pydantic_core import PydanticCustomError

from qrkit.color import Color
from qrkit.limits import (
    Asset,
    Coordinate,
    Display,
    Extent,
    GradientKind,
    GradientUnits,
    MarkerPattern,
    ModuleType,
    Most,
    Offset,
    Opacity,
    SpriteName,
    SpriteType,
    Text,
    Tolerance,
    Whole,
    WrapperSide,
)
from qrkit.model import Model

__all__ = [
    "Direction",
    "Fill",
    "Gradient",
    "Layer",
    "Marker",
    "Markers",
    "Modules",
    "Placeholder",
    "Point",
    "Sprite",
    "Stop",
    "Wrapper",
]

ICON = "icon:"


class Point(Model):
    """A place in a picture: 0..1 of its width and height in relative units, else pixels."""

    x: Coordinate
    y: Coordinate


class Direction(Model):
    """Where a linear gradient begins and ends."""

    start: Point
    stop: Point


class Stop(Model):
    """A colour on the way of a gradient; `offset` and `opacity` 0..1."""

    offset: Offset
    color: Color
    opacity: Opacity = 1.0


class Gradient(Model):
    """A gradient over the whole picture (ruling G16).

    `Gradient.linear` and `Gradient.radial` make simple ones.

    Attributes:
        gradient: linear or radial.
        units: relative (0..1 of the picture) or absolute (output pixels).
        direction: Of a linear gradient; left to right where nothing is said.
        cx: Centre of a radial gradient, from the left; the middle where nothing is said.
        cy: Centre, from the top.
        fx: Focal point, where the first colour is; the centre where nothing is said.
        fy: Focal point, from the top.
        radius: Of the last colour's circle; in relative units 1 is a square picture's side. 0.5 where nothing is said.
        stops: 2..50 colours by rising offset.

    Raises:
        InvalidParameter: A field breaks a rule; all that do are named.
    """

    gradient: GradientKind
    units: GradientUnits = "relative"
    direction: Direction | None = None
    cx: Coordinate | None = None
    cy: Coordinate | None = None
    fx: Coordinate | None = None
    fy: Coordinate | None = None
    radius: Coordinate | None = None
    stops: Annotated[tuple[Stop, ...], Most(2, 50)]

    @field_validator("stops")
    @classmethod
    def _stops_rise(cls, stops: tuple[Stop, ...]) -> tuple[Stop, ...]:
        return tuple(sorted(stops, key=lambda stop: stop.offset))

    @model_validator(mode="after")
    def _complete(self) -> Self:
        absolute = self.units == "absolute"
        needed = ("direction",) if self.gradient == "linear" else ("cx", "cy", "radius")
        missing = next((name for name in needed if absolute and getattr(self, name) is None), None)
        if missing:
            rule = f"is required where units is absolute and gradient is {self.gradient}"
            raise PydanticCustomError("missing-parameter", "{rule}", {"rule": rule, "field": missing})
        if self.radius is not None and self.radius <= 0:
            raise PydanticCustomError("out-of-range", "{rule}", {"rule": "must be more than 0", "field": "radius"})
        return self

    @classmethod
    def linear(
        cls, *colors: str | Color, start: tuple[float, float] = (0, 0), stop: tuple[float, float] = (1, 1)
    ) -> Self:
        """Evenly spaced colours from one place to another, in 0..1 of the picture; by default across its diagonal."""
        ends = {"start": {"x": start[0], "y": start[1]}, "stop": {"x": stop[0], "y": stop[1]}}
        return cls(gradient="linear", direction=ends, stops=_spread(colors))

    @classmethod
    def radial(cls, *colors: str | Color, centre: tuple[float, float] = (0.5, 0.5), radius: float = 0.5) -> Self:
        """Evenly spaced colours from a centre outwards, in 0..1 of the picture."""
        return cls(gradient="radial", cx=centre[0], cy=centre[1], radius=radius, stops=_spread(colors))


class Sprite(Model):
    """A picture that is drawn for modules (ruling G11).

    Attributes:
        content: A data URI of a PNG, JPEG or SVG (`qrkit.data_uri` makes one of a file), `icon:NAME`, or a URL.
        name: A name for people.
        type: fill (on dark modules), blank (on light modules), padding (on the quiet zone), both (blank and padding).
        width: Pixels in the output, 0.1..10,000; the sprite is centred on its module (ruling G10).
        height: Pixels, likewise.

    Raises:
        InvalidParameter: A field breaks a rule; all that do are named.
    """

    name: Text = ""
    type: SpriteType = "fill"
    width: Extent
    height: Extent
    content: Asset


class Modules(Model):
    """How modules are drawn, but for the finder patterns (ruling G10).

    Attributes:
        type: default (squares), rounded (corners follow the neighbours), sprite; and of ours: liquid (rounded, and
            inner corners filled), bars and columns (rows and columns joined), dots.
        union: Whether a vector file holds them as one shape.
        sprite: Name of a predefined sprite; needs `type="sprite"` and wins over `sprites`.
        sprites: At most 20 sprites, picked by chance for each module; used only with `type="sprite"`.
        seed: Changes what chance picks; the same design always gives the same picture (ruling G9).

    Raises:
        InvalidParameter: A field breaks a rule; all that do are named.
    """

    type: ModuleType = "default"
    union: bool = False
    sprite: SpriteName | None = None
    sprites: Annotated[tuple[Sprite, ...], Most(0, 20)] = ()
    seed: Whole = 0

    @model_validator(mode="after")
    def _sprites_have_their_type(self) -> Self:
        if self.sprite and self.type != "sprite":
            raise PydanticCustomError("bad-value", "{rule}", {"rule": "needs type=sprite", "field": "sprite"})
        if self.type == "sprite" and not self.sprite and not self.sprites:
            rule = "sprite needs the name of one in `sprite`, or pictures in `sprites`"
            raise PydanticCustomError("bad-value", "{rule}", {"rule": rule, "field": "type"})
        return self


class Marker(Model):
    """One finder pattern (ruling G12).

    Attributes:
        pattern: default, eye-1 .. eye-17, or one of the further names in `qrkit.limits.MARKER_PATTERNS`.
        inner_color: Colour of its middle; the foreground where nothing is said.
        outer_color: Colour of its ring; the foreground where nothing is said.
        opacity: 0..1.

    Raises:
        InvalidParameter: A field breaks a rule; all that do are named.
    """

    leading: ClassVar[str] = "pattern"
    pattern: MarkerPattern
    inner_color: Color | None = None
    outer_color: Color | None = None
    opacity: Opacity = 1.0


class Markers(Model):
    """The three finder patterns, each on its own; one that is missing is a default one in the foreground."""

    top_left: Marker | None = None
    top_right: Marker | None = None
    bottom_left: Marker | None = None

    @classmethod
    def all(cls, pattern: str, **fields: Any) -> Self:
        """The same marker in all three corners."""
        marker = Marker(pattern=pattern, **fields)
        return cls(top_left=marker, top_right=marker, bottom_left=marker)


class Layer(Model):
    """A picture over the modules, in output pixels from the top left of the QR Code picture (ruling G13).

    Attributes:
        content: A data URI of a PNG, JPEG or SVG (`qrkit.data_uri` makes one of a file), `icon:NAME`, or a URL.
        name: A name for people.
        x: Left edge.
        y: Top edge.
        width: 0.1..10,000 pixels.
        height: 0.1..10,000 pixels.
        opacity: 0..1.
        color: Colour of an icon; the foreground's where nothing is said.
        display: overlay (painted over the modules), box-hit-test (data modules that touch the layer's box are left
            out), pixel-hit-test (those that touch a pixel of it that is not transparent are).
        tolerance: How many pixels the hit test looks further; negative: less far. Overlay has none.

    Raises:
        InvalidParameter: A field breaks a rule; all that do are named.
    """

    leading: ClassVar[str] = "content"
    name: Text = ""
    content: Asset
    x: Coordinate
    y: Coordinate
    width: Extent
    height: Extent
    opacity: Opacity = 1.0
    color: Color | None = None
    display: Display = "overlay"
    tolerance: Tolerance = 0.0

    @model_validator(mode="after")
    def _color_is_for_icons(self) -> Self:
        if self.color is not None and not self.content.lower().startswith(ICON):
            rule = "recolours only icons: content must begin with 'icon:'"
            raise PydanticCustomError("bad-value", "{rule}", {"rule": rule, "field": "color"})
        return self


class Placeholder(Model):
    """Where in a wrapper the QR Code goes, in the wrapper's pixels."""

    x: Coordinate
    y: Coordinate
    width: Extent
    height: Extent


class Wrapper(Model):
    """A picture around the QR Code, which is fitted into its placeholder and centred there (ruling G15).

    Attributes:
        source: A data URI of a PNG, JPEG or SVG (`qrkit.data_uri` makes one of a file), or a URL.
        width: Of the output, 1..10,000 pixels.
        height: Of the output, 1..10,000 pixels.
        placeholder: Where the QR Code goes; inside the wrapper.

    Raises:
        InvalidParameter: A field breaks a rule; all that do are named.
    """

    source: Asset
    width: WrapperSide
    height: WrapperSide
    placeholder: Placeholder

    @model_validator(mode="after")
    def _placeholder_is_inside(self) -> Self:
        hole = self.placeholder
        inside = (
            hole.x >= 0 and hole.x + hole.width <= self.width and hole.y >= 0 and hole.y + hole.height <= self.height
        )
        if not inside:
            rule = f"must lie inside the wrapper, 0..{self.width:g} by 0..{self.height:g} pixels"
            raise PydanticCustomError("out-of-range", "{rule}", {"rule": rule, "field": "placeholder"})
        return self


def _paint_kind(value: Any) -> str:
    return "[gradient]" if isinstance(value, dict | Gradient) else "[color]"


Fill = Annotated[
    Annotated[Color, Tag("[color]")] | Annotated[Gradient, Tag("[gradient]")],
    Discriminator(_paint_kind),
]
"""A colour or a gradient. (The names of its branches are in brackets so that messages leave them out.)"""


def _spread(colors: tuple[str | Color, ...]) -> list[dict[str, Any]]:
    last = max(len(colors) - 1, 1)
    return [{"offset": index / last, "color": color} for index, color in enumerate(colors)]
