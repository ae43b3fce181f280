"""Reads untrusted images (sprites, layers, wrapper) and makes them safe to draw.

The type of an image is determined by its first bytes, not by its declared type. Raster images are decoded and encoded
again, so that only pixels remain; SVG is read by `svg_reader`; URLs are passed to a `Fetch`, if
there is one.
"""

from __future__ import annotations

import hashlib
import logging
import re
from base64 import b64decode, b64encode
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import reduce
from io import BytesIO
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import unquote_to_bytes

from qrkit.design.outline import Outline
from qrkit.design.rotation import read_rotations
from qrkit.drawing.letters.fonts import FONT_STARTS
from qrkit.drawing.rotating import rotate
from qrkit.drawing.scene import Bitmap, Drawing
from qrkit.drawing.untrusted.svg_reader import read_svg
from qrkit.errors import AssetError, InvalidParameter, Problem, RemoteContentDisabled, UnreadableFile, collecting

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["Asset", "Fetch", "data_uri", "media_type", "read_asset", "read_assets"]

Asset: TypeAlias = Bitmap | Drawing | Outline
Fetch: TypeAlias = Callable[[str], bytes]
"""Takes a URL and returns the bytes of an image; raises `AssetError` or `OSError` if it cannot."""

_log = logging.getLogger("qrkit")

MOST_BYTES = 4 * 2**20
"""Bytes of one image as it was sent."""
MOST_BYTES_TOGETHER = 8 * 2**20
MOST_PIXELS = 4096 * 4096
LONGEST_SIDE = 8192
MOST_PIXELS_TOGETHER = 2 * MOST_PIXELS
MOST_ADDRESSES = 4
LONGEST_ICON = 64

_DATA_URI = re.compile(r"data:image/(?:png|jpe?g|svg(?:\+xml)?)(?P<flags>(?:;[\w.+=\"-]*)*),", re.IGNORECASE | re.ASCII)
_ADDRESS = re.compile(r"https?://", re.IGNORECASE)
_ICON = re.compile(r"icon:", re.IGNORECASE)
_LAYER = re.compile(r"layers\.\d+\.content|logo")
"""Fields whose images may be rotated; a logo becomes a layer. In other fields, a rotated image is an ordinary SVG."""
_SVG_BEGINS = re.compile(rb"<(?:[\w.-]+:)?svg[\s/>]")
_NO_PICTURE = (
    "is not a picture; allowed: a data URI of a png, jpeg or svg (data:image/png;base64,...), icon:NAME, https://..."
)
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_PROLOGUE = 8192
"""Bytes within which the root element of an SVG must begin; design programs put long comments before it."""


def read_asset(content: str, *, fetch: Fetch | None = None, part: str) -> Asset:
    """Read one image.

    Args:
        content: A data URI, `icon:` with a name, or the URL of an image.
        fetch: Downloads images by URL. Without it, a URL raises an error.
        part: Path of the field that holds the content, such as `sprites.0.content`; errors name it.

    Raises:
        AssetError: If the image is invalid, not supported, too large, or cannot be fetched.
        RemoteContentDisabled: If the content is a URL and there is no `fetch`.
    """
    return read_assets({part: content}, fetch)[part]


def read_assets(contents: Mapping[str, str], fetch: Fetch | None = None) -> dict[str, Asset]:
    """Read all images of a design, equal images once, and check the limits for all images together.

    Args:
        contents: Maps the path of each field to its content, as in `read_asset`.
        fetch: Downloads images by URL. Without it, a URL raises an error.

    Raises:
        AssetError: If any image cannot be used; the error has one problem per such field.
        RemoteContentDisabled: If a content is a URL and there is no `fetch`.
    """
    rotated = {
        part: rotations
        for part, content in contents.items()
        if _LAYER.fullmatch(part) and (rotations := read_rotations(content))
    }
    contents = {**contents, **{part: rotations[-1].content for part, rotations in rotated.items()}}
    _check_addresses(contents, fetch)
    reader, assets, problems = _Reader(fetch), {}, list[Problem]()
    for part, content in contents.items():
        with collecting(problems):
            assets[part] = reader.read(part, content)
    if problems:
        raise _advised(problems)
    return assets | {part: reduce(rotate, reversed(rotations), assets[part]) for part, rotations in rotated.items()}


