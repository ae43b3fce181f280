"""An in-memory cache of the redirect target of each short code, updated by the transactions that change QR Codes.

Each redirect needs a lookup, which takes half a millisecond in SQL and almost no time in memory.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias
from unicodedata import normalize

from qrkit.errors import InvalidParameter, Problem, StoreBusy, StoreClosed, StoreDamaged
from qrkit.late import np
from qrkit.store.connection import Store
from qrkit.store.engine import Engine
from qrkit.store.records.stored_json import reading_stored
from qrkit.store.store_settings import get_setting, set_setting
from qrkit.tracking.gs1_entities import Gs1Entity, entities_of
from qrkit.tracking.records import ScheduleEvent
from qrkit.tracking.redirect_rules import NEEDS_A_NUMBER, RedirectRule
from qrkit.tracking.schedule import active_content
from qrkit.tracking.short_urls import beginnings, is_address_of, path_of, tidy_code, with_scheme, without_mistakes
from qrkit.tracking.times import utc
from qrkit.tracking.utm import Utm, utm_query

PAUSE_SECONDS = 0.25
"""Time between two reads: processes see each other's commits within a second, and usually within 0.25 seconds."""

LAST_SECONDS = 5.0
"""How long `stop` waits for a server that does not answer."""

MOST_KEPT = 4_096
"""Targets that are kept as such after they were looked up: the same few codes are scanned repeatedly."""

TOGETHER = 50_000
"""QR Codes per query: the database holds the whole result of a query in memory."""
FEW = 5_000
"""QR Codes of a store that are all read as targets: NumPy takes more memory than they do, and longer to load."""
NEXT = "SELECT min(number) AS number FROM qrcodes WHERE number >= ?"
IS_TAKEN = "SELECT 1 AS taken FROM short_codes WHERE code = ?"
IS_TAKEN_IN_ANY_CASE = "SELECT 1 AS taken FROM short_codes WHERE lower(code) = lower(?)"
HAS_SHORT_CODE = "SELECT 1 AS present FROM qrcodes WHERE account_id = ? AND short_code = ?"
FITS = "strlen(short_code) <= 64 AND strlen(short_code) = length(short_code)"
"""Which short codes are in a `TargetTable`, where each takes as much room as the longest: few letters of ASCII."""
ON_TERMS = """
q.rules <> '[]' OR NOT active OR valid_since IS NOT NULL OR valid_until IS NOT NULL OR scan_limit > 0 OR limit_a_day > 0
    OR password <> '' OR otherwise <> '' OR pass_query IS NOT NULL OR click_id <> '' OR gs1 <> '[]'
"""
"""Which QR Codes `q` have `Terms` of their own."""
LEADS_ELSEWHERE = f"""
(is_schedule_enabled AND schedule <> '[]') IS TRUE OR {ON_TERMS}
    OR (campaign_id IS NOT NULL AND campaign_id IN (SELECT id FROM campaigns WHERE length(utm) > 2))
"""
"""Which QR Codes do not lead everybody to their content at any time."""
PLAIN = f"""
SELECT short_code AS code, CASE WHEN scan_marker THEN -number ELSE number END AS number, content,
    strlen(content) AS length
FROM qrcodes q
WHERE number >= $first AND number < $until AND {FITS} AND NOT ({LEADS_ELSEWHERE})
"""


class Terms(NamedTuple):
    """What decides when, and for whom, a short code leads to its content.

    Attributes:
        rules: Contents for some visitors.
        active: Whether it leads anywhere.
        limit: Maximum number of scans; 0 for no limit.
        limit_a_day: Maximum number of scans on a UTC day; 0 for no limit.
        otherwise: Content outside of these times and beyond the limits; "" for none.
        password: Hash of the password; "" for none.
        pass_query: Whether the query of a visitor is added to the link; None for what the server says.
        scan_marker: Whether the picture tells its scans from clicks of the short URL.
        click_id: Name of the parameter for the ID of a scan; "" for none.
        gs1: The GS1 entities as they are stored, because they are many; "[]" for none.
        numbers: Whether rules ask for the numbers of scans.
        utm: UTM parameters of its campaign, as a query that is added to the link; "" for none.
    """

    rules: tuple[RedirectRule, ...] = ()
    active: bool = True
    valid_since: datetime | None = None
    valid_until: datetime | None = None
    limit: int = 0
    limit_a_day: int = 0
    otherwise: str = ""
    password: str = ""
    pass_query: bool | None = None
    scan_marker: bool = False
    click_id: str = ""
    gs1: str = "[]"
    numbers: bool = False
    utm: str = ""

    @property
    def needs_number(self) -> bool:
        """Whether scans have to be numbered."""
        return bool(self.limit or self.limit_a_day or self.numbers)


