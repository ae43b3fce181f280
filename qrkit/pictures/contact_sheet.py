"""`ContactSheet`: many pictures side by side, each with its name, to be compared or shared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path
from typing import Any

from qrkit.design.limits import Within
from qrkit.drawing.svg_elements import NAMESPACES, number
from qrkit.errors import InvalidParameter, Problem
from qrkit.files import write_file
from qrkit.pictures.image import QRImage

__all__ = ["ContactSheet"]

GAP = 16
LABEL = 22
"""Height of a line with a name, in pixels."""
LETTER = 6.5
"""Width of a letter of a name, in pixels: what most of them have on average."""
COLUMNS = Within(1, 1_000, "pictures")
SIDES = Within(16, 2_000, "pixels")


class ContactSheet:
    """Pictures in rows, each with its name below. In a notebook the last line of a cell shows it.

    Args:
        images: Name to picture, in the order they are shown; a name that is too long for its place is cut.
        columns: Pictures in a row, 1..1,000.
        side: Width of each in pixels, 16..2,000.

    Raises:
        InvalidParameter: A number is out of its range, or something is no picture.
    """

    def __init__(self, images: Mapping[str, QRImage], *, columns: int = 6, side: int = 140) -> None:
        problems = [
            Problem("images", name, f"must be a QRImage, not {type(one).__name__}", "wrong-type")
            for name, one in images.items()
            if not isinstance(one, QRImage)
        ]
        problems += [
            Problem(name, value, f"must be a whole number in {bound}", "out-of-range")
            for name, value, bound in (("columns", columns, COLUMNS), ("side", side, SIDES))
            if not isinstance(value, int) or not bound.low <= value <= bound.high
        ]
        if problems:
            raise InvalidParameter(*problems)
        self.images = {str(name): image for name, image in images.items()}
        self.columns = max(1, min(columns, len(self.images)))
        self.side = side

    def to_svg(self) -> str:
        """The sheet as one SVG."""
        across, lines, y = self.side + GAP, [], float(GAP)
        for row in self._rows():
            tallest = max(self._height(image) for _, image in row)
            for column, (name, image) in enumerate(row):
                x = GAP + column * across
                lines += [self._placed(image, x, y), self._label(name, x, y + tallest)]
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
        """Write the sheet to an SVG file; gives the path back.

        Raises:
            InvalidParameter: The path has another suffix than .svg.
            CannotWrite: The file cannot be written there.
        """
        file = Path(path)
        if file.suffix.lower() != ".svg":
            raise InvalidParameter(Problem("path", str(file), "must end in .svg: a contact sheet is an SVG"))
        write_file(file, self.to_svg().encode())
        return file

    def _placed(self, image: QRImage, x: float, y: float) -> str:
        """A picture as an SVG inside the sheet."""
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

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return {"text/plain": repr(self), "image/svg+xml": self.to_svg()}
