"""Rescues a damaged store file: writes all readable data into a new store.

DuckDB cannot read damaged blocks. The rows of a table are therefore read in ranges. A range that fails is halved, down
to the number of rows that DuckDB reads at once; if only some columns of such a range are lost, its rows are kept
without them. DuckDB may crash on what it reads, so it reads in a process of its own. Finally, missing records that
other records refer to are created again, so that the new store is consistent.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

from qrkit.errors import CannotWrite, InvalidParameter, Problem, UnreadableFile
from qrkit.files import flush, mode_like, new_file, writing
from qrkit.store.connection import Store
from qrkit.store.duckdb.damage import first_line
from qrkit.store.duckdb.damaged_files import Ask, CannotRead, asking, can_read
from qrkit.store.duckdb.database import MISREAD, history_folder, is_misread
from qrkit.store.duckdb.file_blocks import copy_readable, renew_checksum
from qrkit.store.duckdb.log import cut_log, logs_of
from qrkit.store.history.history_files import checksum_of
from qrkit.store.places.history_folder import Folder, is_name
from qrkit.store.places.history_places import Place, place_at
from qrkit.store.recording.recorder import inbox_files
from qrkit.store.upkeep.full_read import COLUMNS
from qrkit.store.upkeep.moving import go_on_counting
from qrkit.store.upkeep.snapshot import copy_files

__all__ = ["Rescued", "TableRescue", "rescue"]

LEAST_ROWS = 2048
"""Number of rows that DuckDB reads at once; a smaller range needs the same blocks."""
NOT_COPIED = ("migrations", "superseded")
"""Tables that a new store fills by itself, or that are about files which stay behind."""
SUBSTITUTES = {
    "campaigns": {"name": "'rescued'", "description": "''"},
    "qrcodes": {
        "name": "'rescued'", "comment": "''", "urlinfo": "''", "address": "''", "is_dynamic": "true",
        "imported_scans": "0", "properties": "'{}'", "created": "now()::TIMESTAMP",
    },
    "user_agents": {"device": "'unknown'"},
    "visits": {"user_agent": "0"},
}  # fmt: skip
"""SQL for values of required columns that are lost; a row that lacks any other required column is lost."""
LOCATION = re.compile(r"block at location (\d+)")

COUNT = "SELECT count(*) AS rows, coalesce(max(rowid), -1) AS last FROM old.{table}"
RANGE = "FROM old.{table} WHERE rowid >= {since} AND rowid < {until}"
PART = f"CREATE OR REPLACE TEMP TABLE part AS SELECT {{columns}} {RANGE}"
READ = f"SELECT max(hash({{column}})) {RANGE}"
ADD = "INSERT INTO new.{table} ({columns}) FROM part"

ACCOUNTS = """
INSERT INTO accounts (id, name, plan, created)
SELECT id, CASE WHEN is_local THEN 'local' ELSE 'rescued ' || id END, CASE WHEN is_local THEN 'premium' ELSE 'free' END,
    now()::TIMESTAMP
FROM (
    SELECT id, count(*) OVER () = 1 AND NOT EXISTS (SELECT 1 FROM accounts WHERE name = 'local') AS is_local
    FROM ({owners}) WHERE id NOT IN (SELECT id FROM accounts)
)
"""
OWNED = """
SELECT table_name AS name FROM duckdb_columns() SEMI JOIN duckdb_tables() USING (table_name)
WHERE column_name = 'account_id'
"""
"""Finds the tables whose rows belong to accounts."""
CAMPAIGNS = """
INSERT INTO campaigns (id, account_id, name, description, created)
SELECT campaign_id, min(account_id), 'rescued ' || campaign_id, '', min(created) FROM qrcodes
WHERE campaign_id IS NOT NULL AND campaign_id NOT IN (SELECT id FROM campaigns) GROUP BY campaign_id
"""
QRCODES = """
INSERT OR IGNORE INTO qrcodes (number, id, account_id, name, content, comment, urlinfo, short_code, is_dynamic,
    imported_scans, created, properties, address)
SELECT v.qrcode, 'rescued-' || v.qrcode, (SELECT id FROM accounts ORDER BY name <> 'local', created, id LIMIT 1),
    'rescued ' || v.short_code, arg_max(v.content, v.time), '', '', v.short_code, true, 0, min(v.time), '{}', ''
