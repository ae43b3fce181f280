"""Shows layers as people set them: an upright image and an angle, whatever the rotated image is in the design."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from qrkit.design.decoration import Layer
from qrkit.design.design import Design
from qrkit.design.limits import Number, Within
from qrkit.errors import renaming
from qrkit.model import Model, plain

ROTATION = "rotation"


class LayerForm(Model):
    """What people set of a layer, besides its fields."""

    rotation: Annotated[Number, Within(-180, 180, "degrees")] = Field(
        default=0, description="Turns the image clockwise about its center."
    )


def layers_of(design: Design) -> list[dict[str, Any]]:
    """Return the layers with all of their fields and their angle, as JSON."""
    return [layer.upright.model_dump(mode="json") | {ROTATION: layer.rotation} for layer in design.layers]


def fields_of(design: Design) -> dict[str, Any]:
    """Return the fields that are set in a design as JSON, with layers as people set them."""
    fields: dict[str, Any] = plain(design, only_set=True)
    if design.layers:
        fields["layers"] = [plain(layer.upright, only_set=True) | {ROTATION: layer.rotation} for layer in design.layers]
    return fields


def design_of(fields: dict[str, Any]) -> Design:
    """Return the design of such fields."""
    layers = fields.get("layers")
    if not isinstance(layers, list):
        return Design(**fields)
    records = [dict(layer) if isinstance(layer, dict) else layer for layer in layers]
    angles = [layer.pop(ROTATION, 0) if isinstance(layer, dict) else 0 for layer in records]
    design = Design(**fields | {"layers": records})
    return _rotated(design, angles) if any(angles) else design


def _rotated(design: Design, angles: list[Any]) -> Design:
    layers: list[Layer] = []
    for index, (layer, angle) in enumerate(zip(design.layers, angles, strict=True)):
        with renaming(f"layers.{index}.{{}}".format):
            layers.append(layer.rotated(LayerForm(rotation=angle).rotation))
    return design.replace(layers=layers)
