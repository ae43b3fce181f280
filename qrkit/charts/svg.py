"""Converts figures to SVG for web pages, with their shapes in fewer letters than matplotlib writes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from io import BytesIO
from itertools import groupby
from math import hypot
from xml.etree import ElementTree as Xml

from matplotlib.figure import Figure

from qrkit.charts.axes import house_style
from qrkit.charts.colors import COLORS

TENTHS = 10
ARCS = 8
"""Number of curves that matplotlib draws a circle with."""
NEAR = 0.05
"""Pixels that a point of a circle may be off."""
_PART = re.compile(r"([MLQCZz])([^MLQCZz]*)")

FEWEST_ALIKE = 3
"""Minimum number of elements in a row that share a style, to write it once."""

_NUMBER = re.compile(r"-?\d+\.\d+")
_COLOR = re.compile(r"#[0-9a-f]{6}\b")
_REFERENCE = re.compile(r"url\(#([^)]+)\)|^#(.+)")
_POINT = re.compile(r"M[^a-z]*")
"""A path that draws nothing: its first point, and no line to another."""
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def to_svg(figure: Figure) -> str:
    """Convert a figure to SVG for a web page. The same figure gives the same SVG; IDs never clash with other charts.

    Text stays text, in the font of the page. The colors of `COLORS` are CSS variables, so a page that includes `CSS`
    shows its charts in light and dark mode; charts drawn within `branded` need `css_of(brand_colors(brand))`. A `Chart`
    provides its description to screen readers.
    """
    buffer, has_paper = BytesIO(), figure.patch.get_visible()
    figure.patch.set_visible(False)
    try:
        with house_style():
            figure.savefig(buffer, format="svg", dpi=72, metadata={"Date": None}, bbox_inches=figure.bbox_inches)
    finally:
        figure.patch.set_visible(has_paper)
    drawn = Xml.fromstring(buffer.getvalue())
    _write_variables(drawn, getattr(figure, "colors", COLORS))
    _write_names(drawn, {text.get_gid(): str(text.get_label()) for text in figure.texts})
    values = [value for element in drawn.iter() for value in element.attrib.values()]
    used = {first or second for value in values for first, second in _REFERENCE.findall(value)}
    key = sha256(buffer.getvalue()).hexdigest()[:8]
    ids = {name: f"{key}-{number}" for number, name in enumerate(sorted(used))}
    parts = list(_grouped([part for child in drawn for part in _plain(child, ids)]))
    said = [_printable(getattr(figure, name, "")) for name in ("title", "words", "description")]
    return _page_svg(drawn.get("viewBox", ""), parts, *said)


def _write_names(drawn: Xml.Element, names: Mapping[str | None, str]) -> None:
    """Restore the full texts, in which the font may have lacked some characters (`axes.add_text`)."""
    for group in drawn.iter():
        name = names.get(group.get("id"))
        for text in group if name else ():
            text.text = _printable(str(name))


def _write_variables(drawn: Xml.Element, colors: Mapping[str, tuple[str, str]]) -> None:
    """Replace the colors of a chart by CSS variables; of two names for a shade, the first counts."""
    variables: dict[str, str] = {}
    for name, both in colors.items():
        for shade in both:
            variables.setdefault(shade, f"var(--{name},{shade})")
    for element in drawn.iter():
        for name, value in element.items():
            element.set(name, _COLOR.sub(lambda match: variables.get(match[0], match[0]), value))


def _printable(text: str) -> str:
    return _UNPRINTABLE.sub("", text)


def _plain(element: Xml.Element, ids: Mapping[str, str]) -> list[Xml.Element]:
    """Simplify an element: remove group names, fonts, and matplotlib's style for whole pages."""
    tag = element.tag.rpartition("}")[2]
    if tag in ("metadata", "style"):
        return []
    children = [part for child in element for part in _plain(child, ids)]
    attributes = {name.rpartition("}")[2]: _attribute(name, value, ids) for name, value in element.attrib.items()}
    if element.get("id") not in ids:
        attributes.pop("id", None)
    if tag in ("g", "defs") and not (children and attributes) and (tag == "g" or not children):
        return children
    if tag == "path" and (circle := circle_of(element.get("d", ""))):
        del attributes["d"]
        tag, attributes = "circle", _circle(*circle) | attributes
    if tag == "path" and _POINT.fullmatch(attributes["d"]):
        return []
    plain = Xml.Element(tag, {name: value for name, value in attributes.items() if value})
    plain.text = (element.text or "").strip()
    plain.extend(children)
    return [plain]


def _circle(x: float, y: float, radius: float) -> dict[str, str]:
    return {name: f"{round(number, 1):g}" for name, number in (("cx", x), ("cy", y), ("r", radius))}


