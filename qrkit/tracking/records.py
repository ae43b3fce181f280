"""What is tracked: QR Codes, campaigns, visits, accounts and plans, as plain data.

The records speak the interface's words; JSON has them in camelCase and leaves out what is absent or empty (rulings T3,
T15).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, PlainSerializer, model_validator
from pydantic_core import PydanticCustomError

from qrkit.design.color import BLACK, WHITE, Color
from qrkit.design.limits import (
    Content,
    ErrorCorrection,
    Latitude,
    Longitude,
    ModuleSize,
    Most,
    Padding,
    Recurrence,
    StoredMode,
    Text,
    Version,
)
from qrkit.model import Model
from qrkit.tracking.times import ISO_FORM, to_iso, utc

__all__ = [
    "DERIVED",
    "NOWHERE",
    "PLANS",
    "SHOWN_ANYWAY",
    "Account",
    "ApiKey",
    "Campaign",
    "Kind",
    "Location",
    "Place",
    "Plan",
    "Properties",
    "QRCode",
    "ScheduleEvent",
    "Visit",
    "encoded_text",
]


def _date_as_written(value: Any) -> Any:
    """Refuse numbers, and texts of digits alone: they do not say whether they are seconds or milliseconds."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if is_number or (isinstance(value, str) and not re.match(r"[0-9]{4}-", value)):
        raise PydanticCustomError("bad-value", "{rule}", {"rule": f"must be a date and time as {ISO_FORM}"})
    return value


def _in_utc(moment: datetime) -> datetime:
    try:
        return utc(moment)
    except OverflowError as error:
        rule = "must lie in the years 1 to 9999 of UTC"
        raise PydanticCustomError("out-of-range", "{rule}", {"rule": rule}) from error


def _whole_second(moment: datetime) -> datetime:
    return moment.replace(microsecond=0)


Moment = Annotated[
    datetime,
    BeforeValidator(_date_as_written),
    AfterValidator(_in_utc),
    PlainSerializer(to_iso, when_used="json"),
]
WholeSecond = Annotated[Moment, AfterValidator(_whole_second)]
"""A moment that is the same when it was written and read again."""
CapitalMode = Annotated[StoredMode, PlainSerializer(str.capitalize, when_used="json")]
"""Stored records show the encoding mode with a capital first letter (ruling T3)."""
OptionalText = Annotated[Text, Field(exclude_if=lambda text: text == "")]
"""Left out of JSON where it is empty (ruling T15)."""


class Properties(Model):
    """How the picture of a tracked QR Code is drawn; fields and defaults are those of `Design`, without em `auto`.

    Attributes:
        size: Pixels per module, 1..20.
        version: 1..40; None takes the smallest that fits.
        padding: Quiet zone in modules, 0..20.
        em: Encoding mode: byte, numeric or alphanumeric.
        ec: Error correction level L, M, Q or H.
        foreground: Colour of dark modules.
        background: Colour of everything else.
    """

    size: ModuleSize = 8
    version: Version = None
    padding: Padding = 4
    em: CapitalMode = "byte"
    ec: ErrorCorrection = "M"
    foreground: Color = BLACK
    background: Color = WHITE


class Location(Model):
    """Where the printed code hangs: an address or the name of a place, and degrees north and east.

    Attributes:
        address: Of the place, or its name.
        latitude: Degrees north, -90..90.
        longitude: Degrees east, -180..180.
    """

    address: OptionalText = ""
    latitude: Latitude | None = None
    longitude: Longitude | None = None


class ScheduleEvent(Model):
    """A change of content (ruling T7).

    Attributes:
        content: What is served from then on.
        recurrence: 0 for once, at `date`; 1..7 for every Monday..Sunday at the time of day of `date`, from it on.
        date: UTC, whole seconds.
    """

    content: Content
    recurrence: Recurrence = 0
    date: WholeSecond


SHOWN_ANYWAY = {"id", "name", "created", "is_available"}
"""What is shown of a QR Code that the plan does not include (ruling T13)."""


LEFT_OUT_OF_LISTS = {"properties", "location", "schedule"}

DERIVED = frozenset({"short_url", "image_url", "is_available"})
"""Fields of a QR Code that no store holds: they follow from the others, from the base URL and from the plan."""


class Campaign(Model):
    """A group of QR Codes.

    Attributes:
        id: 32 lower-case hex characters (ruling T1).
        name: Its name, 1..32,767 characters; several campaigns may have the same.
        description: At most 32,767 characters.
        created: UTC.
    """

    id: str
    name: Content
    description: OptionalText = ""
    created: Moment


