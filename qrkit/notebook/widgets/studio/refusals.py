"""Keeps what a user typed and a design cannot have, with the reason, until it is corrected; suggests what works."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from qrkit.design.color_names import COLOR_NAMES
from qrkit.errors import ContentTooLong, InvalidParameter, QrkitError
from qrkit.languages import say, translated
from qrkit.notebook.widgets.controls import Control, control_at
from qrkit.notebook.widgets.studio.draft import Draft, Edit, Path, messages

_DIGITS = re.compile("#?([0-9a-f]{1,2})")


@dataclass(frozen=True, slots=True)
class Refusal:
    """Edits that were refused together."""

    edits: tuple[Edit, ...]
    messages: dict[str, str]
    offer: dict[str, Any] | None


class Refusals:
    """The refused values of a studio. A value that becomes possible through another change is taken then."""

    def __init__(self) -> None:
        self._refused: list[Refusal] = []

    def add(self, edits: Sequence[Edit], error: QrkitError, draft: Draft) -> None:
        """Keep edits that a draft refused."""
        self._refused.append(Refusal(tuple(edits), messages(error, edits), offer(edits, error, draft)))

    def forget(self, edits: Sequence[Edit]) -> None:
        """Drop the refused values that edits replace; without edits, all of them."""
        self._refused = [
            one
            for one in self._refused
            if edits and not any(_replaces(new, old.path) for new in edits for old in one.edits)
        ]

    def retry(self, draft: Draft, edit: Callable[[Sequence[Edit]], None]) -> None:
        """Take the values that a draft now accepts when `edit` is called, and update the reasons of the others."""
        refused, self._refused = self._refused, []
        for one in refused:
            try:
                edit(one.edits)
            except QrkitError as error:
                self.add(one.edits, error, draft)

    @property
    def errors(self) -> dict[str, str]:
        """The reasons, by the paths of the fields to show them at."""
        return {path: rule for one in self._refused for path, rule in one.messages.items()}

    def as_dict(self) -> dict[str, dict[str, Any]]:
        """Return refused values and suggestions for the browser, by the paths of their fields."""
        return {
            ".".join(map(str, edit.path)): {"value": edit.value, "offer": one.offer}
            for one in self._refused
            for edit in one.edits
        }


def _replaces(edit: Edit, path: Path) -> bool:
    """Whether an edit makes a refused value at a path meaningless: that of its field, of a part, or of a moved item."""
    first = edit.path if edit.do == "set" else edit.path[:1]
    return path[: len(first)] == first or first[: len(path)] == path


# ---- values that work


def offer(edits: Sequence[Edit], error: QrkitError, draft: Draft) -> dict[str, Any] | None:
    """Return the first suggestion that works, as `words` and `edits` for the browser; None if there is none.

    The draft is the one without these edits.
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
        yield say("Choose the version automatically"), [*edits, automatic]
        yield say("Use error correction level L"), [*edits, automatic, Edit(("ec",), value="L")]
    if isinstance(error, InvalidParameter) and error.name == "content" and error.code == "bad-content":
        yield say("Use byte mode"), [*edits, Edit(("em",), value="byte")]
    if len(edits) == 1:
        (edit,) = edits
        for words, value in _values(control_at(edit.path), edit.value):
            yield words, [Edit(edit.path, value=value)]


def _values(control: Control | None, value: Any) -> Iterator[tuple[str, Any]]:
    if control is None:
        return
    if control.kind == "color" and isinstance(value, str) and (color := color_meant(value)):
        yield say("Use {value}", value=color), color
    if control.kind == "number" and control.low is not None and type(value) in (int, float):
        assert control.high is not None  # bounds come in pairs
        near = min(max(value, control.low), control.high)
        near = round(near) if control.whole else near
        shown = f"{near * 100:g}%" if control.percent else f"{near:g} {translated(control.unit)}".rstrip()
        yield say("Use {value}", value=shown), near


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
