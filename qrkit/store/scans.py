"""`Scans`: the scans of a portfolio, filtered, and read when a question is asked."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from types import EllipsisType
from typing import TYPE_CHECKING, Any, Self, get_args
from zoneinfo import ZoneInfo

from qrkit.errors import InvalidParameter, Problem
from qrkit.files import complete_file, writing
from qrkit.late import Shown
from qrkit.store import visits
from qrkit.store.connection import Store
from qrkit.store.duckdb.column_copy import columns
from qrkit.store.ids import check_ids
from qrkit.store.sandbox import ArrowRows, Query, arrow_rows, write_parquet
from qrkit.store.user_agents import tell_new_apart
from qrkit.tracking.records import Kind
from qrkit.tracking.text_columns import with_dtypes
from qrkit.tracking.times import from_day, moment_in, zone_of

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Scans", "in_zone_of"]

SCANS = """
WITH codes AS (
    SELECT
        q.number, q.id AS qrcode_id, q.name AS qrcode, q.created AS qrcode_created,
        nullif(q.address, '') AS qrcode_address, q.latitude AS qrcode_latitude, q.longitude AS qrcode_longitude,
        c.id AS campaign_id, coalesce(c.name, '') AS campaign
    FROM qrcodes q
    LEFT JOIN campaigns c ON c.id = q.campaign_id
    WHERE q.account_id = $account
        AND ($campaigns IS NULL OR list_contains($campaigns::VARCHAR[], q.campaign_id))
        AND ($qrcodes IS NULL OR list_contains($qrcodes::VARCHAR[], q.id))
        AND ($shown IS NULL OR q.number < coalesce((
            SELECT number FROM qrcodes WHERE account_id = $account ORDER BY number LIMIT 1 OFFSET $shown
        ), q.number + 1))
), lean AS NOT MATERIALIZED (
    SELECT
        v.time, v.kind, v.visitor, v.referrer, v.language, v.country, v.region, v.city, v.latitude, v.longitude,
        v.content, v.user_agent, q.*
    FROM visits v
    JOIN codes q ON q.number = v.qrcode
    WHERE list_contains($kinds, v.kind)
        AND ($since IS NULL OR v.time >= $since)
        AND ($until IS NULL OR v.time < $until)
), scans AS (
    SELECT
        v.time, v.kind, v.visitor, v.referrer, v.language, v.country, v.region, v.city, v.latitude, v.longitude,
        v.content, v.qrcode_id, v.qrcode, v.qrcode_address, v.qrcode_latitude, v.qrcode_longitude,
        v.campaign_id, v.campaign,
        u.system, u.system_version, u.browser, u.browser_version, u.manufacturer, u.device_model, u.device,
        coalesce(u.is_bot, false) AS is_bot
    FROM lean v
    JOIN user_agents u ON u.number = v.user_agent
)
"""
"""What a statistic begins with; it then selects from `scans`, from `lean`, which saves the join with what user agents
tell, or from `codes`, the QR Codes of the view, scanned or not."""

BOUNDS = """
SELECT coalesce($since::TIMESTAMP, min(time)) AS first, coalesce($until::TIMESTAMP, max(time)) AS last FROM visits
"""

ALL = "SELECT * FROM scans ORDER BY time"

IDS = ("campaign_id", "qrcode_id")

FRAME_TEXTS = (
    "kind", "referrer", "language", "country", "region", "city", "content", "qrcode_id", "qrcode", "qrcode_address",
    "campaign_id", "campaign", "system", "system_version", "browser", "browser_version", "manufacturer", "device_model",
    "device",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Scans(Shown):
    """A view of the scans of one account; `where` narrows it. No scan is read before you ask a question.

    A plan shows the oldest QR Codes of an account, as many as it allows, and only their scans.

    Attributes:
        store: Where the scans are kept.
        account_id: The account they belong to.
        campaign_id: The campaign, or several; None for all QR Codes, also those without a campaign.
        qrcode_id: The QR Code, or several; None for all.
        since: The first day or moment of the view; None for no bound.
        until: The first day or moment after the view; None for no bound.
        kinds: The kinds of visits that count: `scan`, and `bot`, `prefetch` or `head` if you ask for them.
        most_qrcodes: How many QR Codes are shown; None for all.
        time_zone: IANA name of the time zone whose days and hours the view has.

    Raises:
        InvalidParameter: If a bound is not a date, an id is not text, a kind is unknown, or the time zone is unknown.
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

    def __post_init__(self) -> None:
        """Refuse what would silently find nothing, like the text "bot" in place of ("bot",)."""
        object.__setattr__(self, "time_zone", zone_of(self.time_zone).key)  # a ZoneInfo is taken as its name
        for name, bound in (("since", self.since), ("until", self.until)):
            # Pandas' own for no moment is a datetime, and not equal to itself.
            if bound is not None and (not isinstance(bound, date) or bound != bound):
                rule = "must be a day or a moment, or None"
                raise InvalidParameter(Problem(name, bound, rule, "wrong-type"))
            try:
                _moment(bound, self.zone)
            except OverflowError as error:
                rule = "is too far from today to be a moment in UTC; leave the bound out"
                raise InvalidParameter(Problem(name, bound, rule, "out-of-range")) from error
        for name in ("campaign_id", "qrcode_id", "kinds"):
            if isinstance(given := getattr(self, name), list):
                object.__setattr__(self, name, tuple(given))  # a view can be compared, and does not change
        for name, ids in (("campaign_id", self.campaign_id), ("qrcode_id", self.qrcode_id)):
            if not isinstance(ids, str | tuple | None) or not all(isinstance(one, str) for one in _names(ids) or ()):
                raise InvalidParameter(Problem(name, ids, "must be an id, or a list of ids", "wrong-type"))
        if not set(self.kinds) <= set(get_args(Kind)):
            raise InvalidParameter(Problem("kinds", self.kinds, f"must hold some of {', '.join(get_args(Kind))}"))

    @property
    def campaigns(self) -> tuple[str, ...] | None:
        """Ids of the campaigns it is narrowed to; None for all, and for QR Codes outside any."""
        return _names(self.campaign_id)

    @property
    def zone(self) -> ZoneInfo:
        """The time zone itself."""
        return ZoneInfo(self.time_zone)

    @property
    def period(self) -> tuple[datetime | None, datetime | None]:
        """`since` and `until` as moments in UTC, without a zone."""
        return _moment(self.since, self.zone), _moment(self.until, self.zone)

    def where(
        self,
        *,
        campaign_id: str | Sequence[str] | EllipsisType | None = ...,
        qrcode_id: str | Sequence[str] | EllipsisType | None = ...,
        since: date | str | EllipsisType | None = ...,
        until: date | str | EllipsisType | None = ...,
        kinds: Sequence[Kind] | EllipsisType = ...,
        time_zone: str | ZoneInfo | EllipsisType = ...,
    ) -> Self:
        """The same view with other bounds. What you leave out stays as it is; None takes a bound away.

        The view keeps its bounds as you gave them: days, and moments without a time zone, are those of `time_zone`,
        whether you set it before or after them.

        Args:
            campaign_id: The id of a campaign, or a list of ids. The id of a deleted campaign finds nothing.
            qrcode_id: The id of a QR Code, or a list of ids. The id of a deleted QR Code finds nothing.
            since: The first day or moment: a date, a datetime, or text as 2026-06-01.
            until: The first day or moment after the view.
            kinds: The kinds of visits that count: scan, bot, prefetch, head.
            time_zone: IANA name, as Europe/Ljubljana, or its ZoneInfo. Every question asked of the view has the days
                and hours of this zone.

        Raises:
            InvalidParameter: If a bound is not a date, a kind or the time zone is unknown, or a text is a name instead
                of an id; the error then suggests the id of what has this name.

        Example:
            >>> from qrkit import open_portfolio
            >>> with open_portfolio(":memory:") as shop:
            ...     june = shop.scans.where(since="2026-06-01", until="2026-07-01", time_zone="Europe/Ljubljana")
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
        }
        changed = {name: value for name, value in given.items() if value is not ...}
        view = dataclasses.replace(self, **changed)
        if asked := {name: _names(getattr(view, name)) or () for name in IDS if name in changed}:
            check_ids(self.store, self.account_id, asked)
        return view

    def ask(self, select: str, **parameters: Any) -> pd.DataFrame:
        """The answer to a `SELECT … FROM scans` as a DataFrame; the columns of `scans` are those of `to_frame`.

        `FROM lean` is faster where nothing is asked of system, browser and device. `FROM codes` asks the QR Codes of
        the view, scanned or not: number, qrcode_id, qrcode, qrcode_created, campaign_id, campaign.

        Columns: those of the statement, in the dtypes that DuckDB gives them.

        Args:
            select: The rest of a statement that begins before it: SELECT … FROM scans, lean or codes. It is for
                programs; `Portfolio.sql` is for SQL that somebody typed.
            **parameters: Values of the `$names` in it: never write them into the text.
        """
        asked = self.query(select, **parameters)
        return columns(self.store).frame(asked.sql, asked.parameters)

    def query(self, select: str = "SELECT * FROM scans", **parameters: Any) -> Query:
        """What `ask` asks the store, for who wants its rows in another form; by then, user agents are told apart.

        Args:
            select: As `ask` has it.
            **parameters: Values of the `$names` in it.
        """
        if not self.store.database.read_only:  # a snapshot has them told apart already
            tell_new_apart(self.store)
        return Query(SCANS + select, self._parameters() | parameters)

    def count(self) -> int:
        """How many there are."""
        found = columns(self.store).row(SCANS + "SELECT count(*) AS number FROM lean", self._parameters())
        return int(found["number"]) if found else 0

    def bounds(self) -> tuple[datetime, datetime] | None:
        """A period that no scan lies outside of, from `since` and `until` or the first and last visit of the store.

        UTC without a zone; None where there is no visit at all. It takes no time, for no scan is looked at.
        """
        found = columns(self.store).row(BOUNDS, {name: self._parameters()[name] for name in ("since", "until")})
        return (found["first"], found["last"]) if found and found["first"] and found["last"] else None

    def to_frame(self) -> pd.DataFrame:
        """All scans, oldest first, one row each.

        Columns: time (datetime64[us]: UTC without a zone, or with the time zone of the view if it has another), kind,
        referrer, language, country, region, city, content, qrcode_id, qrcode (its name), qrcode_address, campaign_id,
        campaign (its name, "" outside any), system, system_version, browser, browser_version, manufacturer,
        device_model, device (all str), visitor (UInt64, of one UTC day), latitude, longitude (float64, degrees, of the
        visitor), qrcode_latitude, qrcode_longitude (float64, degrees, where the code hangs), is_bot (bool: the user
        agent is a bot's, as it is judged today; `kind` is what was judged at the time of the scan).
        """
        frame = in_zone_of(self, self.ask(ALL), ("time",))
        return with_dtypes(frame, dict.fromkeys(FRAME_TEXTS, "str") | {"visitor": "UInt64"})

    def to_arrow(self) -> ArrowRows:
        """The rows and columns of `to_frame` for whatever takes Arrow: `pyarrow.table(…)`, `polars.DataFrame(…)`.

        Times are UTC without a zone, whatever the time zone of the view.
        They are a copy in memory that outlives the store; what this thread has not committed is not in it.
        """
        return arrow_rows(columns(self.store), self.query(ALL))

    def to_parquet(self, path: str | Path) -> Path:
        """Write the rows and columns of `to_frame` to a file in the format Parquet; gives the path back.

        Times are UTC without a zone, whatever the time zone of the view.
        A file that was there is replaced when the new one is whole. What this thread has not committed is not in it.

        Raises:
            CannotWrite: The file cannot be written.
        """
        file = Path(path)
        with writing(file), complete_file(file) as opened:
            write_parquet(columns(self.store), self.query(ALL), opened)
        return file

    def insert(self, frame: pd.DataFrame | Sequence[Mapping[str, Any]]) -> int:
        """Store visits that were counted elsewhere and give the number of those that were not there yet.

        The same table again adds nothing, and one that has grown adds what is new. Rows that are equal in all columns
        are as many visits: of three, with one of them in the store, two are added. A row without `content` is the same
        visit as a stored one whatever that one's content is, for the record's may have changed since. Visits that were
        reduced to counts (`keep_visits`) cannot be seen: a table of their time counts them again.

        Rows older than the import of their QR Code are the history of the number of scans it came with: each row that
        is added takes one from that number, down to 0, so that no visit counts twice. Of 12 imported visits, their 12
        rows with 3 bots leave 9 scans.

        All rows are stored then or, with an error, none is added.

        Args:
            frame: A DataFrame, or a list with a dict for each row. Columns `short_code` (str) and `time` (datetime, or
                ISO 8601; without a zone it is UTC, whatever the time zone of the view) are required. Others may join:
                `kind` (str: scan, bot, prefetch or head; where nothing is said, a row is a scan, or a bot where its
                `user_agent` is that of a known crawler, as with our own redirect), `content` (str, what was served;
                that of the record where nothing is said), `user_agent`, `referrer` (host), `language`, `country` (code
                of two letters, ISO 3166-1 alpha-2), `region`, `city` (str), `visitor` (64-bit whole number),
                `latitude`, `longitude` (degrees).

        Raises:
            InvalidParameter: A column is missing or unknown, a value breaks the rule of its column, or a short code is
                not of this portfolio; the column is named, and the first row that is wrong.
            StoreBusy: The store cannot be written, or another process has been inserting a table for a minute.

        Example:
            >>> import pandas as pd
            >>> from qrkit import open_portfolio
            >>> with open_portfolio(":memory:") as shop:
            ...     code = shop.insert_qrcode("https://example.com", short_code="door")
            ...     old = pd.DataFrame({"short_code": "door", "time": ["2026-04-03T12:00:00Z"] * 2})
            ...     shop.scans.insert(old), shop.scans.insert(old)
            (2, 0)
        """
        return visits.insert_frame(self.store, self.account_id, frame)

    def _parameters(self) -> dict[str, Any]:
        return {
            "account": self.account_id,
            "kinds": list(self.kinds),
            "campaigns": _listed(self.campaigns),
            "qrcodes": _listed(_names(self.qrcode_id)),
            "since": self.period[0],
            "until": self.period[1],
            "shown": self.most_qrcodes,
        }


def _names(given: str | tuple[str, ...] | None) -> tuple[str, ...] | None:
    return (given,) if isinstance(given, str) else given


def _listed(names: tuple[str, ...] | None) -> list[str] | None:
    """As DuckDB takes several values for one parameter."""
    return None if names is None else list(names)


def _moment(bound: date | None, zone: ZoneInfo) -> datetime | None:
    return None if bound is None else moment_in(zone, bound)


def in_zone_of(scans: Scans, frame: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    """A frame whose columns of moments are in the time zone of a view; those of UTC stay without a zone.

    Args:
        scans: The view.
        frame: What it was asked, in UTC without a zone.
        columns: Names of the columns that hold moments.
    """
    if scans.time_zone == "UTC":
        return frame
    local = {name: frame[name].dt.tz_localize("UTC").dt.tz_convert(scans.zone) for name in columns}
    result: pd.DataFrame = frame.assign(**local)
    return result
