"""Tells whether a `use` in an untrusted SVG draws a shape in another style than the shape itself has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cssselect2 import ElementWrapper

_USE = "{http://www.w3.org/2000/svg}use"
_XLINK_HREF = "{http://www.w3.org/1999/xlink}href"


def depends_on_place(root: Any, named: Mapping[str | None, Any], matcher: Any) -> bool:
    """Return True if a rule holds for a used element only because of what is around it.

    Browsers apply rules to the copy that a `use` draws, and around the copy there is nothing.

    Args:
        root: The root of the SVG.
        named: Its elements by id.
        matcher: The rules, a `cssselect2.Matcher`.
    """
    addresses = dict.fromkeys(str(one.get("href") or one.get(_XLINK_HREF, "")) for one in root.iter(_USE))
    targets = [named[name] for name in (one[1:] for one in addresses) if name in named]
    if not targets:
        return False
    in_file = {one.etree_element: one for one in ElementWrapper.from_xml_root(root).iter_subtree()}
    copies = (one for target in targets for one in ElementWrapper.from_xml_root(target).iter_subtree())
    return any(_rules(matcher, in_file[copy.etree_element]) - _rules(matcher, copy) for copy in copies)


def _rules(matcher: Any, element: Any) -> set[int]:
    """Return the numbers of the selectors that match an element."""
    return {number for _, number, _, _ in matcher.match(element)}
