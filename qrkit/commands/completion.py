"""Implements `qrkit completion`: what a shell needs to complete commands and options."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from qrkit.commands.parsing import Parser, explained

SHELLS = ("bash", "zsh", "fish")
FILES = {"FILE", "STORE", "TABLE", "PICTURE", "COPY", "NEW"}
"""What stands in the help for values that are files."""
NOTHING = {"zsh": "()"}
"""No values. Without this, zsh shows what an argument means instead of completing the options that may stand there."""


def define_completion(one: Parser) -> None:
    """Define the command `completion`."""
    one.add_argument("shell", choices=SHELLS, metavar="SHELL", help=f"one of {', '.join(SHELLS)}")
    one.set_defaults(run=_completion)


def _completion(asked: argparse.Namespace) -> None:
    import shtab

    for parser in _parsers(asked.parser):
        for action in explained(parser):
            _add_values(action, shtab.FILE)
    print(shtab.complete(asked.parser, asked.shell))


def _add_values(action: argparse.Action, file: Any) -> None:
    """Tell shtab the values of an argument that argparse does not know; `file` stands for files in shtab."""
    from qrkit.design.formats import FORMATS
    from qrkit.design.frames import FRAME_KINDS
    from qrkit.design.presets import PRESETS

    names = {"preset": PRESETS, "frame": FRAME_KINDS, "format": FORMATS}
    if action.dest in names:
        action.choices = tuple(names[action.dest])
    elif action.type is Path or str(action.metavar) in FILES:
        action.complete = file  # type: ignore[attr-defined]  # where shtab looks for it
    elif not action.option_strings and action.choices is None:
        action.complete = NOTHING  # type: ignore[attr-defined]


def _parsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """Yield a parser and those of its commands, each with its options."""
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from _parsers(command)
