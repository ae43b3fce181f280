"""Reduces an untrusted SVG to a `Drawing` of shapes, paints, clips and masks, using a list of allowed elements.

Scripts, images, filters, animation, links and everything else that is not listed are dropped. Style sheets, as design
programs export them, become attributes, and text becomes paths. An SVG that cannot be parsed or takes too long to draw
is rejected.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, count, pairwise
from typing import TYPE_CHECKING, NamedTuple

from qrkit.design.frames import unset_rule
from qrkit.design.outline import Outline, Segment
from qrkit.drawing.letters.lettering import FONT_NAME, missing_letters
from qrkit.drawing.scene import Drawing
from qrkit.drawing.untrusted.svg_lettering import Line, Style, Track, text_of, written
from qrkit.drawing.untrusted.svg_values import (
    ATTRIBUTES,
    LARGEST_NUMBER,
    LETTERING,
    PRESENTATION,
    REFERENCE,
    declarations,
    floats,
    length,
    pixels,
    refused,
    too_much,
    transforms,
    view_box,
)

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["sanitised"]

MOST_BYTES = 256 * 1024
MOST_ELEMENTS = 5_000
MOST_DRAWN = 2_000
"""Elements, each counted as often as it is drawn; masks and similar effects count as several."""
MOST_DEPTH = 32
MOST_DEPTH_DRAWN = 64
MOST_LAYERS = 50
LARGEST_SCALE = 1e6
LARGEST_TILE = 2
OUTLINES = 20
"""Length of outline, in sides of the drawing, that takes as long to draw as one more element."""
CROSSINGS = 5_000
"""Pairs of curves in one path that may cross, which take as long to draw as one more element."""
DASHES = 1_000
"""Number of dashes that takes as long to draw as one more element."""
_COUNTED = f"at most {MOST_DRAWN:,} elements; repeated, clipped, masked, dashed or long ones, dense curves count more"

NAMESPACE = "{http://www.w3.org/2000/svg}"
_LINKS = ("href", "{http://www.w3.org/1999/xlink}href")
_DOCTYPE = re.compile(r'<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG [\w. ]+//EN" "https?://www\.w3\.org/[\w./-]*">', re.ASCII)

_SHAPES = frozenset({"path", "rect", "circle", "ellipse", "line", "polyline", "polygon"})
_SIZES = frozenset({"x1", "y1", "x2", "y2", "width", "height", "r", "rx", "ry", "points"})
_GROUPS = {"a": "g", "switch": "g"}
_LAYERS = frozenset({"clipPath", "mask", "pattern"})
_SLOW = {"clipPath": 10, "mask": 40, "pattern": 20, "linearGradient": 5, "radialGradient": 5, "opacity": 10}
"""Effects drawn on a separate surface or pixel by pixel, and the number of plain shapes that take as long."""
_GRADIENTS = frozenset({"linearGradient", "radialGradient"})
_ELEMENTS = _SHAPES | _LAYERS | _GRADIENTS | {"g", "defs", "symbol", "use", "svg", "stop"}
_TARGETS = {
    "fill": _GRADIENTS | {"pattern"},
    "stroke": _GRADIENTS | {"pattern"},
    "clip-path": {"clipPath"},
    "mask": {"mask"},
}
_HREF_TARGETS = {
    "use": _SHAPES | {"g", "use", "symbol", "svg"},
    "linearGradient": _GRADIENTS,
    "radialGradient": _GRADIENTS,
    "pattern": {"pattern"},
}

LOST = ("image", "foreignObject", "filter")
"""Visible elements that are not drawn."""
_SPANS = frozenset({"tspan", "textPath", "a"})
_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
_SELECTOR = re.compile(r"(\*|[A-Za-z]\w*)?([.#][\w-]+)?")


def sanitised(data: bytes) -> Drawing:
    """Reduce an SVG to shapes that can be drawn safely, in bounded time.

    Raises:
        AssetError: If the data is not SVG, or takes too long to draw. The caller adds the name of the field.
    """
    root = _parse(data)
    name = "s" + hashlib.sha256(data).hexdigest()[:8]
    box = _box(root)
    copy = _Copy(root)
    drawing = copy.element(root, "svg", 0, Style(view=box[2:]))
    copy.resolve(name)
    drawing.attributes = {key: value for key, value in drawing.attributes.items() if key in PRESENTATION}
    _Weight(copy.nodes, box).check(drawing)
    lost = tuple(part for part in LOST if root.find(f".//{NAMESPACE}{part}") is not None)
    warnings = [f"{', '.join(lost)} of the SVG cannot be drawn and is left out; turn it into paths"] if lost else []
    warnings += copy.text_warnings()
    if len(root) and not drawing.children:
        raise refused(f"holds nothing that is drawn: {'; '.join(warnings) or 'it has no shapes and no text'}")
    style, markup = _attributes(drawing.attributes), "".join(child.markup() for child in drawing.children)
    markup = f"<g{style}>{markup}</g>" if style else markup
    return Drawing(markup, name, box, tuple(warnings), is_complete=not (lost or copy.unset))


def _parse(data: bytes) -> _Element:
    from lxml import etree

    if data.startswith(b"\x1f\x8b"):
        raise refused("is a compressed SVG; send it unpacked")
    if len(data) > MOST_BYTES:
        raise refused(f"is too large: an SVG may have {MOST_BYTES // 1024} KiB", "image-too-large")
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise refused(f"is not well-formed SVG: {str(error)[:100]}") from error
    tree = root.getroottree()
    doctype = tree.docinfo.doctype or ""  # type: ignore[union-attr]  # its stubs know of no docinfo with a doctype
    # When serialized, a doctype with its own declarations has a bracket where a plain one ends.
    plain = _DOCTYPE.fullmatch(doctype) and etree.tostring(tree, encoding="unicode").startswith(doctype)
    if doctype and not plain:
        raise refused("has a document type of its own; save it as plain SVG")
    if root.tag != f"{NAMESPACE}svg":
        raise refused('is not SVG: its root is not <svg xmlns="http://www.w3.org/2000/svg">')
    if sum(1 for _ in root.iter()) > MOST_ELEMENTS:
        raise too_much(f"at most {MOST_ELEMENTS:,} elements")
    return root


def _box(root: _Element) -> tuple[float, float, float, float]:
    """Return the visible area of a drawing: its viewBox, else its size, else the browsers' default size."""
    numbers = view_box(root.get("viewBox", ""))
    if not numbers:
        numbers = [0.0, 0.0, pixels(root.get("width", ""), 300), pixels(root.get("height", ""), 150)]
    x, y, width, height = numbers
    if max(map(abs, numbers)) > LARGEST_NUMBER or min(width, height) < 1 / LARGEST_NUMBER:
        raise refused(f"has the size {width:g} x {height:g}; both must be above 0 and at most {LARGEST_NUMBER:,.0f}")
    return x, y, width, height


