"""Reads the QR Codes in an image."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from io import BytesIO
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from qrkit.design.formats import RASTER_FORMATS
from qrkit.errors import InvalidParameter, NoSymbol, Problem, UnreadableFile
from qrkit.late import Shown
from qrkit.symbol.encode.capacity import characters_held
from qrkit.symbol.locate import Located, Part, in_lines, locate, locate_all
from qrkit.symbol.symbol import side_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from PIL.Image import Image

__all__ = ["MOST_READ_SIDE", "Decoded", "decode", "decode_all", "opened", "webp_pixels"]

_NAMES = tuple({"jpg": "JPEG", "tif": "TIFF"}.get(name, name.upper()) for name in RASTER_FORMATS)
"""Pillow's names of the raster formats."""

MOST_PIXELS = 50_000_000
MOST_WEBP_PIXELS = 12_500_000
"""Limit for WebP from strangers: its decoder makes four copies of four bytes a pixel, even to tell the size."""
MOST_READ_SIDE = 1_600
"""Pixels of the longer side to which images from strangers are reduced, so that the worst takes two seconds."""
LONGEST_SIDE = 65_535
"""The reader's limit on width and height, in pixels."""
MOST_FRAMES = 50
"""Frames of an animation, or pages of a TIFF, that are read."""

LONGEST_SECONDS = 2.0
"""Time after which no further frame of a stranger's image is read."""

HOT = 0.001
"""Share of 16-bit pixels that may lie beyond black, and beyond white: sensors have hot pixels."""


