"""`PRESETS`: looks that stay readable, by name: colours, modules and markers that go together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from qrkit.decoration import Marker, Markers, Modules
from qrkit.design import Design
from qrkit.errors import InvalidParameter, Problem, nearest
from qrkit.gradient import Gradient

__all__ = ["PRESETS", "with_preset"]

LOOK = ("foreground", "background", "modules", "markers")
"""The fields of `Design` that a preset decides, each of them: what it leaves out gets its default."""

PRESETS: Mapping[str, Mapping[str, Any]] = {
    "plain": {},
    "ink": {
        "foreground": "#1B2A49",
        "modules": Modules(type="rounded"),
        "markers": Markers.all("eye-2"),
    },
    "lagoon": {
        "foreground": Gradient.linear("#0B3D91", "#0E7C9B"),
        "modules": Modules(type="liquid"),
        "markers": Markers.all("eye-3", inner_color="#0E7C9B", outer_color="#0B3D91"),
    },
    "dusk": {
        "foreground": Gradient.radial("#B0305C", "#3B1C6B", radius=0.7),
        "modules": Modules(type="sprite", sprite="circle"),
        "markers": Markers.all("eye-1", inner_color="#B0305C", outer_color="#3B1C6B"),
    },
    "forest": {
        "foreground": "#1F4D2B",
        "background": "#F4F1E4",
        "modules": Modules(type="sprite", sprite="six"),
        "markers": Markers.all("eye-5", inner_color="#8A4B16"),
    },
    "ember": {
        "foreground": Gradient.linear("#7A1F0F", "#B4430F", start=(0, 0), stop=(0, 1)),
        "modules": Modules(type="columns"),
        "markers": Markers.all("eye-4", outer_color="#7A1F0F"),
    },
    "graphite": {
        "foreground": "#222222",
        "modules": Modules(type="bars"),
        "markers": Markers.all("eye-6"),
    },
    "candy": {
        "foreground": "#6A1B7A",
        "background": "#FFF3F8",
        "modules": Modules(type="sprite", sprite="star"),
        "markers": Markers(
            top_left=Marker(pattern="eye-2", inner_color="#C2185B"),
            top_right=Marker(pattern="eye-2", inner_color="#00695C"),
            bottom_left=Marker(pattern="eye-2", inner_color="#AD4E00"),
        ),
    },
}
"""By name: what of a `Design` each decides. Readers of both schools read all of them."""


def with_preset(design: Design, name: str) -> Design:
    """A design with the look of a preset; content, size, layers and wrapper stay.

    Args:
        design: What it begins with.
        name: One of `PRESETS`.

    Raises:
        InvalidParameter: There is no such preset.

    Example:
        >>> with_preset(Design(content="hi", ec="H"), "ink").modules.type
        'rounded'
    """
    if name not in PRESETS:
        raise InvalidParameter(Problem("preset", name, f"is not a preset; {nearest(name, PRESETS)}"))
    kept = {field: getattr(design, field) for field in design.model_fields_set - set(LOOK)}
    return Design(**(kept | dict(PRESETS[name])))
