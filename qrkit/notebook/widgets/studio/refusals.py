"""Keeps what a user typed and a design cannot have, with the reason, until it is corrected: `Refusals`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from qrkit.errors import QrkitError
from qrkit.notebook.widgets.studio.draft import Draft, Edit, Path, messages
from qrkit.notebook.widgets.studio.offers import offer

__all__ = ["Refusals"]


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
