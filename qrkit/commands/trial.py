"""Implements `qrkit trial`: asks real phones whether they read a code."""

from __future__ import annotations

import argparse
import sys
import threading
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING

from qrkit.commands.console import port_number
from qrkit.commands.generate import design_in
from qrkit.commands.output import complain, print_result
from qrkit.commands.parsing import Parser, add_json
from qrkit.commands.stores import STORE, opened
from qrkit.design.picture_files import READ_FORMATS

if TYPE_CHECKING:
    from qrkit.design.design import Design


def define_trial(one: Parser) -> None:
    """Define the command `trial`."""
    what = "a design (.json), a picture, such as svg or png, a photo of a print, or the text of a plain code"
    one.add_argument("code", metavar="CODE", help=what)
    one.add_argument("-o", "--output", type=Path, metavar="FILE", help="write the result as an HTML page")
    what = f"{STORE}, to keep the result; `qrkit check --store` shows it"
    one.add_argument("--store", metavar="STORE", help=what)
    what = "how many seconds each code is shown if no phone reads it (20)"
    one.add_argument("--seconds", type=float, default=20, metavar="N", help=what)
    where = one.add_argument_group("where")
    where.add_argument("--host", metavar="ADDRESS", help="address of this computer in the network (automatic)")
    what = "port to listen on; 0 chooses a free one (8700)"
    where.add_argument("--port", type=port_number, default=8700, metavar="N", help=what)
    where.add_argument("--no-open", action="store_true", help="do not open a browser")
    add_json(one, "content, symbol, screen, steps, phones (name, design, plain)")
    one.set_defaults(run=_try)


def _try(asked: argparse.Namespace) -> None:
    from qrkit.trials import trial

    with trial(_subject(asked.code), host=asked.host, port=asked.port, seconds=asked.seconds) as phones:
        if "//127." in phones.address:
            complain("trial", "only this computer reaches 127.0.0.1; name its address in your network with --host")
        print(f"trial at {phones.address} (Ctrl-C stops)", file=sys.stderr if asked.json else sys.stdout, flush=True)
        if not asked.no_open:
            threading.Thread(target=webbrowser.open, args=(phones.address,), daemon=True).start()
        while not phones.wait(1):  # Windows cannot interrupt what waits for long
            pass
        result = phones.result
        if asked.output:
            phones.save(asked.output)
        if asked.store:
            with opened(asked) as portfolio:
                phones.keep(portfolio)
    print_result(asked, result, **result.as_dict())


def _subject(text: str) -> Design | Path:
    from qrkit.design.design import Design

    suffix = Path(text).suffix.lower().removeprefix(".")
    if "://" in text or suffix not in ("json", *READ_FORMATS):
        return Design(content=text)
    return design_in(Path(text)) if suffix == "json" else Path(text)
