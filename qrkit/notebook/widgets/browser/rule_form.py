"""What the editor of rules in the portfolio browser offers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from qrkit.languages import say
from qrkit.notebook.widgets.field_words import choice_words
from qrkit.tracking.redirect_rules import MOST_VARIANTS, PLACES, SCANS, TYPES
from qrkit.visits.sample_visitors import SAMPLES

PLACE_HINT = "Applies only where the server has a GeoIP database."
ASKED = {
    "device": ("device", "browser"),
    "language": ("language",),
    "query": ("query-param", "any-value-query-param", "valueless-query-param"),
    "address": ("ip-address", "share"),
    "country": ("geolocation-country-code",),
    "region": ("geolocation-region-name",),
    "city": ("geolocation-city-name",),
    "referrer": ("referrer-host",),
    "at": ("before-date", "after-date", "weekday", "hours"),
}
"""The types of conditions that a field of the test request decides, by the field."""


def rule_form() -> dict[str, Any]:
    """Return the types of conditions and the devices of the test request, as JSON in the language of the context."""
    return {
        "types": [
            {
                "id": name,
                "name": say(kind.label),
                "value": say(kind.values),
                "choices": _options(name, kind.choices),
                "key": kind.key,
                "keys": _options(name, SCANS[1:]) if name == "scan-number" else [],
                "hint": say(PLACE_HINT) if name.startswith(PLACES) else "",
                "asked": next((field for field, types in ASKED.items() if name in types), ""),
            }
            for name, kind in TYPES.items()
        ],
        "devices": _options("device", SAMPLES),
        "most_variants": MOST_VARIANTS,
    }


def _options(kind: str, choices: Iterable[str]) -> list[dict[str, str]]:
    return [{"id": one, "name": say(word)} for one, word in choice_words(f"Condition.{kind}", choices).items()]
