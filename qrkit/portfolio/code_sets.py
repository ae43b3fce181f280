"""All QR Codes of a campaign in one look, as the files of a zip."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from qrkit.contents.cards import summary
from qrkit.errors import InvalidParameter, Problem, nearest
from qrkit.pictures.batches import generate_many
from qrkit.portfolio.code_designs import CodeDesigns

if TYPE_CHECKING:
    from qrkit.design.design import Design
    from qrkit.pictures.printing import PrintSize
    from qrkit.portfolio.portfolio import Portfolio
    from qrkit.tracking.records import QRCode

__all__ = ["MOST_IN_SET", "NAME_FIELDS", "zip_in_look"]

NAME_FIELDS = ("name", "campaign", "number", "short_code")
"""Fields of a pattern for file names."""
MOST_IN_SET = 2000
MOST_SHOWN = 20
"""The maximum number of fields that an error lists."""
FIELD = re.compile(r"\{([^{}]*)\}")


def zip_in_look(
    portfolio: Portfolio,
    look: Design,
    *,
    campaign_id: str | None = None,
    names: str = "{name}",
    format: str = "png",
    print_size: PrintSize | None = None,
) -> bytes:
    """Return a zip of pictures of all QR Codes of a campaign, in the look of a design.

    Args:
        look: The design, whose content is not drawn.
        campaign_id: ID of the campaign; None for all QR Codes.
        names: Pattern of the file names, with the fields `{name}`, `{campaign}`, `{number}` and `{short_code}`, and
            those of users, such as `{City}`.
        format: One of `qrkit.drawing.writers.FORMATS`.
        print_size: The print size of the pictures; by default, they have a size in pixels.
    """
    if campaign_id is not None:
        portfolio.get_campaign(campaign_id)
    codes = [code for code in portfolio.list_qrcodes(campaign_id=campaign_id) if code.is_available]
    fields = list(dict.fromkeys(name for code in codes for name in code.fields))
    _check_pattern(names, (*NAME_FIELDS, *fields))
    _check_count(codes)
    campaigns = portfolio.list_campaigns()
    designs = CodeDesigns.in_look(look, campaigns, fields)
    campaign_names = {one.id: one.name for one in campaigns}
    stems = [
        _named(names, code, number, campaign_names.get(code.campaign_id or "", ""))
        for number, code in enumerate(codes, 1)
    ]
    with TemporaryDirectory() as folder:
        file = Path(folder, "set.zip")
        drawn = [designs.design(code) for code in codes]
        made = generate_many(drawn, to=file, names=stems, format=format, print_size=print_size)
        if made.errors:
            first = made.errors[0]
            raise InvalidParameter(Problem("design", None, f"cannot draw {codes[first.row].name!r}: {first.error}"))
        return file.read_bytes()


def _check_pattern(names: str, known: Sequence[str]) -> None:
    """Check a pattern of file names."""
    for field in FIELD.findall(names):
        if field not in known:
            allowed = ", ".join(f"{{{one}}}" for one in known[:MOST_SHOWN])
            rule = f"has the unknown field {{{field}}}; the fields are {allowed}; {nearest(field, known)}"
            raise InvalidParameter(Problem("names", names, rule, "bad-value"))


def _check_count(codes: Sequence[QRCode]) -> None:
    """Check how many QR Codes a set has."""
    if not codes:
        raise InvalidParameter(Problem("campaign", None, "has no QR Codes"))
    if len(codes) > MOST_IN_SET:
        rule = f"has {len(codes):,} QR Codes, more than the {MOST_IN_SET:,} of a set; export the portfolio as a zip"
        raise InvalidParameter(Problem("campaign", None, rule, "out-of-range"))


def _named(pattern: str, code: QRCode, number: int, campaign: str) -> str:
    """Return the file name of a QR Code; without a number, name or code in the pattern, repeated names are numbered."""
    own = {"name": summary(code.name), "campaign": campaign, "number": str(number), "short_code": code.short_code}
    values = code.fields | own
    return FIELD.sub(lambda found: values.get(found[1], ""), pattern)
