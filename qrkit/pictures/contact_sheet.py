"""Provides `ContactSheet`, which shows images with their names side by side, to compare or share them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path

from qrkit.drawing.svg.svg_elements import NAMESPACES
from qrkit.drawing.svg.svg_text import number
from qrkit.errors import InvalidParameter, Problem, check_whole, collecting, raise_any
from qrkit.files import write_file
from qrkit.late import Shown
from qrkit.pictures.image import QRImage

GAP = 16
LABEL = 22
"""Height of a line of names, in pixels."""
LETTER = 6.5
"""Average width of a letter, in pixels."""
MOST_COLUMNS = 1_000
SIDES = (16, 2_000)


class ContactSheet(Shown):
    """Images in rows, each with its name below. Notebooks show it if it is the last line of a cell.

    Args:
        images: Maps names to images, in display order; long names are cut.
        columns: Images per row, 1..1,000.
        side: Width of each image in pixels, 16..2,000.

    Raises:
        InvalidParameter: If a number is out of range, or a value of `images` is not a `QRImage`.
    """

    def __init__(self, images: Mapping[str, QRImage], *, columns: int = 6, side: int = 140) -> None:
        problems = [
            Problem("images", name, f"must be a QRImage, not {type(one).__name__}", "wrong-type")
            for name, one in images.items()
            if not isinstance(one, QRImage)
        ]
        with collecting(problems):
            check_whole("columns", columns, 1, MOST_COLUMNS, of=" of pictures")
        with collecting(problems):
            check_whole("side", side, *SIDES, of=" of pixels")
        raise_any(problems)
        self.images = {str(name): image for name, image in images.items()}
        self.columns = max(1, min(columns, len(self.images)))
        self.side = side

    def to_svg(self) -> str:
        """Return the sheet as one SVG."""
        across, lines, y = self.side + GAP, [], float(GAP)
        for row in self._rows():
            tallest = max(self._height(image) for _, image in row)
            for column, (name, image) in enumerate(row):
                x = GAP + column * across
                lines += [self._place(image, x, y), self._label(name, x, y + tallest)]
            y += tallest + LABEL + GAP
        width, height = across * self.columns + GAP, number(y)
        return "\n".join(
            [
                f'<svg {NAMESPACES} width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img" '
                'aria-label="Contact sheet">',
                f'<rect width="{width}" height="{height}" fill="#F4F4F1"/>',
                *lines,
                "</svg>\n",
            ]
        )

    def _rows(self) -> Iterator[list[tuple[str, QRImage]]]:
        images = list(self.images.items())
        for start in range(0, len(images), self.columns):
            yield images[start : start + self.columns]

    def _height(self, image: QRImage) -> float:
        return self.side * image.height / image.width

    def save(self, path: str | Path) -> Path:
        """Write the sheet to an SVG file and return its path.

        Raises:
            InvalidParameter: If the path does not end in .svg.
            CannotWrite: If the file cannot be written.
        """
        file = Path(path)
        if file.suffix.lower() != ".svg":
            raise InvalidParameter(Problem("path", str(file), "must end in .svg: a contact sheet is an SVG"))
        write_file(file, self.to_svg().encode())
        return file

    def _place(self, image: QRImage, x: float, y: float) -> str:
        """Return an image as an SVG element of the sheet."""
        drawn = image.to_bytes("svg").decode().rstrip()
        size = f'width="{self.side}" height="{number(self._height(image))}"'
        asked = f'width="{image.width}" height="{image.height}"'
        return f'<svg x="{number(x)}" y="{number(y)}"' + drawn.removeprefix("<svg").replace(asked, size, 1)

    def _label(self, name: str, x: float, y: float) -> str:
        most = int((self.side + GAP) / LETTER)
        name = name if len(name) <= most else f"{name[: most - 1]}…"
        middle, bottom = number(x + self.side / 2), number(y + LABEL * 0.8)
        font = 'font-family="system-ui,sans-serif" font-size="12" fill="#333"'
        return f'<text x="{middle}" y="{bottom}" text-anchor="middle" {font}>{escape(name, quote=False)}</text>'

    def __repr__(self) -> str:
        return f"<ContactSheet of {len(self.images)}: {', '.join(self.images)}>"
