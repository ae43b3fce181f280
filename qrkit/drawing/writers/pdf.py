"""Writes vector PDF 1.4 (ISO 32000), keeping any alpha. By default, a pixel is one point.

With a press, it is PDF/X-4 (ISO 15930-7): in CMYK and spot colors, with the profile of the press.
"""

from __future__ import annotations

import zlib
from hashlib import sha256
from io import BytesIO
from typing import TYPE_CHECKING, BinaryIO, Self
from uuid import UUID

from qrkit.design.color import BLACK, Color
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
from qrkit.drawing.svg.svg_text import number
from qrkit.drawing.writers import postscript
from qrkit.drawing.writers.background import is_seen
from qrkit.drawing.writers.flattening import Box, Painted, Pixels, box_of, drawn_pixels, own_pixels
from qrkit.drawing.writers.vector_pictures import with_shapes
from qrkit.errors import InvalidParameter, Problem

if TYPE_CHECKING:
    from qrkit.drawing.writers.press import Press


HEAD = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n"
CATALOG, PAGES = 1, 2

COMPRESSION = 5
"""Level 6 takes half as long again on modules, twice as long on the largest symbols, and saves half a percent."""
MOST_PICTURES = 100
"""Pictures that are kept in mind, because the images of a batch share logos."""

OPAQUE = 255
UNCHANGED = Matrix()
OVERPRINTED = "<</op true/OPM 1>>"
"""Keeps the other inks below black ink, so that no white gap shows if paper slips in the press."""
XMP = """\
<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/">
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about=""
 xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmp="http://ns.adobe.com/xap/1.0/"
 xmlns:xmpMM="http://ns.adobe.com/xap/1.0/mm/" xmlns:pdf="http://ns.adobe.com/pdf/1.3/"
 xmlns:pdfxid="http://www.npes.org/pdfx/ns/id/" pdfxid:GTS_PDFXVersion="PDF/X-4" pdf:Trapped="False"
 xmp:CreateDate="1980-01-01T00:00:00Z" xmp:ModifyDate="1980-01-01T00:00:00Z" xmp:MetadataDate="1980-01-01T00:00:00Z"
 xmpMM:DocumentID="uuid:{}" xmpMM:VersionID="1" xmpMM:RenditionClass="default">
<dc:title><rdf:Alt><rdf:li xml:lang="x-default">QR Codes</rdf:li></rdf:Alt></dc:title>
</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="r"?>"""
"""The metadata of PDF/X-4. The date is fixed, as in `INFO`, so that the same pages give the same bytes."""
INFO = b"""<</Title(QR Codes)/CreationDate(D:19800101000000Z)/ModDate(D:19800101000000Z)/Trapped/False
/GTS_PDFXVersion(PDF/X-4)>>"""


def write(scene: Scene) -> bytes:
    """Write a PDF."""
    file = BytesIO()
    with PdfFile(file) as pdf:
        pdf.add_picture(scene)
    return file.getvalue()


def write_plain(plain: Plain) -> bytes:
    """Write a plain image as PDF."""
    file = BytesIO()
    with PdfFile(file) as pdf:
        matrix = postscript.page_matrix(plain.height, plain.dots_per_inch)
        contents = Contents(pdf, matrix)
        contents.paint(UNCHANGED, Rectangle(0, 0, plain.width, plain.height, plain.background))
        contents.paint(UNCHANGED, Squares(plain.left, plain.top, plain.module, plain.cells, plain.color))
        pdf.add_page(contents, plain.width * matrix.scale_x, matrix.move_y)
    return file.getvalue()


