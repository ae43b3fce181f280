"""Provides `Gradient`, which describes colors that change over the image, as plain data.

Classes accept more types than they store: color names, lists and JSON objects. Their `__init__` only declares the
accepted types for type checkers; at runtime, `Model.__init__` is used.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Self

from pydantic import Discriminator, Field, Tag, field_validator, model_validator

from qrkit.design.color import Color
from qrkit.design.limits import Coordinate, GradientKind, GradientUnits, Most, Offset, Opacity
from qrkit.model import Model, Object, broken

CENTER, MIDDLE = "Distance of a radial gradient's center from the", "by default, the middle."
FOCUS, AT_CENTER = "Distance of the point with the first color from the", "by default, that of the center."


class Point(Model):
    """A point in an image: shares of the width and height (0..1) in relative units, pixels in absolute units."""

    x: Coordinate = Field(title="Left", description="Distance from the left.")
    y: Coordinate = Field(title="Top", description="Distance from the top.")


class Direction(Model):
    """The two ends of a linear gradient."""

    start: Point = Field(description="The point with the first color.")
    stop: Point = Field(title="End", description="The point with the last color.")

    if TYPE_CHECKING:

        def __init__(self, *, start: Point | Object, stop: Point | Object) -> None: ...


class Stop(Model):
    """A color at one position of a gradient."""

    offset: Offset
    color: Color = Field(description="The color at this position.")
    opacity: Opacity = 1.0

    if TYPE_CHECKING:

        def __init__(self, *, offset: float, color: str | Color, opacity: float = ...) -> None: ...


class Gradient(Model):
    """A gradient over the whole image.

    `Gradient.linear` and `Gradient.radial` create simple gradients.
    """

    gradient: GradientKind
    units: GradientUnits = "relative"
    direction: Direction | None = Field(
        default=None, description="Start and end of a linear gradient; by default, the left and right edges."
    )
    cx: Coordinate | None = Field(default=None, title="Center X", description=f"{CENTER} left; {MIDDLE}")
    cy: Coordinate | None = Field(default=None, title="Center Y", description=f"{CENTER} top; {MIDDLE}")
    fx: Coordinate | None = Field(default=None, title="Focus X", description=f"{FOCUS} left; {AT_CENTER}")
    fy: Coordinate | None = Field(default=None, title="Focus Y", description=f"{FOCUS} top; {AT_CENTER}")
    radius: Coordinate | None = Field(
        default=None,
        description="Radius of the circle with the last color; by default, half of the width of a square image.",
    )
    stops: Annotated[tuple[Stop, ...], Most(2, 50)] = Field(description="2 to 50 colors along the gradient.")

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            gradient: GradientKind,
            stops: Sequence[Stop | Object],
            units: GradientUnits = ...,
            direction: Direction | Object | None = ...,
            cx: float | None = ...,
            cy: float | None = ...,
            fx: float | None = ...,
            fy: float | None = ...,
            radius: float | None = ...,
        ) -> None: ...

    @field_validator("stops")
    @classmethod
    def _sort_stops(cls, stops: tuple[Stop, ...]) -> tuple[Stop, ...]:
        return tuple(sorted(stops, key=lambda stop: stop.offset))

    @model_validator(mode="after")
    def _check_required(self) -> Self:
        absolute = self.units == "absolute"
        needed = ("direction",) if self.gradient == "linear" else ("cx", "cy", "radius")
        missing = next((name for name in needed if absolute and getattr(self, name) is None), None)
        if missing:
            rule = f"is required where units is absolute and gradient is {self.gradient}"
            raise broken(rule, missing, code="missing-parameter")
        if self.radius is not None and self.radius <= 0:
            raise broken("must be more than 0", "radius", code="out-of-range")
        return self

    @classmethod
    def linear(
        cls, *colors: str | Color, start: tuple[float, float] = (0, 0), stop: tuple[float, float] = (1, 1)
    ) -> Self:
        """Create a linear gradient of evenly spaced colors, by default from top left to bottom right.

        Args:
            *colors: 2 to 50 colors, in order.
            start: Position of the first color: shares of the image from its left and its top, 0..1.
            stop: Position of the last color.

        Raises:
            InvalidParameter: If a color is invalid, or there are fewer than 2 or more than 50.

        Example:
            >>> [stop.offset for stop in Gradient.linear("red", "gold", "green").stops]
            [0.0, 0.5, 1.0]
        """
        ends = {"start": {"x": start[0], "y": start[1]}, "stop": {"x": stop[0], "y": stop[1]}}
        return cls(gradient="linear", direction=ends, stops=_evenly_spaced(colors))

    @classmethod
    def radial(cls, *colors: str | Color, centre: tuple[float, float] = (0.5, 0.5), radius: float = 0.5) -> Self:
        """Create a radial gradient of evenly spaced colors.

        Args:
            *colors: 2 to 50 colors, from the center outwards.
            centre: Center: shares of the image from its left and its top, 0..1.
            radius: Distance of the last color from the center; 1 is the side of a square image.

        Raises:
            InvalidParameter: If a color is invalid, or there are fewer than 2 or more than 50.
        """
        return cls(gradient="radial", cx=centre[0], cy=centre[1], radius=radius, stops=_evenly_spaced(colors))


def _paint_kind(value: Any) -> str:
    return "[gradient]" if isinstance(value, dict | Gradient) else "[color]"


Fill = Annotated[Annotated[Color, Tag("[color]")] | Annotated[Gradient, Tag("[gradient]")], Discriminator(_paint_kind)]
"""A color or a gradient. The tags are in brackets so that error messages leave them out."""


def _evenly_spaced(colors: tuple[str | Color, ...]) -> list[dict[str, Any]]:
    last = max(len(colors) - 1, 1)
    return [{"offset": index / last, "color": color} for index, color in enumerate(colors)]
