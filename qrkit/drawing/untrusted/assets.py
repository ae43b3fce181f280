"""Reads untrusted images (sprites, layers, wrapper) and makes them safe to draw.

The type of an image is determined by its first bytes, not by its declared type. Raster images are decoded and encoded
again by `decoding`, so that only pixels remain; SVG is read by `svg_reader`; URLs are passed to a `Fetch`, if there
is one.
"""

from __future__ import annotations

import hashlib
import logging
import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from pathlib import Path
from typing import TypeAlias
from urllib.parse import unquote_to_bytes

from qrkit.design.outline import Outline
from qrkit.design.picture_files import SVG, media_type, unread_rule
from qrkit.design.rotation import read_rotations
from qrkit.drawing.letters.fonts import FONT_STARTS
from qrkit.drawing.rotating import rotate
from qrkit.drawing.scene import Bitmap, Drawing
from qrkit.drawing.untrusted.decoding import MOST_PIXELS, fit_picture, read_bitmap
from qrkit.drawing.untrusted.picture_errors import refused
from qrkit.drawing.untrusted.recent import Recent
from qrkit.drawing.untrusted.svg_reader import read_svg
from qrkit.errors import AssetError, InvalidParameter, Problem, RemoteContentDisabled, UnreadableFile
from qrkit.files import read_file

__all__ = ["Asset", "Fetch", "data_uri", "media_type", "picture_content", "read_asset", "read_assets", "reduced_uri"]

Asset: TypeAlias = Bitmap | Drawing | Outline
Fetch: TypeAlias = Callable[[str], bytes]
"""Takes a URL and returns the bytes of an image; raises `AssetError` or `OSError` if it cannot."""

_log = logging.getLogger("qrkit")

MOST_BYTES = 40 * 2**20
"""Bytes of one image as it was sent."""
MOST_BYTES_TOGETHER = 2 * MOST_BYTES
MOST_KEPT_BYTES = 4 * 2**20
"""Bytes of a font, and of an image in a data URI that we make: larger ones are reduced."""
KEPT_BYTES = 64 * 2**20
"""Bytes of images that are kept."""
MOST_PIXELS_TOGETHER = 2 * MOST_PIXELS
MOST_ADDRESSES = 4
LONGEST_ICON = 64

_DATA_URI = re.compile(r"data:image/[\w.+-]+(?P<flags>(?:;[\w.+=\"-]*)*),", re.IGNORECASE | re.ASCII)
_ADDRESS = re.compile(r"https?://", re.IGNORECASE)
_CONTENT = re.compile(r"data:|https?://|icon:", re.IGNORECASE)
_ICON = re.compile(r"icon:", re.IGNORECASE)
_LAYER = re.compile(r"layers\.\d+\.content|logo")
"""Fields whose images may be rotated; a logo becomes a layer. In other fields, a rotated image is an ordinary SVG."""
_NO_PICTURE = (
    "is not a picture; allowed: a data URI of a png, jpg, svg, webp, gif, avif, bmp, tif or ico "
    "(data:image/png;base64,...), icon:NAME, https://..."
)


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
        try:
            assets[part] = reader.read(content)
        except InvalidParameter as error:
            problems += [Problem(part, _shorten(content), one.rule, one.code) for one in error.problems]
    if problems:
        raise _advised(problems)
    return assets | {part: reduce(rotate, reversed(rotations), assets[part]) for part, rotations in rotated.items()}


def data_uri(picture: bytes | str | Path) -> str:
    """Convert an image, or the font of a caption, to a data URI, for use in a design.

    Args:
        picture: The path of a file, or its bytes: PNG, JPEG, SVG, WebP, GIF (its first frame), AVIF, BMP, TIFF or ICO,
            at most 40 MiB; or a TrueType or OpenType font, at most 4 MiB. An image of more than 4 MiB is reduced to as
            many pixels as fit, and becomes a PNG or JPEG.

    Raises:
        UnreadableFile: If the file cannot be read, is too large, or is not such an image or font.
    """
    name = "this" if isinstance(picture, bytes) else str(picture)
    picture = picture if isinstance(picture, bytes) else read_file(Path(picture), MOST_BYTES + 1)
    kind = "font/sfnt" if picture.startswith(FONT_STARTS) else media_type(picture)
    if kind is None:
        raise UnreadableFile(f"{name} {unread_rule(picture)}")
    is_reduced = kind not in ("font/sfnt", SVG)
    most = MOST_BYTES if is_reduced else MOST_KEPT_BYTES
    if len(picture) > most:
        raise UnreadableFile(f"{name} is too large: {'a picture' if is_reduced else 'this file'} may have {_mib(most)}")
    if len(picture) > MOST_KEPT_BYTES:
        try:
            picture = fit_picture(picture, MOST_KEPT_BYTES)
        except AssetError as error:
            raise UnreadableFile(f"{name} {error.rule}") from error
        kind = media_type(picture)
    return f"data:{kind};base64,{b64encode(picture).decode('ascii')}"


def picture_content(picture: bytes | str | Path, part: str) -> str:
    """Return the content of a field for an image, given as a file, as bytes, or as such a content already.

    Raises:
        AssetError: If a text is neither a content nor the path of a file.
        UnreadableFile: If the file cannot be read, or is not an image.
    """
    if isinstance(picture, str) and _CONTENT.match(picture):
        return picture
    if isinstance(picture, str | Path) and not _is_file(picture):
        raise AssetError(Problem(part, str(picture), "is neither a file nor icon:NAME"))
    content = data_uri(picture)
    if content.startswith("data:font/"):
        raise UnreadableFile(f"{'this' if isinstance(picture, bytes) else picture} is a font, not a picture")
    return content


