"""Runs the command line: `qrkit …` or `python -m qrkit …`. Commands call the same functions as a notebook."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from argparse import Action, ArgumentParser
from collections.abc import Sequence
from contextlib import suppress
from io import TextIOWrapper
from typing import Any, NoReturn

from qrkit.commands.output import EXIT_STATUSES, Status, complain
from qrkit.commands.parsing import Command, Parser, add_command, add_heading, option_given
from qrkit.errors import QrkitError, renaming, similar

__all__ = ["main", "parser", "program"]

COMMANDS = {
    "pictures": {
        "generate:define_generate": "Draw one QR Code, or one for each row of a table.",
        "sheet:define_sheet": "Print labels and cards: a PDF for a label stock, or for plain paper.",
        "content:define_content": "Write or read a content: a Wi-Fi network, a contact, an event, a payment.",
        "decode:define_decode": "Read the QR Codes in pictures.",
        "check:define_check": "Find out whether designs and pictures scan, and what would help.",
        "trial:define_trial": "Ask real phones: they scan a code on your screen, step by step.",
    },
    "tracked QR Codes of a store": {
        "codes:define_list": "List or search QR Codes.",
        "codes:define_show": "Show everything about one QR Code.",
        "codes:define_add": "Add a QR Code, and print its short URL.",
        "codes:define_set": "Change QR Codes: where they lead, their names, campaigns, templates, schedules.",
        "codes:define_remove": "Remove QR Codes.",
        "terms:define_explain": "Say where a QR Code leads a visitor, and why.",
        "gs1:define_gs1": "Serve products, lots and items by GS1 Digital Links, for tills and phones.",
        "campaign:define_campaign": "List, add, change and remove campaigns.",
        "template:define_template": "Save designs in a store, for `generate --template` and the HTTP interface.",
        "exchange:define_import": "Add the QR Codes of a file to a store, and make them trackable.",
        "exchange:define_export": "Write the QR Codes of a store to a file.",
    },
    "scans": {
        "scans:define_scans": "Count scans by QR Code, campaign, day, country and more.",
        "events:define_tail": "Print what happens, as it happens: scans, conversions, changes of QR Codes.",
        "scans:define_experiment": "Find out which variant of a split QR Code converts more.",
        "report:define_report": "Write a report on the scans: one HTML file, a PDF or a notebook.",
    },
    "in a browser": {
        "console:define_studio": "Design a QR Code in a browser window.",
        "console:define_console": "Browse the QR Codes and scans of a store in a browser window, and edit them.",
    },
    "a server and its store": {
        "serve:define_serve": "Serve the HTTP interface and the short URLs of a store.",
        "events:define_webhook": "Send events to other software: scans, conversions, changes of QR Codes.",
        "account:define_account": "Create the accounts of a store, and give them plans and API keys.",
        "maintenance:define_verify": "Check whether a store is intact.",
        "maintenance:define_backup": "Copy a store, which may be in use.",
        "maintenance:define_archive": "Move the visits of finished days into Parquet files beside the store.",
        "maintenance:define_rescue": "Copy whatever can be read from a damaged store into a new one.",
        "maintenance:define_compact": "Make the file of a store smaller, after you have deleted a lot.",
        "maintenance:define_migrate": "Copy a store into a new one, from a file to a PostgreSQL database or back.",
    },
    "for assistants": {
        "mcp:define_mcp": "Offer tools to an assistant: find QR Codes, count and compare scans, check pictures.",
    },
    "getting started": {
        "report:define_demo": "See a complete example: posters, scans and a report, in one command.",
        "completion:define_completion": "Print a script that lets your shell complete commands and options.",
    },
}
"""What each command does, in groups, by the module and the function that define it: `define_` and its name."""

EPILOG = """\
examples:
  qrkit generate "https://example.com" -o poster.svg --ec H
  qrkit generate --from gates.csv --content-column url -o codes.zip
  qrkit check brand.json poster.png --min robust
  qrkit add https://example.com --base-url https://go.example.com
  qrkit import posters.csv --store shop.duckdb --base-url https://go.example.com
  qrkit serve --store shop.duckdb
  qrkit console --store shop.duckdb
  qrkit report --store shop.duckdb -o report.html
  qrkit demo

