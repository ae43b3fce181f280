"""Widgets for notebooks; the last line of a cell displays one.

Use `Designer` to design a code by hand, `PortfolioBrowser` to find and edit tracked codes, and `ScanDashboard` to
explore their scans.

>>> from qrkit.widgets import Designer
>>> studio = Designer("https://example.com")
>>> studio.design.size
8
>>> studio.close()
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from qrkit.late import late_names

if TYPE_CHECKING:
    from qrkit.notebook.widgets.browser.portfolio_browser import PortfolioBrowser
    from qrkit.notebook.widgets.dashboard.scan_dashboard import ScanDashboard
    from qrkit.notebook.widgets.studio.designer import Designer

__all__ = ["Designer", "PortfolioBrowser", "ScanDashboard"]

__getattr__ = late_names(
    __name__,
    {
        "Designer": "notebook.widgets.studio.designer:Designer",
        "PortfolioBrowser": "notebook.widgets.browser.portfolio_browser:PortfolioBrowser",
        "ScanDashboard": "notebook.widgets.dashboard.scan_dashboard:ScanDashboard",
    },
)

__dir__ = __all__.copy
