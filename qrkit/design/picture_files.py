"""Tells what a picture file is by its first bytes, and what to do with one that cannot be read."""

from __future__ import annotations

import re

from qrkit.design.formats import RASTER_FORMATS

PIXEL_FORMATS = (*RASTER_FORMATS, "avif", "ico")
"""Formats with pixels in which pictures are read, named by their file suffix."""
READ_FORMATS = (*PIXEL_FORMATS, "svg")
"""Formats in which pictures are read."""
PILLOW_NAMES = tuple({"jpg": "JPEG", "tif": "TIFF"}.get(name, name.upper()) for name in PIXEL_FORMATS)
"""Pillow's names of these formats; no other code of Pillow sees a file."""
SVG = "image/svg+xml"

_PROLOGUE = 8192
"""Bytes within which the root element of an SVG must begin; design programs put long comments before it."""
_SVG_BEGINS = re.compile(rb"<(?:[\w.-]+:)?svg[\s/>]")
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_BEGINNINGS = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
    b"BM": "image/bmp",
    b"II*\0": "image/tiff",
    b"MM\0*": "image/tiff",
    b"II+\0": "image/tiff",
    b"MM\0+": "image/tiff",
    b"\0\0\1\0": "image/x-icon",
}
_HEIC_BRANDS = {b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx"}
"""Brands of files that phones write (ISO/IEC 23008-12); AVIF may be among its brands, too."""
_HEIF_BRANDS = {b"mif1", b"msf1"}
"""Brands of the container, which AVIF shares."""
_UNREAD = {
    b"%PDF": "is a PDF, which cannot be read; save it as png, with 300 dpi or more",
    b"%!PS": "is an EPS, which cannot be read; save it as svg or png",
    b"\xc5\xd0\xd3\xc6": "is an EPS, which cannot be read; save it as svg or png",  # with a preview
    b"8BPS": "is a Photoshop file, which cannot be read; save it as png",
    b"\xff\x0a": "is a JPEG XL, which cannot be read; save it as png or jpg",
    b"\0\0\0\x0cJXL ": "is a JPEG XL, which cannot be read; save it as png or jpg",
    b"\0\0\0\x0cjP  ": "is a JPEG 2000, which cannot be read; save it as png or jpg",
    b"\x1f\x8b": "is compressed; if it is an svgz, unpack it to an svg",
}


def media_type(picture: bytes) -> str | None:
    """Return the media type of a picture in one of `READ_FORMATS` by its first bytes; None for other data."""
    if picture[:4] == b"RIFF" and picture[8:12] == b"WEBP":
        return "image/webp"
    if picture[4:8] == b"ftyp":
        return "image/avif" if not _brands(picture).isdisjoint((b"avif", b"avis")) else None
    for beginning, kind in _BEGINNINGS.items():
        if picture.startswith(beginning):
            return kind
    start = picture[:_PROLOGUE]
    if start.startswith(_UTF_16):
        start = start.replace(b"\0", b"")
    text = start.removeprefix(b"\xef\xbb\xbf").lstrip(b" \t\r\n\xff\xfe")
    return SVG if text.startswith(b"<") and _SVG_BEGINS.search(text) else None


def unread_rule(picture: bytes, formats: tuple[str, ...] = READ_FORMATS) -> str:
    """Return what is wrong with a file that cannot be read as a picture, and what to do."""
    kind, brands = media_type(picture), _brands(picture) if picture[4:8] == b"ftyp" else set()
    if brands & _HEIC_BRANDS or (brands & _HEIF_BRANDS and not kind):
        return "is a HEIC photo, which cannot be read; save it as JPEG"
    for beginning, rule in _UNREAD.items():
        if picture.startswith(beginning):
            return rule
    if kind:
        name = kind.removeprefix("image/").removeprefix("x-").removesuffix("+xml")
        return f"is a damaged {name}, perhaps cut off; download or save it again"
    if not picture:
        return "is empty; download or save it again"
    return f"is not a picture of the formats {', '.join(formats)}"


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


def _brands(picture: bytes) -> set[bytes]:
    """Return the brands of an ISO base media file: the major one, and those that it is compatible with."""
    box = picture[8 : min(int.from_bytes(picture[:4], "big"), 128)]
    return {box[at : at + 4] for at in (0, *range(8, len(box), 4))}
