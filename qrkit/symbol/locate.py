"""Finds the QR Codes in a grayscale image, with their positions.

Two readers are used: zxing-cpp, which decodes text in the charset that a symbol declares, and qrdec, which also finds
the hundredth label of a sheet and symbols without a quiet zone. Symbols that only qrdec finds are cut out and given to
zxing-cpp again. If neither finds a symbol, these look in turn: quirc, which searches differently; zxing-cpp in blurred
images; qrdec in a small image, and in one with even light; and zxing-cpp for Micro QR Codes, which the others do not
know.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from math import ceil, dist, floor
from typing import Any, NamedTuple, TypeAlias

from qrkit.late import Image, np
from qrkit.symbol.encode.blocks import blocks
from qrkit.symbol.encode.masking import CONDITIONS
from qrkit.symbol.symbol import ErrorCorrectionLevel, bit_numbers, side_of

QUIET_ZONE = 4
"""Modules of white around a symbol that is cut out."""

CHARSETS = ("utf-8", "shift_jis", "iso-8859-1")
"""Charsets to try if a symbol declares none; the last one can decode any bytes."""

REPLACEMENT = "\ufffd"
"""Stands for bytes that are not characters in the charset of a reader."""

LEVELS: tuple[ErrorCorrectionLevel, ...] = ("M", "L", "H", "Q")
"""Levels in the order of their two bits in the format information (ISO/IEC 18004:2015, table 12)."""

STRUCTURED_APPEND = "0011"
"""Mode indicator of a symbol with a part of a message (ISO/IEC 18004:2015, table 2)."""

HEADER_BITS = 20
"""Bits of a structured append header: mode indicator, number of this part and of the last one, parity (clause 8)."""


LAST_SIDE = 650
"""Pixels of the longer side of an image at a last look; larger and smaller ones find less."""

BLURS = (8, 4, 2)
"""Radii in pixels of blurs at `LAST_SIDE` in which ornaments merge to modules: dots, lines, and petals in eyes."""

SMALL_SIDE = 200
"""Pixels of the longer side of an image in which qrdec sees no ornaments."""

LOCAL, LEAST_DARKER = 10, 5
"""Radius in pixels of the surroundings of a pixel, and grays by which a dark pixel is darker than they are."""

OTHER_SCALES = (0.6, 1.5)
"""Scales at which a thorough search looks."""
MOST_OTHER_SIDE = 4_000
"""Pixels of the longer side of an image at these scales, at most."""

Histogram: TypeAlias = "np.ndarray[tuple[int], np.dtype[np.float64]]"
"""Number of pixels for each gray, 0..255."""


@dataclass(frozen=True, slots=True)
class Part:
    """The place of a symbol, from 1, among the 1..16 symbols that share a message (structured append).

    The parity is all bytes of the message, combined by exclusive or: equal in all of its symbols.
    """

    number: int
    of: int
    parity: int


class Located(NamedTuple):
    """A symbol that was read, with its version, 1..40 or -1..-4 for M1..M4, as in `Symbol`.

    Corners are x, y in pixels: top left, top right, bottom right and bottom left of the encoded symbol. Modules are a
    byte each, row by row, 0 for dark, as the reader sampled them before it corrected errors; empty if it does not say.
    """

    content: str
    version: int
    ec: ErrorCorrectionLevel
    mask: int
    corners: tuple[tuple[int, int], ...]
    part: Part | None = None
    modules: bytes = b""

    @property
    def middle(self) -> tuple[float, float]:
        """Center of the symbol: x, y in pixels."""
        return sum(x for x, _ in self.corners) / 4, sum(y for _, y in self.corners) / 4

    @property
    def width(self) -> float:
        """Distance between the two top corners, in pixels."""
        return dist(*self.corners[:2])

    @property
    def flags(self) -> np.ndarray:
        """`modules` as bool, side x side: True for dark."""
        side = side_of(self.version)
        is_dark: np.ndarray = np.frombuffer(self.modules, dtype=np.uint8).reshape(side, side) == 0
        return is_dark

    @property
    def transposed(self) -> tuple[tuple[int, int], ...]:
        """The corners of a symbol that is mirrored in the image."""
        top_left, top_right, bottom_right, bottom_left = self.corners
        return top_left, bottom_left, bottom_right, top_right

    def covers(self, place: tuple[float, float]) -> bool:
        """Return True if a point (x, y in pixels) is within half a width of the center."""
        return dist(self.middle, place) < self.width / 2


def locate(greys: Image.Image) -> Located | None:
    """Return the first symbol in a grayscale image, in reading order; None if there is no symbol."""
    return next(iter(at_sight(greys)), None)


def at_sight(greys: Image.Image) -> list[Located]:
    """Return the symbols that the first successful attempt finds, in reading order; `locate_all` may find more."""
    return in_lines(_by_zxing(greys) or _by_qrdec(greys, []) or _on_dark_page(greys) or _at_last(greys))


def locate_at_other_sizes(greys: Image.Image) -> list[Located]:
    """Return the symbols that are read at another size."""
    sides = (ceil(max(greys.size) * scale) for scale in OTHER_SCALES)
    return next(filter(None, (at_side(greys, side, _by_zxing) for side in sides if side <= MOST_OTHER_SIDE)), [])


def locate_all(greys: Image.Image) -> list[Located]:
    """Return all symbols in a grayscale image."""
    symbols = _by_zxing(greys)
    symbols += _by_qrdec(greys, symbols)
    return symbols + _others(_on_dark_page(greys), symbols) or _at_last(greys)


def _others(found: Iterable[Located], known: list[Located]) -> list[Located]:
    """Return the symbols that are not known yet, by their places."""
    return [one for one in found if not any(other.covers(one.middle) for other in known)]


def _at_last(greys: Image.Image) -> list[Located]:
    """Return the symbols that take another reader, another size, or are Micro QR Codes."""
    return (
        at_side(greys, LAST_SIDE, lambda image: _by_quirc(image) or _by_zxing(image))
        or at_side(greys, LAST_SIDE, _by_blurs)
        or at_side(greys, SMALL_SIDE, lambda image: _by_qrdec(_blurred(image, 1), []))
        or _by_qrdec(_by_local_light(greys), [])
        or list(filter(_is_without_error, _by_zxing(greys, micro=True)))
    )


def _by_blurs(greys: Image.Image) -> list[Located]:
    return next(filter(None, (_by_zxing(_blurred(greys, radius)) for radius in BLURS)), [])


def _blurred(greys: Image.Image, radius: int) -> Image.Image:
    from PIL import ImageFilter

    return greys.filter(ImageFilter.BoxBlur(radius))


def _by_local_light(greys: Image.Image) -> Image.Image:
    """Return an image in black and white, where black is what is darker than its surroundings."""
    from PIL import ImageChops

    return ImageChops.subtract(_blurred(greys, LOCAL), greys).point([255] * LEAST_DARKER + [0] * (256 - LEAST_DARKER))


def _is_without_error(micro: Located) -> bool:
    """Return True unless a reader has corrected errors in M1, which can only detect them: noise would give digits."""
    from qrkit.symbol.encode.micro import encode_micro

    if micro.version < -1 or not micro.content:
        return micro.version < -1
    dark = b"".join(encode_micro(micro.content, micro.ec, "numeric", micro.mask).modules)
    return dark in (micro.flags.tobytes(), micro.flags.T.tobytes())


def at_side(greys: Image.Image, longer: int, read: Callable[[Image.Image], list[Located]]) -> list[Located]:
    """Return the symbols that are read when the longer side of an image has this many pixels."""
    scale = longer / max(greys.size)
    sized = [max(1, round(side * scale)) for side in greys.size]
    found = read(greys if scale == 1 else greys.resize(sized, reducing_gap=2))
    corners = [tuple((round(x / scale), round(y / scale)) for x, y in one.corners) for one in found]
    return [one._replace(corners=at) for one, at in zip(found, corners, strict=True)]


def uncorrected(greys: Image.Image) -> list[Located]:
    """Return the symbols that zxing-cpp finds, but whose errors it cannot correct; their contents are empty."""
    import zxingcpp

    kinds = zxingcpp.BarcodeFormats([zxingcpp.BarcodeFormat.QRCodeModel2])
    found = zxingcpp.read_barcodes(greys, formats=kinds, return_errors=True)
    return [_from_zxing(one) for one in found if one.error and one.error.type == zxingcpp.ErrorType.Checksum]


def other_kinds(greys: Image.Image) -> list[str]:
    """Return the names of the matrix symbols in an image that are no QR Codes, such as Data Matrix."""
    import zxingcpp

    kind = zxingcpp.BarcodeFormat
    kinds = zxingcpp.BarcodeFormats([kind.Aztec, kind.DataMatrix, kind.MaxiCode, kind.PDF417, kind.RMQRCode])
    return sorted({str(found.format) for found in zxingcpp.read_barcodes(greys, formats=kinds)})


def in_lines(found: Iterable[Located]) -> list[Located]:
    """Sort symbols in reading order: line by line from the top, each line from the left."""
    lines: list[list[Located]] = []
    for one in sorted(found, key=lambda one: one.middle[1]):
        if lines and one.middle[1] < lines[-1][0].middle[1] + one.width / 2:
            lines[-1].append(one)
        else:
            lines.append([one])
    return [one for line in lines for one in sorted(line, key=lambda one: one.middle[0])]


def _by_zxing(greys: Image.Image, *, micro: bool = False) -> list[Located]:
    import zxingcpp

    # Model 2 is the QR Code of the standard; QRCode would include Micro QR Codes and similar symbols. Plain text,
    # because the reader's default writes control characters as names.
    kind = zxingcpp.BarcodeFormat.MicroQRCode if micro else zxingcpp.BarcodeFormat.QRCodeModel2
    found = zxingcpp.read_barcodes(greys, formats=zxingcpp.BarcodeFormats([kind]), text_mode=zxingcpp.TextMode.Plain)
    return [_from_zxing(one) for one in found]


def _from_zxing(one: Any) -> Located:
    extra, place = one.extra, one.position
    corners = tuple((at.x, at.y) for at in (place.top_left, place.top_right, place.bottom_right, place.bottom_left))
    version, mask = int(extra["Version"].replace("M", "-")), int(extra["DataMask"])
    modules = bytes(memoryview(one.to_image(scale=1, add_quiet_zones=False)))
    part = _part(modules, version, one.ec_level, mask) if version > 0 else None
    # Without a charset, the reader guesses one, even if some bytes are not characters in it.
    text = _text(one.bytes) if REPLACEMENT in one.text else one.text
    return Located(text, version, one.ec_level, mask, corners, part, modules)


def _part(modules: bytes, version: int, level: str, mask: int) -> Part | None:
    """Read from the modules which part of a message a symbol holds, because the reader does not report it."""
    side = side_of(version)
    # A data mask inverts the modules where its condition is 0. A byte of 0 is dark.
    header = "".join(
        str(int((modules[row * side + column] == 0) != (CONDITIONS[mask](row, column) == 0)))
        for row, column in _header_modules(version, level)
    )
    number, last, parity = int(header[4:8], 2), int(header[8:12], 2), int(header[12:], 2)
    return Part(number + 1, last + 1, parity) if header.startswith(STRUCTURED_APPEND) and number <= last else None


@cache
def _header_modules(version: int, level: str) -> list[tuple[int, int]]:
    """Return row and column of the modules with the first bits of the message; codewords of blocks alternate."""
    turn = 8 * len(blocks(version, level))
    numbers, side = bit_numbers(version), range(side_of(version))
    places = {numbers[row, column]: (row, column) for row in side for column in side}
    return [places[bit // 8 * turn + bit % 8] for bit in range(HEADER_BITS)]


def _by_qrdec(greys: Image.Image, known: list[Located]) -> list[Located]:
    """Return the symbols that qrdec finds in addition to the known ones."""
    import deqr

    seen = _others(map(_from_deqr, read_by_deqr(deqr.QRdecDecoder(), greys)), known)
    return [_read_alone(greys, one) or one for one in seen]


def _by_quirc(greys: Image.Image) -> list[Located]:
    import deqr

    return [_from_deqr(symbol) for symbol in read_by_deqr(deqr.QuircDecoder(), greys, binarize=True)]


def read_by_deqr(decoder: Any, greys: Image.Image | np.ndarray, **options: bool) -> list[Any]:
    """Return the symbols that a decoder of deqr reads."""
    try:
        # Its decoders write into the image, so they get a copy.
        return list(decoder.decode(np.array(greys), convert_data=False, **options))
    except ValueError:  # it has no name for some modes
        return []


def payload_by_deqr(symbol: Any) -> bytes:
    """Return the bytes of all segments of a symbol that deqr has read."""
    return b"".join(segment.data for segment in symbol.data_entries)


def _from_deqr(symbol: Any) -> Located:
    text = _text(payload_by_deqr(symbol))
    return Located(text, symbol.version, LEVELS[symbol.ecc_level], symbol.mask, symbol.corners)


def _text(payload: bytes) -> str:
    for charset in CHARSETS[:-1]:
        try:
            return payload.decode(charset)
        except UnicodeDecodeError:
            continue
    return payload.decode(CHARSETS[-1])


def _read_alone(greys: Image.Image, seen: Located) -> Located | None:
    """Read a symbol with zxing-cpp after cutting it out of the image; None if it still cannot be read."""
    from PIL.ImageOps import expand

    border = ceil(QUIET_ZONE * seen.width / side_of(seen.version))
    across, down = zip(*seen.corners, strict=True)
    box = (
        max(0, floor(min(across))),
        max(0, floor(min(down))),
        min(greys.width, ceil(max(across)) + 1),
        min(greys.height, ceil(max(down)) + 1),
    )
    for one in _by_zxing(expand(greys.crop(box), border, "white")):
        corners = tuple((x - border + box[0], y - border + box[1]) for x, y in one.corners)
        return one._replace(corners=corners)
    return None


def _on_dark_page(greys: Image.Image) -> list[Located]:
    """Find symbols on a dark page without a light quiet zone: their dark modules are darker than the page."""
    histogram = np.array(greys.histogram(), dtype=np.float64)
    histogram[_threshold(histogram) :] = 0  # light modules
    page = _threshold(histogram)
    return _by_zxing(greys.point([0] * page + [255] * (256 - page))) if page else []


def _threshold(histogram: Histogram) -> int:
    """Return the gray that best separates dark from light pixels (Otsu's method); 0 if there is only one gray."""
    levels = np.arange(256)
    below = histogram.cumsum()
    darkness = (histogram * levels).cumsum()
    both = below * (below[-1] - below)
    spread = (darkness[-1] * below - darkness * below[-1]) ** 2 / np.where(both, both, 1)
    return int(spread.argmax()) + 1 if spread.max() > 0 else 0