# ---- style sheets


def _remove_comments(text: str) -> str:
    """Remove comments by splitting, because searching for the end of each could take very long."""
    first, *others = text.split("/*")
    return first + "".join(other.partition("*/")[2] for other in others)


class _Sheet:
    """The rules of a style sheet whose selectors are an element, a class, an id, or an element with a class or id."""

    def __init__(self, text: str) -> None:
        self._rules: dict[str, dict[str, tuple[int, str]]] = {}
        depth, selectors = 0, ""
        for place, piece in enumerate(re.findall(r"[{}]|[^{}]+", _remove_comments(text))):
            if piece in "{}":
                depth = max(0, depth + (1 if piece == "{" else -1))
            elif depth == 0:
                selectors = piece.rpartition(";")[2].strip()  # statements that end with ; are @import and similar
            elif depth == 1 and not selectors.startswith("@"):
                self._add(selectors, piece, place)

    def _add(self, selectors: str, body: str, place: int) -> None:
        declared = {name: (place, value) for name, value in declarations(body)}
        for selector in selectors.split(",")[:MOST_ELEMENTS]:
            if declared and (found := _SELECTOR.fullmatch(selector.strip())) and found[0]:
                key = found[2] if found[1] == "*" and found[2] else found[0]
                self._rules.setdefault(key, {}).update(declared)

    def of(self, tag: str, element: _Element) -> Iterator[tuple[str, str]]:
        """Yield the declarations for an element, in order of increasing precedence."""
        ends = [[f".{one}" for one in set(element.get("class", "").split())], [f"#{element.get('id', '')}"]]
        levels = [["*"], [tag], *(level for end in ends for level in (end, [tag + one for one in end]))]
        for level in levels:
            rules = [rule for key in level if (rule := self._rules.get(key))]
            declared = [(place, name, value) for rule in rules for name, (place, value) in rule.items()]
            yield from ((name, value) for _, name, value in sorted(declared))


