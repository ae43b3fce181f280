"""Provides `generate_set`, which generates a QR Code for each row of a table; columns fill in captions and names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Unpack

from qrkit.design.design import Design, DesignFields, lists_fields
from qrkit.design.frames import USUAL_KIND, Frame
from qrkit.drawing.untrusted.assets import Fetch
from qrkit.errors import InvalidParameter, Problem, QrkitError
from qrkit.late import pd
from qrkit.pictures.batches import Batch, generate_many
from qrkit.pictures.decorating import Decoration, parts_by_name
from qrkit.pictures.patterns import check_patterns, filled, path_in
from qrkit.pictures.printing import PrintSize

NUMBER = "n"
"""The field with the number of a row, counted from 1, unless a column has this name."""
MOST_NUMBERED = 100_000


@lists_fields(DesignFields)
def generate_set(
    rows: pd.DataFrame | Iterable[Mapping[str, Any]] | int,
    content: str | Sequence[str | QrkitError],
    /,
    *,
    to: str | Path | None = None,
    names: str | Sequence[str] | None = None,
    caption: str | None = None,
    subtitle: str | None = None,
    preset: str | None = None,
    colorway: str | None = None,
    logo: str | Path | bytes | None = None,
    format: str = "png",
    print_size: PrintSize | None = None,
    design: Design | Mapping[str, Any] | None = None,
    fetch: Fetch | None = None,
    progress: bool = False,
    **fields: Unpack[DesignFields],
) -> Batch:
    """Generate a QR Code for each row of a table, without tracking it: table cards, tickets, signs of rooms.

    Columns in braces fill in the content, the caption, the subtitle and the names of files; `{n}` is the number of the
    row. A row that fails, for example because its caption does not fit the frame, does not stop the others; the result
    lists its error.

    Args:
        rows: A DataFrame, mappings from the names of columns to values, or the number of rows, 1..100,000.
        content: Pattern of the text to encode, such as `https://example.com/table/{Table}`; or the text of each row.
        to: A zip, a PDF with a page for each image, or a folder; see `generate_many`.
        names: Pattern of the file names, such as `{Room}/Table {Table}`, where a slash makes a folder; or the name of
            each row. By default, names are made from the contents.
        caption: Pattern of the words on the frame. Without a frame in the design or the preset, it is a `bar`.
        subtitle: Pattern of the smaller words below the caption.
        preset: A look from `qrkit.presets`, such as `wifi`.
        colorway: Colors of the preset; by default, its first.
        logo: A picture for the middle, as in `generate`.
        format: The format of the files, one of `qrkit.drawing.writers.FORMATS`.
        print_size: The print size of the files, as in `QRImage.print_at`; by default, they have a size in pixels.
        design: The design of all images: a `Design`, or its fields. Its content is not drawn.
        fetch: Downloads the images that the design refers to by URL. Without it, such a design raises an error.
        progress: True to show a progress bar.
        **fields: Fields of `Design` that replace those of the design.

    Raises:
        InvalidParameter: If there are no rows, a pattern has a field that is not a column, or another argument breaks
            its rule; see `generate_many`.
        CannotWrite: If the target cannot be written.

    Warns:
        ScanWarning: If phones may fail to scan images; see `generate_many`.

    Example:
        >>> generate_set(12, "https://example.com/table/{n}", caption="Table {n}", preset="bubble").images[11]
        <QRImage 'https://example.com/table/12', 3-M, 328 x 424 px>
    """
    texts = numbered(_mappings(rows))
    check_patterns(texts, content=content, names=names)
    drawn: Sequence[Any] = [filled(content, row) for row in texts] if isinstance(content, str) else list(content)
    given = Design.by_field(fields)
    how: dict[str, Any] = {"design": design, **fields}
    decoration = Decoration(preset, colorway, logo, caption, given.pop("frame", None))
    if decoration or subtitle is not None:
        how = {}
        drawn = decorated(drawn, texts, design, decoration, subtitle=subtitle, fields=given, fetch=fetch)
    return generate_many(
        drawn,
        to=to,
        names=[path_in(names, row) for row in texts] if isinstance(names, str) else names,
        format=format,
        print_size=print_size,
        fetch=fetch,
        progress=progress,
        **how,
    )


def decorated(
    contents: Sequence[str | QrkitError],
    texts: Sequence[Mapping[str, str]],
    design: Design | Mapping[str, Any] | None,
    decoration: Decoration,
    *,
    subtitle: str | None,
    fields: Mapping[str, Any],
    fetch: Fetch | None = None,
) -> list[Design | QrkitError]:
    """Return the design of each row with its words; or the error of a row that cannot have them.

    The caption of the decoration and the subtitle are patterns; without the latter, the design keeps its own. Fields
    win over the decoration.
    """
    check_patterns(texts, caption=decoration.caption, subtitle=subtitle)
    # The longest content has the most modules, so all symbols fit the size of its picture; and if any caption fits the
    # frame, the shortest does.
    longest = max((one for one in contents if isinstance(one, str)), key=len, default="") or "0"
    patterns = {"text": decoration.caption, "subtitle": subtitle}
    words = [{name: filled(one, row) for name, one in patterns.items() if isinstance(one, str)} for row in texts]
    shortest = min(filter(None, (one.get("text") for one in words)), key=len, default=None)
    own = {"content": longest, **fields}
    look = design.replace(**own) if isinstance(design, Design) else Design(**{**Design.by_field(design or {}), **own})
    look = decoration._replace(caption=shortest).on(look, fields, fetch)
    return [_worded(look, content, one) for content, one in zip(contents, words, strict=True)]


def _worded(look: Design, content: str | QrkitError, words: Mapping[str, str]) -> Design | QrkitError:
    try:
        if isinstance(content, QrkitError):
            raise content
        design = look.replace(content=content)
        return with_words(design, words) if words else design
    except QrkitError as error:
        return error


def with_words(design: Design, words: Mapping[str, str]) -> Design:
    """Return a design with other words on its frame, `text` and `subtitle`; an empty subtitle takes it away."""
    frame = design.frame or Frame(USUAL_KIND)
    before = frame.caption.given() if frame.caption else {}
    smaller = {"subtitle": None} if words.get("subtitle") == "" else {}
    with parts_by_name():
        return design.replace(frame=frame.replace(caption={**before, **words, **smaller}))


def numbered(rows: Iterable[Mapping[str, str]]) -> list[dict[str, str]]:
    """Return rows with their numbers."""
    return [{NUMBER: str(number), **row} for number, row in enumerate(rows, 1)]


def _mappings(rows: Any) -> Sequence[Mapping[str, str]]:
    """Return rows with texts as values; numbers without decimals are whole."""
    from qrkit.tracking.text_columns import text_of

    if isinstance(rows, int) and not isinstance(rows, bool):
        if not 1 <= rows <= MOST_NUMBERED:
            raise InvalidParameter(Problem("rows", rows, f"must be in 1..{MOST_NUMBERED:,}", "out-of-range"))
        return [{}] * rows
    found = rows.to_dict("records") if hasattr(rows, "to_dict") else list(rows)
    if not found:
        raise InvalidParameter(Problem("rows", None, "must not be empty: there is nothing to draw"))
    return [{str(name): text_of(value, name) for name, value in row.items()} for row in found]
