"""`Design`: what a QR Code picture looks like, as plain data that can be saved, compared and reused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, ClassVar, Self, TypedDict, Unpack

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from qrkit import late
from qrkit.design.color import BLACK, WHITE, Color
from qrkit.design.decoration import Layer, Markers, Modules, Wrapper
from qrkit.design.gradient import Fill, Gradient
from qrkit.design.limits import (
    MOST_PIXELS,
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
from qrkit.model import Model, Object

__all__ = ["ALPHANUMERIC", "CHARACTERS", "Design", "DesignFields", "kanji_value"]

NUMERIC = frozenset("0123456789")
ALPHANUMERIC = frozenset("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:")
"""The 45 characters of alphanumeric mode (ISO/IEC 18004:2015, 7.3.4)."""

KANJI = ((0x8140, 0x9FFC, 0x8140), (0xE040, 0xEBBF, 0xC140))
"""The codes of Shift JIS that Kanji mode has, first and last, and what is subtracted from each (7.4.6)."""

PLAIN_MODULES, PLAIN_MARKERS = Modules(), Markers()
"""Those of all designs that say nothing of them: nobody can change them, and making them takes as long as the rest."""


CHARACTERS = {
    "numeric": "digits",
    "alphanumeric": "0-9 A-Z space $ % * + - . / :",
    "kanji": "characters of two bytes in Shift JIS",
}
"""What a mode takes, in words, unless it takes any text."""


def kanji_value(character: str) -> int | None:
    """The 13 bits of a character in Kanji mode (ISO/IEC 18004:2015, 7.4.6); None if the mode does not have it."""
    code = int.from_bytes(character.encode("shift_jis", "ignore"), "big")
    less = next((less for first, last, less in KANJI if first <= code <= last), None)
    if less is None:
        return None
    high, low = divmod(code - less, 0x100)
    return high * 0xC0 + low


def _is_allowed(mode: EncodingMode, character: str) -> bool:
    """Whether a mode that takes not every text has a character."""
    if mode == "kanji":
        return kanji_value(character) is not None
    return character in (NUMERIC if mode == "numeric" else ALPHANUMERIC)


class DesignFields(TypedDict, total=False):
    """What `Design` takes beside its content, and with it `qrkit.generate` and all that draw."""

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
    wrapper: Wrapper | Object | None
    mask: int | None
    pad_codewords: PadChoice


class Design(Model):
    """A QR Code picture. Every field but `content` has the interface's default.

    Attributes:
        content: Text to encode, 1..32,767 characters; how many fit depends on version, `em` and `ec`.
        version: 1..40; None (also 0, -1 or "") takes the smallest that fits (ruling G1).
        size: Pixels per module, 1..20; `width` and `height` win over it.
        width: Of the whole picture in pixels, 1..10,000; alone it makes a square (ruling G8).
        height: Of the whole picture in pixels, likewise.
        padding: Quiet zone in modules, 0..20; the standard asks for 4.
        em: Encoding mode: `byte` (UTF-8), `numeric`, `alphanumeric`, `kanji`, or `auto` for the shortest mix of the
            first three.
        ec: Error correction level L, M, Q or H; never raised silently (ruling G3).
        foreground: Colour or gradient of dark modules.
        background: Colour or gradient of everything else.
        flip: none, horizontal, vertical or both: mirrors the symbol with its decoration (ruling G17).
        modules: How modules are drawn.
        markers: How the finder patterns are drawn.
        layers: At most 50 pictures over the modules, the first one lowest.
        wrapper: A picture around it all.
        mask: Data mask pattern reference 0..7; None takes the one with the lowest penalty, or, with free pad codewords,
            the one that leaves most error correction.
        pad_codewords: `iso`, the padding of ISO/IEC 18004:2015, 7.4.10; `segno`, which gives the modules of that
            library; or `free`: what no reader looks at is chosen so that modules have the color in which layers and
            sprites draw them anyway. The more room the content leaves, the more a logo may cover.

    Raises:
        InvalidParameter: A field breaks a rule; all that do are named.

    Example:
        >>> brand = Design(content="https://example.com", ec="H", foreground="navy", modules={"type": "rounded"})
        >>> brand.replace(content="https://example.com/spring").ec
        'H'
        >>> Design.from_json(brand.to_json()) == brand
        True
    """

    content: Content
    version: Version = None
    size: ModuleSize = 8
    width: PictureSide | None = None
    height: PictureSide | None = None
    padding: Padding = 4
    em: EncodingMode = "byte"
    ec: ErrorCorrection = "M"
    foreground: Fill = BLACK
    background: Fill = WHITE
    flip: Flip = "none"
    modules: Modules = Field(default_factory=lambda: PLAIN_MODULES)
    markers: Markers = Field(default_factory=lambda: PLAIN_MARKERS)
    layers: Annotated[tuple[Layer, ...], Most(0, 50)] = ()
    wrapper: Wrapper | None = None
    mask: Mask = None
    pad_codewords: PadChoice = "iso"

    if TYPE_CHECKING:

        def __init__(self, *, content: str, **fields: Unpack[DesignFields]) -> None: ...

    @model_validator(mode="after")
    def _content_fits_mode(self) -> Self:
        if self.em in ("byte", "auto"):
            return self
        wrong = next((index for index, one in enumerate(self.content) if not _is_allowed(self.em, one)), None)
        if wrong is not None:
            rule = (
                f"em={self.em} allows {CHARACTERS[self.em]}, but character {wrong + 1} is {self.content[wrong]!r}; "
                "em=byte takes any text"
            )
            raise PydanticCustomError("bad-content", "{rule}", {"rule": rule, "field": "content"})
        return self

    @model_validator(mode="after")
    def _has_a_size(self) -> Self:
        if self.width is None and self.height is None and self.wrapper is None:
            return self
        sizes: dict[str, tuple[float, float]]
        sizes = {"width" if self.width else "height": (self.width or self.height or 0, self.height or self.width or 0)}
        if self.wrapper:
            sizes["wrapper"] = (self.wrapper.width, self.wrapper.height)
        for field, (width, height) in sizes.items():
            if width * height > MOST_PIXELS:
                rule = f"width x height must be at most {MOST_PIXELS:,} pixels, not {width * height:,.0f}"
                raise PydanticCustomError("out-of-range", "{rule}", {"rule": rule, "field": field})
        return self

    check: ClassVar = late.check
    make_scannable: ClassVar = late.make_scannable
    resized: ClassVar = late.resized
    with_logo: ClassVar = late.with_logo
    largest_logo: ClassVar = late.largest_logo

    @property
    def pictures(self) -> dict[str, str]:
        """What it needs pictures of: path of a field, `layers.0.content`, to what it holds."""
        found = {f"layers.{index}.content": layer.content for index, layer in enumerate(self.layers)}
        if self.modules.type == "sprite" and not self.modules.sprite:
            found |= {f"modules.sprites.{index}.content": one.content for index, one in enumerate(self.modules.sprites)}
        if self.wrapper:
            found["wrapper.source"] = self.wrapper.source
        return found
