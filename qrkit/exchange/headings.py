"""The names of columns and fields in files of others, from `headings.toml`."""

from __future__ import annotations

import tomllib
from importlib.resources import files

_FILE = tomllib.loads(files("qrkit.exchange").joinpath("headings.toml").read_text(encoding="utf-8"))
LINKS, VISITS, REQUESTS = (
    {what: tuple(map(str, names)) for what, names in _FILE[part].items()} for part in ("links", "visits", "requests")
)
"""What a field of a link, a visit or a request in a log holds, and its names."""
