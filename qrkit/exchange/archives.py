"""Read untrusted zip archives: declared sizes are checked before unpacking, and nothing is extracted to disk."""

from __future__ import annotations

import gzip
from collections import Counter
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from qrkit.errors import UnreadableFile

SIGNATURE = (b"PK\x03\x04", b"PK\x05\x06")
"""The first bytes of an archive, and of an empty archive; "PK" alone could also start the heading of a CSV file."""
GZIP = b"\x1f\x8b"
OPENDOCUMENT = "application/vnd.oasis.opendocument.spreadsheet"
"""The media type of an ods file, which is also in a file within it."""
MOST_ENTRIES = 200_001
"""One picture for each row that an import allows, plus the manifest."""
MOST_UNPACKED = 256 * 2**20
"""The maximum total size of all entries in bytes."""
MOST_RATIO = 200
"""The maximum compression ratio; the first `FREE_BYTES` unpacked bytes are not counted."""
FREE_BYTES = 1_000_000
ENCRYPTED, UTF_8 = 0x1, 0x800
LOCAL_HEADER = 30
"""The size in bytes of the header before an entry, without the entry's name."""
LONG_AGO = (1980, 1, 1, 0, 0, 0)
"""The fixed date of all written entries, so that the same table always produces the same bytes."""


def gunzipped(data: bytes, most: int, name: str = "the gzip file") -> bytes:
    """Return a file, unpacked if it is in gzip; stop at the first byte beyond `most`."""
    if not data.startswith(GZIP):
        return data
    try:
        return gzip.GzipFile(fileobj=BytesIO(data)).read(most + 1)
    except Exception as error:  # zlib.error, EOFError, BadGzipFile
        raise UnreadableFile(f"{name} is damaged or cut off; compress or download it again") from error


def add(archive: ZipFile, name: str, data: bytes) -> None:
    """Add an entry to an archive without revealing when or on which system the entry was written."""
    entry = ZipInfo(name, LONG_AGO)
    entry.compress_type = ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    archive.writestr(entry, data)


def opened(data: bytes) -> ZipFile:
    """Open the archive if its declared sizes are within the limits; `unpacked` enforces them on the actual data."""
    try:
        archive = ZipFile(BytesIO(data))
    except Exception as error:
        # Damaged archives raise many types of errors: BadZipFile, struct.error, NotImplementedError, UnicodeError, …
        raise UnreadableFile("the file is not a zip archive, or it is damaged; save or send it again") from error
    found = archive.infolist()
    if len(found) > MOST_ENTRIES:
        raise UnreadableFile(f"the archive has {len(found):,} entries; at most {MOST_ENTRIES:,} are allowed")
    unpacked = sum(one.file_size for one in found)
    if unpacked > min(MOST_UNPACKED, FREE_BYTES + MOST_RATIO * len(data)):
        raise UnreadableFile(f"the archive claims to hold {unpacked:,} bytes in {len(data):,}; that is too many")
    if any(one.flag_bits & ENCRYPTED for one in found):
        raise UnreadableFile("the archive has a password; pack it without one")
    if any(one.compress_type not in (ZIP_STORED, ZIP_DEFLATED) for one in found):
        raise UnreadableFile("the archive uses a compression method other than deflate")
    ((name, times),) = Counter(one.filename for one in found).most_common(1) or [("", 0)]
    if times > 1:
        raise UnreadableFile(f"the archive holds {name[:100]!r} twice")
    _check_overlaps(found, len(data))
    return archive


def _check_overlaps(found: list[ZipInfo], size: int) -> None:
    """Check that entries do not overlap, which is how zip bombs pack large contents into small archives."""
    end = 0
    for one in sorted(found, key=lambda entry: entry.header_offset):
        if one.header_offset < end:
            raise UnreadableFile("the entries of the archive overlap")
        end = one.header_offset + LOCAL_HEADER + one.compress_size
    if end > size:
        raise UnreadableFile("the archive is cut off")


def unpacked(archive: ZipFile, entry: ZipInfo, most: int) -> bytes:
    """Return the bytes of an entry."""
    if entry.file_size > most:
        raise UnreadableFile(f"{entry.filename[:100]!r} has {entry.file_size:,} bytes; at most {most:,}")
    try:
        with archive.open(entry) as file:
            # Not read() without a size: that would unpack all data, even beyond the declared size.
            data = file.read(entry.file_size)
    except Exception as error:
        # Damaged archives raise many types of errors: BadZipFile, zlib.error, EOFError, NotImplementedError, …
        raise UnreadableFile(f"{entry.filename[:100]!r} cannot be unpacked: {type(error).__name__}") from error
    if len(data) < entry.file_size:
        raise UnreadableFile(f"{entry.filename[:100]!r} cannot be unpacked: it is shorter than it claims")
    return data


def parts_of(name: str) -> tuple[str, ...]:
    """Return the parts of a path, without empty parts, "." and ".."."""
    return tuple(part for part in name.replace("\\", "/").split("/") if part not in ("", ".", ".."))


def members(archive: ZipFile) -> list[tuple[ZipInfo, tuple[str, ...]]]:
    """Return the files of an archive with the parts of their paths, without hidden files and macOS metadata.

    No part is "." or "..". The parts are used as names of campaigns and QR Codes, never as paths to write to.
    """
    found = []
    for one in archive.infolist():
        parts = parts_of(_name(one))
        if not parts or one.filename.endswith(("/", "\\")) or parts[0] == "__MACOSX" or parts[-1].startswith("."):
            continue
        found.append((one, parts))
    return found


def _name(entry: ZipInfo) -> str:
    """Return the name of an entry; some programs write UTF-8 without the UTF-8 flag, so `zipfile` decodes cp437."""
    if entry.flag_bits & UTF_8:
        return entry.filename
    try:
        return entry.filename.encode("cp437").decode()
    except UnicodeError:
        return entry.filename
