"""Sends messages between a process that serves a store and one that asks: JSON, and bytes.

JSON cannot run code when it is read, as pickle could.
"""

from __future__ import annotations

import json
import socket
import struct
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import duckdb

from qrkit.errors import QrkitError
from qrkit.store.served.told_errors import error_from_json, error_to_json

MOST_BYTES = 2**26
"""Maximum bytes of the JSON of a message, and of what follows it. An import sends 5,000 QR Codes at once."""
WRITING, VISITING, STANDING, TAKE_VISITS = "BEGIN WRITING", "BEGIN VISITING", "BEGIN STANDING", "TAKE VISITS"
"""Statements that begin a transaction in the other process: `atomic`, `adding`, `standing` and `take_visits`."""

_LENGTHS = struct.Struct(">II")
TAG = "\0"
"""The key of an object that represents a value of a type that JSON lacks."""

Write = Callable[[Any], str]
KINDS: dict[str, tuple[type, Write, Callable[[str], Any]]] = {
    # A datetime is a date, too, so it comes first.
    "datetime": (datetime, datetime.isoformat, datetime.fromisoformat),
    "date": (date, date.isoformat, date.fromisoformat),
    "time": (time, time.isoformat, time.fromisoformat),
    "seconds": (timedelta, lambda value: str(value.total_seconds()), lambda text: timedelta(seconds=float(text))),
    "decimal": (Decimal, str, Decimal),
    "bytes": (bytes, bytes.hex, bytes.fromhex),
}


class TooLong(ValueError):
    """A message exceeds `MOST_BYTES`."""


def send(connection: socket.socket, message: Any, data: bytes = b"") -> None:
    """Send a message: JSON, which may also contain timestamps, dates, times, durations, decimals and bytes.

    Nothing is sent if it raises `TooLong`.
    """
    text = json.dumps(message, default=_tagged, ensure_ascii=False).encode("utf-8", "surrogatepass")
    if max(len(text), len(data)) > MOST_BYTES:
        raise TooLong(f"{max(len(text), len(data)):,} bytes at once are too many; {MOST_BYTES:,} are allowed")
    connection.sendall(_LENGTHS.pack(len(text), len(data)) + text)
    if data:  # the peer may have closed: its message is complete
        connection.sendall(data)


def receive(connection: socket.socket) -> tuple[Any, bytes]:
    """Receive a message and the bytes that follow it. After `TooLong`, the connection cannot be used any more."""
    lengths = _LENGTHS.unpack(_read(connection, _LENGTHS.size))
    if max(lengths) > MOST_BYTES:
        raise TooLong(f"a message of {max(lengths):,} bytes is too long; {MOST_BYTES:,} are allowed")
    text, data = (_read(connection, length) for length in lengths)
    return json.loads(text.decode("utf-8", "surrogatepass"), object_hook=_untagged), bytes(data)


def _read(connection: socket.socket, length: int) -> bytearray:
    found = bytearray()
    while len(found) < length:
        if not (part := connection.recv(min(length - len(found), 2**20))):
            raise EOFError("the connection was closed")
        found += part
    return found


def _tagged(value: Any) -> Any:
    for name, (kind, write, _) in KINDS.items():
        if isinstance(value, kind):
            return {TAG: [name, write(value)]}
    if hasattr(value, "tolist"):  # a number or an array of numpy
        return value.tolist()
    raise TypeError(f"{type(value).__name__} cannot be sent")


def _untagged(found: dict[str, Any]) -> Any:
    if TAG not in found:
        return found
    try:
        name, text = found[TAG]
        return KINDS[name][2](text)
    except (KeyError, TypeError, ArithmeticError) as error:
        raise ValueError(f"{found!r} stands for no value") from error


def failure(error: Exception) -> dict[str, str]:
    """Return the answer that says that a request failed."""
    if isinstance(error, QrkitError):
        return {"refused": error_to_json(error).decode()}
    name = type(error).__name__ if isinstance(error, duckdb.Error) else "RuntimeError"
    return {"failed": name, "text": str(error)}


def raised(answer: dict[str, Any]) -> None:
    """Raise the error of an answer, if it has one."""
    if "refused" in answer:
        raise error_from_json(answer["refused"].encode())
    if "failed" in answer:
        kind = getattr(duckdb, answer["failed"], None)
        is_known = isinstance(kind, type) and issubclass(kind, duckdb.Error)
        raise (kind if is_known and kind else RuntimeError)(answer["text"])
