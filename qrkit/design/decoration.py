"""Describes the decoration of a QR Code as plain data: modules, sprites, markers, layers, photo and wrapper.

`Gradient` is in `qrkit.design.gradient`. Classes accept more types than they store: color names, lists and JSON
objects. Their `__init__` only declares the accepted types for type checkers; at runtime, `Model.__init__` is used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from sys import float_info
from typing import TYPE_CHECKING, Annotated, ClassVar, Self

from pydantic import Field, model_validator

from qrkit.design.color import Color
from qrkit.design.gradient import Fill, Gradient
from qrkit.design.limits import (
    ALIKE,
    ICON,
    MODULE_TYPES,
    Asset,
    Coordinate,
    Display,
    Extent,
    MarkerPattern,
    ModuleType,
    ModuleWidth,
    Most,
    Opacity,
    PhotoPlace,
    SpriteName,
    SpriteType,
    Text,
    Tolerance,
    Whole,
    WrapperSide,
)
from qrkit.design.rotation import Rotated, read_rotated
from qrkit.errors import InvalidParameter, Problem
from qrkit.model import Model, Object, broken

PHOTO_TYPES: Mapping[str, tuple[ModuleType, ...]] = {
    "behind": MODULE_TYPES,
    "inside": ("default", "rounded", "bars", "columns", *ALIKE, "sprite"),
    "halftone": ("default",),
}
"""The module styles for each place of a photo: inside, each module has its own color, so it needs its own outline."""

STRETCHED = 0.5
"""Pixels by which a side of a rotated layer may differ from its proportions, because other programs round sizes."""

Name = Annotated[Text, Field(description="A name for your own reference.")]
ModuleInk = Annotated[Color, Field(title="Color", description="Color of some of the modules.")]


class Sprite(Model):
    """An image that is drawn in place of modules, centered on each.

    `qrkit.data_uri` makes a data URI of a file.
    """

    name: Name = ""
    type: SpriteType = "fill"
    width: Extent = Field(description="Width in output pixels.")
    height: Extent = Field(description="Height in output pixels.")
    content: Asset


class Modules(Model):
    """How modules are drawn. Finder patterns have their own settings, `Markers`."""

    type: ModuleType = "default"
    union: bool | None = Field(
        default=None,
        title="Merge shapes",
        description="Write all modules as a single shape in vector formats. By default, squares are a single shape, "
        "which makes an SVG smaller, and dots and sprites are not. Over HTTP, the default is false.",
    )
    sprite: SpriteName | None = Field(
        default=None,
        title="Built-in sprite",
        description="A built-in shape for each module, if the type is sprite. It takes precedence over `sprites`.",
    )
    sprites: Annotated[tuple[Sprite, ...], Most(0, 20)] = Field(
        default=(),
        title="Custom sprites",
        description="Up to 20 images of your own, if the type is sprite; each module gets one of them at random.",
    )
    sizes: Annotated[tuple[ModuleWidth, ...], Most(2, 2)] | None = Field(
        default=None,
        description="Smallest and largest width of dots, gapped squares or built-in sprites, in modules; each gets a "
        "width between the two at random.",
    )
    palette: Annotated[tuple[ModuleInk, ...], Most(0, 8)] = Field(
        default=(),
        description="Colors of dots, gapped squares or built-in sprites, instead of the foreground; each gets one of "
        "them at random. Finder and alignment patterns have the first one.",
    )
    seed: Whole = Field(
        default=0,
        title="Random seed",
        description="Seed of all random choices; change it to shuffle them. The same seed gives the same image.",
    )

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            type: ModuleType = ...,
            union: bool | None = ...,
            sprite: SpriteName | None = ...,
            sprites: Sequence[Sprite | Object] = ...,
            sizes: Sequence[float] | None = ...,
            palette: Sequence[str | Color] = ...,
            seed: int = ...,
        ) -> None: ...

    @property
    def joins_squares(self) -> bool:
        """Whether modules that are squares are written as a single shape."""
        return self.union is not False

    @property
    def joins_copies(self) -> bool:
        """Whether modules that are copies of one shape, such as dots, are written as a single shape."""
        return self.union is True

    @model_validator(mode="after")
    def _check_sprites(self) -> Self:
        if self.sprite and self.type != "sprite":
            raise broken("needs type=sprite", "sprite")
        if self.type == "sprite" and not self.sprite and not self.sprites:
            raise broken("sprite needs the name of a built-in sprite in `sprite`, or pictures in `sprites`", "type")
        return self

    @model_validator(mode="after")
    def _check_variety(self) -> Self:
        if self.sizes and self.sizes[0] > self.sizes[1]:
            raise broken("must be the smallest width, followed by the largest", "sizes")
        if (self.sizes or self.palette) and self.type not in ALIKE and not self.sprite:
            rule = f"needs type={' or '.join(ALIKE)}, or the name of a built-in sprite in `sprite`"
            field = "sizes" if self.sizes else "palette"
            raise broken(rule, field)
        return self


class Marker(Model):
    """One finder pattern."""

    leading: ClassVar[str] = "pattern"
    pattern: MarkerPattern
    inner: MarkerPattern | None = Field(
        default=None,
        title="Shape of the center",
        description="The pattern whose center is drawn; by default, that of `pattern`.",
    )
    inner_color: Fill | None = Field(
        default=None,
        description="Color or gradient of the center; by default, the foreground. Positions of a gradient are shares "
        "of the finder pattern.",
    )
    outer_color: Fill | None = Field(
        default=None, description="Color or gradient of the ring; by default, the foreground."
    )
    opacity: Opacity = 1.0

    if TYPE_CHECKING:

        def __init__(
            self,
            pattern: MarkerPattern,
            *,
            inner: MarkerPattern | None = ...,
            inner_color: str | Color | Gradient | Object | None = ...,
            outer_color: str | Color | Gradient | Object | None = ...,
            opacity: float = ...,
        ) -> None: ...

    @model_validator(mode="after")
    def _check_units(self) -> Self:
        for field in ("inner_color", "outer_color"):
            fill = getattr(self, field)
            if isinstance(fill, Gradient) and fill.units != "relative":
                raise broken("must have relative units, because a finder pattern moves with the symbol", field)
        return self


class Markers(Model):
    """The three finder patterns. Those left out are drawn plainly in the foreground color."""

    top_left: Marker | None = Field(default=None, description="Look of the finder pattern at the top left.")
    top_right: Marker | None = Field(default=None, description="Look of the finder pattern at the top right.")
    bottom_left: Marker | None = Field(default=None, description="Look of the finder pattern at the bottom left.")

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
        inner: MarkerPattern | None = None,
        inner_color: str | Color | Gradient | Object | None = None,
        outer_color: str | Color | Gradient | Object | None = None,
        opacity: float = 1.0,
    ) -> Self:
        """Use one marker in all three corners.

        Args:
            pattern: See `Marker.pattern`.
            inner: See `Marker.inner`.
            inner_color: See `Marker.inner_color`.
            outer_color: See `Marker.outer_color`.
            opacity: See `Marker.opacity`.

        Raises:
            InvalidParameter: If an argument breaks the rule of its field.

        Example:
            >>> Markers.all("eye-2", inner_color="navy").top_left
            Marker(pattern='eye-2', inner_color=Color.parse('#000080'))
            >>> Markers.all("circle", inner="leaf").top_left  # the ring of one, the center of the other
            Marker(pattern='circle', inner='leaf')
        """
        marker = Marker(pattern, inner=inner, inner_color=inner_color, outer_color=outer_color, opacity=opacity)
        return cls(top_left=marker, top_right=marker, bottom_left=marker)


class Layer(Model):
    """An image over the modules, positioned in output pixels from the top left of the QR Code image.

    `qrkit.data_uri` makes a data URI of a file.

    Example:
        >>> Layer("icon:heart", x=126, y=126, width=44, height=44, display="box-hit-test").display
        'box-hit-test'
    """

    leading: ClassVar[str] = "content"
    name: Name = ""
    content: Asset
    x: Coordinate = Field(title="Left", description="Distance from the left of the QR Code image in output pixels.")
    y: Coordinate = Field(title="Top", description="Distance from the top of the QR Code image in output pixels.")
    width: Extent = Field(description="Width in output pixels.")
    height: Extent = Field(description="Height in output pixels.")
    opacity: Opacity = 1.0
    color: Color | None = Field(default=None, description="Color of an icon; by default, the foreground.")
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
            raise broken("recolors only icons: content must begin with 'icon:'", "color")
        return self

    @property
    def rotation(self) -> float:
        """By how many degrees `rotated` has turned the image clockwise, above -180 and up to 180; see `upright`."""
        return self._before_rotation[1]

    @property
    def upright(self) -> Self:
        """The layer before `rotated` turned its image; its box has the same center.

        It is the layer itself, with a rotation of 0, if its image cannot be turned back: because the layer was
        stretched afterwards, other than along the sides of the image, or because the image would exceed a limit.
        """
        return self._before_rotation[0]

    @property
    def _before_rotation(self) -> tuple[Self, float]:
        """The upright layer and its rotation."""
        image = read_rotated(self.content)
        if image is None:
            return self, 0.0
        # The layer may have been resized since.
        (across, down), middle = image.box, (self.x + self.width / 2, self.y + self.height / 2)
        scales = self.width / across, self.height / down
        if image.degrees % 180 == 90:
            scales = scales[::-1]
        elif image.degrees % 180 and abs(self.width * down - self.height * across) > STRETCHED * (across + down):
            return self, 0.0
        try:
            size = image.width * scales[0], image.height * scales[1]
            return self._in_box(image.content, middle, size, 2).replace(color=image.color), image.degrees
        except InvalidParameter:  # resized so that the image in the box is too small or too large for a layer
            return self, 0.0

    def rotated(self, degrees: float) -> Self:
        """Return the layer with its image rotated clockwise about its center; it can be rotated again, or back.

        The image becomes an SVG that holds the image as it was, and the layer's box becomes the smallest upright box
        around it. Other programs draw the same, except that an icon without a color is black there.

        Args:
            degrees: The angle, which adds to that of earlier rotations; a negative one is counterclockwise.

        Raises:
            InvalidParameter: If `degrees` is not a finite number, if the rotated image would exceed a limit of the
                layer, or if the content is an icon that does not exist.

        Example:
            >>> star = Layer("icon:star", x=100, y=100, width=40, height=20).rotated(90)
            >>> star.rotation, star.x, star.y, star.width, star.height
            (90.0, 110.0, 90.0, 20.0, 40.0)
            >>> star.rotated(-90) == Layer("icon:star", x=100, y=100, width=40, height=20)
            True
        """
        is_number = isinstance(degrees, int | float) and not isinstance(degrees, bool)
        if not is_number or not abs(degrees) <= float_info.max:
            raise InvalidParameter(Problem("degrees", degrees, "must be a number of degrees", "wrong-type"))
        layer, rotation = self._before_rotation
        # From -180, which means the same as 180, to 180.
        angle = round(180 - (180 - rotation - degrees) % 360, 4)
        if not angle:
            return layer
        image = Rotated(layer.content, layer.width, layer.height, angle, layer.color)
        middle = (layer.x + layer.width / 2, layer.y + layer.height / 2)
        return layer.replace(color=None)._in_box(image.as_content(), middle, image.box, 4)

    def _in_box(self, content: str, middle: tuple[float, float], size: tuple[float, float], places: int) -> Self:
        """Return the layer with another image, in a box around `middle`, rounded to `places` decimals.

        Boxes of rotated images have two decimals more, so that a layer turned back has the numbers that it had.
        """
        width, height = size
        box = {"x": middle[0] - width / 2, "y": middle[1] - height / 2, "width": width, "height": height}
        return self.replace(content=content, **{name: round(length, places) for name, length in box.items()})


class Photo(Model):
    """A photo that fills the symbol, cropped to a square; finder and alignment patterns stay plain.

    The darker the modules and the lighter the background, the more of a photo is left: it is changed only as much as
    readers of phones need. `ec="H"` suits photos best. `qrkit.data_uri` makes a data URI of a file. Files show at most
    1,200 x 1,200 pixels of a photo, which is 300 dpi at a width of 10 cm.

    Example:
        >>> Photo("https://example.com/harbour.jpg", place="halftone").place
        'halftone'
    """

    leading: ClassVar[str] = "content"
    content: Asset = Field(description="A data URI of a PNG, JPEG, SVG or WebP, or a URL.")
    place: PhotoPlace = "behind"

    if TYPE_CHECKING:

        def __init__(self, content: str, *, place: PhotoPlace = ...) -> None: ...

    @model_validator(mode="after")
    def _check_content(self) -> Self:
        if self.content.lower().startswith(ICON):
            raise broken("must be a picture, not an icon; `layers` draw icons", "content")
        return self


def photo_rule(place: str, kind: str, *, sprite: str | None, has_palette: bool) -> str | None:
    """Return the rule that modules break for a photo at this place; None if they suit it."""
    types = PHOTO_TYPES[place]
    if kind not in types:
        return f"place={place} needs modules.type={' or '.join(types)}, not {kind}"
    if place == "inside" and kind == "sprite" and not sprite:
        return "place=inside needs a built-in sprite in modules.sprite, because it colors each module"
    if place == "inside" and has_palette:
        return "place=inside colors each module; leave out modules.palette"
    return None


class Placeholder(Model):
    """The area of a wrapper in which the QR Code is placed, in the wrapper's pixels."""

    x: Coordinate = Field(title="Left", description="Distance from the left of the wrapper in pixels.")
    y: Coordinate = Field(title="Top", description="Distance from the top of the wrapper in pixels.")
    width: Extent = Field(description="Width in pixels.")
    height: Extent = Field(description="Height in pixels.")


class Wrapper(Model):
    """An image around the QR Code. The QR Code is scaled to fit its placeholder and centered there."""

    source: Asset = Field(title="Image", description="A data URI of a PNG, JPEG, SVG or WebP, or a URL.")
    width: WrapperSide = Field(description="Width of the output in pixels.")
    height: WrapperSide = Field(description="Height of the output in pixels.")
    placeholder: Placeholder = Field(
        title="QR Code area", description="Where the QR Code sits. It must lie inside the wrapper."
    )

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
            raise broken(rule, "placeholder", code="out-of-range")
        return self
