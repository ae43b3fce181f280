"""Implements `qrkit check`: whether designs and images scan, for people and for continuous integration."""

from __future__ import annotations

import argparse
from collections import Counter
from functools import partial
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING

from qrkit.commands.generate import design_in
from qrkit.commands.output import Status, complain, print_json, status_of
from qrkit.commands.parsing import Parser, add_fields, add_json, print_options
from qrkit.commands.stores import STORE, opened
from qrkit.errors import InvalidParameter, Problem, QrkitError
from qrkit.late import named
from qrkit.scanning.scan_report import AUDIENCES, LEVELS, VERDICTS, ScanReport

if TYPE_CHECKING:
    from qrkit.pictures.preflight import PrintFinding


KEYS = (
    "verdict", "score", "level", "audience", "phones", "embedded", "content", "place", "others", "issues", "budget",
    "structure", "panel", "grade", "photo", "leastWidthMm",
)  # fmt: skip
"""Names of a report in JSON."""


def define_check(one: Parser) -> None:
    """Define the command `check`."""
    what = "a design (.json), a picture, such as png or svg, or a photo of a print"
    one.add_argument("file", type=Path, nargs="+", metavar="FILE", help=what)
    what = f"the worst verdict that is good enough: {', '.join(VERDICTS)} (fragile)"
    one.add_argument("--min", choices=VERDICTS, default="fragile", metavar="VERDICT", help=what)
    what = f"how thorough: {', '.join(LEVELS)} (standard: 12 captures of 3 frames, a tenth of a second)"
    one.add_argument("--level", choices=LEVELS, default="standard", metavar="LEVEL", help=what)
    what = (
        "who must be able to read it: phones; or all, which adds embedded readers, such as checkout scanners (phones)"
    )
    one.add_argument("--audience", choices=AUDIENCES, default="phones", metavar="AUDIENCE", help=what)
    what = "the design (.json) that photos show, so that its logo does not count as damage"
    one.add_argument("--design", type=Path, metavar="FILE", help=what)
    what = f"{STORE}, whose trials with your own phones are shown beside the verdict; see `qrkit trial`"
    one.add_argument("--store", metavar="STORE", help=what)
    paper = one.add_argument_group("before you print a design")
    add_fields(paper, partial(named, "pictures.printing:PrintSize"), {"size_mm": "N", "key_black": ""})
    paper.add_argument("--dpi", type=float, metavar="N", help="resolution of the printer in dots per inch")
    paper.add_argument("--distance-m", type=float, metavar="N", help="distance of the phone in meters")
    what = "what a press prints on: coated, uncoated, newsprint, kraft or dark"
    paper.add_argument("--material", metavar="NAME", help=what)
    add_json(one, f"file, {', '.join(KEYS)}, print (code, severity, text, fix), beside, error", each="file")
    one.set_defaults(run=_check)


def _check(asked: argparse.Namespace) -> Status:
    failed, is_good = 0, True
    verdicts: Counter[str] = Counter()
    for file in asked.file:
        members, beside, wrong = dict.fromkeys(KEYS), None, None
        findings: list[PrintFinding] = []
        try:
            findings = _preflight(file, asked)
            report, beside = _report(file, asked)
            members = report.as_dict()
            is_good &= report.is_at_least(asked.min) and all(one.severity != "error" for one in findings)
            verdicts[report.verdict] += 1
        except QrkitError as error:
            failed += 1
            wrong = str(error)
            complain("check", error)
        if asked.json:
            print_json(
                file=str(file), **members, print=[one._asdict() for one in findings] or None, beside=beside, error=wrong
            )
        elif not wrong:
            print("\n  ".join(filter(None, (f"{file}: {report}", beside))))
            if (close := report.least_width_mm()) and (far := report.least_width_mm(1)):
                print(f"  print it at least {ceil(close)} mm wide, or {ceil(far)} mm to be read from 1 m")
            for one in findings:
                print(f"  {one.severity}: {one}")
    if len(asked.file) > 1 and not asked.json:
        counts = [f"{verdicts[verdict]} {verdict}" for verdict in reversed(VERDICTS) if verdicts[verdict]]
        counts += [f"{failed} not checked"] if failed else []
        print(f"{len(asked.file)} files: {', '.join(counts)}")
    status = status_of(len(asked.file) - failed, failed)
    return status if is_good else max(status, Status.IN_PART)


def _preflight(file: Path, asked: argparse.Namespace) -> list[PrintFinding]:
    """Return what to change before a design is printed; nothing without a size."""
    names = ("size_mm", "dpi", "key_black", "distance_m", "material")
    size = print_options(asked, names)
    if not size:
        return []
    if not _is_design(file):
        rule = f"needs a design (.json), and {file} is a picture; `qrkit generate ... -o code.json` writes its design"
        raise InvalidParameter(Problem("size_mm", None, rule))
    from qrkit.pictures.image import QRImage

    return QRImage(design_in(file)).preflight(**size)


def _report(file: Path, asked: argparse.Namespace) -> tuple[ScanReport, str | None]:
    """Check a file; return the report, and its verdict beside the kept trials, if a store was named and has any."""
    from qrkit.scanning import check

    subject = design_in(file) if _is_design(file) else file
    design = design_in(asked.design) if asked.design else None
    report = check(subject, asked.level, audience=asked.audience, design=design)
    if not asked.store:
        return report, None
    from qrkit.trials import beside

    with opened(asked, to_read=True) as portfolio:
        return report, beside(portfolio, subject, report)


def _is_design(file: Path) -> bool:
    return file.suffix.lower() == ".json"
