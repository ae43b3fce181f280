"""All QR Codes of a campaign as files: in one look in a zip, or as a sheet of labels."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

from qrkit.contents.cards import summary
from qrkit.errors import InvalidParameter, Problem
from qrkit.pictures.batches import generate_many
from qrkit.pictures.image import QRImage
from qrkit.pictures.patterns import check_pattern, path_in
from qrkit.portfolio.checking import ON_PAPER, ExportCheck
from qrkit.portfolio.code_designs import CodeDesigns

if TYPE_CHECKING:
    from qrkit.design.design import Design
    from qrkit.paper.label_pages import SheetSettings
    from qrkit.paper.label_sheets import SheetFile
    from qrkit.pictures.printing import PrintSize
    from qrkit.portfolio.codes import Records
    from qrkit.portfolio.portfolio import Portfolio
    from qrkit.tracking.records import QRCode


FIELDS = ("name", "campaign", "number", "short_code", "short_url")
"""Fields that each QR Code has for patterns of file names and for lines on labels."""
MOST_IN_SET = 2000


def zip_in_look(
    portfolio: Portfolio,
    look: Design,
    *,
    campaign_id: str | None = None,
    names: str = "{name}",
    format: str = "png",
    print_size: PrintSize | None = None,
) -> bytes:
    """Return a zip of pictures of the QR Codes of a campaign, by default of all, in the look of a design.

    The content of the look is not drawn. The pattern of names has the fields of `FIELDS` and those of users, such as
    `{City}`; a slash makes a folder. Without a print size, pictures have a size in pixels.
    """
    rows = _rows(portfolio, campaign_id)
    check_pattern("names", names, [field for row in rows for field in row.texts] or FIELDS)
    _check_count(rows)
    fields = list(dict.fromkeys(name for row in rows for name in row.code.fields))
    designs = CodeDesigns.in_look(look, portfolio.list_campaigns(), fields)
    with TemporaryDirectory() as folder:
        file = Path(folder, "set.zip")
        drawn, stems = [designs.design(row.code) for row in rows], [path_in(names, row.texts) for row in rows]
        made = generate_many(drawn, to=file, names=stems, format=format, print_size=print_size)
        if made.errors:
            first = made.errors[0]
            raise InvalidParameter(Problem("design", None, f"cannot draw {rows[first.row].code.name!r}: {first.error}"))
        return file.read_bytes()


def code_sheet(
    portfolio: Records,
    path: str | Path,
    settings: SheetSettings,
    lines: Sequence[str] | None = None,
    *,
    campaign_id: str | None = None,
    ids: Collection[str] | None = None,
) -> SheetFile:
    """Write a sheet of labels with all QR Codes of a campaign, each as its template draws it; see `Portfolio.sheet`.

    The lines of the settings are not used. By default, a label has the name, unless the captions of all pictures show
    it.
    """
    from qrkit.paper.label_sheets import Labels, write_sheet  # loads letters and the writer of PDF

    rows = [row for row in _rows(portfolio, campaign_id) if ids is None or row.code.id in ids]
    designs, seen = CodeDesigns.of(portfolio.store, portfolio.account.id), set[str]()
    check = ExportCheck(designs, ON_PAPER)
    if lines is None:
        one_of_each = {designs.template_of(row.code): row.code for row in rows}.values()
        lines = () if rows and all(map(designs.shows_name, one_of_each)) else ("{name}",)

    def draw(row: _Row) -> QRImage:
        image = QRImage(designs.design(row.code))
        if row.code.id not in seen:  # each is drawn twice if there are many
            check.see(row.code, image)
            seen.add(row.code.id)
        return image

    written = write_sheet(path, Labels(rows, draw, lambda row: row.texts), settings.replace(lines=lines))
    check.warn(stacklevel=4)
    return written


class _Row(NamedTuple):
    """A QR Code, and its texts by the fields of patterns."""

    code: QRCode
    texts: dict[str, str]


def _rows(portfolio: Records, campaign_id: str | None) -> list[_Row]:
    if campaign_id is not None:
        portfolio.get_campaign(campaign_id)
    names = {None: ""} | {one.id: one.name for one in portfolio.list_campaigns()}
    codes = (code for code in portfolio.list_qrcodes(campaign_id=campaign_id) if code.is_available)
    return [_Row(code, texts_of(code, names[code.campaign_id], number)) for number, code in enumerate(codes, 1)]


def texts_of(code: QRCode, campaign: str, number: int) -> dict[str, str]:
    """Return a QR Code's texts by the fields of patterns: its owner's, and `FIELDS`; numbers are counted from 1."""
    own = (summary(code.name), campaign, str(number), code.short_code, code.short_url if code.is_dynamic else "")
    return code.fields | dict(zip(FIELDS, own, strict=True))


def _check_count(rows: Sequence[_Row]) -> None:
    """Check how many QR Codes a set has."""
    if not rows:
        raise InvalidParameter(Problem("campaign", None, "has no QR Codes"))
    if len(rows) > MOST_IN_SET:
        rule = f"has {len(rows):,} QR Codes, more than the {MOST_IN_SET:,} of a set; export the portfolio as a zip"
        raise InvalidParameter(Problem("campaign", None, rule, "out-of-range"))
