"""Reads files from request bodies: raw bytes, a multipart form, or the list of bytes that an old client sends."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import AbstractContextManager
from io import BytesIO
from pathlib import PurePath
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from qrkit.errors import BadRequest, InvalidParameter, MissingParameter, Problem, renaming
from qrkit.exchange import import_format
from qrkit.exchange.columns import read_columns

if TYPE_CHECKING:
    from qrkit.exchange.table_files import Table

PLACING = ("columns", "sheet", "headerRow", "encoding")
"""The parameters that say where the table of a file is, and what it calls our columns."""
IN_QUERY = {"header_row": "headerRow", "update_by": "updateBy"}
"""Parameters of an import that have other names in Python."""

MOST_PARTS = 20
"""Maximum parts of a form: its file and its fields."""
MOST_QUOTES = 40
"""Maximum quotation marks in a list of bytes: enough for its few names."""

A_BYTE = "must be a whole number in 0..255"

_TYPE_FIRST = re.compile(rb'\s*\{\s*"type"\s*:\s*"Buffer"')
_TYPE_LAST = re.compile(rb'"type"\s*:\s*"Buffer"\s*\}\s*\Z')


class Sent(NamedTuple):
    """A file that was sent, with its name or "", and the other fields of the form, by lower-case name."""

    data: bytes
    name: str = ""
    fields: Mapping[str, str] = MappingProxyType({})

    @property
    def format(self) -> str:
        """The format given in the form, else the suffix of the file name; "" if there is neither."""
        return self.fields.get("format") or PurePath(self.name).suffix[1:]


def is_form(content_type: str) -> bool:
    """Whether a body of this type is a multipart form, as sent by browsers and `curl -F`."""
    return content_type.lower().startswith("multipart/")


def read_file(body: bytes, content_type: str) -> Sent:
    """Read the file in a body; the body either is the file or contains it."""
    if is_form(content_type):
        return _read_form(body, content_type)
    # Look at the start and the end only, so that a JSON file is not parsed just to find out.
    is_buffer = _TYPE_FIRST.match(body[:100]) or _TYPE_LAST.search(body[-100:])
    return Sent(_read_buffer(body) if is_buffer else body)


def _read_form(body: bytes, content_type: str) -> Sent:
    import falcon

    options = falcon.media.multipart.MultipartParseOptions()
    options.max_body_part_count = MOST_PARTS
    options.max_body_part_buffer_size = len(body)
    handler = falcon.media.MultipartFormHandler(options)
    files: list[Sent] = []
    fields: dict[str, str] = {}
    try:
        for part in handler.deserialize(BytesIO(body), content_type, len(body)):
            name = (part.name or "").lower()
            if part.filename is None and name != "file":
                fields[name] = part.get_data().decode("utf-8", "replace")
            else:
                files.append(Sent(part.get_data(), part.filename or ""))
    except (falcon.HTTPError, ValueError) as error:
        words = getattr(error, "description", None) or "its boundary or one of its parts is wrong"
        raise _form_error(f"cannot be read: {words}") from error
    if len(files) != 1:
        raise _form_error(f"has {len(files)} files; exactly one is needed")
    return files[0]._replace(fields=fields)


def _form_error(words: str) -> BadRequest:
    ways = "send one file as a part of the form, or its bytes as the whole body (with curl: --data-binary @NAME)"
    return BadRequest(f"the form {words}; {ways}", code="bad-form")


def read_import(body: bytes, content_type: str, format: str, asked: Mapping[str, str]) -> Table:
    """Read the table of the file that a body is or contains.

    If the format is empty, the body has to say it. `asked` says where the table is, and what it calls our columns, by
    `PLACING`; a form may say it, too.
    """
    from qrkit.exchange.locating import Place
    from qrkit.portfolio.importing import read_table

    sent = read_file(body, content_type)
    chosen = format or sent.format
    if not chosen:
        raise MissingParameter("format")
    named = import_format(chosen).name
    if "updateby" in sent.fields:  # the server reads the QR Codes that may change before a worker reads the form
        raise InvalidParameter(
            Problem("updateBy", sent.fields["updateby"], "must be in the query string, not in the form")
        )
    if not sent.data:
        raise BadRequest("the body is empty; the content of a file is needed", code="empty-body")
    columns, sheet, row, encoding = (asked.get(name) or sent.fields.get(name.lower(), "") for name in PLACING)
    place = Place(sheet, row or None, encoding)
    with in_query():
        return read_table(sent.data, named, read_columns(columns) if columns else None, place=place)


def in_query() -> AbstractContextManager[None]:
    """Rename parameters of an import in errors to their names in a query string."""
    return renaming(lambda name: IN_QUERY.get(name, name))


def _read_buffer(body: bytes) -> bytes:
    # Parsing millions of other values would take hundreds of megabytes before they could be validated.
    is_flat = body.count(b"{") == 1 == body.count(b"[") and body.count(b'"') <= MOST_QUOTES
    try:
        numbers = json.loads(body).get("data") if is_flat else None
    except ValueError as error:
        raise BadRequest(f"the body is not JSON: {error}", code="bad-json") from error
    if not isinstance(numbers, list):
        raise InvalidParameter(Problem("data", None, f"must be a list of bytes; each {A_BYTE}", "wrong-type"))
    try:
        # `bytes` would accept True as 1.
        if set(map(type, numbers)) <= {int}:
            return bytes(numbers)
    except ValueError:
        pass
    wrong = next(place for place, one in enumerate(numbers) if type(one) is not int or not 0 <= one <= 255)
    raise InvalidParameter(Problem(f"data.{wrong}", numbers[wrong], A_BYTE, "out-of-range"))
