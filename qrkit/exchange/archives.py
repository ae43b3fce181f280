"""Zip archives from strangers: their claims are checked before anything is unpacked, and nothing is written to disk."""

from __future__ import annotations

from collections import Counter
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from qrkit.errors import UnreadableFile

__all__ = ["SIGNATURE", "add", "members", "opened", "parts_of", "unpacked"]

SIGNATURE = (b"PK\x03\x04", b"PK\x05\x06")
"""How an archive begins, and one without entries; a heading may begin with PK, too."""
MOST_ENTRIES = 200_001
"""As many pictures as an import takes rows, and the manifest."""
MOST_UNPACKED = 256 * 2**20
"""Bytes of all entries together."""
MOST_RATIO = 200
"""Bytes that one byte of the archive may become, beyond the first million."""
FREE_BYTES = 1_000_000
ENCRYPTED, UTF_8 = 0x1, 0x800
LOCAL_HEADER = 30
"""Bytes in front of an entry, its name not counted."""
LONG_AGO = (1980, 1, 1, 0, 0, 0)
"""The date of every entry that is written: the same table gives the same bytes."""


def add(archive: ZipFile, name: str, data: bytes) -> None:
    """Write an entry that says nothing of when and where it was written."""
    entry = ZipInfo(name, LONG_AGO)
    entry.compress_type = ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    archive.writestr(entry, data)


def opened(data: bytes) -> ZipFile:
    """The archive, whose claims are within the limits; `unpacked` holds its entries to them.

    Raises:
        UnreadableFile: It is no zip archive, has too many entries or too much in them, an entry twice, or a password.
    """
    try:
        archive = ZipFile(BytesIO(data))
    except Exception as error:
        # What a broken archive raises is of many kinds: BadZipFile, struct.error, NotImplementedError, UnicodeError, …
        raise UnreadableFile("the file is not a zip archive, or it is damaged; save or send it again") from error
    found = archive.infolist()
    if len(found) > MOST_ENTRIES:
        raise UnreadableFile(f"the archive has {len(found):,} entries; at most {MOST_ENTRIES:,}")
    unpacked = sum(one.file_size for one in found)
    if unpacked > min(MOST_UNPACKED, FREE_BYTES + MOST_RATIO * len(data)):
        raise UnreadableFile(f"the archive claims to hold {unpacked:,} bytes in {len(data):,}; that is not unpacked")
    if any(one.flag_bits & ENCRYPTED for one in found):
        raise UnreadableFile("the archive has a password; pack it without one")
    if any(one.compress_type not in (ZIP_STORED, ZIP_DEFLATED) for one in found):
        raise UnreadableFile("the archive is packed in another way than that of all zip programs (deflate)")
    ((name, times),) = Counter(one.filename for one in found).most_common(1) or [("", 0)]
    if times > 1:
        raise UnreadableFile(f"the archive holds {name[:100]!r} twice")
    _check_overlaps(found, len(data))
    return archive


def _check_overlaps(found: list[ZipInfo], size: int) -> None:
    """Entries that share their bytes are how a small archive becomes a large one."""
    end = 0
    for one in sorted(found, key=lambda entry: entry.header_offset):
        if one.header_offset < end:
            raise UnreadableFile("the entries of the archive overlap")
        end = one.header_offset + LOCAL_HEADER + one.compress_size
    if end > size:
        raise UnreadableFile("the archive is cut off")


def unpacked(archive: ZipFile, entry: ZipInfo, most: int) -> bytes:
    """The bytes of an entry.

    Raises:
        UnreadableFile: It claims more than `most`, or is damaged.
    """
    if entry.file_size > most:
        raise UnreadableFile(f"{entry.filename[:100]!r} has {entry.file_size:,} bytes; at most {most:,}")
    try:
        with archive.open(entry) as file:
            # Not read(): that unpacks whatever is there before it looks at what was claimed.
            data = file.read(entry.file_size)
    except Exception as error:
        # What a broken archive raises is of many kinds: BadZipFile, zlib.error, EOFError, NotImplementedError, …
        raise UnreadableFile(f"{entry.filename[:100]!r} cannot be unpacked: {type(error).__name__}") from error
    if len(data) < entry.file_size:
        raise UnreadableFile(f"{entry.filename[:100]!r} cannot be unpacked: it is shorter than it claims")
    return data


def parts_of(name: str) -> tuple[str, ...]:
    """The parts of a path, without what would lead out of it."""
    return tuple(part for part in name.replace("\\", "/").split("/") if part not in ("", ".", ".."))


def members(archive: ZipFile) -> list[tuple[ZipInfo, tuple[str, ...]]]:
    """The files of an archive with the parts of their paths; what systems leave behind is left out.

    No part is "." or "..", and nothing is ever written by these names: they are names of campaigns and QR Codes.
    """
    found = []
    for one in archive.infolist():
        parts = parts_of(_name(one))
        if not parts or one.filename.endswith(("/", "\\")) or parts[0] == "__MACOSX" or parts[-1].startswith("."):
            continue
        found.append((one, parts))
    return found


def _name(entry: ZipInfo) -> str:
    """The name of an entry; some programs write UTF-8 without saying so, which then looks like code page 437."""
    if entry.flag_bits & UTF_8:
        return entry.filename
    try:
        return entry.filename.encode("cp437").decode()
    except UnicodeError:
        return entry.filename