# ---- elements


@dataclass(slots=True, eq=False)
class _Node:
    """An element of the sanitized copy.

    `references` maps attributes to ids in the source; `targets` are the nodes with these ids. `letters` are the
    segments of a path of letters.
    """

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[_Node] = field(default_factory=list)
    references: dict[str, str] = field(default_factory=dict)
    targets: list[_Node] = field(default_factory=list)
    letters: Sequence[Segment] = ()

    def put(self, name: str, value: str) -> None:
        """Set an attribute if its value is allowed."""
        reference = REFERENCE.fullmatch(value) if name in _TARGETS else None
        checked = ATTRIBUTES[name](reference[2] if reference else value)
        if reference:
            self.references[name] = reference[1]
            self.attributes[name] = checked or "none"
        elif checked is not None:
            self.references.pop(name, None)
            self.attributes[name] = " ".join(checked.split())

    def markup(self) -> str:
        if self.tag == "use" and not self.targets:
            return ""
        children = "".join(child.markup() for child in self.children)
        return f"<{self.tag}{_attributes(self.attributes)}" + (f">{children}</{self.tag}>" if children else "/>")


def _attributes(values: dict[str, str]) -> str:
    # No value needs escaping, because the patterns do not allow quotes, < or &.
    return "".join(f' {name}="{value}"' for name, value in values.items())


