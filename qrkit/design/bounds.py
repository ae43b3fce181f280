"""Holds ranges and units as plain numbers; needs no library, because a plain QR Code is drawn with them alone."""

from __future__ import annotations

LONGEST_TEXT = 32_767
"""Characters that fit in one spreadsheet cell; a longer text could not be exported."""

MODULE_SIZES = range(1, 21)
"""Pixels per module."""

PADDINGS = range(21)
"""Modules of the quiet zone."""

STANDARD_PADDING = 4
"""Modules of the quiet zone that the standard requires (ISO/IEC 18004:2015, 6.3.8)."""

MILLIMETRES_PER_INCH = 25.4

PIXELS_PER_INCH = 96
"""Pixels of CSS and units of XAML, whatever the resolution of the screen or printer is."""

NAMES_ELSEWHERE = {
    "back_color": "background", "backgroundcolor": "background", "bg": "background", "border": "padding",
    "box_size": "size", "color": "foreground", "dark": "foreground", "data": "content", "encoding": "charset",
    "error": "ec", "error_level": "ec", "errorcorrectionlevel": "ec", "fg": "foreground", "fill_color": "foreground",
    "light": "background", "margin": "padding", "mask_pattern": "mask", "module_size": "size",
    "scale": "size", "text": "content", "url": "content",
}  # fmt: skip
"""Fields of a design by the names that other libraries give them, in lowercase."""
