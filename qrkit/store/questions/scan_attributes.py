"""The attributes of a scan: what scans can be filtered, grouped and counted by, each with the SQL that reads it.

An attribute is a column of the visit, of its QR Code or of its user agent, or a part of the link that it led to. SQL
contains only the names and expressions below; values are always parameters.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any, Literal, TypedDict, get_args

from qrkit.errors import InvalidParameter, Problem

__all__ = [
    "UNKNOWN", "Attribute", "AttributeFilters", "Part", "VisitAttribute", "as_tuple", "check_attribute",
    "check_filters", "filter_sql", "group_sql", "key_sql", "needs_user_agent", "table_of", "value_sql",
]  # fmt: skip

Part = Literal["campaign", "campaign_id", "qrcode", "qrcode_id"]
"""Attributes of the QR Code of a scan: the name and the ID of its campaign, its name and its ID.

What has the same name is counted apart, as "Door (xYz123)" with the short code of a QR Code, and as "Spring (2)".
"""

AgentAttribute = Literal["device", "system", "browser", "manufacturer", "device_model"]
"""Attributes that come from the user agent."""

UtmAttribute = Literal["utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content", "utm_id"]
"""Parameters in the query of the link that a scan led to."""

VisitAttribute = Literal[
    "country", "region", "city", "language", "referrer", AgentAttribute, "content", "destination", UtmAttribute
]
"""Attributes of a scan apart from its QR Code; `destination` is its content without query and fragment, if a link."""

Attribute = Literal[Part, VisitAttribute]
"""Attributes that scans can be counted and grouped by."""

UNKNOWN = "unknown"
"""The value of an attribute that is not known."""

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


def check_attribute(name: str, given: object) -> None:
    """Raise unless `given` is an attribute.

    Args:
        name: The parameter, for the error.
    """
    if given not in get_args(Attribute):
        raise InvalidParameter(Problem(name, given, f"must be one of {', '.join(get_args(Attribute))}"))


def needs_user_agent(attribute: Attribute) -> bool:
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


def table_of(attribute: Attribute | None) -> str:
    """Return the table of a view to group by an attribute: `wide`, or `lean`, which is faster."""
    return "wide" if attribute and needs_user_agent(attribute) else "lean"


def value_sql(attribute: Attribute) -> str:
    """Return an SQL expression over the columns of a scan: the value of the attribute, "unknown" if it has none."""
    return f"coalesce({key_sql(attribute)}, '{UNKNOWN}')"


def key_sql(attribute: Attribute) -> str:
    """Return an SQL expression to group scans by: as `value_sql`, but NULL if the value is unknown.

    DuckDB groups by it in less time, because `nullif` keeps the numbers of texts in a column, and `coalesce` does not.
    """
    check_attribute("attribute", attribute)  # what is formatted into SQL is one of our own names
    return f"nullif(nullif({_column_sql(attribute)}, ''), '{UNKNOWN}')"


def group_sql(attribute: Attribute | None) -> str:
    """Return an SQL expression for the group of a scan: as `key_sql`, but "" for codes without a campaign.

    Without an attribute, all scans are in one group.
    """
    if attribute is None:
        return "''"
    check_attribute("by", attribute)
    return f"coalesce({_column_sql(attribute)}, '')" if attribute in get_args(Part) else key_sql(attribute)


def filter_sql(attribute: Attribute) -> str:
    """Return an SQL condition: the value of the attribute is in the list that the parameter only_… contains."""
    return f"list_contains($only_{attribute}::VARCHAR[], {value_sql(attribute)})"


def _column_sql(attribute: Attribute) -> str:
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
