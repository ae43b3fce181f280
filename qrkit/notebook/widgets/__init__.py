"""Widgets for notebooks; the last line of a cell shows one.

With `Designer` a code is designed by hand, in `PortfolioBrowser` tracked codes are found and changed, and
`ScanDashboard` shows their scans.

>>> from qrkit.widgets import Designer
>>> studio = Designer("https://example.com")
>>> studio.design.size
8
>>> studio.close()
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from qrkit.notebook.widgets.designer import Designer
    from qrkit.notebook.widgets.portfolio_browser import PortfolioBrowser
    from qrkit.notebook.widgets.scan_dashboard import ScanDashboard

__all__ = ["Designer", "PortfolioBrowser", "ScanDashboard"]

_LATE = {"Designer": "designer", "PortfolioBrowser": "portfolio_browser", "ScanDashboard": "scan_dashboard"}
"""Where a widget comes from, which is loaded when it is first asked for: a studio needs no charts."""


def __getattr__(name: str) -> Any:
    if name not in _LATE:
        raise AttributeError(f"module 'qrkit.widgets' has no attribute {name!r}")
    return getattr(import_module(f"qrkit.widgets.{_LATE[name]}"), name)