class QRCode(Model):
    """A tracked QR Code.

    Attributes:
        id: 32 lower-case hex characters (ruling T1).
        campaign_id: The campaign it belongs to, if it belongs to one.
        name: Its name in the portfolio.
        content: Where a scan leads: a URL, or text that is shown.
        comment: A private note.
        urlinfo: Readable tail of the short URL.
        short_code: The unique part of the short URL.
        short_url: What the picture encodes when the code is dynamic.
        image_url: A generate URL of the picture.
        scans: Scans imported with the record plus scans counted here.
        created: UTC.
        properties: How it is drawn.
        location: Where it hangs.
        is_dynamic: Whether the picture encodes the short URL; else the content itself (ruling X5).
        is_available: Whether the plan shows more of it than id, name and created (ruling T13); its short URL always
            works.
        is_schedule_enabled: Whether the schedule is followed.
        schedule: At most 100 changes of content.
    """

    id: str
    campaign_id: str | None = None
    name: Text
    content: Text = ""
    comment: OptionalText = ""
    urlinfo: OptionalText = ""
    short_code: str = ""
    short_url: str = ""
    image_url: str = ""
    scans: int = 0
    created: Moment
    properties: Properties = Properties()
    # A client that finds a location expects numbers in it (ruling T15).
    location: Annotated[Location, Field(exclude_if=lambda place: place == Location())] = Location()
    is_dynamic: bool = True
    is_available: bool = True
    is_schedule_enabled: bool = False
    schedule: Annotated[tuple[ScheduleEvent, ...], Most(0, 100)] = ()

    @model_validator(mode="after")
    def _has_content(self) -> Self:
        if self.is_available and not self.content:
            raise PydanticCustomError("out-of-range", "{rule}", {"rule": "must not be empty", "field": "content"})
        return self

    def to_json(self, *, indent: int | None = None) -> str:
        """Write the record as JSON in the interface's names; one that is not available shows no more than it may."""
        if self.is_available:
            return super().to_json(indent=indent)
        return self.model_dump_json(include=SHOWN_ANYWAY, indent=indent)

    def to_list_json(self) -> str:
        """Write the record as lists of records have it: without properties, location and schedule (ruling T12)."""
        if self.is_available:
            return self.model_dump_json(exclude_none=True, exclude=LEFT_OUT_OF_LISTS)
        return self.to_json()

    @property
    def encoded(self) -> str:
        """What its picture says: the short URL when the code is dynamic and has one, else the content."""
        return encoded_text(is_dynamic=self.is_dynamic, short_url=self.short_url, content=self.content)


def encoded_text(*, is_dynamic: bool, short_url: str, content: str) -> str:
    """The text in the picture of a QR Code with these fields; `QRCode.encoded` gives it for a record.

    Args:
        is_dynamic: Whether the QR Code is tracked.
        short_url: Its short URL, or "".
        content: What it leads to.
    """
    return (short_url if is_dynamic else "") or content


@dataclass(frozen=True, slots=True)
class Plan:
    """What an account may do (ruling T13).

    Attributes:
        most_qrcodes: How many QR Codes are available at a time: the oldest.
        requests_a_day: API requests with a key, per UTC day.
        may_exchange: Whether import and export are included.
    """

    most_qrcodes: int
    requests_a_day: int
    may_exchange: bool


PLANS = {
    "free": Plan(most_qrcodes=50, requests_a_day=1_000, may_exchange=False),
    "pro": Plan(most_qrcodes=1_000, requests_a_day=10_000, may_exchange=True),
    "premium": Plan(most_qrcodes=1_000_000, requests_a_day=1_000_000, may_exchange=True),
}
"""The plans by name; the account `local` is premium (ruling T13)."""


@dataclass(frozen=True, slots=True)
class Account:
    """Who owns a portfolio.

    Attributes:
        id: 32 lower-case hex characters.
        name: 1..100 characters; no other account of the store has it.
        plan: A name of `PLANS`.
    """

    id: str
    name: str
    plan: str


@dataclass(frozen=True, slots=True)
class ApiKey:
    """What is known of an API key; the key itself is nowhere (ruling T14).

    Attributes:
        id: Names it, for revoking: the first 12 characters of its SHA-256.
        label: What its owner calls it.
        created: UTC.
        expires: UTC; None for a key without an end.
        revoked: UTC; None for a key that is not.
    """

    id: str
    label: str
    created: datetime
    expires: datetime | None
    revoked: datetime | None


Kind = Literal["scan", "bot", "prefetch", "head", "orphan"]
"""What a visit was (ruling T10): only `scan` counts."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a visitor is; None stands for what is not known.

    Attributes:
        country: Code of two letters, `PT`.
        region: Its name or code, as the table of places has it.
        city: Its name.
        latitude: Degrees north.
        longitude: Degrees east.
    """

    country: str | None = None
    region: str | None = None
    city: str | None = None
    latitude: float | None = None
    longitude: float | None = None


NOWHERE = Place()
"""That of a visitor of whom nothing is known."""


@dataclass(frozen=True, slots=True)
class Visit:
    """One request to a short URL (ruling T10). No address is kept.

    Attributes:
        time: UTC, to the microsecond.
        kind: What it was.
        short_code: The code that was asked for.
        qrcode: Number of the QR Code in the store; None for an orphan visit.
        content: What was served; None for an orphan visit.
        user_agent: As sent, cut at 512 characters.
        referrer: Host alone.
        language: First language of `Accept-Language`, `de` or `pt-BR`.
        visitor: Key of the visitor on this UTC day, 64 bits; None where it is not known.
        place: Where the visitor is.
    """

    time: datetime
    kind: Kind
    short_code: str
    qrcode: int | None = None
    content: str | None = None
    user_agent: str = ""
    referrer: str | None = None
    language: str | None = None
    visitor: int | None = None
    place: Place = NOWHERE
