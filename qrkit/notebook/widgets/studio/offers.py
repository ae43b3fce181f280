"""Suggests a value that works for one that a design cannot have, to be taken with one click: `offer`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from typing import Any

from qrkit.design.color_names import COLOR_NAMES
from qrkit.errors import ContentTooLong, InvalidParameter, QrkitError
from qrkit.notebook.widgets.controls import Control, control_at
from qrkit.notebook.widgets.studio.draft import Draft, Edit

__all__ = ["color_meant", "offer"]

_DIGITS = re.compile("#?([0-9a-f]{1,2})")


def offer(edits: Sequence[Edit], error: QrkitError, draft: Draft) -> dict[str, Any] | None:
    """Return the first suggestion that works, as `words` and `edits` for the browser; None if there is none.

    Args:
        edits: The edits that were refused.
        error: Why they were refused.
        draft: The draft without these edits.
    """
    for words, others in _suggestions(edits, error):
        try:
            draft.try_out(*others)
        except QrkitError:
            continue
        return {"words": words, "edits": [{"path": list(one.path), "value": one.value} for one in others]}
    return None


def _suggestions(edits: Sequence[Edit], error: QrkitError) -> Iterator[tuple[str, list[Edit]]]:
    automatic = Edit(("version",))
    if isinstance(error, ContentTooLong):
        yield "Choose the version automatically", [*edits, automatic]
        yield "Use error correction level L", [*edits, automatic, Edit(("ec",), value="L")]
    if isinstance(error, InvalidParameter) and error.name == "content" and error.code == "bad-content":
        yield "Use byte mode", [*edits, Edit(("em",), value="byte")]
    if len(edits) == 1:
        (edit,) = edits
        for words, value in _values(control_at(edit.path), edit.value):
            yield words, [Edit(edit.path, value=value)]


def _values(control: Control | None, value: Any) -> Iterator[tuple[str, Any]]:
    if control is None:
        return
    if control.kind == "color" and isinstance(value, str) and (color := color_meant(value)):
        yield f"Use {color}", color
    if control.kind == "number" and control.low is not None and type(value) in (int, float):
        assert control.high is not None  # bounds come in pairs
        near = min(max(value, control.low), control.high)
        near = round(near) if control.whole else near
        shown = f"{near * 100:g}%" if control.percent else f"{near:g} {control.unit}".rstrip()
        yield f"Use {shown}", near


def color_meant(text: str) -> str | None:
    """Return the color that a text probably means, as people write it; None if that cannot be told.

    Example:
        >>> color_meant("#18"), color_meant("Light blu")
        ('#181818', 'lightblue')
    """
    name = text.strip().lower()
    if found := _DIGITS.fullmatch(name):
        return f"#{found[1].upper() * (6 // len(found[1]))}"
    close = get_close_matches(re.sub(r"[^a-z]", "", name), COLOR_NAMES, n=1)
    return close[0] if close else None
