"""Write the QR Codes of a portfolio to a file, from records or from the texts that the database writes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import BinaryIO, NamedTuple

from qrkit.errors import ContentTooLong, InvalidParameter, Problem, RemoteContentDisabled, RenderingFailed
from qrkit.exchange import ExchangeFormat, Writing
from qrkit.exchange.columns import write_row
from qrkit.exchange.zip_file import IMAGE_FORMATS
from qrkit.pictures.generate_request import apart
from qrkit.pictures.image import QRImage
from qrkit.portfolio.code_designs import CodeDesigns
from qrkit.portfolio.code_pictures import links_of
from qrkit.portfolio.codes import visible
from qrkit.store.json_rows import read_campaigns, read_qrcodes
from qrkit.tracking.records import Campaign, QRCode

__all__ = ["Listing", "write_codes"]

MOST_FAILED = 10
"""The number of QR Codes that cannot be drawn after which an export stops, instead of drawing hundreds in vain."""


class Listing(NamedTuple):
    """All campaigns and QR Codes of a portfolio as texts that the database writes (`qrkit.store.json_rows`).

    Attributes:
        base_url: The base URL of short URLs.
        campaigns_text: The campaigns.
        qrcode_texts: The QR Codes, many in each text.
    """

    base_url: str
    campaigns_text: str
    qrcode_texts: Sequence[str]

    def campaigns(self) -> list[Campaign]:
        """Return the campaigns, oldest first."""
        return read_campaigns(self.campaigns_text)

    def qrcodes(self) -> Iterator[QRCode]:
        """Yield the QR Codes as visible under the plan, in the order they were added."""
        links = partial(links_of, base_url=self.base_url)
        for text in self.qrcode_texts:
            yield from map(visible, read_qrcodes(text, links))

    def to_json(self) -> str:
        """Convert the listing to JSON: the QR Codes without properties, location and schedule."""
        campaigns = ",".join(one.to_json() for one in self.campaigns())
        qrcodes = ",".join(one.to_list_json() for one in self.qrcodes())
        return f'{{"campaigns":[{campaigns}],"qrcodes":[{qrcodes}]}}'


def write_codes(
    format: ExchangeFormat,
    file: BinaryIO,
    codes: Iterable[QRCode],
    campaigns: Iterable[Campaign],
    designs: CodeDesigns,
    *,
    image_format: str = "png",
    safe: bool = True,
) -> None:
    """Write QR Codes to a file.

    Args:
        format: The format of the file.
        file: The file to write to.
        codes: The QR Codes, all of them available under the plan.
        campaigns: All campaigns of the QR Codes.
        designs: The designs of the pictures in a zip.
        image_format: The format of the pictures in a zip: png, eps or svg.
        safe: Whether to put an apostrophe in front of csv texts that a spreadsheet would run as formulas.

    Raises:
        InvalidParameter: If the image format is unknown, a text is too long for the format, or QR Codes cannot be
            drawn; the error names them and their template.
    """
    if image_format.lower() not in IMAGE_FORMATS:
        rule = f"must be one of {', '.join(IMAGE_FORMATS)}"
        raise InvalidParameter(Problem("image_format", image_format, rule))
    names: dict[str | None, str] = {None: ""} | {one.id: one.name for one in campaigns}
    rows = (write_row(code, names[code.campaign_id]) for code in codes)

    pictures = _Pictures(designs)
    format.write(rows, file, Writing(pictures.draw, safe=safe, image_format=image_format.lower()))
    pictures.check()


class _Pictures:
    """Draws pictures, and collects QR Codes that cannot be drawn, so that one error names them all.

    Args:
        designs: The designs of the pictures.
    """

    def __init__(self, designs: CodeDesigns) -> None:
        self._designs = designs
        self._names: dict[tuple[str, str], list[str]] = {}
        """The QR Codes that cannot be drawn, by their template and the reason."""

    def draw(self, code: QRCode, picture_format: str) -> bytes:
        """Return the picture of a QR Code; no bytes if it cannot be drawn.

        Raises:
            InvalidParameter: If `MOST_FAILED` QR Codes cannot be drawn.
        """
        try:
            return QRImage(apart(self._designs.design(code))).to_bytes(picture_format)
        except (InvalidParameter, ContentTooLong, RemoteContentDisabled, RenderingFailed) as error:
            self._names.setdefault((self._designs.template_of(code), str(error)), []).append(code.name)
        if sum(map(len, self._names.values())) == MOST_FAILED:
            self.check(more=" and perhaps more")
        return b""

    def check(self, more: str = "") -> None:
        """Check that all pictures were drawn.

        Raises:
            InvalidParameter: If a picture was not drawn; a problem for each template and reason names the QR Codes.
        """
        if self._names:
            problems = (_not_drawn(*cause, names, more) for cause, names in self._names.items())
            raise InvalidParameter(*problems)


def _not_drawn(template: str, reason: str, names: Sequence[str], more: str) -> Problem:
    codes = f"QR Code{'' if len(names) == 1 and not more else 's'} {', '.join(map(repr, names))}{more}"
    field, value = ("template", template) if template else ("properties", None)
    return Problem(field, value, f"cannot draw the {codes}: {reason}", "not-drawn")
