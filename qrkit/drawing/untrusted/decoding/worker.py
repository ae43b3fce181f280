"""Decodes pictures and encodes their pixels again; the script of a worker process."""

from __future__ import annotations

import json
import struct
from contextlib import suppress
from io import BytesIO
from math import sqrt

from qrkit.design.picture_files import PILLOW_NAMES, webp_pixels
from qrkit.late import Image
from qrkit.symbol.upright import upright

DONE, REFUSED = 0, 1
"""Outcomes of a request. For `REFUSED`, the answer is the rule that the picture breaks and its code, as JSON."""
SIZE = struct.Struct(">II")
"""The width and height that precede the PNG of a picture that was read."""
MOST_MEMORY = 3 * 2**29
"""Bytes of address space: a transparent PNG of 100 million pixels needs 1.0 GB."""

MOST_PIXELS, LONGEST_SIDE = 4096 * 4096, 8192
"""Pixels, and pixels a side, to which larger pictures are reduced: at 300 dpi, 35 cm in the square."""
MOST_SENT_PIXELS, LONGEST_SENT_SIDE = 100_000_000, 65_535
MOST_WEBP_PIXELS = 52_000_000
"""The decoder of WebP makes four copies of four bytes a pixel, even to tell the size."""
QUALITY = 92
"""Of pictures that are saved as JPEG."""


class _Refused(Exception):
    """A picture breaks a rule; the arguments are the rule and its code."""


def _too_large(most: int) -> _Refused:
    rule = f"is too large: a picture may have {most:,} pixels, and {LONGEST_SENT_SIDE:,} a side"
    return _Refused(rule, "image-too-large")


def _read(data: bytes) -> bytes:
    """Return the width, the height and the PNG of a picture, without any other data in the file."""
    picture, _ = opened(data)
    file = BytesIO()
    # At level 3, photographs are as small as at the default level, in half the time.
    picture.save(file, "PNG", compress_level=3)
    return SIZE.pack(*picture.size) + file.getvalue()


def _fit(data: bytes, most_bytes: bytes) -> bytes:
    """Return a picture as a PNG or JPEG of at most `most_bytes` bytes, with as many pixels as fit."""
    picture, name = opened(data)
    kinds = ("PNG",) if picture.mode == "RGBA" else ("JPEG",) if name in ("JPEG", "MPO") else ("PNG", "JPEG")
    most = int(most_bytes)
    while True:
        for kind in kinds:
            file = BytesIO()
            picture.save(file, kind, compress_level=3, quality=QUALITY, subsampling=0)
            if len(file.getvalue()) <= most:
                return file.getvalue()
        picture = _resized(picture, 0.95 * sqrt(most / len(file.getvalue())))


def opened(data: bytes) -> tuple[Image.Image, str | None]:
    """Return the first frame of a picture, upright, with `MOST_PIXELS` at most, and Pillow's name of its format."""
    if (webp_pixels(data) or 0) > MOST_WEBP_PIXELS:
        raise _too_large(MOST_WEBP_PIXELS)
    picture: Image.Image = Image.open(BytesIO(data), formats=PILLOW_NAMES)
    pixels = picture.width * picture.height
    if pixels > MOST_SENT_PIXELS or max(picture.size) > LONGEST_SENT_SIDE:
        raise _too_large(MOST_SENT_PIXELS)
    if picture.mode == "F":
        raise _Refused("has pixels of 32 bits; save it as png with 8 bits a color", "bad-image")
    name, scale = picture.format, _scale(picture)
    if scale < 1:
        picture.draft(None, _scaled(picture, scale))  # a JPEG is decoded at a fraction of its size
    picture = _pixels_only(_in_srgb(upright(picture, picture)))
    scale = _scale(picture)
    return picture if scale == 1 else _resized(picture, scale), name


def _scale(picture: Image.Image) -> float:
    """Return by how much a picture must shrink to have `MOST_PIXELS`."""
    return min(1, sqrt(MOST_PIXELS / max(picture.width * picture.height, 1)), LONGEST_SIDE / max(picture.size))


def _resized(picture: Image.Image, scale: float) -> Image.Image:
    return picture.resize(_scaled(picture, scale), Image.Resampling.BICUBIC, reducing_gap=2)


def _scaled(picture: Image.Image, scale: float) -> tuple[int, int]:
    return max(1, int(picture.width * scale)), max(1, int(picture.height * scale))


def _in_srgb(picture: Image.Image) -> Image.Image:
    """Convert colors that a profile describes, as browsers do: those of cameras, and of printers in CMYK."""
    from PIL import ImageCms

    if picture.mode == "LAB":  # as TIFF holds it, which needs no profile
        lab, srgb = ImageCms.createProfile("LAB"), ImageCms.createProfile("sRGB")
        return ImageCms.profileToProfile(picture, lab, srgb, outputMode="RGB") or picture
    with suppress(ImageCms.PyCMSError, OSError):  # a profile that is damaged, or for pixels of another kind
        profile = ImageCms.ImageCmsProfile(BytesIO(picture.info.get("icc_profile", b"")))
        is_other = "srgb" not in ImageCms.getProfileDescription(profile).lower()
        if is_other and picture.mode in ("RGB", "RGBA", "CMYK"):
            mode = "RGBA" if picture.mode == "RGBA" else "RGB"
            return (
                ImageCms.profileToProfile(picture, profile, ImageCms.createProfile("sRGB"), outputMode=mode) or picture
            )
    return picture


def _pixels_only(picture: Image.Image) -> Image.Image:
    """Return only the pixels, as RGBA if something is transparent, else as RGB."""
    if picture.mode.startswith("I"):
        # 16-bit gray: Pillow would clip values above 255 instead of scaling them.
        picture = picture.point(lambda value: value * (1 / 256)).convert("L")
    mode = "RGBA" if picture.has_transparency_data else "RGB"
    clean = picture if picture.mode == mode else picture.convert(mode)  # a copy may take 400 MB
    clean.info = {}
    return clean


JOBS = {b"read": _read, b"fit": _fit}


def start() -> None:
    """Load what every job needs."""
    from PIL import Image  # the module itself, whose limit is set

    Image.MAX_IMAGE_PIXELS = MOST_SENT_PIXELS


def answer(job: bytes, *parts: bytes) -> tuple[int, bytes]:
    """Do one of `JOBS`, and return the picture, or the rule that it breaks."""
    try:
        return DONE, JOBS[job](*parts)  # type: ignore[operator]  # each has parts of its own
    except _Refused as error:
        refused = error
    except Image.DecompressionBombError:
        refused = _too_large(MOST_SENT_PIXELS)
    except MemoryError:
        refused = _Refused("needs too much memory; make it smaller, or save it as a JPEG", "image-too-large")
    except Exception:
        # For corrupt files, Pillow raises errors of many types: ValueError, SyntaxError, …
        refused = _Refused("is a damaged picture", "bad-image")
    return REFUSED, json.dumps(refused.args).encode()
