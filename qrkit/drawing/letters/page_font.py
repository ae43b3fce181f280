"""Provides the font of pages, which reports and widgets contain, so that they look the same everywhere."""

from __future__ import annotations

from base64 import b64encode
from importlib.resources import files

LETTERS = b64encode(files("qrkit.drawing.letters").joinpath("manrope.woff2").read_bytes()).decode()
"""Manrope in all its weights, Latin only: pyftsubset Manrope-VariableFont_wght.ttf --flavor=woff2
--layout-features=kern,tnum --unicodes=U+20-17F,U+2013,U+2014,U+2018,U+2019,U+201C,U+201D,U+2026,U+20AC,U+2212."""
FONT_FACE = f"@font-face{{font-family:qrkit;font-weight:200 800;src:url(data:font/woff2;base64,{LETTERS})}}"
"""CSS that gives pages the font family qrkit."""
