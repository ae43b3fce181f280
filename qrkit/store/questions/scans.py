"""`Scans`: a filtered view of the scans of a portfolio, which is read only when you query it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from types import EllipsisType
from typing import Any, Self, Unpack, get_args
from zoneinfo import ZoneInfo

from qrkit.errors import InvalidParameter, Problem, check_whole
from qrkit.files import complete_file, writing
from qrkit.late import Shown, pd
from qrkit.store.connection import Store
from qrkit.store.copies.arrow_tables import ArrowTable
from qrkit.store.copies.sandbox import ArrowRows, Query, arrow_rows, write_parquet
from qrkit.store.copies.text_enums import enum_frame, texts_of
from qrkit.store.history.history_files import check_history
from qrkit.store.questions.column_copy import columns, reading_one_state
from qrkit.store.questions.following import Following
from qrkit.store.questions.local_time import local_time, stretches_in
from qrkit.store.questions.scan_attributes import (
    AttributeFilters,
    UtmAttribute,
    VisitAttribute,
    as_tuple,
    check_field_names,
    check_filters,
    field_filter_sql,
    filter_sql,
    hours_of,
    links_sql,
    needs_user_agent,
    own_columns,
    own_filters,
    tag_filter_sql,
    weekdays_of,
)
from qrkit.store.recording.recorder import include_waiting
from qrkit.store.recording.user_agents import parse_new_user_agents
from qrkit.store.records.ids import check_ids
from qrkit.tracking.records import Kind
from qrkit.tracking.text_columns import with_dtypes
from qrkit.tracking.times import Clock, from_day, moment_in, now, zone_of
from qrkit.tracking.webhook import EventFilter, EventKind

SCANS = """
WITH codes AS (
    SELECT
        q.number, q.id AS qrcode_id, q.name AS qrcode, q.short_code, q.created AS qrcode_created,
        nullif(q.address, '') AS qrcode_address, q.latitude AS qrcode_latitude, q.longitude AS qrcode_longitude,
        c.id AS campaign_id, coalesce(c.name, '') AS campaign{labels}
    FROM qrcodes q
    LEFT JOIN campaigns c ON c.id = q.campaign_id AND c.account_id = q.account_id
    WHERE q.account_id = $account{only_codes}
), lean AS NOT MATERIALIZED (
    SELECT
        v.time, v.kind, v.visitor, v.referrer, v.language, v.country, v.region, v.city, v.latitude, v.longitude,
        v.content, v.via, v.lot, v.serial, v.link_type,
        v.variant, v.split, v.conversion, v.user_agent, v.alone, v.again, v.numbered, q.*
    FROM all_visits v
    JOIN codes q ON q.number = v.qrcode{join}
    WHERE {only_visits}
), wide AS NOT MATERIALIZED (
    SELECT
        v.*, u.system, u.system_version, u.browser, u.browser_version, u.manufacturer, u.device_model, u.device,
        coalesce(u.is_bot, false) AS is_bot
    FROM lean v
    JOIN user_agents u ON u.number = v.user_agent
), scans AS (
    SELECT
        time, kind, visitor, referrer, language, country, region, city, latitude, longitude,
        content, via, lot, serial, link_type, variant,
        qrcode_id, qrcode, short_code, qrcode_address, qrcode_latitude, qrcode_longitude,
        campaign_id, campaign,
        system, system_version, browser, browser_version, manufacturer, device_model, device, is_bot
    FROM wide
)
"""
"""The common table expressions at the start of each query. The query then selects from `scans`; from `lean`, which
skips the join with user agents, or `wide`, both with what `counted` needs; or from `codes`, the QR Codes of the view,
scanned or not. Conditions are in the query only where they are set: an unset one takes time for every visit."""

LINKS = f"""
, links AS (SELECT content, {links_sql()} FROM (SELECT DISTINCT content FROM lean) contents)
"""
"""A further table expression, for queries that ask for it: the UTM parameters of each content."""

PLACE = "dense_rank() OVER (PARTITION BY c.name ORDER BY c.created, c.id)"
LABELS = f""",
        CASE WHEN count(*) OVER (PARTITION BY q.name) > 1
            THEN q.name || ' (' || q.short_code || ')' ELSE q.name END AS qrcode_label,
        CASE WHEN {PLACE} > 1 THEN c.name || ' (' || {PLACE} || ')' ELSE c.name END AS campaign_label"""
"""Names that are unique in the view, for questions that count by them: of QR Codes with the same name, those with their
short codes, and of campaigns, those with a number from the second one on."""

SHOWN = """q.number < coalesce((
            SELECT number FROM qrcodes WHERE account_id = $account ORDER BY number LIMIT 1 OFFSET $shown
        ), q.number + 1)"""

JOIN_AGENTS = "\n    JOIN user_agents u ON u.number = v.user_agent"

# The list of archived files has their bounds, so no file is read.
BOUNDS = """
SELECT
    coalesce($since::TIMESTAMP, least(v.first, h.first)) AS first,
    coalesce($until::TIMESTAMP, greatest(v.last, h.last)) AS last
