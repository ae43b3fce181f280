"""The fields of QR Codes that callers pass: which ones exist, and how they change a record."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from qrkit.errors import InvalidParameter, Problem, UnknownParameter
from qrkit.exchange.columns import check_names
from qrkit.model import Model
from qrkit.tracking.names import tidy_name
from qrkit.tracking.records import DERIVED, QRCode, TermsFields


def only_given(**fields: Any) -> dict[str, Any]:
    """Return the fields that are not None."""
    return {name: value for name, value in fields.items() if value is not None}


def checked_terms(terms: Mapping[str, Any], *, unchanged: Collection[str] = ()) -> Mapping[str, Any]:
    """Return the terms of a QR Code, after checking their names; only a new QR Code takes the `unchanged` ones."""
    for name, value in terms.items():
        if name in unchanged and value is not None:
            raise InvalidParameter(Problem(name, value, "cannot change, because the QR Code may be printed"))
        if name not in (*TermsFields.__annotations__, *unchanged):
            hidden = (*DERIVED, *unchanged, "id", "created", "scans")
            raise UnknownParameter(name, value, [one for one in QRCode.model_fields if one not in hidden])
    return terms


def with_fields(stored: Mapping[str, str], changes: Mapping[str, str]) -> Mapping[str, str]:
    """Merge changes into the own fields of a QR Code, not yet validated: "" removes a field, and None leaves it."""
    if not isinstance(changes, Mapping):
        return changes
    given = {tidy_name(str(name)): value for name, value in changes.items() if value is not None}
    check_names(given)
    return {**stored, **given}


def merged(stored: Model, given: Model | Mapping[str, Any]) -> Any:
    """Merge changed fields into a part of a stored record; the record validates the result."""
    if isinstance(given, Mapping):
        return _fields(stored) | {name: value for name, value in given.items() if value is not None}
    return _fields(stored) | _fields(given) if isinstance(given, type(stored)) else given


def _fields(part: Model) -> dict[str, Any]:
    return {name: getattr(part, name) for name in part.model_fields_set}
