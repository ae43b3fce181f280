"""`Design`: what a QR Code picture looks like, as plain data that can be saved, compared and reused."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Annotated, Self, TypedDict, Unpack

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from qrkit.color import BLACK, WHITE, Color
from qrkit.decoration import Layer, Markers, Modules, Wrapper
from qrkit.gradient import Fill, Gradient
from qrkit.limits import (
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

if TYPE_CHECKING:
    from qrkit.assets import Fetch
    from qrkit.decoration import LogoLook
    from qrkit.scannability.largest_logo import LargestLogo
    from qrkit.scannability.repair import Repair
    from qrkit.scannability.report import Level, ScanReport

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


class RepairOptions(TypedDict, total=False):
    """What `Design.make_scannable` takes beside its target."""

    may: Collection[str]
    level: Level
    fetch: Fetch | None


class LogoOptions(TypedDict, total=False):
    """What `Design.largest_logo` takes beside the picture."""

    target: float
    place: tuple[float, float]
    pad_codewords: PadChoice | None
    may: Collection[str]
    level: Level
    fetch: Fetch | None


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

    def check(self, level: str = "standard", *, fetch: Fetch | None = None) -> ScanReport:
        """Whether it scans, with how much room, and what would help.

        Args:
            level: `static`, `quick`, `standard` or `full`, as `qrkit.check` has them.
            fetch: What reads pictures that it names by their URL; without it, none is read (ruling G20).

        Raises:
            InvalidParameter: There is no such level.
            ContentTooLong: The content does not fit.
            AssetError: A picture that it names is none, or not to be had.
            RenderingFailed: The renderer broke down on a part of it.

        Example:
            >>> Design(content="https://example.com", padding=0).check("static").verdict
            'fragile'
        """
        from qrkit.scannability import check

        return check(self, level, fetch=fetch)

    def make_scannable(self, target: float = 0.5, **options: Unpack[RepairOptions]) -> Repair:
        """Change the design as little as is needed for it to scan: `check()` calls what comes back at least `ok`.

        Args:
            target: Share of the worst block's error correction that the design may use, 0..1.
            **options: `may`, `level` and `fetch`, as `qrkit.scannability.repair.make_scannable` has them.

        Raises:
            CannotRepair: What may be changed does not suffice; it says what is in the way and what else would help.
            InvalidParameter: An argument breaks its rule.
            ContentTooLong: The content does not fit.
            AssetError: A picture that it names is none, or not to be had.
            RenderingFailed: The renderer broke down on a part of it.

        Example:
            >>> print(Design(content="https://example.com", padding=0).make_scannable())
            fragile -> robust (standard check)
              4 modules of quiet zone instead of 0
        """
        from qrkit.scannability.repair import make_scannable

        return make_scannable(self, target, **options)

    def resized(self, **fields: Unpack[DesignFields]) -> Design:
        """The design in another size, where `replace` would leave pictures behind.

        Layers, sprites and absolute gradients lie in pixels of the picture: here they keep their place and their
        share of the symbol. A size takes the place of a width and a height.

        Args:
            **fields: Those of `Design` that move the symbol or give it another size, as a longer content does.

        Raises:
            InvalidParameter: A field breaks its rule, or leaves less than a pixel for a module.
            ContentTooLong: The content does not fit.

        Example:
            >>> small = Design(content="https://example.com").with_logo("icon:heart")
            >>> small.layers[0].width, small.resized(size=16).layers[0].width
            (40.0, 80.0)
        """
        from qrkit.draw.relaying import relaid

        return relaid(self, **fields)

    def with_logo(
        self,
        content: str,
        share: float = 0.2,
        *,
        place: tuple[float, float] = (0.5, 0.5),
        fetch: Fetch | None = None,
        **look: Unpack[LogoLook],
    ) -> Design:
        """The design with a picture on it, as a layer that has the picture's proportions.

        Modules that it touches are left out, so that it does not melt into them; `display="overlay"` keeps them.
        The design gets the width that its picture has, where it has neither width nor height: so the logo keeps its
        place whatever is encoded. `resized` gives it another size.

        Args:
            content: The picture, as `Layer.content` has it: `icon:NAME`, or `qrkit.data_uri("logo.png")`.
            share: Of the symbol's width and height, without the quiet zone: its longer side, 0.01..2.
            place: Where its middle is, as shares of the symbol from its left and its top, 0..1.
            fetch: What reads a picture by its URL; without it, none is read (ruling G20).
            **look: Fields of `Layer`: name, opacity, color, display, tolerance.

        Raises:
            InvalidParameter: An argument breaks its rule.
            AssetError: The picture is none, or not to be had.
            ContentTooLong: The content of the design does not fit.

        Example:
            >>> brand = Design(content="https://example.com", ec="H").with_logo("icon:heart", 0.25, color="#9A3412")
            >>> brand.check("static").verdict
            'robust'
        """
        from qrkit.draw.logo import with_logo

        return with_logo(self, content, share, place=place, fetch=fetch, **look)

    def largest_logo(self, content: str, **options: Unpack[LogoOptions]) -> LargestLogo:
        """The largest picture that it can have as a layer.

        Args:
            content: The picture, as `Layer.content` has it; it keeps its proportions.
            **options: `target`, `place`, `pad_codewords`, `may`, `level` and `fetch`, as
                `qrkit.scannability.largest_logo.largest_logo` has them.

        Raises:
            CannotRepair: Not even a picture of one module fits there.
            InvalidParameter: An argument breaks its rule.
            AssetError: The picture is none, or not to be had.
            ContentTooLong: The content of the design does not fit.
            RenderingFailed: The renderer broke down on a part of it.
        """
        from qrkit.scannability.largest_logo import largest_logo

        return largest_logo(self, content, **options)

    @property
    def pictures(self) -> dict[str, str]:
        """What it needs pictures of: path of a field, `layers.0.content`, to what it holds."""
        found = {f"layers.{index}.content": layer.content for index, layer in enumerate(self.layers)}
        if self.modules.type == "sprite" and not self.modules.sprite:
            found |= {f"modules.sprites.{index}.content": one.content for index, one in enumerate(self.modules.sprites)}
        if self.wrapper:
            found["wrapper.source"] = self.wrapper.source
        return found
