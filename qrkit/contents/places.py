"""Contents that show a place on a map."""

from __future__ import annotations

import re
from math import isfinite
from typing import Annotated, Any, Literal
from urllib.parse import quote, unquote

from pydantic import AfterValidator, Field

from qrkit.contents.kinds import kind
from qrkit.contents.single_lines import OneLine
from qrkit.contents.syntax import OTHER_SYSTEM
from qrkit.design.limits import Latitude, Length, Longitude

PLACES = 6
"""Decimals of degrees: a tenth of a metre."""


def _rounded(degrees: float) -> float:
    return round(degrees, PLACES) + 0.0  # never -0.0


North = Annotated[
    Latitude, AfterValidator(_rounded), Field(description="Degrees north of the equator.", examples=[45.6497])
]
East = Annotated[
    Longitude, AfterValidator(_rounded), Field(description="Degrees east of Greenwich.", examples=[13.7681])
]
Name = Annotated[Annotated[OneLine, Length(1, 200)] | None, Field(description="What the map writes at the place.")]
Map = Annotated[
    Literal["geo", "google", "apple", "openstreetmap"],
    Field(
        description="`geo` opens the map of the phone (RFC 5870); the others are links to a map on the web, of which "
        "only Apple's shows the name."
    ),
]

_NUMBER = r"(-?\d{1,3}(?:\.\d{1,20})?)"
_GEO = re.compile(
    rf"geo:(?!{OTHER_SYSTEM})\s*{_NUMBER},\s*{_NUMBER}(?:,[^;?]*)?(?:;[^?]*)?(?:\?(.*))?",
    re.IGNORECASE | re.DOTALL | re.ASCII,
)
"""Matches coordinates of WGS 84, with an altitude and an uncertainty."""
_POINT = re.compile(rf"{_NUMBER},\s*{_NUMBER}(?:\((.*)\))?", re.DOTALL | re.ASCII)
_LABEL = re.compile(r"[-\d.,]*\((.*)\)", re.DOTALL)
_GOOGLE = re.compile(rf"https://www\.google\.com/maps/search/\?api=1&query={_NUMBER}%2C{_NUMBER}", re.ASCII)
_APPLE = re.compile(rf"https://maps\.apple\.com/\?ll={_NUMBER},{_NUMBER}(?:&q=([^&#]*))?", re.ASCII)
_OPEN_STREET_MAP = re.compile(
    rf"https://www\.openstreetmap\.org/\?mlat={_NUMBER}&mlon={_NUMBER}#map=17/\1/\2", re.ASCII
)


@kind("Place", behind="page")
def location(latitude: North, longitude: East, *, name: Name = None, map: Map = "geo") -> str:
    """Show a place on a map.

    Example:
        >>> from qrkit import contents
        >>> str(contents.location(45.6497, 13.7681, name="Molo Audace"))
        'geo:45.6497,13.7681?q=45.6497,13.7681(Molo%20Audace)'
    """
    north, east = _written(latitude), _written(longitude)
    label = quote(name or "", safe="")
    if map == "google":
        return f"https://www.google.com/maps/search/?api=1&query={north}%2C{east}"
    if map == "apple":
        return f"https://maps.apple.com/?ll={north},{east}" + (f"&q={label}" if name else "")
    if map == "openstreetmap":
        return f"https://www.openstreetmap.org/?mlat={north}&mlon={east}#map=17/{north}/{east}"
    return f"geo:{north},{east}" + (f"?q={north},{east}({label})" if name else "")


def _written(degrees: float) -> str:
    return f"{degrees:.{PLACES}f}".rstrip("0").rstrip(".")


def read_location(text: str) -> dict[str, Any] | None:
    """Return the fields of a place; None for any other text, and for 0,0 with a name, which is a search."""
    if found := _GEO.fullmatch(text):
        query = dict(pair.partition("=")[::2] for pair in (found[3] or "").split("&"))
        words = unquote(query.get("q", "").replace("+", " "))
        is_zero = not float(found[1]) and not float(found[2])
        if point := _POINT.fullmatch(words):  # as Android's maps take a place with a name
            north, east = (point[1], point[2]) if is_zero else (found[1], found[2])
            return _fields(north, east, point[3] or "", "geo")
        label = _LABEL.fullmatch(words)
        is_search = words and not label and is_zero
        return None if is_search else _fields(found[1], found[2], label[1] if label else words, "geo")
    for name, pattern in (("google", _GOOGLE), ("apple", _APPLE), ("openstreetmap", _OPEN_STREET_MAP)):
        if found := pattern.fullmatch(text):
            return _fields(found[1], found[2], unquote(found[3] or "") if name == "apple" else "", name)
    return None


def _fields(north: str, east: str, name: str, map: str) -> dict[str, Any] | None:
    latitude, longitude = float(north), float(east)
    if not (isfinite(latitude) and abs(latitude) <= 90 and abs(longitude) <= 180):
        return None
    return {"latitude": latitude, "longitude": longitude, "name": name, "map": map}
