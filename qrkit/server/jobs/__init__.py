"""Does the long Python work of requests in other processes, so that visitors who scan do not wait for the interpreter.

Only one thread of a process runs Python at a time, and redirects need it. Reading and checking a file, and writing an
export, a list or statistics take seconds of it, so worker processes do that. Rows come from the database as text or
Parquet, and go to it as text, which passes through this process unread.

The jobs are in `qrkit.server.jobs.worker`. They call the functions that the library calls in its own process. Clients
share the workers by the gate `working` of `qrkit.server.service`.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from io import BytesIO
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from qrkit.design.design import Design
from qrkit.drawing.scene import Pictures
from qrkit.errors import QrkitError, TooManyRequests, UnreadableFile
from qrkit.portfolio import Portfolio
from qrkit.portfolio.code_designs import looks_text
from qrkit.portfolio.exporting import Listing
from qrkit.processes import WorkerBroke, WorkerLate, Workers, WorkersBusy
from qrkit.server.jobs.worker import DONE, NO_MEMORY, REFUSED
from qrkit.store import Scans
from qrkit.store.questions.scan_rows import scan_records_parquet
from qrkit.store.records.qrcodes import CodesText, Staged, has_tags_or_fields, has_terms
from qrkit.store.served.told_errors import error_from_json
from qrkit.tracking.records import Campaign, QRCode

if TYPE_CHECKING:
    from qrkit.portfolio.importing import Present
    from qrkit.portfolio.storing import Updates

__all__ = ["MOST_JOBS", "export", "import_file", "list_everything", "print_picture", "statistics", "stop"]

MOST_JOBS = 2
"""The number of jobs at a time; one client has at most one fewer."""
LONGEST_SECONDS = 300.0
"""Time limit of one job."""
SMALL = 2**18
"""Letters of records below which a list is written here: that takes a few milliseconds, less than asking a worker."""

_workers = Workers(Path(__file__).with_name("worker.py"), MOST_JOBS)


def stop() -> None:
    """End the workers that are idle."""
    _workers.stop()


def import_file(
    portfolio: Portfolio,
    body: bytes,
    content_type: str,
    format: str,
    asked: Mapping[str, str] = MappingProxyType({}),
    *,
    update_by: str = "",
    turn: Callable[[], AbstractContextManager[None]] = nullcontext,
) -> tuple[dict[str, str], bytes]:
    """Import the file that was sent, in one transaction. A worker reads it and decides how each row is handled.

    The format is that of the query string, or empty, and `asked` has the values of `bodies.PLACING`. While the context
    manager of `turn` is open, nothing else changes records. Returns the headers that count what happened, and the rows
    that were skipped or changed as JSON.
    """
    from qrkit.portfolio.storing import store_rows

    def decide(known: Present, codes: Staged) -> tuple[Sequence[Campaign], Updates, tuple[dict[str, str], bytes]]:
        lines = BytesIO(_ask("import", body, content_type, format, dict(asked), known, update_by=update_by))
        headers, issues, campaigns = json.loads(next(lines)), next(lines), json.loads(next(lines))
        changed = [(QRCode.from_json(next(lines)), QRCode.from_json(next(lines))) for _ in range(int(next(lines)))]
        for text in lines:
            codes.add_text(CodesText(text.decode(), int(next(lines))))
        return [Campaign(**fields) for fields in campaigns], changed, (headers, issues)

    return store_rows(portfolio, decide, updates=bool(update_by), turn=turn)


def list_everything(portfolio: Portfolio) -> bytes:
    """Return all campaigns and QR Codes as JSON; the QR Codes without properties, location and schedule."""
    listing = Listing.of(portfolio)
    if sum(map(len, listing.qrcode_texts)) < SMALL:
        return listing.to_json().encode()
    return _ask("list", listing)


def export(portfolio: Portfolio, format: str, *, size: str = "", **how: str | bool) -> bytes:
    """Return all campaigns and QR Codes as the bytes of a file, as `Portfolio.export_bytes` does with `how`.

    `size` is the print size of the pictures in a zip or a PDF, as JSON; empty for a size in pixels.
    """
    looks = looks_text(portfolio.store, portfolio.account.id)
    how["has_tags"] = has_tags_or_fields(portfolio.store, portfolio.account.id)
    how["has_terms"] = has_terms(portfolio.store, portfolio.account.id)
    return _ask("export", Listing.of(portfolio), looks, format, size, **how)


def print_picture(design: Design, pictures: Pictures, size: str, format: str) -> bytes:
    """Return a picture in a print size as the bytes of a file, in one of `qrkit.drawing.writers.FORMATS`.

    `size` has the fields of a `PrintSize` as JSON.
    """
    return _ask("print", design, pictures, size, format)


def statistics(scans: Scans, format: str) -> bytes:
    """Return one record per scan as the bytes of a file, in one of `qrkit.exchange.scan_file.SCAN_FORMATS`."""
    return _ask("statistics", scan_records_parquet(scans), format)


class _Parts(list[bytes]):
    """What is pickled, a part for each long text: other threads get their turn between them, but not within `dumps`."""

    def write(self, part: bytes) -> None:
        self.append(part)


def _ask(job: str, *given: object, **options: object) -> bytes:
    """Have a worker do one of `worker.JOBS`. Only requests are pickled: a worker reads files of strangers."""
    parts = _Parts()
    pickle.Pickler(parts).dump((job, given, options))
    try:
        outcome, answer = _workers.ask(*parts, seconds=LONGEST_SECONDS)
    except WorkersBusy as error:
        raise TooManyRequests("too much else is being worked on; please try again", retry_after=60) from error
    except WorkerLate as error:
        raise _too_large(job, f"more than {LONGEST_SECONDS:g} seconds") from error
    except WorkerBroke as error:
        raise _too_large(job, "more than the server can give") from error
    if outcome == DONE:
        return answer
    if outcome == REFUSED:
        raise error_from_json(answer)
    if outcome == NO_MEMORY:
        raise _too_large(job, "too much memory")
    raise RuntimeError(f"the job {job} failed: {answer.decode('utf-8', 'replace')}")


def _too_large(job: str, what: str) -> QrkitError:
    if job == "import":
        return UnreadableFile(f"the import of the file takes {what}; split the file")
    return QrkitError(f"this answer takes {what}; ask for another format, or for less")
