"""Turns the text of an untrusted SVG into outlines, in the font that comes with qrkit.

Fonts of the file are never loaded. Sizes, weights, places, anchors, letter spacing and paths are those of the file.
"""

from __future__ import annotations

import math
import re
from bisect import bisect
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeVar
from unicodedata import normalize

from qrkit.design.frames import unset_rule
from qrkit.design.outline import Outline, Segment
from qrkit.drawing.letters.lettering import (
    BOX_ADVANCE,
    FONT_NAME,
    Letters,
    box,
    missing_letters,
    own_letters,
    turned,
)
from qrkit.drawing.untrusted.svg_values import LARGEST_NUMBER, LETTERING, length, refused, too_much, view_box
from qrkit.errors import AssetError

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["Lettering", "Line", "Style", "Track", "text_of", "written"]

MOST_CHARACTERS = 1_000
MOST_TRACK = 1_000
"""Segments of a path that text follows."""
STEPS = 16
"""Straight lines that stand for a curve."""

_WEIGHTS = ((450, "regular"), (550, "medium"), (650, "semibold"), (750, "bold"), (math.inf, "extrabold"))
_NAMED_WEIGHTS = {"normal": 400.0, "lighter": 400.0, "bold": 700.0, "bolder": 700.0}
_SIZES = {"x-small": 10.0, "small": 13.0, "medium": 16.0, "large": 18.0, "x-large": 24.0, "xx-large": 32.0}
_ANCHORS = {"start": 0.0, "middle": 0.5, "end": 1.0}
_DROPS = {"middle": 0.27, "central": 0.36, "hanging": 0.72, "text-before-edge": 0.95, "text-after-edge": -0.25}
"""How far letters move down to lie on a baseline other than their own, in em."""
_FONT = re.compile(r"(?P<before>[\w\s-]*?)(?P<size>[\d.]+(?:px|pt|em|%))(?:/\S+)?\s+(?P<family>.+)", re.DOTALL)
_SAME_FONTS = frozenset({FONT_NAME.lower(), "sans-serif", "system-ui", "ui-sans-serif", "inherit", "initial"})
_FAMILY = re.compile(r"[\w .-]{1,40}")
_SPACES = re.compile(r"[ \t\r\n]")


Value = TypeVar("Value")


class Style(NamedTuple):
    """How the letters of an element are set; elements inherit it.

    Attributes:
        size: Size of the font in pixels.
        weight: Weight, as in captions.
        family: The font that the file asks for; empty if any will do.
        is_slanted: True if the file asks for italic letters.
        anchor: Share of the text that lies before its place.
        spacing: Space added after each letter, in pixels.
        drop: How far the letters move down, in em.
        is_upright: True if the text runs from top to bottom.
        keeps_spaces: True if several spaces are not one.
        view: Width and height that percentages are shares of.
    """

    size: float = 16
    weight: str = "regular"
    family: str = ""
    is_slanted: bool = False
    anchor: float = 0
    spacing: float = 0
    drop: float = 0
    is_upright: bool = False
    keeps_spaces: bool = False
    view: tuple[float, float] = (300, 150)

    @property
    def other_font(self) -> str:
        """The font that the file asks for, if it is not the one that is used."""
        name = self.family if self.family.lower() not in _SAME_FONTS else ""
        return f"{name or FONT_NAME} italic" if self.is_slanted else name

    def changed(self, declared: Mapping[str, str]) -> Style:
        """Return the style of an element inside.

        Args:
            declared: Properties of `LETTERING` that the element has.

        Raises:
            AssetError: If a length is too large.
        """
        declared = {**_shorthand(declared.get("font", "")), **declared}
        value = declared.get("font-size", "")
        size = _SIZES.get(value) or length(value, em=self.size, whole=self.size)
        if size is None or size < 0:
            size = self.size
        if size > LARGEST_NUMBER:
            raise too_much(f"letters of at most {LARGEST_NUMBER:,.0f} pixels")
        spacing = length(declared.get("letter-spacing", "").replace("normal", "0"), em=size, whole=size)
        return self._replace(
            size=size,
            weight=_weight(declared.get("font-weight", ""), self.weight),
            family=_family(declared["font-family"]) if "font-family" in declared else self.family,
            is_slanted=_given(
                declared, "font-style", {"normal": False, "italic": True, "oblique": True}, self.is_slanted
            ),
            anchor=_given(declared, "text-anchor", _ANCHORS, self.anchor),
            spacing=self.spacing if spacing is None else spacing,
            drop=_DROPS.get(declared["dominant-baseline"], 0) if "dominant-baseline" in declared else self.drop,
            is_upright=declared["writing-mode"][:2] in ("tb", "ve") if "writing-mode" in declared else self.is_upright,
            keeps_spaces=_given(declared, "white-space", {"normal": False, "pre": True}, self.keeps_spaces),
        )

    def viewed(self, attributes: Mapping[str, str]) -> Style:
        """Return the style inside an element with a `viewBox`."""
        view = view_box(attributes.get("viewBox", ""))
        return self._replace(view=(view[2], view[3])) if view else self

    def pixels(self, value: str, *, down: bool = False) -> float | None:
        """Convert a length to pixels; return None if it is not a length.

        Raises:
            AssetError: If the number is too large.
        """
        return length(value, em=self.size, whole=self.view[down])


