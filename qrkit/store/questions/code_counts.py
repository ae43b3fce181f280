"""Counts the scans of each QR Code, without a DataFrame: to load pandas takes longer than to count a million scans."""

from __future__ import annotations

from typing import TypedDict

from qrkit.store.all_visits import counted
from qrkit.store.questions.column_copy import columns
from qrkit.store.questions.scans import Scans

SCANNED = f"""
, counted AS ({counted({"number": "number"}, "lean")})
SELECT qrcode_id, scans, visitors FROM counted JOIN codes USING (number)
"""

CODES = "SELECT qrcode_id, short_code, qrcode FROM codes ORDER BY number"

IMPORTED = """
SELECT c.qrcode_id, q.imported_scans AS scans
FROM codes c JOIN qrcodes q ON q.number = c.number
WHERE q.imported_scans > 0
"""


class Counts(TypedDict):
    """How often a QR Code was scanned, and by how many visitors."""

    scans: int
    visitors: int


def scans_by_code(scans: Scans) -> dict[str, Counts]:
    """Return the counts of the QR Codes of a view by ID; codes without scans are left out."""
    asked = scans.query(SCANNED)
    rows = columns(scans.store).rows(asked.sql, asked.parameters)
    return {row["qrcode_id"]: {"scans": row["scans"], "visitors": row["visitors"]} for row in rows}


def codes_of(scans: Scans) -> list[tuple[str, str, str]]:
    """Return ID, short code and name of the QR Codes of a view, scanned or not, by number."""
    asked = scans.query(CODES)
    rows = columns(scans.store).rows(asked.sql, asked.parameters)
    return [(row["qrcode_id"], row["short_code"], row["qrcode"]) for row in rows]


def imported_scans(scans: Scans) -> dict[str, int]:
    """Return how many scans were imported with the records of a view, by ID; records without any are left out.

    Nobody knows when these scans happened, so they are in no other number of a view.
    """
    asked = scans.query(IMPORTED)
    return {row["qrcode_id"]: row["scans"] for row in columns(scans.store).rows(asked.sql, asked.parameters)}
