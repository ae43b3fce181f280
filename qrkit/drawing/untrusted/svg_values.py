"""Checks the attributes of an untrusted SVG.

Each attribute has a check, which returns the value to keep, or None if the value is not allowed. The patterns do not
allow quotes, `<` or `&`, and none of them takes long for a long value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from qrkit.design.color_names import COLOR_NAMES
from qrkit.drawing.untrusted.picture_errors import too_much

NAMESPACE = "{http://www.w3.org/2000/svg}"
LARGEST_NUMBER = 1e6
MOST_DASHES = 32
LONGEST_VALUE = 500

_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_UNITS = {"": 1.0, "px": 1, "pt": 4 / 3, "pc": 16, "mm": 96 / 25.4, "cm": 96 / 2.54, "in": 96, "em": 16, "ex": 8}
_LENGTH = re.compile(rf"({_NUMBER.pattern})(%|em|ex|px|pt|pc|mm|cm|in)?")
_LIST = re.compile(r"[-+0-9eE.,\s]*")
_PATH = re.compile(r"[-+0-9eE.,\sMmZzLlHhVvCcSsQqTtAa]*")
_TRANSFORM = re.compile(r" ?(matrix|translate|scale|rotate|skewX|skewY) ?\(([-+0-9eE. ]*)\)")
REFERENCE = re.compile(r"""url\(\s*["']?#([^"')\s]+)["']?\s*\)\s*(.*)""", re.DOTALL)
_COLOR = re.compile(r"#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})|(?:rgb|hsl)a?\([-0-9.,%/ ]{1,60}\)")
_COLOR_WORDS = COLOR_NAMES.keys() | {"none", "currentcolor", "inherit", "transparent"}
_KEYWORDS = """
    none inherit auto nonzero evenodd butt round square miter bevel inline block visible hidden collapse
    geometricPrecision crispEdges optimizeSpeed non-scaling-stroke normal fill stroke markers luminance alpha
    userSpaceOnUse objectBoundingBox pad reflect repeat meet slice
    xMinYMin xMidYMin xMaxYMin xMinYMid xMidYMid xMaxYMid xMinYMax xMidYMax xMaxYMax
