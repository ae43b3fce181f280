"""Reads the color functions of CSS Color 4: `rgb()`, `hsl()`, `hwb()`, `oklab()` and `oklch()`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from math import cos, degrees, floor, radians, sin

LONGEST = 100
LARGEST = 1e6
"""Larger numbers mean no other color."""
TURN = {"": 1.0, "deg": 1.0, "grad": 0.9, "rad": degrees(1), "turn": 360.0}
"""Degrees of each unit of angles."""

_FUNCTION = re.compile(r"(rgba?|hsla?|hwb|oklab|oklch)\(([^()]*)\)")
_VALUE = re.compile("([+-]?(?:[0-9]*[.])?[0-9]+(?:e[+-]?[0-9]{1,2})?)(%|[a-z]*)")


def read_css_color(text: str) -> tuple[int, int, int, int] | None:
    """Return red, green, blue and alpha, each 0..255, of a function in lower case; None if CSS would not read it.

    Colors that screens cannot show are clipped, as browsers do.
    """
    match = _FUNCTION.fullmatch(text) if len(text) <= LONGEST else None
    name = match[1].removesuffix("a") if match else ""
    parts = _parts(name, match[2]) if match else None
    if not parts:
        return None
    wholes, convert = SPACES[name]
    values = [_value(part, whole) for part, whole in zip(parts, (*wholes, 1.0), strict=True)]
    first, second, third, alpha = (0.0 if value is None else value for value in values)
    if None in values:
        return None
    red, green, blue = convert(first, second, third)
    return _byte(red), _byte(green), _byte(blue), _byte(alpha)


def _parts(name: str, inside: str) -> list[str]:
    """Return the three components and alpha, which is 1 by default; nothing if CSS does not separate them so."""
    if "," not in inside:
        front, slash, alpha = inside.partition("/")
        parts = [*front.split(), alpha.strip() if slash else "1"]
        return parts if len(parts) == 4 else []
    parts = [part.strip() for part in inside.split(",")]
    are_percent = {part.endswith("%") for part in parts[name == "hsl" : 3]}
    is_old = name in ("rgb", "hsl") and len(parts) in (3, 4) and "none" not in parts and len(are_percent) == 1
    return [*parts, "1"][:4] if is_old and (name == "rgb" or True in are_percent) else []


def _value(text: str, whole: float | None) -> float | None:
    """Return a percentage of `whole`, a number, an angle (`whole` is None) or `none` as a number, else None."""
    match = _VALUE.fullmatch(text)
    if match is None or match[2] not in (TURN if whole is None else ("", "%")):
        return 0.0 if text == "none" else None
    number = min(max(float(match[1]), -LARGEST), LARGEST)
    return number * TURN[match[2]] if whole is None else number * whole / 100 if match[2] else number


def _byte(share: float) -> int:
    return min(max(floor(share * 255 + 0.5), 0), 255)


Channels = tuple[float, float, float]


def _of_rgb(red: float, green: float, blue: float) -> Channels:
    return red / 255, green / 255, blue / 255


def _of_hsl(hue: float, saturation: float, lightness: float) -> Channels:
    lightness = min(max(lightness / 100, 0), 1)
    range_ = min(max(saturation / 100, 0), 1) * min(lightness, 1 - lightness)
    steps = ((place + hue / 30) % 12 for place in (0, 8, 4))
    red, green, blue = (lightness - range_ * max(-1, min(step - 3, 9 - step, 1)) for step in steps)
    return red, green, blue


def _of_hwb(hue: float, whiteness: float, blackness: float) -> Channels:
    white, black = max(whiteness / 100, 0), max(blackness / 100, 0)
    if white + black >= 1:
        return (white / (white + black),) * 3
    red, green, blue = (channel * (1 - white - black) + white for channel in _of_hsl(hue, 100, 50))
    return red, green, blue


def of_oklab(lightness: float, a: float, b: float) -> Channels:
    """Return red, green and blue of a color in Oklab, 0 to 1 if sRGB has it."""
    lightness = min(max(lightness, 0), 1)
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    return (
        gamma(4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short),
        gamma(-1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short),
        gamma(-0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short),
    )


def gamma(linear: float) -> float:
    """Return a component of a color for its light, the opposite of `linear_light`."""
    return 12.92 * linear if linear <= 0.0031308 else 1.055 * linear ** (1 / 2.4) - 0.055


def of_oklch(lightness: float, chroma: float, hue: float) -> Channels:
    """Return red, green and blue of a color in Oklab by its hue in degrees; see `of_oklab`."""
    chroma = max(chroma, 0)
    return of_oklab(lightness, chroma * cos(radians(hue)), chroma * sin(radians(hue)))


SPACES: Mapping[str, tuple[tuple[float | None, float | None, float | None], Callable[[float, float, float], Channels]]]
SPACES = {
    "rgb": ((255, 255, 255), _of_rgb),
    "hsl": ((None, 100, 100), _of_hsl),
    "hwb": ((None, 100, 100), _of_hwb),
    "oklab": ((1, 0.4, 0.4), of_oklab),
    "oklch": ((1, 0.4, None), of_oklch),
}
"""What 100% of each component is, and what makes red, green and blue of them, each 0 to 1, by function."""