FROM (
    SELECT qrcode, coalesce(s.code, all_visits.short_code) AS short_code, content, time
    FROM all_visits LEFT JOIN short_codes s USING (qrcode)
) v
WHERE v.qrcode IS NOT NULL AND v.qrcode NOT IN (SELECT number FROM qrcodes) AND v.content IS NOT NULL
    AND EXISTS (SELECT 1 FROM accounts)
GROUP BY v.qrcode, v.short_code
"""
"""Creates lost QR Codes again with the last content that visitors were sent to."""
FREE_SHORT_CODES = """
DELETE FROM short_codes WHERE qrcode NOT IN (SELECT number FROM qrcodes) AND qrcode NOT IN (
    SELECT qrcode FROM all_visits WHERE qrcode IS NOT NULL
)
"""
"""Removes short codes that have neither QR Code nor visits; they would count as deleted and could not be reused."""
SHORT_CODES = """
INSERT OR IGNORE INTO short_codes (code, qrcode)
SELECT short_code, number FROM qrcodes WHERE number NOT IN (SELECT qrcode FROM short_codes)
UNION ALL
SELECT max(short_code), qrcode FROM all_visits
WHERE qrcode IS NOT NULL AND qrcode NOT IN (SELECT qrcode FROM short_codes)
    AND qrcode NOT IN (SELECT number FROM qrcodes)
GROUP BY qrcode
"""
USER_AGENTS = """
INSERT INTO user_agents (number, text, device)
SELECT DISTINCT user_agent, 'lost ' || user_agent, 'unknown' FROM all_visits
WHERE user_agent NOT IN (SELECT number FROM user_agents)
"""
COUNTERS = """
CREATE TEMP TABLE counted AS
SELECT s.qrcode, max(coalesce(v.scans, 0)) AS scans,
    greatest(max(coalesce(c.scans, 0)), max(coalesce(v.scans, 0)) + max(coalesce(d.scans, 0))) AS total
FROM short_codes s
LEFT JOIN scan_counts c ON c.qrcode = s.qrcode
LEFT JOIN (SELECT qrcode, count(*) AS scans FROM all_visits WHERE kind = 'scan' GROUP BY qrcode) v
    ON v.qrcode = s.qrcode
LEFT JOIN (SELECT qrcode, sum(visits) AS scans FROM day_counts WHERE kind = 'scan' GROUP BY qrcode) d
    ON d.qrcode = s.qrcode
