"""A picture -> what the QR Code in it says."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from io import BytesIO
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from qrkit.design.limits import RASTER_FORMATS
from qrkit.errors import InvalidParameter, NoSymbol, Problem, UnreadableFile
from qrkit.late import Shown
from qrkit.symbol.encode.capacity import characters_held
from qrkit.symbol.locate import Located, Part, in_lines, locate, locate_all
from qrkit.symbol.symbol import side_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from PIL.Image import Image

__all__ = ["MOST_READ_SIDE", "Decoded", "decode", "decode_all", "opened"]

_NAMES = tuple({"jpg": "JPEG", "tif": "TIFF"}.get(name, name.upper()) for name in RASTER_FORMATS)
"""Of the raster formats, as Pillow calls them."""

MOST_PIXELS = 50_000_000
MOST_READ_SIDE = 1_600
"""Pixels of the longer side with which pictures of strangers are read; the worst one takes two seconds then."""
LONGEST_SIDE = 65_535
"""Pixels; the reader takes no more in one direction."""
MOST_FRAMES = 50
"""Of an animation, or pages of a tif, that are read."""

LONGEST_SECONDS = 2.0
"""After which no further frame of a stranger's picture is looked at."""

HOT = 0.001
"""Share of the pixels of 16 bits that may be darker than black or lighter than white: sensors have hot pixels."""


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
        part: Which part of a message the content is, where several symbols hold the message (structured append).
    """

    content: str
    version: int
    ec: str
    dimension: int
    capacity: int
    length: int
    part: Part | None = None

    def as_dict(self) -> dict[str, Any]:
        """As plain data, for JSON; without `part` where the symbol holds a whole message."""
        return {name: value for name, value in asdict(self).items() if value is not None}


def decode(picture: bytes | str | Path | Image, *, most_side: int | None = None) -> Decoded:
    """Read the QR Code in a picture.

    Args:
        picture: A file's path, its bytes (png, jpg, bmp, tif, gif, webp; at most 50 million pixels), or a Pillow image.
        most_side: Pixels of the longer side; a larger picture is made smaller before it is read, and after two seconds
            no further frame is looked at. For strangers' pictures: one that is full of finder patterns takes a reader
            n⁴ steps for n pixels.

    Raises:
        InvalidParameter: It is something else.
        UnreadableFile: It is not such a picture.
        NoSymbol: No QR Code was found in it.

    Example:
        >>> from qrkit import generate
        >>> decode(generate("https://example.com", ec="H").to_bytes("png")).content
        'https://example.com'
    """
    for looks in _frames(picture, most_side):
        if found := next((one for greys in looks if (one := locate(greys))), None):
            return _decoded(found)
    raise _none_in(picture)


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
    found: list[Decoded] = []
    for looks in _frames(picture, most_side):
        seen = next((symbols for greys in looks if (symbols := locate_all(greys))), [])
        codes = [_decoded(one) for one in in_lines(seen)]
        # What stands still in an animation is there once; a sheet of equal labels has each of them.
        found += [code for code in codes if code not in found] if found else codes
    if not found:
        raise _none_in(picture)
    return found


def _none_in(picture: bytes | str | Path | Image) -> NoSymbol:
    where = f" in {picture}" if isinstance(picture, str | Path) else ""
    advice = "the picture must be sharp, with 3 pixels a module or more, and show the whole code and its light edge"
    return NoSymbol(f"no QR Code was found{where}").advising({"python": advice, "http": advice})


def _decoded(found: Located) -> Decoded:
    text, version, level = found.content, found.version, found.ec
    capacity = characters_held(version, level, "byte")
    return Decoded(text, version, level, side_of(version), capacity, len(text), found.part)


def opened(picture: bytes | str | Path | Image, most_side: int | None) -> Image:
    """The picture in greys, on white: where a symbol is transparent, paper would be seen.

    Args:
        picture: As of `decode`; of several frames the first.
        most_side: As of `decode`.

    Raises:
        InvalidParameter: If it is neither bytes, nor a path, nor a picture of Pillow.
        UnreadableFile: If it is not such a picture.
    """
    return next(next(_frames(picture, most_side)))


def _frames(picture: bytes | str | Path | Image, most_side: int | None) -> Iterator[Iterator[Image]]:
    """For each frame of a picture the looks at it: in greys on white, then on black where paper would show through.

    Raises:
        InvalidParameter: If it is neither bytes, nor a path, nor a picture of Pillow.
        UnreadableFile: If it is not such a picture.
    """
    from PIL import Image

    name = str(picture) if isinstance(picture, str | Path) else "this"
    too_large = f"{name} has too many pixels: at most {MOST_PIXELS:,}, and {LONGEST_SIDE:,} a side"
    picture = _given(picture)
    try:
        if isinstance(picture, bytes):
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
            yield _looks(_reduced(picture, most_side))
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise UnreadableFile(too_large) from error
    except UnreadableFile:
        raise
    except Exception as error:
        # On broken files Pillow lets through whatever it stumbles on: ValueError, SyntaxError, …
        raise UnreadableFile(f"{name} is not a picture of the formats {', '.join(RASTER_FORMATS)}") from error


def _reduced(frame: Image, most_side: int | None) -> Image:
    """A frame in 8 bits, its longer side no longer than that."""
    if frame.mode in ("I", "F") or frame.mode.startswith("I;16"):
        frame = _of_bytes(frame)
    frame = frame.convert("RGBA" if frame.has_transparency_data else "L")
    if most_side and max(frame.size) > most_side:
        frame.thumbnail((most_side, most_side))
    return frame


def _looks(frame: Image) -> Iterator[Image]:
    """A frame as paper would show it, white and then black; once where nothing is transparent."""
    from PIL import Image

    if frame.mode == "L":
        yield frame
        return
    for color in ("white", "black"):
        paper = Image.new("RGBA", frame.size, color)
        paper.alpha_composite(frame)
        yield paper.convert("L")


def _of_bytes(picture: Image) -> Image:
    """Greys of 16 bits or more, the darkest as black and the lightest as white; Pillow would cut them off at 255."""
    import numpy as np
    from PIL import Image

    greys = np.asarray(picture, dtype=np.float64)
    low, high = np.quantile(greys, (HOT, 1 - HOT))
    if low == high:  # nearly all of it is paper
        low, high = greys.min(), greys.max()
    scale = 255 / (high - low) if high > low else 1
    return Image.fromarray(np.clip((greys - low) * scale, 0, 255).astype(np.uint8))


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
