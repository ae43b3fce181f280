"""Names the parts of a design as people see them: "the top-left eye" for `markers.top_left`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from qrkit.design.design import Design


PARTS = {
    "modules": "the shape of the modules",
    "photo": "the photo",
    "wrapper": "the wrapper",
    "frame": "the frame",
    "foreground": "the foreground gradient",
    "background": "the background gradient",
}
LONGEST_NAME = 30
"""Characters of the name of a layer that a sentence repeats."""


def part_name(path: str, design: Design | None = None) -> str:
    """Return the name of the part of a design at a path, as in `Cause.path`."""
    first, _, rest = path.partition(".")
    if first == "layers" and design:
        return layer_name(int(rest), design)
    return eyes_name([rest]) if first == "markers" else PARTS.get(path, path)


def layer_name(index: int, design: Design) -> str:
    """Return what a layer is called: the logo, to which its plate belongs, or its number from 1 and its own name."""
    from qrkit.drawing.logo import placed_logo  # codes without layers do without it

    logo, name = placed_logo(design), design.layers[index].name
    if logo and index in (logo.layer, logo.layer - 1):
        return "the logo"
    shown = name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"
    return f"layer {index + 1} (“{shown}”)" if name else f"layer {index + 1}"


def eyes_name(corners: Iterable[str]) -> str:
    """Return the name of the eyes in some corners: "the top-left eye", or "all three eyes"."""
    names: Sequence[str] = [corner.replace("_", "-") for corner in corners]
    if len(names) == 3:
        return "all three eyes"
    return f"the {' and '.join(names)} eye{'s' if len(names) > 1 else ''}"
