"""Provides `generate_sequence`, which draws one message as several symbols."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from qrkit.design.design import Design, DesignFields, lists_fields
from qrkit.design.message_part import MOST_SYMBOLS, MessagePart
from qrkit.errors import ContentTooLong, InvalidParameter, Problem, check_whole
from qrkit.pictures.image import QRImage, generate
from qrkit.symbol.encode import check_fits
from qrkit.symbol.encode.headers import header_of
from qrkit.symbol.encode.sequence import parity_of, split

if TYPE_CHECKING:
    from qrkit.drawing.untrusted.assets import Fetch


@lists_fields(DesignFields)
def generate_sequence(
    content: str | Design, /, *, symbols: int | None = None, fetch: Fetch | None = None, **fields: Unpack[DesignFields]
) -> list[QRImage]:
    """Generate up to 16 QR Codes that share one message (structured append).

    All symbols have the same version. Readers that know structured append join the parts; most phones show each part
    on its own.

    Args:
        content: The text to encode, or a whole `Design`.
        symbols: Number of symbols, 2..16. By default, as few as hold the message in the design's version, or in any
            version without one; if one symbol is enough, it is an ordinary QR Code.
        fetch: Downloads the images that the design refers to by URL. Without it, such a design raises an error.
        **fields: Fields of `Design`; with a design, they replace its fields.

    Raises:
        InvalidParameter: If a field breaks its rule, `symbols` is not between 2 and 16 or exceeds the number of
            characters, or the design is a Micro QR Code or already a part of a message.
        ContentTooLong: If the message does not fit; the message of the error says how much would fit.

    Example:
        >>> [image.design.content for image in generate_sequence("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123", version=1, ec="L")]
        ['ABCDEFGHIJKLMNO', 'PQRSTUVWXYZ0123']
    """
    design = content.replace(**fields) if isinstance(content, Design) else Design(content=content, **fields)
    _check(design, symbols)
    if symbols is None and _fits(design):
        return [generate(design, fetch=fetch, warn=False)]
    header = header_of(design.charset, fnc1=design.fnc1)
    version, texts = split(design, header, symbols)
    parity = parity_of(design.content, design.em, header)
    return [
        generate(
            design.replace(
                content=text, version=version, part=MessagePart(number=number, of=len(texts), parity=parity)
            ),
            fetch=fetch,
            warn=False,
        )
        for number, text in enumerate(texts, 1)
    ]


def _check(design: Design, symbols: int | None) -> None:
    if symbols is not None:
        check_whole("symbols", symbols, 2, MOST_SYMBOLS, more=", or None for as few as possible")
    if design.micro:
        raise InvalidParameter(Problem("micro", None, "must be left out: Micro QR Codes have no structured append"))
    if design.part:
        raise InvalidParameter(Problem("part", None, "must be left out: it is set for each symbol"))


def _fits(design: Design) -> bool:
    try:
        check_fits(design)
    except ContentTooLong:
        return False
    return True
