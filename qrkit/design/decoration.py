"""Describes the decoration of a QR Code as plain data: module styles, sprites, markers, layers and the wrapper.

`Gradient` is in `qrkit.design.gradient`. Classes accept more types than they store: color names, lists and JSON
objects. Their `__init__` declares the accepted types for type checkers; the one that runs is that of `Model`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, ClassVar, Self

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
    """An image that is drawn in place of modules.

    Attributes:
        content: A data URI of a PNG, JPEG or SVG (`qrkit.data_uri` creates one from a file), `icon:NAME`, or a URL.
        name: A name for your own reference.
        type: fill (on dark modules), blank (on light modules), padding (on the quiet zone), both (blank and padding).
        width: Width in output pixels, 0.1..10,000. The sprite is centered on its module.
        height: Height in output pixels, 0.1..10,000.

    Raises:
        InvalidParameter: If a field breaks its rule; the error lists every invalid field.
    """

    name: Text = ""
    type: SpriteType = "fill"
    width: Extent
    height: Extent
    content: Asset


class Modules(Model):
    """How modules are drawn. Finder patterns have their own settings, `Markers`.

    Attributes:
        type: default (squares), rounded (corners without a neighbor are round), sprite, liquid (rounded, with filled
            inner corners), bars (joined rows), columns (joined columns) or dots.
        union: True to write all modules as one shape in vector formats.
        sprite: Name of a built-in sprite; requires `type="sprite"` and takes precedence over `sprites`.
        sprites: At most 20 sprites, chosen at random for each module; used only with `type="sprite"`.
        seed: Seed of the random choice. The same design always gives the same image.

    Raises:
        InvalidParameter: If a field breaks its rule; the error lists every invalid field.
    """

    type: ModuleType = "default"
    union: bool = False
    sprite: SpriteName | None = None
    sprites: Annotated[tuple[Sprite, ...], Most(0, 20)] = ()
    seed: Whole = 0

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            type: ModuleType = ...,
            union: bool = ...,
            sprite: SpriteName | None = ...,
            sprites: Sequence[Sprite | Object] = ...,
            seed: int = ...,
        ) -> None: ...

    @model_validator(mode="after")
    def _check_sprites(self) -> Self:
        if self.sprite and self.type != "sprite":
            raise PydanticCustomError("bad-value", "{rule}", {"rule": "needs type=sprite", "field": "sprite"})
        if self.type == "sprite" and not self.sprite and not self.sprites:
            rule = "sprite needs the name of one in `sprite`, or pictures in `sprites`"
            raise PydanticCustomError("bad-value", "{rule}", {"rule": rule, "field": "type"})
        return self


class Marker(Model):
    """One finder pattern.

    Attributes:
        pattern: default, eye-1 to eye-17, or another name in `qrkit.design.limits.MARKER_PATTERNS`.
        inner_color: Color of the pupil; None for the foreground color.
        outer_color: Color of the ring; None for the foreground color.
        opacity: 0..1.

    Raises:
        InvalidParameter: If a field breaks its rule; the error lists every invalid field.
    """

    leading: ClassVar[str] = "pattern"
    pattern: MarkerPattern
    inner_color: Color | None = None
    outer_color: Color | None = None
    opacity: Opacity = 1.0

    if TYPE_CHECKING:

        def __init__(
            self,
            pattern: MarkerPattern,
            *,
            inner_color: str | Color | None = ...,
            outer_color: str | Color | None = ...,
            opacity: float = ...,
        ) -> None: ...


class Markers(Model):
    """The three finder patterns.

    Attributes:
        top_left: A `Marker`; None for the default pattern in the foreground color.
        top_right: A `Marker`; None for the default pattern in the foreground color.
        bottom_left: A `Marker`; None for the default pattern in the foreground color.
    """

    top_left: Marker | None = None
    top_right: Marker | None = None
    bottom_left: Marker | None = None

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            top_left: Marker | Object | None = ...,
            top_right: Marker | Object | None = ...,
            bottom_left: Marker | Object | None = ...,
        ) -> None: ...

    @classmethod
    def all(
        cls,
        pattern: MarkerPattern,
        *,
        inner_color: str | Color | None = None,
        outer_color: str | Color | None = None,
        opacity: float = 1.0,
    ) -> Self:
        """Use one marker in all three corners.

        Args:
            pattern: See `Marker.pattern`.
            inner_color: See `Marker.inner_color`.
            outer_color: See `Marker.outer_color`.
            opacity: See `Marker.opacity`.

        Raises:
            InvalidParameter: If an argument breaks the rule of its field.

        Example:
            >>> Markers.all("eye-2", inner_color="navy").top_left
            Marker(pattern='eye-2', inner_color=Color.parse('#000080'))
        """
        marker = Marker(pattern, inner_color=inner_color, outer_color=outer_color, opacity=opacity)
        return cls(top_left=marker, top_right=marker, bottom_left=marker)


class Layer(Model):
    """An image over the modules, positioned in output pixels from the top left of the QR Code image.

    Attributes:
        content: A data URI of a PNG, JPEG or SVG (`qrkit.data_uri` creates one from a file), `icon:NAME`, or a URL.
        name: A name for your own reference.
        x: Left edge.
        y: Top edge.
        width: 0.1..10,000 pixels.
        height: 0.1..10,000 pixels.
        opacity: 0..1.
        color: Color of an icon; None for the foreground color.
        display: overlay (painted over the modules), box-hit-test (data modules that touch the layer's box are left
            out), pixel-hit-test (data modules that touch a pixel with alpha above 0 are left out).
        tolerance: Pixels by which the hit test is enlarged; negative values make it smaller. Ignored for overlay.

    Raises:
        InvalidParameter: If a field breaks its rule; the error lists every invalid field.

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

        def __init__(
            self,
            content: str,
            *,
            x: float,
            y: float,
            width: float,
            height: float,
            name: str = ...,
            opacity: float = ...,
            color: str | Color | None = ...,
            display: Display = ...,
            tolerance: float = ...,
        ) -> None: ...

    @model_validator(mode="after")
    def _check_color(self) -> Self:
        if self.color is not None and not self.content.lower().startswith(ICON):
            rule = "recolours only icons: content must begin with 'icon:'"
            raise PydanticCustomError("bad-value", "{rule}", {"rule": rule, "field": "color"})
        return self


