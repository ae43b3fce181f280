"""Parses the command line: the layout of its help, and its error messages."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache, partial
from importlib import import_module
from shlex import join, quote
from textwrap import fill, indent
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

from qrkit.commands.output import Status
from qrkit.design.bounds import LONGEST_TEXT, NAMES_ELSEWHERE
from qrkit.errors import InvalidParameter, Problem, nearest, similar, uncapitalized

if TYPE_CHECKING:
    from qrkit.model import Model
    from qrkit.pictures.decorating import Decoration
    from qrkit.pictures.printing import PrintSize


MOST_COLUMNS = 100
"""Maximum characters per line of help; most terminals show at least 80."""
OPTIONS_ELSEWHERE = {**NAMES_ELSEWHERE, "colour": "foreground", "from": "since", "to": "until"}
"""Options by the names that other programs give them."""
MOST_WAYS = 8
"""Up to this many commands, such as those of `qrkit campaign`, are all listed in an error, even if one is close."""
SWITCH = {"True": "yes", "False": "no"}
COLUMN = 26
"""Column where the descriptions of options begin."""
INKS = {"key_black": "", "profile": "FILE", "spots": "COLOR=NAME,..."}
"""Fields of `Inks` that have an option of their own, with what stands for their values in the help."""
PRINT = {"size_mm": "N", "dpi": "N", "at_most": "", "bleed_mm": "N", **INKS}
"""Fields of `PrintSize`, in the same way."""


class Layout(argparse.HelpFormatter):
    """Formats help in two columns, up to the width of the terminal; indented lines stay as they are."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=MOST_COLUMNS)

    def format_help(self) -> str:
        """Format the help; only now is the terminal asked for its width, since argparse makes many formatters."""
        from shutil import get_terminal_size

        self._width = min(MOST_COLUMNS, get_terminal_size().columns) - 1
        self._max_help_position = min(COLUMN, max(self._width - 20, 2 * self._indent_increment))
        return super().format_help()

    def add_argument(self, action: argparse.Action) -> None:
        """Measure an argument, and add the indentation of commands, which argparse leaves out."""
        super().add_argument(action)
        if isinstance(action, argparse._SubParsersAction):
            self._action_max_length += self._indent_increment

    def _format_action(self, action: argparse.Action) -> str:
        """Format an argument, an option or a command; the first command of a group has the heading of the group."""
        heading = getattr(action, "heading", "")
        return (f"\n  {heading}\n" if heading else "") + super()._format_action(action)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        parts = (part if "\n  " in part else fill(part, width) for part in text.split("\n\n"))
        return "\n\n".join(parts)

    def _format_action_invocation(self, action: argparse.Action) -> str:
        """Format an option as `-o, --output FILE` or `--[no-]strict`, where argparse repeats FILE and strict."""
        if isinstance(action, argparse.BooleanOptionalAction):
            return f"--[no-]{action.option_strings[0].removeprefix('--')}"
        if action.nargs == 0 or not action.option_strings:
            return super()._format_action_invocation(action)
        return f"{', '.join(action.option_strings)} {self._format_args(action, action.dest.upper())}"


