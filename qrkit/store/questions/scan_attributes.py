"""The attributes of a scan: what scans can be filtered, grouped and counted by, each with the SQL that reads it.

An attribute is a column of the visit, of its QR Code or of its user agent, a part of the link that it led to, a tag or
a field of its QR Code. SQL contains only the names and expressions below; values are always parameters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from numbers import Integral
from typing import Any, Literal, Protocol, TypedDict, get_args

from qrkit.errors import InvalidParameter, Problem, nearest, similar
from qrkit.store.quoting import quoted
from qrkit.store.recording.user_agents import Device
from qrkit.tracking.countries import country_code, country_rule
from qrkit.tracking.records import Via
from qrkit.tracking.redirect_rules import WEEKDAYS

Part = Literal["campaign", "campaign_id", "qrcode", "qrcode_id"]
"""Attributes of the QR Code of a scan: the name and the ID of its campaign, its name and its ID.

What has the same name is counted apart, as "Door (xYz123)" with the short code of a QR Code, and as "Spring (2)".
"""

AgentAttribute = Literal["device", "system", "browser", "manufacturer", "device_model"]
"""Attributes that come from the user agent."""

UtmAttribute = Literal["utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content", "utm_id"]
"""Parameters in the query of the link that a scan led to."""

VisitAttribute = Literal[
    "country",
    "region",
    "city",
    "language",
    "referrer",
    AgentAttribute,
    "content",
    "via",
    "lot",
    "serial",
    "link_type",
    "variant",
    "destination",
    UtmAttribute,
]
"""Attributes of a scan apart from its QR Code; `destination` is its content without query and fragment, if a link. Of
pictures with a marker, `via` tells scans ("scan") from clicks of the short URL ("link"). A scan of a GS1 Digital
Link has the lot, the serial number and the type of link that it named."""

Tag = Literal["tag"]
"""A tag of the QR Code of a scan; a scan of a QR Code with several tags counts with each of them."""

Attribute = Literal[Part, VisitAttribute, Tag]
"""Attributes that scans can be counted and grouped by, apart from fields of users."""

(TAG,) = get_args(Tag)
FIELD = "field:"
"""In front of the name of a user's field that is also the name of an attribute: `field:city`."""
TAGS = """from_json(q.tags, '["VARCHAR"]')"""

MOST_SHOWN = 10
"""The maximum number of fields that an error lists."""

UNKNOWN = "unknown"
"""The value of an attribute that is not known."""

OTHER_DEVICES = {
    "mobile": "phone", "smartphone": "phone", "iphone": "phone", "ipad": "tablet", "desktop": "computer",
    "laptop": "computer", "pc": "computer",
}  # fmt: skip
"""What other tools call devices."""

Wanted = str | Iterable[str] | None


class AttributeFilters(TypedDict, total=False):
    """The attributes that a view can be filtered by: a value, several values, or None for no filter."""

    country: Wanted
    region: Wanted
    city: Wanted
    language: Wanted
    referrer: Wanted
    device: Wanted
    system: Wanted
    browser: Wanted
    manufacturer: Wanted
    device_model: Wanted
    content: Wanted
    via: Wanted
    lot: Wanted
    serial: Wanted
    link_type: Wanted
    variant: Wanted
    destination: Wanted
    utm_source: Wanted
    utm_medium: Wanted
    utm_campaign: Wanted
    utm_term: Wanted
    utm_content: Wanted
    utm_id: Wanted


def as_tuple(given: Any) -> Any:
    """Return several values, such as a list, a set or a pandas Index, as a tuple; return anything else unchanged.

    Mappings and DataFrames stay as they are, so that the check of the filter refuses them: their items are names.
    """
    is_one = isinstance(given, str | Mapping) or not isinstance(given, Iterable) or getattr(given, "ndim", 1) != 1
    if is_one:
        return given
    return tuple(sorted(given, key=str) if isinstance(given, Set) else given)  # equal sets make equal views


class HasFields(Protocol):
    """A view of scans, which knows the fields of its QR Codes."""

    def field_names(self) -> Sequence[str]:
        """Return the names of all fields that users gave to QR Codes."""


def check_attribute(name: str, given: object, scans: HasFields, *further: str) -> None:
    """Raise unless `given` is an attribute, the name of a user's field in a view, or one of the further names.

    The error calls it by its parameter, `name`.
    """
    if given in get_args(Attribute):
        return
    fields = scans.field_names()
    if not isinstance(given, str) or given.removeprefix(FIELD) not in fields:
        known = (*get_args(Attribute), *further)
        own = f", or a field such as {', '.join(map(repr, fields[:MOST_SHOWN]))}" if fields else ""
        rule = f"must be one of {', '.join(known)}{own}"
        if close := similar(str(given), (*known, *fields)):
            rule = f"is neither an attribute of scans nor a field of your QR Codes; {close}"
        raise InvalidParameter(Problem(name, given, rule))


