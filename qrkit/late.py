"""Everything that is loaded late: names of packages, rooms above, and modules under the names they had before 1.1.

What people type on data, `design.check()`, is done by rooms that are built on that data. This is the one place where a
lower room calls a higher one. Such imports stand inside functions, so that a plain code loads nothing it does not need.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar, Unpack

if TYPE_CHECKING:
    from qrkit.design.color import Color
    from qrkit.design.design import Design, DesignChanges
    from qrkit.design.limits import Display, PadChoice
    from qrkit.drawing.untrusted.assets import Fetch
    from qrkit.scanning.largest_logo import LargestLogo
    from qrkit.scanning.repair import Repair
    from qrkit.scanning.scan_report import Level, ScanReport

__all__ = [
    "UNSEEN",
    "Shown",
    "Watch",
    "check",
    "install_old_paths",
    "largest_logo",
    "late_names",
    "make_scannable",
    "old_names",
    "resized",
    "watch",
    "with_logo",
]

Item = TypeVar("Item")
Watch = Callable[[Iterable[Any], str, int | None], Iterable[Any]]
"""Items, what is done with them in a word, and how many there are where that is known -> the same items."""


def late_names(package: str, origins: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a package, which loads each name from its module when it is first used.

    Args:
        package: Its full name.
        origins: Name to `room.module:name`, or to `room.module` where the name stands for that module itself.
    """

    def load(name: str) -> Any:
        if name not in origins:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, _, attribute = origins[name].partition(":")
        value = import_module(f"qrkit.{module}")
        value = getattr(value, attribute) if attribute else value
        setattr(sys.modules[package], name, value)
        return value

    return load


# ---- notebooks


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


def old_names(module: str, names: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a module some of whose names have changed.

    Args:
        module: The module, `__name__`.
        names: Old name to new name; a new name with a dot is one of another module, written in full.
    """

    def find(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}", name=name, obj=sys.modules[module])
        home, _, new = names[name].rpartition(".")
        hint = f"{module}.{name} goes with qrkit 1.1: use {home or module}.{new}"
        warnings.warn(hint, DeprecationWarning, stacklevel=2)
        return getattr(import_module(home or module), new)

    return find


# ---- what people call on a design


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


def make_scannable(
    self: Design,
    target: float = 0.5,
    *,
    may: Collection[str] | None = None,
    level: Level = "standard",
    fetch: Fetch | None = None,
) -> Repair:
    """Change the design as little as is needed for it to scan: `check()` calls what comes back at least `ok`.

    Args:
        target: Share of the worst block's error correction that the design may use, 0..1.
        may: What may be changed, out of `qrkit.scanning.levers.LEVERS`; None for all of it.
        level: Of the checks before and after, as `qrkit.check` has them. `static` asks no reader, and takes a
            fraction of the time.
        fetch: What reads pictures that the design names by their URL; without it, none is read.

    Raises:
        CannotRepair: If what may be changed does not suffice; the error says what is in the way and what else would
            help.
        InvalidParameter: If an argument breaks its rule.
        ContentTooLong: If the content does not fit.
        AssetError: If a picture that the design names cannot be read.
        RenderingFailed: If the renderer broke down on a part of the design.

    Example:
        >>> from qrkit import Design
        >>> print(Design(content="https://example.com", padding=0).make_scannable())
        fragile -> robust (standard check)
          4 modules of quiet zone instead of 0
    """
    from qrkit.scanning.repair import make_scannable as call

    return call(self, target, may=may, level=level, fetch=fetch)


def resized(self: Design, **fields: Unpack[DesignChanges]) -> Design:
    """The design in another size, where `replace` would leave pictures behind.

    Layers, sprites and absolute gradients lie in pixels of the picture: here they keep their place and their
    share of the symbol. A size takes the place of a width and a height.

    Args:
        **fields: Those of `Design` that move the symbol or give it another size, as a longer content does.

    Raises:
        InvalidParameter: If a field breaks its rule, or leaves less than a pixel for a module.
        ContentTooLong: If the content does not fit.

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
    name: str = "",
    opacity: float = 1.0,
    color: str | Color | None = None,
    display: Display = "pixel-hit-test",
    tolerance: float = 0.0,
    fetch: Fetch | None = None,
) -> Design:
    """The design with a picture on it, as a layer that has the picture's proportions.

    Modules that it touches are left out, so that it does not melt into them; `display="overlay"` keeps them.
    The design gets the width that its picture has, where it has neither width nor height: so the logo keeps its
    place whatever is encoded. `resized` gives it another size.

    Args:
        content: The picture, as `Layer.content` has it: `icon:NAME`, or `qrkit.data_uri("logo.png")`.
        share: Of the symbol's width and height, without the quiet zone: its longer side, 0.01..2.
        place: Where its middle is, as shares of the symbol from its left and its top, 0..1.
        name: A name for people.
        opacity: 0..1.
        color: Color of an icon; the foreground's by default.
        display: Which modules are left out, as `Layer.display` has it; `overlay` keeps them all.
        tolerance: How many pixels further modules are left out; below 0, how many less far.
        fetch: What reads a picture by its URL; without it, none is read.

    Raises:
        InvalidParameter: If an argument breaks its rule.
        AssetError: If the picture cannot be read.
        ContentTooLong: If the content of the design does not fit.

    Example:
        >>> from qrkit import Design
        >>> brand = Design(content="https://example.com", ec="H").with_logo("icon:heart", 0.25, color="#9A3412")
        >>> brand.check("static").verdict
        'robust'
    """
    from qrkit.drawing.logo import with_logo as call

    return call(
        self,
        content,
        share,
        place=place,
        name=name,
        opacity=opacity,
        color=color,
        display=display,
        tolerance=tolerance,
        fetch=fetch,
    )


