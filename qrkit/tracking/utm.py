"""The UTM parameters that a campaign adds to the links of its QR Codes, with placeholders for what differs by code."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated
from urllib.parse import quote

from pydantic import AfterValidator, Field

from qrkit.design.limits import Length
from qrkit.model import UNLESS_EMPTY, Model, broken

__all__ = ["GivenUtm", "Utm", "utm_query"]

_PLACEHOLDER = re.compile(r"\{(campaign|name|short_code)\}")
_TEMPLATE = re.compile(r"([^{}]|\{(campaign|name|short_code)\})*")


def _check_template(text: str) -> str:
    if not _TEMPLATE.fullmatch(text):
        raise broken("must not have braces, except for {campaign}, {name} and {short_code}")
    return text


_Text = Annotated[
    str,
    Length(0, 200),
    AfterValidator(_check_template),
    UNLESS_EMPTY,
    Field(json_schema_extra={"pattern": f"^{_TEMPLATE.pattern}$"}),
]


class Utm(Model):
    """UTM parameters that a redirect adds to the links of a campaign's QR Codes; "" adds none.

    In each of them, `{campaign}` stands for the name of the campaign, `{name}` and `{short_code}` for those of the QR
    Code. They are percent-encoded. A parameter that a link has itself stays as it is.
    """

    source: _Text = Field(default="", description="Where the codes are printed, such as poster.")
    medium: _Text = Field(default="", description="The kind of medium, such as print.")
    campaign: _Text = Field(default="", description="The campaign, such as {campaign}.")
    term: _Text = Field(default="", description="A word for this code, such as {name}.")
    content: _Text = Field(default="", description="What tells this code from others, such as {name}.")


GivenUtm = Utm | Mapping[str, str]
"""UTM parameters as they are given."""


def utm_query(utm: Utm, **values: str) -> str:
    """Return UTM parameters as a query, with these values in the place of the placeholders.

    Example:
        >>> utm_query(Utm(source="poster", term="{name}"), campaign="Spring", name="Front door", short_code="door")
        'utm_source=poster&utm_term=Front%20door'
    """
    texts = {name: getattr(utm, name) for name in Utm.model_fields}
    filled = {name: _PLACEHOLDER.sub(lambda found: values[found[1]], text) for name, text in texts.items()}
    return "&".join(f"utm_{name}={quote(text, safe='~')}" for name, text in filled.items() if text)