NO_TERMS_AT_ALL = Terms()
MARKED = Terms(scan_marker=True)
"""The terms of a QR Code with nothing but a marker; always this object, so that a million codes need no more memory."""


def shared(terms: Terms) -> Terms | None:
    """Return these terms for a `Target`: None for none at all, `MARKED` for those that are equal to it."""
    if terms in (NO_TERMS_AT_ALL, MARKED):
        return MARKED if terms.scan_marker else None
    numbers = any(one.type in NEEDS_A_NUMBER for rule in terms.rules for one in rule.conditions)
    return terms._replace(numbers=numbers)


class Target(NamedTuple):
    """The redirect target of a short code.

    Attributes:
        qrcode: Number of the QR Code; 0 if the QR Code was deleted.
        content: The content when no schedule event is active.
        schedule: Changes of content; empty if scheduling is off.
        terms: The terms on which it is served; None, or `MARKED`, if everybody gets it at any time.
    """

    qrcode: int
    content: str
    schedule: tuple[ScheduleEvent, ...] = ()
    terms: Terms | None = None

    def content_at(self, moment: datetime) -> str:
        """Return the content that is active at a timestamp."""
        return active_content(self.content, self.schedule, moment) if self.schedule else self.content


DELETED = Target(0, "")
"""The target of a short code whose QR Code was deleted; the code is never reused."""

TERMS = """
q.content, CASE WHEN q.is_schedule_enabled THEN q.schedule END AS schedule, q.rules, q.active, q.valid_since,
    q.valid_until, q.scan_limit, q.limit_a_day, q.otherwise, q.password, q.pass_query, q.scan_marker, q.click_id,
    q.gs1, c.utm, c.name AS campaign, q.name
"""
WITH_UTM = "LEFT JOIN campaigns c ON c.id = q.campaign_id AND length(c.utm) > 2"
"""What `TERMS` need beside QR Codes."""
SELECT = f"""
SELECT s.code, q.number, {TERMS}{{more}}
FROM short_codes s LEFT JOIN qrcodes q ON q.number = s.qrcode {WITH_UTM}
WHERE {{which}}
"""
SELECT_ONE = SELECT.format(more="", which="s.code = $code::VARCHAR")
SELECT_SOME = SELECT.format(more="", which="s.code IN (SELECT unnest($codes::VARCHAR[]))")
NEW = SELECT.format(more=", s.revision", which="s.revision > $seen")
"""Selects changed short codes in a database that other processes also change."""

OTHERS = f"""
SELECT short_code, number, {TERMS} FROM qrcodes q {WITH_UTM} WHERE $are_few OR NOT ({FITS}) OR {LEADS_ELSEWHERE}
UNION ALL
SELECT code, NULL, '', NULL, '[]', true, NULL, NULL, 0, 0, '', '', NULL, false, '', '[]', NULL, NULL, ''
FROM short_codes
WHERE (SELECT count(*) FROM short_codes) > (SELECT count(*) FROM qrcodes)
    AND qrcode NOT IN (SELECT number FROM qrcodes)
"""
"""Selects the short codes of a file that are not in a `TargetTable` as they are read: long, on terms, and deleted.

If they are few, it selects all.
"""


