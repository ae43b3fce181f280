"""Draws the frame of a design for its symbol, as shapes or as a wrapper."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable
from functools import lru_cache
from itertools import combinations, pairwise
from math import inf, pi
from typing import NamedTuple

from qrkit.design.color import WHITE, Color
from qrkit.design.decoration import Placeholder, Wrapper
from qrkit.design.design import Design
from qrkit.design.frames import Frame
from qrkit.design.gradient import Fill, Gradient
from qrkit.design.limits import MOST_PIXELS
from qrkit.design.outline import Outline, circle
from qrkit.drawing.frames import FRAMES
from qrkit.drawing.frames.frame_parts import LEADING, PITCH, SECOND, Arc, Cut, Room, Slot
from qrkit.drawing.layout import Layout, into_placeholder, lay_out
from qrkit.drawing.letters.lettering import Glyph, Words, missing_letters, words_of
from qrkit.drawing.paints import moved, on_white, paint
from qrkit.drawing.scene import Paint, Shape
from qrkit.drawing.svg.svg_elements import Definitions, elements
from qrkit.drawing.svg.svg_text import number
from qrkit.errors import InvalidParameter, Problem
from qrkit.symbol.encode import symbol_of

LEAST_PADDING = 2
"""Light modules between the symbol and a frame, however small the quiet zone is: readers need them."""
SIDE_BY_LINE, CAPITAL = 40, 0.095
"""Modules of the light square that widen a line by a module; height of a caption, as a share of that square."""
SMALLEST_SHARE, SMALLEST = 0.4, 0.8
"""Smallest height of capital letters: as a share of the usual height, and in modules."""
WRAPPED_SHARE, ON_A_LINE = 0.7, {"legend": 0.55, "pill": 0.55}
"""Height of capital letters, as a share of the usual height, below which a text goes on another line; less for kinds
whose words stand on the border, where one line looks best."""
TALL = ("bag", "card", "phone", "polaroid", "tab", "tag", "ticket")
"""Kinds with room for three lines of a caption; the others have room for two."""
BEFORE_SIGN = re.compile(" (?=[-\u2013\u2014/|\u00b7] )")
"""A space at which no line ends, because the next one would begin with a sign."""
ICON_LETTERS = 3
"""Number of letters whose room an icon and its gap take."""
UPRIGHT = ("bag", "card", "phone", "seal", "tag")
"""Kinds that are not turned upside down for a caption above the symbol."""
ICON_HEIGHT, ICON_GAP = 1.4, 0.5
"""Height of an icon beside a caption, and its distance, in capital heights."""
HALF_CIRCLE = 0.8 * pi
"""Largest angle of a caption above a subtitle, in radians."""
BETWEEN, DOT = 1.1, 0.17
"""On a seal: space on either side of the dot between texts, and the radius of the dot, in capital heights."""
LEAST_CONTRAST, USUAL_CONTRAST = 3.0, 4.5
"""Contrast ratios of large text, which captions have to exceed, and of any text, which advice gives (WCAG 2.2)."""


class Framed(NamedTuple):
    """A frame around a QR Code image, in pixels.

    Attributes:
        placeholder: The area for the QR Code image.
        shapes: The frame, in painting order.
        missing: Characters for which a font has no letter.
        faint: Letters that people can hardly read: their color, and the color behind them.
        words: The texts by their field of `Caption`, and the box of each: left, top, right and bottom.
        capital: Height of the smallest capital letters in modules; infinite without words.
    """

    width: float
    height: float
    placeholder: Placeholder
    shapes: tuple[Shape, ...]
    missing: tuple[str, ...]
    faint: tuple[Color, Color] | None
    words: tuple[tuple[str, tuple[float, float, float, float]], ...] = ()
    capital: float = inf


# One image asks for its frame three times. The cache is small, because it also keeps the pictures of the design.
@lru_cache(maxsize=4)
def framed(design: Design, frame: Frame, layout: Layout) -> Framed:
    """Draw the frame of a design; the layout is that of the QR Code image without it."""
    lettering = _Lettering(frame)
    cut = _cut(design, frame, layout, lettering)
    width, height, module = _size(design, cut)
    left, top = (width - cut.width * module) / 2, (height - cut.height * module) / 2
    grown = max(0, LEAST_PADDING - layout.padding)
    across = (layout.side + 2 * layout.padding) * module
    hole = Placeholder(
        x=_inside(left + (cut.x + grown) * module, width - across),
        y=_inside(top + (cut.y + grown) * module, height - across),
        width=across,
        height=across,
    )
    ink = frame.color or _single(design.foreground, darkest=True).opaque
    paper = frame.background or _single(design.background, darkest=False).over(WHITE)
    light = frame.background or _continued(design, layout, hole)
    painted = [(shape, ink if color == "ink" else light) for shape, color in cut.parts]
    own = frame.caption.color if frame.caption else None
    letters = lettering.placed(cut)
    words = [(shape, own or (paper if on_ink else ink)) for shape, on_ink in letters]
    drawn = [Shape(shape.placed(left, top, module), color) for shape, color in (*painted, *words)]
    boxes = (shape.outline.box() for shape in drawn[len(painted) :])
    return Framed(
        width,
        height,
        hole,
        tuple(shape for shape in drawn if shape.outline.letters),
        missing=lettering.missing,
        faint=_faintest(
            (color, behind)
            for (_, color), (_, on_ink) in zip(words, letters, strict=True)
            for behind in _colors(ink if on_ink else light)
        ),
        words=tuple(zip(lettering.fields, boxes, strict=False)),
        capital=lettering.smallest,
    )


def framed_width(design: Design, frame: Frame, layout: Layout) -> float:
    """Return the width of what `framed` draws, before its words are placed, which takes most of the time."""
    return _size(design, _cut(design, frame, layout, _Lettering(frame)))[0]


def frame_as_wrapper(design: Design) -> Design:
    """Return a design with its frame drawn for its symbol, as a `wrapper`; a design without a frame as it is.

    The picture stays the same. Other services know `wrapper` but not `frame`, so send them the JSON of this design.

    Raises:
        InvalidParameter: If the caption does not fit, the icon does not exist, or modules would be smaller than one
            pixel.
        ContentTooLong: If the content does not fit.
        AssetError: If the font of the caption cannot be used.

    Example:
        >>> from qrkit import Design
        >>> card = Design(content="https://example.com", frame="bar")
        >>> card.frame_as_wrapper().wrapper.placeholder.width
        264.0
    """
    if design.frame is None:
        return design
    layout = lay_out(design, symbol_of(design), exact=True)
    done = framed(design, design.frame, layout)
    size = f'width="{number(done.width)}" height="{number(done.height)}"'
    definitions = Definitions()
    paths = "".join(line for shape in done.shapes for line in elements(shape, definitions))
    box = f'viewBox="0 0 {number(done.width)} {number(done.height)}"'
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" {size} {box}>{definitions}{paths}</svg>'
    source = "data:image/svg+xml;base64," + b64encode(svg.encode()).decode()
    wrapper = Wrapper(source=source, width=done.width, height=done.height, placeholder=done.placeholder)
    # The side of the QR Code image itself, in whose pixels layers lie; the wrapper has the size of the whole.
    side = round(layout.width) if design.width or design.height else None
    return design.replace(frame=None, wrapper=wrapper, width=side, height=side, background=ground(design))


def ground(design: Design) -> Fill:
    """Return what lies behind the modules: in a frame without a color of its own, the background on white.

    The light area of such a frame continues the background, so it has to be opaque under the symbol as well.
    """
    return on_white(design.background) if design.frame and not design.frame.background else design.background


def frame_warnings(design: Design, layout: Layout) -> list[str]:
    """Return sentences about characters that the font of a caption lacks, and about letters that hardly stand out."""
    if not design.frame:
        return []
    done, found = framed(design, design.frame, layout), []
    if done.missing:
        found.append(f"frame.caption: {missing_letters(done.missing)}; set the caption in a font that has them")
    if done.faint:
        color, behind = done.faint
        fix = color.over(behind).visible_on(behind, USUAL_CONTRAST).rgb
        letters = color.rgb if color.alpha == 255 else color.argb
        found.append(
            f"frame.caption: letters in {letters} on {behind.rgb} have a contrast of {_contrast(done.faint):.1f}, and "
            f"people need {LEAST_CONTRAST:g} or more to read them; set frame.caption.color to {fix}"
        )
    return found


def _inside(start: float, most: float) -> float:
    """Keep rounding from moving a placeholder out of its image, which a wrapper refuses."""
    return min(max(0.0, start), most)


class _Text(NamedTuple):
    """A text of a frame: the path of its field, and its lines as letters."""

    field: str
    text: str
    lines: tuple[Words, ...]

    @property
    def length(self) -> float:
        """Length of the longest line in capital heights."""
        return max(line.length for line in self.lines)

    @property
    def height(self) -> float:
        """Height of all lines in capital heights."""
        return 1 + PITCH * (len(self.lines) - 1)


class _Lettering:
    """The words of a frame, measured and put in their places."""

    def __init__(self, frame: Frame) -> None:
        self._frame, self._texts, self.smallest = frame, list[_Text](), inf
        for field in ("text", "subtitle"):
            if text := getattr(frame.words, field, None):
                self._texts.append(self._set(f"frame.caption.{field}", text, (text,)))

    def _set(self, field: str, text: str, lines: Iterable[str]) -> _Text:
        """Set the lines of a text, the first of a caption with its icon."""
        assert self._frame.words is not None  # a frame without words has no text
        words = [words_of(self._frame.words, line, part="frame.caption") for line in lines]
        if self._frame.icon and not self._texts:
            words[0] = _with_icon(words[0], self._frame.icon)
        return _Text(field, text, tuple(words))

    def wrap(self, cut: Cut) -> bool:
        """Break texts whose letters would be small into lines; return whether there are any."""
        whole, self._texts = self._texts, []
        least = ON_A_LINE.get(self._frame.kind, WRAPPED_SHARE)
        limits = (3 if self._frame.kind in TALL else 2, 2)
        for one, slot, most in zip(whole, (cut.caption, cut.subtitle), limits, strict=False):
            text, count = one, 1
            while isinstance(slot, Slot) and count < most and text.length * slot.capital * least > slot.width:
                count += 1
                has_icon = bool(self._frame.icon and not self._texts)
                text = self._set(one.field, one.text, _broken(one.text, count, ICON_LETTERS * has_icon))
            self._texts.append(text)
        return self._texts != whole

    @property
    def length(self) -> float:
        """Length of the caption in capital heights, the icon included; 0 without a caption."""
        return max(1.0, self._texts[0].length) if self._texts else 0

    @property
    def second_length(self) -> float:
        """Length of the subtitle in its own capital heights; 0 without a subtitle."""
        return max(1.0, self._texts[1].length) if len(self._texts) > 1 else 0

    def more(self, index: int) -> float:
        """Return the height that further lines of a text add, in its capital heights; 0 without the text."""
        return self._texts[index].height - 1 if index < len(self._texts) else 0

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields of `Caption` that have a text."""
        return tuple(one.field.rpartition(".")[2] for one in self._texts)

    @property
    def missing(self) -> tuple[str, ...]:
        """The characters that are drawn as boxes."""
        return tuple(dict.fromkeys(one for text in self._texts for line in text.lines for one in line.missing))

    def placed(self, cut: Cut) -> list[tuple[Outline, bool]]:
        """Return the outlines of all words in modules, and whether they stand on the color of the frame."""
        if isinstance(cut.caption, Arc):
            return [(shape, True) for shape in self._around(cut.caption)]
        slots = [slot for slot in (cut.caption, cut.subtitle) if slot and self._texts]
        capitals = [self._fitted(index, slot.capital, slot.width) for index, slot in enumerate(slots)]
        middles = [slot.y for slot in slots]
        if len(slots) > 1 and middles[0] == middles[1]:
            first, second = (text.height * capital for text, capital in zip(self._texts, capitals, strict=True))
            # Lines that had to shrink move closer.
            both = first + LEADING * (capitals[0] + capitals[1] / SECOND) / 2 + second
            middles = [middles[0] - (both - first) / 2, middles[1] + (both - second) / 2]
        return [
            (self._straight(index, slot.x, y, capital), slot.on_ink)
            for index, (slot, y, capital) in enumerate(zip(slots, middles, capitals, strict=True))
        ]

    def _straight(self, index: int, x: float, y: float, capital: float) -> Outline:
        """Return the lines of a text, centered."""
        text = self._texts[index]
        first = y + (1 - text.height / 2) * capital
        return Outline.joined(
            line.on_line(x - line.length * capital / 2, first + number * PITCH * capital, capital)
            for number, line in enumerate(text.lines)
        )

    def _around(self, ring: Arc) -> list[Outline]:
        """Return the words on a ring: upright above and below, where the caption is if there is no subtitle.

        A caption that is too long for a half goes all around.
        """
        x, y, radius, usual = ring
        first = self._texts[0].lines[0]
        if self.second_length or first.length * usual * WRAPPED_SHARE <= HALF_CIRCLE * radius:
            lower = len(self._texts) - 1
            capital = self._fitted(0, usual, HALF_CIRCLE * radius)
            small = min(self._fitted(lower, usual, HALF_CIRCLE * radius), capital)
            upper = first.on_circle(x, y, radius - capital / 2, 0, capital)
            below = self._texts[lower].lines[0].on_circle(x, y, -radius - small / 2, 0, small)
            return [upper, below, *_dots(ring, usual * DOT, [-pi / 2, pi / 2])]
        capital = self._fitted(0, usual, 2 * pi * radius - 2 * BETWEEN * usual)
        return [first.on_circle(x, y, radius - capital / 2, 0, capital), *_dots(ring, usual * DOT, [pi])]

    def _fitted(self, index: int, capital: float, width: float) -> float:
        """Return the height of capital letters with which a text fits."""
        words = self._texts[index]
        field, text, _ = words
        least = max(capital * SMALLEST_SHARE, SMALLEST)
        if words.length * least > width:
            most = max(1, int(len(text) * width / (words.length * least)))
            rule = f"has {len(text)} characters; about {most} fit in this frame around this symbol"
            raise InvalidParameter(Problem(field, text, rule, "out-of-range"))
        fitted = min(capital, width / words.length) if words.length > 0 else capital
        self.smallest = min(self.smallest, fitted)
        return fitted


