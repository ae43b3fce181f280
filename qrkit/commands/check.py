"""`qrkit check`: whether designs and pictures scan, for people and for continuous integration."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from qrkit.commands.generate import design_fields
from qrkit.design import Design
from qrkit.scannability import check
from qrkit.scannability.report import LEVELS, VERDICTS, ScanReport

if TYPE_CHECKING:
    from qrkit.commands.parsing import Commands

__all__ = ["add_check"]


def add_check(commands: Commands) -> None:
    """Add `check`."""
    one = commands.add_parser(
        "check",
        help="tell whether designs and pictures scan",
        description="Tell whether designs (json) and pictures scan, with how much room, and what would help. "
        "The exit status is 1 where a file is worse than --min.",
    )
    one.add_argument("file", type=Path, nargs="+", help="a design as Design.to_json writes it, or a picture")
    one.add_argument(
        "--min", choices=VERDICTS, default="fragile", help="the worst verdict that is good enough (fragile)"
    )
    one.add_argument("--level", choices=LEVELS, default="standard", help="how thorough (standard)")
    one.add_argument("--json", action="store_true", help="print a JSON object for each file, a line each")
    one.set_defaults(run=_check)


def _check(asked: argparse.Namespace) -> int:
    is_good = True
    for file in asked.file:
        report = _report(file, asked.level)
        is_good &= report.is_at_least(asked.min)
        print(json.dumps({"file": str(file)} | report.as_dict()) if asked.json else f"{file}: {report}")
    return 0 if is_good else 1


def _report(file: Path, level: str) -> ScanReport:
    return check(Design(**design_fields(file)) if file.suffix.lower() == ".json" else file, level)