class _Copy:
    """Copies elements as nodes, then resolves their references."""

    def __init__(self, root: _Element) -> None:
        self._sheet = _Sheet("".join(style.text or "" for style in root.iter(f"{NAMESPACE}style")))
        self._paths = {one.get("id", ""): one for one in root.iter(f"{NAMESPACE}path")}
        self._text = text_of(str(text) for one in root.iter(f"{NAMESPACE}text") for text in one.itertext())
        self._by_id: dict[str, _Node] = {}
        self._tracks: dict[str, tuple[Track, dict[str, str]]] = {}
        self._other_fonts = dict[str, None]()
        self._missing = dict[str, None]()
        self.unset = dict[str, None]()
        self.nodes: list[_Node] = []

    def element(self, source: _Element, tag: str, depth: int, style: Style) -> _Node:
        if depth > MOST_DEPTH:
            raise too_much(f"elements nested at most {MOST_DEPTH} deep")
        node = _Node(_GROUPS.get(tag, tag))
        self.nodes.append(node)
        style = style.changed(self._take_attributes(node, source, tag)).viewed(node.attributes)
        if depth:  # no element may refer to the root
            self._by_id.setdefault(source.get("id", ""), node)
        for child in source:
            kind = child.tag.removeprefix(NAMESPACE) if isinstance(child.tag, str) else ""
            if kind == "text":
                node.children += self._words(child, style, depth + 1, is_clip=tag == "clipPath")
            elif kind in _ELEMENTS or kind in _GROUPS:
                node.children.append(self.element(child, kind, depth + 1, style))
            else:
                continue
            if tag == "switch":  # only the first supported child is shown
                break
        return node

    def _words(self, source: _Element, style: Style, depth: int, *, is_clip: bool) -> list[_Node]:
        """Return a text as a group of paths, as one path in a clip path, or as nothing if it cannot be drawn."""
        node, line = _Node("g"), Line(self._text)
        paths: list[_Node] = []
        self._span(source, "text", node, style, depth=depth, line=line, paths=paths)
        rule = "runs from top to bottom, which is not supported" if line.is_upright else unset_rule(line.text)
        if rule or not line.text.strip():
            if rule:
                self.unset[f"the text {line.text.strip()[:40]!r} {rule}"] = None
            return []
        outlines, missing = line.outlines()
        self._missing |= dict.fromkeys(missing)
        self._other_fonts |= dict.fromkeys(line.other_fonts)
        if is_clip:  # a clip path may not have groups
            node = _Node("path", node.attributes)
            paths, outlines = [node], [Outline.joined(outlines)]
        for path, outline in zip(paths, outlines, strict=True):
            path.attributes["d"] = written(outline)
            path.letters = outline.segments
        self.nodes += [*dict.fromkeys([node, *paths])]
        self._by_id.setdefault(source.get("id", ""), node)
        return [node]

    def _span(
        self, source: _Element, tag: str, node: _Node, style: Style, *, depth: int, line: Line, paths: list[_Node]
    ) -> None:
        """Add the letters of an element to a line, and the paths that shall hold them to a node."""
        if depth > MOST_DEPTH:
            raise too_much(f"elements nested at most {MOST_DEPTH} deep")
        declared = self._take_attributes(node, source, tag)
        node.attributes = {
            name: value
            for name, value in node.attributes.items()
            if name in PRESENTATION or (name == "transform" and tag == "text")
        }
        if _SPACE in source.attrib:
            declared["white-space"] = {"preserve": "pre"}.get(str(source.get(_SPACE)), "normal")
        style, start = style.changed(declared), line.count

        def add(text: str | None) -> None:
            if text:
                line.add(text, style)
                paths.append(_Node("path"))
                node.children.append(paths[-1])

        add(source.text)
        for child in source:
            kind = child.tag.removeprefix(NAMESPACE) if isinstance(child.tag, str) else ""
            if kind in _SPANS:
                inside = _Node("g")
                node.children.append(inside)
                self.nodes.append(inside)
                self._span(child, kind, inside, style, depth=depth + 1, line=line, paths=paths)
            add(child.tail)
        line.place(start, style, {str(key): str(value) for key, value in source.attrib.items()})
        if tag == "textPath":
            self._follow(source, node, style, line, start)

    def _follow(self, source: _Element, node: _Node, style: Style, line: Line, start: int) -> None:
        """Set the letters of a `textPath` along its path."""
        name = _link(source).removeprefix("#")
        if name not in self._paths:
            self.unset[f"the text {line.text[start:].strip()[:40]!r} follows a path that is not in the file"] = None
            line.remove(start)
            return
        track, transform = self._track(name)
        offset = length(source.get("startOffset", ""), em=style.size, whole=track.length)
        line.follow(start, track, offset or 0)
        node.attributes |= transform

    def _track(self, name: str) -> tuple[Track, dict[str, str]]:
        """Return the path with an id, for text to follow, and its `transform`."""
        if name not in self._tracks:
            shape = _Node("path")
            self._take_attributes(shape, self._paths[name], "path")
            track = Track(_segments(shape), is_closed="z" in shape.attributes.get("d", "").lower())
            self._tracks[name] = track, {key: text for key, text in shape.attributes.items() if key == "transform"}
        return self._tracks[name]

    def text_warnings(self) -> list[str]:
        """Return sentences about text that looks other than the file asks for, or is left out."""
        found = [f"{one}, so it is left out; turn it into paths" for one in self.unset]
        if self._other_fonts:
            fonts = ", ".join(self._other_fonts)
            found.append(f"text of the SVG in {fonts} is drawn in {FONT_NAME}; turn it into paths to keep its font")
        return [*found, missing_letters(self._missing)] if self._missing else found

    def _take_attributes(self, node: _Node, source: _Element, tag: str) -> dict[str, str]:
        """Set the attributes of a node; return the properties that decide how letters are set."""
        lettering: dict[str, str] = {}
        given = ((str(key), str(value).strip()) for key, value in source.attrib.items())
        kept = ((name, value) for name, value in given if name in ATTRIBUTES or name in LETTERING)
        for name, value in chain(kept, self._sheet.of(tag, source), declarations(source.get("style") or "")):
            if name in LETTERING:
                lettering[name] = value
            else:
                node.put(name, value)
        link = _link(source)
        if node.tag in _HREF_TARGETS and link.startswith("#"):
            node.references["href"] = link[1:]
        return lettering

    def resolve(self, prefix: str) -> None:
        """Give ids to referenced nodes, and drop references without a suitable target."""
        numbers = count(1)
        for node in self.nodes:
            for attribute, reference in node.references.items():
                target = self._by_id.get(reference) if reference else None
                allowed = _HREF_TARGETS[node.tag] if attribute == "href" else _TARGETS[attribute]
                if target is None or target.tag not in allowed:
                    continue
                if target.tag == "pattern" and target.attributes.get("patternUnits") != "userSpaceOnUse":
                    continue  # the size of its tiles would depend on the shape that it fills
                if "id" not in target.attributes:
                    target.attributes["id"] = f"{prefix}-{next(numbers)}"
                id_ = target.attributes["id"]
                node.attributes[attribute] = f"#{id_}" if attribute == "href" else f"url(#{id_})"
                node.targets.append(target)


