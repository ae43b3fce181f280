"""Pass an error to another process as JSON, without code that runs on reading, as pickle would."""

from __future__ import annotations

import json
from typing import Any

from qrkit import errors
from qrkit.errors import InvalidParameter, Problem, QrkitError

PROBLEMS = "problems"


def error_to_json(error: QrkitError) -> bytes:
    """Convert an error to JSON: its class, its message and its attributes."""
    fields = {name: value for name, value in vars(error).items() if name != "__notes__"}
    if isinstance(error, InvalidParameter):
        # The value that was refused may be of any type; the message shows it.
        values = [None if one.value is None else str(one.value) for one in error.problems]
        problems = zip(error.problems, values, strict=True)
        fields = {PROBLEMS: [(one.name, value, one.rule, one.code) for one, value in problems]} | {
            name: value for name, value in fields.items() if name not in (PROBLEMS, "value")
        }
    return json.dumps({"kind": type(error).__name__, "text": str(error), "fields": fields}).encode()


def error_from_json(text: bytes) -> QrkitError:
    """Return the error that `error_to_json` converted."""
    told = json.loads(text)
    cls: type[QrkitError] = getattr(errors, told["kind"])
    fields: dict[str, Any] = told["fields"]
    error = cls.__new__(cls, told["text"])
    if PROBLEMS in fields:
        fields[PROBLEMS] = tuple(Problem(*problem) for problem in fields[PROBLEMS])
        fields["value"] = fields[PROBLEMS][0].value
    vars(error).update(fields)
    return error
