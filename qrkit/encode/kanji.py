"""Kanji mode (ISO/IEC 18004:2015, 7.4.6): 13 bits a character of Shift JIS. segno encodes it, which knows its table."""

from __future__ import annotations

from qrkit.encode.capacity import bits_held
from qrkit.errors import ContentTooLong, InvalidParameter, Problem
from qrkit.symbol import ErrorCorrectionLevel, Symbol

__all__ = ["encode_kanji"]

BITS = 13
INDICATOR_BITS = 4


def encode_kanji(
    content: str, *, version: int | None, error_correction: ErrorCorrectionLevel, mask: int | None
) -> Symbol:
    """Encode a text of kanji, kana and other characters of two bytes in Shift JIS into a symbol.

    Raises:
        ContentTooLong: The content does not fit.
        InvalidParameter: It is empty, or has other characters.
    """
    import segno

    if not content or not all(map(_is_kanji, content)):
        rule = "mode=kanji takes characters that have two bytes in Shift JIS; mode=byte takes any text"
        raise InvalidParameter(Problem("content", content, rule, "bad-content"))
    try:
        code = segno.make_qr(
            content, mode="kanji", error=error_correction, version=version, mask=mask, boost_error=False
        )
    except segno.DataOverflowError as error:
        tried = version or 40
        needed, held = INDICATOR_BITS + _count_bits(tried) + BITS * len(content), bits_held(tried, error_correction)
        message = f"content needs {needed} bits, but version {tried} with ec={error_correction} holds {held}"
        raise ContentTooLong(message, needed_bits=needed, capacity_bits=held) from error
    return Symbol(
        version=int(code.version),
        error_correction=error_correction,
        mode="kanji",
        mask=code.mask,
        modules=tuple(bytes(row) for row in code.matrix),
    )


def _count_bits(version: int) -> int:
    """Bits of the character count indicator (table 3)."""
    return 8 if version <= 9 else 10 if version <= 26 else 12


def _is_kanji(character: str) -> bool:
    """Whether the mode has the character: 8140 to 9FFC and E040 to EBBF in Shift JIS."""
    try:
        code = int.from_bytes(character.encode("shift_jis"), "big")
    except UnicodeEncodeError:
        return False
    return 0x8140 <= code <= 0x9FFC or 0xE040 <= code <= 0xEBBF
