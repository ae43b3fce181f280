"""Says in words for people what fields, choices and bounds have as names for programs. Values stay as they are."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, get_args

from qrkit.design.characters import Charset
from qrkit.languages import translated

SAME_IN_ALL = {"default": "Square", "": "None"}

CHOICES = {
    "Design.ec": {"L": "L (7%)", "M": "M (15%)", "Q": "Q (25%)", "H": "H (30%)"},
    "Design.charset": {"": "Not declared"} | {name: name for name in get_args(Charset)},
    "Design.padCodewords": {"iso": "Standard", "segno": "As segno does", "free": "Adapt to the design"},
    "Gradient.units": {"relative": "Shares (0 to 1)", "absolute": "Pixels"},
    "Modules.type": {"bars": "Horizontal bars", "columns": "Vertical bars"},
    "Modules.sprite": {"diamond2": "Narrow diamond", "x": "Cross"},
    "Sprite.type": {
        "fill": "Dark modules",
        "blank": "Light modules",
        "padding": "Quiet zone",
        "both": "Light modules and quiet zone",
    },
    "Layer.display": {
        "overlay": "Draw on top",
        "box-hit-test": "Clear the rectangle below",
        "pixel-hit-test": "Clear the shape below",
    },
    "Photo.place": {"behind": "Behind the modules", "inside": "Inside the modules", "halftone": "Halftone"},
    "Marker.inner": {"": "Same"},
    "contact.format": {"vcard3": "vCard 3", "vcard4": "vCard 4", "mecard": "MECARD"},
    "location.map": {
        "geo": "Any map",
        "google": "Google Maps",
        "apple": "Apple Maps",
        "openstreetmap": "OpenStreetMap",
    },
    "Condition.device": {"ios": "iOS", "macos": "macOS", "chromeos": "ChromeOS"},
    "Condition.browser": {"android_browser": "Android Browser", "samsung_internet": "Samsung Internet"},
    "Condition.scan-number": {"": "In all", "all": "In all", "day": "On the day"},
    "event.repeat": {"": "Never"},
    "Caption.weight": {"semibold": "Semi-bold", "extrabold": "Extra-bold"},
}
"""Words for choices whose names say too little, by record or kind of content, and field."""

UNITS = {
    "(automatic when absent)": "",
    "(lowest penalty when absent)": "",
    "of the side of the light area": "% of the light area",
    "(1 is opaque)": "%",
    "of the gradient's length": "%",
    "pixels": "px",
}
"""Units as they are shown beside a number; those in percent have values of 0..1."""

SAID = ("about", "help", "label", "title", "unit", "words")
"""What is said in the language of the person; catalogs have the help texts of the fields that most people use."""

QUOTED = re.compile("`([^`]+)`")


def choice_words(where: str, choices: Iterable[object]) -> dict[str, str]:
    """Return the words for the choices of a field such as `Layer.display` or `contact.format`: "Eye 5" for `eye-5`."""
    known = SAME_IN_ALL | CHOICES.get(where, {})
    return {name: known.get(name) or _capitalized(name) for name in map(str, choices)}


def help_text(text: str, words: dict[str, str]) -> str:
    """Return the description of a field with words instead of the names between backticks."""
    return QUOTED.sub(lambda found: words.get(found[1], found[1]), text)


def unit_words(unit: str) -> str:
    """Return a unit as it is shown beside a number."""
    return UNITS.get(unit, unit.strip("()"))


def spoken(form: Any, *, is_said: bool = False) -> Any:
    """Return a form, as JSON, in the language of the context."""
    if isinstance(form, dict):
        return {name: spoken(value, is_said=is_said or name in SAID) for name, value in form.items()}
    if isinstance(form, list | tuple):
        return [spoken(value, is_said=is_said) for value in form]
    return translated(form) if is_said and isinstance(form, str) else form


def _capitalized(choice: str) -> str:
    return choice[:1].upper() + choice[1:].replace("-", " ")
