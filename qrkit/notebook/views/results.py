"""What imports and batches did: a sentence, and a table of the rows that have something to say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from qrkit.contents.cards import summary

if TYPE_CHECKING:
    from qrkit.exchange.merge import ImportResult
    from qrkit.pictures.batches import Batch

__all__ = ["view"]

MOST_SHOWN = 50
"""Rows."""


def view(result: Batch | ImportResult) -> dict[str, Any]:
    """The HTML of a sentence and of the first rows of a table, which may hold what strangers write."""
    frame = result.to_frame()
    if frame.empty:
        return {"text/html": f"<p>{result}</p>"}
    first = frame.head(MOST_SHOWN).rename_axis(index=None, columns="row")
    contents = {name: first[name].map(summary) for name in ("name", "content") if name in first}
    shown = first.assign(**contents).to_html(border=0)
    more = len(frame) - MOST_SHOWN
    rest = f"<p>… and {more:,} more; to_frame() has them all</p>" if more > 0 else ""
    # Cells are neither markup nor mathematics, and may hold halves of characters.
    page = f'<p>{result}</p><div class="tex2jax_ignore mathjax_ignore">{shown}</div>{rest}'
    return {"text/html": page.encode("utf-8", "replace").decode()}
