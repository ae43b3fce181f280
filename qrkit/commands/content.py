"""Implements `qrkit content`, which writes and reads contents by kind."""

from __future__ import annotations

import argparse
import shlex
import sys
from functools import partial
from typing import Any, get_origin

from qrkit.commands.kind_options import tell_notes
from qrkit.commands.output import print_json, print_result
from qrkit.commands.parsing import Parser, add_command, add_fields, add_json, describe, option_of
from qrkit.contents import MODULES
from qrkit.contents.kinds import SHORT_URLS, Kind, as_text, kind_named, make_from_texts
from qrkit.errors import renaming
from qrkit.model import plain

LONGEST_LINE = 74
"""Characters in a line of an example."""


def define_content(one: Parser) -> None:
    """Define the command `content`, with a subcommand for each kind, and one that reads a content."""
    kinds = one.add_subparsers(dest="kind", required=True, metavar="WHAT", title="kinds", parser_class=Parser)
    for name in MODULES:
        _define_kind(kinds, kind_named(name))
    read = add_command(kinds, "qrkit content read", "Print the kind and the fields of a content.")
    read.add_argument("content", metavar="CONTENT", help="the text; - reads it from the standard input")
    add_json(read, "kind, fields")
    read.set_defaults(run=_read)


def _define_kind(kinds: Any, kind: Kind) -> None:
    one = add_command(kinds, f"qrkit content {kind.name}", f"{kind.title}.")
    fields = kind.fields.model_fields
    needed = [name for name, field in fields.items() if field.is_required()]
    usage = " ".join([*(f"{option_of(name)} ..." for name in needed), "[options]"])
    describe(one, usage=usage, more=SHORT_URLS[kind.behind], examples=_example(kind))
    add_fields(one, lambda: kind.fields, {name: _placeholder(field.annotation) for name, field in fields.items()})
    add_json(one, "kind, fields, content")
    one.set_defaults(run=partial(_write, kind))


def _example(kind: Kind) -> str:
    """Return a call with the fields of the kind's example, in lines that fit a terminal."""
    options = (shlex.join([option_of(name), str(as_text(value))]) for name, value in kind.example.items())
    lines = [f"qrkit content {kind.name}"]
    for option in options:
        if len(lines[-1]) + len(option) < LONGEST_LINE:
            lines[-1] += f" {option}"
        else:
            lines.append(f"    {option}")
    return " \\\n".join(lines)


def _placeholder(annotation: Any) -> str:
    """Return what stands for a value in the help; "" for a switch."""
    if annotation is bool:
        return ""
    if get_origin(annotation) is tuple:
        return "TEXT,..."
    return "N" if annotation in (int, float, int | None, float | None) else "TEXT"


def _write(kind: Kind, asked: argparse.Namespace) -> None:
    given = {name: getattr(asked, name) for name in kind.fields.model_fields}
    with renaming(option_of):
        content = make_from_texts(kind.name, given)
    tell_notes("content", content)
    fields = plain(dict(content.fields))
    print_result(asked, content, kind=content.kind, fields=fields, content=str(content))


def _read(asked: argparse.Namespace) -> None:
    from qrkit.contents.editing.keeping import unread
    from qrkit.contents.reading import read

    content = read(sys.stdin.read() if asked.content == "-" else asked.content)
    if asked.json:
        print_json(kind=content.kind, fields=plain(dict(content.fields)))
        return
    print(content.kind)
    for name, value in content.fields.items():
        print(f"  {name}: {value}")
    if more := unread(content):
        print(f"  in no field: {more}")
