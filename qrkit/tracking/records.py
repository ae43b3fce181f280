"""Plain data records: QR Codes, campaigns, visits, accounts and plans.

The fields have the names of the HTTP interface; JSON uses camelCase and omits missing or empty values.

To add a field of `QRCode`: the field here, its row in `exchange/columns.py`, the parameter of `insert_qrcode` and
`update_qrcode` in `portfolio/codes.py`, and a migration in `store/migrations.sql`, which
`store/postgresql/tables.py` names, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
from typing import Annotated, Any, Literal, Self, TypedDict

from pydantic import AfterValidator, BeforeValidator, Field, PlainSerializer, WrapValidator, model_validator

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
    Whole,
    Within,
)
from qrkit.model import UNLESS_EMPTY, Model, broken
from qrkit.tracking.gs1_entities import GivenEntities, Gs1Entities
from qrkit.tracking.names import tidy_name
from qrkit.tracking.own_fields import FIELDS_SCHEMA, TAG_SCHEMA, FieldsByName, OwnFields, Tags
from qrkit.tracking.passwords import Password
from qrkit.tracking.redirect_rules import GivenRules, Rules
from qrkit.tracking.times import timestamp_rule, to_iso, utc
from qrkit.tracking.utm import Utm

__all__ = [
    "DERIVED", "NOWHERE", "PLANS", "SHOWN_ANYWAY", "Account", "ApiKey", "Campaign", "Kind", "Location", "Place", "Plan",
    "Properties", "QRCode", "ScheduleEvent", "TermsFields", "Visit", "encoded_text",
]  # fmt: skip


def _read_moment(value: Any, read: Callable[[Any], datetime]) -> datetime:
    """Read a timestamp; numbers and digit-only text are refused, as they may be seconds or milliseconds."""
    try:
        if isinstance(value, date) or (isinstance(value, str) and re.match(r"[0-9]{4}-", value)):
            return utc(read(value))
    except ValueError:  # the error of pydantic would not name the form of a timestamp
        pass
    except OverflowError as error:
        raise broken("must lie in the years 1 to 9999 of UTC", code="out-of-range") from error
    raise broken(timestamp_rule(value))


PARAMETER = "^[A-Za-z0-9_.-]{0,50}$"


def _parameter(name: str) -> str:
    if not re.fullmatch(PARAMETER, name):
        raise broken("must have at most 50 characters, of letters, digits and _.-")
    return name


Moment = Annotated[datetime, WrapValidator(_read_moment), PlainSerializer(to_iso, when_used="json")]
WholeSecond = Annotated[Moment, AfterValidator(lambda moment: moment.replace(microsecond=0))]
"""A timestamp in whole seconds, which is unchanged after writing and reading it."""
CapitalMode = Annotated[StoredMode, PlainSerializer(str.capitalize, when_used="json")]
"""Stored records show the encoding mode with a capital first letter."""
OptionalText = Annotated[Text, UNLESS_EMPTY]
"""Text that JSON omits if it is empty."""
NONE_IF_EMPTY = BeforeValidator(lambda given: None if given == "" else given)
OptionalMoment = Annotated[WholeSecond | None, NONE_IF_EMPTY, UNLESS_EMPTY]
"""A timestamp that "" removes."""
OptionalFlag = Annotated[bool | None, NONE_IF_EMPTY, Field(exclude_if=lambda flag: flag is None)]
"""A choice that "" removes."""
ScanLimit = Annotated[Whole, Within(0, 10**12, "scans")]
ID_PATTERN = {"pattern": "^[0-9a-f]{32}$"}
"""What the description of the HTTP interface says of IDs."""
Id = Annotated[str, Field(description="32 lower-case hexadecimal digits.", json_schema_extra={**ID_PATTERN})]
Created = Annotated[Moment, Field(description="When the record was created, in UTC.")]


class Properties(Model):
    """The design of a tracked QR Code's picture: the same fields and defaults as in `Design`, but without em `auto`."""

    size: ModuleSize = 8
    version: Version = None
    padding: Padding = 4
    em: CapitalMode = "byte"
    ec: ErrorCorrection = "M"
    foreground: Color = Field(default=BLACK, description="Color of dark modules.")
    background: Color = Field(default=WHITE, description="Color of the rest of the image.")


