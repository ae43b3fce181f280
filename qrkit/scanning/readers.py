"""The engines that read symbols in pictures, of two schools with opposite tastes.

Readers of the run-length school look for lines of dark and light as 1:1:3:1:1, and mind what breaks these: dotted
rings, pupils that are no block. Readers of the contour school look for squares in squares, and mind round corners. A
panel needs both. zxing-cpp, quirc and qrdec are always there; OpenCV and zbar, whose decoder qrdec is, join where they
are installed.

All engines give the payload in bytes, as the symbol has it: which letters these stand for is a guess in which they
differ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from ctypes import byref, c_uint, string_at
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from PIL import Image

if TYPE_CHECKING:
    from qrkit.scanning.conditions import Pixels

__all__ = ["STANDARD", "Engine", "Reader", "School", "family_of", "installed", "standard"]

School: TypeAlias = Literal["run-length", "contour"]
"""How an engine finds a symbol."""

Reader: TypeAlias = "Callable[[Pixels], list[bytes]]"
"""Gray pixels, rows of 0..255, to the contents of the symbols that were found there."""

STANDARD = ("zxing-cpp", "quirc", "qrdec")
"""The engines that are always there; the score is theirs."""

KIN = {"qrdec": "zbar"}
"""Engines that are another's decoder by another name."""

MOST_DOUBLED = 1_600
"""Pixels of the longer side of a picture that is enlarged for a second look."""

ZBAR_BINARY = 4
"""ZBAR_CFG_BINARY of zbar.h, since 0.23.90, which pyzbar does not know."""
ZBAR_GREYS = int.from_bytes(b"Y800", "little")


@dataclass(frozen=True, slots=True)
class Engine:
    """What reads symbols.

    Attributes:
        name: `zxing-cpp`, `quirc`, `qrdec`, `opencv` or `zbar`.
        school: How it finds them.
        version: Of the library.
        reader: Rows of grays -> the payloads; may not change the grays.
    """

    name: str
    school: School
    version: str
    reader: Reader = field(repr=False)

    def read(self, greys: Pixels) -> list[bytes]:
        """The payloads of all symbols that are found in rows of grays, uint8; none in an empty picture."""
        return self.reader(np.ascontiguousarray(greys)) if greys.size else []


def family_of(name: str) -> str:
    """What engines of one origin have in common, by the name of one."""
    return KIN.get(name, name)


@cache
def standard() -> tuple[Engine, ...]:
    """The engines that are always there: zxing-cpp, quirc and qrdec."""
    return (_zxing(), _quirc(), _qrdec())


@cache
def installed() -> tuple[Engine, ...]:
    """All engines of this machine: the standard ones, then OpenCV and zbar where they are."""
    return (*standard(), *(engine for engine in (_opencv(), _zbar()) if engine))


def _zxing() -> Engine:
    import zxingcpp

    formats = zxingcpp.BarcodeFormats([zxingcpp.BarcodeFormat.QRCodeModel2])

    def read(greys: Pixels) -> list[bytes]:
        return [found.bytes for found in zxingcpp.read_barcodes(greys, formats=formats)]

    return Engine("zxing-cpp", "run-length", version("zxing-cpp"), read)


def _quirc() -> Engine:
    import deqr

    def look(greys: Pixels, *, is_lit_unevenly: bool) -> list[bytes]:
        # A decoder serves one thread, so each look has its own.
        return _payloads_by_deqr(deqr.QuircDecoder(), greys, binarize=is_lit_unevenly)

    def read(greys: Pixels) -> list[bytes]:
        # One threshold for all misses what lies in shade, and one for each place what is small; and quirc counts whole
        # pixels, of which one more or less decides about small modules. A camera would have looked more often.
        found = look(greys, is_lit_unevenly=False) or look(greys, is_lit_unevenly=True)
        if found or 2 * max(greys.shape) > MOST_DOUBLED:
            return found
        picture = Image.fromarray(greys)
        doubled = picture.resize((2 * picture.width, 2 * picture.height), Image.Resampling.BICUBIC)
        return look(np.asarray(doubled), is_lit_unevenly=False)

    return Engine("quirc", "contour", f"deqr {version('deqr')}", read)


def _qrdec() -> Engine:
    import deqr

    def read(greys: Pixels) -> list[bytes]:
        return _payloads_by_deqr(deqr.QRdecDecoder(), greys)

    return Engine("qrdec", "run-length", f"deqr {version('deqr')}", read)


def _payloads_by_deqr(decoder: Any, greys: Pixels, **options: bool) -> list[bytes]:
    """One payload a symbol, which may have several segments."""
    try:
        # It writes into the picture, so it gets a copy.
        symbols = decoder.decode(greys.copy(), convert_data=False, **options)
    except ValueError:  # it has no name for the mode of a symbol that is one of several (structured append)
        return []
    return [b"".join(segment.data for segment in symbol.data_entries) for symbol in symbols]


def _opencv() -> Engine | None:
    try:
        import cv2
    except ImportError:
        return None

    def read(greys: Pixels) -> list[bytes]:
        # One symbol only: the search for several misses a quarter of those that this finds.
        try:
            payload, _, _ = cv2.QRCodeDetector().detectAndDecodeBytes(greys)
        except cv2.error:  # what it takes for a symbol may break its calculation
            return []
        return [payload] if payload else []

    return Engine("opencv", "contour", cv2.__version__, read)


def _zbar() -> Engine | None:
    try:
        from pyzbar import wrapper
    except ImportError:  # pyzbar raises it where Debian's libzbar0 is missing, too
        return None
    numbers = c_uint(), c_uint(), c_uint()
    wrapper.zbar_version(*map(byref, numbers))

    def read(greys: Pixels) -> list[bytes]:
        # Not by pyzbar.decode, which has no way to ask for the payload as it is and spells "é" as "矇".
        scanner, image = wrapper.zbar_image_scanner_create(), wrapper.zbar_image_create()
        for kind in wrapper.ZBarSymbol:
            is_sought = kind == wrapper.ZBarSymbol.QRCODE
            wrapper.zbar_image_scanner_set_config(scanner, kind, wrapper.ZBarConfig.CFG_ENABLE, is_sought)
        wrapper.zbar_image_scanner_set_config(scanner, wrapper.ZBarSymbol.QRCODE, ZBAR_BINARY, 1)
        (height, width), data = greys.shape, greys.tobytes()
        wrapper.zbar_image_set_format(image, ZBAR_GREYS)
        wrapper.zbar_image_set_size(image, width, height)
        wrapper.zbar_image_set_data(image, data, len(data), None)
        try:
            wrapper.zbar_scan_image(scanner, image)
            return list(_payloads(wrapper, image))
        finally:
            wrapper.zbar_image_destroy(image)
            wrapper.zbar_image_scanner_destroy(scanner)

    return Engine("zbar", "run-length", ".".join(str(number.value) for number in numbers), read)


def _payloads(wrapper: Any, image: Any) -> Iterator[bytes]:
    symbol = wrapper.zbar_image_first_symbol(image)
    while symbol:
        yield string_at(wrapper.zbar_symbol_get_data(symbol), wrapper.zbar_symbol_get_data_length(symbol))
        symbol = wrapper.zbar_symbol_next(symbol)
