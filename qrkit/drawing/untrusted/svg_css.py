"""Reads values of CSS, split into tokens, as attributes of SVG."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile
from math import copysign, inf, radians, tan
from operator import mul
from typing import Any, TypeAlias

import tinycss2
from tinycss2.color4 import parse_color

from qrkit.design.color import linear_light
from qrkit.design.css_colors import gamma, of_oklab, of_oklch
from qrkit.drawing.untrusted.svg_values import pixels

Tokens: TypeAlias = list[Any]
"""Tokens as tinycss2 makes them."""

_FROM_P3 = ((1.2249401, -0.2249402, 0.0), (-0.0420570, 1.0420571, 0.0), (-0.0196376, -0.0786361, 1.0982735))
"""Linear Display P3 to linear sRGB."""
_FROM_XYZ = (
    (3.1341359, -1.6173863, -0.4906619),
    (-0.9787955, 1.9162544, 0.0334427),
    (0.0719554, -0.2289768, 1.4053860),
)
"""CIE XYZ for the white D50 to linear sRGB."""
BLEND_MODES = """
    normal multiply screen overlay darken lighten color-dodge color-burn hard-light soft-light difference exclusion hue
    saturation color luminosity
""".split()  # noqa: SIM905
"""Values of `mix-blend-mode` that renderers know."""
_SYSTEM_COLORS = {
    **dict.fromkeys(("canvas", "field", "window", "accentcolortext", "highlighttext", "selecteditemtext"), "#ffffff"),
    **dict.fromkeys(("activecaption", "appworkspace", "background", "infobackground", "menu"), "#ffffff"),
    **dict.fromkeys(("buttonborder", "buttontext", "canvastext", "fieldtext", "marktext", "windowtext"), "#000000"),
    **dict.fromkeys(("buttonface", "buttonhighlight", "buttonshadow", "threedface"), "#efefef"),
    **{"graytext": "#808080", "linktext": "#0000ee", "visitedtext": "#551a8b", "mark": "#ffff00"},
    **{"accentcolor": "#0075ff", "highlight": "#0041c6cc", "selecteditem": "#1967d2", "activetext": "#ff0000"},
}
"""System colors as Chromium shows them in light mode; office programs write some of them."""
_MEDIA = {
    **dict.fromkeys(("", "all", "screen", "(color)", "(prefers-color-scheme:light)", "(forced-colors:none)"), True),
    **dict.fromkeys(("print", "speech", "(prefers-color-scheme:dark)", "(forced-colors:active)"), False),
    **dict.fromkeys(("(prefers-reduced-motion:no-preference)", "(prefers-contrast:no-preference)"), True),
    **dict.fromkeys(("(prefers-reduced-motion:reduce)", "(prefers-contrast:more)", "(prefers-contrast:less)"), False),
}
"""Whether a browser that shows a picture on a screen matches a part of a media query."""
_LENGTHS = frozenset({"px", "pt", "pc", "mm", "cm", "in", "em"})
_NEUTRAL = frozenset({"none", "auto", "normal", "visible", "ltr", "mixed"})
_SIDES = {"left": "0%", "top": "0%", "center": "50%", "right": "100%", "bottom": "100%"}
_FONTS = re.compile(r"""\s*(url\()?["']?(https?:)?//(fonts\.|use\.typekit\.)""", re.IGNORECASE)
_FONT_SIZES = "xx-small x-small small medium large x-large xx-large smaller larger".split()  # noqa: SIM905
_ANGLES = {"deg": 1.0, "grad": 0.9, "turn": 360.0, "rad": 57.29577951308232}


def words_of(tokens: Tokens) -> Tokens:
    """Leave out spaces and comments."""
    return [one for one in tokens if one.type not in ("whitespace", "comment")]


def only_word(tokens: Tokens) -> str:
    """Return the keyword that a value is, in small letters; an empty string for other values."""
    words = words_of(tokens)
    return str(words[0].lower_value) if len(words) == 1 and words[0].type == "ident" else ""


def address_of(word: Any) -> str:
    """Return the address in `url(…)`; an empty string for other words."""
    if word.type == "url":
        return str(word.value) or "#"
    if word.type == "function" and word.lower_name == "url" and word.arguments:
        return str(getattr(word.arguments[0], "value", "")) or "#"
    return ""


def color_of(word: Any) -> str | None:
    """Return a color as `#rrggbb`, with its opacity if it is translucent, or a keyword; None if it is not a color."""
    if word.type == "function" and word.lower_name == "light-dark":
        return next(filter(None, map(color_of, word.arguments)), None)
    if word.type == "ident" and word.lower_value in ("none", "inherit", "context-fill", "context-stroke"):
        return str(word.lower_value)
    if word.type == "ident" and word.lower_value in _SYSTEM_COLORS:
        return _SYSTEM_COLORS[word.lower_value]
    color = parse_color(word)
    if color is None or isinstance(color, str):
        return color and "currentColor"
    try:
        channels = _wide(color) or color.to("srgb")[:3]
    except NotImplementedError:  # a color space that is neither of these
        return None
    text = "".join(f"{round(255 * min(1, max(0, one or 0))):02x}" for one in (*channels, color.alpha))
    return f"#{text.removesuffix('ff') if text.endswith('ff') and len(text) == 8 else text}"


def _wide(color: Any) -> tuple[float, float, float] | None:
    """Convert a color of a wide color space to red, green and blue, as CSS Color 4 does; None for other colors."""
    parts = [float(part or 0) for part in color.coordinates]
    match color.space:
        case "oklab":
            return of_oklab(*parts)
        case "oklch":
            return of_oklch(*parts)
        case "display-p3":
            rows, linear = _FROM_P3, [copysign(linear_light(abs(part)), part) for part in parts]
        case "lab" | "lch":
            rows, linear = _FROM_XYZ, [float(part) for part in color.to("xyz-d50").coordinates]
        case _:
            return None
    red, green, blue = (gamma(sum(map(mul, row, linear))) for row in rows)
    return red, green, blue


def is_plain(word: Any) -> bool:
    """Return False for a function, an address, and a length that depends on the window or the font."""
    has_known_unit = word.type != "dimension" or word.lower_unit in _ANGLES.keys() | _LENGTHS
    return has_known_unit and word.type not in ("function", "url")


def is_neutral(tokens: Tokens, *, is_length: bool) -> bool:
    """Return True if a value says that nothing is there, as `none` does, or a zero for a length."""
    words = words_of(tokens)
    return all(
        getattr(one, "lower_value", "") in _NEUTRAL or (is_length and not getattr(one, "value", 1)) for one in words
    )


def media_holds(media: str) -> tuple[bool, str]:
    """Return whether a list of media queries holds, and a part of it that is not understood, if there is one."""
    holds, unknown = False, ""
    for query in media.lower().split(","):
        condition = query.strip().removeprefix("only ")
        is_negated = condition.startswith("not ")
        parts = ["".join(part.split()) for part in condition.removeprefix("not ").split(" and ")]
        unknown = unknown or next((part for part in parts if part not in _MEDIA), "")
        holds |= all(_MEDIA.get(part, is_negated) for part in parts) != is_negated
    return holds, unknown


def transform_of(words: Tokens) -> str | None:
    """Return the functions of a CSS transform as SVG writes them."""
    found = []
    for word in words:
        if word.type != "function":
            return None
        may_be_plain = word.lower_name.startswith(("matrix", "scale"))
        numbers = [_number(one, may_be_plain=may_be_plain) for one in words_of(word.arguments) if one.type != "literal"]
        text = _svg_function(word.lower_name, [one for one in numbers if one is not None])
        if text is None or None in numbers:
            return None
        found.append(text)
    return " ".join(found)


def _svg_function(name: str, numbers: list[float]) -> str | None:
    match name, numbers:
        case ("matrix", [_, _, _, _, _, _]) | ("scale" | "translate", [_] | [_, _]) | ("rotate", [_]):
            return f"{name}({' '.join(f'{one:.9g}' for one in numbers)})"
        case (("translatex" | "translatey" | "scalex" | "scaley"), [number]):
            rest = 1 if name.startswith("scale") else 0
            x, y = (number, rest) if name.endswith("x") else (rest, number)
            return f"{name[:-1]}({x:.9g} {y:.9g})"
        case (("skewx" | "skewy"), [angle]):
            return f"skew{name[-1].upper()}({angle:.9g})"
        case (("translate3d" | "scale3d"), [x, y, _]):  # depth does not show in a flat picture
            return f"{name[:-2]}({x:.9g} {y:.9g})"
        case "rotatez", [angle]:
            return f"rotate({angle:.9g})"
        case (("translatez" | "scalez"), [_]):
            return "translate(0)"
        case "skew", [x, *rest]:
            return f"matrix(1 {tan(radians(sum(rest))):.9g} {tan(radians(x)):.9g} 1 0 0)"
    return None


def _number(word: Any, *, may_be_plain: bool) -> float | None:
    """Return a number, a length in pixels or an angle in degrees; lengths and angles other than 0 have a unit."""
    if word.type == "number" and (may_be_plain or not word.value):
        return float(word.value)
    if word.type == "dimension" and word.lower_unit in _ANGLES:
        return float(word.value) * _ANGLES[word.lower_unit]
    return float(word.value) if word.type == "dimension" and word.lower_unit == "px" else None


def path_of(words: Tokens) -> str | None:
    """Return the data in `path("…")`."""
    inside = words_of(words[0].arguments) if getattr(words[0], "lower_name", "") == "path" else []
    return str(inside[0].value) if [one.type for one in inside] == ["string"] else None


def font_of(tokens: Tokens) -> dict[str, str | None]:
    """Return the properties that a `font` stands for, None for a size that is not understood.

    Returns nothing for a font without a size and a family.
    """
    before = [*takewhile(lambda one: not _is_font_size(one), tokens)]
    size, rest = tokens[len(before) :][:1], tokens[len(before) + 1 :]
    if words_of(rest)[:1] == ["/"]:
        rest = rest[rest.index(words_of(rest)[:2][-1]) + 1 :]  # without the height of lines
    if not (family := tinycss2.serialize(rest).strip()):
        return {}
    words = tinycss2.serialize(before).lower().split()
    return {
        "font-style": next((one for one in words if one in ("italic", "oblique")), "normal"),
        "font-variant": next((one for one in words if one == "small-caps"), "normal"),
        "font-weight": next((one for one in words if one.isdigit() or one.startswith("bold")), "normal"),
        "font-size": tinycss2.serialize(size).lower() if is_plain(size[0]) else None,
        "font-family": family,
    }


def _is_font_size(word: Any) -> bool:
    is_length = word.type in ("dimension", "percentage") and word.value >= 0
    return is_length or word.type == "function" or getattr(word, "lower_value", "") in _FONT_SIZES


def shape_of(shape: Any) -> tuple[str, dict[str, str]] | None:
    """Return the element of SVG for a CSS shape given in percent of a box, and its attributes; None for other shapes.

    A circle is none of these: its radius in percent depends on both sides of the box.
    """
    # Only polygons have commas.
    words = [one for one in words_of(shape.arguments) if one.type != "literal" or shape.lower_name != "polygon"]
    rule = words.pop(0).value if shape.lower_name == "polygon" and words and words[0].type == "ident" else "nonzero"
    at = next((place for place, one in enumerate(words) if getattr(one, "lower_value", "") == "at"), len(words))
    places = words[:at] + words[at + 1 :]
    if any(one.type != "percentage" and getattr(one, "value", 1) != 0 for one in places):
        return None
    match shape.lower_name, at, [one.value / 100 for one in places]:
        case "polygon", _, [_, *_] as shares if at == len(words):
            return "polygon", {"points": " ".join(f"{share:.9g}" for share in shares), "clip-rule": rule}
        case "ellipse", 2, [x_radius, y_radius, *middle] if len(words) in (2, 5) and min(x_radius, y_radius) >= 0:
            numbers = map("{:.9g}".format, (x_radius, y_radius, *(middle or (0.5, 0.5))))
            return "ellipse", dict(zip(("rx", "ry", "cx", "cy"), numbers, strict=True))
    return None


def is_of_fonts(rule: Any) -> bool:
    """Return True for an import from a service that offers fonts, as design programs write it."""
    address = tinycss2.serialize(rule.prelude)
    return rule.lower_at_keyword == "import" and _FONTS.match(address) is not None


def origin_of(words: list[str], view: Sequence[float]) -> tuple[float, float] | None:
    """Return the place that a `transform-origin` names in a view of this width and height; None if it has none."""
    if words[0] in ("top", "bottom") or words[1:2] in (["left"], ["right"]):
        words = [*words[1:2], words[0]] if words[1:] else ["center", words[0]]
    places: list[float] = []
    for word, whole in zip([*words, "center"], [*view, 0.0, 0.0], strict=False):
        text = _SIDES.get(word, word)
        share = text.removesuffix("%")
        number = pixels(share, inf)
        if number == inf or (share != text and not view):
            return None
        places.append(number * whole / 100 if share != text else number)
    return places[0], places[1]
