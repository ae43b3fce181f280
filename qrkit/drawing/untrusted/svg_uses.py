"""Tells how a `use` in an untrusted SVG draws its target, where renderers do it differently from browsers."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from math import inf
from typing import Any

from cssselect2 import ElementWrapper

from qrkit.drawing.untrusted.svg_values import GEOMETRY, NAMESPACE, REFERENCES, pixels, view_box

_SVG, _SYMBOL, _USE = (f"{NAMESPACE}{kind}" for kind in ("svg", "symbol", "use"))
_SHAPES = [f"{NAMESPACE}{kind}" for kind in ("svg", "use", "image", "rect", "circle", "ellipse", "text")]
XLINK_HREF = "{http://www.w3.org/1999/xlink}href"


def depends_on_place(root: Any, named: Mapping[str | None, Any], matcher: Any) -> bool:
    """Return True if a rule of the `cssselect2.Matcher` holds for a used element only because of what is around it.

    Browsers apply rules to the copy that a `use` draws, and around the copy there is nothing.
    """
    addresses = dict.fromkeys(str(one.get("href") or one.get(XLINK_HREF, "")) for one in root.iter(_USE))
    targets = [named[name] for name in (one[1:] for one in addresses) if name in named]
    if not targets:
        return False
    in_file = {one.etree_element: one for one in ElementWrapper.from_xml_root(root).iter_subtree()}
    copies = (one for target in targets for one in ElementWrapper.from_xml_root(target).iter_subtree())
    return any(_rules(matcher, in_file[copy.etree_element]) - _rules(matcher, copy) for copy in copies)


def _rules(matcher: Any, element: Any) -> set[int]:
    """Return the numbers of the selectors that match an element."""
    return {number for _, number, _, _ in matcher.match(element)}


def is_placed(target: Any) -> bool:
    """Return True for a nested svg or a symbol that is not drawn where the `use` says, or not as large."""
    has_place = "transform" in target.attrib or any(pixels(str(target.get(name, "0")), 1) for name in ("x", "y"))
    inside = () if target.tag != _SYMBOL or "viewBox" in target.attrib else target.iterdescendants(*_SHAPES)
    return has_place or any("%" in str(one.get(name)) for one in inside for name in GEOMETRY)


def adapt_use(use: MutableMapping[str, str], view: Any) -> None:
    """Give a `use` the size of its symbol or svg, unless it has its own, and move its clips and filters along."""
    for name in {"width", "height"}.intersection(view.attrib):
        use.setdefault(name, str(view.get(name)))
    places = [pixels(use.get(name, "0"), inf) for name in ("x", "y")]
    if use.keys() & REFERENCES and max(places) < inf:
        x, y = places
        use["transform"] = f"{use.get('transform', '')} translate({x:.9g} {y:.9g})".lstrip()
        use.pop("x", None)
        use.pop("y", None)


def frame_symbols(root: Any) -> None:
    """Wrap the content of symbols in an svg as large as their viewBox, which renderers take percentages of."""
    for symbol in root.iter(_SYMBOL):
        if (view := view_box(symbol.get("viewBox", ""))) and any(map(_is_relative, symbol.iterdescendants())):
            width, height = map("{:.9g}".format, view[2:])
            inner = symbol.makeelement(_SVG, {"width": width, "height": height, "overflow": "visible"})
            inner.extend(list(symbol))
            symbol.append(inner)


def _is_relative(element: Any) -> bool:
    """Return True for an element whose size depends on what it is in."""
    return element.tag in (_SVG, _USE) or any("%" in str(value) for value in element.attrib.values())