class Placeholder(Model):
    """The area of a wrapper in which the QR Code is placed, in the wrapper's pixels.

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


class Wrapper(Model):
    """An image around the QR Code. The QR Code is scaled to fit its placeholder and centered there.

    Attributes:
        source: A data URI of a PNG, JPEG or SVG (`qrkit.data_uri` creates one from a file), or a URL.
        width: Width of the output, 1..10,000 pixels.
        height: Height of the output, 1..10,000 pixels.
        placeholder: The area for the QR Code; it must lie inside the wrapper.

    Raises:
        InvalidParameter: If a field breaks its rule; the error lists every invalid field.
    """

    source: Asset
    width: WrapperSide
    height: WrapperSide
    placeholder: Placeholder

    if TYPE_CHECKING:

        def __init__(self, *, source: str, width: float, height: float, placeholder: Placeholder | Object) -> None: ...

    @model_validator(mode="after")
    def _check_placeholder(self) -> Self:
        hole = self.placeholder
        inside = (
            hole.x >= 0 and hole.x + hole.width <= self.width and hole.y >= 0 and hole.y + hole.height <= self.height
        )
        if not inside:
            rule = f"must lie inside the wrapper, 0..{self.width:g} by 0..{self.height:g} pixels"
            raise PydanticCustomError("out-of-range", "{rule}", {"rule": rule, "field": "placeholder"})
        return self
