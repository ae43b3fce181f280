"""Reads the pictures that an untrusted SVG embeds."""

from __future__ import annotations

from base64 import b64decode, b64encode
from io import BytesIO
from urllib.parse import unquote_to_bytes

from qrkit.drawing.untrusted.decoding.worker import opened
from qrkit.drawing.untrusted.picture_errors import too_much

MOST_PIXELS = 8_000_000
"""Pixels of all embedded pictures together."""
LONGEST_SIDE = 2_048
"""Pixels to which the longer side is reduced."""


def data_of(address: str) -> bytes:
    """Return the data of a data URI; no bytes if they cannot be read."""
    head, _, body = address.partition(",")
    data = unquote_to_bytes(body)
    try:
        return b64decode(data) if head.lower().endswith(";base64") else data
    except ValueError:
        return b""


class Embedded:
    """The embedded pictures of one file, which are decoded and encoded again."""

    def __init__(self) -> None:
        self._pixels = 0

    def read(self, data: bytes) -> str:
        """Return a picture as the data URI of a PNG, "" if unreadable; `AssetError` if all together are too large."""
        from PIL import Image

        file = BytesIO()
        try:
            width, height = Image.open(BytesIO(data), formats=("PNG", "JPEG", "GIF", "WEBP", "AVIF", "BMP", "ICO")).size
            self._pixels += width * height
            if self._pixels <= MOST_PIXELS:
                picture, _ = opened(data)
                picture.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
                picture.save(file, "PNG", compress_level=1)
        except Exception:  # for corrupt files, Pillow raises errors of many types
            return ""
        if self._pixels > MOST_PIXELS:
            raise too_much(f"embedded pictures of at most {MOST_PIXELS:,} pixels")
        return f"data:image/png;base64,{b64encode(file.getvalue()).decode()}"
