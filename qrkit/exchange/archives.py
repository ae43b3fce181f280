"""Zip archives from strangers: their claims are checked before anything is unpacked, and nothing is written to disk."""

from __future__ import annotations

from io import BytesIO
from zipfile import BadZipFile, ZipFile, ZipInfo

from qrkit.errors import UnreadableFile

__all__ = ["SIGNATURE", "members", "opened", "parts_of"]

SIGNATURE = b"PK"
MOST_ENTRIES = 10_000
MOST_UNPACKED = 256 * 2**20
"""Bytes of all entries together."""
MOST_RATIO = 200
"""Bytes that one byte of the archive may become, beyond the first million."""
FREE_BYTES = 1_000_000
ENCRYPTED = 0x1


def opened(data: bytes) -> ZipFile:
    """The archive, whose claims are within the limits. An entry never gives more bytes than it claims.

    Raises:
        UnreadableFile: It is no zip archive, has too many entries or too much in them, an entry twice, or a password.
    """
    try:
        archive = ZipFile(BytesIO(data))
    except (BadZipFile, ValueError, NotImplementedError, OSError, UnicodeError) as error:
        raise UnreadableFile(f"the file is no zip archive that can be read: {error}") from error
    found = archive.infolist()
    if len(found) > MOST_ENTRIES:
        raise UnreadableFile(f"the archive has {len(found):,} entries; at most {MOST_ENTRIES:,}")
    unpacked = sum(one.file_size for one in found)
    if unpacked > min(MOST_UNPACKED, FREE_BYTES + MOST_RATIO * len(data)):
        raise UnreadableFile(f"the archive claims to hold {unpacked:,} bytes in {len(data):,}; that is not unpacked")
    if any(one.flag_bits & ENCRYPTED for one in found):
        raise UnreadableFile("the archive has a password; pack it without one")
    names = [one.filename for one in found]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise UnreadableFile(f"the archive holds {twice[:100]!r} twice")
    _check_overlaps(found, len(data))
    return archive


def _check_overlaps(found: list[ZipInfo], size: int) -> None:
    """Entries that share their bytes are how a small archive becomes a large one."""
    end = 0
    for one in sorted(found, key=lambda entry: entry.header_offset):
        if one.header_offset < end:
            raise UnreadableFile("the entries of the archive overlap")
        end = one.header_offset + one.compress_size
    if end > size:
        raise UnreadableFile("the archive is cut off")


def parts_of(name: str) -> tuple[str, ...]:
    """The parts of a path, without what would lead out of it."""
    return tuple(part for part in name.replace("\\", "/").split("/") if part not in ("", ".", ".."))


def members(archive: ZipFile) -> list[tuple[ZipInfo, tuple[str, ...]]]:
    """The files of an archive with the parts of their paths; what systems leave behind is left out.

    No part is "." or "..", and nothing is ever written by these names: they are names of campaigns and QR Codes.
    """
    found = []
    for one in archive.infolist():
        parts = parts_of(one.filename)
        if one.is_dir() or not parts or parts[0] == "__MACOSX" or parts[-1].startswith("."):
            continue
        found.append((one, parts))
    return found