class Location(Model):
    """The location of the printed code: an address or the name of a place, and degrees north and east."""

    address: OptionalText = Field(default="", description="Address or name of the place.")
    latitude: Latitude | None = Field(default=None, description="Degrees north of the equator.")
    longitude: Longitude | None = Field(default=None, description="Degrees east of Greenwich.")


class ScheduleEvent(Model):
    """A scheduled change of content."""

    content: Content = Field(description="Content that the short URL serves from the scheduled time on.")
    recurrence: Recurrence = 0
    date: WholeSecond = Field(description="When the change takes effect, in UTC and whole seconds.")


class TermsFields(TypedDict, total=False):
    """The fields of a QR Code that say where the short URL leads whom, and when, as they are given."""

    rules: GivenRules
    active: bool
    valid_since: datetime | str | None
    valid_until: datetime | str | None
    limit: int
    limit_a_day: int
    otherwise: str
    password: str
    pass_query: bool | Literal[""]
    click_id: str
    gs1: GivenEntities


SHOWN_ANYWAY = {"id", "name", "created", "is_available"}
"""Fields that are shown even if the plan does not include the QR Code."""


LEFT_OUT_OF_LISTS = {"properties", "location", "schedule", "rules", "gs1"}

DERIVED = frozenset({"short_url", "image_url", "is_available"})
"""Fields of a QR Code that are not stored, but derived from other fields, the base URL and the plan."""


CAMPAIGN_COLORS = 6
"""Number of colors for campaigns in charts: more could not be distinguished."""


class Campaign(Model):
    """A group of QR Codes."""

    id: Id
    name: Annotated[Content, BeforeValidator(lambda name: tidy_name(name) if isinstance(name, str) else name)] = Field(
        description="Name of the campaign, without blanks around it. Two campaigns may have the same name."
    )
    description: OptionalText = Field(default="", description="A description for your own reference.")
    template: OptionalText = Field(
        default="", description="Name of the template for QR Codes of the campaign that have none of their own."
    )
    utm: Utm = Field(
        default=Utm(),
        description="UTM parameters that redirects add to the links of the campaign's QR Codes.",
        exclude_if=lambda utm: utm == Utm(),
    )
    created: Created
    rules: Annotated[Rules, UNLESS_EMPTY] = Field(
        default=(),
        description="Rules that a new QR Code of the campaign gets, unless it is added with rules of its own.",
    )


