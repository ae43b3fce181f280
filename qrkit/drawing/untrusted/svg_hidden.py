"""Tells which elements of an untrusted SVG are drawn, and drops the others."""

from __future__ import annotations

from typing import Any

from lxml import etree

from qrkit.drawing.untrusted.svg_values import NAMESPACE, pixels, view_box

_ELEMENTS = """
    svg g defs symbol use image path rect circle ellipse line polyline polygon clipPath mask pattern marker
    linearGradient radialGradient stop filter text tspan textPath
""".split()  # noqa: SIM905
"""Elements that stay, with the primitives of filters."""
_ANIMATED = "the SVG is animated, and is drawn without the animation"
_DOUBTED_ELEMENTS = {
    "foreignObject": "the SVG embeds HTML, which is left out",
    **dict.fromkeys(("animate", "animateTransform", "animateMotion", "set"), _ANIMATED),
    **dict.fromkeys(("video", "audio", "canvas", "iframe"), "the SVG embeds media, which are left out"),
    **dict.fromkeys(("feDisplacementMap", "feTile"), "the SVG has a rare filter, which is not understood"),
}
_IN_LINKS: Any = etree.ETXPath(f"//{NAMESPACE}a/{NAMESPACE}a | //{NAMESPACE}switch/{NAMESPACE}a/*")
"""Finds links within links, and the children of a link in a switch; Chromium draws neither."""


def kind_of(element: etree._Element) -> str:
    """Return the name of an element of SVG; an empty string for others."""
    tag = element.tag if isinstance(element.tag, str) else ""
    return tag.removeprefix(NAMESPACE) if tag.startswith(NAMESPACE) else ""


def is_kept(element: etree._Element) -> bool:
    """Return True for an element that is drawn, or that what is drawn refers to."""
    return kind_of(element) in _ELEMENTS or kind_of(element).startswith("fe")


def drop_hidden(root: etree._Element, doubts: dict[str, None]) -> None:
    """Drop elements for other languages and programs, and all but the first of a switch."""
    shown = [kind_of(element) for element in root.iter() if _is_shown(element)]
    doubts |= {_DOUBTED_ELEMENTS[kind]: None for kind in shown if kind in _DOUBTED_ELEMENTS}
    for inner in _IN_LINKS(root):
        inner.tag = "hidden"
    for element in root.iter():
        kind = kind_of(element)
        if kind in ("svg", "symbol") and _has_no_area(element):
            element.tag = f"{NAMESPACE}defs"
        if kind == "switch":
            element.tag = f"{NAMESPACE}g"
            drawn = [child for child in element if is_kept(child) or kind_of(child) in ("switch", "a")]
            first = next(filter(_is_shown, drawn), None)
        for child in element:
            if not _is_shown(child) or (kind == "switch" and child is not first):
                child.tag = "hidden"
        if kind == "a":
            parent = element.getparent()
            in_text = parent is not None and kind_of(parent) in ("text", "tspan", "textPath")
            element.tag = f"{NAMESPACE}{'tspan' if in_text else 'g'}"
    etree.strip_attributes(root, "systemLanguage", "requiredExtensions", "requiredFeatures")


def _is_shown(element: etree._Element) -> bool:
    languages = element.get("systemLanguage")
    speaks = languages is None or any(one.strip().lower()[:3] in ("en", "en-") for one in languages.split(","))
    return speaks and "requiredExtensions" not in element.attrib


def _has_no_area(view: etree._Element) -> bool:
    """Return True for a nested svg or a symbol that browsers do not draw, though others may use what is in it."""
    sizes = [pixels(view.get(name, ""), 1) for name in ("width", "height")]
    return min(sizes) < 0 or 0 in view_box(view.get("viewBox", ""))[2:]
