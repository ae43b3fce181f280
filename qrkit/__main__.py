"""Runs the command line: `qrkit …` or `python -m qrkit …`. Commands call the same functions as a notebook."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib.metadata import version
from io import TextIOWrapper

from qrkit.commands.account import add_account
from qrkit.commands.check import add_check
from qrkit.commands.decode import add_decode
from qrkit.commands.exchange import add_exchange
from qrkit.commands.generate import add_generate
from qrkit.commands.maintenance import add_care
from qrkit.commands.migrate import add_migrate
from qrkit.commands.output import EXIT_STATUSES, Status, complain
from qrkit.commands.parsing import Parser
from qrkit.commands.report import add_demo, add_report
from qrkit.commands.serve import add_serve
from qrkit.commands.template import add_template
from qrkit.errors import QrkitError

__all__ = ["main", "parser"]

EPILOG = """\
examples:
  qrkit generate "https://example.com" -o poster.svg --ec H
  qrkit generate --from gates.csv --content-column url -o codes.zip
  qrkit check brand.json poster.png --min robust
  qrkit import posters.csv --store shop.duckdb --base-url https://go.example.com
  qrkit serve --store shop.duckdb
  qrkit report --store shop.duckdb -o report.html
  qrkit demo

`qrkit COMMAND --help` shows more. With --json, results are printed as one JSON object per line; messages go to the
error stream.

exit status:
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit status, one of `EXIT_STATUSES`."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # escape what the console cannot show
    reader = parser()
    words = sys.argv[1:] if arguments is None else arguments
    if not words:
        reader.print_help(sys.stderr)
        return Status.REFUSED
    parsed = reader.parse_args(words)
    try:
        status = parsed.run(parsed) or Status.DONE
        sys.stdout.flush()  # raises here if the output cannot be written
    except QrkitError as error:
        complain(parsed.command, error)
    except BrokenPipeError:
        # The reader of our output has closed it. Without this, Python would try to write the rest at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Status.DONE
    except KeyboardInterrupt:
        complain(parsed.command, "stopped")
        return Status.STOPPED
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        complain(parsed.command, f"{where}{error.strerror or error}")
    else:
        return int(status)
    return Status.REFUSED


def parser() -> Parser:
    """Return the parser of all commands."""
    statuses = "\n".join(f"  {status:<4} {meaning}" for status, meaning in EXIT_STATUSES.items())
    command_line = Parser(
        "qrkit",
        usage="qrkit COMMAND ...",
        description="Design QR Codes, make them trackable, and understand the scans.",
        epilog=EPILOG + statuses,
    )
    command_line.add_argument(
        "--version", action="version", version=f"qrkit {version('qrkit-studio')}", help="show the version"
    )
    commands = command_line.add_subparsers(dest="command", required=True, metavar="COMMAND", title="commands")
    for add in (add_generate, add_decode, add_check, add_template, add_exchange, add_serve, add_account, add_report):
        add(commands)
    for add in (add_care, add_migrate, add_demo):
        add(commands)
    return command_line


if __name__ == "__main__":
    sys.exit(main())
