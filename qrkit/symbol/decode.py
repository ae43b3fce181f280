"""Reads the QR Codes in an image."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from io import BytesIO
from itertools import chain
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Any, BinaryIO, Literal, TypeAlias

from qrkit.design.picture_files import PILLOW_NAMES, SVG, media_type, unread_rule, webp_pixels
from qrkit.errors import InvalidParameter, NoSymbol, Problem, UnreadableFile, one_of
from qrkit.files import read_file
from qrkit.late import Image, Shown, named, np
from qrkit.symbol.encode.capacity import characters_held
from qrkit.symbol.locate import Located, Part, at_sight, in_lines, locate_all, locate_at_other_sizes
from qrkit.symbol.symbol import side_of
from qrkit.symbol.upright import upright

Readable: TypeAlias = "bytes | str | Path | BinaryIO | Image.Image | np.ndarray"
"""A picture to read: the path of a file, its bytes, a file open for reading, a Pillow image, or an array."""

Effort: TypeAlias = Literal["quick", "standard", "thorough"]
"""How hard pictures are read in which no QR Code is found at first."""

EFFORTS: tuple[Effort, ...] = ("quick", "standard", "thorough")
"""All efforts, from least to most."""

SECOND_ATTEMPT = "scanning.photographs.second_attempt:second_attempt"
"""Reads photos that readers cannot; a higher room has it."""
ATTEMPT_SECONDS: dict[Effort, float] = {"quick": 0.0, "standard": 0.6, "thorough": 3.0}
"""Time for second attempts at all frames of a picture."""

SVG_DRAWER = "drawing.untrusted.svg_reader:svg_picture"
"""Draws an SVG; a higher room has it."""

MOST_PIXELS = 120_000_000
"""The maximum number of pixels; a color image of this size takes 480 MB of memory."""
MOST_WEBP_PIXELS = 12_500_000
"""Limit for WebP from strangers: its decoder makes four copies of four bytes a pixel, even to tell the size."""
MOST_READ_SIDE = 1_600
"""Pixels of the longer side to which images from strangers are reduced, so that the worst takes two seconds."""
LONGEST_SIDE = 65_535
"""The reader's limit on width and height, in pixels."""
MOST_FRAMES = 50
"""Frames of an animation, or pages of a TIFF, that are read."""

FRAMES = {"AVIF": "frame", "GIF": "frame", "PNG": "frame", "TIFF": "page", "WEBP": "frame"}
"""What the images in a file of these formats are called; the further images of a photo are smaller copies."""

NO_PATHS = (
    (r"\Z", "is empty; give the path of a picture"),
    (r"(?i)https?:/", "is a URL, and nothing is downloaded; give the path of a picture"),
    (r"(?i)data:", "is a data URL; give the bytes that it holds, without its base64 encoding"),
    (r"\s*<|(?s:.*\n)", "is a text, not a path; give a picture, such as a screenshot, or the bytes of an SVG"),
)
"""Texts that are not paths, and the rule that each breaks. A `Path` drops one slash of a URL."""

LONGEST_SECONDS = 2.0
"""Time after which no further frame of a stranger's image is read."""

PHOTOMETRIC, WHITE_IS_ZERO = 262, 0
"""The TIFF tag that says which color 0 means, and its value for white, which Pillow applies to 8 bits only."""

HOT = 0.001
"""Share of 16-bit pixels that may lie beyond black, and beyond white: sensors have hot pixels."""

WHITES = (1, 255, 1_023, 4_095, 16_383, 65_535)
"""Possible values of white in images with one channel: 1 for floats, or all bits of a sensor, even in a larger file."""


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