def data_uri(picture: bytes | str | Path) -> str:
    """Convert an image, or the font of a caption, to a data URI, for use in a design.

    Args:
        picture: The path of a file, or its bytes: PNG, JPEG or SVG, at most 4 MiB; or a TrueType or OpenType font.

    Raises:
        UnreadableFile: If the file cannot be read, is too large, or is not such an image or font.
    """
    name = "this" if isinstance(picture, bytes) else str(picture)
    if not isinstance(picture, bytes):
        try:
            with Path(picture).open("rb") as file:
                picture = file.read(MOST_BYTES + 1)
        except (OSError, ValueError) as error:  # ValueError: a path with a zero byte
            raise UnreadableFile(f"{name}: {getattr(error, 'strerror', None) or error}") from error
    if len(picture) > MOST_BYTES:
        raise UnreadableFile(f"{name} is too large: a picture may have {_mib(MOST_BYTES)}")
    kind = "font/sfnt" if picture.startswith(FONT_STARTS) else media_type(picture)
    if kind is None:
        raise UnreadableFile(f"{name} is not a picture of the formats png, jpg, svg")
    return f"data:{kind};base64,{b64encode(picture).decode('ascii')}"


def media_type(picture: bytes) -> str | None:
    """Return the media type of an image by its first bytes: PNG, JPEG or SVG; None for other data."""
    if picture.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if picture.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    start = picture[:_PROLOGUE]
    if start.startswith(_UTF_16):
        start = start.replace(b"\0", b"")
    text = start.removeprefix(b"\xef\xbb\xbf").lstrip(b" \t\r\n\xff\xfe")
    return "image/svg+xml" if text.startswith(b"<") and _SVG_BEGINS.search(text) else None


def _check_addresses(contents: Mapping[str, str], fetch: Fetch | None) -> None:
    """Check, before anything is fetched, that URLs are allowed and not too many."""
    first = {content: part for part, content in reversed(list(contents.items())) if _ADDRESS.match(content)}
    if first and fetch is None:
        raise _remote_images_disabled(next(reversed(first.values())))
    if len(first) > MOST_ADDRESSES:
        rule = f"is one URL too many: a design may refer to {MOST_ADDRESSES} URLs; use data URIs for other images"
        parts = list(reversed(first.values()))[MOST_ADDRESSES:]
        raise AssetError(*(Problem(part, _shorten(contents[part]), rule) for part in parts))


class _Reader:
    """Reads the images of one design and counts their bytes and pixels."""

    def __init__(self, fetch: Fetch | None) -> None:
        self._fetch = fetch
        self._read: dict[str, Asset | AssetError] = {}
        self._bytes = 0
        self._pixels = 0

    def read(self, part: str, content: str) -> Asset:
        with _errors_at(part, _shorten(content)):
            if content not in self._read:
                try:
                    self._read[content] = self._asset(part, content)
                except AssetError as error:
                    self._read[content] = error
            asset = self._read[content]
            if isinstance(asset, AssetError):
                raise asset
        return asset

    def _asset(self, part: str, content: str) -> Asset:
        if _ICON.match(content):
            from qrkit.design.shapes.icons import icon

            # The error compares the name with thousands of others, which would take long for a long name.
            return icon(content[len("icon:") :][:LONGEST_ICON])
        if not _ADDRESS.match(content):
            return self._picture(_decode_data_uri(content))
        if self._fetch is None:
            raise _remote_images_disabled(part)
        try:
            return self._picture(self._fetch(content))
        except (AssetError, OSError) as error:
            # The same error for every cause, so that a stranger cannot use it to probe our network.
            _log.info("the picture at %r cannot be used: %s", _shorten(content), error)
            rule = "cannot be fetched, or is not a picture that can be used; a data URI always works"
            raise _asset_error(rule, "remote-content-unavailable") from error

    def _picture(self, data: bytes) -> Bitmap | Drawing:
        if len(data) > MOST_BYTES:
            raise _too_large(f"a picture may have {_mib(MOST_BYTES)}")
        self._bytes += len(data)
        if self._bytes > MOST_BYTES_TOGETHER:
            raise _too_large(f"all pictures of a design together may have {_mib(MOST_BYTES_TOGETHER)}")
        digest = hashlib.sha256(data).digest()
        image = _image_cache.get(digest)
        if image is None:
            image = self._decode(data)
            _image_cache.put(digest, image)
        elif isinstance(image, Bitmap):
            self._count(image.width, image.height)
        return image

    def _decode(self, data: bytes) -> Bitmap | Drawing:
        kind = media_type(data)
        if kind is None:
            raise _asset_error("is not a picture: its bytes are neither PNG nor JPEG nor SVG", "bad-image")
        return read_svg(data) if kind == "image/svg+xml" else _bitmap(data, self._count)

    def _count(self, width: int, height: int) -> None:
        """Count pixels and check the limits, before decoding."""
        if width * height > MOST_PIXELS or max(width, height) > LONGEST_SIDE:
            raise _too_large(f"a picture may have {MOST_PIXELS:,} pixels, and {LONGEST_SIDE:,} a side")
        self._pixels += width * height
        if self._pixels > MOST_PIXELS_TOGETHER:
            raise _too_large(f"all pictures of a design together may have {MOST_PIXELS_TOGETHER:,} pixels")


