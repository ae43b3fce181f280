"""Write the QR Codes of a portfolio to a file, from records or from the texts that the database writes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import BinaryIO, NamedTuple

from qrkit.errors import InvalidParameter, Problem
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

__all__ = ["Listing", "list_json", "write_codes"]


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
        return list_json(self.campaigns(), self.qrcodes())


def list_json(campaigns: Iterable[Campaign], qrcodes: Iterable[QRCode], *, following: str = "") -> str:
    """Convert records to the JSON of a list: the QR Codes without properties, location and schedule.

    Args:
        campaigns: The campaigns.
        qrcodes: The QR Codes.
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
    drawn: Callable[[QRCode, QRImage], None] | None = None,
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
        drawn: Called with each QR Code whose picture was written, and the picture.

    Raises:
        InvalidParameter: If the image format is unknown, or a text is too long for the format.
    """
    if image_format.lower() not in IMAGE_FORMATS:
        rule = f"must be one of {', '.join(IMAGE_FORMATS)}"
        raise InvalidParameter(Problem("image_format", image_format, rule))
    names: dict[str | None, str] = {None: ""} | {one.id: one.name for one in campaigns}
    rows = (write_row(code, names[code.campaign_id]) for code in codes)

    def draw(code: QRCode, picture_format: str) -> bytes:
        image = QRImage(apart(designs.design(code)))
        data = image.to_bytes(picture_format)
        if drawn:
            drawn(code, image)
        return data

    format.write(rows, file, Writing(draw, safe=safe, image_format=image_format.lower()))
