"""Reduces a plain SVG, as `svg_styles` makes it, to a `Drawing` of shapes, paints, clips and masks.

Images, filters, markers and everything else that is not listed are dropped. An SVG that takes too long to draw is
rejected.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count, pairwise
from typing import TYPE_CHECKING, NamedTuple

from qrkit.design.outline import Outline, Segment
from qrkit.drawing.scene import Drawing
from qrkit.drawing.untrusted.picture_errors import refused, too_much
from qrkit.drawing.untrusted.svg_values import (
    ATTRIBUTES,
    LARGEST_NUMBER,
    NAMESPACE,
    PRESENTATION,
    REFERENCE,
    floats,
    transforms,
    view_box,
)

if TYPE_CHECKING:
    from lxml.etree import _Element

    from qrkit.drawing.untrusted.svg_styles import Plain


MOST_DRAWN = 5_000
"""Elements, each counted as often as it is drawn; masks and similar effects count as several."""
MOST_DEPTH_DRAWN = 64
MOST_LAYERS = 50
LARGEST_SCALE = 1e6
LARGEST_TILE = 2
OUTLINES = 8
"""Length of outline, in sides of the drawing, that takes as long to draw as one more element."""
CROSSINGS = 2_000
"""Pairs of curves in one path that may cross, which take as long to draw as one more element."""
DASHES = 400
"""Number of dashes that takes as long to draw as one more element."""
_COUNTED = f"at most {MOST_DRAWN:,} elements; repeated, clipped, masked, dashed or long ones, dense curves count more"

_SHAPES = frozenset({"path", "rect", "circle", "ellipse", "line", "polyline", "polygon"})
_SIZES = frozenset({"x1", "y1", "x2", "y2", "width", "height", "r", "rx", "ry", "points"})
_LAYERS = frozenset({"clipPath", "mask", "pattern"})
_SLOW = {"clipPath": 25, "mask": 100, "pattern": 50, "linearGradient": 12, "radialGradient": 12, "opacity": 25}
"""Effects drawn on a separate surface or pixel by pixel, and the number of plain shapes that take as long."""
_GRADIENTS = frozenset({"linearGradient", "radialGradient"})
_ELEMENTS = _SHAPES | _LAYERS | _GRADIENTS | {"g", "defs", "symbol", "use", "svg", "stop"}
_TARGETS = {"clip-path": frozenset({"clipPath"}), "mask": frozenset({"mask"})}
_TARGETS |= dict.fromkeys(("fill", "stroke"), _GRADIENTS | {"pattern"})
_HREF_TARGETS = {"use": _SHAPES | {"g", "use", "symbol", "svg"}, "pattern": frozenset({"pattern"})}
_HREF_TARGETS |= dict.fromkeys(_GRADIENTS, _GRADIENTS)


def sanitised(file: Plain) -> tuple[Drawing, list[str]]:
    """Reduce an SVG to a drawing in bounded time; return it with the names of elements and attributes that it lacks.

    Raises `AssetError` if it takes too long to draw; the caller adds the name of the field.
    """
    copy = _Copy()
    drawing = copy.element(file.root, "svg")
    copy.resolve(file.name)
    copy.lost += drawing.attributes.keys() - PRESENTATION.keys() - {"viewBox"}
    drawing.attributes = {key: value for key, value in drawing.attributes.items() if key in PRESENTATION}
    if max(map(abs, file.box)) > LARGEST_NUMBER or min(file.box[2:]) < 0.01:  # librsvg draws nothing
        raise too_much(f"sides of at most {LARGEST_NUMBER:,.0f}, and at least 0.01")
    _Weight(copy.nodes, file.box).check(drawing)
    style, markup = _attributes(drawing.attributes), "".join(child.markup() for child in drawing.children)
    markup = f"<g{style}>{markup}</g>" if style else markup
    return Drawing(markup, file.name, file.box, (*file.doubts, *file.notes)), list(dict.fromkeys(copy.lost))


# ---- elements


@dataclass(slots=True, eq=False)
class _Node:
    """A copied element: `references` maps attributes to ids in the source, and `targets` are the nodes of these ids."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[_Node] = field(default_factory=list)
    references: dict[str, str] = field(default_factory=dict)
    targets: list[_Node] = field(default_factory=list)

    def put(self, name: str, value: str) -> bool:
        """Set an attribute if its value is allowed; return whether it is."""
        reference = REFERENCE.fullmatch(value) if name in _TARGETS else None
        checked = ATTRIBUTES[name](reference[2] if reference else value)
        if reference:
            self.references[name] = reference[1]
            self.attributes[name] = checked or "none"
        elif checked is not None:
            self.attributes[name] = " ".join(checked.split())
        return reference is not None or checked is not None

    def markup(self) -> str:
        if self.tag == "use" and not self.targets:
            return ""
        children = "".join(child.markup() for child in self.children)
        return f"<{self.tag}{_attributes(self.attributes)}" + (f">{children}</{self.tag}>" if children else "/>")


