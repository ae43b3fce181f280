"""Describes frames around a QR Code, and their captions, as plain data.

A frame is drawn for the symbol at hand, of any version and quiet zone; a `Wrapper` is a finished image with a hole.
"""

from __future__ import annotations

import unicodedata
from itertools import count
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self, get_args

from pydantic import AfterValidator, Field, StrictStr, model_validator

from qrkit.design.color import Color
from qrkit.design.limits import AnyCase, Length, Number, Within
from qrkit.model import Model, Object, broken

JOINED = ("R", "AL", "AN")
"""Bidirectional classes of letters that run from right to left."""


def _line(text: str) -> str:
    """Check that the letters of a text can be set one after another, without shaping."""
    rule = unset_rule(text)
    if rule is None and not text.strip():
        rule = "must not be blank"
    if rule:
        raise broken(rule, code="bad-content")
    return text


def unset_rule(text: str) -> str | None:
    """Return the rule that a text breaks whose letters cannot be set one after another; None if they can."""
    return next(filter(None, map(_wrong_letter, unicodedata.normalize("NFC", text), count(1))), None)


def _wrong_letter(letter: str, number: int) -> str | None:
    """Return the rule that a character of a text breaks."""
    name, category = unicodedata.name(letter, f"U+{ord(letter):04X}"), unicodedata.category(letter)
    if category in ("Cc", "Cs", "Zl", "Zp"):
        return f"must be a single line, but character {number} is {letter!r}"
    if unicodedata.bidirectional(letter) in JOINED:
        script = name.split()[0].capitalize()
        rule = "right-to-left text is not supported, only letters that run from left to right"
        return f"has {script} letters (character {number} is {name}); {rule}"
    if category == "Cf":
        return f"has an invisible character (character {number} is {name}); remove it"
    if category.startswith("M"):
        rule = "which is not supported, only letters that stand side by side"
        return f"has a mark that joins other letters (character {number} is {name}), {rule}"
    return None


_FrameKind = Literal[
    "bag", "bar", "border", "bubble", "card", "legend", "phone", "pill", "plate", "polaroid", "ribbon", "round", "seal",
    "stamp", "tab", "tag", "ticket", "viewfinder",
]  # fmt: skip
FRAME_KINDS: tuple[_FrameKind, ...] = get_args(_FrameKind)
"""All kinds of frames."""

ONE_LINE = ("legend", "pill", "ribbon")
"""Kinds without room for a subtitle."""
WORDLESS = ("border", "plate", "round", "stamp", "viewfinder")
"""Kinds that have no caption by default."""

FrameKind = Annotated[
    _FrameKind,
    AnyCase,
    Field(
        title="Shape",
        description="`bar`: a caption below the code, on the color of the border. `bubble`: a speech bubble. "
        "`pill` and `legend`: a caption on the border, or in a gap of it. `seal`: text on a circle. `viewfinder`: four "
        "corners. `card`: a caption above the code and a subtitle below it. `plate`: a light plate on the color of the "
        "frame. `round`: a disc of modules without a meaning. The others look like what they are named after.",
    ),
]
Weight = Annotated[
    Literal["regular", "medium", "semibold", "bold", "extrabold"],
    AnyCase,
    Field(description="Weight of the letters; a font of your own has only one."),
]
Side = Annotated[
    Literal["bottom", "top"],
    AnyCase,
    Field(
        description="Where the caption is. On a `card` it is always above the code and the subtitle below it; on a "
        "`seal` it is around the code."
    ),
]
Line = Annotated[StrictStr, Length(1, 60), AfterValidator(_line)]
FontUri = Annotated[StrictStr, Length(1, 3_000_000)]
IconName = Annotated[StrictStr, Length(1, 64)]
Radius = Annotated[Number, Within(0, 0.3, "of the side of the light area")]


class Short(Model):
    """A record that may be given as a text, the value of its leading field."""

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, value: Any) -> Any:
        return {cls.leading: value} if isinstance(value, str) else value


class Caption(Short):
    """The words on a frame. They are drawn as outlines, so no picture needs a font; their size follows the frame.

    A string stands for a caption with this text.
    """

    leading: ClassVar[str] = "text"
    text: Line = Field(
        description="The words, without line breaks. Words that would become small go on two lines, or on three in a "
        "tall frame; then they shrink to fit, and what still does not fit is an error."
    )
    subtitle: Line | None = Field(
        default=None, description="Smaller words below. On a `seal`, it is the lower half of the circle."
    )
    weight: Weight = "bold"
    color: Color | None = Field(
        default=None, description="Color of the letters; by default, the color of the frame or of the light area."
    )
    font: FontUri | None = Field(
        default=None,
        description="Data URI of a TrueType or OpenType font of at most 2 MiB. The default is Manrope, which has "
        "Latin, Greek and Cyrillic letters.",
    )

    if TYPE_CHECKING:

        def __init__(
            self,
            text: str,
            *,
            subtitle: str | None = ...,
            weight: Weight = ...,
            color: str | Color | None = ...,
            font: str | None = ...,
        ) -> None: ...


USUAL = Caption("Scan me")
USUAL_KIND: FrameKind = "bar"
"""Kind of the frame of a caption, if no other is given."""


class Frame(Short):
    """A frame around the QR Code, drawn to fit any symbol.

    A string stands for a frame of this kind. With `size`, the frame is added around the QR Code, whose modules keep
    their size. With `width` or `height`, the whole image with its frame has that width or height: one of them alone
    keeps the proportions of the frame, and both together leave room at two sides. The area next to the symbol stays
    light for at least two modules, whatever the quiet zone is. A flip does not mirror the frame.

    Example:
        >>> Frame("bubble", caption="See the menu", color="#C2410C").caption
        Caption(text='See the menu')
    """

    leading: ClassVar[str] = "kind"
    kind: FrameKind
    caption: Caption | None = Field(
        default=None,
        description="The words. By default, `Scan me`; a `border`, a `plate`, a `round` one, a `stamp` and a "
        "`viewfinder` need none.",
    )
    color: Color | None = Field(default=None, description="Color of the frame; by default, the foreground.")
    background: Color | None = Field(
        default=None, description="Color of the area around the code; by default, the background of the design."
    )
    radius: Radius = Field(
        default=0.08, title="Corner radius", description="Corner radius of the light area; 0 gives sharp corners."
    )
    icon: IconName | None = Field(default=None, description="Name of an icon that stands before the caption.")
    side: Side = "bottom"

    if TYPE_CHECKING:

        def __init__(
            self,
            kind: FrameKind,
            *,
            caption: Caption | str | Object | None = ...,
            color: str | Color | None = ...,
            background: str | Color | None = ...,
            radius: float = ...,
            icon: str | None = ...,
            side: Side = ...,
        ) -> None: ...

    @model_validator(mode="after")
    def _check_subtitle(self) -> Self:
        if self.kind in ONE_LINE and self.caption and self.caption.subtitle:
            raise broken(f"has a subtitle, but a frame of the kind {self.kind!r} has one line", "caption")
        return self

    @property
    def words(self) -> Caption | None:
        """The caption that is drawn: `caption` or, for a kind that needs one, `Scan me`."""
        return self.caption or (None if self.kind in WORDLESS else USUAL)
