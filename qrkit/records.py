"""What is tracked: QR Codes, campaigns, visits, accounts and plans, as plain data.

The records speak the interface's words; JSON has them in camelCase and leaves absent values out (ruling T3).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, PlainSerializer, model_validator
from pydantic_core import PydanticCustomError

from qrkit.color import BLACK, WHITE, Color
from qrkit.limits import (
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
from qrkit.times import to_iso, utc

__all__ = [
    "NOWHERE",
    "PLANS",
    "Account",
    "Campaign",
    "Kind",
    "Location",
    "Place",
    "Plan",
    "Properties",
    "QRCode",
    "ScheduleEvent",
    "Visit",
]

Moment = Annotated[datetime, AfterValidator(utc), PlainSerializer(to_iso, when_used="json")]
CapitalMode = Annotated[StoredMode, PlainSerializer(str.capitalize, when_used="json")]
"""Stored records show the encoding mode with a capital first letter (ruling T3)."""


class Properties(Model):
    """How the picture of a tracked QR Code is drawn; fields and defaults are those of `Design`, without em `auto`."""

    size: ModuleSize = 8
    version: Version = None
    padding: Padding = 4
    em: CapitalMode = "byte"
    ec: ErrorCorrection = "M"
    foreground: Color = BLACK
    background: Color = WHITE


class Location(Model):
    """Where the printed code hangs: an address or the name of a place, and degrees north and east."""

    address: Text = ""
    latitude: Latitude | None = None
    longitude: Longitude | None = None


class ScheduleEvent(Model):
    """A change of content (ruling T7).

    Attributes:
        content: What is served from then on.
        recurrence: 0 for once, at `date`; 1..7 for every Monday..Sunday at the time of day of `date`, from it on.
        date: UTC.
    """

    content: Content
    recurrence: Recurrence = 0
    date: Moment


class Campaign(Model):
    """A group of QR Codes."""

    id: str
    name: Content
    description: Text = ""
    created: Moment


class QRCode(Model):
    """A tracked QR Code.

    Attributes:
        id: 32 lower-case hex characters (ruling T1).
        campaign_id: The campaign it belongs to; None outside any.
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
    comment: Text = ""
    urlinfo: Text = ""
    short_code: str = ""
    short_url: str = ""
    image_url: str = ""
    scans: int = 0
    created: Moment
    properties: Properties = Properties()
    location: Location = Location()
    is_dynamic: bool = True
    is_available: bool = True
    is_schedule_enabled: bool = False
    schedule: Annotated[tuple[ScheduleEvent, ...], Most(0, 100)] = ()

    @model_validator(mode="after")
    def _has_content(self) -> Self:
        if self.is_available and not self.content:
            raise PydanticCustomError("out-of-range", "{rule}", {"rule": "must not be empty", "field": "content"})
        return self


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


@dataclass(frozen=True, slots=True)
class Account:
    """Who owns a portfolio; `plan` is a name of `PLANS`."""

    id: str
    name: str
    plan: str


Kind = Literal["scan", "bot", "prefetch", "head", "orphan"]
"""What a visit was (ruling T10): only `scan` counts."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a visitor is, as far as it is known; degrees north and east."""

    country: str | None = None
    region: str | None = None
    city: str | None = None
    latitude: float | None = None
    longitude: float | None = None


NOWHERE = Place()


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