def _link(source: _Element) -> str:
    return next((found for name in _LINKS if (found := source.get(name))), "").strip()


# ---- limits


class _Cost(NamedTuple):
    """The cost of drawing an element, including its children and references.

    Lengths are in the element's units, before its own transform.
    """

    drawn: float = 0
    depth: int = 0
    scale: float = 1
    outlines: float = 0
    tile: float = 0


class _Weight:
    """Adds up the cost of a drawing, counting each element as often as it is drawn.

    `scale` is the largest enlargement, `outlines` the length of all outlines, and `tile` the side of the largest
    pattern tile, because renderers keep whole tiles in memory.
    """

    def __init__(self, nodes: list[_Node], box: tuple[float, float, float, float]) -> None:
        if sum(node.tag in _LAYERS for node in nodes) > MOST_LAYERS:
            raise too_much(f"at most {MOST_LAYERS} clip paths, masks and patterns")
        self._side = max(box[2:])
        periods = [sum(floats(node.attributes.get("stroke-dasharray", ""))) for node in nodes]
        self._period = min(filter(None, periods), default=math.inf)
        self._stroke = _widest_stroke(nodes, self._side)
        self._known: dict[_Node, _Cost] = {}
        self._open: set[_Node] = set()

    def check(self, root: _Node) -> None:
        cost = self._of(root)
        if cost.drawn + cost.outlines / self._side / OUTLINES > MOST_DRAWN:
            raise too_much(_COUNTED)
        if cost.tile > LARGEST_TILE * self._side:
            raise too_much(f"patterns with tiles of {LARGEST_TILE} times the size of the drawing")

    def _of(self, node: _Node) -> _Cost:
        if node in self._open:
            raise refused("has an element that is drawn inside itself")
        if node not in self._known:
            if len(self._open) >= MOST_DEPTH_DRAWN:
                raise too_much(f"elements drawn at most {MOST_DEPTH_DRAWN} deep")
            self._open.add(node)
            below = [self._of(other) for other in (*node.children, *node.targets)]
            self._open.discard(node)
            self._known[node] = self._cost(node, _combine(below))
        return self._known[node]

    def _cost(self, node: _Node, below: _Cost) -> _Cost:
        segments = _segments(node)
        outline = _outline_length(node, segments, self._side)
        scale = _scale(node, self._side)
        cost = _Cost(
            below.drawn
            + 1
            + sum(_SLOW.get(target.tag, 0) for target in node.targets)
            + (_SLOW["opacity"] if "opacity" in node.attributes else 0)
            + outline / self._period / DASHES
            + _crossings(segments, self._stroke) / CROSSINGS,
            below.depth + 1,
            below.scale * max(1, scale),
            (below.outlines + outline) * scale,
            max([below.tile, *(_sizes(node, self._side) if node.tag == "pattern" else [])]) * scale,
        )
        if cost.drawn > MOST_DRAWN:
            raise too_much(_COUNTED)
        if cost.depth > MOST_DEPTH_DRAWN:
            raise too_much(f"elements drawn at most {MOST_DEPTH_DRAWN} deep")
        if cost.scale > LARGEST_SCALE:
            raise too_much(f"enlarging at most {LARGEST_SCALE:,.0f} times")
        return cost


