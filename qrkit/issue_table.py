"""What a notebook shows of a result: a sentence, and a table of the rows that something is to be said of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qrkit.cards import summary

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["issue_table"]

MOST_SHOWN = 50
"""Rows."""


def issue_table(said: str, frame: pd.DataFrame) -> str:
    """The HTML of a sentence and of the first rows of a table, which may hold what strangers write."""
    if frame.empty:
        return f"<p>{said}</p>"
    first = frame.head(MOST_SHOWN).rename_axis(index=None, columns="row")
    contents = {name: first[name].map(summary) for name in ("name", "content") if name in first}
    shown = first.assign(**contents).to_html(border=0)
    more = len(frame) - MOST_SHOWN
    rest = f"<p>… and {more:,} more; to_frame() has them all</p>" if more > 0 else ""
    # Cells are neither markup nor mathematics, and may hold halves of characters.
    page = f'<p>{said}</p><div class="tex2jax_ignore mathjax_ignore">{shown}</div>{rest}'
    return page.encode("utf-8", "replace").decode()
