"""A picture -> what the QR Code in it says."""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from qrkit.encode.capacity import characters_held
from qrkit.errors import InvalidParameter, NoSymbol, Problem, UnreadableFile
from qrkit.limits import RASTER_FORMATS
from qrkit.notebook import Shown
from qrkit.symbol import ErrorCorrectionLevel, side_of

if TYPE_CHECKING:
    from PIL.Image import Image
    from zxingcpp import Barcode

__all__ = ["MOST_READ_SIDE", "Decoded", "Located", "decode", "decode_all", "locate", "opened"]

_NAMES = tuple({"jpg": "JPEG", "tif": "TIFF"}.get(name, name.upper()) for name in RASTER_FORMATS)
"""Of the raster formats, as Pillow calls them."""

MOST_PIXELS = 50_000_000
MOST_READ_SIDE = 1_600
"""Pixels of the longer side with which pictures of strangers are read; the worst one takes two seconds then."""
LONGEST_SIDE = 65_535
"""Pixels; the reader takes no more in one direction."""


@dataclass(frozen=True, slots=True)
class Decoded(Shown):
    """What a reader told (ruling G21).

    Attributes:
        content: The text.
        version: 1..40.
        ec: Error correction level L, M, Q or H.
        dimension: Modules per side.
        capacity: Bytes that this version and level hold in byte mode.
        length: Characters of the content.
    """

    content: str
    version: int
    ec: str
    dimension: int
    capacity: int
    length: int


def decode(picture: bytes | str | Path | Image, *, most_side: int | None = None) -> Decoded:
    """Read the QR Code in a picture.

    Args:
        picture: A file's path, its bytes (png, jpg, bmp, tif, gif, webp; at most 50 million pixels), or a Pillow image.
        most_side: Pixels of the longer side; a larger picture is made smaller before it is read. Of strangers' pictures
            that matters: one that is full of finder patterns takes the reader n⁴ steps for n pixels.

    Raises:
        InvalidParameter: It is something else.
        UnreadableFile: It is not such a picture.
        NoSymbol: No QR Code was found in it.

    Example:
        >>> from qrkit import generate
        >>> decode(generate("https://example.com", ec="H").to_bytes("png")).content
        'https://example.com'
    """
    found = locate(opened(picture, most_side))
    if found is None:
        raise _none_in(picture)
    return _told(found)


def decode_all(picture: bytes | str | Path | Image, *, most_side: int | None = None) -> list[Decoded]:
    """Read every QR Code in a picture, as of a sheet of labels: from top to bottom, then from left to right.

    Args:
        picture: As of `decode`.
        most_side: As of `decode`.

    Raises:
        InvalidParameter: It is something else.
        UnreadableFile: It is not such a picture.
        NoSymbol: No QR Code was found in it.
    """
    found = _located(opened(picture, most_side))
    if not found:
        raise _none_in(picture)
    return [_told(one) for one in sorted(found, key=lambda one: (one.corners[0][::-1], one.content))]


def _none_in(picture: bytes | str | Path | Image) -> NoSymbol:
    where = f" in {picture}" if isinstance(picture, str | Path) else ""
    advice = "the picture must be sharp, with 3 pixels a module or more, and show the whole code and its light edge"
    return NoSymbol(f"no QR Code was found{where}").advising({"python": advice, "http": advice})


def _told(found: Located) -> Decoded:
    text, version, level = found.content, found.version, found.ec
    return Decoded(text, version, level, side_of(version), characters_held(version, level, "byte"), len(text))


class Located(NamedTuple):
    """A symbol that was read, and where it is.

    Attributes:
        content: The text.
        version: 1..40.
        ec: Error correction level L, M, Q or H.
        mask: Data mask pattern reference, 0..7.
        corners: x, y in pixels of its top left, top right, bottom right and bottom left corner, as it was encoded.
    """

    content: str
    version: int
    ec: ErrorCorrectionLevel
    mask: int
    corners: tuple[tuple[int, int], ...]


def locate(greys: Image) -> Located | None:
    """The first symbol in a picture of greys, if there is one."""
    return next(iter(_located(greys)), None)


def _located(greys: Image) -> list[Located]:
    """All symbols in a picture of greys."""
    import zxingcpp

    # Model 2 is the QR Code of the standard; QRCode would take Micro QR Codes and their like in. Plain text, because
    # the reader's default spells control characters out.
    found = zxingcpp.read_barcodes(
        greys,
        formats=zxingcpp.BarcodeFormats([zxingcpp.BarcodeFormat.QRCodeModel2]),
        text_mode=zxingcpp.TextMode.Plain,
    )
    return [_placed(one) for one in found]


def _placed(one: Barcode) -> Located:
    extra, place = cast("dict[str, Any]", one.extra), one.position
    corners = tuple((at.x, at.y) for at in (place.top_left, place.top_right, place.bottom_right, place.bottom_left))
    level = cast("ErrorCorrectionLevel", one.ec_level)
    return Located(one.text, int(extra["Version"]), level, int(extra["DataMask"]), corners)


def opened(picture: bytes | str | Path | Image, most_side: int | None) -> Image:
    """The picture in greys, on white: where a symbol is transparent, paper would be seen.

    Raises:
        InvalidParameter: It is something else.
        UnreadableFile: It is not such a picture.
    """
    from PIL import Image

    name = str(picture) if isinstance(picture, str | Path) else "this"
    too_large = f"{name} has too many pixels: at most {MOST_PIXELS:,}, and {LONGEST_SIDE:,} a side"
    picture = _given(picture)
    try:
        if isinstance(picture, bytes):
            picture = Image.open(BytesIO(picture), formats=_NAMES)
        if picture.width * picture.height > MOST_PIXELS or max(picture.size) > LONGEST_SIDE:
            raise UnreadableFile(too_large)
        if picture.mode in ("I", "F") or picture.mode.startswith("I;16"):
            picture = _of_bytes(picture)
        if most_side and max(picture.size) > most_side:
            is_clear = picture.has_transparency_data
            picture = picture.convert("RGBA" if is_clear else "L")
            picture.thumbnail((most_side, most_side))
        if not picture.has_transparency_data:
            return picture.convert("L")
        rgba = picture.convert("RGBA")
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise UnreadableFile(too_large) from error
    except UnreadableFile:
        raise
    except Exception as error:
        # On broken files Pillow lets through whatever it stumbles on: ValueError, SyntaxError, …
        raise UnreadableFile(f"{name} is not a picture of the formats {', '.join(RASTER_FORMATS)}") from error
    paper = Image.new("RGBA", rgba.size, "white")
    paper.alpha_composite(rgba)
    return paper.convert("L")


def _of_bytes(picture: Image) -> Image:
    """Greys of 16 bits or more, the darkest as black and the lightest as white; Pillow would cut them off at 255."""
    greys = picture.convert("F")
    low, high = cast("tuple[float, float]", greys.getextrema())
    scale = 255 / (high - low) if high > low else 1
    return greys.point(lambda grey: grey * scale - low * scale).convert("L")


def _given(picture: bytes | str | Path | Image) -> bytes | Image:
    """A picture, or the bytes of a file."""
    from PIL import Image

    if isinstance(picture, str | Path):
        return _bytes_of(Path(picture))
    if not isinstance(picture, bytes | Image.Image):
        rule = "must be bytes, a path or a picture of Pillow"
        raise InvalidParameter(Problem("picture", f"a {type(picture).__name__}", rule, "wrong-type"))
    return picture


def _bytes_of(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a path with a zero byte
        raise UnreadableFile(f"{path}: {getattr(error, 'strerror', None) or error}") from error
