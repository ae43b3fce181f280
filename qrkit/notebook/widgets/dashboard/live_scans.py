"""Provides `LiveScans`: scans per minute in the last hour, drawn again every two seconds."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from qrkit.notebook.widgets.dashboard.scan_dashboard import ScanDashboard
from qrkit.notebook.widgets.static_image import Pictures
from qrkit.notebook.widgets.widget import Page, script
from qrkit.store import Scans
from qrkit.tracking.times import naive

__all__ = ["LiveScans"]

MINUTES = 60
PER_MINUTE = "SELECT date_trunc('minute', time) AS minute, count(*) AS scans FROM lean GROUP BY ALL"


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
        end = naive(self._view.clock()).replace(second=0, microsecond=0)
        since = end - timedelta(minutes=MINUTES - 1)
        frame = self._view.where(since=since, time_zone="UTC").ask(PER_MINUTE)
        found = dict(zip(frame["minute"].dt.to_pydatetime(), frame["scans"].tolist(), strict=True))
        counts = [found.get(since + timedelta(minutes=passed), 0) for passed in range(MINUTES)]
        title = f"Scans in the last hour: {sum(counts):,}; in the last five minutes: {sum(counts[-5:]):,}"
        return {"title": title, "svg": _columns(counts, title)}

    def _pictures(self) -> Pictures:
        return {"text/plain": repr(self), "text/html": f"<p>{self.state['title']}</p>{self.state['svg']}"}

    def __repr__(self) -> str:
        return f"<LiveScans: {self.state['title']}>"


def _columns(counts: Sequence[int], title: str) -> str:
    """Draw scans per minute as SVG, with the largest number at the top."""
    most = max(*counts, 1)
    path = "".join(f"M{8 * place + 4} 100v-{80 * count / most:.1f}" for place, count in enumerate(counts) if count)
    return (
        f'<svg viewBox="0 0 480 120" width="600" style="max-width:100%" role="img" aria-label="{title}" font-size="11"'
        f' fill="currentColor"><path d="{path}" style="stroke:var(--color-1,currentColor)" stroke-width="6"/>'
        f'<path d="M0 100.5h480" stroke="currentColor"/><text y="12">{most:,} a minute</text>'
        '<text y="117">an hour ago</text><text x="455" y="117">now</text></svg>'
    )
