"""Finds the QR Codes that a short code, a name or an ID stands for, and checks the IDs in the filters of a view.

A name in place of an ID would match nothing, so it is an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from qrkit.errors import Problem, raise_any
from qrkit.store.connection import Store

MOST_COMPARED = 10_000
"""The maximum number of QR Codes to compare with a misspelled name, so that an error does not take seconds."""

NAMED = """
SELECT id FROM qrcodes
WHERE account_id = $account AND (id = $text OR name = $text OR short_code = $code)
ORDER BY number
"""
SOME_NAMES = "SELECT name, short_code FROM qrcodes WHERE account_id = $account ORDER BY number LIMIT $most"

_ID = re.compile("[0-9a-f]{32}")
"""The format of an id."""
KINDS = {"qrcode_id": "QR Code", "campaign_id": "campaign"}
MOST_PROPOSED = 3

FIND = """
WITH asked AS (SELECT DISTINCT unnest($texts::VARCHAR[]) AS text), records AS (
    SELECT 'qrcode_id' AS kind, id, name, short_code, created FROM qrcodes WHERE account_id = $account
    UNION ALL
    SELECT 'campaign_id' AS kind, id, name, NULL AS short_code, created FROM campaigns WHERE account_id = $account
)
SELECT text, kind, id FROM asked JOIN records ON id = text OR name = text OR short_code = text ORDER BY created, id
"""


def check_ids(store: Store, account_id: str, asked: Mapping[str, Iterable[str]]) -> None:
    """Raise an error if a text is not an id but a name or a short code, or the id of the wrong kind of record.

    The id of a deleted record is accepted. `asked` has the texts by parameter: `qrcode_id` or `campaign_id`.
    """
    problems = []
    for parameter, texts in asked.items():
        found: dict[str, list[tuple[str, str]]] = {text: [] for text in texts}
        for row in store.rows(FIND, {"account": account_id, "texts": [text for text in found if can_be_stored(text)]}):
            found[row["text"]].append((row["kind"], row["id"]))
        for text, records in found.items():
            if (parameter, text) not in records and (records or not _ID.fullmatch(text)):
                problems.append(Problem(parameter, text, _rule(parameter, records)))
    raise_any(problems)


def can_be_stored(text: Any) -> bool:
    """Return whether this is a text that a database takes: one without NUL and without half a character."""
    return isinstance(text, str) and "\0" not in text and text.encode("utf-8", "replace").decode() == text


def _rule(parameter: str, records: list[tuple[str, str]]) -> str:
    kind = KINDS[parameter]
    rule = f"must be the id of a {kind} of this portfolio"
    if not records:
        return f"{rule}, 32 hexadecimal digits; {'list_campaigns' if kind == 'campaign' else 'list_qrcodes'}() has them"
    more = f", or {len(records) - MOST_PROPOSED} more" if len(records) > MOST_PROPOSED else ""
    return f"{rule}; use {' or '.join(f'{name}={id!r}' for name, id in records[:MOST_PROPOSED])}{more}"


def qrcodes_named(store: Store, account_id: str, text: str, *, short_code: str) -> list[str]:
    """Return the IDs of the QR Codes of an account with this ID or name, or with this short code, oldest first."""
    if not can_be_stored(text):
        return []
    return [row["id"] for row in store.rows(NAMED, {"account": account_id, "text": text, "code": short_code})]


def some_names(store: Store, account_id: str, *, most: int) -> list[str]:
    """Return the short codes and names of the `most` oldest QR Codes of an account; never of more than 10,000."""
    found = store.rows(SOME_NAMES, {"account": account_id, "most": min(most, MOST_COMPARED)})
    return [row["short_code"] for row in found] + [row["name"] for row in found]