@dataclass(frozen=True, slots=True)
class Decoded(Shown):
    """The content and properties of a QR Code that was read.

    Attributes:
        content: The text.
        version: 1..40; -1..-4 for M1..M4, the versions of Micro QR Codes.
        ec: Error correction level L, M, Q or H.
        dimension: Modules per side.
        capacity: Bytes that this version and level hold in byte mode; 0 in M1 and M2, which lack it.
        length: Number of characters in the content.
        part: The part of the message that the content is, if several symbols share a message (structured append).
    """

    content: str
    version: int
    ec: str
    dimension: int
    capacity: int
    length: int
    part: Part | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as plain data, for JSON, without `part` if the symbol holds a whole message."""
        return {name: value for name, value in asdict(self).items() if value is not None}


def decode(picture: bytes | str | Path | Image, *, most_side: int | None = None) -> Decoded:
    """Read the QR Code in an image.

    Args:
        picture: The path of a file, its bytes (png, jpg, bmp, tif, gif, webp; at most 50 million pixels), or a Pillow
            image.
        most_side: Pixels of the longer side. Larger images are reduced before they are read, and after two seconds no
            further frame is read. Use it for images from strangers: if n pixels are full of finder patterns, a reader
            takes n⁴ steps.

    Raises:
        InvalidParameter: If `picture` is not bytes, a path or a Pillow image.
        UnreadableFile: If the file cannot be read or is not such an image.
        NoSymbol: If no QR Code was found.

    Example:
        >>> from qrkit import generate
        >>> decode(generate("https://example.com", ec="H").to_bytes("png")).content
        'https://example.com'
    """
    for looks in _frames(picture, most_side):
        if symbol := next((located for greys in looks if (located := locate(greys))), None):
            return _to_decoded(symbol)
    raise _no_symbol_error(picture)


def decode_all(picture: bytes | str | Path | Image, *, most_side: int | None = None) -> list[Decoded]:
    """Read every QR Code in an image, such as a sheet of labels: from top to bottom, then from left to right.

    Args:
        picture: See `decode`.
        most_side: See `decode`.

    Raises:
        InvalidParameter: If `picture` is not bytes, a path or a Pillow image.
        UnreadableFile: If the file cannot be read or is not such an image.
        NoSymbol: If no QR Code was found.
    """
    decoded: list[Decoded] = []
    for looks in _frames(picture, most_side):
        seen = next((symbols for greys in looks if (symbols := locate_all(greys))), [])
        codes = [_to_decoded(symbol) for symbol in in_lines(seen)]
        # A code that later frames repeat is listed once; equal labels in one frame are all listed.
        decoded += [code for code in codes if code not in decoded] if decoded else codes
    if not decoded:
        raise _no_symbol_error(picture)
    return decoded


def _no_symbol_error(picture: bytes | str | Path | Image) -> NoSymbol:
    where = f" in {picture}" if isinstance(picture, str | Path) else ""
    advice = "the picture must be sharp, with 3 pixels a module or more, and show the whole code and its light edge"
    return NoSymbol(f"no QR Code was found{where}").advising({"python": advice, "http": advice})


def _to_decoded(symbol: Located) -> Decoded:
    text, version, level = symbol.content, symbol.version, symbol.ec
    capacity = characters_held(version, level, "byte")
    return Decoded(text, version, level, side_of(version), capacity, len(text), symbol.part)


def opened(picture: bytes | str | Path | Image, most_side: int | None) -> Image:
    """Open an image as grayscale on white, because transparent areas show the paper when printed.

    Args:
        picture: See `decode`; the first frame is used.
        most_side: See `decode`.

    Raises:
        InvalidParameter: If `picture` is not bytes, a path or a Pillow image.
        UnreadableFile: If the file cannot be read or is not such an image.
    """
    return next(next(_frames(picture, most_side)))


def _frames(picture: bytes | str | Path | Image, most_side: int | None) -> Iterator[Iterator[Image]]:
    """Yield versions of each frame: grayscale on white and, if parts are transparent, on black.

    Raises:
        InvalidParameter: If `picture` is not bytes, a path or a Pillow image.
        UnreadableFile: If the file cannot be read or is not such an image.
    """
    from PIL import Image

    name = str(picture) if isinstance(picture, str | Path) else "this"
    too_large = f"{name} has too many pixels: at most {MOST_PIXELS:,}, and {LONGEST_SIDE:,} a side"
    picture = _load(picture)
    try:
        if isinstance(picture, bytes):
            most = MOST_WEBP_PIXELS if most_side else MOST_PIXELS
            if (webp_pixels(picture) or 0) > most:
                raise UnreadableFile(f"{name} has too many pixels: at most {most:,} in a webp")
            picture = Image.open(BytesIO(picture), formats=_NAMES)
        pixels = picture.width * picture.height
        if pixels > MOST_PIXELS or max(picture.size) > LONGEST_SIDE:
            raise UnreadableFile(too_large)
        end = monotonic() + LONGEST_SECONDS
        for number in range(min(getattr(picture, "n_frames", 1), MOST_FRAMES, MOST_PIXELS // max(pixels, 1))):
            if most_side and number and monotonic() > end:
                return
            if hasattr(picture, "n_frames"):
                picture.seek(number)
            yield _on_papers(_reduce(picture, most_side))
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise UnreadableFile(too_large) from error
    except (UnreadableFile, MemoryError):
        raise
    except Exception as error:
        # For corrupt files, Pillow raises errors of many types: ValueError, SyntaxError, …
        raise UnreadableFile(f"{name} {_format_rule(picture)}") from error


def _format_rule(picture: bytes | Image) -> str:
    """Return what is wrong with a picture that Pillow cannot open."""
    if isinstance(picture, bytes) and picture.startswith(b"%PDF"):
        return "is a PDF, which cannot be read; save it as png, with 300 dpi or more"
    return f"is not a picture of the formats {', '.join(RASTER_FORMATS)}"


def _reduce(frame: Image, most_side: int | None) -> Image:
    """Convert a frame to 8 bits and reduce its longer side to `most_side`."""
    # Images of these modes are reduced before anything copies all their pixels.
    if most_side and frame.mode in ("L", "LA", "RGB", "RGBA"):
        frame = _shrink(frame, most_side)
    if frame.mode in ("I", "F") or frame.mode.startswith("I;16"):
        frame = _to_8_bits(frame, max(1, max(frame.size) // most_side) if most_side else 1)
    frame = frame.convert("RGBA" if frame.has_transparency_data else "L")
    return _shrink(frame, most_side) if most_side else frame


def _shrink(frame: Image, most_side: int) -> Image:
    if max(frame.size) <= most_side:
        return frame
    frame.draft(None, (most_side, most_side))  # a JPEG is decoded at a fraction of its size
    factor = min(most_side / max(frame.size), 1)
    return frame.resize([max(1, round(side * factor)) for side in frame.size], reducing_gap=2)


def _on_papers(frame: Image) -> Iterator[Image]:
    """Yield a frame on white and then on black paper; only once if nothing is transparent."""
    from PIL import Image

    if frame.mode == "L":
        yield frame
        return
    for color in ("white", "black"):
        paper = Image.new("RGBA", frame.size, color)
        paper.alpha_composite(frame)
        yield paper.convert("L")


def webp_pixels(data: bytes) -> int | None:
    """Return the width times the height of a WebP from its first header (RFC 9649); None for other data."""
    if data[:4] != b"RIFF" or data[8:12] != b"WEBP":
        return None
    kind, head = data[12:16], data[20:30].ljust(10, b"\0")
    if kind == b"VP8X":
        return (1 + int.from_bytes(head[4:7], "little")) * (1 + int.from_bytes(head[7:10], "little"))
    if kind == b"VP8L":
        bits = int.from_bytes(head[1:5], "little")
        return (1 + (bits & 0x3FFF)) * (1 + (bits >> 14 & 0x3FFF))
    return (int.from_bytes(head[6:8], "little") & 0x3FFF) * (int.from_bytes(head[8:10], "little") & 0x3FFF)


def _to_8_bits(picture: Image, step: int) -> Image:
    """Scale grays of 16 bits or more from black to white, because Pillow would clip them at 255.

    Args:
        picture: An image of one channel.
        step: Side of the squares of pixels that become one.
    """
    import numpy as np
    from PIL import Image

    height, width = picture.height // step * step, picture.width // step * step
    squares = np.asarray(picture)[:height, :width].reshape(height // step, step, width // step, step)
    greys = squares.mean((1, 3), dtype=np.float64)
    low, high = np.quantile(greys, (HOT, 1 - HOT))
    if low == high:  # nearly all pixels are paper
        low, high = greys.min(), greys.max()
    scale = 255 / (high - low) if high > low else 1
    return Image.fromarray(np.clip((greys - low) * scale, 0, 255).astype(np.uint8))


def _load(picture: bytes | str | Path | Image) -> bytes | Image:
    """Read the bytes of a file; return other images as they are."""
    from PIL import Image

    if isinstance(picture, str | Path):
        return _read_bytes(Path(picture))
    if not isinstance(picture, bytes | Image.Image):
        rule = "must be bytes, a path or a Pillow image"
        raise InvalidParameter(Problem("picture", f"a {type(picture).__name__}", rule, "wrong-type"))
    return picture


def _read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a path with a zero byte
        raise UnreadableFile(f"{path}: {getattr(error, 'strerror', None) or error}") from error
