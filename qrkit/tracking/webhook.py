"""Webhooks: who learns of events, and of which."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, get_args
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field

from qrkit.design.limits import Length, Whole, Within
from qrkit.model import Model, broken
from qrkit.tracking.own_fields import LONGEST_NAME
from qrkit.tracking.records import Created, Id

__all__ = ["EVENT_KINDS", "EventFilter", "EventKind", "NewWebhook", "Webhook"]

EventKind = Literal[
    "scan", "conversion", "code.created", "code.updated", "code.deleted", "limit.reached", "code.silent", "unusual.day",
    "experiment.decided",
]  # fmt: skip
EVENT_KINDS: tuple[EventKind, ...] = get_args(EventKind)
_URL = re.compile(r"https?://[!#-;=?-\[\]_a-z~]+", re.ASCII)
"""ASCII without spaces, control characters and characters that URL parsers treat differently: `"<>\\^`{|}`."""


def _url(given: str) -> str:
    try:
        parts = urlsplit(given)
        is_plain = bool(_URL.fullmatch(given) and parts.hostname and parts.port != 0)
    except ValueError:
        is_plain = False
    if not is_plain or "@" in parts.netloc or parts.fragment:
        raise broken("must be an https URL in ASCII with a host, without a user, a password or a fragment")
    return given


def _each_once(given: tuple[EventKind, ...]) -> tuple[EventKind, ...]:
    return tuple(dict.fromkeys(given)) or EVENT_KINDS


class EventFilter(Model):
    """Which events somebody gets."""

    kinds: Annotated[tuple[EventKind, ...], AfterValidator(_each_once)] = Field(
        default=EVENT_KINDS, description="Kinds of events."
    )
    campaign_id: str = Field(default="", description="Only events of QR Codes of the campaign with this ID.")
    qrcode_id: str = Field(default="", description="Only events of the QR Code with this ID.")
    tag: Annotated[str, Length(0, LONGEST_NAME)] = Field(
        default="", description="Only events of QR Codes with this tag."
    )

    def wants(self, event: Mapping[str, Any]) -> bool:
        """Return whether a CloudEvent is one of these."""
        data = event["data"]
        return (
            event["type"].removeprefix("qrkit.") in self.kinds
            and self.campaign_id in ("", data.get("campaignId"))
            and self.qrcode_id in ("", data.get("qrcodeId"))
            and (not self.tag or self.tag in data.get("tags", ()))
        )


class NewWebhook(EventFilter):
    """A receiver of events."""

    url: Annotated[str, Length(1, 2_048), AfterValidator(_url)] = Field(
        description="Where events are sent, by POST: an https URL that leads to a public address."
    )
    batch: Annotated[Whole, Within(1, 100, "events")] = Field(
        default=1, description="Maximum number of events in one request; above 1, each request has a JSON list."
    )


class Webhook(NewWebhook):
    """A receiver of events as it is stored."""

    id: Id
    secret: str = Field(
        repr=False, description="Key that signs the requests, as Standard Webhooks specifies: `whsec_` and Base64."
    )
    private: bool = Field(description="Whether it may use http and lead to an address that is not public.")
    created: Created
    active: bool = Field(description="Whether events are sent. A receiver that fails for a month is switched off.")
    failures: int = Field(description="Attempts that failed since the last one that did not.")
