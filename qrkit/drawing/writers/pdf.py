"""Writes vector PDF 1.4 with one page (ISO 32000), keeping any alpha. By default, a pixel is one point."""

from __future__ import annotations

import zlib

from qrkit.design.color import Color
from qrkit.design.outline import Outline
from qrkit.drawing.plain_picture import Plain, written_runs
from qrkit.drawing.scene import (
    Bitmap,
    Drawing,
    Gradient,
    Item,
    Matrix,
    Picture,
    Rectangle,
    Scene,
    Shape,
    Squares,
    Stamps,
)
from qrkit.drawing.svg.svg_elements import number
from qrkit.drawing.writers import postscript
from qrkit.drawing.writers.background import is_seen
from qrkit.drawing.writers.flattening import Box, Painted, Pixels, box_of, drawn_pixels, own_pixels
from qrkit.drawing.writers.vector_pictures import with_shapes

__all__ = ["write", "write_plain"]

HEAD = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n"
CATALOG, PAGES, PAGE, CONTENTS = range(1, 5)

COMPRESSION = 6
"""Higher levels take up to four times as long on modules, and save half a percent at most."""

OPAQUE = 255


def write(scene: Scene) -> bytes:
    """Write a PDF."""
    page = _Page(scene)
    for matrix, item in with_shapes(scene):
        page.add(matrix, item)
    return page.written()


def write_plain(plain: Plain) -> bytes:
    """Write a plain image as PDF."""
    page = _Page(plain)
    page.add(Matrix(), Rectangle(0, 0, plain.width, plain.height, plain.background))
    page.add(Matrix(), Squares(plain.left, plain.top, plain.module, plain.cells, plain.color))
    return page.written()


class _Page:
    """The operators that paint the page and its named resources: each state, pattern and image once."""

    def __init__(self, scene: Scene | Plain) -> None:
        self._scene, self._key_black = scene, isinstance(scene, Scene) and scene.key_black
        self._file = PdfFile()
        self._matrix = postscript.page_matrix(scene.height, scene.dots_per_inch)
        self._contents = [f"{postscript.matrix_numbers(self._matrix)} cm"]
        self._resources: dict[str, dict[str, str]] = {}
        self._pictures: dict[tuple[float, ...], str] = {}

    def add(self, matrix: Matrix, item: Item) -> None:
        """Paint an item."""
        match item:
            case Picture(content, x, y, width, height, opacity) if opacity > 0:
                self._add_pictures(matrix, content, [(x, y, width, height)], opacity)
            case Stamps(Bitmap() | Drawing() as content, width, height, places):
                self._add_pictures(matrix, content, [(x, y, width, height) for x, y in places])
            case Rectangle() | Squares() | Shape() | Stamps() if is_seen(item.paint):
                self._contents += [
                    "q",
                    *_transform(matrix),
                    *self._select_paint(matrix, item),
                    *self._filled_path(item),
                    "Q",
                ]

    def written(self) -> bytes:
        """Return the whole file."""
        resources = "".join(
            f"/{kind}<<{''.join(f'/{name} {text}' for text, name in named.items())}>>"
            for kind, named in self._resources.items()
        )
        # Without a transparency group, black stays a single ink where items overlap.
        group = "" if self._key_black else "/Group<</S/Transparency/CS/DeviceRGB>>"
        width, height = number(self._scene.width * self._matrix.scale_x), number(self._matrix.move_y)
        page = f"/MediaBox[0 0 {width} {height}]/Resources<<{resources}>>{group}"
        return self._file.written(page, "\n".join(self._contents))

    def _resource_name(self, kind: str, text: str) -> str:
        """Return the name of a resource of the page, adding it if it is new."""
        names = self._resources.setdefault(kind, {})
        return names.setdefault(text, f"{kind[0]}{len(names)}")

    def _select_paint(self, matrix: Matrix, item: Painted) -> list[str]:
        """Return the operators that select the paint of an item."""
        paint = item.paint
        if isinstance(paint, Color):
            numbers = postscript.ink(paint, key_black=self._key_black and paint.alpha == OPAQUE)
            return [*self._select_opacity(paint.opacity), numbers + (" rg" if " " in numbers else " g")]
        to_page = postscript.matrix_numbers(matrix.then(self._matrix))
        pattern = f"<</PatternType 2/Matrix[{to_page}]\n/Shading{postscript.shading(paint)}>>"
        alphas = {color.alpha for _, color in paint.stops}
        faint = (
            self._select_opacity(alphas.pop() / OPAQUE)
            if len(alphas) == 1
            else self._select_alpha_gradient(paint, box_of((Matrix(), item)))
        )
        return [*faint, f"/Pattern cs /{self._resource_name('Pattern', pattern)} scn"]

    def _select_opacity(self, opacity: float) -> list[str]:
        """Return the operators that make everything after them translucent."""
        return [f"/{self._resource_name('ExtGState', f'<</ca {opacity:.4g}>>')} gs"] if opacity < 1 else []

    def _select_alpha_gradient(self, paint: Gradient, box: Box) -> list[str]:
        """Return the operators for a gradient with alpha: a second gradient, in gray, is the soft mask of the first."""
        left, top, width, height = box
        corners = " ".join(map(number, (left - 1, top - 1, left + width + 1, top + height + 1)))
        grey = postscript.shading(paint, "/DeviceGray", lambda color: f"{color.opacity:.4g}")
        form = self._file.add(
            f"/Type/XObject/Subtype/Form/BBox[{corners}]/Group<</S/Transparency/CS/DeviceGray>>"
            f"/Resources<</Shading<</S{grey}>>>>",
            b"/S sh",
        )
        return [f"/{self._resource_name('ExtGState', f'<</SMask<</S/Luminosity/G {form}>>>>')} gs"]

    def _filled_path(self, item: Painted) -> list[str]:
        """Return the filled path of an item."""
        match item:
            case Rectangle(x, y, width, height):
                return [" ".join(map(number, (x, y, width, height))) + " re f"]
            case Squares(x, y, size, cells):
                return [*_transform(Matrix(size, size, x, y)), *written_runs(cells, "1 re"), "f"]
            case Shape(outline):
                return [*postscript.path(outline), "f"]
            case Stamps(Outline() as outline, paint=Color(), union=False):
                return self._stamps(outline, item.places)
            case Stamps():
                return [*postscript.path(item.outline()), "f"]

    def _stamps(self, outline: Outline, places: tuple[tuple[float, float], ...]) -> list[str]:
        left, top, right, bottom = outline.box()
        corners = " ".join(map(number, (left - 1, top - 1, right + 1, bottom + 1)))
        data = "\n".join([*postscript.path(outline), "f"]).encode("ascii")
        form = self._file.add(f"/Type/XObject/Subtype/Form/BBox[{corners}]", data)
        name = self._resource_name("XObject", form)
        return [f"q 1 0 0 1 {number(x)} {number(y)} cm /{name} Do Q" for x, y in places]

    def _add_pictures(self, matrix: Matrix, content: Bitmap | Drawing, boxes: list[Box], opacity: float = 1.0) -> None:
        _, _, width, height = matrix.box(*boxes[0])
        name = self._picture(content, width, height)
        self._contents += ["q", *_transform(matrix), *self._select_opacity(opacity)]
        # PDF images fill the square from 0, 0 to 1, 1, with the first row at the top.
        self._contents += [
            f"q {postscript.matrix_numbers(Matrix(width, -height, x, y + height))} cm /{name} Do Q"
            for x, y, width, height in boxes
        ]
        self._contents.append("Q")

    def _picture(self, content: Bitmap | Drawing, width: float, height: float) -> str:
        """Return the name of an image for a box of this size."""
        assert isinstance(self._scene, Scene)  # no plain image has others in it
        key = (id(content), width, height)
        if key not in self._pictures:
            pixels = own_pixels(self._scene, content) if isinstance(content, Bitmap) else None
            if pixels is None or pixels.alpha is not None:
                # PDF viewers smooth color and alpha separately, which shows where neighboring pixels differ a lot.
                pixels = drawn_pixels(self._scene, content, width, height)
            mask = ""
            if pixels.alpha is not None:
                mask = f"/SMask {self._file.add(_image(pixels, '/DeviceGray'), pixels.alpha)}"
            reference = self._file.add(_image(pixels, "/DeviceRGB") + mask, pixels.rgb)
            self._pictures[key] = self._resource_name("XObject", reference)
        return self._pictures[key]


