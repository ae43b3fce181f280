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

Ask about scans with `qrkit.analytics`, draw charts with `qrkit.charts`, and write reports with `qrkit.report`. Looks to
start from are in `qrkit.presets`, the studio is in `qrkit.widgets`, and the HTTP interface is in `qrkit.server`. Each of
these loads when you first use it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

# Not late: it has the name of its module, which would stand here in its place as soon as anything imports that.
from qrkit.symbol.decode import Decoded, decode, decode_all

if TYPE_CHECKING:
    from qrkit import analytics, charts, errors, presets, report, widgets
    from qrkit import server as wsgi
    from qrkit.design.color import Color
    from qrkit.design.decoration import Layer, Marker, Markers, Modules, Placeholder, Sprite, Wrapper
    from qrkit.design.design import Design
    from qrkit.design.gradient import Gradient, Stop
    from qrkit.design.shapes.icons import icon_names
    from qrkit.drawing.scene import Scene
    from qrkit.drawing.untrusted.assets import data_uri
    from qrkit.pictures.batches import generate_many
    from qrkit.pictures.contact_sheet import ContactSheet
    from qrkit.pictures.image import QRImage, generate
    from qrkit.pictures.printing import PrintSize
    from qrkit.portfolio import Portfolio, open_portfolio
    from qrkit.scanning import check
    from qrkit.symbol.symbol import Role, Symbol
    from qrkit.tracking.records import Campaign, Location, Properties, QRCode

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
    "PrintSize",
    "Properties",
    "QRCode",
    "QRImage",
    "Role",
    "Scene",
    "Sprite",
    "Stop",
    "Symbol",
    "Wrapper",
    "analytics",
    "charts",
    "check",
    "data_uri",
    "decode",
    "decode_all",
    "errors",
    "generate",
    "generate_many",
    "icon_names",
    "open_portfolio",
    "presets",
    "report",
    "widgets",
    "wsgi",
]


_LATE = {
    "Campaign": "records",
    "Color": "color",
    "ContactSheet": "contact_sheet",
    "Design": "design",
    "Gradient": "gradient",
    "Layer": "decoration",
    "Location": "records",
    "Marker": "decoration",
    "Markers": "decoration",
    "Modules": "decoration",
    "Placeholder": "decoration",
    "Portfolio": "portfolio",
    "PrintSize": "printing",
    "Properties": "records",
    "QRCode": "records",
    "QRImage": "image",
    "Role": "symbol",
    "Scene": "scene",
    "Sprite": "decoration",
    "Stop": "gradient",
    "Symbol": "symbol",
    "Wrapper": "decoration",
    "analytics": "analytics",
    "charts": "charts",
    "check": "scannability",
    "data_uri": "assets",
    "errors": "errors",
    "generate": "image",
    "generate_many": "batches",
    "icon_names": "shapes.icons",
    "open_portfolio": "portfolio",
    "presets": "presets",
    "report": "report",
    "widgets": "widgets",
    "wsgi": "wsgi",
}
"""Where a name comes from, which is loaded when it is first asked for: a plain code needs little of all this."""


def __getattr__(name: str) -> Any:
    if name not in _LATE:
        raise AttributeError(f"module 'qrkit' has no attribute {name!r}")
    module = import_module(f"qrkit.{_LATE[name]}")
    found = module if name == _LATE[name] else getattr(module, name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return __all__
