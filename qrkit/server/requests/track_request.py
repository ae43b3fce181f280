"""Reads the fields of a QR Code or a campaign from the JSON body of a track operation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from typing import Any, NamedTuple

from qrkit.errors import MissingParameter, Problem, collecting, raise_any, renaming
from qrkit.model import Model
from qrkit.pictures.generate_request import with_content
from qrkit.pictures.printing import PrintSize
from qrkit.server.requests.parsing import with_plain_ids
from qrkit.tracking.records import Campaign, Location, Properties, QRCode
from qrkit.tracking.redirect_rules import from_shlink
from qrkit.tracking.utm import Utm

READ_ONLY = ("id", "shortUrl", "imageUrl", "scans", "created", "isAvailable")
"""Fields of a QR Code that are ignored in requests."""
NOT_CHANGED = ("shortCode", "scanMarker")
"""Fields that cannot change after the code was created, because the short URL may be printed."""

OF_SHLINK = {
    "longUrl": "content", "customSlug": "shortCode", "title": "name", "maxVisits": "limit", "redirectRules": "rules",
    "forwardQuery": "passQuery",
}  # fmt: skip
"""Names of Shlink for fields of ours."""

_SOME_DAY = datetime(2000, 1, 1, tzinfo=UTC)


class Fields(NamedTuple):
    """The fields of a body: values by Python name, and the paths of fields that are unknown and were ignored."""

    values: dict[str, Any]
    unknown: Sequence[str]


def read_qrcode(fields: Mapping[str, Any]) -> Fields:
    """Read a new QR Code; null and the empty string count as absent.

    The error lists all invalid fields by their names in JSON.
    """
    known, unknown = QRCode.known(_in_our_words(fields))
    sent = {name: value for name, value in known.items() if name not in READ_ONLY}
    problems: list[Problem] = []
    if "content" not in sent:
        problems += MissingParameter("content", unknown).problems
    with collecting(problems):
        _validate(sent)
    raise_any(problems)
    return Fields(_in_python(QRCode, sent), unknown)


def read_changes(fields: Mapping[str, Any]) -> Fields:
    """Read changes of a QR Code; null counts as absent, while an empty string clears a field."""
    fields = _in_our_words(fields)
    _, unknown = QRCode.known(fields)
    names = {field.alias for field in QRCode.model_fields.values()} - {*READ_ONLY, *NOT_CHANGED}
    sent = {name: value for name, value in fields.items() if name in names and value is not None}
    for name, part in (("properties", Properties), ("location", Location)):
        if isinstance(sent.get(name), Mapping):
            sent[name] = _part(part, sent[name])
    sent |= QRCode.known({name: sent[name] for name in ("schedule", "rules") if isinstance(sent.get(name), list)})[0]
    # An empty campaignId means no campaign; an empty name is derived from the content.
    _validate({name: value for name, value in sent.items() if value != "" or name not in ("campaignId", "name")})
    return Fields(_in_python(QRCode, sent), unknown)


def _in_our_words(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a QR Code with those that Shlink calls otherwise under our names."""
    renamed = {ours: fields[theirs] for ours, theirs in _their_words(fields).items()}
    given = with_content({name: value for name, value in fields.items() if name not in OF_SHLINK} | renamed)
    return _with_our_rules(with_plain_ids(given))


def _their_words(fields: Mapping[str, Any]) -> dict[str, str]:
    """Return Shlink's names that stand for fields of ours, by our names."""
    return {ours: theirs for theirs, ours in OF_SHLINK.items() if theirs in fields and ours not in fields}


def named_as_sent(fields: Mapping[str, Any]) -> AbstractContextManager[None]:
    """Rename fields in errors to those of Shlink that a client has sent in their place."""
    theirs = _their_words(fields)

    def new_name(name: str) -> str:
        head, mark, part = name.partition(".")
        return f"{theirs.get(head, head)}{mark}{part}"

    return renaming(new_name)


def _with_our_rules(fields: Mapping[str, Any]) -> dict[str, Any]:
    return dict(fields) | {name: from_shlink(fields[name]) for name in ("rules",) if name in fields}


def read_campaign(fields: Mapping[str, Any]) -> Fields:
    """Read the fields of a campaign, new or changed."""
    known, unknown = Campaign.known(_with_our_rules(fields))
    names = ("name", "description", "template", "utm")
    sent = {name: fields[name] for name in names if fields.get(name) is not None}
    if isinstance(sent.get("utm"), Mapping):
        given = sent["utm"]
        sent["utm"] = {name: given[name] for name in Utm.model_fields if given.get(name) is not None}
    sent |= {name: known[name] for name in ("rules",) if name in known}
    if sent.get("name", "") == "":
        raise MissingParameter("name", unknown)
    Campaign(id="", created=_SOME_DAY, **sent)
    return Fields(sent, unknown)


def json_named() -> AbstractContextManager[None]:
    """Rename fields in errors to their names in JSON, such as `campaignId`."""
    fields = QRCode.model_fields | PrintSize.model_fields
    return renaming(lambda name: str(fields[name].alias) if name in fields else name)


def _validate(sent: Mapping[str, Any]) -> None:
    """Validate the fields of a QR Code under the names that were sent."""
    QRCode(**{"id": "", "name": "", "content": "0", "created": _SOME_DAY, **sent})


def _part(model: type[Model], fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the given fields of a nested object. An empty string counts as absent, but it clears an address."""
    known, _ = model.known(fields)
    return known | {name: "" for name in ("address",) if fields.get(name) == "" and name in model.model_fields}


def _in_python(model: type[Model], sent: Mapping[str, Any]) -> dict[str, Any]:
    names = {field.alias: name for name, field in model.model_fields.items()}
    return {names[name]: value for name, value in sent.items()}
