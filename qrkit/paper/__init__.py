"""Sheets of labels and cards: QR Codes with lines of text, placed to a tenth of a millimeter.

    >>> from qrkit.paper import stock_named
    >>> stock_named("L7160")
    <Stock Avery 7160, Mailing labels: 21 of 63.99 x 38.1 mm on 210 x 297 mm>

`Portfolio.sheet` and `DataFrame.qr.sheet` write sheets. `stocks()` has all label stocks by name, and `CARDS` the cards
that are cut from plain paper.
"""

from __future__ import annotations

from qrkit.paper.label_pages import SheetSettings
from qrkit.paper.label_sheets import Labels, SheetFile, first_page, write_sheet, write_test_page
from qrkit.paper.stocks import CARDS, PAPERS, Stock, stock_named, stocks
from qrkit.pictures.preflight import PrintFinding

__all__ = [
    "CARDS", "PAPERS", "Labels", "PrintFinding", "SheetFile", "SheetSettings", "Stock", "first_page", "stock_named",
    "stocks", "write_sheet", "write_test_page",
]  # fmt: skip

__dir__ = __all__.copy