def _attributes(values: dict[str, str]) -> str:
    # No value needs escaping, because the patterns do not allow quotes, < or &.
    return "".join(f' {name}="{value}"' for name, value in values.items())


class _Copy:
    """Copies elements as nodes, then resolves their references; `lost` are elements and attributes left out."""

    def __init__(self) -> None:
        self._by_id: dict[str, _Node] = {}
        self.nodes: list[_Node] = []
        self.lost: list[str] = []

    def element(self, source: _Element, tag: str) -> _Node:
        node = _Node(tag)
        self.nodes.append(node)
        for key, value in source.attrib.items():
            name, text = str(key), str(value).strip()
            if name == "href" and tag in _HREF_TARGETS:
                node.references["href"] = text.removeprefix("#")
            elif name == "id":
                self._by_id[text] = node
            elif name not in ATTRIBUTES or not node.put(name, text):
                self.lost.append(text.partition(":")[0] if name == "style" else name)
        for child in source:
            kind = str(child.tag).removeprefix(NAMESPACE)
            if kind in _ELEMENTS:
                node.children.append(self.element(child, kind))
            else:
                self.lost.append(kind)
        return node

    def resolve(self, prefix: str) -> None:
        """Give ids to referenced nodes, and drop references without a suitable target."""
        numbers = count(1)
        for node in self.nodes:
            for attribute, reference in node.references.items():
                target = self._by_id.get(reference) if reference else None
                allowed = _HREF_TARGETS[node.tag] if attribute == "href" else _TARGETS[attribute]
                if target is None or target.tag not in allowed or _depends_on_shape(target):
                    self.lost.append(target.tag if target else attribute)
                    continue
                if "id" not in target.attributes:
                    target.attributes["id"] = f"{prefix}-{next(numbers)}"
                id_ = target.attributes["id"]
                node.attributes[attribute] = f"#{id_}" if attribute == "href" else f"url(#{id_})"
                node.targets.append(target)


def _depends_on_shape(target: _Node) -> bool:
    """Return True for a pattern whose tiles have other sizes in each shape that it fills."""
    return target.tag == "pattern" and target.attributes.get("patternUnits") != "userSpaceOnUse"


# ---- limits


class _Cost(NamedTuple):
    """The cost of drawing an element with its children and references, in its units, before its own transform."""

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
    drawn, depth, scale, outlines, tile = zip(_Cost(), *costs, strict=True)
    return _Cost(sum(drawn), max(depth), max(scale), sum(outlines), max(tile))


def _scale(node: _Node, side: float) -> float:
    """Return an upper bound for the factor by which an element enlarges its content."""
    scale = 1.0
    for name in ("transform", "gradientTransform", "patternTransform"):
        for kind, numbers in transforms(node.attributes.get(name, "")):
            scale *= _enlargement(kind, [abs(number) for number in numbers])
    largest = max([side, *_sizes(node, side)])
    if view := view_box(node.attributes.get("viewBox", "")):
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
