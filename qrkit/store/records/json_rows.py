"""Read the records of an account as JSON text that the database writes, for work in another process.

The database writes a row without the interpreter, which would be busy for much longer to make a record of it, and
would keep visitors waiting. The process that gets the text makes the records.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from qrkit.store.connection import Store
from qrkit.store.records.campaigns import read_campaign
from qrkit.store.records.qrcodes import RECORD, SELECT_QRCODES, Links, parts, read_qrcode
from qrkit.tracking.records import Campaign, QRCode

CAMPAIGN_FIELDS = ("id", "name", "description", "template", "created", "rules", "utm")
AS_JSON = """
SELECT '[' || string_agg({array}({fields})::VARCHAR, ',' ORDER BY number) || ']' AS text
FROM ({select}) found
"""
AS_ONE_LIST = """
SELECT '[' || string_agg(substr(texts, 2, length(texts) - 2), ',' ORDER BY number) || ']' AS text
FROM (SELECT number, {array}({fields})::VARCHAR AS texts FROM ({select}) found) lists
"""
"""As one list rather than lists in a list, a million of which the garbage collector would look through."""
SELECT_CAMPAIGNS = """
SELECT row_number() OVER (ORDER BY created, rowid) AS number, id, name, description, template, created, rules, utm
FROM campaigns WHERE account_id = $account
"""
SELECT_TAILS = "SELECT number, short_code, urlinfo FROM qrcodes WHERE urlinfo <> ''"
SELECT_NAMES = "SELECT number, name, content FROM qrcodes WHERE account_id = $account"


def campaigns_text(store: Store, account_id: str) -> str:
    """Return the campaigns of an account, oldest first, as JSON that `read_campaigns` reads."""
    return _text(store, CAMPAIGN_FIELDS, SELECT_CAMPAIGNS, {"account": account_id})


def names_and_contents(store: Store, account_id: str) -> str:
    """Return the name and the content of every QR Code of an account, as JSON that `read_pairs` reads."""
    return _text(store, ("name", "content"), SELECT_NAMES, {"account": account_id}, form=AS_ONE_LIST)


def all_short_codes(store: Store) -> str:
    """Return all short codes ever assigned, in any account, with spaces between them."""
    return store.value("SELECT string_agg(code, ' ') FROM short_codes") or ""


def readable_tails(store: Store) -> str:
    """Return the short code and the words of all readable tails, in any account, as JSON that `read_pairs` reads."""
    return _text(store, ("short_code", "urlinfo"), SELECT_TAILS, {}, form=AS_ONE_LIST)


def qrcode_texts(store: Store, account_id: str, *, most: int) -> Iterator[str]:
    """Yield the `most` oldest QR Codes of an account, in the order they were stored, as JSON for `read_qrcodes`."""
    for part in parts(store, account_id, most=most):
        yield _text(store, RECORD, SELECT_QRCODES, part)


def read_campaigns(text: str) -> list[Campaign]:
    """Return the campaigns in the text of `campaigns_text`."""
    return [read_campaign(dict(zip(CAMPAIGN_FIELDS, row, strict=True))) for row in _rows(text)]


def read_qrcodes(text: str, links: Links) -> Iterator[QRCode]:
    """Yield the QR Codes in a text of `qrcode_texts`."""
    return (read_qrcode(row, links) for row in _rows(text))


def read_pairs(text: str) -> Iterator[tuple[str, str]]:
    """Yield the pairs in a text of `names_and_contents` or `readable_tails`."""
    texts = iter(_rows(text))
    return zip(texts, texts, strict=True)


def _text(
    store: Store, fields: tuple[str, ...], select: str, parameters: dict[str, Any], *, form: str = AS_JSON
) -> str:
    """Return the rows of a query as JSON."""
    array = store.database.dialect.json_array
    return store.value(form.format(array=array, fields=", ".join(fields), select=select), parameters) or "[]"


def _rows(text: str) -> list[Any]:
    rows: list[Any] = json.loads(text, strict=False)  # a server's U+0000 comes as the character itself
    return rows
