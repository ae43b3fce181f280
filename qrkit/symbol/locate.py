"""Greys of a picture -> the QR Codes in it, and where they are.

Two readers look: zxing-cpp, which decodes text in the charset that a symbol names, and qrdec, which also sees the
hundredth label of a sheet and symbols without a quiet zone. What only qrdec sees is cut out and given to zxing-cpp
once more.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import ceil, dist, floor
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

from qrkit.symbol.encode.blocks import blocks
from qrkit.symbol.encode.masking import CONDITIONS
from qrkit.symbol.symbol import ErrorCorrectionLevel, bit_numbers, side_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from PIL.Image import Image
    from zxingcpp import Barcode

__all__ = ["Located", "Part", "in_lines", "locate", "locate_all"]

QUIET_ZONE = 4
"""Modules around a symbol that is cut out."""

CHARSETS = ("utf-8", "shift_jis", "iso-8859-1")
"""Of bytes whose charset no reader tells; the last one has a character for each byte."""

LEVELS: tuple[ErrorCorrectionLevel, ...] = ("M", "L", "H", "Q")
"""By the two bits of the format information (ISO/IEC 18004:2015, table 12)."""

STRUCTURED_APPEND = "0011"
"""Mode indicator of a symbol that holds a part of a message (ISO/IEC 18004:2015, table 2)."""

HEADER_BITS = 12
"""Of such a symbol: mode indicator, number of the part and of the last one, four bits each (clause 8)."""


Histogram: TypeAlias = "np.ndarray[tuple[int], np.dtype[np.float64]]"
"""Pixels of each grey, 0..255."""


@dataclass(frozen=True, slots=True)
class Part:
    """The place of a symbol in a message that several symbols hold (structured append).

    Attributes:
        number: 1 for the first part.
        of: Symbols that hold the message, 1..16.
    """

    number: int
    of: int


class Located(NamedTuple):
    """A symbol that was read, and where it is.

    Attributes:
        content: The text.
        version: 1..40.
        ec: Error correction level L, M, Q or H.
        mask: Data mask pattern reference, 0..7.
        corners: x, y in pixels of its top left, top right, bottom right and bottom left corner, as it was encoded.
        part: Which part of a message it holds, if the message has several.
    """

    content: str
    version: int
    ec: ErrorCorrectionLevel
    mask: int
    corners: tuple[tuple[int, int], ...]
    part: Part | None = None

    @property
    def middle(self) -> tuple[float, float]:
        """x, y in pixels."""
        return sum(x for x, _ in self.corners) / 4, sum(y for _, y in self.corners) / 4

    @property
    def width(self) -> float:
        """Pixels from the left to the right corner at its top."""
        return dist(*self.corners[:2])

    def covers(self, place: tuple[float, float]) -> bool:
        """Whether a place, x and y in pixels, lies within half of its width from its middle."""
        return dist(self.middle, place) < self.width / 2


def locate(greys: Image) -> Located | None:
    """The first symbol in a picture of greys, if there is one."""
    found = _by_zxing(greys) or _by_qrdec(greys, []) or _on_dark_page(greys)
    return found[0] if found else None


def locate_all(greys: Image) -> list[Located]:
    """All symbols in a picture of greys."""
    found = _by_zxing(greys)
    return found + _by_qrdec(greys, found) or _on_dark_page(greys)


def in_lines(found: Iterable[Located]) -> list[Located]:
    """Symbols as one reads a page: line by line from the top, each line from the left."""
    lines: list[list[Located]] = []
    for one in sorted(found, key=lambda one: one.middle[1]):
        if lines and one.middle[1] < lines[-1][0].middle[1] + one.width / 2:
            lines[-1].append(one)
        else:
            lines.append([one])
    return [one for line in lines for one in sorted(line, key=lambda one: one.middle[0])]


def _by_zxing(greys: Image) -> list[Located]:
    import zxingcpp

    # Model 2 is the QR Code of the standard; QRCode would take Micro QR Codes and their like in. Plain text, because
    # the reader's default spells control characters out.
    found = zxingcpp.read_barcodes(
        greys,
        formats=zxingcpp.BarcodeFormats([zxingcpp.BarcodeFormat.QRCodeModel2]),
        text_mode=zxingcpp.TextMode.Plain,
    )
    return [_of_zxing(one) for one in found]


def _of_zxing(one: Barcode) -> Located:
    extra, place = cast("dict[str, Any]", one.extra), one.position
    corners = tuple((at.x, at.y) for at in (place.top_left, place.top_right, place.bottom_right, place.bottom_left))
    level = cast("ErrorCorrectionLevel", one.ec_level)
    version, mask = int(extra["Version"]), int(extra["DataMask"])
    return Located(one.text, version, level, mask, corners, _part(one, version, level, mask))


def _part(one: Barcode, version: int, level: str, mask: int) -> Part | None:
    """Which part of a message a symbol holds: read from its modules, because the reader does not tell."""
    symbol = memoryview(cast("Any", one.to_image(scale=1, add_quiet_zones=False)))
    # A data mask inverts the modules where its condition is 0; of a picture, 0 is dark.
    header = "".join(
        str(int((symbol[row, column] == 0) != (CONDITIONS[mask](row, column) == 0)))
        for row, column in _header_modules(version, level)
    )
    number, last = int(header[4:8], 2), int(header[8:], 2)
    return Part(number + 1, last + 1) if header.startswith(STRUCTURED_APPEND) and number <= last else None


@cache
def _header_modules(version: int, level: str) -> list[tuple[int, int]]:
    """Row and column of the modules with the first bits of a message; its codewords take turns with other blocks'."""
    turn = 8 * len(blocks(version, level))
    numbers, side = bit_numbers(version), range(side_of(version))
    places = {numbers[row, column]: (row, column) for row in side for column in side}
    return [places[bit // 8 * turn + bit % 8] for bit in range(HEADER_BITS)]


def _by_qrdec(greys: Image, known: list[Located]) -> list[Located]:
    """The symbols that qrdec sees besides those that are known."""
    import deqr
    import numpy as np

    try:
        # It writes into the picture, so it gets a copy.
        symbols = deqr.QRdecDecoder().decode(np.array(greys), convert_data=False)
    except ValueError:  # it has no name for some modes of symbols
        return []
    seen = [_of_qrdec(symbol) for symbol in symbols]
    return [_read_alone(greys, one) or one for one in seen if not any(other.covers(one.middle) for other in known)]


def _of_qrdec(symbol: Any) -> Located:
    payload = b"".join(entry.data for entry in symbol.data_entries)
    return Located(_text(payload), symbol.version, LEVELS[symbol.ecc_level], symbol.mask, symbol.corners)


def _text(payload: bytes) -> str:
    for charset in CHARSETS[:-1]:
        try:
            return payload.decode(charset)
        except UnicodeDecodeError:
            continue
    return payload.decode(CHARSETS[-1])


def _read_alone(greys: Image, seen: Located) -> Located | None:
    """The symbol as zxing-cpp reads it where nothing else is in sight."""
    from PIL import Image

    border = ceil(QUIET_ZONE * seen.width / side_of(seen.version))
    across, down = zip(*seen.corners, strict=True)
    box = (
        max(0, floor(min(across))),
        max(0, floor(min(down))),
        min(greys.width, ceil(max(across)) + 1),
        min(greys.height, ceil(max(down)) + 1),
    )
    alone = Image.new("L", (box[2] - box[0] + 2 * border, box[3] - box[1] + 2 * border), "white")
    alone.paste(greys.crop(box), (border, border))
    for one in _by_zxing(alone):
        corners = tuple((x - border + box[0], y - border + box[1]) for x, y in one.corners)
        return one._replace(corners=corners)
    return None


def _on_dark_page(greys: Image) -> list[Located]:
    """The symbols whose dark modules are darker than a dark page that reaches up to them."""
    import numpy as np

    histogram = np.array(greys.histogram(), dtype=np.float64)
    histogram[_threshold(histogram) :] = 0  # light modules
    page = _threshold(histogram)
    return _by_zxing(greys.point([0] * page + [255] * (256 - page))) if page else []


def _threshold(histogram: Histogram) -> int:
    """The grey that parts pixels into two groups that differ most (Otsu's method); 0 where there is one grey."""
    import numpy as np

    levels = np.arange(256)
    below = histogram.cumsum()
    darkness = (histogram * levels).cumsum()
    both = below * (below[-1] - below)
    spread = (darkness[-1] * below - darkness * below[-1]) ** 2 / np.where(both, both, 1)
    return int(spread.argmax()) + 1 if spread.max() > 0 else 0