def _given(declared: Mapping[str, str], name: str, values: Mapping[str, Value], otherwise: Value) -> Value:
    return values.get(declared.get(name, ""), otherwise)


def _shorthand(font: str) -> dict[str, str]:
    """Split the property `font`, whose size and family are mandatory."""
    found = _FONT.fullmatch(font.strip())
    if found is None:
        return {}
    words = found["before"].split()
    return {
        "font-style": next((one for one in words if one in ("italic", "oblique")), "normal"),
        "font-weight": next((one for one in words if one in _NAMED_WEIGHTS or one.isdigit()), "normal"),
        "font-size": found["size"],
        "font-family": found["family"],
    }


def _weight(value: str, otherwise: str) -> str:
    number = _NAMED_WEIGHTS.get(value) or (float(value) if re.fullmatch("[0-9]{1,4}", value) else None)
    return otherwise if number is None else next(name for most, name in _WEIGHTS if number < most)


def _family(value: str) -> str:
    """Return the first font of a list; its name is shown in warnings, so it must be plain."""
    name = value.partition(",")[0].strip(" \"'\n\t")
    return name if _FAMILY.fullmatch(name) else "another font"


_NAMESPACE = "{http://www.w3.org/2000/svg}"
_SPANS = {f"{_NAMESPACE}{name}" for name in ("tspan", "textPath", "a", "g")}
_PLACING = frozenset({"x", "y", "dx", "dy", "rotate", "textLength", "lengthAdjust", "href", "startOffset"})
_UNSUPPORTED = ("rotate", "textLength", "text-decoration")


