"""`generate`: the whole chain Design -> Symbol -> Scene -> bytes in one call."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

from qrkit.design import Design
from qrkit.draw import draw
from qrkit.encode import encode
from qrkit.limits import TextStyle
from qrkit.scene import Scene
from qrkit.symbol import Symbol
from qrkit.writers import format_named, format_of_file, svg, txt

__all__ = ["QRImage", "generate"]


class QRImage:
    """A QR Code picture. In a notebook the last line of a cell shows it.

    Attributes:
        design: What was asked for.
        symbol: The encoded modules.
    """

    def __init__(self, design: Design) -> None:
        self.design = design
        self.symbol: Symbol = encode(
            design.content,
            version=design.version,
            error_correction=design.ec,
            mode=design.em,
        )

    @cached_property
    def scene(self) -> Scene:
        """The drawing, in pixels."""
        return draw(self.design, self.symbol)

    @property
    def width(self) -> int:
        """Pixels."""
        return self.scene.width

    @property
    def height(self) -> int:
        """Pixels."""
        return self.scene.height

    def to_bytes(self, format: str = "png") -> bytes:
        """The picture as a file of one of `qrkit.writers.FORMATS`; the same design gives the same bytes (ruling G9).

        Raises:
            InvalidParameter: There is no such format.
        """
        return format_named(format).write(self.scene)

    def to_text(self, style: TextStyle = "blocks") -> str:
        """The symbol as text: `blocks` (██), `ascii` (xx) or `binary` (rows of 1 and 0), quiet zone included.

        Raises:
            InvalidParameter: There is no such style.
        """
        return txt.text(self.scene, style)

    def save(self, path: str | Path, format: str | None = None) -> Path:
        """Write the picture to a file, in the format of its suffix or the one given; gives the path back.

        Raises:
            InvalidParameter: Neither names a format.
        """
        file = Path(path)
        chosen = format_named(format) if format else format_of_file(file)
        file.write_bytes(chosen.write(self.scene))
        return file

    def __repr__(self) -> str:
        content = self.design.content
        shown = content if len(content) <= 60 else content[:59] + "…"
        symbol = f"{self.symbol.version}-{self.symbol.error_correction}"
        return f"<QRImage {shown!r}, {symbol}, {self.width} x {self.height} px>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return {
            "text/plain": repr(self),
            "image/svg+xml": svg.write_union(self.scene).decode(),
            "image/png": self.to_bytes("png"),
        }


def generate(content: str | Design, /, **fields: Any) -> QRImage:
    """Make a QR Code picture.

    Args:
        content: The text to encode, or a whole `Design`.
        **fields: Fields of `Design` (version, size, padding, em, ec, foreground, background); with a design, they
            replace its own.

    Raises:
        InvalidParameter: A field breaks its rule; all that do are named.
        ContentTooLong: The content does not fit; the message says what would.

    Example:
        >>> generate("https://example.com", ec="H", size=10)
        <QRImage 'https://example.com', 3-H, 370 x 370 px>
    """
    if isinstance(content, Design):
        return QRImage(content.replace(**fields) if fields else content)
    return QRImage(Design(content=content, **fields))