def decode(picture: Readable, *, most_side: int | None = None, effort: str = "standard") -> Decoded:
    """Read the QR Code in an image.

    Args:
        picture: The path of a file (png, jpg, bmp, tif, gif, webp, avif, ico or svg); the bytes of such a file; a file
            open for reading; a Pillow image; or an array of rows and columns, with 1 to 4 channels as in Pillow. At
            most 120 million pixels. Photos are turned as the camera says.
        most_side: Pixels of the longer side. Larger images are reduced before they are read, and after two seconds no
            further frame is read. Use it for images from strangers: if n pixels are full of finder patterns, a reader
            takes n⁴ steps.
        effort: What to do if no QR Code is found at first. `standard` makes a second attempt at codes that are seen but
            damaged, blurred or badly lit, for at most 0.6 seconds; `thorough` also looks at other sizes and takes up to
            3 seconds; `quick` gives up.

    Raises:
        InvalidParameter: If `picture` is none of these, or `effort` is not one of these names.
        UnreadableFile: If the file cannot be read or is not such an image, or is an SVG with parts that cannot be
            drawn.
        NoSymbol: If no QR Code was found.

    Example:
        >>> from qrkit import generate
        >>> decode(generate("https://example.com", ec="H").to_bytes("png")).content
        'https://example.com'
    """
    if symbols := next(filter(None, _symbols(picture, most_side, effort, at_sight)), None):
        return _to_decoded(symbols[0])
    raise _no_symbol_error(picture)


def decode_all(picture: Readable, *, most_side: int | None = None, effort: str = "standard") -> list[Decoded]:
    """Read every QR Code in an image, such as a sheet of labels: from top to bottom, then from left to right.

    Args:
        picture: See `decode`.
        most_side: See `decode`.
        effort: See `decode`.

    Raises:
        InvalidParameter: If `picture` is none of these, or `effort` is not one of these names.
        UnreadableFile: If the file cannot be read or is not such an image, or is an SVG with parts that cannot be
            drawn.
        NoSymbol: If no QR Code was found.
    """
    decoded: list[Decoded] = []
    for symbols in _symbols(picture, most_side, effort, locate_all):
        codes = [_to_decoded(symbol) for symbol in in_lines(symbols)]
        # A code that later frames repeat is listed once; equal labels in one frame are all listed.
        decoded += [code for code in codes if code not in decoded] if decoded else codes
    if not decoded:
        raise _no_symbol_error(picture)
    return decoded


def _symbols(
    picture: Readable, most_side: int | None, effort: str, read: Callable[[Image.Image], list[Located]]
) -> Iterator[list[Located]]:
    """Yield the symbols of each frame."""
    left = ATTEMPT_SECONDS[one_of("effort", effort, EFFORTS)]
    for _, looks in looks_at(picture, most_side):
        first = next(looks)
        symbols = next(filter(None, map(read, chain([first], looks))), [])
        if not symbols and effort == "thorough":
            symbols = locate_at_other_sizes(first)
        if not symbols and left > 0:
            start = monotonic()
            symbols = list(filter(None, [named(SECOND_ATTEMPT)(first, left)]))
            left -= monotonic() - start
        yield symbols


def _no_symbol_error(picture: Readable) -> NoSymbol:
    advice = "the picture must be sharp, with 3 pixels a module or more, and show the whole code and its light edge"
    return NoSymbol(f"no QR Code was found{where_in(picture)}").advising({"python": advice, "http": advice})


def _to_decoded(symbol: Located) -> Decoded:
    text, version, level = symbol.content, symbol.version, symbol.ec
    capacity = characters_held(version, level, "byte")
    return Decoded(text, version, level, side_of(version), capacity, len(text), symbol.part)


