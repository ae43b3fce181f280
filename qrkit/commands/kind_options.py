"""Defines the options of `qrkit generate` that write a content by its kind, such as `--wifi ssid=Nero`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from qrkit.commands.output import complain
from qrkit.commands.parsing import option_of
from qrkit.contents import MODULES
from qrkit.errors import InvalidParameter, Problem, raise_any

if TYPE_CHECKING:
    from qrkit.contents.content import Content


def add_kinds(what: argparse._ArgumentGroup) -> None:
    """Add an option for each kind, such as `--wifi ssid=Nero password=espresso`; the help shows one of them."""
    told = "content of this kind, here a Wi-Fi network; `qrkit content --help` lists all kinds and their fields"
    for name in MODULES:
        shown = told if name == "wifi" else argparse.SUPPRESS
        what.add_argument(option_of(name), dest=f"kind_{name}", nargs="+", metavar="FIELD=VALUE", help=shown)


def kind_asked(asked: argparse.Namespace) -> str | None:
    """Return the kind whose option was given, or None."""
    given = [name for name in MODULES if getattr(asked, f"kind_{name}") is not None]
    if len(given) > 1:
        rule = f"cannot be combined with {option_of(given[0])}: a code has one content"
        raise InvalidParameter(Problem(option_of(given[1]), None, rule))
    return given[0] if given else None


def kind_content(asked: argparse.Namespace, kind: str) -> Content:
    """Return the content that the option of a kind describes."""
    from qrkit.contents.kinds import make_from_texts  # a plain code does without pydantic

    words = getattr(asked, f"kind_{kind}")
    wrong = [Problem(option_of(kind), word, "must be FIELD=VALUE") for word in words if "=" not in word]
    raise_any(wrong)
    fields = (word.partition("=") for word in words)
    content = make_from_texts(kind, {name.replace("-", "_"): value for name, _, value in fields})
    tell_notes(asked.command, content)
    return content


def tell_notes(command: str, content: Content) -> None:
    """Print what to know about a content, such as what was cleaned of a pasted value, on the error stream."""
    for field, text in content.notes:
        complain(command, f"{option_of(field)} {text}")
