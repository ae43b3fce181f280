"""The HTTP status of each error: 400 for what was sent, 401 and 403 for who sent it, 404 for what is missing."""

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
"""A class that is not in the table has the status of its base, and 500 where no base has one."""


OUTSIDE_TEXTS: dict[type[QrkitError], str] = {
    CannotWrite: "a file cannot be written now; please try again later",
    StoreBusy: "the store does not answer now; please try again later",
    StoreClosed: "the store is closed; please try again later",
    StoreReadOnly: "the store cannot be changed now; please try again later",
}
"""What clients are told instead of messages that contain paths, hosts or words of the database."""


def outside_text(error: QrkitError) -> str | None:
    """What clients are told instead of the message of an error; None if they may read the message."""
    return next((text for cls, text in OUTSIDE_TEXTS.items() if isinstance(error, cls)), None)


def status_of(error: QrkitError) -> int:
    """The HTTP status of an answer that tells of this error."""
    return next((STATUSES[cls] for cls in type(error).__mro__ if cls in STATUSES), 500)
