"""The form of the logo: `LogoForm`. People choose a picture, a size and a plate; the design has them as two layers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Annotated, Any, Final

from pydantic import Field

from qrkit.design.color import Color
from qrkit.design.decoration import Layer
from qrkit.design.design import Design
from qrkit.design.limits import Asset, Number, Within
from qrkit.drawing.logo import PlacedLogo, Plate, placed_logo, scaled_logo, without_logo
from qrkit.drawing.untrusted.assets import Fetch
from qrkit.errors import QrkitError, renaming
from qrkit.model import Model
from qrkit.notebook.widgets.controls import controls
from qrkit.scanning.logo_size import WIDEST, largest_share

LOGO: Final = "logo"
"""The first step of the paths of the form's fields."""
PERCENT = 100
DEFAULT = 20.0
PRESET_NAME = "logo"
"""What presets call a logo, whatever the name of its file."""


class LogoFields(Model):
    """What people set of a logo."""

    content: Asset = Field(title="Logo", description="A picture, such as a PNG, JPEG, SVG or WebP, or an icon.")
    name: str = Field(default="", description="What the layer is called: the name of the file.")
    size: Annotated[Number, Within(3, WIDEST * PERCENT, "% of the width")] = Field(
        title="Size", description="The longer side, as a share of the symbol's width. Logos keep their proportions."
    )
    plate: Plate | None = Field(
        default="rounded", description="A clear area under the logo, so that no module is cut in half."
    )


@cache
def logo_controls() -> dict[str, Any]:
    """Return the controls of the form by the name of their field."""
    return {control.name: control.as_dict() for control in controls(LogoFields)}


def _path(name: str) -> str:
    """Return the path of a field at which the form shows a problem; a picture that cannot be read is called `logo`."""
    return f"{LOGO}.{'content' if name == LOGO else name}"


class LogoForm:
    """The logo of a design, as people set it; `placed` is None while there is none.

    `largest` is the share of the symbol's side up to which it uses at most half of the error correction; None if
    unknown.
    """

    def __init__(self, design: Design) -> None:
        self.name = ""
        self.placed: PlacedLogo | None = None
        self.largest: float | None = None
        self._content: str | None = None
        self._plate: Plate | None = "rounded"
        self._measured: Any = None
        self.follow(design)

    def follow(self, design: Design) -> None:
        """Find the logo in a design, which may have changed in other ways."""
        self.placed = placed_logo(design, self._content)
        if self.placed:
            layer = design.layers[self.placed.layer].upright
            if layer.content != self._content or layer.name != PRESET_NAME:
                self.name = layer.name
            self._content, self._plate = layer.content, self.placed.plate

    def change(self, design: Design, fields: Mapping[str, Any], fetch: Fetch | None) -> Design:
        """Return the design with another logo, size or plate; a content of None removes the logo.

        Errors name the form's paths.
        """
        self.follow(design)
        placed = self.placed
        angle = design.layers[placed.layer].rotation if placed and "content" not in fields else 0.0
        changed = self._changed(self._upright(design), fields, fetch)
        self.placed = placed_logo(changed, self._content)
        return self._with_layers(changed, lambda layer: layer.rotated(angle)) if angle else changed

    def with_ring(self, design: Design, color: Color, fetch: Fetch | None) -> Design:
        """Return the design with the plate of its logo in the background color, and the ring in `color`."""
        self.follow(design)
        if self.placed is None or self.placed.plate is None:
            return design
        placed = self.placed._replace(ring=self.placed.ring and color.rgb)
        angle = design.layers[placed.layer].rotation
        changed = scaled_logo(self._upright(design), placed, placed.share, fetch=fetch)
        return self._with_layers(changed, lambda layer: layer.rotated(angle)) if angle else changed

    def _changed(self, design: Design, fields: Mapping[str, Any], fetch: Fetch | None) -> Design:
        """Return a design whose logo is upright with another logo, size or plate."""
        placed = self.placed
        content = fields.get("content", self._content if placed else None)
        if content is None:
            return without_logo(design, placed.layer) if placed else design
        plate, name = fields.get("plate", self._plate), str(fields.get("name", self.name))
        size = placed.share * PERCENT if placed and "content" not in fields else None
        with renaming(_path):
            # The default size follows from the symbol and the picture, so only a size that was set has to obey a rule.
            checked = LogoFields(content=content, size=fields.get("size", DEFAULT), plate=plate)
            size = checked.size if "size" in fields else size
            if placed and size and fields.keys() == {"size"}:
                return scaled_logo(design, placed, size / PERCENT, fetch=fetch)
            plain = without_logo(design, placed.layer) if placed else design
            ring = placed.ring if placed and plate else None
            share = size and size / PERCENT
            changed = plain.with_logo(content, share, plate=plate, ring=ring, name=name, fetch=fetch)
        self._content, self._plate = content, plate
        return changed

    def _upright(self, design: Design) -> Design:
        return self._with_layers(design, lambda layer: layer.upright)

    def _with_layers(self, design: Design, change: Callable[[Layer], Layer]) -> Design:
        """Return the design with the logo and its plate changed, if there is a logo."""
        if self.placed is None:
            return design
        return design.replace(
            layers=[change(layer) if index in self._indexes else layer for index, layer in enumerate(design.layers)]
        )

    @property
    def _indexes(self) -> range:
        """Which layers the logo and its plate are."""
        placed = self.placed
        return range(placed.layer - (placed.plate is not None), placed.layer + 1) if placed else range(0)

    def measure(self, design: Design, fetch: Fetch | None) -> None:
        """Look for the largest size that readers take well, unless it is known."""
        if self.placed is None:
            return
        asked = (design.replace(layers=()), self._content, self._plate)
        if asked == self._measured:
            return
        try:
            self.largest = largest_share(self._upright(design), self.placed, fetch=fetch)
        except QrkitError:
            self.largest = None
        self._measured = asked

    def as_dict(self) -> dict[str, Any] | None:
        """Return the state for the browser; None if there is no logo."""
        if self.placed is None:
            return None
        largest = None if self.largest is None else round(self.largest * PERCENT)
        size = round(self.placed.share * PERCENT, 1)
        layers = list(self._indexes)
        return {"name": self.name, "size": size, "plate": self._plate, "largest": largest, "layers": layers}
