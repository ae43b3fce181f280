"""`Saved`: what an account saves by name, such as templates and brands."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, TypeGuard

from qrkit.errors import InvalidParameter, NotFound, Problem, similar
from qrkit.late import Shown
from qrkit.store import Store
from qrkit.store.records import templates as table
from qrkit.store.records.templates import SavedIn
from qrkit.tracking.times import Clock, now

LONGEST_NAME = 100
MOST_SAVED = 1000
"""The maximum number of templates, and of brands, per account."""


class Saved(Shown):
    """What one account has saved by name. Iterate to get the names."""

    kind: ClassVar[str]
    """What is saved, in one word."""
    stored_in: ClassVar[SavedIn]
    """The table."""

    def __init__(self, store: Store, account_id: str, *, clock: Clock = now) -> None:
        self._store = store
        self._account_id = account_id
        self._clock = clock

    def names(self) -> list[str]:
        """Return all names, sorted."""
        return table.names(self._store, self.stored_in, self._account_id)

    def delete(self, name: str) -> None:
        """Delete what has this name.

        Raises:
            NotFound: If nothing has this name.
        """
        self._read(name)
        table.delete(self._store, self.stored_in, self._account_id, name)

    def use(self, name: str | None) -> None:
        """Make the template or brand of this name the current one; None clears it.

        The current template draws every tracked QR Code for which neither the QR Code nor its campaign names a
        template. Reports and landing pages of the account have the current brand.

        Raises:
            NotFound: If nothing has this name.
        """
        if name is not None:
            self._read(name)
        table.use(self._store, self.stored_in, self._account_id, name)

    def _check_name(self, name: str) -> None:
        """Check a new name."""
        if not _is_text(name) or not 1 <= len(name) <= LONGEST_NAME:
            raise InvalidParameter(Problem("name", name, f"must be a text of 1..{LONGEST_NAME} characters"))

    def _write(self, name: str, text: str) -> None:
        """Save JSON under a name."""
        if name not in self and len(self) >= MOST_SAVED:
            rule = f"would be one more than the {MOST_SAVED} that are allowed; delete one first"
            raise InvalidParameter(Problem("name", name, rule))
        table.save(self._store, self.stored_in, self._account_id, name, fields=text, created=self._clock())

    def _read(self, name: str) -> str:
        """Return the JSON that has this name."""
        text = table.get(self._store, self.stored_in, self._account_id, name) if _is_text(name) else None
        if text is None:
            raise NotFound(self.kind, name, code=f"{self.kind}-not-found", hint=similar(str(name), self.names()))
        return text

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def __len__(self) -> int:
        return len(self.names())

    def __contains__(self, name: object) -> bool:
        return name in self.names()

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {', '.join(self.names()) or 'none'}>"


def _is_text(name: object) -> TypeGuard[str]:
    """Return whether the name is a text that can be encoded as UTF-8; a text with a lone surrogate cannot."""
    return isinstance(name, str) and name.encode("utf-8", "ignore").decode("utf-8") == name