class TargetTable:
    """Targets of a file by short code: those that lead everybody to one content, as they were read, and all others.

    A dictionary of targets would take four times the memory and twice the time to fill, before the first redirect.
    Nothing may change in the store until the table is made.
    """

    def __init__(self, store: Store) -> None:
        are_few = store.rows("SELECT count(*) AS number FROM qrcodes")[0]["number"] <= FEW
        self._others = {code: _target(code, *rest) for code, *rest in store.each_row(OTHERS, {"are_few": are_few})}
        self._plain = None if are_few else _columns(store)
        self._read = lru_cache(MOST_KEPT)(self._read_plain)

    def get(self, code: str) -> Target | None:
        """Return the target of a short code, which may be any text; None if the code was never assigned."""
        if found := self._others.get(code):
            return found
        try:
            return self._read(code)
        except KeyError:
            return None

    def update(self, targets: Mapping[str, Target]) -> None:
        """Replace targets, or add new ones."""
        self._others.update(targets)

    def _read_plain(self, code: str) -> Target:
        """Read a target; KeyError if there is none, because the cache keeps what is returned, and texts may be long."""
        if self._plain is None:
            raise KeyError
        codes, numbers, ends, contents = self._plain
        key = code.encode("utf-8", "replace")
        # NumPy would copy all codes in order to compare them with a longer one.
        place = int(codes.searchsorted(key)) if len(key) <= codes.itemsize else len(codes)
        if place == len(codes) or codes[place] != key:
            raise KeyError
        number = int(numbers[place])  # negative with a marker, which takes no room in this way
        return Target(abs(number), contents[slice(*ends[place])].decode(), (), MARKED if number < 0 else None)


Targets: TypeAlias = dict[str, Target] | TargetTable

KNOWN = "short codes"
SEEN = "revision of short codes"


IGNORES_CASE = "ignore_case_of_short_codes"
"""The store setting that says whether `Door` and `door` are one short code."""
SPELLINGS = "spellings of short codes"
ALL_CODES = "SELECT code FROM short_codes"
ALIKE = """
SELECT string_agg(code, ', ' ORDER BY code) AS codes FROM short_codes GROUP BY lower(code) HAVING count(*) > 1 LIMIT 3
"""

_log = logging.getLogger("qrkit")


def target(store: Store, short_code: str) -> Target | None:
    """Return the target of a short code, `DELETED` for a deleted QR Code, or None if the code was never assigned."""
    is_remembered = store.database.thread.is_as_remembered and KNOWN in store.database.memory
    if not is_remembered and store.is_in_transaction:
        # The cache lacks this thread's uncommitted changes and contains commits made after its transaction began.
        return next((_target(*row) for row in store.each_row(SELECT_ONE, {"code": short_code})), None)
    return _all(store).get(short_code)


def longest_known(store: Store, path: str) -> tuple[str, str] | None:
    """Return the longest short code that a path begins with, and what follows it; None if it begins with none.

    The path is percent-decoded, without its first slash. Where the store ignores case, the code is returned as it was
    assigned.
    """
    path = normalize("NFC", path)
    for start in beginnings(path):
        if code := spelling(store, start):
            return code, path[len(start) :]
    return None


def codes_named(store: Store, text: str, base_url: str) -> Iterator[str]:
    """Yield the short codes that a short code, a path or a short URL may name, the likeliest first."""
    url = with_scheme(text)
    path = path_of(url, base_url) if "://" in url else text.strip().strip("/").partition("?")[0]
    path = tidy_code(path or "")
    # Below the path of another base URL, the last part may be the short code.
    for start in (path, path.rpartition("/")[2]):
        found = longest_known(store, start)
        if found and found[1][:1] in ("", "/"):
            yield found[0]


def longest_pasted(store: Store, path: str) -> tuple[str, str] | None:
    """Return what `longest_known` returns, for a path that may end with what is pasted along with it."""
    shortest, *longer = without_mistakes(path)
    found = [longest_known(store, shortest)]
    if shortest != path:
        found += [(code, "") for one in longer if (code := spelling(store, one))]
        found += [longest_known(store, path)]
    return max(filter(None, found), key=lambda one: len(one[0]), default=None)


def spelling(store: Store, code: str) -> str:
    """Return a short code as it was assigned; "" if it never was."""
    if target(store, code):
        return code
    if not ignores_case(store):
        return ""
    database = store.database
    if SPELLINGS not in database.memory:
        # As in `_all`, nothing may change between the query and the cache update.
        with _looking_at(database) if database.is_shared else database.writing:
            database.memory[SPELLINGS] = {known.lower(): known for (known,) in store.each_row(ALL_CODES)}
    return str(database.memory[SPELLINGS].get(code.lower(), ""))


def is_taken(store: Store, short_code: str) -> bool:
    """Return whether the short code was ever assigned, in any account."""
    return store.row(IS_TAKEN_IN_ANY_CASE if ignores_case(store) else IS_TAKEN, [short_code]) is not None


def address_holder(store: Store, short_code: str) -> str:
    """Return the short code whose short URL, picture or preview uses the address of a new one; "" if none does."""
    _, *shorter = beginnings(short_code)
    for start in shorter:
        row = store.row("SELECT urlinfo FROM qrcodes WHERE short_code = ?", [start])
        if row and is_address_of(short_code, start, row["urlinfo"]):
            return start
    return ""


