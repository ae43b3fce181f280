"""Provides `PRESETS`, the looks of `qrkit.presets`: each scans reliably, in three colorways, with room for a text."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

from qrkit.design.decoration import Layer, Markers, Modules
from qrkit.design.frames import ONE_LINE, Caption, Frame, FrameKind
from qrkit.design.gradient import Gradient
from qrkit.design.limits import MarkerPattern
from qrkit.languages import say

__all__ = ["LOGO", "PALETTES", "PRESETS", "Preset", "is_icon"]

LOGO = "logo"
"""What presets call the layer of a logo."""


class Palette(NamedTuple):
    """The colors of a colorway. Phones need 180 of 255 steps of luma between `ground` and the first two.

    Attributes:
        end: The other end of gradients.
        accent: Pupils and frames.
    """

    ink: str
    end: str
    accent: str
    ground: str


_FILE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
PALETTES = {name: Palette(*colors) for name, colors in _FILE["palettes"].items()}
CONFETTI = ("#155E31", "#1E40AF", "#A21255")
"""Inks that join that of a colorway in a palette."""
WARM = "#8A2B0D"
"""The last color of sunsets."""
WORDLESS = ("plate", "round")
"""Kinds of frames that a look has even without a caption."""
CIRCULAR = ("round", "seal")
"""Kinds of frames that leave more room than the quiet zone needs at all sides but the corners."""


@dataclass(frozen=True, slots=True)
class Preset:
    """A look.

    Attributes:
        title: What it looks like, in a few words.
        colorways: The names of its colorways; the first is the default.
        modules: The fields of `Modules` that it sets.
        eye: The pattern of its markers.
        pupil: The pattern of their centers; None for that of `eye`.
        paint: `flat`: one ink; `duotone`, `sunset`: a gradient; `palette`: modules in three inks.
        frame: The kind of its frame.
        caption: The words on its frame, in English; without any, it has a frame only if you pass a caption.
        subtitle: The second line on its frame, in English.
        icon: The icon before the caption.
        radius: Corner radius of its frame.
        is_dark: Whether the frame has the color of the ink instead of the accent.
        plate: The plate of its logo.
        logo: An icon in place of a logo.
        photo: Where its photo is.
    """

    title: str
    colorways: tuple[str, ...]
    modules: Mapping[str, Any] = field(default_factory=dict)
    eye: MarkerPattern = "default"
    pupil: MarkerPattern | None = None
    paint: Literal["flat", "duotone", "sunset", "palette"] = "flat"
    frame: FrameKind = "bar"
    caption: str | None = None
    subtitle: str | None = None
    icon: str | None = None
    radius: float = 0.08
    is_dark: bool = False
    plate: Literal["circle", "rounded"] = "circle"
    logo: str | None = None
    photo: Literal["behind", "inside"] | None = None

    @property
    def words(self) -> Caption | None:
        """The words on its frame in the language of the context, if it has any of its own."""
        return Caption(say(self.caption), subtitle=self.subtitle and say(self.subtitle)) if self.caption else None

    def fields(self, colorway: str) -> dict[str, Any]:
        """Return the fields of `Design` that the look sets in a colorway, without its frame, logo and photo."""
        palette = PALETTES[colorway]
        modules = dict(self.modules)
        if self.paint == "palette":
            modules["palette"] = (palette.ink, *CONFETTI)
        return {
            "foreground": _paint(self.paint, palette),
            "background": palette.ground,
            "modules": Modules(**modules),
            "markers": Markers.all(self.eye, inner=self.pupil, inner_color=palette.accent, outer_color=palette.ink),
            "padding": 2 if self.frame in CIRCULAR else 4,
        }

    def framed(self, colorway: str, caption: str | Caption | None) -> Frame | None:
        """Return its frame; None if it has neither a frame of its own nor words for one.

        Args:
            colorway: One of its colorways.
            caption: The words; None for its own, in the language of the context.
        """
        if not (caption or self.caption or self.frame in WORDLESS):
            return None
        palette = PALETTES[colorway]
        words = (Caption(caption) if isinstance(caption, str) else caption) or self.words
        if words and self.frame in ONE_LINE:
            words = words.replace(subtitle=None)
        color = palette.ink if self.is_dark else palette.accent
        return Frame(
            self.frame, caption=words, color=color, background=palette.ground, radius=self.radius, icon=self.icon
        )


def _paint(paint: str, palette: Palette) -> str | Gradient:
    """Return the foreground of a look."""
    if paint == "duotone":
        return Gradient.linear(palette.ink, palette.end)
    if paint == "sunset":
        return Gradient.linear(palette.ink, palette.end, WARM)
    return palette.ink


PRESETS: Mapping[str, Preset] = {
    name: Preset(**look | {"colorways": tuple(look["colorways"])}) for name, look in _FILE["looks"].items()
}
"""The looks by name: `plain`, then 24 in alphabetical order. The standard check rates all as robust on phones."""


def is_icon(layer: Layer) -> bool:
    """Return True if a layer is the icon that a preset brought."""
    return layer.name == LOGO and layer.upright.content in {preset.logo for preset in PRESETS.values()}


__dir__ = __all__.copy
