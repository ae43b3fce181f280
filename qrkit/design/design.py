"""Provides `Design`, which describes a QR Code image as plain data that can be saved, compared and reused.

To add a field: the field here, with a type of `limits.py` and its help text; its line in `DesignFields`; its effect in
`drawing/`. The interface, the command line, widgets and the description follow.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self, TypedDict, TypeVar, Unpack

from pydantic import Field, model_validator

from qrkit import late
from qrkit.design.bounds import NAMES_ELSEWHERE
from qrkit.design.characters import (
    ALPHANUMERIC,
    AMBIGUOUS,
    CHARACTERS,
    NUMERIC,
    SEPARATOR,
    charset_rule,
    fields_of_bytes,
    kanji_value,
)
from qrkit.design.color import BLACK, WHITE, Color
from qrkit.design.decoration import Layer, Markers, Modules, Photo, Wrapper, photo_rule
from qrkit.design.frames import Frame
from qrkit.design.gradient import Fill, Gradient
from qrkit.design.limits import (
    MICRO_EYES,
    MOST_PIXELS,
    CharsetChoice,
    Content,
    EncodingMode,
    ErrorCorrection,
    Flip,
    Mask,
    ModuleSize,
    Most,
    PadChoice,
    Padding,
    PictureSide,
    Version,
)
from qrkit.design.message_part import MessagePart
from qrkit.model import Model, Object, broken

__all__ = ["ALPHANUMERIC", "CHARACTERS", "Design", "DesignFields", "kanji_value", "lists_fields", "with_fields"]

MICRO_PADDING = 2
"""Default quiet zone of a Micro QR Code in modules (ISO/IEC 18004:2015, 6.3.8)."""

LAYING = (
    "content", "version", "size", "width", "height", "padding", "em", "ec", "charset", "fnc1", "micro", "part", "frame",
)  # fmt: skip
"""The fields that size and place of the symbol depend on."""

Function = TypeVar("Function", bound=Callable[..., Any])

PLAIN_MODULES, PLAIN_MARKERS = Modules(), Markers()
"""Shared defaults: they are immutable, and creating them would double the time that a design takes."""


def _is_allowed(mode: EncodingMode, character: str) -> bool:
    """Return True if a mode other than byte or auto can encode a character."""
    if mode == "kanji":
        return kanji_value(character) is not None
    return character in (NUMERIC if mode == "numeric" else ALPHANUMERIC)


class DesignFields(TypedDict, total=False):
    """The optional fields of `Design`, which `qrkit.generate` and all functions that draw accept, too."""

    version: int | None
    size: int
    width: int | None
    height: int | None
    padding: int
    em: EncodingMode
    ec: ErrorCorrection
    foreground: str | Color | Gradient | Object
    background: str | Color | Gradient | Object
    flip: Flip
    modules: Modules | Object
    markers: Markers | Object
    layers: Sequence[Layer | Object]
    photo: Photo | Object | None
    wrapper: Wrapper | Object | None
    frame: Frame | str | Object | None
    mask: int | None
    pad_codewords: PadChoice
    charset: str | None
    fnc1: bool
    micro: bool
    part: MessagePart | Object | None
    error_correction: ErrorCorrection
    mode: EncodingMode
    quiet_zone: int


class DesignChanges(DesignFields, total=False):
    """The fields that `Design.replace` and `Design.resized` accept."""

    content: str | bytes


class Design(Model):
    """The design of a QR Code image. Every field except `content` has a default.

    `foreground` and `background` are a color or a `Gradient`. Three fields have a second name in Python, as argument
    and as attribute: `error_correction` for `ec`, `mode` for `em`, and `quiet_zone` for `padding`.

    Example:
        >>> brand = Design(content="https://example.com", ec="H", foreground="navy", modules={"type": "rounded"})
        >>> brand.replace(content="https://example.com/spring").ec
        'H'
        >>> Design.from_json(brand.to_json()) == brand
        True
    """

    other_names: ClassVar[Mapping[str, str]] = {"error_correction": "ec", "mode": "em", "quiet_zone": "padding"}
    names_elsewhere: ClassVar[Mapping[str, str]] = NAMES_ELSEWHERE
    no_fields: ClassVar[Mapping[str, str]] = dict.fromkeys(
        ("logo", "caption", "preset", "colorway"),
        "`qrkit.generate` takes logo, caption, preset and colorway; a Design has `with_logo`, `frame=Frame(kind, "
        "caption=...)` and `qrkit.presets.with_preset`. For many codes, pass `design=generate(...).design`.",
    ) | dict.fromkeys(
        ("format", "kind", "output"),
        'The format belongs to the file, not to the design: `qrkit.generate("...").save("code.svg")`.',
    )

    content: Content = Field(description="Text to encode. The maximum length depends on `version`, `em` and `ec`.")
    version: Version = None
    size: ModuleSize = 8
    width: PictureSide | None = Field(
        default=None, description="Width of the whole image, instead of `size`. Without `height`, it is square."
    )
    height: PictureSide | None = Field(
        default=None, description="Height of the whole image, instead of `size`. Without `width`, it is square."
    )
    padding: Padding = 4
    em: EncodingMode = "byte"
    ec: ErrorCorrection = "M"
    foreground: Fill = Field(default=BLACK, description="Color or gradient of the dark modules.")
    background: Fill = Field(default=WHITE, description="Color or gradient behind the modules.")
    flip: Flip = "none"
    modules: Modules = Field(default_factory=lambda: PLAIN_MODULES, description="How modules are drawn.")
    markers: Markers = Field(default_factory=lambda: PLAIN_MARKERS, description="How finder patterns are drawn.")
    layers: Annotated[tuple[Layer, ...], Most(0, 50)] = Field(
        default=(), description="Up to 50 images over the modules, such as a logo, from bottom to top."
    )
    photo: Photo | None = Field(default=None, description="A photo behind or inside the modules.")
    wrapper: Wrapper | None = Field(default=None, description="An image around the QR Code, such as a poster.")
    frame: Frame | None = Field(
        default=None, description="A frame around the QR Code, drawn to fit its symbol; excludes `wrapper`."
    )
    mask: Mask = None
    pad_codewords: PadChoice = "iso"
    charset: CharsetChoice = None
    fnc1: bool = Field(
        default=False,
        title="GS1 (FNC1)",
        description="Begin the symbol with FNC1, which declares a GS1 element string; the character GS (U+001D) "
        "separates its values.",
    )
    micro: bool = Field(
        default=False,
        title="Micro QR Code",
        description="Use the smallest Micro QR Code that fits, M1 to M4: at most 35 digits, 21 alphanumeric characters "
        "or 15 bytes, with one finder pattern and a default quiet zone of 2 modules. Most phones cannot read it, but "
        "many industrial readers can.",
    )
    part: MessagePart | None = Field(
        default=None, description="The part of a message that the symbol holds, if several symbols share the message."
    )

    if TYPE_CHECKING:

        def __init__(self, *, content: str | bytes, **fields: Unpack[DesignFields]) -> None: ...

    else:

        def __init__(self, /, *first, **values) -> None:
            # Contents from `qrkit.contents` carry the fields that the standard of their kind prescribes, such as `ec`.
            if isinstance(content := values.get("content"), bytes):
                values |= fields_of_bytes(content, values.get("charset"))
            prescribed = getattr(content, "drawn", None)
            super().__init__(*first, **({**prescribed, **self.by_field(values)} if prescribed else values))

        __init__.__pydantic_base_init__ = True  # as in `Model`

    @model_validator(mode="after")
    def _check_content(self) -> Self:
        if self.em in ("byte", "auto"):
            return self
        also = SEPARATOR if self.fnc1 and self.em == "alphanumeric" else ""
        wrong = next(
            (index for index, one in enumerate(self.content) if one != also and not _is_allowed(self.em, one)), None
        )
        rule = ""
        if wrong is not None:
            rule = (
                f"em={self.em} allows {CHARACTERS[self.em]}, but character {wrong + 1} is {self.content[wrong]!r}; "
                "em=byte takes any text"
            )
        elif also and AMBIGUOUS.search(self.content):
            rule = "em=alphanumeric cannot write % or a second separator after a separator; em=byte can"
        if rule:
            raise broken(rule, "content", code="bad-content")
        return self

    @model_validator(mode="after")
    def _check_charset(self) -> Self:
        if self.charset and self.em not in ("byte", "auto"):
            raise broken(f"is for em=byte and em=auto; em={self.em} has its own characters", "charset")
        if self.charset and (rule := charset_rule(self.content, self.charset)):
            raise broken(rule, "content", code="bad-content")
        return self

    @model_validator(mode="after")
    def _check_micro(self) -> Self:
        if not self.micro:
            return self
        rules = {
            "version": self.version and "cannot be combined with micro, which uses the smallest of M1 to M4",
            "ec": self.ec == "H" and "must be L, M or Q with micro; only ordinary QR Codes have level H",
            "mask": (self.mask or 0) > 3 and "must be in 0..3 with micro, which has four data mask patterns",
            "pad_codewords": self.pad_codewords != "iso" and "must be iso with micro",
            "charset": self.charset and "cannot be combined with micro, because Micro QR Codes declare no charset",
            "fnc1": self.fnc1 and "cannot be combined with micro, because Micro QR Codes have no FNC1",
            "part": self.part and "cannot be combined with micro, because Micro QR Codes have no structured append",
        }
        eye = self.markers.top_left
        for name in ("pattern", "inner"):
            if eye and getattr(eye, name) not in (None, *MICRO_EYES):
                rules[f"markers.topLeft.{name}"] = (
                    f"must be {', '.join(MICRO_EYES)} with micro: readers miss other eyes"
                )
        for field, rule in rules.items():
            if rule:
                raise broken(rule, field)
        if "padding" not in self.model_fields_set:
            self.__dict__["padding"] = MICRO_PADDING
        return self

    @model_validator(mode="after")
    def _check_frame(self) -> Self:
        if self.frame and self.wrapper:
            raise broken("takes the place of a wrapper; leave out one of the two", "frame")
        return self

    @model_validator(mode="after")
    def _check_photo(self) -> Self:
        modules = self.modules
        rule = self.photo and photo_rule(
            self.photo.place, modules.type, sprite=modules.sprite, has_palette=bool(modules.palette)
        )
        if rule:
            raise broken(rule, "photo")
        return self

    @model_validator(mode="after")
    def _check_size(self) -> Self:
        if self.width is None and self.height is None and self.wrapper is None:
            return self
        sizes: dict[str, tuple[float, float]]
        sizes = {"width" if self.width else "height": (self.width or self.height or 0, self.height or self.width or 0)}
        if self.wrapper:
            sizes["wrapper"] = (self.wrapper.width, self.wrapper.height)
        for field, (width, height) in sizes.items():
            if width * height > MOST_PIXELS:
                rule = f"width x height must be at most {MOST_PIXELS:,} pixels, not {width * height:,.0f}"
                raise broken(rule, field, code="out-of-range")
        return self

    @property
    def error_correction(self) -> ErrorCorrection:
        """The error correction level, `ec`."""
        return self.ec

    @property
    def mode(self) -> EncodingMode:
        """The encoding mode, `em`."""
        return self.em

    @property
    def quiet_zone(self) -> int:
        """The quiet zone in modules, `padding`."""
        return self.padding

    def replace(self, /, **changes: Unpack[DesignChanges]) -> Design:  # type: ignore[override]
        """Return a copy with some fields changed, validated again.

        If the symbol moves or gets another size, layers, sprites and absolute gradients follow: a logo keeps its place
        on the symbol and its share of it. Passing `size` removes `width` and `height`. A version that layers were
        placed on grows with a longer content.

        Args:
            **changes: Fields of `Design`; fields that you leave out keep their value.

        Raises:
            InvalidParameter: If a change breaks a rule, or modules that layers follow would be smaller than one pixel.
            ContentTooLong: If layers follow the symbol, and the new content does not fit.
        """
        names = self.by_field(changes).keys()
        if "size" in names and (self.width or self.height):  # which would override it
            changes = {"width": None, "height": None, **changes}
        changed = super().replace(**changes)
        return changed if "layers" in names or names.isdisjoint(LAYING) else self._followed(changed)

    def resized(self, /, **changes: Unpack[DesignChanges]) -> Design:
        """Return the design at another size, as `replace` does.

        Args:
            **changes: Fields of `Design`; fields that you leave out keep their value.

        Raises:
            InvalidParameter: If a change breaks a rule, or modules that layers follow would be smaller than one pixel.
            ContentTooLong: If layers follow the symbol, and the new content does not fit.

        Example:
            >>> small = Design(content="https://example.com").with_logo("icon:heart")
            >>> small.layers[-1].width, small.resized(size=16).layers[-1].width
            (46.4, 92.8)
        """
        return self.replace(**changes)

    # Higher rooms have these.
    check: ClassVar = late.check
    make_scannable: ClassVar = late.make_scannable
    with_logo: ClassVar = late.with_logo
    largest_logo: ClassVar = late.largest_logo
    frame_as_wrapper: ClassVar = late.frame_as_wrapper
    _followed: ClassVar = late.followed

    @property
    def pictures(self) -> dict[str, str]:
        """The images that the design uses: maps the path of each field, such as `layers.0.content`, to its value."""
        images = {f"layers.{index}.content": layer.content for index, layer in enumerate(self.layers)}
        if self.modules.type == "sprite" and not self.modules.sprite:
            sprites = enumerate(self.modules.sprites)
            images |= {f"modules.sprites.{index}.content": sprite.content for index, sprite in sprites}
        if self.photo:
            images["photo.content"] = self.photo.content
        if self.wrapper:
            images["wrapper.source"] = self.wrapper.source
        return images


@cache
def _parameters() -> Mapping[str, inspect.Parameter]:
    return inspect.signature(Design).parameters


def lists_fields(fields: type[DesignFields], *, is_change: bool = False) -> Callable[[Function], Function]:
    """Show the fields that a function accepts as `**fields: Unpack[…]` in `help()` and completion.

    Functions that accept all fields of a design use `Unpack`: type checkers and editors support it, the fields are
    listed once, and a misspelled name gets a suggestion. Otherwise nine functions would list 19 parameters each.

    Args:
        fields: `DesignFields`, or `DesignChanges`, which includes the content.
        is_change: True if a field that is left out keeps its value; False if it gets its default.
    """

    def decorate(function: Function) -> Function:
        own = inspect.signature(function)
        function.__signature__ = with_fields(own, fields, is_change=is_change)  # type: ignore[attr-defined]
        return function

    return decorate


def with_fields(own: inspect.Signature, fields: type[DesignFields], *, is_change: bool = False) -> inspect.Signature:
    """Return the signature of a function with the fields that it accepts in place of `**fields`."""
    *leading, _ = own.parameters.values()
    taken = [one for name, one in _parameters().items() if name in fields.__annotations__]
    shown = [one.replace(default=...) if is_change else one for one in taken]
    return inspect.Signature([*leading, *shown])


for _change in (Design.replace, Design.resized):
    lists_fields(DesignChanges, is_change=True)(_change)
