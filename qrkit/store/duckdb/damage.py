"""Recognizes DuckDB errors about a damaged store file, and converts them to ours."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from qrkit.errors import StoreDamaged
from qrkit.store.places.history_folder import Folder

if TYPE_CHECKING:
    import duckdb

    from qrkit.store.places.history_places import Place


WORDS = (
    "orrupt",
    "Could not read enough bytes",
    "Serialization Error",
    "while replaying WAL",
    "This WAL was created",
    "not recognized by this version",
    "Metadata block",
)
"""Phrases in DuckDB's messages about a damaged block or log, or a truncated file; most of these have no own class."""
HISTORY_FILE = ".parquet"
"""A phrase in DuckDB's messages about a missing or damaged file of the history, the only files with this suffix."""


def is_damage(error: duckdb.Error) -> bool:
    """Return whether DuckDB reports that the file or its log is damaged."""
    return type(error).__name__ == "Error" or any(words in str(error) for words in (*WORDS, HISTORY_FILE))


def bucket_failure(error: duckdb.Error) -> str:
    """Return what the library of a bucket says, which DuckDB passes on as a traceback; empty for other errors."""
    text = str(error).partition("\n\nLINE ")[0]
    if not text.startswith("Traceback"):
        return ""
    return next(line for line in reversed(text.splitlines()) if line and not line.startswith(" "))


def damaged(path: str | Path, what: str) -> StoreDamaged:
    """Create the error for a damaged store, or a damaged file of its history, with advice on what to do."""
    if "://" in str(path):  # a store on a server, of which only files of the history are read here
        return StoreDamaged(f"{path} {what}").advising("restore the file from a backup")
    return StoreDamaged(f"{path} {what}").advising(
        {
            "command": f"restore a backup, or write what can be read into a new store: qrkit rescue {path} NEW",
            "python": f"Restore a backup, or write what can be read to a new store: rescue({str(path)!r}, NEW).",
        }
    )


def without_folder(path: str | Path, folder: Folder) -> StoreDamaged:
    """Create the error for a store that was copied or renamed without the folder of its archived visits."""
    missing = StoreDamaged(f"{path} has archived visits in the folder {folder.address}, which is missing")
    return missing.advising(f"copy the folder of the archived visits there, and name it {folder.path.name}")


def unreadable_history(path: str, place: Place, error: duckdb.Error) -> StoreDamaged:
    """Create the error for a question that needs a file of the history that cannot be read."""
    if isinstance(place, Folder) and not place.is_used():
        return without_folder(path, place)
    # What DuckDB may not read is at an earlier place of the store, which would mislead.
    reason = "" if "Permission Error" in (line := first_line(error)) else f": {line}"
    return damaged(path, f"cannot be read, because a file in {place.address} is missing or damaged{reason}")


def first_line(error: Exception) -> str:
    """Return the first line of a database's error message, without the lines that quote the statement."""
    return (str(error).splitlines() or [type(error).__name__])[0]
