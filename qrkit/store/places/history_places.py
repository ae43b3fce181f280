"""Places for the files of a history: a folder, or a bucket of an object store.

A place writes a file whole or not at all. Before it writes a file, it leaves an empty note that the file may be deleted
unless the store lists it; so whatever a crash leaves behind is found. Both kinds have the same methods; their `file` is
a path in the place, such as 2026-03/0123456789abcdef.parquet.
"""

from __future__ import annotations

from pathlib import Path

from qrkit.store.places.history_bucket import Bucket
from qrkit.store.places.history_folder import Folder

Place = Bucket | Folder


def place_at(address: str) -> Place:
    """Return the place with an address: the path of a folder, or the URL of a prefix in a bucket."""
    return Bucket(address) if "://" in address else Folder(Path(address).absolute())
