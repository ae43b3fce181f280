"""Packs the charts and tables of a report into a ZIP archive, for people who build their own slides."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import nullcontext
from io import BytesIO
from zipfile import ZipFile

import pandas as pd

from qrkit import charts
from qrkit.design.brand import Brand
from qrkit.exchange import xlsx_file
from qrkit.exchange.archives import add
from qrkit.exchange.csv_file import made_safe
from qrkit.exchange.workbooks import frame_values
from qrkit.report.code_table import CodeRow
from qrkit.report.facts import Facts
from qrkit.report.plots import KINDS, Plot, plots
from qrkit.report.ranked_tables import attribute_table, campaign_table

WIDTH = 960
DPI = 192
"""Dots per inch of PNG files; a pixel of the page is 1/72 inch, so they are 2,560 dots wide."""
FONT = "system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
_VARIABLE = re.compile(r"var\(--[\w-]+,(#[0-9a-f]{6})\)")


def packed(html: str, facts: Facts, brand: Brand | None) -> bytes:
    """Return a ZIP archive with the page, each chart as SVG and PNG, and the tables and the data of charts.

    Tables and data are CSV files, and sheets of one workbook.
    """
    shown = _by_name(plots(facts))
    data = {f"data/{name}": plot.frame for name, plot in shown.items()}
    tables = {f"tables/{name}": frame for name, frame in _tables(facts)}
    buffer = BytesIO()
    with ZipFile(buffer, "w") as archive:
        add(archive, "report.html", html.encode())
        add(archive, "tables.xlsx", _workbook(tables | data))
        for name, picture in _pictures(shown, brand):
            add(archive, name, picture)
        for name, frame in (data | tables).items():
            add(archive, f"{name}.csv", _csv(frame))
    return buffer.getvalue()


def _by_name(shown: Iterable[Plot]) -> dict[str, Plot]:
    """Return charts by the names of their files; those of further experiments have a number."""
    named: dict[str, Plot] = {}
    for plot in shown:
        name, _ = KINDS[plot.draw]
        number = sum(one.draw == plot.draw for one in named.values()) + 1
        named[name if number == 1 else f"{name}-{number}"] = plot
    return named


def _pictures(shown: Mapping[str, Plot], brand: Brand | None) -> Iterator[tuple[str, bytes]]:
    for stem, plot in shown.items():
        with charts.branded(brand) if brand else nullcontext():
            chart = plot.at(WIDTH)
            yield f"charts/{stem}.svg", _standalone(charts.to_svg(chart)).encode()
            image = BytesIO()
            chart.savefig(image, format="png", dpi=DPI, metadata={"Software": None}, bbox_inches=chart.bbox_inches)
        yield f"charts/{stem}.png", image.getvalue()


def _standalone(svg: str) -> str:
    """Return an SVG with colors and a font that every program understands; only pages know CSS variables."""
    return _VARIABLE.sub(r"\1", svg).replace("<svg ", f'<svg font-family="{FONT}" ', 1)


def _tables(facts: Facts) -> Iterator[tuple[str, pd.DataFrame]]:
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
    """Return the cells of a QR Code; static and hidden codes have no numbers."""
    share = row.scans / facts.scans if facts.scans else 0.0
    counts = (row.scans, row.visitors, share) if row.is_counted else (None, None, None)
    return row.name, row.campaign, row.short_url, row.content, *counts, None if row.is_hidden else row.imported


def _csv(frame: pd.DataFrame) -> bytes:
    """Return a table as CSV with UTF-8 and a byte order mark, which Excel needs, safe against formulas."""
    texts = frame.select_dtypes(include=["object", "string"]).columns
    safe = frame.assign(**{str(name): frame[name].map(made_safe, na_action="ignore") for name in texts})
    return b"\xef\xbb\xbf" + safe.to_csv(index=False, lineterminator="\r\n").encode("utf-8", errors="replace")


def _workbook(frames: Mapping[str, pd.DataFrame]) -> bytes:
    """Return a workbook with a sheet for each frame, named after its file; days and times are text."""
    sheets = {name.partition("/")[2]: (list(frame.columns), _cells(frame)) for name, frame in frames.items()}
    buffer = BytesIO()
    xlsx_file.write_sheets(buffer, sheets)
    return buffer.getvalue()


def _cells(frame: pd.DataFrame) -> Iterable[tuple[object, ...]]:
    times = frame.select_dtypes(include=["datetime", "datetimetz"]).columns
    texts = {str(name): frame[name].astype("str").mask(frame[name].isna()) for name in times}
    return frame_values(frame.assign(**texts))