def _broken(text: str, count: int, indent: int) -> list[str]:
    """Break a text between words into at most `count` similar lines; an icon takes the room of `indent` letters."""
    words = re.split(" +", BEFORE_SIGN.sub("\u00a0", text.strip(" ")))
    cuts = combinations(range(1, len(words)), min(count, len(words)) - 1)
    broken = ([" ".join(words[first:last]) for first, last in pairwise((0, *cut, len(words)))] for cut in cuts)

    def unevenness(lines: list[str]) -> int:
        return (indent + len(lines[0])) ** 2 + sum(len(line) ** 2 for line in lines[1:])

    return min(broken, key=unevenness)


def _dots(ring: Arc, size: float, angles: list[float]) -> list[Outline]:
    dot = Words((Glyph(circle(0, 0, 1), 0, 0),), 0, 0)
    return [dot.on_circle(ring.x, ring.y, ring.radius, angle, size) for angle in angles]


def _with_icon(words: Words, name: str) -> Words:
    """Put an icon before the words, as their first letter."""
    from qrkit.design.shapes.icons import icon  # few frames have one

    try:
        shape = icon(name)
    except InvalidParameter as error:
        raise InvalidParameter(*(Problem("frame.icon", name, one.rule, one.code) for one in error.problems)) from error
    left, top, right, bottom = shape.box()
    scale = ICON_HEIGHT / max(bottom - top, right - left)
    width = (right - left) * scale
    x = words.left - ICON_GAP - width
    low = -0.5 - (top + bottom) / 2 * scale
    glyph = Glyph(shape.placed(-left * scale, low, scale), x, width)
    return words._replace(glyphs=(glyph, *words.glyphs), left=x)


