"""Provides `LiveScans`: scans per minute in the last hour, drawn again every two seconds."""

from __future__ import annotations

from typing import Any

from qrkit.notebook.widgets.dashboard.dashboard_answers import last_hour
from qrkit.notebook.widgets.dashboard.scan_dashboard import ScanDashboard
from qrkit.notebook.widgets.static_image import Pictures
from qrkit.notebook.widgets.widget import Page, script
from qrkit.store import Scans


class LiveScans(Page):
    """What a notebook shows of `scans.follow()`; the browser asks for new numbers while it shows them."""

    _esm = script("dashboard", "live_scans")
    _css = ScanDashboard._css

    def __init__(self, view: Scans, /, *, name: str) -> None:
        self._view = view
        if not self._is_open(name):
            self._register(name)

    def _on_look(self, _message: dict[str, Any]) -> None:
        """Send the state again, which is counted anew."""

    def _browser_state(self) -> dict[str, Any]:
        return last_hour(self._view)

    def _pictures(self) -> Pictures:
        return {"text/plain": repr(self), "text/html": f"<p>{self.state['title']}</p>{self.state['svg']}"}

    def __repr__(self) -> str:
        return f"<LiveScans: {self.state['title']}>"