def has_short_code(store: Store, account_id: str, short_code: str) -> bool:
    """Return whether a QR Code of the account has the short code now."""
    return store.row(HAS_SHORT_CODE, [account_id, short_code]) is not None


def ignores_case(store: Store) -> bool:
    """Return whether the store ignores the case of short codes."""
    memory = store.database.memory
    if IGNORES_CASE not in memory:
        memory[IGNORES_CASE] = get_setting(store, IGNORES_CASE) == "true"
    return bool(memory[IGNORES_CASE])


def set_ignores_case(store: Store, *, is_ignored: bool | None) -> None:
    """Set whether the store ignores the case of short codes, in this process from now on, in others when they start.

    None, or what is set already, changes nothing. Short codes that differ only in case raise InvalidParameter.
    """
    if is_ignored in (None, ignores_case(store)):
        return
    with store.atomic():
        alike = store.rows(ALIKE) if is_ignored else []
        if alike:
            rule = (
                f"is not possible, because short codes differ only in case: {'; '.join(row['codes'] for row in alike)}"
            )
            raise InvalidParameter(Problem("ignore_case", is_ignored, rule))
        set_setting(store, IGNORES_CASE, "true" if is_ignored else "false")
        store.afterwards(lambda: store.database.memory.update({IGNORES_CASE: is_ignored}))


def remember_targets(store: Store, found: Mapping[str, Target]) -> None:
    """Update cached targets after the current transaction commits; until then this thread reads from the tables."""
    store.database.thread.is_as_remembered = False
    store.database.tell_changed(found)
    if store.database.is_shared:
        # Another process may have committed a newer change since.
        store.afterwards(lambda: _look_again(store.database))
    else:
        store.afterwards(lambda: _learn(store.database, found))


def remember_changed(store: Store, codes: Sequence[str]) -> None:
    """Update the cached targets of short codes, as this thread's transaction has changed them, after it commits."""
    remember_rows(store, store.each_row(SELECT_SOME, {"codes": codes}))


def remember_rows(store: Store, rows: Iterable[Sequence[Any]]) -> None:
    """Update cached targets as `remember_targets` does: rows of a short code, its number and `TERMS`."""
    database = store.database
    is_cached = database.is_shared or KNOWN in database.memory or SPELLINGS in database.memory
    # A million new codes would be read for nothing. No other thread fills the cache before this transaction ends.
    if is_cached or database.is_served:
        remember_targets(store, {code: _target(code, *rest) for code, *rest in rows})


def read_schedule(text: str) -> tuple[ScheduleEvent, ...]:
    """Convert stored JSON to schedule events."""
    with reading_stored(text, "a QR Code has the damaged schedule"):
        return tuple(ScheduleEvent(**event) for event in json.loads(text)) if text != "[]" else ()


@lru_cache(maxsize=100)
def read_rules(text: str) -> tuple[RedirectRule, ...]:
    """Convert stored JSON to rules; cached, because all QR Codes of a campaign often have the same."""
    with reading_stored(text, "a QR Code has the damaged rules"):
        return tuple(RedirectRule(**rule) for rule in json.loads(text)) if text != "[]" else ()


def read_entities(text: str) -> tuple[Gs1Entity, ...]:
    """Convert stored JSON to GS1 entities."""
    with reading_stored(text, "a QR Code has the damaged GS1 entities"):
        return entities_of(text)


def _learn(database: Engine, targets: Mapping[str, Target]) -> None:
    """Update what is remembered of short codes."""
    database.memory.get(KNOWN, {}).update(targets)
    if SPELLINGS in database.memory:
        database.memory[SPELLINGS].update({code.lower(): code for code in targets})


def _all(store: Store) -> Targets:
    """Return the cached targets of all short codes; on a server, a background thread refreshes the cache."""
    memory = store.database.memory
    if KNOWN not in memory:
        if store.database.is_shared:
            _follow(store.database)
        else:
            # No transaction may commit between the query and the cache update.
            with store.database.writing:
                if KNOWN not in memory:
                    memory[KNOWN] = TargetTable(store)
    found: Targets = memory[KNOWN]
    return found