class QRCode(Model):
    """A tracked QR Code."""

    id: Id
    campaign_id: str | None = Field(
        default=None, description="ID of the campaign, if any.", json_schema_extra={**ID_PATTERN}
    )
    name: Text = Field(description="Name in the portfolio.")
    content: Text = Field(default="", description="Redirect target: a URL, or text to show.")
    comment: OptionalText = Field(default="", description="A private note.")
    urlinfo: OptionalText = Field(default="", description="Readable tail of the short URL.")
    short_code: str = Field(
        default="",
        description="The unique part of the short URL.",
        json_schema_extra={"pattern": "^[^\\s?#%/]+(/[^\\s?#%/]+)*$"},
    )
    short_url: str = Field(
        default="",
        description="The URL that the picture of a dynamic QR Code encodes.",
        json_schema_extra={"format": "uri"},
    )
    image_url: str = Field(
        default="", description="A URL that generates the picture.", json_schema_extra={"format": "uri"}
    )
    scans: int = Field(default=0, description="Scans imported with the record plus scans counted here.")
    created: Created
    properties: Properties = Field(default=Properties(), description="Design of the picture.")
    template: OptionalText = Field(
        default="",
        description="Name of the template that draws the picture instead of the properties (size, colors …). By "
        "default, that of the campaign or of the account, if there is one.",
    )
    location: Location = Field(
        default=Location(),
        description="Location of the printed code.",
        # Clients expect a location to contain numbers, so an empty location is omitted (ruling T15).
        exclude_if=lambda place: place == Location(),
    )
    tags: Annotated[Tags, UNLESS_EMPTY] = Field(
        default=(),
        description="Words to sort QR Codes by, beside campaigns: at most 50 of 100 characters, without commas, "
        "semicolons and |.",
        json_schema_extra={"items": TAG_SCHEMA},
    )
    fields: Annotated[FieldsByName, UNLESS_EMPTY] = Field(
        default_factory=OwnFields,
        description="Fields of your own by name, such as City: at most 50, with names of up to 100 and texts of up to "
        "1,000 characters.",
        json_schema_extra=FIELDS_SCHEMA,
    )
    is_dynamic: bool = Field(
        default=True, description="Whether the picture encodes the short URL; otherwise it encodes the content."
    )
    scan_marker: Annotated[bool, UNLESS_EMPTY] = Field(
        default=False,
        description="Whether the picture encodes the short URL with `?q` behind it, so that scans of the picture are "
        "told from clicks on the link; it never changes.",
    )
    is_available: bool = Field(
        default=True,
        description="Whether the plan shows all fields; otherwise only ID, name and creation time. The short URL works "
        "in any case.",
    )
    is_schedule_enabled: bool = Field(default=False, description="Whether the schedule is active.")
    schedule: Annotated[tuple[ScheduleEvent, ...], Most(0, 100)] = Field(
        default=(), description="Changes of the content at set times."
    )

    rules: Annotated[Rules, UNLESS_EMPTY] = Field(
        default=(),
        description="Contents for some visitors: at most 50 rules, of which the first that applies answers.",
    )
    active: bool = Field(
        default=True,
        description="Whether the short URL leads anywhere; otherwise it shows a page.",
        exclude_if=lambda active: active,
    )
    valid_since: OptionalMoment = Field(default=None, description="The short URL leads nowhere before, in UTC.")
    valid_until: OptionalMoment = Field(default=None, description="The short URL leads nowhere from then on, in UTC.")
    limit: Annotated[ScanLimit, UNLESS_EMPTY] = Field(default=0, description="Maximum number of scans; 0 for no limit.")
    limit_a_day: Annotated[ScanLimit, UNLESS_EMPTY] = Field(
        default=0,
        description="Maximum number of scans on a UTC day; 0 for no limit.",
    )
    otherwise: OptionalText = Field(
        default="",
        description="Content before `validSince`, from `validUntil` on and beyond the limits: a URL, or words to show.",
    )
    password: Annotated[Password, UNLESS_EMPTY] = Field(
        default="",
        description="What visitors must type before they are led on, 4..100 characters. Only its hash is stored.",
        repr=False,
    )
    click_id: Annotated[str, AfterValidator(_parameter), UNLESS_EMPTY] = Field(
        default="",
        description="Name of a parameter with an ID of the scan that is added to links, such as click, so that "
        "conversions can name it; by default, there is none.",
        json_schema_extra={"pattern": PARAMETER},
    )

    pass_query: OptionalFlag = Field(
        default=None,
        description="Whether redirects add the query of a visitor's short URL to the target, whose own parameters stay "
        "as they are; by default, the server says which parameters.",
    )

    gs1: Annotated[Gs1Entities, UNLESS_EMPTY] = Field(
        default=(),
        description="Links of a product, place or thing and of its lots and items, if the short URL is a GS1 Digital "
        "Link.",
    )

    @model_validator(mode="after")
    def _has_content(self) -> Self:
        if self.is_available and not self.content:
            raise broken("must not be empty", field="content", code="out-of-range")
        return self

    def to_json(self, *, indent: int | None = None) -> str:
        """Convert the record to JSON with the interface's field names; an unavailable record is reduced."""
        if self.is_available:
            return super().to_json(indent=indent)
        return self.model_dump_json(include=SHOWN_ANYWAY, indent=indent)

    def to_list_json(self) -> str:
        """Convert the record to JSON for lists of records: without properties, location and schedule."""
        if self.is_available:
            return self.model_dump_json(exclude_none=True, exclude=LEFT_OUT_OF_LISTS)
        return self.to_json()

    @property
    def encoded(self) -> str:
        """Return the text that the picture encodes: the short URL of a dynamic QR Code, if any, else the content."""
        return encoded_text(
            is_dynamic=self.is_dynamic,
            short_url=self.short_url,
            content=self.content,
            scan_marker=self.scan_marker,
        )


