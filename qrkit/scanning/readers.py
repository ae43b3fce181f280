"""Provides the engines that read symbols in images, of two kinds with opposite weaknesses.

Run-length readers look for dark and light in the ratio 1:1:3:1:1 along lines, and fail if rings are dotted or pupils
are not solid. Contour readers look for squares within squares, and fail on round corners. A panel needs both kinds.
zxing-cpp, quirc and qrdec are always installed; OpenCV and zbar, whose decoder is the same as qrdec, are optional.

All engines return the payload as the bytes in the symbol, because they guess its charset differently.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from ctypes import byref, c_uint, string_at
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version
from typing import Any, Literal, TypeAlias

import numpy as np
from PIL import Image

from qrkit.scanning.conditions import Pixels, turned
from qrkit.symbol.locate import payload_by_deqr, read_by_deqr

__all__ = [
    "CONTOUR", "OF_PHONES", "STANDARD", "Engine", "Reader", "School", "family_of", "installed", "of_phones", "standard",
]  # fmt: skip

School: TypeAlias = Literal["run-length", "contour"]
"""The method by which an engine finds a symbol."""

Reader: TypeAlias = "Callable[[Pixels], list[bytes]]"
"""Takes rows of grays, 0..255, and returns the payloads of all symbols found."""

STANDARD = ("zxing-cpp", "quirc", "qrdec")
"""The engines that are always installed and determine the score."""

OF_PHONES = ("zxing-cpp", "qrdec")
"""The engines that stand for the readers of phones, which look for runs of dark and light along lines."""

CONTOUR = ("quirc", "opencv")
"""The engines that stand for embedded readers, which look for squares within squares."""

TURNS = (22, -22)
"""Degrees by which qrdec turns an image in which it finds nothing."""

KIN = {"qrdec": "zbar"}
"""Engines that share the decoder of another engine."""

MOST_DOUBLED = 1_600
"""Largest longer side, in pixels, of an image enlarged for a second attempt."""

ZBAR_BINARY = 4
"""ZBAR_CFG_BINARY of zbar.h, since 0.23.90, which pyzbar does not know."""
ZBAR_GREYS = int.from_bytes(b"Y800", "little")


@dataclass(frozen=True, slots=True)
class Engine:
    """A library that reads symbols.

    Attributes:
        name: `zxing-cpp`, `quirc`, `qrdec`, `opencv` or `zbar`.
        school: The method by which the engine finds symbols.
        version: Version of the library.
        reader: Takes rows of gray values, which it must not change, and returns the payloads.
    """

    name: str
    school: School
    version: str
    reader: Reader = field(repr=False)

    def read(self, greys: Pixels) -> list[bytes]:
        """Return the payloads of all symbols in rows of grays, uint8; an empty list for an empty image."""
        return self.reader(np.ascontiguousarray(greys)) if greys.size else []


def family_of(name: str) -> str:
    """Return the family of an engine; engines with the same decoder belong to one family."""
    return KIN.get(name, name)


@cache
def standard() -> tuple[Engine, ...]:
    """Return the engines that are always installed: zxing-cpp, quirc and qrdec."""
    return (_zxing(), _quirc(), _qrdec())


@cache
def of_phones() -> tuple[Engine, ...]:
    """Return the engines that stand for the readers of phones: zxing-cpp and qrdec."""
    return tuple(engine for engine in standard() if engine.name in OF_PHONES)


@cache
def installed() -> tuple[Engine, ...]:
    """Return all installed engines: the standard ones, then OpenCV and zbar if available."""
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
        # A decoder is not thread-safe, so each attempt has its own.
        return _payloads_by_deqr(deqr.QuircDecoder(), greys, binarize=is_lit_unevenly)

    def read(greys: Pixels) -> list[bytes]:
        # A global threshold misses shaded symbols, and a local threshold misses small symbols. quirc also counts whole
        # pixels, so a single pixel can decide about a small module. Several attempts are made, like a phone's camera.
        found = look(greys, is_lit_unevenly=False) or look(greys, is_lit_unevenly=True)
        if found or 2 * max(greys.shape) > MOST_DOUBLED:
            return found
        picture = Image.fromarray(greys)
        doubled = picture.resize((2 * picture.width, 2 * picture.height), Image.Resampling.BICUBIC)
        return look(np.asarray(doubled), is_lit_unevenly=False)

    return Engine("quirc", "contour", f"deqr {deqr.__version__}", read)


def _qrdec() -> Engine:
    import deqr

    def look(greys: Pixels) -> list[bytes]:
        return _payloads_by_deqr(deqr.QRdecDecoder(), greys)

    def read(greys: Pixels) -> list[bytes]:
        # qrdec misses rounded finder patterns that are turned by 20 to 70 degrees, so it also looks at turned images.
        return look(greys) or next(filter(None, (look(turned(greys, angle)) for angle in TURNS)), [])

    return Engine("qrdec", "run-length", f"deqr {deqr.__version__}", read)


def _payloads_by_deqr(decoder: Any, greys: Pixels, **options: bool) -> list[bytes]:
    """Return one payload per symbol; nothing for structured append, which deqr does not support."""
    return [payload_by_deqr(symbol) for symbol in read_by_deqr(decoder, greys, **options)]


def _opencv() -> Engine | None:
    try:
        import cv2
    except ImportError:
        return None

    def read(greys: Pixels) -> list[bytes]:
        # Reads only one symbol, because OpenCV's search for several misses a quarter of those found here.
        try:
            payload, _, _ = cv2.QRCodeDetector().detectAndDecodeBytes(greys)
        except cv2.error:  # raised for some false detections
            return []
        return [payload] if payload else []

    return Engine("opencv", "contour", cv2.__version__, read)


def _zbar() -> Engine | None:
    try:
        from pyzbar import wrapper
    except ImportError:  # also raised by pyzbar if the libzbar0 library is missing
        return None
    numbers = c_uint(), c_uint(), c_uint()
    wrapper.zbar_version(*map(byref, numbers))

    def read(greys: Pixels) -> list[bytes]:
        # pyzbar.decode cannot return the raw payload and decodes "é" as "矇".
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