class Lettering:
    """Replaces the texts of an SVG, whose styles are resolved, by paths."""

    def __init__(self, root: _Element) -> None:
        self._root = root
        texts = root.iter(f"{_NAMESPACE}text")
        self._text = text_of(str(piece) for one in texts for piece in one.itertext())
        self._paths = {one.get("id", ""): one for one in root.iter(f"{_NAMESPACE}path")}
        self._unset = dict[str, None]()
        self._fonts = dict[str, None]()
        self._missing = dict[str, None]()

    def set(self) -> None:
        """Replace all texts."""
        if self._text:
            self._inside(self._root, Style())

    def doubts(self) -> tuple[str, ...]:
        """Return sentences about texts that are left out or look other than in a browser, whatever their font."""
        return (*self._unset, *([missing_letters(self._missing)] if self._missing else []))

    def notes(self) -> tuple[str, ...]:
        """Return a sentence about fonts, if the file asks for others."""
        rule = f"is drawn in {FONT_NAME}; turn it into paths to keep its font"
        return (f"text of the SVG in {', '.join(self._fonts)} {rule}",) if self._fonts else ()

    def _inside(self, element: _Element, style: Style) -> None:
        style = style.changed(_lettering(element)).viewed({"viewBox": element.get("viewBox", "")})
        for child in list(element):
            if child.tag == f"{_NAMESPACE}text":
                element.replace(child, self._words(child, style, is_clip=element.tag == f"{_NAMESPACE}clipPath"))
            else:
                self._inside(child, style)

    def _words(self, source: _Element, style: Style, *, is_clip: bool) -> _Element:
        """Return a text as a group of paths, as one path in a clip path, or as an empty group if it cannot be set."""
        line, group = Line(self._text), source.makeelement(f"{_NAMESPACE}g")
        paths: list[_Element] = []
        self._span(source, group, style, line=line, paths=paths)
        shown = f"the text {line.text.strip()[:40]!r}"
        rule = "runs from top to bottom, which is not supported" if line.is_upright else unset_rule(line.text)
        if rule or not line.text.strip():
            if rule:
                self._unset[f"{shown} {rule}, so it is left out; turn it into paths"] = None
            return source.makeelement(f"{_NAMESPACE}g")
        if unsupported := [name for name in _UNSUPPORTED for one in source.iter() if one.get(name, "none") != "none"]:
            self._unset[f"{shown} is drawn without its {unsupported[0]}"] = None
        outlines, missing = line.outlines()
        self._missing |= dict.fromkeys(missing)
        self._fonts |= dict.fromkeys(line.other_fonts)
        if is_clip:  # a clip path may not have groups
            group.tag = f"{_NAMESPACE}path"
            del group[:]
            paths, outlines = [group], [Outline.joined(outlines)]
        for path, outline in zip(paths, outlines, strict=True):
            path.set("d", written(outline))
        return group

    def _span(self, source: _Element, group: _Element, style: Style, *, line: Line, paths: list[_Element]) -> None:
        """Add the letters of an element to a line, and the paths that shall hold them to a group."""
        gone = LETTERING | _PLACING | ({"transform"} if source.tag != f"{_NAMESPACE}text" else set())
        for name, value in source.attrib.items():
            if name not in gone:
                group.set(name, value)
        style, start = style.changed(_lettering(source)), line.count

        def add(text: str | None) -> None:
            if text:
                line.add(text, style)
                paths.append(source.makeelement(f"{_NAMESPACE}path"))
                group.append(paths[-1])

        add(source.text)
        for child in source:
            if child.tag in _SPANS:
                inside = source.makeelement(f"{_NAMESPACE}g")
                group.append(inside)
                self._span(child, inside, style, line=line, paths=paths)
            add(child.tail)
        line.place(start, style, {str(key): str(value) for key, value in source.attrib.items()})
        if source.tag == f"{_NAMESPACE}textPath":
            self._follow(source, group, style, line, start)

    def _follow(self, source: _Element, group: _Element, style: Style, line: Line, start: int) -> None:
        """Set the letters of a `textPath` along its path."""
        path = self._paths.get(source.get("href", "").removeprefix("#"))
        if path is None:
            self._unset[f"the text {line.text[start:].strip()[:40]!r} follows a path that is not in the file"] = None
            line.remove(start)
            return
        text = path.get("d", "")
        try:
            segments = Outline.parse(text).segments
        except (ValueError, IndexError, TypeError) as error:
            raise refused("has a path that cannot be read") from error
        track = Track(segments, is_closed="z" in text.lower())
        line.follow(start, track, length(source.get("startOffset", ""), em=style.size, whole=track.length) or 0)
        if "transform" in path.attrib:
            group.set("transform", path.get("transform", ""))


def _lettering(element: _Element) -> dict[str, str]:
    return {str(name): str(value) for name, value in element.attrib.items() if name in LETTERING}


class Track:
    """A path that text follows: its first line, if it has several.

    Args:
        segments: Its segments.
        is_closed: False to leave out the line back to the start, which a filled shape has.

    Attributes:
        length: Its length.

    Raises:
        AssetError: If it has too many segments.
    """

    def __init__(self, segments: Sequence[Segment], *, is_closed: bool) -> None:
        if len(segments) > MOST_TRACK:
            raise too_much(f"text on paths of at most {MOST_TRACK:,} segments")
        end = next((index for index, (letter, _) in enumerate(segments) if letter == "M" and index), len(segments))
        kept = [segment for segment in segments[:end] if is_closed or segment[0] != "Z"]
        lines = [(one, other) for one, other in _straight(kept) if one != other]
        self._lines = lines
        self._starts = [0.0, *accumulate(math.dist(one, other) for one, other in lines)]
        self.length = self._starts[-1]

    def at(self, distance: float) -> tuple[float, float, float] | None:
        """Return x, y and the direction in radians at a distance from the start; None off the path."""
        if not 0 <= distance <= self.length or not self._lines:
            return None
        index = min(bisect(self._starts, distance), len(self._lines)) - 1
        (x, y), (next_x, next_y) = self._lines[index]
        share = (distance - self._starts[index]) / math.dist((x, y), (next_x, next_y))
        return x + share * (next_x - x), y + share * (next_y - y), math.atan2(next_y - y, next_x - x)


