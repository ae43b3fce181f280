"""Loads on demand: names of packages, methods from higher rooms, and the module names of 1.0.

A room is a folder or file directly in `qrkit/`. Methods of data classes, such as `design.check()`, belong to rooms that
are built on that data. This is the only module in which a lower room calls a higher one. The imports are inside
functions, so that a plain QR Code loads only the modules that the code needs.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.machinery import ModuleSpec
from inspect import Parameter, Signature, signature
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:  # the methods of `Design` that higher rooms have, for type checkers and editors
    from qrkit.drawing.framing import frame_as_wrapper
    from qrkit.drawing.resizing import followed
    from qrkit.scanning import check
    from qrkit.scanning.largest_logo import largest_logo
    from qrkit.scanning.logo_size import with_logo
    from qrkit.scanning.repair import make_scannable

__all__ = [
    "REMOVAL", "UNSEEN", "LateSignature", "Later", "Shown", "Watch", "check", "followed", "frame_as_wrapper",
    "install_old_paths", "largest_logo", "late_names", "make_scannable", "moved_names", "named", "old_names", "watch",
    "with_logo", "without",
]  # fmt: skip

REMOVAL = "will be removed in qrkit 1.2"
"""What a DeprecationWarning says of a name of 1.0."""

MOVED = "will be removed in qrkit 1.3"
"""What a DeprecationWarning says of a name of 1.1 that has moved."""

Item = TypeVar("Item")
Watch = Callable[[Iterable[Any], str, int | None], Iterable[Any]]
"""Takes items, a word for what is done with them and their number (None if unknown); returns the same items."""


def named(origin: str) -> Any:
    """Return what `room.module:name` is the name of, or the module `room.module`."""
    module, _, attribute = origin.partition(":")
    value: Any = import_module(f"qrkit.{module}")
    return getattr(value, attribute) if attribute else value


def late_names(
    package: str, origins: Mapping[str, str], *, old: str = "", old_names: Sequence[str] = ()
) -> Callable[[str], Any]:
    """Return a `__getattr__` for a package that loads each name from its module on first use.

    Args:
        package: The full name of the package.
        origins: Maps each name to `room.module:name`, or to `room.module` if the name is that of the module itself.
        old: The module that had the name of the package in 1.0.
        old_names: Further names of that module, which are found with a DeprecationWarning.
    """

    def load(name: str) -> Any:
        if name in old_names:
            text = f"{package}.{name} {REMOVAL}: use qrkit.{old}.{name}"
            warnings.warn(text, DeprecationWarning, stacklevel=2)
            return getattr(import_module(f"qrkit.{old}"), name)
        if name not in origins:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = named(origins[name])
        setattr(sys.modules[package], name, value)
        return value

    return load


class LateSignature(Signature):
    """The signature of a function whose parameters take long to find out: they are loaded when `help()` asks for them.

    Args:
        function: The function.
        complete: Takes the signature that the function is written with, and returns the one to show.
    """

    __slots__ = ("_complete", "_own")

    def __init__(self, function: Callable[..., Any], complete: Callable[[Signature], Signature]) -> None:
        self._own, self._complete = signature(function), complete

    @property
    def parameters(self) -> MappingProxyType[str, Parameter]:
        """The parameters, by name."""
        return self._complete(self._own).parameters

    @property
    def return_annotation(self) -> Any:
        """The annotation of what the function returns."""
        return self._complete(self._own).return_annotation

    def replace(self, **changes: Any) -> Signature:  # type: ignore[override]  # the complete signature is of the base
        """Return a copy with other parameters, or another annotation of what is returned."""
        return self._complete(self._own).replace(**changes)

    def __reduce__(self) -> Any:
        return self._complete(self._own).__reduce__()


@contextmanager
def without(library: str) -> Iterator[None]:
    """Import modules inside this context as if an optional library of theirs were not installed.

    Args:
        library: The name of the library. If it has been imported before, nothing changes.
    """
    missing: Any = None
    before = sys.modules.setdefault(library, missing)
    try:
        yield
    finally:
        if before is None:
            del sys.modules[library]


# ---- notebooks


class Shown:
    """Base class of objects that a notebook shows as HTML or as an image. `qrkit.notebook.views` draws them."""

    __slots__ = ()

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        from qrkit.notebook.views import view

        return view(self)


def watch(*, progress: bool) -> Watch:
    """Return a progress bar for a loop, on standard error or below a notebook cell; `UNSEEN` without `progress`."""
    if not progress:
        return UNSEEN
    from qrkit.notebook.progress import progress_bar

    return progress_bar


def _iterate(items: Iterable[Item], _what: str, _total: int | None) -> Iterator[Item]:
    return iter(items)


UNSEEN: Watch = _iterate
"""A `Watch` that shows nothing."""


def old_names(
    module: str, names: Mapping[str, str], others: Callable[[str], Any] | None = None
) -> Callable[[str], Any]:
    """Return a `__getattr__` for a module in which names have changed; old names work, with a DeprecationWarning.

    Args:
        module: The `__name__` of the module.
        names: Maps old names to new ones. A new name with a dot belongs to another module and is written in full.
        others: Finds other names, such as `late_names`.
    """

    def find(name: str) -> Any:
        if name not in names and others:
            return others(name)
        if name not in names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}", name=name, obj=sys.modules[module])
        home, _, new = names[name].rpartition(".")
        hint = f"{module}.{name} {REMOVAL}: use {home or module}.{new}"
        warnings.warn(hint, DeprecationWarning, stacklevel=2)
        return getattr(import_module(home or module), new)

    return find


def moved_names(module: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """Return a `__getattr__` for a module from which names have moved; they work there, with a DeprecationWarning.

    Args:
        module: The `__name__` of the module.
        homes: Maps each name to the module of qrkit that has it now.
    """

    def find(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {module!r} has no attribute {name!r}", name=name, obj=sys.modules[module])
        home = f"qrkit.{homes[name]}"
        warnings.warn(f"{module}.{name} {MOVED}: use {home}.{name}", DeprecationWarning, stacklevel=2)
        return getattr(import_module(home), name)

    return find


# ---- methods of data classes


class Later:
    """A method that a higher room has. Its first use puts the function itself on the class.

    Args:
        origin: The function, as `room.module:name`.
    """

    def __init__(self, origin: str) -> None:
        self._origin = origin

    def __set_name__(self, owner: type, name: str) -> None:
        self._owner, self._name = owner, name

    def __get__(self, instance: object, owner: type) -> Any:
        function = named(self._origin)
        setattr(self._owner, self._name, function)
        return function.__get__(instance, owner)


if not TYPE_CHECKING:
    check = Later("scanning:check")
    make_scannable = Later("scanning.repair:make_scannable")
    with_logo = Later("scanning.logo_size:with_logo")
    largest_logo = Later("scanning.largest_logo:largest_logo")
    frame_as_wrapper = Later("drawing.framing:frame_as_wrapper")
    followed = Later("drawing.resizing:followed")


# ---- module names of 1.0

DOORS = ("accessor", "widgets", "wsgi")
"""Short module names that stay supported."""

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
charts.hours charts.weekly_hours
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
scan_frame pictures.scan_frame
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
store.migrating store.moving
store.portfolio store.qrcodes
store.postgresql_cursor store.postgresql.cursor
store.postgresql_tables store.postgresql.tables
store.settings store.store_settings
store.shared store.salts_and_quotas
store.snapshot store.duckdb.snapshot
store.writer store.recording
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
widgets.twin notebook.widgets.static_image
workers pictures.workers
writers drawing.writers
writers.ground drawing.writers.background
wsgi server
wsgi.server server.socket_server
zip_stream pictures.zip_stream
"""
"""The 1.0 name and the current name of each renamed module. A name that ends in a dot covers all its submodules."""


class _OldPaths:
    """Imports a module by its old name and warns with the current one.

    A finder and a loader without their base classes: `importlib.abc` would add a third to the time of `import qrkit`.
    """

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
            text = f"{fullname} is now qrkit.{now}; the old name {REMOVAL}"
            warnings.warn(text, DeprecationWarning, stacklevel=2)
        return ModuleSpec(fullname, self, origin=f"qrkit.{now}")  # type: ignore[arg-type]  # has its methods

    def _current(self, old: str) -> str | None:
        """Return the current name of a module; None if the name has not changed."""
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
            module.__path__ = []  # lets the import system look for submodules of the old name
        self._specs[spec.name] = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        # The module already ran under its own name; the import system replaced its spec with the old name's.
        module.__spec__ = self._specs.pop(module.__spec__.name if module.__spec__ else "")


def install_old_paths() -> None:
    """Let modules be imported by their 1.0 names, with a DeprecationWarning."""
    sys.meta_path.insert(0, _OldPaths())
    # `qrkit.decode` is a function: importing the old module of this name must not replace it.
    sys.modules.setdefault("qrkit.decode", import_module("qrkit.symbol.decode"))
