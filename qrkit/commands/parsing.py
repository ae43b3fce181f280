"""How commands are described and read: their help, and what is said of words that are none of ours."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from shutil import get_terminal_size
from textwrap import fill
from typing import Any, NoReturn, TypeAlias

from qrkit.commands.output import Status
from qrkit.errors import nearest

__all__ = ["Commands", "Parser", "add_command", "add_json", "number"]

MOST_COLUMNS = 100
"""Characters of a line of help; 80 fit most terminals."""
COLUMN = 26
"""Where the sentences of options begin."""


class Layout(argparse.HelpFormatter):
    """Help in two columns, as wide as the terminal, within reason; lines that are indented stay as they are."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=COLUMN, width=min(MOST_COLUMNS, get_terminal_size().columns) - 1)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        parts = (part if "\n  " in part else fill(part, width) for part in text.split("\n\n"))
        return "\n\n".join(parts)

    def _format_action_invocation(self, action: argparse.Action) -> str:
        """`-o, --output FILE` and `--[no-]strict`, where argparse says FILE and strict twice."""
        if isinstance(action, argparse.BooleanOptionalAction):
            return f"--[no-]{action.option_strings[0].removeprefix('--')}"
        if action.nargs == 0 or not action.option_strings:
            return super()._format_action_invocation(action)
        return f"{', '.join(action.option_strings)} {self._format_args(action, action.dest.upper())}"


class Parser(argparse.ArgumentParser):
    """A parser that says in one line what is wrong, with what may have been meant.

    Options are written in full: one that is added later must not change what a script of today says.
    """

    def __init__(self, prog: str, *, usage: str = "", description: str = "", epilog: str = "") -> None:
        super().__init__(prog, usage, description, epilog, formatter_class=Layout, allow_abbrev=False, add_help=False)
        self._positionals.title = "arguments"
        self.add_argument("-h", "--help", action="help", help="show this help")

    def format_help(self) -> str:
        """The help, with the options that are in no group at its end."""
        self._action_groups.sort(key=lambda group: group is self._optionals)
        return super().format_help()

    def error(self, message: str) -> NoReturn:
        """Leave with one line, as all else that is refused."""
        told = message.removeprefix("argument ")
        self.exit(Status.REFUSED, f"{self.prog}: {told} (see `{self.prog} --help`)\n")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """The same as argparse does, but words that a command does not know are refused in its own name."""
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(self._of_unknown(unknown))
        return found, []

    def _of_unknown(self, words: list[str]) -> str:
        option = next((word.partition("=")[0] for word in words if word.startswith("-")), None)
        if option is None:
            return f"{words[0]!r} is one word too many"
        near = nearest(option, self._option_string_actions)
        return f"{option} is no option" + (f"; {near}" if near.startswith("did") else "")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            what = "command" if isinstance(action, argparse._SubParsersAction) else "choice"
            raise argparse.ArgumentError(action, f"{value!r} is no {what}; {nearest(str(value), action.choices)}")


Commands: TypeAlias = "argparse._SubParsersAction[Parser]"


def add_command(commands: Commands, prog: str, told: str, *, usage: str, examples: Sequence[str]) -> Parser:
    """Add a command.

    Args:
        commands: Where to.
        prog: All of what is typed to call it, as `qrkit account list`.
        told: What it does: one sentence, and behind an empty line more of them.
        usage: What is written behind its name; a line for each way to use it.
        examples: Whole lines that can be typed.
    """
    sentence = told.partition("\n")[0].removesuffix(".")
    ways = f"\n{'':7}".join(f"{prog} {line}".rstrip() for line in usage.split("\n"))
    shown = "\n".join(["examples:", *(f"  {line}" for line in examples)])
    return commands.add_parser(
        prog.rpartition(" ")[2],
        help=f"{sentence[0].lower()}{sentence[1:]}",
        prog=prog,
        description=told,
        usage=ways,
        epilog=shown,
    )


def add_json(parser: argparse.ArgumentParser | argparse._ArgumentGroup, keys: str, *, each: str = "") -> None:
    """Add `--json`, which tells what came of it to programs.

    Args:
        parser: Where to.
        keys: The names in the object.
        each: What there is a line for; by default there is one line.
    """
    lines = f"a line of JSON for each {each}" if each else "one line of JSON"
    parser.add_argument("--json", action="store_true", help=f"print {lines}: {keys}")


def decimal(text: str) -> float | str:
    """A number where it is one, and otherwise the text, as `number` does it."""
    try:
        return float(text)
    except ValueError:
        return text


def number(text: str) -> int | str:
    """A whole number where it is one; of anything else, what it is for says what is wrong with it."""
    try:
        return int(text)
    except ValueError:
        return text