def _is_file(path: str | Path) -> bool:
    try:
        return Path(path).is_file()
    except (OSError, ValueError):  # a name that is too long, or has a null byte
        return False


def reduced_uri(content: str) -> str:
    """Return the content of a field with an image of more than 4 MiB reduced as by `data_uri`.

    Raises:
        AssetError: If a large content cannot be read as a data URI.
        UnreadableFile: If a large image is damaged.
    """
    is_large = len(content) > MOST_KEPT_BYTES and _DATA_URI.match(content)
    data = _decode_data_uri(content) if is_large else b""
    return data_uri(data) if len(data) > MOST_KEPT_BYTES else content


def _check_addresses(contents: Mapping[str, str], fetch: Fetch | None) -> None:
    """Check, before anything is fetched, that URLs are allowed and not too many."""
    first = {content: part for part, content in reversed(list(contents.items())) if _ADDRESS.match(content)}
    if first and fetch is None:
        raise RemoteContentDisabled(
            f"{next(reversed(first.values()))} is the address of a picture, and nothing may be fetched here; send the "
            "picture as a data URI"
        ).advising({"python": "qrkit.data_uri(path) makes one of a file; fetch=Fetcher(allow=[...]) allows hosts."})
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

    def read(self, content: str) -> Asset:
        if content not in self._read:
            try:
                self._read[content] = self._asset(content)
            except AssetError as error:
                self._read[content] = error
        asset = self._read[content]
        if isinstance(asset, AssetError):
            raise asset
        return asset

    def _asset(self, content: str) -> Asset:
        if _ICON.match(content):
            from qrkit.design.shapes.icons import icon

            # The error compares the name with thousands of others, which would take long for a long name.
            return icon(content[len("icon:") :][:LONGEST_ICON])
        if not _ADDRESS.match(content):
            return self._picture(_decode_data_uri(content))
        assert self._fetch, "without it, a design with URLs was refused"
        try:
            return self._picture(self._fetch(content))
        except (AssetError, OSError) as error:
            # The same error for every cause, so that a stranger cannot use it to probe our network.
            _log.info("the picture at %r cannot be used: %s", _shorten(content), error)
            rule = "cannot be fetched, or is not a picture that can be used; a data URI always works"
            raise refused(rule, "remote-content-unavailable") from error

    def _picture(self, data: bytes) -> Bitmap | Drawing:
        if len(data) > MOST_BYTES:
            raise _too_large(f"a picture may have {_mib(MOST_BYTES)}")
        self._bytes += len(data)
        if self._bytes > MOST_BYTES_TOGETHER:
            raise _too_large(f"all pictures of a design together may have {_mib(MOST_BYTES_TOGETHER)}")
        digest = hashlib.sha256(data).digest()
        image = _kept.get(digest)
        if image is None:
            self._check_pixels()
            image = _decode(data)
            _kept.keep(digest, image)
        if isinstance(image, Bitmap):
            self._pixels += image.width * image.height
            self._check_pixels()
        return image

    def _check_pixels(self) -> None:
        """Check the total pixels of all pictures so far, so that no more are decoded if there are too many."""
        if self._pixels > MOST_PIXELS_TOGETHER:
            raise _too_large(f"all pictures of a design together may have {MOST_PIXELS_TOGETHER:,} pixels")


def _decode(data: bytes) -> Bitmap | Drawing:
    kind = media_type(data)
    if kind is None:
        raise refused(unread_rule(data), "bad-image")
    return read_svg(data) if kind == SVG else read_bitmap(data)


def _kept_size(_: bytes, picture: Bitmap | Drawing) -> float:
    return len(picture.png if isinstance(picture, Bitmap) else picture.markup)


_kept = Recent(_kept_size, KEPT_BYTES)
"""Images by the digest of their files, so that they need no decoding when a design is drawn again."""


def _decode_data_uri(content: str) -> bytes:
    """Decode a data URI."""
    uri = _DATA_URI.match(content)
    if uri is None and content[:5].lower() == "data:":
        raise refused(
            "is a data URI of the wrong type; pictures begin with data:image/, such as data:image/png", "bad-data-uri"
        )
    if uri is None:
        raise refused(_NO_PICTURE, "bad-value")
    body = content[uri.end() :]
    if len(body) > 3 * MOST_BYTES:  # percent-encoding, the longest, takes three characters per byte
        raise _too_large(f"a picture may have {_mib(MOST_BYTES)}")
    try:
        data = unquote_to_bytes(body) if "%" in body else body.encode()
        if uri["flags"].lower().endswith(";base64"):
            packed = data.translate(None, b" \t\r\n\f\v").rstrip(b"=")
            data = b64decode(packed + b"=" * (-len(packed) % 4), validate=True)
    except ValueError as error:
        raise refused("is a data URI that is not base64", "bad-data-uri") from error
    if not data:
        raise refused("is a data URI that holds nothing", "bad-data-uri")
    return data


def _advised(problems: Sequence[Problem]) -> AssetError:
    """Return the error of problems; if one may be the name of a file, it says how to use a file."""
    error = AssetError(*problems)
    for problem in problems:
        if problem.rule == _NO_PICTURE:
            return error.advising({"python": f"For a file, use qrkit.data_uri({problem.value!r})."})
    return error


def _too_large(limit: str) -> AssetError:
    return refused(f"is too large: {limit}", "image-too-large")


def _shorten(content: str) -> str:
    """Shorten content for error messages; omit the query of a URL, which may be secret."""
    return (content.partition("?")[0] if _ADDRESS.match(content) else content)[:80]


def _mib(size: int) -> str:
    return f"{size // 2**20} MiB"