def check_field_names(names: Iterable[str], scans: HasFields) -> None:
    """Raise unless each of these is a field of some QR Code: a filter by a misspelled one would find no scans."""
    known = scans.field_names()
    for name in names:
        if name not in known:
            rule = f"is not a field of your QR Codes; {nearest(name, known) if known else 'they have no fields'}"
            raise InvalidParameter(Problem("fields", name, rule))


def _field_sql(name: str) -> str:
    """Return an SQL expression over the columns of `qrcodes q`: the value of a user's field; NULL if there is none."""
    pointer = "/" + name.removeprefix(FIELD).replace("~", "~0").replace("/", "~1")
    return f"json_extract_string(q.fields, {quoted(pointer)})"


def own_columns(select: str) -> str:
    """Return the columns of QR Codes that a statement uses of their tags and fields, each after a comma."""
    names = sorted({bytes.fromhex(code).decode() for code in _FIELD_COLUMN.findall(select)})
    tags = f", {TAGS} AS qrcode_tags" if "qrcode_tags" in select else ""
    return tags + "".join(f", {_field_sql(name)} AS {_field_column(name)}" for name in names)


def _field_column(name: str) -> str:
    """Return the name of the column with a user's field, which may have any letters."""
    return f"field_{name.removeprefix(FIELD).encode().hex()}_"


_FIELD_COLUMN = re.compile(r"\bfield_([0-9a-f]+)_\b")


def needs_user_agent(attribute: str) -> bool:
    """Whether an attribute is a column of the user agent, which the table `lean` of a view does not have."""
    return attribute in get_args(AgentAttribute)


def check_filters(filters: Sequence[tuple[object, object]]) -> None:
    """Raise unless these are attributes, each with the values that count."""
    for attribute, values in filters:
        if attribute not in get_args(VisitAttribute):
            rule = f"must be one of {', '.join(get_args(VisitAttribute))}"
            raise InvalidParameter(Problem("attributes", attribute, rule))
        if not isinstance(values, tuple) or not all(isinstance(value, str) for value in values):
            raise InvalidParameter(Problem(str(attribute), values, "must be text, or a list of texts", "wrong-type"))
        check = RULES.get(str(attribute))
        for value in values:
            if check and value != UNKNOWN and (wrong := check(value)):
                raise InvalidParameter(Problem(str(attribute), value, f"{wrong}; {UNKNOWN!r} finds scans without it"))


def _country_rule(value: str) -> str:
    return "" if value == country_code(value) else country_rule(value)


def _device_rule(value: str) -> str:
    devices = [device for device in get_args(Device) if device != UNKNOWN]
    if value in devices:
        return ""
    meant = OTHER_DEVICES.get(value.lower())
    return f"must be one of {', '.join(devices)}" + (f" ({value!r} is {meant!r} here)" if meant else "")


def _via_rule(value: str) -> str:
    return "" if value in get_args(Via) else f"must be one of {', '.join(get_args(Via))}"


RULES: Mapping[str, Callable[[str], str]] = {"country": _country_rule, "device": _device_rule, "via": _via_rule}
"""What is wrong with a value that no scan can have, by the attribute; "" for a possible value."""


def hours_of(given: Any) -> tuple[int, ...] | None:
    """Return the hours of a filter, 0 to 23, as whole numbers."""
    return _numbers("hour", given, range(24), {}, "must be a whole number in 0..23, or several")


def weekdays_of(given: Any) -> tuple[int, ...] | None:
    """Return the weekdays of a filter, given as numbers or English names, as whole numbers, 1 (Monday) to 7."""
    rule = "must be a weekday, 1 (Monday) to 7, or a name such as Mon or Monday; or several"
    names = {name: number for number, full in enumerate(WEEKDAYS, 1) for name in (full, full[:3])}
    return _numbers("weekday", given, range(1, 8), names, rule)


def _numbers(name: str, given: Any, allowed: range, names: Mapping[str, int], rule: str) -> tuple[int, ...] | None:
    if given is None:
        return None
    found = []
    for value in given if isinstance(given := as_tuple(given), tuple) else (given,):
        number = names.get(value.lower()) if isinstance(value, str) else value
        if not isinstance(number, Integral) or isinstance(number, bool) or number not in allowed:
            raise InvalidParameter(Problem(name, value, rule))
        found.append(int(number))
    return tuple(found)