class Contents:
    """The operators that paint a page or a form, and its named resources: each state, pattern and image once.

    The matrix leads from pixels to the units of the page or form. With `key_black`, black has to stay a single ink.
    """

    def __init__(self, file: PdfFile, matrix: Matrix = UNCHANGED, *, key_black: bool = False) -> None:
        self._file, self._matrix, self.key_black = file, matrix, key_black
        self.operators = _transform(matrix)
        self._resources: dict[str, dict[str, str]] = {}

    def draw(self, scene: Scene) -> None:
        """Paint a scene."""
        for matrix, item in with_shapes(scene):
            self._add(scene, matrix, item)

    def _add(self, scene: Scene, matrix: Matrix, item: Item) -> None:
        match item:
            case Picture(content, x, y, width, height, opacity) if opacity > 0:
                self._add_pictures(scene, matrix, content, [(x, y, width, height)], opacity)
            case Stamps(Bitmap() | Drawing() as content, width, height, places):
                self._add_pictures(scene, matrix, content, [(x, y, width, height) for x, y in places])
            case Rectangle() | Squares() | Shape() | Stamps():
                self.paint(matrix, item)

    def paint(self, matrix: Matrix, item: Painted) -> None:
        """Paint an item that has a paint."""
        if is_seen(item.paint):
            self.operators += ["q", *_transform(matrix), *self._select_paint(matrix, item)]
            self.operators += [*self._filled_path(item), "Q"]

    @property
    def resources(self) -> str:
        """The entry of the resources in the dictionary of the page or form."""
        named = "".join(
            f"/{kind}<<{''.join(f'/{name} {text}' for text, name in texts.items())}>>"
            for kind, texts in self._resources.items()
        )
        return f"/Resources<<{named}>>"

    @property
    def data(self) -> bytes:
        """The operators as they are written."""
        return "\n".join(self.operators).encode("ascii")

    def resource_name(self, kind: str, text: str) -> str:
        """Return the name of a resource, adding it if it is new."""
        names = self._resources.setdefault(kind, {})
        return names.setdefault(text, f"{kind[0]}{len(names)}")

    def fill(self, color: Color, *, key_black: bool, overprint: bool = False) -> str:
        """Return the operators that select a color, without its alpha.

        `key_black` paints black with black ink only, as a press always does; `overprint` keeps the inks below black
        ink.
        """
        press = self._file.press
        if press is None:
            numbers = postscript.ink(color, key_black=key_black)
            return numbers + (" rg" if " " in numbers else " g")
        if color.opaque in press.spots:
            self._file.used_spots.add(color.opaque)
            return f"/{self.resource_name('ColorSpace', press.separation(color.opaque))} cs 1 scn"
        over = f"/{self.resource_name('ExtGState', OVERPRINTED)} gs " if overprint and color == BLACK else ""
        return f"{over}{press.inks(color)} k"

    def _select_paint(self, matrix: Matrix, item: Painted) -> list[str]:
        """Return the operators that select the paint of an item."""
        paint, press = item.paint, self._file.press
        if isinstance(paint, Color):
            key_black = self.key_black and paint.alpha == OPAQUE
            # Plates of logos, which are other shapes, have to hide the modules below them.
            filled = self.fill(paint, key_black=key_black, overprint=isinstance(item, Squares | Stamps))
            return [*self._select_opacity(paint.opacity), filled]
        to_page = postscript.matrix_numbers(matrix.then(self._matrix))
        shading = postscript.shading(paint, "/DeviceCMYK", press.inks) if press else postscript.shading(paint)
        pattern = f"<</PatternType 2/Matrix[{to_page}]\n/Shading{shading}>>"
        alphas = {color.alpha for _, color in paint.stops}
        faint = (
            self._select_opacity(alphas.pop() / OPAQUE)
            if len(alphas) == 1
            else self._select_alpha_gradient(paint, box_of((Matrix(), item)))
        )
        return [*faint, f"/Pattern cs /{self.resource_name('Pattern', pattern)} scn"]

    def _select_opacity(self, opacity: float) -> list[str]:
        """Return the operators that make everything after them translucent."""
        return [f"/{self.resource_name('ExtGState', f'<</ca {opacity:.4g}>>')} gs"] if opacity < 1 else []

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
        return [f"/{self.resource_name('ExtGState', f'<</SMask<</S/Luminosity/G {form}>>>>')} gs"]

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
        name = self.resource_name("XObject", form)
        return [f"q 1 0 0 1 {number(x)} {number(y)} cm /{name} Do Q" for x, y in places]

    def _add_pictures(
        self, scene: Scene, matrix: Matrix, content: Bitmap | Drawing, boxes: list[Box], opacity: float = 1.0
    ) -> None:
        _, _, width, height = matrix.box(*boxes[0])
        name = self.resource_name("XObject", self._file.picture(scene, content, width, height))
        self.operators += ["q", *_transform(matrix), *self._select_opacity(opacity)]
        # PDF images fill the square from 0, 0 to 1, 1, with the first row at the top.
        self.operators += [
            f"q {postscript.matrix_numbers(Matrix(width, -height, x, y + height))} cm /{name} Do Q"
            for x, y, width, height in boxes
        ]
        self.operators.append("Q")


