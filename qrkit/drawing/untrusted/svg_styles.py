"""Turns an untrusted SVG into a plain one: style sheets become attributes, and nothing leads out of the file.

The cascade is that of browsers on a light screen. Anything unknown is recorded as a doubt, which callers report.
"""

from __future__ import annotations

import hashlib
import re
from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from itertools import dropwhile
from typing import Any, NamedTuple
from urllib.parse import unquote

import cssselect2
import tinycss2
from lxml import etree

from qrkit.design.picture_files import SVG, media_type
from qrkit.drawing.untrusted.picture_errors import refused, too_much
from qrkit.drawing.untrusted.svg_css import (
    BLEND_MODES,
    Tokens,
    address_of,
    color_of,
    font_of,
    is_neutral,
    is_of_fonts,
    is_plain,
    media_holds,
    only_word,
    origin_of,
    path_of,
    shape_of,
    transform_of,
    words_of,
)
from qrkit.drawing.untrusted.svg_hidden import drop_hidden, is_kept, kind_of
from qrkit.drawing.untrusted.svg_images import Embedded, data_of
from qrkit.drawing.untrusted.svg_letters import letters_of
from qrkit.drawing.untrusted.svg_uses import XLINK_HREF, adapt_use, depends_on_place, frame_symbols, is_placed
from qrkit.drawing.untrusted.svg_values import (
    CASELESS,
    COLORS,
    GEOMETRY,
    INITIAL,
    NAMESPACE,
    PRESENTATION,
    REFERENCES,
    has_unknown_unit,
    is_invalid,
    is_simple,
    pixels,
    unknown_to_renderers,
    view_box,
)
from qrkit.errors import AssetError

MOST_BYTES = 4 * 2**20
MOST_ELEMENTS = 50_000
MOST_DEPTH = 32
MOST_SELECTORS = 1_000
MOST_PARTS = 30
"""Tokens of one selector, on average in its rule."""
MOST_MATCHES = 1_000_000
"""Selectors times elements."""
MOST_DECLARED = 200_000
"""Declarations of style sheets that apply to the elements of a file, all together."""
MOST_NESTED_VARIABLES = 8
LONGEST_VALUE = 10_000
"""Tokens of a value, after its variables have been replaced."""
LARGEST_SIDE = 1e9
LONGEST_EMBEDDED = 1_024
"""Pixels of the longer side of an SVG that is embedded in another one."""

_UNPARSED = re.compile(rb"<!--.*?(?:-->|\Z)|<!\[CDATA\[.*?(?:\]\]>|\Z)|<\?(xml-stylesheet)?.*?(?:\?>|\Z)", re.DOTALL)
"""Matches comments, texts and instructions; the group says that an instruction refers to a style sheet."""
_SPACE, _SPACES = "{http://www.w3.org/XML/1998/namespace}space", ("pre", "pre-wrap", "break-spaces")
"""The attribute that keeps spaces in texts, and the values of `white-space` that do."""