FROM (SELECT min(time) AS first, max(time) AS last FROM visits) v
CROSS JOIN (SELECT min(first) AS first, max(last) AS last FROM history) h
"""

OFTEN = """(v.again IS NULL OR v.again NOT IN (
        SELECT w.again FROM all_visits w JOIN codes c ON c.number = w.qrcode
        WHERE w.again IS NOT NULL AND w.kind = 'scan'{period} GROUP BY w.again HAVING count(*) > $most_a_day
    ))"""
"""Leaves out the visitors who scanned too often; `again` is a visitor and a day (`all_visits`)."""

FIELD_NAMES = """
SELECT DISTINCT unnest(json_keys(fields)) AS name FROM qrcodes
WHERE account_id = $account AND fields <> '{}' AND json_valid(fields)
ORDER BY name
"""

ALL = "SELECT * FROM scans LEFT JOIN links USING (content)"
"""Each link is read once: reading it for every scan takes most of the time of a query."""
IN_ORDER = "time"
FEW = 10_000
"""Of so few scans, a DataFrame gets each text as its own object sooner than DuckDB lists all distinct texts."""

IDS = ("campaign_id", "qrcode_id")
FILTERS = ("since", "until", *IDS, "kinds", "time_zone", "hour", "weekday", "tag", "fields", "most_a_day")
"""What a view is filtered by beside the attributes of scans."""
BY_NAME = {"campaign": "find_campaign", "qrcode": "find_qrcode"}
"""The methods of a portfolio that find the record with a name."""

TEXTS = {
    "lean": (
        "kind", "referrer", "language", "country", "region", "city", "content", "via", "lot", "serial", "link_type",
        "variant",
    ),
    "codes": ("qrcode_id", "qrcode", "short_code", "qrcode_address", "campaign_id", "campaign"),
    "user_agents": ("system", "system_version", "browser", "browser_version", "manufacturer", "device_model", "device"),
    "links": get_args(UtmAttribute),
}  # fmt: skip
"""The text columns of `scans`, each below the table that has all of its values."""


@dataclass(frozen=True, slots=True)
class Scans(Shown):
    """A view of the scans of one account; `where` filters the view. Scans are read only when you query the view.

    The view contains the scans of the oldest QR Codes of the account, as many as the plan allows.

    Attributes:
        store: The store with the scans.
        account_id: The account that owns the scans.
        campaign_id: The campaign, or several; None for all QR Codes, also those without a campaign.
        qrcode_id: The QR Code, or several; None for all.
        since: The first day or timestamp of the view; None for no bound.
        until: The first day or timestamp after the view; None for no bound.
        kinds: The kinds of visits that count: `scan`, and `bot`, `prefetch` or `head` if you ask for them.
        most_qrcodes: The number of QR Codes in the view; None for all.
        time_zone: IANA name of the time zone for the days and hours of the view.
        attributes: The attributes that scans are filtered by, each with the values that count.
        tag: A tag of QR Codes, or several, of which they have one; None for all QR Codes.
        fields: The fields of QR Codes that scans are filtered by, each with the values that count.
        clock: Tells the time, for questions that end now.
        hour: The hours of the day that count, 0..23, in the time zone of the view; None for all.
        weekday: The weekdays that count, 1 (Monday) to 7, in the time zone of the view; None for all.
        most_a_day: The number of scans that a visitor may have made on a UTC day to count; None for any number.

    Raises:
        InvalidParameter: If a bound is not a date, an id or a value of an attribute is not text, or a kind, an
            attribute, an hour, a weekday or the time zone is unknown.
    """

    store: Store = field(repr=False)
    account_id: str = field(repr=False)
    campaign_id: str | tuple[str, ...] | None = None
    qrcode_id: str | tuple[str, ...] | None = None
    since: date | None = None
    until: date | None = None
    kinds: tuple[Kind, ...] = ("scan",)
    most_qrcodes: int | None = field(default=None, repr=False)
    time_zone: str = "UTC"
    attributes: tuple[tuple[VisitAttribute, tuple[str, ...]], ...] = ()
    tag: str | tuple[str, ...] | None = None
    fields: tuple[tuple[str, tuple[str, ...]], ...] = ()
    clock: Clock = field(default=now, repr=False, compare=False)
    hour: tuple[int, ...] | None = None
    weekday: tuple[int, ...] | None = None
    most_a_day: int | None = None

    def __post_init__(self) -> None:
        """Reject values that would silently match nothing, such as the text "bot" instead of ("bot",)."""
        object.__setattr__(self, "time_zone", zone_of(self.time_zone).key)  # a ZoneInfo is converted to its name
        for name, bound in (("since", self.since), ("until", self.until)):
            # pandas.NaT is a datetime, but not equal to itself.
            if bound is not None and (not isinstance(bound, date) or bound != bound):
                rule = "must be a date, a datetime or None"
                raise InvalidParameter(Problem(name, bound, rule, "wrong-type"))
            try:
                _moment(bound, self.zone)
            except OverflowError as error:
                rule = "is too far from today to be converted to UTC; leave it out"
                raise InvalidParameter(Problem(name, bound, rule, "out-of-range")) from error
        for name in ("campaign_id", "qrcode_id", "kinds"):
            given, ids = getattr(self, name), as_tuple(getattr(self, name))
            object.__setattr__(self, name, ids)  # so that views are comparable and immutable
            is_of_names = isinstance(ids, str | tuple | None) and all(isinstance(one, str) for one in _names(ids) or ())
            if name != "kinds" and not is_of_names:
                rule = f"must be an ID, such as {name.removesuffix('_id')}.id, or a list of IDs"
                raise InvalidParameter(Problem(name, given, rule, "wrong-type"))
        if not set(self.kinds) <= set(get_args(Kind)):
            raise InvalidParameter(Problem("kinds", self.kinds, f"must contain only {', '.join(get_args(Kind))}"))
        check_filters(self.attributes)
        object.__setattr__(self, "hour", hours_of(self.hour))
        object.__setattr__(self, "weekday", weekdays_of(self.weekday))
        if self.most_a_day is not None:
            check_whole("most_a_day", self.most_a_day, 1, more=", or None")
        object.__setattr__(self, "tag", as_tuple(self.tag))
        object.__setattr__(self, "fields", own_filters(self.tag, self.fields))

    @property
    def campaigns(self) -> tuple[str, ...] | None:
        """Return the ids of the campaigns in the view; None for all QR Codes, also those without a campaign."""
        return _names(self.campaign_id)

    @property
    def qrcodes(self) -> tuple[str, ...] | None:
        """Return the ids of the QR Codes in the view; None for all."""
        return _names(self.qrcode_id)

    @property
    def zone(self) -> ZoneInfo:
        """Return the time zone as a ZoneInfo."""
        return ZoneInfo(self.time_zone)

    @property
    def period(self) -> tuple[datetime | None, datetime | None]:
        """Return `since` and `until` as timestamps in UTC, without a time zone."""
        return _moment(self.since, self.zone), _moment(self.until, self.zone)

    def where(
        self,
        *,
        campaign_id: str | Iterable[str] | EllipsisType | None = ...,
        qrcode_id: str | Iterable[str] | EllipsisType | None = ...,
        since: date | str | EllipsisType | None = ...,
        until: date | str | EllipsisType | None = ...,
        kinds: Iterable[Kind] | EllipsisType = ...,
        time_zone: str | ZoneInfo | EllipsisType = ...,
        hour: int | Iterable[int] | EllipsisType | None = ...,
        weekday: int | str | Iterable[int | str] | EllipsisType | None = ...,
        tag: str | Iterable[str] | EllipsisType | None = ...,
        fields: Mapping[str, str | Iterable[str]] | EllipsisType | None = ...,
        most_a_day: int | EllipsisType | None = ...,
        **attributes: Unpack[AttributeFilters],
    ) -> Self:
        """Return the same view with other filters. Omitted parameters keep their value; None removes a filter.

        Scans can be filtered by country, region, city, language, referrer, device, system, browser, manufacturer,
        device_model, content, via, destination (the content without query and fragment) and, in the query of the
        content, utm_source, utm_medium, utm_campaign, utm_term, utm_content and utm_id. The value "unknown" stands for
        scans whose attribute is unknown or empty.

        The view keeps its bounds as you gave them: days, and timestamps without a time zone, are in `time_zone`, no
        matter whether you set `time_zone` before or after the bounds.

        Args:
            campaign_id: The id of a campaign, or several ids, as a list, a set, or a pandas Index or Series. The id of
                a deleted campaign matches nothing.
            qrcode_id: The id of a QR Code, or several ids, such as the index of `Portfolio.qrcodes()`. The id of a
                deleted QR Code matches nothing.
            since: The first day or timestamp: a date, a datetime, or text such as 2026-06-01.
            until: The first day or timestamp after the view.
            kinds: The kinds of visits that count: scan, bot, prefetch, head.
            time_zone: IANA name, such as Europe/Ljubljana, or a ZoneInfo. Every query of the view uses the days and
                hours of this time zone.
            hour: The hours of the day that count, 0..23: 9 stands for 9:00 to 9:59. Rates and forecasts still divide by
                all days of the view.
            weekday: The weekdays that count, 1 (Monday) to 7, or their names, such as "Sat" or "Saturday".
            tag: A tag that QR Codes must have, or several, of which they must have one.
            fields: The value that each of these fields of QR Codes must have, as in `{"City": "Graz"}`, or several such
                values. They take the place of all fields that the view was filtered by; {} and None filter by none.
            most_a_day: Leave out all scans by a visitor who made more than this many on a UTC day, 1 or more, of the QR
                Codes of the view, as programs do (`analytics.unlike_people`): 50 is far more than most people make.
            **attributes: The value that an attribute must have, exactly as written, or several such values.

        Raises:
            InvalidParameter: If a bound is not a date, `since` comes after `until`, a kind, an hour, a weekday or the
                time zone is unknown, no QR Code has one of the fields, the value of an attribute is not text, a country
                or a device is one that no scan can have, or a text is a name instead of an id; the error then suggests
                what is probably meant.
            TypeError: If an attribute is unknown.

        Example:
            >>> from qrkit import open_portfolio
            >>> with open_portfolio(":memory:") as shop:
            ...     june = shop.scans.where(since="2026-06-01", until="2026-07-01", time_zone="Europe/Ljubljana")
            ...     phones = june.where(device="phone", country=["SI", "HR"], utm_source="poster")
            >>> print(june.period[0])
            2026-05-31 22:00:00
        """
        given: dict[str, Any] = {
            "campaign_id": campaign_id,
            "qrcode_id": qrcode_id,
            "since": from_day(since, name="since") if isinstance(since, str) else since,
            "until": from_day(until, name="until") if isinstance(until, str) else until,
            "kinds": kinds,
            "time_zone": time_zone,
            "hour": hour,
            "weekday": weekday,
            "tag": tag,
            "fields": fields,
            "most_a_day": most_a_day,
        }
        changed = {name: value for name, value in given.items() if value is not ...}
        if attributes:
            changed["attributes"] = self._with(attributes)
        view = dataclasses.replace(self, **changed)
        if changed.get("since") and changed.get("until"):
            _check_order(view)
        if "fields" in changed:
            check_field_names(dict(view.fields), self)
        if asked := {name: ids for name in IDS if name in changed and (ids := _names(getattr(view, name)))}:
            check_ids(self.store, self.account_id, asked)
        return view

    def follow(self, *, kinds: Sequence[EventKind] = ("scan",), after: int | None = None) -> Iterable[dict[str, Any]]:
        """Yield scans as they come, about half a second later, until you stop: `for scan in shop.scans.follow(): …`.

        As the last line of a cell, `shop.scans.follow()` shows a live chart: scans per minute in the last hour.

        Each is a CloudEvent: `scan["time"]` says when, and `scan["data"]` has the QR Code and what is known of the
        visit. Once you have called this, events are kept for a day, so that `after` can go on where you stopped.

        Args:
            kinds: scan, conversion, code.created, code.updated, code.deleted, limit.reached, code.silent, unusual.day
                and experiment.decided.
            after: The `id` of the last event that you have; by default, only what happens from now on is yielded.

        Raises:
            InvalidParameter: If a kind is unknown, or the view is filtered by anything but one campaign, one QR Code
                or one tag.
            StoreReadOnly: If the store is a snapshot.
        """
        asked = {name: getattr(self, name) or "" for name in ("campaign_id", "qrcode_id", "tag")}
        plain = dataclasses.replace(self, campaign_id=None, qrcode_id=None, tag=None, most_qrcodes=None)
        if plain != type(self)(self.store, self.account_id, time_zone=self.time_zone) or tuple in map(
            type, asked.values()
        ):
            rule = "cannot be followed; filter by one campaign, one QR Code or one tag alone"
            raise InvalidParameter(Problem("view", repr(self), rule))
        return Following(self, EventFilter(kinds=tuple(kinds), **asked), after)

    def ask(self, select: str, **parameters: Any) -> pd.DataFrame:
        """Run a `SELECT … FROM scans` and return a DataFrame.

        The table `scans` has the columns of `to_frame`, without the UTM parameters: these are in the table `links`, by
        `content`. `FROM lean` is faster if you do not need the system, browser and device. `FROM codes` selects the QR
        Codes of the view, scanned or not: number, qrcode_id, qrcode, qrcode_created, campaign_id, campaign.

        Columns: those of the statement, with DuckDB's dtypes.

        Args:
            select: SELECT … FROM scans, lean or codes; it is appended to the table definitions. For trusted SQL in
                programs only; use `Portfolio.sql` for user-written SQL.
            **parameters: Values of the `$names` in the statement. Never insert values into the text.
        """
        asked = self.query(select, **parameters)
        return columns(self.store).frame(asked.sql, asked.parameters)

    def query(self, select: str = "SELECT * FROM scans", **parameters: Any) -> Query:
        """Parse new user agents, then return the query that `ask` would run, for reading rows in another format.

        Args:
            select: The same as for `ask`.
            **parameters: Values of the `$names` in the statement.

        Raises:
            StoreDamaged: If a file of archived visits is not the one that the store lists.
        """
        check_history(self.store)
        if not self.store.database.read_only:  # a snapshot's user agents are already parsed
            include_waiting(self.store)
            parse_new_user_agents(self.store)
        labels = (LABELS if "_label" in select else "") + own_columns(select)
        links = LINKS if "links" in select else ""
        return Query(self._tables(labels) + links + select, self._parameters() | parameters)

    def all_rows(self, *, with_links: bool = True) -> Query:
        """Return a query for all columns of `to_frame` that also lists the texts in them, for reading many rows.

        Args:
            with_links: Whether to read the UTM parameters of the contents, which takes time; otherwise without them.
        """
        asked = self.query(ALL if with_links else "SELECT * FROM scans")
        texts = TEXTS if with_links else {name: columns for name, columns in TEXTS.items() if name != "links"}
        return dataclasses.replace(asked, texts=self._tables() + LINKS * with_links + texts_of(texts))

    def count(self) -> int:
        """Return the number of scans in the view."""
        asked = self.query("SELECT count(*) AS number FROM lean")
        return int(columns(self.store).value(asked.sql, asked.parameters) or 0)

    def field_names(self) -> list[str]:
        """Return the names of the fields that the QR Codes of the account have, in alphabetical order."""
        return [row["name"] for row in columns(self.store).rows(FIELD_NAMES, {"account": self.account_id})]

    def bounds(self) -> tuple[datetime, datetime] | None:
        """Return a period that contains all scans: `since` and `until`, or the first and last visit of the store.

        The timestamps are UTC without a time zone; None if there are no visits. Fast, because no scans are read.
        """
        found = columns(self.store).row(BOUNDS, dict(zip(("since", "until"), self.period, strict=True)))
        return (found["first"], found["last"]) if found and found["first"] and found["last"] else None

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per scan, oldest first.

        Columns: time (datetime64[us, time zone], in the time zone of the view), kind, referrer, language, country,
        region, city, content, via (scan or link), lot, serial, link_type (of GS1 Digital Links), variant, qrcode_id,
        qrcode (name), short_code (of the QR Code), qrcode_address, campaign_id (missing without a campaign),
        campaign (name, "" without a campaign), system,
        system_version, browser, browser_version, manufacturer, device_model, device, utm_source, utm_medium,
        utm_campaign, utm_term, utm_content, utm_id (all str; via, variant and UTM parameters of the content are missing
        if there are none),
        visitor (UInt64, valid for one UTC day), latitude, longitude (float64, degrees, of the visitor),
        qrcode_latitude, qrcode_longitude (float64, degrees, location of the printed code), is_bot (bool: whether the
        user agent is a bot by today's rules; `kind` was decided at the time of the scan).
        """
        with reading_one_state(self.store):  # the texts of the rows are those that were listed
            rows = self.all_rows()
            texts = rows.texts if self.count() > FEW else ""
            found = enum_frame(columns(self.store), rows.sql, texts, rows.parameters, order=IN_ORDER)
            frame = in_zone_of(self, found, ("time",))
        dtypes = dict.fromkeys((name for names in TEXTS.values() for name in names), "str")
        return with_dtypes(frame, dtypes | {"visitor": "UInt64"})

    def to_arrow(self) -> ArrowRows:
        """Return the rows and columns of `to_frame` for any Arrow consumer: `pyarrow.table(…)`, `polars.DataFrame(…)`.

        Times are UTC without a time zone, regardless of the time zone of the view.
        The rows are a copy in memory that outlives the store, without this thread's uncommitted changes.
        """
        query = self.all_rows()  # first: it may parse new user agents, which the copy of a server must include
        return arrow_rows(columns(self.store), query, order=IN_ORDER)

    def to_parquet(self, path: str | Path) -> Path:
        """Write the rows and columns of `to_frame` to a Parquet file and return the path.

        Times are UTC without a time zone, regardless of the time zone of the view.
        An existing file is replaced once the new file is complete. Uncommitted changes of this thread are not included.

        Raises:
            CannotWrite: If the file cannot be written.
        """
        # Make the query first: it may parse new user agents, which the copy of a server must include.
        file, query = Path(path), self.all_rows()
        with writing(file), complete_file(file) as opened:
            write_parquet(columns(self.store), query, opened, order=IN_ORDER)
        return file

    def insert(self, frame: pd.DataFrame | ArrowTable | Sequence[Mapping[str, Any]]) -> int:
        """Store visits that were counted elsewhere; return the number of visits added.

        Inserting is idempotent: rows that are already in the store are not added again. Rows that are equal in all
        columns are separate visits: of three equal rows with one already in the store, two are added. A row without
        `content` matches a stored visit with any content, because the content of the record may have changed. Deleted
        visits of which only counts remain (`keep_visits`) cannot be matched: inserting their rows counts them again.

        Rows older than the import of their QR Code explain the number of scans imported with the QR Code: each added
        row reduces that number by one, down to 0, so that no visit counts twice. For example, if you import a QR Code
        with 12 scans and then insert its 12 visits, 3 of them bots, the QR Code has 9 scans.

        If an error occurs, no rows are added.

        Args:
            frame: A DataFrame of pandas or polars, an Arrow table, or a list with a dict for each row. The columns
                `short_code` (str) and `time` (datetime or ISO 8601; UTC if it has no time zone, regardless of the time
                zone of the view) are required. Optional columns are `kind` (str: scan, bot, prefetch or head; by
                default bot if the `user_agent` is a known crawler, else scan), `content` (str, the content served; by
                default the content of the record), `user_agent`, `referrer` (host), `language`, `country` (two-letter
                code, ISO 3166-1 alpha-2), `region`, `city` (str), `visitor` (64-bit whole number, which counts once for
                each UTC day), `latitude`, `longitude` (degrees), `via` (scan or link),
                `lot`, `serial`, `link_type`, `variant` (str).

        Raises:
            InvalidParameter: If a column is missing or unknown, a value is invalid, or a short code is not in this
                portfolio; the error names the column and the first invalid row.
            StoreBusy: If the store cannot be written, or another process has been inserting a table for a minute.

        Example:
            >>> import pandas as pd
            >>> from qrkit import open_portfolio
            >>> with open_portfolio(":memory:") as shop:
            ...     code = shop.insert_qrcode("https://example.com", short_code="door")
            ...     old = pd.DataFrame({"short_code": "door", "time": ["2026-04-03T12:00:00Z"] * 2})
            ...     shop.scans.insert(old), shop.scans.insert(old)
            (2, 0)
        """
        from qrkit.store.questions.counted_elsewhere import insert_frame  # loads pandas

        return insert_frame(self.store, self.account_id, frame)

    def _with(self, changed: AttributeFilters) -> tuple[tuple[VisitAttribute, tuple[str, ...]], ...]:
        """Return the filters by attributes with some of them changed, in the order of the attributes."""
        known = get_args(VisitAttribute)
        if unknown := [name for name in changed if name not in known]:
            name, what = unknown[0], f"where() got an unexpected keyword argument {unknown[0]!r}"
            if name in BY_NAME:
                found = f"{BY_NAME[name]}({changed[name]!r})"  # type: ignore[literal-required]
                raise TypeError(f"{what}; use {name}_id=portfolio.{found}.id")
            raise TypeError(f"{what}; allowed are {', '.join(FILTERS)}, and the attributes {', '.join(known)}")
        filters: dict[str, Any] = dict(self.attributes)
        for name, value in changed.items():
            filters[name] = (value,) if isinstance(value, str) else as_tuple(value)
        return tuple((name, filters[name]) for name in known if filters.get(name) is not None)

    def _tables(self, labels: str = "") -> str:
        """Return the common table expressions of this view; `labels` are further columns of `codes`."""
        codes = {
            "tag": tag_filter_sql("tag"),
            "campaigns": "list_contains($campaigns::VARCHAR[], q.campaign_id)",
            "qrcodes": "list_contains($qrcodes::VARCHAR[], q.id)",
            "shown": SHOWN,
        }
        for number, (name, _) in enumerate(self.fields):
            codes[f"field{number}"] = field_filter_sql(name, f"field{number}")
        kinds = ", ".join(f"'{kind}'" for kind in get_args(Kind) if kind in self.kinds)
        visits = [f"v.kind IN ({kinds or 'NULL'})", *(filter_sql(attribute, self) for attribute, _ in self.attributes)]
        visits += self._clock()
        visits += [] if self.most_a_day is None else [OFTEN.format(period=period_sql(self))]
        is_joined = any(needs_user_agent(attribute) for attribute, _ in self.attributes)
        return SCANS.format(
            labels=labels,
            join=JOIN_AGENTS if is_joined else "",
            only_codes="".join(f"\n        AND {codes[name]}" for name in codes if name in self._parameters()),
            only_visits=" AND ".join(visits) + period_sql(self),
        )

    def _clock(self) -> Iterator[str]:
        """Yield SQL conditions: the hours and weekdays of the view, if any."""
        for part, numbers in (("hour", self.hour), ("isodow", self.weekday)):
            if numbers is not None:
                local = local_time(stretches_in(self.zone, self.bounds()))
                yield f"{part}({local}) IN ({', '.join(map(str, numbers)) or 'NULL'})"

    def _parameters(self) -> dict[str, Any]:
        """Return the parameters of the common table expressions, without those of filters that are not set."""
        codes = {"campaigns": self.campaigns, "qrcodes": self.qrcodes, "tag": _names(self.tag)}
        codes |= {f"field{number}": values for number, (_, values) in enumerate(self.fields)}
        return {
            **{f"only_{attribute}": list(values) for attribute, values in self.attributes},
            **{name: list(ids) for name, ids in codes.items() if ids is not None},
            **({} if self.most_qrcodes is None else {"shown": self.most_qrcodes}),
            **({} if self.most_a_day is None else {"most_a_day": self.most_a_day}),
            **{name: bound for name, bound in zip(("since", "until"), self.period, strict=True) if bound},
            "account": self.account_id,
        }


def _names(given: str | tuple[str, ...] | None) -> tuple[str, ...] | None:
    return (given,) if isinstance(given, str) else given


def _check_order(view: Scans) -> None:
    """Raise if a view ends before it begins."""
    since, until = view.period
    if since and until and until < since:
        raise InvalidParameter(Problem("until", str(view.until), f"must come after since, {view.since}"))


def _moment(bound: date | None, zone: ZoneInfo) -> datetime | None:
    return None if bound is None else moment_in(zone, bound)


def period_sql(scans: Scans) -> str:
    """Return SQL conditions on the column `time`, each after AND: those of a view's bounds that are set."""
    since, until = scans.period
    return (" AND time >= $since" if since else "") + (" AND time < $until" if until else "")


def in_zone_of(scans: Scans, frame: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    """Convert timestamp columns of a query result, in UTC without a time zone, to the time zone of a view."""
    local = {name: frame[name].dt.tz_localize("UTC").dt.tz_convert(scans.zone) for name in columns}
    return frame.assign(**local)
