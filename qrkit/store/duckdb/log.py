"""Checks the log next to a DuckDB file, which contains all commits since the last checkpoint.

After a crash, DuckDB replays the log up to the last commit. If the log ends in the middle of an entry, DuckDB assumes
that a crash cut it off. Damage to the size of an entry or to the beginning of the log looks the same, so DuckDB would
discard all following commits, or even the whole log, without an error. If a checksum is wrong, DuckDB refuses to open
the file. The log is therefore checked before DuckDB opens it, and cut only where no commit follows.
"""

from __future__ import annotations

import logging
import os
import re
import struct
from pathlib import Path
from typing import NamedTuple

from qrkit.store.duckdb.damage import damaged
from qrkit.store.duckdb.file_blocks import checksum

_log = logging.getLogger("qrkit")

VERSION = re.compile(
    # Fields 100 to 103: the kind of the entry, the version of the log, the file's identifier, its last checkpoint.
    rb"d\x00\x62e\x00\x02(?:f\x00\x10(?:[\x80-\xff]*[\x00-\x7f]){16}g\x00[\x80-\xff]*[\x00-\x7f])?\xff\xff",
    re.DOTALL,
)
"""Matches the first entry, the only one without a size and a checksum."""
FRAME = struct.Struct("<QQ")
"""The size and the checksum in front of an entry."""
END_OF_COMMIT = b"d\x00d\xff\xff"
COMMIT = FRAME.pack(len(END_OF_COMMIT), checksum(END_OF_COMMIT)) + END_OF_COMMIT


class _Extent(NamedTuple):
    """The undamaged part of a log: its length up to the first damage, and up to the last commit before that."""

    entries: int
    commits: int


def logs_of(path: Path) -> list[Path]:
    """Return the paths of the logs of a file: the log itself, and the one that is used during a checkpoint."""
    return [path.with_name(f"{path.name}{suffix}") for suffix in (".wal", ".wal.checkpoint")]


def check_log(path: Path) -> None:
    """Cut off a damaged end of a file's log, as left by a power failure; nothing else may have the file open.

    Raises `StoreDamaged`, with the log unchanged, if commits after the damage would be lost.
    """
    for log in logs_of(path):
        content = _read(log)
        end = _sound(content).entries
        if COMMIT in content[end:]:
            what = f"its log is damaged at byte {end:,} of {len(content):,}, and later transactions would be lost"
            raise damaged(path, f"cannot be opened as a store: {what}")
    if lost := cut_log(path):
        _log.warning("%s: the last %d bytes of the log held no complete transaction and were cut off", path, lost)


def cut_log(path: Path) -> int:
    """Cut the log of a file at the first damage; return the number of bytes cut off."""
    lost = 0
    for log in logs_of(path):
        content = _read(log)
        extent = _sound(content)
        if extent.entries < len(content):
            os.truncate(log, extent.commits)
            lost += len(content) - extent.commits
    return lost


def _read(log: Path) -> bytes:
    return log.read_bytes() if log.exists() else b""


def _sound(content: bytes) -> _Extent:
    """Return the undamaged part of a log."""
    version = VERSION.match(content)
    if version is None:
        return _Extent(0, 0)
    end = committed = version.end()
    while end + FRAME.size <= len(content):
        size, stored = FRAME.unpack_from(content, end)
        entry = content[end + FRAME.size : end + FRAME.size + size]
        if len(entry) < size or checksum(entry) != stored:
            break
        end += FRAME.size + size
        committed = end if entry == END_OF_COMMIT else committed
    return _Extent(end, committed)
