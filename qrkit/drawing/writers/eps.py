"""Writes Encapsulated PostScript (Adobe technical note 5002), language level 3 if there are images or large gradients.

PostScript has no transparency. A translucent item is mixed with the paint below it if there is only one; otherwise it
becomes an image together with everything below it. Fully transparent items are not painted. The file contains no user
text and no date, so nothing needs quoting and the same scene gives the same bytes.
"""

from __future__ import annotations

import re
import zlib
from base64 import a85encode
from collections.abc import Iterable, Iterator
from itertools import pairwise
from math import ceil, dist, hypot

from qrkit.design.color import WHITE, Color
from qrkit.design.outline import Outline, rectangle
from qrkit.drawing.plain_picture import Plain, written_runs
from qrkit.drawing.scene import (
    Bitmap,
    Gradient,
    Linear,
    Matrix,
    Paint,
    Picture,
    Radial,
    Rectangle,
    Scene,
    Shape,
    Squares,
    Stamps,
)
from qrkit.drawing.svg.svg_text import number
from qrkit.drawing.writers import postscript
from qrkit.drawing.writers.background import Ground, is_opaque, is_seen, mixed
from qrkit.drawing.writers.flattening import (
    Painted,
    Pixels,
    Placed,
    box_of,
    fineness,
    is_painted,
    own_pixels,
    part_of,
    pixels_of,
)
from qrkit.drawing.writers.vector_pictures import with_shapes

LARGEST_PATH = 60_000
"""Numbers and operators in a path; PostScript allows 65,535 in a user path."""
LEVELS = 8
"""Largest difference of neighboring bands, of 255."""
FAR = 100_000
"""A distance in pixels that is outside every image."""
Band = tuple[float, float, Color]
"""Start and end of a band, as offsets of the gradient, and its color."""

BAR_SIZE = 13
"""Numbers and operators in the path of a bar."""
LONGEST_LINE = 200
"""The document structuring conventions allow 255 characters."""

FILLED_LINE = re.compile(rf"(.{{0,{LONGEST_LINE - 1}}}[a-z])(?: |$)")
"""Matches as many operators with their operands as a line can hold."""

PROCEDURES = {
    # x y width b: a bar one module high, added to the path
    "b": "/b {3 1 roll moveto dup 0 rlineto 0 1 rlineto neg 0 rlineto closepath} bind def",
    "m": "/m /moveto load def /l /lineto load def /c /curveto load def /h /closepath load def",
    # x y a: the stamp o, added to the path at x, y; x y p: the stamp o, painted at x, y
    "a": "/a {matrix currentmatrix 3 1 roll translate o setmatrix} bind def",
    "p": "/p {gsave translate o fill grestore} bind def",
    # x y width height red green blue s: a strip
    "s": "/s {gsave setrgbcolor rectclip /u load ufill grestore} bind def",
    # x y radius x y radius red green blue r: a ring between two circles
    "r": "/r {gsave setrgbcolor newpath e e eoclip newpath /u load ufill grestore} bind def\n"
    "/e {2 index 1 index add 2 index moveto 0 360 arc closepath} bind def",
}


def write(scene: Scene) -> bytes:
    """Write an EPS; alpha is composed on the paper."""
    drawing = _Drawing(scene)
    for placed in with_shapes(scene):
        drawing.add(placed)
    page = postscript.page_matrix(scene.height, scene.dots_per_inch)
    return _document(scene.width, page, drawing.lines, drawing.used, level=drawing.level)


def write_plain(plain: Plain) -> bytes:
    """Write a plain image as EPS."""
    below = plain.background.opaque if plain.background.alpha else WHITE
    lines, used = list[str](), set[str]()
    if plain.background.alpha:
        lines += ["gsave", _color(below), _box(0, 0, plain.width, plain.height), "grestore"]
    if plain.color.alpha:
        bars = _bars(plain.left, plain.top, plain.module, plain.cells)
        lines += ["gsave", *bars, _color(plain.color.over(below)), "fill", "grestore"]
        used.add("b")
    return _document(plain.width, postscript.page_matrix(plain.height, plain.dots_per_inch), lines, used, level=2)


def _document(pixels: float, page: Matrix, drawn: list[str], used: set[str], *, level: int) -> bytes:
    """Return the file; `pixels` is its width, `level` a PostScript language level, and `used` names procedures."""
    width, height = pixels * page.scale_x, page.move_y
    lines = [
        "%!PS-Adobe-3.0 EPSF-3.0",
        "%%Creator: qrkit",
        f"%%LanguageLevel: {level}",
        f"%%BoundingBox: 0 0 {ceil(round(width, 3))} {ceil(round(height, 3))}",
        *_exact_box(number(width), number(height)),
        "%%DocumentData: Clean7Bit",
        "%%EndComments",
        *(text for name, text in PROCEDURES.items() if name in used),
        "gsave newpath",
        f"[{postscript.matrix_numbers(page)}] concat",
        *drawn,
        "grestore",
        "showpage",
        "%%EOF",
        "",
    ]
    return "\n".join(lines).encode("ascii")