def _attribute(name: str, value: str, ids: Mapping[str, str]) -> str:
    """Convert an attribute: numbers to a short form, IDs to unique ones."""
    if name == "id":
        return ids.get(value, value)
    if name == "d":
        return short_path(value)
    if name in ("x", "y"):
        return _NUMBER.sub(lambda match: f"{round(float(match[0]), 1):g}", " ".join(value.split()))
    if name == "transform":
        return "" if value.startswith("rotate(-0 ") else value
    if name == "style":
        rules = [rule.strip() for rule in value.split(";") if not rule.strip().startswith("font-family")]
        value = ";".join(re.sub(r":\s+", ":", rule) for rule in rules if rule)
    return _REFERENCE.sub(lambda match: match[0].replace(match[1] or match[2], ids[match[1] or match[2]]), value)


def _grouped(parts: Sequence[Xml.Element]) -> Iterator[Xml.Element]:
    """Write the style of several elements in a row once, in a group around them."""
    for style, run in groupby(parts, key=lambda part: part.get("style", "")):
        alike = list(run)
        # An opacity is that of a whole group, in which elements would no longer shine through each other.
        if len(alike) < FEWEST_ALIKE or not style or style.startswith("opacity:") or ";opacity:" in style:
            yield from alike
            continue
        group = Xml.Element("g", {"style": style})
        for part in alike:
            del part.attrib["style"]
        group.extend(alike)
        yield group


def _page_svg(view: str, parts: Sequence[Xml.Element], title: str, words: str, description: str) -> str:
    """Return the SVG element. The page decides its width, up to the width of the chart."""
    root = Xml.Element("svg", {"xmlns": "http://www.w3.org/2000/svg", "viewBox": view, "role": "img"})
    root.set("style", f"max-width:{view.split()[2]}px")
    root.set("class", "chart")
    if title:
        root.set("aria-label", description)
        Xml.SubElement(root, "title").text = title
        Xml.SubElement(root, "desc").text = words
    root.extend(parts)
    return Xml.tostring(root, encoding="unicode", short_empty_elements=True)


# ---- shapes in fewer letters


def circle_of(data: str) -> tuple[float, float, float] | None:
    """Return the center and the radius of the circle that a path with absolute commands draws; None for other paths."""
    parts = _PART.findall(data)
    if "".join(letter for letter, _ in parts).upper() != f"M{'C' * ARCS}Z":
        return None
    ends = [tuple(float(number) for number in text.split()[-2:]) for _, text in parts[:-1]]
    across, down = [x for x, _ in ends], [y for _, y in ends]
    x, y, radius = (min(across) + max(across)) / 2, (min(down) + max(down)) / 2, (max(across) - min(across)) / 2
    return (x, y, radius) if all(abs(hypot(a - x, b - y) - radius) < NEAR for a, b in ends) else None


def short_path(data: str) -> str:
    """Return a path of absolute M, L, Q, C and Z with relative commands; its points stay, rounded to tenths."""
    return "".join(f"{letter}{_numbers(moves)}" for letter, moves in _joined(_steps(data)))


def _steps(data: str) -> Iterator[tuple[str, list[int]]]:
    """Yield each command with how far it moves, in tenths."""
    here = start = (0, 0)
    for letter, text in _PART.findall(data):
        flat = [round(float(number) * TENTHS) for number in text.split()]
        points = list(zip(flat[::2], flat[1::2], strict=True))
        if letter in "Zz":
            here = start
            yield "z", []
        elif letter == "M":
            here = start = points[0]
            yield "M", flat
        else:
            moves = [part - at for point in points for part, at in zip(point, here, strict=True)]
            here = points[-1]
            yield _straight(moves) if letter == "L" else (letter.lower(), moves)


def _straight(moves: list[int]) -> tuple[str, list[int]]:
    """Shorten a horizontal or vertical line to its one coordinate."""
    across, down = moves
    if down and across:
        return "l", moves
    return ("v", [down]) if down else ("h", [across])


def _joined(steps: Iterator[tuple[str, list[int]]]) -> Iterator[tuple[str, list[int]]]:
    """Join commands: those that go on in the same direction become one, others of a kind share a letter."""
    last: tuple[str, list[int]] | None = None
    for letter, moves in steps:
        if last and letter == last[0] and letter in "hv" and moves[0] * last[1][-1] > 0:
            last[1][-1] += moves[0]
        elif last and letter == last[0] and letter in "hvlqc":
            last[1].extend(moves)
        else:
            if last:
                yield last
            last = letter, moves
    if last:
        yield last


def _numbers(tenths: Sequence[int]) -> str:
    """Write numbers with a space between them where the next one has no sign."""
    texts = [re.sub(r"\b0\.", ".", f"{number / TENTHS:g}") for number in tenths]
    return "".join(text if not place or text[0] == "-" else f" {text}" for place, text in enumerate(texts))
