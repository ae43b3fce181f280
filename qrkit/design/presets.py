"""Provides `PRESETS`, the looks of `qrkit.presets`: each scans reliably, in three colorways, with room for a text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from qrkit.design.decoration import Layer, Markers, Modules
from qrkit.design.frames import ONE_LINE, Caption, Frame, FrameKind
from qrkit.design.gradient import Gradient
from qrkit.late import late_names

if TYPE_CHECKING:
    from qrkit.design.limits import MarkerPattern

__all__ = ["LOGO", "PALETTES", "PRESETS", "Preset", "is_icon"]

LOGO = "logo"
"""What presets call the layer of a logo."""


class Palette(NamedTuple):
    """The colors of a colorway. Phones need 180 of 255 steps of luma between `ground` and the first two.

    Attributes:
        ink: Modules and rings.
        end: The other end of gradients.
        accent: Pupils and frames.
        ground: Background.
    """

    ink: str
    end: str
    accent: str
    ground: str


PALETTES = {
    "black": Palette("#000000", "#000000", "#000000", "#FFFFFF"),
    "ember": Palette("#3B1209", "#7C2D12", "#AD3409", "#FFF6EC"),
    "forest": Palette("#12372A", "#3F4E0B", "#166534", "#FDFBF4"),
    "graphite": Palette("#18181B", "#3F3F46", "#3F3F46", "#FFFFFF"),
    "kraft": Palette("#2A1B0E", "#2A1B0E", "#7F1D1D", "#F0E2C8"),
    "lime": Palette("#1A2E05", "#33500C", "#33500C", "#DDF99F"),
    "midnight": Palette("#0F1B3D", "#1E3A8A", "#A8320A", "#FFFDF9"),
    "mint": Palette("#052E2B", "#0B4F4A", "#0B4F4A", "#CFF7E6"),
    "ocean": Palette("#0B2545", "#4C2A85", "#0A5A72", "#F6FBFC"),
    "pink": Palette("#3B0764", "#5B0E7A", "#5B0E7A", "#FBD7EA"),
    "plum": Palette("#3B0764", "#8C1454", "#A3154F", "#FFFCFD"),
    "sky": Palette("#0B1B3F", "#12306B", "#12306B", "#DFF1FF"),
    "sand": Palette("#33230F", "#4F3310", "#6F3A05", "#F7EBD3"),
    "signal": Palette("#111111", "#111111", "#C8102E", "#FFFFFF"),
    "wine": Palette("#4C0519", "#831843", "#BE123C", "#FFF7F3"),
}


CONFETTI = ("#155E31", "#1E40AF", "#A21255")
"""Inks that join that of a colorway in a palette."""
WARM = "#8A2B0D"
"""The last color of sunsets."""
DOTS = {"type": "dots", "sizes": (0.97, 0.97)}
"""Dots that nearly touch: every tenth of a module counts where a picture is blurred."""
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
        caption: The words on its frame; without any, it has a frame only if you pass a caption.
        subtitle: The second line on its frame.
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
            caption: The words; None for its own.
        """
        if not (caption or self.caption or self.frame in WORDLESS):
            return None
        palette = PALETTES[colorway]
        words = Caption(caption) if isinstance(caption, str) else caption
        if words is None and self.caption:
            words = Caption(self.caption, subtitle=self.subtitle)
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
    "plain": Preset("Squares in one ink", ("black", "midnight", "graphite")),
    "badge": Preset(
        "A logo on a ringed plate, among flowing modules",
        ("wine", "plum", "midnight"),
        {"type": "fluid"},
        "rounded",
        "eye-11",
        logo="icon:heart",
    ),
    "bar": Preset(
        "A bar with words below the code",
        ("midnight", "ember", "forest"),
        {"type": "fluid"},
        "rounded",
        caption="Scan me",
        is_dark=True,
    ),
    "bubble": Preset(
        "Dots, and a speech bubble",
        ("ember", "plum", "ocean"),
        DOTS,
        "soft-dot",
        frame="bubble",
        caption="See the menu",
    ),
    "classy": Preset(
        "Modules with two sharp corners, and leaves", ("ocean", "graphite", "plum"), {"type": "classy"}, "leaf"
    ),
    "confetti": Preset(
        "Dots of several sizes and colors",
        ("plum", "forest", "ocean"),
        {"type": "dots", "sizes": (0.9, 1.0)},
        "rounded",
        "eye-2",
        "palette",
    ),
    "contact": Preset(
        "A business card",
        ("graphite", "ocean", "plum"),
        {"type": "classy-rounded"},
        "leaf",
        frame="legend",
        caption="Save my contact",
        icon="account",
    ),
    "cream": Preset("Bubbles on warm paper", ("sand", "plum", "wine"), {"type": "bubbles"}, "soft-dot"),
    "fluid": Preset(
        "Modules that flow together, in two colors",
        ("plum", "ocean", "forest"),
        {"type": "fluid"},
        "soft",
        paint="duotone",
    ),
    "grid": Preset("Squares with gaps", ("midnight", "graphite", "signal"), {"type": "gapped"}, "eye-2"),
    "kraft": Preset(
        "A stamp on brown paper",
        ("kraft", "sand", "graphite"),
        {"type": "bars"},
        "eye-15",
        frame="stamp",
        caption="Made by hand",
    ),
    "mono": Preset(
        "Large round corners in one ink", ("graphite", "midnight", "forest"), {"type": "extra-rounded"}, "soft"
    ),
    "mosaic": Preset(
        "A photo inside tiles",
        ("midnight", "graphite", "wine"),
        {"type": "gapped", "sizes": (0.95, 0.95)},
        photo="inside",
    ),
    "neon": Preset(
        "Columns on a bright ground", ("lime", "pink", "sky"), {"type": "columns"}, "soft-dot", frame="border"
    ),
    "orbit": Preset("A round code", ("ocean", "forest", "plum"), DOTS, "rounded", "eye-2", frame="round", is_dark=True),
    "phone": Preset(
        "A phone that shows the code",
        ("plum", "midnight", "graphite"),
        {"type": "rounded"},
        "rounded",
        frame="phone",
        caption="Scan me",
        is_dark=True,
    ),
    "photo": Preset(
        "Dots on a photo with a white border",
        ("graphite", "forest", "plum"),
        DOTS,
        "rounded",
        frame="polaroid",
        caption="Wish you were here",
        photo="behind",
    ),
    "plate": Preset(
        "A bright plate on a dark ground",
        ("sky", "mint", "pink"),
        {"type": "liquid"},
        "rounded",
        frame="plate",
        is_dark=True,
    ),
    "seal": Preset(
        "Words around a circle",
        ("forest", "ocean", "plum"),
        DOTS,
        "rounded",
        "eye-2",
        frame="seal",
        caption="Scan for the menu",
        subtitle="Fresh every day",
    ),
    "sunset": Preset(
        "Three colors from corner to corner", ("plum", "wine", "ocean"), {"type": "diagonal"}, "rounded", paint="sunset"
    ),
    "swiss": Preset(
        "Plain squares, framed by a square of color", ("signal", "midnight", "forest"), frame="plate", radius=0
    ),
    "tent": Preset(
        "A menu card for the table",
        ("ember", "wine", "forest"),
        {"type": "fluid"},
        "leaf",
        frame="ribbon",
        caption="Menu",
        icon="silverware-fork-knife",
    ),
    "ticket": Preset(
        "A ticket",
        ("wine", "plum", "midnight"),
        {"type": "rounded"},
        "rounded",
        frame="ticket",
        caption="Admit one",
        subtitle="Show this code at the door",
    ),
    "viewfinder": Preset(
        "The corners of a viewfinder",
        ("signal", "midnight", "forest"),
        {"type": "lattice"},
        "rounded",
        frame="viewfinder",
        caption="Point your camera here",
    ),
    "wifi": Preset(
        "A table card for guests",
        ("forest", "ocean", "plum"),
        {"type": "fluid"},
        "rounded",
        frame="card",
        caption="Free Wi-Fi",
        subtitle="Point your camera at the code",
        icon="wifi",
    ),
}
"""The looks by name: `plain`, then 24 in alphabetical order. The standard check rates all as robust on phones."""


def is_icon(layer: Layer) -> bool:
    """Return True if a layer is the icon that a preset brought."""
    return layer.name == LOGO and layer.upright.content in {preset.logo for preset in PRESETS.values()}


__getattr__ = late_names(__name__, {"gallery": "presets:gallery", "with_preset": "presets:with_preset"}, until="1.3")


def __dir__() -> list[str]:
    return __all__