def _transform(matrix: Matrix) -> list[str]:
    return [] if matrix == Matrix() else [f"{postscript.matrix_numbers(matrix)} cm"]


def _image(pixels: Pixels, space: str) -> str:
    size = f"/Width {pixels.width}/Height {pixels.height}"
    return f"/Type/XObject/Subtype/Image{size}/ColorSpace{space}/BitsPerComponent 8/Interpolate true"


# ---- numbered objects and their cross-reference table


class PdfFile:
    """A PDF file of one page. It contains no dates or ids, so the same objects give the same bytes."""

    def __init__(self) -> None:
        self._objects: dict[int, bytes] = {}

    def add(self, dictionary: str, data: bytes) -> str:
        """Add a stream that the page uses and return a reference to it.

        Args:
            dictionary: Entries of its dictionary, without length and filter.
            data: Its data, uncompressed.
        """
        number = CONTENTS + len(self._objects) + 1
        self._objects[number] = _stream(dictionary, data)
        return f"{number} 0 R"

    def written(self, page: str, contents: str) -> bytes:
        """Return the whole file.

        Args:
            page: Entries of the page's dictionary, without parent and contents.
            contents: The operators that paint the page.
        """
        objects = {
            CATALOG: f"<</Type/Catalog/Pages {PAGES} 0 R>>".encode("ascii"),
            PAGES: f"<</Type/Pages/Kids[{PAGE} 0 R]/Count 1>>".encode("ascii"),
            PAGE: f"<</Type/Page/Parent {PAGES} 0 R/Contents {CONTENTS} 0 R{page}>>".encode("ascii"),
            CONTENTS: _stream("", contents.encode("ascii")),
            **self._objects,
        }
        parts, length, offsets = [HEAD], len(HEAD), []
        for name, data in objects.items():
            offsets.append(length)
            parts.append(f"{name} 0 obj\n".encode("ascii") + data + b"\nendobj\n")
            length += len(parts[-1])
        table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
        count = len(objects) + 1
        end = (
            f"xref\n0 {count}\n0000000000 65535 f \n{table}"
            f"trailer\n<</Size {count}/Root {CATALOG} 0 R>>\nstartxref\n{length}\n%%EOF\n"
        )
        return b"".join([*parts, end.encode("ascii")])


def _stream(dictionary: str, data: bytes) -> bytes:
    packed = zlib.compress(data, COMPRESSION)
    head = f"<<{dictionary}/Length {len(packed)}/Filter/FlateDecode>>\nstream\n"
    return head.encode("ascii") + packed + b"\nendstream"