def _exact_box(width: str, height: str) -> list[str]:
    """Return the exact bounding box if the size has a fraction of a point."""
    return [f"%%HiResBoundingBox: 0 0 {width} {height}"] if "." in width + height else []


class _Drawing:
    """The lines that paint the items of a scene, the procedures that they call, and the language level they require."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._ground = Ground(scene)
        self.lines: list[str] = []
        self.used: set[str] = set()
        self.level = 2

    def add(self, placed: Placed) -> None:
        """Paint an item."""
        matrix, item = placed
        if is_painted(item):
            if is_seen(item.paint):
                self._add_painted(matrix, item)
        elif isinstance(item, Picture) and isinstance(item.content, Bitmap) and item.opacity == 1:
            self._add_bitmap(matrix, item, item.content)
        elif not isinstance(item, Picture) or item.opacity > 0:
            self._add_picture(placed)

    def _add_painted(self, matrix: Matrix, item: Painted) -> None:
        paint: Paint | None = item.paint
        if not is_opaque(item.paint):
            below = self._ground.below((matrix, item))
            paint = mixed(item.paint, below) if below else None
        if paint is None:
            self._add_picture((matrix, item))
            return
        mixed_item = item._replace(paint=paint)
        self.lines.append("gsave")
        if matrix != Matrix():
            self.lines.append(f"[{postscript.matrix_numbers(matrix)}] concat")
        self._paint(mixed_item)
        self.lines.append("grestore")
        self._ground.add((matrix, mixed_item))

    def _paint(self, item: Painted) -> None:
        match item:
            case Rectangle(x, y, width, height, Color() as color):
                self.lines += [self._color(color), _box(x, y, width, height)]
            case Stamps(paint=Color() as color, union=False):
                self.lines += [self._color(color), *self._stamps(item, "p")]
            case Rectangle(paint=Linear() | Radial() as paint):
                self.lines += [*self._path(item), *_shading(paint)]
                self.level = 3
            case Shape(paint=Linear() | Radial() as paint) | Squares(paint=Linear() | Radial() as paint):
                self._fill_gradient(item, paint)
            case Stamps(places=places, paint=Linear() | Radial() as paint):
                most = max(1, LARGEST_PATH // _path_size(item._replace(places=places[:1])))
                for first in range(0, len(places), most):
                    self._fill_gradient(item._replace(places=places[first : first + most]), paint)
            case Shape(paint=Color() as color) | Squares(paint=Color() as color) | Stamps(paint=Color() as color):
                self.lines += [*self._path(item), self._color(color), "fill"]

    def _path(self, item: Painted) -> list[str]:
        match item:
            case Rectangle(x, y, width, height):
                outline = rectangle(x, y, width, height)
            case Squares(x, y, size, cells):
                self.used.add("b")
                bars = _bars(x, y, size, cells)
                if isinstance(item.paint, Color):
                    return bars
                # The path keeps its place when the original coordinates are restored for the gradient.
                return [f"matrix currentmatrix {bars[0]}", *bars[1:], "setmatrix"]
            case Shape(outline):
                pass
            case Stamps():
                return self._stamps(item, "a")
        self.used.add("m")
        return _wrap(postscript.path(outline))

    def _stamps(self, stamps: Stamps, procedure: str) -> list[str]:
        self.used |= {"m", procedure}
        stamp = stamps._replace(places=((0, 0),)).outline()
        stamped = _wrap(f"{number(x)} {number(y)} {procedure}" for x, y in stamps.places)
        return ["/o {", *_wrap(postscript.path(stamp)), "} bind def", *stamped]

    def _fill_gradient(self, item: Painted, paint: Gradient) -> None:
        """Fill the shape of an item with bands of color; if it is too long, through a clip path with rough edges."""
        filling = banded(paint) if _path_size(item) <= LARGEST_PATH else None
        if filling:
            self.used.add(filling[0])
        else:
            self.level = 3
        self.lines += [*self._path(item), *(filling[1] if filling else _shading(paint))]

    def _color(self, color: Color) -> str:
        return _color(color, key_black=self._scene.key_black)

    def _add_bitmap(self, matrix: Matrix, item: Picture, bitmap: Bitmap) -> None:
        """Write a bitmap with its own pixels if it is opaque and not too fine for its box."""
        _, _, width, height = box_of((matrix, item))
        few = bitmap.width * bitmap.height <= width * height * fineness(self._scene, width, height) ** 2
        pixels = own_pixels(self._scene, bitmap) if few else None
        if pixels is None or pixels.alpha is not None:
            self._add_picture((matrix, item))
            return
        self._show(pixels, Matrix(item.width, item.height, item.x, item.y).then(matrix))
        self._ground.add((matrix, item))

    def _add_picture(self, placed: Placed) -> None:
        """Write the box of an item, with everything below it, as an image."""
        visible = part_of(self._scene, [*self._ground.placed, placed], box_of(placed))
        if visible is None:
            return
        self._ground.add(placed)
        part, (left, top, width, height) = visible
        self._show(pixels_of(part), Matrix(width, height, left, top))

    def _show(self, pixels: Pixels, matrix: Matrix) -> None:
        """Write an image into the box that a matrix makes of the square from 0, 0 to 1, 1."""
        data = a85encode(zlib.compress(pixels.rgb), wrapcol=LONGEST_LINE).decode("ascii")
        self.level = 3
        self.lines += [
            f"gsave [{postscript.matrix_numbers(matrix)}] concat",
            "/DeviceRGB setcolorspace",
            f"<</ImageType 1/Width {pixels.width}/Height {pixels.height}/BitsPerComponent 8/Decode[0 1 0 1 0 1]",
            f"/ImageMatrix[{pixels.width} 0 0 {pixels.height} 0 0]/Interpolate true",
            "/DataSource currentfile/ASCII85Decode filter/FlateDecode filter>> image",
            # Programs that only read comments would take a line that begins with a percent sign for one.
            *(" " + line if line.startswith("%") else line for line in data.split("\n")),
            "~>",
            "grestore",
        ]


def _color(color: Color, *, key_black: bool = False) -> str:
    numbers = postscript.ink(color, key_black=key_black)
    return numbers + (" setrgbcolor" if " " in numbers else " setgray")


def _shading(paint: Gradient) -> list[str]:
    return ["clip newpath", postscript.shading(paint), "shfill"]


def _path_size(item: Painted) -> int:
    """Return the numbers and operators in the path of an item."""
    match item:
        case Squares():
            return BAR_SIZE * len(item.runs())
        case Stamps(Outline() as outline):
            return len(item.places) * _outline_size(outline)
        case Shape(outline):
            return _outline_size(outline)
    return 0


def _outline_size(outline: Outline) -> int:
    return len(outline.letters) + len(outline.numbers)


def _box(*place: float) -> str:
    return " ".join(map(number, place)) + " rectfill"


def _bars(x: float, y: float, size: float, cells: tuple[bytes, ...]) -> list[str]:
    """Add squares to the path as horizontal bars, in coordinates whose unit is a square."""
    return [f"[{postscript.matrix_numbers(Matrix(size, size, x, y))}] concat", *_wrap(written_runs(cells, "b"))]


def _wrap(parts: Iterable[str]) -> list[str]:
    """Join parts, each of which ends with an operator, into lines of at most `LONGEST_LINE` characters."""
    return FILLED_LINE.findall(" ".join(parts)) or [""]


# ---- gradients as bands of one color each, because interpreters smooth the edges of plain colors only
#
# Neighboring bands differ by a few levels of 255, which nobody sees. The current path becomes a user path in
# coordinates of the gradient, which `ufill` fills once for each band, within the band.


def banded(paint: Gradient) -> tuple[str, list[str]] | None:
    """Return the name of a procedure and lines that fill the current path with an opaque gradient, band by band.

    None if the gradient has no bands: its ends are one point, or its focus is not within its circle.
    """
    if isinstance(paint, Linear):
        (x1, y1), (x2, y2) = paint.start, paint.stop
        across, down = x2 - x1, y2 - y1
        length = hypot(across, down)
        if length == 0:
            return None
        name, axes = "s", (across, down, -down, across, x1, y1)
        strips = _bands(paint, FAR / length)
        calls = [
            f"{postscript.exact(start, -FAR / length, end - start, 2 * FAR / length)} {postscript.rgb(color)} s"
            for start, end, color in strips
        ]
    else:
        (x, y), radius = paint.centre, paint.radius
        if radius == 0 or dist(paint.focus, paint.centre) >= radius:
            return None
        name, axes = "r", (radius, 0.0, 0.0, radius, x, y)
        calls = [
            f"{_circle(paint, start)} {_circle(paint, end)} {postscript.rgb(color)} r"
            for start, end, color in _bands(paint, FAR / radius)
            if end > 0
        ]
    return name, [
        f"matrix currentmatrix [{postscript.exact(*axes)}] concat /u false upath def newpath",
        *calls,
        "setmatrix",
    ]


def _circle(paint: Radial, offset: float) -> str:
    """Return center and radius of the points with an offset, in radii from the center of the gradient."""
    rest = max(0.0, 1 - offset) / paint.radius
    x, y = (rest * (one - other) for one, other in zip(paint.focus, paint.centre, strict=True))
    return postscript.exact(x, y, max(0.0, offset))


def _bands(paint: Gradient, far: float) -> Iterator[Band]:
    """Yield the bands of a gradient; the first and the last one have no end."""
    stops = paint.stops
    yield -far, stops[0][0], stops[0][1].opaque
    for (start, first), (end, last) in pairwise(stops):
        if start < end:
            pairs = list(zip(first.channels, last.channels, strict=True))
            count = max(1, ceil(max(abs(one - other) for one, other in pairs) / LEVELS))
            step = (end - start) / count
            for index in range(count):
                share = (index + 0.5) / count
                red, green, blue = (round(one + share * (other - one)) for one, other in pairs)
                yield start + index * step, start + (index + 1) * step, Color(red, green, blue)
    yield stops[-1][0], far, stops[-1][1].opaque
