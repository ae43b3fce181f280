"""Finds installed fonts for letters that the font of charts lacks, such as Chinese, Thai or Hindi ones, and emoji."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from unicodedata import category, east_asian_width, name

from matplotlib.font_manager import findSystemFonts, fontManager, get_font
from matplotlib.text import Text

from qrkit.charts.labels import BOX, FONT, is_drawable

FIRST = (
    "Noto Sans CJK", "Noto Sans", "Source Han Sans", "WenQuanYi", "PingFang", "Hiragino Sans", "Yu Gothic", "Meiryo",
    "Microsoft YaHei", "Malgun Gothic", "Apple SD Gothic", "Nanum", "Leelawadee", "Thonburi", "Nirmala", "Kohinoor",
    "Noto Emoji", "Segoe UI Emoji", "Symbola",
)  # fmt: skip
"""Sans-serif fonts, which are tried before all others that are installed."""
NO_LETTERS = ("Last Resort", ".LastResort", "Adobe Blank", "Noto Color Emoji", "Apple Color Emoji")
"""Fonts that show no letters, or only in colors, which matplotlib cannot draw."""
TO_INSTALL = {"CJK": "Noto Sans CJK", "Emoji": "Noto Emoji"}
"""A font to install for a script; for others it is Noto Sans with the name of the script."""


@contextmanager
def with_installed_fonts(texts: Sequence[Text]) -> Iterator[None]:
    """Show the texts of a chart, which are their labels, with all installed fonts; warn about scripts that none has."""
    changed = [text for text in texts if BOX in text.get_text()]
    before = [(text.get_text(), text.get_fontfamily()) for text in changed]
    missing: dict[str, None] = {}
    for text in changed:
        shown = str(text.get_label())
        fonts = {char: _font_with(char) for char in shown if not is_drawable(char)}
        missing |= dict.fromkeys(_script(char) for char, font in fonts.items() if font is None)
        text.set_text("".join(BOX if char in fonts and fonts[char] is None else char for char in shown))
        text.set_fontfamily([FONT, *dict.fromkeys(font for font in fonts.values() if font)])
    if missing:
        to_install = ", ".join(TO_INSTALL.get(script, f"Noto Sans {script}") for script in missing)
        rule = "because no installed font has these letters; install"
        warnings.warn(f"the chart shows boxes for {', '.join(missing)}, {rule} {to_install}", stacklevel=4)
    try:
        yield
    finally:
        for text, (shown, family) in zip(changed, before, strict=True):
            text.set_text(shown)
            text.set_fontfamily(family)


@cache
def _font_with(char: str) -> str | None:
    """Return the name of an installed font that has a letter."""
    for font, file in _fonts():
        try:
            face = get_font(file)
            if face.scalable and face.get_char_index(ord(char)):
                return font
        except (OSError, RuntimeError):  # a damaged font, or one of a kind that matplotlib does not read
            continue
    return None


@cache
def _fonts() -> list[tuple[str, str]]:
    """Return the upright fonts that are installed, each with its file, in the order in which they are tried."""
    known = {font.fname for font in fontManager.ttflist}
    for file in findSystemFonts():  # matplotlib's list may be older than a font that the warning made somebody install
        if file not in known:
            with suppress(OSError, RuntimeError):
                fontManager.addfont(file)
    fonts = {font.name: font.fname for font in fontManager.ttflist if font.style == "normal"}
    places = {font: next((place for place, first in enumerate(FIRST) if font.startswith(first)), len(FIRST))
              for font in fonts if not font.startswith(NO_LETTERS)}  # fmt: skip
    return [(font, fonts[font]) for font in sorted(places, key=lambda font: (places[font], font))]


def _script(char: str) -> str:
    """Return the script of a letter by the first word of its name, such as Thai; CJK or Emoji."""
    if east_asian_width(char) in "WF" and category(char).startswith(("L", "P")):
        return "CJK"
    return name(char, "Emoji").split(" ")[0].title() if category(char).startswith(("L", "M", "N", "P")) else "Emoji"