`qrkit COMMAND --help` shows more. With --json, results are printed as one JSON object per line; messages go to the
error stream.

exit status (that of `qrkit import` is in its help):
"""


def program() -> NoReturn:
    """Run the command line in a process of its own, which ends with it."""
    # The 100,000 or so objects that a command loads live until it ends. Looking through them for garbage again and
    # again takes 3% of the time of a short command.
    gc.set_threshold(100_000, 10)
    statuses: list[int] = []
    atexit.register(_end_at_once, statuses)  # called last, because it is registered first
    statuses.append(main())
    sys.exit(statuses[0])


def _end_at_once(statuses: Sequence[int]) -> None:
    """End the process without freeing what it has loaded, which takes a sixth of the time of `qrkit scans`.

    Without an exit status, an exception ended the command, which Python has to handle.
    """
    if statuses:
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError):  # a full disk, or a closed pipe: `main` has reported it
                stream.flush()
        os._exit(statuses[0])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit status, one of `EXIT_STATUSES`."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by who started the command
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w"))
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # escape what the console cannot show
    # No command multiplies large matrices. Threads for that would take as long to start as all else that NumPy loads.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # To find plugins of pydantic, of which no command has any use, the metadata of each installed package are read.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    reader = parser()
    words = sys.argv[1:] if arguments is None else arguments
    if not words:
        reader.print_help(sys.stderr)
        return Status.REFUSED
    options = reader._option_string_actions
    if words[0].startswith("-") and words[0] not in options:
        near = similar(words[0], options)
        rule = f"is not an option; {near}" if near else f"must come after the command: qrkit COMMAND {words[0]}"
        reader.error(f"{words[0]} {rule}")
    command = ""
    try:
        parsed = reader.parse_args(words)
        command = parsed.command
        with renaming(lambda name: option_given(parsed, name)):
            status = parsed.run(parsed) or Status.DONE
        sys.stdout.flush()  # raises here if the output cannot be written
    except BrokenPipeError:
        # The reader of our output has closed it. Without this, Python would try to write the rest at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Status.DONE
    except KeyboardInterrupt:
        complain(command, "stopped")
        return Status.STOPPED
    except (QrkitError, OSError) as error:
        complain(command, error)
    else:
        return int(status)
    return Status.REFUSED


class ShowVersion(Action):
    """Prints the version, which is read from the metadata of the installation only now, because that takes long."""

    def __call__(self, reader: ArgumentParser, *_: Any) -> None:
        from qrkit.version import __version__

        print(f"qrkit {__version__}", flush=True)
        reader.exit()


def parser() -> Parser:
    """Return the parser of all commands."""
    statuses = "\n".join(f"  {status:<4} {meaning}" for status, meaning in EXIT_STATUSES.items())
    command_line = Parser(
        prog="qrkit",
        usage="qrkit COMMAND ...",
        description="Design QR Codes, make them trackable, and understand the scans.",
        epilog=EPILOG + statuses,
    )
    command_line.add_argument("--version", action=ShowVersion, nargs=0, help="show the version")
    commands = command_line.add_subparsers(
        dest="command", required=True, metavar="COMMAND", title="commands", parser_class=Command, prog="qrkit"
    )
    for heading, group in COMMANDS.items():
        for number, (source, sentence) in enumerate(group.items()):
            add_command(commands, f"qrkit {source.partition(':define_')[2]}", sentence, source=source)
            if number == 0:
                add_heading(commands, heading)
    command_line.set_defaults(parser=command_line)
    return command_line


if __name__ == "__main__":
    program()
