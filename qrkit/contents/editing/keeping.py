"""Changes fields of a content that somebody else may have written, and keeps everything else of it as it is.

The text that we would write for the old fields is compared with the one for the new fields, and what differs is put
into the text of the content. Then the result is read: if it does not say what was asked, our own text takes its
place, and a note says what is lost.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from qrkit.contents.content import Content, Note
from qrkit.contents.editing.pieces import MADE_UP, Notation, merged, notation_of
from qrkit.contents.kinds import kind_named
from qrkit.contents.reading import read
from qrkit.contents.syntax import split
from qrkit.errors import InvalidParameter, first_of

STRUCTURE = re.compile(".*/(?:BEGIN|END|VERSION|PRODID|CALSCALE|METHOD)|head|.*:", re.DOTALL)
"""Matches keys of pieces that say nothing about a person or an event."""
SIGNATURE = "sign"
"""The parameter of a UPI payment that is made from the others."""
LONGEST_SHOWN = 60
MOST_SHOWN = 8


def replaced(content: Content, changes: Mapping[str, Any]) -> Content:
    """Return a content with some fields changed, and the rest of its text as it is; None takes a field out.

    Fields of the content that break a rule of ours stay as they are, unless they are changed.
    """
    old, sound = _in_our_words(content)
    fields = {**sound, **changes}
    new = kind_named(content.kind).write(**{name: value for name, value in fields.items() if value is not None})
    if old == str(content):
        return new
    notation = notation_of(content.kind, content)
    if notation and _first_key(notation, content) == _first_key(notation, new):
        for before, in_parts in ((old or "", True), (old or "", False), ("", False)):
            found = read(merged(notation, content, before, new, in_parts=in_parts))
            if found.kind == new.kind and _in_our_words(found)[0] == str(new):
                found.notes = (*new.notes, *_signature_notes(found, content))
                return found
    lost = unread(content)
    new.notes = (*new.notes, *([Note("", f"cannot keep {lost}")] if lost else []))
    return new


def _in_our_words(content: Content) -> tuple[Content | None, dict[str, Any]]:
    """Return what we would write from the fields of a content that break no rule, and these fields; None if nothing."""
    kind, fields = kind_named(content.kind), dict(content.fields)
    while fields:
        try:
            return kind.write(**fields), fields
        except InvalidParameter as error:
            wrong = fields.keys() & {problem.name.partition(".")[0] for problem in error.problems}
        if not wrong:
            break
        fields = {name: value for name, value in fields.items() if name not in wrong}
    return None, dict(content.fields)


def _first_key(notation: Notation, text: str) -> str:
    return next((piece.key for piece in notation.split(text) if piece.key), "")


def _signature_notes(found: Content, before: Content) -> tuple[Note, ...]:
    """Return a note if a signed text changed, so that its signature no longer fits."""
    is_signed = found.kind == "upi" and found != before and re.search(f"[?&]{SIGNATURE}=", found)
    text = "keeps its signature (sign), which was made for other values: banking apps may refuse the payment"
    return (Note("", text),) if is_signed else ()


def unread(content: Content) -> str:
    """Describe the parts of a content that none of its fields hold; "" if there are none."""
    notation, old = notation_of(content.kind, content), _in_our_words(content)[0]
    if notation is None or old is None:
        return ""
    ours = notation.split(old) if _first_key(notation, content) == _first_key(notation, old) else []
    counts, blocks = Counter(piece.key for piece in ours), {piece.key.rpartition("/")[0] for piece in ours}
    said, found = str(dict(old.fields)), dict[str, None]()
    for piece in notation.split(content):
        counts[piece.key] -= 1
        if counts[piece.key] >= 0:
            name = piece.key.rpartition("/")[2]
            parts = (part.text for part in notation.parts(piece)[1] if name in ("N", "ORG"))
            found |= {f"{name}: {text}": None for text in parts if text.replace("\\", "") not in said}
        elif not (
            STRUCTURE.fullmatch(piece.key)
            or MADE_UP.fullmatch(piece.key)
            or (not ours and all(one in said for one in _values_in(piece.text)))
        ):
            block = piece.key.rpartition("/")[0]
            name = block.rpartition("/")[2].rpartition(" ")[0]
            found[piece.text if block in blocks or not name else name] = None
    texts = [text for text in (" ".join(text.split()) for text in found) if text.strip(";&")]
    shown = [text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 1]}…" for text in texts]
    return first_of(shown, MOST_SHOWN, "; ")


def _values_in(pair: str) -> list[str]:
    """Return the values of a pair of an old phone, such as several receivers, as `str` shows them in a dict."""
    return [repr(value)[1:-1] for value in split(pair.partition(":")[2], ",")]
