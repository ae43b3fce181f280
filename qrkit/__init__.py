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
    <QRImage 'https://go.example.com/door?q', 3-M, 296 x 296 px>

Write Wi-Fi networks, contacts, events, payments and more with `qrkit.contents`. Ask about scans with `qrkit.analytics`,
draw charts with `qrkit.charts`, and write reports with `qrkit.report`. Label stocks and cards are in `qrkit.paper`,
looks to start from in `qrkit.presets`, the studio is in `qrkit.widgets`, and the HTTP interface is in `qrkit.server`,
which is also `qrkit.wsgi`. Each of these loads when you first use it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from qrkit.late import by_name, late_names, notebook, open_doors

if TYPE_CHECKING:
    from qrkit import analytics, charts, contents, errors, paper, presets, report, server
    from qrkit import server as wsgi
    from qrkit.design.brand import Brand
    from qrkit.design.color import Color
    from qrkit.design.decoration import Layer, Marker, Markers, Modules, Photo, Placeholder, Sprite, Wrapper
    from qrkit.design.design import Design
    from qrkit.design.frames import Caption, Frame
    from qrkit.design.gradient import Gradient, Stop
    from qrkit.design.shapes.icons import icon_names
    from qrkit.drawing.scene import Scene
    from qrkit.drawing.untrusted.assets import data_uri
    from qrkit.exchange.merge import ImportResult
    from qrkit.notebook import widgets
    from qrkit.pictures.batches import generate_many
    from qrkit.pictures.contact_sheet import ContactSheet
    from qrkit.pictures.image import QRImage, generate
    from qrkit.pictures.printing import PrintSize, QRPrint
    from qrkit.pictures.sequences import generate_sequence
    from qrkit.pictures.sets import generate_set
    from qrkit.portfolio import Portfolio, open_portfolio
    from qrkit.scanning import check
    from qrkit.scanning.scan_report import ScanReport
    from qrkit.store import Scans
    from qrkit.symbol.decode import Decoded, decode, decode_all
    from qrkit.symbol.symbol import Role, Symbol
    from qrkit.tracking.records import Campaign, Location, Properties, QRCode, ScheduleEvent
    from qrkit.version import __version__ as __version__

__all__ = [
    "Brand", "Campaign", "Caption", "Color", "ContactSheet", "Decoded", "Design", "Frame", "Gradient", "ImportResult",
    "Layer", "Location", "Marker", "Markers", "Modules", "Photo", "Placeholder", "Portfolio", "PrintSize", "Properties",
    "QRCode", "QRImage", "QRPrint", "Role", "ScanReport", "Scans", "Scene", "ScheduleEvent", "Sprite", "Stop", "Symbol",
    "Wrapper", "analytics", "charts", "check", "contents", "data_uri", "decode", "decode_all", "errors", "generate",
    "generate_many", "generate_sequence", "generate_set", "icon_names", "open_portfolio", "paper", "presets", "report",
    "server", "widgets", "wsgi",
]  # fmt: skip


_NAMES = {
    "design.brand": "Brand",
    "design.color": "Color",
    "design.decoration": "Layer Marker Markers Modules Photo Placeholder Sprite Wrapper",
    "design.design": "Design",
    "design.frames": "Caption Frame",
    "design.gradient": "Gradient Stop",
    "design.shapes.icons": "icon_names",
    "drawing.scene": "Scene",
    "drawing.untrusted.assets": "data_uri",
    "exchange.merge": "ImportResult",
    "pictures.batches": "generate_many",
    "pictures.contact_sheet": "ContactSheet",
    "pictures.image": "QRImage generate",
    "pictures.printing": "PrintSize QRPrint",
    "pictures.sequences": "generate_sequence",
    "pictures.sets": "generate_set",
    "portfolio": "Portfolio open_portfolio",
    "scanning": "check",
    "scanning.scan_report": "ScanReport",
    "store": "Scans",
    "symbol.decode": "Decoded decode decode_all",
    "symbol.symbol": "Role Symbol",
    "tracking.records": "Campaign Location Properties QRCode ScheduleEvent",
    "version": "__version__",
}
_ROOMS = ("analytics", "charts", "contents", "errors", "paper", "presets", "report", "server")
_LATE = by_name(_NAMES) | dict(zip(_ROOMS, _ROOMS, strict=True)) | {"widgets": "notebook.widgets", "wsgi": "server"}
"""Where each name comes from. It is loaded when it is first used: a plain code needs little of all this."""

__getattr__ = late_names(__name__, _LATE)
open_doors()
notebook.update(view="notebook.views:view", progress_bar="notebook.progress:progress_bar")

__dir__ = __all__.copy
