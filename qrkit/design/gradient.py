"""`Gradient`: colours that change over the picture, as plain data.

A class takes more than it holds, names of colours, lists, objects of JSON: its `…Fields` tell type checkers what.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, NotRequired, Self, TypedDict, Unpack

from pydantic import Discriminator, Tag, field_validator, model_validator
from pydantic_core import PydanticCustomError

from qrkit.design.color import Color
from qrkit.design.limits import Coordinate, GradientKind, GradientUnits, Most, Offset, Opacity
from qrkit.model import Model, Object

__all__ = ["Direction", "Fill", "Gradient", "Point", "Stop"]


class Point(Model):
    """A place in a picture: 0..1 of its width and height in relative units, else pixels.

    Attributes:
        x: From the left.
        y: From the top.
    """

    x: Coordinate
    y: Coordinate


class DirectionFields(TypedDict):
    """What `Direction` takes."""

    start: Point | Object
    stop: Point | Object


class Direction(Model):
    """Where a linear gradient begins and ends.

    Attributes:
        start: Where the colour of offset 0 is.
        stop: Where the colour of offset 1 is.
    """

    start: Point
    stop: Point

    if TYPE_CHECKING:

        def __init__(self, **fields: Unpack[DirectionFields]) -> None: ...


class StopFields(TypedDict):
    """What `Stop` takes."""

    offset: float
    color: str | Color
    opacity: NotRequired[float]


class Stop(Model):
    """A colour on the way of a gradient.

    Attributes:
        offset: 0..1 of the way.
        color: The colour there.
        opacity: 0..1.
    """

    offset: Offset
    color: Color
    opacity: Opacity = 1.0

    if TYPE_CHECKING:

        def __init__(self, **fields: Unpack[StopFields]) -> None: ...


class GradientFields(TypedDict):
    """What `Gradient` takes."""

    gradient: GradientKind
    units: NotRequired[GradientUnits]
    direction: NotRequired[Direction | Object | None]
    cx: NotRequired[float | None]
    cy: NotRequired[float | None]
    fx: NotRequired[float | None]
    fy: NotRequired[float | None]
    radius: NotRequired[float | None]
    stops: Sequence[Stop | Object]


class Gradient(Model):
    """A gradient over the whole picture (ruling G16).

    `Gradient.linear` and `Gradient.radial` make simple ones.

    Attributes:
        gradient: linear or radial.
        units: relative (0..1 of the picture) or absolute (output pixels).
        direction: Of a linear gradient; left to right where nothing is said.
        cx: Centre of a radial gradient, from the left; the middle where nothing is said.
        cy: Centre, from the top.
        fx: Focal point, where the first colour is; the centre where nothing is said.
        fy: Focal point, from the top.
        radius: Of the last colour's circle; in relative units 1 is a square picture's side. 0.5 where nothing is said.
        stops: 2..50 colours by rising offset.

    Raises:
        InvalidParameter: A field breaks a rule; all that do are named.
    """

    gradient: GradientKind
    units: GradientUnits = "relative"
    direction: Direction | None = None
    cx: Coordinate | None = None
    cy: Coordinate | None = None
    fx: Coordinate | None = None
    fy: Coordinate | None = None
    radius: Coordinate | None = None
    stops: Annotated[tuple[Stop, ...], Most(2, 50)]

    if TYPE_CHECKING:

        def __init__(self, **fields: Unpack[GradientFields]) -> None: ...

    @field_validator("stops")
    @classmethod
    def _stops_rise(cls, stops: tuple[Stop, ...]) -> tuple[Stop, ...]:
        return tuple(sorted(stops, key=lambda stop: stop.offset))

    @model_validator(mode="after")
    def _complete(self) -> Self:
        absolute = self.units == "absolute"
        needed = ("direction",) if self.gradient == "linear" else ("cx", "cy", "radius")
        missing = next((name for name in needed if absolute and getattr(self, name) is None), None)
        if missing:
            rule = f"is required where units is absolute and gradient is {self.gradient}"
            raise PydanticCustomError("missing-parameter", "{rule}", {"rule": rule, "field": missing})
        if self.radius is not None and self.radius <= 0:
            raise PydanticCustomError("out-of-range", "{rule}", {"rule": "must be more than 0", "field": "radius"})
        return self

    @classmethod
    def linear(
        cls, *colors: str | Color, start: tuple[float, float] = (0, 0), stop: tuple[float, float] = (1, 1)
    ) -> Self:
        """Evenly spaced colours from one place to another.

        Args:
            *colors: At least two, in their order.
            start: Where the first one is: from the left and from the top, in 0..1 of the picture.
            stop: Where the last one is; by default the first is at the top left, the last at the bottom right.

        Raises:
            InvalidParameter: A colour is none, or there are fewer than two or more than 50.

        Example:
            >>> [stop.offset for stop in Gradient.linear("red", "gold", "green").stops]
            [0.0, 0.5, 1.0]
        """
        ends = {"start": {"x": start[0], "y": start[1]}, "stop": {"x": stop[0], "y": stop[1]}}
        return cls(gradient="linear", direction=ends, stops=_spread(colors))

    @classmethod
    def radial(cls, *colors: str | Color, centre: tuple[float, float] = (0.5, 0.5), radius: float = 0.5) -> Self:
        """Evenly spaced colours from a centre outwards.

        Args:
            *colors: At least two, the innermost first.
            centre: From the left and from the top, in 0..1 of the picture.
            radius: Where the last colour is; 1 is the side of a square picture.

        Raises:
            InvalidParameter: A colour is none, or there are fewer than two or more than 50.
        """
        return cls(gradient="radial", cx=centre[0], cy=centre[1], radius=radius, stops=_spread(colors))


def _paint_kind(value: Any) -> str:
    return "[gradient]" if isinstance(value, dict | Gradient) else "[color]"


Fill = Annotated[
    Annotated[Color, Tag("[color]")] | Annotated[Gradient, Tag("[gradient]")],
    Discriminator(_paint_kind),
]
"""A colour or a gradient. (The names of its branches are in brackets so that messages leave them out.)"""


def _spread(colors: tuple[str | Color, ...]) -> list[dict[str, Any]]:
    last = max(len(colors) - 1, 1)
    return [{"offset": index / last, "color": color} for index, color in enumerate(colors)]
