"""Provides `PRESETS`, named styles that scan reliably, each with matching colors, modules and markers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from qrkit.design.decoration import Marker, Markers, Modules
from qrkit.design.design import Design
from qrkit.design.gradient import Gradient
from qrkit.errors import InvalidParameter, Problem, nearest

__all__ = ["PRESETS", "with_preset"]

LOOK = ("foreground", "background", "modules", "markers")
"""The fields of `Design` that every preset sets; a field that a preset does not name gets its default."""

PRESETS: Mapping[str, Mapping[str, Any]] = {
    "plain": {},
    "ink": {
        "foreground": "#1B2A49",
        "modules": Modules(type="rounded"),
        "markers": Markers.all("eye-2"),
    },
    "lagoon": {
        "foreground": Gradient.linear("#0B3D91", "#0B5E76"),
        "modules": Modules(type="liquid"),
        "markers": Markers.all("eye-2", inner_color="#0B5E76", outer_color="#0B3D91"),
    },
    "dusk": {
        "foreground": Gradient.radial("#8E2549", "#3B1C6B", radius=0.7),
        "modules": Modules(type="sprite", sprite="circle"),
        "markers": Markers.all("eye-1", inner_color="#5E1A5C", outer_color="#3B1C6B"),
    },
    "forest": {
        "foreground": "#1F4D2B",
        "background": "#FBFAF3",
        "modules": Modules(type="sprite", sprite="six"),
        "markers": Markers.all("eye-1", inner_color="#6B3A11"),
    },
    "ember": {
        "foreground": Gradient.linear("#6A1B0D", "#87330D", start=(0, 0), stop=(0, 1)),
        "modules": Modules(type="columns"),
        "markers": Markers.all("eye-4", outer_color="#6A1B0D"),
    },
    "graphite": {
        "foreground": "#222222",
        "modules": Modules(type="bars"),
        "markers": Markers.all("eye-6"),
    },
    "candy": {
        "foreground": "#5A1668",
        "background": "#FFF7FA",
        "modules": Modules(type="sprite", sprite="star"),
        "markers": Markers(
            top_left=Marker(pattern="eye-2", inner_color="#8E0E41"),
            top_right=Marker(pattern="eye-2", inner_color="#004D44"),
            bottom_left=Marker(pattern="eye-2", inner_color="#6E3200"),
        ),
    },
}
"""Maps the name of each preset to the fields of `Design` that it sets. The standard check rates all as robust."""


def with_preset(design: Design, name: str) -> Design:
    """Apply a preset to a design; its content, size, layers, wrapper and frame stay.

    Args:
        design: The design to start from.
        name: A name in `PRESETS`.

    Raises:
        InvalidParameter: If no preset has this name.

    Example:
        >>> with_preset(Design(content="hi", ec="H"), "ink").modules.type
        'rounded'
    """
    if name not in PRESETS:
        raise InvalidParameter(Problem("preset", name, f"is not a preset; {nearest(name, PRESETS)}"))
    kept = {field: getattr(design, field) for field in design.model_fields_set - set(LOOK)}
    return Design(**(kept | dict(PRESETS[name])))


def __dir__() -> list[str]:
    return __all__