def _transform(matrix: Matrix) -> list[str]:
    return [] if matrix == Matrix() else [f"{postscript.matrix_numbers(matrix)} cm"]


def _image(pixels: Pixels, space: str) -> str:
    size = f"/Width {pixels.width}/Height {pixels.height}"
    return f"/Type/XObject/Subtype/Image{size}/ColorSpace{space}/BitsPerComponent 8/Interpolate true"


# ---- numbered objects and their cross-reference table


class PdfFile:
    """A PDF file of any number of pages, written object by object, so that memory holds only the place of each.

    Use it as a context manager; an error in the block leaves the file without an end. The file contains neither the
    time nor random numbers, so the same pages give the same bytes. A press, set before any page, makes it PDF/X-4.
    """

    press: Press | None = None

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._file.write(HEAD)
        self._length = len(HEAD)
        self._offsets: dict[int, int] = {}
        self._streams: dict[bytes, str] = {}
        self._pages: list[str] = []
        self._pictures: dict[tuple[object, ...], str] = {}
        self.used_spots: set[Color] = set()

    def add(self, dictionary: str, data: bytes) -> str:
        """Add a stream and return a reference to it; equal streams are one.

        The entries of its dictionary do not include length and filter; the data is not compressed.
        """
        key = sha256(dictionary.encode("ascii") + b"\0" + data).digest()
        if key not in self._streams:
            packed = zlib.compress(data, COMPRESSION)
            head = f"<<{dictionary}/Length {len(packed)}/Filter/FlateDecode>>\nstream\n".encode("ascii")
            self._streams[key] = self._write(head + packed + b"\nendstream")
        return self._streams[key]

    def add_form(self, scene: Scene) -> str:
        """Add a scene as a form, in its own pixels, and return a reference to it; pages may paint it many times."""
        contents = Contents(self, key_black=scene.key_black)
        contents.draw(scene)
        box = f"/BBox[0 0 {number(scene.width)} {number(scene.height)}]"
        return self.add(f"/Type/XObject/Subtype/Form{box}{contents.resources}", contents.data)

    def add_picture(self, scene: Scene) -> None:
        """Add a page that shows a scene and has its size; what lies in its bleed is cut off."""
        self.press = scene.press
        matrix = postscript.page_matrix(scene.height, scene.dots_per_inch)
        contents = Contents(self, matrix, key_black=scene.key_black)
        contents.draw(scene)
        width, height, bleed = scene.width * matrix.scale_x, matrix.move_y, scene.bleed * matrix.scale_x
        trim = (bleed, bleed, width - 2 * bleed, height - 2 * bleed) if bleed else None
        self.add_page(contents, width, height, trim=trim, bleed=bleed)

    def add_page(
        self, contents: Contents, width: float, height: float, *, trim: Box | None = None, bleed: float = 0.0
    ) -> None:
        """Add a page; all lengths are in points.

        `trim` is what is left after cutting, from the bottom left corner, by default the page; `bleed` is printed
        around it.
        """
        # Without a transparency group in RGB, black stays a single ink where items overlap.
        space = "/DeviceCMYK" if self.press else "" if contents.key_black else "/DeviceRGB"
        group = f"/Group<</S/Transparency/CS{space}>>" if space else ""
        entries = f"/MediaBox[0 0 {number(width)} {number(height)}]{contents.resources}{group}"
        if self.press or trim:
            left, bottom, across, up = trim or (0, 0, width, height)
            for name, more in (("Trim", 0.0), ("Bleed", bleed)):
                sides = (left - more, bottom - more, left + across + more, bottom + up + more)
                entries += f"/{name}Box[{' '.join(map(number, sides))}]"
        painted = self.add("", contents.data)
        page = f"<</Type/Page/Parent {PAGES} 0 R/Contents {painted}{entries}>>"
        self._pages.append(self._write(page.encode("ascii")))

    def picture(self, scene: Scene, content: Bitmap | Drawing, width: float, height: float) -> str:
        """Return a reference to an image for a box of this size, in pixels of the scene."""
        key = (content, scene.dots_per_inch, width, height)
        if key not in self._pictures:
            pixels = own_pixels(scene, content) if isinstance(content, Bitmap) else None
            if pixels is None or pixels.alpha is not None:
                # PDF viewers smooth color and alpha separately, which shows where neighboring pixels differ a lot.
                pixels = drawn_pixels(scene, content, width, height)
            mask = ""
            if pixels.alpha is not None:
                mask = f"/SMask {self.add(_image(pixels, '/DeviceGray'), pixels.alpha)}"
            if len(self._pictures) == MOST_PICTURES:
                self._pictures.clear()
            space, data = "/DeviceRGB", pixels.rgb
            if self.press:
                space, data = "/DeviceCMYK", self.press.pixels(*pixels[:3])
            self._pictures[key] = self.add(_image(pixels, space) + mask, data)
        return self._pictures[key]

    def _add_press(self, press: Press) -> tuple[str, str]:
        """Add what PDF/X-4 asks for, and return its entries in the catalog and in the trailer."""
        if missing := press.spots.keys() - self.used_spots:
            names = ", ".join(sorted(color.rgb for color in missing)[:10])
            rule = f"no module, text or flat shape has the color {names}; gradients and pictures have no spot colors"
            raise InvalidParameter(Problem("spots", None, rule))
        profile = self.add("/N 4", press.profile)
        unique = sha256(b"".join(self._streams)).digest()[:16]
        xmp = XMP.format(UUID(bytes=unique)).encode()
        head = f"<</Type/Metadata/Subtype/XML/Length {len(xmp)}>>\nstream\n".encode("ascii")
        metadata = self._write(head + xmp + b"\nendstream")
        name = f"<{press.condition.encode('ascii', 'replace').hex()}>"
        intent = f"/S/GTS_PDFX/OutputConditionIdentifier{name}/Info{name}/DestOutputProfile {profile}"
        number = f"<{unique.hex()}>"
        catalog = f"/Version/1.6/Metadata {metadata}/OutputIntents[<</Type/OutputIntent{intent}>>]"
        return catalog, f"/Info {self._write(INFO)}/ID[{number}{number}]"

    def _write(self, data: bytes, number: int = 0) -> str:
        """Write an object and return a reference to it."""
        number = number or PAGES + len(self._offsets) + 1
        self._offsets[number] = self._length
        self._length += self._file.write(f"{number} 0 obj\n".encode("ascii") + data + b"\nendobj\n")
        return f"{number} 0 R"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            return
        catalog, trailer = self._add_press(self.press) if self.press else ("", "")
        kids = f"/Kids[{' '.join(self._pages)}]/Count {len(self._pages)}"
        self._write(f"<</Type/Pages{kids}>>".encode("ascii"), PAGES)
        self._write(f"<</Type/Catalog/Pages {PAGES} 0 R{catalog}>>".encode("ascii"), CATALOG)
        table = "".join(f"{offset:010} 00000 n \n" for _, offset in sorted(self._offsets.items()))
        count = len(self._offsets) + 1
        end = (
            f"xref\n0 {count}\n0000000000 65535 f \n{table}"
            f"trailer\n<</Size {count}/Root {CATALOG} 0 R{trailer}>>\nstartxref\n{self._length}\n%%EOF\n"
        )
        self._file.write(end.encode("ascii"))
