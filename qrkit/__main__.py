"""The command line: `qrkit …` or `python -m qrkit …`. It holds no rule; it calls what a notebook calls."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from importlib.metadata import version
from io import TextIOWrapper

from qrkit.commands.account import add_account
from qrkit.commands.check import add_check
from qrkit.commands.exchange import add_exchange
from qrkit.commands.generate import add_decode, add_generate
from qrkit.commands.migrate import add_migrate
from qrkit.commands.report import add_demo, add_report
from qrkit.commands.serve import add_serve
from qrkit.errors import QrkitError

__all__ = ["main"]

CONTROLS = r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+"
EXAMPLES = """
examples:
  qrkit generate "https://example.com" -o poster.svg --ec H
  qrkit generate "https://example.com" -o poster.pdf --design brand.json
  qrkit decode poster.png
  qrkit check brand.json poster.png --min robust
  qrkit import posters.csv --store shop.duckdb --base-url https://go.example.com
  qrkit serve --store shop.duckdb --base-url https://go.example.com
  qrkit account key local --store shop.duckdb
  qrkit report --store shop.duckdb -o report.html
  qrkit migrate shop.duckdb postgresql://qrkit@db.example/shop
  qrkit demo
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; give the exit status: 0, 1 when a check failed, 2 when something was refused, 130 stopped."""
    parsed = _parser().parse_args(arguments)
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # what a console cannot show is no reason to stop
    try:
        return parsed.run(parsed) or 0
    except QrkitError as error:
        # One line, whatever a file called its fields: control characters can do things to a terminal.
        print(f"qrkit {parsed.command}: {re.sub(CONTROLS, ' ', str(error))}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # The reader of our output has seen enough.
        sys.stderr.close()
    except KeyboardInterrupt:
        print(f"qrkit {parsed.command}: stopped", file=sys.stderr)
        return 130
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        print(f"qrkit {parsed.command}: {where}{error.strerror or error}", file=sys.stderr)
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="qrkit",
        description="Design QR Codes, make them trackable, and understand the scans.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"qrkit {version('qrkit-studio')}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")
    add_generate(commands)
    add_decode(commands)
    add_check(commands)
    add_exchange(commands)
    add_serve(commands)
    add_account(commands)
    add_migrate(commands)
    add_report(commands)
    add_demo(commands)
    return parser


if __name__ == "__main__":
    sys.exit(main())
