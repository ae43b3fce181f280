"""Records <-> DataFrame: typed for people, text for files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from qrkit.errors import InvalidParameter, nearest
from qrkit.exchange.columns import ALL_NAMES, NAMES, Entry, read_row, write_row
from qrkit.exchange.merge import ImportIssue
from qrkit.exchange.tables import ERROR, REASON
from qrkit.records import Campaign, QRCode

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["campaigns_frame", "entries_of", "qrcodes_frame", "text_table"]

NUMBERS = {
    "Scans": "int64",
    "Latitude": "float64",
    "Longitude": "float64",
    "Size": "int64",
    "Padding": "int64",
    "Version": "int64",
}


def text_table(codes: Sequence[QRCode], campaign_names: Mapping[str | None, str]) -> pd.DataFrame:
    """The table of a file: a row of text a QR Code, all columns of `exchange.columns`, indexed by id."""
    import pandas as pd

    rows = [write_row(code, campaign_names[code.campaign_id]) for code in codes]
    index = pd.Index([code.id for code in codes], name="id", dtype="str")
    return pd.DataFrame(rows, columns=list(ALL_NAMES), index=index, dtype="str")


def qrcodes_frame(codes: Sequence[QRCode], campaign_names: Mapping[str | None, str]) -> pd.DataFrame:
    """The same for people: numbers as numbers (NaN for no place), Created as datetime64 UTC, Dynamic as bool."""
    import pandas as pd

    frame = text_table(codes, campaign_names)[list(NAMES)]
    for name, dtype in NUMBERS.items():
        frame[name] = pd.to_numeric(frame[name]).astype(dtype)  # type: ignore[call-overload]  # dtypes of a table
    created = pd.to_datetime(frame["Created (UTC)"], format="%Y-%m-%d %H:%M:%S", utc=True)
    frame["Created (UTC)"] = created.dt.as_unit("us")
    frame["Dynamic"] = frame["Dynamic"] == "true"
    return frame


def campaigns_frame(campaigns: Sequence[Campaign], codes: Sequence[QRCode]) -> pd.DataFrame:
    """A row a campaign, indexed by id: name, description (str), created (datetime64 UTC), qrcodes, scans (int64)."""
    import pandas as pd

    rows = []
    for one in campaigns:
        own = [code for code in codes if code.campaign_id == one.id]
        rows.append((one.name, one.description, one.created, len(own), sum(code.scans for code in own)))
    index = pd.Index([one.id for one in campaigns], name="id", dtype="str")
    frame = pd.DataFrame(rows, columns=["name", "description", "created", "qrcodes", "scans"], index=index)
    frame["created"] = pd.to_datetime(frame["created"], utc=True).dt.as_unit("us")
    return frame.astype({"name": "str", "description": "str", "qrcodes": "int64", "scans": "int64"})


def entries_of(table: pd.DataFrame) -> tuple[list[Entry], list[ImportIssue]]:
    """What the rows of a file's table say, and what of it is not usable: rows, and columns that nobody knows."""
    entries = []
    issues = [
        ImportIssue(
            1, "", "", "", "unknown-column", f"{title!r} is no column, and was left out; {nearest(title, NAMES)}"
        )
        for title in table.attrs.get("unknown", [])
    ]
    for row, *texts in table.itertuples(name=None):
        cells = dict(zip(table.columns, texts, strict=True))
        detail = cells[ERROR]
        if not detail:
            try:
                entries.append(read_row(int(row), cells))
                continue
            except InvalidParameter as error:
                detail = str(error)
        named = (cells["Campaign Name"], cells["QR Code Name"], cells["Content"])
        issues.append(ImportIssue(int(row), *named, cells[REASON] or "invalid", detail))
    return entries, issues
