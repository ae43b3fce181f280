"""Does the long Python work of requests in other processes, so that visitors who scan do not wait for the interpreter.

Only one thread of a process runs Python at a time, and redirects need it. Reading and checking a file, and writing an
export, a list or statistics take seconds of it, so worker processes do that. Rows come from the database as text or
Parquet, and go to it as text, which passes through this process unread.

The jobs are in `qrkit.server.jobs.worker`. They call the functions that the library calls in its own process.
"""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path

from qrkit.analytics.scan_rows import scan_records_parquet
from qrkit.errors import QrkitError, TooManyRequests, UnreadableFile
from qrkit.portfolio import Portfolio, transport
from qrkit.processes import WorkerBroke, WorkerLate, Workers, WorkersBusy
from qrkit.server.jobs.worker import DONE, NO_MEMORY, REFUSED, head
from qrkit.store import Scans
from qrkit.store.qrcodes import CodeTexts
from qrkit.store.told_errors import error_from_json

__all__ = ["export", "import_table", "list_everything", "read_table", "statistics", "stop"]

MOST_WORKERS = 2
LONGEST_SECONDS = 300.0
"""Time limit of one job, which includes waiting for a worker."""
SMALL = 2**18
"""Bytes of records below which a list is written here: that takes a few milliseconds, less than asking a worker."""
LARGE = 2**22
"""Bytes of a request or an answer after which the worker ends, so that the system gets its memory back."""

_workers = Workers(Path(__file__).with_name("worker.py"), MOST_WORKERS)


def stop() -> None:
    """End the workers that are idle."""
    _workers.stop()


def read_table(body: bytes, content_type: str, format: str, columns: str = "") -> bytes:
    """Read the file that was sent for an import.

    Args:
        body: The body of the request.
        content_type: The type of the body.
        format: The format in the query string; empty if there is none.
        columns: What the file calls our columns; empty if it calls them so, too.

    Returns:
        The table, for `import_table`.

    Raises:
        MissingParameter: If the format is missing.
        InvalidParameter: If the format is unknown, a list of bytes contains anything else, or a column does not exist.
        BadRequest: If the body is empty, or a form cannot be read.
        UnreadableFile: If the file cannot be read, or reading takes too much time or memory.
    """
    return _ask("read", body, content_type=content_type, format=format, columns=columns)


def import_table(portfolio: Portfolio, table: bytes) -> tuple[dict[str, str], bytes]:
    """Import a table in one transaction.

    Args:
        portfolio: The portfolio to import into.
        table: What `read_table` returned.

    Returns:
        The headers that count what happened, and the rows that were skipped or changed as JSON.

    Raises:
        UnreadableFile: If the import takes too much time or memory; the portfolio is unchanged.
    """
    with portfolio.store.atomic():
        known = transport.present(portfolio)
        texts = [text.encode() for text in (known.campaigns, known.contents, known.short_codes)]
        now, templates = known.now.isoformat(), list(known.templates)
        lines = BytesIO(_ask("import", table, *texts, base_url=known.base_url, now=now, templates=templates))
        headers, issues = json.loads(next(lines)), next(lines)
        for campaigns in lines:
            transport.add_texts(portfolio, campaigns.decode(), CodeTexts(next(lines).decode(), next(lines).decode()))
    return headers, issues


def list_everything(portfolio: Portfolio) -> bytes:
    """Return all campaigns and QR Codes as JSON; the QR Codes without properties, location and schedule.

    Raises:
        QrkitError: If this takes too much time or memory.
    """
    return _ask_of_all("list", portfolio)


def export(portfolio: Portfolio, format: str, *, image_format: str, safe: bool) -> bytes:
    """Return all campaigns and QR Codes as the bytes of a file, as `Portfolio.export_bytes` does.

    Args:
        portfolio: What to export.
        format: One of `qrkit.exchange.EXCHANGE_FORMATS`.
        image_format: The format of the pictures in a zip: png, eps or svg.
        safe: Whether to put an apostrophe in front of csv texts that a spreadsheet would run as formulas.

    Raises:
        InvalidParameter: If a text is too long for the format.
        QrkitError: If this takes too much time or memory.
    """
    looks = transport.looks(portfolio)
    return _ask_of_all("export", portfolio, looks, format=format, image_format=image_format, safe=safe)


def statistics(scans: Scans, format: str) -> bytes:
    """Return one record per scan as the bytes of a file.

    Args:
        scans: The scans.
        format: One of `qrkit.exchange.scan_file.SCAN_FORMATS`.

    Raises:
        InvalidParameter: If there are too many scans for the format.
        QrkitError: If this takes too much time or memory.
    """
    return _ask("statistics", scan_records_parquet(scans), format=format)


def _ask_of_all(job: str, portfolio: Portfolio, *further: str, **options: str | bool) -> bytes:
    listing = transport.listing(portfolio)
    texts = [text.encode() for text in (listing.campaigns_text, *further, *listing.qrcode_texts)]
    if job == "list" and sum(map(len, texts)) < SMALL:
        return listing.to_json().encode()
    return _ask(job, *texts, base_url=listing.base_url, **options)


def _ask(job: str, *parts: bytes, **options: str | bool | list[str]) -> bytes:
    """Have a worker do a job.

    Args:
        job: One of `worker.JOBS`.
        parts: What the job works on.
        options: What else the job has to know.

    Raises:
        TooManyRequests: If all workers are busy for too long.
        QrkitError: If the job refuses what it was given, or exceeds a limit.
    """
    try:
        outcome, answer = _workers.ask(head(job, parts, options), *parts, seconds=LONGEST_SECONDS)
    except WorkersBusy as error:
        raise TooManyRequests("too much else is being worked on; please try again", retry_after=60) from error
    except WorkerLate as error:
        raise _too_large(job, f"more than {LONGEST_SECONDS:g} seconds") from error
    except WorkerBroke as error:
        raise _too_large(job, "more than the server can give") from error
    if outcome == NO_MEMORY or max(len(answer), sum(map(len, parts))) > LARGE:
        _workers.stop()
    if outcome == DONE:
        return answer
    if outcome == REFUSED:
        raise error_from_json(answer)
    if outcome == NO_MEMORY:
        raise _too_large(job, "too much memory")
    raise RuntimeError(f"the job {job} failed: {answer.decode('utf-8', 'replace')}")


def _too_large(job: str, what: str) -> QrkitError:
    if job in ("read", "import"):
        return UnreadableFile(f"the import of the file takes {what}; split the file")
    return QrkitError(f"this answer takes {what}; ask for another format, or for less")