def _follow(database: Engine) -> None:
    """Read all short codes and start the thread that refreshes them."""
    with _looking_at(database):
        if KNOWN not in database.memory:
            _read_new(database)
            following = Following(lambda: _read_new(database), database.path, database.interrupt)
            database.before_closing.append(following.stop)


def _look_again(database: Engine) -> None:
    """Refresh the cache right after a commit of this process."""
    if KNOWN in database.memory:
        with suppress(StoreBusy, StoreClosed):  # the commit is already complete, and the refresh thread will retry
            _read_new(database)


def _looking_at(database: Engine) -> AbstractContextManager[bool]:
    """Return the lock of a database. One lock per database, so an unresponsive one does not block lookups in others."""
    return database.helper("looks at short codes", threading.RLock)


def _read_new(database: Engine) -> None:
    """Read the short codes changed since the last read. The lock keeps an older read from overwriting a newer one."""
    with _looking_at(database):
        seen = database.memory.get(SEEN, 0)
        changed: dict[str, Target] = {}
        for code, *rest, revision in Store.on(database).each_row(NEW, {"seen": seen}):
            changed[code] = _target(code, *rest)
            seen = max(seen, revision)
        if KNOWN in database.memory:
            _learn(database, changed)
        else:
            database.memory[KNOWN] = changed
        database.memory[SEEN] = seen


def _target(code: str, number: int | None, content: str, schedule: str | None, rules: str, *rest: Any) -> Target:
    """Return the target of a row; a code without a number was deleted."""
    if number is None:
        return DELETED
    active, since, until, *further, utm, campaign, name = rest
    events: tuple[ScheduleEvent, ...] = ()
    terms = Terms((), active, since and utc(since), until and utc(until), *further)
    if utm:
        terms = terms._replace(utm=utm_query(Utm.from_json(utm), campaign=campaign, name=name, short_code=code))
    try:
        events = read_schedule(schedule) if schedule else ()
        terms = terms._replace(rules=read_rules(rules))
    except StoreDamaged as error:  # a printed code must lead somewhere
        _log.warning("QR Code %d of the table qrcodes leads on without what is damaged: %s", number, error)
    return Target(number, content, events, shared(terms))


class _Columns(NamedTuple):
    """QR Codes sorted by short code: the codes, the numbers, where each content begins and ends, and all contents."""

    codes: np.ndarray
    numbers: np.ndarray
    ends: np.ndarray
    contents: bytearray


def _columns(store: Store) -> _Columns:
    """Read the QR Codes without a schedule."""
    until, contents = 0, bytearray()
    codes, numbers, lengths = [np.array([], "S1")], [np.array([], "i4")], [np.array([], "i8")]
    while (first := store.value(NEXT, [until])) is not None:
        until = first + TOGETHER
        part = store.arrays(PLAIN, {"first": first, "until": until})
        codes.append(part["code"].astype("S"))
        numbers.append(part["number"])
        lengths.append(part["length"])
        contents += "".join(part["content"].tolist()).encode()
    found = np.concatenate(codes)
    order = found.argsort(kind="stable")  # several times as fast as the default for bytes
    stops = np.concatenate(lengths).cumsum()
    ends = np.stack([stops - np.concatenate(lengths), stops], axis=1)
    return _Columns(found[order], np.concatenate(numbers)[order], ends[order], contents)


# ---- changes by other processes
#
# Each change of a redirect target has a revision, and revisions are assigned in the order of commits
# (`qrkit.store.postgresql.tables`). All new changes therefore have a revision above the last one read, and an index
# lookup finds them.


class Following:
    """Calls `look` repeatedly in a background thread until stopped.

    Of consecutive errors, only the first is logged: the server may be unreachable, or its tables may be changing.
    `interrupt` makes a call of `look` fail that waits for a server which does not answer.
    """

    def __init__(self, look: Callable[[], None], name: str, interrupt: Callable[[], None]) -> None:
        self._look = look
        self._interrupt = interrupt
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"following {name}", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread and wait until it ends."""
        self._stopping.set()
        self._thread.join(LAST_SECONDS)
        if self._thread.is_alive():
            self._interrupt()
            self._thread.join()

    def _run(self) -> None:
        is_well = True
        while not self._stopping.wait(PAUSE_SECONDS):
            try:
                self._look()
                is_well = True
            except Exception as error:  # any error: the thread must not end
                if is_well:
                    _log.warning("changes of other processes are not seen for the moment: %s", error)
                is_well = False