Point = tuple[float, float]


def _straight(segments: Sequence[Segment]) -> Iterable[tuple[Point, Point]]:
    """Yield the lines of a path, with several for each curve."""
    here = first = (0.0, 0.0)
    for letter, numbers in segments:
        if letter == "M":
            here = first = (numbers[0], numbers[1])
            continue
        points = [first] if letter == "Z" else [(numbers[-2], numbers[-1])]
        if letter == "C":
            points = [_on_curve(here, numbers, step / STEPS) for step in range(1, STEPS + 1)]
        yield from pairwise([here, *points])
        here = points[-1]


def _on_curve(start: Point, numbers: Sequence[float], share: float) -> Point:
    rest = 1 - share
    factors = (rest**3, 3 * rest**2 * share, 3 * rest * share**2, share**3)
    points = (*start, *numbers)
    x, y = (sum(factor * number for factor, number in zip(factors, points[axis::2], strict=True)) for axis in (0, 1))
    return x, y


@dataclass(slots=True)
class _Letter:
    """A character of a text, and its place as far as the file names it."""

    character: str
    style: Style
    run: int
    x: float | None = None
    y: float | None = None
    dx: float = 0
    dy: float = 0
    track: Track | None = None
    offset: float = 0


class Line:
    """The letters of a `text` element, in runs that each have one paint.

    Args:
        text: All text of the file, as `text_of` returns it.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._letters: list[_Letter] = []
        self._runs = 0

    @property
    def text(self) -> str:
        """The characters so far."""
        return "".join(one.character for one in self._letters)

    @property
    def count(self) -> int:
        """Number of characters so far."""
        return len(self._letters)

    @property
    def other_fonts(self) -> list[str]:
        """Fonts that the file asks for and that are not used."""
        return [name for one in self._letters if not one.character.isspace() and (name := one.style.other_font)]

    @property
    def is_upright(self) -> bool:
        """Whether some of the text runs from top to bottom."""
        return any(one.style.is_upright for one in self._letters)

    def add(self, text: str, style: Style) -> None:
        """Add a run of characters; by default, spaces at the start and after other spaces are left out.

        Raises:
            AssetError: If there are too many characters.
        """
        for character in _SPACES.sub(" ", normalize("NFC", text)):
            is_kept = self._letters and (self._letters[-1].character != " " or self._letters[-1].style.keeps_spaces)
            if character != " " or style.keeps_spaces or is_kept:
                self._letters.append(_Letter(character, style, self._runs))
            if len(self._letters) > MOST_CHARACTERS:
                raise _too_many()
        self._runs += 1

    def place(self, start: int, style: Style, attributes: Mapping[str, str]) -> None:
        """Give the letters from a number on the places in `x`, `y`, `dx` and `dy` of their element.

        Places of an element inside are set before, and stay.

        Raises:
            AssetError: If a number is too large.
        """
        for name in ("x", "y", "dx", "dy"):
            values = re.split(r"[\s,]+", attributes.get(name, "").strip())
            for letter, value in zip(self._letters[start:], values, strict=False):
                number = style.pixels(value, down=name[-1] == "y")
                if number is not None and not getattr(letter, name):
                    setattr(letter, name, number)

    def remove(self, start: int) -> None:
        """Leave out the letters from a number on."""
        del self._letters[start:]

    def follow(self, start: int, track: Track, offset: float) -> None:
        """Set the letters from a number on along a path, beginning at an offset."""
        for index, letter in enumerate(self._letters[start:]):
            letter.track = track
            letter.offset = offset
            letter.x = 0 if index == 0 else None

    def outlines(self) -> tuple[list[Outline], list[str]]:
        """Return the outline of each run, and the characters that the font lacks.

        Raises:
            AssetError: If a letter lies too far away.
        """
        if self._letters and self._letters[-1].character == " " and not self._letters[-1].style.keeps_spaces:
            del self._letters[-1]
        parts: list[list[Outline]] = [[] for _ in range(self._runs)]
        missing = dict[str, None]()
        x = y = 0.0
        for chunk in _chunks(self._letters):
            x = chunk[0].x if chunk[0].x is not None else x
            y = chunk[0].y if chunk[0].y is not None else y
            places, x, y = self._laid_out(chunk, x, y)
            for letter, place in zip(chunk, places, strict=True):
                outline, is_missing = self._outline(letter, *place)
                parts[letter.run].append(outline)
                if is_missing:
                    missing[letter.character] = None
        return [_checked(Outline.joined(one)) for one in parts], list(missing)

    def _laid_out(
        self, chunk: list[_Letter], x: float, y: float
    ) -> tuple[list[tuple[float, float, float]], float, float]:
        """Return x, y and scale of each letter of a chunk, and where the next one begins."""
        places = []
        begin, before = x, None
        for letter in chunk:
            font, scale = self._font(letter.style)
            if before and before.style == letter.style:
                x += font.kerning.get(before.character + letter.character, 0) * scale
            x, y = x + letter.dx, y + letter.dy
            places.append((x, y, 1.0))
            x += self._advance(letter) + letter.style.spacing
            before = letter
        track, anchor = chunk[0].track, chunk[0].style.anchor
        shift = anchor * (x - begin)
        if track is None:
            return [(one - shift, down, scale) for one, down, scale in places], x - shift, y
        # Letters that are wider than those of the file's font become smaller, so that all of them lie on the path.
        offset = chunk[0].offset
        room = min(
            offset / anchor if anchor else math.inf, (track.length - offset) / (1 - anchor) if anchor < 1 else math.inf
        )
        scale = min(1, max(0, room) / (x - begin)) if x > begin else 1
        return [((one - shift) * scale + offset, down, scale) for one, down, _ in places], 0, 0

    def _font(self, style: Style) -> tuple[Letters, float]:
        """Return the letters of a style, and how large they are drawn."""
        font = own_letters(style.weight, self._text)
        return font, style.size / font.units

    def _advance(self, letter: _Letter) -> float:
        font, scale = self._font(letter.style)
        if letter.character in font.outlines:
            return font.outlines[letter.character][0] * scale
        return letter.style.size * 0.3 if letter.character.isspace() else BOX_ADVANCE * font.capital * scale

    def _outline(self, letter: _Letter, x: float, y: float, by: float) -> tuple[Outline, bool]:
        """Return a letter in its place, and whether the font lacks it."""
        font, scale = self._font(letter.style)
        is_missing = letter.character not in font.outlines and not letter.character.isspace()
        if is_missing:
            outline = box().placed(0, 0, font.capital * scale)
        elif letter.character in font.outlines:
            outline = font.outlines[letter.character][1].placed(0, 0, scale)
        else:
            return Outline(()), False
        down = letter.style.drop * letter.style.size
        if letter.track is None:
            return outline.placed(x, y + down), is_missing
        half = self._advance(letter) / 2 * by
        place = letter.track.at(x + half)
        if place is None:
            return Outline(()), is_missing
        on_line = outline.placed(-half, y + down, by)
        return turned(on_line, place[2], place[0], place[1]), is_missing


def _chunks(letters: list[_Letter]) -> Iterable[list[_Letter]]:
    """Yield the letters in groups that are anchored together: each begins at a place of its own."""
    starts = [index for index, one in enumerate(letters) if index == 0 or one.x is not None or one.y is not None]
    for start, end in pairwise([*starts, len(letters)]):
        yield letters[start:end]


def _checked(outline: Outline) -> Outline:
    """Return an outline if all of it is near.

    Raises:
        AssetError: If it is not.
    """
    if any(abs(number) > LARGEST_NUMBER for _, numbers in outline.segments for number in numbers):
        raise too_much(f"numbers of at most {LARGEST_NUMBER:,.0f}")
    return outline


def text_of(pieces: Iterable[str]) -> str:
    """Join all text of a file, so that each weight of the font is read once.

    Raises:
        AssetError: If there are too many characters.
    """
    text = normalize("NFC", " ".join("".join(pieces).split()))
    if len(text) > MOST_CHARACTERS:
        raise _too_many()
    return text


def _too_many() -> AssetError:
    return too_much(f"at most {MOST_CHARACTERS:,} characters of text")


def written(outline: Outline) -> str:
    """Write an outline as the `d` of a path, exact for drawings of any size."""
    return "".join(letter + " ".join([f"{number:.6g}" for number in numbers]) for letter, numbers in outline.segments)
