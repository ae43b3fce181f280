"""Calls to the rooms above, made only when somebody asks: the one place where a lower room reaches a higher one.

What people type on data, `design.check()`, is done by rooms that are built on that data. Every such call goes through
this file. Its imports stand inside functions, so that a plain code loads nothing that it does not need.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar, Unpack

if TYPE_CHECKING:
    from qrkit.design.decoration import LogoLook
    from qrkit.design.design import Design, DesignFields
    from qrkit.design.limits import PadChoice
    from qrkit.drawing.untrusted.assets import Fetch
    from qrkit.scanning.largest_logo import LargestLogo
    from qrkit.scanning.repair import Repair
    from qrkit.scanning.scan_report import Level, ScanReport

__all__ = ["UNSEEN", "Shown", "Watch", "check", "largest_logo", "make_scannable", "resized", "watch", "with_logo"]

Item = TypeVar("Item")
Watch = Callable[[Iterable[Any], str, int | None], Iterable[Any]]
"""Items, what is done with them in a word, and how many there are where that is known -> the same items."""


class Shown:
    """An object that a notebook shows as HTML, and as a picture where it is one; `qrkit.notebook.views` says how."""

    __slots__ = ()

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        from qrkit.notebook.views import view

        return view(self)


def watch(*, progress: bool) -> Watch:
    """A progress bar for a loop, on the error stream or below a cell; or, without `progress`, nothing."""
    if not progress:
        return UNSEEN
    from qrkit.notebook.progress import progress_bar

    return progress_bar


def _iterate(items: Iterable[Item], _what: str, _total: int | None) -> Iterator[Item]:
    return iter(items)


UNSEEN: Watch = _iterate
"""Shows nothing."""


# ---- what people call on a design


class RepairOptions(TypedDict, total=False):
    """What `Design.make_scannable` takes beside its target."""

    may: Collection[str]
    level: Level
    fetch: Fetch | None


class LogoOptions(TypedDict, total=False):
    """What `Design.largest_logo` takes beside the picture."""

    target: float
    place: tuple[float, float]
    pad_codewords: PadChoice | None
    may: Collection[str]
    level: Level
    fetch: Fetch | None


def check(self: Design, level: str = "standard", *, fetch: Fetch | None = None) -> ScanReport:
    """Whether it scans, with how much room, and what would help.

    Args:
        level: `static`, `quick`, `standard` or `full`, as `qrkit.check` has them.
        fetch: What reads pictures that it names by their URL; without it, none is read (ruling G20).

    Raises:
        InvalidParameter: There is no such level.
        ContentTooLong: The content does not fit.
        AssetError: A picture that it names is none, or not to be had.
        RenderingFailed: The renderer broke down on a part of it.

    Example:
        >>> from qrkit import Design
        >>> Design(content="https://example.com", padding=0).check("static").verdict
        'fragile'
    """
    from qrkit.scanning import check as call

    return call(self, level, fetch=fetch)


def make_scannable(self: Design, target: float = 0.5, **options: Unpack[RepairOptions]) -> Repair:
    """Change the design as little as is needed for it to scan: `check()` calls what comes back at least `ok`.

    Args:
        target: Share of the worst block's error correction that the design may use, 0..1.
        **options: `may`, `level` and `fetch`, as `qrkit.scanning.repair.make_scannable` has them.

    Raises:
        CannotRepair: What may be changed does not suffice; it says what is in the way and what else would help.
        InvalidParameter: An argument breaks its rule.
        ContentTooLong: The content does not fit.
        AssetError: A picture that it names is none, or not to be had.
        RenderingFailed: The renderer broke down on a part of it.

    Example:
        >>> from qrkit import Design
        >>> print(Design(content="https://example.com", padding=0).make_scannable())
        fragile -> robust (standard check)
          4 modules of quiet zone instead of 0
    """
    from qrkit.scanning.repair import make_scannable as call

    return call(self, target, **options)


def resized(self: Design, **fields: Unpack[DesignFields]) -> Design:
    """The design in another size, where `replace` would leave pictures behind.

    Layers, sprites and absolute gradients lie in pixels of the picture: here they keep their place and their
    share of the symbol. A size takes the place of a width and a height.

    Args:
        **fields: Those of `Design` that move the symbol or give it another size, as a longer content does.

    Raises:
        InvalidParameter: A field breaks its rule, or leaves less than a pixel for a module.
        ContentTooLong: The content does not fit.

    Example:
        >>> from qrkit import Design
        >>> small = Design(content="https://example.com").with_logo("icon:heart")
        >>> small.layers[0].width, small.resized(size=16).layers[0].width
        (40.0, 80.0)
    """
    from qrkit.drawing.resizing import relaid

    return relaid(self, **fields)


def with_logo(
    self: Design,
    content: str,
    share: float = 0.2,
    *,
    place: tuple[float, float] = (0.5, 0.5),
    fetch: Fetch | None = None,
    **look: Unpack[LogoLook],
) -> Design:
    """The design with a picture on it, as a layer that has the picture's proportions.

    Modules that it touches are left out, so that it does not melt into them; `display="overlay"` keeps them.
    The design gets the width that its picture has, where it has neither width nor height: so the logo keeps its
    place whatever is encoded. `resized` gives it another size.

    Args:
        content: The picture, as `Layer.content` has it: `icon:NAME`, or `qrkit.data_uri("logo.png")`.
        share: Of the symbol's width and height, without the quiet zone: its longer side, 0.01..2.
        place: Where its middle is, as shares of the symbol from its left and its top, 0..1.
        fetch: What reads a picture by its URL; without it, none is read (ruling G20).
        **look: Fields of `Layer`: name, opacity, color, display, tolerance.

    Raises:
        InvalidParameter: An argument breaks its rule.
        AssetError: The picture is none, or not to be had.
        ContentTooLong: The content of the design does not fit.

    Example:
        >>> from qrkit import Design
        >>> brand = Design(content="https://example.com", ec="H").with_logo("icon:heart", 0.25, color="#9A3412")
        >>> brand.check("static").verdict
        'robust'
    """
    from qrkit.drawing.logo import with_logo as call

    return call(self, content, share, place=place, fetch=fetch, **look)


def largest_logo(self: Design, content: str, **options: Unpack[LogoOptions]) -> LargestLogo:
    """The largest picture that it can have as a layer.

    Args:
        content: The picture, as `Layer.content` has it; it keeps its proportions.
        **options: `target`, `place`, `pad_codewords`, `may`, `level` and `fetch`, as
            `qrkit.scanning.largest_logo.largest_logo` has them.

    Raises:
        CannotRepair: Not even a picture of one module fits there.
        InvalidParameter: An argument breaks its rule.
        AssetError: The picture is none, or not to be had.
        ContentTooLong: The content of the design does not fit.
        RenderingFailed: The renderer broke down on a part of it.
    """
    from qrkit.scanning.largest_logo import largest_logo as call

    return call(self, content, **options)
