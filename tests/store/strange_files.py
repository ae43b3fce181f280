"""Runs commands on store files that are not as qrkit wrote them, in a process of its own, which tells what happened."""

from __future__ import annotations

import json
import shutil
import sys
import traceback
from contextlib import redirect_stderr, redirect_stdout, suppress
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path
from random import Random

import duckdb
import pandas as pd

from qrkit import Brand, open_portfolio
from qrkit.__main__ import main

HEADERS, BLOCK = 3 * 4096, 262_144
COMMANDS = {
    "list": ["list", "--store", "{store}"],
    "scans": ["scans", "--store", "{store}"],
    "verify": ["verify", "{store}"],
    "backup": ["backup", "{store}", "{folder}/copy.duckdb"],
    "rescue": ["rescue", "{store}", "{folder}/new.duckdb"],
    "export": ["export", "{folder}/codes.csv", "--store", "{store}"],
    "report": ["report", "--store", "{store}", "-o", "{folder}/report.html"],
}
VALUES = [
    "../../victim",
    "/etc/passwd",
    "",
    None,
    "x" * 1_000_000,
    "a\0b",
    "\x1b[2J\r\n\x07\u202e",
    "'); DROP TABLE qrcodes; --",
    '"',
    "{",
    "[" * 100_000,
    '{"a": {"b": [1, null, {}]}}',
    "[null, 7]",
    "2026-13-45T99:99:99Z",
    "s3://",
    "-1",
]
TEXTS = """
SELECT table_name, column_name FROM duckdb_columns()
WHERE database_name = current_database() AND schema_name = 'main' AND data_type = 'VARCHAR' AND NOT internal
    AND table_name NOT IN (SELECT view_name FROM duckdb_views())
ORDER BY table_name, column_name
"""


def make_store(path, scans=6_000):
    """Make a store in which every table has a row, with archived visits in the folder beside it."""
    now = datetime(2026, 4, 15, 12, tzinfo=UTC)
    with open_portfolio(path, clock=lambda: now) as shop:
        campaign = shop.insert_campaign("Spring")
        for code in ("door", "shelf", "till"):
            shop.insert_qrcode(f"https://{code}.example", short_code=code, campaign_id=campaign.id)
        shop.templates.save("small", {"size": 4})
        shop.brands.save("acme", Brand("Acme"))
        shop.brands.use("acme")
        numbers = range(scans)
        columns = {name: [f"{name} {number * 7919 % 10_007}" for number in numbers] for name in ("city", "region")}
        columns["referrer"] = [f"https://{Random(number).randbytes(50).hex()}.example/" for number in numbers]
        columns["user_agent"] = [f"agent {number % 50}" for number in numbers]
        columns["time"] = [datetime(2026, 3, 1) + timedelta(minutes=number * 3) for number in numbers]
        columns["short_code"] = [("door", "shelf", "till")[number % 3] for number in numbers]
        shop.scans.insert(pd.DataFrame({**columns, "kind": "scan"}))
        shop.archive(before="2026-03-02")
        shop.store.execute("INSERT INTO day_counts VALUES (DATE '2026-01-01', NULL, 'scan', 0)")
        shop.store.execute("INSERT INTO inboxes VALUES ('0123456789abcdef', 0)")
        shop.store.execute("INSERT INTO superseded VALUES ('2026-03/0123456789abcdef.parquet')")
        shop.store.execute("INSERT INTO api_keys VALUES ('0', 'local', 'key', now()::TIMESTAMP, NULL, NULL)")


def swap(path, seed):
    """Swap two blocks of a file, as a disk does that misdirects a write; return their numbers."""
    content = bytearray(path.read_bytes())
    one, other = Random(seed).sample(range((len(content) - HEADERS) // BLOCK), 2)
    first, second = (slice(HEADERS + number * BLOCK, HEADERS + (number + 1) * BLOCK) for number in (one, other))
    content[first], content[second] = content[second], content[first]
    path.write_bytes(content)
    return one, other


def text_columns(path):
    """Return the table and the name of each column of text."""
    with duckdb.connect(str(path), read_only=True) as connection:
        return connection.execute(TEXTS).fetchall()


def set_text(path, table, column, value):
    """Set the text of one row; return False if the table does not take it."""
    with duckdb.connect(str(path)) as connection, suppress(duckdb.ConstraintException):
        where = f"rowid = (SELECT max(rowid) FROM {table})"
        connection.execute(f"UPDATE {table} SET {column} = ? WHERE {where}", [value])
        return True
    return False


def run(command, case):
    """Run a command on a copy of a store and its history; return its exit status, or the traceback it ended in."""
    folder = case / command / "inner"
    folder.mkdir(parents=True)
    shutil.copyfile(case / "store.duckdb", folder / "store.duckdb")
    shutil.copytree(case / "store.history", folder / "store.history")
    for place in (folder.parent, folder):
        (place / "victim").write_bytes(b"keep")
    words = [word.format(store=folder / "store.duckdb", folder=folder) for word in COMMANDS[command]]
    out, err = StringIO(), StringIO()
    try:
        with redirect_stdout(out), redirect_stderr(err):
            told = main(words)
    except BaseException:
        told = traceback.format_exc()
    if [place for place in (folder.parent, folder) if (place / "victim").read_bytes() != b"keep"]:
        told = "a file outside of the history was changed"
    if sorted(path.name for path in case.rglob("*.unfinished")):
        told = "an unfinished file is left"
    shutil.rmtree(case / command)
    return {"command": command, "status": told, "out": out.getvalue()[-600:], "err": err.getvalue()[-600:]}


if __name__ == "__main__":
    for name in sys.stdin:
        told = [run(command, Path(name.strip())) for command in sys.argv[1:]]
        sys.stdout.write(f"{json.dumps(told)}\n")
        sys.stdout.flush()
