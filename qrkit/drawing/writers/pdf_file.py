"""Writes the numbered objects of a one-page PDF file (ISO 32000) and their cross-reference table."""

from __future__ import annotations

import zlib

__all__ = ["PdfFile"]

HEAD = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n"
CATALOG, PAGES, PAGE, CONTENTS = range(1, 5)

LARGE = 1_000_000
"""Bytes beyond which the highest compression takes seconds and saves almost nothing."""


class PdfFile:
    """A PDF file of one page. It contains no dates or ids, so the same objects give the same bytes."""

    def __init__(self) -> None:
        self._objects: dict[int, bytes] = {}

    def add(self, dictionary: str, data: bytes) -> str:
        """Add a stream that the page uses and return a reference to it.

        Args:
            dictionary: Entries of its dictionary, without length and filter.
            data: Its data, uncompressed.
        """
        number = CONTENTS + len(self._objects) + 1
        self._objects[number] = _stream(dictionary, data)
        return f"{number} 0 R"

    def written(self, page: str, contents: str) -> bytes:
        """Return the whole file.

        Args:
            page: Entries of the page's dictionary, without parent and contents.
            contents: The operators that paint the page.
        """
        objects = {
            CATALOG: f"<</Type/Catalog/Pages {PAGES} 0 R>>".encode("ascii"),
            PAGES: f"<</Type/Pages/Kids[{PAGE} 0 R]/Count 1>>".encode("ascii"),
            PAGE: f"<</Type/Page/Parent {PAGES} 0 R/Contents {CONTENTS} 0 R{page}>>".encode("ascii"),
            CONTENTS: _stream("", contents.encode("ascii")),
            **self._objects,
        }
        parts, length, offsets = [HEAD], len(HEAD), []
        for number, one in objects.items():
            offsets.append(length)
            parts.append(f"{number} 0 obj\n".encode("ascii") + one + b"\nendobj\n")
            length += len(parts[-1])
        table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
        count = len(objects) + 1
        end = (
            f"xref\n0 {count}\n0000000000 65535 f \n{table}"
            f"trailer\n<</Size {count}/Root {CATALOG} 0 R>>\nstartxref\n{length}\n%%EOF\n"
        )
        return b"".join([*parts, end.encode("ascii")])


def _stream(dictionary: str, data: bytes) -> bytes:
    packed = zlib.compress(data, 9 if len(data) < LARGE else 6)
    head = f"<<{dictionary}/Length {len(packed)}/Filter/FlateDecode>>\nstream\n"
    return head.encode("ascii") + packed + b"\nendstream"
