"""Lists the CSS color names (X11 names, with the CSS values where the two differ) with their values."""

from __future__ import annotations

from pathlib import Path

_ROWS = map(str.split, Path(__file__).with_suffix(".tsv").read_text("ascii").splitlines())

COLOR_NAMES: dict[str, int] = {name: int(value[1:], 16) for name, value in _ROWS}
"""Lower-case name to the number 0xRRGGBB."""
