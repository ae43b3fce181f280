"""What decorates a QR Code: gradients, module styles, sprites, markers, layers, the wrapper, as plain data.

`Gradient` is in `qrkit.design.gradient`. A class takes more than it holds, names of colours, lists, objects of JSON: its
`…Fields` tell type checkers what.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, ClassVar, NotRequired, Self, TypedDict, Unpack

from pydantic import model_validator
from pydantic_core import PydanticCustomError

from qrkit.design.color import Color
from qrkit.design.limits import (
    Asset,
    Coordinate,
    Display,
    Extent,
    MarkerPattern,
    ModuleType,
    Most,
    Opacity,
    SpriteName,
    SpriteType,
    Text,
    Tolerance,
    Whole,
    WrapperSide,
)
from qrkit.model import Model, Object

__all__ = [
    "Layer",
    "Marker",
    "Markers",
    "Modules",
    "Placeholder",
    "Sprite",
    "Wrapper",
]

ICON = "icon:"


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


class ModulesFields(TypedDict, total=False):
    """What `Modules` takes."""

    type: ModuleType
    union: bool
    sprite: SpriteName | None
    sprites: Sequence[Sprite | Object]
    seed: int


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

    if TYPE_CHECKING:

        def __init__(self, **fields: Unpack[ModulesFields]) -> None: ...

    @model_validator(mode="after")
    def _sprites_have_their_type(self) -> Self:
        if self.sprite and self.type != "sprite":
            raise PydanticCustomError("bad-value", "{rule}", {"rule": "needs type=sprite", "field": "sprite"})
        if self.type == "sprite" and not self.sprite and not self.sprites:
            rule = "sprite needs the name of one in `sprite`, or pictures in `sprites`"
            raise PydanticCustomError("bad-value", "{rule}", {"rule": rule, "field": "type"})
        return self


class MarkerFields(TypedDict, total=False):
    """What `Marker` takes beside its pattern."""

    inner_color: str | Color | None
    outer_color: str | Color | None
    opacity: float


class Marker(Model):
    """One finder pattern (ruling G12).

    Attributes:
        pattern: default, eye-1 .. eye-17, or one of the further names in `qrkit.design.limits.MARKER_PATTERNS`.
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

    if TYPE_CHECKING:

        def __init__(self, pattern: MarkerPattern, **fields: Unpack[MarkerFields]) -> None: ...


class MarkersFields(TypedDict, total=False):
    """What `Markers` takes."""

    top_left: Marker | Object | None
    top_right: Marker | Object | None
    bottom_left: Marker | Object | None


class Markers(Model):
    """The three finder patterns, each on its own; one that is missing is a default one in the foreground.

    Attributes:
        top_left: A `Marker`, or None.
        top_right: A `Marker`, or None.
        bottom_left: A `Marker`, or None.
    """

    top_left: Marker | None = None
    top_right: Marker | None = None
    bottom_left: Marker | None = None

    if TYPE_CHECKING:

        def __init__(self, **fields: Unpack[MarkersFields]) -> None: ...

    @classmethod
    def all(cls, pattern: MarkerPattern, **fields: Unpack[MarkerFields]) -> Self:
        """The same marker in all three corners.

        Args:
            pattern: As `Marker.pattern`.
            **fields: The other fields of `Marker`: inner_color, outer_color, opacity.

        Raises:
            InvalidParameter: A field breaks a rule.

        Example:
            >>> Markers.all("eye-2", inner_color="navy").top_left
            Marker(pattern='eye-2', inner_color=Color.parse('#000080'))
        """
        marker = Marker(pattern=pattern, **fields)
        return cls(top_left=marker, top_right=marker, bottom_left=marker)


class LogoLook(TypedDict):
    """What `Layer` takes beside its content and its box."""

    name: NotRequired[str]
    opacity: NotRequired[float]
    color: NotRequired[str | Color | None]
    display: NotRequired[Display]
    tolerance: NotRequired[float]


class LayerFields(LogoLook):
    """What `Layer` takes beside its content."""

    x: float
    y: float
    width: float
    height: float


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

    Example:
        >>> Layer("icon:heart", x=126, y=126, width=44, height=44, display="box-hit-test").display
        'box-hit-test'
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

    if TYPE_CHECKING:

        def __init__(self, content: str, **fields: Unpack[LayerFields]) -> None: ...

    @model_validator(mode="after")
    def _color_is_for_icons(self) -> Self:
        if self.color is not None and not self.content.lower().startswith(ICON):
            rule = "recolours only icons: content must begin with 'icon:'"
            raise PydanticCustomError("bad-value", "{rule}", {"rule": rule, "field": "color"})
        return self


class Placeholder(Model):
    """Where in a wrapper the QR Code goes, in the wrapper's pixels.

    Attributes:
        x: Left edge.
        y: Top edge.
        width: 0.1..10,000 pixels.
        height: 0.1..10,000 pixels.
    """

    x: Coordinate
    y: Coordinate
    width: Extent
    height: Extent


class WrapperFields(TypedDict):
    """What `Wrapper` takes."""

    source: str
    width: float
    height: float
    placeholder: Placeholder | Object


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

    if TYPE_CHECKING:

        def __init__(self, **fields: Unpack[WrapperFields]) -> None: ...

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
