"""Maps errors to HTTP statuses: 400 for invalid requests, 401 and 403 for access, 404 for missing records."""

from __future__ import annotations

from qrkit.errors import (
    AddressTooLong,
    BadRequest,
    BodyTooLarge,
    CannotRepair,
    CannotWrite,
    ContentTooLong,
    Gone,
    HeaderTooLarge,
    InvalidParameter,
    NoSymbol,
    NotAllowed,
    NotAuthenticated,
    NotFound,
    NotReady,
    NotStored,
    QrkitError,
    RemoteContentDisabled,
    RenderingFailed,
    StoreBusy,
    StoreClosed,
    StoreDamaged,
    StoreReadOnly,
    TooManyRequests,
    UnreadableFile,
    WrongMediaType,
    WrongMethod,
)

__all__ = ["STATUSES", "outside_text", "status_of"]

STATUSES: dict[type[QrkitError], int] = {
    BadRequest: 400,
    CannotRepair: 400,
    ContentTooLong: 400,
    InvalidParameter: 400,
    NoSymbol: 400,
    RenderingFailed: 400,
    UnreadableFile: 400,
    NotAuthenticated: 401,
    NotAllowed: 403,
    RemoteContentDisabled: 403,
    NotFound: 404,
    WrongMethod: 405,
    Gone: 410,
    BodyTooLarge: 413,
    AddressTooLong: 414,
    WrongMediaType: 415,
    TooManyRequests: 429,
    HeaderTooLarge: 431,
    NotReady: 503,
    NotStored: 503,
    StoreBusy: 503,
    StoreClosed: 503,
    StoreDamaged: 503,
    StoreReadOnly: 503,
}
"""HTTP status by error class. Other classes have the status of their nearest base class in the table, or else 500."""


OUTSIDE_TEXTS: dict[type[QrkitError], str] = {
    CannotWrite: "a file cannot be written now; please try again later",
    StoreBusy: "the store does not answer now; please try again later",
    StoreClosed: "the store is closed; please try again later",
    StoreReadOnly: "the store cannot be changed now; please try again later",
}
"""Texts that replace, for clients, messages with paths, hosts or messages of the database."""


def outside_text(error: QrkitError) -> str | None:
    """Return the text that clients get instead of an error's message; None if they may read the message."""
    return next((text for cls, text in OUTSIDE_TEXTS.items() if isinstance(error, cls)), None)


def status_of(error: QrkitError) -> int:
    """Return the HTTP status of a response that reports this error."""
    return next((STATUSES[cls] for cls in type(error).__mro__ if cls in STATUSES), 500)