def largest_logo(
    self: Design,
    content: str,
    *,
    target: float = 0.5,
    place: tuple[float, float] = (0.5, 0.5),
    pad_codewords: PadChoice | None = None,
    may: Collection[str] = ("mask",),
    level: Level = "standard",
    fetch: Fetch | None = None,
) -> LargestLogo:
    """The largest picture that the design can have as a layer.

    Args:
        content: The picture, as `Layer.content` has it; it keeps its proportions.
        target: Share of the worst block's error correction that may be used, 0..1.
        place: Where its middle is, in 0..1 of the symbol from the left and from the top.
        pad_codewords: `free` makes much more room where the content is short; None keeps what the design says.
        may: What else of the symbol may be changed, out of mask and ec; the version stays.
        level: Of the report, as `qrkit.check` has them.
        fetch: What reads pictures by their URL; without it, none is read.

    Raises:
        CannotRepair: If not even a picture of one module fits there.
        InvalidParameter: If an argument breaks its rule.
        AssetError: If the picture cannot be read.
        ContentTooLong: If the content of the design does not fit.
        RenderingFailed: If the renderer broke down on a part of the design.
    """
    from qrkit.scanning.largest_logo import largest_logo as call

    return call(
        self, content, target=target, place=place, pad_codewords=pad_codewords, may=may, level=level, fetch=fetch
    )


# ---- module names of 1.0

DOORS = ("accessor", "presets", "widgets", "wsgi")
"""Modules that people import by these short names, now and later."""

