"""What the tests of drawing share: pictures to send, and looks at the pictures that come back."""

from base64 import b64encode
from io import BytesIO

import numpy as np
from PIL import Image

from qrkit import QRImage, Role
from tests.conformance import readers

LINK = "https://example.com"
FUNCTION_PATTERNS = [Role.FINDER, Role.SEPARATOR, Role.TIMING, Role.ALIGNMENT, Role.FORMAT, Role.VERSION]

BLACK, WHITE = (0, 0, 0, 255), (255, 255, 255, 255)
RED, GREEN, BLUE = (255, 0, 0, 255), (0, 255, 0, 255), (0, 0, 255, 255)


def png_uri(pixels: object) -> str:
    """Rows of pixels of red, green, blue, alpha as a data URI."""
    file = BytesIO()
    Image.fromarray(np.asarray(pixels, dtype=np.uint8)).save(file, "PNG")
    return "data:image/png;base64," + b64encode(file.getvalue()).decode()


def filled(color: tuple[int, int, int, int], width: int = 1, height: int = 1) -> str:
    """A picture of one colour."""
    return png_uri(np.full((height, width, 4), color))


def svg_uri(inside: str, box: str = "0 0 10 10") -> str:
    """SVG elements as a data URI."""
    text = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}">{inside}</svg>'
    return "data:image/svg+xml;base64," + b64encode(text.encode()).decode()


def pixels(image: QRImage, format: str = "png") -> np.ndarray:
    """Rows of pixels of red, green, blue, alpha, which can be subtracted."""
    data = image.to_bytes(format)
    return (readers.svg(data) if format == "svg" else readers.raster(data)).astype(int)


def blocks(image: QRImage, picture: np.ndarray | None = None) -> np.ndarray:
    """The pixels by module: row, column, pixel row, pixel column, channel; quiet zone included."""
    picture = pixels(image) if picture is None else picture
    side = image.symbol.side + 2 * image.design.padding
    size = len(picture) // side
    assert picture.shape[:2] == (side * size, side * size)
    return picture.reshape(side, size, side, size, -1).swapaxes(1, 2)


def inside(image: QRImage, picture: np.ndarray | None = None) -> np.ndarray:
    """The same without the quiet zone."""
    edge = image.design.padding
    found = blocks(image, picture)
    return found[edge : len(found) - edge, edge : len(found) - edge]


def modules(image: QRImage) -> np.ndarray:
    """True for each dark module."""
    return np.array([list(row) for row in image.symbol.modules]).astype(bool)


def roles(image: QRImage) -> np.ndarray:
    return np.array([list(row) for row in image.symbol.roles])


def has(found: np.ndarray, color: tuple[int, ...]) -> np.ndarray:
    """For each module, whether all its pixels are of the colour."""
    return (found == color).all(axis=(2, 3, 4))
