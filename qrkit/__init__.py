"""qrkit: design QR Codes, make them trackable, and understand the scans.

    >>> import qrkit
    >>> image = qrkit.generate("https://example.com", ec="H")
    >>> image.symbol
    <Symbol 3-H, byte, mask 3, 29 x 29 modules>

    >>> shop = qrkit.open_portfolio(":memory:", base_url="https://go.example.com")
    >>> door = shop.insert_qrcode("https://example.com/spring", name="Door", short_code="door")
    >>> door.short_url
    'https://go.example.com/door'
    >>> shop.image(door)
    <QRImage 'https://go.example.com/door', 3-M, 296 x 296 px>

Questions to the scans are in `qrkit.analytics`, charts in `qrkit.charts`, reports in `qrkit.report`, the HTTP
interface in `qrkit.wsgi`: imported by name, because what they need takes a while to load.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from qrkit import errors
from qrkit.assets import data_uri
from qrkit.color import Color
from qrkit.contact_sheet import ContactSheet
from qrkit.decode import Decoded, decode
from qrkit.decoration import Gradient, Layer, Marker, Markers, Modules, Placeholder, Sprite, Stop, Wrapper
from qrkit.design import Design
from qrkit.image import QRImage, generate
from qrkit.records import Campaign, Location, Properties, QRCode
from qrkit.scene import Scene
from qrkit.symbol import Role, Symbol

if TYPE_CHECKING:
    from qrkit.portfolio import Portfolio, open_portfolio

__all__ = [
    "Campaign",
    "Color",
    "ContactSheet",
    "Decoded",
    "Design",
    "Gradient",
    "Layer",
    "Location",
    "Marker",
    "Markers",
    "Modules",
    "Placeholder",
    "Portfolio",
    "Properties",
    "QRCode",
    "QRImage",
    "Role",
    "Scene",
    "Sprite",
    "Stop",
    "Symbol",
    "Wrapper",
    "data_uri",
    "decode",
    "errors",
    "generate",
    "open_portfolio",
]


def __getattr__(name: str) -> Any:
    # The store needs DuckDB: loaded when it is asked for, so that drawing stays quick to start.
    if name in ("Portfolio", "open_portfolio"):
        from qrkit import portfolio

        return getattr(portfolio, name)
    raise AttributeError(f"module 'qrkit' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