def _cut(design: Design, frame: Frame, layout: Layout, lettering: _Lettering) -> Cut:
    """Return the drawing of a frame, with its words broken into lines if they would be small."""
    room = _room(design, frame, layout, lettering)
    cut = FRAMES[frame.kind](room)
    if lettering.wrap(cut):
        room = _room(design, frame, layout, lettering)
        cut = FRAMES[frame.kind](room)
    return cut.upside_down(room.side) if room.is_top and frame.kind not in UPRIGHT else cut


def _room(design: Design, frame: Frame, layout: Layout, lettering: _Lettering) -> Room:
    side = layout.side + 2 * max(layout.padding, LEAST_PADDING)
    return Room(
        side=side,
        line=max(1, round(side / SIDE_BY_LINE)),
        radius=frame.radius * side,
        capital=CAPITAL * side,
        words=lettering.length,
        second=lettering.second_length,
        more=lettering.more(0) * CAPITAL * side,
        second_more=lettering.more(1) * SECOND * CAPITAL * side,
        is_top=frame.side == "top",
        modules=design.modules,
    )


def _size(design: Design, cut: Cut) -> tuple[float, float, float]:
    """Return width and height of the whole image in pixels, and pixels per module."""
    module = float(design.size)
    if design.width or design.height:
        shares = {"width": (design.width, cut.width), "height": (design.height, cut.height)}
        modules = {name: pixels / total for name, (pixels, total) in shares.items() if pixels}
        name, module = min(modules.items(), key=lambda item: item[1])
        if module < 1:
            needed = -int(-shares[name][1] // 1)
            rule = f"leaves less than a pixel for each module of the symbol in its frame; at least {needed} is needed"
            raise InvalidParameter(Problem(name, shares[name][0], rule, "out-of-range"))
    width, height = (design.width or round(cut.width * module)), (design.height or round(cut.height * module))
    if width * height > MOST_PIXELS or max(width, height) > 10_000:
        rule = f"makes an image of {width:,} x {height:,} pixels; at most {MOST_PIXELS:,} are allowed"
        raise InvalidParameter(Problem("frame", None, rule, "out-of-range"))
    return width, height, module


def _continued(design: Design, layout: Layout, hole: Placeholder) -> Paint:
    """Return the background of the symbol, continued over the light area of its frame."""
    return moved(paint(ground(design), layout.width, layout.height), into_placeholder(layout, hole, exact=True))


def _colors(paint: Paint) -> list[Color]:
    """Return the colors of a paint, on white."""
    stops = [paint] if isinstance(paint, Color) else [color for _, color in paint.stops]
    return [color.over(WHITE) for color in stops]


def _faintest(pairs: Iterable[tuple[Color, Color]]) -> tuple[Color, Color] | None:
    """Return the color that stands out least, and the one behind it; None if all stand out enough."""
    pair = min(pairs, key=_contrast, default=None)
    return pair if pair and _contrast(pair) < LEAST_CONTRAST else None


def _contrast(pair: tuple[Color, Color]) -> float:
    """Return the contrast ratio of a color with the one behind it."""
    color, behind = pair
    return color.over(behind).contrast(behind)


def _single(fill: Fill, *, darkest: bool) -> Color:
    """Return a color, or the darkest or lightest color of a gradient."""
    colors = [stop.color for stop in fill.stops] if isinstance(fill, Gradient) else [fill]
    return (min if darkest else max)(colors, key=lambda color: color.luma)