class _ImageCache:
    """The most recently read images, so that they need no decoding when a design is drawn again."""

    MOST = 32
    MOST_BYTES = 64 * 2**20

    def __init__(self) -> None:
        self._pictures: OrderedDict[bytes, Bitmap | Drawing] = OrderedDict()
        self._lock = Lock()

    def get(self, digest: bytes) -> Bitmap | Drawing | None:
        with self._lock:
            if digest in self._pictures:
                self._pictures.move_to_end(digest)
            return self._pictures.get(digest)

    def put(self, digest: bytes, picture: Bitmap | Drawing) -> None:
        with self._lock:
            self._pictures[digest] = picture
            while len(self._pictures) > self.MOST or self._size() > self.MOST_BYTES:
                self._pictures.popitem(last=False)

    def _size(self) -> int:
        return sum(len(one.png if isinstance(one, Bitmap) else one.markup) for one in self._pictures.values())


_image_cache = _ImageCache()


def _decode_data_uri(content: str) -> bytes:
    """Decode a data URI."""
    uri = _DATA_URI.match(content)
    if uri is None and content[:5].lower() == "data:":
        raise _asset_error(
            "is a data URI of the wrong type; allowed: image/png, image/jpeg, image/svg+xml", "bad-data-uri"
        )
    if uri is None:
        raise _asset_error(_NO_PICTURE, "bad-value")
    body = content[uri.end() :]
    if len(body) > 3 * MOST_BYTES:  # percent-encoding, the longest, takes three characters per byte
        raise _too_large(f"a picture may have {_mib(MOST_BYTES)}")
    try:
        data = unquote_to_bytes(body) if "%" in body else body.encode()
        if uri["flags"].lower().endswith(";base64"):
            packed = data.translate(None, b" \t\r\n\f\v").rstrip(b"=")
            data = b64decode(packed + b"=" * (-len(packed) % 4), validate=True)
    except ValueError as error:
        raise _asset_error("is a data URI that is not base64", "bad-data-uri") from error
    if not data:
        raise _asset_error("is a data URI that holds nothing", "bad-data-uri")
    return data


def _bitmap(data: bytes, count: Callable[[int, int], None]) -> Bitmap:
    """Decode a PNG or JPEG and encode its pixels again, without any other data in the file."""
    from PIL import Image, ImageOps

    try:
        picture = Image.open(BytesIO(data), formats=("PNG", "JPEG"))
        count(*picture.size)
        clean = _pixels_only(ImageOps.exif_transpose(picture))
        file = BytesIO()
        # At level 3, photographs are as small as at the default level, in half the time.
        clean.save(file, "PNG", compress_level=3)
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise _too_large(f"a picture may have {MOST_PIXELS:,} pixels") from error
    except AssetError:
        raise
    except Exception as error:
        # For corrupt files, Pillow raises errors of many types: ValueError, SyntaxError, …
        raise _asset_error("is a damaged picture", "bad-image") from error
    return Bitmap(file.getvalue(), *clean.size)


def _pixels_only(picture: Image) -> Image:
    """Return only the pixels, as RGBA if something is transparent, else as RGB."""
    if picture.mode.startswith("I"):
        # 16-bit gray: Pillow would clip values above 255 instead of scaling them.
        picture = picture.point(lambda value: value * (1 / 256)).convert("L")
    clean = picture.convert("RGBA" if picture.has_transparency_data else "RGB")
    clean.info = {}
    return clean


@contextmanager
def _errors_at(part: str, shown: str) -> Iterator[None]:
    """Context manager: errors raised inside name the field that holds the content."""
    try:
        yield
    except InvalidParameter as error:
        raise _advised([Problem(part, shown, one.rule, one.code) for one in error.problems]) from error


def _advised(problems: Sequence[Problem]) -> AssetError:
    """Return the error of problems; if one may be the name of a file, it says how to use a file."""
    error = AssetError(*problems)
    for problem in problems:
        if problem.rule == _NO_PICTURE:
            return error.advising({"python": f"For a file, use qrkit.data_uri({problem.value!r})."})
    return error


def _asset_error(rule: str, code: str) -> AssetError:
    return AssetError(Problem("content", None, rule, code))


def _too_large(limit: str) -> AssetError:
    return _asset_error(f"is too large: {limit}", "image-too-large")


def _remote_images_disabled(part: str) -> RemoteContentDisabled:
    return RemoteContentDisabled(
        f"{part} is the address of a picture, and nothing may be fetched here; send the picture as a data URI"
    ).advising({"python": "qrkit.data_uri(path) makes one of a file; fetch=Fetcher(allow=[...]) allows hosts."})


def _shorten(content: str) -> str:
    """Shorten content for error messages; omit the query of a URL, which may be secret."""
    return (content.partition("?")[0] if _ADDRESS.match(content) else content)[:80]


def _mib(size: int) -> str:
    return f"{size // 2**20} MiB"