GROUP BY s.qrcode;
DELETE FROM scan_counts;
INSERT INTO scan_counts (qrcode, scans, forgotten) SELECT qrcode, total, total - scans FROM counted;
DROP TABLE counted;
"""
"""Preserves the number of scans of each QR Code: scans whose visits are lost count like those that were swept."""


@dataclass(frozen=True, slots=True)
class TableRescue:
    """The result of rescuing a table.

    Attributes:
        rows: Number of rows in the new store.
        lost: Number of lost rows; None if unknown.
        without: Number of rows that lost their value in a column, by column; the value is now NULL or a substitute.
    """

    rows: int
    lost: int | None
    without: Mapping[str, int] = field(default_factory=dict)

    @property
    def is_complete(self) -> bool:
        """Return whether the whole table was rescued."""
        return self.lost == 0 and not self.without


@dataclass(frozen=True, slots=True)
class Rescued:
    """The result of a rescue.

    Attributes:
        tables: The result for each table, by name.
        log_bytes: Number of bytes lost at the end of the log, and with them the last transactions.
        is_uncertain: Whether the list of tables and columns itself was damaged; rows may then be missing unnoticed.
    """

    tables: Mapping[str, TableRescue]
    log_bytes: int
    is_uncertain: bool

    @property
    def is_complete(self) -> bool:
        """Return whether everything was rescued."""
        return not self.log_bytes and not self.is_uncertain and all(one.is_complete for one in self.tables.values())


def rescue(path: str | Path, new: str | Path) -> Rescued:
    """Write all readable data of a damaged store file into a new store, and return what was rescued.

    The damaged file is not changed and may be in use. The disk of the new file temporarily needs twice the size of the
    damaged file. Each QR Code keeps its number of scans if its counter can be read. Lost QR Codes with visits are
    created again with the last content that their visitors were sent to, even if they had been deleted; their names
    begin with "rescued". Lost accounts and campaigns that other records refer to are also created again. Files of
    archived visits are copied if they are sound; their table, "history", has a row for each. Visits that still wait
    in an inbox next to the damaged file are added when the new store is opened.

    Args:
        path: The damaged file.
        new: The file of the new store, which must not exist yet.

    Raises:
        InvalidParameter: If `new` exists.
        UnreadableFile: If `path` is not a file, or nothing in it can be read.
        CannotWrite: If the new file cannot be written.
        StoreBusy: If there is no room for the new file.
    """
    source, target = Path(path), Path(new)
    for path_of_new in (target, history_folder(target)):
        if path_of_new.exists():
            raise InvalidParameter(Problem("new", str(path_of_new), "exists; name a file that does not exist yet"))
    if is_misread(target):
        raise InvalidParameter(Problem("new", str(target), MISREAD))
    if not source.is_file():
        raise UnreadableFile(f"{source} is not a file")
    with writing(target), TemporaryDirectory(prefix=".qrkit-", dir=target.parent) as folder:
        copy, made = Path(folder) / "damaged.duckdb", Path(folder) / "made.duckdb"
        copy_files(source, copy, copy_readable)
        with Store(made) as store:
            made.chmod(mode_like(source))
            store.execute("DELETE FROM settings")
        lost, is_uncertain = _made_openable(source, copy)
        with asking(old=copy, new=made) as ask:
            tables = _copy_tables(ask, source)
            tables["history"] = _copy_history(ask, tables["history"], copy, made)
            ask(f"INSERT OR IGNORE INTO new.settings VALUES ('id', '{uuid4()}')")
        with Store(made) as store:
            with store.atomic(), store.adding():
                _complete(store, tables)
            store.checkpoint()  # DuckDB reports no errors when it closes the file
        if history_folder(made).exists():
            history_folder(made).replace(history_folder(target))
        made.replace(target)
        for inbox in inbox_files(Path(f"{copy}.inbox")):  # the new store adds their visits when it is opened
            for suffix in ("", "-wal"):
                name = inbox.name.replace(copy.name, target.name, 1) + suffix
                inbox.with_name(inbox.name + suffix).replace(target.with_name(name))
        flush(target.parent)
    return Rescued(tables, lost, is_uncertain)


def _made_openable(source: Path, copy: Path) -> tuple[int, bool]:
    """Change the copy so that DuckDB can open it.

    Returns the number of bytes cut off the log, and whether the table of contents was damaged. DuckDB validates the
    table of contents (the tables, and the positions of their columns) on reading it, and most of each block is unused.
    It is therefore worth trying to read a damaged block with a recomputed checksum.
    """
    lost, is_uncertain = cut_log(copy), False
    while True:
        try:
            with asking(old=copy) as ask:
                ask(COLUMNS, ["old"])
        except CannotRead as error:
            place = LOCATION.search(str(error))
            logs = [log for log in logs_of(copy) if log.exists()]
            if place and renew_checksum(copy, int(place[1])):
                is_uncertain = True
            elif logs:
                lost += sum(log.stat().st_size for log in logs)
                for log in logs:
                    log.unlink()
            else:
                what = first_line(error).replace(str(copy), str(source))
                message = f"nothing in {source} can be read: {what}; restore a backup"
                raise UnreadableFile(message) from error
        else:
            return lost, is_uncertain


class _Table:
    """A table of the damaged file while its rows are copied."""

    def __init__(self, ask: Ask, name: str, columns: list[str], nullable: list[str]) -> None:
        self.name = name
        self._without: Counter[str] = Counter()
        self._ask = ask
        self._columns = columns
        self._substitutes = dict.fromkeys(nullable, "NULL") | SUBSTITUTES.get(name, {})

    def copy(self) -> TableRescue:
        """Copy all readable rows."""
        try:
            (found,) = self._ask(COUNT.format(table=self.name))
        except CannotRead:
            return TableRescue(0, None)
        self._copy_range(0, found["last"] + 1)
        rescued = self._ask(f"SELECT count(*) AS rows FROM new.{self.name}")[0]["rows"]
        return TableRescue(rescued, found["rows"] - rescued, dict(self._without))

    def _copy_range(self, since: int, until: int) -> None:
        if since >= until or self._is_copied(since, until, self._columns):
            return
        if until - since > LEAST_ROWS:
            parts = -(-(until - since) // LEAST_ROWS)
            middle = since + parts // 2 * LEAST_ROWS
            self._copy_range(since, middle)
            self._copy_range(middle, until)
            return
        lost = [name for name in self._columns if not self._is_readable(since, until, name)]
        if all(name in self._substitutes for name in lost):
            values = [self._substitutes[name] if name in lost else name for name in self._columns]
            if self._is_copied(since, until, values):
                (part,) = self._ask("SELECT count(*) AS rows FROM part")
                self._without.update(dict.fromkeys(lost, part["rows"]))

    def _is_copied(self, since: int, until: int, values: list[str]) -> bool:
        columns = ", ".join(self._columns)
        named = ", ".join(f"{value} AS {name}" for value, name in zip(values, self._columns, strict=True))
        if not can_read(self._ask, PART.format(columns=named, table=self.name, since=since, until=until)):
            return False
        try:
            self._ask(ADD.format(columns=columns, table=self.name))
        except CannotRead as error:
            if error.kind == "ConstraintException":
                return False
            raise CannotWrite(f"the new store cannot be written: {first_line(error)}") from error
        return True

    def _is_readable(self, since: int, until: int, column: str) -> bool:
        return can_read(self._ask, READ.format(column=column, table=self.name, since=since, until=until))


def _copy_tables(ask: Ask, source: Path) -> dict[str, TableRescue]:
    """Copy the rows of all tables; a file from an older version lacks some tables and columns."""
    old = {table["name"]: table["columns"] for table in ask(COLUMNS, ["old"])}
    if "migrations" not in old:
        raise UnreadableFile(f"{source} does not contain a qrkit store that can be read")
    tables = {}
    for table in ask(COLUMNS, ["new"]):
        if (name := table["name"]) not in NOT_COPIED:
            common = [column for column in table["columns"] if column in old.get(name, ())]
            copied = _Table(ask, name, common, table["nullable"] or []).copy() if common else TableRescue(0, 0)
            tables[name] = copied
    return tables


def _copy_history(ask: Ask, listed: TableRescue, copy: Path, made: Path) -> TableRescue:
    """Copy the files of archived visits to the folder beside the new store; those missing or damaged are lost."""
    lost, folder = 0, Folder(history_folder(made), made)
    bucket = ask("SELECT value FROM new.settings WHERE name = 'history' AND contains(value, '://')")
    place = place_at(bucket[0]["value"]) if bucket else Folder(history_folder(copy))
    ask("DELETE FROM new.settings WHERE name = 'history'")
    for row in ask("SELECT file, sha256 FROM new.history"):
        name, sha256 = row["file"], row["sha256"]
        if is_name(name) and _is_sound(place, name, sha256):
            new = folder.room_for(name)
            with new_file(new, folder.mode) as file:
                file.writelines(place.parts(name))
            flush(new)
        else:
            ask("DELETE FROM new.history WHERE file = ?", [name])
            lost += 1
    return TableRescue(listed.rows - lost, None if listed.lost is None else listed.lost + lost, listed.without)


def _is_sound(place: Place, file: str, sha256: str) -> bool:
    try:
        return checksum_of(place, file) == sha256
    except CannotWrite:  # an unreachable bucket does not mean that its files are damaged
        raise
    except OSError:
        return False


def _complete(store: Store, tables: Mapping[str, TableRescue]) -> None:
    """Create the missing records that others refer to, and recompute counters, so that a new store is consistent."""
    owners = " UNION ".join(f"SELECT account_id AS id FROM {table['name']}" for table in store.rows(OWNED))
    store.execute(ACCOUNTS.format(owners=owners))
    if tables["qrcodes"].lost != 0:
        store.execute(QRCODES)
        store.execute(FREE_SHORT_CODES)
    store.execute(CAMPAIGNS)
    store.execute(SHORT_CODES)
    store.execute(USER_AGENTS)
    if tables["user_agents"].without:
        store.execute("UPDATE user_agents SET parser = NULL")
    store.execute(COUNTERS)
    go_on_counting(store)
