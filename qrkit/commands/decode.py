"""Implements `qrkit decode`."""

from __future__ import annotations

import argparse
from pathlib import Path

from qrkit.commands.output import Status, complain, print_json, status_of
from qrkit.commands.parsing import Parser, add_json
from qrkit.design.picture_files import READ_FORMATS
from qrkit.errors import QrkitError
from qrkit.symbol.decode import EFFORTS, decode_all


def define_decode(one: Parser) -> None:
    """Define the command `decode`."""
    formats = f"{', '.join(READ_FORMATS)}; at most 120 million pixels"
    one.add_argument("picture", type=Path, nargs="+", metavar="PICTURE", help=f"a file: {formats}")
    what = f"what to do if no code is found at first: {', '.join(EFFORTS)} (standard: a second attempt of 0.6 seconds)"
    one.add_argument("--effort", choices=EFFORTS, default="standard", metavar="EFFORT", help=what)
    keys = "file, codes (content, version, ec, dimension, capacity, length), error"
    add_json(one, keys, each="picture")
    one.set_defaults(run=_decode)


def _decode(asked: argparse.Namespace) -> Status:
    failed = 0
    for picture in asked.picture:
        codes, wrong = [], None
        try:
            codes = decode_all(picture, effort=asked.effort)
        except QrkitError as error:
            failed += 1
            wrong = str(error) if str(picture) in str(error) else f"{picture}: {error}"
            complain("decode", wrong)
        if asked.json:
            print_json(file=str(picture), codes=[code.as_dict() for code in codes], error=wrong)
        else:
            front = f"{picture}: " if len(asked.picture) > 1 else ""
            for code in codes:
                part = f"part {code.part.number} of {code.part.of}: " if code.part else ""
                print(f"{front}{part}{code.content}")
    return status_of(len(asked.picture) - failed, failed)
