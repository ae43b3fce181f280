"""Does long work for a server; the script of a worker process."""

from __future__ import annotations

import json
import os
import pickle
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from io import BytesIO
from typing import TYPE_CHECKING, Any

from qrkit.processes.worker import LAST

if TYPE_CHECKING:
    from qrkit.design.design import Design
    from qrkit.drawing.scene import Pictures
    from qrkit.portfolio.exporting import Listing
    from qrkit.portfolio.importing import Present
    from qrkit.store.records.qrcodes import StoredRow
    from qrkit.tracking.records import Campaign

DONE, REFUSED, NO_MEMORY, BUG = 0, 1, 2, 3
"""Outcomes of a request; for `REFUSED`, the answer is the error as JSON; for `BUG`, a traceback."""
MOST_MEMORY = 2 * 2**30
"""Bytes of address space: an import of 200,000 rows takes a third of it."""
PRIORITY = 10
"""Redirects come first: how much lower the priority of this process is than that of the server."""
LARGE = 2**22
"""Bytes of a request or an answer after which the process ends, so that the system gets its memory back."""


def _import(
    body: bytes, content_type: str, format: str, asked: dict[str, str], present: Present, *, update_by: str
) -> bytes:
    """Return the headers of the response, the issues and the new campaigns, a line each.

    The number of QR Codes to change follows, then two lines for each of them, before and after the change, and two
    lines for each `CodesText` of the new QR Codes.
    """
    from qrkit.portfolio.importing import import_table
    from qrkit.server.requests.bodies import in_query, read_import
    from qrkit.server.requests.request import import_headers, issues_json
    from qrkit.store.records.qrcodes import CodesText

    made: list[str] = []
    lines: list[str] = []

    def add(new: Sequence[Campaign], rows: Sequence[StoredRow]) -> None:
        made.extend(campaign.to_json() for campaign in new)
        for text, length in CodesText.of(rows):
            lines.extend((text, str(length)))

    table = read_import(body, content_type, format, asked)
    with in_query():
        result = import_table(table, present, add, update_by=update_by)
    head = [json.dumps(import_headers(result)), issues_json(result), f"[{','.join(made)}]", str(len(result.updates))]
    changed = [code.to_json() for pair in result.updates for code in pair]
    return "".join(f"{line}\n" for line in [*head, *changed, *lines]).encode()


def _export(listing: Listing, looks: str, format: str, size: str, **how: Any) -> bytes:
    from qrkit.exchange import exchange_format
    from qrkit.pictures.printing import PrintSize
    from qrkit.portfolio.code_designs import CodeDesigns
    from qrkit.portfolio.written_codes import write_codes

    named = listing.campaigns()
    designs = CodeDesigns.from_text(looks, named)
    file = BytesIO()
    print_size = PrintSize.from_json(size) if size else None
    write_codes(exchange_format(format), file, listing.available(), named, designs, print_size=print_size, **how)
    return file.getvalue()


def _print(design: Design, pictures: Pictures, size: str, format: str) -> bytes:
    from qrkit.pictures.image import QRImage
    from qrkit.pictures.printing import PrintSize

    return QRImage(design, pictures=pictures).printed(PrintSize.from_json(size)).to_bytes(format)


def _statistics(scans: bytes, format: str) -> bytes:
    from qrkit.exchange.scan_file import SCAN_FORMATS
    from qrkit.store.questions.scan_rows import read_scan_records

    return SCAN_FORMATS[format].write(read_scan_records(scans))


JOBS: dict[str, Callable[..., bytes]] = {
    "import": _import, "list": lambda listing: listing.to_json().encode(), "export": _export, "print": _print,
    "statistics": _statistics,
}  # fmt: skip
"""The jobs by name."""


def start() -> None:
    """Lower the priority of this process, so that redirects come first, and load the modules that an import needs."""
    with suppress(AttributeError, OSError):  # Windows has no such priorities
        os.nice(PRIORITY)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # each thread would take address space
    import qrkit.portfolio
    import qrkit.server.requests.bodies
    import qrkit.server.requests.request  # noqa: F401


def answer(*parts: bytes) -> tuple[int, bytes]:
    """Run one of `JOBS`, given by its pickled name and arguments; a worker ends after a large request or answer."""
    outcome, answer = _do(parts)
    is_last = outcome == NO_MEMORY or max(len(answer), sum(map(len, parts))) > LARGE
    return outcome | LAST * is_last, answer


def _do(parts: Sequence[bytes]) -> tuple[int, bytes]:
    from qrkit.errors import QrkitError
    from qrkit.store.served.told_errors import error_to_json

    try:
        job, given, options = pickle.loads(b"".join(parts))
        return DONE, JOBS[job](*given, **options)
    except QrkitError as error:
        return REFUSED, error_to_json(error)
    except MemoryError:
        return NO_MEMORY, b""
    except Exception:
        return BUG, traceback.format_exc().encode("utf-8", "replace")
