"""Packs the charts and tables of a report into a ZIP archive, for people who build their own slides."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from io import BytesIO
from typing import TYPE_CHECKING
from zipfile import ZipFile

from qrkit import charts
from qrkit.design.brand import Brand
from qrkit.exchange.archives import add
from qrkit.exchange.formulas import made_safe
from qrkit.report.code_table import CodeRow
from qrkit.report.facts import Facts
from qrkit.report.plots import plots
from qrkit.report.ranked_tables import attribute_table, campaign_table

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["packed"]

WIDTH = 960
DPI = 192
"""Dots per inch of PNG files; a pixel of the page is 1/72 inch, so they are 2,560 dots wide."""
FONT = "system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
CHART_NAMES: Mapping[Callable[..., charts.Chart], str] = {
    charts.lines: "over-time",
    charts.previous_period: "over-time",
    charts.unusual_days: "over-time",
    charts.small_multiples: "by-campaign",
    charts.hour_of_week: "hours-of-week",
    charts.rates: "rates",
    charts.scans_by_location: "locations",
    charts.human_scans: "human-scans",
    charts.time_to_first_scan: "first-scans",
}
"""Names of files, which are the same for each period and language, so that slides can link to them."""
_VARIABLE = re.compile(r"var\(--[\w-]+,(#[0-9a-f]{6})\)")


def packed(facts: Facts, brand: Brand | None) -> bytes:
    """Return a ZIP archive with each chart as SVG and PNG, and each table and the data of each chart as CSV."""
    buffer = BytesIO()
    with ZipFile(buffer, "w") as archive:
        for name, data in _files(facts, brand):
            add(archive, name, data)
    return buffer.getvalue()


def _files(facts: Facts, brand: Brand | None) -> Iterator[tuple[str, bytes]]:
    for plot in plots(facts):
        stem = CHART_NAMES[plot.draw]
        with charts.branded(brand) if brand else nullcontext():
            chart = plot.at(WIDTH)
            yield f"charts/{stem}.svg", _standalone(charts.to_svg(chart)).encode()
            image = BytesIO()
            chart.savefig(image, format="png", dpi=DPI, metadata={"Software": None})
        yield f"charts/{stem}.png", image.getvalue()
        yield f"data/{stem}.csv", _csv(plot.frame)
    for name, frame in _tables(facts):
        yield f"tables/{name}.csv", _csv(frame)


def _standalone(svg: str) -> str:
    """Return an SVG with colors and a font that every program understands; only pages know CSS variables."""
    return _VARIABLE.sub(r"\1", svg).replace("<svg ", f'<svg font-family="{FONT}" ', 1)


def _tables(facts: Facts) -> Iterator[tuple[str, pd.DataFrame]]:
    import pandas as pd

    colors = dict.fromkeys(facts.titles.values(), 1)
    if len(colors) > 1:
        groups = [(row.name, row.codes, row.scans, row.share) for row in campaign_table(facts, colors).rows]
        yield "campaigns", pd.DataFrame(groups, columns=["campaign", "codes", "scans", "share"])
    for name in facts.attributes:
        if table := attribute_table(facts, name):
            counts = [(row.name, row.scans, row.visitors, row.share) for row in table.rows]
            yield name, pd.DataFrame(counts, columns=[name, "scans", "visitors", "share"])
    codes = [_of_code(facts, CodeRow.of(facts, code)) for code in facts.codes]
    columns = ["qrcode", "campaign", "short_url", "content", "scans", "visitors", "share", "imported_scans"]
    yield "qrcodes", pd.DataFrame(codes, columns=columns).convert_dtypes()


def _of_code(facts: Facts, row: CodeRow) -> tuple[object, ...]:
    """Return the cells of a QR Code; the scans of a static code are unknown."""
    share = row.scans / facts.scans if facts.scans else 0.0
    counts = (row.scans, row.visitors, share) if row.is_counted else (None, None, None)
    return row.name, row.campaign, row.short_url, row.content, *counts, row.imported


def _csv(frame: pd.DataFrame) -> bytes:
    """Return a table as CSV with UTF-8 and a byte order mark, which Excel needs, safe against formulas."""
    texts = frame.select_dtypes(include=["object", "string"]).columns
    safe = frame.assign(**{str(name): frame[name].map(made_safe, na_action="ignore") for name in texts})
    return b"\xef\xbb\xbf" + safe.to_csv(index=False, lineterminator="\r\n").encode("utf-8", errors="replace")
