"""`qrkit import` and `qrkit export`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from qrkit.commands.parsing import add_store, is_missing, opened
from qrkit.exchange import EXCHANGE_FORMATS
from qrkit.exchange.merge import ImportResult
from qrkit.exchange.zip_file import IMAGE_FORMATS
from qrkit.portfolio import open_portfolio

if TYPE_CHECKING:
    from qrkit.commands.parsing import Commands

__all__ = ["add_exchange", "tell"]

MOST_ISSUES = 20


def add_exchange(commands: Commands) -> None:
    """Add `import` and `export`."""
    one = commands.add_parser("import", help="add the QR Codes of a file to a store")
    one.add_argument("file", type=Path, help=f"one of {', '.join(EXCHANGE_FORMATS)}; its first bytes decide")
    add_store(one)
    one.set_defaults(run=_import)
    one = commands.add_parser("export", help="write all QR Codes of a store to a file")
    one.add_argument("file", type=Path, help=f"its suffix says the format: {', '.join(EXCHANGE_FORMATS)}")
    one.add_argument(
        "--image-format", choices=IMAGE_FORMATS, default="png", help="of the pictures in a zip (%(default)s)"
    )
    add_store(one)
    one.set_defaults(run=_export)


def _import(asked: argparse.Namespace) -> None:
    if is_missing(asked.store):
        # A file that cannot be read must not leave a new, empty store behind.
        with open_portfolio(":memory:") as trial:
            trial.import_file(asked.file)
    with opened(asked) as portfolio:
        result = portfolio.import_file(asked.file, progress=sys.stderr.isatty())
    tell(result)
    print(f"{asked.file}: {result}")


def tell(result: ImportResult) -> None:
    """Name what an import skipped or changed, on the error stream; the first of many."""
    for issue in result.issues[:MOST_ISSUES]:
        print(f"row {issue.row}: {issue.error}", file=sys.stderr)
    if len(result.issues) > MOST_ISSUES:
        print(f"… and {len(result.issues) - MOST_ISSUES} more", file=sys.stderr)


def _export(asked: argparse.Namespace) -> None:
    with opened(asked, must_exist=True) as portfolio:
        file = portfolio.export_file(asked.file, image_format=asked.image_format, progress=sys.stderr.isatty())
        print(f"{file}: {len(portfolio.qrcodes())} QR Codes")
