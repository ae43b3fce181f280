"""Tells which letters of an untrusted SVG cannot be drawn, and which fonts are replaced."""

from __future__ import annotations

from typing import Any

from qrkit.drawing.letters.lettering import FONT_NAME, own_letters
from qrkit.drawing.untrusted.picture_errors import too_much
from qrkit.drawing.untrusted.svg_values import NAMESPACE

_SAME_FONTS = frozenset({FONT_NAME.lower(), "sans-serif", "system-ui", "ui-sans-serif", "inherit", "normal"})
MOST_LETTERS = 1_000


def letters_of(root: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return sentences about letters that cannot be drawn, and about fonts that are replaced."""
    text = "".join(str(piece) for one in root.iter(f"{NAMESPACE}text") for piece in one.itertext())
    if len(text) > MOST_LETTERS:
        raise too_much(f"at most {MOST_LETTERS:,} characters of text")
    if not text.strip():
        return (), ()
    missing = sorted({one for one in text if not one.isspace()} - own_letters("regular", text).outlines.keys())
    given = [one.get(name, "") for name in ("font-family", "font-style", "font-variant") for one in root.iter()]
    fonts = dict.fromkeys(name for one in given if one and (name := one.partition(",")[0].strip(" \"'\n\t")))
    other = [name[:40] for name in fonts if name.lower() not in _SAME_FONTS]
    doubts = [f"the SVG has the letters {', '.join(missing[:8])!r} in a text, which {FONT_NAME} lacks"]
    rule = f"is drawn in {FONT_NAME}; turn it into paths to keep its font"
    notes = [f"text of the SVG in {', '.join(other[:8])} {rule}"]
    return tuple(doubts if missing else ()), tuple(notes if other else ())