def own_filters(tag: object, fields: object) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the fields to filter by, each with the values that count; fields are values by name, or pairs of both."""
    if tag is not None and not _are_texts(tag):
        raise InvalidParameter(Problem("tag", tag, "must be a tag, or a list of tags", "wrong-type"))
    if not isinstance(fields, Mapping | tuple | None):
        raise InvalidParameter(Problem("fields", fields, "must map names to values: {'City': 'Graz'}", "wrong-type"))
    pairs = fields.items() if isinstance(fields, Mapping) else fields or ()
    found = tuple((str(name), (value,) if isinstance(value, str) else as_tuple(value)) for name, value in pairs)
    for name, values in found:
        if not _are_texts(values):
            raise InvalidParameter(Problem(f"fields.{name}", values, "must be text, or a list of texts", "wrong-type"))
    return found


def _are_texts(given: object) -> bool:
    return isinstance(given, str) or (isinstance(given, tuple) and all(isinstance(one, str) for one in given))


def table_of(*attributes: str | None) -> str:
    """Return the table of a view to group by attributes: `wide`, or `lean`, which is faster, or a row for each tag."""
    table = "wide" if any(one and needs_user_agent(one) for one in attributes) else "lean"
    tags = "unnest(if(len(qrcode_tags) > 0, qrcode_tags, ['']))"
    return f"(SELECT *, {tags} AS {TAG} FROM {table})" if TAG in attributes else table


def value_sql(attribute: str, scans: HasFields) -> str:
    """Return an SQL expression over the columns of a scan: the value of the attribute, or its `missing_value`."""
    return f"coalesce({key_sql(attribute, scans)}, '{missing_value(attribute)}')"


def missing_value(attribute: str) -> str:
    """Return the value of a scan without this attribute: "" for the campaign of a code without one, else "unknown"."""
    return "" if attribute in get_args(Part) else UNKNOWN


def key_sql(attribute: str, scans: HasFields) -> str:
    """Return an SQL expression to group scans by: as `value_sql`, but NULL if the value is unknown.

    DuckDB groups by it in less time, because `nullif` keeps the numbers of texts in a column, and `coalesce` does not.
    """
    check_attribute("attribute", attribute, scans)  # what is formatted into SQL is one of our own names
    return _key(attribute)


def group_sql(attribute: str | None, scans: HasFields) -> str:
    """Return an SQL expression for the group of a scan: as `key_sql`, but "" for codes without a campaign.

    Without an attribute, all scans are in one group.
    """
    if attribute is None:
        return "''"
    check_attribute("by", attribute, scans)
    return f"coalesce({_column_sql(attribute)}, '')" if attribute in get_args(Part) else key_sql(attribute, scans)


def filter_sql(attribute: str, scans: HasFields) -> str:
    """Return an SQL condition: the value of the attribute is in the list that the parameter only_… contains."""
    return f"list_contains($only_{attribute}::VARCHAR[], {value_sql(attribute, scans)})"


def links_sql() -> str:
    """Return SQL expressions over `content`, each with its name: the UTM parameters of a link, NULL if missing."""
    return ", ".join(f"{_key(attribute)} AS {attribute}" for attribute in get_args(UtmAttribute))


def tag_filter_sql(parameter: str) -> str:
    """Return an SQL condition over `qrcodes q`: one of the tags is in the list that a parameter contains."""
    return f"list_has_any(if({TAGS} = [], ['{UNKNOWN}'], {TAGS}), ${parameter}::VARCHAR[])"


def field_filter_sql(name: str, parameter: str) -> str:
    """Return an SQL condition over `qrcodes q`: the value of a field is in the list that a parameter contains."""
    return f"list_contains(${parameter}::VARCHAR[], coalesce({_field_sql(name)}, '{UNKNOWN}'))"


def _key(attribute: str) -> str:
    key = f"nullif({_column_sql(attribute)}, '')"
    return key if attribute in get_args(Part) else f"nullif({key}, '{UNKNOWN}')"  # people may name a campaign "unknown"


def _column_sql(attribute: str) -> str:
    if attribute not in get_args(Attribute):
        return _field_column(attribute)
    if attribute in ("campaign", "qrcode"):
        return f"{attribute}_label"
    if attribute == "destination":
        return "regexp_extract(content, '^(?i:https?)://[^?#]+')"
    if attribute not in get_args(UtmAttribute):
        return attribute
    # The query begins at the first question mark. Of two parameters of the same name, the first one counts.
    value = rf"regexp_extract(content, '^(?i:https?)://[^?#]*\?(?:[^#]*?&)??{attribute}=([^&#]*)', 1)"
    plain = f"replace({value}, '+', ' ')"
    return f"coalesce(try(url_decode({plain})), {plain})"  # as it is written if its bytes are no UTF-8