def _combine(costs: list[_Cost]) -> _Cost:
    if not costs:
        return _Cost()
    drawn, depth, scale, outlines, tile = zip(*costs, strict=True)
    return _Cost(sum(drawn), max(depth), max(scale), sum(outlines), max(tile))


def _scale(node: _Node, side: float) -> float:
    """Return an upper bound for the factor by which an element enlarges its content."""
    scale = 1.0
    for name in ("transform", "gradientTransform", "patternTransform"):
        for kind, numbers in transforms(node.attributes.get(name, "")):
            scale *= _enlargement(kind, [abs(number) for number in numbers])
    largest = max([side, *_sizes(node, side)])
    view = view_box(node.attributes.get("viewBox", ""))
    if view:
        scale *= largest / max(min(view[2:]), 1 / LARGEST_NUMBER)
    elif node.tag == "use":  # `use` resizes the symbol, whose cost was estimated at the size of the drawing
        scale *= largest / side
    if node.children and "objectBoundingBox" in node.attributes.values():
        scale *= max(1, side)
    return scale


def _enlargement(kind: str, numbers: list[float]) -> float:
    match kind, numbers:
        case "scale", [*factors]:
            return max(factors, default=1)
        case "matrix", [a, b, c, d, *_]:
            return max(a + c, b + d)
        case "skewX" | "skewY", [angle]:
            return 1 + abs(math.tan(math.radians(angle)))
    return 1


def _sizes(node: _Node, side: float) -> list[float]:
    values = [node.attributes[name] for name in ("width", "height") if name in node.attributes]
    return [floats(value)[0] * (side / 100 if "%" in value else 1) for value in values]


def _widest_stroke(nodes: list[_Node], side: float) -> float:
    """Return an upper bound for the width of strokes. Elements inherit it, so it is one number for the drawing."""
    if any("non-scaling-stroke" in node.attributes.values() for node in nodes):
        return LARGEST_NUMBER
    painted = [node.attributes for node in nodes if node.attributes.get("stroke", "none") != "none"]
    widths = [node.attributes["stroke-width"] for node in nodes if "stroke-width" in node.attributes]
    initial = [1.0 for attributes in painted if "stroke-width" not in attributes]
    own = [floats(width)[0] * (side / 100 if "%" in width else 1) for width in widths]
    return max([*own, *initial], default=0) if painted else 0


def _crossings(segments: Sequence[Segment], stroke: float) -> float:
    """Estimate the number of pairs of neighboring curves in a path, because renderers search each for crossings."""
    curves = [numbers for letter, numbers in segments if letter == "C"]
    if not curves:
        return 0
    xs, ys = ([one for numbers in curves for one in numbers[axis::2]] for axis in (0, 1))
    extent = max(max(xs) - min(xs), max(ys) - min(ys))
    length = sum(math.dist(numbers[:2], numbers[2:4]) + math.dist(numbers[2:4], numbers[4:]) for numbers in curves)
    share = (length / len(curves) + stroke) / (extent + stroke) if extent + stroke else 1
    return len(curves) ** 2 * min(1, share)


def _segments(node: _Node) -> Sequence[Segment]:
    """Return the segments of a path; an empty sequence for other elements."""
    if node.letters:
        return node.letters
    try:
        return Outline.parse(node.attributes["d"]).segments if "d" in node.attributes else ()
    except (ValueError, IndexError, TypeError) as error:
        raise refused("has a path that cannot be read") from error


def _outline_length(node: _Node, segments: Sequence[Segment], side: float) -> float:
    """Return an upper bound for the length of a shape's outline."""
    if node.tag not in _SHAPES:
        return 0
    if "d" not in node.attributes:
        values = [value for name, value in node.attributes.items() if name in _SIZES]
        # 10 is enough: a circle's outline is 2π radii long, a rectangle's four sides.
        return 10 * sum(abs(one) * (side if "%" in value else 1) for value in values for one in floats(value))
    points = [numbers[index : index + 2] for _, numbers in segments for index in range(0, len(numbers), 2)]
    return 2 * sum(math.dist(one, other) for one, other in pairwise(points))