_UNSEEN = """
    class id style role focusable tabindex version baseProfile zoomAndPan enable-background cursor pointer-events
    text-rendering mix-blend-mode isolation font marker
""".split()  # noqa: SIM905
"""Attributes that change nothing once styles are resolved, or are properties of style sheets only."""
_UNSEEN_PREFIXES = ("{", "on", "data-", "aria-")
_LETTERING = """
    font-family font-size font-weight font-style font-stretch font-variant text-anchor letter-spacing word-spacing
    dominant-baseline alignment-baseline baseline-shift writing-mode text-decoration direction white-space
""".split()  # noqa: SIM905
_IN_STYLE = frozenset({"mix-blend-mode", "isolation"})
"""Properties that renderers read only in `style`."""
_PROPERTIES = (
    PRESENTATION.keys()
    | _LETTERING
    | COLORS
    | REFERENCES
    | _IN_STYLE
    | {"marker", "flood-opacity", "color-interpolation", "color-interpolation-filters", "image-rendering", "font"}
)
_FROM_CSS = _PROPERTIES.difference(_UNSEEN) | (GEOMETRY - {"d"})
"""Properties that browsers read in attributes as in style sheets."""
_DECLARED = _PROPERTIES | {"transform", "transform-origin", "transform-box"}
_DOUBTED = """
    all animation animation-name backdrop-filter content-visibility mask-image mask-border mask-composite mask-mode
    offset offset-path perspective rotate scale translate zoom font-size-adjust text-orientation
""".split()  # noqa: SIM905
"""Properties that change a picture and are not understood."""
_DOUBTED_IN_TEXT = "direction font-variant-caps text-decoration-line text-shadow text-transform".split()  # noqa: SIM905
_ROOT_DOUBTED = ("background-image", "border", "box-shadow", "margin", "outline", "padding")
"""Properties of the box of a whole picture."""
_PAINT_SERVERS = ("linearGradient", "radialGradient", "pattern")
_QUIET_RULES = frozenset({"charset", "font-face", "keyframes", "namespace", "page"})
_DEFAULTS = frozenset({"unset", "revert"})
_EMPTY = {"rx": "0", "ry": "0", "systemLanguage": "", "requiredExtensions": ""}
"""What an empty attribute means; Chromium treats an empty radius as 0. Others are ignored."""
_BEHIND = frozenset({"background", "background-color"})
_MARKERS = ("marker-start", "marker-mid", "marker-end")
_TRANSFORMS = {"pattern": "patternTransform"} | dict.fromkeys(_PAINT_SERVERS[:2], "gradientTransform")
"""The attribute that a `transform` in a style becomes, where it has another name."""
_STRAY_COMMA = re.compile(r"(?<=[0-9])(\s*),(?=\s*(?:[A-Za-z]|$))")
"""Matches a comma between numbers and the next command of a path, or at the end, which browsers ignore."""
_FILTERS = "blur brightness contrast drop-shadow grayscale hue-rotate invert opacity saturate sepia".split()  # noqa: SIM905


class Plain(NamedTuple):
    """An SVG whose styles are all attributes.

    Its root has a `viewBox`, which is `box`: x, y, width and height, and no size. The name is derived from its bytes.
    Doubts are sentences about what a browser may show differently, and notes about text that is drawn in another font.
    """

    root: etree._Element
    name: str
    box: tuple[float, float, float, float]
    doubts: tuple[str, ...]
    notes: tuple[str, ...]

    def sized(self, longer: int) -> tuple[bytes, int, int]:
        """Return the file with a longer side in pixels, its width and its height."""
        scale = longer / max(self.box[2:])
        width, height = (max(1, round(side * scale)) for side in self.box[2:])
        self.root.attrib.update({"width": str(width), "height": str(height), "preserveAspectRatio": "none"})
        svg = etree.tostring(self.root)
        for name in ("width", "height", "preserveAspectRatio"):
            del self.root.attrib[name]
        return svg, width, height


def plain(data: bytes, *, may_embed: bool = True) -> Plain:
    """Resolve the styles of an SVG, and drop what is not drawn or leads out of the file.

    An embedded SVG may not embed a third. Raises `AssetError`, to which the caller adds the name of the field.
    """
    root = _parse(data)
    had_elements = len(root) > 0
    styles = _Styles(root, may_embed=may_embed)
    styles.apply()
    if any(part[1] for part in _UNPARSED.finditer(data.replace(b"\0", b""))):  # UTF-16 has zeros
        styles.doubts["the SVG refers to a style sheet in another file, which is never loaded"] = None
    drop_hidden(root, styles.doubts)
    frame_symbols(root)
    root, box = _framed(root, styles.background)
    etree.strip_elements(root, *{one.tag for one in root.iter() if not is_kept(one)}, with_tail=False)
    doubts, notes = letters_of(root)
    doubts = (*styles.doubts, *doubts)
    if had_elements and all(kind_of(element) == "g" for element in root.iterdescendants()):
        raise refused(f"holds nothing that is drawn: {'; '.join(doubts) or 'it has no shapes and no text'}")
    return Plain(root, "s" + hashlib.sha256(data).hexdigest()[:8], box, doubts, notes)