class Parser(argparse.ArgumentParser):
    """A parser that reports errors in one line, with suggestions.

    Options cannot be abbreviated: an option added later must not change the meaning of an existing script.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings, formatter_class=Layout, allow_abbrev=False, add_help=False)
        self.color = False  # Python 3.14 would color some parts of a help, and leave others as they are
        self._positionals.title = "arguments"
        self.add_argument("-h", "--help", action="help", help="show this help")

    def format_help(self) -> str:
        """Return the help, with the options that are in no group at the end."""
        explained(self)
        if not self.usage:
            describe(self, **_texts()[self.prog.removeprefix("qrkit ")])
        self._action_groups.sort(key=lambda group: group is self._optionals)
        return super().format_help()

    def _print_message(self, message: str, file: Any = None) -> None:
        if file is sys.stdout:
            print(message, end="", flush=True)  # argparse would ignore that a help text cannot be written
        else:
            super()._print_message(message, file)

    def error(self, message: str) -> NoReturn:
        """Exit with a one-line message, like every other error."""
        text = message.removeprefix("argument ")
        names = text.removeprefix("the following arguments are required: ")
        if names != text:
            choices = next((one.choices for one in self._actions if one.choices and one.metavar == names), ())
            allowed = ": " + ", ".join(map(str, choices)) if choices else ""
            text = f"{names} {'are' if ', ' in names else 'is'} required{allowed}"
        for kind, number in (("float", "a number"), ("int", "a whole number")):
            text = text.replace(f": invalid {kind} value: ", f": must be {number}, not ")
        self.exit(Status.REFUSED, f"{self.prog}: {text} (see `{self.prog} --help`)\n")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Parse arguments as argparse does, but report unknown ones under the name of the command."""
        parsed, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(self._unknown_message(unknown, parsed))
        # Of options with one meaning, such as --header-row 0 and --no-header, the one without a value comes first.
        actions = sorted(self._actions, key=lambda one: one.const is None or getattr(parsed, one.dest, "") != one.const)
        named = [(action.dest, one) for action in actions for one in action.option_strings if one[1] == "-"]
        parsed.option_names = dict(named[::-1]) | getattr(parsed, "option_names", {})
        return parsed, []

    def _unknown_message(self, words: list[str], parsed: argparse.Namespace) -> str:
        option = next((word.partition("=")[0] for word in words if word.startswith("-")), None)
        if option is None:
            takes_store = "--store" in self._option_string_actions and parsed.store == self.get_default("store")
            is_store = takes_store and words[0].endswith(".duckdb")
            remedy = f"write: --store {quote(words[0])}" if is_store else "put a text of several words in quotes"
            return f"{words[0]!r} is one word too many; {remedy}"
        arguments = {action.metavar: getattr(parsed, action.dest) for action in self._get_positional_actions()}
        if option == "--store" and "STORE" in arguments:
            return f"--store is not an option here; write: {self.prog} {join(map(str, arguments.values()))}"
        if option.strip("-").upper() in arguments:
            return f"{option} is not an option; write: {self.prog} {option.strip('-').upper()}"
        meant = f"--{OPTIONS_ELSEWHERE.get(option.strip('-').replace('-', '_'))}"
        options = self._option_string_actions
        near = f"did you mean {meant!r}?" if meant in options else similar(option, options)
        return f"{option} is not an option" + (f"; {near}" if near else "")

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        # People try both words; the help shows only `remove`.
        if isinstance(action, argparse._SubParsersAction) and arg_strings[0] == "delete" and "remove" in action.choices:
            arg_strings = ["remove", *arg_strings[1:]]
        return super()._get_values(action, arg_strings)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            what = "command" if isinstance(action, argparse._SubParsersAction) else "choice"
            options = self._option_string_actions
            meant = f"did you mean '--{value}'?" if f"--{value}" in options else nearest(str(value), action.choices)
            ways = list(action.choices)
            if what == "command" and len(ways) <= MOST_WAYS:
                meant = f"allowed: {', '.join(ways)}"  # a similar name may do the opposite: rename and remove
            raise argparse.ArgumentError(action, f"{value!r} is not a {what}; {meant}")


class Command(Parser):
    """A command whose parser is created on first use: creating those of all commands takes 4 ms.

    `source` names the module in `qrkit.commands` and the function that define its options, such as
    `generate:define_generate`, so that other commands need not load its modules.
    """

    def __init__(self, *, source: str, **settings: Any) -> None:
        self._origin = source, settings

    def __getattr__(self, name: str) -> Any:
        """Make the parser, unless it was made before and has no such attribute."""
        if "_origin" not in vars(self):
            raise AttributeError(name)
        source, settings = vars(self).pop("_origin")
        super().__init__(**settings)
        module, _, define = source.partition(":")
        getattr(import_module(f"qrkit.commands.{module}"), define)(self)
        return getattr(self, name)

    def _check_help(self, action: argparse.Action) -> None:
        """Skip a check of Python 3.14, for which it would make the parser of each command."""


Late: TypeAlias = "Callable[[], type[Model]]"
Commands: TypeAlias = "argparse._SubParsersAction[Any]"


def add_heading(commands: Commands, heading: str) -> None:
    """Put a heading above the most recently added command in the help."""
    commands._choices_actions[-1].heading = heading  # type: ignore[attr-defined]  # `Layout` looks for it


