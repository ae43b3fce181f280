"""Decode text files of spreadsheets and editors; what is neither UTF-8 nor UTF-16 is read in the best guess."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

from qrkit.errors import InvalidParameter, Problem, UnreadableFile

_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
"""The first bytes of files that say how they are encoded; those of UTF-32 begin with those of UTF-16."""
LATIN = ("cp1252", "cp1250", "cp1254", "cp1257", "mac_roman")
LIKELY = (
    "cp1252", "cp932", "cp949", "gb18030", "big5", "euc_jp", "cp1251", "koi8_r", "cp1250", "cp1253", "cp1254", "cp1257",
    "cp1255", "cp1256", "cp874", "mac_roman",
)  # fmt: skip
"""The encodings that a guess chooses from: of guesses that are as good, the first counts."""
NO_ENCODINGS = frozenset({"idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape"})
"""What Python calls text encodings, though no file is in them; some take hours for ten megabytes."""
AS_GOOD = 0.005
"""How much more disorder charset-normalizer may find in a text that is as good a guess as another."""
MOST_SAMPLED = 8_192
"""The number of bytes that a guess looks at."""
LONGEST_LINE = 1_000
SHOWN = 60
_TO_JAPANESE = re.compile(rb"\x1b\$[@B]")
"""How ISO-2022-JP, which is otherwise ASCII, switches to Japanese."""
_BEHIND = "".join(re.escape(bytes([byte]).decode("cp1252", "ignore") or chr(byte)) for byte in range(0x80, 0xC0))
"""The bytes after the first of a letter in UTF-8, as cp1252 reads them."""
_MISREAD = re.compile(
    # Â or Ã in front of a quotation mark, a dash or an apostrophe may be what somebody wrote.
    rf"[ÂÃ](?:(?![\u2013-\u2022])[{_BEHIND}]|(?!\u2019)[{_BEHIND}](?=\w))|â€[{_BEHIND}]|(?:[Ã-ô][{_BEHIND}]{{1,3}}){{2,}}"
)
_STRAY = re.compile("[\\udc80-\\udcff]")
_LETTERS = re.compile("[\\u0080-\\ud7ff\\ue000-\\U0010ffff]")


def decoded(data: bytes, encoding: str = "") -> tuple[str, str]:
    """Return the text of a file, and what was guessed to decode it, or "" if nothing was.

    Bytes that the encoding does not have become lone surrogates, for which `undecoded` looks.
    """
    if encoding:
        return _named(data, encoding), ""
    mark = next((name for mark, name in _MARKS.items() if data.startswith(mark)), "")
    name = mark or _utf_16(data) or ("iso2022_jp" if _TO_JAPANESE.search(data) and data.isascii() else "utf-8")
    try:
        return data.decode(name), ""
    except UnicodeDecodeError as error:
        if name.startswith(("utf-16", "utf-32")):
            line = data[: error.start].decode(name, "ignore").count("\n") + 1
            raise UnreadableFile(f"line {line} is not {name.upper()}, as the beginning says", line=line) from error
        if mark or _is_nearly_utf_8(data, error.start):
            return data.decode(name, "surrogateescape"), ""
    return _guessed(data)


def is_encoding(name: str) -> bool:
    """Return whether files may be in the encoding of this name."""
    try:
        return codecs.lookup(name).name not in NO_ENCODINGS and "".encode(name) is not None
    except (LookupError, ValueError):
        return False


def undecoded(text: str) -> bool:
    """Return whether bytes of a decoded text are not of its encoding."""
    return not text.isascii() and _STRAY.search(text) is not None


def before_misread(text: str) -> str:
    """Return what a text was before a program read its UTF-8 as cp1252; "" if no program did."""
    try:
        found = _MISREAD.sub(lambda part: b"".join(map(_byte, part[0])).decode(), text)
    except UnicodeError:
        return ""
    return found if found != text and found.isprintable() == text.isprintable() else ""


def _byte(letter: str) -> bytes:
    return letter.encode("latin-1" if letter < "\u0100" else "cp1252")


def _named(data: bytes, encoding: str) -> str:
    """Return the text of a file in this encoding, without a byte order mark."""
    if not is_encoding(encoding):
        rule = f"is not the name of an encoding; there are utf-8, utf-16, {', '.join(LIKELY)} and others"
        raise InvalidParameter(Problem("encoding", encoding, rule))
    try:
        return data.decode(encoding, "surrogateescape").removeprefix("\ufeff")
    except UnicodeDecodeError as error:  # such as UTF-16, which cannot mark invalid bytes
        raise UnreadableFile(f"the file is not {encoding}: {error.reason}") from error


def _is_nearly_utf_8(data: bytes, place: int) -> bool:
    """Return whether a file is UTF-8 apart from a few rows, as its part before the first stray byte and behind tell."""
    sample = data[place : place + MOST_SAMPLED].decode("utf-8", "surrogateescape")
    letters = len(data[:place].translate(None, bytes(range(128)))) // 2 + len(_LETTERS.findall(sample))
    return letters > 4 * len(_STRAY.findall(sample))


def _utf_16(data: bytes) -> str:
    """Return the UTF-16 encoding of a file without a mark, or "": its separators have zero bytes in every script."""
    start = data[:1_000]
    zeros = (start[::2].count(0), start[1::2].count(0))
    if sum(zeros) < max(3, len(start) / 40) or len(data) % 2:
        return ""
    return "utf-16-le" if zeros[0] * 10 <= zeros[1] else "utf-16-be" if zeros[1] * 10 <= zeros[0] else ""


def _guessed(data: bytes) -> tuple[str, str]:
    """Return the text of a file in the encoding that it is probably in, and what was guessed."""
    from charset_normalizer import from_bytes

    lines = list(_foreign_lines(data))
    sample = b"\n".join(lines)
    # Only in Latin script, other letters follow letters of ASCII: as in "Tür", but not in "東京" or "Москва".
    is_latin = 2 * len(re.findall(rb"[A-Za-z][\x80-\xff]", sample)) >= len(re.findall(rb"[\x80-\xff]+", sample))
    guesses = from_bytes(sample, cp_isolation=[*(LATIN if is_latin else LIKELY)])
    # Guesses that give the same text are one match.
    ranked = [(match.chaos, name) for match in guesses for name in {match.encoding, *match.could_be_from_charset}]
    best = min((chaos for chaos, _ in ranked), default=0.0) + AS_GOOD
    name = next((name for name in LIKELY if any(one == name and chaos <= best for chaos, one in ranked)), LIKELY[0])
    seen = " and ".join(repr(line.decode(name, "replace").strip()[:SHOWN]) for line in lines[:2])
    told = f"the file is not UTF-8 and was read as {name}, which is a guess: {seen}; if letters are wrong, "
    return data.decode(name, "surrogateescape"), f"{told}say which encoding it is in"


def _foreign_lines(data: bytes) -> Iterator[bytes]:
    """Yield lines that have bytes beyond ASCII, as many as a guess looks at; of a long line the part around them."""
    place = size = 0
    while size < MOST_SAMPLED and (match := re.compile(rb"[\x80-\xff]").search(data, place)):
        start = max(data.rfind(b"\n", place, match.start()) + 1, place, match.start() - LONGEST_LINE)
        end = data.find(b"\n", match.start(), match.start() + LONGEST_LINE)
        place = match.start() + LONGEST_LINE if end < 0 else end
        yield data[start:place].strip()
        size += place - start