def looks_at(picture: Readable, most_side: int | None) -> Iterator[tuple[str, Iterator[Image.Image]]]:
    """Yield the place of each frame, such as `page 2 of 5`, and its looks, in grayscale. Errors are those of `decode`.

    The first look is on white, because transparent areas show the paper when printed. Another is on black, if parts are
    transparent, or from black to white, if the frame has more than 8 bits.
    """
    name = where_in(picture).removeprefix(" in ") or "this"
    too_large = f"{name} has too many pixels: at most {MOST_PIXELS:,}, and {LONGEST_SIDE:,} a side"
    found = _load(picture)
    try:
        image = found if isinstance(found, Image.Image) else _image_of(found, name, most_side)
        pixels = image.width * image.height
        if pixels > MOST_PIXELS or max(image.size) > LONGEST_SIDE:
            raise UnreadableFile(too_large)
        end = monotonic() + LONGEST_SECONDS
        count, kind = getattr(image, "n_frames", 1), FRAMES.get(image.format or "")
        for number in range(min(count, MOST_FRAMES, MOST_PIXELS // max(pixels, 1))):
            if most_side and number and monotonic() > end:
                return
            _go_to(image, number)
            place = f"{kind} {number + 1} of {count}" if kind and count > 1 else ""
            if image.mode in ("I", "F") or image.mode.startswith("I;16"):
                yield place, (upright(one, image) for one in _of_8_bits(image, most_side))
            else:
                yield place, _on_papers(upright(_reduce(image, most_side), image))
    except Image.DecompressionBombError as error:
        raise UnreadableFile(too_large) from error
    except (UnreadableFile, MemoryError):
        raise
    except Exception as error:
        # For corrupt files, Pillow raises errors of many types: ValueError, SyntaxError, …
        rule = unread_rule(found) if isinstance(found, bytes) else "is damaged, perhaps cut off; load it again"
        raise UnreadableFile(f"{name} {rule}") from error


_warnings = Lock()


@contextmanager
def _without_warnings() -> Iterator[None]:
    """Turn off Pillow's warning about images of more than 89 million pixels; qrkit has a limit of its own."""
    # Filters of warnings belong to all threads, so one changes them at a time.
    with _warnings, warnings.catch_warnings():
        warnings.simplefilter("ignore", Image.DecompressionBombWarning)
        yield


def _image_of(data: bytes, name: str, most_side: int | None) -> Image.Image:
    """Open the bytes of a file as an image, of which only the header is read."""
    most = MOST_WEBP_PIXELS if most_side else MOST_PIXELS
    if (webp_pixels(data) or 0) > most:
        raise UnreadableFile(f"{name} has too many pixels: at most {most:,} in a webp")
    with _without_warnings():
        return Image.open(BytesIO(data), formats=PILLOW_NAMES)


def _go_to(image: Image.Image, number: int) -> None:
    """Go to a frame of an image, and read that of a TIFF; other formats warn when they are opened."""
    from PIL.ImageFile import ImageFile

    tiff = image if isinstance(image, ImageFile) and image.format == "TIFF" else None
    with _without_warnings():
        if hasattr(image, "n_frames"):
            image.seek(number)
        if tiff:
            tiff.load_prepare()  # warns, but reads nothing yet, so other threads hardly wait
    if tiff:
        tiff.load()


def _reduce(frame: Image.Image, most_side: int | None) -> Image.Image:
    """Convert a frame to 8 bits and reduce its longer side to `most_side`."""
    # Images of these modes are reduced before anything copies all their pixels.
    if most_side and frame.mode in ("L", "LA", "RGB", "RGBA"):
        frame = _shrink(frame, most_side)
    if frame.mode == "RGBa":  # its colors are multiplied by its alpha
        frame = frame.convert("RGBA")
    if frame.mode == "LAB":  # Pillow does not convert it; its first channel is the lightness
        frame = frame.getchannel(0)
    frame = frame.convert("LA" if frame.has_transparency_data else "L")
    return _shrink(frame, most_side) if most_side else frame


def _shrink(frame: Image.Image, most_side: int) -> Image.Image:
    if max(frame.size) <= most_side:
        return frame
    frame.draft(None, (most_side, most_side))  # a JPEG is decoded at a fraction of its size
    factor = min(most_side / max(frame.size), 1)
    return frame.resize([max(1, round(side * factor)) for side in frame.size], reducing_gap=2)


def _on_papers(frame: Image.Image) -> Iterator[Image.Image]:
    """Yield a frame on white and then on black paper; only once if nothing is transparent."""
    if frame.mode == "L":
        yield frame
        return
    greys, alpha = frame.split()
    for color in ("white", "black"):
        yield Image.composite(greys, Image.new("L", frame.size, color), alpha)


def _of_8_bits(picture: Image.Image, most_side: int | None) -> Iterator[Image.Image]:
    """Yield an image of one channel with 16 bits or more as it is shown, then with its grays from black to white."""
    step = max(1, max(picture.size) // most_side) if most_side else 1
    height, width = picture.height // step * step, picture.width // step * step
    squares = np.asarray(picture)[:height, :width].reshape(height // step, step, width // step, step)
    greys = squares.mean((1, 3), dtype=np.float32)
    white = next(most for most in (*WHITES, greys.max()) if greys.max() <= most)
    apart = 1 + max(greys.shape) // MOST_READ_SIDE
    low, high = np.quantile(greys[::apart, ::apart], (HOT, 1 - HOT))
    if low == high:  # nearly all pixels are paper
        low, high = greys.min(), greys.max()
    is_reversed = getattr(picture, "tag_v2", {}).get(PHOTOMETRIC) == WHITE_IS_ZERO
    for black, light in ((0, white), (low, high)):
        yield _between(greys, *((light, black) if is_reversed else (black, light)), most_side)


def _between(greys: np.ndarray, black: float, white: float, most_side: int | None) -> Image.Image:
    scaled = greys - np.float32(black)
    scaled *= np.float32(255 / (white - black) if white != black else 1)
    frame = Image.fromarray(np.clip(scaled, 0, 255, out=scaled).astype(np.uint8))
    return _shrink(frame, most_side) if most_side else frame


def where_in(picture: object) -> str:
    """Return the name of a picture's file for errors, after `in`; an empty text if it has none."""
    name = picture if isinstance(picture, str | Path) else getattr(picture, "name", None)
    return f" in {name}" if isinstance(name, str | Path) else ""


def _load(picture: object) -> bytes | Image.Image:
    """Return the bytes of a file, or an image if the picture is an image, an array or an SVG."""
    if isinstance(picture, Image.Image):
        return picture
    if hasattr(picture, "__array__"):
        return _image_of_array(picture)
    name = where_in(picture).removeprefix(" in ") or "this"
    if isinstance(picture, str | Path):
        for beginning, rule in NO_PATHS:
            if re.match(beginning, str(picture)):
                raise InvalidParameter(Problem("picture", str(picture), rule))
        picture = read_file(Path(picture))
    elif hasattr(picture, "read"):
        with suppress(AttributeError, OSError):  # a pipe cannot seek
            picture.seek(0)  # type: ignore[attr-defined]  # a file that was just written is at its end
        picture = picture.read()
    if not isinstance(picture, bytes | bytearray | memoryview):
        forms = "the path of a file, bytes, a file open in binary mode, a Pillow image or an array"
        rule = f"must be {forms}, not {type(picture).__name__}"
        raise InvalidParameter(Problem("picture", None, rule, "wrong-type"))
    data = bytes(picture)
    if media_type(data) != SVG:
        return data
    drawn: Image.Image = named(SVG_DRAWER)(data, name)
    return drawn


def _image_of_array(array: Any) -> Image.Image:
    """Return an array of rows and columns as an image: True or the greatest number is white."""
    pixels = np.asarray(array)
    shape, kind = pixels.shape, pixels.dtype.kind
    if pixels.ndim == 3 and shape[2] == 1:
        pixels = pixels[:, :, 0]
    if kind not in "buif" or 0 in shape or not (pixels.ndim == 2 or (pixels.ndim == 3 and shape[2] in (2, 3, 4))):
        rule = "must have the shape (rows, columns) or (rows, columns, channels), with numbers and at most 4 channels"
        raise InvalidParameter(Problem("picture", f"an array of {pixels.dtype} and shape {shape}", rule, "wrong-type"))
    least, greatest = (limit(where=np.isfinite(pixels), initial=0) for limit in (pixels.min, pixels.max))
    pixels = np.nan_to_num(pixels, posinf=max(1, greatest), neginf=least)
    if pixels.dtype == np.uint8 and greatest > 1:
        return Image.fromarray(pixels)
    if pixels.ndim == 2:
        return Image.fromarray(pixels if pixels.dtype == np.bool_ else pixels.astype(np.float32))
    white = next(most for most in (1, 255, 65_535, greatest) if greatest <= most)
    return Image.fromarray((pixels * (255 / white)).clip(0, 255).astype(np.uint8))
