"""Provides `Brand`: the name, colors, logo, font and shapes that an organization uses on everything it publishes."""

from __future__ import annotations

from collections.abc import Callable, Set
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self, Unpack

from pydantic import AfterValidator, Field, StrictStr, model_validator

from qrkit.design.color import BLACK, WHITE, Color
from qrkit.design.decoration import Markers, Modules
from qrkit.design.design import Design, DesignFields, lists_fields
from qrkit.design.frames import USUAL, Caption, FontUri, Frame
from qrkit.design.limits import Asset, Length, MarkerPattern
from qrkit.languages import say
from qrkit.model import Model, Object, broken

Fetch = Callable[[str], bytes]
"""Downloads an image, as `qrkit.drawing.untrusted.assets.Fetch`."""
LOGO = "brand logo"
"""Name of the layer of the logo; the name of the layer of its plate ends with it. A new brand replaces both."""


def _name(text: str) -> str:
    if not text.strip():
        raise broken("must not be blank", code="bad-content")
    return text


def _opaque(color: Color) -> Color:
    if color.alpha != 255:
        raise broken("must be opaque", code="bad-colour")
    return color


BrandName = Annotated[StrictStr, Length(1, 100), AfterValidator(_name)]
OpaqueColor = Annotated[Color, AfterValidator(_opaque)]


class Brand(Model):
    """One look for QR Codes, reports, charts and landing pages.

    `design` makes a QR Code in this look, and `apply` gives the look to a design that you have. Save a brand with
    `portfolio.brands.save`.

    Example:
        >>> acme = Brand("Acme", ink="#1B2A49", accent="#9A3412", logo="icon:heart", frame="bar", eye="rounded")
        >>> menu = acme.design("https://go.example.com/aB3xY", "See the menu")
        >>> menu.frame.caption.text, menu.ec, menu.check("static").verdict
        ('See the menu', 'H', 'robust')
    """

    leading: ClassVar[str] = "name"
    name: BrandName = Field(description="Name of the organization or product, as reports and landing pages show it.")
    ink: OpaqueColor = Field(
        default=BLACK, description="Color of modules, of the rings of finder patterns, and of frames. Keep it dark."
    )
    accent: OpaqueColor | None = Field(
        default=None,
        description="Color of the centers of finder patterns, of the first series in charts, and of buttons. By "
        "default, the ink. Phones do not read centers in a bright color, such as orange; `check` says so.",
    )
    ground: OpaqueColor = Field(default=WHITE, description="Color behind the modules.")
    logo: Asset | None = Field(
        default=None,
        description="A data URI of a PNG, JPEG, SVG or WebP, `icon:` and a name, or a URL. It stands on a plate.",
    )
    font: FontUri | None = Field(
        default=None,
        description="Data URI of a TrueType or OpenType font of at most 2 MiB, for captions. The default is Manrope.",
    )
    frame: Frame | None = Field(
        default=None, description="Frame around every QR Code. Without one, only QR Codes with a caption get a `bar`."
    )
    modules: Modules = Field(default_factory=Modules, description="How modules are drawn.")
    eye: MarkerPattern = "default"

    if TYPE_CHECKING:

        def __init__(
            self,
            name: str,
            *,
            ink: str | Color = ...,
            accent: str | Color | None = ...,
            ground: str | Color = ...,
            logo: str | None = ...,
            font: str | None = ...,
            frame: Frame | str | Object | None = ...,
            modules: Modules | Object = ...,
            eye: MarkerPattern = ...,
        ) -> None: ...

    @model_validator(mode="after")
    def _check_sprites(self) -> Self:
        if self.modules.sprites:
            rule = (
                "has sprites of a fixed size in pixels, but a brand fits any size; name a built-in sprite in `sprite`"
            )
            raise broken(rule, "modules")
        return self

    @lists_fields(DesignFields)
    def design(
        self,
        content: str,
        caption: Caption | str | None = None,
        *,
        fetch: Fetch | None = None,
        **fields: Unpack[DesignFields],
    ) -> Design:
        """Return a QR Code in the look of the brand.

        A brand with a logo raises the error correction to level H, unless you pass `ec`.

        Args:
            content: The text to encode.
            caption: The words on the frame; by default, those of the brand's frame.
            fetch: Downloads a logo given by its URL.
            **fields: Fields of `Design`, which take precedence over the brand.

        Raises:
            InvalidParameter: If a field or the caption breaks its rule.
            AssetError: If the logo is invalid or cannot be fetched.
            RemoteContentDisabled: If the logo is a URL and there is no `fetch`.
            ContentTooLong: If the content does not fit.
        """
        design = Design(content=content, **fields)
        return self._dressed(design, caption, fetch, own=design.model_fields_set)

    def apply(self, design: Design, caption: Caption | str | None = None, *, fetch: Fetch | None = None) -> Design:
        """Return a design in the look of the brand. Its content, size, layers and wrapper stay.

        The words on a frame of the design stay, too, in their font if they have one. The logo of another brand is
        replaced, so applying a brand twice is the same as applying it once.

        Args:
            design: The design to start from.
            caption: The words on the frame; by default, those of the design or of the brand's frame.
            fetch: Downloads a logo given by its URL.

        Raises:
            InvalidParameter: If the caption breaks its rule, or modules would be smaller than one pixel.
            AssetError: If the logo is invalid or cannot be fetched.
            RemoteContentDisabled: If the logo is a URL and there is no `fetch`.
            ContentTooLong: If the content does not fit.

        Example:
            >>> plain = Design(content="https://example.com", size=12)
            >>> Brand("Acme", ink="navy", modules={"type": "dots"}).apply(plain).foreground
            Color.parse('#000080')
        """
        kept = [layer for layer in design.layers if not layer.name.endswith(LOGO)]
        if len(kept) < len(design.layers):
            design = design.replace(layers=kept)
        return self._dressed(design, caption, fetch, own=frozenset())

    def _dressed(self, design: Design, caption: Caption | str | None, fetch: Fetch | None, *, own: Set[str]) -> Design:
        """Give a design the look of the brand, except for its own fields, and then the logo."""
        look: dict[str, Any] = {
            "foreground": self.ink,
            "background": self.ground,
            "modules": self.modules,
            "markers": Markers.all(self.eye, inner_color=self.accent),
            "frame": self._framed(design, caption, is_own="frame" in own),
        }
        if self.logo and "ec" not in design.model_fields_set:
            look["ec"] = "H"
        dressed = design.replace(**{name: value for name, value in look.items() if name == "frame" or name not in own})
        return dressed.with_logo(self.logo, name=LOGO, fetch=fetch) if self.logo else dressed

    def _framed(self, design: Design, caption: Caption | str | None, *, is_own: bool) -> Frame | None:
        """Return the frame of a design: its own or the brand's, with the caption and the font of the brand."""
        if is_own or design.wrapper or self.frame is None:
            frame = design.frame
        elif design.frame and design.frame.caption:
            frame = self.frame.replace(caption=design.frame.caption)
        else:
            usual = self.frame.words is USUAL and say(USUAL.text)  # in the language of the context, as in presets
            frame = self.frame.replace(caption=usual) if usual and usual != USUAL.text else self.frame
        if caption is not None:
            frame = (frame or Frame("bar")).replace(caption=caption)
        if self.font and frame and frame.words and frame.words.font is None:
            frame = frame.replace(caption=frame.words.replace(font=self.font))
        return frame
