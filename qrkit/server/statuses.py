"""Maps errors to HTTP statuses: 400 for invalid requests, 401 and 403 for access, 404 for missing records."""

from __future__ import annotations

from qrkit import errors
from qrkit.errors import QrkitError

STATUSES: dict[type[QrkitError], int] = {
    errors.BadRequest: 400,
    errors.CannotRepair: 400,
    errors.ContentTooLong: 400,
    errors.InvalidParameter: 400,
    errors.NoSymbol: 400,
    errors.RenderingFailed: 400,
    errors.UnreadableFile: 400,
    errors.NotAuthenticated: 401,
    errors.NotAllowed: 403,
    errors.RemoteContentDisabled: 403,
    errors.NotFound: 404,
    errors.WrongMethod: 405,
    errors.Gone: 410,
    errors.BodyTooLarge: 413,
    errors.AddressTooLong: 414,
    errors.WrongMediaType: 415,
    errors.TooManyRequests: 429,
    errors.HeaderTooLarge: 431,
    errors.NotReady: 503,
    errors.NotStored: 503,
    errors.StoreBusy: 503,
    errors.StoreClosed: 503,
    errors.StoreDamaged: 503,
    errors.StoreReadOnly: 503,
}
"""HTTP status by error class. Other classes have the status of their nearest base class in the table, or else 500."""


OUTSIDE_TEXTS: dict[type[QrkitError], str] = {
    errors.CannotWrite: "a file cannot be written now; please try again later",
    errors.StoreBusy: "the store does not answer now; please try again later",
    errors.StoreClosed: "the store is closed; please try again later",
    errors.StoreReadOnly: "the store cannot be changed now; please try again later",
}
"""Texts that replace, for clients, messages with paths, hosts or messages of the database."""


def outside_text(error: QrkitError) -> str | None:
    """Return the text that clients get instead of an error's message; None if they may read the message."""
    return next((text for cls, text in OUTSIDE_TEXTS.items() if isinstance(error, cls)), None)


def status_of(error: QrkitError) -> int:
    """Return the HTTP status of a response that reports this error."""
    return next((STATUSES[cls] for cls in type(error).__mro__ if cls in STATUSES), 500)