def add_command(commands: Commands, prog: str, sentence: str, **definition: Any) -> Any:
    """Add a command and return its parser; `prog` is the complete command, such as `qrkit account list`."""
    line = uncapitalized(sentence.removesuffix("."))
    return commands.add_parser(prog.rpartition(" ")[2], help=line, prog=prog, description=sentence, **definition)


def subcommands(one: Parser, rows: Iterable[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    """Add a command for each row, and yield the row with its parser in place of its description."""
    doing = one.add_subparsers(dest="doing", required=True, metavar="WHAT", title="commands", parser_class=Parser)
    for name, act, sentence, *more in rows:
        yield name, act, add_command(doing, f"{one.prog} {name}", sentence), *more


def describe(command: Parser, *, usage: str, examples: str, more: str = "") -> None:
    """Complete the help of a command (see `help.toml`) beyond its sentence; `usage` has a line per way to use it."""
    command.description = "\n\n".join(filter(None, [command.description, more.strip()]))
    command.usage = f"\n{'':7}".join(f"{command.prog} {line}" for line in usage.splitlines())
    command.epilog = "examples:\n" + indent(examples.strip(), "  ")


@cache
def _texts() -> dict[str, dict[str, str]]:
    """Return the arguments of `describe` by command."""
    import tomllib  # only for help
    from importlib.resources import files

    return tomllib.loads(files("qrkit.commands").joinpath("help.toml").read_text(encoding="utf-8"))


def add_place(one: argparse.ArgumentParser) -> None:
    """Add the options that say where the table of a file is: `sheet`, `header_row` and `encoding`."""
    place = one.add_argument_group("where the table is, if it is not found")
    place.add_argument("--sheet", default="", metavar="NAME", help="name of the sheet (the first with the headings)")
    row = place.add_mutually_exclusive_group()
    row.add_argument("--header-row", metavar="N|N-M", help="row of the headings, or their first and last row")
    none = "the file has no headings; options call its columns A, B, ..."
    row.add_argument("--no-header", dest="header_row", action="store_const", const="0", help=none)
    what = "encoding of a csv, such as cp1252 (UTF-8 and UTF-16 are found, others guessed)"
    place.add_argument("--encoding", default="", metavar="NAME", help=what)


def add_json(parser: argparse.ArgumentParser | argparse._ArgumentGroup, keys: str, *, each: str = "") -> None:
    """Add `--json`, which prints these keys in one line, or in a line for each thing that `each` names."""
    lines = f"a line of JSON for each {each}" if each else "one line of JSON"
    parser.add_argument("--json", action="store_true", help=f"print {lines}: {keys}")


def add_time_zone(parser: argparse.ArgumentParser) -> None:
    """Add the option `--time-zone`."""
    zone = "time zone of days and hours, such as Europe/Ljubljana (that of the store, or UTC)"
    parser.add_argument("--time-zone", default="", metavar="ZONE", help=zone)


def option_of(name: str) -> str:
    """Return the option of a field or a kind, such as `--work-phone`."""
    return f"--{name.replace('_', '-')}"


def option_given(asked: argparse.Namespace, name: str) -> str:
    """Return the option that gave the value of a field, such as `--size-mm`, for errors; else the name of the field."""
    first, _, rest = ("field" if name == "fields" else name).removeprefix("location.").partition(".")
    option = asked.option_names.get(first) if getattr(asked, first, None) is not None else None
    return f"{option} {'' if rest.isdecimal() else rest}".rstrip() if option else name


def given_options(asked: argparse.Namespace, names: Iterable[str]) -> dict[str, Any]:
    """Return the values of those of these options that were given."""
    return {name: value for name in names if (value := getattr(asked, name, None)) is not None}


def refused_options(asked: argparse.Namespace, names: Iterable[str], rule: str) -> list[Problem]:
    """Return a problem for each of these options that was given, although a rule excludes it."""
    given = given_options(asked, names)
    return [Problem(name, None if value is True else value, rule) for name, value in given.items()]


def add_fields(
    parser: argparse.ArgumentParser | argparse._ArgumentGroup, record: Late, options: Mapping[str, str]
) -> None:
    """Add options for fields of a record, explained by the first sentence of their help texts.

    Options map a field to the placeholder of its value in the help; "" for a switch, an end of `,...` for several
    names. The record is loaded when the help is shown.
    """
    for name, metavar in options.items():
        if not metavar:
            option: dict[str, Any] = {"action": argparse.BooleanOptionalAction}
        elif metavar.endswith(",..."):
            option = {"metavar": metavar, "action": "extend", "type": _split_names}
        else:
            option = {"metavar": metavar, "type": _number if metavar == "N" else str}
        action = parser.add_argument(option_of(name), **option)
        action.help = partial(_explain, record, name)  # type: ignore[assignment]  # `explained` calls it


def explained(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    """Return the arguments of a parser with the help of each, which loads the records that `add_fields` named."""
    for action in parser._actions:
        if callable(action.help):
            action.help = action.help()
    return parser._actions


def _explain(record: Late, name: str) -> str:
    from qrkit.model import allowed, meaning

    field = record().model_fields[name]
    told = meaning(field).partition(". ")[0].rstrip(".").replace("`", "")
    rules = list(filter(None, [_without_known_unit(allowed(field), told)]))
    if not field.is_required() and field.default not in (None, (), "", {}):
        values = field.default if isinstance(field.default, tuple) else (field.default,)
        default = ", ".join(map(str, values)).removesuffix(".0")
        rules.append(f"default {SWITCH.get(default, default)}")
    return uncapitalized(told) + (f" ({'; '.join(rules)})" if rules else "")


def _without_known_unit(bounds: str, told: str) -> str:
    """Return the bounds of a field without a unit that its help text names, and "" for the bound of every text."""
    numbers, _, unit = bounds.partition(" ")
    if ".." not in numbers:
        return bounds
    if bounds.endswith(f"..{LONGEST_TEXT} characters"):
        return ""
    return numbers if all(word in told.lower() for word in unit.split()) else bounds


def _split_names(text: str) -> list[str]:
    """Split names at commas, as in the environment variables."""
    return [part.strip() for part in text.split(",") if part.strip()]


def _number(text: str) -> float | str:
    """Parse a number; return any other string unchanged, so that validation can report it."""
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    return text


def print_size(asked: argparse.Namespace, least_mm: float | None = None) -> PrintSize | None:
    """Return the print size that the options `PRINT` ask for, if any; `least_mm` is the width if they have none."""
    size = print_options(asked, PRINT, least_mm)
    if not size:
        return None
    from qrkit.pictures.printing import PrintSize

    return PrintSize(**size)


def print_options(asked: argparse.Namespace, names: Iterable[str], least_mm: float | None = None) -> dict[str, Any]:
    """Return those of these options that were given; see `print_size`."""
    options = ({} if least_mm is None else {"size_mm": least_mm}) | given_options(asked, names)
    if options and "size_mm" not in options:
        raise InvalidParameter(*refused_options(asked, names, "needs --size-mm, a width on paper"))
    return options


def add_decoration(look: argparse._ArgumentGroup) -> None:
    """Add the options that decorate, except `--preset`, which is one of the ways to begin."""
    look.add_argument("--colorway", metavar="NAME", help="colors of the preset (its first colorway)")
    look.add_argument("--logo", metavar="FILE", help="a picture for the middle, or icon:NAME; sets --ec to H")
    share = "longer side of the logo, as a share of the symbol's side (the largest that scans well)"
    look.add_argument("--logo-size", type=float, metavar="N", help=share)
    words = "words on the frame (without --frame: that of the preset, or `bar`)"
    look.add_argument("--caption", metavar="TEXT", help=words)
    look.add_argument("--frame", metavar="KIND", help="kind of the frame, such as `bubble`, `card` or `ticket`")
    look.add_argument("--frame-color", metavar="COLOR", help="color of the frame (that of the preset or the modules)")
    eyes = "color of the finder patterns (that of the preset or the modules)"
    look.add_argument("--eye-color", metavar="COLOR", help=eyes)


def decoration_of(asked: argparse.Namespace) -> Decoration:
    """Return what the options decorate a design with; false if none of them was given."""
    from qrkit.pictures.decorating import Decoration

    return Decoration(*(getattr(asked, part) for part in Decoration._fields))
