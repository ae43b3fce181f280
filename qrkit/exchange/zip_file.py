"""Zip: folders are campaigns, pictures are QR Codes, and `manifest.xml` contains all other fields.

An archive packed by hand needs no manifest: QR Codes are then decoded from the PNG files.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterable, Iterator
from io import BytesIO
from pathlib import PurePosixPath
from struct import unpack
from typing import BinaryIO
from zipfile import ZipFile, ZipInfo

from qrkit.errors import QrkitError, UnreadableFile
from qrkit.exchange import archives, xml_file
from qrkit.exchange.columns import Packed, Row, Rows
from qrkit.exchange.merge import ImportIssue
from qrkit.exchange.table_files import MOST_BYTES, Reading, Table, Writing, table_of_records
from qrkit.files import FileNames

TABLES = frozenset({"csv", "tsv", "json", "xlsx", "xls", "ods", "sql"})
ALONE = frozenset({"json", "sql"})
MANIFEST = "manifest.xml"
DOCUMENT_MARKS = frozenset({"[Content_Types].xml", "mimetype"})
"""Entries that workbooks and documents have, in which other tables may be embedded."""
MOST_PICTURE_BYTES = 4 * 2**20
MOST_PICTURES = 10_000
"""The maximum number of files that are not listed in a manifest, because each such file has to be decoded."""
MOST_PIXELS = 1_000_000_000
"""The maximum total number of pixels in pictures not listed in a manifest, because decoding is slow."""
MOST_READ_SIDE = 1_000
"""The length in pixels of the longer side to decode at; a picture full of finder patterns takes n⁴ steps."""
OTHER_PIXELS = 50_000_000
"""The pixels counted at most for one picture, and always for a .png file that is not a PNG."""
PNG = b"\x89PNG\r\n\x1a\n"

Decode = Callable[[bytes], str]
"""Returns the text of the QR Code in a picture."""


def write(rows: Iterable[Row], file: BinaryIO, how: Writing) -> None:
    """Write rows as an archive of pictures with a manifest."""
    manifest = BytesIO()
    with ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        xml_file.write(_drawn(archive, rows, how), manifest, how)
        archives.add(archive, MANIFEST, manifest.getvalue())


def _drawn(archive: ZipFile, rows: Iterable[Row], how: Writing) -> Iterator[Row]:
    """Add the picture of each row to the archive, and yield the row with the name of the picture file."""
    names = FileNames(how.image_format, taken=(MANIFEST,))
    for row in rows:
        if row.code is None or how.path_of is None:
            raise ValueError("a row that is written to a zip archive needs its record and its path")
        name = names.name_for(str(how.path_of(row.code)))
        archives.add(archive, name, how.draw(row.code, how.image_format))
        yield row._replace(cells={**row.cells, xml_file.FILE: name})


def has_codes(data: bytes) -> bool:
    """Return whether an archive contains a manifest or a PNG file."""
    return _has_codes(archives.members(archives.opened(data)))


def _has_codes(found: list[tuple[ZipInfo, tuple[str, ...]]]) -> bool:
    return _manifest(found)[0] is not None or any(parts[-1].lower().endswith(".png") for _, parts in found)


def tables_in(data: bytes) -> tuple[list[tuple[str, str, bytes]], list[ImportIssue]]:
    """Return the path, the format and the bytes of each table of an archive, and an issue for each file left out.

    An archive with a manifest, PNG files or parts of a document has no tables. Several tables are read row by row, and
    the links in JSON and in dumps are not, so those are read alone.
    """
    archive = archives.opened(data)
    found = archives.members(archive)
    if _has_codes(found) or DOCUMENT_MARKS.intersection(archive.namelist()):
        return [], []
    entries = {"/".join(parts): entry for entry, parts in found}
    suffixes = {path: PurePosixPath(path.lower().removesuffix(".gz")).suffix[1:] for path in entries}
    tables = {path: suffix for path, suffix in suffixes.items() if suffix in TABLES}
    chosen = {path: suffix for path, suffix in tables.items() if len(tables) == 1 or suffix not in ALONE}
    files, left = list[tuple[str, str, bytes]](), MOST_BYTES
    for path, suffix in chosen.items():
        table = archives.gunzipped(archives.unpacked(archive, entries[path], MOST_BYTES), left, repr(path))
        if len(table) > left:
            rule = f"have more than {MOST_BYTES // 2**20} MB unpacked; split the archive"
            raise UnreadableFile(f"the tables of the archive {rule}")
        left -= len(table)
        files.append((path, "csv" if suffix == "tsv" else suffix, table))
    apart = "is not read together with other tables; unpack it, and import it alone"
    other = "is another file of the archive, and was not read"
    unread = [f"{path!r} {apart if path in tables else other}" for path in entries if path not in chosen]
    issues = [ImportIssue(1, "", "", "", "unread-file", detail) for detail in unread]
    return files, issues if files else []


def read(data: bytes, how: Reading) -> Table:
    """Read an archive: the rows of the manifest, and one row for each file that is not listed in the manifest."""
    archive = archives.opened(data)
    found = archives.members(archive)
    rows: list[Row | Packed] = []
    listed = Table(Rows([]))
    told: set[str] = set()
    manifest, folder = _manifest(found)
    if manifest:
        quietly = Reading(how.decode)
        listed = xml_file.read(archives.unpacked(archive, manifest, MOST_BYTES), quietly)
        rows += listed.rows
        files = [row.cells.get(xml_file.FILE, "") for row in listed.rows]
        told = {"/".join((*folder, *archives.parts_of(name))) for name in [*files, MANIFEST]}
    others = [(entry, parts) for entry, parts in found if "/".join(parts) not in told]
    if len(others) > MOST_PICTURES:
        told_of = "that no manifest.xml tells of"
        raise UnreadableFile(f"the archive has {len(others):,} files {told_of}; at most {MOST_PICTURES:,}")
    decode = _bounded(how.decode)
    numbered = enumerate(how.watch(others, "Reading", len(others)), start=len(rows) + 1)
    rows += [_row(number, archive, entry, parts, decode) for number, (entry, parts) in numbered]
    if not rows and not manifest:
        raise UnreadableFile("the archive holds neither a manifest.xml nor pictures")
    return Table(table_of_records(rows).rows, listed.issues)


def _manifest(found: list[tuple[ZipInfo, tuple[str, ...]]]) -> tuple[ZipInfo | None, tuple[str, ...]]:
    """Return the manifest, if any, and its folder: the top-level folder that contains all files, or no folder."""
    folders = {parts[:1] if len(parts) > 1 else () for _, parts in found}
    around = folders.pop() if len(folders) == 1 else ()
    return next((entry for entry, parts in found if parts == (*around, MANIFEST)), None), around


def _bounded(decode: Decode) -> Decode:
    """Return a decoder that raises an error when all pictures together have too many pixels."""
    left = MOST_PIXELS

    def bounded(picture: bytes) -> str:
        nonlocal left
        width, height = unpack(">II", picture[16:24]) if picture.startswith(PNG) and len(picture) >= 24 else (0, 0)
        # The decoder rejects larger pictures by their declared size without decoding them.
        left -= min(width * height or OTHER_PIXELS, OTHER_PIXELS)
        if left < 0:
            raise UnreadableFile("the pictures in the archive have too many pixels in all; split the archive")
        return decode(picture)

    return bounded


def _row(number: int, archive: ZipFile, entry: ZipInfo, parts: tuple[str, ...], decode: Decode) -> Row:
    """Convert a file not listed in the manifest to a row; the folder is the campaign, the file name the name."""
    stem, _, suffix = parts[-1].rpartition(".")
    cells = {"Campaign Name": "/".join(parts[:-1]), "QR Code Name": stem or parts[-1]}
    if suffix.lower() != "png":
        rule = (
            "is a table; unpack it, and import it alone"
            if suffix.lower() in TABLES
            else "is no .png, and only those are read"
        )
        return Row(number, cells, f"{'/'.join(parts)!r} {rule}", "undecodable")
    try:
        # The QR Code was not created by us, so its text is the content and not one of our short URLs.
        content = decode(archives.unpacked(archive, entry, MOST_PICTURE_BYTES))
    except QrkitError as error:
        return Row(number, cells, f"{'/'.join(parts)!r}: {error}", "undecodable")
    return Row(number, cells | {"Content": content, "Dynamic": "false"})