""".split()  # noqa: SIM905


def _check_numbers(value: str) -> str:
    if any(abs(float(one)) > LARGEST_NUMBER for one in _NUMBER.findall(value)):
        raise too_much(f"numbers of at most {LARGEST_NUMBER:,.0f}")
    return value


def _length(value: str) -> str | None:
    """Convert a length to pixels or percent, because renderers disagree about the size of other units."""
    found = _LENGTH.fullmatch(value) if len(value) <= LONGEST_VALUE else None
    if found is None or found[2] in ("em", "ex"):  # of a font that only the renderer knows
        return None
    number, unit = found.groups()
    return _check_numbers(value if unit in (None, "%") else f"{float(number) * _UNITS[unit]:.8g}")


def _numbers(value: str) -> str | None:
    return _check_numbers(value) if _LIST.fullmatch(value) else None


def _points(value: str) -> str | None:
    """Leave out the last number of an odd list, as browsers do."""
    numbers = _NUMBER.findall(value)
    return _numbers(" ".join(numbers[:-1]) if len(numbers) % 2 and _LIST.fullmatch(value) else value)


def _path(value: str) -> str | None:
    return _check_numbers(value) if _PATH.fullmatch(value) else None


def _transform(value: str) -> str | None:
    value = " ".join(value.replace(",", " ").split())
    return _check_numbers(value) if not _TRANSFORM.sub("", value).strip() else None


def _dashes(value: str) -> str | None:
    value = value.replace("px", "")
    lengths = [float(one) for one in _NUMBER.findall(value)] if _LIST.fullmatch(value) else []
    fits = 0 < len(lengths) <= MOST_DASHES and min(lengths) >= 0 and sum(lengths) > 0
    return _check_numbers(value) if fits else None


def _keywords(value: str) -> str | None:
    words = value.split()
    return value if 0 < len(words) <= 3 and set(words).issubset(_KEYWORDS) else None


def _color(value: str) -> str | None:
    lower = value.lower()
    return value if lower in _COLOR_WORDS or _COLOR.fullmatch(lower) else None


def _only_reference(value: str) -> str | None:
    return "none" if value == "none" else None


def _each(check: Callable[[str], str | None], names: str) -> dict[str, Callable[[str], str | None]]:
    return dict.fromkeys(names.split(), check)


PRESENTATION = {
    **_each(_color, "fill stroke color stop-color"),
    **_each(_only_reference, "clip-path mask"),
    **_each(_length, "fill-opacity stroke-opacity stop-opacity opacity"),
    **_each(_length, "stroke-width stroke-miterlimit stroke-dashoffset"),
    **_each(_dashes, "stroke-dasharray"),
    **_each(_keywords, "fill-rule clip-rule stroke-linecap stroke-linejoin display visibility overflow"),
    **_each(_keywords, "shape-rendering vector-effect paint-order mask-type"),
}
"""Properties that are allowed as an attribute, in `style` and in a style sheet, with their checks."""
ATTRIBUTES = {
    **PRESENTATION,
    **_each(_length, "x y width height cx cy r rx ry fx fy fr x1 y1 x2 y2 offset"),
    **_each(_points, "points"),
    **_each(_numbers, "viewBox"),
    **_each(_path, "d"),
    **_each(_transform, "transform gradientTransform patternTransform"),
    **_each(_keywords, "gradientUnits spreadMethod clipPathUnits maskUnits maskContentUnits"),
    **_each(_keywords, "patternUnits patternContentUnits preserveAspectRatio"),
}


COLORS = frozenset({"fill", "stroke", "color", "stop-color", "flood-color", "lighting-color"})
REFERENCES = frozenset({"clip-path", "mask", "filter", "marker-start", "marker-mid", "marker-end"})
GEOMETRY = frozenset({"x", "y", "width", "height", "cx", "cy", "r", "rx", "ry", "d"})
_NOT_INHERITED = "opacity display clip-path mask filter transform mix-blend-mode stop-color stop-opacity vector-effect"
INITIAL = {
    **{"fill": "#000000", "stroke": "none", "color": "#000000", "visibility": "visible", "paint-order": "normal"},
    **dict.fromkeys(("fill-opacity", "stroke-opacity", "stroke-width"), "1"),
    **dict.fromkeys(("fill-rule", "clip-rule"), "nonzero"),
    **{"stroke-linecap": "butt", "stroke-linejoin": "miter", "stroke-miterlimit": "4"},
    **{"stroke-dasharray": "none", "stroke-dashoffset": "0"},
    **dict.fromkeys((*GEOMETRY, *_NOT_INHERITED.split()), ""),
}
"""Initial values of properties; empty for those that are not inherited: an element without the attribute has them."""
LENGTHS = {name for name, check in ATTRIBUTES.items() if check in (_length, _dashes)} | {"font-size"}
CASELESS = (PRESENTATION.keys() - COLORS) | LENGTHS
"""Attributes whose values browsers also read in capital letters, but renderers do not."""
_SIMPLE = re.compile(r"[^(\\/]*")
_SIMPLE_COLOR = re.compile("none|inherit|black|white|#(?:[0-9a-fA-F]{3,4}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})")
_UNKNOWN_UNIT = re.compile(r"[-+.0-9]+(?!(?:px|pt|pc|mm|cm|in|em)$|e[-+0-9]+$)[a-z]+", re.IGNORECASE)


def is_simple(name: str, value: str) -> bool:
    """Return True for a value of a property that renderers read as browsers do."""
    pattern = _SIMPLE_COLOR if name in COLORS else _SIMPLE
    # In attributes, renderers know other values of these two, or draw others.
    return name not in ("image-rendering", "direction") and pattern.fullmatch(value) is not None


def is_invalid(name: str, value: str) -> bool:
    """Return True for a value that browsers ignore and renderers do not."""
    return value in ("revert-layer", "miter-clip") or (name == "stroke-width" and value.lstrip().startswith("-"))


def has_unknown_unit(name: str, value: str) -> bool:
    """Return True for an attribute with a length in a unit that renderers do not know, such as `rem`."""
    return name in LENGTHS and any(map(_UNKNOWN_UNIT.fullmatch, value.replace(",", " ").split()))


def unknown_to_renderers(attributes: Mapping[str, str], inherited: Mapping[str, str]) -> Iterator[str]:
    """Yield sentences about attributes that browsers know and other renderers do not.

    `inherited` are the attributes of the element with the properties of strokes that it inherits.
    """
    if "pathLength" in attributes and inherited.get("stroke-dasharray", "none") != "none":
        yield "the SVG has dashes whose lengths depend on pathLength, which is not understood"
    if attributes.get("vector-effect") == "non-scaling-stroke" and inherited.get("stroke", "none") != "none":
        yield "the SVG has strokes that do not grow with the picture, which are not understood"
    if attributes.get("color-interpolation", "").lower() == "linearrgb":
        yield "the SVG has colors in linearRGB, which is not understood"
    if "path" in attributes:
        yield "the SVG has text on a path of its own, which is not understood"


def floats(text: str) -> list[float]:
    """Return all numbers in a value."""
    return [float(one) for one in _NUMBER.findall(text)]


def transforms(value: str) -> list[tuple[str, list[float]]]:
    """Return the functions of a checked `transform`, with their numbers."""
    return [(kind, floats(numbers)) for kind, numbers in _TRANSFORM.findall(value)]


def view_box(value: str) -> list[float]:
    """Return the four numbers of a `viewBox`; an empty list if it is invalid."""
    numbers = floats(value) if _LIST.fullmatch(value) else []
    return numbers if len(numbers) == 4 else []


def pixels(length: str, otherwise: float) -> float:
    """Convert a length to pixels; return `otherwise` if it is invalid or a percentage."""
    match = _LENGTH.fullmatch(length.strip()) if len(length) <= LONGEST_VALUE else None
    return float(match[1]) * _UNITS[match[2] or ""] if match and (match[2] or "") in _UNITS else otherwise