def encoded_text(*, is_dynamic: bool, short_url: str, content: str, scan_marker: bool) -> str:
    """Return the text that the picture of a QR Code with these fields encodes; for a record, use `QRCode.encoded`.

    Args:
        is_dynamic: Whether the QR Code is tracked.
        short_url: The short URL, or "".
        content: The content of the QR Code.
        scan_marker: Whether the picture tells its scans from clicks of the short URL.
    """
    url = short_url + SCAN_MARKER if short_url and scan_marker else short_url
    return (url if is_dynamic else "") or content


@dataclass(frozen=True, slots=True)
class Plan:
    """The limits of an account.

    Attributes:
        most_qrcodes: Number of QR Codes available at a time, oldest first.
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
"""The plans by name; the account `local` is premium."""


@dataclass(frozen=True, slots=True)
class Account:
    """The owner of a portfolio.

    Attributes:
        id: 32 lower-case hex characters.
        name: 1..100 characters, unique in the store.
        plan: A name of `PLANS`.
    """

    id: str
    name: str
    plan: str

    @property
    def limits(self) -> Plan:
        """The limits of the account, which its plan sets."""
        return PLANS[self.plan]


@dataclass(frozen=True, slots=True)
class ApiKey:
    """The metadata of an API key; the key itself is not stored.

    Attributes:
        id: First 12 characters of the key's SHA-256; use it to revoke the key.
        label: Label chosen by the owner.
        created: UTC.
        expires: UTC; None if the key does not expire.
        revoked: UTC; None if the key is not revoked.
    """

    id: str
    label: str
    created: datetime
    expires: datetime | None
    revoked: datetime | None


SCAN_MARKER = "?q"
"""What the picture of a QR Code encodes behind its short URL: no path, so that it can be no part of a short code."""

Kind = Literal["scan", "bot", "prefetch", "head", "orphan", "conversion"]
"""The kind of a visit: only `scan` counts. A `conversion` is what came of one, such as an order."""

KINDS_OF_VISITS: tuple[Kind, ...] = ("scan", "bot", "prefetch", "head")
"""All kinds of visits to QR Codes that exist."""


Via = Literal["scan", "link"]
"""How a visitor comes to a short URL: by the picture or by a link."""


@dataclass(frozen=True, slots=True)
class Place:
    """The location of a visitor; unknown values are None.

    Attributes:
        country: Two-letter code, such as `PT`.
        region: Name or code from the GeoIP database.
        city: Name of the city.
        latitude: Degrees north.
        longitude: Degrees east.
    """

    country: str | None = None
    region: str | None = None
    city: str | None = None
    latitude: float | None = None
    longitude: float | None = None


NOWHERE = Place()
"""The place of a visitor whose location is unknown."""


@dataclass(frozen=True, slots=True)
class Visit:
    """One request to a short URL. The IP address is not stored.

    Attributes:
        time: UTC, to the microsecond.
        kind: Kind of visit.
        short_code: Requested short code.
        qrcode: Number of the QR Code in the store; None for an orphan visit.
        content: Content served; None for an orphan visit.
        user_agent: As sent, cut at 512 characters.
        referrer: Host only.
        language: First language of `Accept-Language`, such as `de` or `pt-BR`.
        visitor: Key of the visitor on this UTC day, 64 bits; None if unknown.
        place: Location of the visitor.
        via: "scan" if the picture was scanned, "link" if its short URL was opened; None if the picture has no marker.
        lot: The lot of a GS1 Digital Link; None for others, as for the serial number and the type of link.
        serial: The serial number.
        link_type: The type of link that was asked for, such as `gs1:pip`; `linkset` for all links.
        variant: Name of the variant that was served; None if there are no variants.
        split: ID of the set of variants from which it was drawn (`RedirectRule.split`); None if it was not drawn.
        conversion: JSON of a conversion; None for any other visit.
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
    via: Via | None = None
    lot: str | None = None
    serial: str | None = None
    link_type: str | None = None
    variant: str | None = None
    split: int | None = None
    conversion: str | None = None
