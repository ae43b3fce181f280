"""Provides `Gallery`, which shows all presets in all their colorways."""

from __future__ import annotations

from pathlib import Path

from qrkit.design.presets import PRESETS
from qrkit.errors import one_of
from qrkit.late import Shown

__all__ = ["Gallery"]

THUMBNAIL = (992, 320)
"""Width and height of a thumbnail in pixels; `make pictures` draws them."""


class Gallery(Shown):
    """All presets in all their colorways. Notebooks show it if it is the last line of a cell.

    The images come with the package, so the gallery appears at once.
    """

    def thumbnail(self, name: str) -> bytes:
        """Return a PNG of a preset in its colorways, side by side.

        Raises:
            InvalidParameter: If no preset has this name.
        """
        known = one_of("preset", name, PRESETS, "is not a preset")
        return Path(__file__).with_name("thumbnails").joinpath(f"{known}.png").read_bytes()

    def __repr__(self) -> str:
        return f"<Gallery of {len(PRESETS)}: {', '.join(PRESETS)}>"