def _parse(data: bytes) -> etree._Element:
    if data.startswith(b"\x1f\x8b"):
        raise refused("is a compressed SVG; send it unpacked")
    if len(data) > MOST_BYTES:
        raise refused(f"is too large: an SVG may have {MOST_BYTES // 2**20} MiB", "image-too-large")
    parser = etree.XMLParser(
        resolve_entities="internal",  # type: ignore[arg-type]  # its stubs know of True and False
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise refused(f"is not well-formed SVG: {str(error)[:100]}") from error
    declared: Any = root.getroottree().docinfo.internalDTD
    if declared is not None and any("<" in (entity.content or "") for entity in declared.iterentities()):
        raise refused("declares elements as entities, which have no namespace; save it as plain SVG")
    if root.tag != f"{NAMESPACE}svg":
        raise refused('is not SVG: its root is not <svg xmlns="http://www.w3.org/2000/svg">')
    depths = {root: 0}
    for element in root.iterdescendants():
        depths[element] = depths[element.getparent()] + 1
    if len(depths) > MOST_ELEMENTS:
        raise too_much(f"at most {MOST_ELEMENTS:,} elements")
    if max(depths.values()) > MOST_DEPTH:
        raise too_much(f"elements nested at most {MOST_DEPTH} deep")
    return root


def _framed(root: etree._Element, background: str) -> tuple[etree._Element, tuple[float, float, float, float]]:
    """Return the root with a viewBox in the proportions of the picture and the background, and the viewBox."""
    sizes = [pixels(root.get(name, ""), otherwise) for name, otherwise in (("width", 300), ("height", 150))]
    inner, given = view_box(root.get("viewBox", "")) or [0.0, 0.0, *sizes], _size(root)
    root.attrib.pop("display", "")  # browsers show the whole picture all the same
    across, down = given or inner[2:]
    for width, height in (inner[2:], (across, down)):
        if max(map(abs, (*inner, width, height))) > LARGEST_SIDE or min(width, height) < 1 / LARGEST_SIDE:
            raise refused(f"has the size {width:g} x {height:g}; both must be above 0 and at most {LARGEST_SIDE:,.0f}")
    box = inner[0], inner[1], inner[2], inner[3]
    if background or abs(across * box[3] / (down * box[2]) - 1) > 1e-3:  # then preserveAspectRatio matters
        box = 0.0, 0.0, across, down
        whole = root.makeelement(f"{NAMESPACE}svg")
        whole.append(root)
        root.attrib.update({"x": "0", "y": "0", "width": f"{across:.9g}", "height": f"{down:.9g}"})
        root = whole
    else:
        for name in {"x", "y", "width", "height", "preserveAspectRatio"} & {str(name) for name in root.attrib}:
            del root.attrib[name]
    root.set("viewBox", " ".join(f"{number:.9g}" for number in box))
    if background:
        size = {"width": f"{across:.9g}", "height": f"{down:.9g}"}
        root.insert(0, root.makeelement(f"{NAMESPACE}rect", {**size, "fill": background}))
    return root, box


def _size(root: etree._Element) -> list[float]:
    """Return the width and height of a root in pixels; an empty list if one is missing."""
    size = [pixels(root.get(name, ""), 0) for name in ("width", "height")]
    return size if min(size) > 0 else []


def _view_around(element: etree._Element) -> list[float]:
    """Return the width and height of the view that an element is in; an empty list if one is missing."""
    around = next(one for one in element.iterancestors() if kind_of(one) in ("svg", "symbol"))
    return view_box(around.get("viewBox", ""))[2:] or _size(around)


def _is_seen(name: str, value: str) -> bool:
    """Return True for an attribute that may change the picture, and does not lead out of the file."""
    is_unseen = name in _UNSEEN or name.startswith(_UNSEEN_PREFIXES) or is_invalid(name, value)
    return not is_unseen and "url(" not in value.lower()


class _Styles:
    """Resolves the style sheets and `style` attributes of a file.

    Doubts are sentences about what is not understood; the background is a color behind the whole picture, or empty.
    """

    def __init__(self, root: etree._Element, *, may_embed: bool) -> None:
        self.doubts = dict[str, None]()
        self.background = ""
        self._root = root
        self._elements = list(root.iter(etree.Element))
        self._named = {one.get("id"): one for one in reversed(self._elements) if one.get("id")}
        self._new_ids = {one: f"i{number}" for number, one in enumerate(self._named.values())}
        self._placed = {one: is_placed(one) for one in self._new_ids}
        self._variables: dict[etree._Element, dict[str, Tokens]] = {}
        self._parsed: dict[str, list[tuple[str, Tokens, bool]]] = {}
        self._images, self._may_embed = Embedded(), may_embed
        self._doubted = _DOUBTED + (_DOUBTED_IN_TEXT if root.find(f".//{NAMESPACE}text") is not None else [])
        uses = root.findall(f".//{NAMESPACE}use")
        self._by_use = {"stroke": "unknown", "stroke-dasharray": "unknown"} if uses else {}
        self._view = view_box(root.get("viewBox", ""))[2:] or _size(root)
        self._matcher, self._selectors = cssselect2.Matcher(), 0
        for sheet in root.iter(f"{NAMESPACE}style", "{http://www.w3.org/1999/xhtml}style"):
            if sheet.get("type", "text/css").lower() in ("", "text/css") and self._holds(sheet.get("media", "")):
                text = "".join(str(piece) for piece in sheet.itertext())
                self._add_rules(tinycss2.parse_stylesheet(text, skip_comments=True, skip_whitespace=True))
        if self._selectors * len(self._elements) > MOST_MATCHES:
            raise too_much(f"at most {MOST_MATCHES:,} comparisons of selectors with elements")

    def apply(self) -> None:
        """Replace all styles by attributes."""
        if self._selectors and depends_on_place(self._root, self._named, self._matcher):
            self._doubt("the SVG reuses a shape whose style depends on its place, which programs draw differently")
        left = MOST_DECLARED
        for element, matches in self._matched():
            rules = [rule for _, _, pseudo, rule in matches if pseudo is None]
            left -= sum(map(len, rules))
            if left < 0:
                raise too_much(f"style sheets with at most {MOST_DECLARED:,} declarations for all elements together")
            self._resolve(element, [one for rule in rules for one in rule])

    def _matched(self) -> Iterator[tuple[etree._Element, Any]]:
        if not self._selectors:
            return ((element, ()) for element in self._elements)
        tree = cssselect2.ElementWrapper.from_xml_root(self._root)
        return ((one.etree_element, self._matcher.match(one)) for one in tree.iter_subtree())

    def _doubt(self, sentence: str) -> None:
        self.doubts[sentence] = None

    # ---- style sheets

    def _add_rules(self, rules: Iterable[Any]) -> None:
        for rule in rules:
            if rule.type == "qualified-rule":
                self._add_rule(rule)
            elif rule.type == "at-rule" and rule.lower_at_keyword == "media" and rule.content is not None:
                if self._holds(tinycss2.serialize(rule.prelude)):
                    self._add_rules(tinycss2.parse_rule_list(rule.content, skip_comments=True, skip_whitespace=True))
            elif rule.type == "at-rule" and not (rule.lower_at_keyword in _QUIET_RULES or is_of_fonts(rule)):
                self._doubt(f"the SVG has a style sheet with @{rule.lower_at_keyword[:20]}, which is not understood")

    def _add_rule(self, rule: Any) -> None:
        try:
            selectors = cssselect2.compile_selector_list(rule.prelude)
        except cssselect2.SelectorError:
            shown = tinycss2.serialize(rule.prelude).strip()[:40]
            self._doubt(f"the SVG has a style sheet with the selector {shown!r}, which is not understood")
            return
        self._selectors += len(selectors)
        if self._selectors > MOST_SELECTORS or len(rule.prelude) > MOST_PARTS * len(selectors):
            raise too_much(f"at most {MOST_SELECTORS:,} selectors in style sheets, of at most {MOST_PARTS} parts")
        declarations = self._declarations(rule.content)
        for selector in selectors:
            self._matcher.add_selector(selector, declarations)

    def _holds(self, media: str) -> bool:
        """Return True if a media query matches; what it asks for that is unknown is recorded as a doubt."""
        holds, unknown = media_holds(media)
        if unknown:
            self._doubt(f"the SVG has a style sheet for the medium {unknown[:40]!r}, which is not understood")
        return holds

    def _declarations(self, content: Any) -> list[tuple[str, Tokens, bool]]:
        found = []
        for node in tinycss2.parse_blocks_contents(content, skip_comments=True, skip_whitespace=True):
            if node.type == "declaration":
                name = node.name if node.name.startswith("--") else node.lower_name.removeprefix("-webkit-")
                found.append((name, node.value, node.important))
            elif node.type != "error":
                self._doubt("the SVG has a style sheet with rules inside rules, which are not understood")
        return found

    # ---- elements

    def _resolve(self, element: etree._Element, rules: list[tuple[str, Tokens, bool]]) -> None:
        """Give an element the attributes that its styles amount to."""
        text = element.get("style", "")
        if text and text not in self._parsed:
            self._parsed[text] = self._declarations(text)
        styles = self._parsed.get(text, [])
        groups = [(one, important) for important in (False, True) for one in (rules, styles)]
        declared = [(name, value) for one, last in groups for name, value, important in one if important == last]
        parent = element.getparent()
        variables = {} if parent is None else self._variables[parent]
        if own := {name: value for name, value in declared if name.startswith("--")}:
            every = {**variables, **own}
            variables = {one: self._replaced(every[one], every) for one in every if only_word(every[one]) != "initial"}
        self._variables[element] = variables
        kept = self._given(element, variables)
        for name, tokens in declared:
            self._take(element, kept, name, tokens, variables)
        above: Any = [one.attrib for one in element.iterancestors()]
        inherited = ChainMap(kept, self._by_use, *above)
        if kind_of(element) in ("rect", "circle", "ellipse"):  # renderers draw markers on them, but browsers do not
            kept |= {name: "none" for name in _MARKERS if inherited.get(name, "none") != "none"}
        self.doubts |= dict.fromkeys(unknown_to_renderers(kept, inherited))
        self._transform(element, kept)
        if in_style := ";".join(f"{name}:{kept.pop(name)}" for name in sorted(_IN_STYLE & kept.keys())):
            kept["style"] = in_style
        if element in self._new_ids:
            kept["id"] = self._new_ids[element]
        self._link(element, kept)
        element.attrib.clear()
        element.attrib.update(list(kept.items()))

    def _given(self, element: etree._Element, variables: dict[str, Tokens]) -> dict[str, str]:
        """Return the attributes of an element that are seen, with their values resolved."""
        kept = {_SPACE: str(element.get(_SPACE))} if _SPACE in element.attrib else {}
        for key, text in element.attrib.items():
            name, value = str(key), str(text).strip(" \t\r\n\f")
            if name in _FROM_CSS and not is_simple(name, value):
                self._take(element, kept, name, tinycss2.parse_component_value_list(value), variables)
            elif (value or name in _EMPTY) and _is_seen(name, value):
                value = value.lower() if name in CASELESS else value
                value = _STRAY_COMMA.sub(" ", value) if name in ("d", "points") else value
                kept[name] = value or _EMPTY[name]
                is_size = element is self._root and self._view and name in ("width", "height")  # any size looks alike
                if has_unknown_unit(name, value) and not is_size:
                    self._doubt(f"the SVG has the length {text[:20]!r}, whose unit is not understood")
        return kept

    def _take(
        self, element: etree._Element, kept: dict[str, str], name: str, tokens: Tokens, variables: dict[str, Tokens]
    ) -> None:
        """Set the attributes of a declaration; an invalid one leaves the attributes as they are."""
        is_of_root = element is self._root and name.startswith(_ROOT_DOUBTED)
        is_view = element is not self._root and kind_of(element) in ("svg", "symbol", "use")  # browsers disagree
        if name in self._doubted or is_of_root or (name in ("width", "height") and is_view):
            if not is_neutral(tokens, is_length=is_of_root):
                self._doubt(f"the SVG has the property {name!r}, which is not understood")
        elif name in _DECLARED or name in (_BEHIND if element is self._root else GEOMETRY):
            replaced = self._replaced(tokens, variables)
            for one, value in self._values(kind_of(element), name, replaced).items():
                if value is None:
                    if not all(map(is_plain, replaced)):
                        self._doubt(f"the SVG has a value of the property {one!r} that is not understood")
                    if any(getattr(token, "lower_name", "") == "var" for token in tokens):  # counts as declared
                        kept.pop(one, None)
                elif one in _BEHIND:
                    self.background = value.replace("none", "")
                elif value:
                    kept[one] = value
                else:
                    kept.pop(one, None)

    def _values(self, kind: str, name: str, tokens: Tokens) -> Mapping[str, str | None]:
        """Return the attributes that a declaration becomes, with values as those of `_value`."""
        text = tinycss2.serialize(tokens).strip().lower() if name in ("mix-blend-mode", "white-space") else ""
        if name == "mix-blend-mode" and text not in BLEND_MODES:
            self._doubt(f"the SVG has the blend mode {text[:20]!r}, which is not understood")
        if name == "font":
            return font_of(tokens)
        if name == "white-space":  # texts do not inherit it from groups
            return {_SPACE: "preserve"} if kind in ("text", "tspan") and text in _SPACES else {}
        names = _MARKERS if name == "marker" else [_TRANSFORMS.get(kind, name) if name == "transform" else name]
        return {one: self._value(one, tokens) for one in names}

    def _replaced(self, tokens: Tokens, variables: dict[str, Tokens], depth: int = 0) -> Tokens:
        """Return a value with its variables replaced; an unknown one makes it empty, as if it were not declared."""
        if depth > MOST_NESTED_VARIABLES:
            raise too_much(f"variables of variables, at most {MOST_NESTED_VARIABLES} deep")
        found: Tokens = []
        for token in (one for one in tokens if one.type != "comment"):
            if token.type != "function":
                found.append(token)
            elif token.lower_name != "var":
                found.append(copy(token))
                found[-1].arguments = self._replaced(token.arguments, variables, depth)
            else:
                words = words_of(token.arguments)
                value = variables.get(words[0].value) if words and words[0].type == "ident" else None
                after_comma = [*dropwhile(lambda one: one.type != "literal", token.arguments)][1:]
                inside = value if value is not None else after_comma
                found += self._replaced(inside, variables, depth + 1)
            if len(found) > LONGEST_VALUE:
                raise too_much(f"values of at most {LONGEST_VALUE:,} parts")
        return found

    # ---- values

    def _value(self, name: str, tokens: Tokens) -> str | None:
        """Return the text of an attribute; an empty one removes it, and None is a value that is not understood."""
        words, only = words_of(tokens), only_word(tokens)
        if not words or only in _DEFAULTS:
            return ""
        if only == "initial":
            return INITIAL.get(name)
        if name in COLORS or name in _BEHIND:
            return self._paint(words)
        if name in REFERENCES:
            return "none" if only == "none" else self._references(name, words)
        if name == "d":
            return "" if only == "none" else path_of(words)
        if name in _TRANSFORMS.values() or name == "transform":
            return "" if only == "none" else transform_of(words)
        text = str(tinycss2.serialize(tokens)).strip()
        if is_invalid(name, text) or not all(map(is_plain, words)):
            return None
        if name == "image-rendering":
            return "optimizeSpeed" if only in ("pixelated", "crisp-edges") else ""
        return text.lower() if name in PRESENTATION or name in _IN_STYLE else text

    def _paint(self, words: Tokens) -> str | None:
        if address := address_of(words[0]):
            after = self._paint(words[1:]) if words[1:] else None
            server = self._element(address)
            if server is None or kind_of(server) not in _PAINT_SERVERS:
                return after or "none"
            falls_back = after and kind_of(server) == "pattern"  # gradients never do
            return f"url(#{self._new_ids[server]})" + (f" {after}" if falls_back else "")
        return color_of(words[0]) if len(words) == 1 else None

    def _references(self, name: str, words: Tokens) -> str | None:
        """Return references to elements of the file, with the functions of a filter."""
        found = []
        for word in words:
            if address := address_of(word):
                target = self._element(address)
                if target is None:
                    return "none"
                found.append(f"url(#{self._new_ids[target]})")
            elif word.type != "function":
                return None
            elif name == "filter" and word.lower_name in _FILTERS:
                if not all(color_of(one) or is_plain(one) for one in word.arguments):
                    return None
                arguments = [color_of(one) or tinycss2.serialize([one]) for one in word.arguments]
                found.append(f"{word.lower_name}({''.join(arguments)})")
            elif name == "clip-path" and (shape := shape_of(word)):
                found.append(f"url(#{self._clip(*shape)})")
            else:
                return None
        return " ".join(found)

    def _clip(self, shape: str, attributes: dict[str, str]) -> str:
        """Add a clip path of a shape in shares of the box that it clips, and return its id."""
        name = f"c{len(self._root)}"
        clip = etree.SubElement(self._root, f"{NAMESPACE}clipPath", id=name, clipPathUnits="objectBoundingBox")
        etree.SubElement(clip, f"{NAMESPACE}{shape}", attributes)
        return name

    def _element(self, address: str) -> etree._Element | None:
        """Return the element that an address refers to; None if the file has no such element."""
        if not address.startswith("#"):
            self._doubt("the SVG refers to another file, which is never loaded")
            return None
        return self._named.get(unquote(address[1:]), self._named.get(address[1:]))

    def _link(self, element: etree._Element, kept: dict[str, str]) -> None:
        """Keep a reference to an element of the file, or an embedded picture."""
        address = (kept.pop("href", "") or element.get(XLINK_HREF, "")).strip()
        kind = kind_of(element)
        if kind in ("image", "feImage") and address[:5].lower() == "data:":
            if picture := self._images.read(self._pixels(data_of(address))):
                kept["href"] = picture
            else:
                self._doubt("the SVG embeds a picture that cannot be read, and is drawn without it")
        elif kind != "a" and address and (target := self._element(address)) is not None:
            kept["href"] = f"#{self._new_ids[target]}"
            uses_view = kind == "use" and kind_of(target) in ("svg", "symbol")
            if uses_view and self._placed[target]:
                self._doubt("the SVG uses a nested svg with a place of its own, which programs draw in several ways")
            if uses_view:
                adapt_use(kept, target)
        if kind == "image" and not kept.get("href", "").startswith("data:"):
            element.tag = "hidden"

    def _pixels(self, data: bytes) -> bytes:
        """Return an embedded picture with pixels; one that is an SVG is drawn, because renderers differ about those."""
        if media_type(data) != SVG or not self._may_embed:
            return data
        from qrkit.drawing.untrusted.rasteriser.worker import resvg_png

        try:
            file = plain(data, may_embed=False)
        except AssetError:
            return b""
        self.doubts |= dict.fromkeys(file.doubts)
        return resvg_png(file.sized(LONGEST_EMBEDDED)[0])

    def _transform(self, element: etree._Element, kept: dict[str, str]) -> None:
        """Fold the `transform-origin` into the transform."""
        has_clip = kept.keys() & {"clip-path", "mask"} and _size(self._root) != self._view
        if element is self._root and (has_clip or "url(" in kept.get("filter", "")):
            self._doubt("the SVG has a clip, a mask or a filter of the whole picture, which is not understood")
        if element is self._root and kept.pop("transform", ""):
            self._doubt("the SVG has a transform of the whole picture, which is not understood")
        origin, box = kept.pop("transform-origin", ""), kept.pop("transform-box", "view-box")
        if "transform" not in kept or not (origin or box != "view-box"):
            return
        place = origin_of((origin or "0 0").split(), _view_around(element))
        if place is None or box != "view-box":
            where = f"{origin[:40]!r} in the {box[:20]!r}"
            self._doubt(f"the SVG has the transform origin {where}, which is not understood")
        elif place != (0, 0):
            x, y = place
            kept["transform"] = f"translate({x:.9g} {y:.9g}) {kept['transform']} translate({-x:.9g} {-y:.9g})"