OLD_PATHS = """
access portfolio.access
accessor notebook.accessor
analytics.days analytics.daily_spread
analytics.kinds analytics.visit_kinds
analytics.life analytics.lifetimes
analytics.parts analytics.breakdowns
analytics.periods analytics.over_time
analytics.records analytics.scan_rows
analytics.scheduled analytics.schedules
analytics.simulating analytics.simulated
analytics.unusual analytics.unusual_days
analytics.visitors analytics.totals
assets drawing.untrusted.assets
batches pictures.batches
bitmaps drawing.bitmaps
cards contents.cards
charts.hours charts.hour_of_week
charts.ink charts.colors
charts.lettering charts.labels
charts.parts charts.axes
charts.usual charts.expected
charts.waiting charts.first_scans
color design.color
color_names design.color_names
commands.care commands.maintenance
commands.telling commands.output
contact_sheet pictures.contact_sheet
decoration design.decoration
demo commands.demo
destinations visits.destinations
draw drawing.draw
draw. drawing.
draw.picture drawing.decorated
draw.relaying drawing.resizing
encode symbol.encode
exchange.markup exchange.xml_text
fetching drawing.untrusted.fetching
frames exchange.frames
generate_request pictures.generate_request
gradient design.gradient
image pictures.image
limits design.limits
links tracking.short_urls
locate symbol.locate
markup drawing.svg_elements
outline design.outline
painting pictures.batch_files
picture_columns notebook.picture_columns
places visits.places
plain drawing.plain_picture
portfolio.book portfolio.portfolio
portfolio.pictures portfolio.code_pictures
portfolio.records portfolio.codes
presets design.presets
printing pictures.printing
progress notebook.progress
rasteriser drawing.untrusted.rasteriser
rates server.rates
reading server.reading
records tracking.records
redirect visits.redirect
report.cards report.code_cards
report.countries tracking.countries
report.opening report.key_numbers
report.tables report.ranked_tables
scan_frame notebook.scan_frame
scannability scanning
scannability.picture scanning.picture_check
scannability.report scanning.scan_report
scene drawing.scene
schedule tracking.schedule
shapes design.shapes
source design.source
store.care store.maintenance
store.columns store.duckdb.column_copy
store.database store.duckdb.database
store.following store.postgresql.following
store.kept store.visitor_data
store.portfolio store.qrcodes
store.postgresql_cursor store.postgresql.cursor
store.postgresql_tables store.postgresql.tables
store.settings store.store_settings
store.snapshot store.duckdb.snapshot
svg_text drawing.svg_text
svg_values drawing.untrusted.svg_values
templates portfolio.templates
text_columns tracking.text_columns
times tracking.times
track_request server.track_request
vector drawing.untrusted.svg_shapes
views notebook.views
views.drawings notebook.views.drawing
views.parts notebook.views.html
views.tracked notebook.views.tracking
visitors visits.visitors
widgets notebook.widgets
widgets.answers notebook.widgets.dashboard_answers
widgets.page notebook.widgets.widget
widgets.shown notebook.widgets.draft_state
widgets.starts notebook.widgets.defaults
workers pictures.workers
writers drawing.writers
writers.ground drawing.writers.background
wsgi server
wsgi.server server.socket_server
zip_stream pictures.zip_stream
"""
"""Each module that had another name in 1.0, and its name now. With a dot at its end: all modules below it."""


class _OldPaths(MetaPathFinder, Loader):
    """Finds a module under its old name, and says what it is called now. Old names go with 1.1."""

    def __init__(self) -> None:
        self._now = dict(line.split() for line in OLD_PATHS.strip().splitlines())
        self._specs: dict[str, ModuleSpec | None] = {}

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        old = fullname.removeprefix("qrkit.")
        now = self._current(old) if old != fullname else None
        if now is None:
            return None
        if old not in DOORS:
            text = f"{fullname} is now qrkit.{now}; the old name goes with qrkit 1.1"
            warnings.warn(text, DeprecationWarning, stacklevel=2)
        return ModuleSpec(fullname, self, origin=f"qrkit.{now}")

    def _current(self, old: str) -> str | None:
        """The name of a module now; None where it has not changed."""
        if old in self._now:
            return self._now[old]
        head, _, tail = old.rpartition(".")
        if f"{head}." in self._now:
            return f"{self._now[f'{head}.']}{tail}"
        now = self._current(head) if head else None
        return now and f"{now}.{tail}"

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = import_module(spec.origin or "")
        if not hasattr(module, "__path__"):
            module.__path__ = []  # so that the import system looks for modules below the old name at all
        self._specs[spec.name] = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        # The module has run under its own name; the import system has put the old name's spec on it.
        module.__spec__ = self._specs.pop(module.__spec__.name if module.__spec__ else "")


def install_old_paths() -> None:
    """Let modules be imported under the names they had in 1.0, with a DeprecationWarning."""
    sys.meta_path.insert(0, _OldPaths())
    # `qrkit.decode` is a function: what imports the module of this name must not put the module in its place.
    sys.modules.setdefault("qrkit.decode", import_module("qrkit.symbol.decode"))
