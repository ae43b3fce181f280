"""Write the QR Codes of a portfolio to a file, from records or from the texts that the database writes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import BinaryIO, NamedTuple, Self

from qrkit.errors import ContentTooLong, InvalidParameter, Problem, RemoteContentDisabled, RenderingFailed
from qrkit.exchange import ExchangeFormat, Writing
from qrkit.exchange.columns import NAMES, SORTING_NAMES, TERMS_NAMES, write_row
from qrkit.exchange.zip_file import IMAGE_FORMATS
from qrkit.pictures.generate_request import apart
from qrkit.pictures.image import QRImage
from qrkit.portfolio.code_designs import CodeDesigns
from qrkit.portfolio.code_pictures import links_of, short_link_of
from qrkit.portfolio.codes import Records, visible
from qrkit.store.records.json_rows import campaigns_text, qrcode_texts, read_campaigns, read_qrcodes
from qrkit.store.records.qrcodes import Links
from qrkit.tracking.records import PLANS, Campaign, QRCode

__all__ = ["Listing", "list_json", "write_codes"]

MOST_FAILED = 10
"""The number of QR Codes that cannot be drawn after which an export stops, instead of drawing hundreds in vain."""


class Listing(NamedTuple):
    """All campaigns and QR Codes of a portfolio as texts that the database writes (`qrkit.store.records.json_rows`).

    Attributes:
        base_url: The base URL of short URLs.
        campaigns_text: The campaigns.
        qrcode_texts: The QR Codes, many in each text.
    """

    base_url: str
    campaigns_text: str
    qrcode_texts: Sequence[str]

    @classmethod
    def of(cls, portfolio: Records) -> Self:
        """Return all campaigns and QR Codes, as the plan of the account shows them."""
        store, account = portfolio.store, portfolio.account
        texts = qrcode_texts(store, account.id, most=PLANS[account.plan].most_qrcodes)
        return cls(portfolio.base_url, campaigns_text(store, account.id), tuple(texts))

    def campaigns(self) -> list[Campaign]:
        """Return the campaigns, oldest first."""
        return read_campaigns(self.campaigns_text)

    def qrcodes(self) -> Iterator[QRCode]:
        """Yield the QR Codes as visible under the plan, in the order they were added."""
        return map(visible, self._qrcodes(partial(links_of, base_url=self.base_url)))

    def available(self) -> Iterator[QRCode]:
        """Yield the QR Codes that the plan makes available, without their image URLs, which files do not have."""
        codes = self._qrcodes(partial(short_link_of, base_url=self.base_url))
        return (code for code in codes if code.is_available)

    def _qrcodes(self, links: Links) -> Iterator[QRCode]:
        for text in self.qrcode_texts:
            yield from read_qrcodes(text, links)

    def to_json(self) -> str:
        """Convert the listing to JSON: the QR Codes without properties, location and schedule."""
        return list_json(self.campaigns(), self.qrcodes())


def list_json(campaigns: Iterable[Campaign], qrcodes: Iterable[QRCode], *, following: str = "") -> str:
    """Convert records to the JSON of a list: the QR Codes without properties, location and schedule.

    Args:
        following: ID after which the next page begins, which becomes the field `next`; "" if there is none.
    """
    shown = ",".join(one.to_json() for one in campaigns), ",".join(one.to_list_json() for one in qrcodes)
    further = f',"next":{json.dumps(following)}' if following else ""
    return f'{{"campaigns":[{shown[0]}],"qrcodes":[{shown[1]}]{further}}}'


def write_codes(
    format: ExchangeFormat,
    file: BinaryIO,
    codes: Iterable[QRCode],
    campaigns: Iterable[Campaign],
    designs: CodeDesigns,
    *,
    image_format: str = "png",
    safe: bool = True,
    has_tags: bool = False,
    has_terms: bool = False,
    drawn: Callable[[QRCode, QRImage], None] | None = None,
) -> None:
    """Write QR Codes to a file.

    Args:
        codes: The QR Codes, all of them available under the plan.
        campaigns: All campaigns of the QR Codes.
        image_format: The format of the pictures in a zip: png, eps or svg.
        safe: Whether to put an apostrophe in front of csv texts that a spreadsheet would run as formulas.
        has_tags: Whether a csv or a workbook has the columns Tags and Fields, too.
        has_terms: Whether it has the columns of rules, limits and times, too.
        drawn: Called with each QR Code whose picture was written, and the picture.

    Raises:
        InvalidParameter: If the image format is unknown, a text is too long for the format, or QR Codes cannot be
            drawn; the error names them and their template.
    """
    if image_format.lower() not in IMAGE_FORMATS:
        rule = f"must be one of {', '.join(IMAGE_FORMATS)}"
        raise InvalidParameter(Problem("image_format", image_format, rule))
    names: dict[str | None, str] = {None: ""} | {one.id: one.name for one in campaigns}
    rows = (write_row(code, names[code.campaign_id]) for code in codes)

    pictures = _Pictures(designs, drawn)
    columns = (*NAMES, *(SORTING_NAMES if has_tags else ()), *(TERMS_NAMES if has_terms else ()))
    format.write(rows, file, Writing(pictures.draw, safe, image_format.lower(), columns))
    pictures.check()


class _Pictures:
    """Draws pictures, and collects QR Codes that cannot be drawn, so that one error names them all.

    Args:
        drawn: Called with each QR Code whose picture was drawn, and the picture.
    """

    def __init__(self, designs: CodeDesigns, drawn: Callable[[QRCode, QRImage], None] | None) -> None:
        self._designs, self._drawn = designs, drawn
        self._names: dict[tuple[str, str], list[str]] = {}
        """The QR Codes that cannot be drawn, by their template and the reason."""

    def draw(self, code: QRCode, picture_format: str) -> bytes:
        """Return the picture of a QR Code; no bytes if it cannot be drawn."""
        try:
            image = QRImage(apart(self._designs.design(code), picture_format))
            data = image.to_bytes(picture_format)
        except (InvalidParameter, ContentTooLong, RemoteContentDisabled, RenderingFailed) as error:
            self._names.setdefault((self._designs.template_of(code), str(error)), []).append(code.name)
        else:
            if self._drawn:
                self._drawn(code, image)
            return data
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
